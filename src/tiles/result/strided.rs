//! A matrix in memory, its elements in any order.

use std::marker::PhantomData;

use super::block::{Axis, Entry, TileBlock};
use crate::error::{Error, Result};
use crate::kernel::element::Element;

/// The caller's matrix, which several threads fill.
///
/// Invariant: an exclusive borrow of the memory that the pointer and the strides (in elements) span lasts as long as
/// `'a`, and different (row, column) pairs are different elements.
pub(super) struct Strided<'a, E> {
    start: *mut E,
    strides: [isize; 2],
    borrow: PhantomData<&'a mut [E]>,
}

#[expect(unsafe_code, reason = "a borrow by pointer")]
// SAFETY: it is an exclusive borrow of plain numbers, as `&mut [E]` is.
unsafe impl<E: Element> Send for Strided<'_, E> {}

#[expect(unsafe_code, reason = "lanes are written by the threads that learned them")]
// SAFETY: elements are plain numbers, and written only through `Strided::copy`, whose caller vouches that no other thread
// writes the same ones.
unsafe impl<E: Element> Sync for Strided<'_, E> {}

impl<'a, E: Element> Strided<'a, E> {
    /// Wraps a matrix with the given strides, in elements.
    ///
    /// # Safety
    /// See [`super::Matrix::from_raw`].
    #[expect(unsafe_code, reason = "numpy's memory")]
    pub(super) unsafe fn from_raw(start: *mut E, shape: [usize; 2], strides: [isize; 2]) -> Result<Self> {
        let steps = strides.map(isize::unsigned_abs);
        let over = |outer: usize, inner: usize| {
            let span = steps[inner].saturating_mul(shape[inner].saturating_sub(1));
            (steps[inner] > 0 || shape[inner] <= 1) && (steps[outer] > span || shape[outer] <= 1)
        };
        if shape.contains(&0) || over(0, 1) || over(1, 0) {
            Ok(Self { start, strides, borrow: PhantomData })
        } else {
            Err(Error::Argument("expected a result whose elements do not share memory".into()))
        }
    }

    /// Wraps a matrix in a slice, row after row.
    pub(super) fn new(elements: &'a mut [E], shape: [usize; 2]) -> Result<Self> {
        if shape[0].checked_mul(shape[1]) != Some(elements.len()) {
            return Err(Error::Argument(format!("expected {shape:?} elements, found {}", elements.len())));
        }
        #[expect(unsafe_code, reason = "a slice is such a memory")]
        // SAFETY: row * shape[1] + column is below the length and different for different pairs; the slice is borrowed.
        unsafe {
            Self::from_raw(elements.as_mut_ptr(), shape, [shape[1] as isize, 1])
        }
    }

    /// Copies the lanes `across` of a block.
    ///
    /// # Safety
    /// The targets of the block's rows and of `across` are inside the matrix, and no other thread writes to those lanes.
    #[expect(unsafe_code, reason = "unsynchronised writes")]
    pub(super) unsafe fn copy(&self, block: &TileBlock<'_, E>, across: &[Entry], lanes: Axis) {
        let [rows, columns] = self.strides;
        let (step_along, step_across) = match lanes {
            Axis::Rows => (columns, rows),
            Axis::Columns => (rows, columns),
        };
        let put = |along: usize, across: usize, element: E| {
            let offset = along as isize * step_along + across as isize * step_across;
            // SAFETY: inside and unshared by the contracts of this function and of `from_raw`.
            unsafe { self.start.offset(offset).write(element) }
        };
        if step_across.unsigned_abs() <= step_along.unsigned_abs() {
            block.by_rows(across, put);
        } else {
            block.by_lanes(across, put);
        }
    }
}
