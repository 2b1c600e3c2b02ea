//! A step on the rows that several tokens have in common, each token with a value of its own for every row.
//!
//! ```text
//! for each token t:                                           sum[t] = +0.0
//! for each row r, in order, for each token t:                 sum[t] = sum[t] + from[r] * value(t, r)
//! for each token t:                                           update[t] = what the method makes of sum[t]
//! for each row r, in order, for each token t, in order:       to[r] = to[r] + factor(t, r) * update[t]
//! ```
//!
//! A slot is a place in the list of rows: `r` is its row, `value(t, r)` the value of token `t` there. Each of the two loops over
//! rows loads a row once for all tokens. Each sum and each row gets its terms in the order in which it would get them from one
//! token after another. With several tokens, `from` and `to` do not overlap, and `from` is not changed. With a single token they
//! may be the same rows. A vector holds elements of one row, and multiply and add are never fused, as in [`super::step`].

use super::vector::Vector;

/// The common rows of some tokens, and each token's values.
///
/// # Safety
/// `row` and `value` must be called only for slots below `count` and tokens that exist. All rows are below the number of rows
/// that the caller of [`block`] vouches for.
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe trait Slots<E>: Copy {
    /// How many rows.
    fn count(self) -> usize;

    /// The row of a slot.
    ///
    /// # Safety
    /// See [`Slots`].
    unsafe fn row(self, slot: usize) -> usize;

    /// The value that a token has at a slot.
    ///
    /// # Safety
    /// See [`Slots`].
    unsafe fn value(self, token: usize, slot: usize) -> E;
}

/// What a method does with sums and rows.
///
/// # Safety
/// Its functions must be called only where the instruction set of `V` exists.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait RowUpdate<V: Vector> {
    /// The factor of a row, given the value that the token has for it.
    ///
    /// # Safety
    /// See [`RowUpdate`]; the row exists.
    unsafe fn factor(&self, row: usize, value: V) -> V;

    /// The update of `B` vectors from `column` on, made of their sums.
    ///
    /// # Safety
    /// See [`RowUpdate`]; the token and the columns exist.
    unsafe fn update<const B: usize>(&self, token: usize, column: usize, sums: [V; B]) -> [V; B];
}

/// A step of `T` tokens on all columns of the given rows.
///
/// # Safety
/// The instruction set of `V` must exist. `from` and `to` point to rows of `width` elements each, a multiple of `B * LANES`,
/// among them every row of `slots`; nobody else uses those of `to`. `from` and `to` do not overlap, unless `T` is 1 and they are
/// the same rows. `slots` has `T` tokens.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn block<V, M, S, const T: usize, const B: usize>(
    from: *const V::Element,
    to: *mut V::Element,
    width: usize,
    slots: S,
    method: &M,
) where
    V: Vector,
    M: RowUpdate<V>,
    S: Slots<V::Element>,
{
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let zero = V::splat(V::Element::default());
        let mut column = 0;
        while column < width {
            let mut sums = [[zero; B]; T];
            for slot in 0..slots.count() {
                let at = from.add(slots.row(slot) * width + column);
                let mut row = [zero; B];
                for (b, vector) in row.iter_mut().enumerate() {
                    *vector = V::load(at.add(b * V::LANES));
                }
                for (t, sums) in sums.iter_mut().enumerate() {
                    let value = V::splat(slots.value(t, slot));
                    for b in 0..B {
                        sums[b] = sums[b].plus(row[b].times(value));
                    }
                }
            }
            let mut updates = sums;
            for (t, update) in updates.iter_mut().enumerate() {
                *update = method.update::<B>(t, column, *update);
            }
            for slot in 0..slots.count() {
                let number = slots.row(slot);
                let at = to.add(number * width + column);
                let mut row = [zero; B];
                for (b, vector) in row.iter_mut().enumerate() {
                    *vector = V::load(at.add(b * V::LANES));
                }
                for (t, update) in updates.iter().enumerate() {
                    let factor = method.factor(number, V::splat(slots.value(t, slot)));
                    for b in 0..B {
                        row[b] = row[b].plus(factor.times(update[b]));
                    }
                }
                for (b, vector) in row.into_iter().enumerate() {
                    vector.store(at.add(b * V::LANES));
                }
            }
            column += B * V::LANES;
        }
    }
}
