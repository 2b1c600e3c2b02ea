//! Repeated events that can be learned as one step.
//!
//! Two tokens without a common cue can be learned in either order. So an event and a later event of the same type form one step,
//! if no other event between them has one of their cues. Where a file holds events in full, events seldom repeat, so they are not
//! compared.

use super::chunk::EventList;
use crate::error::Result;
use crate::memory::{Grow, filled};

/// No step.
const NONE: u32 = u32::MAX;

/// Finds the events of a chunk that repeat an earlier one. The events are added in order or in reverse.
///
/// Invariant: `last[cue]` is the latest step that has the cue, or `NONE`; `steps` has the event type of each step.
pub(crate) struct Grouping {
    last: Vec<u32>,
    steps: Vec<u32>,
}

impl Grouping {
    /// For cues below `n_cues`.
    pub(crate) fn new(n_cues: usize) -> Result<Self> {
        Ok(Self { last: filled(NONE, n_cues)?, steps: Vec::new() })
    }

    /// Forgets all steps, for a new chunk.
    pub(crate) fn begin(&mut self) {
        self.last.fill(NONE);
        self.steps.clear();
    }

    /// Adds an event of a type. Returns the step that the event repeats, or `None` if the event is a new step.
    pub(crate) fn add(&mut self, types: &EventList, event_type: u32) -> Result<Option<usize>> {
        let cues = types.cues.get(event_type as usize);
        let last = cues.first().map_or(NONE, |&cue| self.last[cue as usize]);
        if let Some(&earlier) = self.steps.get(last as usize)
            && earlier == event_type
            && cues.iter().all(|&cue| self.last[cue as usize] == last)
        {
            return Ok(Some(last as usize));
        }
        for &cue in cues {
            self.last[cue as usize] = self.steps.len() as u32;
        }
        self.steps.grow(event_type)?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_event_repeats_the_latest_event_with_one_of_its_cues_if_that_has_its_type(
            types in prop::collection::vec(prop::collection::vec(0..4_u32, 0..3), 1..5),
            events in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut list = EventList::default();
            types.iter().for_each(|cues| list.push(cues, &[]).unwrap());
            let events: Vec<usize> = events.iter().map(|index| index.index(types.len())).collect();
            let mut grouping = Grouping::new(4).unwrap();
            for _ in 0..2 {
                grouping.begin();
                let (mut steps, mut n_steps) = (Vec::new(), 0);
                for (i, &event_type) in events.iter().enumerate() {
                    let shares = |&j: &usize| types[events[j]].iter().any(|cue| types[event_type].contains(cue));
                    let latest = (0..i).rfind(shares).filter(|&j| events[j] == event_type);
                    let repeated: Option<usize> = latest.map(|j| steps[j]);
                    prop_assert_eq!(grouping.add(&list, event_type as u32).unwrap(), repeated);
                    steps.push(repeated.unwrap_or(n_steps));
                    n_steps += usize::from(repeated.is_none());
                }
            }
        }
    }
}
