//! Rows seen before. A row that comes again, byte for byte, is the same event, and is not split again.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::Result;
use crate::events::write::EventWriter;
use crate::memory::{Grow, room_in};

/// The most memory that is kept, besides one row and free room in the hash table.
const BUDGET: usize = 16 << 20;

/// The longest row that is kept.
const LONGEST: usize = 64 << 10;

/// The memory of rows is judged when it has this many rows, and when it is full.
const TRIAL: usize = 1 << 15;

/// The memory is given up if fewer than one in this many of its rows came again.
const WORTHWHILE: usize = 4;

/// Rows, and the keys by which the writer knows their events.
///
/// Invariant: `rows` holds each row once, under the hash of its bytes, which lie in `text`.
#[derive(Default)]
pub(crate) struct Seen {
    text: Vec<u8>,
    rows: HashTable<SeenRow>,
    hasher: DefaultHashBuilder,
    hits: usize,
    given_up: bool,
}

#[derive(Clone, Copy)]
struct SeenRow {
    start: u32,
    length: u32,
    key: u32,
    frequency: u64,
}

impl SeenRow {
    fn bytes(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

impl Seen {
    /// Writes the event of a row once more, if the row and the event are known.
    ///
    /// # Errors
    /// When the writer refuses.
    pub(crate) fn again(&mut self, row: &[u8], writer: &mut EventWriter) -> Result<bool> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let Self { text, rows, hasher, .. } = self;
        let Some(&known) = rows.find(hasher.hash_one(row), |known| known.bytes(text) == row) else {
            return Ok(false);
        };
        let pushed = writer.event_again(known.key, known.frequency)?;
        if pushed {
            self.hits += 1;
        } else {
            self.clear();
        }
        Ok(pushed)
    }

    /// Keeps a row that is not known, if the writer gave its event a key.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(crate) fn keep(&mut self, row: &[u8], frequency: u64, key: Option<u32>) -> Result<()> {
        let Some(key) = key.filter(|_| !self.given_up && row.len() <= LONGEST) else { return Ok(()) };
        let full = self.text.len() + self.rows.len() * size_of::<SeenRow>() >= BUDGET;
        if full || self.rows.len() == TRIAL {
            self.given_up = self.hits < self.rows.len() / WORTHWHILE;
        }
        if self.given_up {
            *self = Self { given_up: true, ..Self::default() };
            return Ok(());
        }
        if full {
            self.clear();
        }
        // Both fit: neither is much above the budget.
        let new = SeenRow { start: self.text.len() as u32, length: row.len() as u32, key, frequency };
        self.text.grow_by(row)?;
        let Self { text, rows, hasher, .. } = self;
        let rehash = |row: &SeenRow| hasher.hash_one(row.bytes(text));
        room_in(rows, rehash)?;
        rows.insert_unique(hasher.hash_one(row), new, rehash);
        Ok(())
    }

    fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
        self.hits = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::write::Duplicates;

    fn writer() -> EventWriter {
        EventWriter::new(None, Duplicates::Keep, None).unwrap()
    }

    /// Takes a row as the event of some cue; returns whether it was known.
    fn push(seen: &mut Seen, row: &[u8], cue: &str, writer: &mut EventWriter) -> bool {
        let again = seen.again(row, writer).unwrap();
        if !again {
            writer.cue(cue).unwrap();
            writer.end_event(1).unwrap();
            seen.keep(row, 1, writer.key()).unwrap();
        }
        again
    }

    #[test]
    fn a_row_is_known_by_all_its_bytes() {
        let (mut seen, mut writer) = (Seen::default(), writer());
        for (n, row) in ["a\tb", "a\tb\n", "", "a\t"].into_iter().enumerate() {
            assert!(!push(&mut seen, row.as_bytes(), &n.to_string(), &mut writer), "{row:?}");
        }
        for row in ["", "a\tb\n", "a\tb"] {
            assert!(push(&mut seen, row.as_bytes(), "other", &mut writer), "{row:?}");
        }
        assert!(!push(&mut seen, &vec![b'x'; LONGEST + 1], "long", &mut writer));
        assert!(!push(&mut seen, &vec![b'x'; LONGEST + 1], "long", &mut writer));
        let file = writer.finish().unwrap();
        let counts: Vec<_> = file.cues().names().zip(file.cues().counts().iter().copied()).collect();
        assert_eq!(counts, [("0", 2), ("1", 2), ("2", 2), ("3", 1), ("long", 2)]);
    }

    #[test]
    fn what_the_writer_forgets_is_forgotten() {
        let mut seen = Seen::default();
        let mut first = writer();
        assert!(!push(&mut seen, b"a", "a", &mut first));
        // It has no event yet.
        let mut second = writer();
        assert!(!push(&mut seen, b"a", "a", &mut second));
        assert!(push(&mut seen, b"a", "a", &mut second));
        assert_eq!(second.n_events(), 2);
    }

    #[test]
    fn memory_is_bounded_and_given_up_where_nothing_repeats() {
        let row = |n: u32| format!("{n:0>1000}");
        for every in [3, 5] {
            let (mut seen, mut writer) = (Seen::default(), writer());
            let mut most = 0;
            for n in 0..40_000 {
                assert!(!push(&mut seen, row(n).as_bytes(), "a", &mut writer));
                if n % every == 0 {
                    // Until it is given up, the row before is known.
                    assert!(push(&mut seen, row(n).as_bytes(), "a", &mut writer) || seen.given_up);
                }
                most = most.max(seen.text.len() + seen.rows.len() * size_of::<SeenRow>());
            }
            assert!((BUDGET..BUDGET + 2000).contains(&most), "{most}");
            assert_eq!(seen.given_up, every > WORTHWHILE as u32);
        }
    }

    #[test]
    fn short_rows_are_judged_before_they_fill_the_memory() {
        for (hits, given_up) in [(TRIAL / WORTHWHILE, false), (TRIAL / WORTHWHILE - 1, true)] {
            let (mut seen, mut writer) = (Seen::default(), writer());
            for n in 0..TRIAL {
                assert!(!push(&mut seen, n.to_string().as_bytes(), "a", &mut writer));
            }
            for n in 0..hits {
                assert!(push(&mut seen, n.to_string().as_bytes(), "a", &mut writer));
            }
            assert!(!push(&mut seen, b"one more", "a", &mut writer));
            assert_eq!(seen.given_up, given_up);
            assert_eq!(push(&mut seen, b"0", "a", &mut writer), !given_up);
        }
    }
}
