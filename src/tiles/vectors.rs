//! Names that stand for vectors.

use crate::kernel::scalar::Scalar;

/// A vector for each name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vectors<'a, E> {
    /// The vectors, one after another.
    pub(crate) numbers: &'a [E],
    /// Numbers in each.
    pub(crate) size: usize,
}

impl<E: Scalar> Vectors<'_, E> {
    /// The sum of the vectors of some names, from their number `first` on. Outlined, so that loops that may need it stay small.
    #[inline(never)]
    pub(crate) fn sum(self, names: &[u32], first: usize, sums: &mut [E]) {
        sums.fill(E::default());
        self.add(names, first, sums);
    }

    /// Adds the vectors of some names, each as often as it is named, from their number `first` on.
    #[inline]
    pub(crate) fn add(self, names: &[u32], first: usize, sums: &mut [E]) {
        for &name in names {
            let vector = &self.numbers[name as usize * self.size..][..self.size][first..];
            for (sum, &number) in sums.iter_mut().zip(vector) {
                *sum = sum.plus(number);
            }
        }
    }
}
