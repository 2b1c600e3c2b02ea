//! The delta rule with a salience that follows the error, as Pearce and Hall have it.
//!
//! ```text
//! error    = lambda - sum                            0 in place of lambda where the outcome is absent
//! w        = w + (alpha * salience) * (beta * error)             beta1 where it is present, else beta2
//! salience = g * |error| + (1 - g) * salience        within 0 and 1, at first 1
//! ```
//!
//! g is the parameter `salience_rate`. Models of this kind are fitted to human fear learning. They differ in where the salience starts
//! and whether it has bounds: the start at 1 and the bounds are ours.

#![forbid(unsafe_code)]

use super::rule::{At, Rule};
use crate::kernel::element::Element;

/// The hybrid of the delta rule and of the salience of Pearce and Hall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hybrid {
    /// How fast the salience follows the error, from 0 to 1.
    pub salience_rate: f64,
}

impl<E: Element> Rule<E> for Hybrid {
    const NAME: &'static str = "hybrid";
    const LATE_START: bool = false;
    const REPEATS: bool = false;

    type State = [E; 1];
    type Memory = ();

    fn state(&self) -> [E; 1] {
        [E::from_f64(1.0)]
    }

    #[inline(always)]
    fn changed(&self, weight: E, [salience]: &mut [E; 1], factor: E, at: &At<E>) -> E {
        let learned = factor.times(*salience).times(at.update);
        *salience = following(at.target.minus(at.sum).magnitude(), *salience, self.salience_rate);
        weight.plus(learned)
    }
}

/// A salience that follows the size of the error, within 0 and 1.
#[inline(always)]
pub(super) fn following<E: Element>(size: E, salience: E, rate: f64) -> E {
    let (zero, one, rate) = (E::default(), E::from_f64(1.0), E::from_f64(rate));
    rate.times(size).plus(one.minus(rate).times(salience)).within(zero, one)
}
