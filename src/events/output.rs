//! The place that an event file is written to: a file that appears when it is whole, or memory.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::EventFile;
use super::bytes::Bytes;
use super::open;
use crate::error::{Error, Result};
use crate::files::atomic::AtomicFile;
use crate::files::packed_text::check_binary_name;
use crate::memory::{EVENTS, Grow, Lack, filled};

#[derive(Debug)]
enum Storage {
    File(AtomicFile),
    Memory(Cursor<Vec<u8>>),
}

/// The file or memory, its name for messages, and the position of writing.
pub(super) struct Output {
    storage: Storage,
    path: PathBuf,
    /// How many bytes are written.
    pub(super) at: u64,
}

impl Output {
    /// Begins; nothing is written yet.
    pub(super) fn new(path: Option<&Path>) -> Result<Self> {
        let storage = match path {
            Some(path) => {
                check_binary_name(path)?;
                Storage::File(AtomicFile::create(path)?)
            }
            None => Storage::Memory(Cursor::new(Vec::new())),
        };
        Ok(Self { storage, path: path.unwrap_or(Path::new("events in memory")).to_path_buf(), at: 0 })
    }

    /// Gives the file its name, and opens it.
    pub(super) fn finish(self) -> Result<EventFile> {
        match self.storage {
            Storage::File(file) => file.finish_and(|file| open::of_file(file, &self.path)),
            Storage::Memory(bytes) => EventFile::open(Bytes::Owned(bytes.into_inner()), None),
        }
    }

    /// The file, as written so far; `None` in memory.
    pub(super) fn opened(&self) -> Result<Option<EventFile>> {
        match &self.storage {
            Storage::File(file) => open::of_file(file.file(), &self.path).map(Some),
            Storage::Memory(_) => Ok(None),
        }
    }

    /// Writes bytes at the position: over those that are there, or after the last one.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.write_all(bytes),
            Storage::Memory(memory) => {
                let (at, length) = (memory.position() as usize, memory.get_ref().len());
                let more = at.saturating_add(bytes.len()).saturating_sub(length);
                memory.get_mut().make_room(more).named(EVENTS)?;
                memory.write_all(bytes)
            }
        }
        .map_err(Error::io(&self.path, "write"))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Moves the position.
    pub(super) fn seek(&mut self, to: u64) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.file().seek(SeekFrom::Start(to)),
            Storage::Memory(memory) => memory.seek(SeekFrom::Start(to)),
        }
        .map_err(Error::io(&self.path, "write"))?;
        Ok(())
    }

    /// Removes all bytes from `to` on.
    pub(super) fn restart(&mut self, to: u64) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.file().set_len(to).map_err(Error::io(&self.path, "write"))?,
            Storage::Memory(memory) => memory.get_mut().truncate(to as usize),
        }
        self.at = to;
        self.seek(to)
    }

    /// Reads back the bytes of a range; the position stays.
    pub(super) fn read_back(&mut self, start: u64, end: u64) -> Result<Vec<u8>> {
        self.seek(start)?;
        let mut bytes = filled(0, (end - start) as usize)?;
        match &mut self.storage {
            Storage::File(file) => file.file().read_exact(&mut bytes),
            Storage::Memory(memory) => memory.read_exact(&mut bytes),
        }
        .map_err(Error::io(&self.path, "read"))?;
        self.seek(self.at)?;
        Ok(bytes)
    }
}
