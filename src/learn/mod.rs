//! Learning: a plan becomes a job, a job is cut into tiles, and threads learn the tiles.
//!
//! [`Plan::learn`] makes a [`Job`] and learns all of it. A job is a plan that was checked (`plan`, `checked`), with the facts
//! about the events (`facts`), the method, and the events as that method reads them (`script`). Any part of it may be learned on
//! any thread.
//!
//! Weights are cut into tiles, and each thread takes one tile after another, or several at a time. A tile has columns, which
//! learn the events in order (`forward`, `tile`), or rows, which go through the events backward (`adjoint`, `steps`). Where
//! it pays, events that share rows are reordered to come one after another (`order`), which changes no bit.
//!
//! The forward method can also give the mean of the weights over all tokens (`mean`), record weights at chosen tokens
//! ([`trajectory`]), or learn in the caller's array ([`in_place`]). [`memory`] says how much memory all this takes at most.

mod adjoint;
pub(crate) mod checked;
mod facts;
pub(crate) mod forward;
mod general;
pub mod in_place;
mod job;
mod mean;
pub mod memory;
mod order;
mod plan;
pub(crate) mod run;
pub(crate) mod script;
mod steps;
pub(crate) mod stretch;
pub(crate) mod targets;
pub(crate) mod tile;
pub mod trajectory;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::element::Element;
use crate::monitor::Monitor;
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::rules::rule::Rule;
pub use crate::tiles::home::Initial;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use adjoint::LearnsRows;
use checked::CheckedPlan;
pub use facts::Facts;
pub use job::{Job, Report};
use memory::Memory;
pub use plan::Plan;
pub use script::BUDGET;
use steps::Stepper;
use tile::LearnsColumns;
use trajectory::{Asked, Predictions, Recording, Traces};

/// An element that can be learned by both methods: `f64` or `f32`.
pub trait Kernels: LearnsColumns + LearnsRows {}

impl<E: LearnsColumns + LearnsRows> Kernels for E {}

impl<E: Kernels> Plan<'_, E> {
    /// Learns the events of a file into `out`, which must be zero: columns that no event can change are not written.
    ///
    /// # Errors
    /// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
    /// weight becomes infinite or NaN, [`Error::Memory`], [`Error::Stopped`].
    pub fn learn(&self, file: &EventFile, out: &Matrix<'_, E>, monitor: &Monitor) -> Result<Report> {
        Job::new(file, self, monitor)?.learn(out, monitor)
    }

    /// The same by a rule, with a result for each state that it has besides weights, or for none ([`Job::learn_with`]).
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
        Job::by(rule, file, self, monitor)?.learn_with(out, states, monitor)
    }

    /// Learns the events of a file up to the last token to record, and records weights in `out`, which must be zero. The order in
    /// `out` is trace, then token, then cell.
    ///
    /// # Errors
    /// Those of [`Plan::learn`]; [`Error::Argument`] where the recording does not fit the plan or `out`.
    pub fn trajectories(
        &self,
        file: &EventFile,
        recording: &Recording<'_>,
        out: &mut [E],
        monitor: &Monitor,
    ) -> Result<(Report, Option<Predictions<E>>)> {
        self.trajectories_by(RescorlaWagner, file, recording, out, monitor)
    }

    /// The same by a rule.
    ///
    /// # Errors
    /// As [`Plan::trajectories`].
    pub fn trajectories_by<R: Rule<E>>(
        &self,
        rule: R,
        file: &EventFile,
        recording: &Recording<'_>,
        out: &mut [E],
        monitor: &Monitor,
    ) -> Result<(Report, Option<Predictions<E>>)> {
        if self.method != Some(Method::Forward) || self.average {
            let message = "expected a plan of the forward method without a mean for trajectories";
            return Err(Error::Argument(message.into()));
        }
        let asked =
            recording.predictions.then(|| Asked::new(file, self, recording.tokens, monitor)).transpose()?;
        let job = Job::to_record(rule, file, self, monitor)?;
        let traces = Traces::new(recording, asked, &job.checked, out)?;
        let tile = job.record(&traces, monitor)?;
        let predictions = traces.asked.map(|asked| asked.answered(&job.checked.rule.lambda)).transpose()?;
        Ok((job.report(tile), predictions))
    }
}

/// The forecast of a plan: what learning would need.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The method that computes the weights.
    pub method: Method,
    /// About the events.
    pub facts: Facts,
    /// How much memory it would take at most, apart from a result in memory.
    pub memory: Memory,
}

impl<E: Element> Plan<'_, E> {
    /// Checks the events of a file as learning would, and learns nothing.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn forecast(&self, file: &EventFile, monitor: &Monitor) -> Result<Forecast> {
        let CheckedPlan { method, facts, scripted, .. } =
            CheckedPlan::new::<RescorlaWagner>(file, self, monitor)?;
        let each = match method {
            Method::Forward => stretch::EVENT,
            Method::Adjoint => Stepper::<E>::STEP,
        };
        let decoded = scripted.saturating_add(file.len().saturating_mul(each));
        let names = [self.alpha.len(), self.lambda.len()];
        let events = decoded.min(self.budget as u64);
        let memory = Memory::needed::<E>(names, facts.slots_of_event(), events, self.threads, method);
        Ok(Forecast { method, facts, memory })
    }
}
