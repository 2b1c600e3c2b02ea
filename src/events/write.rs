//! Takes names and writes a binary event file. Memory holds the names, a dictionary of event types and one chunk.
//!
//! The writer gives ids in the order of first appearance. It collects event types, the exact lists of ids, in a dictionary while
//! that makes the file smaller. A chunk is written as soon as it is full. A dictionary that does not make the file smaller is
//! dropped, and the chunks that used it, few by then, are written again in full. A dictionary that has reached its budget is
//! frozen: later chunks hold their events in full.

use std::mem;
use std::path::Path;

use super::EventFile;
use super::chunk::Body;
use super::chunk_writer::ChunkWriter;
use super::dictionary::{Dictionary, Fate, Moment, add_tokens};
pub use super::duplicates::Duplicates;
use super::duplicates::EventNames;
use super::parameters;
use crate::error::{Error, Result};
use crate::memory::{Grow, collected};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// The role of a name in its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// It predicts.
    Cue,
    /// It is predicted.
    Outcome,
}

/// Writes an event file from names.
pub struct EventWriter {
    background: Option<String>,
    /// All names with their counts, and the number of tokens.
    cues: Vocab,
    outcomes: Vocab,
    n_tokens: u64,
    /// The current event, and its number among the events that came by name.
    event_cues: EventNames,
    event_outcomes: EventNames,
    number: u64,
    chunks: ChunkWriter,
    types: Option<Dictionary>,
    /// The type of the latest event, if the dictionary has it.
    last_type: Option<u32>,
}

impl EventWriter {
    /// Begins an event file in memory, or at a path, where it appears when it is finished.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be written.
    pub fn new(path: Option<&Path>, duplicates: Duplicates, background: Option<&str>) -> Result<Self> {
        let mut writer = Self {
            background: background.map(str::to_owned),
            cues: Vocab::new(),
            outcomes: Vocab::new(),
            n_tokens: 0,
            event_cues: EventNames::new("cue", duplicates),
            event_outcomes: EventNames::new("outcome", duplicates),
            number: 0,
            chunks: ChunkWriter::new(path)?,
            types: Some(Dictionary::default()),
            last_type: None,
        };
        writer.begin_event()?;
        Ok(writer)
    }

    /// Gives the file a text that says what made it, of at most 16 MiB.
    ///
    /// # Errors
    /// [`Error::Argument`] for a longer one.
    pub fn with_parameters(mut self, text: Option<&str>) -> Result<Self> {
        text.map_or(Ok(()), parameters::check)?;
        self.chunks.parameters = text.map(str::to_owned);
        Ok(self)
    }

    /// Lets the file keep its survey, however small the file is.
    #[cfg(test)]
    pub(super) fn surveyed(mut self) -> Self {
        self.chunks.surveyed = 0;
        self
    }

    /// Says that the events come from running text. There the first events show how often events repeat. In a list they do not
    /// show it: the whole list may come twice.
    #[must_use]
    pub fn of_text(mut self) -> Self {
        if let Some(types) = &mut self.types {
            types.steady = true;
        }
        self
    }

    /// Gives ids to names before any event comes, so that events can be written with the ids of another file.
    ///
    /// # Errors
    /// When there are too many names.
    pub fn add_names<'a>(
        &mut self,
        cues: impl Iterator<Item = &'a str>,
        outcomes: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        for name in cues {
            self.cues.intern(name)?;
        }
        for name in outcomes {
            self.outcomes.intern(name)?;
        }
        Ok(())
    }

    /// Writes an event by ids of names that came with [`EventWriter::add_names`], without looking for duplicates.
    ///
    /// # Errors
    /// When an id is unknown, or the event cannot be stored.
    pub fn push(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        self.event_cues.ids.grow_by(cues)?;
        self.event_outcomes.ids.grow_by(outcomes)?;
        self.end_event(frequency.into())
    }

    /// A cue of the current event.
    ///
    /// # Errors
    /// When there are too many names, or the event has the cue already and duplicates are refused.
    pub fn cue(&mut self, name: &str) -> Result<()> {
        let id = self.cues.intern(name)?;
        self.event_cues.add(&[id], self.number, &self.cues)
    }

    /// An outcome of the current event.
    ///
    /// # Errors
    /// As for [`EventWriter::cue`].
    pub fn outcome(&mut self, name: &str) -> Result<()> {
        let id = self.outcomes.intern(name)?;
        self.event_outcomes.add(&[id], self.number, &self.outcomes)
    }

    /// Ends the current event, which occurred `frequency` times in a row (0: its names are kept, it teaches nothing).
    ///
    /// # Errors
    /// When the frequency is too large, or the event cannot be stored.
    pub fn end_event(&mut self, frequency: u64) -> Result<()> {
        let frequency = storable(frequency)?;
        add_tokens(&mut self.n_tokens, frequency.into())?;
        let mut cues = mem::take(&mut self.event_cues.ids);
        let mut outcomes = mem::take(&mut self.event_outcomes.ids);
        self.append(&cues, &outcomes, frequency)?;
        cues.clear();
        outcomes.clear();
        self.event_cues.ids = cues;
        self.event_outcomes.ids = outcomes;
        self.number += 1;
        self.begin_event()
    }

    /// Ends the current event with an event for each of its outcomes, in which the cue of the same name is left out. An event without
    /// other cues than the background is left out, too.
    ///
    /// # Errors
    /// As for [`EventWriter::end_event`].
    pub(crate) fn end_masked_event(&mut self, monitor: &Monitor) -> Result<()> {
        let mut cues = mem::take(&mut self.event_cues.ids);
        let outcomes = mem::take(&mut self.event_outcomes.ids);
        let (own, given) = cues.split_at(usize::from(self.background.is_some()).min(cues.len()));
        let (own, given) = (collected(own.iter().copied())?, collected(given.iter().copied())?);
        for (at, &outcome) in outcomes.iter().enumerate() {
            if outcomes[..at].contains(&outcome) {
                continue;
            }
            monitor.check()?;
            let masked = self.outcomes.name(outcome).and_then(|name| self.cues.get(name));
            cues.clear();
            cues.extend(own.iter().chain(given.iter().filter(|&&cue| Some(cue) != masked)));
            if cues.len() > own.len() {
                add_tokens(&mut self.n_tokens, 1)?;
                self.append(&cues, &[outcome], 1)?;
            }
        }
        self.number += 1;
        self.begin_event()
    }

    /// A cue or an outcome of the current event.
    ///
    /// # Errors
    /// As for [`EventWriter::cue`].
    pub(crate) fn name(&mut self, side: Side, name: &str) -> Result<()> {
        match side {
            Side::Cue => self.cue(name),
            Side::Outcome => self.outcome(name),
        }
    }

    /// The id of a name, which may be new.
    ///
    /// # Errors
    /// When there are too many names.
    pub(crate) fn id(&mut self, side: Side, name: &str) -> Result<u32> {
        match side {
            Side::Cue => self.cues.intern(name),
            Side::Outcome => self.outcomes.intern(name),
        }
    }

    /// Cues or outcomes of the current event by their ids, which [`EventWriter::id`] gave.
    ///
    /// # Errors
    /// As for [`EventWriter::cue`].
    #[inline]
    pub(crate) fn names(&mut self, side: Side, ids: &[u32]) -> Result<()> {
        match side {
            Side::Cue => self.event_cues.add(ids, self.number, &self.cues),
            Side::Outcome => self.event_outcomes.add(ids, self.number, &self.outcomes),
        }
    }

    /// The number of events so far.
    pub fn n_events(&self) -> u64 {
        self.chunks.n_events
    }

    /// The key of the latest event, by which [`EventWriter::event_again`] repeats it.
    pub(crate) fn key(&self) -> Option<u32> {
        self.last_type
    }

    /// Repeats the event of a key, as if all its names and its end had come again. It may be called only between two events. Returns
    /// whether the writer still knows the key; if not, nothing happened.
    ///
    /// # Errors
    /// As for [`EventWriter::end_event`].
    pub(crate) fn event_again(&mut self, key: u32, frequency: u64) -> Result<bool> {
        let Some(types) = self.types.as_mut().filter(|types| (key as usize) < types.rows.len()) else {
            return Ok(false);
        };
        let frequency = storable(frequency)?;
        add_tokens(&mut self.n_tokens, frequency.into())?;
        types.count(key, frequency)?;
        if self.chunks.are_by_type() {
            self.chunks.push_type(key, frequency)?;
        } else {
            // A frozen dictionary still knows its types.
            let (cues, outcomes) = types.rows.get(key as usize);
            self.chunks.push(cues, outcomes, frequency)?;
        }
        self.last_type = Some(key);
        self.judge(Moment::Event)?;
        Ok(true)
    }

    /// Writes the rest, gives the file its name and opens it.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk is full; the old file is then as it was.
    pub fn finish(self) -> Result<EventFile> {
        self.finish_watched(&Monitor::new())
    }

    /// [`EventWriter::finish`] with a monitor that can stop it, since the survey of a large file takes a while.
    ///
    /// # Errors
    /// As of [`EventWriter::finish`]; [`Error::Stopped`].
    pub fn finish_watched(mut self, monitor: &Monitor) -> Result<EventFile> {
        self.judge(Moment::End)?;
        let types = self.types.take().unwrap_or_default();
        types.each_type(|cues, outcomes, tokens| self.count(cues, outcomes, tokens))?;
        self.chunks.finish(self.n_tokens, &types.rows, &self.cues, &self.outcomes, monitor)
    }

    /// Begins an event: the background cue comes first.
    fn begin_event(&mut self) -> Result<()> {
        if let Some(name) = self.background.take() {
            let added = self.cue(&name);
            self.background = Some(name);
            added?;
        }
        Ok(())
    }

    /// Writes all events again in full. Until then they are in memory, with 4 bytes each, or 8 with frequencies. They are few: most
    /// often such a dictionary is dropped when half of its events or more are of new types.
    fn drop_types(&mut self) -> Result<()> {
        let Some(types) = self.types.take() else { return Ok(()) };
        for chunk in self.chunks.take_back(types.rows.len() as u64)? {
            let Body::Types(indices) = &chunk.body else { continue };
            for (i, &index) in indices.iter().enumerate() {
                let (cues, outcomes) = types.rows.get(index as usize);
                self.append(cues, outcomes, chunk.frequency(i))?;
            }
        }
        Ok(())
    }

    fn append(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        self.last_type = match &mut self.types {
            Some(types) if self.chunks.are_by_type() => {
                let event_type = types.event_type(cues, outcomes)?;
                if event_type.is_none() {
                    self.judge(Moment::Full)?;
                }
                event_type
            }
            _ => None,
        };
        match (&mut self.types, self.last_type) {
            (Some(types), Some(event_type)) => {
                types.count(event_type, frequency)?;
                self.chunks.push_type(event_type, frequency)?;
            }
            _ => {
                self.count(cues, outcomes, frequency.into())?;
                self.chunks.push(cues, outcomes, frequency)?;
            }
        }
        self.judge(Moment::Event)
    }

    /// Applies the fate of the dictionary.
    #[inline]
    fn judge(&mut self, moment: Moment) -> Result<()> {
        let Some(types) = &self.types else { return Ok(()) };
        match types.fate(self.chunks.n_events, moment) {
            Fate::Keep => Ok(()),
            Fate::Freeze => self.chunks.go_on_in_full(),
            Fate::Drop => self.drop_types(),
        }
    }

    /// Counts the names of events.
    fn count(&mut self, cues: &[u32], outcomes: &[u32], tokens: u64) -> Result<()> {
        self.cues.count(cues, tokens)?;
        self.outcomes.count(outcomes, tokens)
    }
}

fn storable(frequency: u64) -> Result<u32> {
    u32::try_from(frequency).map_err(|_| {
        Error::defect(
            "a frequency of at most 4,294,967,295",
            frequency.to_string(),
            "repeat the event in several rows, or divide all frequencies",
        )
    })
}

#[cfg(test)]
impl EventFile {
    /// Events in memory: their cues, outcomes and frequencies. The names are the numbers below `n_names`.
    #[allow(clippy::unwrap_used)]
    pub(super) fn of_rows(n_names: u32, rows: impl IntoIterator<Item = (Vec<u32>, Vec<u32>, u32)>) -> Self {
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        let names: Vec<String> = (0..n_names).map(|name| name.to_string()).collect();
        let names = || names.iter().map(String::as_str);
        writer.add_names(names(), names()).unwrap();
        rows.into_iter().for_each(|(cues, outcomes, n)| writer.push(&cues, &outcomes, n).unwrap());
        writer.finish().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::EventList;
    use super::super::dictionary::JUDGED_AT;
    use super::super::format::TYPES_SIZE;
    use super::*;

    const CUES: usize = 3200;

    /// Writes events of many cues, all different; each comes `times` times in a row.
    fn written(types: usize, times: usize, again: impl Fn(&mut EventWriter, &[u32], &[u32])) -> EventWriter {
        written_within(TYPES_SIZE, types, times, again)
    }

    /// The same with a dictionary of at most `budget` bytes.
    fn written_within(
        budget: u64,
        types: usize,
        times: usize,
        again: impl Fn(&mut EventWriter, &[u32], &[u32]),
    ) -> EventWriter {
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        writer.types.as_mut().unwrap().budget = budget;
        let names: Vec<String> = (0..types.max(CUES)).map(|i| i.to_string()).collect();
        let names = || names.iter().map(String::as_str);
        writer.add_names(names(), names()).unwrap();
        let cues: Vec<u32> = (0..CUES as u32).collect();
        for i in 0..types {
            let outcomes = [i as u32];
            writer.push(&cues, &outcomes, 1).unwrap();
            for _ in 1..times {
                again(&mut writer, &cues, &outcomes);
            }
        }
        writer
    }

    #[test]
    fn keys_of_a_dropped_dictionary_are_not_known() {
        let mut writer = written(JUDGED_AT / (CUES * 8), 1, |_, _, _| ());
        assert!(writer.types.is_some() && writer.key().is_some());
        let before = writer.chunks.n_events;
        assert!(writer.event_again(0, 1).unwrap());
        assert_eq!(writer.key(), Some(0));
        while writer.types.is_some() {
            let i = writer.chunks.n_events as u32;
            writer.push(&[0; CUES], &[1 + i % 1000, 1001 + i / 1000], 1).unwrap();
        }
        assert_eq!(writer.key(), None);
        assert!(!writer.event_again(0, 1).unwrap());
        let file = writer.finish().unwrap();
        assert!(!file.header().has_types() && file.header().n_events > before);
        assert_eq!(file.outcomes().counts()[0], 2);
    }

    #[test]
    fn the_first_events_of_text_tell_whether_types_are_of_use() {
        // Every n-th event is the first one again.
        for (again, stays) in [(2, true), (4, false)] {
            let writers = [false, true].map(|of_text| {
                let writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
                let mut writer = if of_text { writer.of_text() } else { writer };
                let names: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
                let names = || names.iter().map(String::as_str);
                writer.add_names(names(), names()).unwrap();
                for i in 0..50_000 {
                    let i = if i % again == 0 { 0 } else { i };
                    writer.push(&[i % 1000], &[i / 1000], 1).unwrap();
                }
                writer
            });
            assert_eq!(writers.each_ref().map(|writer| writer.types.is_some()), [true, stays]);
            // The rest of the file does not depend on it.
            let [mut list, mut text] = writers;
            for writer in [&mut list, &mut text] {
                writer.drop_types().unwrap();
            }
            assert!(list.finish().unwrap().bytes() == text.finish().unwrap().bytes());
        }
    }

    #[test]
    fn a_full_dictionary_that_pays_knows_its_keys_and_no_others() {
        let room = EventList::size_of(100, 100 * (CUES + 1));
        let mut by_key = written_within(room, 103, 3, |writer, cues, outcomes| match writer.key() {
            Some(key) => assert!(writer.event_again(key, 1).unwrap()),
            None => writer.push(cues, outcomes, 1).unwrap(),
        });
        assert!(!by_key.chunks.are_by_type(), "frozen");
        let push = |writer: &mut EventWriter, cues: &[u32], outcomes: &[u32]| {
            writer.push(cues, outcomes, 1).unwrap();
        };
        let mut in_full = written_within(room, 103, 3, push);
        for (i, frequency) in [(7, 1), (99, 3)] {
            assert!(by_key.event_again(i, frequency.into()).unwrap());
            in_full.push(&(0..CUES as u32).collect::<Vec<_>>(), &[i], frequency).unwrap();
        }
        for writer in [&mut by_key, &mut in_full] {
            writer.push(&[1], &[2], 1).unwrap();
            assert_eq!(writer.key(), None);
            assert!(!writer.event_again(100, 1).unwrap());
        }
        let file = by_key.finish().unwrap();
        let types = file.types().unwrap();
        assert_eq!((types.len(), types.size() as u64), (100, room));
        // With more, it would have been full earlier.
        assert_eq!((file.n_chunks(), file.events_of(0)), (2, 0..300));
        assert!(file.bytes() == in_full.finish().unwrap().bytes());
    }

    #[test]
    fn a_full_dictionary_that_does_not_pay_is_dropped() {
        let written = |budget| written_within(budget, 103, 1, |_, _, _| ());
        let full = written(EventList::size_of(100, 100 * (CUES + 1)));
        assert!(full.types.is_none());
        let file = full.finish().unwrap();
        assert!(!file.header().has_types());
        assert!(file.bytes() == written(TYPES_SIZE).finish().unwrap().bytes());
    }
}
