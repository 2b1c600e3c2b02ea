//! Tiles: some columns, or some rows, of all weights, which one thread learns alone.
//!
//! - [`rule`]: the parameters, rounded. [`method`]: whether tiles have columns or rows.
//! - `width`: the width of a tile, by the sizes of the `caches`. [`buffer`]: its memory. [`result`](mod@result): where its
//!   weights go.
//! - [`product`]: products of dense matrices, and their memory.

pub mod buffer;
pub(crate) mod caches;
pub mod method;
pub mod product;
pub mod result;
pub mod rule;
pub(crate) mod width;
