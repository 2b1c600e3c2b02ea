//! Names: the cues and outcomes that the words of an event give.

use std::fmt;
use std::iter::once;
use std::num::NonZeroUsize;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use super::conllu;
use super::{Corpus, Format, Letters};
use crate::error::{Error, Result};
use crate::grow::spell;
use crate::lists::Lists;
use crate::vocab::Vocab;

const TABLE: &str = "a table of words and names";

const FRAME: &str = "the words of an event";

/// Names that words give.
#[derive(Debug, Clone)]
pub enum Names {
    /// The words themselves.
    Words,
    /// Their n-grams of letters, boundaries included; for n = 1 the letters alone. None of what is shorter than n with
    /// its boundaries.
    Letters(NonZeroUsize),
    /// What a table or a function gives for each word.
    Looked(Arc<dyn Lookup>),
    /// What CoNLL-U says of the words: their lemmas.
    Lemmas,
    /// Their universal parts of speech.
    Upos,
    /// Their features, such as `Case=Nom`.
    Features,
}

/// Names of a word, from a table or a function.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// Calls `take` with each name that the word gives.
    ///
    /// # Errors
    /// When the word is not known, and should be; those of `take`.
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
    /// Those of each word.
    names: Lists<String>,
    unknown: Unknown,
    /// What the table is for, in messages.
    purpose: String,
}

impl Table {
    /// A table of no words, for cues or outcomes as messages shall say.
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
            self.names.add(name.into(), TABLE)?;
        }
        self.names.end(TABLE)
    }
}

impl Lookup for Table {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        match (self.words.get(word), self.unknown) {
            (Some(id), _) => self.names.get(id as usize).iter().try_for_each(|name| take(name)),
            (None, Unknown::Ignore) => Ok(()),
            (None, Unknown::Keep) => take(word),
            (None, Unknown::Error) => Err(Error::Unknown(format!(
                "the word {word:?} is not in the table of {}; add it, or choose that words it lacks are ignored or kept",
                self.purpose
            ))),
        }
    }
}

/// What is said of a word in the text, given what is kept of it: the whole record, or the word alone.
pub(super) fn said<'w>(names: &Names, record: &'w str, corpus: &Corpus) -> &'w str {
    match (corpus.format, names) {
        (Format::Conllu, Names::Words | Names::Letters(_) | Names::Looked(_)) => conllu::form(record),
        _ => record,
    }
}

/// Calls `take` with the names of some words, or of records.
///
/// `frame` is a buffer that is used again.
pub(super) fn each(
    names: &Names,
    words: &[&str],
    corpus: &Corpus,
    frame: &mut String,
    mut take: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    match names {
        Names::Words => words.iter().try_for_each(|word| take(word)),
        Names::Looked(lookup) => words.iter().try_for_each(|word| lookup.names(word, &mut take)),
        Names::Lemmas => words.iter().filter_map(|word| conllu::lemma(word)).try_for_each(take),
        Names::Upos => words.iter().filter_map(|word| conllu::upos(word)).try_for_each(take),
        Names::Features => words.iter().flat_map(|word| conllu::features(word)).try_for_each(take),
        Names::Letters(n) if corpus.across => grams(*n, words, corpus, frame, &mut take),
        Names::Letters(n) => words.iter().try_for_each(|word| grams(*n, &[word], corpus, frame, &mut take)),
    }
}

/// The n-grams of words that are joined, and framed, by the boundary.
fn grams(
    n: NonZeroUsize,
    words: &[&str],
    corpus: &Corpus,
    frame: &mut String,
    take: &mut impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    let boundary = if n.get() == 1 { "" } else { &corpus.boundary };
    frame.clear();
    spell(frame, boundary, FRAME)?;
    for word in words {
        spell(frame, word, FRAME)?;
        spell(frame, boundary, FRAME)?;
    }
    letters(n, corpus.letters, frame, take)
}

/// The n-grams of a text.
pub(super) fn letters(
    n: NonZeroUsize,
    letters: Letters,
    text: &str,
    take: &mut impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    match letters {
        Letters::CodePoints => runs(text, n, text.char_indices().map(|(start, _)| start)).try_for_each(take),
        Letters::Graphemes => {
            runs(text, n, text.grapheme_indices(true).map(|(start, _)| start)).try_for_each(take)
        }
    }
}

/// All runs of n letters of a text, whose starts are given.
fn runs(
    text: &str,
    n: NonZeroUsize,
    starts: impl Iterator<Item = usize> + Clone,
) -> impl Iterator<Item = &str> {
    let ends = starts.clone().chain(once(text.len())).skip(n.get());
    starts.zip(ends).map(|(start, end)| &text[start..end])
}
