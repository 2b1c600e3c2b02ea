//! What comes when: the cues and outcomes of each event, decoded.

use super::plan::Data;
use crate::error::{Error, Result};
use crate::events::chunk::EventList;
use crate::events::once::Once;
use crate::grow::{Grow, collected};
use crate::monitor::Monitor;

const TOKENS: &str = "the events to learn";

/// Events between two looks at the monitor.
const POLL_EVERY: usize = 1 << 16;

/// The events of a file, without those of frequency 0, or rows of matrices.
///
/// Invariants: ids of cues and of outcomes are below `names`; `frequencies` has an element for each event, or none.
pub(super) struct Tokens {
    home: Home,
    /// How often each event comes, at least once; empty where all come once.
    frequencies: Vec<u32>,
    /// How many cues and outcomes there are.
    names: [usize; 2],
}

enum Home {
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
                return Ok(Self {
                    home: Home::Rows(collected(0..end, TOKENS)?),
                    frequencies: Vec::new(),
                    names: [n, n],
                });
            }
            Data::Events(file) => file,
        };
        let (mut rows, mut frequencies) = (EventList::default(), Vec::new());
        let mut once = Once::default();
        file.for_each(0..file.len(), |event, cues, named, frequency| {
            if frequency > 0 {
                // A vector is added as often as its outcome is named; without vectors an outcome is there or not.
                rows.push(cues, if has_vectors { named } else { once.of(named)? })?;
                frequencies.grow(frequency, TOKENS)?;
            }
            if event % POLL_EVERY as u64 == 0 { monitor.check() } else { Ok(()) }
        })?;
        if frequencies.iter().all(|&frequency| frequency == 1) {
            frequencies = Vec::new();
        }
        Ok(Self { home: Home::Events(rows), frequencies, names: [file.cues().len(), file.outcomes().len()] })
    }

    /// How many cues and outcomes there are.
    pub(super) fn names(&self) -> [usize; 2] {
        self.names
    }

    /// Events in all, not counting how often they come.
    pub(super) fn len(&self) -> usize {
        match &self.home {
            Home::Events(rows) => rows.len(),
            Home::Rows(numbers) => numbers.len(),
        }
    }

    /// Outcomes of all events together, each event counting once.
    pub(super) fn n_outcomes(&self) -> usize {
        match &self.home {
            Home::Events(rows) => rows.outcomes.items().len(),
            Home::Rows(numbers) => numbers.len(),
        }
    }

    /// The cues of an event.
    #[inline]
    pub(super) fn cues(&self, event: usize) -> &[u32] {
        match &self.home {
            Home::Events(rows) => rows.cues.get(event),
            Home::Rows(numbers) => &numbers[event..=event],
        }
    }

    /// The outcomes of an event.
    #[inline]
    pub(super) fn outcomes(&self, event: usize) -> &[u32] {
        match &self.home {
            Home::Events(rows) => rows.outcomes.get(event),
            Home::Rows(numbers) => &numbers[event..=event],
        }
    }

    /// How often an event comes.
    #[inline]
    pub(super) fn frequency(&self, event: usize) -> u32 {
        self.frequencies.get(event).copied().unwrap_or(1)
    }

    /// How often all events come.
    pub(super) fn total(&self) -> u64 {
        if self.frequencies.is_empty() {
            self.len() as u64
        } else {
            self.frequencies.iter().map(|&frequency| u64::from(frequency)).sum()
        }
    }
}
