//! Blocks of tokens: their cue vectors, and how these meet each other.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::plan::{Coding, WidrowHoffPlan};
use super::tokens::Tokens;
use crate::error::Result;
use crate::memory::{Grow, ask, collected, filled};
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::product::{Product, packing};
use crate::tiles::result::{Axis, Entry, Matrix};

/// Tokens in a block, unless a caller says otherwise. Measured: from 32 to 64 it makes no difference; more tokens meet each
/// other more often, and fewer let the products wait for memory.
const TOKENS: usize = 48;
/// Columns in a tile at most, and in its rows a multiple of these; measured with 300 numbers in a vector.
const WIDEST: usize = 48;
const WHOLE: usize = 8;

/// The blocks of all tokens, and what is needed to make them.
pub(super) struct Blocks<'a, E> {
    pub(super) tokens: &'a Tokens,
    cues: Coding<'a, E>,
    outcomes: Coding<'a, E>,
    rates: TokenEtas<'a>,
    /// Events in a block, and blocks that are ready at a time.
    length: usize,
    at_once: usize,
    /// Whether the targets are gathered as well: where they are vectors and the method is adjoint.
    gathered: bool,
    /// The bits of the greatest x'x so far; numbers that are not negative have the order of their bits.
    kappa: AtomicU64,
}

/// The learning rates of tokens.
pub(super) struct TokenEtas<'a> {
    pub(super) eta: f64,
    /// A factor for each token, or none.
    pub(super) factors: &'a [f64],
    /// Whether rates are divided by x'x.
    pub(super) normalized: bool,
}

impl TokenEtas<'_> {
    fn factor(&self, event: usize) -> f64 {
        self.factors.get(event).copied().unwrap_or(1.0)
    }

    /// The rate of a token with x'x = k.
    fn of<E: Product>(&self, event: usize, k: f64) -> E {
        let rate = self.eta * self.factor(event);
        E::from_f64(match self.normalized {
            true if k == 0.0 => 0.0,
            true => rate / k,
            false => rate,
        })
    }
}

/// Some events, one token each.
pub(super) struct TokenBlock<E> {
    pub(super) events: Range<usize>,
    /// Their cue vectors, row after row.
    x: Vec<E>,
    /// x_t'x_s eta_s, column after column; what stands on the diagonal is not looked at.
    meetings: Vec<E>,
    /// eta_t.
    pub(super) rates: Vec<E>,
    /// Their targets, row after row, if gathered.
    z: Vec<E>,
}

impl<'a, E: Product> Blocks<'a, E> {
    pub(super) fn new(
        tokens: &'a Tokens,
        plan: &'a WidrowHoffPlan<'a, E>,
        rates: TokenEtas<'a>,
        method: Method,
    ) -> Self {
        let length = plan.block.unwrap_or(TOKENS).max(1);
        let gathered = method == Method::Adjoint && matches!(plan.outcomes, Coding::Vectors { .. });
        let numbers = plan.cues.size() + length + if gathered { plan.outcomes.size() } else { 0 };
        let at_once = (plan.budget / size_of::<E>() / length / numbers).max(1);
        Self {
            tokens,
            cues: plan.cues,
            outcomes: plan.outcomes,
            rates,
            length,
            at_once,
            gathered,
            kappa: AtomicU64::new(0),
        }
    }

    /// The greatest x'x of the tokens seen, times its factor.
    pub(super) fn max_kappa(&self) -> f64 {
        f64::from_bits(self.kappa.load(Relaxed))
    }

    /// Calls `each` with all tiles, on the threads of a pool, and runs of blocks: in order, or from last to first.
    ///
    /// # Errors
    /// Of several failing tiles the first one's; when stopped.
    pub(super) fn visit<T: Send>(
        &self,
        pool: &rayon::ThreadPool,
        tiles: &mut [T],
        backward: bool,
        monitor: &Monitor,
        each: impl Fn(&mut T, &TokenBlock<E>) -> Result<()> + Sync,
    ) -> Result<()> {
        let events = self.tokens.len();
        let n_blocks = events.div_ceil(self.length);
        let n_runs = n_blocks.div_ceil(self.at_once);
        // Each event once for each tile.
        monitor.set_total(events as u64 * tiles.len() as u64);
        ask(2 * self.at_once * size_of::<Result<TokenBlock<E>>>())?;
        for run in 0..n_runs {
            let run = if backward { n_runs - 1 - run } else { run };
            let numbers = run * self.at_once..((run + 1) * self.at_once).min(n_blocks);
            let make = |number: usize| {
                monitor.check()?;
                packing()?;
                let start = number * self.length;
                self.block(start..(start + self.length).min(events))
            };
            let blocks: Result<Vec<TokenBlock<E>>> =
                pool.install(|| numbers.into_par_iter().map(make).collect());
            let blocks = blocks?;
            let learn = |tile: &mut T| {
                packing()?;
                for i in 0..blocks.len() {
                    let block = &blocks[if backward { blocks.len() - 1 - i } else { i }];
                    each(tile, block)?;
                    monitor.advance(block.events.len() as u64)?;
                }
                Ok(())
            };
            pool.install(|| tiles.par_iter_mut().try_for_each(learn))?;
        }
        Ok(())
    }

    fn block(&self, events: Range<usize>) -> Result<TokenBlock<E>> {
        let (n, p) = (events.len(), self.cues.size());
        let mut x = filled(E::default(), n * p)?;
        for (event, row) in events.clone().zip(x.chunks_exact_mut(p.max(1))) {
            self.cues.add(self.tokens.cues(event), 0, row);
        }
        let mut z = Vec::new();
        if self.gathered {
            z = filled(E::default(), n * self.outcomes.size())?;
            for (event, row) in events.clone().zip(z.chunks_exact_mut(self.outcomes.size().max(1))) {
                self.outcomes.add(self.tokens.outcomes(event), 0, row);
            }
        }
        let mut meetings = filled(E::default(), n * n)?;
        let rows = MatRef::from_row_major_slice(&x, n, p);
        let square = MatMut::from_column_major_slice_mut(&mut meetings, n, n);
        matmul(square, Accum::Replace, rows, rows.transpose(), E::from_f64(1.0), Par::Seq);
        let mut rates = Vec::new();
        rates.make_room(n)?;
        for (t, event) in events.clone().enumerate() {
            let column = &mut meetings[t * n..][..n];
            let k = column[t].to_f64();
            self.kappa.fetch_max((k * self.rates.factor(event)).to_bits(), Relaxed);
            let rate = rate(self.rates.of::<E>(event, k), column[t], self.tokens.frequency(event));
            column.iter_mut().for_each(|meeting| *meeting = meeting.times(rate));
            rates.push(rate);
        }
        Ok(TokenBlock { events, x, meetings, rates, z })
    }
}

impl<E: Product> TokenBlock<E> {
    pub(super) fn len(&self) -> usize {
        self.rates.len()
    }

    /// The cue vectors: tokens x p.
    pub(super) fn x(&self) -> MatRef<'_, E> {
        MatRef::from_row_major_slice(&self.x, self.len(), self.x.len() / self.len().max(1))
    }

    /// The targets: tokens x q.
    pub(super) fn z(&self) -> MatRef<'_, E> {
        MatRef::from_row_major_slice(&self.z, self.len(), self.z.len() / self.len().max(1))
    }

    /// L below the diagonal, U above it.
    pub(super) fn meetings(&self) -> MatRef<'_, E> {
        MatRef::from_column_major_slice(&self.meetings, self.len(), self.len())
    }

    /// Multiplies row t of `rows`, of some width, by eta_t.
    pub(super) fn weigh(&self, rows: &mut [E], width: usize) {
        for (row, &rate) in rows.chunks_exact_mut(width).zip(&self.rates) {
            row.iter_mut().for_each(|number| *number = number.times(rate));
        }
    }
}

/// Writes tiles of lanes of this direction and length to a result. Of each tile the first lane, their number, and the weights.
pub(super) fn write<'t, E: Product>(
    out: &Matrix<'_, E>,
    (lanes, length): (Axis, usize),
    tiles: impl Iterator<Item = (usize, usize, &'t [E])>,
    monitor: &Monitor,
) -> Result<()> {
    let along = collected((0..length as u32).map(|at| Entry { from: at, to: at }))?;
    let filling = out.begin(lanes, along, monitor)?;
    let mut lines = filling.buffer()?;
    for (first, width, weights) in tiles {
        let across = collected((0..width as u32).map(|lane| Entry { from: lane, to: first as u32 + lane }))?;
        let row_and_column = |at, lane| match lanes {
            Axis::Rows => (first + lane, at),
            Axis::Columns => (at, first + lane),
        };
        filling.write(weights, width, &across, &mut lines, row_and_column)?;
    }
    Ok(())
}

/// Columns in a tile, of so many: few enough that its rows stay in the caches, and four tiles or a multiple of four where there is
/// work for four threads. The number of threads does not matter.
pub(super) fn tile_width(wanted: Option<usize>, columns: usize) -> usize {
    let tiles = columns.div_ceil(WIDEST).next_multiple_of(4).max(1);
    wanted.unwrap_or_else(|| columns.div_ceil(tiles).next_multiple_of(WHOLE)).max(1)
}

/// What f tokens in a row with the same x do, as one: (1 - (1 - eta k)^f) / k, k = x'x.
fn rate<E: Product>(eta: E, k: E, frequency: u32) -> E {
    if frequency == 1 {
        return eta;
    }
    let (eta, k, f) = (eta.to_f64(), k.to_f64(), f64::from(frequency));
    let shrink = 1.0 - eta * k;
    E::from_f64(if k == 0.0 {
        eta * f
    } else if shrink > 0.0 {
        // Exact where eta k is tiny.
        -(f * (-eta * k).ln_1p()).exp_m1() / k
    } else {
        (1.0 - shrink.powf(f)) / k
    })
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_of_several_tokens_is_theirs_one_by_one() {
        for (eta, k) in
            [(0.1, 0.5), (0.1, 10.0), (0.3, 5.0), (0.5, 4.5), (1e-12, 1e-3), (0.2, 0.0), (0.0, 1.0)]
        {
            for frequency in [1, 2, 3, 10, 17] {
                // w goes to w + eta x (1 - x w), so that x w = k (sum of rates) after all.
                let (mut sum, mut error) = (0.0_f64, 1.0);
                for _ in 0..frequency {
                    sum += eta * error;
                    error *= 1.0 - eta * k;
                }
                let found = rate(eta, k, frequency);
                assert!(
                    (found - sum).abs() <= 1e-13 * sum.abs(),
                    "{eta} {k} {frequency}: {found}, not {sum}"
                );
            }
        }
    }
}
