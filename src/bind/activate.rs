//! The verb `activations`.

use numpy::{Element as NumpyElement, PyArray2, PyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;

use super::arrays::{Read, Read1, Write};
use super::file::PyEventFile;
use super::learn::{indices, optional_indices};
use super::watch::{Progress, watched};
use crate::activate::{Weights, Which, activate};
use crate::error::Error;
use crate::kernel::rows::Element;

/// Fills `out` with activations.
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
) -> PyResult<()> {
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
    if let (Ok(weights), Ok(out)) = (weights.cast::<PyArray2<f64>>(), out.cast::<PyArrayDyn<f64>>()) {
        arguments.activate(py, weights, out)
    } else if let (Ok(weights), Ok(out)) = (weights.cast::<PyArray2<f32>>(), out.cast::<PyArrayDyn<f32>>()) {
        arguments.activate(py, weights, out)
    } else {
        Err(Error::Argument("expected weights and result both of float64 or both of float32".into()).into())
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
    fn activate<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        weights: &Bound<'_, PyArray2<E>>,
        out: &Bound<'_, PyArrayDyn<E>>,
    ) -> PyResult<()> {
        let (weights, mut out) = (Read::of(weights)?, Write::of(out)?);
        let (width, values) = (weights.shape()[1], weights.slice("weights")?);
        let out = out.slice()?;
        let weights = Weights { values, width, rows: self.rows };
        watched(py, self.progress, |monitor| {
            activate(&self.events.file, &weights, self.which, out, self.threads, monitor)
        })
    }
}
