//! Event tables: one event a line (or CSV record), its cues and outcomes joined by `_`.
//!
//! ```text
//! cues<TAB>outcomes<TAB>frequency         "Cues","Outcomes","Frequency"
//! #h_ha_an_nd_d#<TAB>hand<TAB>10          "#h_ha_an_nd_d#","hand",10
//! ```
//!
//! The first line names the columns and decides how cells are separated. If it has a tab, they are separated by tabs, and quoted
//! only if the names of all columns are, or all cells of cues and outcomes in the first lines: pyndl quotes nothing, R does. If
//! not, the table is CSV (RFC 4180) with commas, semicolons or bars; or blanks separate the cells. Columns are found by name,
//! whatever their case and order; others are ignored. Without a column `frequency` each event occurred once. An empty cell means
//! no cues, or no outcomes. A header alone is a table of no events.
//!
//! Three habits of programs are known. R writes the numbers of rows before the first column without a name for them. Some write a
//! blank behind each comma; if the first line has one, blanks around cells are not read. And whoever joins tables has the first
//! line again, perhaps with a byte order mark: it is left out.
//!
//! A [`Layout`] says where the columns are in tables that name them otherwise, or not at all.

use std::path::Path;

use memchr::memchr;

use crate::error::{Error, Place, Result};
use crate::events::write::{EventWriter, Side};
use crate::monitor::Monitor;
use crate::text::cells::{Cell, Separator};
use crate::text::detect_table;
use crate::text::seen::Seen;
use crate::text::source::{MAX_HEADER, MAX_PIECE, Piece, Source, Wrapping, length_of};
use crate::text::{Misplaced, at, shown, without_line_end};

/// Where the columns of a table are, beyond what its first line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The columns of cues, outcomes and frequencies; `None`: the column of that name.
    pub columns: [Option<Column>; 3],
    /// Whether the first line names the columns. If not, it is an event.
    pub header: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its name in the first line.
    Name(String),
    /// By its position, from 0.
    At(usize),
}

impl Default for Layout {
    fn default() -> Self {
        Self { columns: [None, None, None], header: true }
    }
}

/// Pushes the events of a table, plain, gzip, zstd or xz, into a writer.
///
/// # Errors
/// When the file cannot be read or is not an event table, or the writer refuses. Defects name the file, the line (the
/// header is line 1) and the byte column.
pub fn read(path: &Path, writer: &mut EventWriter, monitor: &Monitor) -> Result<()> {
    read_as(path, &Layout::default(), None, writer, monitor)
}

/// [`read`] for a table of any layout. With a limit, reading stops after as many events.
///
/// # Errors
/// As for [`read`].
pub fn read_as(
    path: &Path,
    layout: &Layout,
    limit: Option<u64>,
    writer: &mut EventWriter,
    monitor: &Monitor,
) -> Result<()> {
    /// For fewer events the beginning of the file is enough.
    const FEW: u64 = 1 << 12;
    monitor.set_total(length_of(path)?);
    let source = if limit.is_some_and(|limit| limit < FEW) {
        Source::glance(path, monitor)
    } else {
        Source::open(path, Wrapping::Text, monitor)
    };
    let pushed = source.and_then(|mut source| {
        TableColumns::begin(&mut source, layout)?.push(&mut source, limit, writer, monitor)
    });
    pushed.map(drop).map_err(|error| error.at(Some(path), None))
}

/// The names in a cell, each with its byte offset; an empty one is an error.
///
/// ```
/// use rescorla::internals::text::tables::split_names;
///
/// let names: Vec<_> = split_names("a_bc").map(|(at, name)| (at, name.unwrap())).collect();
/// assert_eq!(names, [(0, "a"), (2, "bc")]);
/// assert_eq!(split_names("").count(), 0);
/// assert!(split_names("a__b").nth(1).unwrap().1.is_err());
/// ```
pub fn split_names(cell: &str) -> impl Iterator<Item = (usize, Result<&str>)> {
    // Names are so short that looking at each byte is faster than vectors.
    let joints = cell.bytes().enumerate().filter(|&(_, byte)| byte == b'_').map(|(at, _)| at);
    let ends = joints.chain((!cell.is_empty()).then_some(cell.len()));
    let mut start = 0;
    ends.map(move |end| {
        let (offset, name) = (start, &cell[start..end]);
        start = end + 1;
        (offset, if name.is_empty() { Err(empty_name()) } else { Ok(name) })
    })
}

/// Whether the first line of a text names the columns of an event table, and the cells of that line, if the text looks like a
/// table; and the name of its only other column, if that has counts.
pub(super) fn header_cells(pending: &Piece<'_>, lines: &[&[u8]]) -> (bool, Vec<String>, Option<String>) {
    let mut counts = None;
    let found = match TableColumns::of(pending, lines, &Layout::default()) {
        Ok(table) => {
            counts = table.counts(lines);
            Some((table.separator, table.trimmed, true))
        }
        Err(_) => detect_table::separator(lines).map(|found| (found, false, false)),
    };
    let Some((separator, trimmed, is_table)) = found else { return (false, Vec::new(), None) };
    let first = lines.first().and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    let cells = separator.cells(first, trimmed).map_while(|cell| Some(cell.ok()?.text.to_owned()));
    (is_table, cells.collect(), counts)
}

/// Whether the first line has usual names of columns, other than the known ones, with blanks between, and the lines below have as
/// many cells.
pub(super) fn is_blank_header(lines: &[&[u8]]) -> bool {
    const SIDES: [[&str; 2]; 2] = [["cue", "cues"], ["outcome", "outcomes"]];
    const NUMBERS: [&str; 7] = ["frequency", "frequencies", "freq", "freqs", "count", "counts", "n"];
    let Some(first) = lines.first().and_then(|line| std::str::from_utf8(line).ok()) else { return false };
    let cells = Separator::Blank.cells(first, false).map(|cell| Some(cell.ok()?.text.to_ascii_lowercase()));
    let Some(names) = cells.collect::<Option<Vec<String>>>() else { return false };
    let is_one = |name: &String| SIDES.iter().flatten().chain(&NUMBERS).any(|known| known == name);
    names.iter().all(is_one)
        && SIDES.iter().all(|side| names.iter().any(|name| side.contains(&name.as_str())))
        && [0, 1].iter().any(|more| detect_table::has_blank_cells(lines, names.len() + more))
}

/// How cells are separated, and for each column which of [`COLUMNS`] it is, if any.
pub(crate) struct TableColumns {
    separator: Separator,
    /// Whether blanks around cells are not read.
    trimmed: bool,
    /// Whether the first column has the numbers of rows, and no name.
    numbered: bool,
    roles: Vec<Option<usize>>,
    /// The line that names the columns.
    header: Option<String>,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

const COLUMNS: [&str; 3] = ["cues", "outcomes", "frequency"];

impl TableColumns {
    /// Finds the columns of a table, and takes the header if there is one.
    ///
    /// # Errors
    /// When the text is no such table, or as for reading.
    pub(crate) fn begin(source: &mut Source<'_>, layout: &Layout) -> Result<Self> {
        source.break_at_returns()?;
        let (pending, ended) = source.peek(detect_table::LINES, MAX_HEADER)?;
        let lines = detect_table::first_lines(pending.bytes, ended);
        let table = match lines.first() {
            Some(_) => Self::of(&pending, &lines, layout)?,
            None if pending.bytes.is_empty() => {
                let place = Some(Place::Line { line: 1, column: 1 });
                return Err(not_a_header("an empty file").at(None, place));
            }
            // There are only empty lines, or a line is too long. The reader's error says where.
            None => match source.line(MAX_HEADER)? {
                Some(line) => {
                    return Err(
                        not_a_header(shown(without_line_end(line.text()?))).at(None, Some(line.place(0)))
                    );
                }
                None => return Err(not_a_header("an empty file")),
            },
        };
        if layout.header {
            source.line(MAX_HEADER)?;
        }
        Ok(table)
    }

    /// Pushes the next events, at most so many, and returns how many there were.
    ///
    /// # Errors
    /// As for [`read`], without the name of the file.
    pub(crate) fn push(
        &self,
        source: &mut Source<'_>,
        limit: Option<u64>,
        writer: &mut EventWriter,
        monitor: &Monitor,
    ) -> Result<u64> {
        let (mut seen, mut pushed) = (Seen::default(), 0);
        while limit.is_none_or(|limit| pushed < limit) {
            let piece = match self.separator {
                Separator::Tab => source.line(MAX_PIECE)?,
                quoting => source.piece(MAX_PIECE, |pending| quoting.record_end(pending))?,
            };
            let Some(piece) = piece else { break };
            let is_event = self
                .push_row(&piece, &mut seen, writer, monitor)
                .map_err(|(offset, error)| error.at(None, Some(piece.place(offset))))?;
            pushed += u64::from(is_event);
        }
        Ok(pushed)
    }

    /// Pushes the event of a row; false where the row is the header again.
    fn push_row(
        &self,
        piece: &Piece<'_>,
        seen: &mut Seen,
        writer: &mut EventWriter,
        monitor: &Monitor,
    ) -> std::result::Result<bool, Misplaced> {
        monitor.check().map_err(at(0))?;
        if seen.again(piece.bytes, writer).map_err(at(0))? {
            return Ok(true);
        }
        let record = piece.text().map(without_line_end).map_err(at(0))?;
        // Where tables were joined.
        if self.header.as_deref() == Some(record.trim_start_matches(BYTE_ORDER_MARK)) {
            return Ok(false);
        }
        let [cues, outcomes, frequency] = self.event(record)?;
        for (side, cell) in [(Side::Cue, cues), (Side::Outcome, outcomes)] {
            each_name(cell, |name| monitor.check().and_then(|()| writer.name(side, name)))?;
        }
        let end = |n| writer.end_event(n).map(|()| n);
        let n = parse_frequency(frequency.text).and_then(end).map_err(at(frequency.start))?;
        seen.keep(piece.bytes, n, writer.key()).map_err(at(0))?;
        Ok(true)
    }

    /// The columns by the first of some lines; the layout gives what that does not say.
    fn of(pending: &Piece<'_>, lines: &[&[u8]], layout: &Layout) -> Result<Self> {
        let first = lines.first().copied().unwrap_or_default();
        let first = without_line_end(pending.beginning(first.len()).text()?);
        let with = |separator| {
            Self::with(separator, first, lines, layout)
                .map_err(|(offset, error)| error.at(None, Some(pending.place(offset))))
        };
        if memchr(b'\t', first.as_bytes()).is_some() {
            return with(Separator::Tab);
        }
        if *layout == Layout::default() {
            return with(Separator::Comma).or_else(|error| {
                if let Ok(table) = with(Separator::Semicolon).or_else(|_| with(Separator::Bar)) {
                    return Ok(table);
                }
                // Any text has blanks. So all names must be known, and the lines must have as many cells.
                match with(Separator::Blank) {
                    Ok(table)
                        if table.roles.iter().skip(table.numbered.into()).all(Option::is_some)
                            && detect_table::has_blank_cells(lines, table.roles.len()) =>
                    {
                        Ok(table)
                    }
                    _ => Err(error),
                }
            });
        }
        let seen = [Separator::Comma, Separator::Semicolon, Separator::Bar, Separator::Blank];
        let seen = seen.into_iter().filter(|separator| first.as_bytes().contains(&separator.byte()));
        let mut tried = detect_table::separator(lines).into_iter().chain(seen);
        let table = with(tried.next().unwrap_or(Separator::Tab));
        table.or_else(|error| tried.find_map(|separator| with(separator).ok()).ok_or(error))
    }

    fn with(
        mut separator: Separator,
        first: &str,
        lines: &[&[u8]],
        layout: &Layout,
    ) -> std::result::Result<Self, Misplaced> {
        if separator == Separator::Tab && first.split('\t').all(is_quoted) {
            separator = Separator::QuotedTab;
        }
        let trimmed = separator != Separator::Blank && has_blanks_around(separator, first, layout.header);
        let mut cells = Vec::new();
        for cell in separator.cells(first, trimmed) {
            cells.push(cell.map_err(|_| at(0)(not_a_header(shown(first))))?);
        }
        let mut roles = vec![None; cells.len()];
        for (role, name) in COLUMNS.into_iter().enumerate() {
            let column = match &layout.columns[role] {
                None if layout.header => by_own_name(&cells, name)?,
                None => None,
                Some(Column::Name(name)) => Some(by_name(&cells, name)?),
                Some(Column::At(position)) => Some(*position),
            };
            let Some(column) = column else { continue };
            match roles.get_mut(column) {
                Some(empty @ None) => *empty = Some(role),
                Some(Some(_)) => {
                    let cure = "give each a column of its own";
                    let error = Error::defect(
                        "cues, outcomes and frequencies in different columns",
                        format!("two in the column {}", shown(cells[column].text)),
                        cure,
                    );
                    return Err(at(cells[column].start)(error));
                }
                None => {
                    let expected = format!("at least {} columns", column + 1);
                    return Err(at(0)(Error::defect(expected, listed(&cells), separator.rule())));
                }
            }
        }
        match [0, 1].map(|role| roles.contains(&Some(role))) {
            [true, true] => {
                let header = layout.header.then(|| first.to_owned());
                let mut table = TableColumns { separator, trimmed, numbered: false, roles, header };
                table.see(lines.get(usize::from(layout.header)..).unwrap_or_default());
                Ok(table)
            }
            [false, false] => Err(at(0)(not_a_header(shown(first)))),
            [cues, _] => Err(at(0)(Error::defect(
                format!("a column named {}", COLUMNS[usize::from(cues)]),
                listed(&cells),
                "name the columns in the first line",
            ))),
        }
    }

    /// Sees by the first rows whether cells are quoted, and whether the numbers of rows stand before the first column.
    fn see(&mut self, rows: &[&[u8]]) {
        let mut number = None;
        let has_numbers = |row: &&[u8]| {
            let row = std::str::from_utf8(row).unwrap_or_default();
            let mut cells = self.separator.cells(row, self.trimmed);
            let first = cells.next().and_then(|cell| cell.ok()?.text.trim_matches('"').parse::<u64>().ok());
            let rises = first > number.replace(first.unwrap_or_default());
            first.is_some() && rises && cells.filter(|cell| cell.is_ok()).count() == self.roles.len()
        };
        if self.header.is_some() && !rows.is_empty() && rows.iter().all(has_numbers) {
            self.numbered = true;
            self.roles.insert(0, None);
        }
        let are_quoted = |row: &&[u8]| {
            let mut cells = std::str::from_utf8(row).unwrap_or_default().split('\t');
            self.roles.iter().all(|role| {
                cells.next().is_some_and(|cell| *role > Some(1) || role.is_none() || has_quoted_names(cell))
            })
        };
        if self.separator == Separator::Tab && !rows.is_empty() && rows.iter().all(are_quoted) {
            self.separator = Separator::QuotedTab;
        }
    }

    /// The name of the only column besides cues and outcomes, if it has whole numbers in the first rows that do not count the rows.
    fn counts(&self, lines: &[&[u8]]) -> Option<String> {
        let first = usize::from(self.numbered);
        let other = self.roles.iter().skip(first).position(Option::is_none)?;
        if self.roles.len() != first + 3 || self.roles.contains(&Some(2)) {
            return None;
        }
        let cell = |line: &&[u8], at: usize| {
            let line = std::str::from_utf8(line).ok()?;
            self.separator.cells(line, self.trimmed).nth(at)?.ok().map(|cell| cell.text.to_owned())
        };
        let (header, rows) = lines.split_first()?;
        let numbers = rows.iter().map(|row| parse_frequency(&cell(row, first + other)?).ok());
        let numbers = numbers.collect::<Option<Vec<u64>>>()?;
        let counts_rows = numbers.len() > 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if numbers.is_empty() || counts_rows {
            None
        } else {
            cell(header, other).filter(|name| !name.is_empty())
        }
    }

    /// The cells of cues, outcomes and frequency.
    fn event<'a>(&self, record: &'a str) -> std::result::Result<[Cell<'a>; 3], Misplaced> {
        if record.is_empty() {
            return Err(at(0)(Error::defect("an event", "an empty line", "delete the line")));
        }
        let mut event = [Cell { text: "1", start: 0, quoted: false, doubled: false }; 3];
        let mut width = 0;
        for cell in self.separator.cells(record, self.trimmed) {
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
        Error::defect(expected, found, self.separator.rule())
    }
}

/// Whether a cell has a quote at either end.
fn is_quoted(cell: &str) -> bool {
    cell.len() > 1 && cell.starts_with('"') && cell.ends_with('"')
}

/// Whether a cell has a quote at either end and names between, if any: `"_"` is two names that are quotes.
fn has_quoted_names(cell: &str) -> bool {
    is_quoted(cell) && {
        let names = &cell[1..cell.len() - 1];
        !names.contains('"') && split_names(names).all(|(_, name)| name.is_ok())
    }
}

/// Whether blanks stand around the cells of a line: around some of a header, behind each separator of a row.
fn has_blanks_around(separator: Separator, line: &str, is_header: bool) -> bool {
    let mut cells = line.split(char::from(separator.byte()));
    if is_header {
        return cells.any(|cell| cell.starts_with(' ') || cell.ends_with(' '));
    }
    let first = cells.next();
    let mut others = cells.peekable();
    first.is_some() && others.peek().is_some() && others.all(|cell| cell.starts_with(' '))
}

/// Pushes the names of a cell.
fn each_name(cell: Cell<'_>, mut push: impl FnMut(&str) -> Result<()>) -> std::result::Result<(), Misplaced> {
    for (offset, name) in split_names(cell.text) {
        name.and_then(|name| if cell.doubled { push(&name.replace("\"\"", "\"")) } else { push(name) })
            .map_err(at(cell.start + offset))?;
    }
    Ok(())
}

/// The column with one of the known names, if there is one; two are an error.
fn by_own_name(cells: &[Cell<'_>], name: &str) -> std::result::Result<Option<usize>, Misplaced> {
    let mut found = (0..cells.len()).filter(|&column| cells[column].text.eq_ignore_ascii_case(name));
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(other) => Err(at(cells[other].start)(Error::defect(
            format!("one column named {name}"),
            "another one",
            "rename the column that is not meant",
        ))),
    }
}

/// The column whose name the caller gave.
fn by_name(cells: &[Cell<'_>], name: &str) -> std::result::Result<usize, Misplaced> {
    cells.iter().position(|cell| cell.text == name).ok_or_else(|| {
        let cure = "name one of these, or give the position of the column";
        at(0)(Error::defect(format!("a column named {}", shown(name)), listed(cells), cure))
    })
}

fn listed(cells: &[Cell<'_>]) -> String {
    const MOST: usize = 10;
    let names: Vec<String> = cells.iter().take(MOST).map(|cell| shown(cell.text)).collect();
    let more = if cells.len() > MOST { ", ..." } else { "" };
    format!("the columns {}{more}", names.join(", "))
}

/// A whole number in digits, or as R writes one that is not of its type integer: `12.0`, `1e+05`.
fn parse_frequency(text: &str) -> Result<u64> {
    let text = text.trim_matches(' ');
    let whole = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+'))
            && text.starts_with(|first: char| first.is_ascii_digit());
        text.parse().ok().filter(|_| is_number).and_then(whole)
    };
    whole.ok_or_else(|| {
        Error::defect(
            "a frequency, in digits and of at most 4,294,967,295",
            shown(text),
            "write a whole number, such as 12",
        )
    })
}

/// A float as the whole number that it is.
pub(crate) fn whole(float: f64) -> Option<u64> {
    // Below 2^53 a float without a fraction is one whole number.
    (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float)).then_some(float as u64)
}

fn not_a_header(found: impl Into<String>) -> Error {
    let expected = "a first line that names the columns cues and outcomes";
    Error::defect(expected, found, "name the columns, or read the file as running text")
}

fn empty_name() -> Error {
    Error::defect("a name", "an empty one", "join names by one _ each, with none at the ends")
}
