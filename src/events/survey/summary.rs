//! What is known of the events of a file.

/// The position of an event in the stream: the events, tokens and cue slots before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    pub(crate) events: u64,
    pub(crate) tokens: u64,
    pub(crate) slots: u64,
}

impl Position {
    /// Turns a position within a part into one within the whole stream. The part begins at `before`.
    pub(super) fn after(self, before: Self) -> Self {
        Self {
            events: before.events.saturating_add(self.events),
            tokens: before.tokens.saturating_add(self.tokens),
            slots: before.slots.saturating_add(self.slots),
        }
    }
}

/// The survey of all events. Events of frequency 0 teach nothing, so they count in `totals.names` alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Survey {
    /// The position of each outcome's first event.
    pub(crate) first: Vec<Option<Position>>,
    /// For each cue the position after its last event; the beginning if it has no event.
    pub(crate) after_last: Vec<Position>,
    /// For each cue the first cue that occurs in the same events, equally often in each.
    pub(crate) cue_twins: Vec<u32>,
    /// For each outcome the first outcome that occurs in the same events.
    pub(crate) outcome_twins: Vec<u32>,
    pub(crate) totals: Totals,
}

/// Sums over all events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    /// Cue slots over all tokens.
    pub(crate) slots: u64,
    /// Cues and outcomes of all events; each outcome counts once in an event.
    pub(crate) names: u64,
    /// The largest sum of m^2 over the cues of an event, where m is the multiplicity of a cue.
    pub(crate) squares: u64,
    /// Cues and outcomes of all steps: of all events, without those that repeat an event in the same step (`grouping`).
    pub(crate) visits: u64,
}
