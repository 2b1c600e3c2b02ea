//! Chunks of events, decoded and encoded.
//!
//! ```text
//! u32 CRC32C of all that follows, padding included
//! u32 widths, 4 bits each: a, b, c, d, frequencies
//! u32 form: 0 events in full, 1 event types
//! u32 rows, u32 cue slots, u32 outcome slots
//! full:   a = numbers of cues, b = numbers of outcomes, c = cue ids, d = outcome ids, frequencies
//! types:  a = indices into the dictionary of event types, frequencies     (b, c, d: width 0, no slots)
//! zeros up to a multiple of 8
//! ```
//!
//! A dictionary of types is stored in chunks of rows without frequencies.

use super::format::{CHUNK_BYTES, CHUNK_EVENTS, CHUNK_SLOTS, Input, LONGEST_ONES, TYPES_SIZE, damaged};
use crate::error::Result;
use crate::lists::Lists;

/// The bytes before the arrays.
pub(super) const HEAD: usize = 24;

pub(super) const IN_FULL: u32 = 0;
pub(super) const OF_TYPES: u32 = 1;

/// Reads lists of these lengths. They have `n_ids` ids in all, each below `limit`.
fn lists(
    input: &mut Input,
    lengths: &[u32],
    n_ids: usize,
    width: u32,
    limit: u64,
    what: &str,
) -> Result<Lists> {
    let at = input.offset();
    if width == 0 && n_ids > LONGEST_ONES {
        return Err(damaged(
            at,
            format!("at most {LONGEST_ONES} {what} ids in no bytes"),
            format!("{n_ids}"),
        ));
    }
    let mut ids = Vec::new();
    input.numbers(n_ids, width, &mut ids)?;
    check_below(&ids, limit, at, what)?;
    Lists::of(lengths, ids)?.ok_or_else(|| {
        let n: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        damaged(at, format!("{n_ids} {what} slots"), format!("{n}"))
    })
}

/// Events as lists of cue ids and outcome ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventList {
    /// The cues of each event, in the order in which the event lists them.
    pub cues: Lists,
    /// The outcomes of each event.
    pub outcomes: Lists,
}

impl EventList {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.cues.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cues.is_empty()
    }

    /// The cues and the outcomes of an event.
    #[inline]
    pub fn get(&self, event: usize) -> (&[u32], &[u32]) {
        (self.cues.get(event), self.outcomes.get(event))
    }

    /// Appends an event.
    ///
    /// # Errors
    /// As for [`Lists::push`].
    pub fn push(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<()> {
        self.cues.push(cues)?;
        self.outcomes.push(outcomes)
    }

    /// A copy.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    pub(crate) fn try_clone(&self) -> Result<Self> {
        Ok(Self { cues: self.cues.try_clone()?, outcomes: self.outcomes.try_clone()? })
    }

    /// Removes all events and keeps the memory.
    pub fn clear(&mut self) {
        self.cues.clear();
        self.outcomes.clear();
    }

    /// Bytes of memory in use.
    pub fn size(&self) -> usize {
        self.cues.size() + self.outcomes.size()
    }

    /// The bytes that [`TYPES_SIZE`] counts for so many events with so many cues and outcomes in all.
    pub(super) fn size_of(n_events: usize, n_names: usize) -> u64 {
        (n_events as u64).saturating_mul(16).saturating_add((n_names as u64).saturating_mul(4))
    }
}

/// The two forms of the events of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Each event in full.
    Full(EventList),
    /// Each event as the index of its type.
    Types(Vec<u32>),
}

impl Body {
    /// How many events there are.
    pub fn len(&self) -> usize {
        match self {
            Body::Full(rows) => rows.len(),
            Body::Types(types) => types.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the type of event `i`, if the chunk has types.
    #[inline]
    pub fn type_of(&self, i: usize) -> Option<u32> {
        match self {
            Body::Full(_) => None,
            Body::Types(types) => types.get(i).copied(),
        }
    }
}

/// Events and their frequencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The events.
    pub body: Body,
    /// The frequency of each event; empty if all are 1.
    pub frequencies: Vec<u32>,
}

impl Chunk {
    /// The frequency of event `i` of the chunk.
    #[inline]
    pub fn frequency(&self, i: usize) -> u32 {
        self.frequencies.get(i).copied().unwrap_or(1)
    }

    /// Bytes of memory in use.
    pub fn size(&self) -> usize {
        let body = match &self.body {
            Body::Full(rows) => rows.size(),
            Body::Types(types) => types.len() * size_of::<u32>(),
        };
        body + self.frequencies.len() * size_of::<u32>()
    }

    /// The sum of the frequencies.
    pub fn n_tokens(&self) -> u64 {
        if self.frequencies.is_empty() {
            self.body.len() as u64
        } else {
            self.frequencies.iter().map(|&frequency| u64::from(frequency)).sum()
        }
    }

    /// Checks the length that the directory claims for a chunk, before memory is taken for the chunk.
    pub(super) fn check_length(start: usize, length: usize) -> Result<()> {
        match length {
            ..HEAD => Err(damaged(start, "a chunk inside the file", "the end of the file")),
            HEAD..=CHUNK_BYTES => Ok(()),
            _ => {
                let expected = format!("a chunk of at most {CHUNK_BYTES} bytes");
                Err(damaged(start, expected, format!("one of {length}")))
            }
        }
    }

    /// Reads and checks a chunk that begins at `start` of the file: its checksum, its structure, and that every id is below its
    /// limit. `bytes` must be a copy that nobody changes. The ids of the result are safe to index with.
    pub(super) fn decode(bytes: &[u8], start: usize, n_rows: usize, limits: &Limits) -> Result<Self> {
        Self::check_length(start, bytes.len())?;
        let mut input = Input::sealed(bytes, start)?;
        let (widths, form) = (input.u32()?, input.u32()?);
        let width = |array: u32| widths >> (4 * array) & 15;
        let [rows, cue_slots, outcome_slots] =
            [input.u32()? as usize, input.u32()? as usize, input.u32()? as usize];
        if widths >> 20 != 0 {
            return Err(damaged(start + 4, "zeros in the reserved bits", "ones"));
        }
        if rows != n_rows || rows > CHUNK_EVENTS {
            return Err(damaged(start, format!("{n_rows} events"), format!("{rows}")));
        }
        if cue_slots > CHUNK_SLOTS || outcome_slots > CHUNK_SLOTS {
            let found = cue_slots.max(outcome_slots);
            return Err(damaged(
                start,
                format!("at most {CHUNK_SLOTS} cue slots or outcome slots"),
                format!("{found}"),
            ));
        }
        let body = match form {
            OF_TYPES => {
                if widths >> 4 & 0xfff != 0 || cue_slots != 0 || outcome_slots != 0 {
                    let found = format!("{cue_slots} and {outcome_slots}");
                    return Err(damaged(start, "event types without cue slots and outcome slots", found));
                }
                let at = input.offset();
                let mut types = Vec::new();
                input.numbers(rows, width(0), &mut types)?;
                check_below(&types, limits.types, at, "type")?;
                Body::Types(types)
            }
            IN_FULL => {
                let size = EventList::size_of(rows, cue_slots + outcome_slots);
                if size > limits.budget {
                    let expected = format!("event types that take at most {TYPES_SIZE} bytes when decoded");
                    let found = TYPES_SIZE.saturating_sub(limits.budget).saturating_add(size);
                    return Err(damaged(start, expected, format!("{found} bytes or more")));
                }
                let (mut n_cues, mut n_outcomes) = (Vec::<u32>::new(), Vec::<u32>::new());
                input.numbers(rows, width(0), &mut n_cues)?;
                input.numbers(rows, width(1), &mut n_outcomes)?;
                let cues = lists(&mut input, &n_cues, cue_slots, width(2), limits.cues, "cue")?;
                let outcomes =
                    lists(&mut input, &n_outcomes, outcome_slots, width(3), limits.outcomes, "outcome")?;
                Body::Full(EventList { cues, outcomes })
            }
            _ => return Err(damaged(start, "a chunk of events in full or of types", format!("form {form}"))),
        };
        let mut frequencies = Vec::new();
        if width(4) != 0 {
            input.numbers(rows, width(4), &mut frequencies)?;
        }
        input.end("chunk")?;
        Ok(Chunk { body, frequencies })
    }
}

/// The limits of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Ids of cues are below this, ids of outcomes and of types below the next two.
    pub(super) cues: u64,
    pub(super) outcomes: u64,
    pub(super) types: u64,
    /// The bytes that the decoded rows may take, by [`EventList::size_of`]. For a chunk of the dictionary: the part of
    /// [`TYPES_SIZE`] that the chunks before it left.
    pub(super) budget: u64,
}

fn check_below(ids: &[u32], limit: u64, at: usize, what: &str) -> Result<()> {
    match ids.iter().max() {
        Some(&id) if u64::from(id) >= limit => {
            Err(damaged(at, format!("{what} ids below {limit}"), format!("{id}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::seal;
    use super::super::pending::Pending;
    use super::*;
    use proptest::prelude::*;

    /// The events of a chunk, to be encoded.
    fn pending(chunk: &Chunk) -> Pending {
        let mut pending = Pending::new(matches!(chunk.body, Body::Types(_)));
        for i in 0..chunk.body.len() {
            match &chunk.body {
                Body::Types(types) => pending.push_type(types[i], chunk.frequency(i)),
                Body::Full(rows) => pending.push(rows.cues.get(i), rows.outcomes.get(i), chunk.frequency(i)),
            }
            .unwrap();
        }
        pending
    }

    fn ids() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(any::<u32>().prop_map(|n| n >> (n % 32)), 0..5)
    }

    proptest! {
        #[test]
        fn chunks_come_back(
            events in prop::collection::vec((ids(), ids(), 0_u32..4), 0..20),
            plain in any::<bool>(),
            by_type in any::<bool>(),
        ) {
            let mut rows = EventList::default();
            events.iter().for_each(|(cues, outcomes, _)| rows.push(cues, outcomes).unwrap());
            let body = if by_type { Body::Types((0..rows.len() as u32).collect()) } else { Body::Full(rows) };
            let all_one = plain || events.iter().all(|event| event.2 == 1);
            let frequencies = if all_one { Vec::new() } else { events.iter().map(|event| event.2).collect() };
            let chunk = Chunk { body, frequencies };
            let mut bytes = vec![7; 3];
            pending(&chunk).encode(&mut bytes).unwrap();
            let limits = Limits { cues: 1 << 32, outcomes: 1 << 32, types: 1 << 32, budget: u64::MAX };
            let back = Chunk::decode(&bytes, 0, events.len(), &limits).unwrap();
            prop_assert_eq!(&back, &chunk);
            prop_assert_eq!(back.n_tokens(), (0..events.len()).map(|i| u64::from(chunk.frequency(i))).sum::<u64>());
        }
    }

    /// Decodes a chunk whose ids may be any.
    fn decoded(bytes: &[u8], n_rows: usize, budget: u64) -> Result<Chunk> {
        let limits = Limits { cues: 1 << 32, outcomes: 1 << 32, types: 1 << 32, budget };
        Chunk::decode(bytes, 0, n_rows, &limits)
    }

    #[test]
    fn only_so_many_equal_ids_take_no_bytes() {
        let encoded = |n: usize| {
            let (mut pending, mut bytes) = (Pending::new(false), Vec::new());
            pending.push(&vec![1; n], &[1], 1).unwrap();
            pending.encode(&mut bytes).unwrap();
            bytes
        };
        for (n, length) in [(60_000, 32), (LONGEST_ONES, 32), (LONGEST_ONES + 1, 32 + LONGEST_ONES)] {
            let bytes = encoded(n);
            assert_eq!(bytes.len(), length, "{n} cues");
            let Body::Full(rows) = decoded(&bytes, 1, u64::MAX).unwrap().body else { panic!("in full") };
            assert_eq!(rows.cues.get(0), vec![1; n]);
        }
        // A chunk that claims one more, with a valid checksum.
        let mut forged = encoded(LONGEST_ONES);
        forged[16..20].copy_from_slice(&(LONGEST_ONES as u32 + 1).to_le_bytes());
        forged[24..28].copy_from_slice(&(LONGEST_ONES as u32 + 1).to_le_bytes());
        seal(0, &mut forged).unwrap();
        let error = decoded(&forged, 1, u64::MAX).unwrap_err().to_string();
        assert!(error.contains("at most 65536 cue ids in no bytes, found 65537"), "{error}");
    }

    #[test]
    fn rows_that_take_more_than_their_room_are_refused() {
        let (mut pending, mut bytes) = (Pending::new(false), Vec::new());
        pending.push(&[3, 4], &[2], 1).unwrap();
        pending.push(&[], &[2], 1).unwrap();
        pending.encode(&mut bytes).unwrap();
        let Body::Full(rows) = decoded(&bytes, 2, 48).unwrap().body else { panic!("in full") };
        assert_eq!(rows.size(), 48);
        let error = decoded(&bytes, 2, 47).unwrap_err().to_string();
        assert!(error.contains("at most 268435456 bytes when decoded, found 268435457 bytes"), "{error}");
    }

    #[test]
    fn ids_at_their_limit_are_refused() {
        let (mut pending, mut bytes) = (Pending::new(false), Vec::new());
        pending.push(&[3], &[2], 1).unwrap();
        pending.encode(&mut bytes).unwrap();
        let decode = |cues, outcomes| {
            let limits = Limits { cues, outcomes, types: 0, budget: u64::MAX };
            Chunk::decode(&bytes, 0, 1, &limits)
        };
        assert!(decode(4, 3).is_ok());
        assert!(decode(3, 3).is_err());
        assert!(decode(4, 2).is_err());
    }
}
