//! Tiles: some columns, or some rows, of all weights, which one thread learns alone.
//!
//! - [`rule`]: the parameters, rounded. [`method`]: whether tiles have columns or rows.
//! - `forgetting`: the retention of weights.
//! - `width`: the width of a tile, by the sizes of the `caches`. [`buffer`]: its memory.
//! - `columns`: the driver of tiles of columns. [`home`]: what they begin with, and where they go. `passes`: several at a time.
//!   [`result`](mod@result): a matrix that tiles fill.
//! - [`product`]: products of dense matrices, and their memory. `vectors`: names that stand for vectors.
//! - [`number_rows`]: rows of real numbers, dense or sparse.

pub mod buffer;
pub(crate) mod caches;
pub(crate) mod columns;
pub(crate) mod forgetting;
pub mod home;
pub mod method;
pub mod number_rows;
pub mod product;
pub mod result;
pub mod rule;
pub(crate) mod tile_passes;
pub(crate) mod vectors;
pub(crate) mod width;
