//! Memory whose size depends on the data. If there is not enough, that is an error.
//!
//! The standard library ends the process if it has no memory for a growing list. So lists that grow with the data use these
//! functions; lists of a fixed, small size need not. Memory is doubled, as the standard library does, so a list that grows item
//! by item is seldom moved.

use hashbrown::HashTable;

use crate::error::{Error, Result};

/// What users can do when there is not enough memory.
const CURE: &str = "take less data at a time, use fewer threads, or allow the process more memory";

/// The error that there is no memory for `n` items of a type.
pub(crate) fn short<T>(n: usize, what: &'static str) -> Error {
    Error::Memory { what, bytes: n as u128 * size_of::<T>().max(1) as u128, cure: CURE }
}

/// Lists that grow with the data. `what` names the list in messages.
pub(crate) trait Grow<T> {
    /// Makes room for more items, so that appending them does not move the list.
    fn make_room(&mut self, more: usize, what: &'static str) -> Result<()>;

    /// Appends an item.
    fn grow(&mut self, item: T, what: &'static str) -> Result<()>;

    /// Appends items.
    fn grow_by(&mut self, items: &[T], what: &'static str) -> Result<()>
    where
        T: Copy;

    /// Makes the list longer, with the value in all new places.
    fn grow_to(&mut self, length: usize, value: T, what: &'static str) -> Result<()>
    where
        T: Clone;
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn make_room(&mut self, more: usize, what: &'static str) -> Result<()> {
        if self.capacity() - self.len() >= more {
            return Ok(());
        }
        self.try_reserve(more).map_err(|_| short::<T>(self.len().saturating_add(more), what))
    }

    #[inline]
    fn grow(&mut self, item: T, what: &'static str) -> Result<()> {
        self.make_room(1, what)?;
        self.push(item);
        Ok(())
    }

    #[inline]
    fn grow_by(&mut self, items: &[T], what: &'static str) -> Result<()>
    where
        T: Copy,
    {
        self.make_room(items.len(), what)?;
        self.extend_from_slice(items);
        Ok(())
    }

    fn grow_to(&mut self, length: usize, value: T, what: &'static str) -> Result<()>
    where
        T: Clone,
    {
        self.make_room(length.saturating_sub(self.len()), what)?;
        self.resize(length, value);
        Ok(())
    }
}

/// Makes room for one more entry of a table.
pub(crate) fn room_in<T>(
    table: &mut HashTable<T>,
    hash: impl Fn(&T) -> u64,
    what: &'static str,
) -> Result<()> {
    let length = table.len();
    table.try_reserve(1, hash).map_err(|_| short::<T>(2 * (length + 1), what))
}

/// Appends to a text.
pub(crate) fn spell(text: &mut String, more: &str, what: &'static str) -> Result<()> {
    text.try_reserve(more.len()).map_err(|_| short::<u8>(text.len().saturating_add(more.len()), what))?;
    text.push_str(more);
    Ok(())
}

/// A list of `length` equal items.
pub(crate) fn filled<T: Clone>(value: T, length: usize, what: &'static str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(|_| short::<T>(length, what))?;
    list.resize(length, value);
    Ok(list)
}

/// A list of some items.
pub(crate) fn copied<T: Copy>(items: &[T], what: &'static str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len()).map_err(|_| short::<T>(items.len(), what))?;
    list.extend_from_slice(items);
    Ok(list)
}

/// A list of the items of an iterator.
pub(crate) fn collected<T>(items: impl IntoIterator<Item = T>, what: &'static str) -> Result<Vec<T>> {
    let mut items = items.into_iter();
    let mut list = Vec::new();
    loop {
        let (least, most) = items.size_hint();
        list.make_room(least.max(1), what)?;
        if most == Some(least) {
            list.extend(items);
            return Ok(list);
        }
        for _ in list.len()..list.capacity() {
            match items.next() {
                Some(item) => list.push(item),
                None => return Ok(list),
            }
        }
    }
}

/// A list of the items of an iterator, or its first error.
pub(crate) fn gathered<T>(items: impl IntoIterator<Item = Result<T>>, what: &'static str) -> Result<Vec<T>> {
    let items = items.into_iter();
    let mut list = Vec::new();
    list.make_room(items.size_hint().0, what)?;
    for item in items {
        list.grow(item?, what)?;
    }
    Ok(list)
}

/// Less memory is not asked for.
const LITTLE: usize = 16 << 10;

/// Allocates memory and frees it, before a library allocates as much: the library would end the process if there is none.
pub(crate) fn ask(bytes: usize, what: &'static str) -> Result<()> {
    if bytes < LITTLE { Ok(()) } else { Vec::<u8>::new().make_room(bytes, what) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_those_of_the_standard_library(items in prop::collection::vec(any::<u32>(), 0..50), more in 0..50_usize) {
            prop_assert_eq!(&copied(&items, "").unwrap(), &items);
            prop_assert_eq!(&collected(items.iter().copied(), "").unwrap(), &items);
            let odd = || items.iter().copied().filter(|item| item % 2 == 1);
            prop_assert_eq!(collected(odd(), "").unwrap(), odd().collect::<Vec<_>>());
            prop_assert_eq!(&gathered(items.iter().map(|&item| Ok(item)), "").unwrap(), &items);
            let (mut grown, mut expected) = (items.clone(), items.clone());
            grown.grow_by(&items, "").unwrap();
            grown.grow(7, "").unwrap();
            grown.grow_to(2 * items.len() + 1 + more, 3, "").unwrap();
            expected.extend_from_slice(&items);
            expected.push(7);
            expected.extend(filled(3, more, "").unwrap());
            prop_assert_eq!(grown, expected);
        }
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        let short = |result: Result<()>, expected: u128| {
            let Err(Error::Memory { what, bytes, .. }) = result else { panic!("{result:?}") };
            assert_eq!((what, bytes), ("much", expected));
        };
        let more = usize::MAX / 8;
        let bytes = |items: usize| 8 * items as u128;
        short(vec![1_u64].make_room(more, "much"), bytes(more + 1));
        short(vec![1_u64].grow_to(more, 0, "much"), bytes(more));
        short(filled(0_u64, more, "much").map(drop), bytes(more));
        short(collected(std::iter::repeat_n(0_u64, more), "much").map(drop), bytes(more));
        short(ask(usize::MAX, "much"), usize::MAX as u128);
    }
}
