//! The class `Job`: learning that is prepared once, and done part by part, on any threads.

use std::ops::Range;

use numpy::{Element as NumpyElement, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Write, of_named};
use super::file::PyEventFile;
use super::learn::{Arguments, as_dict};
use super::watch::watched_by;
use crate::error::Error;
use crate::events::EventFile;
use crate::learn::{Job, Kernels, Plan, Report};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{WithRule, by_name};

/// Learns some lanes into an array that has no others.
type LearnLanes =
    dyn Fn(Python<'_>, Range<usize>, &Bound<'_, PyAny>, usize, &Monitor) -> PyResult<()> + Send + Sync;

/// What there is to learn, made ready once. Parts of it are learned by any threads at once.
#[pyclass(name = "Job", module = "rescorla._core", frozen)]
pub(crate) struct PyJob {
    learn: Box<LearnLanes>,
    n_lanes: usize,
    shape: [usize; 2],
    /// How it goes. The tile is the width of a whole one.
    report: Report,
    /// Of all calls together.
    monitor: Monitor,
}

/// Making a job by some rule.
struct Preparing<'l, 'a, E: Clone> {
    file: &'l EventFile,
    plan: &'l Plan<'a, E>,
    monitor: &'l Monitor,
}

impl<E: Kernels + NumpyElement> WithRule<E> for Preparing<'_, '_, E> {
    type Output = PyJob;

    fn run<R: Rule<E> + Send + 'static>(self, rule: R) -> Result<PyJob, Error> {
        let job = Job::by(rule, self.file, self.plan, self.monitor)?.into_owned()?;
        let (n_lanes, shape, report) = (job.n_lanes(), job.shape(), job.report(job.width()));
        let learn = move |py: Python<'_>, lanes, out: &Bound<'_, PyAny>, threads, monitor: &Monitor| {
            let array = out
                .cast::<PyArray2<E>>()
                .map_err(|_| Error::Argument(format!("expected a matrix of {} for the result", E::NAME)))?;
            // Held until the work is done.
            let mut out = Write::of(array)?;
            let matrix = out.matrix()?;
            watched_by(py, monitor, &None, || job.learn_lanes(lanes, &matrix, threads, monitor).map(drop))
        };
        Ok(PyJob { learn: Box::new(learn), n_lanes, shape, report, monitor: Monitor::new() })
    }
}

#[pymethods]
impl PyJob {
    #[new]
    #[pyo3(signature = (events, *, dtype, **parameters))]
    fn new(
        py: Python<'_>,
        events: &PyEventFile,
        dtype: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments::of(parameters)?;
        let (rule, numbers) = (arguments.rule.as_str(), &arguments.rule_parameters);
        of_named!(dtype, E => arguments.carry_out(py, events, 1, |file, plan: &Plan<'_, E>, monitor| {
            by_name(rule, numbers, Preparing { file, plan, monitor })
        }))
    }

    /// How the weights are computed.
    #[getter]
    fn method(&self) -> String {
        self.report.method.to_string()
    }

    /// Columns of the result by the forward method, rows by the adjoint method.
    #[getter]
    fn n_lanes(&self) -> usize {
        self.n_lanes
    }

    /// Rows and columns of the result.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.shape.into()
    }

    /// Lanes in a tile.
    #[getter]
    fn width(&self) -> usize {
        self.report.tile
    }

    /// How it goes.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, &self.report)
    }

    /// Learns the lanes from `start` to `stop` into an array that has no others, and must be zero.
    #[pyo3(signature = (start, stop, out, *, threads=1))]
    fn learn(
        &self,
        py: Python<'_>,
        start: usize,
        stop: usize,
        out: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<()> {
        (self.learn)(py, start..stop, out, threads, &self.monitor)
    }

    /// Tokens of tiles that are learned, and of all tiles that were begun.
    fn progress(&self) -> (u64, u64) {
        self.monitor.progress()
    }

    /// Stops all calls that learn, and all that come.
    fn stop(&self) {
        self.monitor.stop();
    }
}
