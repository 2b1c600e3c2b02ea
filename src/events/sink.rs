//! What takes the events that a reader of tables finds.

use crate::error::Result;

/// What a name is in its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What may predict.
    Cue,
    /// What is to be predicted.
    Outcome,
}

/// What takes the events that a reader finds: their cues, their outcomes, then the end of the event.
pub trait EventSink {
    /// A cue or an outcome of the current event.
    ///
    /// # Errors
    /// When the name is not accepted; the reader adds the place with [`crate::error::Error::at`].
    fn name(&mut self, side: Side, name: &str) -> Result<()>;

    /// Ends the current event, which occurred `frequency` times in a row (0: its names are kept, it teaches nothing). What comes
    /// is a token by which [`EventSink::again`] can have the event again; `None` from a sink that keeps no events, or not this
    /// one.
    ///
    /// # Errors
    /// When the frequency is too large, or the event cannot be stored.
    fn end(&mut self, frequency: u64) -> Result<Option<u32>>;

    /// The event of a token once more, as if all its names had come again and it had ended: between events only.
    /// Whether the sink still knows the token; if not, nothing happened.
    ///
    /// # Errors
    /// As for [`EventSink::end`].
    fn again(&mut self, _token: u32, _frequency: u64) -> Result<bool> {
        Ok(false)
    }
}
