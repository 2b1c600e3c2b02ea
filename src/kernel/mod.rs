//! Arithmetic on rows of weights: written once, instantiated per element type and instruction set.

pub mod block;
pub mod buffer;
pub(crate) mod caches;
pub mod dispatch;
pub(crate) mod packing;
mod places;
pub mod rows;
pub mod step;
