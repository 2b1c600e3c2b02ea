//! Examples: rows of real numbers, dense or sparse.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::kernel::step::prefetch;

/// Numbers in rows, all of them or those that stand somewhere.
///
/// Invariants: dense, there are n * p values. Sparse, `starts` has n + 1 elements that do not fall, from 0 to the number of
/// values; there are as many columns as values, below p and rising within a row.
#[derive(Debug, Clone, Copy)]
pub struct NumberRows<'a, E> {
    shape: [usize; 2],
    values: &'a [E],
    sparse: Option<(&'a [i64], &'a [u32])>,
}

/// One row: a value for each column, or for some.
#[derive(Debug, Clone, Copy)]
pub struct NumberRow<'a, E> {
    /// The values.
    pub values: &'a [E],
    /// The column of each, rising; `None`: one value after another.
    pub columns: Option<&'a [u32]>,
}

impl<'a, E: Element> NumberRows<'a, E> {
    /// All values, row after row.
    ///
    /// # Errors
    /// [`Error::Argument`] when there are not so many.
    pub fn dense(values: &'a [E], shape: [usize; 2]) -> Result<Self> {
        if Some(values.len()) != shape[0].checked_mul(shape[1]) || u32::try_from(shape[1]).is_err() {
            return Err(Error::Argument(format!("expected {shape:?} numbers, found {}", values.len())));
        }
        Ok(Self { shape, values, sparse: None })
    }

    /// Some values, row after row: where each row starts, and the columns of the values.
    ///
    /// # Errors
    /// [`Error::Argument`] when rows do not follow one another, or columns do not rise within them.
    pub fn sparse(values: &'a [E], starts: &'a [i64], columns: &'a [u32], shape: [usize; 2]) -> Result<Self> {
        let [n, p] = shape;
        let wrong =
            |what: &str| Error::Argument(format!("expected {what} of a sparse matrix of shape {shape:?}"));
        let ends = (starts.first(), starts.last()) == (Some(&0), i64::try_from(values.len()).ok().as_ref());
        if n.checked_add(1) != Some(starts.len()) || !ends || !starts.is_sorted() {
            return Err(wrong("starts from 0 to the number of values"));
        }
        if columns.len() != values.len() {
            return Err(wrong("a column for every value"));
        }
        let rows = Self { shape, values, sparse: Some((starts, columns)) };
        for i in 0..n {
            let columns = &columns[rows.range(i)];
            let below = columns.last().is_none_or(|&last| (last as usize) < p);
            if !below || !columns.is_sorted_by(|a, b| a < b) {
                return Err(wrong("columns that rise within each row"));
            }
        }
        Ok(rows)
    }

    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// How many values there are.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// Whether all values are there.
    pub fn is_dense(&self) -> bool {
        self.sparse.is_none()
    }

    /// The values.
    pub fn values(&self) -> &'a [E] {
        self.values
    }

    /// A row.
    #[inline(always)]
    pub fn row(&self, i: usize) -> NumberRow<'a, E> {
        let range = self.range(i);
        let columns = self.sparse.map(|(_, columns)| &columns[range.clone()]);
        NumberRow { values: &self.values[range], columns }
    }

    /// Asks for where a row is, which will be needed some steps from now.
    #[inline(always)]
    pub(crate) fn ask_where(&self, i: usize) {
        if let Some((starts, _)) = self.sparse {
            prefetch(starts.as_ptr().wrapping_add(i), 2);
        }
    }

    /// Asks for a row, which will be needed some steps from now.
    #[inline(always)]
    pub(crate) fn ask(&self, i: usize) {
        let NumberRow { values, columns } = self.row(i);
        prefetch(values.as_ptr(), values.len());
        if let Some(columns) = columns {
            prefetch(columns.as_ptr(), columns.len());
        }
    }

    /// Where the values of a row are.
    #[inline(always)]
    fn range(&self, i: usize) -> Range<usize> {
        match self.sparse {
            None => i * self.shape[1]..(i + 1) * self.shape[1],
            Some((starts, _)) => starts[i] as usize..starts[i + 1] as usize,
        }
    }
}

impl<E: Element> NumberRow<'_, E> {
    /// Writes the columns from `first` on to `to`, zeros where nothing stands.
    #[inline(always)]
    pub fn copy(&self, first: usize, to: &mut [E]) {
        match self.columns {
            None => to.copy_from_slice(&self.values[first..first + to.len()]),
            Some(columns) => {
                to.fill(E::default());
                let start = columns.partition_point(|&column| (column as usize) < first);
                for (&column, &value) in columns[start..].iter().zip(&self.values[start..]) {
                    let Some(to) = to.get_mut(column as usize - first) else { break };
                    *to = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_given() {
        let dense = NumberRows::dense(&[1.0, 0.0, 2.0, 0.0, 0.0, 3.0], [2, 3]).unwrap();
        let sparse = NumberRows::sparse(&[1.0, 2.0, 3.0], &[0, 2, 3], &[0, 2, 2], [2, 3]).unwrap();
        for i in 0..2 {
            for first in 0..3 {
                let mut copies = [[9.0; 3]; 2];
                dense.row(i).copy(first, &mut copies[0][..3 - first]);
                sparse.row(i).copy(first, &mut copies[1][..3 - first]);
                assert_eq!(copies[0], copies[1]);
                assert_eq!(copies[0][..3 - first], dense.row(i).values[first..]);
            }
        }
        assert!(dense.is_dense() && !sparse.is_dense());
        assert_eq!((dense.n_values(), sparse.n_values()), (6, 3));
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        assert!(NumberRows::dense(&[1.0], [1, 2]).is_err());
        assert!(NumberRows::dense(&[1.0], [usize::MAX, 2]).is_err());
        let sparse = |starts: &[i64], columns: &[u32], n| {
            NumberRows::sparse(&[1.0, 2.0], starts, columns, [n, 2])
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(sparse(&[0, 2], &[0, 1], 1), Ok(()));
        for starts in [&[0, 1][..], &[1, 2], &[0, 2, 2], &[-1, 2], &[]] {
            assert!(sparse(starts, &[0, 1], 1).unwrap_err().contains("starts"), "{starts:?}");
        }
        assert!(sparse(&[0, 3, 2], &[0, 1], 2).unwrap_err().contains("starts"));
        assert!(sparse(&[0, 2], &[0], 1).unwrap_err().contains("for every value"));
        for columns in [[0, 2], [1, 0], [1, 1]] {
            assert!(sparse(&[0, 2], &columns, 1).unwrap_err().contains("rise"), "{columns:?}");
        }
    }
}
