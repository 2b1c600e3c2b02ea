//! Rows seen before. A row that comes again, byte for byte, is the same event, and is not split again.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::Result;
use crate::events::sink::EventSink;
use crate::grow::{Grow, room_in};

/// The most memory that is kept, besides one row and free room in the hash table.
const BUDGET: usize = 16 << 20;

/// The longest row that is kept.
const LONGEST: usize = 64 << 10;

/// The memory of rows is judged when it has this many rows, and when it is full.
const TRIAL: usize = 1 << 15;

/// The memory is given up if fewer than one in this many of its rows came again.
const WORTHWHILE: usize = 4;

const ROWS: &str = "the rows of a table that were read before";

/// Rows, and the keys by which the sink knows their events.
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
    /// Pushes the event of a row once more, if both it and the sink know it.
    ///
    /// # Errors
    /// When the sink refuses.
    pub(crate) fn again<S: EventSink + ?Sized>(&mut self, row: &[u8], sink: &mut S) -> Result<bool> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let Self { text, rows, hasher, .. } = self;
        let Some(&known) = rows.find(hasher.hash_one(row), |known| known.bytes(text) == row) else {
            return Ok(false);
        };
        let pushed = sink.again(known.key, known.frequency)?;
        if pushed {
            self.hits += 1;
        } else {
            self.clear();
        }
        Ok(pushed)
    }

    /// Keeps a row that is not known, if the sink gave its event a key.
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
        self.text.grow_by(row, ROWS)?;
        let Self { text, rows, hasher, .. } = self;
        let rehash = |row: &SeenRow| hasher.hash_one(row.bytes(text));
        room_in(rows, rehash, ROWS)?;
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
    use crate::error::Error;
    use crate::events::sink::Side;

    /// Knows the events of keys from `known` on; each new event gets the next key.
    #[derive(Default)]
    struct Keys {
        last: u32,
        known: u32,
        again: Vec<(u32, u64)>,
    }

    impl EventSink for Keys {
        fn name(&mut self, _side: Side, _name: &str) -> Result<()> {
            Ok(())
        }

        fn end(&mut self, _frequency: u64) -> Result<Option<u32>> {
            self.last += 1;
            Ok((self.last >= self.known).then_some(self.last))
        }

        fn again(&mut self, key: u32, frequency: u64) -> Result<bool> {
            if frequency == 13 {
                return Err(Error::defect("another frequency", "13", ""));
            }
            self.again.push((key, frequency));
            Ok(key >= self.known)
        }
    }

    fn push(seen: &mut Seen, row: &[u8], frequency: u64, sink: &mut Keys) -> bool {
        let again = seen.again(row, sink).unwrap();
        if !again {
            let key = sink.end(frequency).unwrap();
            seen.keep(row, frequency, key).unwrap();
        }
        again
    }

    #[test]
    fn a_row_is_known_by_all_its_bytes() {
        let (mut seen, mut sink) = (Seen::default(), Keys::default());
        for (row, frequency) in [("a\tb", 2), ("a\tb\n", 3), ("", 4), ("a\t", 5)] {
            assert!(!push(&mut seen, row.as_bytes(), frequency, &mut sink), "{row:?}");
        }
        for row in ["", "a\tb\n", "a\tb"] {
            assert!(push(&mut seen, row.as_bytes(), 99, &mut sink), "{row:?}");
        }
        assert_eq!(sink.again, [(3, 4), (2, 3), (1, 2)]);
        assert!(!push(&mut seen, &vec![b'x'; LONGEST + 1], 1, &mut sink));
        assert!(!push(&mut seen, &vec![b'x'; LONGEST + 1], 1, &mut sink));
    }

    #[test]
    fn what_the_sink_forgets_is_forgotten_and_what_it_refuses_is_refused() {
        let (mut seen, mut sink) = (Seen::default(), Keys::default());
        assert!(!push(&mut seen, b"a", 1, &mut sink));
        sink.known = 2;
        // Asked once, in vain; then kept anew under key 2.
        assert!(!push(&mut seen, b"a", 1, &mut sink));
        assert!(push(&mut seen, b"a", 1, &mut sink));
        assert_eq!(sink.again, [(1, 1), (2, 1)]);
        sink.known = 9;
        assert!(!push(&mut seen, b"b", 1, &mut sink));
        assert!(!push(&mut seen, b"b", 1, &mut sink));
        sink.known = 0;
        assert!(!push(&mut seen, b"c", 13, &mut sink));
        assert!(seen.again(b"c", &mut sink).is_err());
    }

    #[test]
    fn memory_is_bounded_and_given_up_where_nothing_repeats() {
        let row = |n: u32| format!("{n:0>1000}");
        for every in [3, 5] {
            let (mut seen, mut sink) = (Seen::default(), Keys::default());
            let mut most = 0;
            for n in 0..40_000 {
                assert!(!push(&mut seen, row(n).as_bytes(), 1, &mut sink));
                if n % every == 0 {
                    // Until it is given up, the row before is known.
                    assert!(push(&mut seen, row(n).as_bytes(), 1, &mut sink) || seen.given_up);
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
            let (mut seen, mut sink) = (Seen::default(), Keys::default());
            for n in 0..TRIAL {
                assert!(!push(&mut seen, n.to_string().as_bytes(), 1, &mut sink));
            }
            for n in 0..hits {
                assert!(push(&mut seen, n.to_string().as_bytes(), 1, &mut sink));
            }
            assert!(!push(&mut seen, b"one more", 1, &mut sink));
            assert_eq!(seen.given_up, given_up);
            assert_eq!(push(&mut seen, b"0", 1, &mut sink), !given_up);
        }
    }
}
