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
//! Of most events no outcome is in the tile. There u = (-beta2) * a instead of beta2 * (0 - a): less to do, and the same number
//! but for the sign of a zero, which no weight feels but one of -0.0. A sum is -0.0 only if both its terms are, so a weight can
//! be -0.0 only from the start; tiles that begin with one do all as it stands above.
//!
//! The liberties taken besides: the columns are cut into tiles and blocks of vectors; the tile starts late, where its first column
//! first can change; columns of padding stay zero; events without a common cue change places (`order`). None changes an
//! operation on any column, so the result is the scalar rule's, bit for bit. A cue named twice is summed twice and
//! updated twice, one after the other, as the rule says.
//!
//! A schedule sets beta1 and beta2 before each token, and a mean takes in the rows that a token will change (`mean`): the
//! course of learning. Where there is neither, a token costs one comparison more. Weights on the way are recorded between
//! tokens, by learning piece after piece (`trajectory`).

use super::kernels::Kernels;
use super::mean::Mean;
use super::order;
use super::script::{Column, Event, Runs, SCRIPT, Script, Scripted, Segment, Stream};
use super::trajectory::{Tracer, Traces, Walk};
use super::{Initial, Job};
use crate::error::Result;
use crate::grow::{Grow, collected, copied, filled};
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::Task;
use crate::kernel::rows::{Element, Vector};
use crate::kernel::step::{Step, step};
use crate::monitor::Monitor;
use crate::threads::each_tile;
use crate::tiles::result::{Axis, Entry, Matrix, Sheet, check_finite};
use crate::tiles::rule::{Rates, Rule};
use crate::tiles::width::{WIDEST, padded, width};

/// The work is interrupted to look at the monitor after about this many slots times columns: a millisecond or so.
const POLL_EVERY: usize = 1 << 22;

const TILES: &str = "the columns of tiles";

/// What becomes of the tiles.
pub(super) enum Goal<'g, 'a, E> {
    /// When all tokens are learned the weights, or their means, are written.
    Weights(&'g Matrix<'a, E>),
    /// Weights are recorded on the way, to the last token of which they are wanted.
    Traces(&'g Traces<'a, E>),
}

/// Learns all columns of a job, and returns the width of the tiles.
///
/// # Errors
/// See [`super::learn`].
pub(super) fn learn<E: Kernels, B: AsRef<[u8]> + Sync>(
    job: &Job<'_, E>,
    stream: Stream<'_, B>,
    goal: &Goal<'_, '_, E>,
) -> Result<usize> {
    let (n_rows, plan) = (job.rule.alpha.len(), job.plan);
    let width = width::<E>(plan.tile, job.kernel, job.columns.len(), [n_rows as f64, job.slots], job.threads);
    let tiles = collected(job.columns.chunks(width), TILES)?;
    let end = match goal {
        Goal::Weights(_) => job.facts.tokens,
        Goal::Traces(traces) => traces.end(),
    };
    let before = |tile: &&[Column]| tile.first().map_or(end, |column| column.before);
    job.monitor.set_total(tiles.iter().map(|tile| end.saturating_sub(before(tile))).sum());
    let rates =
        plan.schedule.map(|schedule| Rates::new::<E>([plan.beta1, plan.beta2], schedule, end, job.monitor));
    let rates = rates.transpose()?;
    let fits = job.room >= EVENT;
    let plain = matches!(goal, Goal::Weights(_)) && rates.is_none() && !plan.average;
    let ordered = plain && order::pays::<E>(tiles.len(), n_rows, width);
    let runs = Runs::new(
        stream,
        fits,
        job.threads,
        job.monitor,
        || Ok(()),
        |(), segment| {
            let tokens = Tokens::of(segment)?;
            if ordered { tokens.ordered() } else { Ok(tokens) }
        },
    )?;
    let along = collected((0..).zip(&job.kept).map(|(to, &from)| Entry { from, to }), TILES)?;
    let sheet = match goal {
        Goal::Weights(out) => Some(out.begin(Axis::Columns, along, job.monitor)?),
        Goal::Traces(_) => None,
    };
    let desk = || {
        let (elements, means) = (n_rows.saturating_mul(width), usize::from(plan.average));
        Ok(Desk {
            weights: Buffer::zeros(elements)?,
            sums: Buffer::zeros(elements.saturating_mul(means))?,
            since: filled(0, n_rows * means, "the means of weights")?,
            lines: sheet.as_ref().map_or_else(|| Buffer::zeros(0), Sheet::buffer)?,
            lanes: Buffer::zeros(Lanes::<E>::EACH.saturating_mul(width))?,
        })
    };
    each_tile(job.threads, tiles.len(), desk, |desk, index| {
        let (columns, first) = (tiles[index], (index * width) as u32);
        let lambda = columns.iter().map(|column| job.rule.lambda[column.targets[0] as usize]);
        let lambda = collected(lambda, TILES)?;
        let width = padded::<E>(columns.len(), job.kernel);
        let start = columns.first().map_or(u64::MAX, |column| column.start);
        let place = Place { first, width, start, lambda: &lambda };
        let elements = n_rows * width;
        let weights = &mut desk.weights[..elements];
        begin(weights, width, columns, plan.initial.as_ref());
        let sums = desk.sums.get_mut(..elements).filter(|_| plan.average);
        let mean = sums.map(|sums| Mean::new(sums, &mut desk.since, width));
        let course = Course { token: before(&columns), rates: rates.as_ref(), mean };
        let tracer = match goal {
            Goal::Weights(_) => None,
            Goal::Traces(traces) => Some(traces.tracer(columns, course.token)?),
        };
        place.learn(weights, Lanes::of(&mut desk.lanes, width), course, tracer, job, &runs)?;
        let row_and_column = |row, lane: usize| (row, columns[lane].targets[0] as usize);
        match &sheet {
            Some(sheet) => sheet.write(weights, width, &across(columns)?, &mut desk.lines, row_and_column),
            None => check_finite(weights, width, &across(columns)?, row_and_column),
        }
    })?;
    Ok(width)
}

/// Bytes of memory for an event, besides the script: its frequency.
pub(super) const EVENT: u64 = 4;

/// What a thread works with.
struct Desk<E> {
    weights: Buffer<E>,
    /// For means: a sum for each weight,
    sums: Buffer<f64>,
    /// and for each row when it became what it is.
    since: Vec<u64>,
    /// For a result in a file.
    lines: Buffer<E>,
    /// For the lanes of a tile.
    lanes: Buffer<E>,
}

/// What there is for each lane of a tile: in a buffer, which is aligned, so that no vector lies across two lines of the cache.
pub(super) struct Lanes<'a, E> {
    targets: &'a mut [E],
    rates: &'a mut [E],
}

impl<'a, E> Lanes<'a, E> {
    /// Elements for each lane.
    pub(super) const EACH: usize = 2;

    /// For so many lanes, in as much room as they need or more.
    pub(super) fn of(room: &'a mut [E], width: usize) -> Self {
        let (targets, rates) = room.split_at_mut(width);
        Self { targets, rates: &mut rates[..width] }
    }
}

/// A run of events, in order.
pub(super) struct Tokens {
    script: Script,
    /// The frequency of each event; empty where all are 1.
    frequencies: Vec<u32>,
    /// Whether they changed places, within blocks.
    ordered: bool,
}

impl Tokens {
    pub(super) fn of(segment: &Segment<'_>) -> Result<Self> {
        let mut script = Script::new(segment)?;
        for i in 0..segment.len {
            script.push(segment, segment.row(i))?;
        }
        Ok(Self { script, frequencies: copied(segment.frequencies, SCRIPT)?, ordered: false })
    }

    /// Events that share cues one after another, if each comes once.
    pub(super) fn ordered(mut self) -> Result<Self> {
        if self.frequencies.is_empty() {
            let order = order::of(&self.script, false)?;
            self.script.reorder(&order, order::BLOCK)?;
            self.ordered = true;
        }
        Ok(self)
    }

    /// How many of the first `skip` events cannot be told from those after them.
    fn mixed(&self, skip: usize) -> usize {
        if self.ordered { skip % order::BLOCK } else { 0 }
    }

    /// All events but the first `skip`.
    fn after(&self, skip: usize) -> Piece<'_> {
        let mut events = self.script.events();
        if let Some(last) = skip.checked_sub(1) {
            events.nth(last);
        }
        let times = Times::each(&self.frequencies).after(skip);
        Piece { events, len: self.script.len().saturating_sub(skip), times }
    }
}

/// Some events in order.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    /// They and those that come after them.
    pub(super) events: Scripted<'a>,
    /// How many they are.
    pub(super) len: usize,
    pub(super) times: Times<'a>,
}

/// How often each of some events comes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times<'a> {
    /// Of the first events one by one,
    each: &'a [u32],
    /// and of all others.
    others: u32,
}

impl<'a> Times<'a> {
    /// Each as often as it says; once where it says nothing.
    fn each(each: &'a [u32]) -> Self {
        Self { each, others: 1 }
    }

    /// All so often.
    pub(super) fn all(others: u32) -> Self {
        Self { each: &[], others }
    }

    /// How often event `i` comes.
    #[inline(always)]
    pub(super) fn of(self, i: usize) -> u32 {
        self.each.get(i).copied().unwrap_or(self.others)
    }

    /// Whether all events come once.
    pub(super) fn are_once(self) -> bool {
        self.each.is_empty() && self.others == 1
    }

    /// Those of the events after the first `n`.
    pub(super) fn after(self, n: usize) -> Self {
        Self { each: self.each.get(n..).unwrap_or_default(), ..self }
    }
}

/// Fills a tile with what its columns start from.
fn begin<E: Element>(weights: &mut [E], width: usize, columns: &[Column], initial: Option<&Initial<'_, E>>) {
    weights.fill(E::default());
    let Some(initial) = initial else { return };
    let rows = weights.chunks_exact_mut(width).zip(initial.weights.chunks_exact(initial.width.max(1)));
    for (row, initial_row) in rows {
        for (weight, column) in row.iter_mut().zip(columns) {
            if let Some(source) = initial.columns[column.targets[0] as usize] {
                *weight = initial_row[source as usize];
            }
        }
    }
}

/// Where each column of a tile goes.
fn across(columns: &[Column]) -> Result<Vec<Entry>> {
    let mut across = Vec::new();
    for (from, column) in (0..).zip(columns) {
        across.make_room(column.targets.len(), TILES)?;
        across.extend(column.targets.iter().map(|&to| Entry { from, to }));
    }
    Ok(across)
}

/// Some columns one after another, and where they stand.
pub(super) struct Place<'a, E> {
    /// The first of them in the stream's numbering.
    pub(super) first: u32,
    /// Elements in a row: as many as columns, or some more.
    pub(super) width: usize,
    /// The first event that can change one of them.
    pub(super) start: u64,
    /// The maximal activation of each.
    pub(super) lambda: &'a [E],
}

impl<E: Kernels> Place<'_, E> {
    /// Learns all events into a tile that is filled with what it starts from.
    pub(super) fn learn<B: AsRef<[u8]> + Sync>(
        &self,
        weights: &mut [E],
        lanes: Lanes<'_, E>,
        course: Course<'_>,
        mut tracer: Option<Tracer<'_, '_, E>>,
        job: &Job<'_, E>,
        runs: &Runs<'_, B, Tokens>,
    ) -> Result<()> {
        let (Job { rule, .. }, stream) = (job, runs.stream());
        let (width, betas, salience) = (self.width, [rule.beta1, rule.beta2], rule.salience());
        let one_rate = course.rates.map_or(rule.beta1 == rule.beta2, Rates::is_one);
        let negative_zeros =
            weights.iter().any(|&weight| weight == E::default() && !weight.is_positive_zero());
        let Lanes { targets, rates } = lanes;
        targets.fill(E::default());
        rates.fill(rule.beta2);
        let mut tile = Tile {
            weights,
            negative_zeros,
            width,
            first: self.first,
            lambda: self.lambda,
            salience,
            // Kernels take one rate where there is one salience.
            one_rate: one_rate && salience.is_some(),
            targets,
            rates,
            betas,
            course: course.is_eventful().then_some(course),
            pace: Pace::default(),
        };
        if let Some(tracer) = &mut tracer {
            tracer.begin(tile.weights, width);
        }
        let (first, mut skip) = stream.place(self.start.min(stream.len()));
        for number in first..stream.n_runs() {
            if tracer.as_ref().is_some_and(Tracer::is_done) {
                break;
            }
            runs.visit(number, Tokens::of, |tokens| {
                // Events before the first one that can change the tile leave it as it is.
                let mixed = tokens.mixed(skip);
                tile.pace.early += mixed as u64;
                let events = tokens.after(skip - mixed);
                job.clock.during(|| match &mut tracer {
                    None => tile.learn(events, job).map(drop),
                    Some(tracer) => tracer.follow(Walk::new(events), &mut tile, job),
                })
            })?;
            skip = 0;
        }
        job.monitor.advance(tile.pace.told())?;
        if let Some(mean) = tile.course.and_then(|course| course.mean) {
            mean.finish(tile.weights, job.facts.tokens);
        }
        Ok(())
    }
}

/// A tile of weights: some columns of all rows.
pub(super) struct Tile<'a, E> {
    /// The weights, row after row.
    pub(super) weights: &'a mut [E],
    /// Whether any of them may be -0.0.
    negative_zeros: bool,
    /// Elements in a row: a multiple of the lanes of the kernel.
    pub(super) width: usize,
    /// The first of its columns, in the stream's numbering.
    first: u32,
    /// The maximal activation of each of its columns.
    lambda: &'a [E],
    /// The salience of all cues, if it is the same: as the rule says.
    salience: Option<E>,
    /// Whether there is one salience, and beta1 is beta2 in every token: then `rates` are not looked at.
    one_rate: bool,
    /// What the activation of each element of a row is drawn to by the event at hand: zero between events,
    targets: &'a mut [E],
    /// and how fast: beta2 between events.
    rates: &'a mut [E],
    /// beta1 and beta2 of the token at hand.
    betas: [E; 2],
    /// What happens at each token besides, if anything does.
    course: Option<Course<'a>>,
    pace: Pace,
}

/// What is not yet told to the monitor.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    tokens: u64,
    /// So many of them, and of those to come, are before the first one that can change the tile, and are not told.
    early: u64,
    /// Slots times columns.
    work: usize,
}

impl Pace {
    /// The tokens to tell; from now on there are none.
    fn told(&mut self) -> u64 {
        let told = self.tokens.saturating_sub(self.early);
        *self = Self { tokens: 0, early: self.early - (self.tokens - told), work: 0 };
        told
    }
}

impl<E: Kernels> Tile<'_, E> {
    /// Learns some events, and returns those that come after them.
    ///
    /// # Errors
    /// When stopped.
    pub(super) fn learn<'s>(&mut self, mut piece: Piece<'s>, job: &Job<'_, E>) -> Result<Scripted<'s>> {
        let (rule, monitor) = (&job.rule, job.monitor);
        E::forward(job.kernel, Forward { tile: self, rule, piece: &mut piece, monitor })?;
        Ok(piece.events)
    }
}

/// What happens at each token besides learning it.
pub(super) struct Course<'a> {
    /// How many tokens came before the one at hand.
    pub(super) token: u64,
    pub(super) rates: Option<&'a Rates<'a>>,
    pub(super) mean: Option<Mean<'a>>,
}

impl Course<'_> {
    /// Whether anything happens.
    fn is_eventful(&self) -> bool {
        self.rates.is_some() || self.mean.is_some()
    }

    /// Before a token with these cues: its beta1 and beta2, if there is a schedule.
    #[inline(always)]
    fn attend<E: Element>(&mut self, cues: &[u32], weights: &[E]) -> Option<[E; 2]> {
        let betas = self.rates.map(|rates| rates.after(self.token));
        self.token += 1;
        if let Some(mean) = &mut self.mean {
            mean.leave(self.token, cues, weights);
        }
        betas
    }
}

/// Learning some events into a tile.
pub struct Forward<'a, 't, 's, E> {
    tile: &'a mut Tile<'t, E>,
    rule: &'a Rule<E>,
    /// Its events become those that come after it.
    piece: &'a mut Piece<'s>,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Forward<'_, '_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Self::Output {
        // SAFETY: the instruction set exists.
        unsafe {
            match (self.tile.salience, self.tile.one_rate) {
                (Some(alpha), true) => self.learn::<V, true, ONE_RATE, B>(alpha),
                (Some(alpha), false) => self.learn::<V, true, TWO_RATES, B>(alpha),
                (None, _) => self.learn::<V, false, TWO_RATES, B>(E::default()),
            }
        }
    }
}

impl<E: Element> Forward<'_, '_, '_, E> {
    /// Elements in a row of the tile.
    pub(super) fn width(&self) -> usize {
        self.tile.width
    }

    /// Learns with one salience for all cues, or with those of the rule; with one learning rate, or with two.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn learn<V: Vector<Element = E>, const UNIFORM: bool, const RATES: u8, const B: usize>(
        self,
        alpha: E,
    ) -> Result<()> {
        let Self { tile, rule, piece, monitor } = self;
        let Piece { mut events, len, times } = piece.clone();
        let Tile { weights, width, first, lambda, targets, rates, course, negative_zeros, .. } = tile;
        let (n_rows, width, first, negative_zeros) = (events.n_rows(), *width, *first, *negative_zeros);
        // The conditions that the pointers below rest on, together with the script's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(targets.len() == width && rates.len() == width && lambda.len() <= width);
        assert!(rule.alpha.len() == n_rows && weights.len() == n_rows * width);
        let mut pace = tile.pace;
        let (mut betas, mut done) = (tile.betas, 0);
        // SAFETY: the instruction set exists.
        let (mut errors, mut of_absent) = unsafe {
            let (alpha, beta, saliences) = (V::splat(alpha), V::splat(betas[0]), &rule.alpha[..]);
            let (targets, rates) = (targets.as_mut_ptr(), rates.as_mut_ptr());
            let fall = V::splat(E::default().minus(betas[1]));
            let errors = Errors::<V, UNIFORM, RATES> { alpha, saliences, beta, targets, rates };
            (errors, Errors::<V, UNIFORM, ABSENT> { alpha, saliences, beta: fall, targets, rates })
        };
        if course.is_none() && times.are_once() {
            // The same as below, but so little goes from event to event that it stays in registers.
            let weights = weights.as_mut_ptr();
            while done < len {
                let (begun, mut left) = (done, POLL_EVERY.saturating_sub(pace.work));
                while left > 0
                    && done < len
                    && let Some(Event { cues, outcomes, once }) = events.next()
                {
                    // SAFETY: as below.
                    unsafe {
                        if errors.draw::<true>(outcomes, first, lambda, betas[0]) || negative_zeros {
                            step::<V, _, B>(weights, width, cues, once, &mut errors);
                            errors.draw::<false>(outcomes, first, lambda, betas[1]);
                        } else {
                            step::<V, _, B>(weights, width, cues, once, &mut of_absent);
                        }
                    }
                    left = left.saturating_sub(cues.len() * width + 1);
                    done += 1;
                }
                pace.tokens += (done - begun) as u64;
                if left > 0 {
                    pace.work = POLL_EVERY - left;
                    break;
                }
                monitor.advance(pace.told())?;
            }
            tile.pace = pace;
            piece.events = events;
            return Ok(());
        }
        while done < len
            && let Some(Event { cues, outcomes, once }) = events.next()
        {
            // SAFETY: the instruction set exists, and `lambda` is no longer than `targets` and `rates` are.
            let drawn = unsafe { errors.draw::<true>(outcomes, first, lambda, betas[0]) } || negative_zeros;
            for _ in 0..times.of(done) {
                // A schedule may stand still, and one rate for all columns is not looked up.
                if let Some(course) = course
                    && let Some(now) = course.attend(cues, weights)
                    && now != betas
                {
                    betas = now;
                    // SAFETY: the instruction set exists.
                    unsafe {
                        errors.beta = V::splat(betas[0]);
                        of_absent.beta = V::splat(E::default().minus(betas[1]));
                    }
                    if RATES == TWO_RATES {
                        rates.fill(betas[1]);
                        errors.rates = rates.as_mut_ptr();
                        // SAFETY: as above.
                        unsafe { errors.draw::<true>(outcomes, first, lambda, betas[0]) };
                    }
                }
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights`, and none comes
                // twice if `once`: the script says so. `targets` and `rates` have `width` elements. All are borrowed mutably.
                unsafe {
                    if drawn {
                        step::<V, _, B>(weights.as_mut_ptr(), width, cues, once, &mut errors);
                    } else {
                        step::<V, _, B>(weights.as_mut_ptr(), width, cues, once, &mut of_absent);
                    }
                }
                pace.tokens += 1;
                pace.work += cues.len() * width + 1;
                if pace.work >= POLL_EVERY {
                    monitor.advance(pace.told())?;
                }
            }
            if drawn {
                // SAFETY: as above.
                unsafe { errors.draw::<false>(outcomes, first, lambda, betas[1]) };
            }
            done += 1;
        }
        tile.betas = betas;
        tile.pace = pace;
        piece.events = events;
        Ok(())
    }
}

/// Sets an element of a row whose vectors are loaded soon.
///
/// # Safety
/// The instruction set of `V` must exist; the row is made of whole vectors, and has the column.
#[inline(always)]
#[expect(unsafe_code, reason = "vectors")]
unsafe fn set<V: Vector>(row: *mut V::Element, column: usize, value: V::Element) {
    // SAFETY: by the contract of this function.
    unsafe {
        let vector = row.add(column / V::LANES * V::LANES);
        V::load(vector).with(column % V::LANES, value).store(vector);
    }
}

/// Learning rates of an event: -beta2, for all outcomes are absent; one for all; or of each outcome its own.
const ABSENT: u8 = 0;
const ONE_RATE: u8 = 1;
const TWO_RATES: u8 = 2;

/// The rule: sums are activations, and updates are errors times a learning rate.
struct Errors<'a, V: Vector, const UNIFORM: bool, const RATES: u8> {
    /// The salience of all cues, if there is one.
    alpha: V,
    saliences: &'a [V::Element],
    /// The learning rate, if there is one.
    beta: V,
    /// What each activation of a row is drawn to,
    targets: *mut V::Element,
    /// and its learning rate.
    rates: *mut V::Element,
}

impl<V: Vector, const UNIFORM: bool, const RATES: u8> Errors<'_, V, UNIFORM, RATES> {
    /// Draws the activations of outcomes of the tile to what they are at most, or to zero again, at this rate. Whether there
    /// are any.
    ///
    /// # Safety
    /// The instruction set of `V` must exist; `targets` and `rates` are made of whole vectors, and no shorter than `lambda`.
    #[inline(always)]
    #[expect(unsafe_code, reason = "vectors")]
    unsafe fn draw<const PRESENT: bool>(
        &self,
        outcomes: &[u32],
        first: u32,
        lambda: &[V::Element],
        rate: V::Element,
    ) -> bool {
        let mut drawn = false;
        for &outcome in outcomes {
            let column = outcome.wrapping_sub(first) as usize;
            if let Some(&lambda) = lambda.get(column) {
                drawn = true;
                // SAFETY: by the contract of this function.
                unsafe {
                    set::<V>(self.targets, column, if PRESENT { lambda } else { V::Element::default() });
                    if RATES == TWO_RATES {
                        set::<V>(self.rates, column, rate);
                    }
                }
            }
        }
        drawn
    }
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and rows are below the number of saliences.
unsafe impl<V: Vector, const UNIFORM: bool, const RATES: u8> Step<V> for Errors<'_, V, UNIFORM, RATES> {
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
                if RATES == ABSENT {
                    updates[b] = self.beta.times(sums[b]);
                } else {
                    let target = V::load(self.targets.add(at));
                    let rate = if RATES == ONE_RATE { self.beta } else { V::load(self.rates.add(at)) };
                    updates[b] = rate.times(target.minus(sums[b]));
                }
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
