//! The classes `AtomicFile` and `Scratch`: what the writers in Python need of the engine's way to write files.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use super::arrays::Read1;
use super::items::Items;
use super::watch::brief;
use crate::error::Error;
use crate::files::atomic;

/// A file that appears when it is whole: it is written under a temporary name.
#[pyclass(name = "AtomicFile", module = "rescorla._core", frozen)]
pub(crate) struct PyAtomicFile {
    temporary: PathBuf,
    /// `None` once it is finished or discarded.
    file: Mutex<Option<atomic::AtomicFile>>,
}

#[pymethods]
impl PyAtomicFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = brief(py, &None, |_| atomic::AtomicFile::create(&path))?;
        Ok(Self { temporary: file.temporary().to_path_buf(), file: Mutex::new(Some(file)) })
    }

    /// The name under which the file is to be written.
    #[getter]
    fn temporary(&self) -> &OsStr {
        self.temporary.as_os_str()
    }

    /// Waits until what was written is on the disk.
    fn settle(&self, py: Python<'_>) -> PyResult<()> {
        brief(py, &None, |_| {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.as_mut().ok_or_else(gone)?.wait()
        })
    }

    /// Gives the file its name.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        brief(py, &None, |_| self.take().ok_or_else(gone)?.finish())
    }

    /// Leaves the old file as it is. Nothing happens where the file is finished.
    fn discard(&self) {
        drop(self.take());
    }
}

impl PyAtomicFile {
    fn take(&self) -> Option<atomic::AtomicFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn gone() -> Error {
    Error::Argument("expected a file that is neither finished nor discarded".into())
}

/// A folder for intermediate files beside an output, which goes with all that is in it.
#[pyclass(name = "Scratch", module = "rescorla._core", frozen)]
pub(crate) struct PyScratch {
    path: PathBuf,
    folder: Mutex<Option<atomic::Scratch>>,
}

#[pymethods]
impl PyScratch {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let folder = brief(py, &None, |_| atomic::Scratch::create(&path))?;
        Ok(Self { path: folder.path().to_path_buf(), folder: Mutex::new(Some(folder)) })
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> &OsStr {
        self.path.as_os_str()
    }

    /// Removes the folder.
    fn remove(&self) {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(folder);
    }
}

/// Refuses an output that is one of the inputs, by whatever name.
#[pyfunction]
pub(crate) fn check_apart(py: Python<'_>, output: PathBuf, inputs: Items<PathBuf>) -> PyResult<()> {
    brief(py, &None, |_| atomic::check_apart(Some(&output), inputs.0.iter().map(PathBuf::as_path)))
}

/// Exchanges what two paths name, in one step; false where the system or the disk cannot.
#[pyfunction]
pub(crate) fn exchange(py: Python<'_>, one: PathBuf, other: PathBuf) -> PyResult<bool> {
    brief(py, &None, |_| atomic::exchange(&one, &other))
}

/// The CRC32C of bytes that follow others, whose CRC32C is given.
#[pyfunction]
#[pyo3(signature = (bytes, before=0))]
pub(crate) fn crc32c(py: Python<'_>, bytes: Read1<'_, u8>, before: u32) -> PyResult<u32> {
    let bytes = bytes.slice("bytes")?;
    brief(py, &None, |_| Ok(::crc32c::crc32c_append(before, bytes)))
}
