//! The verb `activations`.

use numpy::{Element as NumpyElement, Ix2, IxDyn, PyArray2, PyArrayDyn, PyUntypedArray};
use pyo3::prelude::*;

use super::arrays::{Read, Read1, Write, indices, of_floats, optional_indices};
use super::file::PyEventFile;
use super::watch::{Progress, watched};
use crate::activate::{KnownWeights, Which, activate};
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
    let arguments = ActivationArguments { events, rows: &rows, which: &which, threads, progress: &progress };
    let no_result = || Error::Argument("expected a result of float64 or float32".into());
    let no_weights = || Error::Argument("expected weights of float64 or float32".into());
    of_floats!(out, IxDyn, out => {
        of_floats!(weights, Ix2, weights => arguments.activate(py, weights, out), else Err(no_weights().into()))
    }, else Err(no_result().into()))
}

struct ActivationArguments<'a> {
    events: &'a PyEventFile,
    rows: &'a [Option<u32>],
    which: &'a Which<'a>,
    threads: usize,
    progress: &'a Progress,
}

impl ActivationArguments<'_> {
    fn activate<S: Element + NumpyElement, E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        weights: &Bound<'_, PyArray2<S>>,
        out: &Bound<'_, PyArrayDyn<E>>,
    ) -> PyResult<bool> {
        let (weights, mut out) = (Read::of(weights)?, Write::of(out)?);
        let out = out.slice()?;
        let weights = KnownWeights { table: weights.table(), rows: self.rows };
        watched(py, self.progress, |monitor| {
            activate(&self.events.file, &weights, self.which, out, self.threads, monitor)
        })
    }
}
