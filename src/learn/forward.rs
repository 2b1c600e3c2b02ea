//! The forward method: tiles of outcomes, every tile streams the events in order.
//!
//! ```text
//! for each event from the tile's start on, as often as its frequency says:
//!     a[:] = +0.0; for each cue c in order: a[:] += W[c, :]
//!     u[:] = rate[:] * (target[:] - a[:]), target[j], rate[j] = lambda[j], beta1 for the outcomes j of the event,
//!                                                               0, beta2         for all others
//!     for each cue c in order: W[c, :] += alpha[c] * u[:]
//! ```
//!
//! The liberties taken: the columns are cut into tiles and blocks of vectors; the tile starts late, where its first
//! column first can change; columns of padding stay zero. None changes an operation on any column, so the result is the
//! scalar rule's, bit for bit. A cue named twice is summed twice and updated twice, one after the other, as the rule says.

use super::matrix::{Axis, Entry, Sheet};
use super::rule::Rule;
use super::stream::{Column, Event, Runs, Script, Segment, Stream};
use super::tiles::{WIDEST, each_tile, padded, width};
use super::{Initial, Job};
use crate::error::Result;
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::rows::{Element, Vector};
use crate::kernel::step::{Step, step};
use crate::monitor::Monitor;

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
    let width =
        width::<E>(job.plan.tile, job.kernel, job.columns.len(), [n_rows as f64, job.slots], job.threads);
    let tiles: Vec<&[Column]> = job.columns.chunks(width).collect();
    let len = stream.len();
    let start = |tile: &&[Column]| tile.first().map_or(len, |column| column.start);
    job.monitor.set_total(tiles.iter().map(|tile| len - start(tile)).sum());
    let fits = job.room >= EVENT;
    let runs = Runs::new(stream, fits, job.threads, job.monitor, || (), |(), segment| Tokens::of(segment))?;
    let along = (0..).zip(&job.kept).map(|(to, &from)| Entry { from, to }).collect();
    let sheet = job.out.begin(Axis::Columns, along, job.monitor)?;
    let buffers = || Ok((Buffer::<E>::zeros(n_rows.saturating_mul(width))?, sheet.buffer()?));
    each_tile(job.threads, tiles.len(), buffers, |(weights, lines), index| {
        let (columns, first) = (tiles[index], (index * width) as u32);
        let place = Place { columns, first, width: padded::<E>(columns.len(), job.kernel) };
        let weights = &mut weights[..n_rows * place.width];
        place.begin(weights, job.plan.initial.as_ref());
        place.learn(weights, job, &runs)?;
        place.write(weights, &sheet, lines)
    })?;
    Ok(width)
}

/// Bytes of memory for an event, besides the script: its frequency.
pub(super) const EVENT: u64 = 4;

/// A run of events, in order.
struct Tokens {
    script: Script,
    /// The frequency of each event; empty where all are 1.
    frequencies: Vec<u32>,
}

impl Tokens {
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
        let (mut targets, mut rates) = (vec![E::default(); self.width], vec![rule.beta2; self.width]);
        let (width, first) = (self.width, self.first);
        let mut tile =
            Tile { weights, width, first, lambda: &lambda, targets: &mut targets, rates: &mut rates };
        let (first, mut skip) =
            stream.place(self.columns.first().map_or(stream.len(), |column| column.start));
        for number in first..stream.n_runs() {
            runs.visit(number, Tokens::of, |tokens| {
                let task = Forward { tile: &mut tile, rule, tokens, skip, monitor };
                job.clock.during(|| run(job.kernel, self.width, task))
            })?;
            skip = 0;
        }
        Ok(())
    }

    fn write<E: Element>(
        &self,
        weights: &[E],
        sheet: &Sheet<'_, '_, E>,
        lines: &mut Buffer<E>,
    ) -> Result<()> {
        let mut across = Vec::new();
        for (from, column) in (0..).zip(self.columns) {
            across.extend(column.targets.iter().map(|&to| Entry { from, to }));
        }
        let place = |row, lane: usize| (row, self.columns[lane].targets[0] as usize);
        sheet.write(weights, self.width, &across, lines, place)
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
    /// What the activation of each element of a row is drawn to by the event at hand: zero between events,
    targets: &'a mut [E],
    /// and how fast: beta2 between events.
    rates: &'a mut [E],
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
        // SAFETY: the instruction set exists.
        unsafe {
            match (self.rule.salience(), self.rule.beta1 == self.rule.beta2) {
                (Some(alpha), true) => self.learn::<V, true, true, B>(alpha),
                (Some(alpha), false) => self.learn::<V, true, false, B>(alpha),
                (None, _) => self.learn::<V, false, false, B>(E::default()),
            }
        }
    }
}

impl<E: Element> Forward<'_, '_, E> {
    /// Learns with one salience for all cues, or with those of the rule; with one learning rate, or with two.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn learn<V: Vector<Element = E>, const UNIFORM: bool, const ONE_RATE: bool, const B: usize>(
        self,
        alpha: E,
    ) -> Result<()> {
        let Self { tile, rule, tokens, skip, monitor } = self;
        let (script, width, columns) = (&tokens.script, tile.width, tile.lambda.len());
        // The conditions that the pointers below rest on, together with the script's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(tile.targets.len() == width && tile.rates.len() == width && columns <= width);
        assert!(rule.alpha.len() == script.n_rows() && tile.weights.len() == script.n_rows() * width);
        let (beta1, beta2) = (rule.beta1, rule.beta2);
        let (mut done, mut polled, mut work) = (0, skip, 0);
        for Event { cues, outcomes, once } in script.events() {
            done += 1;
            if done <= skip {
                continue;
            }
            let present = || {
                let column = |&outcome: &u32| outcome.wrapping_sub(tile.first) as usize;
                outcomes.iter().map(column).filter(|&column| column < columns)
            };
            for column in present() {
                tile.targets[column] = tile.lambda[column];
                tile.rates[column] = beta1;
            }
            for _ in 0..tokens.frequencies.get(done - 1).copied().unwrap_or(1) {
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights`, and none comes
                // twice if `once`: the script says so. `targets` and `rates` have `width` elements. `weights` is borrowed
                // mutably.
                unsafe {
                    let (alpha, beta, saliences) = (V::splat(alpha), V::splat(beta1), &rule.alpha);
                    let (targets, rates) = (tile.targets.as_ptr(), tile.rates.as_ptr());
                    let mut errors =
                        Errors::<V, UNIFORM, ONE_RATE> { alpha, saliences, beta, targets, rates };
                    step::<V, _, B>(tile.weights.as_mut_ptr(), width, cues, once, &mut errors);
                }
                work += cues.len() * width + 1;
                if work >= POLL_EVERY {
                    monitor.advance((done - polled) as u64)?;
                    (polled, work) = (done, 0);
                }
            }
            for column in present() {
                tile.targets[column] = E::default();
                tile.rates[column] = beta2;
            }
        }
        monitor.advance((done - polled.min(done)) as u64)
    }
}

/// The rule: sums are activations, and updates are errors times a learning rate.
struct Errors<'a, V: Vector, const UNIFORM: bool, const ONE_RATE: bool> {
    /// The salience of all cues, if there is one.
    alpha: V,
    saliences: &'a [V::Element],
    /// The learning rate, if there is one.
    beta: V,
    /// What each activation of a row is drawn to,
    targets: *const V::Element,
    /// and its learning rate.
    rates: *const V::Element,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and rows are below the number of saliences.
unsafe impl<V: Vector, const UNIFORM: bool, const ONE_RATE: bool> Step<V>
    for Errors<'_, V, UNIFORM, ONE_RATE>
{
    const UNIFORM: bool = UNIFORM;
    const ALONE: bool = true;

    #[inline(always)]
    unsafe fn factor(&self, row: u32) -> V {
        // SAFETY: see above.
        unsafe { V::splat(*self.saliences.get_unchecked(row as usize)) }
    }

    #[inline(always)]
    unsafe fn term(row: V, _: V) -> V {
        row
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
        let mut updates = sums;
        // SAFETY: see above; there are as many targets and rates as columns.
        unsafe {
            for b in 0..B {
                let at = column + b * V::LANES;
                let target = V::load(self.targets.add(at));
                let rate = if ONE_RATE { self.beta } else { V::load(self.rates.add(at)) };
                updates[b] = rate.times(target.minus(sums[b]));
                if UNIFORM {
                    updates[b] = self.alpha.times(updates[b]);
                }
            }
        }
        updates
    }

    #[inline(always)]
    unsafe fn changed(row: V, factor: V, update: V) -> V {
        // SAFETY: see above.
        unsafe { row.plus(if UNIFORM { update } else { factor.times(update) }) }
    }
}
