//! What a method does in a step.

use crate::kernel::vector::Vector;

/// What a method does with sums and rows.
///
/// # Safety
/// Its functions must be called only where the instruction set of `V` exists.
#[expect(unsafe_code, reason = "vectors of an instruction set that must be checked for")]
pub unsafe trait Step<V: Vector> {
    /// Whether all rows have the same factor. If so, `update` includes it, and [`Step::factor`] is never called.
    const UNIFORM: bool;

    /// The factors of the rows. Not asked for where they are the same.
    fn factors(&self) -> &[V::Element] {
        &[]
    }

    /// The factor of a row, the same in all lanes.
    ///
    /// # Safety
    /// See [`Step`]; the row is below the number of factors.
    #[inline(always)]
    unsafe fn factor(&self, row: u32) -> V {
        // SAFETY: by the contract of this function.
        unsafe { V::splat(*self.factors().get_unchecked(row as usize)) }
    }

    /// What a row adds to the sum: itself, unless a method says otherwise.
    ///
    /// # Safety
    /// See [`Step`].
    #[inline(always)]
    unsafe fn term(row: V, _: V) -> V {
        row
    }

    /// The update of `B` vectors from `column` on, made of their sums.
    ///
    /// # Safety
    /// See [`Step`]; the columns exist.
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B];

    /// A row after the update: the update times the row's factor is added, unless a method says otherwise.
    ///
    /// # Safety
    /// See [`Step`].
    #[inline(always)]
    unsafe fn changed(row: V, factor: V, update: V) -> V {
        // SAFETY: by the contract of this function.
        unsafe { row.plus(if Self::UNIFORM { update } else { factor.times(update) }) }
    }
}
