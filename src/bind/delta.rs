//! The verb `delta_rule`, on events and on arrays.

use numpy::{Element as NumpyElement, Ix2, PyArray2, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{PyTable, Read1, Read2, Write, Write2, indices, matrix_of, of_floats};
use super::file::PyEventFile;
use super::keywords::{Named, parameters};
use super::watch::{Progress, watched_if_long};
use crate::error::Result;
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
#[pyo3(signature = (events, *, lambda_, cue_rows, outcome_columns, out, **parameters))]
pub(crate) fn delta_rule<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    lambda_: Read1<'py, f64>,
    cue_rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    out: Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = DescentArguments::of(parameters)?;
    let (rows, columns, lambda) = (&indices(&cue_rows)?, &indices(&outcome_columns)?, &lambda_.to_vec()?);
    let file = &events.file;
    let slots = events.slots().saturating_add(file.header().n_tokens);
    of_floats!(out, Ix2, "a result", out => arguments.learn(py, slots, out, |descent, out, monitor| {
        learn(file, &DeltaPlan { rows, columns, lambda, descent, budget: BUDGET }, out, monitor)
    }))
}

/// Learns the rows of tables by the delta rule into `out`, an array; with paces, a factor on the rate of each row, and `squares`,
/// room for the sums of squared errors of each pass and column.
#[pyfunction]
#[pyo3(signature = (x, z, *, out, paces=None, squares=None, **parameters))]
pub(crate) fn delta_rule_rows<'py>(
    py: Python<'py>,
    x: PyTable<'py>,
    z: PyTable<'py>,
    out: Bound<'py, PyAny>,
    paces: Option<Read1<'py, f64>>,
    mut squares: Option<Write2<'py, f64>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = DescentArguments::of(parameters)?;
    let paces = paces.map(|paces| paces.to_vec()).transpose()?;
    let squares = squares.as_mut().map(Write::slice).transpose()?;
    of_floats!(out, Ix2, "a result", out => {
        let (x, z) = (x.hold()?, z.hold()?);
        let (x, z) = (x.rows()?, z.rows()?);
        let slots = (x.n_values() as u64).saturating_add(x.shape()[0] as u64);
        arguments.learn(py, slots, out, |descent, out, monitor| {
            arrays::learn(&x, &z, &descent, paces.as_deref(), squares, out, monitor)
        })
    })
}

impl DescentArguments<'_> {
    /// Learns what takes so many slots a pass.
    fn learn<'py, E: Element + NumpyElement>(
        &self,
        py: Python<'py>,
        slots: u64,
        out: &Bound<'py, PyArray2<E>>,
        work: impl FnOnce(Descent<'_, E>, &Matrix<'_, E>, &Monitor) -> Result<DescentReport> + Send,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut out = Write::of(out)?;
        let initial =
            self.initial.as_ref().map(|array| matrix_of::<E>(array, "initial weights")).transpose()?;
        let initial = initial.as_ref().map(|array| array.slice("initial weights")).transpose()?;
        let alpha = self.alpha.to_vec()?;
        let factors = self.factors.as_ref().map(|factors| factors.to_vec()).transpose()?;
        let descent = Descent {
            alpha: &alpha,
            beta: self.beta,
            activation: self.activation.0,
            loss: self.loss.0,
            batch: self.batch,
            mean: self.mean,
            factors: factors.as_deref(),
            passes: self.passes,
            order: self.order.as_ref().map(|order| order.slice("an order")).transpose()?,
            initial,
            threads: self.threads,
            kernel: self.kernel.map(|kernel| kernel.0),
            tile: self.tile,
        };
        let updates = slots.saturating_mul(self.passes).saturating_mul(out.shape()[1] as u64);
        let matrix = out.matrix()?;
        let report = watched_if_long(py, &self.progress, updates, |monitor| work(descent, &matrix, monitor))?;
        let result = PyDict::new(py);
        result.set_item("kernel", report.kernel.to_string())?;
        result.set_item("tile", report.tile)?;
        result.set_item("threads", report.threads)?;
        Ok(result)
    }
}
