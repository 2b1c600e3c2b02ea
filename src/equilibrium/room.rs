//! Memory that is asked for before it is needed, so that a lack of it is an error.
//!
//! If an allocation of the standard library, rayon or faer fails, the process ends. Most of these allocations are small. So every
//! larger allocation here makes sure that a margin for them is still free.

use faer::{MatMut, MatRef};
use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::lists::Lists;
use crate::monitor::Monitor;

/// The memory that stays free for small allocations.
const MARGIN: usize = 1 << 20;
/// Allocations of fewer bytes are small.
const SMALL: usize = 1 << 16;
/// Numbers that are written between two looks at the stop flag.
const SLAB: usize = 1 << 24;

/// What memory is for, and what the user can do if there is not enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    pub(super) what: &'static str,
    pub(super) cure: &'static str,
}

impl Purpose {
    pub(super) fn refused(self, bytes: usize) -> Error {
        Error::Memory { what: self.what, bytes: bytes as u128, cure: self.cure }
    }

    /// Replaces an error of memory that does not know the purpose.
    pub(super) fn in_place_of(self, error: Error) -> Error {
        match error {
            Error::Memory { bytes, .. } => Error::Memory { what: self.what, bytes, cure: self.cure },
            other => other,
        }
    }
}

pub(super) const COUNTING: Purpose = Purpose { what: "counting the events", cure: "use fewer events" };
pub(super) const EQUATIONS: Purpose =
    Purpose { what: "the normal equations", cure: "use the iterative method" };
pub(super) const EIGENVECTORS: Purpose =
    Purpose { what: "the eigenvectors of the normal equations", cure: "use the iterative method" };
pub(super) const COMBINATIONS: Purpose =
    Purpose { what: "the combinations of cues", cure: "use the iterative method" };
pub(super) const SIDES: Purpose =
    Purpose { what: "a block of right-hand sides", cure: "use fewer threads, or the iterative method" };
pub(super) const GRADIENTS: Purpose =
    Purpose { what: "conjugate gradients", cure: "use fewer events or threads" };

/// Fails unless so many bytes are free, which a library is about to take.
pub(super) fn room(bytes: usize, purpose: Purpose) -> Result<()> {
    let all = bytes.saturating_add(MARGIN);
    // Memory that one thread freed may not serve another, so it must come from the system.
    MmapMut::map_anon(all).map(drop).map_err(|_| purpose.refused(bytes))
}

/// Fails unless the margin is free beside so many bytes, which have been taken.
pub(super) fn margin(bytes: usize, purpose: Purpose) -> Result<()> {
    if bytes < SMALL { Ok(()) } else { room(0, purpose).map_err(|_| purpose.refused(bytes)) }
}

/// Makes room for more elements, as `Vec` would.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize, purpose: Purpose) -> Result<()> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    let bytes = list.len().saturating_add(more).saturating_mul(size_of::<T>());
    list.try_reserve(more).map_err(|_| purpose.refused(bytes))?;
    margin(bytes, purpose)
}

/// A list with room for `n` elements.
pub(super) fn empty<T>(n: usize, purpose: Purpose) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let bytes = n.saturating_mul(size_of::<T>());
    list.try_reserve_exact(n).map_err(|_| purpose.refused(bytes))?;
    margin(bytes, purpose)?;
    Ok(list)
}

/// A list of `n` equal elements.
pub(super) fn filled<T: Clone>(n: usize, value: T, purpose: Purpose) -> Result<Vec<T>> {
    let mut list = empty(n, purpose)?;
    list.resize(n, value);
    Ok(list)
}

/// A list of the items of an iterator that knows their number.
pub(super) fn listed<T>(items: impl ExactSizeIterator<Item = T>, purpose: Purpose) -> Result<Vec<T>> {
    let mut list = empty(items.len(), purpose)?;
    list.extend(items);
    Ok(list)
}

/// Appends a list of these items.
pub(super) fn gather<T>(
    lists: &mut Lists<T>,
    items: impl Iterator<Item = T> + Clone,
    purpose: Purpose,
) -> Result<()> {
    let allocated = lists.allocated();
    lists.gather(items, purpose.what).map_err(|_| purpose.refused(allocated))?;
    if lists.allocated() > allocated { margin(lists.allocated(), purpose) } else { Ok(()) }
}

/// n x n zeros.
pub(super) fn square(n: usize, purpose: Purpose, monitor: &Monitor) -> Result<Vec<f64>> {
    let n = n.saturating_mul(n);
    let mut list = empty(n, purpose)?;
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
    pub(super) fn zeros(height: usize, width: usize, purpose: Purpose) -> Result<Self> {
        let values = filled(height.saturating_mul(width), 0.0, purpose)?;
        Ok(Self { height, width, values })
    }

    /// A matrix from its elements row after row.
    pub(super) fn from_rows(rows: &[f64], height: usize, width: usize, purpose: Purpose) -> Result<Self> {
        let mut columns = Self::zeros(height, width, purpose)?;
        for (i, row) in rows.chunks_exact(width.max(1)).enumerate() {
            row.iter().enumerate().for_each(|(j, &value)| columns.values[j * height + i] = value);
        }
        Ok(columns)
    }

    /// Its elements row after row.
    pub(super) fn to_rows(&self, purpose: Purpose) -> Result<Vec<f64>> {
        let mut rows = filled(self.values.len(), 0.0, purpose)?;
        for (i, row) in rows.chunks_exact_mut(self.width.max(1)).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, value)| *value = self.values[j * self.height + i]);
        }
        Ok(rows)
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

/// Counts work, and looks at the stop flag now and then.
#[derive(Debug, Default)]
pub(super) struct Pulse(usize);

impl Pulse {
    /// Numbers that are touched between two looks.
    const WORK: usize = 1 << 22;

    /// Counts work that is about to be done.
    pub(super) fn beat(&mut self, work: usize, monitor: &Monitor) -> Result<()> {
        self.0 = self.0.saturating_add(work);
        if self.0 < Self::WORK {
            return Ok(());
        }
        self.0 = 0;
        monitor.check()
    }
}
