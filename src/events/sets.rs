//! The different sets of cues among the tokens, and with which outcomes they come.
//!
//! What the rule tends to depends on these counts alone: the order of tokens does not matter in the mean, nor does the
//! order of cues in an event.

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;

use super::EventFile;
use super::chunk::Body;
use crate::error::{Error, Result};
use crate::grow::{Grow, collected, filled, room_in, short};
use crate::lists::Lists;
use crate::monitor::Monitor;

/// Names that are sorted between two looks at the stop flag.
const WORK: usize = 1 << 18;

/// The sets of cues in order of first appearance; a set may have a cue several times.
#[derive(Debug, Default)]
pub struct CueSets {
    /// The cues of each set, sorted.
    pub cues: Lists,
    /// How many tokens have exactly these cues: as many entries as there are sets.
    pub tokens: Vec<u64>,
    /// Set, outcome, and how many tokens of the set have the outcome: sorted by outcome, then by set.
    pub joint: Vec<(u32, u32, u64)>,
}

impl<B: AsRef<[u8]>> EventFile<B> {
    /// Counts the sets of cues. Events of frequency 0 have no tokens, and a token without cues no set.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged, [`Error::Stopped`].
    pub fn cue_sets(&self, monitor: &Monitor) -> Result<CueSets> {
        monitor.set_total(self.len());
        let mut counter = Counter::default();
        // Events of one type are counted once, with the sum of their frequencies.
        let types = self.types()?;
        let mut tokens_of = filled(0_u64, types.len(), "the counts of event types")?;
        // Names sorted since the stop flag was last looked at.
        let mut work = 0;
        let mut count = |cues: &[u32], outcomes: &[u32], frequency| {
            work += cues.len() + outcomes.len() + 1;
            if work > WORK {
                work = 0;
                monitor.check()?;
            }
            counter.count(cues, outcomes, frequency)
        };
        for index in 0..self.n_chunks() {
            let chunk = self.chunk(index)?;
            for i in 0..chunk.body.len() {
                let frequency = u64::from(chunk.frequency(i));
                match &chunk.body {
                    Body::Types(tokens) => add(&mut tokens_of[tokens[i] as usize], frequency)?,
                    Body::Full(rows) => count(rows.cues.get(i), rows.outcomes.get(i), frequency)?,
                }
            }
            monitor.advance(chunk.body.len() as u64)?;
        }
        for (i, &frequency) in tokens_of.iter().enumerate() {
            count(types.cues.get(i), types.outcomes.get(i), frequency)?;
        }
        counter.finish()
    }
}

const SETS: &str = "the sets of cues";

#[derive(Default)]
struct Counter {
    sets: CueSets,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    joint: HashMap<(u32, u32), u64>,
    /// The event being counted.
    cues: Vec<u32>,
    outcomes: Vec<u32>,
}

impl Counter {
    fn count(&mut self, cues: &[u32], outcomes: &[u32], frequency: u64) -> Result<()> {
        if frequency == 0 || cues.is_empty() {
            return Ok(());
        }
        for (sorted, ids) in [(&mut self.cues, cues), (&mut self.outcomes, outcomes)] {
            sorted.clear();
            sorted.grow_by(ids, SETS)?;
            sorted.sort_unstable();
        }
        // An outcome that is named twice counts once.
        self.outcomes.dedup();
        let set = self.set()?;
        add(&mut self.sets.tokens[set as usize], frequency)?;
        let joint = &mut self.joint;
        let needed = self.outcomes.len();
        joint.try_reserve(needed).map_err(|_| short::<((u32, u32), u64)>(2 * joint.len() + needed, SETS))?;
        for &outcome in &self.outcomes {
            add(joint.entry((outcome, set)).or_default(), frequency)?;
        }
        Ok(())
    }

    /// The number of the set of the event being counted.
    fn set(&mut self) -> Result<u32> {
        let Self { sets, index, hasher, cues, .. } = self;
        let hash = hasher.hash_one(&*cues);
        if let Some(&set) = index.find(hash, |&set| sets.cues.get(set as usize) == cues) {
            return Ok(set);
        }
        let set = u32::try_from(sets.cues.len())
            .map_err(|_| Error::Argument("expected fewer than 2^32 sets of cues".into()))?;
        let rehash = |&set: &u32| hasher.hash_one(sets.cues.get(set as usize));
        room_in(index, rehash, SETS)?;
        sets.tokens.grow(0, SETS)?;
        sets.cues.push(cues, SETS)?;
        index.insert_unique(hash, set, |&set| hasher.hash_one(sets.cues.get(set as usize)));
        Ok(set)
    }

    fn finish(mut self) -> Result<CueSets> {
        let joint = self.joint.into_iter().map(|((outcome, set), tokens)| (set, outcome, tokens));
        self.sets.joint = collected(joint, SETS)?;
        self.sets.joint.sort_unstable_by_key(|&(set, outcome, _)| (outcome, set));
        Ok(self.sets)
    }
}

fn add(count: &mut u64, n: u64) -> Result<()> {
    let sum = count.checked_add(n);
    *count = sum.ok_or_else(|| Error::Argument("expected fewer than 2^64 tokens".into()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::write::{Duplicates, EventWriter};

    #[test]
    fn the_order_in_an_event_does_not_matter_and_an_outcome_counts_once() {
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        writer.with_names(["a", "b"].into_iter(), ["x", "y"].into_iter()).unwrap();
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
