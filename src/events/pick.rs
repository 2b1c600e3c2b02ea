//! Chosen events of a file, in any order and as often as wanted: slices, samples, permutations of tokens.
//!
//! The numbers of the events come in blocks. Decoded chunks are kept while they fit a budget. Each chunk beyond the budget is
//! decoded once for a block, and the events that the block wants are copied. So the cost does not depend on the order of the
//! numbers.

use std::path::Path;

use super::chunk::{Body, Chunk, EventList};
use super::file::{EventFile, unknown_event};
use super::write::{Duplicates, EventWriter};
use crate::error::{Error, Result};
use crate::files::atomic::check_apart;
use crate::memory::{Grow, filled};
use crate::monitor::Monitor;

/// The budget in bytes for decoded chunks that are kept.
const BUDGET: usize = 256 << 20;

/// The frequency of a picked event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frequency {
    /// Its frequency in the file.
    Own,
    /// 1, since a single token was picked.
    One,
}

/// Collects events of a file, at a path or in memory, under all the names of the file.
pub struct Picker<'a> {
    file: &'a EventFile,
    frequency: Frequency,
    writer: EventWriter,
    /// What is added to the file's ids of cues: 1 if there is a background cue, which has the id 0.
    shift: u32,
    /// The chunks that are kept, and how many more bytes may be kept.
    kept: Vec<Option<Chunk>>,
    budget: usize,
    /// For each type of the file the writer's key, once the writer has given it one.
    keys: Vec<Option<u32>>,
    /// The event being written.
    cues: Vec<u32>,
}

impl<'a> Picker<'a> {
    /// A picker that has no events yet. A background cue becomes the first cue of all, and the first cue of every event.
    ///
    /// # Errors
    /// [`Error::Argument`] when the background is a cue already, or the path that of the file, [`Error::Format`]
    /// for a damaged file, [`Error::Io`].
    pub fn new(
        file: &'a EventFile,
        frequency: Frequency,
        background: Option<&str>,
        path: Option<&Path>,
        parameters: Option<&str>,
    ) -> Result<Self> {
        if let Some(name) = background.filter(|name| file.cues().get(name).is_some()) {
            return Err(Error::Argument(format!(
                "background {name:?} is a cue of the events already; choose another name"
            )));
        }
        check_apart(path, file.path())?;
        // The writer gives the background cue its id before all other names.
        let mut writer = EventWriter::new(path, Duplicates::Keep, background)?.with_parameters(parameters)?;
        writer.add_names(file.cues().names(), file.outcomes().names())?;
        Ok(Self {
            file,
            frequency,
            writer,
            shift: background.is_some().into(),
            kept: filled(None, file.n_chunks())?,
            budget: BUDGET,
            keys: filled(None, file.types()?.len())?,
            cues: Vec::new(),
        })
    }

    /// Appends the events with these numbers.
    ///
    /// # Errors
    /// [`Error::Argument`] when there is no such event, [`Error::Format`] for a damaged file, [`Error::Stopped`].
    pub fn push(&mut self, events: &[u64], monitor: &Monitor) -> Result<()> {
        if let Some(&event) = events.iter().find(|&&event| event >= self.file.len()) {
            return Err(unknown_event(event, self.file.len()));
        }
        let aside = self.set_aside(events, monitor)?;
        let types = self.file.types()?;
        let Self { file, writer, kept, keys, cues, .. } = self;
        for (place, &event) in events.iter().enumerate() {
            if place % 1024 == 0 {
                monitor.check()?;
            }
            let index = file.chunk_with(event);
            let (chunk, i) = match &kept[index] {
                Some(chunk) => (chunk, (event - file.events_of(index).start) as usize),
                None => (&aside.chunk, aside.at[place]),
            };
            let frequency = match self.frequency {
                Frequency::Own => chunk.frequency(i),
                Frequency::One => 1,
            };
            let event_type = chunk.body.type_of(i).map(|event_type| event_type as usize);
            if let Some(key) = event_type.and_then(|event_type| keys[event_type])
                && writer.event_again(key, frequency.into())?
            {
                continue;
            }
            let (of_file, outcomes) = EventFile::row(chunk, types, i);
            cues.clear();
            cues.make_room(of_file.len())?;
            cues.extend(of_file.iter().map(|&cue| cue + self.shift));
            writer.push(cues, outcomes, frequency)?;
            if let Some(event_type) = event_type {
                keys[event_type] = writer.key();
            }
        }
        Ok(())
    }

    /// The picked events, as a file.
    ///
    /// # Errors
    /// Those of [`EventWriter::finish_watched`].
    pub fn finish(self, monitor: &Monitor) -> Result<EventFile> {
        self.writer.finish_watched(monitor)
    }

    /// Decodes each chunk that has one of the events and is not kept. The chunk is kept if the budget allows it; else the events
    /// that are wanted are copied.
    fn set_aside(&mut self, events: &[u64], monitor: &Monitor) -> Result<Aside> {
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        for (place, &event) in events.iter().enumerate() {
            let index = self.file.chunk_with(event);
            if self.kept[index].is_none() {
                wanted.grow((index, place))?;
            }
        }
        wanted.sort_unstable();
        let mut aside = Aside::new(events.len())?;
        for of_chunk in wanted.chunk_by(|one, other| one.0 == other.0) {
            monitor.check()?;
            let index = of_chunk[0].0;
            let chunk = self.file.chunk(index)?;
            if let Some(budget) = self.budget.checked_sub(chunk.size()) {
                (self.budget, self.kept[index]) = (budget, Some(chunk));
                continue;
            }
            let (types, first) = (self.file.types()?, self.file.events_of(index).start);
            for &(_, place) in of_chunk {
                let i = (events[place] - first) as usize;
                let (cues, outcomes) = EventFile::row(&chunk, types, i);
                aside.push(place, cues, outcomes, chunk.frequency(i))?;
            }
        }
        Ok(aside)
    }
}

/// Copies of those events of a block whose chunks are not kept. `at[i]` is the index in `chunk` of the i-th event of the block.
struct Aside {
    chunk: Chunk,
    at: Vec<usize>,
}

impl Aside {
    fn new(places: usize) -> Result<Self> {
        Ok(Self {
            chunk: Chunk { body: Body::Full(EventList::default()), frequencies: Vec::new() },
            at: filled(0, places)?,
        })
    }

    fn push(&mut self, place: usize, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        if let Body::Full(rows) = &mut self.chunk.body {
            self.at[place] = rows.len();
            rows.push(cues, outcomes)?;
            self.chunk.frequencies.grow(frequency)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (Vec<u32>, Vec<u32>, u32);

    /// Events over several chunks, of few types or of as many types as events.
    fn file(n_types: u32) -> EventFile {
        let row = |i: u32| {
            let event_type = i % n_types;
            (vec![event_type % 499, event_type / 499, event_type % 499], vec![event_type % 7], 1 + i % 3)
        };
        EventFile::of_rows(500, (0..150_000).map(row))
    }

    #[test]
    fn a_chunk_that_does_not_stay_gives_the_same_events() {
        for n_types in [1000, 150_000] {
            let file = file(n_types);
            assert_eq!(file.header().has_types(), n_types == 1000);
            let all = file.rows();
            let events: Vec<u64> = (0..20_000).map(|i| i * 77_773 % file.len()).collect();
            // Room for everything, for one chunk, for none.
            for budget in [BUDGET, file.chunk(0).unwrap().size(), 0] {
                let mut picker = Picker::new(&file, Frequency::Own, None, None, None).unwrap();
                picker.budget = budget;
                for block in events.chunks(3000) {
                    picker.push(block, &Monitor::new()).unwrap();
                }
                let stayed = picker.kept.iter().flatten().count();
                assert_eq!(stayed, if budget == BUDGET { file.n_chunks() } else { usize::from(budget > 0) });
                let picked = picker.finish(&Monitor::new()).unwrap();
                picked.verify(&Monitor::new()).unwrap();
                let expected: Vec<Row> = events.iter().map(|&event| all[event as usize].clone()).collect();
                assert!(picked.rows() == expected);
            }
        }
    }

    #[test]
    fn events_that_are_not_there_and_a_stop_are_errors() {
        let file = file(1000);
        let mut picker = Picker::new(&file, Frequency::One, None, None, None).unwrap();
        assert!(matches!(picker.push(&[0, file.len()], &Monitor::new()), Err(Error::Argument(_))));
        let found = file.event(file.len(), &mut super::super::Recent::default()).map(drop);
        assert!(matches!(found, Err(Error::Argument(_))));
        let monitor = Monitor::new();
        monitor.stop();
        assert!(matches!(picker.push(&[0], &monitor), Err(Error::Stopped)));
        assert!(matches!(Picker::new(&file, Frequency::One, Some("7"), None, None), Err(Error::Argument(_))));
    }
}
