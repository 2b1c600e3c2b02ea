//! What takes the events that a reader finds.

use std::ops::Range;

use crate::error::Result;

/// What becomes of a name that an event gives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The sink wants to see it.
    Seen,
    /// It stays.
    Stay,
    /// It goes.
    Go,
}

/// The cues, or the outcomes, of several events.
///
/// Those of event `i` end at `ends[i]` in `ids`, those of the first one begin at `start`.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    ids: &'a [u32],
    start: usize,
    ends: &'a [usize],
}

impl<'a> Batch<'a> {
    /// The names of some of the events that are given by names and ends.
    pub fn new(ids: &'a [u32], ends: &'a [usize], events: Range<usize>) -> Self {
        let start = if events.start == 0 { 0 } else { ends[events.start - 1] };
        Self { ids, start, ends: &ends[events] }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names of event `i`.
    pub fn get(&self, i: usize) -> &'a [u32] {
        let start = if i == 0 { self.start } else { self.ends[i - 1] };
        &self.ids[start..self.ends[i]]
    }

    /// The names of all events, one behind another.
    pub fn ids(&self) -> &'a [u32] {
        &self.ids[self.start..self.ends.last().copied().unwrap_or(self.start)]
    }

    /// Where the names of each event end in [`Batch::ids`].
    pub fn ends(&self) -> impl ExactSizeIterator<Item = usize> + 'a {
        let start = self.start;
        self.ends.iter().map(move |end| end - start)
    }

    /// How many names each event has.
    pub fn lengths(&self) -> impl ExactSizeIterator<Item = usize> + 'a {
        let mut start = self.start;
        self.ends.iter().map(move |&end| {
            let length = end - start;
            start = end;
            length
        })
    }

    /// The first `n` events, and the rest.
    pub fn split_at(&self, n: usize) -> (Self, Self) {
        let (first, rest) = self.ends.split_at(n);
        let start = first.last().copied().unwrap_or(self.start);
        (Self { ends: first, ..*self }, Self { start, ends: rest, ..*self })
    }
}

/// Pushes the events of a batch one by one.
pub(crate) fn each_again<S: EventSink + ?Sized>(
    sink: &mut S,
    cues: Batch<'_>,
    outcomes: Batch<'_>,
) -> Result<()> {
    (0..cues.len()).try_for_each(|i| sink.event_again(cues.get(i), outcomes.get(i)))
}

/// What takes the events that a reader finds: their cues, their outcomes, then the end of the event.
pub trait EventSink {
    /// A cue of the current event.
    ///
    /// # Errors
    /// When the name is not accepted; the reader adds the place with [`crate::error::Error::at`].
    fn cue(&mut self, name: &str) -> Result<()>;

    /// An outcome of the current event.
    ///
    /// # Errors
    /// As for [`EventSink::cue`].
    fn outcome(&mut self, name: &str) -> Result<()>;

    /// Ends the current event, which occurred `frequency` times in a row (0: its names are kept, it teaches nothing).
    ///
    /// # Errors
    /// When the frequency is too large, or the event cannot be stored.
    fn end_event(&mut self, frequency: u64) -> Result<()>;

    /// By what a cue can come with [`EventSink::cue_again`]; `None` from a sink that wants names. It need not have come yet; those
    /// that have not are asked for in the order in which they will come first.
    ///
    /// # Errors
    /// When the name is not accepted.
    fn cue_id(&mut self, _name: &str) -> Result<Option<u32>> {
        Ok(None)
    }

    /// By what an outcome can come with [`EventSink::outcome_again`].
    ///
    /// # Errors
    /// As for [`EventSink::cue_id`].
    fn outcome_id(&mut self, _name: &str) -> Result<Option<u32>> {
        Ok(None)
    }

    /// A cue of the current event, by what [`EventSink::cue_id`] said of it.
    ///
    /// # Errors
    /// As for [`EventSink::cue`].
    fn cue_again(&mut self, _cue: u32) -> Result<()> {
        Ok(())
    }

    /// An outcome of the current event, by what [`EventSink::outcome_id`] said of it.
    ///
    /// # Errors
    /// As for [`EventSink::cue`].
    fn outcome_again(&mut self, _outcome: u32) -> Result<()> {
        Ok(())
    }

    /// An event by what [`EventSink::cue_id`] and [`EventSink::outcome_id`] said of its names, once. The names are as
    /// [`EventSink::repeats`] wants them.
    ///
    /// # Errors
    /// As for [`EventSink::cue`] and [`EventSink::end_event`].
    fn event_again(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<()> {
        cues.iter().try_for_each(|&cue| self.cue_again(cue))?;
        outcomes.iter().try_for_each(|&outcome| self.outcome_again(outcome))?;
        self.end_event(1)
    }

    /// Several events as [`EventSink::event_again`] takes them, one after another, each once.
    ///
    /// # Errors
    /// As for [`EventSink::event_again`]; it is not said for which of them.
    fn events_again(&mut self, cues: Batch<'_>, outcomes: Batch<'_>) -> Result<()> {
        each_again(self, cues, outcomes)
    }

    /// What the sink does with a name that an event gives twice, so that others can do it for the sink.
    fn repeats(&self) -> Repeats {
        Repeats::Seen
    }

    /// A token for the event that just ended, by which [`EventSink::again`] can have it again; `None` from a sink that
    /// keeps no events, or not this one.
    fn token(&self) -> Option<u32> {
        None
    }

    /// The event of a token once more, as if all its names had come again and it had ended: between events only.
    /// Whether the sink still knows the token; if not, nothing happened.
    ///
    /// # Errors
    /// As for [`EventSink::end_event`].
    fn again(&mut self, _token: u32, _frequency: u64) -> Result<bool> {
        Ok(false)
    }
}
