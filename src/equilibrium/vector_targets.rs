//! The targets of tokens whose outcomes stand for vectors.

use std::ops::Range;

use super::double::Double;
use crate::lists::Lists;

/// The targets of cue sets, where outcomes stand for vectors with all their numbers.
pub(super) struct VectorTargets {
    /// For each set its outcomes, and how many of its tokens have them.
    pub(super) outcomes: Lists<(u32, f64)>,
    pub(super) width: usize,
    /// The vectors of the outcomes, one after another.
    pub(super) values: Vec<f64>,
}

impl VectorTargets {
    fn of(&self, set: usize, columns: Range<usize>) -> impl Iterator<Item = (&[f64], f64)> {
        let vector = move |outcome: u32| &self.values[outcome as usize * self.width..][columns.clone()];
        self.outcomes.get(set).iter().map(move |&(outcome, tokens)| (vector(outcome), tokens))
    }

    /// Adds some numbers of the summed targets of a set's tokens.
    pub(super) fn add(&self, set: usize, columns: Range<usize>, sums: &mut [f64]) {
        for (vector, tokens) in self.of(set, columns) {
            sums.iter_mut().zip(vector).for_each(|(sum, value)| *sum += tokens * value);
        }
    }

    /// The same in double-double arithmetic.
    pub(super) fn add_exactly(&self, set: usize, columns: Range<usize>, sums: &mut [Double]) {
        for (vector, tokens) in self.of(set, columns) {
            for (sum, &value) in sums.iter_mut().zip(vector) {
                *sum = sum.plus(Double::product(tokens, value));
            }
        }
    }

    /// Adds the sizes of the terms of these sums.
    pub(super) fn add_sizes(&self, set: usize, columns: Range<usize>, sums: &mut [f64]) {
        for (vector, tokens) in self.of(set, columns) {
            sums.iter_mut().zip(vector).for_each(|(sum, value)| *sum += tokens * value.abs());
        }
    }
}
