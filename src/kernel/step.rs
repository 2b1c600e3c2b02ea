//! One step on the rows of an event: sum them, make an update of the sum, change each of them.
//!
//! ```text
//! sum = +0.0;  for each row r of the event, in order:     sum = sum + term(r)
//! update = what the method makes of sum
//! for each row r of the event, in order:                  r = changed(r, update)
//! ```
//!
//! Vectors run across the rows, never along them, and multiply and add are never fused; so every lane does just what the
//! scalar rule says, in its order, and the result has the same bits whatever the width of the vectors. A row that comes twice
//! is summed twice and changed twice, one change after the other.
//!
//! The liberties taken: `B` vectors are worked on side by side, for the additions of one sum wait for each other. A few rows
//! stay in registers between sum and change, so that each is loaded once and stored once. Where the update changes rows of its own
//! they are loaded twice, the second time from the first cache, which leaves registers for twice as many vectors side by side.
//! With more rows one block of columns is summed while the block before it, whose sums are complete, is changed; different
//! columns never meet. With the short vectors of AVX2 it is faster to change the last block but one meanwhile: it seems that a
//! processor does not look far enough ahead, and then what waits should not stand close to what it waits for. A body is
//! compiled for each number of rows up to 12, and up to 24 where all rows have the same factor.
//!
//! What the bodies do is done as fast as rows come from the caches, if nothing else is loaded: an address or a counter that
//! waits on the stack is loaded behind all the vectors under way, and then the next row waits for it. Therefore each body is a
//! function of its own, so that registers are shared out for it alone and its caller keeps some; and with AVX-512 addresses of
//! rows for which there is no register wait in vector registers (`Places`).

use std::marker::PhantomData;

use super::places::Places;
use super::rows::{MANY, SOME, Vector};

/// What a method does with sums and rows.
///
/// # Safety
/// Methods must be called only where the instruction set of `V` exists.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait Step<V: Vector> {
    /// Whether all rows have the same factor, which is then left to `update`: [`Step::factor`] is not asked for.
    const UNIFORM: bool;

    /// Whether `update` changes no rows of its own, which would need registers beside those of the step.
    const ALONE: bool;

    /// The factor of a row, the same in all lanes.
    ///
    /// # Safety
    /// See [`Step`]; the row exists.
    unsafe fn factor(&self, row: u32) -> V;

    /// What a row adds to the sum.
    ///
    /// # Safety
    /// See [`Step`].
    unsafe fn term(row: V, factor: V) -> V;

    /// The update of `B` vectors from `column` on, made of their sums.
    ///
    /// # Safety
    /// See [`Step`]; the columns exist.
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B];

    /// A row after the update.
    ///
    /// # Safety
    /// See [`Step`].
    unsafe fn changed(row: V, factor: V, update: V) -> V;
}

/// Does something for each row `$k < $n`, without a loop: the compiler leaves long ones as they are, and then addresses are in
/// memory.
macro_rules! each_row {
    ($k:ident < $n:expr, $body:block) => {
        each_row!(@ $k $n, $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
    };
    (@ $k:ident $n:expr, $body:block $($i:literal)*) => {
        $(if const { $i < $n } {
            let $k = $i;
            $body
        })*
    };
}

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

/// A step on all columns of the given rows. `once` says that no row comes twice.
///
/// # Safety
/// The instruction set of `V` must exist. `weights` points to rows of `width` elements each, a positive multiple of
/// `B * LANES`, and nobody else's; every row in `rows` is one of them.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn step<V: Vector, S: Step<V>, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    once: bool,
    step: &mut S,
) {
    // SAFETY: by the contract of this function; 1, 2 and 4 divide 8, `rows` has as many as each body is for, and each is compiled
    // for the instruction set of `V`.
    unsafe {
        if const { B < 8 || V::REGISTERS < SOME } {
            any::<V, S, B>(weights, width, rows, step);
        } else {
            let n = if once && rows.len() < ROWS { rows.len() } else { 0 };
            Apart::<V, S>::ALL[n](weights, width, rows, step);
        }
    }
}

/// There are bodies for fewer rows than these.
const ROWS: usize = 25;

/// The bodies, each a function of its own; called by way of a table, lest they become part of their caller again.
struct Apart<V, S>(PhantomData<(V, S)>);

/// A body, with what [`step`] is given.
type Body<V, S> = unsafe fn(*mut <V as Vector>::Element, usize, &[u32], &mut S);

impl<V: Vector, S: Step<V>> Apart<V, S> {
    /// That for each number of rows, and for any number at 0.
    const ALL: [Body<V, S>; ROWS] = {
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
        if V::REGISTERS < MANY {
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

/// A step that sums the rows of one matrix and changes the same rows of another: what is summed later does not see it.
///
/// # Safety
/// As [`step`], for the rows of `from` and for those of `to`, which do not overlap.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn step_between<V: Vector, S: Step<V>, const B: usize>(
    from: *const V::Element,
    to: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let zero = V::splat(V::Element::default());
        let mut column = 0;
        while column < width {
            let mut sums = [zero; B];
            for &row in rows {
                let at = from.add(row as usize * width + column);
                add_term::<V, S, B>(at, factor::<V, S>(step, row), &mut sums);
            }
            let update = step.update::<B>(column, sums);
            for &row in rows {
                let at = to.add(row as usize * width + column);
                change::<V, S, B>(at, factor::<V, S>(step, row), update);
            }
            column += B * V::LANES;
        }
    }
}

/// A step on `K` different rows, which stay in registers.
///
/// # Safety
/// As [`step`]; there are `K` rows.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn held<V: Vector, S: Step<V>, const K: usize, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let zero = V::splat(V::Element::default());
        let (at, factors) = begins::<V, S, K>(weights, width, rows, step);
        let mut column = 0;
        while column < width {
            let (mut sums, mut kept) = ([zero; B], [[zero; B]; K]);
            for k in 0..K {
                for b in 0..B {
                    kept[k][b] = V::load(at[k].add(column + b * V::LANES));
                    sums[b] = sums[b].plus(S::term(kept[k][b], factors[k]));
                }
            }
            let update = step.update::<B>(column, sums);
            for k in 0..K {
                for b in 0..B {
                    S::changed(kept[k][b], factors[k], update[b]).store(at[k].add(column + b * V::LANES));
                }
            }
            column += B * V::LANES;
        }
    }
}

/// A step on `K` rows with the same factor, which are summed and then changed.
///
/// # Safety
/// As [`step`]; there are `K` rows, and `S` is uniform.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn summed<V: Vector, S: Step<V>, const K: usize, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let zero = V::splat(V::Element::default());
        let (at, _) = begins::<V, S, K>(weights, width, rows, step);
        let mut column = 0;
        while column < width {
            let mut sums = [zero; B];
            for at in at {
                add_term::<V, S, B>(at.add(column), zero, &mut sums);
            }
            let update = step.update::<B>(column, sums);
            for at in at {
                change::<V, S, B>(at.add(column), zero, update);
            }
            column += B * V::LANES;
        }
    }
}

/// A step on `K` rows with the same factor, a block summed while the one before it is changed.
///
/// # Safety
/// As [`step`]; there are `K` rows, and `S` is uniform.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn woven<V: Vector, S: Step<V>, const K: usize, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    const { assert!(K <= 24, "each_row! knows no more rows") };
    let block = B * V::LANES;
    // SAFETY: as in `any`.
    unsafe {
        let zero = V::splat(V::Element::default());
        let mut places = Places::<V, K>::at(weights);
        let mut sums = [zero; B];
        each_row!(k < K, {
            let row = weights.add(*rows.get_unchecked(k) as usize * width);
            places.set(k, row);
            add_term::<V, S, B>(row, zero, &mut sums);
        });
        let mut update = step.update::<B>(0, sums);
        let mut column = block;
        while column < width {
            let mut sums = [zero; B];
            each_row!(k < K, {
                let row = places.get(k);
                add_term::<V, S, B>(row.add(column), zero, &mut sums);
                change::<V, S, B>(row.add(column - block), zero, update);
            });
            update = step.update::<B>(column, sums);
            column += block;
        }
        each_row!(k < K, {
            change::<V, S, B>(places.get(k).add(column - block), zero, update);
        });
    }
}

/// A step on `K` rows with the same factor, a block summed while the last but one is changed and the update of the one between
/// is made.
///
/// # Safety
/// As [`step`]; there are `K` rows, and `S` is uniform; the width is a multiple of two blocks.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn deep<V: Vector, S: Step<V>, const K: usize, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    const { assert!(K <= 24, "each_row! knows no more rows") };
    let block = B * V::LANES;
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows: there are at least two
    // blocks, `column` is a multiple of the block, below the width in the loop and equal to it after, and two blocks or more.
    unsafe {
        let zero = V::splat(V::Element::default());
        let mut places = Places::<V, K>::at(weights);
        let (mut first, mut sums) = ([zero; B], [zero; B]);
        each_row!(k < K, {
            let row = weights.add(*rows.get_unchecked(k) as usize * width);
            places.set(k, row);
            add_term::<V, S, B>(row, zero, &mut first);
            add_term::<V, S, B>(row.add(block), zero, &mut sums);
        });
        let mut update = step.update::<B>(0, first);
        let mut column = 2 * block;
        while column < width {
            let next = step.update::<B>(column - block, sums);
            sums = [zero; B];
            each_row!(k < K, {
                let row = places.get(k);
                add_term::<V, S, B>(row.add(column), zero, &mut sums);
                change::<V, S, B>(row.add(column - 2 * block), zero, update);
            });
            update = next;
            column += block;
        }
        let last = step.update::<B>(column - block, sums);
        each_row!(k < K, {
            let row = places.get(k);
            change::<V, S, B>(row.add(column - 2 * block), zero, update);
            change::<V, S, B>(row.add(column - block), zero, last);
        });
    }
}

/// A step on any rows, a block summed while the one before it is changed.
///
/// # Safety
/// As [`step`].
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn any<V: Vector, S: Step<V>, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    let block = B * V::LANES;
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows: `column` is a
    // multiple of the block below the width, and `column - block` is used from the second block on.
    unsafe {
        let zero = V::splat(V::Element::default());
        let mut sums = [zero; B];
        for &row in rows {
            add_term::<V, S, B>(weights.add(row as usize * width), factor::<V, S>(step, row), &mut sums);
        }
        let mut update = step.update::<B>(0, sums);
        let mut column = block;
        while column < width {
            let mut sums = [zero; B];
            for &row in rows {
                let at = weights.add(row as usize * width + column);
                let scale = factor::<V, S>(step, row);
                add_term::<V, S, B>(at, scale, &mut sums);
                change::<V, S, B>(at.sub(block), scale, update);
            }
            update = step.update::<B>(column, sums);
            column += block;
        }
        for &row in rows {
            let at = weights.add(row as usize * width + column - block);
            change::<V, S, B>(at, factor::<V, S>(step, row), update);
        }
    }
}

/// Where each of `K` rows begins, and its factor.
///
/// # Safety
/// As [`step`]; there are `K` rows.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn begins<V: Vector, S: Step<V>, const K: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &S,
) -> ([*mut V::Element; K], [V; K]) {
    // SAFETY: by the contract of this function a row begins inside the caller's rows.
    unsafe {
        let (mut at, mut factors) = ([weights; K], [V::splat(V::Element::default()); K]);
        for k in 0..K {
            let row = *rows.get_unchecked(k);
            at[k] = weights.add(row as usize * width);
            factors[k] = factor::<V, S>(step, row);
        }
        (at, factors)
    }
}

/// The factor of a row, or one that is not looked at.
///
/// # Safety
/// See [`Step::factor`].
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn factor<V: Vector, S: Step<V>>(step: &S, row: u32) -> V {
    // SAFETY: by the contract of this function.
    unsafe { if S::UNIFORM { V::splat(V::Element::default()) } else { step.factor(row) } }
}

/// Adds what a block of a row adds to its sums.
///
/// # Safety
/// The instruction set of `V` must exist; `B` vectors can be read at `row`.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn add_term<V: Vector, S: Step<V>, const B: usize>(
    row: *const V::Element,
    factor: V,
    sums: &mut [V; B],
) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (b, sum) in sums.iter_mut().enumerate() {
            *sum = sum.plus(S::term(V::load(row.add(b * V::LANES)), factor));
        }
    }
}

/// Changes a block of a row.
///
/// # Safety
/// The instruction set of `V` must exist; `B` vectors can be read and written at `row`.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn change<V: Vector, S: Step<V>, const B: usize>(row: *mut V::Element, factor: V, update: [V; B]) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (b, update) in update.into_iter().enumerate() {
            let at = row.add(b * V::LANES);
            S::changed(V::load(at), factor, update).store(at);
        }
    }
}

/// Asks for a row of `width` elements, which will be needed some steps from now.
#[inline(always)]
pub fn prefetch<E>(row: *const E, width: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..width * size_of::<E>()).step_by(64) {
        #[expect(unsafe_code, reason = "an intrinsic")]
        // SAFETY: SSE is part of the baseline; a prefetch reads nothing that the program sees, at any address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(row.cast::<i8>().wrapping_add(line));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, width);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::dispatch::{Kernel, Task, run};
    use crate::kernel::rows::Element;
    use proptest::prelude::*;

    /// Sums weighted by factors, which are handed on as they are and added, times the factor. Where it is uniform, all factors
    /// are 1.
    struct Weighted<'a, V: Vector, const UNIFORM: bool, const ALONE: bool> {
        factors: &'a [V::Element],
        sums: Vec<V::Element>,
    }

    #[expect(unsafe_code, reason = "calls vectors")]
    // SAFETY: called by kernels alone.
    unsafe impl<V: Vector, const UNIFORM: bool, const ALONE: bool> Step<V> for Weighted<'_, V, UNIFORM, ALONE> {
        const UNIFORM: bool = UNIFORM;
        const ALONE: bool = ALONE;

        #[inline(always)]
        unsafe fn factor(&self, row: u32) -> V {
            // SAFETY: see above.
            unsafe { V::splat(self.factors[row as usize]) }
        }

        #[inline(always)]
        unsafe fn term(row: V, factor: V) -> V {
            // SAFETY: see above.
            if UNIFORM { row } else { unsafe { row.times(factor) } }
        }

        #[inline(always)]
        unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
            for (b, sum) in sums.iter().enumerate() {
                assert!(column + (b + 1) * V::LANES <= self.sums.len());
                // SAFETY: see above; the lanes are there.
                unsafe { sum.store(self.sums.as_mut_ptr().add(column + b * V::LANES)) };
            }
            sums
        }

        #[inline(always)]
        unsafe fn changed(row: V, factor: V, update: V) -> V {
            // SAFETY: see above.
            unsafe { row.plus(if UNIFORM { update } else { factor.times(update) }) }
        }
    }

    struct Once<'a, E, const UNIFORM: bool, const ALONE: bool> {
        weights: &'a mut [E],
        width: usize,
        rows: &'a [u32],
        once: bool,
        factors: &'a [E],
    }

    impl<E: Element, const UNIFORM: bool, const ALONE: bool> Task<E> for Once<'_, E, UNIFORM, ALONE> {
        type Output = Vec<E>;
        #[inline(always)]
        #[expect(unsafe_code, reason = "calls the kernel")]
        unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Vec<E> {
            let sums = vec![E::default(); self.width];
            let mut weighted = Weighted::<V, UNIFORM, ALONE> { factors: self.factors, sums };
            // SAFETY: the width is a multiple of B vectors, and all rows are there.
            unsafe {
                let weights = self.weights.as_mut_ptr();
                step::<V, _, B>(weights, self.width, self.rows, self.once, &mut weighted);
            }
            weighted.sums
        }
    }

    struct Between<'a, E> {
        from: &'a [E],
        to: &'a mut [E],
        width: usize,
        rows: &'a [u32],
        factors: &'a [E],
    }

    impl<E: Element> Task<E> for Between<'_, E> {
        type Output = Vec<E>;
        #[inline(always)]
        #[expect(unsafe_code, reason = "calls the kernel")]
        unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Vec<E> {
            let sums = vec![E::default(); self.width];
            let mut weighted = Weighted::<V, false, false> { factors: self.factors, sums };
            // SAFETY: the width is a multiple of B vectors, and all rows are there, in both.
            unsafe {
                let (from, to) = (self.from.as_ptr(), self.to.as_mut_ptr());
                step_between::<V, _, B>(from, to, self.width, self.rows, &mut weighted);
            }
            weighted.sums
        }
    }

    fn naive<E: Element>(weights: &mut [E], width: usize, rows: &[u32], factors: &[E]) -> Vec<E> {
        let mut sums = vec![E::default(); width];
        for (column, sum) in sums.iter_mut().enumerate() {
            for &row in rows {
                *sum = sum.plus(weights[row as usize * width + column].times(factors[row as usize]));
            }
            for &row in rows {
                let weight = &mut weights[row as usize * width + column];
                *weight = weight.plus(factors[row as usize].times(*sum));
            }
        }
        sums
    }

    const ROWS: usize = 30;

    fn every_kernel_is_naive<E: Element, const UNIFORM: bool, const ALONE: bool>(
        seeds: &[f64],
        rows: &[u32],
        width: usize,
    ) {
        let element = |i: usize| E::from_f64(seeds[i % seeds.len()] * (1.0 + i as f64 / 7.0));
        let weights: Vec<E> = (0..ROWS * width).map(element).collect();
        let factors = if UNIFORM { vec![E::from_f64(1.0); ROWS] } else { weights[..ROWS].to_vec() };
        let mut expected = weights.clone();
        let expected_sums = naive(&mut expected, width, rows, &factors);
        let once = (0..rows.len()).all(|i| !rows[..i].contains(&rows[i]));
        for (kernel, once) in Kernel::available().flat_map(|kernel| [(kernel, once), (kernel, false)]) {
            let mut found = weights.clone();
            let task =
                Once::<E, UNIFORM, ALONE> { weights: &mut found, width, rows, once, factors: &factors };
            assert_eq!(run(kernel, width, task), expected_sums, "{kernel:?}, {rows:?}");
            assert_eq!(found, expected, "{kernel:?}, {rows:?}");
        }
        // What is changed began as what is summed, so it becomes the same.
        for kernel in Kernel::available() {
            let mut found = weights.clone();
            let task = Between { from: &weights, to: &mut found, width, rows, factors: &factors };
            assert_eq!(run(kernel, width, task), expected_sums, "{kernel:?}, {rows:?}");
            assert_eq!(found, expected, "{kernel:?}, {rows:?}");
        }
    }

    proptest! {
        #[test]
        fn every_kernel_does_what_the_naive_loop_does(
            seeds in prop::collection::vec(-1.0..1.0_f64, 1..9),
            rows in prop_oneof![
                Just((0..ROWS as u32).collect::<Vec<_>>()).prop_shuffle(),
                prop::collection::vec(0..ROWS as u32, ROWS),
            ],
            n in 0..=ROWS,
            width in prop::sample::select(vec![16_usize, 32, 48, 64, 96, 128, 256]),
        ) {
            every_kernel_is_naive::<f64, false, false>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32, false, false>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f64, true, true>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f64, true, false>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32, true, true>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32, true, false>(&seeds, &rows[..n], width);
        }
    }
}
