//! The verb `adatron`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{PyTable, Read1};
use super::watch::{Progress, watched_if_long};
use crate::rules::planes::adatron::{AdaTronPlan, learn};
use crate::rules::planes::patterns::Patterns;

/// Learns the plane of optimal stability through the strengths of the examples.
#[pyfunction]
#[pyo3(signature = (x, y, *, bias, max_sweeps, gamma, tol, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn adatron<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    y: Read1<'py, f64>,
    bias: bool,
    max_sweeps: u64,
    gamma: f64,
    tol: f64,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let (x, y) = (x.hold()?, y.to_vec()?);
    let patterns = Patterns::new(x.rows()?, &y, bias)?;
    let plan = AdaTronPlan { max_sweeps, gamma, tolerance: tol };
    let numbers = (patterns.len() as u64).saturating_mul(patterns.width() as u64 + 1);
    let fit = watched_if_long(py, &progress, numbers.saturating_mul(max_sweeps), |monitor| {
        learn(&patterns, &plan, monitor)
    })?;
    let result = PyDict::new(py);
    result.set_item("weights", PyArray1::from_vec(py, fit.weights))?;
    result.set_item("stability", fit.stability)?;
    result.set_item("steps", fit.steps)?;
    result.set_item("strengths", PyArray1::from_vec(py, fit.strengths))?;
    result.set_item("errors", PyArray1::from_vec(py, fit.errors))?;
    result.set_item("converged", fit.converged)?;
    Ok(result)
}
