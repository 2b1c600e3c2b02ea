//! A matrix in a file, one lane after another.
//!
//! Lanes of a tile are gathered into lines of the file, and neighbouring lines are written in one call. Lines that are never
//! written stay zero, because the file began with zeros. Positions are absolute, so threads do not disturb each other.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use super::block::{CACHE_LINE, Entry, TileBlock};
use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::memory::{Grow, collected};
use crate::monitor::Monitor;
use crate::threads::lock;
use crate::tiles::buffer::Buffer;

/// Lines are written in pieces of this many bytes at least, if there are as many.
const LEAST_PIECE: usize = 1 << 20;

/// Zeros, for the checksum of lines that are never written.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Elements in the buffer of a thread: a cache line of lanes, so that cache lines of a tile are read whole, or more if lines are
/// short.
pub(crate) fn line_buffer<E: Element>(line: usize, n_lines: usize) -> usize {
    let bytes = line.saturating_mul(size_of::<E>()).max(1);
    let lines = (CACHE_LINE / size_of::<E>()).max(LEAST_PIECE / bytes);
    lines.min(n_lines).saturating_mul(line)
}

/// Lines in a file, for which there is room.
///
/// Invariant: the end of the last line is a number of bytes.
pub(crate) struct FileLines {
    file: File,
    /// The name of the file in errors.
    path: PathBuf,
    /// Where the first line begins.
    start: u64,
    /// Where the last line ends.
    end: u64,
    /// The bytes that were written, in the order in which threads wrote them.
    written: Mutex<Vec<WrittenBytes>>,
}

/// Bytes that were written together.
struct WrittenBytes {
    position: u64,
    length: usize,
    crc: u32,
}

impl FileLines {
    /// Makes a file long enough, never shorter, and reserves room on the disk where the file system can.
    pub(crate) fn reserve<E: Element>(
        file: File,
        path: PathBuf,
        start: u64,
        shape: [usize; 2],
    ) -> Result<Self> {
        let bytes = shape.iter().try_fold(size_of::<E>() as u64, |bytes, &n| bytes.checked_mul(n as u64));
        let end = bytes.and_then(|bytes| bytes.checked_add(start)).filter(|&end| i64::try_from(end).is_ok());
        let too_large = || Error::io(&path, "write")(io::ErrorKind::FileTooLarge.into());
        let end = end.ok_or_else(too_large)?;
        let lengthen = || match file.metadata()?.len() {
            length if length < end => file.set_len(end),
            _ => Ok(()),
        };
        allocate(&file, end).and_then(|()| lengthen()).map_err(Error::io(&path, "write"))?;
        Ok(Self { file, path, start, end, written: Mutex::default() })
    }

    /// Writes the lanes `across` of a block, whose lines have `line` elements.
    pub(crate) fn write<E: Element>(
        &self,
        block: &TileBlock<'_, E>,
        across: &[Entry],
        line: usize,
        buffer: &mut Buffer<E>,
        monitor: &Monitor,
    ) -> Result<()> {
        if line == 0 {
            return Ok(());
        }
        let line_bytes = line * size_of::<E>();
        for lanes in across.chunks((buffer.len() / line).max(1)) {
            monitor.check()?;
            // Every call leaves the same places zero: those of no row of the tile.
            let gathered = (0..).zip(lanes).map(|(to, lane)| Entry { from: lane.from, to });
            let gathered = collected(gathered)?;
            block.by_lanes(&gathered, |along, across, element| buffer[across * line + along] = element);
            let mut bytes = buffer.bytes();
            for adjoining in lanes.chunk_by(|one, next| one.to + 1 == next.to) {
                let (piece, rest) = bytes.split_at(adjoining.len() * line_bytes);
                let position = self.start + u64::from(adjoining[0].to) * line_bytes as u64;
                self.write_at(piece, position).map_err(Error::io(&self.path, "write"))?;
                let piece = WrittenBytes { position, length: piece.len(), crc: crc32c::crc32c(piece) };
                let mut written = lock(&self.written);
                written.grow(piece)?;
                bytes = rest;
            }
        }
        Ok(())
    }

    /// The CRC32C of all lines.
    pub(crate) fn crc(&self) -> u32 {
        let mut written = lock(&self.written);
        written.sort_unstable_by_key(|piece| piece.position);
        let (mut crc, mut at) = (0, self.start);
        for piece in &*written {
            crc = after_zeros(crc, piece.position - at);
            crc = crc32c::crc32c_combine(crc, piece.crc, piece.length);
            at = piece.position + piece.length as u64;
        }
        after_zeros(crc, self.end - at)
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, position)
    }

    #[cfg(not(unix))]
    fn write_at(&self, bytes: &[u8], position: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        // Here a file has one position, which all threads share.
        static POSITION: Mutex<()> = Mutex::new(());
        let _held = lock(&POSITION);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(position))?;
        file.write_all(bytes)
    }
}

/// The CRC32C of bytes whose CRC32C is `crc`, followed by `n` zeros.
fn after_zeros(mut crc: u32, mut n: u64) -> u32 {
    while n > 0 {
        let now = n.min(ZEROS.len() as u64);
        crc = crc32c::crc32c_append(crc, &ZEROS[..now as usize]);
        n -= now;
    }
    crc
}

/// Reserves room for a file's first bytes. If the file system cannot, the file is written without.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple"))]
fn allocate(file: &File, length: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::{Errno, retry_on_intr};
    match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length)) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// These systems cannot reserve room.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple")))]
fn allocate(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_write_is_an_error_with_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("temporary");
        std::fs::write(&path, [0; 8]).unwrap();
        // Open for reading only.
        let lines = FileLines {
            file: File::open(&path).unwrap(),
            path: PathBuf::from("w.npy"),
            start: 0,
            end: 8,
            written: Mutex::default(),
        };
        let along = [Entry { from: 0, to: 0 }];
        let block = TileBlock { tile: &[1.0_f64], width: 1, along: &along };
        let mut buffer = Buffer::zeros(1).unwrap();
        let error = lines.write(&block, &along, 1, &mut buffer, &Monitor::new()).unwrap_err();
        assert!(error.to_string().starts_with("cannot write w.npy: "), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn room_is_reserved_where_it_can_be() {
        use rustix::fs::{FallocateFlags, fallocate};
        use std::os::unix::fs::MetadataExt;
        if fallocate(tempfile::tempfile().unwrap(), FallocateFlags::empty(), 0, 1 << 20).is_ok() {
            let file = tempfile::tempfile().unwrap();
            let again = file.try_clone().unwrap();
            FileLines::reserve::<f64>(file, PathBuf::from("w.npy"), 128, [300, 500]).unwrap();
            let metadata = again.metadata().unwrap();
            assert_eq!(metadata.len(), 128 + 8 * 300 * 500);
            assert!(metadata.blocks() * 512 >= metadata.len());
        }
    }

    #[test]
    fn a_file_is_made_long_enough_and_never_shorter() {
        for (before, after) in [(0, 72), (71, 72), (72, 72), (1000, 1000)] {
            let file = tempfile::tempfile().unwrap();
            file.set_len(before).unwrap();
            let again = file.try_clone().unwrap();
            FileLines::reserve::<f64>(file, PathBuf::from("w.npy"), 8, [2, 4]).unwrap();
            assert_eq!(again.metadata().unwrap().len(), after);
        }
    }

    #[test]
    fn the_buffer_has_whole_cache_lines_of_lanes_and_no_more_than_the_result() {
        assert_eq!(line_buffer::<f64>(1 << 20, 1 << 20), 8 << 20);
        assert_eq!(line_buffer::<f32>(1 << 20, 1 << 20), 16 << 20);
        assert_eq!(line_buffer::<f64>(1 << 10, 1 << 20), LEAST_PIECE / 8);
        assert_eq!(line_buffer::<f64>(1 << 20, 3), 3 << 20);
        assert_eq!(line_buffer::<f64>(0, 5), 0);
    }
}
