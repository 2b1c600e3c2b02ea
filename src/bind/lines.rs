//! The verb `read_lines`: lists of names and two-column maps, small enough for memory.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::watch::watched;
use crate::text::source::{MAX_PIECE, read_ahead};

/// The lines of a text file, compressed or not, without their line ends.
#[pyfunction]
pub(crate) fn read_lines(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    watched(py, &None, |monitor| {
        read_ahead(&path, monitor, |source| {
            let mut lines = Vec::new();
            while let Some(line) = source.line(MAX_PIECE)? {
                let text = line.text()?;
                let text = text.strip_suffix('\n').unwrap_or(text);
                lines.push(text.strip_suffix('\r').unwrap_or(text).to_owned());
            }
            Ok(lines)
        })
        .map_err(|error| error.at(Some(&path), None))
    })
}
