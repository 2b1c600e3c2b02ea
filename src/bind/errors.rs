//! One mapping from the engine's errors to Python's.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyArithmeticError, PyFloatingPointError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyValueError,
};
use pyo3::prelude::*;

use crate::error::Error;

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
            Error::Io { path, doing, source } => {
                // With an errno Python chooses the subclass: FileNotFoundError, PermissionError ...
                match source.raw_os_error() {
                    Some(errno) => PyOSError::new_err((errno, format!("cannot {doing}: {source}"), path)),
                    None => PyOSError::new_err(message),
                }
            }
            Error::Format(defect) if defect.path.is_some() => FormatError::new_err(message),
            Error::Format(_) | Error::Argument(_) => PyValueError::new_err(message),
            Error::Unknown { .. } => PyKeyError::new_err(message),
            Error::Memory { .. } => PyMemoryError::new_err(message),
            Error::NotFinite { .. } => PyFloatingPointError::new_err(message),
            Error::Numeric(_) => PyArithmeticError::new_err(message),
            Error::Stopped => PyKeyboardInterrupt::new_err(message),
        }
    }
}
