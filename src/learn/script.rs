//! Events made ready for the learner: decoded, validated, copied, and numbered by the learner's rows and columns.
//!
//! The learner indexes weights by these numbers without checking them again, so everything is checked here: rows are below the
//! number of saliences, columns below the number of columns that change. A chunk is decoded from the file into memory of its own,
//! and its ids are looked up in the maps below, whose values were checked once. If the file changes afterwards, the learner still
//! sees the copy.
//!
//! Events that are ready are kept if they fit a budget. Otherwise every pass (`passes`) makes them ready again.
//!
//! Every learner of events reads this stream. Those that go from event to event read a [`Script`], those that go to any token
//! make lists of their own from it (`rules::delta::batches`, `rules::widrow_hoff`).

use std::sync::OnceLock;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::chunk::{Body, EventList};
use crate::events::distinct::each_distinct;
use crate::lists::Lists;
use crate::memory::{EVENTS, Grow, Lack, collected, filled};
use crate::monitor::Monitor;
use crate::threads::each;

/// Events made ready are kept up to this many bytes, unless a plan says otherwise.
pub const BUDGET: usize = 512 << 20;

/// Marks a name that is left out of the events.
pub(crate) const NONE: u32 = u32::MAX;

/// A source of events in the learner's numbering.
///
/// Invariants: every cue id in `types` is below `n_rows`, every outcome id below `n_columns`. `rows` and `columns` hold only such
/// numbers, or `NONE` for names that are not learned.
pub(crate) struct EventStream {
    file: EventFile,
    rows: Vec<u32>,
    columns: Vec<u32>,
    n_rows: usize,
    n_columns: usize,
    types: EventList,
    once: bool,
    /// The number of tokens before each chunk; empty unless asked for.
    before: Vec<u64>,
}

/// A chunk in the learner's numbering.
#[derive(Clone, Copy)]
pub(crate) struct Segment<'a> {
    /// The events in full, or their types.
    pub(crate) rows: &'a EventList,
    /// The type of each event, if `rows` holds types; otherwise event `i` is row `i`.
    pub(crate) types: Option<&'a [u32]>,
    /// The frequency of each event; empty where all are 1.
    pub(crate) frequencies: &'a [u32],
    /// How many events there are.
    pub(crate) len: usize,
    /// The number of tokens before these events, where the stream counts them.
    pub(crate) before: u64,
    /// All cue ids are below this.
    pub(crate) n_rows: usize,
    /// All outcome ids are below this.
    pub(crate) n_columns: usize,
}

impl Segment<'_> {
    /// Where event `i` is in `rows`.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> u32 {
        self.types.map_or(i as u32, |types| types[i])
    }

    /// The frequency of event `i`.
    #[inline(always)]
    pub(crate) fn frequency(&self, i: usize) -> u32 {
        self.frequencies.get(i).copied().unwrap_or(1)
    }
}

/// Numbers of rows and columns for the names of a file.
pub(crate) struct Numbering {
    /// The row of each cue, below `n_rows`; [`NONE`]: it is left out of the events.
    pub(crate) rows: Vec<u32>,
    pub(crate) n_rows: usize,
    /// The column of each outcome, below `n_columns`; [`NONE`]: it is left out of the events.
    pub(crate) columns: Vec<u32>,
    pub(crate) n_columns: usize,
    /// Whether an outcome is there or not. Otherwise an event has it as often as it names it.
    pub(crate) once: bool,
}

impl Numbering {
    /// Every name has its own number.
    pub(crate) fn of_names(file: &EventFile, once: bool) -> Result<Self> {
        let (n_rows, n_columns) = (file.cues().len(), file.outcomes().len());
        let rows = collected(0..n_rows as u32)?;
        Ok(Self { rows, n_rows, columns: collected(0..n_columns as u32)?, n_columns, once })
    }
}

impl EventStream {
    /// The events of a file in a numbering.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged, [`Error::Argument`] when the numbering does not fit it.
    pub(crate) fn new(file: &EventFile, numbering: Numbering) -> Result<Self> {
        let Numbering { rows, n_rows, columns, n_columns, once } = numbering;
        let below =
            |numbers: &[u32], n| numbers.iter().all(|&number| number == NONE || (number as usize) < n);
        let fits = rows.len() == file.cues().len() && columns.len() == file.outcomes().len();
        if !fits || !below(&rows, n_rows) || !below(&columns, n_columns) {
            return Err(Error::Argument(
                "expected a row for every cue and a column for every outcome".into(),
            ));
        }
        let types = EventList::default();
        let before = Vec::new();
        let mut stream = Self { file: file.clone(), rows, columns, n_rows, n_columns, types, once, before };
        let mut types = file.types()?.try_clone()?;
        stream.renumber(&mut types)?;
        stream.types = types;
        Ok(stream)
    }

    /// Events in all.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    /// Chunks of events in all.
    pub(crate) fn n_chunks(&self) -> usize {
        self.file.n_chunks()
    }

    /// The chunk that has event `event`, and the number of its events before that.
    pub(crate) fn locate(&self, event: u64) -> (usize, usize) {
        let chunk = self.file.chunk_with(event);
        (chunk, event.saturating_sub(self.file.events_of(chunk).start) as usize)
    }

    /// The types of events, to which segments refer.
    pub(crate) fn types(&self) -> &EventList {
        &self.types
    }

    /// All rows are below this, and all columns below the other number.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.n_rows, self.n_columns]
    }

    /// The same, which counts the tokens before each chunk.
    ///
    /// # Errors
    /// Those of decoding; when stopped.
    pub(crate) fn counted(mut self, monitor: &Monitor) -> Result<Self> {
        let mut tokens = 0_u64;
        for chunk in 0..self.n_chunks() {
            monitor.check()?;
            self.before.grow(tokens)?;
            tokens = tokens.saturating_add(self.file.chunk(chunk)?.n_tokens());
        }
        Ok(self)
    }

    /// Calls `visit` with a chunk.
    ///
    /// # Errors
    /// Those of decoding, and of `visit`.
    pub(crate) fn visit<T>(&self, number: usize, visit: impl FnOnce(Segment<'_>) -> Result<T>) -> Result<T> {
        let mut chunk = self.file.chunk(number)?;
        if let Body::Full(rows) = &mut chunk.body {
            self.renumber(rows)?;
        }
        let (rows, types) = match &chunk.body {
            Body::Full(rows) => (rows, None),
            Body::Types(types) => (&self.types, Some(types.as_slice())),
        };
        let (len, frequencies) = (chunk.body.len(), &chunk.frequencies);
        let before = self.before.get(number).copied().unwrap_or(0);
        let (n_rows, n_columns) = (self.n_rows, self.n_columns);
        visit(Segment { rows, types, frequencies, len, before, n_rows, n_columns })
    }

    /// Translates the file's ids to rows and columns, each column once in an event if `once`. Decoding has checked that the ids are below the
    /// lengths of the maps.
    fn renumber(&self, rows: &mut EventList) -> Result<()> {
        let renumber = |lists: &mut Lists, numbers: &[u32]| {
            if numbers.contains(&NONE) {
                lists.retain(|&id| numbers[id as usize] != NONE);
            }
            for id in lists.items_mut() {
                *id = numbers[*id as usize];
            }
        };
        renumber(&mut rows.cues, &self.rows);
        renumber(&mut rows.outcomes, &self.columns);
        if self.once { each_distinct(&mut rows.outcomes) } else { Ok(()) }
    }
}

/// Events one after another in one array, which the kernels read many times.
///
/// Invariant: the words of an event are its number of cues (with the bit [`REPEATS`] if one comes twice), its number of outcomes,
/// its cues and its outcomes. All cues are below `n_rows`, all outcomes below `n_columns`.
#[derive(Debug)]
pub(crate) struct Script {
    words: Vec<u32>,
    repeats: Repeats,
    len: u32,
    n_rows: usize,
    n_columns: usize,
}

/// Finds out which lists of rows have a row twice.
#[derive(Debug)]
pub(crate) struct Repeats {
    /// For each row the last list, counted from 1, that has it.
    last: Vec<u32>,
    lists: u32,
}

impl Repeats {
    /// For rows below `n_rows`, and fewer than 2^32 lists.
    pub(crate) fn new(n_rows: usize) -> Result<Self> {
        Ok(Self { last: filled(0, n_rows)?, lists: 0 })
    }

    /// Whether the next list has a row twice.
    pub(crate) fn next(&mut self, rows: &[u32]) -> bool {
        self.lists += 1;
        let seen = |row: &u32| std::mem::replace(&mut self.last[*row as usize], self.lists) == self.lists;
        rows.iter().any(seen)
    }
}

/// Marks events that name a cue twice. No event has 2^31 cues.
const REPEATS: u32 = 1 << 31;

impl Script {
    /// Bytes of memory for an event, besides those for its names.
    pub(crate) const EVENT: u64 = 8;
    /// Bytes of memory for a cue or an outcome of an event.
    pub(crate) const NAME: u64 = 4;

    /// An empty script in the numbering of a segment.
    pub(crate) fn new(segment: &Segment<'_>) -> Result<Self> {
        let Segment { n_rows, n_columns, .. } = *segment;
        Ok(Self { words: Vec::new(), repeats: Repeats::new(n_rows)?, len: 0, n_rows, n_columns })
    }

    /// Appends the event in row `row` of a segment.
    pub(crate) fn push(&mut self, segment: &Segment<'_>, row: u32) -> Result<()> {
        let cues = segment.rows.cues.get(row as usize);
        let outcomes = segment.rows.outcomes.get(row as usize);
        self.words.make_room(2 + cues.len() + outcomes.len()).named(EVENTS)?;
        self.len += 1;
        let repeats = if self.repeats.next(cues) { REPEATS } else { 0 };
        self.words.extend([cues.len() as u32 | repeats, outcomes.len() as u32]);
        self.words.extend_from_slice(cues);
        self.words.extend_from_slice(outcomes);
        Ok(())
    }

    /// Reorders the events: `order` names the event of each place. Events stay within blocks of `block` events, so the buffer is
    /// small.
    pub(crate) fn reorder(&mut self, order: &[u32], block: usize) -> Result<()> {
        let (mut starts, mut ordered) = (Vec::new(), Vec::new());
        let (mut begun, mut first) = (0, 0);
        for order in order.chunks(block) {
            starts.clear();
            ordered.clear();
            let mut end = begun;
            starts.make_room(order.len() + 1)?;
            for _ in order {
                starts.push(end);
                end += 2 + (self.words[end] & !REPEATS) as usize + self.words[end + 1] as usize;
            }
            starts.push(end);
            ordered.make_room(end - begun)?;
            for &event in order {
                let event = (event - first) as usize;
                ordered.extend_from_slice(&self.words[starts[event]..starts[event + 1]]);
            }
            // The same events in another order fill the same words, so the invariant holds.
            self.words[begun..end].copy_from_slice(&ordered);
            begun = end;
            first += order.len() as u32;
        }
        Ok(())
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of words.
    pub(crate) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// The events.
    pub(crate) fn events(&self) -> Scripted<'_> {
        Scripted { words: &self.words, n_rows: self.n_rows }
    }

    /// All cues are below this.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// All outcomes are below this.
    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }
}

/// The events of a script, one after another.
///
/// Invariant: `words` are the words of a script from the beginning of an event on, so all cues are below `n_rows`.
#[derive(Debug, Clone)]
pub(crate) struct Scripted<'a> {
    words: &'a [u32],
    n_rows: usize,
}

impl Scripted<'_> {
    /// All cues are below this.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }
}

/// An event of a script.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) cues: &'a [u32],
    pub(crate) outcomes: &'a [u32],
    /// Whether no cue comes twice.
    pub(crate) once: bool,
}

impl<'a> Iterator for Scripted<'a> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        let &[n_cues, n_outcomes, ref names @ ..] = self.words else { return None };
        let (cues, names) = names.split_at_checked((n_cues & !REPEATS) as usize)?;
        let (outcomes, words) = names.split_at_checked(n_outcomes as usize)?;
        self.words = words;
        Some(Event { cues, outcomes, once: n_cues & REPEATS == 0 })
    }
}

/// Chunks in the form that a method reads. If all fit the budget, each is made once; otherwise every pass makes them again.
pub(crate) struct Chunks<T> {
    stream: EventStream,
    made: Option<Vec<OnceLock<T>>>,
}

impl<T: Send + Sync> Chunks<T> {
    /// Makes all chunks by `make` on `threads` threads, each with a state from `start`, if they fit the budget.
    ///
    /// # Errors
    /// When stopped, or [`Error::Memory`].
    pub(crate) fn new<S>(
        mut stream: EventStream,
        fits: bool,
        threads: usize,
        monitor: &Monitor,
        start: impl Fn() -> Result<S> + Sync,
        make: impl Fn(&mut S, &Segment<'_>) -> Result<T> + Sync,
    ) -> Result<Self> {
        if !fits {
            return Ok(Self { stream, made: None });
        }
        let made = collected((0..stream.n_chunks()).map(|_| OnceLock::new()))?;
        each(threads.min(made.len()).max(1), made.len(), start, |state, chunk| {
            monitor.check()?;
            stream.visit(chunk, |segment| {
                // No other thread takes this chunk.
                let _ = made[chunk].set(make(state, &segment)?);
                Ok(())
            })
        })?;
        // The file's chunks are not read again.
        stream.types = EventList::default();
        Ok(Self { stream, made: Some(made) })
    }

    /// The events.
    pub(crate) fn stream(&self) -> &EventStream {
        &self.stream
    }

    /// Whether all chunks are made and kept.
    pub(crate) fn are_kept(&self) -> bool {
        self.made.is_some()
    }

    /// Calls `visit` with a chunk; `make` makes it, unless it was kept.
    ///
    /// # Errors
    /// Those of decoding, and of `visit`.
    pub(crate) fn visit(
        &self,
        chunk: usize,
        make: impl FnOnce(&Segment<'_>) -> Result<T>,
        visit: impl FnOnce(&T) -> Result<()>,
    ) -> Result<()> {
        match self.made.as_ref().and_then(|made| made[chunk].get()) {
            Some(made) => visit(made),
            None => self.stream.visit(chunk, |segment| visit(&make(&segment)?)),
        }
    }
}
