//! The adjoint method: tiles of cues, every tile streams the events backward.
//!
//! With one learning rate beta, D = diag(alpha) and c_t the multiplicities of the cues of token t, the rule is linear:
//!
//! ```text
//! W_t = A_t W_(t-1) + beta D c_t (lambda o_t)',     A_t = I - beta D c_t c_t'
//! W_T = A_T ... A_1 W_0  +  sum over t of  beta A_T ... A_(t+1) D c_t (lambda o_t)'
//! ```
//!
//! Row i of W_T is e_i' W_T, so with v_t' = e_i' A_T ... A_(t+1), which begins as the unit vector of cue i at the last token
//! and needs no other row:
//!
//! ```text
//! v = e_i;  for each token t, the last first:
//!     s = sum over the cues c of t of alpha[c] * v[c]          (a cue named twice twice)
//!     W[i, o] += lambda[o] * beta * s                          for the outcomes o of t
//!     v[c]    -= beta * s                                      for the cues c of t (a cue named twice twice)
//! W[i, :] += v' W_0                                            before the first token
//! ```
//!
//! What a token costs does not depend on the number of outcomes, only on how many it has. Tokens after the last one that
//! has cue i leave v as it is and add nothing (s = 0), so a tile starts at the last occurrence of its cues. Cues are sorted
//! by that.
//!
//! The sums are the forward method's in another order: equal up to rounding, and the same bits for any number of threads,
//! width of tiles and instruction set.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::stream::Segment;
use super::tiles::{WIDEST, each_tile, width};
use super::{Initial, Job};
use crate::error::{Error, Result};
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::rows::{Element, Vector, subtract_from_rows, sum_scaled_rows};
use crate::monitor::Monitor;

/// The work is interrupted to look at the monitor after about this many slots times columns.
const POLL_EVERY: usize = 1 << 22;

/// Columns of initial weights gathered at a time.
const GATHERED: usize = 256;

/// A cue whose row is learned: where the row goes, which it is, and the event after the last one that has the cue.
#[derive(Clone, Copy)]
struct Tracked {
    target: usize,
    row: u32,
    end: u64,
}

/// Learns all rows of a job, and returns the width of the tiles.
///
/// # Errors
/// [`Error::Argument`] when the learning rates differ; see [`super::learn`].
pub(super) fn learn<E: Element, B: AsRef<[u8]> + Sync>(job: &Job<'_, E, B>) -> Result<usize> {
    let (n_rows, n_columns) = (job.rule.alpha.len(), job.columns.len());
    if job.rule.beta1 != job.rule.beta2 {
        return Err(Error::Argument(format!(
            "expected one learning rate for method=\"adjoint\", found beta1 = {} and beta2 = {}: only with one is the \
             rule linear in the weights alone; use method=\"forward\"",
            job.plan.beta1, job.plan.beta2
        )));
    }
    let tracked = (0..).zip(&job.kept).map(|(target, &row)| {
        let end = job.after_last.get(row as usize).copied().unwrap_or(0);
        Tracked { target, row, end }
    });
    let mut tracked: Vec<Tracked> = tracked.collect();
    tracked.sort_by_key(|cue| (std::cmp::Reverse(cue.end), cue.row));
    let width = width::<E>(job.plan.tile, job.kernel, tracked.len(), n_rows, job.threads);
    let tiles: Vec<&[Tracked]> = tracked.chunks(width).collect();
    job.monitor.set_total(tiles.iter().filter_map(|tile| tile.first()).map(|cue| cue.end).sum());
    let lambda: Vec<E> = job.columns.iter().map(|column| job.rule.lambda[column.target as usize]).collect();
    let buffers = || {
        let zeros = |n: usize| Buffer::<E>::zeros(n.saturating_mul(width));
        Ok((zeros(n_rows)?, zeros(n_columns)?))
    };
    each_tile(job.threads, tiles.len(), buffers, |(v, sums), index| {
        let cues = tiles[index];
        v.fill(E::default());
        sums.fill(E::default());
        for (i, cue) in cues.iter().enumerate() {
            v[cue.row as usize * width + i] = E::from_f64(1.0);
        }
        let mut tile = Tile { v, sums, width };
        let end = cues.first().map_or(0, |cue| cue.end);
        job.stream.back_from(end, |segment, wanted| {
            let (rule, monitor) = (&job.rule, job.monitor);
            let task = Backward {
                tile: &mut tile,
                alpha: &rule.alpha,
                beta: rule.beta1,
                lambda: &lambda,
                segment,
                wanted,
                monitor,
            };
            run(job.kernel, width, task)
        })?;
        if let Some(initial) = &job.plan.initial {
            tile.add_initial(initial, job)?;
        }
        tile.write(cues, job)
    })?;
    Ok(width)
}

/// The vectors of a run of tracked cues, side by side.
struct Tile<'a, E> {
    /// For each row of weights, the element of every vector.
    v: &'a mut [E],
    /// For each column of weights, the rows so far.
    sums: &'a mut [E],
    /// Tracked cues in the tile, with padding: a multiple of the lanes of the kernel.
    width: usize,
}

impl<E: Element> Tile<'_, E> {
    /// Adds v' W_0, for the columns that do not start at zero, some at a time.
    fn add_initial<B>(&mut self, initial: &Initial<'_, E>, job: &Job<'_, E, B>) -> Result<()> {
        let n_initial = initial.n_rows();
        let v = MatRef::from_row_major_slice(&self.v[..n_initial * self.width], n_initial, self.width);
        let mut gathered = Vec::new();
        for (columns, sums) in job.columns.chunks(GATHERED).zip(self.sums.chunks_mut(GATHERED * self.width)) {
            job.monitor.check()?;
            gathered.clear();
            for row in initial.weights.chunks_exact(initial.width.max(1)) {
                gathered.extend(columns.iter().map(|column| {
                    initial.columns[column.target as usize]
                        .map_or(E::default(), |source| row[source as usize])
                }));
            }
            matmul(
                MatMut::from_row_major_slice_mut(sums, columns.len(), self.width),
                Accum::Add,
                MatRef::from_row_major_slice(&gathered, n_initial, columns.len()).transpose(),
                v,
                E::from_f64(1.0),
                Par::Seq,
            );
        }
        Ok(())
    }

    fn write<B>(&self, cues: &[Tracked], job: &Job<'_, E, B>) -> Result<()> {
        for (i, cue) in cues.iter().enumerate() {
            for (column, sums) in job.columns.iter().zip(self.sums.chunks_exact(self.width)) {
                let (row, column, value) = (cue.row as usize, column.target as usize, sums[i]);
                if !value.is_finite() {
                    return Err(Error::NotFinite { row, column, value: value.to_f64() });
                }
                #[expect(unsafe_code, reason = "unsynchronised writes")]
                // SAFETY: every row of the result is in one tile, and every tile is written by the one thread that took
                // it.
                unsafe {
                    job.out.set(cue.target, column, value);
                }
            }
        }
        Ok(())
    }
}

/// A run of events, backward.
struct Backward<'a, 't, E> {
    tile: &'a mut Tile<'t, E>,
    alpha: &'a [E],
    beta: E,
    /// The maximal activation of each column.
    lambda: &'a [E],
    segment: Segment<'a>,
    /// How many of its events, from the first.
    wanted: usize,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Backward<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernels")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        let Self { tile, alpha, beta, lambda, segment, wanted, monitor } = self;
        let Segment { rows, tokens, frequencies, n_rows, n_columns, .. } = segment;
        let width = tile.width;
        // The conditions that the pointers below rest on, together with the stream's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(alpha.len() == n_rows && tile.v.len() == n_rows * width);
        assert!(lambda.len() == n_columns && tile.sums.len() == n_columns * width);
        let (mut polled, mut work) = (wanted, 0);
        for i in (0..wanted).rev() {
            let row = tokens.map_or(i, |tokens| tokens[i] as usize);
            let frequency = frequencies.get(i).copied().unwrap_or(1);
            let (cues, outcomes) = (rows.cues.get(row), rows.outcomes.get(row));
            for _ in 0..frequency {
                // SAFETY: every cue is below n_rows, every outcome below n_columns: the stream checked it. The blocks stay
                // inside a row, for B * LANES divides the width. `v` and `sums` are borrowed mutably.
                unsafe {
                    let v = tile.v.as_mut_ptr();
                    let beta = V::splat(beta);
                    for column in (0..width).step_by(B * V::LANES) {
                        let mut update = sum_scaled_rows::<V, B>(v, width, column, cues, alpha);
                        for update in &mut update {
                            *update = beta.times(*update);
                        }
                        for &outcome in outcomes {
                            let sums = tile.sums.as_mut_ptr().add(outcome as usize * width + column);
                            let lambda = V::splat(*lambda.get_unchecked(outcome as usize));
                            for (block, update) in update.iter().enumerate() {
                                let at = sums.add(block * V::LANES);
                                V::load(at).plus(lambda.times(*update)).store(at);
                            }
                        }
                        subtract_from_rows::<V, B>(v, width, column, cues, update);
                    }
                }
                work += (cues.len() + outcomes.len()) * width + 1;
                if work >= POLL_EVERY {
                    monitor.advance((polled - i) as u64)?;
                    (polled, work) = (i, 0);
                }
            }
        }
        monitor.advance(polled as u64)
    }
}
