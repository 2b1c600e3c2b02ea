//! What a file is, detected from its content.
//!
//! ```text
//! first bytes         -> event file, weights, picture, archive, compressed file, UTF-16
//! first hundred lines -> subtitles, CHAT, JSON, HTML, RTF; event table; CoNLL-U and its relatives; other table; running text
//! ```
//!
//! The order is a rule: what comes first wins. `tests/events/test_kinds.py` has sixty small files, and what each is taken for.

use std::fs::File;
use std::path::Path;

pub use super::detect_format::TextFormat;
use super::detect_table;
use super::source::{MAX_HEADER, Source};
use super::{shown, tables};
use crate::error::{Error, Result};
use crate::events::format::MAGIC;
use crate::monitor::Monitor;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A binary event file.
    Events,
    /// A binary event file that was compressed.
    PackedEvents,
    /// An event table, which [`tables::read`] reads.
    Table,
    /// What looks like a table, but does not name the columns of events.
    UnnamedTable,
    /// Text in one of these formats.
    Format(TextFormat),
    /// Running text: anything else.
    Text,
    /// Nothing, or nothing but white space.
    Empty,
    /// Weights: .npz, .npy or netCDF.
    Weights,
    /// Data frames: Parquet, Arrow, or R's own files.
    Frames,
    /// A picture, or a page that is printed: PDF.
    Picture,
    /// A zip archive, as files of spreadsheets and word processors are, or their older files.
    Archive,
    /// A compressed file or an archive of a kind that is not read.
    Compressed,
    /// Text in UTF-16.
    Utf16,
}

/// What a look at a file shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// What it holds.
    pub kind: Kind,
    /// The first line, quoted and cut short, if the file has lines.
    pub first: String,
    /// The cells of the first line, if the file looks like a table.
    pub columns: Vec<String>,
    /// The only column of an event table besides cues and outcomes, if it has counts and is not named `frequency`.
    pub counts: Option<String>,
}

impl Look {
    fn of(kind: Kind, first: String) -> Self {
        Self { kind, first, columns: Vec::new(), counts: None }
    }
}

/// What a file holds, detected from its content: its first bytes, or its first hundred lines.
///
/// At most [`MAX_HEADER`] bytes of text are looked at.
///
/// # Errors
/// When the file cannot be read, or is compressed and damaged.
pub fn look(path: &Path) -> Result<Look> {
    let metadata = File::open(path).and_then(|file| file.metadata()).map_err(Error::io(path, "open"))?;
    // Reading a folder gives an error that says what is wrong.
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(Error::Argument(format!(
            "{}: expected a file, whose content tells what it is, found something that can be read only once; save it \
             to a file first",
            path.display()
        )));
    }
    let monitor = Monitor::new();
    look_at(&mut Source::glance(path, &monitor)?).map_err(|error| error.at(Some(path), None))
}

/// As [`look`], for a source that is being read. Nothing is taken from it.
///
/// # Errors
/// As for reading.
pub(crate) fn look_at(source: &mut Source<'_>) -> Result<Look> {
    let (magic, packed) = source.magic();
    if let Some(kind) = binary(magic).filter(|_| !packed) {
        return Ok(Look::of(kind, String::new()));
    }
    source.break_at_returns()?;
    let (pending, ended) = source.peek(detect_table::LINES, MAX_HEADER)?;
    if let Some(kind) = binary(pending.bytes) {
        let kind = if kind == Kind::Events { Kind::PackedEvents } else { kind };
        return Ok(Look::of(kind, String::new()));
    }
    let lines = detect_table::first_lines(pending.bytes, ended);
    let first = shown(&String::from_utf8_lossy(lines.first().copied().unwrap_or_default()));
    if lines.is_empty() && ended {
        return Ok(Look::of(Kind::Empty, first));
    }
    if let Some(format) = TextFormat::marked(&lines) {
        return Ok(Look::of(Kind::Format(format), first));
    }
    let (is_table, columns, counts) = tables::header_cells(&pending, &lines);
    let kind = if is_table {
        Kind::Table
    } else if let Some(format) = TextFormat::of_words(&lines) {
        Kind::Format(format)
    } else if !columns.is_empty() || tables::is_blank_header(&lines) {
        Kind::UnnamedTable
    } else {
        Kind::Text
    };
    Ok(Look { kind, first, columns, counts })
}

/// The kind of a file with these first bytes, if it is not text in UTF-8.
fn binary(head: &[u8]) -> Option<Kind> {
    const ZIP: &[u8] = b"PK\x03\x04";
    /// Where in a zip archive the length of the first member's name is, and the name.
    const NAME_LENGTH: usize = 26;
    const NAME: usize = 30;
    let starts = |magics: &[&[u8]]| magics.iter().any(|magic| head.starts_with(magic));
    if starts(&[&MAGIC]) {
        return Some(Kind::Events);
    }
    if starts(&[ZIP]) {
        let length = head.get(NAME_LENGTH).map_or(0, |&length| usize::from(length));
        let name = head.get(NAME..(NAME + length).min(head.len())).unwrap_or_default();
        return Some(if name.ends_with(b".npy") { Kind::Weights } else { Kind::Archive });
    }
    if starts(&[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]) {
        return Some(Kind::Archive);
    }
    if starts(&[
        b"BZh",
        b"7z\xbc\xaf\x27\x1c",
        b"Rar!\x1a\x07",
        b"\x04\x22\x4d\x18",
        b"LZIP",
        b"\x1f\x9d",
        b"\x5d\0\0",
        b"\xff\x06\0\0sNaPpY",
    ]) || head.get(257..262) == Some(b"ustar")
    {
        return Some(Kind::Compressed);
    }
    if starts(&[b"PAR1", b"ARROW1", b"FEA1", b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0"]) {
        return Some(Kind::Frames);
    }
    if starts(&[b"\x93NUMPY", b"\x89HDF\r\n\x1a\n", b"CDF\x01", b"CDF\x02", b"CDF\x05"]) {
        return Some(Kind::Weights);
    }
    if starts(&[b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"%PDF-", b"<svg"])
        || (starts(&[b"RIFF"]) && head.get(8..12) == Some(b"WEBP"))
        || (starts(&[b"<?xml"]) && memchr::memmem::find(&head[..head.len().min(1024)], b"<svg").is_some())
    {
        return Some(Kind::Picture);
    }
    if starts(&[b"\xff\xfe", b"\xfe\xff"]) || has_every_other_nul(head) {
        return Some(Kind::Utf16);
    }
    None
}

/// Whether every other of the first bytes is NUL, as in UTF-16 of Latin letters.
fn has_every_other_nul(head: &[u8]) -> bool {
    const ENOUGH: usize = 4;
    let head = &head[..head.len().min(64) & !1];
    let nul = |odd: usize| head.iter().skip(odd).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, half) = (nul(0), nul(1), head.len() / 2);
    half >= ENOUGH && ((even == half && odd == 0) || (odd == half && even == 0))
}
