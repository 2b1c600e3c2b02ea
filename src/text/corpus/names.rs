//! Names: the cues and outcomes that the words of an event give.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::lists::Lists;
use crate::vocab::Vocab;

/// Names that words give.
#[derive(Debug, Clone)]
pub enum Names {
    /// The words themselves.
    Words,
    /// Their n-grams of letters, boundaries included; for n = 1 the letters alone. Words that are shorter than n with their
    /// boundaries give none.
    Letters(NonZeroUsize),
    /// The names that a table or a function gives for each word.
    Looked(Arc<dyn Lookup>),
    /// The lemmas of the words; of CoNLL-U alone.
    Lemmas,
    /// The universal parts of speech of the words; of CoNLL-U alone.
    Upos,
    /// The features of the words, such as `Case=Nom`; of CoNLL-U alone.
    Features,
}

/// Names of a word, from a table or a function.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// Calls `take` with each name that the word gives.
    ///
    /// # Errors
    /// When an unknown word is an error; those of `take`.
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()>;
}

/// What a table does with a word that it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// It is an error.
    #[default]
    Error,
    /// The word gives no names.
    Ignore,
    /// The word gives itself.
    Keep,
}

/// Words and their names.
#[derive(Debug, Clone, Default)]
pub struct Table {
    words: Vocab,
    /// The names of each word.
    names: Lists<String>,
    unknown: Unknown,
    /// The purpose of the table, for messages.
    purpose: String,
}

impl Table {
    /// An empty table; messages name its `purpose`, cues or outcomes.
    pub fn new(unknown: Unknown, purpose: &str) -> Self {
        Self { unknown, purpose: purpose.to_owned(), ..Self::default() }
    }

    /// Adds a word and its names.
    ///
    /// # Errors
    /// When the table has the word already.
    pub fn insert<S: Into<String>>(&mut self, word: &str, names: impl IntoIterator<Item = S>) -> Result<()> {
        if self.words.intern(word)? as usize != self.names.len() {
            return Err(Error::defect("each word once", format!("{word:?} again"), "delete one of them"));
        }
        for name in names {
            self.names.add(name.into())?;
        }
        self.names.end()
    }
}

impl Lookup for Table {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        match (self.words.get(word), self.unknown) {
            (Some(id), _) => self.names.get(id as usize).iter().try_for_each(|name| take(name)),
            (None, Unknown::Ignore) => Ok(()),
            (None, Unknown::Keep) => take(word),
            (None, Unknown::Error) => Err(Error::Unknown(format!(
                "the word {word:?} is not in the table of {}; add it, or let unknown words give nothing (\"ignore\") or \
                 themselves (\"keep\")",
                self.purpose
            ))),
        }
    }
}
