//! Repeated events that can be learned as one step.
//!
//! Two tokens without a common cue can be learned in either order. So an event and a later event of the same type form one step,
//! if no other event between them has one of their cues. Where a file holds events in full, events seldom repeat, so they are not
//! compared.

use super::chunk::EventList;
use crate::error::Result;
use crate::grow::{Grow, filled};

const STEPS: &str = "the steps of a chunk";

/// No step.
const NONE: u32 = u32::MAX;

/// Finds the events of a chunk that repeat an earlier one. The events are added in order or in reverse.
///
/// Invariant: `last[cue]` is the latest step that has the cue, or `NONE`; `steps` has the event type of each step.
pub(crate) struct Grouping {
    last: Vec<u32>,
    steps: Vec<u32>,
}

impl Grouping {
    /// For cues below `n_cues`.
    pub(crate) fn new(n_cues: usize) -> Result<Self> {
        Ok(Self { last: filled(NONE, n_cues, STEPS)?, steps: Vec::new() })
    }

    /// Forgets all steps, for a new chunk.
    pub(crate) fn begin(&mut self) {
        self.last.fill(NONE);
        self.steps.clear();
    }

    /// Adds an event of a type. Returns the step that the event repeats, or `None` if the event is a new step.
    pub(crate) fn add(&mut self, types: &EventList, event_type: u32) -> Result<Option<usize>> {
        let cues = types.cues.get(event_type as usize);
        let last = cues.first().map_or(NONE, |&cue| self.last[cue as usize]);
        if let Some(&earlier) = self.steps.get(last as usize)
            && earlier == event_type
            && cues.iter().all(|&cue| self.last[cue as usize] == last)
        {
            return Ok(Some(last as usize));
        }
        for &cue in cues {
            self.last[cue as usize] = self.steps.len() as u32;
        }
        self.steps.grow(event_type, STEPS)?;
        Ok(None)
    }
}
