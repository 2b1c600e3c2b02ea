//! The verb `equilibrium`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{HeldTable, PyTable, Read1, Write2};
use super::keywords::Named;
use super::watch::{Progress, watched};
use super::widrow_hoff::PyTokens;
use crate::equilibrium::{Problem, Solver};

/// Fills `out` with the weights at the equilibrium, from those that it has if it is `initial`. `events` is an event file, or a
/// number of rows of both `cue_vectors` and `outcome_vectors`.
#[pyfunction]
#[pyo3(signature = (events, *, cue_vectors, outcome_vectors, alpha, initial, beta1, beta2, lambda_, ridge, method, tol, out, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn equilibrium<'py>(
    py: Python<'py>,
    events: PyTokens<'py>,
    cue_vectors: Option<PyTable<'py>>,
    outcome_vectors: Option<PyTable<'py>>,
    alpha: Option<Read1<'py, f64>>,
    initial: bool,
    beta1: f64,
    beta2: f64,
    lambda_: Read1<'py, f64>,
    ridge: f64,
    method: Option<Named<Solver>>,
    tol: Option<f64>,
    mut out: Write2<'py, f64>,
    threads: usize,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let alpha = alpha.map(|alpha| alpha.to_vec()).transpose()?;
    let lambda = lambda_.to_vec()?;
    let cues = cue_vectors.as_ref().map(PyTable::hold).transpose()?;
    let outcomes = outcome_vectors.as_ref().map(PyTable::hold).transpose()?;
    let problem = Problem {
        beta1,
        beta2,
        cue_vectors: cues.as_ref().map(HeldTable::rows).transpose()?,
        outcome_vectors: outcomes.as_ref().map(HeldTable::rows).transpose()?,
        lambda: &lambda,
        alpha: alpha.as_deref(),
        initial,
        ridge,
        method: method.map(|method| method.0),
        tolerance: tol,
    };
    let (data, out) = (events.data(), out.slice()?);
    let report = watched(py, &progress, |monitor| {
        crate::equilibrium::equilibrium(data, &problem, out, threads, monitor)
    })?;
    let result = PyDict::new(py);
    result.set_item("solver", report.solver)?;
    result.set_item("rank", report.rank)?;
    result.set_item("tolerance", report.tolerance)?;
    result.set_item("iterations", report.iterations)?;
    result.set_item("converged", report.converged)?;
    result.set_item("residual", report.residual)?;
    Ok(result)
}
