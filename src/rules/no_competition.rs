//! Cues that do not compete: each has an error of its own.
//!
//! ```text
//! w = w + alpha * (beta1 * (lambda - w))     where the outcome is present
//! w = w + alpha * (beta2 * (0      - w))     where it is absent
//! ```

#![forbid(unsafe_code)]

use super::rule::{At, Rule};
use crate::kernel::element::Element;

/// The rule in which a cue learns as if it were alone, so that none blocks another. With one learning rate its mean goes to lambda times
/// the probability of the outcome given the cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoCompetition;

impl<E: Element> Rule<E> for NoCompetition {
    const NAME: &'static str = "no_competition";
    const LATE_START: bool = true;
    const REPEATS: bool = false;

    type State = [E; 0];
    type Memory = ();

    fn state(&self) -> [E; 0] {
        []
    }

    #[inline(always)]
    fn changed(&self, weight: E, _: &mut [E; 0], factor: E, at: &At<E>) -> E {
        weight.plus(factor.times(at.rate.times(at.target.minus(weight))))
    }
}
