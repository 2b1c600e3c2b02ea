//! Tiles: some columns, or some rows, of all weights, which one thread learns alone.
//!
//! - [`rule`]: the parameters, rounded. [`method`]: what a tile is made of.
//! - `width`: how wide a tile is. [`result`](mod@result): where it goes.

pub mod method;
pub mod result;
pub mod rule;
pub(crate) mod width;
