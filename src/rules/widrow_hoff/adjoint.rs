//! The adjoint method on vectors: tiles of cue dimensions, blocks of tokens from last to first.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_upper_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::block::{Blocks, TokenBlock, tile_width, write};
use super::plan::{Coding, WidrowHoffPlan};
use crate::error::Result;
use crate::memory::{Grow, gathered};
use crate::monitor::Monitor;
use crate::threads::pool;
use crate::tiles::buffer::Buffer;
use crate::tiles::product::{Product, packing};
use crate::tiles::result::{Axis, Matrix};

/// Some rows of the weights.
struct AdjointTile<'a, E> {
    first: usize,
    width: usize,
    /// The columns of V that belong to them, row after row.
    v: Buffer<E>,
    /// The weights: for each outcome one number for each row of the tile.
    sums: Buffer<E>,
    /// S, row after row.
    shares: Vec<E>,
    outcomes: Coding<'a, E>,
}

/// Learns all rows, and returns the width of the tiles.
pub(super) fn learn<E: Product>(
    blocks: &Blocks<'_, E>,
    plan: &WidrowHoffPlan<'_, E>,
    threads: usize,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<usize> {
    let (p, q) = (plan.cues.size(), plan.outcomes.size());
    let widest = tile_width(plan.tile, p);
    let begin = |first| {
        let width = widest.min(p - first);
        let mut v = Buffer::zeros(p.saturating_mul(width))?;
        for lane in 0..width {
            v[(first + lane) * width + lane] = E::from_f64(1.0);
        }
        let sums = Buffer::zeros(q.saturating_mul(width))?;
        Ok(AdjointTile { first, width, v, sums, shares: Vec::new(), outcomes: plan.outcomes })
    };
    let tiles = (0..p).step_by(widest).map(begin);
    let mut tiles = gathered(tiles)?;
    let pool = pool(threads)?;
    blocks.visit(&pool, &mut tiles, true, monitor, |tile, block| tile.learn([p, q], block, blocks))?;
    if let Some(initial) = plan.initial {
        let initial = MatRef::from_row_major_slice(initial, p, q);
        pool.install(|| tiles.par_iter_mut().try_for_each(|tile| tile.add_initial(initial)))?;
    }

    let tiles = tiles.iter().map(|tile| (tile.first, tile.width, &tile.sums[..]));
    write(out, (Axis::Rows, q), tiles, monitor)?;
    Ok(widest)
}

impl<E: Product> AdjointTile<'_, E> {
    fn learn(&mut self, [p, q]: [usize; 2], block: &TokenBlock<E>, blocks: &Blocks<'_, E>) -> Result<()> {
        let Self { width, v, sums, shares, outcomes, .. } = self;
        let (width, n) = (*width, block.len());
        let (one, minus) = (E::from_f64(1.0), E::from_f64(-1.0));
        shares.clear();
        shares.grow_to(n * width, E::default())?;
        let after = MatRef::from_row_major_slice(v, p, width);
        let mut rows = MatMut::from_row_major_slice_mut(shares, n, width);
        matmul(rows.as_mut(), Accum::Replace, block.x(), after, one, Par::Seq);
        solve_unit_upper_triangular_in_place(block.meetings(), rows, Par::Seq);
        block.weigh(shares, width);
        let rows = MatRef::from_row_major_slice(shares, n, width);
        match *outcomes {
            Coding::Names { places, .. } => {
                for (event, row) in block.events.clone().zip(shares.chunks_exact(width)) {
                    for &outcome in blocks.tokens.outcomes(event) {
                        let sums = &mut sums[places[outcome as usize] as usize * width..][..width];
                        for (sum, &share) in sums.iter_mut().zip(row) {
                            *sum = sum.plus(share);
                        }
                    }
                }
            }
            Coding::Vectors { .. } => {
                let sums = MatMut::from_row_major_slice_mut(sums, q, width);
                matmul(sums, Accum::Add, block.z().transpose(), rows, one, Par::Seq);
            }
        }
        let v = MatMut::from_row_major_slice_mut(v, p, width);
        matmul(v, Accum::Add, block.x().transpose(), rows, minus, Par::Seq);
        Ok(())
    }

    /// Adds V' W_0.
    fn add_initial(&mut self, initial: MatRef<'_, E>) -> Result<()> {
        packing()?;
        let v = MatRef::from_row_major_slice(&self.v, initial.nrows(), self.width);
        let sums = MatMut::from_row_major_slice_mut(&mut self.sums, initial.ncols(), self.width);
        matmul(sums, Accum::Add, initial.transpose(), v, E::from_f64(1.0), Par::Seq);
        Ok(())
    }
}
