//! The verb `widrow_hoff`.

use numpy::{Element as NumpyElement, Ix2, PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read, Read1, Read2, Write, Write2, indices, matrix_of, of_floats};
use super::file::PyEventFile;
use super::keywords::{Named, parameters};
use super::watch::{Progress, watched_if_long};
use crate::error::Error;
use crate::events::data::Data;
use crate::kernel::isa::Isa;
use crate::learn::Kernels;
use crate::rules::widrow_hoff::{BUDGET, Coding, WidrowHoffPlan, WidrowHoffReport, learn};
use crate::tiles::method::Method;
use crate::tiles::product::Product;
use crate::tiles::rule::Schedule;

parameters! {
    /// What is learned, and how.
    struct WidrowHoffArguments {
        cues: PyVectors<'py>,
        outcomes: PyVectors<'py>,
        eta: f64,
        schedule: Option<Read1<'py, f64>>,
        normalized: bool,
        initial: Option<Bound<'py, PyUntypedArray>>,
        method: Option<Named<Method>>,
        threads: usize,
        kernel: Option<Named<Isa>>,
        tile: Option<usize>,
        block: Option<usize>,
        progress: Progress,
    }
}

/// The Widrow-Hoff rule, into `out`, an array. `events` is an event file, or a number of rows of both `cues` and `outcomes`. These
/// are pairs: the place of each name (int64) and how many places there are, or vectors (n x size) and None.
#[pyfunction]
#[pyo3(
    signature = (events, *, out, **parameters),
    text_signature = "(events, *, cues, outcomes, eta, schedule, normalized, initial, out, method, threads, kernel, tile, block, \
                      progress)"
)]
pub(crate) fn widrow_hoff<'py>(
    py: Python<'py>,
    events: PyTokens<'py>,
    out: Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = WidrowHoffArguments::of(parameters)?;
    let report = of_floats!(out, Ix2, "a result", out => arguments.learn(py, &events, Write::of(out)?))?;
    let result = PyDict::new(py);
    result.set_item("method", report.method.to_string())?;
    result.set_item("tile", report.tile)?;
    result.set_item("threads", report.threads)?;
    result.set_item("max_kappa", report.max_kappa)?;
    Ok(result)
}

/// What the tokens are.
#[derive(FromPyObject)]
pub(crate) enum PyTokens<'py> {
    File(PyRef<'py, PyEventFile>),
    Rows(usize),
}

impl PyTokens<'_> {
    pub(super) fn data(&self) -> Data<'_> {
        match self {
            PyTokens::File(events) => Data::Events(&events.file),
            PyTokens::Rows(n) => Data::Rows(*n),
        }
    }
}

/// What names stand for: places, or vectors.
type PyVectors<'py> = (Bound<'py, PyUntypedArray>, Option<usize>);

/// What names stand for, borrowed from Python.
enum HeldVectors<'py, E: NumpyElement> {
    Places(Vec<u32>, usize),
    Vectors(Read2<'py, E>),
}

impl<'py, E: Product + NumpyElement> HeldVectors<'py, E> {
    fn new((array, size): &PyVectors<'py>) -> PyResult<Self> {
        if let Some(size) = *size {
            let places = array
                .cast::<PyArray1<i64>>()
                .map_err(|_| Error::Argument(format!("expected places of int64, found {}", array.dtype())))?;
            return Ok(Self::Places(indices(&Read::of(places)?)?, size));
        }
        Ok(Self::Vectors(matrix_of(array, "vectors")?))
    }

    fn side(&self) -> PyResult<Coding<'_, E>> {
        Ok(match self {
            Self::Places(places, size) => Coding::Names { places, size: *size },
            Self::Vectors(vectors) => {
                Coding::Vectors { vectors: vectors.slice("vectors")?, size: vectors.shape()[1] }
            }
        })
    }
}

impl WidrowHoffArguments<'_> {
    fn learn<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        tokens: &PyTokens<'_>,
        mut out: Write2<'_, E>,
    ) -> PyResult<WidrowHoffReport> {
        let (cues, outcomes) = (HeldVectors::<E>::new(&self.cues)?, HeldVectors::<E>::new(&self.outcomes)?);
        let initial =
            self.initial.as_ref().map(|array| matrix_of::<E>(array, "initial weights")).transpose()?;
        let initial = initial.as_ref().map(|array| array.slice("initial weights")).transpose()?;
        let factors = self.schedule.as_ref().map(|factors| factors.slice("factors")).transpose()?;
        let schedule = factors.map(|factors| Schedule { present: factors.into(), absent: None });
        let plan = WidrowHoffPlan {
            cues: cues.side()?,
            outcomes: outcomes.side()?,
            eta: self.eta,
            schedule,
            normalized: self.normalized,
            initial,
            method: self.method.map(|method| method.0),
            threads: self.threads,
            kernel: self.kernel.map(|kernel| kernel.0),
            tile: self.tile,
            block: self.block,
            budget: BUDGET,
        };
        let data = tokens.data();
        let n = match data {
            Data::Events(file) => file.header().n_tokens,
            Data::Rows(n) => n as u64,
        };
        let result = out.matrix()?;
        let products = n as f64 * plan.cues.size() as f64 * plan.outcomes.size() as f64;
        watched_if_long(py, &self.progress, products as u64, |monitor| learn(&data, &plan, &result, monitor))
    }
}
