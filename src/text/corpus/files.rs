//! Text in files: threads read its blocks, and take turns to deliver the events.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::blocks::{Block, Blocks};
use super::options::{Corpus, Window};
use super::reader::Reader;
use super::turns::Turns;
use crate::error::{Error, Place, Result};
use crate::events::write::EventWriter;
use crate::monitor::Monitor;
use crate::text::source::length_of;
use crate::threads::sensible;

/// How the work is shared out; the result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// How many threads read, 1 or more.
    pub threads: usize,
    /// How many bytes of text a thread reads at a time.
    pub block: usize,
}

impl Default for Load {
    fn default() -> Self {
        Load { threads: 1, block: BLOCK }
    }
}

/// The bytes of text that a thread reads at a time, if events are short.
const BLOCK: usize = 1 << 18;

/// The least bytes of text that a thread reads at a time, if events are long.
const LEAST: usize = 1 << 13;

/// Events of this many words are long: the events of a block take more memory than everything else.
const LONG: usize = 16;

impl Corpus {
    /// Gives a writer the events of text files, plain or compressed. Each file is a document.
    ///
    /// An empty file has no events.
    ///
    /// # Errors
    /// When a file cannot be read, is not UTF-8, runs on for 64 MiB without white space, a word is unknown, or the writer
    /// refuses. Defects name the file, the line and the byte column.
    pub fn read(
        &self,
        paths: &[PathBuf],
        writer: &mut EventWriter,
        load: Load,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut total = 0_u64;
        for path in paths {
            total = total.saturating_add(length_of(path)?);
        }
        monitor.set_total(total);
        // More threads than blocks would have nothing to do.
        let blocks = usize::try_from(total / load.block.max(1) as u64).unwrap_or(usize::MAX);
        let threads = load.threads.min(blocks.max(paths.len())).max(1);
        let duplicates = writer.duplicates();
        let readers =
            (0..threads).map(|_| Reader::new(self, duplicates, monitor)).collect::<Result<Vec<_>>>()?;
        let turns = Turns::new(Target {
            writer,
            joiner: Reader::new(self, duplicates, monitor)?,
            reaches: self.window != Window::ONE,
            paths,
            end: None,
        });
        thread::scope(|scope| {
            let blocks = Mutex::new(Blocks::new(paths, self.format, load.block.max(1), monitor, scope));
            let work = |mut reader: Reader<'_>| {
                let _watch = turns.watch();
                let mut block = Block::default();
                loop {
                    let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut block);
                    let Some((number, taken)) = next else { return };
                    let prefix = taken.and_then(|()| read_block(&mut reader, &block));
                    let path = &paths[block.file];
                    let deliver = |target: &mut Target<'_, '_>| {
                        let delivered = prefix.and_then(|prefix| target.deliver(&mut reader, &block, prefix));
                        delivered.map_err(|error| error.at(Some(path), None))
                    };
                    if !turns.take(number, deliver) {
                        return;
                    }
                }
            };
            thread::scope(|inner| {
                let mut readers = readers.into_iter();
                let own = readers.next();
                for reader in readers {
                    let thread = thread::Builder::new().name("rescorla-reader".into());
                    if thread.spawn_scoped(inner, || work(reader)).is_err() {
                        // The threads that could be started do the work, this one among them.
                        break;
                    }
                }
                own.into_iter().for_each(work);
            });
        });
        turns.finish()?.end_document()
    }

    /// A load for some threads. Each reads only so much text at a time that its events take bounded memory.
    pub fn load(&self, threads: usize) -> Load {
        let words = match self.window {
            Window::Words(n) => n.get(),
            Window::Around { before, after } => before.saturating_add(after),
            Window::Context => 1,
        };
        Load { threads: sensible(threads), block: (BLOCK / words.div_ceil(LONG).max(1)).max(LEAST) }
    }
}

/// Reads a block, and returns where its prefix ends.
fn read_block(reader: &mut Reader<'_>, block: &Block) -> Result<Option<usize>> {
    let piece = block.piece();
    let prefix = reader.read(piece.text()?, block.opens);
    prefix.map_err(|(offset, error)| error.at(None, Some(piece.place(offset))))
}

/// What blocks are delivered to, one after another.
struct Target<'c, 's> {
    writer: &'s mut EventWriter,
    /// Makes the events that reach back beyond the beginning of a block.
    joiner: Reader<'c>,
    /// Whether events can reach back so.
    reaches: bool,
    paths: &'s [PathBuf],
    /// The file of the last block, and the place after its last run of characters.
    end: Option<(usize, Place)>,
}

impl Target<'_, '_> {
    fn deliver(&mut self, reader: &mut Reader<'_>, block: &Block, prefix: Option<usize>) -> Result<()> {
        let piece = block.piece();
        let misplaced = |(offset, error): (usize, Error)| error.at(None, Some(piece.place(offset)));
        if self.reaches {
            let text = piece.text()?;
            if block.opens {
                self.end_document()?;
            } else {
                let seen = &text[..prefix.unwrap_or(text.len())];
                self.joiner.read_on(seen).map_err(misplaced)?;
                if prefix.is_some() {
                    self.joiner.end_prefix()?;
                }
            }
            // The place within the prefix is not kept: the error names the block's.
            self.joiner.deliver(self.writer).map_err(|(_, error)| misplaced((0, error)))?;
        }
        let delivered = reader.deliver(self.writer);
        delivered.map_err(|(n, error)| match (piece.text(), &error) {
            // A lack of memory has no place in the text, and the reader lost part of what it needs to look for one.
            (Err(_), _) | (_, Error::Memory { .. }) => error,
            (Ok(text), _) => misplaced((reader.locate(text, block.opens, n), error)),
        })?;
        if self.reaches {
            if prefix.is_some() {
                self.joiner.follow(reader)?;
            }
            self.end = Some((block.file, piece.place(piece.bytes.trim_ascii_end().len())));
        }
        Ok(())
    }

    /// Ends the document, if there is one.
    fn end_document(&mut self) -> Result<()> {
        let ended = self.joiner.end_document();
        let delivered = ended.and_then(|()| self.joiner.deliver(self.writer).map_err(|(_, error)| error));
        delivered.map_err(|error| match &self.end {
            Some((file, place)) => error.at(self.paths.get(*file).map(PathBuf::as_path), Some(*place)),
            None => error,
        })
    }
}
