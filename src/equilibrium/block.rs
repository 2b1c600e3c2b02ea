//! Some outcomes beside each other: their right-hand sides, and how far a solution is from solving.
//!
//! Numbers stand column of C after column of C, each with one number for each outcome of the block, so that a cue set is a
//! sum of rows. No outcome meets another, so what comes out does not depend on how they are put into blocks.

use std::ops::Range;

use super::counts::{Counts, POLL};
use super::{Rates, Squares};
use crate::error::Result;
use crate::monitor::Monitor;

/// How often a cue set occurred with an outcome of the block.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    set: u32,
    pub(super) lane: u32,
    pub(super) tokens: f64,
}

/// Some outcomes of one problem.
///
/// Invariants: `lambda` has one number for each outcome; `entries` rise by set, and their lanes are below the number of outcomes.
pub(super) struct Block<'a> {
    pub(super) counts: &'a Counts,
    pub(super) lambda: &'a [f64],
    pub(super) rates: Rates,
    pub(super) ridge: f64,
    entries: Vec<Entry>,
}

impl<'a> Block<'a> {
    /// `lambda` has one number for each outcome of the block.
    pub(super) fn new(
        counts: &'a Counts,
        outcomes: Range<usize>,
        lambda: &'a [f64],
        rates: Rates,
        ridge: f64,
    ) -> Self {
        let listed = (0..).zip(outcomes).flat_map(|(lane, outcome)| {
            let pairs = counts.pairs(outcome).iter();
            pairs.map(move |pair| Entry { set: pair.set, lane, tokens: pair.tokens })
        });
        let mut entries: Vec<Entry> = listed.collect();
        entries.sort_unstable_by_key(|entry| (entry.set, entry.lane));
        Self { counts, lambda, rates, ridge, entries }
    }

    /// How many outcomes there are.
    pub(super) fn width(&self) -> usize {
        self.lambda.len()
    }

    /// The entries of a set. Sets are asked for in order; `at` remembers the place and starts at 0.
    pub(super) fn entries(&self, set: usize, at: &mut usize) -> &[Entry] {
        let start = *at;
        while self.entries.get(*at).is_some_and(|entry| entry.set as usize == set) {
            *at += 1;
        }
        &self.entries[start..*at]
    }

    /// The right-hand sides: S C'F O lambda, tokens weighed by beta1.
    pub(super) fn targets(&self) -> Vec<f64> {
        let width = self.width();
        let mut sums = vec![0.0; self.counts.n_columns() * width];
        for entry in &self.entries {
            let lane = entry.lane as usize;
            let target = self.rates.present * entry.tokens * self.lambda[lane];
            for &column in self.counts.set(entry.set as usize) {
                sums[column as usize * width + lane] += target * self.counts.scale[column as usize];
            }
        }
        sums
    }

    /// What is left of the right-hand sides at x: S C'F (O lambda - C S x) - ridge x, tokens weighed by beta1 or beta2.
    ///
    /// Errors of the predictions are taken set by set, before anything is summed: their rounding is that of C, and not that of
    /// its square.
    pub(super) fn residual(&self, x: &[f64], monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width();
        let counts = self.counts;
        let Rates { present, absent } = self.rates;
        let mut y = x.to_vec();
        scale_rows(&mut y, &counts.scale, width);
        let mut rest = vec![0.0; x.len()];
        let (mut activation, mut error) = (vec![0.0; width], vec![0.0; width]);
        let mut at = 0;
        for (set, &tokens) in counts.tokens.iter().enumerate() {
            if set % POLL == 0 {
                monitor.check()?;
            }
            add_rows(&y, counts.set(set), &mut activation);
            error.iter_mut().zip(&activation).for_each(|(e, a)| *e = -(absent * tokens) * a);
            for &Entry { lane, tokens, .. } in self.entries(set, &mut at) {
                let lane = lane as usize;
                error[lane] +=
                    tokens * (present * (self.lambda[lane] - activation[lane]) + absent * activation[lane]);
            }
            add_to_rows(&mut rest, counts.set(set), &error);
        }
        scale_rows(&mut rest, &counts.scale, width);
        rest.iter_mut().zip(x).for_each(|(rest, x)| *rest -= self.ridge * x);
        Ok(rest)
    }

    /// How far x is from solving, outcome by outcome, given what it leaves.
    pub(super) fn judge(&self, rest: &[f64]) -> Vec<Squares> {
        let each = self.squares(rest).into_iter().zip(self.squares(&self.targets()));
        each.map(|(rest, targets)| Squares { rest, targets }).collect()
    }

    /// For each outcome the sum of squares, over all cues, of what is S C' something here.
    fn squares(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.width()];
        for (column, row) in values.chunks_exact(self.width().max(1)).enumerate() {
            let weight = self.counts.size(column) / self.counts.scale[column].powi(2);
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value * value);
        }
        sums
    }
}

/// Multiplies each row by its factor.
pub(super) fn scale_rows(rows: &mut [f64], factors: &[f64], width: usize) {
    for (row, factor) in rows.chunks_exact_mut(width.max(1)).zip(factors) {
        row.iter_mut().for_each(|value| *value *= factor);
    }
}

/// The sum of some rows.
pub(super) fn add_rows(rows: &[f64], chosen: &[u32], sum: &mut [f64]) {
    let width = sum.len();
    sum.fill(0.0);
    for &row in chosen {
        let row = &rows[row as usize * width..][..width];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

/// Adds to some rows.
pub(super) fn add_to_rows(rows: &mut [f64], chosen: &[u32], values: &[f64]) {
    let width = values.len();
    for &row in chosen {
        let row = &mut rows[row as usize * width..][..width];
        row.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}
