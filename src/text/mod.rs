//! Reads text, event tables and running text, and gives the events to an [`EventWriter`](crate::events::write::EventWriter).

mod cells;
pub mod corpus;
mod detect_format;
mod detect_table;
pub mod kind;
pub(crate) mod seen;
pub mod source;
mod subtitles;
pub mod tables;

use crate::error::Error;

/// An error, and the offset in the line, record or text at which it lies.
type Misplaced = (usize, Error);

fn at(offset: usize) -> impl FnOnce(Error) -> Misplaced {
    move |error| (offset, error)
}

/// The beginning of a text, quoted, for a message.
fn shown(text: &str) -> String {
    const ENOUGH: usize = 40;
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
