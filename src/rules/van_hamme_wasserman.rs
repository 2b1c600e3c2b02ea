//! The rule of Van Hamme and Wasserman: cues that are expected and absent learn, too, the other way round.
//!
//! ```text
//! update = beta * (lambda - sum)                     of the present cues; beta1 where the outcome is present,
//!                                                    else beta2 and 0 in place of lambda
//! w = w + alpha * update                             of a cue that is present
//! w = w + (-k * alpha) * update                      of a cue that is absent and expected
//! ```
//!
//! k is a parameter. A cue is expected if it occurred on an earlier token together with a cue that is present now. Sources leave open
//! what makes a cue expected; outcomes do not, here.

#![forbid(unsafe_code)]

use super::rule::Rule;
use crate::error::Result;
use crate::kernel::element::Element;
use crate::memory::{Grow, filled};

/// The rule in which absent cues learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VanHammeWasserman {
    /// How much less an absent cue learns than a present one, from 0 to 1.
    pub k: f64,
}

/// Which cues occurred together.
#[derive(Debug, Default)]
pub struct Met {
    /// For each row those that its cue occurred with, sorted.
    with: Vec<Vec<u32>>,
    /// For each row the number of the last token at which it was found to be present or expected.
    found: Vec<u64>,
    /// The number of the token at hand, from 1 on.
    token: u64,
}

impl<E: Element> Rule<E> for VanHammeWasserman {
    const NAME: &'static str = "van_hamme_wasserman";
    const LATE_START: bool = false;
    const GRADIENT: bool = true;
    const REPEATS: bool = false;

    type State = [E; 0];
    type Memory = Met;

    fn state(&self) -> [E; 0] {
        []
    }

    fn begin(&self, memory: &mut Met, n_rows: usize) -> Result<()> {
        *memory = Met { with: filled(Vec::new(), n_rows)?, found: filled(0, n_rows)?, token: 0 };
        Ok(())
    }

    fn others(&self, memory: &mut Met, cues: &[u32], rows: &mut Vec<u32>) -> Result<()> {
        let Met { with, found, token } = memory;
        *token += 1;
        cues.iter().for_each(|&cue| found[cue as usize] = *token);
        for &cue in cues {
            for &row in &with[cue as usize] {
                if found[row as usize] != *token {
                    found[row as usize] = *token;
                    rows.grow(row)?;
                }
            }
        }
        Ok(())
    }

    fn factor(&self, _: &Met, _: u32, salience: E, present: bool) -> E {
        if present { salience } else { E::from_f64(-self.k).times(salience) }
    }

    fn after(&self, memory: &mut Met, cues: &[u32]) -> Result<()> {
        for &cue in cues {
            let with = &mut memory.with[cue as usize];
            for &other in cues {
                if let Err(place) = with.binary_search(&other) {
                    with.grow(other)?;
                    with[place..].rotate_right(1);
                }
            }
        }
        Ok(())
    }
}
