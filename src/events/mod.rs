//! Events in their binary form: written once, read many times, from a map, part by part or from memory.
//!
//! - [`format`](mod@format) specifies the file, [`chunk`] a chunk of events.
//! - [`write`](mod@write) takes names and writes the file.
//! - `survey` finds where each name occurs, `twins` which names always occur together, `grouping` which events can be learned as
//!   one step, `kappa` sums alpha m^2 over an event's cues.
//! - [`pick`] takes events out in another order, [`filter`] gives them other names, [`merge`](mod@merge) makes equal events one,
//!   [`sets`] counts the sets of cues.
//! - [`open`](mod@open) opens a file without reading all of it.
//! - [`data`]: events, or rows of matrices instead. [`digest`] gives the bytes that identify events.
//! - [`EventFile`] reads the same [`bytes`] from a map, a file, or a vector in memory.

pub mod bytes;
pub mod chunk;
mod chunk_writer;
pub mod data;
mod dictionary;
pub mod digest;
pub(crate) mod distinct;
mod duplicates;
mod file;
pub mod filter;
pub mod format;
pub(crate) mod grouping;
pub(crate) mod kappa;
pub mod merge;
pub mod open;
mod output;
mod packed;
mod parameters;
mod pending;
pub mod pick;
mod save;
pub mod sets;
pub(crate) mod survey;
pub mod table;
pub(crate) mod twins;
pub mod write;

pub use file::{EventFile, Recent};
