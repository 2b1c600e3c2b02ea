//! What is learned from: events, or rows of matrices.

use super::EventFile;

/// Where tokens come from.
#[derive(Clone, Copy)]
pub enum Data<'a> {
    /// The events of a file.
    Events(&'a EventFile),
    /// So many rows of matrices. Each is one token, with a cue and an outcome of its own.
    Rows(usize),
}

impl Data<'_> {
    /// How many events or rows there are.
    #[allow(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> u64 {
        match *self {
            Data::Events(file) => file.len(),
            Data::Rows(n) => n as u64,
        }
    }

    /// How many cues and outcomes there are.
    pub fn names(&self) -> [usize; 2] {
        match *self {
            Data::Events(file) => [file.cues().len(), file.outcomes().len()],
            Data::Rows(n) => [n; 2],
        }
    }
}
