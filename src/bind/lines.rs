//! The verb `read_lines`: lists of names and two-column maps, small enough for memory.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::watch::watched;
use crate::grow::{Grow, spell};
use crate::text::source::{MAX_PIECE, read_ahead};

const LINES: &str = "the lines of a file";

/// The lines of a text file, compressed or not, without their line ends.
#[pyfunction]
pub(crate) fn read_lines(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyList>> {
    let lines = watched(py, &None, |monitor| {
        read_ahead(&path, monitor, |source| {
            let mut lines = Vec::new();
            while let Some(line) = source.line(MAX_PIECE)? {
                let text = line.text()?;
                let text = text.strip_suffix('\n').unwrap_or(text);
                let mut owned = String::new();
                spell(&mut owned, text.strip_suffix('\r').unwrap_or(text), LINES)?;
                lines.grow(owned, LINES)?;
            }
            Ok(lines)
        })
        .map_err(|error| error.at(Some(&path), None))
    })?;
    // Not made at once: where there is no memory for a list, that would panic.
    let made = PyList::empty(py);
    for line in lines {
        made.append(PyString::from_bytes(py, line.as_bytes())?)?;
    }
    Ok(made)
}
