//! The delta rule with an activation function, token by token or in batches.
//!
//! - [`events`]: on events; `batches` cuts their tokens. [`arrays`]: on arrays.
//! - [`activation`], [`descent`]: functions and losses, and what the rule is told.

pub mod activation;
pub mod arrays;
mod batches;
pub mod descent;
pub mod events;
