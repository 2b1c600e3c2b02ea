//! The initial weights of some outcomes, as the equations see them.
//!
//! With weights w_0 to start from, the unknowns x are changes: w = w_0 + S x, shared among the cues of a column. Of w_0 only what
//! it predicts matters, so that the cues of a column, which come together, are one sum. Cues of salience 0 have no column, but
//! predict.

use std::ops::Range;

use super::counts::Counts;
use super::room::{Pulse, SIDES, empty, filled};
use crate::error::Result;
use crate::monitor::Monitor;

/// What some outcomes start from. Rows have one number for each outcome.
pub(super) struct Start {
    /// Of each column, the sum of the weights of its cues.
    columns: Vec<f64>,
    /// Of each cue that predicts and does not change, its weights.
    frozen: Vec<f64>,
}

impl Start {
    /// `weights`: n_cues rows of `n_outcomes`.
    pub(super) fn new(
        counts: &Counts,
        weights: &[f64],
        n_outcomes: usize,
        outcomes: Range<usize>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let width = outcomes.len();
        let row = |cue: usize| &weights[cue * n_outcomes..][outcomes.clone()];
        let mut columns = filled(counts.n_columns() * width, 0.0, SIDES)?;
        let mut pulse = Pulse::default();
        for (cue, column, _) in counts.cues() {
            pulse.beat(width, monitor)?;
            let sums = &mut columns[column * width..][..width];
            sums.iter_mut().zip(row(cue)).for_each(|(sum, weight)| *sum += weight);
        }
        let mut frozen = empty(counts.frozen.len() * width, SIDES)?;
        for &cue in &counts.frozen {
            pulse.beat(width, monitor)?;
            frozen.extend_from_slice(row(cue as usize));
        }
        Ok(Self { columns, frozen })
    }

    /// The same of some of the columns, for one outcome.
    pub(super) fn of_columns(&self, columns: &[u32]) -> Result<Self> {
        let mut kept = empty(columns.len(), SIDES)?;
        kept.extend(columns.iter().map(|&column| self.columns[column as usize]));
        let mut frozen = empty(self.frozen.len(), SIDES)?;
        frozen.extend_from_slice(&self.frozen);
        Ok(Self { columns: kept, frozen })
    }

    /// The size of each weight.
    pub(super) fn sizes(&self) -> Result<Self> {
        let of = |weights: &[f64]| -> Result<Vec<f64>> {
            let mut sizes = empty(weights.len(), SIDES)?;
            sizes.extend(weights.iter().map(|weight| weight.abs()));
            Ok(sizes)
        };
        Ok(Self { columns: of(&self.columns)?, frozen: of(&self.frozen)? })
    }

    /// Of each column, row after row.
    pub(super) fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// The rows of some cues that do not change.
    pub(super) fn frozen<'a>(&'a self, cues: &'a [u32], width: usize) -> impl Iterator<Item = &'a [f64]> {
        cues.iter().map(move |&cue| &self.frozen[cue as usize * width..][..width])
    }
}
