//! Files that appear whole or not at all.
//!
//! A temporary sibling is written, synced and renamed over the old file; then the folder is synced. Whoever stops on
//! the way leaves the old file as it was. A temporary is locked as long as its writer lives, so that the next writer
//! of the same file can tell the leftovers of a killed process and remove them. A long file is synced while it is written, by
//! a thread of its own, so that little is left to be waited for at the end.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

use crate::error::{Error, Result};

const SUFFIX: &str = ".rescorla-tmp";

/// With so many bytes more than before a file is synced, if that is not under way.
const SYNCED_AT: u64 = 8 << 20;

/// A file being written, to take its name when it is whole. Dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    finished: bool,
    /// Bytes written since the last sync began.
    unsynced: u64,
    /// The last sync.
    sync: Option<JoinHandle<io::Result<()>>>,
}

impl AtomicFile {
    /// Starts a file that shall be called `target`.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder does not exist or cannot be written.
    pub fn create(target: &Path) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or_else(|| {
            let what =
                format!("expected the path of a file to write, found {:?}", target.display().to_string());
            Error::Argument(what)
        })?;
        if target.is_dir() {
            return Err(Error::io(target, "write")(io::ErrorKind::IsADirectory.into()));
        }
        let mut prefix = OsString::from(".");
        prefix.push(name);
        remove_stale(folder(target), &prefix);
        let mut temporary_name = prefix;
        temporary_name.push(format!(".{}-{}{SUFFIX}", std::process::id(), NUMBER.fetch_add(1, Relaxed)));
        let temporary = folder(target).join(temporary_name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&temporary);
        let file = file.map_err(Error::io(target, "write"))?;
        // Where locks do not exist the temporary is merely never taken for stale by others that cannot lock either.
        let _ = file.try_lock();
        Ok(Self { file, temporary, target: target.to_path_buf(), finished: false, unsynced: 0, sync: None })
    }

    /// The name the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Cuts the file to `length` bytes.
    ///
    /// # Errors
    /// The system's.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    /// Begins to sync what was written, unless that is under way.
    ///
    /// # Errors
    /// The system's, from the sync before: it tells of them only once.
    fn begin_sync(&mut self) -> io::Result<()> {
        if self.sync.as_ref().is_some_and(|sync| !sync.is_finished()) {
            return Ok(());
        }
        self.synced()?;
        self.unsynced = 0;
        // What is not synced now is at the end: there may be neither a descriptor nor a thread to be had.
        if let Ok(file) = self.file.try_clone() {
            self.sync =
                thread::Builder::new().name("rescorla-sync".into()).spawn(move || file.sync_data()).ok();
        }
        Ok(())
    }

    /// Waits for the last sync to end.
    fn synced(&mut self) -> io::Result<()> {
        match self.sync.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(synced) => {
                synced.unwrap_or_else(|_| Err(io::Error::other("the thread that syncs panicked")))
            }
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be synced or renamed; the old file is then as it was.
    pub fn finish(mut self) -> Result<()> {
        self.synced().and_then(|()| self.file.sync_all()).map_err(Error::io(&self.target, "write"))?;
        fs::rename(&self.temporary, &self.target).map_err(Error::io(&self.target, "replace"))?;
        self.finished = true;
        // The rename is in effect; only its survival of a power failure hangs on this.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.unsynced += written as u64;
        if self.unsynced >= SYNCED_AT {
            self.begin_sync()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for AtomicFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes temporaries of the same target whose writer is gone: nobody holds their lock.
fn remove_stale(folder: &Path, prefix: &OsString) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let ours = name
            .strip_prefix(prefix.as_encoded_bytes())
            .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        let ours = ours.and_then(|middle| middle.strip_prefix(b"."));
        if ours.is_some_and(|middle| middle.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'))
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_finished_file_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_long_file_is_synced_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = AtomicFile::create(&path).unwrap();
        let (mut begun, mut expected) = (0, Vec::new());
        for i in 0..5 * SYNCED_AT / (1 << 20) {
            let piece = vec![i as u8; 1 << 20];
            file.write_all(&piece).unwrap();
            begun += usize::from(file.unsynced == 0);
            expected.extend(piece);
        }
        assert!(begun > 0);
        file.finish().unwrap();
        assert!(fs::read(&path).unwrap() == expected);
    }

    #[test]
    fn a_sync_that_failed_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        for at_the_end in [false, true] {
            let mut file = AtomicFile::create(&path).unwrap();
            file.sync = Some(thread::spawn(|| Err(io::Error::other("the disk is gone"))));
            while !file.sync.as_ref().unwrap().is_finished() {
                thread::yield_now();
            }
            let failed = if at_the_end {
                file.finish().map_err(|error| error.to_string())
            } else {
                file.write_all(&vec![0; SYNCED_AT as usize]).map_err(|error| error.to_string())
            };
            assert!(failed.unwrap_err().contains("the disk is gone"));
            assert_eq!(fs::read(&path).unwrap(), b"old");
        }
    }

    #[test]
    fn leftovers_go_and_living_writers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let stale = folder.path().join(format!(".a.1-0{SUFFIX}"));
        let foreign = folder.path().join(format!(".ab.1-0{SUFFIX}"));
        fs::write(&stale, "left by a killed process").unwrap();
        fs::write(&foreign, "another file's").unwrap();
        let living = AtomicFile::create(&path).unwrap();
        assert!(!stale.exists() && foreign.exists());
        let second = AtomicFile::create(&path).unwrap();
        assert!(living.temporary.exists());
        living.finish().unwrap();
        second.finish().unwrap();
        assert!(path.exists());
    }
}
