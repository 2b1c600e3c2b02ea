//! The names that words give: themselves, their n-grams, names from a table, or annotations.

use std::iter::once;
use std::num::NonZeroUsize;

use unicode_segmentation::UnicodeSegmentation;

use super::conllu;
use super::names::Names;
use super::options::{Corpus, Letters};
use crate::error::Result;
use crate::memory::spell;

/// Calls `take` with the names of some words, or of records.
///
/// `frame` is a buffer that is reused.
pub(super) fn each_name(
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

/// The n-grams of words, with the boundary before, between and after them.
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
    spell(frame, boundary)?;
    for word in words {
        spell(frame, word)?;
        spell(frame, boundary)?;
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

/// All runs of n letters of a text, given where letters start.
fn runs(
    text: &str,
    n: NonZeroUsize,
    starts: impl Iterator<Item = usize> + Clone,
) -> impl Iterator<Item = &str> {
    let ends = starts.clone().chain(once(text.len())).skip(n.get());
    starts.zip(ends).map(|(start, end)| &text[start..end])
}
