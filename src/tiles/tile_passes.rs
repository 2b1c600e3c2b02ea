//! Passes through the events: which tiles a thread takes at a time.
//!
//! Where the events are kept in the form that a method reads, a pass has one tile: there is nothing to share. Where they are not
//! kept, each pass decodes them again; so a thread takes several tiles through a chunk before it decodes the next. This takes 12
//! % off the time to learn four copies of the King James text with 2,048 outcomes (forward) or cues (adjoint), with a budget just
//! too small to keep the events.

use std::ops::Range;

/// Tiles in groups: a thread takes the tiles of one pass through the events together, one pass after another.
pub(crate) struct Passes {
    n_tiles: usize,
    n: usize,
}

impl Passes {
    /// Groups tiles into passes of `most` tiles at most (one or more). Each thread makes as few passes as it can, and their sizes
    /// differ by one at most, so that no thread waits for another that has many tiles left.
    pub(crate) fn new(n_tiles: usize, threads: usize, most: usize) -> Self {
        let threads = threads.max(1);
        let of_a_thread = n_tiles.div_ceil(threads.saturating_mul(most));
        Self { n_tiles, n: of_a_thread.saturating_mul(threads).min(n_tiles) }
    }

    /// The number of passes.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// The tiles of a pass.
    pub(crate) fn tiles(&self, pass: usize) -> Range<usize> {
        // No overflow: there are fewer than 2^32 tiles.
        pass * self.n_tiles / self.n..(pass + 1) * self.n_tiles / self.n
    }

    /// How many tiles a pass has at most.
    pub(crate) fn most(&self) -> usize {
        self.n_tiles.div_ceil(self.n.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tile_is_in_one_pass_and_threads_make_as_few_as_they_can() {
        let sizes = |n_tiles, threads, most| {
            let passes = Passes::new(n_tiles, threads, most);
            let ranges: Vec<_> = (0..passes.len()).map(|pass| passes.tiles(pass)).collect();
            assert!(ranges.iter().cloned().flatten().eq(0..n_tiles), "{ranges:?}");
            let sizes: Vec<_> = ranges.iter().map(Range::len).collect();
            assert_eq!(passes.most(), sizes.iter().copied().max().unwrap_or(0));
            sizes
        };
        assert_eq!(sizes(0, 2, 4), [0; 0]);
        assert_eq!(sizes(3, 1, 1), [1, 1, 1]);
        assert_eq!(sizes(3, 8, 4), [1, 1, 1]);
        assert_eq!(sizes(5, 2, 4), [2, 3]);
        assert_eq!(sizes(10, 2, 4), [2, 3, 2, 3]);
        assert_eq!(sizes(9, 1, 4), [3, 3, 3]);
        for n_tiles in 0..40 {
            for (threads, most) in (1..6).flat_map(|threads| (1..6).map(move |most| (threads, most))) {
                let sizes = sizes(n_tiles, threads, most);
                assert!(sizes.iter().all(|size| (1..=most).contains(size)));
                assert!(sizes.len().div_ceil(threads) == n_tiles.div_ceil(threads * most));
            }
        }
    }
}
