//! The verb `trajectories`.

use numpy::{Element as NumpyElement, IntoPyArray, Ix1, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read1, Write, indices, of_floats};
use super::file::PyEventFile;
use super::learn::{Arguments, as_dict};
use crate::error::Error;
use crate::events::EventFile;
use crate::learn::trajectory::{Cells, Predictions, Probes, Recording, Records};
use crate::learn::{Kernels, Plan, Report};
use crate::lists::Lists;
use crate::memory::{collected, gathered};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{WithRule, by_name};

/// Learns the events and records weights in `out`, one after another: for each pair of a row and a column (`columns` given)
/// or else for each column the `rows`, after each of the `tokens`; in `saliences` those of these weights, unless it is empty. `predicted` takes for each column the activations just before each
/// of the tokens, unless it is empty. `probes` are after how many tokens to probe, numbers of cues, and the rows of these; `probed`
/// takes for each column the activation at each probe.
#[pyfunction]
#[pyo3(
    signature = (events, *, tokens, rows, columns, predictions, probes, out, saliences, predicted, probed, **parameters),
    text_signature = "(events, *, alpha, beta1, beta2, lambda_, rule, rule_parameters, retention, schedule, cue_rows, outcome_columns, \
                      initial, initial_columns, initial_states, tokens, rows, columns, predictions, probes, out, saliences, \
                      predicted, probed, threads, kernel, tile, progress)"
)]
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
    let (rows, columns) = (indices(&rows)?, columns.as_ref().map(indices).transpose()?);
    let wanted = Wanted {
        tokens: &numbers(&tokens)?,
        pairs: columns.map(|columns| pairs(&rows, &columns)).transpose()?,
        rows,
        predictions,
        probed: &numbers(&probes.0)?,
        probes: lists(&probes.1, &probes.2)?,
    };
    of_floats!(out, Ix1, out => wanted.record(py, events, &arguments, [out, saliences.cast()?, predicted.cast()?, probed.cast()?]), else {
        Err(Error::Argument("expected float64 or float32 for the result".into()).into())
    })
}

/// What to record.
struct Wanted<'a> {
    tokens: &'a [u64],
    rows: Vec<u32>,
    pairs: Option<Vec<[u32; 2]>>,
    predictions: bool,
    /// How many tokens come before each probe, and the rows of its cues.
    probed: &'a [u64],
    probes: Lists,
}

impl Wanted<'_> {
    fn record<'py, E: Kernels + NumpyElement>(
        &self,
        py: Python<'py>,
        events: &PyEventFile,
        arguments: &Arguments<'_>,
        out: [&Bound<'py, PyArray1<E>>; 4],
    ) -> PyResult<Bound<'py, PyDict>> {
        // Held until the work is done.
        let [mut weights, mut saliences, mut predicted, mut probed] =
            [Write::of(out[0])?, Write::of(out[1])?, Write::of(out[2])?, Write::of(out[3])?];
        let (weights, saliences) = (weights.slice()?, saliences.slice()?);
        let (predicted, probed) = (predicted.slice()?, probed.slice()?);
        let out = Records { weights, saliences, predicted, probed };
        let cells = self.pairs.as_deref().map_or(Cells::Block(&self.rows), Cells::Pairs);
        let probes = Probes { tokens: self.probed, cues: &self.probes };
        let recording = Recording { tokens: self.tokens, cells, predictions: self.predictions, probes };
        let (rule, numbers) = (arguments.rule.as_str(), &arguments.rule_parameters);
        let (report, predictions) = arguments.carry_out(py, events, 1, |file, plan, monitor| {
            by_name(rule, numbers, Tracing { file, plan, recording: &recording, out, monitor })
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

/// Numbers of tokens.
fn numbers(array: &Read1<'_, i64>) -> PyResult<Vec<u64>> {
    let wrong = |token: i64| Error::Argument(format!("expected the number of a token, found {token}"));
    let number = |token: i64| u64::try_from(token).map_err(|_| wrong(token));
    Ok(gathered(array.to_vec()?.into_iter().map(number))?)
}

/// Rows and columns as pairs.
fn pairs(rows: &[u32], columns: &[u32]) -> Result<Vec<[u32; 2]>, Error> {
    if rows.len() != columns.len() {
        return Err(Error::Argument(format!("expected {} columns, found {}", rows.len(), columns.len())));
    }
    collected(rows.iter().zip(columns).map(|(&row, &column)| [row, column]))
}

/// Lists of these lengths, of rows.
pub(super) fn lists(lengths: &Read1<'_, i64>, rows: &Read1<'_, i64>) -> PyResult<Lists> {
    let lists = Lists::of(&indices(lengths)?, indices(rows)?)?;
    Ok(lists.ok_or_else(|| Error::Argument("expected as many rows as the probes have cues".into()))?)
}
