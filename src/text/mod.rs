//! Text in: event tables and running text, as names pushed into an [`EventSink`].
//!
//! Readers know no ids and no files but their own; sinks know no text.

mod ahead;
pub mod corpus;
pub(crate) mod seen;
pub mod source;
mod subtitles;
pub mod tables;

use crate::error::{Error, Result};

/// What becomes of a name that an event gives twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The sink wants to see it.
    Seen,
    /// A cue stays, an outcome goes.
    CuesStay,
    /// It goes.
    Go,
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

    /// By what the cue that just came can come again with [`EventSink::cue_again`]; `None` from a sink that wants names.
    fn last_cue(&self) -> Option<u32> {
        None
    }

    /// By what the outcome that just came can come again with [`EventSink::outcome_again`].
    fn last_outcome(&self) -> Option<u32> {
        None
    }

    /// A cue of the current event, by what [`EventSink::last_cue`] said of it.
    ///
    /// # Errors
    /// As for [`EventSink::cue`].
    fn cue_again(&mut self, _cue: u32) -> Result<()> {
        Ok(())
    }

    /// An outcome of the current event, by what [`EventSink::last_outcome`] said of it.
    ///
    /// # Errors
    /// As for [`EventSink::cue`].
    fn outcome_again(&mut self, _outcome: u32) -> Result<()> {
        Ok(())
    }

    /// An event by what [`EventSink::last_cue`] and [`EventSink::last_outcome`] said of its names, once. The names are as
    /// [`EventSink::repeats`] wants them.
    ///
    /// # Errors
    /// As for [`EventSink::cue`] and [`EventSink::end_event`].
    fn event_again(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<()> {
        cues.iter().try_for_each(|&cue| self.cue_again(cue))?;
        outcomes.iter().try_for_each(|&outcome| self.outcome_again(outcome))?;
        self.end_event(1)
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

/// An error, and where in its line or record it lies.
struct Misplaced {
    offset: usize,
    error: Error,
}

fn at(offset: usize) -> impl FnOnce(Error) -> Misplaced {
    move |error| Misplaced { offset, error }
}

/// The beginning of a text, quoted, for a message.
fn shown(text: &str) -> String {
    const ENOUGH: usize = 40;
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
