//! Whether text looks like a table, whatever the names of its columns are.
//!
//! ```text
//! most of the first lines have a tab between two cells that are not empty
//! or commas, semicolons or bars give the same number of cells, 2 or more, on every one of them, 3 at least
//! or every one of them, 3 at least, begins with a quote and has the same number of cells, 2 or more, between blanks
//! ```
//!
//! Running text is text that does not look so, and whose first line does not name the columns of an event table. At most
//! [`LINES`] lines are looked at.

use super::cells::Separator;

/// How many lines are looked at.
pub(super) const LINES: usize = 100;

/// Fewer lines with commas or semicolons do not show a table.
const FEWEST: usize = 3;

/// The first lines, without their ends. Empty lines at the end are left out, and so is a line that is not whole: `ended` says that
/// nothing follows the pending text.
pub(super) fn first_lines(pending: &[u8], ended: bool) -> Vec<&[u8]> {
    let mut lines = Vec::with_capacity(LINES);
    let mut rest = pending;
    while lines.len() < LINES && !rest.is_empty() {
        let (line, behind) = match memchr::memchr(b'\n', rest) {
            Some(feed) => (&rest[..feed], &rest[feed + 1..]),
            None if ended => (rest, &[][..]),
            None => break,
        };
        lines.push(line.strip_suffix(b"\r").unwrap_or(line));
        rest = behind;
    }
    while lines.last().is_some_and(|line| is_empty(line)) {
        lines.pop();
    }
    lines
}

/// The separator of the table that lines look like, if they look like one.
pub(super) fn separator(lines: &[&[u8]]) -> Option<Separator> {
    let tabbed = lines.iter().filter(|line| has_tabbed_cells(line)).count();
    if 2 * tabbed > lines.len() {
        return Some(Separator::Tab);
    }
    let mut tried = [Separator::Comma, Separator::Semicolon, Separator::Bar];
    // Where semicolons or bars separate, numbers may have commas. So a separator in the first line is tried first.
    if lines.first().is_some_and(|line| !line.contains(&b',')) {
        tried.reverse();
    }
    let found = tried.into_iter().find(|separator| has_columns(lines, separator.byte()));
    found.or_else(|| has_quoted_columns(lines).then_some(Separator::Blank))
}

/// Whether all lines but the first have so many cells with blanks between.
pub(super) fn has_blank_cells(lines: &[&[u8]], n: usize) -> bool {
    lines.len() > 1 && lines[1..].iter().all(|line| blank_cells(line) == Some(n))
}

/// Whether all lines begin with a quote and have as many cells with blanks between.
fn has_quoted_columns(lines: &[&[u8]]) -> bool {
    let n = lines.first().and_then(|line| blank_cells(line)).filter(|&n| n > 1);
    lines.len() >= FEWEST
        && n.is_some()
        && lines.iter().all(|line| line.starts_with(b"\"") && blank_cells(line) == n)
}

/// How many cells a line has with blanks between, if quotes stand around whole cells.
fn blank_cells(line: &[u8]) -> Option<usize> {
    let line = std::str::from_utf8(line).ok()?;
    Separator::Blank.cells(line, false).try_fold(0, |n, cell| cell.is_ok().then_some(n + 1))
}

fn has_tabbed_cells(line: &[u8]) -> bool {
    let mut before = true;
    line.split(is_tab).any(|cell| {
        let empty = is_empty(cell);
        !std::mem::replace(&mut before, empty) && !empty
    })
}

fn has_columns(lines: &[&[u8]], separator: u8) -> bool {
    let mut counts = lines.iter().map(|line| count(line, separator));
    lines.len() >= FEWEST
        && counts.next().is_some_and(|first| first >= 2 && counts.all(|count| count == first))
}

/// How many cells a line has. In a cell that begins with a quote, separators within the quotes do not count.
fn count(line: &[u8], separator: u8) -> usize {
    let (mut cells, mut begins, mut is_quoted, mut inside) = (1, true, false, false);
    for &byte in line {
        if begins {
            (begins, is_quoted) = (false, byte == b'"');
        }
        if byte == b'"' && is_quoted {
            // A doubled quote ends a quotation and begins another.
            inside = !inside;
        } else if byte == separator && !inside {
            (cells, begins, is_quoted) = (cells + 1, true, false);
        }
    }
    cells
}

fn is_tab(byte: &u8) -> bool {
    *byte == b'\t'
}

pub(super) fn is_empty(cell: &[u8]) -> bool {
    cell.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(text: &str) -> Option<Separator> {
        separator(&first_lines(text.as_bytes(), true))
    }

    #[test]
    fn most_lines_have_a_tab_between_cells() {
        for (text, expected) in [
            ("a\tb\n", true),
            ("a\tb\nprose\n", false),
            ("a\tb\nprose\nc\td\n", true),
            ("\ta\n\tb\n\tc\n", false),
            (" \ta\n \tb\n", false),
            ("a\t\nb\t\n", false),
            ("a\t\tb\n", false),
            ("\ta\tb\n", true),
            ("", false),
        ] {
            assert_eq!(looks(text) == Some(Separator::Tab), expected, "{text:?}");
        }
    }

    #[test]
    fn commas_or_semicolons_give_equal_numbers_of_cells() {
        for (text, expected) in [
            ("a,b\nc,d\n", None),
            ("a,b\nc,d\ne,f\n", Some(Separator::Comma)),
            ("a,b\r\nc,d\r\ne,f\r\n\r\n", Some(Separator::Comma)),
            ("a,b\nc,d\n\ne,f\n", None),
            ("a,b\nc,d\ne\n", None),
            ("a,b\nc,d\ne,f,g\n", None),
            ("a\nb\nc\n", None),
            ("\"a,b\",c\nd,\"e \"\"f\"\",\"\ng,h", Some(Separator::Comma)),
            ("say \"a,b\",c\nd,e\ng,h", None),
            ("a;b\n1,5;2\n2,5;3\n", Some(Separator::Semicolon)),
            ("1,5;2,5\n1,6;2,5\n1,5;2,6\n", Some(Separator::Comma)),
            ("a;b;c\nd;e;f\ng;h;i\n", Some(Separator::Semicolon)),
        ] {
            assert_eq!(looks(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_hundred_lines_are_looked_at_and_only_whole_ones() {
        let rows = "a,b\n".repeat(LINES);
        assert_eq!(looks(&format!("{rows}prose\n")), Some(Separator::Comma));
        assert_eq!(looks(&format!("prose\n{rows}")), None);
        assert_eq!(first_lines(b"a\nb", false), [b"a"]);
        assert_eq!(first_lines(b"a\nb", true), [b"a", b"b"]);
        assert_eq!(first_lines(rows.repeat(2).as_bytes(), false).len(), LINES);
    }
}
