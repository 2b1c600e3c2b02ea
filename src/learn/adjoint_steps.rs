//! The steps of the adjoint method: the events backward, with repeated events taken together.
//!
//! An event belongs to the same step as its repetition, unless another event with one of its cues comes between
//! (`events::grouping`). A row of frequency f is one step of f tokens. Within a step, each token multiplies s (`adjoint`) by
//! q = 1 - beta * kappa; kappa is the sum of alpha m^2 over its cues. So R tokens have the effect of one token with beta
//! multiplied by
//!
//! ```text
//! 1 + q + ... + q^(R-1) = (1 - q^R) / (beta * kappa)
//! ```
//!
//! Which outcomes are learned must not affect the steps: a column has the same bits, whatever the other columns are.
//!
//! Where weights are forgotten, q = 1 - beta * kappa / gamma, and v is kept without the powers of gamma that its rows lack
//! (`adjoint`). Let g_k tokens come after token k of a step, counted back from its last token, so that g_1 = 0. Then R tokens have in
//! the sums the effect of one token with beta multiplied by the sum of q^(k-1) gamma^(g_k), and in v that of one with beta / gamma
//! multiplied by the sum of q^(k-1).
//!
//! A step never crosses the end of a chunk. If beta * kappa >= 2 gamma in any event, every token is done by itself (`times`), so
//! that
//! weights overflow as in the rule.

use super::order::{self, BLOCK};
use super::script::{Script, Segment};
use crate::error::Result;
use crate::events::grouping::Grouping;
use crate::events::kappa::Kappa;
use crate::kernel::element::Element;
use crate::memory::{Grow, collected, filled};
use crate::tiles::forgetting::Retention;

/// Steps in the order in which they are done: the last event first, except for reordering within blocks.
///
/// Invariants: all vectors have as many elements as `script` has events, but `times`, `ratios` and `tokens` may be empty; `events`
/// never increases.
#[derive(Debug)]
pub(super) struct Steps<E> {
    /// The event of each step.
    pub(super) script: Script,
    /// The learning rate of each step, for all its tokens together: of v, and of the sums unless there are ratios.
    pub(super) gains: Vec<E>,
    /// The last event of each step, counted from the first event of the chunk. Where steps are reordered: the least of its block.
    pub(super) events: Vec<u32>,
    /// How many events the chunk has.
    pub(super) len: usize,
    /// How often each step is done; empty if each is done once.
    pub(super) times: Vec<u32>,
    /// Where weights are forgotten; empty otherwise. The rate of the sums, divided by that of v, which is the gain.
    pub(super) ratios: Vec<E>,
    /// And the last token of each step, counted from 1.
    pub(super) tokens: Vec<u64>,
}

impl<E: Copy> Steps<E> {
    /// Reorders the steps, so that those that share cues or outcomes come one after another.
    pub(super) fn ordered(mut self) -> Result<Self> {
        let order = order::of(&self.script, true)?;
        self.script.reorder(&order, BLOCK)?;
        for block in self.events.chunks_mut(BLOCK) {
            let earliest = block.last().copied();
            block.fill(earliest.unwrap_or_default());
        }
        self.gains = permuted(&self.gains, &order)?;
        self.times = permuted(&self.times, &order)?;
        self.ratios = permuted(&self.ratios, &order)?;
        self.tokens = permuted(&self.tokens, &order)?;
        Ok(self)
    }
}

/// A list, which may be empty, in an order.
fn permuted<T: Copy>(list: &[T], order: &[u32]) -> Result<Vec<T>> {
    collected(order.iter().filter_map(|&step| list.get(step as usize).copied()))
}

/// The tokens of a step where weights are forgotten.
struct Spread {
    /// beta * kappa / gamma.
    rate: f64,
    /// The sum of q^(k-1) gamma^(g_k) over the tokens so far.
    sum: f64,
    /// q^k after k tokens.
    power: f64,
    last: u64,
}

/// Makes steps of chunks.
pub(super) struct Stepper<'a, E> {
    alpha: &'a [E],
    beta: E,
    /// The retention.
    gamma: Option<f64>,
    /// Whether repeated tokens are taken together.
    together: bool,
    grouping: Grouping,
    kappa: Kappa,
    /// The tokens of each step.
    tokens: Vec<u64>,
    spread: Vec<Spread>,
}

impl<'a, E: Element> Stepper<'a, E> {
    /// Bytes of memory for the step of an event, besides the script.
    pub(super) const STEP: u64 = size_of::<E>() as u64 + 8;
    /// Besides, where weights are forgotten.
    pub(super) const FORGOTTEN: u64 = size_of::<E>() as u64 + 8;

    /// For rows with these saliences; no event has a greater kappa than `max_kappa`.
    pub(super) fn new(
        alpha: &'a [E],
        beta: E,
        retention: Option<&Retention<E>>,
        max_kappa: f64,
    ) -> Result<Self> {
        let gamma = retention.map(|retention| retention.gamma().to_f64());
        Ok(Self {
            alpha,
            beta,
            gamma,
            together: beta.to_f64() * max_kappa < 2.0 * gamma.unwrap_or(1.0),
            grouping: Grouping::new(alpha.len())?,
            kappa: Kappa::new(alpha.len())?,
            tokens: Vec::new(),
            spread: Vec::new(),
        })
    }

    /// The steps of a chunk.
    pub(super) fn steps(&mut self, segment: &Segment<'_>) -> Result<Steps<E>> {
        let mut rows = Vec::new();
        let mut steps = Steps {
            script: Script::new(segment)?,
            gains: Vec::new(),
            events: Vec::new(),
            len: segment.len,
            times: Vec::new(),
            ratios: Vec::new(),
            tokens: Vec::new(),
        };
        self.grouping.begin();
        self.tokens.clear();
        self.spread.clear();
        // The token that comes next, going backward.
        let mut token = segment.before;
        if self.gamma.is_some() {
            let tokens: u64 = (0..segment.len).map(|i| u64::from(segment.frequency(i))).sum();
            token = token.saturating_add(tokens);
        }
        for i in (0..segment.len).rev() {
            let (row, frequency) = (segment.row(i), segment.frequency(i));
            let last = token;
            token = token.saturating_sub(frequency.into());
            // An event without cues changes nothing.
            let cues = segment.rows.cues.get(row as usize);
            if frequency == 0 || cues.is_empty() {
                continue;
            }
            let repeated = if self.together { self.grouping.add(segment.rows, row)? } else { None };
            match repeated {
                Some(step) => self.tokens[step] += u64::from(frequency),
                None => {
                    steps.script.push(segment, row)?;
                    rows.grow(row)?;
                    steps.events.grow(i as u32)?;
                    self.tokens.grow(frequency.into())?;
                }
            }
            if let Some(gamma) = self.gamma {
                let step = match repeated {
                    Some(step) => step,
                    None => {
                        let rate = self.beta.to_f64() / gamma * self.kappa_of(cues);
                        self.spread.grow(Spread { rate, sum: 0.0, power: 1.0, last })?;
                        steps.tokens.grow(last)?;
                        self.spread.len() - 1
                    }
                };
                if self.together {
                    self.spread[step].add(last, frequency.into(), gamma);
                }
            }
        }
        steps.gains = filled(self.beta, self.tokens.len())?;
        match self.gamma {
            Some(gamma) => self.forgetful(gamma, &mut steps)?,
            None if self.together => self.gain(segment, &rows, &mut steps.gains),
            None => {}
        }
        if !self.together && !segment.frequencies.is_empty() {
            steps.times = collected(self.tokens.iter().map(|&tokens| tokens as u32))?;
        }
        Ok(steps)
    }

    /// Rates for steps of more than one token.
    fn gain(&mut self, segment: &Segment<'_>, rows: &[u32], gains: &mut [E]) {
        let beta = self.beta.to_f64();
        for step in 0..rows.len() {
            if self.tokens[step] > 1 {
                let rate = beta * self.kappa_of(segment.rows.cues.get(rows[step] as usize));
                gains[step] = E::from_f64(beta * sum_of_powers(rate, self.tokens[step]));
            }
        }
    }

    /// Rates for all steps where weights are forgotten.
    fn forgetful(&self, gamma: f64, steps: &mut Steps<E>) -> Result<()> {
        steps.ratios = filled(E::from_f64(gamma), self.tokens.len())?;
        for (step, (spread, &tokens)) in self.spread.iter().zip(&self.tokens).enumerate() {
            let times = if self.together { sum_of_powers(spread.rate, tokens) } else { 1.0 };
            steps.gains[step] = E::from_f64(self.beta.to_f64() / gamma * times);
            if self.together {
                steps.ratios[step] = E::from_f64(gamma * spread.sum / times);
            }
        }
        Ok(())
    }

    fn kappa_of(&mut self, cues: &[u32]) -> f64 {
        self.kappa.of(cues, |cue| self.alpha[cue as usize].to_f64())
    }
}

impl Spread {
    /// Adds tokens that come one after another, of which `last` is the last one. They come before those that were added.
    fn add(&mut self, last: u64, tokens: u64, gamma: f64) {
        let gap = gamma.powf((self.last - last) as f64);
        let step = gamma * (1.0 - self.rate);
        self.sum += self.power * gap * sum_of_powers(1.0 - step, tokens);
        // The base lies between -1 and 1.
        let power = (1.0 - self.rate).abs().powf(tokens as f64);
        self.power *= if self.rate > 1.0 && !tokens.is_multiple_of(2) { -power } else { power };
    }
}

/// 1 + q + ... + q^(n-1) for q = 1 - rate, which lies between -1 and 1.
fn sum_of_powers(rate: f64, n: u64) -> f64 {
    let times = n as f64;
    if rate == 0.0 {
        times
    } else if rate < 1.0 {
        // 1 - q^n would lose digits for small rates.
        -(times * (-rate).ln_1p()).exp_m1() / rate
    } else {
        let power = (rate - 1.0).powf(times);
        (1.0 - if n.is_multiple_of(2) { power } else { -power }) / rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn powers_are_summed(rate in prop_oneof![Just(0.0), Just(1.0), 0.0..2.0_f64, 0.0..1e-9_f64], n in 1..300_u64) {
            let mut power = 1.0;
            let mut sum = 0.0;
            for _ in 0..n {
                sum += power;
                power *= 1.0 - rate;
            }
            prop_assert!((sum_of_powers(rate, n) - sum).abs() <= 1e-12 * sum.abs().max(1.0));
        }
    }
}
