//! What tells events from others: the bytes that `Events.digest` is the SHA-256 of.
//!
//! ```text
//! 16 bytes   "rescorla events\n"
//! 7 u64      events, tokens, cues, outcomes, event types, chunks of events, chunks of types
//! names      of the cues, then of the outcomes, in order of their ids: u64 bytes of the name, the name
//! sums       of the chunks of events, then of types, in their order: the first 4 bytes of the chunk, its CRC32C
//! ```
//!
//! Numbers are little-endian. Chunks hold all that learning reads, so equal digests mean equal events, unless two chunks share
//! a checksum. Nothing else of a file enters: neither offsets nor blocks that a file may have or not. No chunk is read but for
//! its first bytes; whether a chunk still fits its checksum is seen when it is decoded.

use super::EventFile;
use super::chunk::Chunk;
use crate::error::{Error, Result};
use crate::grow::Grow;
use crate::monitor::Monitor;

/// The first bytes. Another definition would have others.
const BEGIN: &[u8; 16] = b"rescorla events\n";

/// The bytes of a checksum.
const SUM: usize = 4;

/// So many bytes, and at most a name more, are handed over at a time.
const PIECE: usize = 64 << 10;

const SUMS: &str = "the checksums of the chunks";

impl EventFile {
    /// The checksums of all chunks, one after another, as they stand in the file.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Format`] when the file cannot be read; [`Error::Stopped`].
    pub fn checksums(&self, monitor: &Monitor) -> Result<Vec<u8>> {
        let mut sums = Vec::new();
        sums.make_room(self.0.chunks.len().saturating_mul(SUM), SUMS)?;
        for extent in &self.0.chunks {
            monitor.check()?;
            Chunk::check_length(extent.start, extent.end - extent.start)
                .and_then(|()| self.0.bytes.append(extent.start..extent.start + SUM, &mut sums, SUMS))
                .map_err(|error| error.at(self.path(), None))?;
        }
        Ok(sums)
    }

    /// Hands over the bytes that the digest is taken of, in pieces. `sums` are the [`EventFile::checksums`].
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
                piece.grow_by(bytes, "names to be hashed")?;
            }
        }
        hash(&piece)?;
        sums.chunks(PIECE).try_for_each(hash)
    }
}
