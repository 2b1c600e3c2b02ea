//! The result: a matrix of the caller's, filled from several threads.

use crate::error::{Error, Result};
use crate::kernel::rows::Element;

/// A matrix of the caller's that is filled from several threads.
///
/// Invariant: an exclusive borrow of the memory that the pointer and the strides (in elements) span lasts as long as
/// `'a`, and different (row, column) pairs are different elements.
pub struct Matrix<'a, E> {
    start: *mut E,
    strides: [isize; 2],
    pub(super) shape: [usize; 2],
    borrow: std::marker::PhantomData<&'a mut [E]>,
}

#[expect(unsafe_code, reason = "columns are written by the threads that learned them")]
// SAFETY: elements are plain numbers, and written only through `Matrix::set`, whose caller vouches that no other thread
// writes the same one.
unsafe impl<E: Element> Sync for Matrix<'_, E> {}

impl<'a, E: Element> Matrix<'a, E> {
    /// Wraps a matrix whose elements lie `strides` apart.
    ///
    /// # Safety
    /// For every row < `shape[0]` and column < `shape[1]` the element at `start + row * strides[0] + column *
    /// strides[1]` must be writable and nobody else's during `'a`.
    ///
    /// # Errors
    /// [`Error::Argument`] when elements lie upon each other: neither stride steps over all of the other axis.
    #[expect(unsafe_code, reason = "numpy's memory")]
    pub unsafe fn from_raw(start: *mut E, shape: [usize; 2], strides: [isize; 2]) -> Result<Self> {
        let steps = strides.map(isize::unsigned_abs);
        let over = |outer: usize, inner: usize| {
            let span = steps[inner].saturating_mul(shape[inner].saturating_sub(1));
            (steps[inner] > 0 || shape[inner] <= 1) && (steps[outer] > span || shape[outer] <= 1)
        };
        if shape.contains(&0) || over(0, 1) || over(1, 0) {
            Ok(Self { start, strides, shape, borrow: std::marker::PhantomData })
        } else {
            Err(Error::Argument("expected a result whose elements do not share memory".into()))
        }
    }

    /// Wraps a matrix in a slice, row after row.
    ///
    /// # Errors
    /// When the slice has not `shape` elements.
    pub fn new(elements: &'a mut [E], shape: [usize; 2]) -> Result<Self> {
        if shape[0].checked_mul(shape[1]) != Some(elements.len()) {
            return Err(Error::Argument(format!("expected {shape:?} elements, found {}", elements.len())));
        }
        #[expect(unsafe_code, reason = "a slice is such a memory")]
        // SAFETY: row * shape[1] + column is below the length and different for different pairs; the slice is borrowed.
        unsafe {
            Self::from_raw(elements.as_mut_ptr(), shape, [shape[1] as isize, 1])
        }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// No other thread may write the same element.
    #[inline]
    #[expect(unsafe_code, reason = "unsynchronised writes")]
    pub(super) unsafe fn set(&self, row: usize, column: usize, value: E) {
        assert!(row < self.shape[0] && column < self.shape[1]);
        let offset = row as isize * self.strides[0] + column as isize * self.strides[1];
        // SAFETY: inside by the assertion and the contract of `from_raw`; unshared by the contract of this function.
        unsafe { self.start.offset(offset).write(value) }
    }
}
