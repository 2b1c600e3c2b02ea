//! Vectors for any machine: arrays, which the compiler turns into vectors of its baseline.

use super::Vector;
use crate::kernel::isa::Isa;
use crate::kernel::scalar::Scalar;

#[expect(unsafe_code, reason = "loads and stores through pointers")]
// SAFETY: needs no instruction set.
unsafe impl<T: Scalar, const N: usize> Vector for [T; N] {
    type Element = T;
    const LANES: usize = N;
    const ISA: Isa = Isa::Portable;
    #[inline(always)]
    unsafe fn splat(value: T) -> Self {
        [value; N]
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller vouches for N readable elements; unaligned is allowed.
        unsafe { from.cast::<Self>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller vouches for N writable elements; unaligned is allowed.
        unsafe { to.cast::<Self>().write_unaligned(self) }
    }
    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].plus(other[lane]))
    }
    #[inline(always)]
    unsafe fn minus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].minus(other[lane]))
    }
    #[inline(always)]
    unsafe fn times(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].times(other[lane]))
    }
    #[inline(always)]
    unsafe fn lesser(self, other: Self) -> Self {
        std::array::from_fn(|lane| if self[lane] < other[lane] { self[lane] } else { other[lane] })
    }
    #[inline(always)]
    unsafe fn with(mut self, lane: usize, value: T) -> Self {
        self[lane] = value;
        self
    }
}
