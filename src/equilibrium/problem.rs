//! What to solve, and what comes of it.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use super::counts::Counts;
use super::room::Pulse;
use super::start::Start;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// By a factorisation of the normal equations: n_cues^2 numbers, n_cues^3 operations.
    Dense,
    /// By conjugate gradients on the events.
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

/// What to solve.
pub struct Problem<'a> {
    /// The learning rate where the outcome is present.
    pub beta1: f64,
    /// The learning rate where the outcome is absent.
    pub beta2: f64,
    /// The maximal activation of each outcome: first of those of the events, then of any others, which never occur.
    pub lambda: &'a [f64],
    /// Saliences of the cues: which solution is meant where there are many. A cue of salience 0 keeps its weights.
    pub alpha: Option<&'a [f64]>,
    /// Whether to start from the weights that are there already, of which the nearest solution is meant; if not, from zero.
    pub initial: bool,
    /// Added to the diagonal, tokens at the larger rate weighing 1; 0 for none. It holds back changes.
    pub ridge: f64,
    /// How to solve; dense up to [`super::DENSE`] cues if `None`.
    pub method: Option<Solver>,
    /// Dense: eigenvalues below this part of the greatest count as zero; if `None`, pivots decide as long as they are clear.
    /// Iterative: where to stop, relative to the start; [`super::iterative::TOLERANCE`] if `None`.
    pub tolerance: Option<f64>,
}

/// How it was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solution {
    /// "cholesky", "eigen" or "cgls".
    pub solver: &'static str,
    /// The rank of the normal equations, where one is found that all outcomes share.
    pub rank: Option<usize>,
    /// Below which part of what it is measured by something counted as zero.
    pub tolerance: f64,
    /// The most iterations for any outcome.
    pub iterations: Option<u64>,
    /// Whether all outcomes came within the tolerance.
    pub converged: bool,
    /// The size of C'F(O lambda - C W) - ridge (W - W_0), relative to those of C'F O lambda and of C'F C |W_0|: the roots of sums
    /// of squares over all cues that may change and all outcomes.
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

/// Of an outcome, the sums of squares of what is left, and of what that is relative to.
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
    /// One an outcome, in their order, so that their sum does not depend on how they were shared out.
    pub(super) squares: Vec<Squares>,
}

/// The result, to which blocks of columns are written by one thread at a time.
pub(super) struct Sink<'a> {
    pub(super) out: Mutex<&'a mut [f64]>,
    pub(super) width: usize,
    /// Whether it holds the initial weights, to which changes are added.
    pub(super) initial: bool,
}

impl Sink<'_> {
    /// What outcomes that are not solved yet start from.
    pub(super) fn start(
        &self,
        counts: &Counts,
        outcomes: Range<usize>,
        monitor: &Monitor,
    ) -> Result<Option<Start>> {
        if !self.initial {
            return Ok(None);
        }
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        Start::new(counts, &out, self.width, outcomes, monitor).map(Some)
    }

    /// Shares the x of each column of `counts` among its cues.
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
