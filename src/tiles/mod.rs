//! Tiles: some columns, or some rows, of all weights, which one thread learns alone.
//!
//! - [`rule`]: the parameters, rounded. [`method`]: what a tile is made of.
//! - `width`: how wide a tile is, by the `caches`. [`buffer`]: its memory. [`result`](mod@result): where it goes.
//! - [`product`]: products of dense matrices, and their memory.

pub mod buffer;
pub(crate) mod caches;
pub mod method;
pub mod product;
pub mod result;
pub mod rule;
pub(crate) mod width;
