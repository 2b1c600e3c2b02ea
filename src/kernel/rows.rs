//! Sums of rows, and adding to rows: the two halves of an update.
//!
//! ```text
//! a = +0.0;  for each cue c of the event, in order:  a = a + W[c, :]          (sum)
//! u = ...                                                                     (the rule, in `learn::forward`)
//! for each cue c of the event, in order:             W[c, :] = W[c, :] + alpha[c] * u     (add)
//! ```
//!
//! Vectors run over outcomes, never over cues, and multiply and add are never fused; so every lane does just what the
//! scalar rule says, in its order, and the result has the same bits whatever the width of the vectors. The additions of
//! one sum wait for each other; `B` vectors side by side hide that.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number that weights are made of: `f64` or `f32`. Every bit pattern is one.
pub trait Element:
    sealed::Sealed + faer::traits::RealField + Copy + PartialEq + Debug + Default + Send + Sync + 'static
{
    /// Vectors of AVX-512.
    type Avx512: Vector<Element = Self>;
    /// Vectors of AVX2.
    type Avx2: Vector<Element = Self>;
    /// Vectors of any machine.
    type Portable: Vector<Element = Self>;
    /// The name numpy gives it.
    const NAME: &'static str;
    /// Rounds to the type.
    fn from_f64(value: f64) -> Self;
    /// Without loss.
    fn to_f64(self) -> f64;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// +0.0 itself, not -0.0.
    fn is_positive_zero(self) -> bool;
    /// `self + other`, rounded.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, rounded.
    fn minus(self, other: Self) -> Self;
    /// `self * other`, rounded.
    fn times(self, other: Self) -> Self;
}

macro_rules! element {
    ($type:ty, $name:literal, $avx512:ty, $avx2:ty, $lanes:literal) => {
        impl Element for $type {
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(not(target_arch = "x86_64"))]
            type Avx512 = [$type; $lanes];
            #[cfg(not(target_arch = "x86_64"))]
            type Avx2 = [$type; $lanes];
            type Portable = [$type; $lanes];
            const NAME: &'static str = $name;
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
            fn is_positive_zero(self) -> bool {
                self.to_bits() == 0
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
    };
}

element!(f64, "float64", x86::Pd512, x86::Pd256, 4);
element!(f32, "float32", x86::Ps512, x86::Ps256, 8);

/// Several elements worked on at once.
///
/// # Safety
/// Every method must be called only where the instruction set of the vector exists: inside what
/// [`super::dispatch::run`] runs.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait Vector: Copy {
    /// What it is a vector of.
    type Element: Element;
    /// How many.
    const LANES: usize;
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
}

#[expect(unsafe_code, reason = "loads and stores through pointers")]
// SAFETY: needs no instruction set.
unsafe impl<T: Element, const N: usize> Vector for [T; N] {
    type Element = T;
    const LANES: usize = N;
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
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    macro_rules! vector {
        ($name:ident, $register:ty, $element:ty, $lanes:literal,
         $splat:ident, $load:ident, $store:ident, $plus:ident, $minus:ident, $times:ident) => {
            #[derive(Clone, Copy)]
            pub struct $name($register);

            #[expect(unsafe_code, reason = "intrinsics")]
            // SAFETY: the intrinsics need their instruction set, which the contract of `Vector` demands; loads and
            // stores need the elements that the contracts of `load` and `store` demand, at any alignment.
            unsafe impl Vector for $name {
                type Element = $element;
                const LANES: usize = $lanes;
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
            }
        };
    }

    vector!(
        Pd512,
        __m512d,
        f64,
        8,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd
    );
    vector!(
        Ps512,
        __m512,
        f32,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps
    );
    vector!(
        Pd256,
        __m256d,
        f64,
        4,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd
    );
    vector!(
        Ps256,
        __m256,
        f32,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps
    );
}

/// The sum of `B` vectors of the given rows, from `column` on, in the order of `rows`, starting at +0.0.
///
/// # Safety
/// See [`Vector`]. `weights` points to rows of `width` elements each; every row in `rows` is one of them, and
/// `column + B * LANES <= width`.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn sum_rows<V: Vector, const B: usize>(
    weights: *const V::Element,
    width: usize,
    column: usize,
    rows: &[u32],
) -> [V; B] {
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let mut sum = [V::splat(V::Element::default()); B];
        for &row in rows {
            let at = weights.add(row as usize * width + column);
            for (block, sum) in sum.iter_mut().enumerate() {
                *sum = sum.plus(V::load(at.add(block * V::LANES)));
            }
        }
        sum
    }
}

/// Adds `scale[row] * update` to `B` vectors of the given rows, from `column` on, one row after another.
///
/// # Safety
/// As [`sum_rows`], with exclusive access to the rows; `scale` has an element for every row.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn add_to_rows<V: Vector, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    column: usize,
    rows: &[u32],
    scale: &[V::Element],
    update: [V; B],
) {
    // SAFETY: as in `sum_rows`; `scale` is indexed by a row, and has an element for each.
    unsafe {
        for &row in rows {
            let at = weights.add(row as usize * width + column);
            let scale = V::splat(*scale.get_unchecked(row as usize));
            for (block, update) in update.iter().enumerate() {
                let at = at.add(block * V::LANES);
                V::load(at).plus(scale.times(*update)).store(at);
            }
        }
    }
}

/// The sum of `scale[row]` times `B` vectors of the given rows, from `column` on, in the order of `rows`.
///
/// # Safety
/// As [`sum_rows`]; `scale` has an element for every row.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn sum_scaled_rows<V: Vector, const B: usize>(
    weights: *const V::Element,
    width: usize,
    column: usize,
    rows: &[u32],
    scale: &[V::Element],
) -> [V; B] {
    // SAFETY: as in `sum_rows`; `scale` is indexed by a row, and has an element for each.
    unsafe {
        let mut sum = [V::splat(V::Element::default()); B];
        for &row in rows {
            let at = weights.add(row as usize * width + column);
            let scale = V::splat(*scale.get_unchecked(row as usize));
            for (block, sum) in sum.iter_mut().enumerate() {
                *sum = sum.plus(scale.times(V::load(at.add(block * V::LANES))));
            }
        }
        sum
    }
}

/// Subtracts an update from `B` vectors of the given rows, from `column` on, one row after another.
///
/// # Safety
/// As [`sum_rows`], with exclusive access to the rows.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn subtract_from_rows<V: Vector, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    column: usize,
    rows: &[u32],
    update: [V; B],
) {
    // SAFETY: as in `sum_rows`.
    unsafe {
        for &row in rows {
            let at = weights.add(row as usize * width + column);
            for (block, update) in update.iter().enumerate() {
                let at = at.add(block * V::LANES);
                V::load(at).minus(*update).store(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::dispatch::{Kernel, Task, run};
    use proptest::prelude::*;

    /// Rows summed and added to, with any vector.
    struct Both<'a, E> {
        weights: &'a mut [E],
        width: usize,
        rows: &'a [u32],
        scale: &'a [E],
    }

    impl<E: Element> Task<E> for Both<'_, E> {
        type Output = Vec<E>;
        #[inline(always)]
        #[expect(unsafe_code, reason = "calls the kernels")]
        unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Vec<E> {
            let mut sums = vec![E::default(); self.width];
            for column in (0..self.width).step_by(B * V::LANES) {
                // SAFETY: the width is a multiple of B vectors, and the rows are below 4.
                unsafe {
                    let sum = sum_rows::<V, B>(self.weights.as_ptr(), self.width, column, self.rows);
                    for (b, sum) in sum.iter().enumerate() {
                        sum.store(sums.as_mut_ptr().add(column + b * V::LANES));
                    }
                    let weights = self.weights.as_mut_ptr();
                    add_to_rows::<V, B>(weights, self.width, column, self.rows, self.scale, sum);
                }
            }
            sums
        }
    }

    fn naive<E: Element>(weights: &mut [E], width: usize, rows: &[u32], scale: &[E]) -> Vec<E> {
        let mut sums = vec![E::default(); width];
        for (column, sum) in sums.iter_mut().enumerate() {
            rows.iter().for_each(|&row| *sum = sum.plus(weights[row as usize * width + column]));
            for &row in rows {
                let weight = &mut weights[row as usize * width + column];
                *weight = weight.plus(scale[row as usize].times(*sum));
            }
        }
        sums
    }

    fn every_kernel_is_naive<E: Element>(weights: &[f64], scale: &[f64], rows: &[u32]) {
        let width = 32;
        let weights: Vec<E> = weights.iter().map(|&weight| E::from_f64(weight)).collect();
        let scale: Vec<E> = scale.iter().map(|&alpha| E::from_f64(alpha)).collect();
        let mut expected = weights.clone();
        let expected_sums = naive(&mut expected, width, rows, &scale);
        for kernel in Kernel::available() {
            let mut found = weights.clone();
            let task = Both { weights: &mut found, width, rows, scale: &scale };
            assert_eq!(run(kernel, width, task), expected_sums, "{kernel:?}");
            assert_eq!(found, expected, "{kernel:?}");
        }
    }

    proptest! {
        #[test]
        fn every_kernel_does_what_the_naive_loop_does(
            weights in prop::collection::vec(-1e3..1e3_f64, 128),
            scale in prop::collection::vec(0.0..1.0_f64, 4),
            rows in prop::collection::vec(0..4_u32, 0..9),
        ) {
            every_kernel_is_naive::<f64>(&weights, &scale, &rows);
            every_kernel_is_naive::<f32>(&weights, &scale, &rows);
        }
    }
}
