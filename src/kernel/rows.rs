//! What weights are made of: elements, and vectors of them on every instruction set.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A number that weights are made of: `f64` or `f32`. Every bit pattern is one.
pub trait Element:
    sealed::Sealed + faer::traits::RealField + Copy + PartialOrd + Debug + Default + Send + Sync + 'static
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

/// As many vector registers as AVX2 has, and as many as AVX-512 has: no other vectors have so many.
pub(super) const SOME: usize = 16;
pub(super) const MANY: usize = 32;

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
    /// How many vectors the processor holds at once.
    const REGISTERS: usize;
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
    /// Lane by lane the lesser of two numbers, `other` if they are equal.
    ///
    /// # Safety
    /// See [`Vector`].
    unsafe fn lesser(self, other: Self) -> Self;
    /// The vector with another element in a lane. A vector that is to be loaded soon is changed so, and not by writing the
    /// element into memory: the load would wait for that until it is in the cache.
    ///
    /// # Safety
    /// See [`Vector`]; there must be such a lane.
    unsafe fn with(self, lane: usize, value: Self::Element) -> Self;
}

#[expect(unsafe_code, reason = "loads and stores through pointers")]
// SAFETY: needs no instruction set.
unsafe impl<T: Element, const N: usize> Vector for [T; N] {
    type Element = T;
    const LANES: usize = N;
    // Of the baseline nothing is known but that there are few.
    const REGISTERS: usize = 8;
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{MANY, SOME, Vector};
    use std::arch::x86_64::*;

    macro_rules! vector {
        ($name:ident, $register:ty, $element:ty, $lanes:literal, $registers:expr,
         $splat:ident, $load:ident, $store:ident, $plus:ident, $minus:ident, $times:ident, $lesser:ident, $with:ident) => {
            #[derive(Clone, Copy)]
            pub struct $name($register);

            #[expect(unsafe_code, reason = "intrinsics")]
            // SAFETY: the intrinsics need their instruction set, which the contract of `Vector` demands; loads and
            // stores need the elements that the contracts of `load` and `store` demand, at any alignment.
            unsafe impl Vector for $name {
                type Element = $element;
                const LANES: usize = $lanes;
                const REGISTERS: usize = $registers;
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

    /// All bits of the middle one.
    static MIDDLE_OF_7: [u64; 7] = [0, 0, 0, !0, 0, 0, 0];
    static MIDDLE_OF_15: [u32; 15] = [0, 0, 0, 0, 0, 0, 0, !0, 0, 0, 0, 0, 0, 0, 0];

    /// The lane of `new`, all others of `old`.
    ///
    /// # Safety
    /// AVX-512F must exist; `lane` is below 8.
    #[inline(always)]
    #[expect(unsafe_code, reason = "intrinsics")]
    unsafe fn with_512d(old: __m512d, lane: usize, new: __m512d) -> __m512d {
        // SAFETY: by the contract of this function.
        unsafe { _mm512_mask_mov_pd(old, 1 << lane, new) }
    }

    /// The lane of `new`, all others of `old`.
    ///
    /// # Safety
    /// AVX-512F must exist; `lane` is below 16.
    #[inline(always)]
    #[expect(unsafe_code, reason = "intrinsics")]
    unsafe fn with_512(old: __m512, lane: usize, new: __m512) -> __m512 {
        // SAFETY: by the contract of this function.
        unsafe { _mm512_mask_mov_ps(old, 1 << lane, new) }
    }

    /// The lane of `new`, all others of `old`.
    ///
    /// # Safety
    /// AVX2 must exist; `lane` is below 4.
    #[inline(always)]
    #[expect(unsafe_code, reason = "intrinsics")]
    unsafe fn with_256d(old: __m256d, lane: usize, new: __m256d) -> __m256d {
        // SAFETY: by the contract of this function; 3 - lane and the three after it are below 7.
        unsafe {
            let chosen = _mm256_loadu_pd(MIDDLE_OF_7.as_ptr().add(3 - lane).cast());
            _mm256_blendv_pd(old, new, chosen)
        }
    }

    /// The lane of `new`, all others of `old`.
    ///
    /// # Safety
    /// AVX2 must exist; `lane` is below 8.
    #[inline(always)]
    #[expect(unsafe_code, reason = "intrinsics")]
    unsafe fn with_256(old: __m256, lane: usize, new: __m256) -> __m256 {
        // SAFETY: by the contract of this function; 7 - lane and the seven after it are below 15.
        unsafe {
            let chosen = _mm256_loadu_ps(MIDDLE_OF_15.as_ptr().add(7 - lane).cast());
            _mm256_blendv_ps(old, new, chosen)
        }
    }

    vector!(
        Pd512,
        __m512d,
        f64,
        8,
        MANY,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_min_pd,
        with_512d
    );
    vector!(
        Ps512,
        __m512,
        f32,
        16,
        MANY,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps,
        _mm512_min_ps,
        with_512
    );
    vector!(
        Pd256,
        __m256d,
        f64,
        4,
        SOME,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_min_pd,
        with_256d
    );
    vector!(
        Ps256,
        __m256,
        f32,
        8,
        SOME,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_min_ps,
        with_256
    );
}
