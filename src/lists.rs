//! Many lists in one: all items one after another, and where each list ends.
//!
//! So a million short lists are two allocations, and one list is a slice.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{Error, Result};
use crate::memory::{Grow, collected, copied, room_in};

/// Lists of items; of ids, unless another type is named.
///
/// Invariant: `ends` rises, and ends at `items.len()` or before it: items after the last end are of a list that is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists<T = u32> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// List `i`; the empty list if there is none.
    #[inline]
    pub fn get(&self, i: usize) -> &[T] {
        span(&self.ends, i).and_then(|span| self.items.get(span)).unwrap_or(&[])
    }

    /// All lists in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Appends an item to the open list.
    ///
    /// # Errors
    /// [`Error::Memory`].
    #[inline]
    pub fn add(&mut self, item: T) -> Result<()> {
        self.items.grow(item)
    }

    /// Ends the open list.
    ///
    /// # Errors
    /// [`Error::Memory`].
    #[inline]
    pub fn end(&mut self) -> Result<()> {
        self.ends.grow(self.items.len())
    }

    /// Appends a list of these items.
    ///
    /// # Errors
    /// [`Error::Memory`]; there is no such list then.
    pub fn gather(&mut self, items: impl Iterator<Item = T> + Clone) -> Result<()> {
        self.ends.make_room(1)?;
        self.items.make_room(items.clone().count())?;
        self.items.extend(items);
        self.ends.push(self.items.len());
        Ok(())
    }

    /// Removes all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    /// All items of all lists.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// All items of some lists.
    pub fn items_of(&self, lists: Range<usize>) -> &[T] {
        let start = lists.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = lists.end.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.items[start..end.max(start)]
    }

    /// All items of all lists, to be changed in place.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// All items of all lists, without the lists.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// Where each list ends in [`Lists::items`].
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Keeps only the items for which `keep` is true, in their lists.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let Self { ends, items } = self;
        let (mut list, mut read, mut kept) = (0, 0, 0);
        items.retain(|item| {
            // Lists that ended before this item end after those that were kept.
            while ends.get(list).is_some_and(|&end| end == read) {
                ends[list] = kept;
                list += 1;
            }
            read += 1;
            let stays = keep(item);
            kept += usize::from(stays);
            stays
        });
        ends[list..].fill(kept);
    }

    /// Bytes of memory in use.
    pub fn size(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.items[..])
    }
}

impl<T: Copy> Lists<T> {
    /// Lists of these lengths; `None` if the items are more or fewer than that.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn of(lengths: &[u32], items: Vec<T>) -> Result<Option<Self>> {
        let mut end = 0_usize;
        let ends = lengths.iter().map(|&length| {
            end = end.saturating_add(length as usize);
            end
        });
        let ends = collected(ends)?;
        Ok((end == items.len()).then_some(Self { ends, items }))
    }

    /// Appends a list.
    ///
    /// # Errors
    /// [`Error::Memory`]; there is no such list then.
    #[inline]
    pub fn push(&mut self, list: &[T]) -> Result<()> {
        self.ends.make_room(1)?;
        self.items.grow_by(list)?;
        self.ends.push(self.items.len());
        Ok(())
    }

    /// A copy of the lists.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn try_clone(&self) -> Result<Self> {
        Ok(Self { ends: copied(&self.ends)?, items: copied(&self.items)? })
    }
}

/// An entry of a table of numbered things: the number of one, and half of its hash, so that no thing is read when the table grows:
/// that would take seconds. Half is enough, since there are fewer than 2^32 numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListKey {
    pub(crate) hash: u32,
    pub(crate) number: u32,
}

impl ListKey {
    /// The half of a hash that is kept.
    #[inline]
    pub(crate) fn half(hash: u64) -> u32 {
        hash as u32
    }

    /// The hash for the table, which uses its highest and its lowest bits.
    #[inline]
    pub(crate) fn whole(half: u32) -> u64 {
        u64::from(half) << 32 | u64::from(half)
    }

    /// The hash of an entry for the table.
    #[inline]
    pub(crate) fn rehash(&self) -> u64 {
        Self::whole(self.hash)
    }
}

/// Lists of ids that all differ, each found by its ids.
///
/// Invariant: `index` holds the number of each list once, under the hash of the list.
#[derive(Debug, Default)]
pub(crate) struct DistinctLists {
    lists: Lists,
    index: HashTable<ListKey>,
    hasher: DefaultHashBuilder,
}

impl DistinctLists {
    /// The number of a list, and whether the list is new.
    ///
    /// # Errors
    /// [`Error::Memory`], or when there are 2^32 lists already.
    pub(crate) fn intern(&mut self, list: &[u32]) -> Result<(u32, bool)> {
        let Self { lists, index, hasher } = self;
        let hash = ListKey::half(hasher.hash_one(list));
        let equal = |known: &ListKey| known.hash == hash && lists.get(known.number as usize) == list;
        if let Some(known) = index.find(ListKey::whole(hash), equal) {
            return Ok((known.number, false));
        }
        let number = u32::try_from(lists.len()).map_err(|_| {
            Error::Argument("expected fewer than 4,294,967,296 lists that differ; use fewer events".into())
        })?;
        room_in(index, ListKey::rehash)?;
        lists.push(list)?;
        index.insert_unique(ListKey::whole(hash), ListKey { hash, number }, ListKey::rehash);
        Ok((number, true))
    }

    /// The lists, in the order of their numbers.
    pub(crate) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// The lists, without the index.
    pub(crate) fn into_lists(self) -> Lists {
        self.lists
    }
}

/// The range of list `i` among the items, if there is such a list.
#[inline]
pub fn span<E: Copy + Default>(ends: &[E], i: usize) -> Option<Range<E>> {
    let start = match i.checked_sub(1) {
        Some(before) => *ends.get(before)?,
        None => E::default(),
    };
    Some(start..*ends.get(i)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lists_of(model: &[Vec<u32>]) -> Lists {
        let mut lists = Lists::default();
        model.iter().for_each(|list| lists.push(list).unwrap());
        lists
    }

    proptest! {
        #[test]
        fn lists_are_a_vector_of_vectors(model in prop::collection::vec(prop::collection::vec(0..9_u32, 0..4), 0..9)) {
            let lists = lists_of(&model);
            prop_assert_eq!(lists.iter().map(<[u32]>::to_vec).collect::<Vec<_>>(), model.clone());
            prop_assert_eq!((lists.len(), lists.is_empty()), (model.len(), model.is_empty()));
            prop_assert_eq!(lists.get(model.len()), &[] as &[u32]);
            prop_assert_eq!(lists.items(), model.concat());
            for part in (0..=model.len()).flat_map(|to| (0..=to).map(move |from| from..to)) {
                prop_assert_eq!(lists.items_of(part.clone()), model[part].concat());
            }

            let (mut gathered, mut added) = (Lists::default(), Lists::default());
            for list in &model {
                gathered.gather(list.iter().copied()).unwrap();
                list.iter().for_each(|&item| added.add(item).unwrap());
                added.end().unwrap();
            }
            let lengths: Vec<u32> = model.iter().map(|list| list.len() as u32).collect();
            prop_assert_eq!(&gathered, &lists);
            prop_assert_eq!(&added, &lists);
            prop_assert_eq!(&Lists::of(&lengths, model.concat()).unwrap().unwrap(), &lists);
            prop_assert_eq!(Lists::of(&lengths, vec![0; model.concat().len() + 1]).unwrap(), None);
        }

        #[test]
        fn distinct_lists_are_numbered_as_they_come(model in prop::collection::vec(prop::collection::vec(0..3_u32, 0..3), 0..30)) {
            let (mut lists, mut known) = (DistinctLists::default(), Vec::new());
            for list in &model {
                let before = known.iter().position(|other| other == list);
                if before.is_none() {
                    known.push(list.clone());
                }
                let number = before.unwrap_or(known.len() - 1) as u32;
                prop_assert_eq!(lists.intern(list).unwrap(), (number, before.is_none()));
            }
            prop_assert_eq!(lists.lists(), &lists_of(&known));
            prop_assert_eq!(lists.into_lists(), lists_of(&known));
        }

        #[test]
        fn what_is_kept_stays_in_its_list(
            model in prop::collection::vec(prop::collection::vec(0..9_u32, 0..4), 0..9),
            most in 0..9_u32,
        ) {
            let mut lists = lists_of(&model);
            lists.retain(|&item| item < most);
            let kept: Vec<Vec<u32>> =
                model.iter().map(|list| list.iter().copied().filter(|&item| item < most).collect()).collect();
            prop_assert_eq!(&lists, &lists_of(&kept));
        }
    }
}
