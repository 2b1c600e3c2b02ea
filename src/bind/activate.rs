//! The verb `activations`.

use numpy::{Element as NumpyElement, PyArray2, PyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;

use super::arrays::{Read, Read1, Write};
use super::file::PyEventFile;
use super::learn::{indices, optional_indices};
use super::watch::{Progress, watched};
use crate::activate::{Weights, Which, activate};
use crate::error::Error;
use crate::kernel::element::Element;

/// Fills `out` with activations. Weights may lie in any order, and are rounded to the type of `out`; whether one that is finite
/// was not any more.
#[pyfunction]
#[pyo3(signature = (events, weights, *, cue_rows, columns, present_only, out, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn activations<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    weights: Bound<'py, PyUntypedArray>,
    cue_rows: Read1<'py, i64>,
    columns: Read1<'py, i64>,
    present_only: bool,
    out: Bound<'py, PyUntypedArray>,
    threads: usize,
    progress: Progress,
) -> PyResult<bool> {
    let rows = optional_indices(&cue_rows)?;
    let (listed, present);
    let which = if present_only {
        present = optional_indices(&columns)?;
        Which::Present(&present)
    } else {
        listed = indices(&columns)?;
        Which::Columns(&listed)
    };
    let arguments = Arguments { events, rows: &rows, which: &which, threads, progress: &progress };
    if let Ok(out) = out.cast::<PyArrayDyn<f64>>() {
        arguments.activate_into(py, &weights, out)
    } else if let Ok(out) = out.cast::<PyArrayDyn<f32>>() {
        arguments.activate_into(py, &weights, out)
    } else {
        Err(Error::Argument("expected a result of float64 or float32".into()).into())
    }
}

struct Arguments<'a> {
    events: &'a PyEventFile,
    rows: &'a [Option<u32>],
    which: &'a Which<'a>,
    threads: usize,
    progress: &'a Progress,
}

impl Arguments<'_> {
    fn activate_into<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        weights: &Bound<'_, PyUntypedArray>,
        out: &Bound<'_, PyArrayDyn<E>>,
    ) -> PyResult<bool> {
        if let Ok(weights) = weights.cast::<PyArray2<f64>>() {
            self.activate(py, weights, out)
        } else if let Ok(weights) = weights.cast::<PyArray2<f32>>() {
            self.activate(py, weights, out)
        } else {
            Err(Error::Argument("expected weights of float64 or float32".into()).into())
        }
    }

    fn activate<S: Element + NumpyElement, E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        weights: &Bound<'_, PyArray2<S>>,
        out: &Bound<'_, PyArrayDyn<E>>,
    ) -> PyResult<bool> {
        let (weights, mut out) = (Read::of(weights)?, Write::of(out)?);
        let out = out.slice()?;
        let weights = Weights { table: weights.table(), rows: self.rows };
        watched(py, self.progress, |monitor| {
            activate(&self.events.file, &weights, self.which, out, self.threads, monitor)
        })
    }
}
