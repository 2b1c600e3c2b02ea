//! The verb `perceptron`.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use super::arrays::{PyTable, Read1};
use super::keywords::Named;
use super::watch::{Progress, watched_if_long};
use crate::memory::collected;
use crate::rules::planes::perceptron::{PerceptronPlan, Update, learn};

/// Weights, bias, stability, the errors of each sweep, how often each example was added.
type PyPlane<'py> =
    (Bound<'py, PyArray1<f64>>, f64, f64, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Learns the classes of the rows of a table.
#[pyfunction]
#[pyo3(signature = (x, y, *, rule, eta, factors, initial, bias, max_sweeps, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn perceptron<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    y: Read1<'py, f64>,
    rule: Named<Update>,
    eta: f64,
    factors: Option<Read1<'py, f64>>,
    initial: Read1<'py, f64>,
    bias: Option<f64>,
    max_sweeps: u64,
    progress: Progress,
) -> PyResult<PyPlane<'py>> {
    let table = x.hold::<f64>()?;
    let rows = table.rows()?;
    let y = y.to_vec()?;
    let initial = initial.to_vec()?;
    let factors = factors.map(|factors| factors.to_vec()).transpose()?;
    let plan = PerceptronPlan {
        update: rule.0,
        eta,
        factors: factors.as_deref(),
        initial: &initial,
        bias,
        max_sweeps,
    };
    let products = (rows.n_values() as u64).saturating_add(y.len() as u64).saturating_mul(max_sweeps);
    let plane = watched_if_long(py, &progress, products, |monitor| learn(&rows, &y, &plan, monitor))?;
    let counts = |counts: Vec<u64>| {
        let counts = counts.into_iter().map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        collected(counts).map(|counts| counts.into_pyarray(py))
    };
    Ok((
        plane.weights.into_pyarray(py),
        plane.bias,
        plane.stability,
        counts(plane.errors)?,
        counts(plane.added)?,
    ))
}
