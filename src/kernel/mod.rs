//! Arithmetic on rows of weights: written once, instantiated per element type and instruction set.
//!
//! - [`scalar`]: one number. [`vector`]: several at once, on each instruction set. [`element`]: what weights are made of.
//! - [`isa`]: instruction sets. [`dispatch`]: which of them, decided at run time.
//! - [`step`]: the rows of an event, summed and changed. [`block`]: rows that have values.

pub mod block;
pub mod dispatch;
pub mod element;
pub mod isa;
pub mod scalar;
pub mod step;
pub mod vector;
