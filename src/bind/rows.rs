//! Arrays as the engine takes them.

use numpy::{Element as NumpyElement, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::dense::rows::Rows;
use crate::error::Error;
use crate::kernel::rows::Element;

/// A table of numbers: the attributes of `rescorla.neighbours.arrays.Table`.
#[derive(FromPyObject)]
pub(super) struct PyTable<'py> {
    shape: (usize, usize),
    values: Bound<'py, PyAny>,
    starts: Option<Bound<'py, PyArray1<i64>>>,
    columns: Option<Bound<'py, PyArray1<u32>>>,
}

/// The arrays of a table, not written to meanwhile.
pub(super) struct Held<'py, E: NumpyElement> {
    shape: [usize; 2],
    values: PyReadonlyArrayDyn<'py, E>,
    places: Option<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u32>)>,
}

impl<'py> PyTable<'py> {
    /// Its rows and columns.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.shape.0, self.shape.1]
    }

    /// Holds the arrays.
    ///
    /// # Errors
    /// When values are not of the type.
    pub(super) fn hold<E: Element + NumpyElement>(&self) -> PyResult<Held<'py, E>> {
        let values = self.values.extract();
        let values =
            values.map_err(|_| Error::Argument(format!("expected a table of {} numbers", E::NAME)))?;
        let places = self.starts.as_ref().zip(self.columns.as_ref());
        let places = places.map(|(starts, columns)| (starts.readonly(), columns.readonly()));
        Ok(Held { shape: self.shape(), values, places })
    }
}

impl<E: Element + NumpyElement> Held<'_, E> {
    /// The rows.
    ///
    /// # Errors
    /// When arrays do not lie row after row in memory, or do not fit together.
    pub(super) fn rows(&self) -> PyResult<Rows<'_, E>> {
        let apart = |_| Error::Argument("expected a table row after row in memory".into());
        let values = self.values.as_slice().map_err(apart)?;
        Ok(match &self.places {
            None => Rows::dense(values, self.shape)?,
            Some((starts, columns)) => {
                let (starts, columns) =
                    (starts.as_slice().map_err(apart)?, columns.as_slice().map_err(apart)?);
                Rows::sparse(values, starts, columns, self.shape)?
            }
        })
    }
}
