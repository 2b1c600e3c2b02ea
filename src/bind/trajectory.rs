//! The verb `trajectories`.

use numpy::{Element as NumpyElement, IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read1, Write};
use super::file::PyEventFile;
use super::learn::{Arguments, Factors, as_dict, indices, optional_indices};
use super::watch::Progress;
use crate::error::Error;
use crate::grow::{collected, gathered};
use crate::learn::Kernels;
use crate::learn::trajectory::{Cells, Recording};
use crate::tiles::method::Method;

/// Learns the events and records weights in `out`, one after another: for each pair of a row and a column (`columns` given)
/// or else for each column the `rows`, after each of the `tokens`.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, beta1, beta2, lambda_, schedule, cue_rows, outcome_columns, initial,
                    initial_columns, tokens, rows, columns, predictions, out, threads, kernel, tile, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn trajectories<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: Read1<'py, f64>,
    beta1: f64,
    beta2: f64,
    lambda_: Read1<'py, f64>,
    schedule: Option<Factors<'py>>,
    cue_rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    initial_columns: Option<Read1<'py, i64>>,
    tokens: Read1<'py, i64>,
    rows: Read1<'py, i64>,
    columns: Option<Read1<'py, i64>>,
    predictions: bool,
    out: Bound<'py, PyAny>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments {
        events,
        alpha: alpha.to_vec()?,
        beta1,
        beta2,
        lambda: lambda_.to_vec()?,
        schedule,
        average: false,
        rows: indices(&cue_rows)?,
        columns: optional_indices(&outcome_columns)?,
        keep: None,
        initial,
        initial_columns: initial_columns.as_ref().map(optional_indices).transpose()?,
        method: Some(Method::Forward),
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    let (rows, columns) = (indices(&rows)?, columns.as_ref().map(indices).transpose()?);
    let wanted = Wanted {
        tokens: &numbers(&tokens)?,
        pairs: columns.map(|columns| pairs(&rows, &columns)).transpose()?,
        rows,
        predictions,
    };
    match (out.cast::<PyArray1<f64>>(), out.cast::<PyArray1<f32>>()) {
        (Ok(out), _) => wanted.record(py, &arguments, out),
        (_, Ok(out)) => wanted.record(py, &arguments, out),
        _ => Err(Error::Argument("expected float64 or float32 for the result".into()).into()),
    }
}

/// What to record.
struct Wanted<'a> {
    tokens: &'a [u64],
    rows: Vec<u32>,
    pairs: Option<Vec<[u32; 2]>>,
    predictions: bool,
}

impl Wanted<'_> {
    fn record<'py, E: Kernels + NumpyElement>(
        &self,
        py: Python<'py>,
        arguments: &Arguments<'_, '_>,
        out: &Bound<'py, PyArray1<E>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        // Held until the work is done.
        let mut out = Write::of(out)?;
        let out = out.slice()?;
        let cells = self.pairs.as_deref().map_or(Cells::Block(&self.rows), Cells::Pairs);
        let recording = Recording { tokens: self.tokens, cells, predictions: self.predictions };
        let (report, predictions) = arguments.carry_out(py, |file, plan, monitor| {
            crate::learn::trajectories(file, plan, &recording, out, monitor)
        })?;
        let result = as_dict(py, &report)?;
        if let Some(predictions) = predictions {
            result.set_item("records", predictions.records.into_pyarray(py))?;
            result.set_item("columns", predictions.columns.into_pyarray(py))?;
            result.set_item("activations", predictions.activations.into_pyarray(py))?;
            result.set_item("errors", predictions.errors.into_pyarray(py))?;
        }
        Ok(result)
    }
}

/// Numbers of tokens.
fn numbers(array: &Read1<'_, i64>) -> PyResult<Vec<u64>> {
    let wrong = |token: i64| Error::Argument(format!("expected the number of a token, found {token}"));
    let number = |token: i64| u64::try_from(token).map_err(|_| wrong(token));
    Ok(gathered(array.to_vec()?.into_iter().map(number), "the tokens to record")?)
}

/// Rows and columns as pairs.
fn pairs(rows: &[u32], columns: &[u32]) -> Result<Vec<[u32; 2]>, Error> {
    if rows.len() != columns.len() {
        return Err(Error::Argument(format!("expected {} columns, found {}", rows.len(), columns.len())));
    }
    collected(rows.iter().zip(columns).map(|(&row, &column)| [row, column]), "the weights to record")
}
