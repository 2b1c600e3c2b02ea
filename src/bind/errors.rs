//! One mapping from the engine's errors to Python's, and what Python raises while the engine works.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::create_exception;
use pyo3::exceptions::{
    PyArithmeticError, PyFloatingPointError, PyIsADirectoryError, PyKeyError, PyKeyboardInterrupt,
    PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

use super::exit;
use crate::error::{Error, Result};

create_exception!(
    rescorla,
    FormatError,
    PyValueError,
    "A file that is damaged, or not of the kind it was taken for."
);

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Io { path, source, doing } => {
                let missing = (doing == "write" && source.kind() == ErrorKind::NotFound)
                    .then(|| {
                        path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
                    })
                    .flatten()
                    .map(|folder| {
                        format!("no folder {}; make it first, or write elsewhere", folder.display())
                    });
                // As Python spells paths that are not UTF-8.
                let path = path.into_os_string();
                match (source.raw_os_error(), source.kind()) {
                    // With an errno Python chooses the subclass: FileNotFoundError, PermissionError ...
                    (Some(errno), _) => {
                        let text = source.to_string();
                        let reason = text.split(" (os error").next().unwrap_or(&text).to_owned();
                        let reason = missing.unwrap_or(reason);
                        PyOSError::new_err((errno, reason, path))
                    }
                    (None, ErrorKind::IsADirectory) => {
                        PyIsADirectoryError::new_err((21, "Is a directory", path))
                    }
                    (None, _) => PyOSError::new_err(message),
                }
            }
            Error::Format(defect) if defect.path.is_some() => FormatError::new_err(message),
            Error::Format(_) | Error::Argument(_) => PyValueError::new_err(message),
            Error::Unknown(_) => PyKeyError::new_err(message),
            Error::Memory { .. } => PyMemoryError::new_err(message),
            // The Python side, which knows the names, makes the message.
            Error::NotFinite { row, column, value } => PyFloatingPointError::new_err((row, column, value)),
            Error::Thread(_) => PyRuntimeError::new_err(message),
            Error::Numeric(_) => PyArithmeticError::new_err(message),
            Error::Stopped => PyKeyboardInterrupt::new_err(message),
        }
    }
}

/// What Python raised first while the engine worked, which the caller raises.
#[derive(Clone, Default)]
pub(super) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Runs Python, on whatever thread. No lock is held meanwhile.
    ///
    /// # Errors
    /// [`Error::Stopped`] when it raises, or the interpreter has ended.
    pub(super) fn attached<R>(&self, run: impl FnOnce(Python<'_>) -> PyResult<R>) -> Result<R> {
        let result = Python::try_attach(|py| {
            exit::exempt_own_thread();
            run(py)
        });
        result.unwrap_or_else(|| Err(Error::Stopped.into())).map_err(|error| {
            let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let later = if first.is_none() { first.replace(error) } else { Some(error) };
            drop(first);
            // Python may run where an exception is dropped.
            drop(later);
            Error::Stopped
        })
    }

    /// What Python raised, or else the error that came of it.
    pub(super) fn or(&self, error: impl Into<PyErr>) -> PyErr {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.unwrap_or_else(|| error.into())
    }
}
