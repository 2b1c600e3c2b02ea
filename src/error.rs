//! Everything that can go wrong.
//!
//! Every message names the place, what was expected, what was found, and what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The place of a defect in a source of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file and a byte column in it, both counted from 1.
    Line {
        /// The line.
        line: u64,
        /// The byte column.
        column: u64,
    },
    /// A byte offset in a binary file, from 0.
    Offset(u64),
    /// An event of an iterable, from 0.
    Event(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { line, column } => write!(f, "line {line}, column {column}"),
            Place::Offset(offset) => write!(f, "offset {offset}"),
            Place::Event(event) => write!(f, "event {event}"),
        }
    }
}

/// A defect of a file or an event: where it is, what was expected, what was found, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The file, if the defect is in one.
    pub path: Option<PathBuf>,
    /// The place, if it is known.
    pub place: Option<Place>,
    /// What was expected there.
    pub expected: String,
    /// What was found there.
    pub found: String,
    /// What the user can do about it.
    pub cure: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
        }
        match (&self.path, &self.place) {
            (Some(_), Some(place)) => write!(f, ", {place}: ")?,
            (Some(_), None) => write!(f, ": ")?,
            (None, Some(place)) => write!(f, "{place}: ")?,
            (None, None) => {}
        }
        write!(f, "expected {}, found {}", self.expected, self.found)?;
        if self.cure.is_empty() { Ok(()) } else { write!(f, "; {}", self.cure) }
    }
}

/// Everything that can go wrong in the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done to it: "open", "read", "write" ...
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A damaged or foreign file, or a malformed event of an iterable (no path).
    #[error("{0}")]
    Format(Box<Defect>),
    /// An argument out of its range.
    #[error("{0}")]
    Argument(String),
    /// A name that should be known.
    #[error("{0}")]
    Unknown(String),
    /// An allocation that cannot succeed.
    #[error("{what} needs {bytes} bytes of memory, more than can be had; {cure}")]
    Memory {
        /// What was to be allocated.
        what: &'static str,
        /// Its size.
        bytes: u128,
        /// What the user can do about it.
        cure: &'static str,
    },
    /// A weight that is not finite. The caller knows the names.
    #[error("the weight of row {row}, column {column} became {value}: learning diverges")]
    NotFinite {
        /// The row: a cue.
        row: usize,
        /// The column: an outcome.
        column: usize,
        /// What it became.
        value: f64,
    },
    /// The system did not start a thread.
    #[error(
        "cannot start a thread: {0}; close other programs, or allow more threads (ulimit -u) or memory (ulimit -v)"
    )]
    Thread(String),
    /// A numerical method failed.
    #[error("{0}")]
    Numeric(String),
    /// The caller asked to stop.
    #[error("stopped by the caller")]
    Stopped,
}

impl Error {
    /// A defect without a place yet; the reader that knows the place adds it with [`Error::at`].
    pub fn defect(expected: impl Into<String>, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Error::Format(Box::new(Defect {
            path: None,
            place: None,
            expected: expected.into(),
            found: found.into(),
            cure: cure.into(),
        }))
    }

    /// Adds the file and the place of a defect, unless it has them. So the innermost caller decides: it is closest to the defect.
    #[must_use]
    pub fn at(mut self, path: Option<&Path>, place: Option<Place>) -> Self {
        if let Error::Format(defect) = &mut self {
            if defect.path.is_none() {
                defect.path = path.map(Path::to_path_buf);
            }
            if defect.place.is_none() {
                defect.place = place;
            }
        }
        self
    }

    /// Wraps an error of the operating system, with the file and what was being done to it.
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Error::Io { path: path.to_path_buf(), doing, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_reads_as_a_sentence() {
        let error = Error::defect("a tab", "the end of the line", "put a tab between cues and outcomes")
            .at(Some(Path::new("e.tab")), Some(Place::Line { line: 3, column: 5 }));
        assert_eq!(
            error.to_string(),
            "e.tab, line 3, column 5: expected a tab, found the end of the line; put a tab between cues and outcomes"
        );
    }

    #[test]
    fn the_inner_place_wins() {
        let error =
            Error::defect("x", "y", "").at(None, Some(Place::Event(4))).at(None, Some(Place::Event(9)));
        assert_eq!(error.to_string(), "event 4: expected x, found y");
    }
}
