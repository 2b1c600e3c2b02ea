//! The driver of learners whose columns know nothing of each other: tiles of columns, one after another on threads.
//!
//! ```text
//! for each tile, on any thread:    take the weights that its columns begin with     (`Home::fetch`)
//!                                  let it learn
//!                                  put away what it learned                         (`Home::put`)
//! ```
//!
//! A thread may take several tiles at a time (`passes`), where they share the work of reading what they learn.

use std::ops::Range;

use crate::error::Result;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::memory::gathered;
use crate::threads::each;
use crate::tiles::buffer::Buffer;
use crate::tiles::home::Home;
use crate::tiles::tile_passes::Passes;
use crate::tiles::width::{SMALL, padded, width};

/// How to cut columns into tiles.
pub(crate) struct Cut {
    /// The instruction set.
    pub(crate) kernel: Isa,
    /// The most threads to use.
    pub(crate) threads: usize,
    /// The number of all updates, which may be too few for more than one thread.
    pub(crate) updates: u64,
    /// Columns in a tile; chosen by size if `None`.
    pub(crate) tile: Option<usize>,
    /// Rows that stay near each other in the caches, and cues of an event in the mean.
    pub(crate) shape: [f64; 2],
}

/// Tiles of columns.
pub(crate) struct Tiles {
    pub(crate) kernel: Isa,
    pub(crate) threads: usize,
    pub(crate) n_rows: usize,
    /// Columns in a tile; the last may have fewer.
    pub(crate) width: usize,
    /// The most tiles that a thread takes at a time.
    pub(crate) most: usize,
}

/// Some columns of all rows.
pub(crate) struct Tile<'t, E> {
    pub(crate) number: usize,
    /// Which columns, in the order in which tiles have them.
    pub(crate) columns: Range<usize>,
    /// The weights, row after row: those that the columns begin with, then those that they have learned.
    pub(crate) weights: &'t mut [E],
    /// Elements in a row: one for each column, and padding; a multiple of the lanes of the kernel.
    pub(crate) width: usize,
}

impl Tiles {
    /// Cuts so many columns of so many rows.
    pub(crate) fn new<E: Element>([n_rows, n_columns]: [usize; 2], cut: &Cut) -> Self {
        let threads = if cut.updates < SMALL { 1 } else { cut.threads.max(1) };
        let width = width::<E>(cut.tile, cut.kernel, n_columns, cut.shape, threads);
        Self { kernel: cut.kernel, threads, n_rows, width, most: 1 }
    }

    /// The elements of a tile, at least one row.
    pub(crate) fn elements(&self) -> usize {
        self.n_rows.max(1).saturating_mul(self.width)
    }

    /// Lets threads `learn` some tiles at a time, each with a state of its own, which `start` makes for so many tiles.
    ///
    /// # Errors
    /// Of several failing tiles the first one's; those of the home.
    pub(crate) fn learn<E: Element, H: Home<E>, S>(
        &self,
        home: &H,
        start: impl Fn(usize) -> Result<S> + Sync,
        learn: impl Fn(&mut S, &mut [Tile<'_, E>]) -> Result<()> + Sync,
    ) -> Result<()> {
        let (elements, passes) = (self.elements(), Passes::new(home.n_tiles(), self.threads, self.most));
        let start = || {
            let most = passes.most();
            Ok((Buffer::zeros(elements.saturating_mul(most))?, start(most)?, home.room()?))
        };
        each(self.threads, passes.len(), start, |(weights, state, room), pass| {
            let pieces = passes.tiles(pass).zip(weights.chunks_mut(elements));
            let tiles = pieces.map(|(number, weights)| {
                let (first, n) = (number * self.width, home.n_columns(number));
                let width = padded::<E>(n, self.kernel);
                let weights = &mut weights[..self.n_rows * width];
                weights.fill(E::default());
                home.fetch(number, weights, width)?;
                Ok(Tile { number, columns: first..first + n, weights, width })
            });
            let mut tiles = gathered(tiles)?;
            learn(state, &mut tiles)?;
            tiles.iter().try_for_each(|tile| home.put(tile.number, tile.weights, tile.width, room))
        })
    }
}
