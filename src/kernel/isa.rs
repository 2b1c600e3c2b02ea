//! Which instruction set, decided at run time.
//!
//! A [`Task`] is generic over the vector; [`run`] instantiates it inside a function compiled for the instruction set,
//! into which all of it is inlined. So one source serves every machine, and a wheel built for the baseline uses all that
//! a newer processor has.

use std::fmt;
use std::str::FromStr;

use super::element::Element;
use super::vector::Vector;
use crate::error::{Error, Result};

/// An instruction set for the hot loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// 512-bit vectors.
    Avx512,
    /// 256-bit vectors.
    Avx2,
    /// Whatever the compiler's baseline has.
    Portable,
}

impl Kernel {
    const ALL: [Kernel; 3] = [Kernel::Avx512, Kernel::Avx2, Kernel::Portable];

    /// The fastest that this machine has.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Kernel::Portable)
    }

    /// All that this machine has, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Kernel::Avx512 => is_x86_feature_detected!("avx512f"),
            Kernel::Avx2 => is_x86_feature_detected!("avx2"),
            Kernel::Portable => true,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Kernel::Portable
    }

    /// How many elements a vector of it holds.
    pub fn lanes<E: Element>(self) -> usize {
        match self {
            Kernel::Avx512 => E::Avx512::LANES,
            Kernel::Avx2 => E::Avx2::LANES,
            Kernel::Portable => E::Portable::LANES,
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kernel::Avx512 => "avx512",
            Kernel::Avx2 => "avx2",
            Kernel::Portable => "portable",
        })
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::available().find(|kernel| kernel.to_string() == name).ok_or_else(|| {
            let available: Vec<String> = Self::available().map(|kernel| kernel.to_string()).collect();
            Error::Argument(format!(
                "expected a kernel of this machine ({}), found {name:?}",
                available.join(", ")
            ))
        })
    }
}

/// Work on rows of some width that is generic over the vector, and over how many vectors are worked on side by side.
pub trait Task<E: Element> {
    /// What it gives.
    type Output;

    /// Does the work, on blocks of `B` vectors, of which the width of the rows is a multiple. Implementations are
    /// `#[inline(always)]`, and have no closures: a closure is compiled without the instruction set.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[expect(unsafe_code, reason = "runs with an instruction set that must be checked for")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Self::Output;
}

/// Runs a task on rows of `width` elements, a multiple of the kernel's lanes, with the vectors of a kernel; with the
/// portable ones where the machine lacks it, which no kernel from [`Kernel::available`] or parsed from a name does. The
/// bits of the result are the same.
#[expect(unsafe_code, reason = "the one place where the instruction set is checked")]
pub fn run<E: Element, T: Task<E>>(kernel: Kernel, width: usize, task: T) -> T::Output {
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
        if kernel == Kernel::Avx512 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx512(width, task) };
        }
        if kernel == Kernel::Avx2 && kernel.is_available() {
            // SAFETY: just checked.
            return unsafe { avx2(width, task) };
        }
    }
    // SAFETY: the portable vectors need no instruction set.
    unsafe { in_blocks::<E, E::Portable, T>(width, task) }
}

/// As many vectors side by side as divide the width, up to 8: the additions of one sum wait for each other.
///
/// # Safety
/// The instruction set of `V` must exist.
#[inline(always)]
#[expect(unsafe_code, reason = "runs with an instruction set that must be checked for")]
unsafe fn in_blocks<E: Element, V: Vector<Element = E>, T: Task<E>>(width: usize, task: T) -> T::Output {
    // SAFETY: by the contract of this function.
    unsafe {
        match width / V::LANES {
            3 => task.run::<V, 3>(),
            n if n % 8 == 0 => task.run::<V, 8>(),
            n if n % 4 == 0 => task.run::<V, 4>(),
            n if n % 2 == 0 => task.run::<V, 2>(),
            _ => task.run::<V, 1>(),
        }
    }
}
