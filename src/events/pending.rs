//! The events that wait to become a chunk of a file, packed as they come.

use super::chunk::{HEAD, IN_FULL, OF_TYPES};
use super::format::{CHUNK_EVENTS, CHUNK_SLOTS, LONGEST_ONES, seal};
use super::packed::Packed;
use crate::error::{Error, Result};
use crate::memory::Grow;

/// A chunk is full with this many names.
const FULL: usize = 1 << 20;

/// Events in full, or as the indices of their types.
///
/// Invariant: the arrays are those of [`super::chunk`]; arrays that only events in full have are empty where events are indices.
#[derive(Debug, Default)]
pub(super) struct Pending {
    by_type: bool,
    /// Of each event the index of its type, or its number of cues.
    rows: Packed<u32>,
    n_outcomes: Packed<u32>,
    cues: Packed<u32>,
    outcomes: Packed<u32>,
    frequencies: Packed<u32>,
}

impl Pending {
    /// Begins empty; events will be indices of types if `by_type`.
    pub(super) fn new(by_type: bool) -> Self {
        Self { by_type, ..Self::default() }
    }

    /// Whether events are indices of their types.
    pub(super) fn is_by_type(&self) -> bool {
        self.by_type
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the chunk is full.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= CHUNK_EVENTS || self.cues.len() + self.outcomes.len() >= FULL
    }

    /// Whether an event of so many cues and outcomes has to begin a new chunk, since this one has events already and would get
    /// more than [`CHUNK_SLOTS`] of them.
    #[inline]
    pub(super) fn has_no_room_for(&self, n_cues: usize, n_outcomes: usize) -> bool {
        !self.is_empty() && (self.cues.len() + n_cues).max(self.outcomes.len() + n_outcomes) > CHUNK_SLOTS
    }

    /// Appends an event by the index of its type.
    #[inline]
    pub(super) fn push_type(&mut self, event_type: u32, frequency: u32) -> Result<()> {
        debug_assert!(self.by_type, "types with types alone");
        self.rows.push(event_type)?;
        self.frequencies.push(frequency)
    }

    /// Appends an event in full.
    #[inline]
    pub(super) fn push(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        debug_assert!(!self.by_type, "rows with rows alone");
        // A list whose length does not fit has too many names; it is refused when the chunk is encoded.
        self.rows.push(cues.len() as u32)?;
        self.n_outcomes.push(outcomes.len() as u32)?;
        self.cues.extend(cues)?;
        self.outcomes.extend(outcomes)?;
        self.frequencies.push(frequency)
    }

    /// Replaces the content of `out` by the bytes of the chunk, and removes the events. `out` is reused, so that no new pages of
    /// memory are needed.
    ///
    /// # Errors
    /// When it has more than [`CHUNK_SLOTS`] slots.
    pub(super) fn encode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let form = if self.by_type { OF_TYPES } else { IN_FULL };
        let head = [form, n_slots(self.len())?, n_slots(self.cues.len())?, n_slots(self.outcomes.len())?];
        out.clear();
        out.grow_to(HEAD, 0)?;
        let Self { rows, n_outcomes, cues, outcomes, frequencies, .. } = self;
        let mut widths = 0;
        for (i, array) in [rows, n_outcomes, cues, outcomes, frequencies].into_iter().enumerate() {
            array.spell_out_beyond(LONGEST_ONES)?;
            widths |= array.take(out)? << (4 * i);
        }
        for (field, place) in [widths].iter().chain(&head).zip(out[4..HEAD].as_chunks_mut::<4>().0) {
            *place = field.to_le_bytes();
        }
        seal(0, out)
    }
}

/// A number of slots as a chunk has it.
fn n_slots(n: usize) -> Result<u32> {
    let field = u32::try_from(n).ok().filter(|_| n <= CHUNK_SLOTS);
    field.ok_or_else(|| {
        let expected = format!("at most {CHUNK_SLOTS} names in an event");
        Error::defect(expected, format!("{n}"), "split the event")
    })
}
