//! The dictionary of event types. The writer keeps it while it pays, that is, while it makes the file smaller.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::chunk::EventList;
use super::format::TYPES_SIZE;
use crate::error::{Error, Result};
use crate::lists::ListKey;
use crate::memory::{Grow, room_in};

/// From this size in bytes on, and once more at the end, the dictionary must pay. With more types than half the events, looking
/// for types takes more time than it saves.
pub(super) const JUDGED_AT: usize = 2 << 20;

/// From this size in bytes on, the dictionary of running text (`steady`) is judged, too: if it has more types than two thirds of
/// the events now, it will have more than half later on.
const DOUBTED_AT: usize = 512 << 10;

/// When the fate of the dictionary is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// After an event.
    Event,
    /// When it has no room for the type of the next event.
    Full,
    /// After all events.
    End,
}

/// What happens to the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It goes on.
    Keep,
    /// The chunks so far keep it; later chunks hold their events in full. It pays when it is frozen, so nothing judges it again.
    Freeze,
    /// It does not pay: all chunks hold their events in full.
    Drop,
}

/// Event types and their indices.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub(super) rows: EventList,
    index: HashTable<ListKey>,
    hasher: DefaultHashBuilder,
    /// For each type: the tokens whose names are not counted yet, and its number of names.
    tallies: Vec<(u64, u64)>,
    /// The names in all events so far: the number of ids that writing them in full would take.
    names: u64,
    /// Whether the events are steady: the first of them show how often events repeat.
    pub(super) steady: bool,
    /// The most bytes that its types may take, as readers count them.
    pub(super) budget: u64,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self {
            rows: EventList::default(),
            index: HashTable::default(),
            hasher: DefaultHashBuilder::default(),
            tallies: Vec::new(),
            names: 0,
            steady: false,
            budget: TYPES_SIZE,
        }
    }
}

impl Dictionary {
    /// The index of the event's type, which is added if it is new. `None` if it is new and there is no room for it.
    pub(super) fn event_type(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<Option<u32>> {
        let Self { rows, index, hasher, .. } = self;
        let hash = ListKey::half(hasher.hash_one((cues, outcomes)));
        let equal =
            |known: &ListKey| known.hash == hash && rows.get(known.number as usize) == (cues, outcomes);
        if let Some(known) = index.find(ListKey::whole(hash), equal) {
            return Ok(Some(known.number));
        }
        let names = rows.cues.items().len() + rows.outcomes.items().len() + cues.len() + outcomes.len();
        if EventList::size_of(rows.len() + 1, names) > self.budget {
            return Ok(None);
        }
        // The budget is exhausted long before 2^32 types.
        let event_type =
            u32::try_from(rows.len()).map_err(|_| Error::Argument("more than 2^32 event types".into()))?;
        room_in(index, ListKey::rehash)?;
        self.tallies.make_room(1)?;
        rows.push(cues, outcomes)?;
        self.tallies.push((0, (cues.len() + outcomes.len()) as u64));
        index.insert_unique(ListKey::whole(hash), ListKey { hash, number: event_type }, ListKey::rehash);
        Ok(Some(event_type))
    }

    /// Counts an event of a type.
    ///
    /// # Errors
    /// When the type has more than 2^64 - 1 tokens.
    pub(super) fn count(&mut self, event_type: u32, frequency: u32) -> Result<()> {
        let (tokens, names) = &mut self.tallies[event_type as usize];
        add_tokens(tokens, frequency.into())?;
        self.names += *names;
        Ok(())
    }

    /// Calls `count` with the cues and outcomes of each type, and its tokens.
    pub(super) fn each_type(&self, mut count: impl FnMut(&[u32], &[u32], u64) -> Result<()>) -> Result<()> {
        self.tallies.iter().enumerate().try_for_each(|(i, &(tokens, _))| {
            let (cues, outcomes) = self.rows.get(i);
            count(cues, outcomes, tokens)
        })
    }

    /// Decides the fate of the dictionary after `n_events` events.
    pub(super) fn fate(&self, n_events: u64, moment: Moment) -> Fate {
        let is_of_use = match (moment, self.rows.size()) {
            (Moment::Event, ..DOUBTED_AT) => true,
            (Moment::Event, DOUBTED_AT..JUDGED_AT) => {
                !self.steady || 3 * self.rows.len() as u64 <= 2 * n_events
            }
            _ => self.pays(n_events),
        };
        match moment {
            _ if !is_of_use => Fate::Drop,
            Moment::Full => Fate::Freeze,
            Moment::Event | Moment::End => Fate::Keep,
        }
    }

    /// Whether events take less room as indices of types. It is assumed that ids and indices have two bytes, and that the numbers
    /// of cues and outcomes of an event or type have two bytes together. A dictionary with more types than half the events never
    /// pays.
    fn pays(&self, n_events: u64) -> bool {
        let n_types = self.rows.len() as u64;
        let in_types = (self.rows.cues.items().len() + self.rows.outcomes.items().len()) as u64;
        let with = 2 * n_events + 2 * n_types + 2 * in_types;
        let without = 2 * n_events + 2 * self.names;
        2 * n_types <= n_events && with < without
    }
}

/// Adds to a number of tokens.
///
/// # Errors
/// When the sum passes 2^64 - 1.
pub(super) fn add_tokens(tokens: &mut u64, more: u64) -> Result<()> {
    let sum = tokens.checked_add(more);
    *tokens = sum.ok_or_else(|| Error::defect("fewer than 2^64 tokens", "more", "lower the frequencies"))?;
    Ok(())
}
