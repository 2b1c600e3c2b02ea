//! What comes when: the cues and outcomes of each event, decoded.

use crate::error::{Error, Result};
use crate::events::chunk::EventList;
use crate::events::data::Data;
use crate::learn::script::{EventStream, Numbering};
use crate::memory::{Grow, collected};
use crate::monitor::Monitor;

/// The events of a file, without those of frequency 0, or rows of matrices.
///
/// Invariants: ids of cues and of outcomes are those of names; `frequencies` has an element for each event, or none.
pub(super) struct Tokens {
    home: TokenHome,
    /// How often each event comes, at least once; empty where all come once.
    frequencies: Vec<u32>,
}

enum TokenHome {
    Events(EventList),
    /// 0, 1, 2 ...: of each row its cue and its outcome.
    Rows(Vec<u32>),
}

impl Tokens {
    /// Reads them. An outcome that an event names twice is in it twice if outcomes have vectors, and once otherwise.
    ///
    /// # Errors
    /// [`Error::Format`] for a damaged file, [`Error::Argument`] for too many rows, [`Error::Stopped`].
    pub(super) fn read(data: &Data<'_>, has_vectors: bool, monitor: &Monitor) -> Result<Self> {
        let file = match *data {
            Data::Rows(n) => {
                let end = u32::try_from(n).map_err(|_| {
                    Error::Argument(format!("expected fewer than 2^32 rows, found {n}; learn them in parts"))
                })?;
                return Ok(Self { home: TokenHome::Rows(collected(0..end)?), frequencies: Vec::new() });
            }
            Data::Events(file) => file,
        };
        // A vector is added as often as its outcome is named; without vectors an outcome is there or not.
        let stream = EventStream::new(file, Numbering::of_names(file, !has_vectors)?)?;
        let (mut rows, mut frequencies) = (EventList::default(), Vec::new());
        for chunk in 0..stream.n_chunks() {
            monitor.check()?;
            stream.visit(chunk, |segment| {
                for i in (0..segment.len).filter(|&i| segment.frequency(i) > 0) {
                    let row = segment.row(i) as usize;
                    rows.push(segment.rows.cues.get(row), segment.rows.outcomes.get(row))?;
                    frequencies.grow(segment.frequency(i))?;
                }
                Ok(())
            })?;
        }
        if frequencies.iter().all(|&frequency| frequency == 1) {
            frequencies = Vec::new();
        }
        Ok(Self { home: TokenHome::Events(rows), frequencies })
    }

    /// Events in all, not counting how often they come.
    pub(super) fn len(&self) -> usize {
        match &self.home {
            TokenHome::Events(rows) => rows.len(),
            TokenHome::Rows(numbers) => numbers.len(),
        }
    }

    /// Outcomes of all events together, each event counting once.
    pub(super) fn n_outcomes(&self) -> usize {
        match &self.home {
            TokenHome::Events(rows) => rows.outcomes.items().len(),
            TokenHome::Rows(numbers) => numbers.len(),
        }
    }

    /// The cues of an event.
    #[inline]
    pub(super) fn cues(&self, event: usize) -> &[u32] {
        match &self.home {
            TokenHome::Events(rows) => rows.cues.get(event),
            TokenHome::Rows(numbers) => &numbers[event..=event],
        }
    }

    /// The outcomes of an event.
    #[inline]
    pub(super) fn outcomes(&self, event: usize) -> &[u32] {
        match &self.home {
            TokenHome::Events(rows) => rows.outcomes.get(event),
            TokenHome::Rows(numbers) => &numbers[event..=event],
        }
    }

    /// How often an event comes.
    #[inline]
    pub(super) fn frequency(&self, event: usize) -> u32 {
        self.frequencies.get(event).copied().unwrap_or(1)
    }
}
