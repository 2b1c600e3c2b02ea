//! Twins: names that always occur together, equally often. What is learned about one of them holds for all.
//!
//! A partition of ids is refined event by event: an event splits a class whose members it does not all have, or has in
//! different numbers. Ids that share a class at the end occur in the same events, with the same
//! multiplicities.

use std::collections::HashMap;

use crate::error::Result;
use crate::memory::{Grow, collected, filled, gathered, short};

/// A partition of ids into classes.
///
/// Invariants: `class[id]` is below `sizes.len()`; `sizes[class]` ids are in a class.
pub(crate) struct Twins {
    class: Vec<u32>,
    sizes: Vec<u32>,
    /// The current event's ids in classes of two or more, as (class, id).
    members: Vec<(u32, u32)>,
    /// The same ids, each once, as (class, multiplicity, id).
    counted: Vec<(u32, u32, u32)>,
}

impl Twins {
    /// Begins with a class for each key; an id without a key has a class of its own.
    pub(crate) fn new(keys: impl Iterator<Item = Option<u64>>) -> Result<Self> {
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut sizes = Vec::new();
        let class = keys.map(|key| {
            let new = sizes.len() as u32;
            let more = 2 * known.len() + 1;
            known.try_reserve(1).map_err(|_| short::<(u64, u32)>(more))?;
            let class = key.map_or(new, |key| *known.entry(key).or_insert(new));
            if class == new {
                sizes.grow(0)?;
            }
            sizes[class as usize] += 1;
            Ok(class)
        });
        Ok(Self { class: gathered(class)?, sizes, members: Vec::new(), counted: Vec::new() })
    }

    /// Splits the classes whose ids the event does not all have, or has in different numbers.
    pub(crate) fn split(&mut self, ids: impl Iterator<Item = u32>) -> Result<()> {
        self.members.clear();
        for id in ids {
            let class = self.class[id as usize];
            if self.sizes[class as usize] > 1 {
                self.members.grow((class, id))?;
            }
        }
        if self.members.is_empty() {
            return Ok(());
        }
        self.members.sort_unstable();
        self.counted.clear();
        self.counted.make_room(self.members.len())?;
        self.counted.extend(self.members.chunk_by(|a, b| a == b).map(|same| {
            let (class, id) = same[0];
            (class, same.len() as u32, id)
        }));
        self.counted.sort_unstable();
        for together in self.counted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let class = together[0].0 as usize;
            if together.len() < self.sizes[class] as usize {
                self.sizes[class] -= together.len() as u32;
                for &(_, _, id) in together {
                    self.class[id as usize] = self.sizes.len() as u32;
                }
                self.sizes.grow(together.len() as u32)?;
            }
        }
        Ok(())
    }

    /// For each id the least id of its class.
    pub(crate) fn least(&self) -> Result<Vec<u32>> {
        let mut least = filled(u32::MAX, self.sizes.len())?;
        let ids = (0..).zip(&self.class);
        let least = ids.map(|(id, &class)| {
            let least = &mut least[class as usize];
            *least = id.min(*least);
            *least
        });
        collected(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn twins_are_those_with_equal_multiplicities_in_every_event(
            keys in prop::collection::vec(prop::option::weighted(0.9, 0..2_u64), 1..8),
            events in prop::collection::vec(prop::collection::vec(0..8_u32, 0..7), 0..6),
        ) {
            let n = keys.len() as u32;
            let mut twins = Twins::new(keys.iter().copied()).unwrap();
            for event in &events {
                twins.split(event.iter().copied().filter(|&id| id < n)).unwrap();
            }
            let times = |id: u32| events.iter().map(move |e| e.iter().filter(|&&other| other == id).count());
            let same = |a: u32, b: u32| {
                let keys = (keys[a as usize], keys[b as usize]);
                a == b || keys.0.is_some() && keys.0 == keys.1 && times(a).eq(times(b))
            };
            let least = twins.least().unwrap();
            for a in 0..n {
                let class: Vec<u32> = (0..n).filter(|&b| same(a, b)).collect();
                prop_assert_eq!(least[a as usize], class[0]);
            }
        }
    }
}
