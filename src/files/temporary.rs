//! Temporary files and folders beside the files that they become.
//!
//! On Linux a temporary file has no name until it is whole (`O_TMPFILE`): the system removes it with the process that writes it,
//! also where that is killed. Only between getting a name and losing it to the rename can a kill leave it. Where the disk has no
//! such files, or does not let them be named later, which is tried first, the file has a hidden name from the beginning.
//!
//! A temporary is locked as long as its writer lives. So the next writer of the same file recognises what a killed process left,
//! and removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(super) const SUFFIX: &str = ".rescorla-tmp";

/// The longest name of a file, in bytes, that its temporary repeats. Systems allow 255, and a temporary's name is longer than
/// that of its file.
const LONG_NAME: usize = 200;

/// How many names are tried for a temporary.
const MOST_TRIES: usize = 100;

/// A temporary file or folder beside its target, locked as long as this lives. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) file: File,
    /// Its name; of a file without one, the path of the open file.
    pub(super) path: PathBuf,
    /// The process that named it and will remove it, which a fork must not do. `None`: it has no name, or stays.
    pub(super) owner: Option<u32>,
}

impl Temporary {
    pub(super) fn create(target: &Path, make: impl Fn(&Path) -> io::Result<File>) -> io::Result<Self> {
        for path in names(target) {
            let file = match make(&path) {
                // It belonged to a killed process with the same id, and another writer is removing it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            // Another writer may have found it before it was locked, and taken it for a leftover. Then that writer holds the
            // lock, and removes the file or has removed it. Where locks do not exist, nobody removes leftovers.
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(&file, &path) {
                return Ok(Self { file, path, owner: Some(std::process::id()) });
            }
        }
        Err(io::Error::other(format!("{MOST_TRIES} temporary files vanished as soon as they were made")))
    }

    /// A file that has a name.
    pub(super) fn file(target: &Path) -> io::Result<Self> {
        Self::create(target, |path| OpenOptions::new().read(true).write(true).create_new(true).open(path))
    }

    /// A file that has no name yet; `None` where that, or naming it later, is not possible.
    #[cfg(target_os = "linux")]
    pub(super) fn unnamed(target: &Path) -> Option<Self> {
        use std::os::unix::fs::OpenOptionsExt;

        let flags = rustix::fs::OFlags::TMPFILE.bits().cast_signed();
        let open = || OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder(target)).ok();
        // A file that had a name cannot get one again: another one shows that this one will.
        let name = names(target).find(|name| !name.exists())?;
        link(&open()?, &name).ok()?;
        let _ = fs::remove_file(&name);
        let file = open()?;
        // Nobody else can have locked it.
        let _ = file.try_lock();
        Some(Self { path: in_proc(&file), file, owner: None })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn unnamed(_: &Path) -> Option<Self> {
        None
    }

    /// Gives a file that has no name one beside its target, on the disk too.
    pub(super) fn name(&mut self, target: &Path) -> io::Result<()> {
        if self.owner.is_some() {
            return Ok(());
        }
        for path in names(target) {
            match link(&self.file, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                linked => {
                    linked?;
                    (self.path, self.owner) = (path, Some(std::process::id()));
                    return self.file.sync_all();
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// The path under which a process finds one of its open files.
#[cfg(target_os = "linux")]
fn in_proc(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives an open file that has no name one.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, in_proc(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Gives no name: this system has no files without one.
#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.owner == Some(std::process::id()) {
            remove(&self.path);
        }
    }
}

pub(super) fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names for a temporary of a target, which no other writer takes.
pub(super) fn names(target: &Path) -> impl Iterator<Item = PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (folder, prefix) = (folder(target), prefix_of(target));
    (0..MOST_TRIES).map(move |_| {
        let mut name = prefix.clone();
        name.push(format!("{}-{}{SUFFIX}", std::process::id(), NUMBER.fetch_add(1, Relaxed)));
        folder.join(name)
    })
}

/// The beginning of the names of all temporaries of a target.
pub(super) fn prefix_of(target: &Path) -> OsString {
    let name = target.file_name().unwrap_or(OsStr::new(""));
    let mut prefix = OsString::from(".");
    if name.len() <= LONG_NAME {
        prefix.push(name);
    } else {
        prefix.push(format!("{:08x}", crc32c::crc32c(name.as_encoded_bytes())));
    }
    prefix.push(".");
    prefix
}

/// Removes temporaries of the same target that nobody has locked: their writer is gone.
pub(super) fn remove_stale(target: &Path) {
    let prefix = prefix_of(target);
    let Ok(entries) = fs::read_dir(folder(target)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let ours = name
            .strip_prefix(prefix.as_encoded_bytes())
            .and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        // Only files and folders can be ours; opening a pipe would wait.
        if ours.is_some_and(|middle| middle.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'))
            && entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir())
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
            // Before it was locked, another process may have removed it, and a living writer may have taken its name.
            && is_at(&file, &entry.path())
        {
            remove(&entry.path());
        }
    }
}

/// Removes a file, or a folder with all that is in it.
fn remove(path: &Path) {
    if fs::remove_file(path).is_err() && path.is_dir() {
        let _ = fs::remove_dir_all(path);
    }
}

/// Whether a path still leads to an open file.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => is_same(&open, &there, path, path),
        _ => false,
    }
}

/// Whether two files are the same.
#[cfg(unix)]
pub(super) fn is_same(one: &Metadata, other: &Metadata, _: &Path, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether two files are the same by their paths.
#[cfg(not(unix))]
pub(super) fn is_same(_: &Metadata, _: &Metadata, one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}
