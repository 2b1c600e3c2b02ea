//! Runs of characters seen before. Text repeats itself, so each run is cut into words once.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::occurred::LeftOut;
use crate::error::Result;
use crate::memory::{Grow, room_in};

/// What a run holds: a word, or several things; this bit says which.
const SEVERAL: u32 = 1 << 31;

/// About the most memory that is kept, besides what one block of text adds.
const BUDGET: usize = 16 << 20;

/// The longest run that is kept.
const LONGEST: usize = 1 << 10;

/// The bytes of a run that are compared at once.
const HEAD: usize = size_of::<u64>();

/// One thing in a run. A word is given by its number, unless another type is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item<W = u32> {
    /// A word.
    Word(W),
    /// The end of a sentence.
    Sentence,
    /// The end of a document.
    Document,
    /// A word that is left out, or cut.
    LeftOut(LeftOut),
}

/// What is known of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Known<'r> {
    /// It is one word.
    Word(u32),
    /// It holds these.
    Items(&'r [Item]),
}

/// A run of characters in a text: its bytes, and the first eight as a number (zeros follow a shorter run).
#[derive(Debug, Clone, Copy)]
pub(super) struct TextRun<'t> {
    bytes: &'t [u8],
    head: u64,
}

/// The bytes of a text that are looked at to find a word at its beginning.
pub(super) const SHOWN: usize = HEAD + 1;

/// A word that is found at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) word: u32,
    /// How many bytes it has in the text.
    pub(super) length: usize,
    /// Whether one space follows it, and then another run.
    pub(super) goes_on: bool,
}

/// Runs and what they hold.
///
/// Invariants: `short` has each run of fewer bytes than a head once: its key and what it holds, under the hash of the key. `long`
/// has each other run, under the hash of its bytes; the bytes after the head are in `text`. If a run is not one word, `several`
/// has the range of its `items`.
#[derive(Default)]
pub(super) struct Runs {
    text: Vec<u8>,
    short: HashTable<(u64, u32)>,
    long: HashTable<Kept>,
    hasher: DefaultHashBuilder,
    items: Vec<Item>,
    several: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
struct Kept {
    head: u64,
    length: u32,
    /// Where the bytes after the head begin.
    tail: u32,
    holds: u32,
}

impl<'t> TextRun<'t> {
    /// The run that begins at a place of a text and ends before the next ASCII white space.
    #[inline(always)]
    pub(super) fn at(text: &'t [u8], start: usize) -> Self {
        let mut end = start;
        let mut head = None;
        while let Some(&word) = text[end..].first_chunk::<HEAD>() {
            let word = u64::from_le_bytes(word);
            match first_space(word) {
                HEAD => end += HEAD,
                n => {
                    end += n;
                    let short = head.is_none() && n > 0;
                    let head = head.unwrap_or(if short { word & (u64::MAX >> (64 - 8 * n)) } else { 0 });
                    return TextRun { bytes: &text[start..end], head };
                }
            }
            head.get_or_insert(word);
        }
        let rest = text[end..].iter().position(u8::is_ascii_whitespace);
        let bytes = &text[start..rest.map_or(text.len(), |n| end + n)];
        TextRun { bytes, head: head.unwrap_or_else(|| head_of(bytes)) }
    }

    /// The run of given bytes.
    pub(super) fn of(bytes: &'t [u8]) -> Self {
        TextRun { bytes, head: head_of(bytes) }
    }

    /// How many bytes it has.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.bytes.len()
    }

    #[inline]
    fn tail(self) -> &'t [u8] {
        self.bytes.get(HEAD..).unwrap_or_default()
    }

    /// A number that no other run has, if the run is shorter than a head.
    #[inline]
    fn key(self) -> Option<u64> {
        (self.len() < HEAD).then(|| key(self.head, self.len()))
    }
}

/// The key of a run shorter than [`HEAD`]: its bytes, followed by a 1.
#[inline]
fn key(head: u64, length: usize) -> u64 {
    head | 1 << (8 * length)
}

/// How many of eight bytes, the lowest first, come before the first ASCII white space.
#[inline]
fn first_space(word: u64) -> usize {
    let mut low = low_bytes(word);
    while low != 0 {
        let n = low.trailing_zeros() as usize / 8;
        if ((word >> (8 * n)) as u8).is_ascii_whitespace() {
            return n;
        }
        low &= low - 1;
    }
    HEAD
}

/// The high bit of each byte that is less than 0x21, and perhaps of some bytes after the first of those.
#[inline]
fn low_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    word.wrapping_sub(ONES * 0x21) & !word & HIGH
}

fn head_of(run: &[u8]) -> u64 {
    let mut head = [0; HEAD];
    let n = run.len().min(HEAD);
    head[..n].copy_from_slice(&run[..n]);
    u64::from_le_bytes(head)
}

impl Runs {
    /// The run at the beginning of a text, if it is known to be a word, has no control characters, and ends within these bytes.
    #[inline(always)]
    pub(super) fn word(&self, text: &[u8; SHOWN]) -> Option<Found> {
        let [head @ .., _] = text;
        let head = u64::from_le_bytes(*head);
        let low = low_bytes(head);
        let length = low.trailing_zeros() as usize / 8;
        if !(1..HEAD).contains(&length) {
            return None;
        }
        let space = text[length];
        if !(space == b' ' || space.is_ascii_whitespace()) {
            return None;
        }
        // The lowest bit of the byte after the run.
        let end = (low & low.wrapping_neg()) >> 7;
        let key = head & end.wrapping_sub(1) | end;
        let (_, holds) = self.short.find(self.hasher.hash_one(key), |&(known, _)| known == key)?;
        let goes_on = space == b' ' && text[length + 1] > b' ';
        (holds & SEVERAL == 0).then_some(Found { word: *holds, length, goes_on })
    }

    /// What a run holds, if it is known.
    #[inline]
    pub(super) fn get(&self, run: TextRun<'_>) -> Option<Known<'_>> {
        let holds = match run.key() {
            Some(key) => self.short.find(self.hasher.hash_one(key), |&(known, _)| known == key)?.1,
            None => {
                let is_it = |kept: &Kept| {
                    kept.head == run.head
                        && kept.length as usize == run.len()
                        && tail(*kept, &self.text) == run.tail()
                };
                self.long.find(hash(&self.hasher, run.head, run.tail()), is_it)?.holds
            }
        };
        Some(if holds & SEVERAL == 0 {
            Known::Word(holds)
        } else {
            let (start, end) = self.several[(holds & !SEVERAL) as usize];
            Known::Items(&self.items[start..end])
        })
    }

    /// Keeps what a run holds; the run is not known yet.
    pub(super) fn keep(&mut self, run: TextRun<'_>, holds: &[Item]) -> Result<()> {
        if run.len() > LONGEST {
            return Ok(());
        }
        let kept = self.short.len() * size_of::<(u64, u32)>() + self.long.len() * size_of::<Kept>();
        if self.text.len() + self.items.len() * size_of::<Item>() + kept > BUDGET {
            self.clear();
        }
        let holds = match *holds {
            [Item::Word(word)] if word & SEVERAL == 0 => word,
            _ => {
                let start = self.items.len();
                self.items.grow_by(holds)?;
                self.several.grow((start, self.items.len()))?;
                SEVERAL | (self.several.len() - 1) as u32
            }
        };
        let Self { text, short, long, hasher, .. } = self;
        if let Some(key) = run.key() {
            let rehash = |(key, _): &(u64, u32)| hasher.hash_one(key);
            room_in(short, rehash)?;
            short.insert_unique(hasher.hash_one(key), (key, holds), rehash);
            return Ok(());
        }
        // All fit: the budget is far below 2^31.
        let kept = Kept { head: run.head, length: run.len() as u32, tail: text.len() as u32, holds };
        text.grow_by(run.tail())?;
        let rehash = |kept: &Kept| hash(hasher, kept.head, tail(*kept, text));
        room_in(long, rehash)?;
        long.insert_unique(hash(hasher, run.head, run.tail()), kept, rehash);
        Ok(())
    }

    /// Forgets all runs.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.short.clear();
        self.long.clear();
        self.items.clear();
        self.several.clear();
    }
}

#[inline]
fn tail(kept: Kept, text: &[u8]) -> &[u8] {
    let length = (kept.length as usize).saturating_sub(HEAD);
    &text[kept.tail as usize..][..length]
}

#[inline]
fn hash(hasher: &DefaultHashBuilder, head: u64, tail: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write_u64(head);
    if !tail.is_empty() {
        hasher.write(tail);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether a word can be found at the beginning of a text.
    fn is_found(name: &str) -> bool {
        (1..HEAD).contains(&name.len()) && name.bytes().all(|byte| byte > b' ')
    }

    #[test]
    fn a_short_run_is_not_taken_for_another() {
        let mut runs = Runs::default();
        let names =
            ["a", "a\0", "a\0\0", "a\0\0\0\0\0\0", "a\0\0\0\0\0\0\u{1}", "a\0\0\0\0\0\0\u{2}", "a\u{1}"];
        for (word, name) in (0..).zip(names) {
            assert!(runs.get(TextRun::of(name.as_bytes())).is_none(), "{name:?}");
            runs.keep(TextRun::of(name.as_bytes()), &[Item::Word(word)]).unwrap();
        }
        for (word, name) in (0..).zip(names) {
            let known = runs.get(TextRun::of(name.as_bytes()));
            assert!(matches!(known, Some(Known::Word(known)) if known == word), "{name:?}");
            let found = runs.word(format!("{name}  behind").as_bytes().first_chunk().unwrap());
            let expected = Found { word, length: name.len(), goes_on: false };
            assert_eq!(found, Some(expected).filter(|_| is_found(name)), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn a_run_ends_before_white_space(text in r"[a\x00-\x20é\u{3000}]{0,40}", start in 0usize..10) {
            let bytes = text.as_bytes();
            let start = start.min(bytes.len());
            let expected: Vec<u8> = bytes[start..].iter().copied().take_while(|b| !b.is_ascii_whitespace()).collect();
            let run = TextRun::at(bytes, start);
            prop_assert_eq!(run.bytes, &expected);
            prop_assert_eq!(run.head, head_of(&expected));
        }

        #[test]
        fn runs_are_known_by_their_bytes(names in proptest::collection::vec(r"[a\x00]{0,20}", 0..60)) {
            let mut runs = Runs::default();
            let mut model: Vec<&String> = Vec::new();
            for name in &names {
                let run = TextRun::at(name.as_bytes(), 0);
                let at = model.iter().position(|known| *known == name);
                let word = at.filter(|at| !at.is_multiple_of(3) && is_found(name));
                for (behind, goes_on) in [(" and more text", true), ("  and more", false), ("\nand more", false)] {
                    let text = format!("{name}{behind}");
                    let found = word.map(|word| Found { word: word as u32, length: name.len(), goes_on });
                    prop_assert_eq!(runs.word(text.as_bytes().first_chunk().unwrap()), found);
                }
                match (runs.get(run), at) {
                    (None, None) => {
                        let items = [Item::Sentence, Item::Word(model.len() as u32)];
                        runs.keep(run, &items[usize::from(!model.len().is_multiple_of(3))..]).unwrap();
                        model.push(name);
                    }
                    (Some(Known::Word(word)), Some(at)) => prop_assert_eq!(word as usize, at),
                    (Some(Known::Items(items)), Some(at)) => prop_assert_eq!(items, [Item::Sentence, Item::Word(at as u32)]),
                    (known, at) => prop_assert!(false, "{:?} {:?}", known, at),
                }
            }
        }
    }
}
