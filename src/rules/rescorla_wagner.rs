//! The rule of Rescorla and Wagner.
//!
//! ```text
//! w = w + alpha * (beta1 * (lambda - sum))     where the outcome is present
//! w = w + alpha * (beta2 * (0      - sum))     where it is absent
//! ```

#![forbid(unsafe_code)]

use super::rule::Rule;
use crate::kernel::element::Element;

/// The rule whose cues share one error: what [`Rule`] does unless a rule says otherwise. `learn::tile` has its loop on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RescorlaWagner;

impl<E: Element> Rule<E> for RescorlaWagner {
    const NAME: &'static str = "rescorla_wagner";
    const LATE_START: bool = true;
    const KERNEL: bool = true;
    const GRADIENT: bool = true;

    type State = [E; 0];
    type Memory = ();

    fn state(&self) -> [E; 0] {
        []
    }
}
