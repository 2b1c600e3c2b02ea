//! The verb `delta_rule`.

use numpy::{
    Element as NumpyElement, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
};
use pyo3::exceptions::PyFloatingPointError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::file::PyEventFile;
use super::learn::indices;
use super::watch::{Progress, brief, watched};
use crate::dense::delta::{Activation, Loss, Plan, Report, learn};
use crate::error::Error;
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;
use crate::learn::{Matrix, stream::BUDGET};
use crate::monitor::Monitor;

/// Fewer updates than this take some milliseconds at most.
const BRIEF: u64 = 1_000_000;

/// Learns the events by the delta rule into `out`, an array.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, beta, lambda_, activation, loss, batch, mean, passes, order, cue_rows,
                    outcome_columns, initial, out, threads, kernel, tile, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn delta_rule<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: PyReadonlyArray1<'py, f64>,
    beta: f64,
    lambda_: PyReadonlyArray1<'py, f64>,
    activation: &str,
    loss: &str,
    batch: Option<u64>,
    mean: bool,
    passes: u64,
    order: Option<PyReadonlyArray2<'py, i64>>,
    cue_rows: PyReadonlyArray1<'py, i64>,
    outcome_columns: PyReadonlyArray1<'py, i64>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    out: Bound<'py, PyAny>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let order = order.as_ref().map(|order| order.as_slice()).transpose();
    let arguments = Arguments {
        events,
        alpha: alpha.as_array().to_vec(),
        beta,
        lambda: lambda_.as_array().to_vec(),
        activation: activation.parse()?,
        loss: loss.parse()?,
        batch,
        mean,
        passes,
        order: order.map_err(|_| Error::Argument("expected an order pass after pass in memory".into()))?,
        rows: indices(&cue_rows)?,
        columns: indices(&outcome_columns)?,
        initial,
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    let report = if let Ok(out) = out.cast::<PyArray2<f64>>() {
        arguments.learn(py, out)
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        arguments.learn(py, out)
    } else {
        Err(Error::Argument("expected a result of float64 or float32".into()).into())
    }?;
    let result = PyDict::new(py);
    result.set_item("kernel", report.kernel.to_string())?;
    result.set_item("tile", report.tile)?;
    result.set_item("threads", report.threads)?;
    Ok(result)
}

struct Arguments<'a, 'py> {
    events: &'a PyEventFile,
    alpha: Vec<f64>,
    beta: f64,
    lambda: Vec<f64>,
    activation: Activation,
    loss: Loss,
    batch: Option<u64>,
    mean: bool,
    passes: u64,
    order: Option<&'a [i64]>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    threads: usize,
    kernel: Option<Kernel>,
    tile: Option<usize>,
    progress: Progress,
}

impl Arguments<'_, '_> {
    fn learn<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyArray2<E>>,
    ) -> PyResult<Report> {
        let other = || Error::Argument(format!("expected initial weights of {}, row after row", E::NAME));
        let initial = self.initial.as_ref().map(|array| array.cast::<PyArray2<E>>().map_err(|_| other()));
        let initial = initial.transpose()?.map(|array| array.readonly());
        let initial = initial.as_ref().map(|array| array.as_slice().map_err(|_| other())).transpose()?;
        let plan = Plan {
            rows: &self.rows,
            columns: &self.columns,
            alpha: &self.alpha,
            beta: self.beta,
            lambda: &self.lambda,
            activation: self.activation,
            loss: self.loss,
            batch: self.batch,
            mean: self.mean,
            passes: self.passes,
            order: self.order,
            initial,
            threads: self.threads,
            kernel: self.kernel,
            tile: self.tile,
            budget: BUDGET,
        };
        let mut out = out.try_readwrite().map_err(|error| Error::Argument(format!("the result: {error}")))?;
        let shape = out.as_array().dim().into();
        let rows = out
            .as_slice_mut()
            .map_err(|_| Error::Argument("expected a result row after row in memory".into()))?;
        let matrix = Matrix::new(rows, shape)?;
        let file = &self.events.file;
        let mut not_finite = None;
        let work = |monitor: &Monitor| {
            let result = learn(file, &plan, &matrix, monitor);
            if let Err(Error::NotFinite { row, column, value }) = result {
                not_finite = Some((row, column, value));
            }
            result
        };
        // The counts of the cues sum to the slots of all tokens.
        let slots = file.cues().counts().iter().fold(0_u64, |slots, &count| slots.saturating_add(count));
        let slots = slots.saturating_add(file.header().n_tokens).saturating_mul(self.passes);
        let updates = slots.saturating_mul(self.lambda.len() as u64);
        let report =
            if updates < BRIEF { brief(py, &self.progress, work) } else { watched(py, &self.progress, work) };
        match not_finite {
            // The Python side, which knows the names, makes the message.
            Some(place) => Err(PyFloatingPointError::new_err(place)),
            None => report,
        }
    }
}
