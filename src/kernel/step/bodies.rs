//! The bodies of a step: the loops over the rows of an event.

use super::method::Step;
use crate::kernel::vector::Vector;

/// A way to do a step.
pub(super) trait StepBody<V: Vector, S: Step<V>> {
    /// Does a step on the rows.
    ///
    /// # Safety
    /// As [`super::step`]; there are as many rows as the body is for, and none comes twice, but for [`Any`].
    #[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
    unsafe fn run(weights: *mut V::Element, width: usize, rows: &[u32], step: &mut S);
}

/// `K` rows, which stay in registers between the sum and the change: each is loaded once and stored once.
pub(super) struct Held<const K: usize, const B: usize>;

#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
impl<V: Vector, S: Step<V>, const K: usize, const B: usize> StepBody<V, S> for Held<K, B> {
    #[inline(always)]
    unsafe fn run(weights: *mut V::Element, width: usize, rows: &[u32], step: &mut S) {
        // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows, of which there are
        // `K`.
        unsafe {
            let zero = V::splat(V::Element::default());
            let (mut at, mut factors) = ([weights; K], [zero; K]);
            for k in 0..K {
                let row = *rows.get_unchecked(k);
                at[k] = weights.add(row as usize * width);
                factors[k] = factor::<V, S>(step, row);
            }
            let mut column = 0;
            while column < width {
                let (mut sums, mut held) = ([zero; B], [[zero; B]; K]);
                for k in 0..K {
                    for b in 0..B {
                        held[k][b] = V::load(at[k].add(column + b * V::LANES));
                        sums[b] = sums[b].plus(S::term(held[k][b], factors[k]));
                    }
                }
                let update = step.update::<B>(column, sums);
                for k in 0..K {
                    for b in 0..B {
                        S::changed(held[k][b], factors[k], update[b]).store(at[k].add(column + b * V::LANES));
                    }
                }
                column += B * V::LANES;
            }
        }
    }
}

/// `K` rows with the same factor; a block of columns is summed while the block before it is changed.
pub(super) struct Woven<const K: usize, const B: usize>;

#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
impl<V: Vector, S: Step<V>, const K: usize, const B: usize> StepBody<V, S> for Woven<K, B> {
    #[inline(always)]
    unsafe fn run(weights: *mut V::Element, width: usize, rows: &[u32], step: &mut S) {
        const { assert!(S::UNIFORM) };
        let block = B * V::LANES;
        // SAFETY: as in `Any`; there are `K` rows.
        unsafe {
            let zero = V::splat(V::Element::default());
            let (mut at, mut sums) = ([weights; K], [zero; B]);
            for (at, &row) in at.iter_mut().zip(rows) {
                *at = weights.add(row as usize * width);
                add_term::<V, S, B>(*at, zero, &mut sums);
            }
            let mut update = step.update::<B>(0, sums);
            let mut column = block;
            while column < width {
                let mut sums = [zero; B];
                for row in at {
                    add_term::<V, S, B>(row.add(column), zero, &mut sums);
                    change::<V, S, B>(row.add(column - block), zero, update);
                }
                update = step.update::<B>(column, sums);
                column += block;
            }
            for row in at {
                change::<V, S, B>(row.add(column - block), zero, update);
            }
        }
    }
}

/// Any number of rows, which may come twice; a block of columns is summed while the block before it is changed.
pub(super) struct Any<const B: usize>;

#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
impl<V: Vector, S: Step<V>, const B: usize> StepBody<V, S> for Any<B> {
    #[inline(always)]
    unsafe fn run(weights: *mut V::Element, width: usize, rows: &[u32], step: &mut S) {
        let block = B * V::LANES;
        // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows: `column` is a
        // multiple of the block, below the width, and `column - block` is used from the second block on.
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
}

/// The factor of a row; 0 where all rows have the same factor, which `update` includes.
///
/// # Safety
/// See [`Step::factor`].
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub(super) unsafe fn factor<V: Vector, S: Step<V>>(step: &S, row: u32) -> V {
    // SAFETY: by the contract of this function.
    unsafe { if S::UNIFORM { V::splat(V::Element::default()) } else { step.factor(row) } }
}

/// Adds the terms of a block of a row to the sums.
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
