//! The verb `widrow_hoff`.

use numpy::{Element as NumpyElement, PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyFloatingPointError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read, Read2, Write};
use super::file::PyEventFile;
use super::learn::indices;
use super::watch::{Progress, brief, watched};
use crate::error::Error;
use crate::family::widrow_hoff::{BUDGET, Data, Side, WidrowHoffPlan, WidrowHoffReport, learn};
use crate::kernel::isa::Kernel;
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::product::Product;
use crate::tiles::result::Matrix;

/// Fewer products than this take some milliseconds at most.
const BRIEF: f64 = 1e7;

/// The Widrow-Hoff rule, into `out`, an array. `events` is an event file, or a number of rows of both `cues` and `outcomes`. These
/// are pairs: the place of each name (int64) and how many places there are, or vectors (n x size) and None.
#[pyfunction]
#[pyo3(signature = (events, *, cues, outcomes, eta, initial, out, method, threads, kernel, tile, block, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn widrow_hoff<'py>(
    py: Python<'py>,
    events: Events<'py>,
    cues: Names<'py>,
    outcomes: Names<'py>,
    eta: f64,
    initial: Option<Bound<'py, PyUntypedArray>>,
    out: Bound<'py, PyAny>,
    method: Option<&str>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    block: Option<usize>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments {
        events,
        cues,
        outcomes,
        eta,
        initial,
        method: method.map(str::parse).transpose()?,
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        block,
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
    result.set_item("method", report.method.to_string())?;
    result.set_item("tile", report.tile)?;
    result.set_item("threads", report.threads)?;
    result.set_item("max_kappa", report.max_kappa)?;
    Ok(result)
}

/// What the tokens are.
#[derive(FromPyObject)]
pub(crate) enum Events<'py> {
    File(PyRef<'py, PyEventFile>),
    Rows(usize),
}

/// What names stand for: places, or vectors.
type Names<'py> = (Bound<'py, PyUntypedArray>, Option<usize>);

struct Arguments<'py> {
    events: Events<'py>,
    cues: Names<'py>,
    outcomes: Names<'py>,
    eta: f64,
    initial: Option<Bound<'py, PyUntypedArray>>,
    method: Option<Method>,
    threads: usize,
    kernel: Option<Kernel>,
    tile: Option<usize>,
    block: Option<usize>,
    progress: Progress,
}

/// What names stand for, borrowed from Python.
enum Held<'py, E: NumpyElement> {
    Places(Vec<u32>, usize),
    Vectors(Read2<'py, E>),
}

impl<'py, E: Product + NumpyElement> Held<'py, E> {
    fn new((array, size): &Names<'py>) -> PyResult<Self> {
        if let Some(size) = *size {
            let places = array
                .cast::<PyArray1<i64>>()
                .map_err(|_| Error::Argument(format!("expected places of int64, found {}", array.dtype())))?;
            return Ok(Self::Places(indices(&Read::of(places)?)?, size));
        }
        Ok(Self::Vectors(matrix(array, "vectors")?))
    }

    fn side(&self) -> PyResult<Side<'_, E>> {
        Ok(match self {
            Self::Places(places, size) => Side::Names { places, size: *size },
            Self::Vectors(vectors) => {
                Side::Vectors { vectors: vectors.slice("vectors")?, size: vectors.shape()[1] }
            }
        })
    }
}

/// A matrix of the right type.
fn matrix<'py, E: Product + NumpyElement>(
    array: &Bound<'py, PyUntypedArray>,
    what: &str,
) -> PyResult<Read2<'py, E>> {
    let array = array
        .cast::<PyArray2<E>>()
        .map_err(|_| Error::Argument(format!("expected {what} of {}, found {}", E::NAME, array.dtype())))?;
    Read::of(array)
}

impl Arguments<'_> {
    fn learn<E: Product + NumpyElement>(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyArray2<E>>,
    ) -> PyResult<WidrowHoffReport> {
        let (cues, outcomes) = (Held::<E>::new(&self.cues)?, Held::<E>::new(&self.outcomes)?);
        let initial = self.initial.as_ref().map(|array| matrix::<E>(array, "initial weights")).transpose()?;
        let initial = initial.as_ref().map(|array| array.slice("initial weights")).transpose()?;
        let plan = WidrowHoffPlan {
            cues: cues.side()?,
            outcomes: outcomes.side()?,
            eta: self.eta,
            initial,
            method: self.method,
            threads: self.threads,
            kernel: self.kernel,
            tile: self.tile,
            block: self.block,
            budget: BUDGET,
        };
        let data = match &self.events {
            Events::File(events) => Data::Events(&events.file),
            Events::Rows(n) => Data::Rows(*n),
        };
        let tokens = match &data {
            Data::Events(file) => file.header().n_tokens as f64,
            Data::Rows(n) => *n as f64,
        };
        let mut out = Write::of(out)?;
        let shape = out.shape();
        let result = Matrix::new(out.slice()?, shape)?;
        let mut not_finite = None;
        let work = |monitor: &Monitor| {
            let learned = learn(&data, &plan, &result, monitor);
            if let Err(Error::NotFinite { row, column, value }) = learned {
                not_finite = Some((row, column, value));
            }
            learned
        };
        let products = tokens * plan.cues.size() as f64 * plan.outcomes.size() as f64;
        let report = if products < BRIEF {
            brief(py, &self.progress, work)
        } else {
            watched(py, &self.progress, work)
        };
        match not_finite {
            // The Python side, which knows the names, makes the message.
            Some(place) => Err(PyFloatingPointError::new_err(place)),
            None => report,
        }
    }
}
