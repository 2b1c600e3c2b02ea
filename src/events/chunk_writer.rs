//! The chunks of a file as they are written, and the file around them.

use std::mem;
use std::path::Path;

use super::EventFile;
use super::chunk::{Chunk, EventList, Limits};
use super::format::{HEADER, Header, PARAMETERS, SURVEY, TYPES, encode_directory, encode_names};
use super::output::Output;
use super::parameters;
use super::pending::Pending;
use super::survey::summary::Survey;
use crate::error::Result;
use crate::memory::Grow;
use crate::monitor::Monitor;
use crate::threads::available;
use crate::vocab::Vocab;

/// A file keeps its survey if it has at least this many chunks; to survey fewer takes too little time to be noticed.
pub(super) const SURVEYED: usize = 16;

/// Events that are written a chunk at a time.
pub(super) struct ChunkWriter {
    out: Output,
    pending: Pending,
    /// The bytes of the latest chunk: a buffer that is reused.
    encoded: Vec<u8>,
    /// For each chunk written: its offset and its first event.
    directory: Vec<(u64, u64)>,
    /// How many events there are, written and pending.
    pub(super) n_events: u64,
    /// The number of chunks from which the file keeps its survey.
    pub(super) surveyed: usize,
    /// The text that says what made the file.
    pub(super) parameters: Option<String>,
}

impl ChunkWriter {
    /// Begins without events, at a path or in memory. Events will be indices of their types.
    pub(super) fn new(path: Option<&Path>) -> Result<Self> {
        let mut out = Output::new(path)?;
        out.write(&[0; HEADER])?;
        Ok(Self {
            out,
            pending: Pending::new(true),
            encoded: Vec::new(),
            directory: Vec::new(),
            n_events: 0,
            surveyed: SURVEYED,
            parameters: None,
        })
    }

    /// Whether events are indices of their types.
    #[inline]
    pub(super) fn are_by_type(&self) -> bool {
        self.pending.is_by_type()
    }

    /// From now on events are in full.
    pub(super) fn go_on_in_full(&mut self) -> Result<()> {
        self.flush()?;
        self.pending = Pending::new(false);
        Ok(())
    }

    /// Appends an event by the index of its type.
    #[inline]
    pub(super) fn push_type(&mut self, event_type: u32, frequency: u32) -> Result<()> {
        self.pending.push_type(event_type, frequency)?;
        self.pushed()
    }

    /// Appends an event in full.
    #[inline]
    pub(super) fn push(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        if self.pending.has_no_room_for(cues.len(), outcomes.len()) {
            self.flush()?;
        }
        self.pending.push(cues, outcomes, frequency)?;
        self.pushed()
    }

    /// Removes all events and returns them, where they are indices of `n_types` types. From now on events are in full.
    pub(super) fn take_back(&mut self, n_types: u64) -> Result<Vec<Chunk>> {
        self.go_on_in_full()?;
        let directory = mem::take(&mut self.directory);
        let ends = directory.iter().skip(1).copied().chain([(self.out.at, self.n_events)]);
        let limits = Limits { cues: 0, outcomes: 0, types: n_types, budget: 0 };
        let mut chunks = Vec::new();
        chunks.make_room(directory.len())?;
        for (&(start, first), (end, next)) in directory.iter().zip(ends) {
            let bytes = self.out.read_back(start, end)?;
            chunks.push(Chunk::decode(&bytes, 0, (next - first) as usize, &limits)?);
        }
        self.out.restart(HEADER as u64)?;
        self.n_events = 0;
        Ok(chunks)
    }

    /// Writes what is left, gives the file its name and opens it.
    pub(super) fn finish(
        mut self,
        n_tokens: u64,
        types: &EventList,
        cues: &Vocab,
        outcomes: &Vocab,
        monitor: &Monitor,
    ) -> Result<EventFile> {
        self.flush()?;
        let mut header = Header {
            n_events: self.n_events,
            n_tokens,
            n_cues: cues.len() as u64,
            n_outcomes: outcomes.len() as u64,
            n_chunks: self.directory.len() as u64,
            ..Header::default()
        };
        if !types.is_empty() {
            header.features |= TYPES;
            header.n_types = types.len() as u64;
            self.write_types(types)?;
            header.n_type_chunks = self.directory.len() as u64 - header.n_chunks;
        }
        header.names = self.out.at;
        let mut names = Vec::new();
        encode_names(cues, &mut names)?;
        encode_names(outcomes, &mut names)?;
        self.out.write(&names)?;
        let end_of_names = self.out.at;
        self.close(&mut header, None)?;
        if header.n_chunks >= self.surveyed as u64
            && let Some(file) = self.out.opened()?
        {
            let survey = Survey::look(&file, available(), monitor)?;
            // The blocks after the names are written again, so nobody may have them mapped.
            drop(file);
            self.out.restart(end_of_names)?;
            self.close(&mut header, Some(&survey))?;
        }
        self.out.finish()
    }

    /// Writes the blocks after the names, and then the header. The file is whole after that.
    fn close(&mut self, header: &mut Header, survey: Option<&Survey>) -> Result<()> {
        let (start, mut tail) = (self.out.at, Vec::new());
        if let Some(survey) = survey {
            header.features |= SURVEY;
            header.survey = start;
            survey.encode(&mut tail)?;
        }
        if let Some(text) = &self.parameters {
            header.features |= PARAMETERS;
            header.parameters = start + tail.len() as u64;
            parameters::encode(text, &mut tail)?;
        }
        header.directory = start + tail.len() as u64;
        encode_directory(&self.directory, &mut tail)?;
        header.length = start + tail.len() as u64;
        self.out.write(&tail)?;
        self.out.seek(0)?;
        self.out.write(&header.encode())
    }

    /// Counts events that were appended.
    #[inline]
    fn pushed(&mut self) -> Result<()> {
        self.n_events += 1;
        if self.pending.is_full() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.write(self.n_events - self.pending.len() as u64)
    }

    /// Writes the pending events as a chunk; `first` is the number of its first event.
    fn write(&mut self, first: u64) -> Result<()> {
        self.directory.grow((self.out.at, first))?;
        self.pending.encode(&mut self.encoded)?;
        self.out.write(&self.encoded)
    }

    fn write_types(&mut self, types: &EventList) -> Result<()> {
        self.pending = Pending::new(false);
        let mut first = 0;
        for i in 0..types.len() {
            let (cues, outcomes) = types.get(i);
            if self.pending.has_no_room_for(cues.len(), outcomes.len()) {
                self.write(first)?;
                first = i as u64;
            }
            self.pending.push(cues, outcomes, 1)?;
            if self.pending.is_full() || i + 1 == types.len() {
                self.write(first)?;
                first = i as u64 + 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::CHUNK_SLOTS;
    use super::*;

    /// The first events of the chunks of a stream, and what refused it.
    fn firsts(push: impl FnOnce(&mut ChunkWriter, &EventList) -> Result<()>) -> (Vec<u64>, Option<String>) {
        let mut events = EventList::default();
        for n in [1, CHUNK_SLOTS, CHUNK_SLOTS - 1, 1, 1] {
            events.push(&vec![0; n], &[0]).unwrap();
        }
        let mut chunks = ChunkWriter::new(None).unwrap();
        chunks.go_on_in_full().unwrap();
        let refused = push(&mut chunks, &events).and_then(|()| chunks.flush()).err();
        let firsts = chunks.directory.iter().map(|&(_, first)| first).collect();
        (firsts, refused.map(|error| error.to_string()))
    }

    #[test]
    fn an_event_of_the_most_cues_begins_a_chunk() {
        let one_by_one = firsts(|chunks, events| {
            (0..events.len()).try_for_each(|i| {
                let (cues, outcomes) = events.get(i);
                chunks.push(cues, outcomes, 1)
            })
        });
        let as_types = firsts(|chunks, events| chunks.write_types(events));
        for found in [one_by_one, as_types] {
            assert_eq!(found, (vec![0, 1, 2, 3], None));
        }
    }
}
