//! The bytes of an event file, wherever they are.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::format::defect_at;
use crate::error::{Error, Result};
use crate::memory::Grow;

/// The bytes of an event file: mapped, read when they are needed, or in memory.
///
/// To use a part, copy it by `Bytes::append`, check the copy, and use the copy alone: the file may change between check and use.
#[derive(Debug)]
pub enum Bytes {
    /// Of a mapped file.
    Mapped(Mmap),
    /// Of a file that is read part by part.
    Read(Parts),
    /// Of events that were never written to a file.
    Owned(Vec<u8>),
}

/// A file that is read part by part, by several threads at once.
#[derive(Debug)]
pub struct Parts {
    file: Positioned,
    /// Its length when it was opened.
    length: usize,
    path: PathBuf,
}

impl Parts {
    /// Of an open file, which has so many bytes and this name.
    pub(super) fn of(file: File, length: usize, path: &Path) -> Self {
        Self { file: Positioned::of(file), length, path: path.to_path_buf() }
    }

    fn append(&self, part: Range<usize>, to: &mut Vec<u8>) -> Result<()> {
        let begin = to.len();
        to.grow_to(begin + part.len(), 0)?;
        let read = self.file.read_exact_at(&mut to[begin..], part.start as u64);
        read.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => ends_early(&part, self.length),
            _ => Error::io(&self.path, "read")(error),
        })
    }
}

impl Bytes {
    /// The number of bytes; of a file, the number when it was opened.
    pub(super) fn len(&self) -> usize {
        match self {
            Bytes::Mapped(map) => map.len(),
            Bytes::Read(parts) => parts.length,
            Bytes::Owned(bytes) => bytes.len(),
        }
    }

    /// All bytes, unless they are read part by part.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        match self {
            Bytes::Mapped(map) => Some(map),
            Bytes::Read(_) => None,
            Bytes::Owned(bytes) => Some(bytes),
        }
    }

    /// Appends a copy of a part.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read, [`Error::Format`] when it does not have the part, or no longer has it.
    pub(super) fn append(&self, part: Range<usize>, to: &mut Vec<u8>) -> Result<()> {
        if part.end > self.len() || part.start > part.end {
            return Err(ends_early(&part, self.len()));
        }
        match self {
            Bytes::Mapped(map) => to.grow_by(&map[part]),
            Bytes::Read(parts) => parts.append(part, to),
            Bytes::Owned(bytes) => to.grow_by(&bytes[part]),
        }
    }

    /// A copy of a part.
    ///
    /// # Errors
    /// As of [`Bytes::append`].
    pub(super) fn copy(&self, part: Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.append(part, &mut bytes)?;
        Ok(bytes)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::Owned(bytes)
    }
}

/// The error of a file that ends within a part. `length` is its length at opening.
fn ends_early(part: &Range<usize>, length: usize) -> Error {
    defect_at(
        part.start,
        format!("{} bytes of a file of {length}", part.len()),
        "the end of the file",
        "another program cut the file short: write it again, and open it again",
    )
}

/// A file that is read at given offsets; reading moves no position.
#[derive(Debug)]
#[cfg(unix)]
struct Positioned(File);

#[cfg(unix)]
impl Positioned {
    fn of(file: File) -> Self {
        Self(file)
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, bytes, at)
    }
}

/// A file that is read at given offsets. Here a file has one position, so one thread reads at a time.
#[derive(Debug)]
#[cfg(not(unix))]
struct Positioned(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Positioned {
    fn of(file: File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};

        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}
