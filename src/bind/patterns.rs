//! Examples and classes as Python gives them.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::dense::patterns::{Numbers, Patterns};
use crate::error::{Error, Result};

/// Rows of numbers: `values` of two dimensions, or the three arrays of a sparse matrix and its number of columns.
#[derive(FromPyObject)]
pub(super) enum Rows<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize),
}

impl Rows<'_> {
    /// The patterns, which borrow the arrays.
    pub(super) fn patterns<'a>(
        &'a self,
        signs: &'a PyReadonlyArray1<'_, f64>,
        bias: bool,
    ) -> Result<Patterns<'a>> {
        let loose = |_| Error::Argument("expected arrays without gaps, row after row in memory".into());
        let signs = signs.as_slice().map_err(loose)?;
        match self {
            Rows::Dense(values) => {
                let features = values.as_array().ncols();
                Patterns::new(Numbers::Dense(values.as_slice().map_err(loose)?), features, signs, bias)
            }
            Rows::Sparse(starts, columns, values, features) => {
                let starts = starts.as_slice().map_err(loose)?;
                let columns = columns.as_slice().map_err(loose)?;
                let values = values.as_slice().map_err(loose)?;
                Patterns::new(Numbers::Sparse { starts, columns, values }, *features, signs, bias)
            }
        }
    }
}
