//! The likelihoods of persons' responses, by their parameters.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use super::arrays::{Read1, Read2, Write2, indices, optional_indices};
use super::file::PyEventFile;
use super::watch::{Progress, watched_if_long};
use crate::activate::ReadWeights;
use crate::error::{Error, Result};
use crate::learn::likelihood::{Evaluated, Fitted, NO_RESPONSE, PersonTrials, Responses};
use crate::lists::Lists;
use crate::memory::{Grow, collected, filled};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::rules::table::{WithRule, by_name};
use crate::threads::{each, sensible};

/// The trials of all persons.
#[pyclass(name = "Likelihoods", module = "rescorla._core", frozen)]
pub(crate) struct PyLikelihoods {
    persons: Vec<PersonTrials>,
    n_groups: usize,
    n_columns: usize,
    n_biases: usize,
    rule: String,
    /// The names of what only this rule has.
    rule_parameters: Vec<String>,
    /// Steps of the innermost loop for all persons, about.
    steps: u64,
}

#[pymethods]
impl PyLikelihoods {
    /// `starts`: the first event of each person, and the end. `rows`, `columns`: the place of each cue and each column in `initial`, or
    /// -1. `of_outcomes`: the column of each outcome, or -1. `groups`: the group of each cue. Responses are `options` with the place of
    /// the choice among them, or -1; or a column and a number, or NaN.
    #[new]
    #[pyo3(signature = (events, *, starts, initial, rows, columns, of_outcomes, groups, options, option_starts, chosen, numbers, rule, rule_parameters))]
    #[expect(clippy::too_many_arguments, reason = "all keywords")]
    fn new(
        events: &PyEventFile,
        starts: Read1<'_, i64>,
        initial: Read2<'_, f64>,
        rows: Read1<'_, i64>,
        columns: Read1<'_, i64>,
        of_outcomes: Read1<'_, i64>,
        groups: Read1<'_, i64>,
        options: Read1<'_, i64>,
        option_starts: Option<Read1<'_, i64>>,
        chosen: Option<Read1<'_, i64>>,
        numbers: Option<Read1<'_, f64>>,
        rule: String,
        rule_parameters: Vec<String>,
    ) -> PyResult<Self> {
        let file = &events.file;
        let table = initial.table();
        let (rows, columns) = (optional_indices(&rows)?, optional_indices(&columns)?);
        let (of_outcomes, groups, options) =
            (optional_indices(&of_outcomes)?, indices(&groups)?, indices(&options)?);
        let (starts, n_columns) = (indices::<usize>(&starts)?, columns.len());
        let option_starts = option_starts.as_ref().map(indices::<usize>).transpose()?;
        let chosen = chosen.as_ref().map(optional_indices).transpose()?;
        let numbers = numbers.as_ref().map(Read1::to_vec).transpose()?;
        let (n_cues, n) = (file.cues().len(), file.len() as usize);
        let lengths = [rows.len(), groups.len()] == [n_cues; 2]
            && of_outcomes.len() == file.outcomes().len()
            && option_starts.as_ref().is_none_or(|starts| starts.len() == n + 1)
            && chosen.as_ref().is_none_or(|chosen| chosen.len() == n)
            && numbers.as_ref().is_none_or(|numbers| numbers.len() == n && options.len() == n);
        let rising = starts.is_sorted() && starts.last().is_some_and(|&end| end <= n);
        let [n_rows, width] = table.shape();
        let inside =
            |places: &[Option<u32>], n: usize| places.iter().flatten().all(|&place| (place as usize) < n);
        if !lengths || !rising || !inside(&rows, n_rows) || !inside(&columns, width) {
            return Err(Error::Argument("expected lists that fit the events and the weights".into()).into());
        }
        let n_groups = groups.iter().map(|&group| group as usize + 1).max().unwrap_or(0);
        let mut persons = Vec::new();
        let mut steps = 0_u64;
        for range in starts.windows(2) {
            let (begin, end) = (range[0], range[1]);
            let (mut cues, mut outcomes, mut frequencies) = (Lists::default(), Lists::default(), Vec::new());
            let (mut row_of, mut own) = (filled(u32::MAX, n_cues)?, Vec::new());
            file.for_each(begin as u64..end as u64, |_, of_cues, of_outcomes_, frequency| {
                for &cue in of_cues {
                    let row = &mut row_of[cue as usize];
                    if *row == u32::MAX {
                        *row = own.len() as u32;
                        own.grow(cue)?;
                    }
                    cues.add(*row)?;
                }
                cues.end()?;
                for column in of_outcomes_.iter().filter_map(|&outcome| of_outcomes[outcome as usize]) {
                    outcomes.add(column)?;
                }
                outcomes.end()?;
                steps = steps.saturating_add(
                    u64::from(frequency.max(1)) * ((of_cues.len() * 5 + 10) * n_columns) as u64,
                );
                frequencies.grow(frequency)
            })?;
            let mut start = Vec::new();
            for &cue in &own {
                for column in &columns {
                    let place = rows[cue as usize].zip(*column);
                    let weight = place.map_or(0.0, |(row, column)| table.at(row as usize, column as usize));
                    start.grow(weight)?;
                }
            }
            let of_person = begin..end;
            let responses = match (&numbers, &option_starts, &chosen) {
                (Some(numbers), ..) => Responses::Numbers {
                    columns: collected(options[of_person.clone()].iter().copied())?,
                    numbers: collected(numbers[of_person].iter().copied())?,
                },
                (None, Some(starts), Some(chosen)) => {
                    let mut lists = Lists::default();
                    for trial in of_person.clone() {
                        let list = starts[trial]..starts[trial + 1];
                        lists.push(options.get(list).ok_or_else(|| {
                            Error::Argument("expected options that begin one after another".into())
                        })?)?;
                    }
                    let chosen = chosen[of_person].iter().map(|place| place.unwrap_or(NO_RESPONSE));
                    Responses::Choices { options: lists, chosen: collected(chosen)? }
                }
                _ => return Err(Error::Argument("expected choices or numbers".into()).into()),
            };
            let own = collected(own.iter().map(|&cue| groups[cue as usize]))?;
            persons.grow(PersonTrials::new(
                (cues, outcomes, frequencies),
                responses,
                (start, n_columns),
                own,
            )?)?;
        }
        let n_biases = if numbers.is_some() { 1 } else { n_columns };
        Ok(Self { persons, n_groups, n_columns, n_biases, rule, rule_parameters, steps })
    }

    /// How many responses each person gave.
    fn n_responses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let counts = collected(self.persons.iter().map(|trials| trials.n_responses() as i64))?;
        Ok(counts.into_pyarray(py))
    }

    /// The activations of all columns before each trial of a person, trial after trial.
    fn predictions<'py>(
        &self,
        py: Python<'py>,
        person: usize,
        values: Read1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (values, trials) = (values.to_vec()?, self.persons.get(person));
        let Some(trials) = trials.filter(|_| values.len() == self.n_parameters()) else {
            return Err(Error::Argument("expected a person, and a number for each parameter".into()).into());
        };
        let work = |monitor: &Monitor| trials.predictions(&self.evaluated(trials, &values, monitor)?);
        let found = watched_if_long(py, &None, self.steps, work)?;
        Ok(found.into_pyarray(py))
    }

    /// The log likelihood of some persons, each at a row of `values`, and its gradient, which goes into `gradients`.
    #[pyo3(signature = (persons, values, gradients, *, threads, progress))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        persons: Read1<'py, i64>,
        values: Read2<'py, f64>,
        mut gradients: Write2<'py, f64>,
        threads: usize,
        progress: Progress,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let persons = indices::<usize>(&persons)?;
        let (n, size) = (persons.len(), self.n_parameters());
        let fits = values.shape() == [n, size] && gradients.shape() == [n, size];
        if !fits || persons.iter().any(|&person| person >= self.persons.len()) {
            return Err(Error::Argument("expected a row of parameters for each person".into()).into());
        }
        let values = values.slice("values")?;
        let rows = gradients.slice()?;
        let mut found = filled(0.0, n)?;
        let cells = rows.chunks_exact_mut(size).zip(&mut found).map(Mutex::new);
        let cells: Vec<_> = collected(cells)?;
        let work = |monitor: &Monitor| {
            each(
                sensible(threads),
                n,
                || Ok(()),
                |(), i| {
                    let trials = &self.persons[persons[i]];
                    let Evaluated { likelihood, gradient, .. } =
                        self.evaluated(trials, &values[i * size..][..size], monitor)?;
                    let mut cell = cells[i].lock().unwrap_or_else(PoisonError::into_inner);
                    let (row, found) = &mut *cell;
                    **found = likelihood;
                    let Fitted { alpha, beta, lambda, retention, theta, bias, spread } = gradient;
                    let flat =
                        alpha.iter().chain(&beta).chain(&lambda).chain([&retention, &theta]).chain(&bias);
                    let row = row.iter_mut().skip(self.rule_parameters.len());
                    row.zip(flat.chain([&spread])).for_each(|(to, from)| *to = *from);
                    Ok(())
                },
            )
        };
        let share = n as u64 * self.steps / self.persons.len().max(1) as u64;
        watched_if_long(py, &progress, share, work)?;
        drop(cells);
        Ok(found.into_pyarray(py))
    }
}

impl PyLikelihoods {
    /// How many parameters there are: what only this rule has, alpha of each group, beta1, beta2, lambda of each column, retention,
    /// theta, biases, spread.
    fn n_parameters(&self) -> usize {
        self.rule_parameters.len() + self.n_groups + self.n_columns + self.n_biases + 5
    }

    /// What comes of a person's trials at a number for each parameter.
    fn evaluated(&self, trials: &PersonTrials, flat: &[f64], monitor: &Monitor) -> Result<Evaluated> {
        let (own, rest) = flat.split_at(self.rule_parameters.len());
        let (alpha, rest) = rest.split_at(self.n_groups);
        let (beta, rest) = rest.split_at(2);
        let (lambda, rest) = rest.split_at(self.n_columns);
        let (bias, spread) = rest[2..].split_at(self.n_biases);
        let at = Fitted {
            alpha: collected(alpha.iter().copied())?,
            beta: [beta[0], beta[1]],
            lambda: collected(lambda.iter().copied())?,
            retention: rest[0],
            theta: rest[1],
            bias: collected(bias.iter().copied())?,
            spread: spread[0],
        };
        let rule_parameters = self.rule_parameters.iter().cloned().zip(own.iter().copied()).collect();
        by_name(&self.rule, &rule_parameters, Evaluation { trials, at, monitor })
    }
}

/// A pass through a person's trials by a rule.
struct Evaluation<'a> {
    trials: &'a PersonTrials,
    at: Fitted,
    monitor: &'a Monitor,
}

impl WithRule<f64> for Evaluation<'_> {
    type Output = Evaluated;

    fn run<R: Rule<f64> + Send + 'static>(self, rule: R) -> Result<Evaluated> {
        self.trials.evaluate(&rule, &self.at, self.monitor)
    }
}
