//! One step on the rows of an event: sum them, make an update of the sum, change each of them.
//!
//! ```text
//! sum = +0.0;  for each row r of the event, in order:     sum = sum + term(r)
//! update = what the method makes of sum
//! for each row r of the event, in order:                  r = changed(r, update)
//! ```
//!
//! Vectors run across the rows, never along them, and multiply and add are never fused; so every lane does just what the
//! scalar rule says, in its order, and the result has the same bits whatever the width of the vectors. The additions of one
//! sum wait for each other; `B` vectors side by side hide that.
//!
//! The liberty taken: up to [`HELD`] rows stay in registers between sum and change, so that each is loaded once and stored
//! once. A body is compiled for each number of rows; what is beyond [`HELD`] is loaded again. A row that comes twice must be
//! changed twice, one change after the other: such an event holds none.

use super::rows::Vector;

/// The most rows that stay in registers.
pub const HELD: usize = 12;

/// The vectors side by side for which there are bodies that hold rows.
const WIDE: usize = 8;

/// What a method does with sums and rows.
///
/// # Safety
/// Methods must be called only where the instruction set of `V` exists.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait Step<V: Vector> {
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

/// A step on all columns of the given rows, `B` vectors at a time. `held` is 0, or, where no row comes twice, the number of
/// rows or [`HELD`], whichever is less.
///
/// # Safety
/// The instruction set of `V` must exist. `weights` points to rows of `width` elements each, a multiple of `B * LANES`, and
/// nobody else's; every row in `rows` is one of them, and there are `held` at least.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn step<V: Vector, S: Step<V>, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    held: usize,
    step: &mut S,
) {
    // SAFETY: by the contract of this function; 2 and 4 divide WIDE, and no more rows are held than there are.
    unsafe {
        if B < WIDE || V::REGISTERS < 16 {
            return on_rows::<V, S, 0, B>(weights, width, rows, step);
        }
        // As many vectors side by side as leave a register for each of their rows, where there are 32.
        if V::REGISTERS >= 32 {
            match held {
                0 => on_rows::<V, S, 0, B>(weights, width, rows, step),
                1 => on_rows::<V, S, 1, 8>(weights, width, rows, step),
                2 => on_rows::<V, S, 2, 8>(weights, width, rows, step),
                3 => on_rows::<V, S, 3, 4>(weights, width, rows, step),
                4 => on_rows::<V, S, 4, 4>(weights, width, rows, step),
                5 => on_rows::<V, S, 5, 4>(weights, width, rows, step),
                6 => on_rows::<V, S, 6, 4>(weights, width, rows, step),
                7 => on_rows::<V, S, 7, 2>(weights, width, rows, step),
                8 => on_rows::<V, S, 8, 2>(weights, width, rows, step),
                9 => on_rows::<V, S, 9, 2>(weights, width, rows, step),
                10 => on_rows::<V, S, 10, 2>(weights, width, rows, step),
                11 => on_rows::<V, S, 11, 2>(weights, width, rows, step),
                _ => on_rows::<V, S, HELD, 2>(weights, width, rows, step),
            }
        } else {
            match held {
                0 => on_rows::<V, S, 0, B>(weights, width, rows, step),
                1 => on_rows::<V, S, 1, 4>(weights, width, rows, step),
                2 => on_rows::<V, S, 2, 4>(weights, width, rows, step),
                3 => on_rows::<V, S, 3, 2>(weights, width, rows, step),
                4 => on_rows::<V, S, 4, 2>(weights, width, rows, step),
                5 => on_rows::<V, S, 5, 2>(weights, width, rows, step),
                6 => on_rows::<V, S, 6, 1>(weights, width, rows, step),
                7 => on_rows::<V, S, 7, 1>(weights, width, rows, step),
                8 => on_rows::<V, S, 8, 1>(weights, width, rows, step),
                9 => on_rows::<V, S, 9, 1>(weights, width, rows, step),
                10 => on_rows::<V, S, 10, 1>(weights, width, rows, step),
                11 => on_rows::<V, S, 11, 1>(weights, width, rows, step),
                _ => on_rows::<V, S, HELD, 1>(weights, width, rows, step),
            }
        }
    }
}

/// A step that holds the first `K` rows; there are no others unless `K` is 0 or [`HELD`].
///
/// # Safety
/// As [`step`]; there are `K` rows at least, and they come once.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn on_rows<V: Vector, S: Step<V>, const K: usize, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    step: &mut S,
) {
    // SAFETY: all offsets are row * width + column + lane < row * width + width, inside the caller's rows.
    unsafe {
        let zero = V::splat(V::Element::default());
        let rest = if K == 0 || K == HELD { rows.get_unchecked(K..) } else { &[] };
        let mut at = [weights; K];
        let mut factors = [zero; K];
        for k in 0..K {
            let row = *rows.get_unchecked(k);
            at[k] = weights.add(row as usize * width);
            factors[k] = step.factor(row);
        }
        let mut column = 0;
        while column < width {
            let mut sums = [zero; B];
            let mut kept = [[zero; B]; K];
            for k in 0..K {
                for b in 0..B {
                    kept[k][b] = V::load(at[k].add(column + b * V::LANES));
                    sums[b] = sums[b].plus(S::term(kept[k][b], factors[k]));
                }
            }
            for &row in rest {
                let at = weights.add(row as usize * width + column);
                let factor = step.factor(row);
                for b in 0..B {
                    sums[b] = sums[b].plus(S::term(V::load(at.add(b * V::LANES)), factor));
                }
            }
            let update = step.update::<B>(column, sums);
            for k in 0..K {
                for b in 0..B {
                    let to = at[k].add(column + b * V::LANES);
                    S::changed(kept[k][b], factors[k], update[b]).store(to);
                }
            }
            for &row in rest {
                let at = weights.add(row as usize * width + column);
                let factor = step.factor(row);
                for b in 0..B {
                    let at = at.add(b * V::LANES);
                    S::changed(V::load(at), factor, update[b]).store(at);
                }
            }
            column += B * V::LANES;
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

    /// Sums weighted by factors, which are handed on as they are and added, times the factor.
    struct Weighted<'a, V: Vector> {
        factors: &'a [V::Element],
        sums: Vec<V::Element>,
    }

    #[expect(unsafe_code, reason = "calls vectors")]
    // SAFETY: called by kernels alone.
    unsafe impl<V: Vector> Step<V> for Weighted<'_, V> {
        #[inline(always)]
        unsafe fn factor(&self, row: u32) -> V {
            // SAFETY: see above.
            unsafe { V::splat(self.factors[row as usize]) }
        }

        #[inline(always)]
        unsafe fn term(row: V, factor: V) -> V {
            // SAFETY: see above.
            unsafe { row.times(factor) }
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
            unsafe { row.plus(factor.times(update)) }
        }
    }

    struct Once<'a, E> {
        weights: &'a mut [E],
        width: usize,
        rows: &'a [u32],
        held: usize,
        factors: &'a [E],
    }

    impl<E: Element> Task<E> for Once<'_, E> {
        type Output = Vec<E>;
        #[inline(always)]
        #[expect(unsafe_code, reason = "calls the kernel")]
        unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Vec<E> {
            let mut weighted = Weighted { factors: self.factors, sums: vec![E::default(); self.width] };
            // SAFETY: the width is a multiple of B vectors, all rows are there, and are different where some are held.
            unsafe {
                let weights = self.weights.as_mut_ptr();
                step::<V, Weighted<'_, V>, B>(weights, self.width, self.rows, self.held, &mut weighted);
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

    const ROWS: usize = 20;

    fn every_kernel_is_naive<E: Element>(seeds: &[f64], rows: &[u32], width: usize) {
        let element = |i: usize| E::from_f64(seeds[i % seeds.len()] * (1.0 + i as f64 / 7.0));
        let weights: Vec<E> = (0..ROWS * width).map(element).collect();
        let factors: Vec<E> = (0..ROWS).map(element).collect();
        let mut expected = weights.clone();
        let expected_sums = naive(&mut expected, width, rows, &factors);
        let once = (0..rows.len()).all(|i| !rows[..i].contains(&rows[i]));
        for kernel in Kernel::available() {
            for held in [0, if once { rows.len().min(HELD) } else { 0 }] {
                let mut found = weights.clone();
                let task = Once { weights: &mut found, width, rows, held, factors: &factors };
                assert_eq!(run(kernel, width, task), expected_sums, "{kernel:?}, {held} of {rows:?} held");
                assert_eq!(found, expected, "{kernel:?}, {held} of {rows:?} held");
            }
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
            every_kernel_is_naive::<f64>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32>(&seeds, &rows[..n], width);
        }
    }
}
