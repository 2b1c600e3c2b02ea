//! One look at all events: what occurs where, and what occurs together.

use super::alike::Alike;
use super::chunk::{Body, Chunk, EventList};
use super::once::Once;
use super::twins::Twins;
use super::{EventFile, LOOK_EVERY};
use crate::error::Result;
use crate::grow::{Grow, filled};
use crate::monitor::Monitor;

const NAMES: &str = "what is known of each name";

/// Where in the stream an event is: how many events come before it, how many tokens, and how many cue slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    pub(crate) events: u64,
    pub(crate) tokens: u64,
    pub(crate) slots: u64,
}

/// What else is counted in the same pass.
pub(crate) trait Visitor {
    /// Before the events of a chunk.
    fn begin_chunk(&mut self);

    /// An event of frequency 1 or more: the one in row `row`, its outcomes each once. `new`: it is the first of its type, or no
    /// type is known.
    ///
    /// # Errors
    /// The visitor's own.
    fn visit(&mut self, rows: &EventList, row: u32, outcomes: &[u32], new: bool) -> Result<()>;
}

/// What one pass over the events finds.
pub(crate) struct Survey {
    /// Where each of the file's outcomes occurs first.
    pub(crate) first: Vec<Option<Position>>,
    /// For each row of weights the position after the last event that has its cue; the beginning where none has.
    pub(crate) after_last: Vec<Position>,
    /// Rows that are equal because their cues always occur together.
    pub(crate) row_twins: Twins,
    /// Outcomes of the file that are equal because they always occur together.
    pub(crate) outcome_twins: Twins,
    /// Cue slots over all tokens.
    pub(crate) slots: u64,
    tokens: u64,
    n_events: u64,
    /// Cues and outcomes of all events.
    pub(crate) names: u64,
    /// Bytes of memory that all events take when they are decoded.
    pub(crate) size: usize,
    /// The decoded chunks, unless they are more than the budget.
    pub(crate) chunks: Option<Vec<Chunk>>,
}

impl Survey {
    /// Reads all events. `rows[cue]` is the row of each of the file's cues, below `n_rows`.
    ///
    /// # Errors
    /// Those of decoding, and of the visitor; [`crate::error::Error::Stopped`].
    pub(crate) fn of(
        file: &EventFile,
        (rows, n_rows): (&[u32], usize),
        [row_twins, outcome_twins]: [Twins; 2],
        budget: usize,
        visitor: &mut impl Visitor,
        monitor: &Monitor,
    ) -> Result<Self> {
        let types = file.types()?;
        let alike = Alike::of(types)?;
        let mut survey = Self {
            first: filled(None, file.outcomes().len(), NAMES)?,
            after_last: filled(Position::default(), n_rows, NAMES)?,
            row_twins,
            outcome_twins,
            slots: 0,
            tokens: 0,
            n_events: file.len(),
            names: 0,
            size: types.size(),
            chunks: Some(Vec::new()),
        };
        let mut seen = filled(false, types.len(), "what is known of event types")?;
        let mut once = Once::default();
        for index in 0..file.n_chunks() {
            monitor.check()?;
            let mut chunk = file.chunk(index)?;
            alike.unite(&mut chunk);
            visitor.begin_chunk();
            let mut work = 0;
            for (i, event) in (0..chunk.body.len()).zip(file.events_of(index).start..) {
                let frequency = u64::from(chunk.frequency(i));
                let (in_full, row, new) = match &chunk.body {
                    Body::Full(rows) => (rows, i, true),
                    Body::Types(tokens) => (types, tokens[i] as usize, !seen[tokens[i] as usize]),
                };
                let (cues, outcomes) = (in_full.cues.get(row), once.of(in_full.outcomes.get(row))?);
                survey.names += (cues.len() + outcomes.len()) as u64;
                work += cues.len() + outcomes.len();
                if work >= LOOK_EVERY {
                    monitor.check()?;
                    work = 0;
                }
                if frequency == 0 {
                    continue;
                }
                if let Body::Types(tokens) = &chunk.body {
                    seen[tokens[i] as usize] = true;
                }
                if new {
                    let here = survey.position(event);
                    for &outcome in outcomes {
                        survey.first[outcome as usize].get_or_insert(here);
                    }
                    survey.row_twins.split(cues.iter().map(|&cue| rows[cue as usize]))?;
                    survey.outcome_twins.split(outcomes.iter().copied())?;
                }
                survey.slots = survey.slots.saturating_add(frequency.saturating_mul(cues.len() as u64));
                survey.tokens = survey.tokens.saturating_add(frequency);
                let after = survey.position(event + 1);
                for &cue in cues {
                    survey.after_last[rows[cue as usize] as usize] = after;
                }
                visitor.visit(in_full, row as u32, outcomes, new)?;
            }
            survey.size = survey.size.saturating_add(chunk.size());
            if survey.size > budget {
                survey.chunks = None;
            }
            if let Some(chunks) = &mut survey.chunks {
                chunks.grow(chunk, "decoded events")?;
            }
        }
        Ok(survey)
    }

    /// After all events.
    pub(crate) fn end(&self) -> Position {
        self.position(self.n_events)
    }

    /// Where the look has come to, before event `events`.
    fn position(&self, events: u64) -> Position {
        Position { events, tokens: self.tokens, slots: self.slots }
    }
}
