//! A job: a plan that was checked, with its events made ready once. Any part of it may then be learned, in any order, on any
//! thread.

use std::borrow::Cow;
use std::ops::Range;

use super::adjoint::{self, Kernels};
use super::adjoint_steps::{Stepper, Steps};
use super::checked_plan::{CheckedPlan, LearnedColumn, LearnedRow, Start};
use super::costs::Facts;
use super::forward::{self, Goal};
use super::order;
use super::plan::Plan;
use super::script::Chunks;
use super::stretch::OrderedEvents;
use super::tile::Run;
use super::trajectory::{Asked, Predictions, Recording, Records, Traces};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::isa::Isa;
use crate::memory::{Grow, collected, copied};
use crate::monitor::Monitor;
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::rules::rule::{MOST_STATES, Rule};
use crate::tiles::home::Initial;
use crate::tiles::method::Method;
use crate::tiles::result::{Axis, Matrix};
use crate::tiles::rule::Schedule;

/// How the learning went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How the weights were computed.
    pub method: Method,
    /// The instruction set.
    pub kernel: Isa,
    /// Lanes in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// The facts about the events.
    pub facts: Facts,
}

/// All that a method needs, checked, and the events as it reads them.
pub struct Job<'a, E: Clone, R> {
    rule: R,
    checked: CheckedPlan<E>,
    start: Start<'a, E>,
    scripts: Scripts<E>,
}

/// The events as a method reads them.
enum Scripts<E> {
    Forward(Chunks<OrderedEvents>),
    Adjoint(Chunks<Steps<E>>),
}

impl<'a, E: Kernels, R: Rule<E>> Job<'a, E, R> {
    /// Checks the events of a file, chooses the plan's method or else the cheaper one that the rule has, and makes the events ready.
    ///
    /// # Errors
    /// As [`Plan::learn_by`].
    pub fn by(rule: R, file: &EventFile, plan: &Plan<'a, E>, monitor: &Monitor) -> Result<Self> {
        // Other rules may remember the order of events, and forgetting counts tokens.
        let plain = plan.schedule.is_none() && !plan.average && plan.retention == 1.0 && R::KERNEL;
        Self::prepared(rule, file, plan, plain, monitor)
    }

    /// The same; the forward method reorders events only if `may_reorder`.
    fn prepared(
        rule: R,
        file: &EventFile,
        plan: &Plan<'a, E>,
        may_reorder: bool,
        monitor: &Monitor,
    ) -> Result<Self> {
        let n_states = rule.state().as_ref().len();
        let given = plan.initial.as_ref().map_or(0, |initial| initial.states.len());
        let one = plan.initial.as_ref().map_or(0, |initial| initial.weights.len());
        if n_states > MOST_STATES || given != 0 && Some(given) != one.checked_mul(n_states) {
            return Err(Error::Argument(format!(
                "expected {MOST_STATES} states at most, as many of them to begin with as of weights, found {n_states} \
                 with {given} numbers"
            )));
        }
        let checked = CheckedPlan::new::<R>(file, plan, monitor)?;
        let retention = checked.retention.as_ref();
        let mut stream = checked.stream(file, plan)?;
        if retention.is_some() && checked.method == Method::Adjoint {
            stream = stream.counted(monitor)?;
        }
        let (lanes, rows) = match checked.method {
            Method::Forward => (checked.columns.len(), checked.rule.alpha.len()),
            Method::Adjoint => (checked.tracked.len(), checked.rule.alpha.len() + checked.columns.len()),
        };
        let width = checked.width(lanes, checked.threads);
        let pays = order::pays::<E>(lanes.div_ceil(width), rows, width);
        let fits = checked.decoded <= plan.budget as u64;
        let scripts = match checked.method {
            Method::Forward => {
                let ordered = pays && may_reorder;
                let events = OrderedEvents::all(stream, ordered, fits, checked.threads, monitor);
                Scripts::Forward(events?)
            }
            Method::Adjoint => {
                let alpha = adjoint::saliences_of_twins(&checked)?;
                let (beta, kappa) = (checked.rule.beta1, checked.facts.max_kappa);
                let stepper = || Stepper::new(&alpha, beta, retention, kappa);
                Scripts::Adjoint(Chunks::new(
                    stream,
                    fits,
                    checked.threads,
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
            rule,
            checked,
            start: Start {
                initial: plan.initial.clone(),
                schedule: plan.schedule.clone(),
                betas: [plan.beta1, plan.beta2],
                average: plan.average,
            },
            scripts,
        })
    }

    /// A job that owns copies of everything that this one borrows.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn into_owned(self) -> Result<Job<'static, E, R>> {
        let Self { rule, checked, start, scripts } = self;
        let Start { initial, schedule, betas, average } = start;
        let initial = initial.map(|Initial { weights, width, columns, states }| {
            Ok(Initial { weights: owned(weights)?, width, columns: owned(columns)?, states: owned(states)? })
        });
        let schedule = schedule.map(|Schedule { present, absent }| {
            Ok(Schedule { present: owned(present)?, absent: absent.map(owned).transpose()? })
        });
        let (initial, schedule) = (initial.transpose()?, schedule.transpose()?);
        let start = Start { initial, schedule, betas, average };
        Ok(Job { rule, checked, start, scripts })
    }

    /// How the weights are computed.
    pub fn method(&self) -> Method {
        self.checked.method
    }

    /// Which lines of the result a part is made of: columns by the forward method, rows by the adjoint method.
    pub fn lanes(&self) -> Axis {
        match self.checked.method {
            Method::Forward => Axis::Columns,
            Method::Adjoint => Axis::Rows,
        }
    }

    /// Rows and columns of the result.
    pub fn shape(&self) -> [usize; 2] {
        [self.checked.kept.len(), self.checked.rule.lambda.len()]
    }

    /// The number of lanes.
    pub fn n_lanes(&self) -> usize {
        let [rows, columns] = self.shape();
        if self.lanes() == Axis::Columns { columns } else { rows }
    }

    /// Lanes in a tile, where one thread learns all lanes.
    pub fn width(&self) -> usize {
        self.checked.width(self.n_lanes().max(1), 1)
    }

    /// Learns some lanes on `threads` threads, and returns the width of the tiles. `out` must be zero and hold these lanes alone.
    /// May be called from many threads at once.
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
        self.learn_part(lanes, out, &[], threads, monitor)
    }

    fn learn_part(
        &self,
        lanes: Range<usize>,
        out: &Matrix<'_, E>,
        states: &[Matrix<'_, E>],
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
        if let Some(wrong) = states.iter().chain([out]).find(|out| out.shape != shape) {
            return Err(Error::Argument(format!(
                "expected a result of shape {shape:?}, found {:?}",
                wrong.shape
            )));
        }
        let n_states = self.rule.state().as_ref().len();
        if !states.is_empty() && states.len() != n_states {
            return Err(Error::Argument(format!(
                "expected results for {n_states} states, found {}",
                states.len()
            )));
        }
        let (checked, run) = (&self.checked, self.run(monitor));
        match &self.scripts {
            Scripts::Forward(chunks) => {
                let columns = self.columns_in(&lanes)?;
                let goal = Goal::Weights(out, lanes.start as u32, states);
                forward::learn(checked, (&self.start, &self.rule), &columns, chunks, &goal, threads, &run)
            }
            Scripts::Adjoint(chunks) => {
                let rows = self.rows_in(&lanes)?;
                let initial = self.start.initial.as_ref();
                adjoint::learn(checked, initial, (&rows, lanes.start as u32), chunks, out, threads, &run)
            }
        }
    }

    /// Learns up to the last token to record, and records the weights. Returns the width of the tiles.
    fn record(&self, traces: &Traces<'_, E>, monitor: &Monitor) -> Result<usize> {
        // The plan asks for the forward method.
        let Scripts::Forward(chunks) = &self.scripts else { return Ok(0) };
        let (checked, start) = (&self.checked, (&self.start, &self.rule));
        let (goal, run) = (Goal::Traces(traces), self.run(monitor));
        forward::learn(checked, start, &checked.columns, chunks, &goal, checked.threads, &run)
    }

    /// The columns whose targets are among some lanes, each with these targets alone.
    fn columns_in(&self, lanes: &Range<usize>) -> Result<Cow<'_, [LearnedColumn]>> {
        if lanes.len() == self.n_lanes() {
            return Ok(Cow::Borrowed(&self.checked.columns));
        }
        let mut columns = Vec::new();
        for column in &self.checked.columns {
            let targets = column.targets.iter().copied().filter(|&target| lanes.contains(&(target as usize)));
            let targets = collected(targets)?;
            if !targets.is_empty() {
                columns.grow(LearnedColumn { targets, ..*column })?;
            }
        }
        Ok(Cow::Owned(columns))
    }

    /// The rows whose targets are among some lanes, each with these targets alone.
    fn rows_in(&self, lanes: &Range<usize>) -> Result<Cow<'_, [LearnedRow]>> {
        if lanes.len() == self.n_lanes() {
            return Ok(Cow::Borrowed(&self.checked.tracked));
        }
        let mut rows = Vec::new();
        for row in &self.checked.tracked {
            let targets = row.targets.iter().copied().filter(|target| lanes.contains(&(target.0 as usize)));
            let targets = collected(targets)?;
            if !targets.is_empty() {
                rows.grow(LearnedRow { targets, ..*row })?;
            }
        }
        Ok(Cow::Owned(rows))
    }

    /// What every tile needs.
    fn run<'r>(&'r self, monitor: &'r Monitor) -> Run<'r, E> {
        let CheckedPlan { rule, kernel, facts, .. } = &self.checked;
        Run { rule, kernel: *kernel, tokens: facts.tokens, monitor }
    }

    /// The report so far, for tiles of `tile` lanes.
    pub fn report(&self, tile: usize) -> Report {
        let CheckedPlan { method, kernel, threads, facts, .. } = self.checked;
        Report { method, kernel, tile, threads, facts }
    }
}

/// The elements of a list, copied into a list of their own.
fn owned<T: Copy>(elements: Cow<'_, [T]>) -> Result<Cow<'static, [T]>> {
    Ok(Cow::Owned(match elements {
        Cow::Borrowed(elements) => copied(elements)?,
        Cow::Owned(elements) => elements,
    }))
}

impl<E: Kernels> Plan<'_, E> {
    /// Learns the events of a file into `out`, which must be zero: columns that no event can change are not written.
    ///
    /// # Errors
    /// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
    /// weight becomes infinite or NaN, [`Error::Memory`], [`Error::Stopped`].
    pub fn learn(&self, file: &EventFile, out: &Matrix<'_, E>, monitor: &Monitor) -> Result<Report> {
        self.learn_by(RescorlaWagner, file, out, &[], monitor)
    }

    /// The same by a rule, with a result for each state that it has besides weights, or for none. Each must hold what the state
    /// begins with: columns that no event can change are not written.
    ///
    /// # Errors
    /// Those of [`Plan::learn`]; [`Error::Argument`] for the adjoint method where the rule has none.
    pub fn learn_by<R: Rule<E>>(
        &self,
        rule: R,
        file: &EventFile,
        out: &Matrix<'_, E>,
        states: &[Matrix<'_, E>],
        monitor: &Monitor,
    ) -> Result<Report> {
        let job = Job::by(rule, file, self, monitor)?;
        let tile = job.learn_part(0..job.n_lanes(), out, states, job.checked.threads, monitor)?;
        Ok(job.report(tile))
    }

    /// Learns the events of a file by a rule up to the last token to record, and records in `out`.
    ///
    /// # Errors
    /// Those of [`Plan::learn`]; [`Error::Argument`] where the recording does not fit the plan or `out`.
    pub fn trajectories<R: Rule<E>>(
        &self,
        rule: R,
        file: &EventFile,
        recording: &Recording<'_>,
        out: Records<'_, E>,
        monitor: &Monitor,
    ) -> Result<(Report, Option<Predictions<E>>)> {
        if self.method != Some(Method::Forward) || self.average {
            let message = "expected a plan of the forward method without a mean for trajectories";
            return Err(Error::Argument(message.into()));
        }
        let asked =
            recording.predictions.then(|| Asked::new(file, self, recording.tokens, monitor)).transpose()?;
        // Events keep their order.
        let job = Job::prepared(rule, file, self, false, monitor)?;
        let traces = Traces::new(recording, asked, &job.checked, out)?;
        let tile = job.record(&traces, monitor)?;
        let predictions = traces.asked.map(|asked| asked.answered(&job.checked.rule.lambda)).transpose()?;
        Ok((job.report(tile), predictions))
    }
}
