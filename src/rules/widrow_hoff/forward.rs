//! The forward method on vectors: tiles of outcomes, block after block of tokens.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use super::block::{Blocks, TokenBlock, tile_width, write};
use super::plan::{Coding, WidrowHoffPlan};
use crate::error::Result;
use crate::memory::{Grow, gathered};
use crate::monitor::Monitor;
use crate::threads::pool;
use crate::tiles::buffer::Buffer;
use crate::tiles::product::Product;
use crate::tiles::result::{Axis, Matrix};

/// Some columns of the weights.
struct ForwardTile<'a, E> {
    first: usize,
    width: usize,
    /// Row after row.
    weights: Buffer<E>,
    /// The errors of a block, row after row.
    errors: Vec<E>,
    outcomes: Coding<'a, E>,
}

/// Learns all columns, and returns the width of the tiles.
pub(super) fn learn<E: Product>(
    blocks: &Blocks<'_, E>,
    plan: &WidrowHoffPlan<'_, E>,
    threads: usize,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<usize> {
    let (p, q) = (plan.cues.size(), plan.outcomes.size());
    let widest = tile_width(plan.tile, q);
    let begin = |first| {
        let width = widest.min(q - first);
        let mut weights = Buffer::zeros(p.saturating_mul(width))?;
        let initial = plan.initial.unwrap_or_default().chunks_exact(q.max(1));
        for (row, initial) in weights.chunks_exact_mut(width).zip(initial) {
            row.copy_from_slice(&initial[first..first + width]);
        }
        Ok(ForwardTile { first, width, weights, errors: Vec::new(), outcomes: plan.outcomes })
    };
    let tiles = (0..q).step_by(widest).map(begin);
    let mut tiles = gathered(tiles)?;
    let pool = pool(threads)?;
    blocks.visit(&pool, &mut tiles, false, monitor, |tile, block| tile.learn(p, block, blocks))?;

    let tiles = tiles.iter().map(|tile| (tile.first, tile.width, &tile.weights[..]));
    write(out, (Axis::Columns, p), tiles, monitor)?;
    Ok(widest)
}

impl<E: Product> ForwardTile<'_, E> {
    fn learn(&mut self, p: usize, block: &TokenBlock<E>, blocks: &Blocks<'_, E>) -> Result<()> {
        let Self { first, width, weights, errors, outcomes } = self;
        let (first, width, n) = (*first, *width, block.len());
        errors.clear();
        errors.grow_to(n * width, E::default())?;
        for (event, row) in block.events.clone().zip(errors.chunks_exact_mut(width)) {
            outcomes.add(blocks.tokens.outcomes(event), first, row);
        }
        let minus = E::from_f64(-1.0);
        let predicted = MatRef::from_row_major_slice(weights, p, width);
        let mut rows = MatMut::from_row_major_slice_mut(errors, n, width);
        matmul(rows.as_mut(), Accum::Add, block.x(), predicted, minus, Par::Seq);
        solve_unit_lower_triangular_in_place(block.meetings(), rows, Par::Seq);
        block.weigh(errors, width);
        let rows = MatRef::from_row_major_slice(errors, n, width);
        let weights = MatMut::from_row_major_slice_mut(weights, p, width);
        matmul(weights, Accum::Add, block.x().transpose(), rows, E::from_f64(1.0), Par::Seq);
        Ok(())
    }
}
