//! Addresses of the rows of a step. An address may wait in a vector register, where the processor has more of those than it needs
//! for vectors: one that waits on the stack would be loaded behind all the vectors under way.

use super::isa::Isa;
use super::vector::Vector;

/// Where each of `K` rows begins. With many vector registers the first few are at hand, and the others are moved from a vector
/// register when their turn comes.
pub(super) struct Addresses<V: Vector, const K: usize> {
    near: [*mut V::Element; K],
    far: [f64; K],
}

impl<V: Vector, const K: usize> Addresses<V, K> {
    /// How many are at hand. Of the vector registers 16 can be named for the others.
    const NEAR: usize = match V::ISA {
        Isa::Avx512 if K > 20 => K - 16,
        Isa::Avx512 => 4,
        _ => K,
    };

    /// All the same, until they are set.
    #[inline(always)]
    pub(super) fn at(address: *mut V::Element) -> Self {
        Self { near: [address; K], far: [0.0; K] }
    }

    /// Row `k` begins at `address`.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls assembly")]
    pub(super) unsafe fn set(&mut self, k: usize, address: *mut V::Element) {
        if k < Self::NEAR {
            self.near[k] = address;
        } else {
            // SAFETY: a `V` with so many registers is one of AVX-512.
            self.far[k] = unsafe { far::put(address) };
        }
    }

    /// Where row `k` begins.
    ///
    /// # Safety
    /// As [`Addresses::set`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls assembly")]
    pub(super) unsafe fn get(&self, k: usize) -> *mut V::Element {
        // SAFETY: as in `set`.
        if k < Self::NEAR { self.near[k] } else { unsafe { far::get(self.far[k]) } }
    }
}

/// Addresses in vector registers. In assembly, for the compiler would move all of them back before a loop, and to the stack.
mod far {
    /// # Safety
    /// There must be AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[expect(unsafe_code, clippy::pointers_in_nomem_asm_block, reason = "moves an address and follows none")]
    pub(super) unsafe fn put<E>(address: *mut E) -> f64 {
        let far;
        // SAFETY: one register is written, with an instruction that exists.
        unsafe {
            std::arch::asm!("vmovq {far}, {address}", far = out(xmm_reg) far, address = in(reg) address,
                options(nomem, nostack, preserves_flags));
        }
        far
    }

    /// # Safety
    /// There must be AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[expect(unsafe_code, reason = "assembly")]
    pub(super) unsafe fn get<E>(far: f64) -> *mut E {
        let address;
        // SAFETY: as in `put`.
        unsafe {
            std::arch::asm!("vmovq {address}, {far}", address = out(reg) address, far = in(xmm_reg) far,
                options(nomem, nostack, preserves_flags));
        }
        address
    }

    /// # Safety
    /// None is needed.
    #[cfg(not(target_arch = "x86_64"))]
    #[expect(unsafe_code, reason = "as with AVX-512")]
    pub(super) unsafe fn put<E>(address: *mut E) -> f64 {
        f64::from_bits(address.expose_provenance() as u64)
    }

    /// # Safety
    /// None is needed.
    #[cfg(not(target_arch = "x86_64"))]
    #[expect(unsafe_code, reason = "as with AVX-512")]
    pub(super) unsafe fn get<E>(far: f64) -> *mut E {
        std::ptr::with_exposed_provenance_mut(far.to_bits() as usize)
    }
}
