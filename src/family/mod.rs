//! The neighbours of the rule: learners of the same family.
//!
//! - [`delta`]: the delta rule with an activation function, token by token or in batches, on events;
//!   [`delta_rows`]: the same on arrays.
//! - [`perceptron`]: a unit that answers with a sign.
//! - [`activation`], [`descent`], [`rows`]: the functions, what the delta rule is told, arrays.
//! - [`minover`], [`adatron`]: the plane of optimal stability between two classes. [`students`]: who learns it from a teacher.
//! - [`widrow_hoff`]: vectors as cues and outcomes.
//!
//! `delta` works on tiles of outcomes, as the rule does; `batches` cuts the tokens of events into batches. A column of weights depends on the data and on itself, whatever the activation function and the size of the
//! batches: so tiles, threads and instruction sets are those of the rule, and change no bit. The others work on [`patterns`],
//! examples with their classes.

pub mod activation;
pub mod adatron;
mod batches;
pub mod delta;
pub mod delta_rows;
pub mod descent;
pub mod minover;
pub mod patterns;
pub mod perceptron;
pub mod rows;
pub mod students;
pub mod widrow_hoff;
