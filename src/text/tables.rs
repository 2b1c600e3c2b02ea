//! Event tables: one event a line (or CSV record), its cues and outcomes joined by `_`.
//!
//! ```text
//! cues<TAB>outcomes<TAB>frequency         "Cues","Outcomes","Frequency"
//! #h_ha_an_nd_d#<TAB>hand<TAB>10          "#h_ha_an_nd_d#","hand",10
//! ```
//!
//! The first line names the columns and decides: with a tab in it cells are separated by tabs and nothing is quoted, as
//! pyndl writes; without, it is CSV (RFC 4180), as R writes. Columns are found by name, whatever their case and order;
//! others are ignored. Without a column `frequency` each event occurred once. An empty cell means no cues, or no
//! outcomes. A header alone is a table of no events.

use std::path::Path;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter};

use crate::error::{Error, Place, Result};
use crate::monitor::Monitor;
use crate::text::seen::Seen;
use crate::text::source::{MAX_HEADER, MAX_PIECE, Piece, Source, read_ahead};
use crate::text::{EventSink, Misplaced, at, shown, without_line_end};

/// Pushes the events of a table, plain, gzip, zstd or xz, into a sink.
///
/// # Errors
/// When the file cannot be read or is not an event table, or the sink refuses. Defects name the file, the line (the
/// header is line 1) and the byte column.
pub fn read<S: EventSink + ?Sized>(path: &Path, sink: &mut S, monitor: &Monitor) -> Result<()> {
    read_ahead(path, monitor, |source| read_from(source, sink, monitor))
        .map_err(|error| error.at(Some(path), None))
}

/// The names in a cell, each with its byte offset; an empty one is an error.
///
/// ```
/// use rescorla::text::tables::split_names;
///
/// let names: Vec<_> = split_names("a_bc").map(|(at, name)| (at, name.unwrap())).collect();
/// assert_eq!(names, [(0, "a"), (2, "bc")]);
/// assert_eq!(split_names("").count(), 0);
/// assert!(split_names("a__b").nth(1).unwrap().1.is_err());
/// ```
pub fn split_names(cell: &str) -> impl Iterator<Item = (usize, Result<&str>)> {
    // Names are short: looking at each byte is done before a vector would be filled.
    let joints = cell.bytes().enumerate().filter(|&(_, byte)| byte == b'_').map(|(at, _)| at);
    let ends = joints.chain((!cell.is_empty()).then_some(cell.len()));
    let mut start = 0;
    ends.map(move |end| {
        let (offset, name) = (start, &cell[start..end]);
        start = end + 1;
        (offset, if name.is_empty() { Err(empty_name()) } else { Ok(name) })
    })
}

/// Whether a first line is that of an event table.
pub(super) fn is_header(line: &Piece<'_>) -> bool {
    Table::of(line).is_ok()
}

fn read_from<S: EventSink + ?Sized>(source: &mut Source<'_>, sink: &mut S, monitor: &Monitor) -> Result<()> {
    let table = match source.line(MAX_HEADER)? {
        Some(line) => Table::of(&line)?,
        None => return Err(not_a_header("an empty file").at(None, Some(Place::Line { line: 1, column: 1 }))),
    };
    let mut seen = Seen::default();
    while let Some(piece) = match table.format {
        Format::Tab => source.line(MAX_PIECE)?,
        Format::Csv => source.piece(MAX_PIECE, record_end)?,
    } {
        push(&table, &piece, &mut seen, sink, monitor)
            .map_err(|Misplaced { offset, error }| error.at(None, Some(piece.place(offset))))?;
    }
    Ok(())
}

fn push<S: EventSink + ?Sized>(
    table: &Table,
    piece: &Piece<'_>,
    seen: &mut Seen,
    sink: &mut S,
    monitor: &Monitor,
) -> std::result::Result<(), Misplaced> {
    monitor.check().map_err(at(0))?;
    let record = || piece.text().map(without_line_end).map_err(at(0));
    match seen.again(piece.bytes, sink) {
        Ok(true) => return Ok(()),
        Ok(false) => {}
        Err(error) => {
            let [_, _, frequency] = table.event(record()?)?;
            return Err(at(frequency.start)(error));
        }
    }
    let [cues, outcomes, frequency] = table.event(record()?)?;
    cues.each_name(|name| monitor.check().and_then(|()| sink.cue(name)))?;
    outcomes.each_name(|name| monitor.check().and_then(|()| sink.outcome(name)))?;
    let end = |n| sink.end_event(n).map(|()| n);
    let n = monitor
        .check()
        .and_then(|()| parse_frequency(frequency.text))
        .and_then(end)
        .map_err(at(frequency.start))?;
    seen.keep(piece.bytes, n, sink).map_err(at(0))
}

/// What the first line says: how cells are separated, and for each column which of [`COLUMNS`] it is, if any.
struct Table {
    format: Format,
    roles: Vec<Option<usize>>,
}

const COLUMNS: [&str; 3] = ["cues", "outcomes", "frequency"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Tab,
    Csv,
}

/// A cell without the quotes around it, and where in the record its text starts.
///
/// Quotes in it are still doubled where `doubled`: names are split first, for a quote is no `_`, so that offsets in the
/// text are offsets in the file.
#[derive(Clone, Copy)]
struct Cell<'a> {
    text: &'a str,
    start: usize,
    doubled: bool,
}

impl Table {
    fn of(line: &Piece<'_>) -> Result<Self> {
        let text = without_line_end(line.text()?);
        let format = if memchr(b'\t', text.as_bytes()).is_some() { Format::Tab } else { Format::Csv };
        Self::from_header(format, text)
            .map_err(|Misplaced { offset, error }| error.at(None, Some(line.place(offset))))
    }

    fn from_header(format: Format, header: &str) -> std::result::Result<Self, Misplaced> {
        let mut roles = Vec::new();
        let mut found = Vec::new();
        for cell in format.cells(header) {
            let cell = cell.map_err(|_| at(0)(not_a_header(shown(header))))?;
            let role = COLUMNS.iter().position(|name| cell.text.eq_ignore_ascii_case(name));
            if let Some(role) = role.filter(|_| roles.contains(&role)) {
                let error = Error::defect(
                    format!("one column named {}", COLUMNS[role]),
                    "another one",
                    "rename the column that is not meant",
                );
                return Err(at(cell.start)(error));
            }
            roles.push(role);
            found.push(shown(cell.text));
        }
        match [0, 1].map(|role| roles.contains(&Some(role))) {
            [true, true] => Ok(Table { format, roles }),
            [false, false] => Err(at(0)(not_a_header(shown(header)))),
            [cues, _] => Err(at(0)(Error::defect(
                format!("a column named {}", COLUMNS[usize::from(cues)]),
                format!("the columns {}", found.join(", ")),
                "name the columns in the first line",
            ))),
        }
    }

    /// The cells of cues, outcomes and frequency.
    fn event<'a>(&self, record: &'a str) -> std::result::Result<[Cell<'a>; 3], Misplaced> {
        if record.is_empty() {
            return Err(at(0)(Error::defect("an event", "an empty line", "delete the line")));
        }
        let mut event = [Cell { text: "1", start: 0, doubled: false }; 3];
        let mut width = 0;
        for cell in self.format.cells(record) {
            let cell = cell?;
            match self.roles.get(width) {
                Some(&Some(role)) => event[role] = cell,
                Some(None) => {}
                None => return Err(at(cell.start)(self.wrong_width("one more"))),
            }
            width += 1;
        }
        if width < self.roles.len() {
            return Err(at(record.len())(self.wrong_width(&width.to_string())));
        }
        Ok(event)
    }

    fn wrong_width(&self, found: &str) -> Error {
        let expected = format!("{} cells, as in the first line", self.roles.len());
        let cure = match self.format {
            Format::Tab => "separate the cells by one tab each",
            Format::Csv => "separate the cells by one comma each, and quote those that hold commas",
        };
        Error::defect(expected, found, cure)
    }
}

impl Format {
    fn cells<'a>(self, record: &'a str) -> impl Iterator<Item = std::result::Result<Cell<'a>, Misplaced>> {
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let start = next?;
            let cell = match self {
                Format::Tab => Ok(tab_cell(record, start)),
                Format::Csv => csv_cell(record, start),
            };
            Some(cell.map(|(cell, after)| {
                next = after;
                cell
            }))
        })
    }
}

/// The cell that starts at `start`, and where the next one does.
fn tab_cell(record: &str, start: usize) -> (Cell<'_>, Option<usize>) {
    let rest = &record[start..];
    let tab = memchr(b'\t', rest.as_bytes());
    let text = &rest[..tab.unwrap_or(rest.len())];
    (Cell { text, start, doubled: false }, tab.map(|tab| start + tab + 1))
}

/// The cell that starts at `start`, and where the next one does.
fn csv_cell(record: &str, start: usize) -> std::result::Result<(Cell<'_>, Option<usize>), Misplaced> {
    let bytes = record.as_bytes();
    if bytes.get(start) != Some(&b'"') {
        let end = memchr2(b',', b'"', &bytes[start..]).map(|n| start + n);
        if let Some(quote) = end.filter(|&end| bytes[end] == b'"') {
            let cure = "put the cell in quotes, and double the quotes in it";
            return Err(at(quote)(Error::defect("a cell without quotes in it", "a quote", cure)));
        }
        let cell = Cell { text: &record[start..end.unwrap_or(record.len())], start, doubled: false };
        return Ok((cell, end.map(|comma| comma + 1)));
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
    let cell = Cell { text: &record[start + 1..end], start: start + 1, doubled };
    match bytes.get(end + 1) {
        None => Ok((cell, None)),
        Some(b',') => Ok((cell, Some(end + 2))),
        Some(_) => Err(at(end + 1)(Error::defect(
            "a comma or the end of the line after a closing quote",
            shown(&record[end + 1..]),
            "double the quotes in a cell",
        ))),
    }
}

impl Cell<'_> {
    fn each_name(&self, mut push: impl FnMut(&str) -> Result<()>) -> std::result::Result<(), Misplaced> {
        for (offset, name) in split_names(self.text) {
            name.and_then(|name| if self.doubled { push(&name.replace("\"\"", "\"")) } else { push(name) })
                .map_err(at(self.start + offset))?;
        }
        Ok(())
    }
}

fn parse_frequency(text: &str) -> Result<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        Error::defect(
            "a frequency, in digits and of at most 4,294,967,295",
            shown(text),
            "write a whole number, such as 12",
        )
    })
}

fn not_a_header(found: impl Into<String>) -> Error {
    let expected = "a first line that names the columns cues and outcomes";
    Error::defect(expected, found, "name the columns, or read the file as running text")
}

fn empty_name() -> Error {
    Error::defect("a name", "an empty one", "join names by one _ each, with none at the ends")
}

/// The end of a CSV record: the first line feed that is not in quotes.
fn record_end(pending: &[u8]) -> Option<usize> {
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
