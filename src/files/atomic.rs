//! Files that appear whole or not at all.
//!
//! A temporary file in the same folder is written, synced and renamed over the old file; then the folder is synced. If the work
//! stops on the way, the old file is as it was. Links are followed: the file that a link leads to is replaced. The new file gets
//! the mode of the old one and, where that is permitted, its owner.
//!
//! A thread syncs a long file while it is written, so that little is left to wait for at the end.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use super::temporary::{Temporary, folder, is_same, remove_stale};
use crate::error::{Error, Result};

/// After this many new bytes another sync begins, unless one is under way.
const SYNCED_AT: u64 = 8 << 20;

/// The most links in a row that are followed, as in Linux.
const MOST_LINKS: usize = 40;

/// A file being written, which takes its name when it is whole. If it is dropped before, nothing is left of it.
#[derive(Debug)]
pub struct AtomicFile {
    temporary: Temporary,
    /// The path that the caller gave.
    path: PathBuf,
    /// The file to replace: the path, or the file that it links to.
    target: PathBuf,
    /// Bytes written since the last sync began.
    unsynced: u64,
    /// The last sync.
    sync: Option<JoinHandle<io::Result<()>>>,
}

impl AtomicFile {
    /// Begins a file that will be called `path`.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder does not exist or cannot be written, [`Error::Argument`] when the path is something else
    /// than a regular file: devices and pipes are never replaced.
    pub fn create(path: &Path) -> Result<Self> {
        Self::begin(path, |target| Temporary::unnamed(target).map_or_else(|| Temporary::file(target), Ok))
    }

    fn begin(path: &Path, make: impl FnOnce(&Path) -> io::Result<Temporary>) -> Result<Self> {
        let target = target_of(path)?;
        remove_stale(&target);
        let temporary = make(&target).map_err(Error::io(path, "write"))?;
        Ok(Self { temporary, path: path.to_path_buf(), target, unsynced: 0, sync: None })
    }

    /// Where this process can open the file until then, for libraries that write files by their names.
    pub fn temporary(&self) -> &Path {
        &self.temporary.path
    }

    /// The file as written so far.
    pub fn file(&self) -> &File {
        &self.temporary.file
    }

    /// Begins to sync what was written, unless that is under way.
    ///
    /// # Errors
    /// Those of the sync before; the system reports each only once.
    fn begin_sync(&mut self) -> io::Result<()> {
        if self.sync.as_ref().is_some_and(|sync| !sync.is_finished()) {
            return Ok(());
        }
        self.synced()?;
        self.unsynced = 0;
        // If no descriptor or thread is to be had, the sync at the end writes these bytes.
        if let Ok(file) = self.temporary.file.try_clone() {
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

    /// Waits until all that was written is on the disk. [`AtomicFile::finish`] does so, too. Where several files appear together,
    /// call this for all of them first.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn wait(&mut self) -> Result<()> {
        self.synced().and_then(|()| self.temporary.file.sync_all()).map_err(Error::io(&self.path, "write"))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be synced or renamed; the old file is then as it was.
    pub fn finish(self) -> Result<()> {
        self.finish_and(|_| Ok(()))
    }

    /// Opens the file and then gives it its name. The order matters: once the file has its name, another writer may replace it.
    ///
    /// # Errors
    /// As of [`AtomicFile::finish`], and those of `open`.
    pub fn finish_and<R>(mut self, open: impl FnOnce(&File) -> Result<R>) -> Result<R> {
        if let Ok(old) = fs::metadata(&self.target) {
            inherit(&self.temporary.file, &old);
        }
        self.wait()?;
        let opened = open(&self.temporary.file)?;
        self.temporary.name(&self.target).map_err(Error::io(&self.path, "write"))?;
        fs::rename(&self.temporary.path, &self.target).map_err(Error::io(&self.path, "replace"))?;
        self.temporary.owner = None;
        // Libraries that lock the files that they read must not meet our lock.
        let _ = self.temporary.file.unlock();
        // The file has its name by now; the sync of the folder only makes it survive a power failure.
        if let Ok(folder) = File::open(folder(&self.target)) {
            let _ = folder.sync_all();
        }
        Ok(opened)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.temporary.file.write(bytes)?;
        self.unsynced += written as u64;
        if self.unsynced >= SYNCED_AT {
            self.begin_sync()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file.flush()
    }
}

/// A folder for the files of intermediate steps, beside the file that they lead to. Dropping it removes it with all its files.
#[derive(Debug)]
pub struct Scratch(Temporary);

impl Scratch {
    /// Makes a folder for the steps towards a file that will be called `path`.
    ///
    /// # Errors
    /// As of [`AtomicFile::create`].
    pub fn create(path: &Path) -> Result<Self> {
        let target = target_of(path)?;
        remove_stale(&target);
        let make = |temporary: &Path| fs::create_dir(temporary).and_then(|()| File::open(temporary));
        Temporary::create(&target, make).map(Self).map_err(Error::io(path, "write"))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}

/// Exchanges what two paths name, in one step; false where the system or the disk cannot.
///
/// # Errors
/// [`Error::Io`].
#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
pub fn exchange(one: &Path, other: &Path) -> Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(Error::io(other, "replace")(error.into())),
    }
}

/// Exchanges what two paths name; false, as this system cannot.
///
/// # Errors
/// None.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
pub fn exchange(_one: &Path, _other: &Path) -> Result<bool> {
    Ok(false)
}

/// Refuses an output that is one of the inputs, also under another name.
///
/// # Errors
/// [`Error::Argument`].
pub fn check_apart<'a>(output: Option<&Path>, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Some(output) = output else { return Ok(()) };
    let Ok(old) = fs::metadata(output) else { return Ok(()) };
    let same =
        |input: &&Path| fs::metadata(input).is_ok_and(|input_is| is_same(&old, &input_is, output, input));
    match inputs.into_iter().find(same) {
        None => Ok(()),
        Some(input) if input == output => {
            Err(Error::Argument(format!("{} is also read: name another output", output.display())))
        }
        Some(input) => Err(Error::Argument(format!(
            "{} is also read, as {}: name another output",
            output.display(),
            input.display()
        ))),
    }
}

/// The path at the end of all links: a regular file, or nothing yet.
fn target_of(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if target.file_name().is_none() {
            let found = path.display().to_string();
            return Err(Error::Argument(format!("expected the path of a file to write, found {found:?}")));
        }
        match fs::metadata(&target) {
            Ok(old) if old.is_dir() => {
                return Err(Error::io(path, "write")(io::ErrorKind::IsADirectory.into()));
            }
            // Links into /proc, such as /dev/stdout, lead to files that a process has open and others read.
            Ok(old) if !old.is_file() || is_in_proc(&target) => {
                let what = "a device, a pipe or an open file of a process";
                return Err(Error::Argument(format!(
                    "{}: expected the path of a regular file to write, found {what}; name a file",
                    path.display()
                )));
            }
            _ => {}
        }
        match fs::read_link(&target) {
            Ok(link) => target = folder(&target).join(link),
            Err(_) => return Ok(target),
        }
    }
    let error = fs::metadata(path).err().unwrap_or_else(|| io::ErrorKind::NotFound.into());
    Err(Error::io(path, "write")(error))
}

fn is_in_proc(path: &Path) -> bool {
    fs::canonicalize(folder(path)).is_ok_and(|folder| folder.starts_with("/proc"))
}

/// Gives a new file the owner and the mode of the one that it replaces, as far as the system permits.
#[cfg(unix)]
fn inherit(new: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let is_ours = new.metadata().is_ok_and(|new| (new.uid(), new.gid()) == (old.uid(), old.gid()));
    let inherited = is_ours || fchown(new, Some(old.uid()), Some(old.gid())).is_ok();
    // The bits set-user-ID and set-group-ID lend the owner's rights, and the owner is now another.
    let mode = if inherited { 0o7777 } else { 0o0777 };
    let _ = new.set_permissions(fs::Permissions::from_mode(old.mode() & mode));
}

/// Gives a new file the permissions of the one that it replaces.
#[cfg(not(unix))]
fn inherit(new: &File, old: &Metadata) {
    let _ = new.set_permissions(old.permissions());
}

#[cfg(test)]
mod tests {
    use super::super::temporary::{SUFFIX, is_at, names};
    use super::*;

    /// A file as it is begun here, and one that has a name from the beginning, as where there are no others.
    const KINDS: [fn(&Path) -> Result<AtomicFile>; 2] = [AtomicFile::create, created_with_name];

    fn created_with_name(path: &Path) -> Result<AtomicFile> {
        AtomicFile::begin(path, Temporary::file)
    }

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn only_a_finished_file_replaces_the_old_one() {
        for create in KINDS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            fs::write(&path, "old").unwrap();
            let mut file = create(&path).unwrap();
            file.write_all(b"new").unwrap();
            drop(file);
            assert_eq!(fs::read(&path).unwrap(), b"old");
            let mut file = create(&path).unwrap();
            file.write_all(b"new").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(count(folder.path()), 1);
        }
    }

    #[test]
    fn others_of_this_process_write_the_file_by_the_path_it_has_until_then() {
        for create in KINDS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            let file = create(&path).unwrap();
            fs::write(file.temporary(), "new").unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn until_a_file_is_whole_its_folder_has_nothing_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // A disk that has no files without names leaves nothing to see here.
        let Some(unnamed) = Temporary::unnamed(&path) else { return };
        assert_eq!(count(folder.path()), 0);
        assert_eq!(unnamed.owner, None);
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(count(folder.path()), 0);
        // Opened before it gets its name.
        assert_eq!(file.finish_and(|_| Ok(count(folder.path()))).unwrap(), 0);
        assert_eq!(count(folder.path()), 1);
    }

    #[test]
    fn a_file_that_cannot_take_its_place_goes() {
        for create in KINDS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            let file = create(&path).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(file.finish().is_err());
            assert_eq!(count(folder.path()), 1);
        }
    }

    #[test]
    fn a_name_that_a_killed_process_with_the_same_id_left_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let (mut file, next) = (AtomicFile::create(&path).unwrap(), names(&path).next().unwrap());
        let number = |name: &Path| -> u64 {
            let name = name.to_str().unwrap().trim_end_matches(SUFFIX);
            name.rsplit_once('-').unwrap().1.parse().unwrap()
        };
        // Other tests take numbers meanwhile.
        for taken in number(&next) + 1..number(&next) + 50 {
            let name = format!(".a.{}-{taken}{SUFFIX}", std::process::id());
            fs::write(folder.path().join(name), "left").unwrap();
        }
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(count(folder.path()), 50);
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
        let living = created_with_name(&path).unwrap();
        assert!(!stale.exists() && foreign.exists());
        let mut second = AtomicFile::create(&path).unwrap();
        assert!(living.temporary().exists());
        // It has a name now and is locked, as before.
        second.temporary.name(&second.target).unwrap();
        let third = AtomicFile::create(&path).unwrap();
        assert!(second.temporary().exists());
        for file in [living, second, third] {
            file.finish().unwrap();
        }
        assert!(path.exists());
    }

    #[test]
    fn a_writer_whose_temporary_was_taken_for_a_leftover_makes_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // Another writer found the file before it was locked: it holds the lock, or it has removed the file.
        for removes in [false, true] {
            let held = std::cell::RefCell::new(Vec::new());
            let made = Temporary::create(&path, |temporary| {
                let file = File::create_new(temporary)?;
                if held.borrow().is_empty() {
                    let other = File::open(temporary)?;
                    other.try_lock().unwrap();
                    held.borrow_mut().push(other);
                    if removes {
                        held.borrow()[0].unlock()?;
                        fs::remove_file(temporary)?;
                    }
                }
                Ok(file)
            });
            let made = made.unwrap();
            assert!(is_at(&made.file, &made.path));
            assert!(File::open(&made.path).unwrap().try_lock().is_err(), "locked");
        }
    }

    #[test]
    fn writers_that_start_together_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        thread::scope(|scope| {
            for number in 0..4_u8 {
                let path = &path;
                let create = KINDS[usize::from(number % 2)];
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut file = create(path).unwrap();
                        file.write_all(&[number; 100]).unwrap();
                        file.finish().unwrap();
                    }
                });
            }
        });
        let whole = fs::read(&path).unwrap();
        assert_eq!(whole, [whole[0]; 100]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_scratch_folder_goes_with_what_is_in_it_and_the_next_writer_clears_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let scratch = Scratch::create(&path).unwrap();
        fs::write(scratch.path().join("0"), "a step").unwrap();
        let stale = folder.path().join(format!(".a.1-0{SUFFIX}"));
        fs::create_dir(&stale).unwrap();
        fs::write(stale.join("0"), "left by a killed process").unwrap();
        AtomicFile::create(&path).unwrap().finish().unwrap();
        assert!(scratch.path().exists() && !stale.exists());
        drop(scratch);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn long_names_have_room_for_a_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(255));
        for create in KINDS {
            create(&path).unwrap().finish().unwrap();
            assert!(path.exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_the_mode_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link, dangling) =
            (folder.path().join("file"), folder.path().join("link"), folder.path().join("dangling"));
        fs::create_dir(folder.path().join("below")).unwrap();
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", folder.path().join("below").join("..").join("second")).unwrap();
        symlink("second", &link).unwrap();
        symlink("below/new", &dangling).unwrap();
        for (path, create) in [(&link, KINDS[0]), (&link, KINDS[1]), (&dangling, KINDS[0])] {
            let mut written = create(path).unwrap();
            written.write_all(b"new").unwrap();
            written.finish().unwrap();
            assert!(fs::symlink_metadata(path).unwrap().is_symlink());
            assert_eq!(fs::read(path).unwrap(), b"new");
        }
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o640);
        assert!(fs::symlink_metadata(folder.path().join("below/new")).unwrap().is_file());
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(matches!(AtomicFile::create(&folder.path().join("circle")), Err(Error::Io { .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_regular_file_is_not_replaced() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let open = File::create(folder.path().join("open")).unwrap();
        let descriptor = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
        for path in [&pipe, Path::new("/dev/null"), &descriptor] {
            let refused = AtomicFile::create(path).unwrap_err().to_string();
            assert!(refused.contains("expected the path of a regular file"), "{refused}");
        }
        assert!(matches!(AtomicFile::create(folder.path()), Err(Error::Io { .. })));
    }

    #[test]
    fn an_output_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "").unwrap();
        let again = folder.path().join(".").join("a");
        assert!(check_apart(Some(&file), [other.as_path()]).is_ok());
        assert!(check_apart(Some(&other), [file.as_path()]).is_ok());
        for input in [&file, &again] {
            let refused = check_apart(Some(&file), [other.as_path(), input]).unwrap_err().to_string();
            assert!(
                refused.contains("is also read") && refused.ends_with("name another output"),
                "{refused}"
            );
        }
    }
}
