//! Names that an event has twice.

use std::mem;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::Grow;
use crate::vocab::Vocab;

/// What to do with a cue or outcome that an event names twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// Keep the first.
    #[default]
    Drop,
    /// Keep all. A cue counts as often as it is named. So does an outcome where names are counted and where vectors of outcomes are
    /// added; for learning it is just present or absent.
    Keep,
    /// Refuse the event.
    Error,
}

impl FromStr for Duplicates {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "drop" => Ok(Duplicates::Drop),
            "keep" => Ok(Duplicates::Keep),
            "error" => Ok(Duplicates::Error),
            _ => Err(Error::Argument(format!(
                "expected duplicates to be \"drop\", \"keep\" or \"error\", found {word:?}"
            ))),
        }
    }
}

/// The cues of the current event, or its outcomes.
#[derive(Debug)]
pub(super) struct EventNames {
    /// "cue" or "outcome", for messages.
    what: &'static str,
    pub(super) duplicates: Duplicates,
    /// For each name the number of the last event that had it. If that is the current event, the name is a duplicate.
    last: Vec<u64>,
    /// The names of the current event.
    pub(super) ids: Vec<u32>,
}

impl EventNames {
    pub(super) fn new(what: &'static str, duplicates: Duplicates) -> Self {
        Self { what, duplicates, last: Vec::new(), ids: Vec::new() }
    }

    /// Adds names to an event. Events come one after another, each with a number of its own. `names` has the names of ids.
    ///
    /// # Errors
    /// When the event has a name already and duplicates are refused.
    #[inline]
    pub(super) fn add(&mut self, added: &[u32], event: u64, names: &Vocab) -> Result<()> {
        if self.duplicates == Duplicates::Keep {
            return self.ids.grow_by(added);
        }
        if self.last.len() < names.len() {
            self.last.grow_to(names.len(), u64::MAX)?;
        }
        self.ids.make_room(added.len())?;
        for &id in added {
            if mem::replace(&mut self.last[id as usize], event) != event {
                self.ids.push(id);
            } else if self.duplicates == Duplicates::Error {
                return Err(Error::defect(
                    format!("every {} of an event once", self.what),
                    format!("{:?} twice", names.name(id).unwrap_or_default()),
                    "let duplicates be \"drop\" to count it once, or \"keep\" to count it as often as it is named",
                ));
            }
        }
        Ok(())
    }
}
