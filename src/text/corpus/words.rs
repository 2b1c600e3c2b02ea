//! Words: the text between white space, brought into the wanted case and normal form, and cut at separators.
//!
//! ```text
//! run of characters without white space -> document marks -> invisible characters -> normal form -> lower case -> sentence ends
//! -> words
//! ```
//!
//! Invisible characters (soft hyphens, marks of direction, byte order marks, word joiners) are left out: with them, a word that
//! readers take for the same would be another. A space of no width (U+200B) is white space.
//!
//! Each run is treated alone: across white space no letter affects the case or the normal form of another.

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;

use super::conllu;
use super::occurred::{LeftOut, Occurred};
use super::options::{Context, Corpus, Normal};
use super::runs::Item;
use super::symbols::{Allowed, Separators, Symbols};
use crate::error::{Error, Result};
use crate::memory::{ask, spell};

/// A normal form is at most this many times as long as its text, in a list that grows by doubling.
const LONGER: usize = 24;

/// Finds the words of runs.
pub(super) struct Words<'c> {
    corpus: &'c Corpus,
    separators: Separators<'c>,
    /// The spellings of the mark that ends a document; none if there is no mark.
    marks: Vec<Finder<'static>>,
    /// What may follow the end of a sentence within its run.
    closers: Symbols,
    visible: String,
    normal: String,
    lowered: String,
    pub(super) occurred: Occurred,
}

impl<'c> Words<'c> {
    pub(super) fn new(corpus: &'c Corpus) -> Result<Self> {
        let mark = &corpus.document_end;
        if mark.contains(char::is_whitespace) {
            let wrong =
                format!("document_end must be a mark without white space, not {mark:?}; take one word of it");
            return Err(Error::Argument(wrong));
        }
        let marks = [mark.clone(), mark.to_lowercase(), mark.to_uppercase()];
        let marks = marks.iter().filter(|mark| !mark.is_empty());
        let marks = marks.map(|mark| Finder::new(mark.as_bytes()).into_owned()).collect();
        let closers = r#"\p{Pf}\p{Pe}"'"#.parse()?;
        let separators = Separators::new(corpus.symbols.as_ref(), &corpus.boundary);
        Ok(Words {
            corpus,
            separators,
            marks,
            closers,
            visible: String::new(),
            normal: String::new(),
            lowered: String::new(),
            occurred: Occurred::default(),
        })
    }

    /// Why a word does not stay in the text.
    pub(super) fn left_out(&mut self, word: &str) -> Option<LeftOut> {
        left_out(self.corpus, &mut self.occurred, word)
    }

    /// Calls `take` with every part of a run.
    pub(super) fn cut(&mut self, run: &str, mut take: impl FnMut(Item<&str>) -> Result<()>) -> Result<()> {
        // Neither marks nor ends of sentences reach across white space, and a run may have white space beyond ASCII.
        for mut rest in run.split(is_space).filter(|piece| !piece.is_empty()) {
            while let Some((before, mark)) = self.next_mark(rest) {
                self.cut_text(&rest[..before], &mut take)?;
                take(Item::Document)?;
                rest = &rest[before + mark..];
            }
            self.cut_text(rest, &mut take)?;
        }
        Ok(())
    }

    /// The record of a word of CoNLL-U with the word and the lemma in the wanted normal form and case, or why the word is left
    /// out.
    pub(super) fn record(&mut self, record: &str) -> Result<std::result::Result<String, LeftOut>> {
        let Self { corpus, visible, normal, lowered, occurred, .. } = self;
        // The new record has the word and the lemma in another form, and all else as it is.
        ask(LONGER * record.len())?;
        let mut cased = |text: &str| -> Result<String> {
            let normalized = normalize(without_invisible(text, visible)?, corpus.normalize, normal)?;
            Ok(if corpus.lower { lower(normalized, lowered)?.to_owned() } else { normalized.to_owned() })
        };
        let form = cased(conllu::form(record))?;
        let lemma = conllu::lemma(record).map_or_else(|| Ok("_".to_owned()), &mut cased)?;
        occurred.text = true;
        let mut consists_of_symbols = true;
        for (at, c) in form.char_indices() {
            consists_of_symbols = match &corpus.symbols {
                None => true,
                Some(Allowed::Set(symbols)) => symbols.contains_behind(at > 0, c),
                Some(Allowed::Asked(ask)) => ask.is_symbol(c)?,
            };
            if !consists_of_symbols {
                break;
            }
        }
        let reason = if consists_of_symbols {
            left_out(corpus, occurred, &form)
        } else {
            Some(occurred.cut(&form, form.contains(char::is_alphabetic)))
        };
        if let Some(reason) = reason {
            return Ok(Err(reason));
        }
        let upos = conllu::upos(record).unwrap_or("_");
        let features: Vec<&str> = conllu::features(record).collect();
        Ok(Ok(format!("{form}\t{lemma}\t{upos}\t_\t{}", features.join("|"))))
    }

    /// Where the next mark that ends a document begins, and its length.
    fn next_mark(&self, text: &str) -> Option<(usize, usize)> {
        // In UTF-8, a text is found only at the beginning of a character.
        let places =
            self.marks.iter().filter_map(|mark| Some((mark.find(text.as_bytes())?, mark.needle().len())));
        places.min()
    }

    fn cut_text(&mut self, text: &str, take: &mut impl FnMut(Item<&str>) -> Result<()>) -> Result<()> {
        let Self { corpus, separators, closers, visible, normal, lowered, occurred, .. } = self;
        let normalized = normalize(without_invisible(text, visible)?, corpus.normalize, normal)?;
        let cased = if corpus.lower { lower(normalized, lowered)? } else { normalized };
        separators.meet(cased)?;
        occurred.text |= !cased.is_empty();
        let mut cuts_a_letter = false;
        let mut is_left = false;
        let mut rest = cased;
        while !rest.is_empty() {
            let end = match corpus.context {
                Context::Sentence => sentence_end(rest, &corpus.sentence_end, closers),
                _ => None,
            };
            let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
            // What stands before a character separates words, or nothing stands there.
            let mut before = true;
            let is_separator = |c: char| {
                before = separators.contain_behind(before, c);
                cuts_a_letter |= before && c.is_alphabetic();
                before
            };
            for word in sentence.split(is_separator).filter(|word| !word.is_empty()) {
                is_left = true;
                occurred.see(word);
                take(left_out(corpus, occurred, word).map_or(Item::Word(word), Item::LeftOut))?;
            }
            if end.is_some() {
                take(Item::Sentence)?;
            }
            rest = after;
        }
        if corpus.symbols.is_some() && !cased.is_empty() && (cuts_a_letter || !is_left) {
            take(Item::LeftOut(occurred.cut(cased, cuts_a_letter)))?;
        }
        Ok(())
    }
}

/// Why a word does not stay in the text, which is noted.
fn left_out(corpus: &Corpus, occurred: &mut Occurred, word: &str) -> Option<LeftOut> {
    let is_stop_word = !corpus.stop_words.is_empty() && corpus.stop_words.get(word).is_some();
    let is_known = corpus.vocabulary.as_ref().is_none_or(|words| words.get(word).is_some());
    let is_kept = is_known && !is_stop_word;
    occurred.word = true;
    occurred.stop_word |= is_stop_word;
    occurred.known_word |= is_known;
    occurred.kept_word |= is_kept;
    (!is_kept).then_some(if is_stop_word { LeftOut::StopWord } else { LeftOut::Unknown })
}

/// White space, also of no width, which stands between words of scripts that have no blanks.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{200b}'
}

/// Whether readers do not see a character, and it makes no other word: soft hyphens, marks of direction, byte order marks, word
/// joiners. Joiners of letters (U+200C, U+200D) do, and stay.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A text without invisible characters, in a buffer that is reused.
fn without_invisible<'v>(text: &'v str, visible: &'v mut String) -> Result<&'v str> {
    if text.is_ascii() || !text.contains(is_invisible) {
        return Ok(text);
    }
    visible.clear();
    text.split(is_invisible).try_for_each(|part| spell(visible, part))?;
    Ok(visible)
}

/// The end of the first sentence of a run: after a character that ends one and all closing quotes and brackets that follow it.
///
/// An ASCII character ends a sentence only where nothing else follows in the run: "3.14" and "e.g.," go on.
fn sentence_end(run: &str, ends: &str, closers: &Symbols) -> Option<usize> {
    let mut from = 0;
    while let Some(first) = run[from..].find(|c| ends.contains(c)).map(|at| from + at) {
        let goes_on = |c: char| !ends.contains(c) && !closers.contains(c);
        let end = run[first..].find(goes_on).map_or(run.len(), |at| first + at);
        if end == run.len() || run[first..end].contains(|c: char| !c.is_ascii() && ends.contains(c)) {
            return Some(end);
        }
        from = end;
    }
    None
}

/// A text in a normal form, in a buffer that is reused.
fn normalize<'n>(text: &'n str, form: Option<Normal>, normal: &'n mut String) -> Result<&'n str> {
    let Some(form) = form.filter(|_| !text.is_ascii()) else { return Ok(text) };
    normal.clear();
    ask(LONGER * text.len())?;
    match form {
        Normal::Nfc => normal.extend(text.nfc()),
        Normal::Nfd => normal.extend(text.nfd()),
        Normal::Nfkc => normal.extend(text.nfkc()),
        Normal::Nfkd => normal.extend(text.nfkd()),
    }
    Ok(normal)
}

/// Lower-cases into a buffer that is reused.
fn lower<'l>(text: &str, lowered: &'l mut String) -> Result<&'l str> {
    lowered.clear();
    if text.is_ascii() {
        spell(lowered, text)?;
        lowered.make_ascii_lowercase();
        return Ok(lowered);
    }
    ask(LONGER * text.len())?;
    if text.contains('Σ') {
        // Sigma is the only letter whose lower case depends on its neighbours.
        lowered.push_str(&text.to_lowercase());
    } else {
        lowered.extend(text.chars().flat_map(char::to_lowercase));
    }
    Ok(lowered)
}
