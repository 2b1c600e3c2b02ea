//! Sequences of Python, item by item.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};

use crate::memory::Grow;
use crate::vocab::Vocab;

/// The items of a sequence that is no str: as many as come, whatever `len` says.
pub(super) struct Items<T>(pub(super) Vec<T>);

impl<'py, T: for<'a> FromPyObject<'a, 'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() || !object.is_instance_of::<PySequence>() {
            let found = object.get_type();
            return Err(PyTypeError::new_err(format!(
                "expected a sequence of items, such as a list, found {found}"
            )));
        }
        let mut items = Vec::new();
        for item in object.try_iter()? {
            items.grow(item?.extract().map_err(Into::into)?)?;
        }
        Ok(Self(items))
    }
}

impl Items<Bound<'_, PyString>> {
    /// Their names, each once; one that comes again keeps its first place.
    pub(super) fn vocab(&self) -> PyResult<Vocab> {
        let mut vocab = Vocab::new();
        for name in &self.0 {
            vocab.intern(name.to_str()?)?;
        }
        Ok(vocab)
    }
}
