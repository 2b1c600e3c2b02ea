//! What is worth knowing of the events before learning, and what each method would cost.

use super::steps::Grouping;
use crate::error::Result;
use crate::events::chunk::EventList;
use crate::events::survey::{Survey, Visitor};
use crate::tiles::method::Method;
use crate::tiles::rule::Kappa;

/// What is worth knowing about the events before learning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facts {
    /// The greatest sum of alpha * m^2 over the cues of an event.
    pub max_kappa: f64,
    /// Cue slots over all tokens.
    pub slots: u64,
    /// Updates of the forward method: cue slots from the first occurrence of each outcome on, summed over the outcomes.
    pub forward_updates: u64,
    /// Updates of the adjoint method: cue slots up to the last occurrence of each cue, summed over the cues.
    pub adjoint_updates: u64,
    /// Rows of weights and of sums that the adjoint method visits, with repeated events taken as one, in a pass over all
    /// events.
    pub visits: u64,
    /// Events of frequency 1 or more, each as often as its frequency says.
    pub tokens: u64,
}

impl Facts {
    /// Of events with so many tokens, before the updates are counted.
    pub(super) fn of(survey: &Survey, costs: &Costs<'_>, tokens: u64) -> Self {
        let (max_kappa, visits) = (costs.max_kappa, costs.visits);
        Self { max_kappa, slots: survey.slots, visits, tokens, ..Self::default() }
    }

    /// Updates of a method.
    pub fn updates(&self, method: Method) -> u64 {
        match method {
            Method::Forward => self.forward_updates,
            Method::Adjoint => self.adjoint_updates,
        }
    }

    /// Cues of an event, in the mean.
    pub(super) fn slots_of_event(&self) -> f64 {
        self.slots as f64 / self.tokens.max(1) as f64
    }
}

/// What a survey costs for the learner.
pub(super) struct Costs<'a> {
    rows: &'a [u32],
    alpha: &'a [f64],
    kappa: Kappa,
    grouping: Grouping,
    max_kappa: f64,
    visits: u64,
}

impl<'a> Costs<'a> {
    /// `rows[cue]` is the row of each of the file's cues, below `alpha.len()`.
    pub(super) fn new(rows: &'a [u32], alpha: &'a [f64]) -> Result<Self> {
        let (kappa, grouping) = (Kappa::new(rows.len())?, Grouping::new(rows.len())?);
        Ok(Self { rows, alpha, kappa, grouping, max_kappa: 0.0, visits: 0 })
    }
}

impl Visitor for Costs<'_> {
    fn begin_chunk(&mut self) {
        self.grouping.begin();
    }

    fn visit(&mut self, rows: &EventList, row: u32, outcomes: &[u32], new: bool) -> Result<()> {
        let cues = rows.cues.get(row as usize);
        if new {
            let kappa = self.kappa.of(cues, |cue| self.alpha[self.rows[cue as usize] as usize]);
            self.max_kappa = self.max_kappa.max(kappa);
        }
        if self.grouping.step_of(rows, row)?.is_none() {
            self.visits += (cues.len() + outcomes.len()) as u64;
        }
        Ok(())
    }
}
