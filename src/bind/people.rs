//! The verb `learn_each`.

use numpy::{Element as NumpyElement, Ix1, Ix2, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{Read, Read1, Read2, Write, indices, matrix_of, of_floats, optional_indices};
use super::file::PyEventFile;
use super::keywords::parameters;
use super::watch::{Progress, watched_if_long};
use crate::error::Result;
use crate::events::EventFile;
use crate::learn::Kernels;
use crate::learn::people::{Choices, PeoplePlan, PersonRecords};
use crate::memory::collected;
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{RuleParameters, WithRule, by_name};

parameters! {
    /// Who learns what, by which parameters, and what is recorded of it.
    struct PeopleArguments {
        starts: Read1<'py, i64>,
        rule: String,
        rule_parameters: RuleParameters,
        alpha: Read1<'py, f64>,
        saliences: Option<Read1<'py, f64>>,
        beta1: Read1<'py, f64>,
        beta2: Read1<'py, f64>,
        lambda_: Read1<'py, f64>,
        retention: Read1<'py, f64>,
        rows: Read1<'py, i64>,
        columns: Read1<'py, i64>,
        cue_vectors: Option<Bound<'py, PyUntypedArray>>,
        outcome_vectors: Option<Bound<'py, PyUntypedArray>>,
        choices: Read1<'py, i64>,
        choice_starts: Option<Read1<'py, i64>>,
        outcome_starts: Read1<'py, i64>,
        directions: Option<Read2<'py, f64>>,
        update: bool,
        records: Bound<'py, PyDict>,
        threads: usize,
        progress: Progress,
    }
}

/// Lets each person learn his trials from the initial weights, of which there may be no rows, and fills the arrays of `records`.
#[pyfunction]
#[pyo3(
    signature = (events, *, initial, **parameters),
    text_signature = "(events, *, initial, starts, rule, rule_parameters, alpha, saliences, beta1, beta2, lambda_, retention, rows, columns, \
                      cue_vectors, outcome_vectors, choices, choice_starts, outcome_starts, directions, update, records, \
                      threads, progress)"
)]
pub(crate) fn learn_each<'py>(
    py: Python<'py>,
    events: PyRef<'py, PyEventFile>,
    initial: Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<()> {
    let arguments = PeopleArguments::of(parameters)?;
    of_floats!(initial, Ix2, "initial weights", initial => arguments.learn(py, &events.file, Read::of(initial)?))
}

impl PeopleArguments<'_> {
    fn learn<E: Kernels + NumpyElement>(
        &self,
        py: Python<'_>,
        file: &EventFile,
        initial: Read2<'_, E>,
    ) -> PyResult<()> {
        let vectors =
            |array: &Option<_>| array.as_ref().map(|array| matrix_of::<E>(array, "vectors")).transpose();
        let (cue_vectors, outcome_vectors) = (vectors(&self.cue_vectors)?, vectors(&self.outcome_vectors)?);
        let [n_rows, n_columns] = [initial.shape()[0], initial.shape()[1]];
        let (starts, outcome_starts) = (indices(&self.starts)?, indices(&self.outcome_starts)?);
        let (rows, columns) = (or_none(&self.rows)?, or_none(&self.columns)?);
        let chosen = or_none(&self.choices)?;
        let choice_starts = self.choice_starts.as_ref().map(indices).transpose()?;
        let mut arrays = RecordArrays::of(&self.records)?;
        let plan = PeoplePlan {
            starts: &starts,
            alpha: self.alpha.slice("saliences")?,
            saliences: self.saliences.as_ref().map(|array| array.slice("saliences")).transpose()?,
            beta1: self.beta1.slice("rates")?,
            beta2: self.beta2.slice("rates")?,
            lambda: self.lambda_.slice("asymptotes")?,
            retention: self.retention.slice("retentions")?,
            initial: if n_rows > 0 { Some(initial.slice("initial weights")?) } else { None },
            n_columns,
            rows: &rows,
            columns: &columns,
            cue_vectors: match &cue_vectors {
                Some(vectors) => Some((vectors.slice("vectors")?, vectors.shape()[1])),
                None => None,
            },
            outcome_vectors: outcome_vectors.as_ref().map(|vectors| vectors.slice("vectors")).transpose()?,
            update: self.update,
            threads: self.threads,
            kernel: None,
        };
        let choices = match &choice_starts {
            Some(starts) => Choices::Each(starts, &chosen),
            None => Choices::All(&chosen),
        };
        let directions = self.directions.as_ref().map(|array| array.slice("directions")).transpose()?;
        let records = arrays.records()?;
        let (rule, numbers) = (&self.rule[..], &self.rule_parameters);
        let steps = file.header().n_tokens.saturating_mul(4096);
        let work = |monitor: &Monitor| {
            let asked = (choices, &outcome_starts[..], directions);
            by_name(rule, numbers, Persons { plan: &plan, file, asked, records, monitor })
        };
        watched_if_long(py, &self.progress, steps, work)
    }
}

/// Numbers, and `u32::MAX` for -1.
fn or_none(array: &Read1<'_, i64>) -> PyResult<Vec<u32>> {
    Ok(collected(optional_indices(array)?.into_iter().map(|number| number.unwrap_or(u32::MAX)))?)
}

/// The names of records that are numbers.
const RECORDS: [&str; 6] = ["outcomes", "choices", "change", "norm", "correlation", "squared_error"];

/// The arrays that records go to.
struct RecordArrays<'py> {
    numbers: [Option<Write<'py, f64, Ix1>>; 6],
    rank: Option<Write<'py, i64, Ix1>>,
}

impl<'py> RecordArrays<'py> {
    fn of(records: &Bound<'py, PyDict>) -> PyResult<Self> {
        let mut numbers = [const { None }; 6];
        for (array, name) in numbers.iter_mut().zip(RECORDS) {
            *array = records.get_item(name)?.map(|array| array.extract()).transpose()?;
        }
        let rank = records.get_item("rank")?.map(|array| array.extract()).transpose()?;
        Ok(Self { numbers, rank })
    }

    fn records(&mut self) -> Result<PersonRecords<'_>> {
        let [outcomes, choices, change, norm, correlation, squared_error] = &mut self.numbers;
        Ok(PersonRecords {
            outcomes: slice(outcomes)?,
            choices: slice(choices)?,
            change: slice(change)?,
            norm: slice(norm)?,
            correlation: slice(correlation)?,
            squared_error: slice(squared_error)?,
            rank: slice(&mut self.rank)?,
        })
    }
}

fn slice<'a, E: NumpyElement>(array: &'a mut Option<Write<'_, E, Ix1>>) -> Result<&'a mut [E]> {
    array.as_mut().map_or(Ok(&mut []), Write::slice)
}

/// Learning of all persons by a rule.
struct Persons<'a, E: Kernels> {
    plan: &'a PeoplePlan<'a, E>,
    file: &'a EventFile,
    asked: (Choices<'a>, &'a [u64], Option<&'a [f64]>),
    records: PersonRecords<'a>,
    monitor: &'a Monitor,
}

impl<E: Kernels> WithRule<E> for Persons<'_, E> {
    type Output = ();

    fn run<R: Rule<E> + Send + 'static>(self, rule: R) -> Result<()> {
        let (choices, outcome_starts, directions) = self.asked;
        self.plan.learn(&rule, self.file, choices, (outcome_starts, directions), self.records, self.monitor)
    }
}
