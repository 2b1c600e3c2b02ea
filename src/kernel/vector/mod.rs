//! Several elements worked on at once, on every instruction set.

/// Vectors that are a register of an instruction set, with its intrinsics.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! vector {
    ($name:ident, $register:ty, $element:ty, $lanes:literal, $isa:ident,
     $splat:ident, $load:ident, $store:ident, $plus:ident, $minus:ident, $times:ident, $lesser:ident, $with:ident) => {
        #[derive(Clone, Copy)]
        pub struct $name($register);

        #[expect(unsafe_code, reason = "intrinsics")]
        // SAFETY: the intrinsics need their instruction set, which the contract of `Vector` demands; loads and
        // stores need the elements that the contracts of `load` and `store` demand, at any alignment.
        unsafe impl Vector for $name {
            type Element = $element;
            const LANES: usize = $lanes;
            const ISA: Isa = Isa::$isa;
            #[inline(always)]
            unsafe fn splat(value: $element) -> Self {
                // SAFETY: see above.
                Self(unsafe { $splat(value) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $element) -> Self {
                // SAFETY: see above.
                Self(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: see above.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $plus(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn minus(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $minus(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn times(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $times(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn lesser(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $lesser(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn with(self, lane: usize, value: $element) -> Self {
                // SAFETY: see above.
                Self(unsafe { $with(self.0, lane, $splat(value)) })
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

use super::isa::Isa;
use super::scalar::Scalar;

/// Several elements worked on at once.
///
/// # Safety
/// Every method must be called only where the instruction set of the vector exists: inside what
/// [`super::dispatch::run`] runs.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait Vector: Copy {
    /// The type of its elements.
    type Element: Scalar;
    /// How many elements it has.
    const LANES: usize;
    /// The instruction set that it needs.
    const ISA: Isa;
    /// # Safety
    /// See [`Vector`].
    unsafe fn splat(value: Self::Element) -> Self;
    /// # Safety
    /// See [`Vector`]; `LANES` elements must be readable at `from`.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// # Safety
    /// See [`Vector`]; `LANES` elements must be writable at `to`.
    unsafe fn store(self, to: *mut Self::Element);
    /// # Safety
    /// See [`Vector`].
    unsafe fn plus(self, other: Self) -> Self;
    /// # Safety
    /// See [`Vector`].
    unsafe fn minus(self, other: Self) -> Self;
    /// # Safety
    /// See [`Vector`].
    unsafe fn times(self, other: Self) -> Self;
    /// Lane by lane, the lesser of two numbers; `other` if they are equal or one of them is NaN.
    ///
    /// # Safety
    /// See [`Vector`].
    unsafe fn lesser(self, other: Self) -> Self;
    /// The vector with another element in one lane. To write the element to memory instead, and then load the vector, would be
    /// slow: the load would wait until the write has reached the cache.
    ///
    /// # Safety
    /// See [`Vector`]; there must be such a lane.
    unsafe fn with(self, lane: usize, value: Self::Element) -> Self;
}
