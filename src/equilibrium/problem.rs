//! The problem to solve, and its solution.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use super::counts::Counts;
use super::start::StartBlock;
use crate::error::{Error, Result};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::number_rows::NumberRows;

/// The method of solving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// A factorisation of the normal equations: n_cues^2 numbers, n_cues^3 operations.
    Dense,
    /// Conjugate gradients on the events.
    Iterative,
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Solver::Dense => "dense",
            Solver::Iterative => "iterative",
        })
    }
}

impl FromStr for Solver {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Solver::Dense, Solver::Iterative].into_iter().find(|method| method.to_string() == name);
        known.ok_or_else(|| Error::Argument(format!("expected method dense or iterative, found {name:?}")))
    }
}

/// The problem to solve.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The learning rate where the outcome is present.
    pub beta1: f64,
    /// The learning rate where the outcome is absent.
    pub beta2: f64,
    /// What cues stand for, if it is vectors: the weights have a row for each of their numbers. There are no saliences then.
    pub cue_vectors: Option<NumberRows<'a, f64>>,
    /// What outcomes stand for, if it is vectors: the weights have a column for each of their numbers. Both rates, and lambda, are 1
    /// then.
    pub outcome_vectors: Option<NumberRows<'a, f64>>,
    /// Lambda, the asymptote, of each outcome: first of those of the events, then of any others, which never occur.
    pub lambda: &'a [f64],
    /// Saliences of the cues; they choose the solution if there are several. A cue of salience 0 keeps its weights.
    pub alpha: Option<&'a [f64]>,
    /// Whether the result holds initial weights, to which the nearest solution is taken; if not, they are zero.
    pub initial: bool,
    /// Added to the diagonal, where tokens at the larger rate have the weight 1; 0 for none. It makes changes smaller.
    pub ridge: f64,
    /// The method; dense up to [`super::DENSE`] cues if `None`.
    pub method: Option<Solver>,
    /// Dense: eigenvalues below this fraction of the greatest count as zero; if `None`, pivots decide the rank if they are clear.
    /// Iterative: the gradient at which to stop, relative to its initial size; [`super::iterative::TOLERANCE`] if `None`.
    pub tolerance: Option<f64>,
}

impl Default for Problem<'_> {
    /// Names, with rates of 1 and no lambdas.
    fn default() -> Self {
        Self {
            beta1: 1.0,
            beta2: 1.0,
            cue_vectors: None,
            outcome_vectors: None,
            lambda: &[],
            alpha: None,
            initial: false,
            ridge: 0.0,
            method: None,
            tolerance: None,
        }
    }
}

/// How the problem was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// "cholesky", "eigen" or "cgls".
    pub solver: &'static str,
    /// The rank of the normal equations, if it is found and all outcomes share it.
    pub rank: Option<usize>,
    /// The tolerance that was used; see [`Problem::tolerance`].
    pub tolerance: f64,
    /// The most iterations for any outcome.
    pub iterations: Option<u64>,
    /// Whether all outcomes converged within the tolerance.
    pub converged: bool,
    /// How many blocks of outcomes were solved by products with the pseudo-inverse.
    pub multiplied: usize,
    /// The size of the residual C'F(O lambda - C W) - ridge (W - W_0), relative to those of C'F O lambda and of C'F C |W_0|. A
    /// size is the root of the sum of squares over all outcomes and all cues that may change. Blocks that were multiplied give the
    /// residuals of their sample only.
    pub residual: f64,
}

/// beta1 and beta2 relative to the larger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RelativeRates {
    pub(super) present: f64,
    pub(super) absent: f64,
}

impl RelativeRates {
    pub(super) const ONE: RelativeRates = RelativeRates { present: 1.0, absent: 1.0 };

    pub(super) fn new(problem: &Problem<'_>) -> Result<Self> {
        let greatest = problem.beta1.max(problem.beta2);
        if !(greatest > 0.0 && greatest.is_finite() && problem.beta1 >= 0.0 && problem.beta2 >= 0.0) {
            return Err(Error::Argument(format!(
                "expected rates of 0 or more, one of them more, found {} and {}",
                problem.beta1, problem.beta2
            )));
        }
        Ok(Self { present: problem.beta1 / greatest, absent: problem.beta2 / greatest })
    }
}

/// For an outcome the sums of squares of its residual, and of what that is relative to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Squares {
    pub(super) rest: f64,
    pub(super) targets: f64,
}

/// What a method reports.
pub(super) struct Solved {
    pub(super) solver: &'static str,
    pub(super) rank: Option<usize>,
    pub(super) tolerance: f64,
    pub(super) iterations: Option<u64>,
    pub(super) converged: bool,
    pub(super) multiplied: usize,
    /// One for each outcome, in order, so that their sum does not depend on how outcomes were grouped.
    pub(super) squares: Vec<Squares>,
}

/// The result, to which blocks of columns are written by one thread at a time.
pub(super) struct Sink<'a> {
    pub(super) out: Mutex<&'a mut [f64]>,
    pub(super) width: usize,
    /// Whether it holds the initial weights, to which changes are added.
    pub(super) initial: bool,
}

/// Numbers that are cleared between two looks at the stop flag.
const PART: usize = 1 << 22;

impl Sink<'_> {
    /// Makes it zero, unless it holds the initial weights.
    pub(super) fn clear(&self, monitor: &Monitor) -> Result<()> {
        if !self.initial {
            for part in self.out.lock().unwrap_or_else(PoisonError::into_inner).chunks_mut(PART) {
                monitor.check()?;
                part.fill(0.0);
            }
        }
        Ok(())
    }

    /// The initial weights of outcomes that are not solved yet.
    pub(super) fn start(
        &self,
        counts: &Counts,
        outcomes: Range<usize>,
        monitor: &Monitor,
    ) -> Result<Option<StartBlock>> {
        if !self.initial {
            return Ok(None);
        }
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        StartBlock::new(counts, &out, self.width, outcomes, monitor).map(Some)
    }

    /// Writes the weights of cues, among which the x of each column of `counts` is shared.
    pub(super) fn write(
        &self,
        counts: &Counts,
        outcomes: Range<usize>,
        x: &[f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pulse = Pulse::default();
        for (cue, column, share) in counts.cues() {
            pulse.beat(outcomes.len(), monitor)?;
            let from = &x[column * outcomes.len()..][..outcomes.len()];
            let to = &mut out[cue * self.width..][outcomes.clone()];
            if self.initial {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += share * from);
            } else {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = share * from);
            }
        }
        Ok(())
    }
}
