//! The verb `perceptron`.

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyFloatingPointError;
use pyo3::prelude::*;

use super::arrays::Read1;
use super::rows::PyTable;
use super::watch::{Progress, brief, watched};
use crate::error::Error;
use crate::family::perceptron::{PerceptronPlan, learn};
use crate::grow::collected;
use crate::monitor::Monitor;

/// Fewer products than this take some milliseconds at most.
const BRIEF: u64 = 1_000_000;

/// Weights, bias, stability, the errors of each sweep, how often each example was added.
type Plane<'py> = (Bound<'py, PyArray1<f64>>, f64, f64, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Learns the classes of the rows of a table.
#[pyfunction]
#[pyo3(signature = (x, y, *, rule, eta, initial, bias, max_sweeps, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn perceptron<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    y: Read1<'py, f64>,
    rule: &str,
    eta: f64,
    initial: Read1<'py, f64>,
    bias: Option<f64>,
    max_sweeps: u64,
    progress: Progress,
) -> PyResult<Plane<'py>> {
    let table = x.hold::<f64>()?;
    let rows = table.rows()?;
    let y = y.to_vec()?;
    let initial = initial.to_vec()?;
    let plan = PerceptronPlan { update: rule.parse()?, eta, initial: &initial, bias, max_sweeps };
    let mut not_finite = None;
    let work = |monitor: &Monitor| {
        let result = learn(&rows, &y, &plan, monitor);
        if let Err(Error::NotFinite { row, value, .. }) = result {
            not_finite = Some((row, value));
        }
        result
    };
    let products = (rows.n_values() as u64).saturating_add(y.len() as u64).saturating_mul(max_sweeps);
    let plane = if products < BRIEF { brief(py, &progress, work) } else { watched(py, &progress, work) };
    if let Some(place) = not_finite {
        // The Python side, which knows the names, makes the message.
        return Err(PyFloatingPointError::new_err(place));
    }
    let plane = plane?;
    let counts = |counts: Vec<u64>| {
        let counts = counts.into_iter().map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        collected(counts, "an array of counts").map(|counts| counts.into_pyarray(py))
    };
    Ok((
        plane.weights.into_pyarray(py),
        plane.bias,
        plane.stability,
        counts(plane.errors)?,
        counts(plane.added)?,
    ))
}
