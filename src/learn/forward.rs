//! The forward method: tiles of outcomes, every tile streams the events in order.
//!
//! ```text
//! for each event from the tile's start on, as often as its frequency says:
//!     a[:] = +0.0; for each cue c in order: a[:] += W[c, :]
//!     u[:] = beta2 * (0 - a[:]), but beta1 * (lambda[j] - a[j]) at the outcomes j of the event
//!     for each cue c in order: W[c, :] += alpha[c] * u[:]
//! ```
//!
//! The liberties taken: the columns are cut into tiles and blocks of vectors; the tile starts late, where its first
//! column first can change; columns of padding stay zero. None changes an operation on any column, so the result is the
//! scalar rule's, bit for bit. A cue named twice is summed twice and updated twice, one after the other, as the rule says.

use super::rule::Rule;
use super::stream::{Column, Segment};
use super::tiles::{WIDEST, each_tile, width};
use super::{Initial, Job};
use crate::error::{Error, Result};
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::rows::{Element, Vector, add_to_rows, sum_rows};
use crate::monitor::Monitor;

/// No vector has more.
const MOST_LANES: usize = 16;

/// The work is interrupted to look at the monitor after about this many slots times columns: a millisecond or so.
const POLL_EVERY: usize = 1 << 22;

/// Learns all columns of a job, and returns the width of the tiles.
///
/// # Errors
/// See [`super::learn`].
pub(super) fn learn<E: Element, B: AsRef<[u8]> + Sync>(job: &Job<'_, E, B>) -> Result<usize> {
    let n_rows = job.rule.alpha.len();
    let width = width::<E>(job.plan.tile, job.kernel, job.columns.len(), n_rows, job.threads);
    let tiles: Vec<&[Column]> = job.columns.chunks(width).collect();
    let start = |tile: &&[Column]| tile.first().map_or(job.stream.len(), |column| column.start);
    job.monitor.set_total(tiles.iter().map(|tile| job.stream.len() - start(tile)).sum());
    let buffer = || Buffer::<E>::zeros(n_rows.saturating_mul(width));
    each_tile(job.threads, tiles.len(), buffer, |weights, index| {
        let place = Place { columns: tiles[index], first: (index * width) as u32, width };
        place.begin(weights, job.plan.initial.as_ref());
        place.learn(weights, job)?;
        place.write(weights, job)
    })?;
    Ok(width)
}

/// A run of columns and where it stands.
struct Place<'a> {
    columns: &'a [Column],
    /// Its first column in the stream's numbering.
    first: u32,
    width: usize,
}

impl Place<'_> {
    /// Fills the tile with what it starts from.
    fn begin<E: Element>(&self, weights: &mut [E], initial: Option<&Initial<'_, E>>) {
        weights.fill(E::default());
        let Some(initial) = initial else { return };
        let rows =
            weights.chunks_exact_mut(self.width).zip(initial.weights.chunks_exact(initial.width.max(1)));
        for (row, initial_row) in rows {
            for (weight, column) in row.iter_mut().zip(self.columns) {
                if let Some(source) = initial.columns[column.target as usize] {
                    *weight = initial_row[source as usize];
                }
            }
        }
    }

    fn learn<E: Element, B: AsRef<[u8]>>(&self, weights: &mut [E], job: &Job<'_, E, B>) -> Result<()> {
        let Job { rule, stream, monitor, .. } = job;
        let lambda: Vec<E> = self.columns.iter().map(|column| rule.lambda[column.target as usize]).collect();
        let mut tile = Tile { weights, width: self.width, first: self.first, lambda: &lambda };
        let start = self.columns.first().map_or(stream.len(), |column| column.start);
        stream.from(start, |segment, skip| {
            run(job.kernel, self.width, Forward { tile: &mut tile, rule, segment, skip, monitor })
        })
    }

    fn write<E: Element, B>(&self, weights: &[E], job: &Job<'_, E, B>) -> Result<()> {
        let row_of = |row: usize| &weights[row * self.width..][..self.columns.len()];
        for row in 0..weights.len() / self.width {
            if let Some(column) = row_of(row).iter().position(|weight| !weight.is_finite()) {
                return Err(Error::NotFinite {
                    row,
                    column: self.columns[column].target as usize,
                    value: row_of(row)[column].to_f64(),
                });
            }
        }
        for (target, &row) in job.kept.iter().enumerate() {
            for (column, &weight) in self.columns.iter().zip(row_of(row as usize)) {
                #[expect(unsafe_code, reason = "unsynchronised writes")]
                // SAFETY: every column is in one tile, and every tile is written by the one thread that took it.
                unsafe {
                    job.out.set(target, column.target as usize, weight);
                }
            }
        }
        Ok(())
    }
}

/// A tile of weights: some columns of all rows.
struct Tile<'a, E> {
    /// The weights, row after row.
    weights: &'a mut [E],
    /// Elements in a row: a multiple of the lanes of the kernel.
    width: usize,
    /// The first of its columns, in the stream's numbering.
    first: u32,
    /// The maximal activation of each of its columns.
    lambda: &'a [E],
}

/// Learning a run of events into a tile.
struct Forward<'a, 't, E> {
    /// The tile.
    tile: &'a mut Tile<'t, E>,
    /// The rule.
    rule: &'a Rule<E>,
    /// The events.
    segment: Segment<'a>,
    /// The first of them to learn.
    skip: usize,
    /// To be told of the events done.
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Forward<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernels")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        let Self { tile, rule, segment, skip, monitor } = self;
        let Segment { rows, tokens, frequencies, len, n_rows, .. } = segment;
        let width = tile.width;
        // The conditions that the pointers below rest on, together with the stream's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(V::LANES <= MOST_LANES);
        assert!(rule.alpha.len() == n_rows && tile.weights.len() == n_rows * width);
        assert!(tile.lambda.len() <= width);
        let columns = tile.lambda.len();
        let mut present = Vec::with_capacity(columns);
        let (mut polled, mut work) = (skip, 0);
        for i in skip..len {
            let row = tokens.map_or(i, |tokens| tokens[i] as usize);
            let frequency = frequencies.get(i).copied().unwrap_or(1);
            let cues = rows.cues.get(row);
            present.clear();
            let columns_of =
                rows.outcomes.get(row).iter().map(|&column| column.wrapping_sub(tile.first) as usize);
            present.extend(columns_of.filter(|&column| column < columns));
            for _ in 0..frequency {
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights`: the
                // stream checked it. The steps below stay inside a row, for B * LANES divides the width. `present` are
                // columns of the tile. `weights` is borrowed mutably.
                unsafe { step::<V, B>(tile, rule, cues, &present) };
                work += cues.len() * width + 1;
                if work >= POLL_EVERY {
                    monitor.advance((i - polled) as u64)?;
                    (polled, work) = (i, 0);
                }
            }
        }
        monitor.advance((len - polled.min(len)) as u64)
    }
}

/// One token.
///
/// # Safety
/// As [`sum_rows`] and [`add_to_rows`] for the tile's weights and all its blocks; `present` are below
/// `tile.lambda.len()`.
#[inline(always)]
#[expect(unsafe_code, reason = "calls the kernels")]
unsafe fn step<V: Vector, const B: usize>(
    tile: &mut Tile<'_, V::Element>,
    rule: &Rule<V::Element>,
    cues: &[u32],
    present: &[usize],
) {
    let weights = tile.weights.as_mut_ptr();
    let block = B * V::LANES;
    // SAFETY: by the contract of this function; no vector has more than MOST_LANES lanes.
    unsafe {
        let zero = V::splat(V::Element::default());
        let beta2 = V::splat(rule.beta2);
        for column in (0..tile.width).step_by(block) {
            let sum = sum_rows::<V, B>(weights, tile.width, column, cues);
            let mut update = sum;
            for update in &mut update {
                *update = beta2.times(zero.minus(*update));
            }
            for &j in present {
                let place = j.wrapping_sub(column);
                if place >= block {
                    continue;
                }
                let mut sums = [[V::Element::default(); MOST_LANES]; B];
                let mut updates = sums;
                for b in 0..B {
                    sum[b].store(sums[b].as_mut_ptr());
                    update[b].store(updates[b].as_mut_ptr());
                }
                let (b, lane) = (place / V::LANES, place % V::LANES);
                updates[b][lane] = rule.beta1.times(tile.lambda[j].minus(sums[b][lane]));
                for b in 0..B {
                    update[b] = V::load(updates[b].as_ptr());
                }
            }
            add_to_rows::<V, B>(weights, tile.width, column, cues, &rule.alpha, update);
        }
    }
}
