//! What learning would need, without learning.

use super::adjoint_steps::Stepper;
use super::checked_plan::CheckedPlan;
use super::costs::Facts;
use super::memory::Memory;
use super::plan::Plan;
use super::stretch::EVENT;
use crate::error::Result;
use crate::events::EventFile;
use crate::kernel::element::Element;
use crate::monitor::Monitor;
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::tiles::method::Method;

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
            Method::Forward => EVENT,
            Method::Adjoint => Stepper::<E>::STEP,
        };
        let decoded = scripted.saturating_add(file.len().saturating_mul(each));
        let names = [self.alpha.len(), self.lambda.len()];
        let events = decoded.min(self.budget as u64);
        let memory = Memory::needed::<E>(names, facts.slots_of_event(), events, self.threads, method);
        Ok(Forecast { method, facts, memory })
    }
}
