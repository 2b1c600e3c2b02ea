//! The verb `delta_rule`, on events and on arrays.

use numpy::{Element as NumpyElement, Ix2, PyArray2, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{PyTable, Read1, Read2, Write, Write2, indices, matrix, of_floats};
use super::file::PyEventFile;
use super::keywords::{Named, parameters};
use super::watch::{Progress, watched_if_long};
use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::learn::BUDGET;
use crate::monitor::Monitor;
use crate::rules::delta::activation::{Activation, Loss};
use crate::rules::delta::arrays;
use crate::rules::delta::descent::{Descent, DescentReport};
use crate::rules::delta::events::{DeltaPlan, learn};
use crate::tiles::result::Matrix;

parameters! {
    /// What events and tables are learned by.
    struct DescentArguments {
        alpha: Read1<'py, f64>,
        beta: f64,
        activation: Named<Activation>,
        loss: Named<Loss>,
        batch: Option<u64>,
        mean: bool,
        /// Factors on beta, one a batch, pass after pass.
        factors: Option<Read1<'py, f64>> = None,
        passes: u64,
        /// The tokens of passes, one after another.
        order: Option<Read2<'py, i64>>,
        initial: Option<Bound<'py, PyUntypedArray>>,
        threads: usize,
        kernel: Option<Named<Isa>>,
        tile: Option<usize>,
        progress: Progress,
    }
}

/// Learns the events by the delta rule into `out`, an array.
#[pyfunction]
#[pyo3(
    signature = (events, *, lambda_, cue_rows, outcome_columns, out, **parameters),
    text_signature = "(events, *, alpha, beta, lambda_, activation, loss, batch, mean, factors=None, passes, order, \
                      cue_rows, outcome_columns, initial, out, threads, kernel, tile, progress)"
)]
pub(crate) fn delta_rule<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    lambda_: Read1<'py, f64>,
    cue_rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    out: Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (rows, columns) = (indices(&cue_rows)?, indices(&outcome_columns)?);
    let data = PyData::Events { events, rows, columns, lambda: lambda_.to_vec()? };
    DescentArguments::of(parameters)?.learn_into(py, &data, &out)
}

/// Learns the rows of tables by the delta rule into `out`, an array; with paces, a factor on the rate of each row, and `squares`,
/// room for the sums of squared errors of each pass and column.
#[pyfunction]
#[pyo3(
    signature = (x, z, *, out, paces = None, squares = None, **parameters),
    text_signature = "(x, z, *, alpha, beta, activation, loss, batch, mean, factors=None, passes, order, initial, out, \
                      threads, kernel, tile, progress, paces=None, squares=None)"
)]
pub(crate) fn delta_rule_rows<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    z: PyTable<'py>,
    out: Bound<'py, PyAny>,
    paces: Option<Read1<'py, f64>>,
    squares: Option<Bound<'py, PyArray2<f64>>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let paces = paces.map(|paces| paces.to_vec()).transpose()?;
    let data = PyData::Rows { x: &x, z: &z, paces, squares: squares.as_ref() };
    DescentArguments::of(parameters)?.learn_into(py, &data, &out)
}

/// What to learn.
enum PyData<'a, 'py> {
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

impl<'py> DescentArguments<'py> {
    fn learn_into(
        &self,
        py: Python<'py>,
        data: &PyData<'_, 'py>,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let report = of_floats!(out, Ix2, out => self.learn(py, data, Write::of(out)?), else {
            Err(Error::Argument("expected a result of float64 or float32".into()).into())
        })?;
        let result = PyDict::new(py);
        result.set_item("kernel", report.kernel.to_string())?;
        result.set_item("tile", report.tile)?;
        result.set_item("threads", report.threads)?;
        Ok(result)
    }

    fn learn<E: Element + NumpyElement>(
        &self,
        py: Python<'_>,
        data: &PyData<'_, '_>,
        out: Write2<'_, E>,
    ) -> PyResult<DescentReport> {
        let initial = self.initial.as_ref().map(|array| matrix::<E>(array, "initial weights")).transpose()?;
        let initial = initial.as_ref().map(|array| array.slice("initial weights")).transpose()?;
        let alpha = self.alpha.to_vec()?;
        let factors = self.factors.as_ref().map(|factors| factors.to_vec()).transpose()?;
        let descent = Descent {
            alpha: &alpha,
            beta: self.beta,
            activation: *self.activation,
            loss: *self.loss,
            batch: self.batch,
            mean: self.mean,
            factors: factors.as_deref(),
            passes: self.passes,
            order: self.order.as_ref().map(|order| order.slice("an order")).transpose()?,
            initial,
            threads: self.threads,
            kernel: self.kernel.as_deref().copied(),
            tile: self.tile,
        };
        match data {
            PyData::Events { events, rows, columns, lambda } => {
                let file = &events.file;
                let slots = events.slots().saturating_add(file.header().n_tokens);
                let plan = DeltaPlan { rows, columns, lambda, descent, budget: BUDGET };
                self.run(py, out, slots, |out, monitor| learn(file, &plan, out, monitor))
            }
            PyData::Rows { x, z, paces, squares } => {
                let (x, z) = (x.hold::<E>()?, z.hold::<E>()?);
                let (x, z) = (x.rows()?, z.rows()?);
                let slots = (x.n_values() as u64).saturating_add(x.shape()[0] as u64);
                let mut squares = squares.map(Write::of).transpose()?;
                let squares = squares.as_mut().map(|squares| squares.slice()).transpose()?;
                self.run(py, out, slots, |out, monitor| {
                    arrays::learn(&x, &z, &descent, paces.as_deref(), squares, out, monitor)
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
        let updates = slots.saturating_mul(self.passes).saturating_mul(out.shape()[1] as u64);
        let matrix = out.rows_of_matrix()?;
        watched_if_long(py, &self.progress, updates, |monitor| learn(&matrix, monitor))
    }
}
