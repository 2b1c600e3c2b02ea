//! Parameters that several verbs share: said once, and taken from the keywords of a call.

use std::ops::Deref;
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
                let mut taken = $crate::bind::keywords::Taken::of(keywords);
                let parameters = Self {
                    $($field: {
                        let found = match keywords {
                            Some(keywords) => keywords.get_item(pyo3::intern!(keywords.py(), stringify!($field)))?,
                            None => None,
                        };
                        match found {
                            Some(found) => taken.extract(stringify!($field), &found)?,
                            None => $crate::bind::keywords::or_default!(stringify!($field) $(, $default)?),
                        }
                    },)*
                };
                taken.check(&[$(stringify!($field)),*])?;
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

/// The keywords of a call, and how many of them were taken.
pub(super) struct Taken<'a, 'py> {
    keywords: Option<&'a Bound<'py, PyDict>>,
    n: usize,
}

impl<'a, 'py> Taken<'a, 'py> {
    pub(super) fn of(keywords: Option<&'a Bound<'py, PyDict>>) -> Self {
        Self { keywords, n: 0 }
    }

    pub(super) fn extract<T: for<'b> FromPyObject<'b, 'py>>(
        &mut self,
        name: &str,
        object: &Bound<'py, PyAny>,
    ) -> PyResult<T> {
        self.n += 1;
        let (py, extracted) = (object.py(), object.extract().map_err(Into::<PyErr>::into));
        extracted.map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) {
                PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)))
            } else {
                error
            }
        })
    }

    /// Refuses keywords that are none of the names.
    pub(super) fn check(&self, names: &[&str]) -> PyResult<()> {
        let Some(keywords) = self.keywords.filter(|keywords| keywords.len() > self.n) else { return Ok(()) };
        for name in keywords.keys() {
            let name = name.cast_into::<PyString>()?;
            let name = name.to_str()?;
            if !names.contains(&name) {
                return Err(PyTypeError::new_err(format!("got an unexpected keyword argument '{name}'")));
            }
        }
        Ok(())
    }
}

/// A value of the engine that Python gives by its name.
#[derive(Clone, Copy)]
pub(super) struct Named<T>(pub(super) T);

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'py, T: FromStr<Err = Error>> FromPyObject<'_, 'py> for Named<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(object.cast::<PyString>()?.to_str()?.parse()?))
    }
}
