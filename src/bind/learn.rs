//! The verb `learn`.

use std::fs::OpenOptions;
use std::path::PathBuf;

use numpy::{Element as NumpyElement, PyArray2, PyUntypedArray};
use pyo3::exceptions::{PyFloatingPointError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read, Read1, Write, Write2};
use super::file::PyEventFile;
use super::watch::{Progress, brief, watched};
use crate::error::Error;
use crate::events::EventFile;
use crate::events::map::Bytes;
use crate::grow::{collected, filled, gathered};
use crate::kernel::element::Element;
use crate::kernel::isa::Kernel;
use crate::kernel::scalar::Scalar;
use crate::learn::in_place::InPlace;
use crate::learn::memory::Memory;
use crate::learn::{Forecast, Initial, Kernels, Plan, Report, script::BUDGET};
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::result::{Axis, Matrix};
use crate::tiles::rule::Schedule;

/// Fewer updates than this take some milliseconds at most.
const BRIEF: u64 = 10_000_000;

/// What arrays with an element for each name are called where memory for them ends.
pub(super) const NAMES: &str = "a number for each name";

/// A file for the result: where it is, what errors call it, where the elements begin, and their type.
type Room = (PathBuf, PathBuf, u64, String);

/// Learns the events into `out`: an array, which must be zero, or room in a file.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, beta1, beta2, lambda_, schedule, average, cue_rows, outcome_columns, keep_rows,
                    initial, initial_columns, out, method, threads, kernel, tile, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: Read1<'py, f64>,
    beta1: f64,
    beta2: f64,
    lambda_: Read1<'py, f64>,
    schedule: Option<Factors<'py>>,
    average: bool,
    cue_rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    keep_rows: Option<Read1<'py, i64>>,
    initial: Option<Bound<'py, PyUntypedArray>>,
    initial_columns: Option<Read1<'py, i64>>,
    out: Bound<'py, PyAny>,
    method: Option<&str>,
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
        average,
        rows: indices(&cue_rows)?,
        columns: optional_indices(&outcome_columns)?,
        keep: keep_rows.as_ref().map(indices).transpose()?,
        initial,
        initial_columns: initial_columns.as_ref().map(optional_indices).transpose()?,
        method: method.map(str::parse).transpose()?,
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    let (report, lanes, crc) = if let Ok(out) = out.cast::<PyArray2<f64>>() {
        arguments.learn_array(py, out)
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        arguments.learn_array(py, out)
    } else {
        let (file, path, start, element): Room = out.extract()?;
        match element.as_str() {
            f64::NAME => arguments.learn_file::<f64>(py, file, path, start),
            f32::NAME => arguments.learn_file::<f32>(py, file, path, start),
            other => {
                Err(Error::Argument(format!("expected float64 or float32 for the result, found {other}"))
                    .into())
            }
        }
    }?;
    let result = as_dict(py, &report)?;
    result.set_item("fortran_order", lanes == Some(Axis::Columns))?;
    result.set_item("crc32c", crc)?;
    Ok(result)
}

/// Learns the events into weights where they lie, in the rows that `rows` has for the file's cues. `ValueError` with row, column
/// and value where one of those rows is not finite: then nothing was changed.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, beta1, beta2, lambda_, schedule, rows, outcome_columns, out, threads, kernel, tile,
                    progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn learn_in_place<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: Read1<'py, f64>,
    beta1: f64,
    beta2: f64,
    lambda_: Read1<'py, f64>,
    schedule: Option<Factors<'py>>,
    rows: Read1<'py, i64>,
    outcome_columns: Read1<'py, i64>,
    out: Bound<'py, PyUntypedArray>,
    threads: usize,
    kernel: Option<&str>,
    tile: Option<usize>,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = indices(&rows)?;
    let arguments = Arguments {
        events,
        alpha: alpha.to_vec()?,
        beta1,
        beta2,
        lambda: lambda_.to_vec()?,
        schedule,
        average: false,
        rows: collected(0..rows.len() as u32, NAMES)?,
        columns: optional_indices(&outcome_columns)?,
        keep: None,
        initial: None,
        initial_columns: None,
        method: Some(Method::Forward),
        threads,
        kernel: kernel.map(str::parse).transpose()?,
        tile,
        progress,
    };
    let report = if let Ok(out) = out.cast::<PyArray2<f64>>() {
        arguments.learn_in_place(py, &rows, Write::of(out)?)
    } else if let Ok(out) = out.cast::<PyArray2<f32>>() {
        arguments.learn_in_place(py, &rows, Write::of(out)?)
    } else {
        Err(Error::Argument("expected weights of float64 or float32, a matrix".into()).into())
    }?;
    as_dict(py, &report)
}

/// How it went, for Python.
pub(super) fn as_dict<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("method", report.method.to_string())?;
    result.set_item("kernel", report.kernel.to_string())?;
    result.set_item("tile", report.tile)?;
    result.set_item("threads", report.threads)?;
    result.set_item("max_kappa", report.facts.max_kappa)?;
    result.set_item("updates_forward", report.facts.forward_updates)?;
    result.set_item("updates_adjoint", report.facts.adjoint_updates)?;
    result.set_item("safe_rate", 2.0 / report.facts.max_kappa)?;
    Ok(result)
}

/// What learning all weights with these parameters would cost, and how much memory it would take at most, by purpose.
#[pyfunction]
#[pyo3(signature = (events, *, alpha, beta1, beta2, dtype, method, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn forecast<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    alpha: f64,
    beta1: f64,
    beta2: f64,
    dtype: &str,
    method: Option<&str>,
    threads: usize,
    progress: Progress,
) -> PyResult<Bound<'py, PyDict>> {
    let prospect = Prospect {
        file: &events.file,
        alpha,
        beta1,
        beta2,
        method: method.map(str::parse).transpose()?,
        threads,
    };
    let forecast = watched(py, &progress, |monitor: &Monitor| match dtype {
        f64::NAME => prospect.forecast::<f64>(monitor),
        f32::NAME => prospect.forecast::<f32>(monitor),
        other => Err(Error::Argument(format!("expected float64 or float32, found {other}"))),
    })?;
    let Memory { events, tiles, lines, others } = forecast.memory;
    let memory = PyDict::new(py);
    for (purpose, bytes) in [("events", events), ("tiles", tiles), ("lines", lines), ("others", others)] {
        memory.set_item(purpose, bytes)?;
    }
    let result = PyDict::new(py);
    result.set_item("method", forecast.method.to_string())?;
    result.set_item("updates_forward", forecast.facts.forward_updates)?;
    result.set_item("updates_adjoint", forecast.facts.adjoint_updates)?;
    result.set_item("max_kappa", forecast.facts.max_kappa)?;
    result.set_item("memory", memory)?;
    Ok(result)
}

/// Learning of all weights, with the same parameters for all.
struct Prospect<'a> {
    file: &'a EventFile<Bytes>,
    alpha: f64,
    beta1: f64,
    beta2: f64,
    method: Option<Method>,
    threads: usize,
}

impl Prospect<'_> {
    fn forecast<E: Element>(&self, monitor: &Monitor) -> Result<Forecast, Error> {
        let (n_cues, n_outcomes) = (self.file.cues().len(), self.file.outcomes().len());
        let plan: Plan<'_, E> = Plan {
            rows: &collected(0..n_cues as u32, NAMES)?,
            columns: &collected((0..n_outcomes as u32).map(Some), NAMES)?,
            alpha: &filled(self.alpha, n_cues, NAMES)?,
            beta1: self.beta1,
            beta2: self.beta2,
            schedule: None,
            lambda: &filled(1.0, n_outcomes, NAMES)?,
            initial: None,
            average: false,
            keep: None,
            method: self.method,
            threads: self.threads,
            kernel: None,
            tile: None,
            budget: BUDGET,
        };
        crate::learn::forecast(self.file, &plan, monitor)
    }
}

/// How it went; which lines of the result lie next to each other, and in a file their checksum.
type Learned = (Report, Option<Axis>, Option<u32>);

/// Factors on beta1 and on beta2, token by token.
pub(super) type Factors<'py> = (Read1<'py, f64>, Read1<'py, f64>);

/// All that a plan is made of, but for the type of the weights.
pub(super) struct Arguments<'a, 'py> {
    pub(super) events: &'a PyEventFile,
    pub(super) alpha: Vec<f64>,
    pub(super) beta1: f64,
    pub(super) beta2: f64,
    pub(super) lambda: Vec<f64>,
    pub(super) schedule: Option<Factors<'py>>,
    pub(super) average: bool,
    pub(super) rows: Vec<u32>,
    pub(super) columns: Vec<Option<u32>>,
    pub(super) keep: Option<Vec<u32>>,
    pub(super) initial: Option<Bound<'py, PyUntypedArray>>,
    pub(super) initial_columns: Option<Vec<Option<u32>>>,
    pub(super) method: Option<Method>,
    pub(super) threads: usize,
    pub(super) kernel: Option<Kernel>,
    pub(super) tile: Option<usize>,
    pub(super) progress: Progress,
}

impl Arguments<'_, '_> {
    fn learn_array<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyArray2<E>>,
    ) -> PyResult<Learned> {
        // Held until the work is done.
        let mut out = Write::of(out)?;
        let matrix = out.matrix()?;
        self.learn(py, &matrix)
    }

    /// `out` is held until the work is done.
    fn learn_in_place<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        rows: &[u32],
        mut out: Write2<'_, E>,
    ) -> PyResult<Report> {
        let weights = out.columns();
        let result = self.carry_out(py, |file, plan, monitor| {
            match InPlace::new(file, plan, rows, weights, monitor) {
                Ok(ready) => ready.learn().map(Ok),
                Err(Error::NotFinite { row, column, value }) => Ok(Err((row, column, value))),
                Err(error) => Err(error),
            }
        })?;
        // The Python side, which knows the names, makes the message.
        result.map_err(PyValueError::new_err)
    }

    fn learn_file<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        file: PathBuf,
        path: PathBuf,
        start: u64,
    ) -> PyResult<Learned> {
        let n_rows = self.keep.as_ref().map_or(self.alpha.len(), Vec::len);
        let shape = [n_rows, self.lambda.len()];
        let matrix = py.detach(|| {
            let opened = OpenOptions::new().write(true).open(file).map_err(Error::io(&path, "write"))?;
            Matrix::<E>::in_file(opened, path, start, shape)
        })?;
        self.learn(py, &matrix)
    }

    fn learn<E: Kernels + NumpyElement>(&self, py: Python<'_>, matrix: &Matrix<'_, E>) -> PyResult<Learned> {
        self.carry_out(py, |file, plan, monitor| {
            let report = crate::learn::learn(file, plan, matrix, monitor)?;
            Ok((report, matrix.lanes(), matrix.crc()))
        })
    }

    /// Makes the plan and does some work by it, detached from the interpreter.
    pub(super) fn carry_out<E: Kernels + NumpyElement, R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&EventFile<Bytes>, &Plan<'_, E>, &Monitor) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let other = |_| Error::Argument(format!("expected initial weights of {}", E::NAME));
        let initial = self.initial.as_ref().map(|array| array.cast::<PyArray2<E>>().map_err(other));
        let initial = initial.transpose()?.map(Read::of).transpose()?;
        let initial = match (&initial, &self.initial_columns) {
            (Some(array), Some(columns)) => {
                Some(Initial { weights: array.slice("initial weights")?, width: array.shape()[1], columns })
            }
            (None, None) => None,
            _ => {
                return Err(
                    Error::Argument("expected initial weights and their columns together".into()).into()
                );
            }
        };
        let schedule = match &self.schedule {
            Some((present, absent)) => {
                Some(Schedule { present: present.slice("factors")?, absent: absent.slice("factors")? })
            }
            None => None,
        };
        let plan = Plan {
            rows: &self.rows,
            columns: &self.columns,
            alpha: &self.alpha,
            beta1: self.beta1,
            beta2: self.beta2,
            schedule,
            lambda: &self.lambda,
            initial,
            average: self.average,
            keep: self.keep.as_deref(),
            method: self.method,
            threads: self.threads,
            kernel: self.kernel,
            tile: self.tile,
            budget: BUDGET,
        };
        let file = &self.events.file;
        let mut not_finite = None;
        let work = |monitor: &Monitor| {
            let result = work(file, &plan, monitor);
            if let Err(Error::NotFinite { row, column, value }) = result {
                not_finite = Some((row, column, value));
            }
            result
        };
        // The counts of the cues sum to the slots of all tokens.
        let slots = file.cues().counts().iter().fold(0_u64, |slots, &count| slots.saturating_add(count));
        let updates = slots.saturating_mul(self.lambda.len() as u64);
        let result =
            if updates < BRIEF { brief(py, &self.progress, work) } else { watched(py, &self.progress, work) };
        match not_finite {
            // The Python side, which knows the names, makes the message.
            Some(place) => Err(PyFloatingPointError::new_err(place)),
            None => result,
        }
    }
}

/// Places that must exist.
pub(super) fn indices(array: &Read1<'_, i64>) -> PyResult<Vec<u32>> {
    let wrong = |index: i64| Error::Argument(format!("expected a place in an array, found {index}"));
    let index = |index: i64| u32::try_from(index).map_err(|_| wrong(index));
    Ok(gathered(array.to_vec()?.into_iter().map(index), NAMES)?)
}

/// Places of which -1 says that there is none.
pub(super) fn optional_indices(array: &Read1<'_, i64>) -> PyResult<Vec<Option<u32>>> {
    let wrong = |index: i64| Error::Argument(format!("expected a place in an array or -1, found {index}"));
    let index = |index: i64| match index {
        -1 => Ok(None),
        _ => u32::try_from(index).map(Some).map_err(|_| wrong(index)),
    };
    Ok(gathered(array.to_vec()?.into_iter().map(index), NAMES)?)
}
