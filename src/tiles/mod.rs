//! Tiles: some columns, or some rows, of all weights, which one thread learns alone.
//!
//! - [`rule`]: the parameters, rounded. [`method`]: what a tile is made of.
//! - `width`: how wide a tile is, by the `caches`. [`buffer`]: its memory. [`result`](mod@result): where it goes.
//! - `packing`: the memory of products of dense matrices.

pub mod buffer;
pub(crate) mod caches;
pub mod method;
pub(crate) mod packing;
pub mod result;
pub mod rule;
pub(crate) mod width;
