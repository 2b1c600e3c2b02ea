//! G^+ times rows of C: what each row does to the solution.
//!
//! With g = G^+ c for a row c of C, c'g is the share of its own target that a token of the row predicts (its leverage), and the
//! weights move along g if the target changes. Each g is refined once, by a residual that comes from all rows, so that a leverage
//! of 1 is told from one that is nearly 1.

use std::ops::Range;

use rayon::prelude::*;

use super::block::OutcomeBlock;
use super::columns::DenseColumns;
use super::counts::Counts;
use super::factor::Factor;
use crate::error::{Error, Result};
use crate::memory::{copied, filled};
use crate::monitor::Monitor;
use crate::threads::pool;
use crate::tiles::number_rows::NumberRows;

/// Rows that a thread takes at a time.
const AT_A_TIME: usize = 64;

/// The factorised normal equations of some rows.
pub struct RowSolver {
    counts: Counts,
    factor: Factor,
    ridge: f64,
}

impl RowSolver {
    /// Factorises X'FX + ridge I, with a positive number of tokens for each row of X.
    ///
    /// # Errors
    /// [`Error::Argument`] when numbers do not fit, [`Error::Memory`], [`Error::Numeric`], [`Error::Stopped`].
    pub fn new(
        x: &NumberRows<'_, f64>,
        tokens: &[f64],
        ridge: f64,
        threads: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        let n = x.shape()[0];
        if tokens.len() != n || !tokens.iter().all(|&tokens| tokens > 0.0 && tokens.is_finite()) {
            return Err(Error::Argument(format!(
                "expected a positive number of tokens for each of {n} rows"
            )));
        }
        pool(threads)?.install(|| {
            let mut counts = Counts::of_rows(n)?.with_cue_vectors(x, monitor)?;
            counts.tokens = copied(tokens)?;
            let factor = Factor::new(&counts, ridge, None, monitor)?;
            Ok(Self { counts, factor, ridge })
        })
    }

    /// The rank of X.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// G^+ x of some rows, one after another.
    ///
    /// # Errors
    /// [`Error::Argument`] when there are no such rows or `out` has another size, [`Error::Memory`], [`Error::Stopped`].
    pub fn solve(
        &self,
        rows: Range<usize>,
        out: &mut [f64],
        threads: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        let (counts, n) = (&self.counts, self.counts.n_columns());
        if rows.end > counts.n_sets() || Some(out.len()) != rows.len().checked_mul(n) {
            return Err(Error::Argument(format!(
                "expected rows below {}, and room for them",
                counts.n_sets()
            )));
        }
        let some = |(index, part): (usize, &mut [f64])| {
            let (first, width) = (rows.start + index * AT_A_TIME, part.len() / n);
            let mut x = DenseColumns::zeros(n, width)?;
            for j in 0..width {
                let column = x.get_mut(j);
                counts.set(first + j).entries().for_each(|(place, value)| column[place] += value);
            }
            let mut g = x.first(width)?;
            self.factor.apply(&mut g, monitor)?;
            let zeros = filled(0.0, width)?;
            let left = OutcomeBlock::without_outcomes(counts, &zeros, self.ridge);
            let mut step = DenseColumns::from_rows(&left.residual(&g.to_rows()?, monitor)?, n, width)?;
            step.add(&x);
            self.factor.apply(&mut step, monitor)?;
            g.add(&step);
            self.factor.shorten(&mut g, monitor)?;
            part.copy_from_slice(g.values());
            Ok(())
        };
        pool(threads)?.install(|| out.par_chunks_mut((AT_A_TIME * n).max(1)).enumerate().try_for_each(some))
    }
}
