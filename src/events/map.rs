//! Opening an event file without reading it.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use super::EventFile;
use crate::error::{Error, Result};

/// The bytes of an event file: mapped, or in memory.
#[derive(Debug)]
pub enum Bytes {
    /// Of a file.
    Mapped(Mmap),
    /// Of events that were never written to one.
    Owned(Vec<u8>),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Maps a file.
///
/// The file must not be cut short by another process while it is open: reading behind its new end raises SIGBUS, which
/// kills the process. This library never does so; it replaces files whole, and the old one stays mapped.
///
/// # Errors
/// [`Error::Io`] when it cannot be opened, [`Error::Format`] when it is damaged or no event file.
pub fn open(path: &Path) -> Result<EventFile<Bytes>> {
    of_file(&File::open(path).map_err(Error::io(path, "open"))?, path)
}

/// Maps a file that is open, as [`open`] does. `path` is its name, or will be.
///
/// # Errors
/// As of [`open`].
pub fn of_file(file: &File, path: &Path) -> Result<EventFile<Bytes>> {
    if file.metadata().map_err(Error::io(path, "open"))?.is_dir() {
        return Err(Error::io(path, "open")(std::io::ErrorKind::IsADirectory.into()));
    }
    #[expect(unsafe_code, reason = "a map of a file that others may write to")]
    // SAFETY: the bytes are only ever read as u8, through `EventFile`, which checks whatever it reads before it uses it
    // (`Chunk::decode` copies into owned memory and validates the copy; offsets come from a directory that was copied
    // and checked at opening). So bytes that change under us give wrong data or an error, never an access outside the
    // map. A file cut short is the documented exception.
    let map = unsafe { Mmap::map(file) }.map_err(Error::io(path, "map"))?;
    EventFile::open(Bytes::Mapped(map), Some(path))
}
