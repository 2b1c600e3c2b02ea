//! A step on the rows of an event.

use super::bodies::{add_term, change, factor};
use super::forms::{Apart, ROWS};
use super::method::Step;
use crate::kernel::isa::Isa;
use crate::kernel::vector::Vector;

/// A step on all columns of the given rows. `once` says that no row comes twice.
///
/// # Safety
/// The instruction set of `V` must exist. `weights` points to rows of `width` elements each, a positive multiple of `B * LANES`,
/// that nobody else uses; every row in `rows` is one of them, and has a factor unless the step is uniform.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
pub unsafe fn step<V: Vector, S: Step<V>, const B: usize>(
    weights: *mut V::Element,
    width: usize,
    rows: &[u32],
    once: bool,
    step: &mut S,
) {
    // SAFETY: by the contract of this function. A width that is a multiple of 8 vectors is one of 2 and of 4; `rows` has as many
    // rows as the body is for; and each body is compiled for the instruction set of `V`.
    unsafe {
        if const { B == 8 && !matches!(V::ISA, Isa::Portable) } {
            let n = if once && rows.len() < ROWS { rows.len() } else { 0 };
            Apart::<V, S>::ALL[n](weights, width, rows, step);
        } else {
            Apart::<V, S>::any::<B>()(weights, width, rows, step);
        }
    }
}

/// A step that sums the rows of one matrix and changes the same rows of another, so later sums do not see the change.
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

/// Prefetches a row of `width` elements, which a step will need soon.
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
    use crate::kernel::dispatch::{Task, run};
    use crate::kernel::element::Element;
    use crate::kernel::isa::Isa;
    use proptest::prelude::*;

    /// The sum is that of the rows times their factors, and the update is the sum. A row changes by the update times its factor.
    /// Where the factor is uniform, it is 1.
    struct Weighted<'a, V: Vector, const UNIFORM: bool> {
        factors: &'a [V::Element],
        sums: Vec<V::Element>,
    }

    #[expect(unsafe_code, reason = "calls vectors")]
    // SAFETY: called by kernels alone.
    unsafe impl<V: Vector, const UNIFORM: bool> Step<V> for Weighted<'_, V, UNIFORM> {
        const UNIFORM: bool = UNIFORM;

        fn factors(&self) -> &[V::Element] {
            self.factors
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
    }

    struct OnceTask<'a, E, const UNIFORM: bool> {
        weights: &'a mut [E],
        width: usize,
        rows: &'a [u32],
        once: bool,
        factors: &'a [E],
    }

    impl<E: Element, const UNIFORM: bool> Task<E> for OnceTask<'_, E, UNIFORM> {
        type Output = Vec<E>;
        #[inline(always)]
        #[expect(unsafe_code, reason = "calls the kernel")]
        unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Vec<E> {
            let sums = vec![E::default(); self.width];
            let mut weighted = Weighted::<V, UNIFORM> { factors: self.factors, sums };
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
            let mut weighted = Weighted::<V, false> { factors: self.factors, sums };
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

    fn every_kernel_is_naive<E: Element, const UNIFORM: bool>(seeds: &[f64], rows: &[u32], width: usize) {
        let element = |i: usize| E::from_f64(seeds[i % seeds.len()] * (1.0 + i as f64 / 7.0));
        let weights: Vec<E> = (0..ROWS * width).map(element).collect();
        let factors = if UNIFORM { vec![E::from_f64(1.0); ROWS] } else { weights[..ROWS].to_vec() };
        let mut expected = weights.clone();
        let expected_sums = naive(&mut expected, width, rows, &factors);
        let once = (0..rows.len()).all(|i| !rows[..i].contains(&rows[i]));
        for (kernel, once) in Isa::available().flat_map(|kernel| [(kernel, once), (kernel, false)]) {
            let mut found = weights.clone();
            let task = OnceTask::<E, UNIFORM> { weights: &mut found, width, rows, once, factors: &factors };
            assert_eq!(run(kernel, width, task), expected_sums, "{kernel:?}, {rows:?}");
            assert_eq!(found, expected, "{kernel:?}, {rows:?}");
        }
        // Both matrices were the same before, so they are the same afterwards.
        for kernel in Isa::available() {
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
            every_kernel_is_naive::<f64, false>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32, false>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f64, true>(&seeds, &rows[..n], width);
            every_kernel_is_naive::<f32, true>(&seeds, &rows[..n], width);
        }
    }
}
