//! Which body a step has: by the number of its rows and the instruction set, as measured.

use std::marker::PhantomData;

use super::Step;
use super::bodies::{any, deep, held, summed, woven};
use crate::kernel::isa::Isa;
use crate::kernel::vector::Vector;

/// Forms of a body: rows stay in registers; all rows of a block are summed, then changed; or a block is summed while the one
/// before it is changed, or the last but one.
const HELD: u8 = 0;
const SUMMED: u8 = 1;
const WOVEN: u8 = 2;
const DEEP: u8 = 3;

/// `$with!` of the body for a number of rows: how many they are, or 0 if any; how many vectors are side by side; and its form.
macro_rules! by_rows {
    ($with:ident, $n:expr, alone [$($a:literal: $c:literal),*], deep [$($p:literal: $f:literal),*],
        summed [$($s:literal: $e:literal),*], woven [$($w:literal: $d:literal),*], held [$($h:literal: $b:literal),*],
        any: $side:literal) => {
        match $n {
            $($a if S::ALONE => $with!($a, $c, HELD),)*
            $($p if S::UNIFORM && S::ALONE => $with!($p, $f, DEEP),)*
            $($s if S::UNIFORM && !S::ALONE => $with!($s, $e, SUMMED),)*
            $($w if S::UNIFORM => $with!($w, $d, WOVEN),)*
            $($h => $with!($h, $b, HELD),)*
            _ => $with!(0, $side, WOVEN),
        }
    };
}

/// There are bodies for fewer rows than these.
pub(super) const ROWS: usize = 25;

/// The bodies, each a function of its own; called by way of a table, lest they become part of their caller again.
pub(super) struct Apart<V, S>(PhantomData<(V, S)>);

/// A body, with what [`step`] is given.
pub(super) type Body<V, S> = unsafe fn(*mut <V as Vector>::Element, usize, &[u32], &mut S);

impl<V: Vector, S: Step<V>> Apart<V, S> {
    /// That for each number of rows, and for any number at 0.
    pub(super) const ALL: [Body<V, S>; ROWS] = {
        let mut all = [Self::of(0); ROWS];
        let mut n = 1;
        while n < ROWS {
            all[n] = Self::of(n);
            n += 1;
        }
        all
    };

    /// As many vectors side by side as leave a register for each of their rows, or as are under way at once.
    const fn of(n: usize) -> Body<V, S> {
        macro_rules! with_avx2 {
            ($rows:literal, $side:literal, $form:ident) => {
                with_avx2::<V, S, $rows, $side, $form>
            };
        }
        macro_rules! with_avx512 {
            ($rows:literal, $side:literal, $form:ident) => {
                with_avx512::<V, S, $rows, $side, $form>
            };
        }
        if matches!(V::ISA, Isa::Avx2) {
            by_rows!(
                with_avx2,
                n,
                alone [],
                deep [3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2],
                summed [],
                woven [6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2, 13: 2, 14: 2, 15: 2, 16: 2, 17: 2, 18: 2, 19: 2, 20: 2,
                    21: 2, 22: 2, 23: 2, 24: 2],
                held [1: 4, 2: 4, 3: 2, 4: 2, 5: 2, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1],
                any: 4
            )
        } else {
            by_rows!(
                with_avx512,
                n,
                alone [1: 8, 2: 8],
                deep [],
                summed [3: 8, 4: 8, 5: 8, 6: 8, 7: 8, 8: 8],
                woven [7: 4, 8: 4, 9: 4, 10: 4, 11: 4, 12: 4, 13: 2, 14: 2, 15: 2, 16: 2, 17: 2, 18: 2, 19: 2, 20: 2, 21: 2,
                    22: 2, 23: 2, 24: 2],
                held [1: 4, 2: 4, 3: 4, 4: 4, 5: 4, 6: 4, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2],
                any: 2
            )
        }
    }
}

/// [`body`] as a function of its own.
///
/// # Safety
/// As [`body`], for a machine that has AVX2.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn with_avx2<V: Vector, S: Step<V>, const K: usize, const B: usize, const FORM: u8>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: by the contract of this function.
    unsafe { body::<V, S, K, B, FORM>(weights, width, rows, step) }
}

/// [`body`] as a function of its own.
///
/// # Safety
/// As [`body`], for a machine that has AVX-512.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f"))]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn with_avx512<V: Vector, S: Step<V>, const K: usize, const B: usize, const FORM: u8>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: by the contract of this function.
    unsafe { body::<V, S, K, B, FORM>(weights, width, rows, step) }
}

/// A step on `K` different rows, [`held`], [`summed`], [`woven`] or [`deep`]; or, if `K` is 0, on [`any`].
///
/// # Safety
/// As [`step`]; there are `K` rows, unless it is 0.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn body<V: Vector, S: Step<V>, const K: usize, const B: usize, const FORM: u8>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    const { assert!(FORM != DEEP || B <= 4, "a width is a multiple of 8 vectors, which shall be two blocks") };
    // SAFETY: by the contract of this function.
    unsafe {
        if K == 0 {
            any::<V, S, B>(weights, width, rows, step);
        } else if FORM == WOVEN {
            woven::<V, S, K, B>(weights, width, rows, step);
        } else if FORM == DEEP {
            deep::<V, S, K, B>(weights, width, rows, step);
        } else if FORM == SUMMED {
            summed::<V, S, K, B>(weights, width, rows, step);
        } else {
            held::<V, S, K, B>(weights, width, rows, step);
        }
    }
}
