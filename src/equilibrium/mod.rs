//! The equilibrium of the rule (Danks 2003): the weights at which its mean update is zero.
//!
//! With one learning rate for present and absent outcomes these solve the normal equations
//!
//! ```text
//! G W = H,    G = C'FC,    H = C'FO diag(lambda)
//! ```
//!
//! C: events x cues (multiplicities), F: frequencies, O: events x outcomes. So the equilibrium is weighted least squares.
//! With two rates each outcome has weighted least squares of its own: tokens weigh beta1 where it is present and beta2 where
//! it is absent. Only the ratio of the rates matters; here the larger is 1.
//!
//! Where cues always come together, or are dependent otherwise, G is singular, and the solution of least norm is taken: the
//! least sum of w^2, or with saliences the least sum of w^2 / alpha, which is the one the learner reaches from zero. A ridge
//! is added to the diagonal of G.
//!
//! The events are counted once (`counts`). Then [`Method::Dense`] factorises G (`factor`) and solves for blocks of outcomes
//! (`block`, `dense`); [`Method::Iterative`] goes over the cue sets again and again, and never makes G (`iterative`).

mod block;
mod counts;
mod dense;
mod double;
mod factor;
pub mod iterative;
mod pivoted;
mod room;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::monitor::Monitor;
use crate::threads::pool;
use counts::Counts;
use room::{COUNTING, Pulse, filled, listed};

/// Up to so many cues (those that always come together counted once) the normal equations are factorised: a matrix of 0.8 GB
/// and 3e11 multiplications then. Both grow fast beyond.
pub const DENSE: usize = 10_000;

/// Numbers that are cleared between two looks at the stop flag.
const PART: usize = 1 << 22;

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By a factorisation of the normal equations: n_cues^2 numbers, n_cues^3 operations.
    Dense,
    /// By conjugate gradients on the events.
    Iterative,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Dense => "dense",
            Method::Iterative => "iterative",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Method::Dense, Method::Iterative].into_iter().find(|method| method.to_string() == name);
        known.ok_or_else(|| Error::Argument(format!("expected method dense or iterative, found {name:?}")))
    }
}

/// What to solve.
pub struct Problem<'a> {
    /// The learning rate where the outcome is present.
    pub beta1: f64,
    /// The learning rate where the outcome is absent.
    pub beta2: f64,
    /// The maximal activation of each outcome.
    pub lambda: &'a [f64],
    /// Saliences of the cues: which solution is meant where there are many. A cue of salience 0 keeps its zeros.
    pub alpha: Option<&'a [f64]>,
    /// Added to the diagonal, tokens at the larger rate weighing 1; 0 for none.
    pub ridge: f64,
    /// How to solve; dense up to [`DENSE`] cues if `None`.
    pub method: Option<Method>,
    /// Dense: eigenvalues below this part of the greatest count as zero; if `None`, pivots decide as long as they are clear.
    /// Iterative: where to stop, relative to the start; [`iterative::TOLERANCE`] if `None`.
    pub tolerance: Option<f64>,
}

/// How it was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
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
    /// The size of C'F(O lambda - C W) - ridge W, relative to that of C'F O lambda: the roots of their sums of squares over
    /// all cues that may change and all outcomes.
    pub residual: f64,
}

/// Writes the equilibrium to `out` (n_cues x n_outcomes, row after row).
///
/// # Errors
/// [`Error::Argument`] when lengths do not fit or both rates are 0, [`Error::Format`] for a damaged file, [`Error::Memory`]
/// when there is no room for the counts or for n_cues^2 numbers, [`Error::Numeric`] when the solver cannot,
/// [`Error::Stopped`].
pub fn equilibrium<B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    problem: &Problem<'_>,
    out: &mut [f64],
    threads: usize,
    monitor: &Monitor,
) -> Result<Report> {
    let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
    let lengths = [out.len(), problem.lambda.len(), problem.alpha.map_or(n_cues, <[f64]>::len)];
    if lengths != [n_cues * n_outcomes, n_outcomes, n_cues] {
        return Err(Error::Argument(format!("expected arrays for {n_cues} cues and {n_outcomes} outcomes")));
    }
    let mut rates = Rates::new(problem)?;
    let zeros = filled(n_outcomes, 0.0, COUNTING)?;
    let mut problem = Problem { ..*problem };
    if rates.present == 0.0 {
        // Nothing is ever learned of what is present: all targets are 0, and so are the weights, whatever the rates.
        problem.lambda = &zeros;
        rates = Rates::ONE;
    }
    let problem = &problem;
    pool(threads)?.install(|| {
        for part in out.chunks_mut(PART) {
            monitor.check()?;
            part.fill(0.0);
        }
        // With a ridge there is one solution, and saliences do not choose, except that 0 keeps a cue out.
        let even =
            |alpha: &[f64]| listed(alpha.iter().map(|&alpha| f64::from(u8::from(alpha > 0.0))), COUNTING);
        let even = problem.alpha.filter(|_| problem.ridge > 0.0).map(even).transpose()?;
        monitor.set_total(file.len() + iterative::STEPS * n_outcomes as u64);
        let counts = Counts::new(file, even.as_deref().or(problem.alpha), monitor)?;
        let method = problem.method.unwrap_or(if counts.n_columns() <= DENSE {
            Method::Dense
        } else {
            Method::Iterative
        });
        let sink = Sink { out: Mutex::new(out), width: n_outcomes };
        let solved = match method {
            Method::Dense => {
                monitor.set_total(file.len() + n_outcomes as u64);
                dense::solve(&counts, problem, rates, &sink, monitor)?
            }
            Method::Iterative => iterative::solve(&counts, problem, rates, &sink, monitor)?,
        };
        let sum = |of: fn(&Squares) -> f64| solved.squares.iter().map(of).sum::<f64>();
        let rest = sum(|squares| squares.rest);
        let residual = if rest == 0.0 { 0.0 } else { (rest / sum(|squares| squares.targets)).sqrt() };
        let Solved { solver, rank, tolerance, iterations, converged, .. } = solved;
        Ok(Report { solver, rank, tolerance, iterations, converged, residual })
    })
}

/// beta1 and beta2 relative to the larger.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rates {
    present: f64,
    absent: f64,
}

impl Rates {
    const ONE: Rates = Rates { present: 1.0, absent: 1.0 };

    fn new(problem: &Problem<'_>) -> Result<Self> {
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

/// Of an outcome, the sums of squares of what is left and of the right-hand side.
#[derive(Debug, Clone, Copy, Default)]
struct Squares {
    rest: f64,
    targets: f64,
}

/// What a method reports.
struct Solved {
    solver: &'static str,
    rank: Option<usize>,
    tolerance: f64,
    iterations: Option<u64>,
    converged: bool,
    /// One an outcome, in their order, so that their sum does not depend on how they were shared out.
    squares: Vec<Squares>,
}

/// The result, to which blocks of columns are written by one thread at a time.
struct Sink<'a> {
    out: Mutex<&'a mut [f64]>,
    width: usize,
}

impl Sink<'_> {
    /// Shares the x of each column of `counts` among its cues.
    fn write(&self, counts: &Counts, outcomes: Range<usize>, x: &[f64], monitor: &Monitor) -> Result<()> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pulse = Pulse::default();
        for (cue, column, share) in counts.cues() {
            pulse.beat(outcomes.len(), monitor)?;
            let from = &x[column * outcomes.len()..][..outcomes.len()];
            let to = &mut out[cue * self.width..][outcomes.clone()];
            to.iter_mut().zip(from).for_each(|(to, from)| *to = share * from);
        }
        Ok(())
    }
}
