//! Names and their ids, in order of first appearance.
//!
//! All names are in one string, one after another. So a vocabulary of a million words is three allocations, and is written to a
//! file as it is. The hash table holds only ids. It has another seed in each process, so nobody can craft names that collide; ids
//! do not depend on the seed.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, Result};
use crate::lists::span;
use crate::memory::{Grow, room_in, spell};

/// Names <-> ids (0, 1, 2, ... in order of first appearance), and how often each occurred.
///
/// Invariants: `ends` and `counts` have one entry for each name; `ends` rises, lies on character boundaries of `text` and
/// ends at its length; `table` holds each id once, under the hash of its name; names are distinct.
#[derive(Debug, Clone, Default)]
pub struct Vocab {
    text: String,
    ends: Vec<usize>,
    counts: Vec<u64>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Vocab {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// A vocabulary of names in order; a name that comes again keeps its first id.
    ///
    /// # Errors
    /// As for [`Vocab::intern`].
    pub fn of<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut vocab = Self::new();
        names.into_iter().try_for_each(|name| vocab.intern(name.as_ref()).map(drop))?;
        Ok(vocab)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of an id; `None` if there is no such id.
    pub fn name(&self, id: u32) -> Option<&str> {
        name(&self.text, &self.ends, id)
    }

    /// The id of a name.
    pub fn get(&self, wanted: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        self.table.find(hash, |&id| name(&self.text, &self.ends, id) == Some(wanted)).copied()
    }

    /// The id of a name; a new name gets the next id.
    ///
    /// # Errors
    /// When there are 2^32 - 1 names already, or [`Error::Memory`].
    pub fn intern(&mut self, wanted: &str) -> Result<u32> {
        let Self { text, ends, counts, table, hasher, .. } = self;
        let hash = hasher.hash_one(wanted);
        let equal = |&id: &u32| {
            span(ends, id as usize).and_then(|at| text.as_bytes().get(at)) == Some(wanted.as_bytes())
        };
        if let Some(&id) = table.find(hash, equal) {
            return Ok(id);
        }
        let id = u32::try_from(ends.len()).ok().filter(|&id| id < u32::MAX).ok_or_else(|| {
            Error::defect("at most 4,294,967,295 different names", "one more", "learn the data in parts")
        })?;
        let rehash = |&id: &u32| hasher.hash_one(name(text, ends, id).unwrap_or_default());
        room_in(table, rehash)?;
        ends.make_room(1)?;
        counts.make_room(1)?;
        spell(text, wanted)?;
        ends.push(text.len());
        counts.push(0);
        table.insert_unique(hash, id, |&id| hasher.hash_one(name(text, ends, id).unwrap_or_default()));
        Ok(id)
    }

    /// Adds `n` to the count of a name for each time that it is in `ids`.
    ///
    /// # Errors
    /// When a count passes 2^64 - 1.
    pub fn count(&mut self, ids: &[u32], n: u64) -> Result<()> {
        for &id in ids {
            let count =
                self.counts.get_mut(id as usize).ok_or_else(|| Error::Argument(format!("no id {id}")))?;
            *count = count.checked_add(n).ok_or_else(|| {
                Error::defect("counts below 2^64", "a larger one", "use smaller frequencies")
            })?;
        }
        Ok(())
    }

    /// How often each name occurred, in the order of the ids.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All names, in the order of the ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let name = self.text.get(start..end).unwrap_or_default();
            start = end;
            name
        })
    }

    /// All names, one after another.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where in [`Vocab::text`] each name ends.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }
}

fn name<'a>(text: &'a str, ends: &[usize], id: u32) -> Option<&'a str> {
    text.get(span(ends, id as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_like_a_list_without_repetitions(names in prop::collection::vec(".{0,3}", 0..50)) {
            let mut vocab = Vocab::new();
            let mut model: Vec<&String> = Vec::new();
            for name in &names {
                let expected = model.iter().position(|known| *known == name).unwrap_or_else(|| {
                    model.push(name);
                    model.len() - 1
                });
                prop_assert_eq!(vocab.intern(name).unwrap() as usize, expected);
            }
            prop_assert_eq!(vocab.names().collect::<Vec<_>>(), model.iter().map(|n| n.as_str()).collect::<Vec<_>>());
            for (id, name) in model.iter().enumerate() {
                prop_assert_eq!(vocab.get(name), Some(id as u32));
                prop_assert_eq!(vocab.name(id as u32), Some(name.as_str()));
            }
            prop_assert_eq!(vocab.get("not there"), None);
            prop_assert_eq!(vocab.name(model.len() as u32), None);
        }
    }
}
