//! Vectors of AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::Vector;
use crate::kernel::isa::Isa;

/// Masks that choose one lane. Four consecutive elements of the first array (eight of the second), loaded as a vector, have all
/// bits set in one lane and none in the others; where the load begins decides which lane.
static MIDDLE_OF_7: [u64; 7] = [0, 0, 0, !0, 0, 0, 0];
static MIDDLE_OF_15: [u32; 15] = [0, 0, 0, 0, 0, 0, 0, !0, 0, 0, 0, 0, 0, 0, 0];

/// `old` with one lane taken from `new`.
///
/// # Safety
/// AVX-512F must exist; `lane` is below 8.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn with_512d(old: __m512d, lane: usize, new: __m512d) -> __m512d {
    // SAFETY: by the contract of this function.
    unsafe { _mm512_mask_mov_pd(old, 1 << lane, new) }
}

/// `old` with one lane taken from `new`.
///
/// # Safety
/// AVX-512F must exist; `lane` is below 16.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn with_512(old: __m512, lane: usize, new: __m512) -> __m512 {
    // SAFETY: by the contract of this function.
    unsafe { _mm512_mask_mov_ps(old, 1 << lane, new) }
}

/// `old` with one lane taken from `new`.
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

/// `old` with one lane taken from `new`.
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
    Avx512,
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
    Avx512,
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
    Avx2,
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
    Avx2,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_min_ps,
    with_256
);
