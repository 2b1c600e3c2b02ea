//! The tokens of events cut into batches, each reduced to what a learner needs of it.
//!
//! All tokens of a batch see the same weights. So of those that have the same cues it counts only how many they are, and
//! how many of them have each outcome: they are one *group*, at the place of the first of them.
//!
//! ```text
//! batch:  number of tokens;  groups;  the rows of weights that it changes, each once
//! group:  pattern (an exact list of cues), number of tokens, (column, number of tokens) of each outcome
//! ```
//!
//! Batches are made of a section of the tokens at a time. Sections are kept within a budget of memory, and made again for
//! every tile and pass beyond it.

use std::mem::take;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::error::{Error, Result};
use crate::learn::script::{EventStream, Repeats};
use crate::lists::{DistinctLists, Lists, span};
use crate::memory::{Grow, collected, filled};
use crate::monitor::{Monitor, Pulse};

/// Tokens of a section, unless a batch has more.
const SECTION: u64 = 1 << 16;
/// The work of a row, in numbers that are touched.
const ROW: usize = 1 << 6;
/// No group, no row.
const NONE: u32 = u32::MAX;

/// All events, decoded and validated, in the numbering of the learner.
///
/// Invariants: cues in `patterns` are below `n_rows`, outcomes below `n_columns`; `once`, `pattern` and `outcomes` have an
/// element for each pattern and each event type; `types` are below the number of types; `ends` rises and has as many elements as
/// `types`, or none.
pub(super) struct TokenSource {
    /// The distinct lists of cues.
    patterns: Lists,
    /// Whether no cue comes twice in a pattern.
    once: Vec<bool>,
    /// The pattern of each event type.
    pattern: Vec<u32>,
    /// The outcomes of each event type, each once.
    outcomes: Lists,
    /// The event type of each event.
    types: Vec<u32>,
    /// How many tokens there are up to the end of each event; empty where every event is one token.
    ends: Vec<u64>,
    n_rows: usize,
    n_columns: usize,
}

impl TokenSource {
    /// Reads all events of a stream.
    ///
    /// # Errors
    /// [`Error::Format`] for a damaged file, [`Error::Stopped`].
    pub(super) fn read(stream: &EventStream, monitor: &Monitor) -> Result<Self> {
        let [n_rows, n_columns] = stream.shape();
        let mut reader = SourceReader {
            source: Self {
                patterns: Lists::default(),
                once: Vec::new(),
                pattern: Vec::new(),
                outcomes: Lists::default(),
                types: Vec::new(),
                ends: Vec::new(),
                n_rows,
                n_columns,
            },
            patterns: DistinctLists::default(),
            repeats: Repeats::new(n_rows)?,
        };
        let types = stream.types();
        for i in 0..types.len() {
            reader.push(types.cues.get(i), types.outcomes.get(i))?;
        }
        let mut tokens = 0_u64;
        for index in 0..stream.n_chunks() {
            monitor.check()?;
            stream.visit(index, |segment| {
                for i in 0..segment.len {
                    let event_type = match segment.types {
                        Some(types) => types[i],
                        None => reader.push(segment.rows.cues.get(i), segment.rows.outcomes.get(i))?,
                    };
                    reader.source.types.grow(event_type)?;
                    let frequency = u64::from(segment.frequency(i));
                    tokens = tokens.saturating_add(frequency);
                    reader.source.end(frequency, tokens)?;
                }
                Ok(())
            })?;
        }
        Ok(Self { patterns: reader.patterns.into_lists(), ..reader.source })
    }

    /// Notes where the last event ends. As long as all events are one token nothing need be noted.
    fn end(&mut self, frequency: u64, tokens: u64) -> Result<()> {
        if frequency == 1 && self.ends.is_empty() {
            return Ok(());
        }
        while self.ends.len() + 1 < self.types.len() {
            self.ends.grow(self.ends.len() as u64 + 1)?;
        }
        self.ends.grow(tokens)
    }

    /// Tokens in all.
    pub(super) fn n_tokens(&self) -> u64 {
        self.ends.last().copied().unwrap_or(self.types.len() as u64)
    }

    /// The cues of a pattern, and whether none comes twice.
    #[inline(always)]
    pub(super) fn pattern(&self, pattern: u32) -> (&[u32], bool) {
        (self.patterns.get(pattern as usize), self.once[pattern as usize])
    }

    /// All cues are below.
    pub(super) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// For each column the first event with a token that has it, [`usize::MAX`] where none has.
    pub(super) fn first_events(&self) -> Result<Vec<usize>> {
        let mut first = filled(usize::MAX, self.n_columns)?;
        let mut seen = filled(false, self.pattern.len())?;
        for (event, &event_type) in self.types.iter().enumerate() {
            if self.tokens_of(event).is_empty() || std::mem::replace(&mut seen[event_type as usize], true) {
                continue;
            }
            for &column in self.outcomes.get(event_type as usize) {
                first[column as usize] = first[column as usize].min(event);
            }
        }
        Ok(first)
    }

    /// Gives every column another number: `numbers[column]`, all different and below the number of columns.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        self.outcomes.items_mut().iter_mut().for_each(|column| *column = numbers[*column as usize]);
    }

    /// The tokens of an event.
    fn tokens_of(&self, event: usize) -> Range<u64> {
        if self.ends.is_empty() {
            event as u64..event as u64 + 1
        } else {
            span(&self.ends, event).unwrap_or_default()
        }
    }

    /// The event that a token belongs to.
    fn event_with(&self, token: u64) -> usize {
        if self.ends.is_empty() { token as usize } else { self.ends.partition_point(|&end| end <= token) }
    }
}

/// Numbers patterns and types.
struct SourceReader {
    source: TokenSource,
    patterns: DistinctLists,
    repeats: Repeats,
}

impl SourceReader {
    /// Adds an event type, and returns its number.
    fn push(&mut self, cues: &[u32], outcomes: &[u32]) -> Result<u32> {
        let event_type =
            u32::try_from(self.source.pattern.len()).ok().filter(|&event_type| event_type < NONE);
        let event_type = event_type.ok_or_else(|| {
            Error::Argument("expected fewer than 2^32 - 1 different events; learn them in parts".into())
        })?;
        self.source.outcomes.push(outcomes)?;
        let (pattern, is_new) = self.patterns.intern(cues)?;
        if is_new {
            self.source.once.grow(!self.repeats.next(cues))?;
        }
        self.source.pattern.grow(pattern)?;
        Ok(event_type)
    }
}

/// The batches of some tokens.
///
/// Invariants: `batches` has an element for each list of `patterns`, `tokens` one for each of their items, of which `outcomes` has
/// a list each; columns in `outcomes` are those of the source, `patterns` patterns of it, rows in `touched` below its number of
/// rows.
#[derive(Default)]
pub(super) struct Section {
    /// The number of tokens of each batch.
    batches: Vec<u64>,
    /// The rows that each batch changes, each once; no lists where batches are single tokens.
    touched: Lists,
    /// The patterns of the groups of each batch.
    patterns: Lists,
    /// The number of tokens of each group.
    tokens: Vec<u64>,
    /// The columns of each group, and how many of its tokens have them.
    outcomes: Lists<(u32, u64)>,
}

impl Section {
    /// How many batches there are.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// The number of tokens of a batch, and its groups.
    #[inline(always)]
    pub(super) fn batch(&self, batch: usize) -> (u64, Range<usize>) {
        (self.batches[batch], span(self.patterns.ends(), batch).unwrap_or_default())
    }

    /// The pattern of a group, its number of tokens, and how many of these have which columns.
    #[inline(always)]
    pub(super) fn group(&self, group: usize) -> (u32, u64, &[(u32, u64)]) {
        (self.patterns.items()[group], self.tokens[group], self.outcomes.get(group))
    }

    /// The outcomes of some groups.
    #[inline(always)]
    pub(super) fn outcomes(&self, groups: Range<usize>) -> &[(u32, u64)] {
        self.outcomes.items_of(groups)
    }

    /// The rows that a batch changes, each once.
    #[inline(always)]
    pub(super) fn touched(&self, batch: usize) -> &[u32] {
        self.touched.get(batch)
    }

    /// Bytes of memory.
    fn size(&self) -> usize {
        size_of_val(&self.batches[..])
            + size_of_val(&self.tokens[..])
            + self.touched.size()
            + self.patterns.size()
            + self.outcomes.size()
    }
}

/// What a thread needs to make sections.
pub(super) struct Maker {
    /// Tokens of each event type in the batch at hand; zero between batches.
    counts: Vec<u64>,
    /// The types of the batch, in the order in which they come.
    types: Vec<u32>,
    /// For each of `types` the place of the next one of the same group.
    next: Vec<u32>,
    /// The group of each pattern; [`NONE`] between batches.
    group: Vec<u32>,
    /// The places in `types` of the first and of the last event type of each group.
    span: Vec<(u32, u32)>,
    /// Which rows the batch changes; none between batches.
    touched: Vec<bool>,
    rows: Vec<u32>,
    /// The outcomes of a group.
    outcomes: Vec<(u32, u64)>,
    /// Rows since the last look at the monitor.
    pulse: Pulse,
}

/// All passes, cut into sections of batches.
pub(super) struct Sections<'a> {
    source: &'a TokenSource,
    /// Tokens of a batch.
    batch: u64,
    /// Tokens of a section: whole batches.
    length: u64,
    /// Sections of a pass.
    of_pass: usize,
    /// The tokens of each pass in the order in which they come; that of the events if `None`.
    order: Option<&'a [i64]>,
    made: Vec<OnceLock<Section>>,
    /// Bytes that may still be kept.
    room: AtomicUsize,
}

impl<'a> Sections<'a> {
    /// Batches of `batch` tokens, of all tokens if `None`, in the order of the events or in that of `order`: all tokens of
    /// one pass after another.
    ///
    /// # Errors
    /// [`Error::Argument`] when `order` has not all tokens of each pass.
    pub(super) fn new(
        source: &'a TokenSource,
        batch: Option<u64>,
        order: Option<&'a [i64]>,
        passes: u64,
        budget: usize,
    ) -> Result<Self> {
        let n_tokens = source.n_tokens();
        if order.is_some_and(|order| Some(order.len() as u64) != n_tokens.checked_mul(passes)) {
            return Err(Error::Argument(format!("expected an order of {n_tokens} tokens for every pass")));
        }
        let batch = batch.unwrap_or(n_tokens).clamp(1, n_tokens.max(1));
        let length = batch * (SECTION / batch).max(1);
        let too_many = |_| Error::Argument("expected fewer tokens or passes, or larger batches".into());
        let of_pass = usize::try_from(n_tokens.div_ceil(length)).map_err(too_many)?;
        let distinct = if order.is_some() { passes } else { passes.min(1) };
        let n = usize::try_from((of_pass as u64).saturating_mul(distinct)).map_err(too_many)?;
        let made = collected((0..n).map(|_| OnceLock::new()))?;
        Ok(Self { source, batch, length, of_pass, order, made, room: AtomicUsize::new(budget) })
    }

    /// How many batches a pass has.
    pub(super) fn batches(&self) -> usize {
        // Not more than sections and the batches of one, which are lists in memory.
        self.source.n_tokens().div_ceil(self.batch) as usize
    }

    /// Whether every batch is one token.
    pub(super) fn single(&self) -> bool {
        self.batch == 1
    }

    /// What a thread needs.
    pub(super) fn maker(&self) -> Result<Maker> {
        Ok(Maker {
            counts: filled(0, self.source.pattern.len())?,
            types: Vec::new(),
            next: Vec::new(),
            group: filled(NONE, self.source.patterns.len())?,
            span: Vec::new(),
            touched: filled(false, self.source.n_rows)?,
            rows: Vec::new(),
            outcomes: Vec::new(),
            pulse: Pulse::default(),
        })
    }

    /// Calls `visit` with the sections of a pass, one after another.
    ///
    /// # Errors
    /// When stopped, and those of `visit`.
    pub(super) fn visit(
        &self,
        pass: u64,
        maker: &mut Maker,
        monitor: &Monitor,
        mut visit: impl FnMut(&Section) -> Result<()>,
    ) -> Result<()> {
        let first = if self.order.is_some() { pass as usize * self.of_pass } else { 0 };
        for number in 0..self.of_pass {
            let home = &self.made[first + number];
            if let Some(section) = home.get() {
                visit(section)?;
                continue;
            }
            let start = number as u64 * self.length;
            let tokens = start..start.saturating_add(self.length).min(self.source.n_tokens());
            let section = self.make(pass, tokens, maker, monitor)?;
            let size = section.size();
            let fits = |room: usize| room.checked_sub(size);
            if self.room.fetch_update(Relaxed, Relaxed, fits).is_ok() {
                // Another thread may have been faster, with the same section.
                visit(home.get_or_init(|| section))?;
            } else {
                visit(&section)?;
            }
        }
        Ok(())
    }

    /// The batches of some tokens of a pass.
    fn make(&self, pass: u64, tokens: Range<u64>, maker: &mut Maker, monitor: &Monitor) -> Result<Section> {
        let source = self.source;
        let mut section = Section::default();
        let order = self.order.map(|order| {
            let start = (pass * source.n_tokens()) as usize;
            &order[start + tokens.start as usize..start + tokens.end as usize]
        });
        let mut pieces = order.map(|order| order.chunks(self.batch as usize));
        let (mut token, mut event) = (tokens.start, source.event_with(tokens.start));
        while token < tokens.end {
            let end = tokens.end.min(token.saturating_add(self.batch));
            if let Some(pieces) = &mut pieces {
                for &token in pieces.next().unwrap_or_default() {
                    let known = u64::try_from(token).ok().filter(|&token| token < source.n_tokens());
                    let known = known.ok_or_else(|| {
                        Error::Argument(format!("expected the number of a token, found {token}"))
                    })?;
                    maker.count(source.types[source.event_with(known)], 1, monitor)?;
                }
            } else {
                let mut here = token;
                while here < end {
                    let of_event = source.tokens_of(event);
                    let n = of_event.end.min(end).saturating_sub(here);
                    if n > 0 {
                        maker.count(source.types[event], n, monitor)?;
                    }
                    here += n;
                    event += usize::from(here == of_event.end);
                }
            }
            maker.finish(self, &mut section, end - token, monitor)?;
            token = end;
        }
        Ok(section)
    }
}

impl Maker {
    /// Adds tokens to the batch.
    fn count(&mut self, event_type: u32, n: u64, monitor: &Monitor) -> Result<()> {
        let count = &mut self.counts[event_type as usize];
        if *count == 0 {
            self.types.grow(event_type)?;
        }
        *count += n;
        self.pulse.beat(ROW, monitor)
    }

    /// Turns what was counted into a batch.
    fn finish(
        &mut self,
        sections: &Sections<'_>,
        section: &mut Section,
        tokens: u64,
        monitor: &Monitor,
    ) -> Result<()> {
        let source = sections.source;
        let first = section.tokens.len();
        self.span.clear();
        self.next.clear();
        self.next.grow_to(self.types.len(), NONE)?;
        for (place, &event_type) in (0..).zip(&self.types) {
            let pattern = source.pattern[event_type as usize];
            let group = &mut self.group[pattern as usize];
            if *group == NONE {
                *group = self.span.len() as u32;
                self.span.grow((place, place))?;
                section.patterns.add(pattern)?;
                section.tokens.grow(0)?;
            } else {
                let (_, last) = &mut self.span[*group as usize];
                self.next[std::mem::replace(last, place) as usize] = place;
            }
            section.tokens[first + *group as usize] += self.counts[event_type as usize];
        }
        for group in 0..self.span.len() {
            self.outcomes.clear();
            let (start, end) = self.span[group];
            let mut place = start;
            while let Some(&event_type) = self.types.get(place as usize) {
                let columns = source.outcomes.get(event_type as usize);
                let count = take(&mut self.counts[event_type as usize]);
                self.outcomes.make_room(columns.len())?;
                self.outcomes.extend(columns.iter().map(|&column| (column, count)));
                place = self.next[place as usize];
                self.pulse.beat(ROW, monitor)?;
            }
            if start != end {
                add_up(&mut self.outcomes);
            }
            section.outcomes.push(&self.outcomes)?;
            let pattern = section.patterns.items()[first + group];
            self.group[pattern as usize] = NONE;
            if !sections.single() {
                for &row in source.patterns.get(pattern as usize) {
                    if !std::mem::replace(&mut self.touched[row as usize], true) {
                        self.rows.grow(row)?;
                    }
                }
            }
        }
        section.touched.push(&self.rows)?;
        self.rows.drain(..).for_each(|row| self.touched[row as usize] = false);
        self.types.clear();
        section.patterns.end()?;
        section.batches.grow(tokens)
    }
}

/// Adds up what stands under the same column.
fn add_up(outcomes: &mut Vec<(u32, u64)>) {
    outcomes.sort_unstable();
    outcomes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
}
