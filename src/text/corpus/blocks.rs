//! Blocks: the text of some files, in pieces of about the same size that cut no run of characters and no white space.

use std::path::{Path, PathBuf};
use std::thread::Scope;

use super::options::Format;
use crate::error::Result;
use crate::grow::Grow;
use crate::monitor::Monitor;
use crate::text::source::{self, MAX_PIECE, Piece, Source};

/// The length of the first blocks, which are short: once a thread has delivered a block, it has the writer's ids for its words, and
/// reads later blocks faster.
const FIRST: usize = 1 << 14;

/// After this many blocks of one size, blocks are twice as long.
const RAMP: u64 = 2;

/// A piece of a file.
#[derive(Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Which of the files.
    pub(super) file: usize,
    /// Whether it is the first of the file.
    pub(super) opens: bool,
    line: u64,
    column: u64,
}

impl Block {
    /// The text, with its places.
    pub(super) fn piece(&self) -> Piece<'_> {
        Piece::new(&self.bytes, self.line, self.column)
    }
}

/// Takes blocks from files, one after another.
pub(super) struct Blocks<'scope, 'env> {
    paths: &'env [PathBuf],
    format: Format,
    size: usize,
    monitor: &'env Monitor,
    scope: &'scope Scope<'scope, 'env>,
    current: Option<Source<'scope>>,
    /// Files opened so far.
    opened: usize,
    /// Blocks taken so far.
    taken: u64,
    /// Whether there was an error, after which no block is read.
    failed: bool,
}

impl<'scope, 'env> Blocks<'scope, 'env> {
    /// The blocks of files, of at most `size` bytes, unless a single run is longer.
    pub(super) fn new(
        paths: &'env [PathBuf],
        format: Format,
        size: usize,
        monitor: &'env Monitor,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Self {
        Self { paths, format, size, monitor, scope, current: None, opened: 0, taken: 0, failed: false }
    }

    /// The next block and its number, if there is one. An empty file is an empty block.
    pub(super) fn next(&mut self, block: &mut Block) -> Option<(u64, Result<()>)> {
        if self.failed {
            return None;
        }
        let taken = self.take(block).transpose()?;
        self.failed = taken.is_err();
        self.taken += 1;
        Some((
            self.taken - 1,
            taken.map_err(|error| error.at(self.paths.get(self.opened - 1).map(PathBuf::as_path), None)),
        ))
    }

    fn take(&mut self, block: &mut Block) -> Result<Option<()>> {
        loop {
            let opens = self.current.is_none();
            let source = match &mut self.current {
                Some(source) => source,
                empty => {
                    let Some(path) = self.paths.get(self.opened) else { return Ok(None) };
                    self.opened += 1;
                    empty.insert(open(path, self.format, self.monitor, self.scope)?)
                }
            };
            let size = self.size.min(FIRST << (self.taken / RAMP).min(32));
            let piece = source.piece(MAX_PIECE, |pending| match self.format {
                Format::Text | Format::Subtitles => last_run(pending, size),
                Format::Conllu => last_line(pending, size),
            })?;
            let Some(piece) = piece else {
                self.current = None;
                if opens {
                    *block = Block { bytes: Vec::new(), file: self.opened - 1, opens, line: 1, column: 1 };
                    return Ok(Some(()));
                }
                continue;
            };
            block.bytes.clear();
            block.bytes.grow_by(piece.bytes, "a block of text")?;
            (block.file, block.opens) = (self.opened - 1, opens);
            (block.line, block.column) = piece.start();
            return Ok(Some(()));
        }
    }
}

fn open<'scope, 'env>(
    path: &Path,
    format: Format,
    monitor: &'env Monitor,
    scope: &'scope Scope<'scope, 'env>,
) -> Result<Source<'scope>> {
    let format = match format {
        Format::Text | Format::Conllu => source::Wrapping::Text,
        Format::Subtitles => source::Wrapping::Subtitles,
    };
    Source::open_as(path, format, monitor)?.ahead(scope)
}

/// The end of the last line in `size` bytes, or else of the first one.
fn last_line(pending: &[u8], size: usize) -> Option<usize> {
    let last = memchr::memrchr(b'\n', &pending[..pending.len().min(size)]);
    last.or_else(|| memchr::memchr(b'\n', pending)).map(|feed| feed + 1)
}

/// The end of the last run of characters in `size` bytes that is known to be whole, or else of the first run.
fn last_run(pending: &[u8], size: usize) -> Option<usize> {
    let is_space = u8::is_ascii_whitespace;
    let some = &pending[..pending.len().min(size)];
    // If more is pending than is wanted, the next byte shows whether the last run is whole.
    let whole = pending.get(some.len()).is_some_and(is_space);
    let space = if whole { some.len() } else { some.iter().rposition(is_space).unwrap_or(0) };
    let last = some[..space].iter().rposition(|byte| !is_space(byte)).map(|at| at + 1);
    last.or_else(|| {
        let start = pending.iter().position(|byte| !is_space(byte))?;
        pending[start..].iter().position(is_space).map(|length| start + length)
    })
    .or_else(|| {
        // All that is pending is one run, which may have white space beyond ASCII.
        let text = pending.utf8_chunks().next().filter(|_| pending.len() > size)?.valid();
        let mut spaces = text.char_indices().rev().filter(|(_, c)| c.is_whitespace() && !c.is_ascii());
        spaces.next().map(|(at, _)| at).filter(|&at| at > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_and_no_white_space_is_cut() {
        let cases: [(&str, usize, Option<usize>); 10] = [
            ("in the  beg", 100, Some(6)),
            ("in the  beg", 6, Some(6)),
            ("in the  beg", 7, Some(6)),
            ("in the  beg", 5, Some(2)),
            ("in the", 1, Some(2)),
            (" beginning god", 4, Some(10)),
            ("beg", 100, None),
            (" beg", 2, None),
            (" \n", 1, None),
            ("", 1, None),
        ];
        for (pending, size, expected) in cases {
            assert_eq!(last_run(pending.as_bytes(), size), expected, "{pending:?} {size}");
        }
        assert_eq!(last_run("\u{3000}a\u{3000}bc".as_bytes(), 3), Some(4));
        assert_eq!(last_run("\u{3000}abc".as_bytes(), 3), None);
        assert_eq!(last_run("a\u{3000}bc".as_bytes(), 100), None);
    }
}
