//! The verb `equilibrium`.

use numpy::{PyReadonlyArray1, PyReadwriteArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::file::PyEventFile;
use super::watch::{Progress, watched};
use crate::equilibrium::Problem;
use crate::error::Error;

/// Fills `out` with the weights at the equilibrium.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, lambda_, ridge, tol, out, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn equilibrium<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: Option<PyReadonlyArray1<'py, f64>>,
    lambda_: PyReadonlyArray1<'py, f64>,
    ridge: f64,
    tol: Option<f64>,
    mut out: PyReadwriteArray2<'py, f64>,
    threads: usize,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let alpha = alpha.map(|alpha| alpha.as_array().to_vec());
    let lambda = lambda_.as_array().to_vec();
    let problem = Problem { lambda: &lambda, alpha: alpha.as_deref(), ridge, tolerance: tol };
    let out = out
        .as_slice_mut()
        .map_err(|_| Error::Argument("expected a result row after row in memory".into()))?;
    let report = watched(py, &progress, |monitor| {
        crate::equilibrium::equilibrium(&events.file, &problem, out, threads, monitor)
    })?;
    let result = PyDict::new(py);
    result.set_item("solver", report.solver)?;
    result.set_item("rank", report.rank)?;
    result.set_item("tolerance", report.tolerance)?;
    Ok(result)
}
