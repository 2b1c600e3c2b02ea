//! The verb `learn`.

use std::fs::OpenOptions;
use std::path::PathBuf;

use numpy::{Element as NumpyElement, Ix2, PyArray2, PyUntypedArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read1, Write, Write2, indices, matrix_of, of_floats, of_named, optional_indices};
use super::file::PyEventFile;
use super::keywords::{Named, parameters};
use super::watch::{Progress, watched_if_long};
use crate::error::Error;
use crate::events::EventFile;
use crate::kernel::isa::Isa;
use crate::learn::in_place::InPlace;
use crate::learn::{BUDGET, Initial, Kernels, Memory, Plan, Report};
use crate::memory::{collected, gathered};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{RuleParameters, WithRule, by_name};
use crate::tiles::method::Method;
use crate::tiles::result::{Axis, Matrix};
use crate::tiles::rule::Schedule;

/// The rule unless another one is asked for.
const RULE: &str = "rescorla_wagner";

/// A file for the result: where it is, what errors call it, where the elements begin, and their type.
type ResultFile = (PathBuf, PathBuf, u64, String);

/// Factors on beta1 and on beta2, token by token.
type Factors<'py> = (Read1<'py, f64>, Read1<'py, f64>);

parameters! {
    /// All that a plan is made of, but for the type of the weights. What a verb leaves away has its default.
    struct Arguments {
        alpha: Read1<'py, f64>,
        beta1: f64,
        beta2: f64,
        lambda_: Read1<'py, f64>,
        rule: String = RULE.into(),
        rule_parameters: RuleParameters = RuleParameters::new(),
        retention: f64 = 1.0,
        schedule: Option<Factors<'py>> = None,
        average: bool = false,
        /// The row of each cue; `None`: the cue's own number.
        cue_rows: Option<Read1<'py, i64>> = None,
        /// The column of each outcome; `None`: the outcome's own number.
        outcome_columns: Option<Read1<'py, i64>> = None,
        keep_rows: Option<Read1<'py, i64>> = None,
        initial: Option<Bound<'py, PyUntypedArray>> = None,
        initial_columns: Option<Read1<'py, i64>> = None,
        /// The states of the initial weights, each as these, one below the other; `None`: they begin as the rule says.
        initial_states: Option<Bound<'py, PyUntypedArray>> = None,
        method: Option<Named<Method>> = None,
        threads: usize,
        /// Bytes for events that are made ready.
        event_memory: Option<usize> = None,
        kernel: Option<Named<Isa>> = None,
        tile: Option<usize> = None,
        progress: Progress,
    }
}

/// Learns the events into `out`: an array, which must be zero, or room in a file; and the states of the rule, each as the weights, one
/// below the other, into `states`, an array with the type of the weights, if it is given.
#[pyfunction]
#[pyo3(signature = (events, *, out, states, **parameters))]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    out: Bound<'py, PyAny>,
    states: Option<Bound<'py, PyAny>>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?;
    let states = states.as_ref();
    let (report, lanes, crc) = of_floats!(out, Ix2, out => {
        // Held until the work is done.
        arguments.learn(py, events, &Write::of(out)?.matrix()?, states)
    }, else {
        let (file, path, start, element): ResultFile = out.extract()?;
        of_named!(element.as_str(), E => arguments.learn_file::<E>(py, events, file, path, start))
    })?;
    let result = as_dict(py, &report)?;
    result.set_item("fortran_order", lanes == Some(Axis::Columns))?;
    result.set_item("crc32c", crc)?;
    Ok(result)
}

/// Learns the events into weights where they lie, in the rows that `rows` has for the file's cues. `ValueError` with row, column
/// and value where one of those rows is not finite: then nothing was changed. Outcomes stand for columns of `outcome_columns`, or
/// for `vectors`.
#[pyfunction]
#[pyo3(signature = (events, *, rows, vectors, out, **parameters))]
pub(crate) fn learn_in_place<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    rows: Read1<'py, i64>,
    vectors: Option<Bound<'py, PyUntypedArray>>,
    out: Bound<'py, PyUntypedArray>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?.forward();
    let rows = indices(&rows)?;
    let report = of_floats!(out, Ix2, "a matrix", out => {
        arguments.learn_in_place(py, events, &rows, vectors.as_ref(), Write::of(out)?)
    })?;
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
    Ok(result)
}

/// What learning all weights with these parameters would cost, and how much memory it would take at most, by purpose.
#[pyfunction]
#[pyo3(signature = (events, *, dtype, **parameters))]
pub(crate) fn forecast<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    dtype: &str,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?;
    let forecast = of_named!(dtype, E => {
        arguments.carry_out(py, events, 1, |file, plan: &Plan<'_, E>, monitor| plan.forecast(file, monitor))
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

/// Learning all weights by some rule.
struct Learning<'l, 'a, E: Clone> {
    file: &'l EventFile,
    plan: &'l Plan<'l, E>,
    matrix: &'l Matrix<'a, E>,
    states: &'l [Matrix<'a, E>],
    monitor: &'l Monitor,
}

impl<E: Kernels> WithRule<E> for Learning<'_, '_, E> {
    type Output = Report;

    fn run<R: Rule<E> + Send + 'static>(self, rule: R) -> Result<Report, Error> {
        self.plan.learn_by(rule, self.file, self.matrix, self.states, self.monitor)
    }
}

/// How it went; which lines of the result lie next to each other, and in a file their checksum.
type Learned = (Report, Option<Axis>, Option<u32>);

impl Arguments<'_> {
    /// The same, by the forward method.
    pub(super) fn forward(self) -> Self {
        Self { method: Some(Named(Method::Forward)), ..self }
    }

    /// `out` is held until the work is done.
    fn learn_in_place<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        events: &PyEventFile,
        rows: &[u32],
        vectors: Option<&Bound<'_, PyUntypedArray>>,
        mut out: Write2<'_, E>,
    ) -> PyResult<Report> {
        let vectors = vectors.map(|array| matrix_of::<E>(array, "vectors")).transpose()?;
        let vectors = vectors.as_ref().map(|array| array.slice("vectors")).transpose()?;
        let weights = out.columns();
        let result = self.carry_out(py, events, 1, |file, plan, monitor| {
            match InPlace::new(file, plan, rows, vectors, weights, monitor) {
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
        events: &PyEventFile,
        file: PathBuf,
        path: PathBuf,
        start: u64,
    ) -> PyResult<Learned> {
        let rows = self.keep_rows.as_ref().map_or(self.alpha.shape(), Read1::shape);
        let shape = [rows[0], self.lambda_.shape()[0]];
        let matrix = py.detach(|| {
            let opened = OpenOptions::new().write(true).open(file).map_err(Error::io(&path, "write"))?;
            Matrix::<E>::in_file(opened, path, start, shape)
        })?;
        self.learn(py, events, &matrix, None)
    }

    fn learn<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        events: &PyEventFile,
        matrix: &Matrix<'_, E>,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Learned> {
        // Held until the work is done.
        let mut states = states.map(|states| Write::of(states.cast::<PyArray2<E>>()?)).transpose()?;
        let states = states.as_mut().map(Write::slice).transpose()?.unwrap_or_default();
        let size = matrix.shape.iter().product::<usize>().max(1);
        let states = gathered(states.chunks_mut(size).map(|state| Matrix::new(state, matrix.shape)))?;
        let (rule, numbers) = (self.rule.as_str(), &self.rule_parameters);
        self.carry_out(py, events, 1, |file, plan, monitor| {
            let learning = Learning { file, plan, matrix, states: &states, monitor };
            let report = by_name(rule, numbers, learning)?;
            Ok((report, matrix.lanes(), matrix.crc()))
        })
    }

    /// Makes the plan and does some work by it, detached from the interpreter. The work goes through the events so many times at most for
    /// each outcome.
    pub(super) fn carry_out<E: Kernels + NumpyElement, R: Send>(
        &self,
        py: Python<'_>,
        events: &PyEventFile,
        passes: usize,
        work: impl FnOnce(&EventFile, &Plan<'_, E>, &Monitor) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let file = &events.file;
        let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
        let (alpha, lambda) = (self.alpha.to_vec()?, self.lambda_.to_vec()?);
        let rows = match &self.cue_rows {
            Some(rows) => indices(rows)?,
            None => collected(0..n_cues as u32)?,
        };
        let columns = match &self.outcome_columns {
            Some(columns) => optional_indices(columns)?,
            None => collected((0..n_outcomes as u32).map(Some))?,
        };
        let keep = self.keep_rows.as_ref().map(indices).transpose()?;
        let initial =
            self.initial.as_ref().map(|array| matrix_of::<E>(array, "initial weights")).transpose()?;
        let initial_columns = self.initial_columns.as_ref().map(optional_indices).transpose()?;
        let states =
            self.initial_states.as_ref().map(|array| matrix_of::<E>(array, "initial states")).transpose()?;
        let initial = match (&initial, &initial_columns) {
            (Some(array), Some(columns)) => {
                let weights = array.slice("initial weights")?.into();
                let states = states.as_ref().map(|states| states.slice("initial states")).transpose()?;
                let states = states.unwrap_or_default().into();
                Some(Initial { weights, width: array.shape()[1], columns: columns.into(), states })
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
                let (present, absent) = (present.slice("factors")?, absent.slice("factors")?);
                let absent = (!std::ptr::eq(present, absent)).then(|| absent.into());
                Some(Schedule { present: present.into(), absent })
            }
            None => None,
        };
        let plan = Plan {
            rows: &rows,
            columns: &columns,
            alpha: &alpha,
            beta1: self.beta1,
            beta2: self.beta2,
            schedule,
            lambda: &lambda,
            retention: self.retention,
            initial,
            average: self.average,
            keep: keep.as_deref(),
            method: self.method.map(|method| method.0),
            threads: self.threads,
            kernel: self.kernel.map(|kernel| kernel.0),
            tile: self.tile,
            budget: self.event_memory.unwrap_or(BUDGET),
        };
        let updates = events.slots().saturating_mul(lambda.len() as u64).saturating_mul(passes as u64);
        watched_if_long(py, &self.progress, updates, |monitor| work(file, &plan, monitor))
    }
}
