//! What a rule says.
//!
//! ```text
//! for each token, and each column of the weights:
//!     rows = the rows of the cues, in order, then `others`
//!     sum = +0.0; for each cue, in order:   sum = sum + term(w, state)
//!     update = update(sum, target, rate)    target = lambda and rate = beta1 where the outcome is present, else 0 and beta2
//!     for each of the rows, in order:       w, state = changed(w, state, factor, at)     at: sum, target, rate, update
//!     after
//! ```
//!
//! Weights and states are those from before the token wherever a row comes once among the rows; a row that comes twice is changed
//! twice, one change after the other. Every number has the type of the weights, and every operation rounds to it. A column knows
//! nothing of the others, so tiles and threads change no bit.
//!
//! # A rule of one's own
//!
//! The documentation explains this rule on the page "A rule of your own":
//!
//! ```
//! use rescorla::kernel::element::Element;
//! use rescorla::rule::Rule;
//! use rescorla::{Duplicates, EventWriter, Matrix, Monitor, Plan, Result};
//!
//! /// A cue learns less, the more often it has been seen.
//! struct Slower;
//!
//! impl<E: Element> Rule<E> for Slower {
//!     const NAME: &'static str = "slower";
//!     const LATE_START: bool = false;
//!     type State = [E; 0];
//!     type Memory = Vec<f64>; // how often each cue was seen
//!
//!     fn state(&self) -> [E; 0] {
//!         []
//!     }
//!
//!     fn begin(&self, seen: &mut Vec<f64>, n_cues: usize) -> Result<()> {
//!         seen.resize(n_cues, 0.0);
//!         Ok(())
//!     }
//!
//!     fn factor(&self, seen: &Vec<f64>, cue: u32, alpha: E, _: bool) -> E {
//!         let times = seen[cue as usize] + 1.0;
//!         alpha.times(E::from_f64(1.0 / times.sqrt()))
//!     }
//!
//!     fn after(&self, seen: &mut Vec<f64>, cues: &[u32]) -> Result<()> {
//!         cues.iter().for_each(|&cue| seen[cue as usize] += 1.0);
//!         Ok(())
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     let mut writer = EventWriter::new(None, Duplicates::Drop, None)?;
//!     for (cues, outcome) in [("ab", "x"), ("a", "y"), ("ab", "x")] {
//!         for cue in cues.chars() {
//!             writer.cue(&cue.to_string())?;
//!         }
//!         writer.outcome(outcome)?;
//!         writer.end_event(1)?;
//!     }
//!     let events = writer.finish()?;
//!
//!     let plan = Plan {
//!         rows: &[0, 1],
//!         columns: &[Some(0), Some(1)],
//!         alpha: &[1.0; 2],
//!         lambda: &[1.0; 2],
//!         ..Plan::default()
//!     };
//!     let mut weights = [0.0; 4];
//!     let out = Matrix::new(&mut weights, [2, 2])?;
//!     plan.learn_by(Slower, &events, &out, &[], &Monitor::new())?;
//!
//!     // By hand, for the outcome x: a has been seen three times, b twice.
//!     let root = |times: f64| 1.0 / times.sqrt();
//!     let a = 0.1 + root(2.0) * (0.1 * (0.0 - 0.1));
//!     let update = 0.1 * (1.0 - (a + 0.1));
//!     assert_eq!(weights[0], a + root(3.0) * update);
//!     assert_eq!(weights[2], 0.1 + root(2.0) * update);
//!     Ok(())
//! }
//! ```

use crate::error::Result;
use crate::kernel::element::Element;

/// The most states that a weight may have.
pub const MOST_STATES: usize = 4;

/// A column at a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<E> {
    /// The sum of the cues' terms.
    pub sum: E,
    /// Lambda where the outcome is present, 0 where it is absent.
    pub target: E,
    /// beta1 where the outcome is present, beta2 where it is absent.
    pub rate: E,
    /// beta1 and beta2 of the token.
    pub betas: [E; 2],
    /// What [`Rule::update`] made of these.
    pub update: E,
}

/// What a rule does with a token. Saliences, learning rates and asymptotes are those of the plan; a rule has what it needs besides.
#[expect(unused_variables, reason = "defaults need less than rules may")]
pub trait Rule<E: Element>: Sync {
    /// What messages call it.
    const NAME: &'static str;
    /// Whether a column of zeros stays one until its outcome occurs, so that it may start there.
    const LATE_START: bool;
    /// Whether it is the rule of Rescorla and Wagner, which has a kernel, and the adjoint method.
    #[doc(hidden)]
    const KERNEL: bool = false;
    /// Whether the likelihood of responses has a gradient by a backward pass: weights change by the factor times what
    /// [`Rule::update`] says by default, and the factor is a multiple of the salience that knows no memory.
    #[doc(hidden)]
    const GRADIENT: bool = false;

    /// Whether events may name a cue twice.
    const REPEATS: bool = true;
    /// What no asymptote may exceed.
    const GREATEST_LAMBDA: f64 = f64::INFINITY;

    /// The states of a weight, which change with it: an array, such as `[E; 1]`; at most [`MOST_STATES`]. If one of them is a salience, it
    /// is the first: trajectories record it.
    type State: Copy + Sync + AsRef<[E]> + AsMut<[E]>;
    /// What a tile remembers of earlier tokens. Every tile has its own.
    type Memory: Default;

    /// What the states of a weight of zero begin with.
    fn state(&self) -> Self::State;

    /// The same for any initial weight whose states are not known.
    fn begun(&self, weight: E) -> Self::State {
        self.state()
    }

    /// Gets a tile ready to remember, before its first token.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    fn begin(&self, memory: &mut Self::Memory, n_rows: usize) -> Result<()> {
        Ok(())
    }

    /// Appends rows that change at a token besides those of its `cues`, each once. They add nothing to the sum.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    fn others(&self, memory: &mut Self::Memory, cues: &[u32], rows: &mut Vec<u32>) -> Result<()> {
        Ok(())
    }

    /// The factor of a row that has this salience, and whose cue is `present` or not.
    fn factor(&self, memory: &Self::Memory, row: u32, salience: E, present: bool) -> E {
        salience
    }

    /// What a cue adds to the sum.
    #[inline(always)]
    fn term(&self, weight: E, state: &Self::State) -> E {
        weight
    }

    /// What the error of all cues together is worth, `at.update` being zero yet.
    #[inline(always)]
    fn update(&self, at: &At<E>) -> E {
        at.rate.times(at.target.minus(at.sum))
    }

    /// A weight after the token. Its states change where they are.
    #[inline(always)]
    fn changed(&self, weight: E, state: &mut Self::State, factor: E, at: &At<E>) -> E {
        weight.plus(factor.times(at.update))
    }

    /// Remembers a token, once it is learned.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    fn after(&self, memory: &mut Self::Memory, cues: &[u32]) -> Result<()> {
        Ok(())
    }
}
