//! Arrays as the engine takes them.

use numpy::{Element as NumpyElement, PyArray1, PyArrayDyn};
use pyo3::prelude::*;

use super::arrays::{Read, Read1, ReadDyn};
use crate::error::Error;
use crate::family::rows::NumberRows;
use crate::kernel::element::Element;

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
    values: ReadDyn<'py, E>,
    places: Option<(Read1<'py, i64>, Read1<'py, u32>)>,
}

impl<'py> PyTable<'py> {
    /// Its rows and columns.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.shape.0, self.shape.1]
    }

    /// Holds the arrays.
    ///
    /// # Errors
    /// When values are not of the type; those of [`Read::of`].
    pub(super) fn hold<E: Element + NumpyElement>(&self) -> PyResult<Held<'py, E>> {
        let values = self.values.cast::<PyArrayDyn<E>>();
        let values =
            values.map_err(|_| Error::Argument(format!("expected a table of {} numbers", E::NAME)))?;
        let places = self.starts.as_ref().zip(self.columns.as_ref());
        let places = places.map(|(starts, columns)| PyResult::Ok((Read::of(starts)?, Read::of(columns)?)));
        Ok(Held { shape: self.shape(), values: Read::of(values)?, places: places.transpose()? })
    }
}

impl<E: Element + NumpyElement> Held<'_, E> {
    /// The rows.
    ///
    /// # Errors
    /// When arrays do not lie row after row in memory, or do not fit together.
    pub(super) fn rows(&self) -> PyResult<NumberRows<'_, E>> {
        let values = self.values.slice("a table")?;
        Ok(match &self.places {
            None => NumberRows::dense(values, self.shape)?,
            Some((starts, columns)) => {
                NumberRows::sparse(values, starts.slice("starts")?, columns.slice("columns")?, self.shape)?
            }
        })
    }
}
