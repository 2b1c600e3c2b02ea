//! Names in, a binary event file out, in bounded memory.
//!
//! The writer gives ids in order of first appearance and collects event types (the exact ordered ids of an event) in a
//! dictionary as long as that pays; a chunk is written as soon as it is full. When the dictionary turns out not to pay
//! it is dropped, and the chunks that used it, few by then, are written again in full. When it pays but grows beyond
//! its budget it is frozen: later chunks hold their events in full.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::EventFile;
use super::atomic::AtomicFile;
use super::chunk::{Body, Chunk, EventList, Limits};
use super::dictionary::{Dictionary, too_many_tokens};
use super::format::{HEADER, Header, TYPES, encode_directory, encode_names};
use super::map::{self, Bytes};
use super::pending::Pending;
use super::sink::{Batch, EventSink, Repeats, each_again};
use super::text_file::check_binary_name;
use crate::error::{Error, Result};
use crate::grow::{Grow, filled};
use crate::vocab::Vocab;

/// What becomes of a cue or outcome that an event names twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// The first stays.
    #[default]
    Drop,
    /// All stay. A cue counts as often as it is named; so does an outcome where names are counted and where the vectors of
    /// outcomes are added, while a token has or has not the outcome that is learned.
    Keep,
    /// It is an error.
    Error,
}

impl FromStr for Duplicates {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "drop" => Ok(Duplicates::Drop),
            "keep" => Ok(Duplicates::Keep),
            "error" => Ok(Duplicates::Error),
            _ => Err(Error::Argument(format!(
                "expected duplicates to be \"drop\", \"keep\" or \"error\", found {word:?}"
            ))),
        }
    }
}

const EVENT: &str = "an event";

/// So many bytes of events are appended together.
const TOGETHER: usize = 64 << 10;

/// Where an event file is written.
#[derive(Debug)]
enum Storage {
    File(AtomicFile),
    Memory(Cursor<Vec<u8>>),
}

/// Writes an event file from names.
pub struct EventWriter {
    out: Output,
    duplicates: Duplicates,
    background: Option<String>,
    names: NameCounts,
    event: EventAtHand,
    pending: Pending,
    /// The bytes of the last chunk; a buffer that is used again.
    encoded: Vec<u8>,
    types: Option<Dictionary>,
    /// The type of the last event, if the dictionary has it.
    last_type: Option<u32>,
    /// Start and first event of each chunk written.
    directory: Vec<(u64, u64)>,
    n_events: u64,
}

impl EventWriter {
    /// Starts an event file at a path, where it appears when it is finished, or in memory.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be written.
    pub fn new(path: Option<&Path>, duplicates: Duplicates, background: Option<&str>) -> Result<Self> {
        let mut writer = Self {
            out: Output::new(path)?,
            duplicates,
            background: background.map(str::to_owned),
            names: NameCounts::default(),
            event: EventAtHand::default(),
            pending: Pending::new(true),
            encoded: Vec::new(),
            types: Some(Dictionary::default()),
            last_type: None,
            directory: Vec::new(),
            n_events: 0,
        };
        writer.out.write(&[0; HEADER])?;
        writer.begin_event()?;
        Ok(writer)
    }

    /// Says that the events are those of running text: the first of them tell how often events come again, while lists may be
    /// read twice.
    #[must_use]
    pub fn of_text(mut self) -> Self {
        if let Some(types) = &mut self.types {
            types.steady = true;
        }
        self
    }

    /// Gives names ids before any event does, so that events can be written with the ids they have elsewhere.
    ///
    /// # Errors
    /// When there are too many names.
    pub fn with_names<'a>(
        &mut self,
        cues: impl Iterator<Item = &'a str>,
        outcomes: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        for name in cues {
            self.names.cues.intern(name)?;
        }
        for name in outcomes {
            self.names.outcomes.intern(name)?;
        }
        Ok(())
    }

    /// Writes an event by the ids of names given with [`EventWriter::with_names`], as it stands.
    ///
    /// # Errors
    /// When an id is unknown, or the event cannot be stored.
    pub fn push(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        self.event.cues.grow_by(cues, EVENT)?;
        self.event.outcomes.grow_by(outcomes, EVENT)?;
        self.end_event(frequency.into())
    }

    /// Writes what is left, gives the file its name and opens it.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk is full; the old file is then as it was.
    pub fn finish(mut self) -> Result<EventFile<Bytes>> {
        if self.types.as_ref().is_some_and(|types| !types.pays(self.n_events)) {
            self.drop_types()?;
        }
        self.flush()?;
        let mut header = Header {
            n_events: self.n_events,
            n_tokens: self.names.n_tokens,
            n_cues: self.names.cues.len() as u64,
            n_outcomes: self.names.outcomes.len() as u64,
            n_chunks: self.directory.len() as u64,
            ..Header::default()
        };
        if let Some(types) = self.types.take().filter(|types| !types.rows.is_empty()) {
            types.each_type(|cues, outcomes, tokens| self.names.count(cues, outcomes, tokens))?;
            header.features |= TYPES;
            header.n_types = types.rows.len() as u64;
            self.write_types(&types.rows)?;
            header.n_type_chunks = self.directory.len() as u64 - header.n_chunks;
        }
        header.names = self.out.at;
        let mut tail = Vec::new();
        encode_names(&self.names.cues, &mut tail)?;
        encode_names(&self.names.outcomes, &mut tail)?;
        header.directory = header.names + tail.len() as u64;
        encode_directory(&self.directory, &mut tail)?;
        header.length = header.names + tail.len() as u64;
        self.out.write(&tail)?;
        self.out.seek(0)?;
        self.out.write(&header.encode())?;
        self.out.finish()
    }

    /// Every event begins with the background cue.
    fn begin_event(&mut self) -> Result<()> {
        if let Some(name) = self.background.take() {
            let added = self.cue(&name);
            self.background = Some(name);
            added?;
        }
        Ok(())
    }

    fn repeated(&self, what: &str, name: Option<&str>) -> Result<()> {
        match self.duplicates {
            Duplicates::Drop | Duplicates::Keep => Ok(()),
            Duplicates::Error => Err(twice(what, name.unwrap_or_default())),
        }
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.write_chunk(self.n_events - self.pending.len() as u64)
    }

    /// Writes what is pending, the first of which has a number.
    fn write_chunk(&mut self, first: u64) -> Result<()> {
        self.directory.grow((self.out.at, first), "the directory of the event file")?;
        self.pending.encode(&mut self.encoded)?;
        self.out.write(&self.encoded)
    }

    fn write_types(&mut self, types: &EventList) -> Result<()> {
        self.pending = Pending::new(false);
        let mut first = 0;
        for i in 0..types.len() {
            self.pending.push(types.cues.get(i), types.outcomes.get(i), 1)?;
            if self.pending.is_full() || i + 1 == types.len() {
                self.write_chunk(first)?;
                first = i as u64 + 1;
            }
        }
        Ok(())
    }

    /// Writes all events again in full. Bounded: a dictionary that is judged often and does not pay belongs to fewer
    /// events than twice its types.
    fn drop_types(&mut self) -> Result<()> {
        self.flush()?;
        let Some(types) = self.types.take() else { return Ok(()) };
        let directory = mem::take(&mut self.directory);
        let ends = directory.iter().skip(1).copied().chain([(self.out.at, self.n_events)]);
        let limits = Limits { cues: 0, outcomes: 0, types: types.rows.len() as u64, room: 0 };
        let mut chunks = Vec::new();
        chunks.make_room(directory.len(), "events without a dictionary")?;
        for (&(start, first), (end, next)) in directory.iter().zip(ends) {
            let bytes = self.out.read_back(start, end)?;
            chunks.push(Chunk::decode(&bytes, 0, bytes.len(), (next - first) as usize, &limits)?);
        }
        self.out.restart(HEADER as u64)?;
        self.pending = Pending::new(false);
        self.n_events = 0;
        for chunk in &chunks {
            let Body::Types(tokens) = &chunk.body else { continue };
            if chunk.frequencies.is_empty() {
                self.append_types(&types.rows, tokens)?;
                continue;
            }
            for (i, &token) in tokens.iter().enumerate() {
                let (cues, outcomes) =
                    (types.rows.cues.get(token as usize), types.rows.outcomes.get(token as usize));
                self.append(cues, outcomes, chunk.frequency(i))?;
            }
        }
        Ok(())
    }

    /// Appends events in full that occurred once, given their types.
    fn append_types(&mut self, types: &EventList, tokens: &[u32]) -> Result<()> {
        let mut rows = EventList::default();
        let mut tokens = tokens.iter().peekable();
        while let Some(&token) = tokens.next() {
            rows.push(types.cues.get(token as usize), types.outcomes.get(token as usize))?;
            if rows.size() >= TOGETHER || tokens.peek().is_none() {
                let [cues, outcomes] = [&rows.cues, &rows.outcomes]
                    .map(|lists| Batch::new(lists.items(), lists.ends(), 0..lists.len()));
                self.append_all(cues, outcomes)?;
                rows.clear();
            }
        }
        Ok(())
    }

    /// Appends events in full that occurred once, where there is no dictionary.
    fn append_all(&mut self, mut cues: Batch<'_>, mut outcomes: Batch<'_>) -> Result<()> {
        self.last_type = None;
        self.names.cues.count_each(cues.ids())?;
        self.names.outcomes.count_each(outcomes.ids())?;
        while !cues.is_empty() {
            let n = self.pending.room_for(cues, outcomes);
            let ((now, later), (now_too, later_too)) = (cues.split_at(n), outcomes.split_at(n));
            self.pending.extend(now, now_too)?;
            self.appended(n)?;
            (cues, outcomes) = (later, later_too);
        }
        Ok(())
    }

    fn append(&mut self, cues: &[u32], outcomes: &[u32], frequency: u32) -> Result<()> {
        self.last_type = match &mut self.types {
            Some(types) if self.pending.is_by_type() => {
                let token = types.event_type(cues, outcomes)?;
                if token.is_none() {
                    self.types_are_full()?;
                }
                token
            }
            _ => None,
        };
        match (&mut self.types, self.last_type) {
            (Some(types), Some(token)) => {
                types.count(token, frequency)?;
                self.pending.push_type(token, frequency)?;
            }
            _ => {
                self.names.count(cues, outcomes, frequency.into())?;
                self.pending.push(cues, outcomes, frequency)?;
            }
        }
        self.appended(1)
    }

    /// Freezes the dictionary if it is of use: what is in it serves the chunks before, and it is of use as long as they are.
    fn types_are_full(&mut self) -> Result<()> {
        if self.types.as_ref().is_some_and(|types| types.pays(self.n_events)) {
            self.flush()?;
            self.pending = Pending::new(false);
            Ok(())
        } else {
            self.drop_types()
        }
    }

    /// Counts events that were appended.
    fn appended(&mut self, n: usize) -> Result<()> {
        self.n_events += n as u64;
        if self.pending.is_full() { self.flush() } else { Ok(()) }
    }

    /// Drops a dictionary that is of no use.
    fn judge(&mut self) -> Result<()> {
        match &self.types {
            Some(types) if types.fails(self.n_events) => self.drop_types(),
            _ => Ok(()),
        }
    }
}

impl EventSink for EventWriter {
    fn cue(&mut self, name: &str) -> Result<()> {
        let id = self.names.cues.intern(name)?;
        self.cue_again(id)
    }

    fn outcome(&mut self, name: &str) -> Result<()> {
        let id = self.names.outcomes.intern(name)?;
        self.outcome_again(id)
    }

    fn cue_id(&mut self, name: &str) -> Result<Option<u32>> {
        self.names.cues.intern(name).map(Some)
    }

    fn outcome_id(&mut self, name: &str) -> Result<Option<u32>> {
        self.names.outcomes.intern(name).map(Some)
    }

    fn cue_again(&mut self, cue: u32) -> Result<()> {
        if !self.event.cue_is_new(cue)? {
            self.repeated("cue", self.names.cues.name(cue))?;
            if self.duplicates == Duplicates::Drop {
                return Ok(());
            }
        }
        self.event.cues.grow(cue, EVENT)
    }

    fn outcome_again(&mut self, outcome: u32) -> Result<()> {
        if !self.event.outcome_is_new(outcome)? {
            self.repeated("outcome", self.names.outcomes.name(outcome))?;
            if self.duplicates == Duplicates::Drop {
                return Ok(());
            }
        }
        self.event.outcomes.grow(outcome, EVENT)
    }

    fn end_event(&mut self, frequency: u64) -> Result<()> {
        let frequency = storable(frequency)?;
        let event = mem::take(&mut self.event);
        self.names.count_tokens(frequency)?;
        self.append(&event.cues, &event.outcomes, frequency)?;
        self.judge()?;
        self.event = event.next();
        self.begin_event()
    }

    fn event_again(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<()> {
        // The background cue may be among the cues.
        if self.repeats() == Repeats::Seen || self.background.is_some() {
            cues.iter().try_for_each(|&cue| self.cue_again(cue))?;
            outcomes.iter().try_for_each(|&outcome| self.outcome_again(outcome))?;
            return self.end_event(1);
        }
        self.names.count_tokens(1)?;
        self.append(cues, outcomes, 1)?;
        self.judge()
    }

    fn events_again(&mut self, cues: Batch<'_>, outcomes: Batch<'_>) -> Result<()> {
        let as_they_stand = self.repeats() != Repeats::Seen && self.background.is_none();
        if !as_they_stand {
            return each_again(self, cues, outcomes);
        }
        let tokens = self.names.n_tokens.checked_add(cues.len() as u64);
        self.names.n_tokens = tokens.ok_or_else(too_many_tokens)?;
        // The dictionary may be dropped on the way.
        let (mut cues, mut outcomes) = (cues, outcomes);
        while self.types.is_some() && !cues.is_empty() {
            let ((now, later), (now_too, later_too)) = (cues.split_at(1), outcomes.split_at(1));
            self.append(now.ids(), now_too.ids(), 1)?;
            self.judge()?;
            (cues, outcomes) = (later, later_too);
        }
        self.append_all(cues, outcomes)
    }

    fn repeats(&self) -> Repeats {
        match self.duplicates {
            Duplicates::Error => Repeats::Seen,
            Duplicates::Keep => Repeats::Stay,
            Duplicates::Drop => Repeats::Go,
        }
    }

    fn token(&self) -> Option<u32> {
        self.last_type
    }

    fn again(&mut self, token: u32, frequency: u64) -> Result<bool> {
        let Some(types) = self.types.as_mut().filter(|types| (token as usize) < types.rows.len()) else {
            return Ok(false);
        };
        let frequency = storable(frequency)?;
        self.names.count_tokens(frequency)?;
        types.count(token, frequency)?;
        if self.pending.is_by_type() {
            self.pending.push_type(token, frequency)?;
        } else {
            // The dictionary is frozen, but still knows what it knew.
            let known = &types.rows;
            let (cues, outcomes) = (known.cues.get(token as usize), known.outcomes.get(token as usize));
            self.pending.push(cues, outcomes, frequency)?;
        }
        self.last_type = Some(token);
        self.appended(1)?;
        self.judge()?;
        Ok(true)
    }
}

/// An event names something twice that must not.
pub(super) fn twice(what: &str, name: &str) -> Error {
    Error::defect(
        format!("every {what} of an event once"),
        format!("{name:?} twice"),
        "pass duplicates=\"drop\" to count it once or \"keep\" to count it as often as it is named",
    )
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

/// All names, and how often they and all events occurred.
#[derive(Debug, Default)]
struct NameCounts {
    cues: Vocab,
    outcomes: Vocab,
    n_tokens: u64,
}

impl NameCounts {
    fn count(&mut self, cues: &[u32], outcomes: &[u32], tokens: u64) -> Result<()> {
        for (vocab, ids) in [(&mut self.cues, cues), (&mut self.outcomes, outcomes)] {
            for &id in ids {
                vocab.count_more(id, tokens)?;
            }
        }
        Ok(())
    }

    fn count_tokens(&mut self, frequency: u32) -> Result<()> {
        let tokens = self.n_tokens.checked_add(frequency.into());
        self.n_tokens = tokens.ok_or_else(too_many_tokens)?;
        Ok(())
    }
}

/// The event being taken, with the events that last named each id, so that repetitions are found at once.
#[derive(Debug, Default)]
struct EventAtHand {
    number: u64,
    cues: Vec<u32>,
    outcomes: Vec<u32>,
    last_with_cue: Vec<u64>,
    last_with_outcome: Vec<u64>,
}

impl EventAtHand {
    fn next(mut self) -> Self {
        self.number += 1;
        self.cues.clear();
        self.outcomes.clear();
        self
    }

    fn cue_is_new(&mut self, id: u32) -> Result<bool> {
        is_new(&mut self.last_with_cue, id, self.number)
    }

    fn outcome_is_new(&mut self, id: u32) -> Result<bool> {
        is_new(&mut self.last_with_outcome, id, self.number)
    }
}

/// Whether this event has an id for the first time; `last` has the event that last had each, and grows as it must.
pub(super) fn is_new(last: &mut Vec<u64>, id: u32, event: u64) -> Result<bool> {
    let id = id as usize;
    if id >= last.len() {
        last.grow_to(id + 1, u64::MAX, "the last event of each name")?;
    }
    Ok(mem::replace(&mut last[id], event) != event)
}

/// A storage, its name for messages, and the place in it.
struct Output {
    storage: Storage,
    path: PathBuf,
    at: u64,
}

impl Output {
    fn new(path: Option<&Path>) -> Result<Self> {
        let storage = match path {
            Some(path) => {
                check_binary_name(path)?;
                Storage::File(AtomicFile::create(path)?)
            }
            None => Storage::Memory(Cursor::new(Vec::new())),
        };
        Ok(Self { storage, path: path.unwrap_or(Path::new("events in memory")).to_path_buf(), at: 0 })
    }

    fn finish(self) -> Result<EventFile<Bytes>> {
        match self.storage {
            Storage::File(file) => file.finish_and(|file| map::of_file(file, &self.path)),
            Storage::Memory(bytes) => EventFile::open(Bytes::Owned(bytes.into_inner()), None),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.write_all(bytes),
            Storage::Memory(memory) => {
                let (at, length) = (memory.position() as usize, memory.get_ref().len());
                let more = at.saturating_add(bytes.len()).saturating_sub(length);
                memory.get_mut().make_room(more, "the events in memory")?;
                memory.write_all(bytes)
            }
        }
        .map_err(Error::io(&self.path, "write"))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn seek(&mut self, to: u64) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.seek(SeekFrom::Start(to)),
            Storage::Memory(memory) => memory.seek(SeekFrom::Start(to)),
        }
        .map_err(Error::io(&self.path, "write"))?;
        Ok(())
    }

    /// Forgets all from `to` on.
    fn restart(&mut self, to: u64) -> Result<()> {
        match &mut self.storage {
            Storage::File(file) => file.truncate(to).map_err(Error::io(&self.path, "write"))?,
            Storage::Memory(memory) => memory.get_mut().truncate(to as usize),
        }
        self.at = to;
        self.seek(to)
    }

    fn read_back(&mut self, start: u64, end: u64) -> Result<Vec<u8>> {
        self.seek(start)?;
        let mut bytes = filled(0, (end - start) as usize, "a chunk that is read back")?;
        match &mut self.storage {
            Storage::File(file) => file.read_exact(&mut bytes),
            Storage::Memory(memory) => memory.read_exact(&mut bytes),
        }
        .map_err(Error::io(&self.path, "read"))?;
        self.seek(self.at)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::dictionary::JUDGED_AT;
    use super::super::format::TYPES_SIZE;
    use super::*;

    const CUES: usize = 3200;

    /// Writes events of many cues, number `i` unlike all others; each is followed by itself, `times` in all.
    fn written(types: usize, times: usize, again: impl Fn(&mut EventWriter, &[u32], &[u32])) -> EventWriter {
        written_within(TYPES_SIZE, types, times, again)
    }

    /// The same with a dictionary of at most so many bytes.
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
        writer.with_names(names(), names()).unwrap();
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
    fn tokens_of_a_dropped_dictionary_are_not_known() {
        let mut writer = written(JUDGED_AT / (CUES * 8), 1, |_, _, _| ());
        assert!(writer.types.is_some() && writer.token().is_some());
        let before = writer.n_events;
        assert!(writer.again(0, 1).unwrap());
        assert_eq!(writer.token(), Some(0));
        while writer.types.is_some() {
            let i = writer.n_events as u32;
            writer.push(&[0; CUES], &[1 + i % 1000, 1001 + i / 1000], 1).unwrap();
        }
        assert_eq!(writer.token(), None);
        assert!(!writer.again(0, 1).unwrap());
        let file = writer.finish().unwrap();
        assert!(!file.header().has_types() && file.header().n_events > before);
        assert_eq!(file.outcomes().counts()[0], 2);
    }

    #[test]
    fn the_first_events_of_text_tell_whether_types_are_of_use() {
        // One event in so many is the first one again.
        for (again, stays) in [(2, true), (4, false)] {
            let writers = [false, true].map(|of_text| {
                let writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
                let mut writer = if of_text { writer.of_text() } else { writer };
                let names: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
                let names = || names.iter().map(String::as_str);
                writer.with_names(names(), names()).unwrap();
                for i in 0..50_000 {
                    let i = if i % again == 0 { 0 } else { i };
                    writer.push(&[i % 1000], &[i / 1000], 1).unwrap();
                }
                writer
            });
            assert_eq!(writers.each_ref().map(|writer| writer.types.is_some()), [true, stays]);
            // What else is in the file does not depend on it.
            let [mut list, mut text] = writers;
            for writer in [&mut list, &mut text] {
                writer.drop_types().unwrap();
            }
            assert!(list.finish().unwrap().bytes() == text.finish().unwrap().bytes());
        }
    }

    #[test]
    fn a_full_dictionary_that_pays_knows_its_tokens_and_no_others() {
        let room = EventList::size_of(100, 100 * (CUES + 1));
        let mut by_token = written_within(room, 103, 3, |writer, cues, outcomes| match writer.token() {
            Some(token) => assert!(writer.again(token, 1).unwrap()),
            None => writer.push(cues, outcomes, 1).unwrap(),
        });
        assert!(!by_token.pending.is_by_type(), "frozen");
        let push = |writer: &mut EventWriter, cues: &[u32], outcomes: &[u32]| {
            writer.push(cues, outcomes, 1).unwrap();
        };
        let mut in_full = written_within(room, 103, 3, push);
        for (i, frequency) in [(7, 1), (99, 3)] {
            assert!(by_token.again(i, frequency.into()).unwrap());
            in_full.push(&(0..CUES as u32).collect::<Vec<_>>(), &[i], frequency).unwrap();
        }
        for writer in [&mut by_token, &mut in_full] {
            writer.push(&[1], &[2], 1).unwrap();
            assert_eq!(writer.token(), None);
            assert!(!writer.again(100, 1).unwrap());
        }
        let file = by_token.finish().unwrap();
        let types = file.types().unwrap();
        assert_eq!((types.len(), types.size() as u64), (100, room));
        // Any more, and it would have been full earlier.
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
