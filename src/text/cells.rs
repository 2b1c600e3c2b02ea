//! The cells of a record: the text between tabs, commas, semicolons, bars or blanks.

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};

use super::{Misplaced, at, shown};
use crate::error::Error;

/// What separates cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// One tab each; nothing is quoted, as pyndl writes.
    Tab,
    /// One tab each; cells may be quoted (RFC 4180), as R writes.
    QuotedTab,
    /// One comma each; cells may be quoted (RFC 4180).
    Comma,
    /// One semicolon each; cells may be quoted, too.
    Semicolon,
    /// One bar (`|`) each; cells may be quoted, too.
    Bar,
    /// One space or more; cells may be quoted, too.
    Blank,
}

/// A cell without the quotes around it, and where in the record its text starts.
///
/// If `doubled`, quotes in it are still doubled. They are replaced after names were split at `_`, so that offsets in the text are
/// offsets in the file.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) quoted: bool,
    pub(super) doubled: bool,
}

/// A cell, and where the next one starts, if there is one.
type Next<'a> = std::result::Result<(Cell<'a>, Option<usize>), Misplaced>;

impl Separator {
    /// The cells of a record without its line end: one or more; `trimmed`: without blanks around them.
    pub(super) fn cells<'a>(
        self,
        record: &'a str,
        trimmed: bool,
    ) -> impl Iterator<Item = std::result::Result<Cell<'a>, Misplaced>> {
        let skips = trimmed || self == Separator::Blank;
        let begin = move |at| if skips { behind_blanks(record, at) } else { at };
        let mut next = Some(begin(0));
        std::iter::from_fn(move || {
            let start = next.take()?;
            let cell = match self {
                Separator::Tab => Ok(tab_cell(record, start)),
                _ => quoted_or_not(record, start, self, trimmed),
            };
            Some(cell.map(|(cell, after)| {
                next = after.map(begin).filter(|&after| self != Separator::Blank || after < record.len());
                if trimmed && !cell.quoted {
                    Cell { text: cell.text.trim_end_matches(' '), ..cell }
                } else {
                    cell
                }
            }))
        })
    }

    /// The byte between cells.
    pub(super) fn byte(self) -> u8 {
        match self {
            Separator::Tab | Separator::QuotedTab => b'\t',
            Separator::Comma => b',',
            Separator::Semicolon => b';',
            Separator::Bar => b'|',
            Separator::Blank => b' ',
        }
    }

    /// The end of a record, line end included, if the pending text has it.
    pub(super) fn record_end(self, pending: &[u8]) -> Option<usize> {
        match self {
            Separator::Tab => memchr(b'\n', pending).map(|feed| feed + 1),
            // The first line feed that is not in quotes.
            _ => {
                let mut quoted = false;
                for at in memchr2_iter(b'"', b'\n', pending) {
                    match pending[at] {
                        b'"' => quoted = !quoted,
                        _ if !quoted => return Some(at + 1),
                        _ => {}
                    }
                }
                None
            }
        }
    }

    /// How cells have to be separated, for a message.
    pub(super) fn rule(self) -> String {
        let noun = self.noun();
        match self {
            Separator::Tab => format!("separate the cells by one {noun} each"),
            Separator::Blank => "separate the cells by blanks, and quote those that hold blanks".into(),
            _ => format!("separate the cells by one {noun} each, and quote those that hold {noun}s"),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Separator::Tab | Separator::QuotedTab => "tab",
            Separator::Comma => "comma",
            Separator::Semicolon => "semicolon",
            Separator::Bar => "bar",
            Separator::Blank => "blank",
        }
    }
}

fn behind_blanks(record: &str, start: usize) -> usize {
    start + record.as_bytes()[start..].iter().take_while(|&&byte| byte == b' ').count()
}

fn tab_cell(record: &str, start: usize) -> (Cell<'_>, Option<usize>) {
    let rest = &record[start..];
    let tab = memchr(b'\t', rest.as_bytes());
    let text = &rest[..tab.unwrap_or(rest.len())];
    (Cell { text, start, quoted: false, doubled: false }, tab.map(|tab| start + tab + 1))
}

fn quoted_or_not(record: &str, start: usize, separator: Separator, trimmed: bool) -> Next<'_> {
    let bytes = record.as_bytes();
    if bytes.get(start) != Some(&b'"') {
        let end = memchr2(separator.byte(), b'"', &bytes[start..]).map(|n| start + n);
        if let Some(quote) = end.filter(|&end| bytes[end] == b'"') {
            let cure = "put the cell in quotes, and double the quotes in it";
            return Err(at(quote)(Error::defect("a cell without quotes in it", "a quote", cure)));
        }
        let text = &record[start..end.unwrap_or(record.len())];
        let cell = Cell { text, start, quoted: false, doubled: false };
        return Ok((cell, end.map(|separator| separator + 1)));
    }
    let mut quotes = memchr_iter(b'"', &bytes[start + 1..]).map(|n| start + 1 + n);
    let mut doubled = false;
    let end = loop {
        let Some(quote) = quotes.next() else {
            let error =
                Error::defect("a closing quote", "the end of the file", "close the quote that opens here");
            return Err(at(start)(error));
        };
        if bytes.get(quote + 1) != Some(&b'"') {
            break quote;
        }
        doubled = true;
        quotes.next();
    };
    let cell = Cell { text: &record[start + 1..end], start: start + 1, quoted: true, doubled };
    let behind = if trimmed { behind_blanks(record, end + 1) } else { end + 1 };
    match bytes.get(behind) {
        None => Ok((cell, None)),
        Some(&byte) if byte == separator.byte() => Ok((cell, Some(behind + 1))),
        Some(_) => Err(at(end + 1)(Error::defect(
            format!("a {} or the end of the line after a closing quote", separator.noun()),
            shown(&record[end + 1..]),
            "double the quotes in a cell",
        ))),
    }
}
