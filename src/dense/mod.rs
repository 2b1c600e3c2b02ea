//! The neighbours of the rule: learners of the same family, on tiles of outcomes as the rule is.
//!
//! - [`delta`]: the delta rule with an activation function, token by token or in batches, on events;
//!   [`delta_rows`]: the same on arrays.
//! - [`perceptron`]: a unit that answers with a sign.
//! - [`activation`], [`descent`], [`rows`]: the functions, what the delta rule is told, arrays.
//!
//! `batches` cuts the tokens of events into batches. A column of weights depends on the data and on itself, whatever
//! the activation function and the size of the batches: so tiles, threads and instruction sets are those of [`crate::learn`],
//! and change no bit.

pub mod activation;
mod batches;
pub mod delta;
pub mod delta_rows;
pub mod descent;
pub mod perceptron;
pub mod rows;
