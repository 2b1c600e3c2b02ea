//! What there is to learn, checked and made ready once: any part of it may then be learned, in any order, on any thread.
//!
//! The method, the rows and columns that are equal, kappa and the initial weights belong to the whole. So the weights of a part have
//! the same bits as in the whole.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::time::Duration;

use super::Kernels;
use super::adjoint;
use super::clock::Clock;
use super::facts::{Facts, max_kappa};
use super::forward::{self, Goal};
use super::order;
use super::plan::{Initial, NAMES, Plan};
use super::run::Run;
use super::script::{Chunks, EventStream, NONE, Numbering, Script};
use super::steps::{Stepper, Steps};
use super::tile::{EVENT, OrderedEvents};
use super::trajectory::Traces;
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::survey::Survey;
use crate::grow::{Grow, collected, copied, filled, gathered};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::threads::sensible;
use crate::tiles::method::Method;
use crate::tiles::result::{Axis, Matrix};
use crate::tiles::rule::{Rule, Schedule};
use crate::tiles::width::{SMALL, width};

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

/// All that a method needs, checked, and the events as it reads them.
pub struct Job<'a, E: Clone> {
    pub(super) look: Look<E>,
    pub(super) initial: Option<Initial<'a, E>>,
    pub(super) schedule: Option<Schedule<'a>>,
    pub(super) betas: [f64; 2],
    pub(super) average: bool,
    /// Lanes in a tile, if the plan asks for so many.
    pub(super) tile: Option<usize>,
    scripts: Scripts<E>,
    /// How long kernels ran.
    clock: Clock,
}

/// The events as a method reads them.
pub(super) enum Scripts<E> {
    Forward(Chunks<OrderedEvents>),
    Adjoint(Chunks<Steps<E>>),
}

/// What there is to learn, and how: all but the events.
pub(super) struct Look<E> {
    pub(super) rule: Rule<E>,
    pub(super) method: Method,
    /// Columns by the first event that can change them.
    pub(super) columns: Vec<LearnedColumn>,
    /// Rows by the last event that has their cue, the latest first.
    pub(super) tracked: Vec<LearnedRow>,
    /// For each row the first that is equal to it,
    pub(super) first_twin: Vec<u32>,
    /// and how many are, itself among them.
    pub(super) twins: Vec<u32>,
    /// The rows to write, in the order of the result.
    pub(super) kept: Vec<u32>,
    pub(super) kernel: Isa,
    pub(super) threads: usize,
    pub(super) facts: Facts,
    /// Bytes that all events take as scripts, apart from what a method adds to each.
    pub(super) scripted: u64,
}

impl<E: Element> Look<E> {
    /// Looks at the events of a file and takes the method that the plan asks for, or the cheaper one.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub(super) fn new(file: &EventFile, plan: &Plan<'_, E>, monitor: &Monitor) -> Result<Self> {
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
        let threads = sensible(plan.threads);
        let survey = file.survey(threads, monitor)?;
        let [first_twin, outcome_twins] = plan.twins(&rule, &started, survey)?;
        let max_kappa = max_kappa(file, (plan.rows, plan.alpha), survey, threads, monitor)?;
        let mut facts = Facts::of(survey, max_kappa, file.header().n_tokens);
        let columns = columns(survey, plan, &started, &outcome_twins, &mut facts)?;
        let (tracked, distinct_updates) = tracked(survey, plan, &kept, &first_twin, &mut facts)?;
        let cheaper = || plan.cheaper(&facts, [tracked.len(), columns.len()], distinct_updates);
        let method = plan.method.unwrap_or_else(cheaper);
        plan.check_method(method, &rule)?;
        let mut twins = filled(0, n_rows, NAMES)?;
        first_twin.iter().for_each(|&first| twins[first as usize] += 1);
        Ok(Self {
            rule,
            method,
            columns,
            tracked,
            twins: collected(first_twin.iter().map(|&first| twins[first as usize]), NAMES)?,
            first_twin,
            kept,
            kernel: plan.kernel.unwrap_or_else(Isa::best),
            threads: if facts.updates(method) < SMALL { 1 } else { threads },
            facts,
            scripted: scripted(survey, file),
        })
    }

    /// The events in the numbering of rows and columns that are learned.
    fn stream(&self, file: &EventFile, plan: &Plan<'_, E>) -> Result<EventStream> {
        let mut rows = copied(plan.rows, NAMES)?;
        if self.method == Method::Adjoint {
            let is_first = |row: u32| self.first_twin[row as usize] == row;
            rows.iter_mut().filter(|row| !is_first(**row)).for_each(|row| *row = NONE);
        }
        let mut numbers = filled(NONE, plan.lambda.len(), NAMES)?;
        for column in &self.columns {
            // The first target alone is that of an outcome whose events are learned.
            column.targets.iter().take(1).for_each(|&target| numbers[target as usize] = column.number);
        }
        let columns = plan.columns.iter();
        let columns = columns.map(|column| column.map_or(NONE, |column| numbers[column as usize]));
        let (n_rows, n_columns) = (plan.alpha.len(), self.columns.len());
        let numbering = Numbering { rows, n_rows, columns: collected(columns, NAMES)?, n_columns };
        EventStream::new(file, numbering)
    }

    /// Lanes in a tile where there are so many and so many threads.
    pub(super) fn width(&self, wanted: Option<usize>, lanes: usize, threads: usize) -> usize {
        let events = [self.rule.alpha.len() as f64, self.facts.slots_of_event()];
        width::<E>(wanted, self.kernel, lanes, events, threads)
    }
}

impl<'a, E: Kernels> Job<'a, E> {
    /// Looks at the events of a file, takes the method that the plan asks for, or the cheaper one, and makes the events ready.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn new(file: &EventFile, plan: &Plan<'a, E>, monitor: &Monitor) -> Result<Self> {
        let look = Look::new(file, plan, monitor)?;
        let stream = look.stream(file, plan)?;
        let (lanes, rows) = match look.method {
            Method::Forward => (look.columns.len(), look.rule.alpha.len()),
            Method::Adjoint => (look.tracked.len(), look.rule.alpha.len() + look.columns.len()),
        };
        let width = look.width(plan.tile, lanes, look.threads);
        let pays = order::pays::<E>(lanes.div_ceil(width), rows, width);
        let fits = |each: u64| {
            let bytes = look.scripted.saturating_add(file.len().saturating_mul(each));
            bytes <= plan.budget as u64
        };
        let scripts = match look.method {
            Method::Forward => {
                let ordered = pays && plan.schedule.is_none() && !plan.average;
                let events = OrderedEvents::all(stream, ordered, fits(EVENT), look.threads, monitor);
                Scripts::Forward(events?)
            }
            Method::Adjoint => {
                let alpha = adjoint::together(&look)?;
                let (beta, kappa) = (look.rule.beta1, look.facts.max_kappa);
                let stepper = || Stepper::new(&alpha, beta, kappa);
                let fits = fits(Stepper::<E>::STEP);
                Scripts::Adjoint(Chunks::new(
                    stream,
                    fits,
                    look.threads,
                    monitor,
                    stepper,
                    |stepper, segment| {
                        let steps = stepper.steps(segment)?;
                        if pays { steps.ordered() } else { Ok(steps) }
                    },
                )?)
            }
        };
        Ok(Self {
            look,
            initial: plan.initial.clone(),
            schedule: plan.schedule.clone(),
            betas: [plan.beta1, plan.beta2],
            average: plan.average,
            tile: plan.tile,
            scripts,
            clock: Clock::default(),
        })
    }

    /// The same, with copies of all that it borrows.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn into_owned(self) -> Result<Job<'static, E>> {
        let Self { look, initial, schedule, betas, average, tile, scripts, clock } = self;
        let initial = initial.map(|Initial { weights, width, columns }| {
            Ok(Initial { weights: owned(weights)?, width, columns: owned(columns)? })
        });
        let schedule = schedule.map(|Schedule { present, absent }| {
            Ok(Schedule { present: owned(present)?, absent: absent.map(owned).transpose()? })
        });
        let (initial, schedule) = (initial.transpose()?, schedule.transpose()?);
        Ok(Job { look, initial, schedule, betas, average, tile, scripts, clock })
    }

    /// How the weights are computed.
    pub fn method(&self) -> Method {
        self.look.method
    }

    /// Which lines of the result a part is made of: columns by the forward method, rows by the adjoint method.
    pub fn lanes(&self) -> Axis {
        match self.look.method {
            Method::Forward => Axis::Columns,
            Method::Adjoint => Axis::Rows,
        }
    }

    /// Rows and columns of the result.
    pub fn shape(&self) -> [usize; 2] {
        [self.look.kept.len(), self.look.rule.lambda.len()]
    }

    /// How many lanes there are.
    pub fn n_lanes(&self) -> usize {
        let [rows, columns] = self.shape();
        if self.lanes() == Axis::Columns { columns } else { rows }
    }

    /// Lanes in a tile, where one thread learns many.
    pub fn width(&self) -> usize {
        self.look.width(self.tile, self.n_lanes().max(1), 1)
    }

    /// Learns all weights into `out`, which must be zero: columns that no event can change are not written.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn learn(&self, out: &Matrix<'_, E>, monitor: &Monitor) -> Result<Report> {
        let tile = self.learn_lanes(0..self.n_lanes(), out, self.look.threads, monitor)?;
        Ok(self.report(tile))
    }

    /// Learns some lanes into `out`, which must be zero and has no others, on so many threads, and returns the width of its tiles. May
    /// be called from many threads at once.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn learn_lanes(
        &self,
        lanes: Range<usize>,
        out: &Matrix<'_, E>,
        threads: usize,
        monitor: &Monitor,
    ) -> Result<usize> {
        let mut shape = self.shape();
        let n_lanes = self.n_lanes();
        if lanes.start > lanes.end || lanes.end > n_lanes {
            return Err(Error::Argument(format!("expected a part of {n_lanes} lanes, found {lanes:?}")));
        }
        let axis = usize::from(self.lanes() == Axis::Columns);
        shape[axis] = lanes.len();
        if shape != out.shape {
            return Err(Error::Argument(format!(
                "expected a result of shape {shape:?}, found {:?}",
                out.shape
            )));
        }
        match &self.scripts {
            Scripts::Forward(chunks) => {
                let columns = self.columns_in(&lanes)?;
                let goal = Goal::Weights(out, lanes.start as u32);
                forward::learn(self, &columns, chunks, &goal, threads, monitor)
            }
            Scripts::Adjoint(chunks) => {
                let rows = self.rows_in(&lanes)?;
                adjoint::learn(self, &rows, lanes.start as u32, chunks, out, threads, monitor)
            }
        }
    }

    /// Learns up to the last token that is to be recorded, and records. Returns the width of the tiles.
    pub(super) fn record(&self, traces: &Traces<'_, E>, monitor: &Monitor) -> Result<usize> {
        // The plan asks for the forward method.
        let Scripts::Forward(chunks) = &self.scripts else { return Ok(0) };
        forward::learn(self, &self.look.columns, chunks, &Goal::Traces(traces), self.look.threads, monitor)
    }

    /// The columns whose results are among some lanes, and of those the ones that are.
    fn columns_in(&self, lanes: &Range<usize>) -> Result<Cow<'_, [LearnedColumn]>> {
        if lanes.len() == self.n_lanes() {
            return Ok(Cow::Borrowed(&self.look.columns));
        }
        let mut columns = Vec::new();
        for column in &self.look.columns {
            let targets = column.targets.iter().copied().filter(|&target| lanes.contains(&(target as usize)));
            let targets = collected(targets, NAMES)?;
            if !targets.is_empty() {
                columns.grow(LearnedColumn { targets, ..*column }, NAMES)?;
            }
        }
        Ok(Cow::Owned(columns))
    }

    /// The rows whose results are among some lanes, and of those the ones that are.
    fn rows_in(&self, lanes: &Range<usize>) -> Result<Cow<'_, [LearnedRow]>> {
        if lanes.len() == self.n_lanes() {
            return Ok(Cow::Borrowed(&self.look.tracked));
        }
        let mut rows = Vec::new();
        for row in &self.look.tracked {
            let targets = row.targets.iter().copied().filter(|target| lanes.contains(&(target.0 as usize)));
            let targets = collected(targets, NAMES)?;
            if !targets.is_empty() {
                rows.grow(LearnedRow { targets, ..*row }, NAMES)?;
            }
        }
        Ok(Cow::Owned(rows))
    }

    /// What every tile needs.
    pub(super) fn run<'r>(&'r self, monitor: &'r Monitor) -> Run<'r, E> {
        let Look { rule, kernel, facts, .. } = &self.look;
        Run { rule, kernel: *kernel, tokens: facts.tokens, monitor, clock: &self.clock }
    }

    /// How it went so far, with tiles of so many lanes.
    pub fn report(&self, tile: usize) -> Report {
        let Look { method, kernel, threads, facts, .. } = self.look;
        Report { method, kernel, tile, threads, busy: self.clock.time(), facts }
    }
}

/// Elements of one's own.
fn owned<T: Copy>(elements: Cow<'_, [T]>) -> Result<Cow<'static, [T]>> {
    Ok(Cow::Owned(match elements {
        Cow::Borrowed(elements) => copied(elements, "a copy of what learning starts from")?,
        Cow::Owned(elements) => elements,
    }))
}

/// Bytes of memory that all events of a file take as scripts.
pub(super) fn scripted(survey: &Survey, file: &EventFile) -> u64 {
    let names = survey.totals.names.saturating_mul(Script::NAME);
    names.saturating_add(file.len().saturating_mul(Script::EVENT))
}

/// A column to learn: the results that it is, and the first event that can change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearnedColumn {
    /// Its number in the events as methods read them.
    pub(super) number: u32,
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
fn columns<E: Clone>(
    survey: &Survey,
    plan: &Plan<'_, E>,
    started: &[bool],
    twins: &[u32],
    facts: &mut Facts,
) -> Result<Vec<LearnedColumn>> {
    let started_first = (0..).zip(started).filter(|(_, started)| **started);
    let column = |target: u32, start: u64, before: u64| {
        Ok(LearnedColumn { number: 0, targets: copied(&[target], NAMES)?, start, before })
    };
    let mut columns: Vec<LearnedColumn> =
        gathered(started_first.map(|(target, _)| column(target, 0, 0)), NAMES)?;
    facts.forward_updates = facts.slots.saturating_mul(columns.len() as u64);
    let mut number = filled(NONE, twins.len(), NAMES)?;
    for (outcome, (&first, &twin)) in survey.first.iter().zip(twins).enumerate() {
        let (Some(target), Some(first)) = (plan.columns[outcome], first) else { continue };
        if started[target as usize] {
            continue;
        }
        facts.forward_updates = facts.forward_updates.saturating_add(facts.slots - first.slots);
        if outcome == twin as usize {
            number[outcome] = columns.len() as u32;
            columns.grow(column(target, first.events, first.tokens)?, NAMES)?;
        } else {
            columns[number[twin as usize] as usize].targets.grow(target, NAMES)?;
        }
    }
    columns.sort_unstable_by_key(|column| (column.start, column.targets[0]));
    (0..).zip(&mut columns).for_each(|(number, column)| column.number = number);
    Ok(columns)
}

/// The rows to learn, and the updates of the adjoint method where twins are learned once; in the facts what it costs otherwise.
fn tracked<E: Clone>(
    survey: &Survey,
    plan: &Plan<'_, E>,
    kept: &[u32],
    twins: &[u32],
    facts: &mut Facts,
) -> Result<(Vec<LearnedRow>, u64)> {
    let mut after_last = filled((0, 0), plan.alpha.len(), NAMES)?;
    for (&row, last) in plan.rows.iter().zip(&survey.after_last) {
        after_last[row as usize] = (last.events, last.slots);
    }
    let (mut all, mut distinct_updates) = (Vec::<LearnedRow>::new(), 0_u64);
    let mut number = filled(NONE, twins.len(), NAMES)?;
    for (target, &row) in (0..).zip(kept) {
        let (end, slots) = after_last[row as usize];
        facts.adjoint_updates = facts.adjoint_updates.saturating_add(slots);
        let twin = twins[row as usize];
        if let Some(tracked) = all.get_mut(number[twin as usize] as usize) {
            tracked.targets.grow((target, row), NAMES)?;
        } else {
            number[twin as usize] = all.len() as u32;
            distinct_updates = distinct_updates.saturating_add(slots);
            let targets = copied(&[(target, row)], NAMES)?;
            all.grow(LearnedRow { row: twin, targets, end }, NAMES)?;
        }
    }
    all.sort_unstable_by_key(|tracked| (Reverse(tracked.end), tracked.row));
    Ok((all, distinct_updates))
}
