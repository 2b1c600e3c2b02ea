//! Vectors of NEON, which every processor of the architecture has.

use std::arch::aarch64::*;

use super::Vector;
use crate::kernel::isa::Isa;

/// The index of each lane.
static LANES_64: [u64; 2] = [0, 1];
static LANES_32: [u32; 4] = [0, 1, 2, 3];

macro_rules! vector {
    ($name:ident, $register:ty, $element:ty, $lanes:literal,
     $splat:ident, $load:ident, $store:ident, $plus:ident, $minus:ident, $times:ident, $choose:ident,
     $equal:ident, $load_lanes:ident, $splat_lane:ident, $numbers:ident) => {
        #[derive(Clone, Copy)]
        pub struct $name($register);

        #[expect(unsafe_code, reason = "intrinsics")]
        // SAFETY: NEON is part of the baseline; loads and stores need the elements that the contracts of `load` and
        // `store` demand, at any alignment.
        unsafe impl Vector for $name {
            type Element = $element;
            const LANES: usize = $lanes;
            const ISA: Isa = Isa::Neon;
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
            unsafe fn with(self, lane: usize, value: $element) -> Self {
                // SAFETY: see above; there are as many numbers as lanes.
                unsafe {
                    let chosen = $equal($load_lanes($numbers.as_ptr()), $splat_lane(lane as _));
                    Self($choose(chosen, $splat(value), self.0))
                }
            }
        }
    };
}

vector!(
    Pd128,
    float64x2_t,
    f64,
    2,
    vdupq_n_f64,
    vld1q_f64,
    vst1q_f64,
    vaddq_f64,
    vsubq_f64,
    vmulq_f64,
    vbslq_f64,
    vceqq_u64,
    vld1q_u64,
    vdupq_n_u64,
    LANES_64
);
vector!(
    Ps128,
    float32x4_t,
    f32,
    4,
    vdupq_n_f32,
    vld1q_f32,
    vst1q_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vbslq_f32,
    vceqq_u32,
    vld1q_u32,
    vdupq_n_u32,
    LANES_32
);
