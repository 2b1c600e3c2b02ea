//! Running text: words within contexts, and the events that they make.
//!
//! ```text
//! files -> Blocks -> Reader: runs -> Words -> Windows -> Rows -> EventWriter
//!                    Reader   (one a thread)       in turns
//! ```
//!
//! The text comes in blocks. Each thread makes the events of a block, in numbers of its own, and the writer takes them when it is
//! the block's turn. Events that reach back beyond the beginning of a block are made between two turns, by another reader. So the
//! events of a text depend neither on the number of threads nor on where blocks end.

mod blocks;
mod column;
mod conllu;
mod files;
mod grams;
mod joined;
mod lines;
mod met;
mod names;
mod options;
mod pieces;
mod reader;
mod rows;
mod runs;
mod symbols;
mod turns;
mod windows;
mod words;

pub use files::Load;
pub use lines::Lines;
pub use met::Met;
pub use names::{Lookup, Names, Table, Unknown};
pub use options::{Context, Corpus, Format, Letters, Normal, Window};
pub use symbols::{Allowed, Ask, Symbols};
