//! The equilibrium of the rule (Danks 2003): the weights at which its mean update is zero.
//!
//! With one learning rate for present and absent outcomes these solve the normal equations
//!
//! ```text
//! G W = H,    G = C'FC,    H = C'FO diag(lambda)
//! ```
//!
//! C: events x cues (multiplicities), F: frequencies, O: events x outcomes. So the equilibrium is weighted least squares. With
//! two rates each outcome has weighted least squares of its own: tokens have the weight beta1 where it is present and beta2 where
//! it is absent. Only the ratio of the rates matters; here the larger is 1.
//!
//! If cues always come together, or are linearly dependent in another way, G is singular, and the solution of least norm is
//! taken: the one with the least sum of w^2, or with saliences of w^2 / alpha. The learner reaches this one from zero. A ridge is
//! added to the diagonal of G.
//!
//! From other initial weights W_0 the learner goes to the solution that is nearest to them, by the same measure: W_0 + X, where X
//! is the solution of least norm of G X = C'F (O diag(lambda) - C W_0). So only the right-hand side is new (`start`).
//!
//! Cues and outcomes may stand for vectors (`vectors`): then C has the sums of the cues' vectors, O those of the outcomes'.
//!
//! The events are counted once (`counts`). Then [`Solver::Dense`] factorises G (`factor`) and solves for blocks of outcomes
//! (`block`, `dense`); [`Solver::Iterative`] goes over the cue sets again and again, and never makes G (`iterative`).

mod block;
mod columns;
mod counts;
mod dense;
mod double;
mod factor;
pub mod iterative;
mod pivoted;
mod problem;
mod row_solver;
mod rows;
mod start;
mod vector_targets;
mod vectors;

use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::events::data::Data;
use crate::memory::{Lack, collected, filled};
use crate::monitor::Monitor;
use crate::threads::pool;
use counts::Counts;
pub use problem::{Problem, Solution, Solver};
use problem::{RelativeRates, Sink, Solved, Squares};
pub use row_solver::RowSolver;

/// The normal equations are factorised up to this many cues (cues that always come together count once). That is a matrix of 0.8
/// GB and 3e11 multiplications; both grow fast beyond.
pub const DENSE: usize = 10_000;

/// Writes the equilibrium to `out` (cues or their numbers x outcomes or their numbers, row after row), which holds the initial weights, if there are any.
///
/// # Errors
/// [`Error::Argument`] when lengths do not fit or both rates are 0, [`Error::Format`] for a damaged file, [`Error::Memory`]
/// when there is no room for the counts or for n_cues^2 numbers, [`Error::Numeric`] when the solver cannot,
/// [`Error::Stopped`].
pub fn equilibrium(
    data: Data<'_>,
    problem: &Problem<'_>,
    out: &mut [f64],
    threads: usize,
    monitor: &Monitor,
) -> Result<Solution> {
    let [n_cues, named] = data.names();
    vectors::check_one_each(problem.cue_vectors.as_ref(), n_cues)?;
    vectors::check_one_each(problem.outcome_vectors.as_ref(), named)?;
    let n_rows = problem.cue_vectors.map_or(n_cues, |vectors| vectors.shape()[1]);
    let least = problem.outcome_vectors.map_or(named, |vectors| vectors.shape()[1]);
    let n_outcomes = problem.lambda.len();
    let lengths = [out.len(), problem.alpha.map_or(n_cues, <[f64]>::len)];
    if n_outcomes < least || lengths != [n_rows.saturating_mul(n_outcomes), n_cues] {
        return Err(Error::Argument(format!(
            "expected arrays for {n_rows} cues and {least} outcomes or more"
        )));
    }
    let is_plain =
        (problem.beta1, problem.beta2) == (1.0, 1.0) && problem.lambda.iter().all(|&lambda| lambda == 1.0);
    if (problem.outcome_vectors.is_some() && (!is_plain || n_outcomes > least))
        || (problem.cue_vectors.is_some() && problem.alpha.is_some())
    {
        return Err(Error::Argument("expected no rates, lambdas or saliences beside vectors".into()));
    }
    let mut rates = RelativeRates::new(problem)?;
    let zeros = filled(0.0, n_outcomes)?;
    let mut problem = Problem { ..*problem };
    if rates.present == 0.0 && !problem.initial {
        // Present outcomes are never learned: all targets are 0, and so are the weights, whatever the rates are.
        problem.lambda = &zeros;
        rates = RelativeRates::ONE;
    }
    let problem = &problem;
    pool(threads)?.install(|| {
        // With a ridge there is one solution, so saliences do not choose one; but a cue of salience 0 is left out.
        let even = |alpha: &[f64]| collected(alpha.iter().map(|&alpha| f64::from(u8::from(alpha > 0.0))));
        let even = problem.alpha.filter(|_| problem.ridge > 0.0).map(even).transpose()?;
        let (n_events, cues_are_names) = (data.len(), problem.cue_vectors.is_none());
        monitor.set_total(n_events + iterative::STEPS * n_outcomes as u64);
        let predicts = |cue: usize| {
            problem.initial
                && cues_are_names
                && out[cue * n_outcomes..][..n_outcomes].iter().any(|&weight| weight != 0.0)
        };
        let repeated = problem.outcome_vectors.is_some();
        let of_names = if repeated { named } else { n_outcomes };
        let mut counts = match data {
            Data::Events(file) => {
                let alpha = even.as_deref().or(problem.alpha);
                Counts::new(file, alpha, predicts, of_names, repeated, monitor)?
            }
            Data::Rows(n) => Counts::of_rows(n)?,
        };
        if let Some(vectors) = &problem.cue_vectors {
            counts = counts.with_cue_vectors(vectors, monitor)?;
        }
        if let Some(vectors) = &problem.outcome_vectors {
            counts = counts.with_outcome_vectors(vectors, monitor)?;
        }
        let method = problem.method.unwrap_or(if counts.n_columns() <= DENSE {
            Solver::Dense
        } else {
            Solver::Iterative
        });
        let sink = Sink { out: Mutex::new(out), width: n_outcomes, initial: problem.initial };
        let solved = match method {
            Solver::Dense => {
                monitor.set_total(n_events + n_outcomes as u64);
                dense::solve(&counts, problem, rates, &sink, monitor).cured("use the iterative method")?
            }
            Solver::Iterative => iterative::solve(&counts, problem, rates, &sink, monitor)
                .cured("use fewer events or threads")?,
        };
        let sum = |of: fn(&Squares) -> f64| solved.squares.iter().map(of).sum::<f64>();
        let rest = sum(|squares| squares.rest);
        let residual = if rest == 0.0 { 0.0 } else { (rest / sum(|squares| squares.targets)).sqrt() };
        let Solved { solver, rank, tolerance, iterations, converged, multiplied, .. } = solved;
        Ok(Solution { solver, rank, tolerance, iterations, converged, multiplied, residual })
    })
}
