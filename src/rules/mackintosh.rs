//! The rule of Mackintosh: the salience of a cue grows where it predicts better than the other cues of the token do.
//!
//! ```text
//! own      = lambda - w                              0 in place of lambda where the outcome is absent
//! others   = lambda - (sum - w)
//! w        = w + (alpha * salience) * (beta * own)               beta1 where it is present, else beta2
//! salience = salience + g * (|others| - |own|)       within 0.05 and 1, at first 0.9
//! ```
//!
//! g is the parameter `salience_rate`. The error is the cue's own, so a cue is blocked through its salience alone. Mackintosh (1975) says
//! in words when a salience grows; the equations are 2 and 3 of the package calmr's account, after Le Pelley et al. (2016).

#![forbid(unsafe_code)]

use super::rule::{At, Rule};
use crate::kernel::element::Element;

/// The least salience that is left to a cue that predicts worse than others.
pub(super) const LEAST: f64 = 0.05;

/// The rule of saliences that follow how well cues predict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mackintosh {
    /// How fast the salience changes, from 0 to 1.
    pub salience_rate: f64,
}

impl<E: Element> Rule<E> for Mackintosh {
    const NAME: &'static str = "mackintosh";
    const LATE_START: bool = false;
    const REPEATS: bool = false;

    type State = [E; 1];
    type Memory = ();

    fn state(&self) -> [E; 1] {
        [E::from_f64(0.9)]
    }

    #[inline(always)]
    fn changed(&self, weight: E, [salience]: &mut [E; 1], factor: E, at: &At<E>) -> E {
        let own = at.target.minus(weight);
        let others = at.target.minus(at.sum.minus(weight));
        let learned = factor.times(*salience).times(at.rate.times(own));
        let better = others.magnitude().minus(own.magnitude());
        let moved = salience.plus(E::from_f64(self.salience_rate).times(better));
        *salience = moved.within(E::from_f64(LEAST), E::from_f64(1.0));
        weight.plus(learned)
    }
}
