//! The loop of any rule, in plain numbers (`rules`), and the tile that learns by it.
//!
//! The rule of Rescorla and Wagner has a loop of its own, on vectors (`tile`), unless weights are forgotten. Here one row after
//! another is added to the sums and changed, all columns of a tile at a time, in loops that the compiler turns into vector code.
//!
//! Only weights of that rule are forgotten. Where `forgotten` is asked for, `R::KERNEL` says so to the compiler, which otherwise makes
//! slower loops of all rules (13.7 s in place of 10.2 s, King James without competition).

use super::script::{Event, Scripted};
use super::stretch::Stretch;
use super::tile::{ColumnTile, LearnsColumns, Run};
use crate::error::{Error, Result};
use crate::kernel::dispatch::{Loops, compiled};
use crate::kernel::element::Element;
use crate::memory::Grow;
use crate::rules::rule::{At, MOST_STATES, Rule};
use crate::tiles::forgetting::{Rows, multiply};
use crate::tiles::width::WIDEST;

/// A tile that learns by a rule.
pub(super) struct RuleTile<'a, E: Element, R: Rule<E>> {
    pub(super) tile: ColumnTile<'a, E>,
    rule: &'a R,
    memory: R::Memory,
    /// For each state as many numbers as there are weights, in the same places.
    states: &'a mut [E],
    room: TokenRoom<'a, E>,
    /// The rows of the token at hand.
    rows: Vec<u32>,
    /// The rows that shrink, if weights are forgotten.
    pub(super) forgotten: Option<Rows<'a, E>>,
}

/// Room for a number for each lane, of several kinds.
pub(super) struct TokenRoom<'a, E> {
    sums: &'a mut [E],
    updates: &'a mut [E],
    /// What stands for states that the rule does not have.
    none: [&'a mut [E]; MOST_STATES],
}

impl<'a, E: Element> TokenRoom<'a, E> {
    /// Numbers for each lane.
    pub(super) const EACH: usize = 2 + MOST_STATES;

    /// For a tile of `width` lanes; there is the room that they need, or more. What the kernel learns has no room.
    pub(super) fn of(room: &'a mut [E], width: usize) -> Self {
        let mut pieces = room.chunks_exact_mut(width);
        let mut next = || pieces.next().unwrap_or_default();
        Self { sums: next(), updates: next(), none: [next(), next(), next(), next()] }
    }
}

impl<'a, E: LearnsColumns, R: Rule<E>> RuleTile<'a, E, R> {
    /// A tile with these states, before its first token.
    ///
    /// # Errors
    /// Those of the rule.
    pub(super) fn new(
        tile: ColumnTile<'a, E>,
        rule: &'a R,
        states: &'a mut [E],
        room: TokenRoom<'a, E>,
        forgotten: Option<Rows<'a, E>>,
    ) -> Result<Self> {
        let mut memory = R::Memory::default();
        rule.begin(&mut memory, tile.weights.len() / tile.width)?;
        Ok(Self { tile, rule, memory, states, room, rows: Vec::new(), forgotten })
    }

    /// A weight as it is now.
    #[inline(always)]
    pub(super) fn weight(&self, row: usize, lane: usize) -> E {
        let weight = self.tile.weights[row * self.tile.width + lane];
        self.forgotten.as_ref().map_or(weight, |forgotten| forgotten.factor(row).times(weight))
    }

    /// The first state of a weight as it is now; zero where the rule has none.
    pub(super) fn first_state(&self, row: usize, lane: usize) -> E {
        self.states.get(row * self.tile.width + lane).copied().unwrap_or_default()
    }

    /// Learns some events, and returns those that come after them.
    ///
    /// # Errors
    /// When stopped; those of the rule.
    pub(super) fn learn<'s>(&mut self, mut stretch: Stretch<'s>, run: &Run<'_, E>) -> Result<Scripted<'s>> {
        if R::KERNEL && self.forgotten.is_none() && self.tile.width <= WIDEST {
            return self.tile.learn(stretch, run);
        }
        compiled(run.kernel, General { own: self, stretch: &mut stretch, run })?;
        Ok(stretch.events)
    }
}

/// Learning some events into a tile.
struct General<'g, 'a, 's, E: Element, R: Rule<E>> {
    own: &'g mut RuleTile<'a, E, R>,
    /// The events to learn; afterwards, those that come after them.
    stretch: &'g mut Stretch<'s>,
    run: &'g Run<'g, E>,
}

impl<E: Element, R: Rule<E>> Loops for General<'_, '_, '_, E, R> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { own, stretch, run } = self;
        let times = stretch.times;
        for done in 0..stretch.len {
            let Some(Event { cues, outcomes, once }) = stretch.events.next() else { break };
            if !once && !R::REPEATS {
                return Err(Error::Argument(format!(
                    "events must not name a cue twice for the rule {}; read them with duplicates=\"drop\"",
                    R::NAME
                )));
            }
            own.tile.expect(outcomes);
            for _ in 0..times.of(done) {
                own.rows.clear();
                own.rows.grow_by(cues)?;
                own.rule.others(&mut own.memory, cues, &mut own.rows)?;
                let n_rows = run.rule.alpha.len();
                if let Some(row) = own.rows.iter().find(|&&row| row as usize >= n_rows) {
                    return Err(Error::Argument(format!("expected one of {n_rows} rows, found {row}")));
                }
                if own.tile.attend(&own.rows) {
                    own.tile.expect(outcomes);
                }
                own.sum(cues);
                own.update();
                if R::KERNEL
                    && let Some(forgotten) = &mut own.forgotten
                {
                    forgotten.next();
                }
                for at in 0..own.rows.len() {
                    let row = own.rows[at] as usize;
                    let (salience, present) = (run.rule.alpha[row], at < cues.len());
                    let factor = own.rule.factor(&own.memory, row as u32, salience, present);
                    own.change(row, factor);
                }
                own.rule.after(&mut own.memory, cues)?;
                let work =
                    own.rows.len() * own.tile.width * (1 + own.states.len() / own.tile.weights.len().max(1));
                if own.tile.unreported.add(work + 1) {
                    run.monitor.advance(own.tile.unreported.take())?;
                }
            }
            own.tile.forget(outcomes);
        }
        Ok(())
    }
}

impl<E: Element, R: Rule<E>> RuleTile<'_, E, R> {
    /// Sums the terms of the cues.
    #[inline(always)]
    fn sum(&mut self, cues: &[u32]) {
        let (n, width) = (self.tile.weights.len(), self.tile.width);
        let begun = self.rule.state();
        let sums = &mut self.room.sums[..width];
        sums.fill(E::default());
        for &row in cues {
            let weights = &mut self.tile.weights[row as usize * width..][..width];
            if R::KERNEL
                && let Some(factor) = self.forgotten.as_mut().and_then(|rows| rows.recalled(row as usize))
            {
                multiply(weights, factor);
            }
            let [a, b, c, d] = planes(self.states, &mut self.room.none, (n, row as usize, width));
            for lane in 0..width {
                let state = state_of(begun, [a[lane], b[lane], c[lane], d[lane]]);
                sums[lane] = sums[lane].plus(self.rule.term(weights[lane], &state));
            }
        }
    }

    /// What is at each lane, without its update.
    #[inline(always)]
    fn update(&mut self) {
        let (width, betas) = (self.tile.width, self.tile.betas);
        let (sums, updates) = (&self.room.sums[..width], &mut self.room.updates[..width]);
        let (targets, rates) = (&self.tile.targets[..width], &self.tile.rates[..width]);
        for lane in 0..width {
            let (sum, target, rate) = (sums[lane], targets[lane], rates[lane]);
            updates[lane] = self.rule.update(&At { sum, target, rate, betas, update: E::default() });
        }
    }

    /// Changes a row.
    #[inline(always)]
    fn change(&mut self, row: usize, factor: E) {
        let (n, width, betas) = (self.tile.weights.len(), self.tile.width, self.tile.betas);
        let begun = self.rule.state();
        let (sums, updates) = (&self.room.sums[..width], &self.room.updates[..width]);
        let (targets, rates) = (&self.tile.targets[..width], &self.tile.rates[..width]);
        let weights = &mut self.tile.weights[row * width..][..width];
        if R::KERNEL
            && let Some(kept) = self.forgotten.as_mut().and_then(|rows| rows.kept(row))
        {
            multiply(weights, kept);
        }
        let [a, b, c, d] = planes(self.states, &mut self.room.none, (n, row, width));
        for lane in 0..width {
            let (sum, target, rate, update) = (sums[lane], targets[lane], rates[lane], updates[lane]);
            let mut state = state_of(begun, [a[lane], b[lane], c[lane], d[lane]]);
            let at = At { sum, target, rate, betas, update };
            weights[lane] = self.rule.changed(weights[lane], &mut state, factor, &at);
            let planes = [&mut a[lane], &mut b[lane], &mut c[lane], &mut d[lane]];
            for (plane, &state) in planes.into_iter().zip(state.as_ref()) {
                *plane = state;
            }
        }
    }
}

/// What the states of weights begin with: of each state as many numbers as there are weights, if it has any.
pub(super) fn begin_states<E: Element, R: Rule<E>>(rule: &R, weights: &[E], states: &mut [E]) {
    if !states.is_empty() {
        for (at, &weight) in weights.iter().enumerate() {
            let begun = rule.begun(weight);
            begun.as_ref().iter().zip(0..).for_each(|(&begun, k)| states[k * weights.len() + at] = begun);
        }
    }
}

/// The states of a row: `width` numbers each, also of those that the rule does not have. Each state has `n` numbers.
#[inline(always)]
fn planes<'p, E>(
    states: &'p mut [E],
    none: &'p mut [&mut [E]; MOST_STATES],
    (n, row, width): (usize, usize, usize),
) -> [&'p mut [E]; MOST_STATES] {
    let [a, b, c, d] = none;
    let mut states = states.chunks_exact_mut(n.max(1));
    let mut next = |none: &'p mut [E]| match states.next() {
        Some(state) => &mut state[row * width..][..width],
        None => &mut none[..width],
    };
    [next(a), next(b), next(c), next(d)]
}

/// The states of a weight.
#[inline(always)]
fn state_of<E: Copy, S: AsMut<[E]>>(mut states: S, numbers: [E; MOST_STATES]) -> S {
    for (state, number) in states.as_mut().iter_mut().zip(numbers) {
        *state = number;
    }
    states
}
