//! Text in files.

use std::path::{Path, PathBuf};

use super::occurred::Occurred;
use super::options::{Corpus, Format};
use super::reader::TextReader;
use crate::error::Result;
use crate::events::write::EventWriter;
use crate::monitor::Monitor;
use crate::text::Misplaced;
use crate::text::source::{MAX_PIECE, Source, Wrapping, length_of};

impl Corpus {
    /// Gives a writer the events of text files, plain or compressed, and says what occurred in them. Each file is a
    /// document.
    ///
    /// An empty file has no events.
    ///
    /// # Errors
    /// When a file cannot be read, is not UTF-8, runs on for 64 MiB without white space, a word is unknown, or the writer
    /// refuses. Defects name the file, the line, and the byte column where the characters begin, up to white space, in which
    /// they are.
    pub fn read(&self, paths: &[PathBuf], writer: &mut EventWriter, monitor: &Monitor) -> Result<Occurred> {
        let mut total = 0_u64;
        for path in paths {
            total = total.saturating_add(length_of(path)?);
        }
        monitor.set_total(total);
        let mut reader = TextReader::new(self, monitor)?;
        for path in paths {
            self.read_file(path, &mut reader, writer, monitor).map_err(|error| error.at(Some(path), None))?;
        }
        Ok(reader.occurred())
    }

    fn read_file(
        &self,
        path: &Path,
        reader: &mut TextReader<'_>,
        writer: &mut EventWriter,
        monitor: &Monitor,
    ) -> Result<()> {
        let wrapping = match self.format {
            Format::Text | Format::Conllu => Wrapping::Text,
            Format::Subtitles => Wrapping::Subtitles,
        };
        let find = if self.format == Format::Conllu { last_line } else { last_run };
        let mut source = Source::open(path, wrapping, monitor)?;
        let mut end = None;
        while let Some(piece) = source.piece(MAX_PIECE, find)? {
            let misplaced = |(offset, error): Misplaced| error.at(None, Some(piece.place(offset)));
            reader.read(piece.text()?, writer).map_err(misplaced)?;
            end = Some(piece.place(piece.bytes.trim_ascii_end().len()));
        }
        reader.end_document(writer).map_err(|error| error.at(None, end))
    }
}

/// The end of the last line.
fn last_line(pending: &[u8]) -> Option<usize> {
    memchr::memrchr(b'\n', pending).map(|feed| feed + 1)
}

/// The end of the last run of characters that is known to be whole.
fn last_run(pending: &[u8]) -> Option<usize> {
    let is_space = u8::is_ascii_whitespace;
    let space = pending.iter().rposition(is_space).unwrap_or(0);
    let last = pending[..space].iter().rposition(|byte| !is_space(byte)).map(|at| at + 1);
    last.or_else(|| {
        // All that is pending is one run, which may have white space beyond ASCII.
        let text = pending.utf8_chunks().next()?.valid();
        let mut spaces = text.char_indices().rev().filter(|(_, c)| c.is_whitespace() && !c.is_ascii());
        spaces.next().map(|(at, _)| at).filter(|&at| at > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_and_no_white_space_is_cut() {
        for (pending, expected) in [
            ("in the  beg", Some(6)),
            ("in the  ", Some(6)),
            ("in the", Some(2)),
            (" beginning god", Some(10)),
            ("beg", None),
            (" beg", None),
            (" \n", None),
            ("", None),
            ("\u{3000}a\u{3000}bc", Some(4)),
            ("\u{3000}abc", None),
        ] {
            assert_eq!(last_run(pending.as_bytes()), expected, "{pending:?}");
        }
    }
}
