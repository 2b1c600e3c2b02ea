//! The rule of Pearce, Kaye and Hall: what is learned follows the outcome, and how much of it the error before.
//!
//! ```text
//! error      = lambda - sum                          0 in place of lambda where the outcome is absent
//! excitatory = excitatory + (alpha * salience) * (beta1 * lambda)      where the error is above 0
//! inhibitory = inhibitory + (alpha * salience) * (beta2 * |error|)     where it is below 0
//! w          = excitatory - inhibitory
//! salience   = g * |error| + (1 - g) * salience      within 0 and 1, at first 1
//! ```
//!
//! g is the parameter `salience_rate`. The equations are 2a, 2b and 4 of the package calmr's account of the model; the start of the
//! salience and its bounds are ours.

#![forbid(unsafe_code)]

use super::hybrid::following;
use super::rule::{At, Rule};
use crate::kernel::element::Element;

/// The rule of two strengths, with a salience that follows the error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PearceKayeHall {
    /// How fast the salience follows the error, from 0 to 1.
    pub salience_rate: f64,
}

impl<E: Element> Rule<E> for PearceKayeHall {
    const NAME: &'static str = "pearce_kaye_hall";
    const LATE_START: bool = false;
    const REPEATS: bool = false;

    type State = [E; 3];
    type Memory = ();

    fn state(&self) -> [E; 3] {
        [E::from_f64(1.0), E::default(), E::default()]
    }

    fn begun(&self, weight: E) -> [E; 3] {
        let [excitatory, inhibitory] = strengths(weight);
        [E::from_f64(1.0), excitatory, inhibitory]
    }

    #[inline(always)]
    fn changed(&self, _: E, [salience, excitatory, inhibitory]: &mut [E; 3], factor: E, at: &At<E>) -> E {
        let (zero, error) = (E::default(), at.target.minus(at.sum));
        let (size, factor) = (error.magnitude(), factor.times(*salience));
        let more = excitatory.plus(factor.times(at.betas[0].times(at.target)));
        let less = inhibitory.plus(factor.times(at.betas[1].times(size)));
        *excitatory = if error > zero { more } else { *excitatory };
        *inhibitory = if error < zero { less } else { *inhibitory };
        *salience = following(size, *salience, self.salience_rate);
        excitatory.minus(*inhibitory)
    }
}

/// The strengths of a weight that is known alone: a positive one excites, a negative one inhibits.
#[inline(always)]
pub(super) fn strengths<E: Element>(weight: E) -> [E; 2] {
    let zero = E::default();
    if weight < zero { [zero, weight.magnitude()] } else { [weight, zero] }
}
