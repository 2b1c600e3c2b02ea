//! Several elements worked on at once, on every instruction set.

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
    /// The vector with another element in one lane. To write the element to memory instead, and then load the vector, would be
    /// slow: the load would wait until the write has reached the cache.
    ///
    /// # Safety
    /// See [`Vector`]; there must be such a lane.
    unsafe fn with(self, lane: usize, value: Self::Element) -> Self;
}
