//! Lists of numbers that are joined fast.
//!
//! The lengths of lists vary, and the processor cannot predict where a loop that copies a list ends. So a list is copied together
//! with the numbers after it, as many in all as most lists have at most, and the next list overwrites those that were too many.
//! And a list is known by its place, not by a number, so that finding it costs nothing. For both reasons these are not
//! [`Lists`](crate::lists::Lists).

use crate::error::Result;
use crate::grow::Grow;

const NAMES: &str = "the names that words give";

/// The numbers that are copied at once.
const WIDE: usize = 16;

/// Where a list begins and ends in [`Joined`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct List {
    start: u32,
    end: u32,
}

/// Lists of numbers, one after another.
///
/// Invariant: after the `used` numbers there are [`WIDE`] others, which mean nothing.
pub(super) struct Joined {
    ids: Vec<u32>,
    used: usize,
}

impl Default for Joined {
    fn default() -> Self {
        Self { ids: vec![0; WIDE], used: 0 }
    }
}

impl Joined {
    /// Appends a list of the numbers pushed by `fill`.
    pub(super) fn make(
        &mut self,
        fill: impl FnOnce(&mut dyn FnMut(u32) -> Result<()>) -> Result<()>,
    ) -> Result<List> {
        let start = self.used;
        let filled = fill(&mut |id| self.push(id));
        // They fit: memory is exhausted long before 2^32 numbers.
        filled.map(|()| List { start: start as u32, end: self.used as u32 })
    }

    /// Appends a list of others.
    #[inline(always)]
    pub(super) fn append(&mut self, lists: &Joined, list: List) -> Result<()> {
        let (start, length) = (list.start as usize, (list.end - list.start) as usize);
        if length <= WIDE
            && let Some(from) = lists.ids[start..].first_chunk::<WIDE>()
            && let Some(to) = self.ids[self.used..].first_chunk_mut::<WIDE>()
        {
            *to = *from;
        } else {
            self.ids.grow_to(self.used + length, 0, NAMES)?;
            self.ids[self.used..][..length].copy_from_slice(&lists.ids[start..][..length]);
        }
        self.advance(length)
    }

    /// Appends a number.
    pub(super) fn push(&mut self, id: u32) -> Result<()> {
        self.ids[self.used] = id;
        self.advance(1)
    }

    /// The numbers.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids[..self.used]
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Removes all numbers and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    #[inline]
    fn advance(&mut self, length: usize) -> Result<()> {
        if self.ids.len() < self.used + length + WIDE {
            self.ids.grow_to(2 * (self.used + length + WIDE), 0, NAMES)?;
        }
        self.used += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_joined_whatever_their_lengths(
            contents in proptest::collection::vec(proptest::collection::vec(any::<u32>(), 0..40), 1..8),
            chosen in proptest::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut lists = Joined::default();
            let made: Vec<List> = contents
                .iter()
                .map(|ids| lists.make(|push| ids.iter().try_for_each(|&id| push(id))).unwrap())
                .collect();
            let (mut joined, mut expected) = (Joined::default(), Vec::new());
            for index in chosen {
                let i = index.index(made.len());
                joined.append(&lists, made[i]).unwrap();
                joined.push(7).unwrap();
                expected.extend_from_slice(&contents[i]);
                expected.push(7);
            }
            prop_assert_eq!(joined.ids(), &expected);
            prop_assert_eq!(lists.len(), contents.iter().map(Vec::len).sum::<usize>());
        }
    }
}
