//! The different sets of cues among the tokens, and how often each comes with each outcome.
//!
//! The equilibrium depends on these counts alone. On average, neither the order of tokens nor the order of cues in an event
//! matters.

use hashbrown::HashMap;

use super::EventFile;
use super::chunk::{Body, Chunk};
use super::dictionary::add_tokens;
use crate::error::Result;
use crate::lists::{DistinctLists, Lists};
use crate::memory::{Grow, collected, filled, short};
use crate::monitor::Monitor;

/// The stop flag is checked whenever more than this many names were sorted.
const WORK: usize = 1 << 18;

/// The sets of cues: first those of events in full, then those of event types, each in order. A set may have a cue several
/// times.
#[derive(Debug, Default)]
pub struct CueSets {
    /// The cues of each set, sorted.
    pub cues: Lists,
    /// For each set the number of tokens that have exactly its cues.
    pub tokens: Vec<u64>,
    /// Triples: a set, an outcome, and how many tokens of the set have the outcome. Sorted by outcome, then by set.
    pub joint: Vec<(u32, u32, u64)>,
}

impl EventFile {
    /// Counts the sets of cues. Events of frequency 0 have no tokens, and a token without cues has no set.
    ///
    /// # Errors
    /// [`Error::Format`](crate::error::Error::Format) when the file is damaged, [`Error::Stopped`](crate::error::Error::Stopped).
    pub fn cue_sets(&self, monitor: &Monitor) -> Result<CueSets> {
        monitor.set_total(self.len());
        let mut sets = SetCounter::default();
        let mut joint: HashMap<(u32, u32), u64> = HashMap::new();
        let mut distinct = Vec::new();
        // Names sorted since the stop flag was last checked.
        let mut work = 0;
        let chunks = (0..self.n_chunks()).map(|index| self.chunk(index));
        self.tally(chunks, monitor, |cues, outcomes, tokens| {
            work += cues.len() + outcomes.len() + 1;
            if work > WORK {
                work = 0;
                monitor.check()?;
            }
            let Some((set, _)) = sets.count(cues, |_| true, tokens)? else { return Ok(()) };
            // An outcome that is named twice counts once.
            distinct.clear();
            distinct.grow_by(outcomes)?;
            distinct.sort_unstable();
            distinct.dedup();
            let needed = distinct.len();
            joint.try_reserve(needed).map_err(|_| short::<((u32, u32), u64)>(2 * joint.len() + needed))?;
            distinct
                .iter()
                .try_for_each(|&outcome| add_tokens(joint.entry((outcome, set)).or_default(), tokens))
        })?;
        let mut joint = collected(joint.into_iter().map(|((outcome, set), tokens)| (set, outcome, tokens)))?;
        joint.sort_unstable_by_key(|&(set, outcome, _)| (outcome, set));
        Ok(CueSets { cues: sets.cues.into_lists(), tokens: sets.tokens, joint })
    }

    /// Calls `visit` with the cues, the outcomes and the tokens of all events in the given chunks. All events of a type are visited
    /// together, after those that are in full.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged, [`Error::Stopped`], those of the chunks and of `visit`.
    pub(crate) fn tally(
        &self,
        chunks: impl Iterator<Item = Result<Chunk>>,
        monitor: &Monitor,
        mut visit: impl FnMut(&[u32], &[u32], u64) -> Result<()>,
    ) -> Result<()> {
        let types = self.types()?;
        let mut tokens_of = filled(0_u64, types.len())?;
        for chunk in chunks {
            let chunk = chunk?;
            for i in 0..chunk.body.len() {
                let tokens = u64::from(chunk.frequency(i));
                match &chunk.body {
                    Body::Types(types) => add_tokens(&mut tokens_of[types[i] as usize], tokens)?,
                    Body::Full(rows) => visit(rows.cues.get(i), rows.outcomes.get(i), tokens)?,
                }
            }
            monitor.advance(chunk.body.len() as u64)?;
        }
        let mut tokens_of = tokens_of.iter().enumerate();
        tokens_of.try_for_each(|(i, &tokens)| visit(types.cues.get(i), types.outcomes.get(i), tokens))
    }
}

/// The sets of cues among some events, in the order in which they were first counted.
#[derive(Default)]
pub(crate) struct SetCounter {
    /// The cues of each set, sorted.
    pub(crate) cues: DistinctLists,
    /// How many tokens each set has.
    pub(crate) tokens: Vec<u64>,
    /// The cues of the event being counted.
    pub(crate) sorted: Vec<u32>,
}

impl SetCounter {
    /// Counts the tokens of an event by its `wanted` cues. Returns the number of their set, and whether it is new; `None` if
    /// there is nothing to count.
    ///
    /// # Errors
    /// [`Error::Memory`], and for too many sets or tokens.
    pub(crate) fn count(
        &mut self,
        cues: &[u32],
        wanted: impl Fn(u32) -> bool,
        tokens: u64,
    ) -> Result<Option<(u32, bool)>> {
        let sorted = &mut self.sorted;
        sorted.clear();
        if tokens == 0 {
            return Ok(None);
        }
        sorted.make_room(cues.len())?;
        sorted.extend(cues.iter().copied().filter(|&cue| wanted(cue)));
        if sorted.is_empty() {
            return Ok(None);
        }
        sorted.sort_unstable();
        let (set, is_new) = self.cues.intern(sorted)?;
        if is_new {
            self.tokens.grow(0)?;
        }
        add_tokens(&mut self.tokens[set as usize], tokens)?;
        Ok(Some((set, is_new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::events::write::{Duplicates, EventWriter};

    #[test]
    fn the_order_in_an_event_does_not_matter_and_an_outcome_counts_once() {
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        writer.add_names(["a", "b"].into_iter(), ["x", "y"].into_iter()).unwrap();
        let events: [(&[u32], &[u32], u32); 6] = [
            (&[1, 0], &[1, 0, 1], 2),
            (&[0, 1], &[1], 3),
            (&[], &[0], 5),
            (&[0], &[0], 0),
            (&[1], &[], 1),
            (&[1, 0, 1], &[0], 1),
        ];
        events.iter().for_each(|&(cues, outcomes, n)| writer.push(cues, outcomes, n).unwrap());
        let file = writer.finish().unwrap();
        let sets = file.cue_sets(&Monitor::new()).unwrap();
        let cues: Vec<&[u32]> = (0..sets.cues.len()).map(|i| sets.cues.get(i)).collect();
        assert_eq!(cues, [vec![0, 1], vec![1], vec![0, 1, 1]]);
        assert_eq!(sets.tokens, [5, 1, 1]);
        assert_eq!(sets.joint, [(0, 0, 2), (2, 0, 1), (0, 1, 5)]);
        let monitor = Monitor::new();
        monitor.stop();
        assert!(matches!(file.cue_sets(&monitor), Err(Error::Stopped)));
    }
}
