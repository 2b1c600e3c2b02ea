//! The neighbours of the rule: learners of the same family, on tiles of outcomes as the rule is.
//!
//! - [`delta`]: the delta rule with an activation function, token by token or in batches.
//! - [`widrow_hoff`]: vectors as cues and outcomes.
//!
//! `batches` cuts the tokens of events into batches. A column of weights depends on the events and on itself, whatever
//! the activation function and the size of the batches: so tiles, threads and instruction sets are those of [`crate::learn`],
//! and change no bit.

mod batches;
pub mod delta;
pub mod widrow_hoff;
