//! What a thread works with while persons learn.

use super::script::NONE;
use crate::error::Result;
use crate::events::chunk::EventList;
use crate::kernel::element::Element;
use crate::memory::{Grow, filled};

/// Some trials, by the person's own numbers of rows and columns.
#[derive(Default)]
pub(super) struct OwnTrials {
    pub(super) events: EventList,
    pub(super) frequencies: Vec<u32>,
}

/// What a thread works with: its lists and buffers, which the next person uses again.
#[derive(Default)]
pub(super) struct Desk<E> {
    /// The person's row of each cue, and his column of each outcome, or [`NONE`].
    pub(super) row_of: Vec<u32>,
    pub(super) column_of: Vec<u32>,
    /// The cue of each of his rows, and the outcome of each of his columns.
    pub(super) cues: Vec<u32>,
    pub(super) outcomes: Vec<u32>,
    /// The columns of W_0 that a tile has.
    pub(super) columns: Vec<u32>,
    pub(super) trials: OwnTrials,
    pub(super) weights: Vec<E>,
    pub(super) states: Vec<E>,
    pub(super) lanes: Vec<E>,
    pub(super) room: Vec<E>,
    pub(super) before: Vec<E>,
    pub(super) last: Vec<u64>,
}

impl<E: Element> Desk<E> {
    pub(super) fn new(n_cues: usize, n_outcomes: usize) -> Result<Self> {
        Ok(Self { row_of: filled(NONE, n_cues)?, column_of: filled(NONE, n_outcomes)?, ..Self::default() })
    }

    /// Gets ready for the next person.
    pub(super) fn clear(&mut self) {
        self.cues.drain(..).for_each(|cue| self.row_of[cue as usize] = NONE);
        self.outcomes.drain(..).for_each(|outcome| self.column_of[outcome as usize] = NONE);
        self.trials.events.cues.clear();
        self.trials.events.outcomes.clear();
        self.trials.frequencies.clear();
    }
}

/// The number of a name in a list of those that were met, which it joins if it is new.
pub(super) fn met(numbers: &mut [u32], names: &mut Vec<u32>, name: u32) -> Result<u32> {
    let number = &mut numbers[name as usize];
    if *number == NONE {
        *number = names.len() as u32;
        names.grow(name)?;
    }
    Ok(*number)
}

/// `n` elements of a list that may have been used before, all of this value.
pub(super) fn renewed<T: Clone>(list: &mut Vec<T>, n: usize, value: T) -> Result<&mut [T]> {
    list.clear();
    list.grow_to(n, value)?;
    Ok(list)
}
