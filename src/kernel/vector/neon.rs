//! Vectors of NEON, which every processor of the architecture has.

use std::arch::aarch64::*;

use super::Vector;
use crate::kernel::isa::Isa;

/// The index of each lane.
static LANES_64: [u64; 2] = [0, 1];
static LANES_32: [u32; 4] = [0, 1, 2, 3];

/// The lesser of two numbers in each lane. Not the instruction for minima: it gives NaN if either is NaN, and of two zeros the
/// negative one.
///
/// # Safety
/// None besides the baseline.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn lesser_128d(one: float64x2_t, other: float64x2_t) -> float64x2_t {
    // SAFETY: NEON is part of the baseline.
    unsafe { vbslq_f64(vcltq_f64(one, other), one, other) }
}

/// As [`lesser_128d`].
///
/// # Safety
/// None besides the baseline.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn lesser_128(one: float32x4_t, other: float32x4_t) -> float32x4_t {
    // SAFETY: NEON is part of the baseline.
    unsafe { vbslq_f32(vcltq_f32(one, other), one, other) }
}

/// `old` with one lane taken from `new`.
///
/// # Safety
/// `lane` is below 2.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn with_128d(old: float64x2_t, lane: usize, new: float64x2_t) -> float64x2_t {
    // SAFETY: NEON is part of the baseline; there are as many numbers as lanes.
    unsafe { vbslq_f64(vceqq_u64(vld1q_u64(LANES_64.as_ptr()), vdupq_n_u64(lane as u64)), new, old) }
}

/// `old` with one lane taken from `new`.
///
/// # Safety
/// `lane` is below 4.
#[inline(always)]
#[expect(unsafe_code, reason = "intrinsics")]
unsafe fn with_128(old: float32x4_t, lane: usize, new: float32x4_t) -> float32x4_t {
    // SAFETY: NEON is part of the baseline; there are as many numbers as lanes.
    unsafe { vbslq_f32(vceqq_u32(vld1q_u32(LANES_32.as_ptr()), vdupq_n_u32(lane as u32)), new, old) }
}

vector!(
    Pd128,
    float64x2_t,
    f64,
    2,
    Neon,
    vdupq_n_f64,
    vld1q_f64,
    vst1q_f64,
    vaddq_f64,
    vsubq_f64,
    vmulq_f64,
    lesser_128d,
    with_128d
);
vector!(
    Ps128,
    float32x4_t,
    f32,
    4,
    Neon,
    vdupq_n_f32,
    vld1q_f32,
    vst1q_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    lesser_128,
    with_128
);
