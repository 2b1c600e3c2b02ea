//! Memory whose size depends on the data: it is asked for, and a lack of it is an error.
//!
//! The standard library, rayon and faer end the process if they have no memory. So lists that grow with the data use these
//! functions; lists of a fixed, small size need not. Who takes much also sees to it that a margin is left for the many small
//! allocations. Memory is doubled, as the standard library does, so a list that grows item by item is seldom moved.

use std::io;

use hashbrown::HashTable;
use memmap2::MmapMut;

use crate::error::{Error, Result};

/// What users can do when there is not enough memory.
const CURE: &str = "take less data at a time, use fewer threads, or allow the process more memory";

/// Events in memory.
pub(crate) const EVENTS: &str = "the events";

/// The memory that stays free for small allocations.
const MARGIN: usize = 1 << 20;
/// Allocations of fewer bytes are small.
const SMALL: usize = 1 << 16;

/// The error that there is no memory for `n` items of a type.
pub(crate) fn short<T>(n: usize) -> Error {
    Error::Memory { what: "the work", bytes: n as u128 * size_of::<T>().max(1) as u128, cure: CURE }
}

/// Says more of a lack of memory.
pub(crate) trait Lack {
    /// What is too large.
    fn named(self, what: &'static str) -> Self;

    /// What the user can do.
    fn cured(self, cure: &'static str) -> Self;
}

impl<T> Lack for Result<T> {
    fn named(self, name: &'static str) -> Self {
        self.map_err(|error| match error {
            Error::Memory { bytes, cure, .. } => Error::Memory { what: name, bytes, cure },
            other => other,
        })
    }

    fn cured(self, advice: &'static str) -> Self {
        self.map_err(|error| match error {
            Error::Memory { what, bytes, .. } => Error::Memory { what, bytes, cure: advice },
            other => other,
        })
    }
}

/// Fails unless so many bytes are free beside the margin, which a library or a thread is about to take.
///
/// Memory that one thread freed may not serve another, so it must come from the system.
///
/// # Errors
/// The system's own.
pub(crate) fn free(bytes: usize) -> io::Result<()> {
    MmapMut::map_anon(bytes.saturating_add(MARGIN)).map(drop)
}

/// [`free`] for a library that would end the process if there is too little.
pub(crate) fn ask(bytes: usize) -> Result<()> {
    if bytes < LITTLE { Ok(()) } else { free(bytes).map_err(|_| short::<u8>(bytes)) }
}

/// Less memory is not asked for.
const LITTLE: usize = 16 << 10;

/// Fails unless the margin is free beside so many bytes, which have been taken.
fn margin(bytes: usize) -> Result<()> {
    if bytes < SMALL { Ok(()) } else { free(0).map_err(|_| short::<u8>(bytes)) }
}

/// Lists that grow with the data.
pub(crate) trait Grow<T> {
    /// Makes room for more items, so that appending them does not move the list.
    fn make_room(&mut self, more: usize) -> Result<()>;

    /// Appends an item.
    fn grow(&mut self, item: T) -> Result<()>;

    /// Appends items.
    fn grow_by(&mut self, items: &[T]) -> Result<()>
    where
        T: Copy;

    /// Makes the list longer, with the value in all new places.
    fn grow_to(&mut self, length: usize, value: T) -> Result<()>
    where
        T: Clone;
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn make_room(&mut self, more: usize) -> Result<()> {
        if self.capacity() - self.len() >= more {
            return Ok(());
        }
        self.try_reserve(more).map_err(|_| short::<T>(self.len().saturating_add(more)))?;
        margin(self.capacity().saturating_mul(size_of::<T>()))
    }

    #[inline]
    fn grow(&mut self, item: T) -> Result<()> {
        self.make_room(1)?;
        self.push(item);
        Ok(())
    }

    #[inline]
    fn grow_by(&mut self, items: &[T]) -> Result<()>
    where
        T: Copy,
    {
        self.make_room(items.len())?;
        self.extend_from_slice(items);
        Ok(())
    }

    fn grow_to(&mut self, length: usize, value: T) -> Result<()>
    where
        T: Clone,
    {
        self.make_room(length.saturating_sub(self.len()))?;
        self.resize(length, value);
        Ok(())
    }
}

/// Makes room for one more entry of a table.
pub(crate) fn room_in<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) -> Result<()> {
    let length = table.len();
    table.try_reserve(1, hash).map_err(|_| short::<T>(2 * (length + 1)))
}

/// Appends to a text.
pub(crate) fn spell(text: &mut String, more: &str) -> Result<()> {
    text.try_reserve(more.len()).map_err(|_| short::<u8>(text.len().saturating_add(more.len())))?;
    text.push_str(more);
    Ok(())
}

/// A list with room for `length` items.
pub(crate) fn empty<T>(length: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(|_| short::<T>(length))?;
    margin(length.saturating_mul(size_of::<T>()))?;
    Ok(list)
}

/// A list of `length` equal items.
pub(crate) fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>> {
    let mut list = empty(length)?;
    list.resize(length, value);
    Ok(list)
}

/// A list of some items.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>> {
    let mut list = empty(items.len())?;
    list.extend_from_slice(items);
    Ok(list)
}

/// A list of the items of an iterator.
pub(crate) fn collected<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let mut items = items.into_iter();
    let (least, most) = items.size_hint();
    if most == Some(least) {
        let mut list = empty(least)?;
        list.extend(items);
        return Ok(list);
    }
    let mut list = Vec::new();
    loop {
        list.make_room(items.size_hint().0.max(1))?;
        for _ in list.len()..list.capacity() {
            match items.next() {
                Some(item) => list.push(item),
                None => return Ok(list),
            }
        }
    }
}

/// A list of the items of an iterator, or its first error.
pub(crate) fn gathered<T>(items: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let items = items.into_iter();
    let mut list = Vec::new();
    list.make_room(items.size_hint().0)?;
    for item in items {
        list.grow(item?)?;
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_those_of_the_standard_library(items in prop::collection::vec(any::<u32>(), 0..50), more in 0..50_usize) {
            prop_assert_eq!(&copied(&items).unwrap(), &items);
            prop_assert_eq!(&collected(items.iter().copied()).unwrap(), &items);
            let odd = || items.iter().copied().filter(|item| item % 2 == 1);
            prop_assert_eq!(collected(odd()).unwrap(), odd().collect::<Vec<_>>());
            prop_assert_eq!(&gathered(items.iter().map(|&item| Ok(item))).unwrap(), &items);
            let (mut grown, mut expected) = (items.clone(), items.clone());
            grown.grow_by(&items).unwrap();
            grown.grow(7).unwrap();
            grown.grow_to(2 * items.len() + 1 + more, 3).unwrap();
            expected.extend_from_slice(&items);
            expected.push(7);
            expected.extend(filled(3, more).unwrap());
            prop_assert_eq!(grown, expected);
        }
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        let short = |result: Result<()>, expected: u128| {
            let Err(Error::Memory { what, bytes, .. }) = result else { panic!("{result:?}") };
            assert_eq!((what, bytes), ("the work", expected));
        };
        let more = usize::MAX / 8;
        let bytes = |items: usize| 8 * items as u128;
        short(vec![1_u64].make_room(more), bytes(more + 1));
        short(vec![1_u64].grow_to(more, 0), bytes(more));
        short(filled(0_u64, more).map(drop), bytes(more));
        short(collected(std::iter::repeat_n(0_u64, more)).map(drop), bytes(more));
        short(ask(usize::MAX), usize::MAX as u128);
    }

    #[test]
    fn more_can_be_said_of_a_lack_and_of_nothing_else() {
        let lack = ask(usize::MAX).named("the weights").cured("use fewer cues").unwrap_err().to_string();
        assert!(lack.starts_with("the weights needs") && lack.ends_with("use fewer cues"), "{lack}");
        let other: Result<()> = Err(Error::Stopped);
        assert!(matches!(other.named("a").cured("b"), Err(Error::Stopped)));
    }
}
