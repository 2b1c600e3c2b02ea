//! The class `Job`: learning that is prepared once, and done part by part, on any threads.

use std::ops::Range;

use numpy::{Element as NumpyElement, Ix2, PyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::Write;
use super::file::PyEventFile;
use super::learn::{Arguments, as_dict};
use super::watch::watched_by;
use crate::error::Error;
use crate::events::EventFile;
use crate::kernel::scalar::Scalar;
use crate::learn::{Job, Kernels, Plan, Report};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{WithRule, by_name};
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;

/// What there is to learn, made ready once. Parts of it are learned by any threads at once.
#[pyclass(name = "Job", module = "rescorla._core", frozen)]
pub(crate) struct PyJob {
    job: OfFloats,
    /// Of all calls together.
    monitor: Monitor,
}

/// A job of either type.
enum OfFloats {
    Double(Box<dyn Learns<f64>>),
    Single(Box<dyn Learns<f32>>),
}

/// A job by any rule.
trait Learns<E>: Send + Sync {
    fn method(&self) -> Method;
    fn n_lanes(&self) -> usize;
    fn shape(&self) -> [usize; 2];
    fn width(&self) -> usize;
    fn report(&self) -> Report;
    fn learn_lanes(
        &self,
        lanes: Range<usize>,
        out: &Matrix<'_, E>,
        threads: usize,
        monitor: &Monitor,
    ) -> Result<usize, Error>;
}

impl<E: Kernels, R: Rule<E> + Send> Learns<E> for Job<'static, E, R> {
    fn method(&self) -> Method {
        self.method()
    }

    fn n_lanes(&self) -> usize {
        self.n_lanes()
    }

    fn shape(&self) -> [usize; 2] {
        self.shape()
    }

    fn width(&self) -> usize {
        self.width()
    }

    fn report(&self) -> Report {
        self.report(self.width())
    }

    fn learn_lanes(
        &self,
        lanes: Range<usize>,
        out: &Matrix<'_, E>,
        threads: usize,
        monitor: &Monitor,
    ) -> Result<usize, Error> {
        self.learn_lanes(lanes, out, threads, monitor)
    }
}

/// Making a job by some rule.
struct Preparing<'l, 'a, E: Clone> {
    file: &'l EventFile,
    plan: &'l Plan<'a, E>,
    monitor: &'l Monitor,
}

impl<E: Kernels> WithRule<E> for Preparing<'_, '_, E> {
    type Output = Box<dyn Learns<E>>;

    fn run<R: Rule<E> + Send + 'static>(self, rule: R) -> Result<Self::Output, Error> {
        Ok(Box::new(Job::by(rule, self.file, self.plan, self.monitor)?.into_owned()?))
    }
}

/// Evaluates an expression for the job that there is.
macro_rules! of_either {
    ($job:expr, $name:ident => $body:expr) => {
        match $job {
            OfFloats::Double($name) => $body,
            OfFloats::Single($name) => $body,
        }
    };
}

#[pymethods]
impl PyJob {
    #[new]
    #[pyo3(
        signature = (events, *, dtype, **parameters),
        text_signature = "(events, *, dtype, alpha, beta1, beta2, lambda_, rule, rule_parameters, retention, schedule, average, cue_rows, \
                          outcome_columns, keep_rows, initial, initial_columns, initial_states, method, threads, event_memory, kernel, tile, progress)"
    )]
    fn new(
        py: Python<'_>,
        events: &PyEventFile,
        dtype: &str,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let arguments = Arguments::of(parameters)?;
        let job = match dtype {
            f64::NAME => OfFloats::Double(prepared(py, events, &arguments)?),
            f32::NAME => OfFloats::Single(prepared(py, events, &arguments)?),
            other => {
                return Err(Error::Argument(format!("expected float64 or float32, found {other}")).into());
            }
        };
        Ok(Self { job, monitor: Monitor::new() })
    }

    /// How the weights are computed.
    #[getter]
    fn method(&self) -> String {
        of_either!(&self.job, job => job.method().to_string())
    }

    /// Columns of the result by the forward method, rows by the adjoint method.
    #[getter]
    fn n_lanes(&self) -> usize {
        of_either!(&self.job, job => job.n_lanes())
    }

    /// Rows and columns of the result.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        of_either!(&self.job, job => job.shape().into())
    }

    /// Lanes in a tile.
    #[getter]
    fn width(&self) -> usize {
        of_either!(&self.job, job => job.width())
    }

    /// How it goes.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        as_dict(py, &of_either!(&self.job, job => job.report()))
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
        of_either!(&self.job, job => self.learn_lanes(py, &**job, (start, stop), out, threads))
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

fn prepared<E: Kernels + NumpyElement>(
    py: Python<'_>,
    events: &PyEventFile,
    arguments: &Arguments<'_>,
) -> PyResult<Box<dyn Learns<E>>> {
    let (rule, numbers) = (arguments.rule.as_str(), &arguments.rule_parameters);
    arguments.carry_out(py, events, 1, |file, plan, monitor| {
        by_name(rule, numbers, Preparing { file, plan, monitor })
    })
}

impl PyJob {
    fn learn_lanes<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        job: &dyn Learns<E>,
        (start, stop): (usize, usize),
        out: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<()> {
        let array = out
            .cast::<PyArray<E, Ix2>>()
            .map_err(|_| Error::Argument(format!("expected a matrix of {} for the result", E::NAME)))?;
        // Held until the work is done.
        let mut out = Write::of(array)?;
        let matrix = out.matrix()?;
        let work = || job.learn_lanes(start..stop, &matrix, threads, &self.monitor).map(drop);
        watched_by(py, &self.monitor, &None, work)
    }
}
