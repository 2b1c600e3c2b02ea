//! The survey of all events: where each name occurs, and which names occur together.
//!
//! It does not depend on what is learned. So a file is surveyed once ([`EventFile::survey`](super::EventFile::survey)): each thread
//! surveys consecutive chunks (`part`), and their results are joined in order (`look`) to a `summary`. A large file keeps its survey
//! (`block`).

mod block;
pub(crate) mod look;
mod part;
pub(crate) mod summary;
