//! An open event file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::bytes::Bytes;
use super::chunk::{Body, Chunk, EventList, Limits};
use super::format::{
    CHUNK_EVENTS, ENTRY, FOOTER, HEADER, Header, Input, MAGIC, TYPES_SIZE, damaged, decode_names,
};
use super::survey::summary::Survey;
use crate::error::{Error, Result};
use crate::memory::{Grow, filled, gathered};
use crate::monitor::{Monitor, Pulse};
use crate::vocab::Vocab;

/// An open event file: mapped, read part by part, or in memory. A clone is the same file, and costs nothing.
#[derive(Debug, Clone)]
pub struct EventFile(pub(super) Arc<Opened>);

/// The parts of an open event file that are read at opening, or kept after use.
///
/// Invariants, checked by [`EventFile::open`]: `header.length` is the length of the bytes; `chunks` fill `HEADER..header.names`;
/// the first hold the events `0..n_events`, the rest the types `0..n_types`; the vocabularies have `header.n_cues` and
/// `header.n_outcomes` names. The contents of chunks are not trusted, and the bytes may change at any time: [`EventFile::chunk`]
/// checks a chunk whenever it decodes it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) bytes: Bytes,
    path: Option<PathBuf>,
    pub(super) header: Header,
    cues: Vocab,
    outcomes: Vocab,
    pub(super) chunks: Vec<Extent>,
    types: OnceLock<EventList>,
    pub(super) survey: OnceLock<Survey>,
}

/// The chunk decoded last: see [`EventFile::event`].
#[derive(Debug, Default)]
pub struct Recent(Option<(usize, Chunk)>);

/// Where a chunk stands and which rows it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) end: usize,
    first: u64,
    n_rows: usize,
}

impl EventFile {
    /// Opens a file, given its bytes and, for messages, its path. Reads the header, the names and the directory only.
    ///
    /// # Errors
    /// [`Error::Format`] for a damaged or foreign file.
    pub fn open(bytes: impl Into<Bytes>, path: Option<&Path>) -> Result<Self> {
        Self::read(bytes.into(), path).map_err(|error| error.at(path, None))
    }

    fn read(bytes: Bytes, path: Option<&Path>) -> Result<Self> {
        let length = bytes.len();
        let header = Header::decode(&bytes.copy(0..length.min(HEADER))?, length)?;
        let [names, directory] =
            [header.names, header.directory].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let footer = length.saturating_sub(FOOTER);
        if !(HEADER <= names && names <= directory && directory <= footer) {
            return Err(damaged(
                72,
                "parts in their order",
                format!("offsets {names}, {directory}, {footer}"),
            ));
        }
        let entries = bytes.copy(directory..footer)?;
        let end = bytes.copy(footer..length)?;
        let mut end = Input { bytes: &end, start: footer, at: 0 };
        let (crc, found) = (end.u32()?, crc32c::crc32c(&entries));
        if crc != found {
            return Err(damaged(
                directory,
                format!("a directory with checksum {crc:08x}"),
                format!("{found:08x}"),
            ));
        }
        if end.u32()? != 0 || end.take(8)? != MAGIC {
            return Err(damaged(footer, "the end of an event file", "other bytes"));
        }
        let chunks = read_directory(&entries, directory, &header)?;
        let mut at = names;
        let read = |part, to: &mut _| bytes.append(part, to);
        let cues = decode_names(read, &mut at, directory, header.n_cues)?;
        let outcomes = decode_names(read, &mut at, directory, header.n_outcomes)?;
        check_order(&header, at)?;
        let path = path.map(Path::to_path_buf);
        let opened = Opened {
            bytes,
            path,
            header,
            cues,
            outcomes,
            chunks,
            types: OnceLock::new(),
            survey: OnceLock::new(),
        };
        Ok(Self(Arc::new(opened)))
    }

    /// The path; `None` if the events are in memory.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What the file says about itself.
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// The bytes of the whole file, if it is mapped or in memory; `None` if it is read part by part.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.0.bytes.whole()
    }

    /// Whether a file is mapped.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0.bytes, Bytes::Mapped(_))
    }

    /// Appends a copy of a part of the file, unchecked.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::Format`] when the file does not have the part, or no longer has it.
    pub fn read_part(&self, part: Range<usize>, to: &mut Vec<u8>) -> Result<()> {
        self.0.bytes.append(part, to).map_err(|error| error.at(self.path(), None))
    }

    /// How many events (rows) there are.
    pub fn len(&self) -> u64 {
        self.0.header.n_events
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cues.
    pub fn cues(&self) -> &Vocab {
        &self.0.cues
    }

    /// The outcomes.
    pub fn outcomes(&self) -> &Vocab {
        &self.0.outcomes
    }

    /// How many chunks of events there are.
    pub fn n_chunks(&self) -> usize {
        // `chunks` has an entry for each, so the number fits.
        self.0.header.n_chunks as usize
    }

    /// The events that a chunk holds.
    pub fn events_of(&self, chunk: usize) -> Range<u64> {
        self.0.chunks.get(chunk).map_or(0..0, |extent| extent.first..extent.first + extent.n_rows as u64)
    }

    /// The chunk that holds an event.
    pub fn chunk_with(&self, event: u64) -> usize {
        self.0.chunks[..self.n_chunks()]
            .partition_point(|extent| extent.first + extent.n_rows as u64 <= event)
    }

    /// Decodes and checks a chunk of events.
    ///
    /// # Errors
    /// [`Error::Format`] when the chunk is damaged.
    pub fn chunk(&self, chunk: usize) -> Result<Chunk> {
        self.decode(chunk, u64::MAX)
    }

    /// Decodes and checks a chunk whose rows may take `budget` bytes.
    fn decode(&self, chunk: usize, budget: u64) -> Result<Chunk> {
        let extent =
            self.0.chunks.get(chunk).ok_or_else(|| Error::Argument(format!("there is no chunk {chunk}")))?;
        let limits = Limits {
            cues: self.0.header.n_cues,
            outcomes: self.0.header.n_outcomes,
            types: if chunk < self.n_chunks() { self.0.header.n_types } else { 0 },
            budget,
        };
        let Extent { start, end, n_rows, .. } = *extent;
        let decoded = Chunk::check_length(start, end - start)
            .and_then(|()| self.0.bytes.copy(start..end))
            .and_then(|bytes| Chunk::decode(&bytes, start, n_rows, &limits));
        decoded.map_err(|error| error.at(self.path(), None))
    }

    /// The dictionary of event types, decoded and checked at first use; empty where there is none.
    ///
    /// # Errors
    /// [`Error::Format`] when the dictionary is damaged.
    pub fn types(&self) -> Result<&EventList> {
        if let Some(types) = self.0.types.get() {
            return Ok(types);
        }
        let mut types = EventList::default();
        for index in self.n_chunks()..self.0.chunks.len() {
            let names = types.cues.items().len() + types.outcomes.items().len();
            let chunk = self.decode(index, TYPES_SIZE - EventList::size_of(types.len(), names))?;
            let Body::Full(rows) = &chunk.body else {
                return Err(damaged(self.0.chunks[index].start, "types in full", "numbers of types")
                    .at(self.path(), None));
            };
            if !chunk.frequencies.is_empty() {
                let error = damaged(self.0.chunks[index].start, "types without frequencies", "frequencies");
                return Err(error.at(self.path(), None));
            }
            for i in 0..rows.len() {
                let (cues, outcomes) = rows.get(i);
                types.push(cues, outcomes)?;
            }
        }
        Ok(self.0.types.get_or_init(|| types))
    }

    /// One event: its cues, its outcomes, its frequency. Its chunk is kept in `recent`, so that its neighbours are read fast.
    ///
    /// # Errors
    /// [`Error::Format`] when the chunk is damaged, [`Error::Argument`] when there is no such event.
    pub fn event<'a>(&'a self, event: u64, recent: &'a mut Recent) -> Result<(&'a [u32], &'a [u32], u32)> {
        if event >= self.len() {
            return Err(unknown_event(event, self.len()));
        }
        let index = self.chunk_with(event);
        let chunk = match recent.0.take().filter(|(kept, _)| *kept == index) {
            Some((_, chunk)) => chunk,
            None => self.chunk(index)?,
        };
        let (_, chunk) = recent.0.insert((index, chunk));
        let i = (event - self.events_of(index).start) as usize;
        let (cues, outcomes) = Self::row(chunk, self.types()?, i);
        Ok((cues, outcomes, chunk.frequency(i)))
    }

    /// The cues and the outcomes of event `i` of a chunk.
    pub(super) fn row<'a>(chunk: &'a Chunk, types: &'a EventList, i: usize) -> (&'a [u32], &'a [u32]) {
        match &chunk.body {
            Body::Full(rows) => rows.get(i),
            Body::Types(tokens) => types.get(tokens[i] as usize),
        }
    }

    /// Calls `visit(event, cues, outcomes, frequency)` for the events of a range, in order.
    ///
    /// # Errors
    /// [`Error::Format`] when a chunk is damaged; those of `visit`.
    pub fn for_each(
        &self,
        range: Range<u64>,
        mut visit: impl FnMut(u64, &[u32], &[u32], u32) -> Result<()>,
    ) -> Result<()> {
        let range = range.start..range.end.min(self.len());
        let types = self.types()?;
        let mut event = range.start;
        while event < range.end {
            let index = self.chunk_with(event);
            let chunk = self.chunk(index)?;
            let events = self.events_of(index);
            for event in event..events.end.min(range.end) {
                let i = (event - events.start) as usize;
                let (cues, outcomes) = Self::row(&chunk, types, i);
                visit(event, cues, outcomes, chunk.frequency(i))?;
            }
            event = events.end;
        }
        Ok(())
    }

    /// Reads the whole file, checks every part of it, and checks its counts against its events.
    ///
    /// # Errors
    /// [`Error::Format`] when anything is damaged; [`Error::Stopped`].
    pub fn verify(&self, monitor: &Monitor) -> Result<()> {
        let wrong = |what: &str, expected: u64, found: u64| {
            Err(damaged(16, format!("{expected} {what}"), format!("{found}")).at(self.path(), None))
        };
        monitor.set_total(self.len());
        // The types are checked even if no event uses them.
        self.types()?;
        let mut cue_counts = filled(0_u64, self.0.cues.len())?;
        let mut outcome_counts = filled(0_u64, self.0.outcomes.len())?;
        let (mut n_tokens, mut pulse) = (0_u64, Pulse::default());
        for chunk in 0..self.n_chunks() {
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            self.for_each(events, |_, cues, outcomes, frequency| {
                n_tokens = n_tokens.saturating_add(frequency.into());
                // A chunk of indices may stand for events many times its length.
                pulse.beat(cues.len() + outcomes.len(), monitor)?;
                for (ids, counts) in [(cues, &mut cue_counts), (outcomes, &mut outcome_counts)] {
                    for &id in ids {
                        counts[id as usize] = counts[id as usize].saturating_add(frequency.into());
                    }
                }
                Ok(())
            })?;
        }
        if n_tokens != self.0.header.n_tokens {
            return wrong("tokens", self.0.header.n_tokens, n_tokens);
        }
        for (vocab, counts, what) in [
            (&self.0.cues, cue_counts, "occurrences of the cue"),
            (&self.0.outcomes, outcome_counts, "of the outcome"),
        ] {
            for ((name, &expected), &found) in vocab.names().zip(vocab.counts()).zip(&counts) {
                if expected != found {
                    return wrong(&format!("{what} {name:?}"), expected, found);
                }
            }
        }
        self.parameters()?;
        if let Some(kept) = self.kept_survey()?
            && kept != Survey::look(self, 1, monitor)?
        {
            let at = self.0.header.survey as usize;
            return Err(
                damaged(at, "a survey of these events", "a survey of other events").at(self.path(), None)
            );
        }
        Ok(())
    }
}

/// Checks the offsets of the blocks after the names, which end at `at`: the first begins there, each other not before the
/// previous. Each block checks its own end.
fn check_order(header: &Header, at: usize) -> Result<()> {
    let (mut before, mut is_first) = (at as u64, true);
    for (what, there, begin) in header.behind_names() {
        if there != (begin != 0) {
            let expected = format!("the {what} where the features say so");
            return Err(damaged(at, expected, format!("it at {begin}")));
        }
        if there && (begin < before || is_first && begin != before) {
            return Err(damaged(at, format!("the {what} after the names"), format!("it at {begin}")));
        }
        if there {
            (before, is_first) = (begin, false);
        }
    }
    Ok(())
}

/// The error for an event that does not exist.
pub(super) fn unknown_event(event: u64, n_events: u64) -> Error {
    Error::Argument(format!("expected events below {n_events}, found {event}"))
}

/// Reads the directory, from its bytes and their offset in the file.
fn read_directory(bytes: &[u8], directory: usize, header: &Header) -> Result<Vec<Extent>> {
    let wrong = |expected: String, found: String| Err(damaged(directory, expected, found));
    let n = header.n_chunks.saturating_add(header.n_type_chunks);
    if n.saturating_mul(ENTRY as u64) != bytes.len() as u64 {
        return wrong(format!("{n} entries in the directory"), format!("{} bytes", bytes.len()));
    }
    let mut input = Input { bytes, start: directory, at: 0 };
    let mut entries = gathered((0..n).map(|_| Ok((input.u64()?, input.u64()?))))?;
    let types_begin = header.n_chunks as usize;
    let mut extents = Vec::new();
    extents.make_room(entries.len())?;
    entries.grow((header.names, header.n_types))?;
    let (mut at, mut row) = (HEADER as u64, 0);
    for (i, pair) in entries.windows(2).enumerate() {
        let [(start, first), (end, mut next)] = [pair[0], pair[1]];
        if i == types_begin {
            row = 0;
        }
        if i + 1 == types_begin {
            next = header.n_events;
        }
        if start != at || end < start {
            return wrong(format!("chunk {i} at offset {at}"), format!("offsets {start} to {end}"));
        }
        if first != row || next <= first || next - first > CHUNK_EVENTS as u64 {
            return wrong(
                format!("1 to {CHUNK_EVENTS} rows from {row} in chunk {i}"),
                format!("{first} to {next}"),
            );
        }
        // Both are inside the file, whose length is a usize.
        extents.push(Extent {
            start: start as usize,
            end: end as usize,
            first,
            n_rows: (next - first) as usize,
        });
        (at, row) = (end, next);
    }
    let nothing = |chunks: u64, rows: u64| chunks == 0 && rows != 0;
    if at != header.names
        || nothing(header.n_chunks, header.n_events)
        || nothing(header.n_type_chunks, header.n_types)
    {
        return wrong("chunks up to the names".into(), format!("chunks up to offset {at}"));
    }
    if header.has_types() != (header.n_types > 0) {
        return wrong("a dictionary where the features say so".into(), format!("{} types", header.n_types));
    }
    Ok(extents)
}

#[cfg(test)]
impl EventFile {
    /// The cues, the outcomes and the frequency of all events.
    #[allow(clippy::type_complexity, clippy::unwrap_used)]
    pub(super) fn rows(&self) -> Vec<(Vec<u32>, Vec<u32>, u32)> {
        let mut rows = Vec::new();
        self.for_each(0..self.len(), |_, cues, outcomes, frequency| {
            rows.push((cues.to_vec(), outcomes.to_vec(), frequency));
            Ok(())
        })
        .unwrap();
        rows
    }
}
