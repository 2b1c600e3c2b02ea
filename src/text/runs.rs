//! Runs seen before: text repeats itself, so what a run of characters holds is found out once.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// What a run holds: a word, or several things, told apart by this bit.
const SEVERAL: u32 = 1 << 31;

/// What is kept takes about this much memory, but for what one block of text adds.
const BUDGET: usize = 16 << 20;

/// A longer run is not kept.
const LONGEST: usize = 1 << 10;

/// One thing in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A word, by its number.
    Word(u32),
    /// The end of a sentence.
    Sentence,
    /// The end of a document.
    Document,
}

/// What is known of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known<'r> {
    /// It is one word.
    Word(u32),
    /// It holds these.
    Items(&'r [Item]),
}

/// Runs and what they hold.
///
/// Invariant: `table` holds each run once, under the hash of its bytes, which lie in `text`; what is not one word is a
/// range of `items`, given in `several`.
#[derive(Default)]
pub(super) struct Runs {
    text: Vec<u8>,
    table: HashTable<Run>,
    hasher: DefaultHashBuilder,
    items: Vec<Item>,
    several: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Run {
    start: u32,
    length: u32,
    holds: u32,
}

impl Run {
    #[inline]
    fn bytes(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..][..self.length as usize]
    }
}

impl Runs {
    /// What a run holds, if it is known.
    #[inline]
    pub(super) fn get(&self, run: &str) -> Option<Known<'_>> {
        let run = run.as_bytes();
        let known = self.table.find(self.hasher.hash_one(run), |known| known.bytes(&self.text) == run)?;
        Some(if known.holds & SEVERAL == 0 {
            Known::Word(known.holds)
        } else {
            let (start, end) = self.several[(known.holds & !SEVERAL) as usize];
            Known::Items(&self.items[start..end])
        })
    }

    /// Keeps what a run holds that is not known.
    pub(super) fn keep(&mut self, run: &str, holds: &[Item]) {
        if run.len() > LONGEST {
            return;
        }
        if self.text.len() + self.items.len() * size_of::<Item>() + self.table.len() * size_of::<Run>()
            > BUDGET
        {
            self.clear();
        }
        let holds = match *holds {
            [Item::Word(word)] if word & SEVERAL == 0 => word,
            _ => {
                let start = self.items.len();
                self.items.extend_from_slice(holds);
                self.several.push((start, self.items.len()));
                SEVERAL | (self.several.len() - 1) as u32
            }
        };
        let Self { text, table, hasher, .. } = self;
        // Both fit, and so does the number above: the budget is far below 2^31.
        let known = Run { start: text.len() as u32, length: run.len() as u32, holds };
        text.extend_from_slice(run.as_bytes());
        table.insert_unique(hasher.hash_one(run.as_bytes()), known, |known| {
            hasher.hash_one(known.bytes(text))
        });
    }

    /// Forgets all runs.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.table.clear();
        self.items.clear();
        self.several.clear();
    }
}
