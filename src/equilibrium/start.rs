//! The initial weights of some outcomes, as the equations see them.
//!
//! With initial weights w_0 the unknowns x are changes: w = w_0 + S x, shared among the cues of a column. Only the activations by
//! w_0 matter. So the weights of the cues of a column, which always come together, are added up. Cues of salience 0 have no
//! column, but their weights are part of the activations.

use std::ops::Range;

use super::counts::Counts;
use crate::error::Result;
use crate::memory::{collected, copied, empty, filled};
use crate::monitor::{Monitor, Pulse};

/// The initial weights of some outcomes. Rows have one number for each outcome.
pub(super) struct StartBlock {
    /// For each column the sum of the weights of its cues.
    columns: Vec<f64>,
    /// For each frozen cue its weights.
    frozen: Vec<f64>,
}

impl StartBlock {
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
        let mut columns = filled(0.0, counts.n_columns() * width)?;
        let mut pulse = Pulse::default();
        for (cue, column, _) in counts.cues() {
            pulse.beat(width, monitor)?;
            let sums = &mut columns[column * width..][..width];
            sums.iter_mut().zip(row(cue)).for_each(|(sum, weight)| *sum += weight);
        }
        let mut frozen = empty(counts.frozen.len() * width)?;
        for &cue in &counts.frozen {
            pulse.beat(width, monitor)?;
            frozen.extend_from_slice(row(cue as usize));
        }
        Ok(Self { columns, frozen })
    }

    /// The same for some of the columns, of one outcome.
    pub(super) fn of_columns(&self, columns: &[u32]) -> Result<Self> {
        let kept = columns.iter().map(|&column| self.columns[column as usize]);
        Ok(Self { columns: collected(kept)?, frozen: copied(&self.frozen)? })
    }

    /// The absolute value of each weight.
    pub(super) fn sizes(&self) -> Result<Self> {
        let of = |weights: &[f64]| collected(weights.iter().map(|weight| weight.abs()));
        Ok(Self { columns: of(&self.columns)?, frozen: of(&self.frozen)? })
    }

    /// The sum of each column, row after row.
    pub(super) fn columns(&self) -> &[f64] {
        &self.columns
    }

    /// The rows of some frozen cues.
    pub(super) fn frozen<'a>(&'a self, cues: &'a [u32], width: usize) -> impl Iterator<Item = &'a [f64]> {
        cues.iter().map(move |&cue| &self.frozen[cue as usize * width..][..width])
    }
}
