//! Lists of ids without repetitions. For learning, an outcome is present or absent: how often an event names it does not matter.

use std::collections::HashSet;

use crate::error::Result;
use crate::lists::Lists;
use crate::memory::{Grow, short};

/// Up to this length the ids of a list are compared with each other, which takes less time than hashing them. Nearly all lists
/// of outcomes are so short.
const SHORT: usize = 16;

/// Removes repeated ids from lists, one list after another.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    kept: Vec<u32>,
    known: HashSet<u32>,
}

impl Distinct {
    /// The ids of a list without repetitions, in the order of their first appearance.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    #[inline]
    pub(crate) fn of<'a>(&'a mut self, ids: &'a [u32]) -> Result<&'a [u32]> {
        match ids {
            [] | [_] => Ok(ids),
            _ => self.of_several(ids),
        }
    }

    fn of_several<'a>(&'a mut self, ids: &'a [u32]) -> Result<&'a [u32]> {
        let Self { kept, known } = self;
        kept.clear();
        kept.make_room(ids.len())?;
        if ids.len() > SHORT {
            known.clear();
            known.try_reserve(ids.len()).map_err(|_| short::<u32>(2 * ids.len()))?;
            kept.extend(ids.iter().filter(|&&id| known.insert(id)));
        } else {
            for &id in ids {
                if !kept.contains(&id) {
                    kept.push(id);
                }
            }
        }
        Ok(kept)
    }
}

/// Removes repeated ids from all lists; the first occurrence of each id in a list stays.
///
/// # Errors
/// [`crate::error::Error::Memory`].
pub(crate) fn each_distinct(lists: &mut Lists) -> Result<()> {
    let mut once = Distinct::default();
    // Most often no list has an id twice.
    let Some(first) = first_repeating(lists, &mut once)? else { return Ok(()) };
    let mut distinct = Lists::default();
    for (i, list) in lists.iter().enumerate() {
        distinct.push(if i < first { list } else { once.of(list)? })?;
    }
    *lists = distinct;
    Ok(())
}

/// The first list that has an id twice.
fn first_repeating(lists: &Lists, once: &mut Distinct) -> Result<Option<usize>> {
    for (i, list) in lists.iter().enumerate() {
        if once.of(list)?.len() < list.len() {
            return Ok(Some(i));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_id_is_kept_where_it_comes_first(lists in prop::collection::vec(prop::collection::vec(0..9_u32, 0..40), 0..4)) {
            let mut once = Distinct::default();
            let (mut distinct, mut all) = (Lists::default(), Lists::default());
            for ids in lists {
                let mut expected = Vec::new();
                for &id in &ids {
                    if !expected.contains(&id) {
                        expected.push(id);
                    }
                }
                prop_assert_eq!(once.of(&ids).unwrap(), &expected[..]);
                distinct.push(&expected).unwrap();
                all.push(&ids).unwrap();
            }
            each_distinct(&mut all).unwrap();
            prop_assert_eq!(all, distinct);
        }
    }
}
