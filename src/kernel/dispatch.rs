//! One source for every machine: the instruction set is decided at run time.
//!
//! A [`Task`] is generic over the vector; [`run`] instantiates it inside a function compiled for the instruction set, into which
//! the task is inlined. So a wheel built for the baseline still uses AVX2 or AVX-512 where the processor has them.

use super::element::Element;
use super::isa::Isa;
use super::vector::Vector;

/// How many elements a vector of an instruction set holds.
pub fn lanes<E: Element>(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => E::Avx512::LANES,
        Isa::Avx2 => E::Avx2::LANES,
        Isa::Neon => E::Neon::LANES,
        Isa::Portable => E::Portable::LANES,
    }
}

/// Work on rows of some width, generic over the vector and over the number of vectors side by side.
pub trait Task<E: Element> {
    /// What it gives.
    type Output;

    /// Does the work on blocks of `B` vectors; the width of the rows is a multiple of a block. Implementations are
    /// `#[inline(always)]`, and have no closures: a closure is compiled without the instruction set.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[expect(unsafe_code, reason = "runs with an instruction set that must be checked for")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Self::Output;
}

/// Runs a task on rows of `width` elements, a multiple of the kernel's lanes, with the vectors of a kernel (an instruction set).
/// If the machine lacks it, the portable vectors do the task, with the same bits. The machine always has the kernels that
/// [`Isa::available`] lists or that are parsed from a name.
#[expect(unsafe_code, reason = "the one place where the instruction set is checked")]
pub fn run<E: Element, T: Task<E>>(kernel: Isa, width: usize, task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn avx512<E: Element, T: Task<E>>(width: usize, task: T) -> T::Output {
            // SAFETY: the caller has AVX-512.
            unsafe { in_blocks::<E, E::Avx512, T>(width, task) }
        }
        #[target_feature(enable = "avx2")]
        fn avx2<E: Element, T: Task<E>>(width: usize, task: T) -> T::Output {
            // SAFETY: the caller has AVX2.
            unsafe { in_blocks::<E, E::Avx2, T>(width, task) }
        }
        if kernel == Isa::Avx512 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx512(width, task) };
        }
        if kernel == Isa::Avx2 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx2(width, task) };
        }
    }
    #[cfg(target_arch = "aarch64")]
    if kernel == Isa::Neon {
        // SAFETY: NEON is part of the baseline.
        return unsafe { in_blocks::<E, E::Neon, T>(width, task) };
    }
    // SAFETY: the portable vectors need no instruction set.
    unsafe { in_blocks::<E, E::Portable, T>(width, task) }
}

/// Work in plain loops, which the compiler turns into vector code. Implementations are `#[inline(always)]`, and so is all that
/// their loops call.
pub trait Loops {
    /// What they give.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs loops that are compiled for a kernel (an instruction set), if the machine has it, else for the compiler's baseline, with
/// the same bits.
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the instruction set is checked here"))]
pub fn compiled<L: Loops>(kernel: Isa, loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn avx512<L: Loops>(loops: L) -> L::Output {
            loops.run()
        }
        #[target_feature(enable = "avx2")]
        fn avx2<L: Loops>(loops: L) -> L::Output {
            loops.run()
        }
        if kernel == Isa::Avx512 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx512(loops) };
        }
        if kernel == Isa::Avx2 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx2(loops) };
        }
    }
    let _ = kernel;
    loops.run()
}

/// Works on 8, 4 or 1 vectors side by side: the largest of these numbers that divides the number of vectors in a row. One vector
/// alone is slow, because each addition to a sum waits for the one before it.
///
/// # Safety
/// The instruction set of `V` must exist.
#[inline(always)]
#[expect(unsafe_code, reason = "runs with an instruction set that must be checked for")]
unsafe fn in_blocks<E: Element, V: Vector<Element = E>, T: Task<E>>(width: usize, task: T) -> T::Output {
    // SAFETY: by the contract of this function.
    unsafe {
        match width / V::LANES {
            n if n % 8 == 0 => task.run::<V, 8>(),
            n if n % 4 == 0 => task.run::<V, 4>(),
            _ => task.run::<V, 1>(),
        }
    }
}
