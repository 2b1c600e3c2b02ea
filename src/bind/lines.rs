//! The verbs `read_lines` and `write_lines`: lists of names and two-column maps, small enough for memory.

use std::io::Write;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::items::Items;
use super::watch::watched;
use crate::error::Error;
use crate::files::packed_text::{TextFile, is_csv, is_text};
use crate::memory::{Grow, spell};
use crate::text::source::{MAX_PIECE, Source, Wrapping, length_of};

/// The lines of a text file, compressed or not, without their line ends.
#[pyfunction]
pub(crate) fn read_lines(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyList>> {
    let lines = watched(py, &None, |monitor| {
        let read = || {
            monitor.set_total(length_of(&path)?);
            let mut source = Source::open(&path, Wrapping::Text, monitor)?;
            let mut lines = Vec::new();
            while let Some(line) = source.line(MAX_PIECE)? {
                let text = line.text()?;
                let text = text.strip_suffix('\n').unwrap_or(text);
                let mut owned = String::new();
                spell(&mut owned, text.strip_suffix('\r').unwrap_or(text))?;
                lines.grow(owned)?;
            }
            Ok(lines)
        };
        read().map_err(|error: Error| error.at(Some(&path), None))
    })?;
    // Not made at once: where there is no memory for a list, that would panic.
    let made = PyList::empty(py);
    for line in lines {
        made.append(PyString::from_bytes(py, line.as_bytes())?)?;
    }
    Ok(made)
}

/// Writes lines to a file, which appears whole or not at all, and compressed if its name ends so.
#[pyfunction]
pub(crate) fn write_lines(py: Python<'_>, path: PathBuf, lines: Items<Bound<'_, PyString>>) -> PyResult<()> {
    let mut text = String::new();
    for line in &lines.0 {
        spell(&mut text, line.to_str()?)?;
        spell(&mut text, "\n")?;
    }
    watched(py, &None, |_| {
        let mut file = TextFile::create(&path)?;
        file.write_all(text.as_bytes()).map_err(Error::io(&path, "write"))?;
        file.finish(&path)
    })
}

/// What a file's name says of it: "csv" (compressed or not), "text" (other text, or something compressed) or "other".
#[pyfunction]
pub(crate) fn written_as(path: PathBuf) -> &'static str {
    if is_csv(&path) {
        "csv"
    } else if is_text(&path) {
        "text"
    } else {
        "other"
    }
}
