//! A column: the cues of events, or their outcomes, in numbers of this thread until a writer takes them.
//!
//! The names that a word gives are found once. The names of a stretch of words are put side by side, and each event has a part of
//! them, without repetitions.

use std::mem;
use std::ops::Range;

use super::names::Names;
use super::options::Corpus;
use super::pieces::{Pieces, Text};
use super::windows::{Chosen, Events};
use crate::error::{Error, Result};
use crate::grow::Grow;
use crate::lists::{Lists, View};
use crate::vocab::Vocab;

const NAMES: &str = "the names that words give";

const ROWS: &str = "the events of a block of text";

/// The names of an event that are appended between two looks at the monitor.
const LOOK_EVERY: usize = 1 << 16;

/// Room for this many more names than are needed. Room that is never used takes no memory.
const MORE: usize = 1 << 10;

/// The cues of events, or their outcomes.
pub(super) struct Column {
    pieces: Vec<Pieces>,
    names: Vocab,
    /// The writer's id of each name, once that is known. The list may be shorter than the list of names.
    theirs: Vec<Option<u32>>,
    rows: NameLists,
    /// Rows in the writer's ids; a buffer that is reused.
    sent: Lists,
}

/// The names of events, one event after another. They are not [`Lists`], because each name is written first, into room that is
/// there already, and then kept or not.
///
/// Invariants: the first `used` of `ids` are the names, and `ends` says where those of each event end. `last` has for each name the
/// number of the last event that had it. The numbers rise; `number` is the latest.
#[derive(Default)]
struct NameLists {
    ids: Vec<u32>,
    used: usize,
    ends: Vec<usize>,
    last: Vec<u32>,
    number: u32,
    /// Whether a name that an event has already is dropped.
    once: bool,
}

impl Column {
    /// If `once`, names that an event has already are dropped.
    pub(super) fn new(names: &[Names], corpus: &Corpus, once: bool) -> Self {
        Self {
            pieces: names.iter().map(|names| Pieces::new(names, corpus)).collect(),
            names: Vocab::new(),
            theirs: Vec::new(),
            rows: NameLists { once, ..NameLists::default() },
            sent: Lists::default(),
        }
    }

    /// Appends the names that the chosen words of each event give. After an error the caller must remove the new rows.
    pub(super) fn append(&mut self, events: &Events<'_>, part: Chosen, text: &mut Text<'_>) -> Result<()> {
        let Self { pieces, names, rows, .. } = self;
        let (used, pairs) = events.used(part);
        for pieces in &mut *pieces {
            pieces.cover(events.words, used.clone(), pairs, text, names)?;
        }
        rows.ends.make_room(events.len(), ROWS)?;
        for event in 0..events.len() {
            let parts = events.words_of(event, part);
            rows.begin();
            for pieces in &mut *pieces {
                for words in parts.clone() {
                    if words.is_empty() {
                        continue;
                    }
                    let given = pieces.of(events.words, words, text, names)?;
                    for given in given.chunks(LOOK_EVERY) {
                        text.monitor.check()?;
                        rows.put(given, names.len())?;
                    }
                }
            }
            rows.ends.push(rows.used);
        }
        Ok(())
    }

    /// Some rows in the writer's ids. The writer is asked for ids of names that have none yet, in their order. An error comes
    /// with the number of rows before it.
    pub(super) fn sent(
        &mut self,
        rows: Range<usize>,
        mut ask: impl FnMut(&str) -> Result<u32>,
    ) -> std::result::Result<View<'_>, (usize, Error)> {
        let Self { names, theirs, rows: known, sent, .. } = self;
        let ours = known.view().part(rows);
        theirs.grow_to(names.len(), None, NAMES).map_err(|error| (0, error))?;
        for (i, &name) in ours.items().iter().enumerate() {
            let id = &mut theirs[name as usize];
            if id.is_none() {
                let asked = ask(names.name(name).unwrap_or_default());
                *id = Some(asked.map_err(|error| (ours.within(i), error))?);
            }
        }
        sent.clear();
        // All ids are known by now.
        let appended = sent.append(ours, |name| theirs[name as usize].unwrap_or_default(), ROWS);
        appended.map(|()| sent.view()).map_err(|error| (0, error))
    }

    /// Keeps only the first `n` rows.
    pub(super) fn truncate(&mut self, n: usize) {
        let rows = &mut self.rows;
        rows.ends.truncate(n);
        rows.used = rows.ends.last().copied().unwrap_or(0);
    }

    /// About how many bytes of memory the names take, and the lists of names that words give.
    pub(super) fn size_of_names(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(Pieces::size).sum();
        self.names.text().len() + 44 * self.names.len() + pieces
    }

    /// How many names all rows have.
    pub(super) fn n_ids(&self) -> usize {
        self.rows.used
    }
}

impl NameLists {
    /// The names of each event.
    fn view(&self) -> View<'_> {
        View::new(&self.ids[..self.used], &self.ends)
    }

    /// Begins a row.
    #[inline]
    fn begin(&mut self) {
        if self.number == u32::MAX {
            self.last.fill(0);
            self.number = 0;
        }
        self.number += 1;
    }

    /// Appends names to the row; there are `n` different names in all.
    #[inline(always)]
    fn put(&mut self, given: &[u32], n: usize) -> Result<()> {
        if self.last.len() < n {
            self.last.grow_to(n, 0, NAMES)?;
        }
        // Room for one too many.
        let needed = self.used + given.len() + 1;
        if self.ids.len() < needed {
            self.ids.grow_to(needed + MORE, 0, ROWS)?;
        }
        let room = &mut self.ids[self.used..];
        let mut kept = 0;
        if self.once {
            for &id in given {
                // No branch: the processor could not predict whether a name comes again.
                room[kept] = id;
                let last = mem::replace(&mut self.last[id as usize], self.number);
                kept += usize::from(last != self.number);
            }
        } else {
            room[..given.len()].copy_from_slice(given);
            kept = given.len();
        }
        self.used += kept;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_keep_the_first_of_each_name(
            given in prop::collection::vec(prop::collection::vec(prop::collection::vec(0_u32..6, 0..5), 0..4), 0..10),
            number in prop_oneof![Just(0_u32), Just(u32::MAX - 2)],
            once: bool,
        ) {
            let mut rows = NameLists { number, once, ..NameLists::default() };
            let mut expected = Vec::new();
            for parts in &given {
                rows.begin();
                let start = expected.len();
                for part in parts {
                    rows.put(part, 6).unwrap();
                    for id in part {
                        if !once || !expected[start..].contains(id) {
                            expected.push(*id);
                        }
                    }
                }
                prop_assert_eq!(&rows.ids[..rows.used], &expected);
            }
        }
    }
}
