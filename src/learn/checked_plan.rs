//! A plan that was checked: its rows, its columns and its method.
//!
//! The method, equal rows and columns, and kappa are found once, for all rows and columns. So the weights of a part have the same
//! bits as when all are learned.

use std::cmp::Reverse;

use super::adjoint_steps::Stepper;
use super::costs::{Facts, max_kappa};
use super::plan::Plan;
use super::script::{EventStream, NONE, Numbering, Script};
use super::stretch::EVENT;
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::survey::summary::Survey;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::memory::{Grow, collected, copied, filled, gathered};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::threads::sensible;
use crate::tiles::forgetting::Retention;
use crate::tiles::home::{Initial, Stands};
use crate::tiles::method::Method;
use crate::tiles::rule::{Parameters, Schedule};
use crate::tiles::width::{SMALL, width};

/// The most tiles that a thread takes through the events in one pass, where each pass decodes the events again. Four tiles leave a
/// quarter of the decoding; more would take memory and save little.
const TOGETHER: usize = 4;

/// A checked plan: all that is needed to learn, but the events.
pub(super) struct CheckedPlan<E> {
    pub(super) rule: Parameters<E>,
    /// Unless weights keep all.
    pub(super) retention: Option<Retention<E>>,
    pub(super) method: Method,
    /// The columns, sorted by the first event that can change them.
    pub(super) columns: Vec<LearnedColumn>,
    /// The rows, sorted by the last event that has their cue, the latest first.
    pub(super) tracked: Vec<LearnedRow>,
    /// For each row the first row that is equal to it.
    pub(super) first_twin: Vec<u32>,
    /// For each row the number of rows that are equal to it, itself included.
    pub(super) twins: Vec<u32>,
    /// The rows to write, in the order of the result.
    pub(super) kept: Vec<u32>,
    pub(super) kernel: Isa,
    /// Lanes in a tile, if the plan sets them.
    wanted: Option<usize>,
    pub(super) threads: usize,
    pub(super) facts: Facts,
    /// Bytes that all events take, as the method reads them.
    pub(super) decoded: u64,
    /// Where the events do not fit the plan's budget: the share of the budget that a thread has for tiles beyond its first.
    room: usize,
}

impl<E: Element> CheckedPlan<E> {
    /// Looks at the events of a file and takes the method that the plan asks for, or the cheaper one that the rule has.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub(super) fn new<R: Rule<E>>(file: &EventFile, plan: &Plan<'_, E>, monitor: &Monitor) -> Result<Self> {
        let rule = Parameters::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
        let retention = plan.forgetting()?;
        if retention.is_some() && !R::KERNEL {
            return Err(Error::Argument(format!(
                "retention must be 1 for the rule {}: only weights of the rule rescorla_wagner are forgotten",
                R::NAME
            )));
        }
        let greatest = R::GREATEST_LAMBDA;
        if let Some(lambda) = plan.lambda.iter().find(|&&lambda| lambda > greatest) {
            return Err(Error::Argument(format!(
                "lambda_ must be at most {greatest} for the rule {}, not {lambda}",
                R::NAME
            )));
        }
        let n_rows = plan.alpha.len();
        let kept = match plan.keep {
            Some(keep) => copied(keep)?,
            None => collected(0..n_rows as u32)?,
        };
        plan.check(file, &kept)?;
        let mut started = match &plan.initial {
            Some(initial) => initial.started(n_rows, plan.lambda.len())?,
            None => filled(false, plan.lambda.len())?,
        };
        if !R::LATE_START || plan.initial.as_ref().is_some_and(|initial| !initial.states.is_empty()) {
            started.fill(true);
        }
        let threads = sensible(plan.threads);
        let survey = file.survey(threads, monitor)?;
        let [first_twin, outcome_twins] = plan.twins(&rule, &started, survey)?;
        let max_kappa = max_kappa(file, (plan.rows, plan.alpha), survey, threads, monitor)?;
        let mut facts = Facts::of(survey, max_kappa, file.header().n_tokens);
        let columns = learned_columns(survey, plan, &started, &outcome_twins, &mut facts)?;
        let (tracked, distinct_updates) = tracked(survey, plan, &kept, &first_twin, &mut facts)?;
        let cheaper = || match R::KERNEL {
            true => plan.cheaper(&facts, [tracked.len(), columns.len()], distinct_updates),
            false => Method::Forward,
        };
        let method = plan.method.unwrap_or_else(cheaper);
        if method == Method::Adjoint && !R::KERNEL {
            return Err(Error::Argument(format!(
                "method must be forward for the rule {}, not adjoint, which is for rescorla_wagner alone",
                R::NAME
            )));
        }
        plan.check_method(method, &rule)?;
        let each = match method {
            Method::Forward => EVENT,
            Method::Adjoint => Stepper::<E>::STEP + retention.as_ref().map_or(0, |_| Stepper::<E>::FORGOTTEN),
        };
        let mut twins = filled(0, n_rows)?;
        first_twin.iter().for_each(|&first| twins[first as usize] += 1);
        Ok(Self {
            rule,
            retention,
            method,
            columns,
            tracked,
            twins: collected(first_twin.iter().map(|&first| twins[first as usize]))?,
            first_twin,
            kept,
            kernel: plan.kernel.unwrap_or_else(Isa::best),
            wanted: plan.tile,
            threads: if facts.updates(method) < SMALL { 1 } else { threads },
            facts,
            decoded: decoded(survey, file, each),
            room: plan.budget / threads,
        })
    }

    /// The events in the numbering of rows and columns that are learned.
    pub(super) fn stream(&self, file: &EventFile, plan: &Plan<'_, E>) -> Result<EventStream> {
        let mut rows = copied(plan.rows)?;
        if self.method == Method::Adjoint {
            let is_first = |row: u32| self.first_twin[row as usize] == row;
            rows.iter_mut().filter(|row| !is_first(**row)).for_each(|row| *row = NONE);
        }
        let mut numbers = filled(NONE, plan.lambda.len())?;
        for column in &self.columns {
            // Only the first target has events: outcomes that are equal are learned once.
            column.targets.iter().take(1).for_each(|&target| numbers[target as usize] = column.number);
        }
        let columns = plan.columns.iter();
        let columns = columns.map(|column| column.map_or(NONE, |column| numbers[column as usize]));
        let (n_rows, n_columns) = (plan.alpha.len(), self.columns.len());
        let numbering = Numbering { rows, n_rows, columns: collected(columns)?, n_columns, once: true };
        EventStream::new(file, numbering)
    }

    /// Lanes in a tile, for a number of lanes and of threads.
    pub(super) fn width(&self, lanes: usize, threads: usize) -> usize {
        let events = [self.rule.alpha.len() as f64, self.facts.slots_of_event()];
        width::<E>(self.wanted, self.kernel, lanes, events, threads)
    }

    /// How many tiles of `bytes` bytes a thread may take through the events in one pass. Those beyond its first fit the budget.
    pub(super) fn tiles_in_pass(&self, events_are_kept: bool, bytes: usize) -> usize {
        if events_are_kept { 1 } else { (1 + self.room / bytes.max(1)).min(TOGETHER) }
    }
}

/// Parameters besides the rule: where learning begins, and what happens at each token.
pub(super) struct Start<'a, E: Clone> {
    pub(super) initial: Option<Initial<'a, E>>,
    pub(super) schedule: Option<Schedule<'a>>,
    /// Learning rates before a schedule.
    pub(super) betas: [f64; 2],
    pub(super) average: bool,
}

/// Bytes of memory that all events of a file take as scripts, and `each` besides.
pub(crate) fn decoded(survey: &Survey, file: &EventFile, each: u64) -> u64 {
    let names = survey.totals.names.saturating_mul(Script::NAME);
    names.saturating_add(file.len().saturating_mul(Script::EVENT + each))
}

/// A column to learn, the columns of the result that it stands for, and the first event that can change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearnedColumn {
    /// Its number in the events as methods read them.
    pub(super) number: u32,
    /// Its columns in the result: more than one where outcomes always occur together.
    pub(super) targets: Vec<u32>,
    /// The first event that can change it.
    pub(super) start: u64,
    /// The number of tokens before that event.
    pub(super) before: u64,
}

impl Stands for LearnedColumn {
    fn targets(&self) -> &[u32] {
        &self.targets
    }
}

/// A row to learn, the rows of the result that it stands for, and the event after the last one that has its cue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearnedRow {
    /// The row of weights.
    pub(super) row: u32,
    /// Its rows in the result, each with its row of weights.
    pub(super) targets: Vec<(u32, u32)>,
    pub(super) end: u64,
}

/// Finds the columns to learn, and writes the cost of the forward method into the facts.
fn learned_columns<E: Clone>(
    survey: &Survey,
    plan: &Plan<'_, E>,
    started: &[bool],
    twins: &[u32],
    facts: &mut Facts,
) -> Result<Vec<LearnedColumn>> {
    let started_first = (0..).zip(started).filter(|(_, started)| **started);
    let column = |target: u32, start: u64, before: u64| {
        Ok(LearnedColumn { number: 0, targets: copied(&[target])?, start, before })
    };
    let mut columns: Vec<LearnedColumn> = gathered(started_first.map(|(target, _)| column(target, 0, 0)))?;
    facts.forward_updates = facts.slots.saturating_mul(columns.len() as u64);
    let mut number = filled(NONE, twins.len())?;
    for (outcome, (&first, &twin)) in survey.first.iter().zip(twins).enumerate() {
        let (Some(target), Some(first)) = (plan.columns[outcome], first) else { continue };
        if started[target as usize] {
            continue;
        }
        facts.forward_updates = facts.forward_updates.saturating_add(facts.slots - first.slots);
        if outcome == twin as usize {
            number[outcome] = columns.len() as u32;
            columns.grow(column(target, first.events, first.tokens)?)?;
        } else {
            columns[number[twin as usize] as usize].targets.grow(target)?;
        }
    }
    columns.sort_unstable_by_key(|column| (column.start, column.targets[0]));
    (0..).zip(&mut columns).for_each(|(number, column)| column.number = number);
    Ok(columns)
}

/// Finds the rows to learn, and the adjoint method's updates if equal rows are learned once; writes its updates for all rows into
/// the facts.
fn tracked<E: Clone>(
    survey: &Survey,
    plan: &Plan<'_, E>,
    kept: &[u32],
    twins: &[u32],
    facts: &mut Facts,
) -> Result<(Vec<LearnedRow>, u64)> {
    let mut after_last = filled((0, 0), plan.alpha.len())?;
    for (&row, last) in plan.rows.iter().zip(&survey.after_last) {
        after_last[row as usize] = (last.events, last.slots);
    }
    let (mut all, mut distinct_updates) = (Vec::<LearnedRow>::new(), 0_u64);
    let mut number = filled(NONE, twins.len())?;
    for (target, &row) in (0..).zip(kept) {
        let (end, slots) = after_last[row as usize];
        facts.adjoint_updates = facts.adjoint_updates.saturating_add(slots);
        let twin = twins[row as usize];
        if let Some(tracked) = all.get_mut(number[twin as usize] as usize) {
            tracked.targets.grow((target, row))?;
        } else {
            number[twin as usize] = all.len() as u32;
            distinct_updates = distinct_updates.saturating_add(slots);
            let targets = copied(&[(target, row)])?;
            all.grow(LearnedRow { row: twin, targets, end })?;
        }
    }
    all.sort_unstable_by_key(|tracked| (Reverse(tracked.end), tracked.row));
    Ok((all, distinct_updates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::survey::summary::{Position, Totals};
    use crate::events::write::{Duplicates, EventWriter};
    use crate::tiles::result::Matrix;
    use crate::tiles::rule::Schedule;
    use proptest::prelude::*;

    const NAMES: usize = 5;

    fn file(events: &[(Vec<u32>, Vec<u32>, u32)]) -> EventFile {
        let names: Vec<String> = (0..NAMES).map(|name| name.to_string()).collect();
        let names = || names.iter().map(String::as_str);
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        writer.add_names(names(), names()).unwrap();
        events
            .iter()
            .for_each(|(cues, outcomes, frequency)| writer.push(cues, outcomes, *frequency).unwrap());
        writer.finish().unwrap()
    }

    /// Surveys that a damaged file might hold: valid in form, but not those of its events.
    fn surveys() -> impl Strategy<Value = Survey> {
        let position = || {
            (0..5_u64, 0..5_u64, 0..5_u64).prop_map(|(events, tokens, slots)| Position {
                events,
                tokens,
                slots,
            })
        };
        let twins = || {
            prop::collection::vec(0..NAMES as u32, NAMES).prop_map(|wanted| {
                let mut twins = Vec::<u32>::new();
                for (name, wanted) in (0..).zip(wanted) {
                    twins.push(if wanted < name { twins[wanted as usize] } else { name });
                }
                twins
            })
        };
        let first = prop::collection::vec(prop::option::of(position()), NAMES);
        let after_last = prop::collection::vec(position(), NAMES);
        let totals = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>())
            .prop_map(|(slots, names, squares, visits)| Totals { slots, names, squares, visits });
        (first, after_last, twins(), twins(), totals).prop_map(
            |(first, after_last, cue_twins, outcome_twins, totals)| Survey {
                first: outcome_twins.iter().map(|&twin| first[twin as usize]).collect(),
                after_last: cue_twins.iter().map(|&twin| after_last[twin as usize]).collect(),
                cue_twins,
                outcome_twins,
                totals,
            },
        )
    }

    proptest! {
        #[test]
        fn a_forged_survey_does_not_crash(
            events in {
                let ids = || prop::collection::vec(0..NAMES as u32, 0..4);
                prop::collection::vec((ids(), ids(), 0..3_u32), 0..12)
            },
            survey in surveys(),
            average: bool,
            scheduled: bool,
        ) {
            let forged = file(&events).with_survey(&survey);
            let factors = vec![1.0; forged.header().n_tokens as usize];
            for method in [Method::Forward, Method::Adjoint] {
                let schedule = scheduled.then(|| Schedule { present: (&factors).into(), absent: None });
                let plan = Plan::<f64> {
                    rows: &[0, 1, 2, 3, 4],
                    columns: &[0, 1, 2, 3, 4].map(Some),
                    alpha: &[0.1; NAMES],
                    schedule,
                    lambda: &[1.0; NAMES],
                    average,
                    method: Some(method),
                    ..Plan::default()
                };
                let mut weights = [0.0; NAMES * NAMES];
                // Either an error, or the weights of other events; never a crash.
                let _ = plan.learn(&forged, &Matrix::new(&mut weights, [NAMES; 2]).unwrap(), &Monitor::new());
            }
        }
    }
}
