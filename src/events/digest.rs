//! The bytes that identify events: `Events.digest` is their SHA-256.
//!
//! ```text
//! 16 bytes   "rescorla events\n"
//! 7 u64      events, tokens, cues, outcomes, event types, chunks of events, chunks of types
//! names      of the cues, then of the outcomes, in order of their ids: u64 bytes of the name, the name
//! sums       of the chunks of events, then of types, in their order: the first 4 bytes of the chunk, its CRC32C
//! ```
//!
//! Numbers are little-endian. Chunks hold all that learning reads, so equal digests mean equal events, unless two chunks share
//! a checksum. Nothing else of a file is used, neither offsets nor optional blocks. Only the
//! first bytes of a chunk are read; whether the chunk fits its checksum is checked when it is decoded.

use super::EventFile;
use super::chunk::Chunk;
use crate::error::{Error, Result};
use crate::memory::Grow;
use crate::monitor::Monitor;

/// The first bytes. They change when this definition does.
const BEGIN: &[u8; 16] = b"rescorla events\n";

/// The bytes of a checksum.
const SUM: usize = 4;

/// The bytes that are handed over at a time, and at most one name more.
const PIECE: usize = 64 << 10;

impl EventFile {
    /// The checksums of all chunks, one after another, as they stand in the file.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Format`] when the file cannot be read; [`Error::Stopped`].
    pub fn checksums(&self, monitor: &Monitor) -> Result<Vec<u8>> {
        let mut sums = Vec::new();
        sums.make_room(self.0.chunks.len().saturating_mul(SUM))?;
        for extent in &self.0.chunks {
            monitor.check()?;
            Chunk::check_length(extent.start, extent.end - extent.start)
                .and_then(|()| self.0.bytes.append(extent.start..extent.start + SUM, &mut sums))
                .map_err(|error| error.at(self.path(), None))?;
        }
        Ok(sums)
    }

    /// Calls `hash` with the bytes to digest, in pieces. `sums` are the [`EventFile::checksums`].
    ///
    /// # Errors
    /// Those of `hash`; [`Error::Memory`].
    pub fn digested<E: From<Error>>(
        &self,
        sums: &[u8],
        mut hash: impl FnMut(&[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let header = self.header();
        let mut piece = BEGIN.to_vec();
        for number in [
            header.n_events,
            header.n_tokens,
            header.n_cues,
            header.n_outcomes,
            header.n_types,
            header.n_chunks,
            header.n_type_chunks,
        ] {
            piece.extend(number.to_le_bytes());
        }
        for name in self.cues().names().chain(self.outcomes().names()) {
            if piece.len() >= PIECE {
                hash(&piece)?;
                piece.clear();
            }
            for bytes in [&(name.len() as u64).to_le_bytes(), name.as_bytes()] {
                piece.grow_by(bytes)?;
            }
        }
        hash(&piece)?;
        sums.chunks(PIECE).try_for_each(hash)
    }
}
