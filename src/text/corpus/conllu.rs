//! One line of CoNLL-U, the format of Universal Dependencies.
//!
//! ```text
//! # newdoc id = n01
//! # newpar
//! 1-2    vámonos  _    _     _  _                _  _  _  _
//! 1      vamos    ir   VERB  _  Mood=Imp|Number=Plur  0  root  _  _
//! 2      nos      nos  PRON  _  Case=Acc              1  obj   _  _
//! ```
//!
//! Ten columns with a tab between them: ID, FORM, LEMMA, UPOS, XPOS, FEATS and four more, which are not read. Words are the
//! syntactic words: ranges such as `1-2` and empty nodes such as `1.1` are not words. `_` means that there is no value, except
//! that a word `_` has the lemma `_`.

use memchr::memchr_iter;

use crate::error::Error;
use crate::text::{Misplaced, at, shown, without_line_end};

const COLUMNS: usize = 10;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'t> {
    /// A word: its columns from FORM to FEATS with the tabs between them, a record for [`form`], [`lemma`], [`upos`] and
    /// [`features`].
    Word(&'t str),
    /// A line that is empty, or has blanks alone.
    SentenceEnd,
    /// The next sentence begins a paragraph.
    Paragraph,
    /// The next sentence begins a document.
    Document,
    /// Another comment, a range, or an empty node.
    Nothing,
}

/// Parses a line, with or without its line end.
pub(super) fn line(text: &str) -> Result<Line<'_>, Misplaced> {
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        // Where files were joined.
        return line(rest).map_err(|(offset, error)| at(text.len() - rest.len() + offset)(error));
    }
    let text = without_line_end(text);
    if text.trim_matches(' ').is_empty() {
        return Ok(Line::SentenceEnd);
    }
    if let Some(comment) = text.strip_prefix('#') {
        return Ok(match comment.split_whitespace().next() {
            Some("newdoc") => Line::Document,
            Some("newpar") => Line::Paragraph,
            _ => Line::Nothing,
        });
    }
    // The places of the tabs, which end the columns.
    let mut tabs = [0; COLUMNS - 1];
    let mut found = 0;
    for tab in memchr_iter(b'\t', text.as_bytes()) {
        *tabs.get_mut(found).ok_or_else(|| at(tab + 1)(wrong_width("one more")))? = tab;
        found += 1;
    }
    if found < tabs.len() {
        return Err(at(text.len())(wrong_width((found + 1).to_string())));
    }
    let [id, form, _, _, _, features, ..] = tabs;
    let is_word = is_word(&text[..id]).ok_or_else(|| {
        let cure = "number the words of a sentence from 1";
        at(0)(Error::defect("an id such as 1, 1-2 or 1.1", shown(&text[..id]), cure))
    })?;
    if form == id + 1 {
        let cure = "write the word, or _ if there is none";
        return Err(at(form)(Error::defect("a word in the column FORM", "an empty one", cure)));
    }
    Ok(if is_word { Line::Word(&text[id + 1..features]) } else { Line::Nothing })
}

/// The word of a record.
pub(super) fn form(record: &str) -> &str {
    column(record, 0)
}

/// The lemma of a record, if it has one.
pub(super) fn lemma(record: &str) -> Option<&str> {
    let lemma = column(record, 1);
    value(lemma).or_else(|| (lemma == "_" && form(record) == "_").then_some(lemma))
}

/// The part of speech of a record, if it has one.
pub(super) fn upos(record: &str) -> Option<&str> {
    value(column(record, 2))
}

/// The features of a record, such as `Case=Nom`.
pub(super) fn features(record: &str) -> impl Iterator<Item = &str> {
    let features = value(column(record, 4)).unwrap_or_default();
    features.split('|').filter(|feature| !feature.is_empty())
}

fn column(record: &str, number: usize) -> &str {
    record.split('\t').nth(number).unwrap_or_default()
}

fn value(column: &str) -> Option<&str> {
    Some(column).filter(|&column| !column.is_empty() && column != "_")
}

/// Whether an id is that of a word (`1`), and not of a range (`1-2`) or an empty node (`1.1`, `0.1`). `None`: it is no id.
fn is_word(id: &str) -> Option<bool> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match id.split_once(['-', '.']) {
        None => is_number(id).then_some(true),
        Some((from, to)) => (is_number(from) && is_number(to)).then_some(false),
    }
}

fn wrong_width(found: impl Into<String>) -> Error {
    let cure = "separate the columns by one tab each, and write _ where there is no value";
    Error::defect(format!("{COLUMNS} columns"), found, cure)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str, offset: usize, expected: &str, found: &str) {
        let Err((at, error)) = line(text) else { panic!("{text:?} is accepted") };
        let message = error.to_string();
        assert_eq!(at, offset, "{message}");
        assert!(message.contains(expected) && message.contains(found), "{message}");
    }

    fn parsed(text: &str) -> Line<'_> {
        line(text).unwrap_or_else(|(offset, error)| panic!("{offset}: {error}"))
    }

    #[test]
    fn words_have_their_columns() {
        let record = "nos\tyo\tPRON\tp\tCase=Acc|Number=Plur";
        for end in ["", "\n", "\r\n"] {
            assert_eq!(parsed(&format!("12\t{record}\t1\tobj\t_\t_{end}")), Line::Word(record));
        }
        assert_eq!((form(record), lemma(record), upos(record)), ("nos", Some("yo"), Some("PRON")));
        assert_eq!(features(record).collect::<Vec<_>>(), ["Case=Acc", "Number=Plur"]);
        // Words with blanks are words.
        assert_eq!(parsed("1\t10 000\t_\t_\t_\t_\t_\t_\t_\t_"), Line::Word("10 000\t_\t_\t_\t_"));
    }

    #[test]
    fn what_is_not_said_has_no_name() {
        let bare = "a\t_\t_\t_\t_";
        assert_eq!((form(bare), lemma(bare), upos(bare), features(bare).count()), ("a", None, None, 0));
        let empty = "a\t\t\t\t";
        assert_eq!((lemma(empty), upos(empty), features(empty).count()), (None, None, 0));
        assert_eq!(lemma("_\t_\tPUNCT\t_\t_"), Some("_"));
        assert_eq!(lemma("_\t\tPUNCT\t_\t_"), None);
    }

    #[test]
    fn other_lines_are_told_apart() {
        for (text, expected) in [
            ("", Line::SentenceEnd),
            ("\n", Line::SentenceEnd),
            ("\r\n", Line::SentenceEnd),
            (" \n", Line::SentenceEnd),
            ("\u{feff}# newdoc\n", Line::Document),
            ("# newdoc\n", Line::Document),
            ("# newdoc id = n01\n", Line::Document),
            ("#newpar", Line::Paragraph),
            ("# newpar id = p1", Line::Paragraph),
            ("#", Line::Nothing),
            ("# sent_id = newdoc", Line::Nothing),
            ("# newdocument", Line::Nothing),
            ("# text = 1\ta", Line::Nothing),
            ("1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_", Line::Nothing),
            ("0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_", Line::Nothing),
        ] {
            assert_eq!(parsed(text), expected, "{text:?}");
        }
    }

    #[test]
    fn other_widths_ids_and_words_are_refused_where_they_are() {
        refused("1\ta\tb\n", 5, "10 columns", "found 3");
        refused("1\ta\t_\t_\t_\t_\t_\t_\t_", 17, "10 columns", "found 9");
        refused("text", 4, "10 columns", "found 1");
        refused("1\té\t_\t_\t_\t_\t_\t_\t_\t_\tx", 21, "10 columns", "one more");
        for id in ["", "a", "1-", "-2", "1.", "1-2-3", "1 ", "+1", "1e1"] {
            let text = format!("{id}\ta\t_\t_\t_\t_\t_\t_\t_\t_");
            refused(&text, 0, "an id such as 1", &format!("{id:?}"));
        }
        refused("12\t\t_\t_\t_\t_\t_\t_\t_\t_", 3, "FORM", "an empty one");
    }

    proptest! {
        #[test]
        fn any_line_is_parsed_or_refused(text in "[1-3#.a-]{0,3}(\t[a_|=é]{0,3}){0,11}[\r\n]{0,2}|.*") {
            match line(&text) {
                Ok(Line::Word(record)) => {
                    prop_assert_eq!(record.matches('\t').count(), 4);
                    prop_assert!(!form(record).is_empty() && lemma(record) != Some(""));
                    prop_assert!(upos(record) != Some("_") && features(record).all(|name| !name.is_empty()));
                }
                Ok(_) => {}
                Err((offset, _)) => prop_assert!(offset <= text.len()),
            }
        }

        #[test]
        fn any_columns_come_back(columns in prop::collection::vec("[^\t\r\n]{1,4}", 10), id in 1..1000_u32) {
            let text = format!("{id}\t{}", columns[1..].join("\t"));
            let Line::Word(record) = parsed(&text) else { panic!("{text:?}") };
            prop_assert_eq!(record, columns[1..6].join("\t"));
            prop_assert_eq!(form(record), &columns[1]);
        }
    }
}
