//! Files that are written: whole or not at all, and text packed as their names say.

pub mod atomic;
pub(crate) mod packed_text;
mod temporary;
