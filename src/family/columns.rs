//! The driver of learners whose columns know nothing of each other: tiles of columns, one after another on threads.

use super::descent::DescentReport;
use crate::error::Result;
use crate::grow::collected;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::threads::each;
use crate::tiles::buffer::Buffer;
use crate::tiles::result::{Axis, Entry, Matrix};
use crate::tiles::width::{SMALL, padded, width};

pub(super) const COLUMNS: &str = "the rows and columns to learn";

/// How to cut columns into tiles.
pub(super) struct Cut {
    /// The instruction set.
    pub(super) kernel: Isa,
    /// The most threads to use.
    pub(super) threads: usize,
    /// The number of all updates, which may be too few for more than one thread.
    pub(super) updates: u64,
    /// Columns in a tile; chosen by size if `None`.
    pub(super) tile: Option<usize>,
    /// Rows that stay near each other in the caches, and cues of an event in the mean.
    pub(super) shape: [f64; 2],
}

/// All columns, cut into tiles.
pub(super) struct WeightTiles<'a, E> {
    columns: &'a [u32],
    n_rows: usize,
    /// All weights to begin with, row after row; zero if `None`.
    initial: Option<&'a [E]>,
    kernel: Isa,
    threads: usize,
    widest: usize,
}

/// Some columns of all rows, filled with what they begin with.
pub(super) struct WeightTile<'a, E> {
    /// The weights, row after row.
    pub(super) weights: &'a mut [E],
    /// Elements in a row: a multiple of the lanes of the kernel.
    pub(super) width: usize,
    /// How many columns stand before it.
    pub(super) first: usize,
    /// Its columns.
    pub(super) columns: &'a [u32],
}

impl<'a, E: Element> WeightTiles<'a, E> {
    /// Cuts all columns, in the order in which tiles shall have them.
    pub(super) fn new(columns: &'a [u32], n_rows: usize, initial: Option<&'a [E]>, cut: &Cut) -> Self {
        let threads = if cut.updates < SMALL { 1 } else { cut.threads.max(1) };
        let widest = width::<E>(cut.tile, cut.kernel, columns.len(), cut.shape, threads);
        Self { columns, n_rows, initial, kernel: cut.kernel, threads, widest }
    }

    /// How many tiles there are.
    pub(super) fn len(&self) -> usize {
        self.columns.len().div_ceil(self.widest)
    }

    /// The elements of the widest tile.
    pub(super) fn elements(&self) -> usize {
        self.n_rows.saturating_mul(self.widest)
    }

    /// Lets threads `learn` one tile after another, each with a state of its own that `start` makes for tiles of so many columns or
    /// fewer, and writes it to the result.
    ///
    /// # Errors
    /// Of several failing tiles the first one's; [`crate::error::Error::NotFinite`].
    pub(super) fn learn<S>(
        &self,
        out: &Matrix<'_, E>,
        monitor: &Monitor,
        start: impl Fn(usize) -> Result<S> + Sync,
        learn: impl Fn(&mut S, &mut WeightTile<'_, E>) -> Result<()> + Sync,
    ) -> Result<DescentReport> {
        let &Self { columns, n_rows, kernel, threads, widest, .. } = self;
        let along = collected((0..n_rows as u32).map(|row| Entry { from: row, to: row }), COLUMNS)?;
        let filling = out.begin(Axis::Columns, along, monitor)?;
        let start = || Ok((Buffer::zeros(self.elements())?, start(widest)?, filling.buffer()?));
        each(threads, self.len(), start, |(weights, state, lines), index| {
            let first = index * widest;
            let own = &columns[first..columns.len().min(first + widest)];
            let width = padded::<E>(own.len(), kernel);
            let weights = &mut weights[..n_rows * width];
            self.begin(weights, width, own);
            let mut tile = WeightTile { weights, width, first, columns: own };
            learn(state, &mut tile)?;
            let across = collected((0..).zip(own).map(|(from, &to)| Entry { from, to }), COLUMNS)?;
            filling.write(tile.weights, width, &across, lines, |row, lane| (row, own[lane] as usize))
        })?;
        Ok(DescentReport { kernel, tile: widest, threads })
    }

    /// Fills a tile with what its columns begin with.
    fn begin(&self, weights: &mut [E], width: usize, own: &[u32]) {
        weights.fill(E::default());
        let initial = self.initial.unwrap_or_default().chunks_exact(self.columns.len().max(1));
        for (row, initial) in weights.chunks_exact_mut(width).zip(initial) {
            for (weight, &column) in row.iter_mut().zip(own) {
                *weight = initial[column as usize];
            }
        }
    }
}
