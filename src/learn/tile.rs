//! A tile of columns, and the events that it learns.
//!
//! ```text
//! for each event from the tile's start on, as often as its frequency says:
//!     a[:] = +0.0; for each cue c in order: a[:] += W[c, :]
//!     u[:] = rate[:] * (target[:] - a[:]);  (target[j], rate[j]) = (lambda[j], beta1) for the outcomes j of the event,
//!                                                                 (0, beta2)         for all others
//!     for each cue c in order: W[c, :] += alpha[c] * u[:]
//! ```
//!
//! Most events have no outcome in the tile. For them u = (-beta2) * a replaces beta2 * (0 - a). This is less work and the same
//! number, except for the sign of a zero, which affects no weight except one that is -0.0. A sum is -0.0 only if both its terms
//! are, so only initial weights can be -0.0. Tiles that begin with such a weight do everything as written above.

use std::slice;

use super::mean::Mean;
use super::script::{Event, NONE, Scripted};
use super::stretch::Stretch;
use crate::error::Result;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::kernel::step::{Step, step};
use crate::kernel::vector::Vector;
use crate::monitor::{Monitor, Pulse};
use crate::tiles::rule::{Parameters, Rates, same};
use crate::tiles::vectors::Vectors;
use crate::tiles::width::WIDEST;

/// An element whose tiles of columns can be learned: `f64` or `f32`.
///
/// Generic code is compiled again in every crate that uses it. A step has several hundred bodies for each element
/// (`kernel::step`), and compiling them takes minutes. So they are compiled here for both elements, and users of the crate only
/// link them.
pub trait LearnsColumns: Element {
    /// Learns some events into a tile of columns.
    ///
    /// # Errors
    /// When stopped.
    #[doc(hidden)]
    fn forward(kernel: Isa, task: Forward<'_, '_, '_, Self>) -> Result<()>;
}

macro_rules! learns_columns {
    ($($element:ty),*) => {
        $(impl LearnsColumns for $element {
            fn forward(kernel: Isa, task: Forward<'_, '_, '_, Self>) -> Result<()> {
                run(kernel, task.width(), task)
            }
        })*
    };
}

learns_columns!(f64, f32);

/// How tiles are learned, and the monitor.
pub(crate) struct Run<'a, E> {
    pub(crate) rule: &'a Parameters<E>,
    pub(crate) kernel: Isa,
    /// Tokens of all events.
    pub(crate) tokens: u64,
    pub(crate) monitor: &'a Monitor,
}

/// The columns of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a, E> {
    /// The number of the first column, as events name it. Without `lanes` the others are consecutive.
    pub(crate) first: u32,
    /// The lane of each column of the events, or no table; [`NONE`]: the column is not in the tile.
    pub(crate) lanes: &'a [u32],
    /// Lambda, the asymptote, of each column.
    pub(crate) lambda: &'a [E],
}

/// What the columns of a tile shall come to at an event.
#[derive(Clone, Copy)]
pub(crate) enum Targets<'a, E> {
    /// Lambda where the outcome is present, zero where it is absent.
    Names(Columns<'a, E>),
    /// The sum of the vectors of the outcomes that are present, as often as they are named: `n` numbers of it, from `first` on.
    Vectors { vectors: Vectors<'a, E>, first: usize, n: usize },
}

impl<E> Targets<'_, E> {
    /// The number of columns.
    pub(super) fn n(&self) -> usize {
        match self {
            Self::Names(columns) => columns.lambda.len(),
            Self::Vectors { n, .. } => *n,
        }
    }
}

impl<E> Columns<'_, E> {
    /// The lane of a column of the events. Where the column is not in the tile, a number that is no lane.
    #[inline(always)]
    pub(super) fn lane(self, column: u32) -> usize {
        if self.lanes.is_empty() {
            column.wrapping_sub(self.first) as usize
        } else {
            self.lanes.get(column as usize).copied().unwrap_or(NONE) as usize
        }
    }
}

/// A target and a rate for each lane (column) of a tile, in an aligned buffer, so that no vector crosses a cache line.
pub(crate) struct Lanes<'a, E> {
    targets: &'a mut [E],
    rates: &'a mut [E],
}

impl<'a, E> Lanes<'a, E> {
    /// Elements for each lane.
    pub(crate) const EACH: usize = 2;

    /// For a tile of `width` lanes; the buffer has the room that they need, or more.
    pub(crate) fn of(room: &'a mut [E], width: usize) -> Self {
        let (targets, rates) = room.split_at_mut(width);
        Self { targets, rates: &mut rates[..width] }
    }
}

/// A tile of weights: some columns of all rows.
pub(super) struct ColumnTile<'a, E> {
    /// The weights, row after row.
    pub(crate) weights: &'a mut [E],
    /// Whether any of them may be -0.0.
    negative_zeros: bool,
    /// Elements in a row: a multiple of the elements of a vector.
    pub(crate) width: usize,
    expected: Targets<'a, E>,
    /// The salience, if all cues have the same.
    salience: Option<E>,
    /// Whether all cues have one salience, and beta1 = beta2 at every token. Then `rates` are not read.
    one_rate: bool,
    /// The target of each lane's activation at the current event; zero between events.
    pub(super) targets: &'a mut [E],
    /// The learning rate of each lane at the current event; beta2 between events.
    pub(super) rates: &'a mut [E],
    /// beta1 and beta2 of the current token.
    pub(super) betas: [E; 2],
    /// What else happens at each token: a schedule, a mean.
    pub(super) per_token: Option<PerToken<'a>>,
    pub(crate) unreported: Unreported,
}

impl<'a, E: Element> ColumnTile<'a, E> {
    /// A tile of these weights, `width` elements in a row: one for each column, and padding.
    pub(crate) fn new(
        weights: &'a mut [E],
        width: usize,
        expected: Targets<'a, E>,
        rule: &Parameters<E>,
        lanes: Lanes<'a, E>,
        per_token: PerToken<'a>,
    ) -> Self {
        let salience = same(&rule.alpha);
        let one_rate = per_token.rates.map_or(rule.beta1 == rule.beta2, Rates::is_one);
        // No early exit, so that the compiler makes vector code. Vectors are targets at every event.
        let is_one = |weight: E| weight == E::default() && !weight.is_positive_zero();
        let negative_zeros = matches!(expected, Targets::Names(_))
            && weights.iter().fold(false, |found, &weight| found | is_one(weight));
        let Lanes { targets, rates } = lanes;
        targets.fill(E::default());
        rates.fill(rule.beta2);
        Self {
            weights,
            negative_zeros,
            width,
            expected,
            salience,
            // Only steps with one salience have a form with one rate.
            one_rate: one_rate && salience.is_some(),
            targets,
            rates,
            betas: [rule.beta1, rule.beta2],
            per_token: per_token.is_eventful().then_some(per_token),
            unreported: Unreported::default(),
        }
    }
}

impl<E: Element> ColumnTile<'_, E> {
    /// Sets the targets and the rates for an event with these outcomes.
    pub(super) fn expect(&mut self, outcomes: &[u32]) {
        match self.expected {
            Targets::Names(columns) => {
                for &outcome in outcomes {
                    let lane = columns.lane(outcome);
                    if let Some(&lambda) = columns.lambda.get(lane) {
                        (self.targets[lane], self.rates[lane]) = (lambda, self.betas[0]);
                    }
                }
            }
            Targets::Vectors { vectors, first, n } => vectors.sum(outcomes, first, &mut self.targets[..n]),
        }
    }

    /// Sets them back after the event.
    pub(super) fn forget(&mut self, outcomes: &[u32]) {
        if let Targets::Names(columns) = self.expected {
            for lane in outcomes.iter().map(|&outcome| columns.lane(outcome)) {
                if lane < columns.lambda.len() {
                    (self.targets[lane], self.rates[lane]) = (E::default(), self.betas[1]);
                }
            }
        }
    }

    /// Does what else happens before a token that changes these rows. Returns whether rates have changed: then those of an event's
    /// outcomes must be set again.
    pub(super) fn attend(&mut self, rows: &[u32]) -> bool {
        let now = self.per_token.as_mut().and_then(|per_token| per_token.attend(rows, self.weights));
        let Some(now) = now.filter(|now| *now != self.betas) else { return false };
        self.betas = now;
        self.rates.fill(now[1]);
        true
    }
}

/// Work that is not yet reported to the monitor.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unreported {
    tokens: u64,
    /// Tokens that come before the first event that can change the tile, and are learned nevertheless because reordering has mixed
    /// them with later ones. They are not reported.
    pub(crate) early: u64,
    /// Slots times columns.
    work: usize,
}

impl Unreported {
    /// Adds a token that took some work, and returns whether it is time to report.
    pub(super) fn add(&mut self, work: usize) -> bool {
        self.tokens += 1;
        self.work += work;
        self.work >= Pulse::WORK
    }

    /// Takes the tokens to report.
    pub(crate) fn take(&mut self) -> u64 {
        let tokens = self.tokens.saturating_sub(self.early);
        *self = Self { tokens: 0, early: self.early - (self.tokens - tokens), work: 0 };
        tokens
    }
}

impl<E: LearnsColumns> ColumnTile<'_, E> {
    /// Learns some events, and returns those that come after them.
    ///
    /// # Errors
    /// When stopped.
    pub(crate) fn learn<'s>(&mut self, mut stretch: Stretch<'s>, run: &Run<'_, E>) -> Result<Scripted<'s>> {
        let (rule, monitor) = (run.rule, run.monitor);
        E::forward(run.kernel, Forward { tile: self, rule, stretch: &mut stretch, monitor })?;
        Ok(stretch.events)
    }
}

/// What happens at each token besides learning: a schedule sets the rates, a mean adds up rows.
pub(super) struct PerToken<'a> {
    /// The number of tokens before the current one.
    pub(super) token: u64,
    pub(super) rates: Option<&'a Rates<'a>>,
    pub(super) mean: Option<Mean<'a>>,
}

impl PerToken<'_> {
    /// Whether anything happens.
    fn is_eventful(&self) -> bool {
        self.rates.is_some() || self.mean.is_some()
    }

    /// Called before a token with these cues. Returns its beta1 and beta2, if there is a schedule.
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

/// The task of learning some events into a tile.
pub struct Forward<'a, 't, 's, E> {
    tile: &'a mut ColumnTile<'t, E>,
    rule: &'a Parameters<E>,
    /// The events to learn; afterwards, those that come after them.
    stretch: &'a mut Stretch<'s>,
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
                (Some(alpha), true) => self.learn::<V, true, true, B>(alpha),
                (Some(alpha), false) => self.learn::<V, true, false, B>(alpha),
                (None, _) => self.learn::<V, false, false, B>(E::default()),
            }
        }
    }
}

impl<E: Element> Forward<'_, '_, '_, E> {
    /// Elements in a row of the tile.
    pub(crate) fn width(&self) -> usize {
        self.tile.width
    }

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
        let Self { tile, rule, stretch, monitor } = self;
        let Stretch { mut events, len, times } = stretch.clone();
        let ColumnTile { weights, width, expected, targets, rates, per_token, negative_zeros, .. } = tile;
        let (n_rows, width, expected, negative_zeros) = (events.n_rows(), *width, *expected, *negative_zeros);
        // The conditions that the pointers below rest on, together with the script's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(targets.len() == width && rates.len() == width && expected.n() <= width);
        assert!(rule.alpha.len() == n_rows && weights.len() == n_rows * width);
        let mut unreported = tile.unreported;
        let (mut betas, mut done) = (tile.betas, 0);
        // SAFETY: the instruction set exists.
        let (mut some, mut none) = unsafe {
            let (alpha, beta, saliences) = (V::splat(alpha), V::splat(betas[0]), &rule.alpha[..]);
            let (targets, rates) = (targets.as_mut_ptr(), rates.as_mut_ptr());
            let minus_beta2 = V::splat(E::default().minus(betas[1]));
            (
                Present::<V, UNIFORM, ONE_RATE> { alpha, saliences, beta, targets, rates },
                Absent::<V, UNIFORM> { alpha, saliences, minus_beta2 },
            )
        };
        if per_token.is_none() && times.are_once() {
            // The same as below, with so little state from event to event that it stays in registers.
            let weights = weights.as_mut_ptr();
            while done < len {
                let (begun, mut left) = (done, Pulse::WORK.saturating_sub(unreported.work));
                while left > 0
                    && done < len
                    && let Some(Event { cues, outcomes, once }) = events.next()
                {
                    // SAFETY: as below.
                    unsafe {
                        if some.draw::<true>(outcomes, expected, betas[0]) || negative_zeros {
                            step::<V, _, B>(weights, width, cues, once, &mut some);
                            some.draw::<false>(outcomes, expected, betas[1]);
                        } else {
                            step::<V, _, B>(weights, width, cues, once, &mut none);
                        }
                    }
                    left = left.saturating_sub(cues.len() * width + 1);
                    done += 1;
                }
                unreported.tokens += (done - begun) as u64;
                if left > 0 {
                    unreported.work = Pulse::WORK - left;
                    break;
                }
                monitor.advance(unreported.take())?;
            }
            tile.unreported = unreported;
            stretch.events = events;
            return Ok(());
        }
        while done < len
            && let Some(Event { cues, outcomes, once }) = events.next()
        {
            // SAFETY: the instruction set exists, and no more columns are expected than `targets` and `rates` have elements.
            let drawn = unsafe { some.draw::<true>(outcomes, expected, betas[0]) } || negative_zeros;
            for _ in 0..times.of(done) {
                // A schedule may leave the rates as they are, and one rate for all columns needs no table.
                if let Some(per_token) = per_token
                    && let Some(now) = per_token.attend(cues, weights)
                    && now != betas
                {
                    betas = now;
                    // SAFETY: the instruction set exists.
                    unsafe {
                        some.beta = V::splat(betas[0]);
                        none.minus_beta2 = V::splat(E::default().minus(betas[1]));
                    }
                    if !ONE_RATE {
                        rates.fill(betas[1]);
                        some.rates = rates.as_mut_ptr();
                        // SAFETY: as above.
                        unsafe { some.draw::<true>(outcomes, expected, betas[0]) };
                    }
                }
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights`, and none comes
                // twice if `once`: the script says so. `targets` and `rates` have `width` elements. All are borrowed mutably.
                unsafe {
                    if drawn {
                        step::<V, _, B>(weights.as_mut_ptr(), width, cues, once, &mut some);
                    } else {
                        step::<V, _, B>(weights.as_mut_ptr(), width, cues, once, &mut none);
                    }
                }
                unreported.tokens += 1;
                unreported.work += cues.len() * width + 1;
                if unreported.work >= Pulse::WORK {
                    monitor.advance(unreported.take())?;
                }
            }
            if drawn {
                // SAFETY: as above.
                unsafe { some.draw::<false>(outcomes, expected, betas[1]) };
            }
            done += 1;
        }
        tile.betas = betas;
        tile.unreported = unreported;
        stretch.events = events;
        Ok(())
    }
}

/// Sets an element of a row whose vectors will be loaded soon.
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

/// The rule where an outcome of the tile is present: sums are activations, and updates are errors times a learning rate, either one
/// rate for all columns or one for each.
struct Present<'a, V: Vector, const UNIFORM: bool, const ONE_RATE: bool> {
    /// The salience of all cues, if there is one.
    alpha: V,
    saliences: &'a [V::Element],
    /// The learning rate, if there is one.
    beta: V,
    /// The target of each lane's activation.
    targets: *mut V::Element,
    /// The learning rate of each lane.
    rates: *mut V::Element,
}

impl<V: Vector, const UNIFORM: bool, const ONE_RATE: bool> Present<'_, V, UNIFORM, ONE_RATE> {
    /// For the event's outcomes that are in the tile, sets the rate to `rate`, and the target to lambda before the event, back to
    /// zero after it. Returns whether there are such outcomes. Vectors of outcomes replace all targets before the event.
    ///
    /// # Safety
    /// The instruction set of `V` must exist; `targets` and `rates` are made of whole vectors, and no shorter than the number of
    /// columns that are expected.
    #[inline(always)]
    #[expect(unsafe_code, reason = "vectors")]
    unsafe fn draw<const PRESENT: bool>(
        &self,
        outcomes: &[u32],
        expected: Targets<'_, V::Element>,
        rate: V::Element,
    ) -> bool {
        let columns = match expected {
            Targets::Names(columns) => columns,
            Targets::Vectors { vectors, first, n } => {
                if PRESENT {
                    // SAFETY: by the contract of this function; the targets were borrowed mutably.
                    vectors.sum(outcomes, first, unsafe { slice::from_raw_parts_mut(self.targets, n) });
                }
                return PRESENT;
            }
        };
        let mut drawn = false;
        for &outcome in outcomes {
            let column = columns.lane(outcome);
            if let Some(&lambda) = columns.lambda.get(column) {
                drawn = true;
                // SAFETY: by the contract of this function.
                unsafe {
                    set::<V>(self.targets, column, if PRESENT { lambda } else { V::Element::default() });
                    if !ONE_RATE {
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
unsafe impl<V: Vector, const UNIFORM: bool, const ONE_RATE: bool> Step<V>
    for Present<'_, V, UNIFORM, ONE_RATE>
{
    const UNIFORM: bool = UNIFORM;

    #[inline(always)]
    fn factors(&self) -> &[V::Element] {
        self.saliences
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
}

/// The rule where all outcomes of the tile are absent.
struct Absent<'a, V: Vector, const UNIFORM: bool> {
    /// The salience of all cues, if there is one.
    alpha: V,
    saliences: &'a [V::Element],
    minus_beta2: V,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: as for `Present`.
unsafe impl<V: Vector, const UNIFORM: bool> Step<V> for Absent<'_, V, UNIFORM> {
    const UNIFORM: bool = UNIFORM;

    #[inline(always)]
    fn factors(&self) -> &[V::Element] {
        self.saliences
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, _: usize, sums: [V; B]) -> [V; B] {
        let mut updates = sums;
        // SAFETY: see above.
        unsafe {
            for update in &mut updates {
                *update = self.minus_beta2.times(*update);
                if UNIFORM {
                    *update = self.alpha.times(*update);
                }
            }
        }
        updates
    }
}
