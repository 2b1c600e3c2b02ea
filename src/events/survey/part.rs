//! The survey of some consecutive chunks, as if they were the first ones.

use std::ops::Range;

use super::summary::{Position, Totals};
use crate::error::Result;
use crate::events::chunk::Body;
use crate::events::distinct::Distinct;
use crate::events::file::EventFile;
use crate::events::grouping::Grouping;
use crate::events::kappa::Kappa;
use crate::events::twins::Twins;
use crate::memory::filled;
use crate::monitor::{Monitor, Pulse};

/// The survey of consecutive chunks. Positions are counted from the first of them.
pub(super) struct Part {
    /// The position of each outcome's first event.
    pub(super) first: Vec<Option<Position>>,
    /// For each cue the position after its last event.
    pub(super) after_last: Vec<Option<Position>>,
    pub(super) cue_twins: Twins,
    pub(super) outcome_twins: Twins,
    /// The position after all events.
    pub(super) end: Position,
    pub(super) totals: Totals,
}

impl Part {
    /// Surveys some chunks.
    ///
    /// # Errors
    /// Those of decoding; [`crate::error::Error::Stopped`].
    pub(super) fn of(file: &EventFile, chunks: Range<usize>, monitor: &Monitor) -> Result<Self> {
        let types = file.types()?;
        let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
        let one_class = |n: usize| Twins::new((0..n).map(|_| Some(0)));
        let mut part = Self {
            first: filled(None, n_outcomes)?,
            after_last: filled(None, n_cues)?,
            cue_twins: one_class(n_cues)?,
            outcome_twins: one_class(n_outcomes)?,
            end: Position::default(),
            totals: Totals::default(),
        };
        let (mut kappa, mut grouping, mut once) =
            (Kappa::new(n_cues)?, Grouping::new(n_cues)?, Distinct::default());
        let mut seen = filled(false, types.len())?;
        for index in chunks {
            monitor.check()?;
            let chunk = file.chunk(index)?;
            grouping.begin();
            let mut pulse = Pulse::default();
            for i in 0..chunk.body.len() {
                let frequency = u64::from(chunk.frequency(i));
                let (rows, row, new) = match &chunk.body {
                    Body::Full(rows) => (rows, i, true),
                    Body::Types(indices) => (types, indices[i] as usize, !seen[indices[i] as usize]),
                };
                let (cues, outcomes) = (rows.cues.get(row), once.of(rows.outcomes.get(row))?);
                let names = cues.len() + outcomes.len();
                part.totals.names += names as u64;
                pulse.beat(names, monitor)?;
                let here = part.end;
                part.end.events += 1;
                if frequency == 0 {
                    continue;
                }
                if new {
                    if let Body::Types(indices) = &chunk.body {
                        seen[indices[i] as usize] = true;
                    }
                    for &outcome in outcomes {
                        part.first[outcome as usize].get_or_insert(here);
                    }
                    part.cue_twins.split(cues.iter().copied())?;
                    part.outcome_twins.split(outcomes.iter().copied())?;
                    // An exact whole number: an event has at most 2^24 cues, so this is at most 2^48.
                    let squares = kappa.of(cues, |_| 1.0) as u64;
                    part.totals.squares = part.totals.squares.max(squares);
                }
                let end = &mut part.end;
                end.tokens = end.tokens.saturating_add(frequency);
                end.slots = end.slots.saturating_add(frequency.saturating_mul(cues.len() as u64));
                for &cue in cues {
                    part.after_last[cue as usize] = Some(*end);
                }
                if grouping.add(rows, row as u32)?.is_none() {
                    part.totals.visits += names as u64;
                }
            }
        }
        part.totals.slots = part.end.slots;
        Ok(part)
    }
}
