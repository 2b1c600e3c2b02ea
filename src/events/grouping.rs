//! Repeated events that can be learned as one step.
//!
//! Tokens that share no cue commute. So an event and its repetition belong to one step, if no other event between them has one of
//! their cues. A repetition is an event of the same type. Where a file holds events in full, they seldom repeat and are not
//! compared.

use super::chunk::EventList;
use crate::error::Result;
use crate::grow::{Grow, filled};

const STEPS: &str = "the steps of a chunk";

/// No step.
const NONE: u32 = u32::MAX;

/// Finds repetitions among the events of a chunk, which come in order or in reverse.
///
/// Invariant: `last[cue]` is the latest step that has the cue, or `NONE`; `steps` holds the row of each step.
pub(crate) struct Grouping {
    last: Vec<u32>,
    steps: Vec<u32>,
}

impl Grouping {
    /// For cues below `n_cues`.
    pub(crate) fn new(n_cues: usize) -> Result<Self> {
        Ok(Self { last: filled(NONE, n_cues, STEPS)?, steps: Vec::new() })
    }

    /// Begins with a new chunk.
    pub(crate) fn begin(&mut self) {
        self.last.fill(NONE);
        self.steps.clear();
    }

    /// The step that an event of the type `row` repeats, or `None` if it is a step of its own.
    pub(crate) fn step_of(&mut self, rows: &EventList, row: u32) -> Result<Option<usize>> {
        let cues = rows.cues.get(row as usize);
        let last = cues.first().map_or(NONE, |&cue| self.last[cue as usize]);
        if let Some(&earlier) = self.steps.get(last as usize)
            && earlier == row
            && cues.iter().all(|&cue| self.last[cue as usize] == last)
        {
            return Ok(Some(last as usize));
        }
        for &cue in cues {
            self.last[cue as usize] = self.steps.len() as u32;
        }
        self.steps.grow(row, STEPS)?;
        Ok(None)
    }
}
