//! The verb `trajectories`.

use numpy::{Element as NumpyElement, IntoPyArray, Ix1, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read1, Write, indices, lists_of, of_floats};
use super::file::PyEventFile;
use super::learn::{Arguments, as_dict};
use crate::error::Error;
use crate::events::EventFile;
use crate::learn::trajectory::{Cells, Predictions, Probes, Recording, Records};
use crate::learn::{Kernels, Plan, Report};
use crate::memory::collected;
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{WithRule, by_name};

/// Learns the events and records weights in `out`, one after another: for each pair of a row and a column (`columns` given)
/// or else for each column the `rows`, after each of the `tokens`; in `saliences` those of these weights, unless it is empty.
/// `predicted` takes for each column the activations just before each of the tokens, unless it is empty. `probes` are after how many
/// tokens to probe, numbers of cues, and the rows of these; `probed` takes for each column the activation at each probe.
#[pyfunction]
#[pyo3(signature = (events, *, tokens, rows, columns, predictions, probes, out, saliences, predicted, probed, **parameters))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn trajectories<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    tokens: Read1<'py, i64>,
    rows: Read1<'py, i64>,
    columns: Option<Read1<'py, i64>>,
    predictions: bool,
    probes: (Read1<'py, i64>, Read1<'py, i64>, Read1<'py, i64>),
    out: Bound<'py, PyAny>,
    saliences: Bound<'py, PyAny>,
    predicted: Bound<'py, PyAny>,
    probed: Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?.forward();
    let (tokens, rows) = (indices(&tokens)?, indices(&rows)?);
    let pairs = columns.map(|columns| pairs(&rows, &indices(&columns)?)).transpose()?;
    let cells = pairs.as_deref().map_or(Cells::Block(&rows), Cells::Pairs);
    // How many tokens come before each probe, and the rows of its cues.
    let (before, cues) = (indices(&probes.0)?, lists_of(&probes.1, &probes.2)?);
    let probes = Probes { tokens: &before, cues: &cues };
    let recording = Recording { tokens: &tokens, cells, predictions, probes };
    of_floats!(out, Ix1, "a result", out => {
        record(py, events, &arguments, &recording, [out, saliences.cast()?, predicted.cast()?, probed.cast()?])
    })
}

fn record<'py, E: Kernels + NumpyElement>(
    py: Python<'py>,
    events: &PyEventFile,
    arguments: &Arguments<'_>,
    recording: &Recording<'_>,
    out: [&Bound<'py, PyArray1<E>>; 4],
) -> PyResult<Bound<'py, PyDict>> {
    // Held until the work is done.
    let [mut weights, mut saliences, mut predicted, mut probed] =
        [Write::of(out[0])?, Write::of(out[1])?, Write::of(out[2])?, Write::of(out[3])?];
    let (weights, saliences) = (weights.slice()?, saliences.slice()?);
    let (predicted, probed) = (predicted.slice()?, probed.slice()?);
    let out = Records { weights, saliences, predicted, probed };
    let (rule, numbers) = (arguments.rule.as_str(), &arguments.rule_parameters);
    let (report, predictions) = arguments.carry_out(py, events, 1, |file, plan, monitor| {
        by_name(rule, numbers, Tracing { file, plan, recording, out, monitor })
    })?;
    let result = as_dict(py, &report)?;
    if let Some(predictions) = predictions {
        result.set_item("records", predictions.records.into_pyarray(py))?;
        result.set_item("columns", predictions.columns.into_pyarray(py))?;
        result.set_item("activations", predictions.activations.into_pyarray(py))?;
        result.set_item("errors", predictions.errors.into_pyarray(py))?;
    }
    Ok(result)
}

/// Recording by some rule.
struct Tracing<'l, E: Clone> {
    file: &'l EventFile,
    plan: &'l Plan<'l, E>,
    recording: &'l Recording<'l>,
    out: Records<'l, E>,
    monitor: &'l Monitor,
}

impl<E: Kernels> WithRule<E> for Tracing<'_, E> {
    type Output = (Report, Option<Predictions<E>>);

    fn run<R: Rule<E>>(self, rule: R) -> Result<Self::Output, Error> {
        self.plan.trajectories(rule, self.file, self.recording, self.out, self.monitor)
    }
}

/// Rows and columns as pairs.
fn pairs(rows: &[u32], columns: &[u32]) -> PyResult<Vec<[u32; 2]>> {
    if rows.len() != columns.len() {
        let message = format!("expected {} columns, found {}", rows.len(), columns.len());
        return Err(Error::Argument(message).into());
    }
    Ok(collected(rows.iter().zip(columns).map(|(&row, &column)| [row, column]))?)
}
