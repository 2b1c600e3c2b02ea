//! One look at all events before learning: what occurs where, what occurs together, and what each method would cost.

use super::script::Script;
use super::steps::Grouping;
use crate::error::Result;
use crate::events::alike::Alike;
use crate::events::chunk::{Body, Chunk, Rows};
use crate::events::once::Once;
use crate::events::twins::Twins;
use crate::events::{EventFile, LOOK_EVERY};
use crate::grow::{Grow, filled};
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::rule::Kappa;

const NAMES: &str = "what is known of each name";

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

/// Where in the stream an event is: how many events come before it, how many tokens, and how many cue slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    pub(super) events: u64,
    pub(super) tokens: u64,
    pub(super) slots: u64,
}

/// What one pass over the events finds.
pub(super) struct Survey {
    /// Where each of the file's outcomes occurs first.
    pub(super) first: Vec<Option<Position>>,
    /// For each row of weights the position after the last event that has its cue; the beginning where none has.
    pub(super) after_last: Vec<Position>,
    /// Rows that are equal because their cues always occur together.
    pub(super) row_twins: Twins,
    /// Outcomes of the file that are equal because they always occur together.
    pub(super) outcome_twins: Twins,
    pub(super) max_kappa: f64,
    pub(super) slots: u64,
    tokens: u64,
    n_events: u64,
    /// Cues and outcomes of all events.
    pub(super) names: u64,
    /// Cue and outcome slots with repeated events taken as one.
    pub(super) visits: u64,
    /// Bytes of memory that all events take when they are decoded.
    pub(super) size: usize,
    /// The decoded chunks, unless they are more than the budget.
    pub(super) chunks: Option<Vec<Chunk>>,
}

impl Survey {
    /// Reads all events. `rows[cue]` is the row of each of the file's cues, below `alpha.len()`.
    pub(super) fn of<B: AsRef<[u8]>>(
        file: &EventFile<B>,
        rows: &[u32],
        alpha: &[f64],
        [row_twins, outcome_twins]: [Twins; 2],
        budget: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        let types = file.types()?;
        let alike = Alike::of(types)?;
        let mut survey = Self {
            first: filled(None, file.outcomes().len(), NAMES)?,
            after_last: filled(Position::default(), alpha.len(), NAMES)?,
            row_twins,
            outcome_twins,
            max_kappa: 0.0,
            slots: 0,
            tokens: 0,
            n_events: file.len(),
            names: 0,
            visits: 0,
            size: types.size(),
            chunks: Some(Vec::new()),
        };
        let mut eye = Eye {
            rows,
            alpha,
            types,
            seen: filled(false, types.len(), "what is known of event types")?,
            kappa: Kappa::new(rows.len())?,
            grouping: Grouping::new(rows.len())?,
            once: Once::default(),
        };
        for index in 0..file.n_chunks() {
            monitor.check()?;
            let mut chunk = file.chunk(index)?;
            alike.unite(&mut chunk);
            eye.look(file.events_of(index).start, &chunk, &mut survey, monitor)?;
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
}

impl Survey {
    /// Bytes of memory that all events take, decoded and as scripts.
    pub(super) fn made_ready(&self) -> u64 {
        let script = self
            .names
            .saturating_mul(Script::NAME)
            .saturating_add(self.n_events.saturating_mul(Script::EVENT));
        script.saturating_add(self.size as u64)
    }

    /// After all events.
    pub(super) fn end(&self) -> Position {
        self.position(self.n_events)
    }

    /// Where the look has come to, before event `events`.
    fn position(&self, events: u64) -> Position {
        Position { events, tokens: self.tokens, slots: self.slots }
    }
}

/// What looks at the events one after another.
struct Eye<'a> {
    rows: &'a [u32],
    alpha: &'a [f64],
    types: &'a Rows,
    /// Which types had an event.
    seen: Vec<bool>,
    kappa: Kappa,
    grouping: Grouping,
    once: Once,
}

impl Eye<'_> {
    fn look(&mut self, start: u64, chunk: &Chunk, survey: &mut Survey, monitor: &Monitor) -> Result<()> {
        self.grouping.begin();
        let mut work = 0;
        for (i, event) in (0..chunk.body.len()).zip(start..) {
            let frequency = u64::from(chunk.frequency(i));
            let (rows, row, new) = match &chunk.body {
                Body::Rows(rows) => (rows, i, true),
                Body::Tokens(tokens) => {
                    let token = tokens[i] as usize;
                    (self.types, token, !self.seen[token])
                }
            };
            let (cues, outcomes) = (rows.cues.get(row), self.once.of(rows.outcomes.get(row))?);
            survey.names += (cues.len() + outcomes.len()) as u64;
            work += cues.len() + outcomes.len();
            if work >= LOOK_EVERY {
                monitor.check()?;
                work = 0;
            }
            if frequency == 0 {
                continue;
            }
            if let Body::Tokens(tokens) = &chunk.body {
                self.seen[tokens[i] as usize] = true;
            }
            if new {
                let here = survey.position(event);
                for &outcome in outcomes {
                    survey.first[outcome as usize].get_or_insert(here);
                }
                survey.row_twins.split(cues.iter().map(|&cue| self.rows[cue as usize]))?;
                survey.outcome_twins.split(outcomes.iter().copied())?;
                let kappa = self.kappa.of(cues, |cue| self.alpha[self.rows[cue as usize] as usize]);
                survey.max_kappa = survey.max_kappa.max(kappa);
            }
            survey.slots = survey.slots.saturating_add(frequency.saturating_mul(cues.len() as u64));
            survey.tokens = survey.tokens.saturating_add(frequency);
            let after = survey.position(event + 1);
            for &cue in cues {
                survey.after_last[self.rows[cue as usize] as usize] = after;
            }
            if self.grouping.place(rows, row as u32)?.is_none() {
                survey.visits += (cues.len() + outcomes.len()) as u64;
            }
        }
        Ok(())
    }
}
