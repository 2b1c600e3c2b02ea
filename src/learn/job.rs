//! What there is to learn, checked: all that a method needs but the events.

use std::cmp::Reverse;
use std::time::Duration;

use super::clock::Clock;
use super::facts::{Costs, Facts};
use super::plan::{NAMES, Plan};
use super::script::{EventStream, NONE, Numbering, Script};
use crate::error::Result;
use crate::events::EventFile;
use crate::events::survey::Survey;
use crate::grow::{Grow, collected, copied, filled, gathered};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::threads::sensible;
use crate::tiles::method::Method;
use crate::tiles::rule::Rule;
use crate::tiles::width::SMALL;

/// How the learning went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How the weights were computed.
    pub method: Method,
    /// The instruction set.
    pub kernel: Isa,
    /// Columns in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// The time that all threads together spent in the kernel, without reading events and writing weights.
    pub busy: Duration,
    /// About the events.
    pub facts: Facts,
}

/// All that a method needs, checked.
pub(super) struct Job<'a, E> {
    pub(super) plan: &'a Plan<'a, E>,
    pub(super) rule: Rule<E>,
    pub(super) method: Method,
    /// Columns by the first event that can change them.
    pub(super) columns: Vec<LearnedColumn>,
    /// Rows by the last event that has their cue, the latest first.
    pub(super) tracked: Vec<LearnedRow>,
    /// For each row how many are equal to it, itself among them.
    pub(super) twins: Vec<u32>,
    /// The rows to write, in the order of the result.
    pub(super) kept: Vec<u32>,
    pub(super) kernel: Isa,
    pub(super) threads: usize,
    /// Bytes of memory left for each event in the budget, besides decoded events and their script.
    pub(super) room: u64,
    pub(super) facts: Facts,
    pub(super) monitor: &'a Monitor,
    /// How long kernels ran.
    pub(super) clock: Clock,
}

impl<'a, E: Element> Job<'a, E> {
    /// Looks at all events of a file and takes the method that the plan asks for, or the cheaper one. What the look found is given
    /// back, for [`Job::stream`].
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub(super) fn new(
        file: &EventFile,
        plan: &'a Plan<'a, E>,
        monitor: &'a Monitor,
    ) -> Result<(Self, Survey)> {
        let rule = Rule::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
        let n_rows = plan.alpha.len();
        let kept = match plan.keep {
            Some(keep) => copied(keep, NAMES)?,
            None => collected(0..n_rows as u32, NAMES)?,
        };
        plan.check(file, &kept)?;
        let started = match &plan.initial {
            Some(initial) => initial.started(n_rows, plan.lambda.len())?,
            None => filled(false, plan.lambda.len(), NAMES)?,
        };
        let twins = plan.twins(&rule, &started)?;
        let mut costs = Costs::new(plan.rows, plan.alpha)?;
        let survey = Survey::of(file, (plan.rows, n_rows), twins, plan.budget, &mut costs, monitor)?;
        let mut facts = Facts::of(&survey, &costs, file.header().n_tokens);
        let columns = columns(&survey, plan, &started, &mut facts)?;
        let (tracked, distinct_updates) = tracked(&survey, &kept, &mut facts)?;
        let cheaper = || plan.cheaper(&facts, [tracked.len(), columns.len()], distinct_updates);
        let method = plan.method.unwrap_or_else(cheaper);
        plan.check_method(method)?;
        let job = Self {
            plan,
            rule,
            method,
            columns,
            tracked,
            twins: collected((0..n_rows as u32).map(|row| survey.row_twins.size(row)), NAMES)?,
            kept,
            kernel: plan.kernel.unwrap_or_else(Isa::best),
            threads: if facts.updates(method) < SMALL { 1 } else { sensible(plan.threads) },
            room: (plan.budget as u64).saturating_sub(made_ready(&survey, file)) / file.len().max(1),
            facts,
            monitor,
            clock: Clock::default(),
        };
        Ok((job, survey))
    }

    /// The events in the numbering of rows and columns that are learned.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub(super) fn stream(&self, file: &EventFile, survey: Survey) -> Result<EventStream> {
        let mut rows = copied(self.plan.rows, NAMES)?;
        if self.method == Method::Adjoint {
            let least = survey.row_twins.least()?;
            rows.iter_mut().filter(|row| least[**row as usize] != **row).for_each(|row| *row = NONE);
        }
        let mut numbers = filled(NONE, self.plan.lambda.len(), NAMES)?;
        for (number, column) in (0..).zip(&self.columns) {
            // The first target alone is that of an outcome whose events are learned.
            column.targets.iter().take(1).for_each(|&target| numbers[target as usize] = number);
        }
        let columns = self.plan.columns.iter();
        let columns = columns.map(|column| column.map_or(NONE, |column| numbers[column as usize]));
        let (n_rows, n_columns) = (self.plan.alpha.len(), self.columns.len());
        let numbering = Numbering { rows, n_rows, columns: collected(columns, NAMES)?, n_columns };
        EventStream::new(file, numbering, survey.chunks, self.monitor)
    }

    /// How it went with tiles of so many columns.
    pub(super) fn report(self, tile: usize) -> Report {
        let Self { method, kernel, threads, facts, .. } = self;
        Report { method, kernel, tile, threads, busy: self.clock.time(), facts }
    }
}

/// Bytes of memory that all events of a file take, decoded and as scripts.
pub(super) fn made_ready(survey: &Survey, file: &EventFile) -> u64 {
    let names = survey.names.saturating_mul(Script::NAME);
    names.saturating_add(file.len().saturating_mul(Script::EVENT)).saturating_add(survey.size as u64)
}

/// A column to learn: the results that it is, and the first event that can change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearnedColumn {
    /// Its columns in the result: more than one where outcomes always occur together.
    pub(super) targets: Vec<u32>,
    /// The first event that can change it,
    pub(super) start: u64,
    /// and how many tokens come before that event.
    pub(super) before: u64,
}

/// A row to learn: the rows of the result that it is, and the event after the last one that has its cue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearnedRow {
    /// The row of weights.
    pub(super) row: u32,
    /// Its rows in the result, and the row of weights that each stands for.
    pub(super) targets: Vec<(u32, u32)>,
    pub(super) end: u64,
}

/// The columns to learn, and in the facts what the forward method costs.
fn columns<E>(
    survey: &Survey,
    plan: &Plan<'_, E>,
    started: &[bool],
    facts: &mut Facts,
) -> Result<Vec<LearnedColumn>> {
    let started_first = (0..).zip(started).filter(|(_, started)| **started);
    let from_start =
        |(target, _)| Ok(LearnedColumn { targets: copied(&[target], NAMES)?, start: 0, before: 0 });
    let mut columns: Vec<LearnedColumn> = gathered(started_first.map(from_start), NAMES)?;
    facts.forward_updates = survey.slots.saturating_mul(columns.len() as u64);
    let least = survey.outcome_twins.least()?;
    let mut number = filled(NONE, least.len(), NAMES)?;
    for (outcome, (&first, &least)) in survey.first.iter().zip(&least).enumerate() {
        let (Some(target), Some(first)) = (plan.columns[outcome], first) else { continue };
        if started[target as usize] {
            continue;
        }
        facts.forward_updates = facts.forward_updates.saturating_add(survey.slots - first.slots);
        if outcome == least as usize {
            number[outcome] = columns.len() as u32;
            let (start, before) = (first.events, first.tokens);
            columns.grow(LearnedColumn { targets: copied(&[target], NAMES)?, start, before }, NAMES)?;
        } else {
            columns[number[least as usize] as usize].targets.grow(target, NAMES)?;
        }
    }
    columns.sort_unstable_by_key(|column| (column.start, column.targets[0]));
    Ok(columns)
}

/// The rows to learn, and the updates of the adjoint method where twins are learned once; in the facts what it costs otherwise.
fn tracked(survey: &Survey, kept: &[u32], facts: &mut Facts) -> Result<(Vec<LearnedRow>, u64)> {
    let (mut all, mut distinct_updates) = (Vec::<LearnedRow>::new(), 0_u64);
    let least = survey.row_twins.least()?;
    let mut number = filled(NONE, least.len(), NAMES)?;
    for (target, &row) in (0..).zip(kept) {
        let after = survey.after_last[row as usize];
        facts.adjoint_updates = facts.adjoint_updates.saturating_add(after.slots);
        let least = least[row as usize];
        if let Some(tracked) = all.get_mut(number[least as usize] as usize) {
            tracked.targets.grow((target, row), NAMES)?;
        } else {
            number[least as usize] = all.len() as u32;
            distinct_updates = distinct_updates.saturating_add(after.slots);
            let targets = copied(&[(target, row)], NAMES)?;
            all.grow(LearnedRow { row: least, targets, end: after.events }, NAMES)?;
        }
    }
    all.sort_unstable_by_key(|tracked| (Reverse(tracked.end), tracked.row));
    Ok((all, distinct_updates))
}
