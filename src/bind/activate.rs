//! The verb `activations`.

use numpy::{Ix2, IxDyn, PyUntypedArray};
use pyo3::prelude::*;

use super::arrays::{Read, Read1, Write, indices, of_floats, optional_indices};
use super::file::PyEventFile;
use super::watch::{Progress, watched};
use crate::activate::{KnownWeights, Which, activate};

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
    of_floats!(out, IxDyn, "a result", out => of_floats!(weights, Ix2, "weights", weights => {
        let (weights, mut out) = (Read::of(weights)?, Write::of(out)?);
        let (out, weights) = (out.slice()?, KnownWeights { table: weights.table(), rows: &rows });
        watched(py, &progress, |monitor| activate(&events.file, &weights, &which, out, threads, monitor))
    }))
}
