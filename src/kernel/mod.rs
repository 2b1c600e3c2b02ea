//! Arithmetic on rows of weights: written once, instantiated per element type and instruction set.
//!
//! - [`scalar`]: one number. [`vector`]: several at once, on each instruction set. [`element`]: the number type of weights.
//! - [`isa`]: instruction sets. [`dispatch`]: chooses one of them at run time.
//! - [`step`]: sums and changes the rows of an event. [`block`]: the same for several tokens, each with its own value for every
//!   row.

pub mod block;
pub mod dispatch;
pub mod element;
pub mod isa;
pub mod scalar;
pub mod step;
pub mod vector;
