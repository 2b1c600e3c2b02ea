//! The rule of Le Pelley: saliences of Mackintosh and of Pearce and Hall, multiplied.
//!
//! ```text
//! error = lambda - sum                               0 in place of lambda where the outcome is absent
//! other = sum - w
//! where the error is above 0:
//!     excitatory    = excitatory + (alpha * salience * associability) * (beta1 * (1 - w) * |error|)
//!     salience      = salience - gE * (|lambda - w| - |lambda - other|)
//! where it is below 0:
//!     inhibitory    = inhibitory + (alpha * salience * associability) * (beta2 * (1 + w) * |error|)
//!     salience      = salience - gI * (||error| + w| - ||error| + other|)
//! w             = excitatory - inhibitory
//! associability = g * |error| + (1 - g) * associability
//! ```
//!
//! All right sides are from before the token. The salience is within 0.05 and 1, the associability within 0.5 and 1; both begin at 0.9.
//! g, gE and gI are the parameters `salience_rate`, `excitatory_rate` and `inhibitory_rate`. Lambda is 1 at most, as strengths are.
//!
//! These are the equations that the program PALMS computes. Its printed formula has the sign of `other` the wrong way round: by print
//! the salience of a blocked cue ends at 1, by the program at 0.05. The factor alpha is ours: with 1 it is the model.

#![forbid(unsafe_code)]

use super::mackintosh::LEAST;
use super::pearce_kaye_hall::strengths;
use super::rule::{At, Rule};
use crate::kernel::element::Element;

/// The rule of two saliences and two strengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LePelley {
    /// How fast the associability follows the error, from 0 to 1.
    pub salience_rate: f64,
    /// How fast the salience changes where more comes than is predicted, from 0 to 1.
    pub excitatory_rate: f64,
    /// The same where less comes.
    pub inhibitory_rate: f64,
}

impl<E: Element> Rule<E> for LePelley {
    const NAME: &'static str = "le_pelley";
    const LATE_START: bool = false;
    const REPEATS: bool = false;
    const GREATEST_LAMBDA: f64 = 1.0;

    type State = [E; 4];
    type Memory = ();

    fn state(&self) -> [E; 4] {
        [E::from_f64(0.9), E::default(), E::default(), E::from_f64(0.9)]
    }

    fn begun(&self, weight: E) -> [E; 4] {
        let [excitatory, inhibitory] = strengths(weight);
        [E::from_f64(0.9), excitatory, inhibitory, E::from_f64(0.9)]
    }

    #[inline(always)]
    fn changed(
        &self,
        weight: E,
        [salience, excitatory, inhibitory, associability]: &mut [E; 4],
        factor: E,
        at: &At<E>,
    ) -> E {
        let (zero, one) = (E::default(), E::from_f64(1.0));
        let (error, other) = (at.target.minus(at.sum), at.sum.minus(weight));
        let (size, factor) = (error.magnitude(), factor.times(*salience).times(*associability));
        let more = excitatory.plus(factor.times(at.betas[0].times(one.minus(weight)).times(size)));
        let less = inhibitory.plus(factor.times(at.betas[1].times(one.plus(weight)).times(size)));
        let (rate, expected) = if error > zero {
            (self.excitatory_rate, at.target)
        } else if error < zero {
            (self.inhibitory_rate, zero.minus(size))
        } else {
            (0.0, zero)
        };
        *excitatory = if error > zero { more } else { *excitatory };
        *inhibitory = if error < zero { less } else { *inhibitory };
        let worse = expected.minus(weight).magnitude().minus(expected.minus(other).magnitude());
        let moved = salience.minus(E::from_f64(rate).times(worse));
        *salience = moved.within(E::from_f64(LEAST), one);
        let rate = E::from_f64(self.salience_rate);
        let followed = rate.times(size).plus(one.minus(rate).times(*associability));
        *associability = followed.within(E::from_f64(0.5), one);
        excitatory.minus(*inhibitory)
    }
}
