//! Event types that teach the same: they differ only in how often they name an outcome.
//!
//! For learning, an outcome is present or absent. So learners treat such types as one: an event of any of them repeats an event of
//! the others.

use std::collections::HashMap;

use super::chunk::{Body, Chunk, EventList};
use super::once::{Once, each_once, first_repeating};
use crate::error::Result;
use crate::grow::{collected, short};

const TYPES: &str = "event types";

/// For each event type the first type that teaches the same.
///
/// Invariant: there is an index for each type, at most its own; there is none at all if no type names an outcome twice.
#[derive(Debug, Default)]
pub(crate) struct Alike(Vec<u32>);

impl Alike {
    /// Compares the types of a dictionary.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    pub(crate) fn of(types: &EventList) -> Result<Self> {
        match first_repeating(&types.outcomes, &mut Once::default())? {
            Some(_) => Self::compared(types),
            None => Ok(Self::default()),
        }
    }

    fn compared(types: &EventList) -> Result<Self> {
        let mut outcomes = types.outcomes.try_clone(TYPES)?;
        each_once(&mut outcomes)?;
        let mut first = HashMap::new();
        first.try_reserve(types.len()).map_err(|_| short::<[usize; 5]>(types.len(), TYPES))?;
        let numbers = (0..types.len() as u32).map(|number| {
            let event = (types.cues.get(number as usize), outcomes.get(number as usize));
            *first.entry(event).or_insert(number)
        });
        Ok(Self(collected(numbers, TYPES)?))
    }

    /// Gives each event of a chunk the first type that teaches the same as its own.
    pub(crate) fn unite(&self, chunk: &mut Chunk) {
        if let (Body::Types(types), false) = (&mut chunk.body, self.0.is_empty()) {
            for number in types {
                *number = self.0[*number as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0..2_u32, 0..4)
    }

    proptest! {
        #[test]
        fn types_are_united_that_differ_only_in_how_often(events in prop::collection::vec((list(), list()), 0..9)) {
            let mut types = EventList::default();
            for (cues, outcomes) in &events {
                types.push(cues, outcomes).unwrap();
            }
            let body = Body::Types((0..events.len() as u32).collect());
            let mut chunk = Chunk { body, frequencies: Vec::new() };
            Alike::of(&types).unwrap().unite(&mut chunk);

            let distinct = |outcomes: &[u32]| {
                let mut kept: Vec<u32> = Vec::new();
                for &outcome in outcomes {
                    if !kept.contains(&outcome) {
                        kept.push(outcome);
                    }
                }
                kept
            };
            let once: Vec<_> = events.iter().map(|(cues, outcomes)| (cues, distinct(outcomes))).collect();
            let same = |i: usize| once.iter().position(|event| *event == once[i]).unwrap() as u32;
            // In a file all types differ. Here some may be equal; they are kept apart where no outcome is named twice.
            let repeats = events.iter().any(|(_, outcomes)| distinct(outcomes).len() < outcomes.len());
            let expected = (0..events.len()).map(|i| if repeats { same(i) } else { i as u32 });
            prop_assert_eq!(chunk.body, Body::Types(expected.collect()));
        }
    }
}
