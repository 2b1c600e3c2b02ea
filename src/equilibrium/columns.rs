//! Dense matrices, column after column.

use faer::{MatMut, MatRef};

use crate::error::Result;
use crate::memory::{copied, empty, filled};
use crate::monitor::Monitor;

/// Numbers that are written between two looks at the stop flag.
const SLAB: usize = 1 << 24;

/// n x n zeros.
pub(super) fn square(n: usize, monitor: &Monitor) -> Result<Vec<f64>> {
    let n = n.saturating_mul(n);
    let mut list = empty(n)?;
    while list.len() < n {
        monitor.check()?;
        list.resize(n.min(list.len() + SLAB), 0.0);
    }
    Ok(list)
}

/// A matrix, column after column.
///
/// Invariant: `values` are `height` times `width`.
pub(super) struct DenseColumns {
    height: usize,
    width: usize,
    values: Vec<f64>,
}

impl DenseColumns {
    pub(super) fn zeros(height: usize, width: usize) -> Result<Self> {
        let values = filled(0.0, height.saturating_mul(width))?;
        Ok(Self { height, width, values })
    }

    /// A matrix from its elements row after row.
    pub(super) fn from_rows(rows: &[f64], height: usize, width: usize) -> Result<Self> {
        let mut columns = Self::zeros(height, width)?;
        for (i, row) in rows.chunks_exact(width.max(1)).enumerate() {
            row.iter().enumerate().for_each(|(j, &value)| columns.values[j * height + i] = value);
        }
        Ok(columns)
    }

    /// Its elements row after row.
    pub(super) fn to_rows(&self) -> Result<Vec<f64>> {
        let mut rows = filled(0.0, self.values.len())?;
        for (i, row) in rows.chunks_exact_mut(self.width.max(1)).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = self.values[j * self.height + i]);
        }
        Ok(rows)
    }

    /// Its first columns.
    pub(super) fn first(&self, width: usize) -> Result<Self> {
        let values = copied(&self.values[..self.height * width])?;
        Ok(Self { height: self.height, width, values })
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn get(&self, j: usize) -> &[f64] {
        &self.values[j * self.height..][..self.height]
    }

    pub(super) fn get_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.height..][..self.height]
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Adds another of this size.
    pub(super) fn add(&mut self, other: &Self) {
        self.values.iter_mut().zip(&other.values).for_each(|(value, other)| *value += other);
    }

    /// Adds a multiple of a column's values to column j.
    pub(super) fn add_to(&mut self, j: usize, factor: f64, column: &[f64]) {
        self.get_mut(j).iter_mut().zip(column).for_each(|(sum, value)| *sum += factor * value);
    }

    pub(super) fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.height, self.width)
    }

    pub(super) fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.height, self.width)
    }
}
