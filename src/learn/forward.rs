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
use super::stream::{Column, Event, Runs, Script, Segment, Stream};
use super::tiles::{WIDEST, each_tile, width};
use super::{Initial, Job};
use crate::error::{Error, Result};
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::rows::{Element, Vector};
use crate::kernel::step::{Step, step};
use crate::monitor::Monitor;

/// No vector has more.
const MOST_LANES: usize = 16;

/// The work is interrupted to look at the monitor after about this many slots times columns: a millisecond or so.
const POLL_EVERY: usize = 1 << 22;

/// Learns all columns of a job, and returns the width of the tiles.
///
/// # Errors
/// See [`super::learn`].
pub(super) fn learn<E: Element, B: AsRef<[u8]> + Sync>(
    job: &Job<'_, E>,
    stream: Stream<'_, B>,
) -> Result<usize> {
    let n_rows = job.rule.alpha.len();
    let width = width::<E>(job.plan.tile, job.kernel, job.columns.len(), n_rows, job.threads);
    let tiles: Vec<&[Column]> = job.columns.chunks(width).collect();
    let len = stream.len();
    let start = |tile: &&[Column]| tile.first().map_or(len, |column| column.start);
    job.monitor.set_total(tiles.iter().map(|tile| len - start(tile)).sum());
    let fits = job.room >= Tokens::FREQUENCY;
    let runs = Runs::new(stream, fits, job.threads, job.monitor, || (), |(), segment| Tokens::of(segment))?;
    let buffer = || Buffer::<E>::zeros(n_rows.saturating_mul(width));
    each_tile(job.threads, tiles.len(), buffer, |weights, index| {
        let place = Place { columns: tiles[index], first: (index * width) as u32, width };
        place.begin(weights, job.plan.initial.as_ref());
        place.learn(weights, job, &runs)?;
        place.write(weights, job)
    })?;
    Ok(width)
}

/// A run of events, in order.
struct Tokens {
    script: Script,
    /// The frequency of each event; empty where all are 1.
    frequencies: Vec<u32>,
}

impl Tokens {
    /// Bytes of memory for the frequency of an event.
    const FREQUENCY: u64 = 4;

    fn of(segment: &Segment<'_>) -> Self {
        let mut script = Script::new(segment);
        for i in 0..segment.len {
            script.push(segment, segment.row(i));
        }
        Self { script, frequencies: segment.frequencies.to_vec() }
    }
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
                if let Some(source) = initial.columns[column.targets[0] as usize] {
                    *weight = initial_row[source as usize];
                }
            }
        }
    }

    fn learn<E: Element, B: AsRef<[u8]> + Sync>(
        &self,
        weights: &mut [E],
        job: &Job<'_, E>,
        runs: &Runs<'_, B, Tokens>,
    ) -> Result<()> {
        let (Job { rule, monitor, .. }, stream) = (job, runs.stream());
        let lambda = self.columns.iter().map(|column| rule.lambda[column.targets[0] as usize]);
        let lambda: Vec<E> = lambda.collect();
        let mut tile = Tile { weights, width: self.width, first: self.first, lambda: &lambda };
        let (first, mut skip) =
            stream.place(self.columns.first().map_or(stream.len(), |column| column.start));
        for number in first..stream.n_runs() {
            runs.visit(number, Tokens::of, |tokens| {
                run(job.kernel, self.width, Forward { tile: &mut tile, rule, tokens, skip, monitor })
            })?;
            skip = 0;
        }
        Ok(())
    }

    fn write<E: Element>(&self, weights: &[E], job: &Job<'_, E>) -> Result<()> {
        let row_of = |row: usize| &weights[row * self.width..][..self.columns.len()];
        for row in 0..weights.len() / self.width {
            if let Some(column) = row_of(row).iter().position(|weight| !weight.is_finite()) {
                return Err(Error::NotFinite {
                    row,
                    column: self.columns[column].targets[0] as usize,
                    value: row_of(row)[column].to_f64(),
                });
            }
        }
        for (target, &row) in job.kept.iter().enumerate() {
            for (column, &weight) in self.columns.iter().zip(row_of(row as usize)) {
                for &column in &column.targets {
                    #[expect(unsafe_code, reason = "unsynchronised writes")]
                    // SAFETY: every column is in one tile, and every tile is written by the one thread that took it.
                    unsafe {
                        job.out.set(target, column as usize, weight);
                    }
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
    tile: &'a mut Tile<'t, E>,
    rule: &'a Rule<E>,
    tokens: &'a Tokens,
    /// The first of them to learn.
    skip: usize,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Forward<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        let Self { tile, rule, tokens, skip, monitor } = self;
        let (script, width, columns) = (&tokens.script, tile.width, tile.lambda.len());
        // The conditions that the pointers below rest on, together with the script's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(V::LANES <= MOST_LANES && columns <= width);
        assert!(rule.alpha.len() == script.n_rows() && tile.weights.len() == script.n_rows() * width);
        let mut present = Vec::with_capacity(columns);
        let (mut done, mut polled, mut work) = (0, skip, 0);
        for Event { cues, outcomes, held } in script.events() {
            done += 1;
            if done <= skip {
                continue;
            }
            present.clear();
            for &outcome in outcomes {
                let column = outcome.wrapping_sub(tile.first) as usize;
                if column < columns {
                    present.push(column);
                }
            }
            for _ in 0..tokens.frequencies.get(done - 1).copied().unwrap_or(1) {
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights`, and `held`
                // tells of these cues: the script says so. `present` are columns of the tile. `weights` is borrowed mutably.
                unsafe {
                    let weights = tile.weights.as_mut_ptr();
                    let (beta2, zero) = (V::splat(rule.beta2), V::splat(E::default()));
                    let mut errors = Errors { rule, lambda: tile.lambda, present: &present, beta2, zero };
                    step::<V, _, B>(weights, width, cues, held, &mut errors);
                }
                work += cues.len() * width + 1;
                if work >= POLL_EVERY {
                    monitor.advance((done - polled) as u64)?;
                    (polled, work) = (done, 0);
                }
            }
        }
        monitor.advance((done - polled.min(done)) as u64)
    }
}

/// The rule: sums are activations, and updates are errors times a learning rate.
struct Errors<'a, V: Vector> {
    rule: &'a Rule<V::Element>,
    /// The maximal activation of each column of the tile.
    lambda: &'a [V::Element],
    /// The columns of the tile whose outcomes are present.
    present: &'a [usize],
    beta2: V,
    zero: V,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and rows are below the number of saliences.
unsafe impl<V: Vector> Step<V> for Errors<'_, V> {
    #[inline(always)]
    unsafe fn factor(&self, row: u32) -> V {
        // SAFETY: see above.
        unsafe { V::splat(*self.rule.alpha.get_unchecked(row as usize)) }
    }

    #[inline(always)]
    unsafe fn term(row: V, _: V) -> V {
        row
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
        let mut updates = sums;
        // SAFETY: see above; no vector has more than MOST_LANES lanes.
        unsafe {
            for update in &mut updates {
                *update = self.beta2.times(self.zero.minus(*update));
            }
            for &j in self.present {
                let place = j.wrapping_sub(column);
                if place >= B * V::LANES {
                    continue;
                }
                let (b, lane) = (place / V::LANES, place % V::LANES);
                let mut lanes = [[V::Element::default(); MOST_LANES]; 2];
                sums[b].store(lanes[0].as_mut_ptr());
                updates[b].store(lanes[1].as_mut_ptr());
                lanes[1][lane] = self.rule.beta1.times(self.lambda[j].minus(lanes[0][lane]));
                updates[b] = V::load(lanes[1].as_ptr());
            }
        }
        updates
    }

    #[inline(always)]
    unsafe fn changed(row: V, factor: V, update: V) -> V {
        // SAFETY: see above.
        unsafe { row.plus(factor.times(update)) }
    }
}
