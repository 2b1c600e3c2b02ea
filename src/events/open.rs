//! Opening an event file without reading all of it.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use memmap2::Mmap;

use super::bytes::{Bytes, Parts};
use super::file::EventFile;
use crate::error::{Error, Result};
use crate::memory::short;

/// Maps a file.
///
/// No other process may shorten the file while it is open: reading beyond its new end raises SIGBUS, which kills the process. This
/// library never shortens files; it replaces them, and the old one stays mapped. Where others may shorten the file, use
/// [`open_in_parts`], which returns an error instead.
///
/// # Errors
/// [`Error::Io`] when it cannot be opened, [`Error::Format`] when it is damaged or no event file.
pub fn open(path: &Path) -> Result<EventFile> {
    of_file(&opened(path)?, path)
}

/// Opens a file whose parts are read when they are needed: header, names and directory now, each chunk when it is decoded. A
/// file that is cut short meanwhile, or whose disk fails, gives an error.
///
/// # Errors
/// As of [`open`].
pub fn open_in_parts(path: &Path) -> Result<EventFile> {
    let file = opened(path)?;
    let length = bytes_of(&file, path)?;
    EventFile::open(Bytes::Read(Parts::of(file, length, path)), Some(path))
}

/// Maps a file that is open, as [`open`] does. `path` is its name, or will be.
///
/// # Errors
/// As of [`open`].
pub fn of_file(file: &File, path: &Path) -> Result<EventFile> {
    let length = bytes_of(file, path)?;
    #[expect(unsafe_code, reason = "a map of a file that others may write to")]
    // SAFETY: the bytes are only ever read as u8, by `Bytes::append`, which copies a part into owned memory; `EventFile` then
    // checks the copy, and uses that alone: header, directory and names at opening (offsets come from there), a chunk in
    // `EventFile::chunk`. So bytes that change under us give wrong data or an error, never an access outside the map, nor names
    // that are no UTF-8. `EventFile::bytes` gives them unchecked: they may be anything. A file cut short is the documented
    // exception.
    let map = unsafe { Mmap::map(file) }.map_err(|error| match error.kind() {
        ErrorKind::OutOfMemory => short::<u8>(length),
        _ => Error::io(path, "map")(error),
    })?;
    EventFile::open(Bytes::Mapped(map), Some(path))
}

fn opened(path: &Path) -> Result<File> {
    File::open(path).map_err(Error::io(path, "open"))
}

fn bytes_of(file: &File, path: &Path) -> Result<usize> {
    let metadata = file.metadata().map_err(Error::io(path, "open"))?;
    if metadata.is_dir() {
        return Err(Error::io(path, "open")(ErrorKind::IsADirectory.into()));
    }
    Ok(usize::try_from(metadata.len()).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::io::{Seek, SeekFrom, Write};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;

    use super::*;
    use crate::events::write::{Duplicates, EventWriter};

    #[test]
    fn names_that_change_while_they_are_read_are_names_or_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.rw");
        let names: Vec<String> = (0..50_000).map(|i| format!("cue {i:06}")).collect();
        let mut writer = EventWriter::new(Some(&path), Duplicates::Drop, None).unwrap();
        writer.add_names(names.iter().map(String::as_str), ["x"].into_iter()).unwrap();
        writer.push(&[0], &[0], 1).unwrap();
        let file = writer.finish().unwrap();
        let last = names.last().unwrap().as_bytes();
        let at = file.bytes().unwrap().windows(last.len()).position(|bytes| bytes == last).unwrap() as u64;
        drop(file);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = OpenOptions::new().write(true).open(&path).unwrap();
                let mut pause = 0;
                while !done.load(Relaxed) {
                    // First bytes that are no UTF-8, then the old ones.
                    for byte in [b"\xff", b"c"] {
                        file.seek(SeekFrom::Start(at)).unwrap();
                        file.write_all(byte).unwrap();
                        pause = (pause + 7) % 31;
                        thread::sleep(std::time::Duration::from_micros(200 * pause));
                    }
                }
            });
            let (mut opened, mut bad) = (0, 0);
            for _ in 0..200 {
                if let Ok(file) = open(&path) {
                    opened += 1;
                    bad += u32::from(std::str::from_utf8(file.cues().text().as_bytes()).is_err());
                }
            }
            done.store(true, Relaxed);
            assert_eq!(bad, 0, "of {opened} opened");
        });
    }
}
