//! Running text: words within contexts, and the events that they make.
//!
//! ```text
//! files -> Source -> TextReader: Runs -> Words -> Windows -> Encoder -> EventWriter
//! ```
//!
//! The text is read in one pass. What was seen before is not looked at again: a run of characters is cut into words once, and a
//! word gives its names once.

mod conllu;
mod encoder;
mod files;
mod grams;
mod names;
mod occurred;
mod options;
mod pieces;
mod reader;
mod runs;
mod symbols;
mod windows;
mod words;

pub use names::{Lookup, Names, Table, Unknown};
pub use occurred::Occurred;
pub use options::{Context, Corpus, Format, Letters, Normal, Window};
pub use reader::TextReader;
pub use symbols::{Allowed, Ask, Symbols};
