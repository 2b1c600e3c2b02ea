//! Learning: what to learn, how, cut into tiles, on threads.
//!
//! [`Plan::learn`] makes a [`Job`] and learns it whole. A job is a plan that was checked (`plan`, `checked`), with what is known of the
//! events (`facts`), the method, and the events as that method reads them (`script`); any part of it may be learned on any thread. Weights are
//! cut into tiles, and threads take one tile after another, or some at a time (`passes`): columns that see the events in order
//! (`forward`, `tile`), or rows that see them backward (`adjoint`, `steps`). Events with rows in common are taken one after another
//! (`order`). A result may be the mean over all tokens (`mean`), weights may be recorded on the way ([`trajectory`]), or learned where
//! they lie ([`in_place`]): by the forward method. [`memory`] says how much of it all this takes.

mod adjoint;
mod checked;
mod clock;
mod facts;
mod forward;
pub mod in_place;
mod job;
mod mean;
pub mod memory;
mod order;
mod passes;
mod plan;
mod run;
mod script;
mod steps;
mod tile;
pub mod trajectory;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::element::Element;
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use adjoint::LearnsRows;
use checked::CheckedPlan;
pub use facts::Facts;
pub use job::{Job, Report};
use memory::Memory;
pub use plan::{Initial, Plan};
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
    /// weight leaves the finite numbers, [`Error::Memory`], [`Error::Stopped`].
    pub fn learn(&self, file: &EventFile, out: &Matrix<'_, E>, monitor: &Monitor) -> Result<Report> {
        Job::new(file, self, monitor)?.learn(out, monitor)
    }

    /// Learns the events of a file up to the last token that is to be recorded, and records weights in `out`, which must be
    /// zero: trace after trace, each token after token, each cell after cell.
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
        if self.method != Some(Method::Forward) || self.average {
            let message = "expected a plan of the forward method without a mean for trajectories";
            return Err(Error::Argument(message.into()));
        }
        let asked =
            recording.predictions.then(|| Asked::new(file, self, recording.tokens, monitor)).transpose()?;
        let job = Job::to_record(file, self, monitor)?;
        let traces = Traces::new(recording, asked, &job.checked, out)?;
        let tile = job.record(&traces, monitor)?;
        let predictions = traces.asked.map(|asked| asked.answered(&job.checked.rule.lambda)).transpose()?;
        Ok((job.report(tile), predictions))
    }
}

/// What learning would be like.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// How the weights would be computed.
    pub method: Method,
    /// About the events.
    pub facts: Facts,
    /// How much memory it would take at most, apart from a result in memory.
    pub memory: Memory,
}

impl<E: Element> Plan<'_, E> {
    /// Looks at the events of a file as learning would, and learns nothing.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn forecast(&self, file: &EventFile, monitor: &Monitor) -> Result<Forecast> {
        let CheckedPlan { method, facts, scripted, .. } = CheckedPlan::new(file, self, monitor)?;
        let each = match method {
            Method::Forward => tile::EVENT,
            Method::Adjoint => Stepper::<E>::STEP,
        };
        let decoded = scripted.saturating_add(file.len().saturating_mul(each));
        let names = [self.alpha.len(), self.lambda.len()];
        let events = decoded.min(self.budget as u64);
        let memory = Memory::needed::<E>(names, facts.slots_of_event(), events, self.threads, method);
        Ok(Forecast { method, facts, memory })
    }
}
