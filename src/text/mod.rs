//! Text in: event tables and running text, as names pushed into an [`EventSink`].
//!
//! Readers know no ids and no files but their own; sinks know no text.

mod ahead;
#[cfg_attr(not(test), expect(dead_code, reason = "running text does not read it yet"))]
mod conllu;
pub mod corpus;
pub(crate) mod seen;
pub mod source;
mod subtitles;
mod symbols;
pub mod tables;

use crate::error::{Error, Result};

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
