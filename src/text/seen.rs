//! Rows seen before: a row that comes again, byte for byte, is the same event again, and is not split again.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::Result;
use crate::text::EventSink;

/// What is kept takes no more memory than this, but for one row and the room a hash table leaves.
const BUDGET: usize = 16 << 20;

/// A longer row is not kept.
const LONGEST: usize = 64 << 10;

/// A full memory that was of use for fewer than one in this many of its rows is given up.
const WORTHWHILE: u64 = 4;

/// Rows, and the tokens by which the sink knows their events.
///
/// Invariant: `rows` holds each row once, under the hash of its bytes, which lie in `text`.
#[derive(Default)]
pub(super) struct Seen {
    text: Vec<u8>,
    rows: HashTable<Row>,
    hasher: DefaultHashBuilder,
    hits: u64,
    given_up: bool,
}

#[derive(Clone, Copy)]
struct Row {
    start: u32,
    length: u32,
    token: u32,
    frequency: u64,
}

impl Row {
    fn bytes(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

impl Seen {
    /// Pushes the event of a row once more, if both it and the sink know it.
    ///
    /// # Errors
    /// When the sink refuses.
    pub(super) fn again<S: EventSink + ?Sized>(&mut self, row: &[u8], sink: &mut S) -> Result<bool> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let Self { text, rows, hasher, .. } = self;
        let Some(&known) = rows.find(hasher.hash_one(row), |known| known.bytes(text) == row) else {
            return Ok(false);
        };
        let pushed = sink.again(known.token, known.frequency)?;
        if pushed {
            self.hits += 1;
        } else {
            self.clear();
        }
        Ok(pushed)
    }

    /// Keeps a row that is not known, whose event just ended, if the sink can have it again.
    pub(super) fn keep<S: EventSink + ?Sized>(&mut self, row: &[u8], frequency: u64, sink: &S) {
        let Some(token) = sink.token().filter(|_| !self.given_up && row.len() <= LONGEST) else { return };
        if self.text.len() + self.rows.len() * size_of::<Row>() >= BUDGET {
            self.given_up = self.hits < self.rows.len() as u64 / WORTHWHILE;
            self.clear();
        }
        // Both fit: far below the budget, or about.
        let new = Row { start: self.text.len() as u32, length: row.len() as u32, token, frequency };
        self.text.extend_from_slice(row);
        let Self { text, rows, hasher, .. } = self;
        rows.insert_unique(hasher.hash_one(row), new, |row| hasher.hash_one(row.bytes(text)));
    }

    fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.hits = 0;
    }
}
