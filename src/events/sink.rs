//! Where a reader of tables sends the events that it finds.

use crate::error::Result;

/// The role of a name in its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// It may predict.
    Cue,
    /// It is predicted.
    Outcome,
}

/// Takes the events that a reader finds: for each event its cues, its outcomes, and then its end.
pub trait EventSink {
    /// A cue or an outcome of the current event.
    ///
    /// # Errors
    /// When the name is not accepted; the reader adds the place with [`crate::error::Error::at`].
    fn name(&mut self, side: Side, name: &str) -> Result<()>;

    /// Ends the current event, which occurred `frequency` times in a row (0: its names are kept, it teaches nothing). Returns a
    /// key, by which [`EventSink::again`] repeats the event; `None` if the sink does not keep the event.
    ///
    /// # Errors
    /// When the frequency is too large, or the event cannot be stored.
    fn end(&mut self, frequency: u64) -> Result<Option<u32>>;

    /// Repeats the event of a key, as if all its names and its end had come again. It may be called only between two events.
    /// Returns whether the sink still knows the key; if not, nothing happened.
    ///
    /// # Errors
    /// As for [`EventSink::end`].
    fn again(&mut self, _key: u32, _frequency: u64) -> Result<bool> {
        Ok(false)
    }
}
