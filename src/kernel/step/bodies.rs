//! The bodies of a step: what is done with the rows of an event, for a number of rows that is known when it is compiled.

use super::Step;
use crate::kernel::addresses::Addresses;
use crate::kernel::vector::Vector;

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

/// A step on `K` different rows, which stay in registers.
///
/// # Safety
/// As [`step`]; there are `K` rows.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub(super) unsafe fn held<V: Vector, S: Step<V>, const K: usize, const B: usize>(
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
pub(super) unsafe fn summed<V: Vector, S: Step<V>, const K: usize, const B: usize>(
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
pub(super) unsafe fn woven<V: Vector, S: Step<V>, const K: usize, const B: usize>(
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
        let mut addresses = Addresses::<V, K>::at(weights);
        let mut sums = [zero; B];
        each_row!(k < K, {
            let row = weights.add(*rows.get_unchecked(k) as usize * width);
            addresses.set(k, row);
            add_term::<V, S, B>(row, zero, &mut sums);
        });
        let mut update = step.update::<B>(0, sums);
        let mut column = block;
        while column < width {
            let mut sums = [zero; B];
            each_row!(k < K, {
                let row = addresses.get(k);
                add_term::<V, S, B>(row.add(column), zero, &mut sums);
                change::<V, S, B>(row.add(column - block), zero, update);
            });
            update = step.update::<B>(column, sums);
            column += block;
        }
        each_row!(k < K, {
            change::<V, S, B>(addresses.get(k).add(column - block), zero, update);
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
pub(super) unsafe fn deep<V: Vector, S: Step<V>, const K: usize, const B: usize>(
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
        let mut addresses = Addresses::<V, K>::at(weights);
        let (mut first, mut sums) = ([zero; B], [zero; B]);
        each_row!(k < K, {
            let row = weights.add(*rows.get_unchecked(k) as usize * width);
            addresses.set(k, row);
            add_term::<V, S, B>(row, zero, &mut first);
            add_term::<V, S, B>(row.add(block), zero, &mut sums);
        });
        let mut update = step.update::<B>(0, first);
        let mut column = 2 * block;
        while column < width {
            let next = step.update::<B>(column - block, sums);
            sums = [zero; B];
            each_row!(k < K, {
                let row = addresses.get(k);
                add_term::<V, S, B>(row.add(column), zero, &mut sums);
                change::<V, S, B>(row.add(column - 2 * block), zero, update);
            });
            update = next;
            column += block;
        }
        let last = step.update::<B>(column - block, sums);
        each_row!(k < K, {
            let row = addresses.get(k);
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
pub(super) unsafe fn any<V: Vector, S: Step<V>, const B: usize>(
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
pub(super) unsafe fn factor<V: Vector, S: Step<V>>(step: &S, row: u32) -> V {
    // SAFETY: by the contract of this function.
    unsafe { if S::UNIFORM { V::splat(V::Element::default()) } else { step.factor(row) } }
}

/// Adds what a block of a row adds to its sums.
///
/// # Safety
/// The instruction set of `V` must exist; `B` vectors can be read at `row`.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub(super) unsafe fn add_term<V: Vector, S: Step<V>, const B: usize>(
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
pub(super) unsafe fn change<V: Vector, S: Step<V>, const B: usize>(
    row: *mut V::Element,
    factor: V,
    update: [V; B],
) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (b, update) in update.into_iter().enumerate() {
            let at = row.add(b * V::LANES);
            S::changed(V::load(at), factor, update).store(at);
        }
    }
}
