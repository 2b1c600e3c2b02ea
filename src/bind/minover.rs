//! The verb `minover`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{PyTable, Read1};
use super::keywords::Named;
use super::watch::{Progress, watched_if_long};
use crate::kernel::isa::Isa;
use crate::rules::planes::minover::{BUDGET, MinOverPlan, learn};
use crate::rules::planes::patterns::Patterns;

/// Learns the plane of optimal stability.
#[pyfunction]
#[pyo3(signature = (x, y, *, bias, max_steps, tol, record, budget, kernel, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn minover<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    y: Read1<'py, f64>,
    bias: bool,
    max_steps: u64,
    tol: Option<f64>,
    record: bool,
    budget: Option<usize>,
    kernel: Option<Named<Isa>>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let (x, y) = (x.hold()?, y.to_vec()?);
    let patterns = Patterns::new(x.rows()?, &y, bias)?;
    let plan = MinOverPlan {
        max_steps,
        tolerance: tol,
        record,
        budget: budget.unwrap_or(BUDGET),
        kernel: kernel.map(|kernel| kernel.0),
    };
    let numbers = (patterns.len() as u64).saturating_mul(patterns.width() as u64 + 1);
    let fit = watched_if_long(py, &progress, numbers.saturating_mul(max_steps), |monitor| {
        learn(&patterns, &plan, monitor)
    })?;
    let result = PyDict::new(py);
    result.set_item("weights", PyArray1::from_vec(py, fit.weights))?;
    result.set_item("stability", fit.stability)?;
    result.set_item("steps", fit.steps)?;
    result.set_item("counts", PyArray1::from_vec(py, fit.counts))?;
    result.set_item("errors", PyArray1::from_vec(py, fit.errors))?;
    result.set_item("stabilities", PyArray1::from_vec(py, fit.stabilities))?;
    result.set_item("converged", fit.converged)?;
    result.set_item("stuck", fit.stuck)?;
    Ok(result)
}
