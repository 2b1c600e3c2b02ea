//! Which format text has, told by its first lines.

use super::detect_table::is_empty;

/// A format of text other than plain running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// The XML of OpenSubtitles.
    Subtitles,
    /// SubRip or WebVTT.
    Captions,
    /// CHAT, the format of CHILDES and TalkBank.
    Chat,
    /// CoNLL-U.
    Conllu,
    /// A relative of CoNLL-U: one word in a line, with other columns.
    Conll,
    /// JSON, or a JSON value in each line.
    Json,
    /// HTML, or other XML.
    Html,
    /// Rich text.
    Rtf,
}

impl TextFormat {
    /// The format of text that has marks which no table has.
    pub(super) fn marked(lines: &[&[u8]]) -> Option<Self> {
        let mut full = lines.iter().map(|line| line.trim_ascii()).filter(|line| !line.is_empty());
        let first = full.next()?;
        let second = full.next().unwrap_or_default();
        let begins =
            |mark: &[u8]| first.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
        let has = |mark: &[u8]| lines.iter().any(|line| memchr::memmem::find(line, mark).is_some());
        if begins(b"<?xml") || begins(b"<document") {
            let is_subtitles = has(b"<document") && (has(b"<s ") || has(b"<s>"));
            return Some(if is_subtitles { Self::Subtitles } else { Self::Html });
        }
        if [b"<!doctype".as_slice(), b"<html", b"<head", b"<body"].into_iter().any(begins) {
            return Some(Self::Html);
        }
        if begins(b"{\\rtf") {
            return Some(Self::Rtf);
        }
        if is_json(first) {
            return Some(Self::Json);
        }
        if begins(b"WEBVTT") || is_time(first) || (is_number(first) && is_time(second)) {
            return Some(Self::Captions);
        }
        (first.starts_with(b"@") && has(b"@Begin")).then_some(Self::Chat)
    }

    /// The format of text that has one word in a line.
    pub(super) fn of_words(lines: &[&[u8]]) -> Option<Self> {
        let first = lines.first()?;
        let marks = [&b"# global.columns"[..], b"-DOCSTART-", b"#begin document"];
        if marks.iter().any(|mark| first.starts_with(mark)) {
            return Some(Self::Conll);
        }
        let rows = || lines.iter().filter(|line| !is_empty(line) && !line.starts_with(b"#") && !is_tag(line));
        let cells = |line: &[u8]| line.split(|&byte| byte == b'\t').count();
        let n = cells(rows().next()?);
        if n < 2 || rows().any(|line| cells(line) != n) {
            return None;
        }
        if rows().all(|line| line.split(|&byte| byte == b'\t').next().is_some_and(is_id)) {
            // The numbers of words begin anew with each sentence, those of rows do not.
            let starts = rows().filter(|line| line.starts_with(b"1\t")).count();
            let blank = lines.iter().any(|line| is_empty(line));
            return match n {
                10 => Some(Self::Conllu),
                _ if n > 2 && blank && starts > 1 => Some(Self::Conll),
                _ => None,
            };
        }
        lines.iter().any(|line| is_tag(line)).then_some(Self::Conll)
    }
}

/// Whether a line begins a JSON object or array.
fn is_json(line: &[u8]) -> bool {
    let behind = line.get(1..).unwrap_or_default().trim_ascii_start();
    match line.first() {
        Some(b'{') => matches!(behind.first(), None | Some(b'"' | b'}')),
        Some(b'[') => matches!(behind.first(), None | Some(b'{' | b'[' | b'"')),
        _ => false,
    }
}

/// Whether a line has the times of a caption, as in `00:00:01,000 --> 00:00:02,500`.
fn is_time(line: &[u8]) -> bool {
    let Some(arrow) = memchr::memmem::find(line, b"-->") else { return false };
    let ends = [line[..arrow].trim_ascii().first(), line[arrow + 3..].trim_ascii().first()];
    ends.into_iter().all(|byte| byte.is_some_and(u8::is_ascii_digit))
}

fn is_number(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_digit)
}

/// Whether a cell is the number of a word, or of several, or of one that is not written: `1`, `1-2`, `1.1`.
fn is_id(cell: &[u8]) -> bool {
    cell.first().is_some_and(u8::is_ascii_digit)
        && cell.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
}

/// Whether a line is a tag, as around the sentences of vertical text.
fn is_tag(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"<") && line.ends_with(b">") && !line.contains(&b'\t')
}
