//! Parameters that several verbs share: said once, and taken from the keywords of a call.

use std::str::FromStr;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::Error;

/// Declares a struct of parameters, and `of`, which makes it from the keywords of a call. A parameter with `= default` may be left
/// away.
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        struct $Name:ident {
            $($(#[$on_field:meta])* $field:ident: $type:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[$attribute])*
        pub(super) struct $Name<'py> {
            $($(#[$on_field])* pub(super) $field: $type,)*
        }

        impl<'py> $Name<'py> {
            /// # Errors
            /// When a parameter is missing, not known, or of another type.
            pub(super) fn of(keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
                let left = $crate::bind::keywords::Left::of(keywords)?;
                let parameters = Self {
                    $($field: match left.take(stringify!($field))? {
                        Some(found) => found,
                        None => $crate::bind::keywords::or_default!(stringify!($field) $(, $default)?),
                    },)*
                };
                left.end()?;
                Ok(parameters)
            }
        }
    };
}

/// What stands in for a parameter that is not given.
macro_rules! or_default {
    ($name:expr) => {
        return Err($crate::bind::keywords::missing($name))
    };
    ($name:expr, $default:expr) => {
        $default
    };
}

pub(super) use {or_default, parameters};

pub(super) fn missing(name: &str) -> PyErr {
    PyTypeError::new_err(format!("missing argument '{name}'"))
}

/// The keywords of a call that are left to take.
pub(super) struct Left<'py>(Option<Bound<'py, PyDict>>);

impl<'py> Left<'py> {
    pub(super) fn of(keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        Ok(Self(keywords.map(PyDictMethods::copy).transpose()?))
    }

    pub(super) fn take<T: for<'b> FromPyObject<'b, 'py>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(left) = &self.0 else { return Ok(None) };
        let Some(object) = left.get_item(name)? else { return Ok(None) };
        left.del_item(name)?;
        object.extract().map(Some).map_err(Into::into).map_err(|error: PyErr| {
            if error.is_instance_of::<PyTypeError>(left.py()) {
                PyTypeError::new_err(format!("argument '{name}': {}", error.value(left.py())))
            } else {
                error
            }
        })
    }

    /// Refuses keywords that nobody took.
    pub(super) fn end(&self) -> PyResult<()> {
        match self.0.as_ref().and_then(|left| left.keys().iter().next()) {
            Some(name) => Err(PyTypeError::new_err(format!("got an unexpected keyword argument '{name}'"))),
            None => Ok(()),
        }
    }
}

/// A value of the engine that Python gives by its name.
#[derive(Clone, Copy)]
pub(super) struct Named<T>(pub(super) T);

impl<'py, T: FromStr<Err = Error>> FromPyObject<'_, 'py> for Named<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.cast::<PyString>()?.to_str()?.parse()?))
    }
}
