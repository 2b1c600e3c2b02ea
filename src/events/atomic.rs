//! Files that appear whole or not at all.
//!
//! A temporary sibling is written, synced and renamed over the old file; then the folder is synced. Whoever stops on
//! the way leaves the old file as it was. A temporary is locked as long as its writer lives, so that the next writer
//! of the same file can tell the leftovers of a killed process and remove them.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

const SUFFIX: &str = ".rescorla-tmp";

/// A file being written, to take its name when it is whole. Dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    finished: bool,
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
        Ok(Self { file, temporary, target: target.to_path_buf(), finished: false })
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

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be synced or renamed; the old file is then as it was.
    pub fn finish(mut self) -> Result<()> {
        self.file.sync_all().map_err(Error::io(&self.target, "write"))?;
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
        self.file.write(bytes)
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
