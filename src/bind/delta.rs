//! The verb `delta_rule`, on events and on arrays.

use numpy::{Element as NumpyElement, PyArray2, PyUntypedArray};
use pyo3::exceptions::PyFloatingPointError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read, Read1, Read2, Write, Write2};
use super::file::PyEventFile;
use super::learn::indices;
use super::rows::PyTable;
use super::watch::{Progress, brief, watched};
use crate::error::{Error, Result};
use crate::family::activation::{Activation, Loss};
use crate::family::descent::{Descent, DescentReport};
use crate::family::{delta, delta_rows};
use crate::kernel::element::Element;
use crate::kernel::isa::Kernel;
use crate::learn::script::BUDGET;
use crate::monitor::Monitor;
use crate::tiles::result::Matrix;

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
    alpha: Read1<'py, f64>,
    beta: f64,
    lambda_: Read1<'py, f64>,
    activation: &str,
    loss: &str,
    batch: Option<u64>,
    mean: bool,
    passes: u64,
    order: Option<Read2<'py, i64>>,
    cue_rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    out: Bound<'py, PyAny>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments {
        data: Data::Events {
            events,
            rows: indices(&cue_rows)?,
            columns: indices(&outcome_columns)?,
            lambda: lambda_.to_vec()?,
        },
        alpha: alpha.to_vec()?,
        beta,
        activation: activation.parse()?,
        loss: loss.parse()?,
        batch,
        mean,
        passes,
        order: in_memory(order.as_ref())?,
        initial,
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    arguments.learn_into(py, &out)
}

/// Learns the rows of tables by the delta rule into `out`, an array; with paces, a factor on the rate of each row, and `squares`, room
/// for the sums of squared errors of each pass and column.
#[pyfunction]
#[pyo3(signature = (x, z, *, alpha, beta, activation, loss, batch, mean, passes, order, initial, out, threads,
                    kernel, tile, progress, paces = None, squares = None))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn delta_rule_rows<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    z: PyTable<'py>,
    alpha: Read1<'py, f64>,
    beta: f64,
    activation: &str,
    loss: &str,
    batch: Option<u64>,
    mean: bool,
    passes: u64,
    order: Option<Read2<'py, i64>>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    out: Bound<'py, PyAny>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    progress: Progress,
    paces: Option<Read1<'py, f64>>,
    squares: Option<Bound<'py, PyArray2<f64>>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments {
        data: Data::Rows {
            x: &x,
            z: &z,
            paces: paces.map(|paces| paces.to_vec()).transpose()?,
            squares: squares.as_ref(),
        },
        alpha: alpha.to_vec()?,
        beta,
        activation: activation.parse()?,
        loss: loss.parse()?,
        batch,
        mean,
        passes,
        order: in_memory(order.as_ref())?,
        initial,
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    arguments.learn_into(py, &out)
}

/// The tokens of passes, one after another.
fn in_memory<'a>(order: Option<&'a Read2<'_, i64>>) -> PyResult<Option<&'a [i64]>> {
    Ok(order.map(|order| order.slice("an order")).transpose()?)
}

/// What to learn.
enum Data<'a, 'py> {
    Events {
        events: &'a PyEventFile,
        rows: Vec<u32>,
        columns: Vec<u32>,
        lambda: Vec<f64>,
    },
    Rows {
        x: &'a PyTable<'py>,
        z: &'a PyTable<'py>,
        paces: Option<Vec<f64>>,
        squares: Option<&'a Bound<'py, PyArray2<f64>>>,
    },
}

struct Arguments<'a, 'py> {
    data: Data<'a, 'py>,
    alpha: Vec<f64>,
    beta: f64,
    activation: Activation,
    loss: Loss,
    batch: Option<u64>,
    mean: bool,
    passes: u64,
    order: Option<&'a [i64]>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    threads: usize,
    kernel: Option<Kernel>,
    tile: Option<usize>,
    progress: Progress,
}

impl<'py> Arguments<'_, 'py> {
    fn learn_into(&self, py: Python<'py>, out: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let report = if let Ok(out) = out.cast::<PyArray2<f64>>() {
            self.learn(py, out)
        } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
            self.learn(py, out)
        } else {
            Err(Error::Argument("expected a result of float64 or float32".into()).into())
        }?;
        let result = PyDict::new(py);
        result.set_item("kernel", report.kernel.to_string())?;
        result.set_item("tile", report.tile)?;
        result.set_item("threads", report.threads)?;
        Ok(result)
    }

    fn learn<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyArray2<E>>,
    ) -> PyResult<DescentReport> {
        let other = |_| Error::Argument(format!("expected initial weights of {}", E::NAME));
        let initial = self.initial.as_ref().map(|array| array.cast::<PyArray2<E>>().map_err(other));
        let initial = initial.transpose()?.map(Read::of).transpose()?;
        let initial = initial.as_ref().map(|array| array.slice("initial weights")).transpose()?;
        let descent = Descent {
            alpha: &self.alpha,
            beta: self.beta,
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
        };
        let out = Write::of(out)?;
        match &self.data {
            Data::Events { events, rows, columns, lambda } => {
                let file = &events.file;
                // The counts of the cues sum to the slots of all tokens.
                let slots =
                    file.cues().counts().iter().fold(0_u64, |slots, &count| slots.saturating_add(count));
                let slots = slots.saturating_add(file.header().n_tokens);
                let plan = delta::DeltaPlan { rows, columns, lambda, descent, budget: BUDGET };
                self.run(py, out, slots, |out, monitor| delta::learn(file, &plan, out, monitor))
            }
            Data::Rows { x, z, paces, squares } => {
                let (x, z) = (x.hold::<E>()?, z.hold::<E>()?);
                let (x, z) = (x.rows()?, z.rows()?);
                let slots = (x.n_values() as u64).saturating_add(x.shape()[0] as u64);
                let mut squares = squares.map(Write::of).transpose()?;
                let squares = squares.as_mut().map(|squares| squares.slice()).transpose()?;
                self.run(py, out, slots, |out, monitor| {
                    delta_rows::learn_at(&x, &z, &descent, paces.as_deref(), squares, out, monitor)
                })
            }
        }
    }

    /// Does the work of so many slots a pass.
    fn run<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        mut out: Write2<'_, E>,
        slots: u64,
        learn: impl FnOnce(&Matrix<'_, E>, &Monitor) -> Result<DescentReport> + Send,
    ) -> PyResult<DescentReport> {
        let shape = out.shape();
        let matrix = Matrix::new(out.slice()?, shape)?;
        let mut not_finite = None;
        let work = |monitor: &Monitor| {
            let result = learn(&matrix, monitor);
            if let Err(Error::NotFinite { row, column, value }) = result {
                not_finite = Some((row, column, value));
            }
            result
        };
        let updates = slots.saturating_mul(self.passes).saturating_mul(shape[1] as u64);
        let report =
            if updates < BRIEF { brief(py, &self.progress, work) } else { watched(py, &self.progress, work) };
        match not_finite {
            // The Python side, which knows the names, makes the message.
            Some(place) => Err(PyFloatingPointError::new_err(place)),
            None => report,
        }
    }
}
