//! Rows: the events that some words make, in numbers of their own, until a sink takes them.
//!
//! A thread that reads text gives words, cues, outcomes and kinds of events numbers in the order in which it meets them.
//! When its turn comes to deliver, the sink learns each name and each row once, and says by what they can come again. So
//! names have ids in the order of the text, whichever thread reads what.
//!
//! ```text
//! rows that come again       each is looked for by its words
//! rows that hardly ever do   a stretch of words at a time: the lists of its names are made ready (cover), and each row is
//!                            a part of them without its repetitions (put)
//! ```

use std::hash::BuildHasher;
use std::mem;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::named::{Column, Named};
use super::pieces::{Context, Pieces};
use super::windows::{Events, Frame, Place};
use super::{Corpus, Names};
use crate::error::Result;
use crate::events::sink::{Batch, EventSink, Repeats};
use crate::grow::{Grow, room_in};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// Not known yet; of a row: not by the sink, but for its names.
const NONE: u32 = u32::MAX;

/// Of a row: some names are not known by the sink.
const NAMES: u32 = u32::MAX - 1;

/// With this many rows it is judged whether rows come again.
const TRIAL: usize = 1 << 13;

/// Rows that come again fewer times than one in so many are not looked for: those that are put together of lists, and those that
/// are spelt.
const WORTHWHILE: (usize, usize) = (2, 4);

/// Events between two looks at the monitor.
const LOOK_EVERY: usize = 1 << 10;

/// The lists of so many words are put together at once.
const TOGETHER: usize = 1 << 13;

/// So many names of a row are appended between two looks at the monitor.
const NAMES_TOGETHER: usize = 1 << 16;

/// What is kept takes about this much memory, but for what one block of text adds.
const BUDGET: usize = 24 << 20;

const ROWS: &str = "the events of a block of text";

/// What takes most of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Large {
    /// Rows.
    Rows,
    /// Words and names, without which rows mean nothing.
    All,
}

/// Rows and their names.
///
/// Invariants: row `i` has the lists `i` of cues and of outcomes; where rows are looked for it is in `of_words`, and `far(i)`
/// are its words if they are too many for a [`Key`]; `tokens` is what the sink calls the rows.
pub(super) struct Rows {
    words: Vocab,
    /// The row of each word that is an event of its own.
    of_word: Vec<u32>,
    /// Rows by their words, unless rows are not looked for.
    of_words: Option<HashTable<Known>>,
    hasher: DefaultHashBuilder,
    far: Vec<u32>,
    far_ends: Vec<usize>,
    hits: usize,
    cues: Named,
    outcomes: Named,
    cue_pieces: Vec<Pieces>,
    outcome_pieces: Vec<Pieces>,
    repeats: Repeats,
    cue_ids: Column,
    cue_ends: Vec<usize>,
    outcome_ids: Column,
    outcome_ends: Vec<usize>,
    tokens: Vec<u32>,
    /// How many of them are [`NAMES`].
    n_strange: usize,
    /// Rows ever made.
    made: u32,
    /// Whether rows can be put together of lists that are ready.
    is_put: bool,
    /// The places in a stretch of words of those whose names are not all in the sink's numbers; a buffer that is used again.
    strange: Vec<usize>,
    /// A buffer that is used again.
    frame: String,
}

impl Rows {
    pub(super) fn new(corpus: &Corpus, repeats: Repeats) -> Self {
        let pieces = |names: &[Names]| -> Vec<Pieces> {
            names.iter().map(|names| Pieces::new(names, corpus)).collect()
        };
        let (cue_pieces, outcome_pieces) = (pieces(&corpus.cues), pieces(&corpus.outcomes));
        let has_lists = cue_pieces.iter().chain(&outcome_pieces).all(Pieces::has_lists);
        Self {
            words: Vocab::new(),
            of_word: Vec::new(),
            of_words: Some(HashTable::new()),
            hasher: DefaultHashBuilder::default(),
            far: Vec::new(),
            far_ends: Vec::new(),
            hits: 0,
            cues: Named::default(),
            outcomes: Named::default(),
            cue_pieces,
            outcome_pieces,
            is_put: repeats == Repeats::Go && has_lists,
            repeats,
            cue_ids: Column::default(),
            cue_ends: Vec::new(),
            outcome_ids: Column::default(),
            outcome_ends: Vec::new(),
            tokens: Vec::new(),
            n_strange: 0,
            made: 0,
            strange: Vec::new(),
            frame: String::new(),
        }
    }

    /// The number of a word.
    pub(super) fn word(&mut self, word: &str) -> Result<u32> {
        let id = self.words.intern(word)?;
        if id as usize == self.of_word.len() {
            self.of_word.grow(NONE, ROWS)?;
        }
        Ok(id)
    }

    /// The word of a number.
    pub(super) fn word_of(&self, id: u32) -> &str {
        self.words.name(id).unwrap_or_default()
    }

    /// The row of the event of one word, where all events are of one word.
    #[inline]
    pub(super) fn of_word(&mut self, word: u32, corpus: &Corpus, monitor: &Monitor) -> Result<u32> {
        match self.of_word[word as usize] {
            NONE => {
                self.end_context();
                let row = self.make(Frame { words: &[word], start: 0, middle: None }, corpus, monitor)?;
                self.of_word[word as usize] = row;
                Ok(row)
            }
            row => Ok(row),
        }
    }

    /// The row of the event of one word, if it is there.
    #[inline]
    pub(super) fn known_of_word(&self, word: u32) -> Option<u32> {
        Some(self.of_word[word as usize]).filter(|&row| row != NONE)
    }

    /// The rows of events that follow each other in a context.
    pub(super) fn of_all(
        &mut self,
        waiting: &Events<'_>,
        events: &mut Vec<u32>,
        corpus: &Corpus,
        monitor: &Monitor,
    ) -> Result<()> {
        // Where rows are not looked for all there is to do is to put lists together. Long events are made word by word, so that
        // this can be stopped.
        if self.of_words.is_none() && self.is_put && waiting.words.len() <= TOGETHER {
            return self.put_all(waiting, events, corpus, monitor);
        }
        events.make_room(waiting.len(), ROWS)?;
        for event in 0..waiting.len() {
            events.push(self.of(waiting.frame(event), corpus, monitor)?);
        }
        Ok(())
    }

    /// The rows of events that follow each other, put together of lists.
    fn put_all(
        &mut self,
        waiting: &Events<'_>,
        events: &mut Vec<u32>,
        corpus: &Corpus,
        monitor: &Monitor,
    ) -> Result<()> {
        if waiting.len() == 0 {
            return Ok(());
        }
        let [of_cues, of_outcomes] =
            if waiting.have_middles() { [Part::Neighbours, Part::Middle] } else { [Part::All; 2] };
        let mut strange = mem::take(&mut self.strange);
        strange.clear();
        let Self { words, frame, cues, outcomes, cue_pieces, outcome_pieces, .. } = self;
        let mut context = Context { corpus, monitor, words, frame };
        for pieces in cue_pieces {
            pieces.cover(waiting.words, of_cues.words(waiting), &mut context, cues, &mut strange)?;
        }
        for pieces in outcome_pieces {
            pieces.cover(waiting.words, of_outcomes.words(waiting), &mut context, outcomes, &mut strange)?;
        }
        let known = strange.is_empty();
        let first = self.tokens.len();
        // Rows are told apart by these numbers, or places in what is covered are.
        let covered =
            self.cue_pieces.iter().chain(&self.outcome_pieces).map(|pieces| pieces.covered().names().len());
        let row = self.number(covered.max().unwrap_or(0).max(waiting.len()) as u32);
        let cues = (&*self.cue_pieces, &mut self.cues, &mut self.cue_ids, &mut self.cue_ends);
        let outcomes =
            (&*self.outcome_pieces, &mut self.outcomes, &mut self.outcome_ids, &mut self.outcome_ends);
        if waiting.have_middles() {
            put(cues, row, known, waiting, Part::Neighbours)?;
            put(outcomes, row, known, waiting, Part::Middle)?;
        } else {
            put(cues, row, known, waiting, Part::All)?;
            put(outcomes, row, known, waiting, Part::All)?;
        }
        self.tokens.grow_to(first + waiting.len(), NONE, ROWS)?;
        events.make_room(waiting.len(), ROWS)?;
        events.extend(first as u32..self.tokens.len() as u32);
        if !known {
            strange.sort_unstable();
            self.mark(first, waiting, &strange);
        }
        self.strange = strange;
        Ok(())
    }

    /// Marks the rows of events, from the first row on, that have words at some places, which rise.
    fn mark(&mut self, first: usize, waiting: &Events<'_>, places: &[usize]) {
        let (mut next, mut marked) = (0, 0);
        for &at in places {
            while next < waiting.len() && waiting.place(next).end <= at {
                next += 1;
            }
            // Those before have one of the places, too.
            marked = marked.max(next);
            while marked < waiting.len() && waiting.place(marked).start <= at {
                self.tokens[first + marked] = NAMES;
                self.n_strange += 1;
                marked += 1;
            }
        }
    }

    /// The row of an event.
    pub(super) fn of(&mut self, frame: Frame<'_>, corpus: &Corpus, monitor: &Monitor) -> Result<u32> {
        if self.of_words.is_some() && self.tokens.len() == TRIAL {
            let few = TRIAL / if self.is_put { WORTHWHILE.0 } else { WORTHWHILE.1 };
            if self.hits < few {
                self.of_words = None;
            }
        }
        let middle = frame.middle.map_or(NONE, |middle| middle as u32);
        let Self { of_words: Some(known), hasher, far, far_ends, .. } = self else {
            return self.make(frame, corpus, monitor);
        };
        let key = Key::of(frame.words, middle, hasher);
        let hash = key.hash(hasher);
        let is_it = |known: &Known| {
            known.key == key
                && (key.is_near() || {
                    let (last, words) =
                        words_of(far, far_ends, known.row).split_last().unwrap_or((&NONE, &[]));
                    *last == middle && words == frame.words
                })
        };
        if let Some(known) = known.find(hash, is_it) {
            self.hits += 1;
            return Ok(known.row);
        }
        let row = self.make(frame, corpus, monitor)?;
        let Self { of_words, hasher, far, far_ends, .. } = self;
        if !key.is_near() {
            far.grow_by(frame.words, ROWS)?;
            far.grow(middle, ROWS)?;
        }
        far_ends.grow(far.len(), ROWS)?;
        if let Some(known) = of_words {
            let rehash = |known: &Known| known.key.hash(hasher);
            room_in(known, rehash, ROWS)?;
            known.insert_unique(hash, Known { key, row }, rehash);
        }
        Ok(row)
    }

    /// A new row.
    fn make(&mut self, frame: Frame<'_>, corpus: &Corpus, monitor: &Monitor) -> Result<u32> {
        let known = self.fill(frame, corpus, monitor).inspect_err(|_| self.take_back())?;
        self.cue_ends.grow(self.cue_ids.len(), ROWS)?;
        self.outcome_ends.grow(self.outcome_ids.len(), ROWS)?;
        self.tokens.grow(if known { NONE } else { NAMES }, ROWS)?;
        self.n_strange += usize::from(!known);
        Ok(self.tokens.len() as u32 - 1)
    }

    /// Takes back the names of a row that is not made.
    fn take_back(&mut self) {
        self.cue_ids.truncate(self.cue_ends.last().copied().unwrap_or(0));
        self.outcome_ids.truncate(self.outcome_ends.last().copied().unwrap_or(0));
    }

    /// The first of `n` numbers that no row had, by which names know whether a row has them.
    #[inline]
    fn number(&mut self, n: u32) -> u32 {
        if n > u32::MAX - self.made {
            self.cues.forget_rows();
            self.outcomes.forget_rows();
            self.made = 0;
        }
        self.made += n;
        self.made - n + 1
    }

    /// Appends the names of a row. Whether all are the sink's numbers.
    fn fill(&mut self, frame: Frame<'_>, corpus: &Corpus, monitor: &Monitor) -> Result<bool> {
        let number = self.number(1);
        let Self { words, frame: text, repeats, .. } = self;
        let mut context = Context { corpus, monitor, words, frame: text };
        let [before, behind, result] = frame.sides();
        let mut all_known = true;
        let once = *repeats == Repeats::Go;
        let mut column = Row { named: &mut self.cues, ids: &mut self.cue_ids, number, once };
        for pieces in &mut self.cue_pieces {
            for side in [before, behind] {
                all_known &= column.append(pieces, side, &mut context)?;
            }
        }
        let mut column = Row { named: &mut self.outcomes, ids: &mut self.outcome_ids, number, once };
        for pieces in &mut self.outcome_pieces {
            all_known &= column.append(pieces, result, &mut context)?;
        }
        Ok(all_known)
    }

    /// Pushes events, given their rows. An error comes with how many were pushed before.
    pub(super) fn deliver<S: EventSink + ?Sized>(
        &mut self,
        events: &[u32],
        sink: &mut S,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, crate::error::Error)> {
        self.learn(events, sink, monitor)?;
        let (mut n, mut next_look) = (0, 0);
        while let Some(&row) = events.get(n) {
            if n >= next_look {
                monitor.check().map_err(|error| (n, error))?;
                next_look = n + LOOK_EVERY;
            }
            let row = row as usize;
            let together = self.together(&events[n..]);
            if together > 1 {
                let [cues, outcomes] = self.batch(row..row + together);
                sink.events_again(cues, outcomes).map_err(|error| (n, error))?;
                n += together;
                continue;
            }
            let delivered = match self.tokens[row] {
                NAMES => self.push(row, sink, monitor),
                NONE => self.push_known(row, sink),
                token => match sink.again(token, 1) {
                    Ok(true) => Ok(()),
                    Ok(false) => self.push_known(row, sink),
                    Err(error) => Err(error),
                },
            };
            delivered.map_err(|error| (n, error))?;
            n += 1;
        }
        Ok(())
    }

    /// How many of the events, from the first one on, have rows that follow each other and have the sink's numbers alone;
    /// no more than lie between two looks at the monitor. None where rows are looked for, and shall have tokens.
    fn together(&self, events: &[u32]) -> usize {
        if self.of_words.is_some() {
            return 0;
        }
        let first = events.first().copied().unwrap_or_default();
        let follow = events.iter().zip(first..).take(LOOK_EVERY);
        follow.take_while(|&(&row, next)| row == next && self.tokens[row as usize] == NONE).count()
    }

    /// The cues and the outcomes of some rows.
    fn batch(&self, rows: Range<usize>) -> [Batch<'_>; 2] {
        [
            Batch::new(self.cue_ids.ids(), &self.cue_ends, rows.clone()),
            Batch::new(self.outcome_ids.ids(), &self.outcome_ends, rows),
        ]
    }

    /// Pushes an event all of whose names have the sink's numbers, and keeps what the sink calls it.
    fn push_known<S: EventSink + ?Sized>(&mut self, row: usize, sink: &mut S) -> Result<()> {
        let [cues, outcomes] = self.batch(row..row + 1);
        sink.event_again(cues.ids(), outcomes.ids())?;
        self.tokens[row] = sink.token().unwrap_or(NONE);
        Ok(())
    }

    /// Learns what the sink calls the names of events, in their order, if it calls them anything. An error comes with how many
    /// events were before.
    fn learn<S: EventSink + ?Sized>(
        &mut self,
        events: &[u32],
        sink: &mut S,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, crate::error::Error)> {
        for (n, &row) in events.iter().enumerate() {
            if self.n_strange == 0 {
                break;
            }
            if self.tokens[row as usize] != NAMES {
                continue;
            }
            let (cue_span, outcome_span) = self.spans(row as usize);
            let Self { cues, outcomes, cue_ids, outcome_ids, .. } = self;
            let learn = || {
                let of_cues = cues.learn(&mut cue_ids.ids_mut()[cue_span], |name| {
                    monitor.check()?;
                    sink.cue_id(name)
                })?;
                let of_outcomes = outcomes.learn(&mut outcome_ids.ids_mut()[outcome_span], |name| {
                    monitor.check()?;
                    sink.outcome_id(name)
                })?;
                Ok(of_cues && of_outcomes)
            };
            if !learn().map_err(|error| (n, error))? {
                break;
            }
            self.tokens[row as usize] = NONE;
            self.n_strange -= 1;
        }
        Ok(())
    }

    /// Where in their columns the cues and the outcomes of a row are.
    fn spans(&self, row: usize) -> (Range<usize>, Range<usize>) {
        let span = |ends: &[usize]| if row == 0 { 0 } else { ends[row - 1] }..ends[row];
        (span(&self.cue_ends), span(&self.outcome_ends))
    }

    /// Pushes an event by the names that the sink does not number.
    fn push<S: EventSink + ?Sized>(&self, row: usize, sink: &mut S, monitor: &Monitor) -> Result<()> {
        let (cue_span, outcome_span) = self.spans(row);
        for &cue in &self.cue_ids.ids()[cue_span] {
            monitor.check()?;
            match self.cues.name(cue) {
                None => sink.cue_again(cue)?,
                Some(name) => sink.cue(name)?,
            }
        }
        monitor.check()?;
        for &outcome in &self.outcome_ids.ids()[outcome_span] {
            match self.outcomes.name(outcome) {
                None => sink.outcome_again(outcome)?,
                Some(name) => sink.outcome(name)?,
            }
        }
        sink.end_event(1)
    }

    /// What there is more of than should be kept, if anything.
    pub(super) fn large(&self) -> Option<Large> {
        let names = self.words.text().len()
            + 32 * self.of_word.len()
            + self.cues.size()
            + self.outcomes.size()
            + self.cue_pieces.iter().chain(&self.outcome_pieces).map(Pieces::size).sum::<usize>();
        let known = self.of_words.as_ref().map_or(0, HashTable::len);
        let rows = 2 * size_of::<Known>() * known
            + 8 * (self.far.len() + self.cue_ids.len() + self.outcome_ids.len())
            + 32 * self.tokens.len();
        (names + rows > BUDGET).then_some(if rows < names { Large::All } else { Large::Rows })
    }

    /// Forgets everything, after the sink has taken it.
    pub(super) fn forget(&mut self, corpus: &Corpus) {
        let of_words = self.of_words.is_some().then(HashTable::new);
        *self = Self { of_words, ..Self::new(corpus, self.repeats) };
    }

    /// Forgets the context.
    pub(super) fn end_context(&mut self) {
        self.cue_pieces.iter_mut().chain(&mut self.outcome_pieces).for_each(Pieces::forget_stream);
    }

    /// Forgets rows where they are not looked for, after the sink has taken them: nor is there any use in looking for them
    /// where the sink does not know them again.
    pub(super) fn forget_rows(&mut self, single: bool) {
        // Names of the context may have other numbers now.
        self.end_context();
        if !single && self.tokens.last().is_some_and(|&token| token == NONE) {
            self.of_words = None;
        }
        if self.of_words.is_none() {
            self.drop_rows();
        }
    }

    /// Forgets all rows, after the sink has taken them, but not what their words give.
    pub(super) fn drop_rows(&mut self) {
        self.of_word.fill(NONE);
        self.of_words.iter_mut().for_each(HashTable::clear);
        self.hits = 0;
        self.far.clear();
        self.far_ends.clear();
        self.cue_ids.truncate(0);
        self.cue_ends.clear();
        self.outcome_ids.truncate(0);
        self.outcome_ends.clear();
        self.tokens.clear();
        self.n_strange = 0;
    }
}

/// Which words of an event give names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Middle,
    Neighbours,
}

impl Part {
    /// The words at a place.
    #[inline(always)]
    fn of(self, at: Place) -> [Range<usize>; 2] {
        match self {
            Part::All => [at.start..at.end, 0..0],
            Part::Middle => [at.middle..at.middle + 1, 0..0],
            Part::Neighbours => [at.start..at.middle, at.middle + 1..at.end],
        }
    }

    /// The words that give names in some events, which follow each other: all that lie between the first and the last do. And
    /// whether two of them can do so side by side.
    fn words(self, waiting: &Events<'_>) -> (Range<usize>, bool) {
        let n = waiting.len();
        let (first, last) = (waiting.place(0), waiting.place(n - 1));
        match self {
            Part::All => (first.start..last.end, true),
            Part::Middle => (first.middle..last.middle + 1, false),
            Part::Neighbours => {
                // The word in the middle of an event is a neighbour in the next, if events have words before it, and in the one
                // before, if they have words behind it.
                let lonely_first =
                    first.start == first.middle && (n == 1 || waiting.place(1).start > first.middle);
                let lonely_last =
                    last.end == last.middle + 1 && (n == 1 || waiting.place(n - 2).end < last.end);
                let words = first.start + usize::from(lonely_first)..last.end - usize::from(lonely_last);
                (words, waiting.has_pairs_beside())
            }
        }
    }

    /// The words of some events, each of which begins one word behind the one before it and has as many, and which word of each
    /// is left out; `None` of no events.
    fn window(self, waiting: &Events<'_>, events: &Range<usize>) -> Option<(Range<usize>, Option<usize>)> {
        let last = waiting.place(events.clone().next_back()?);
        let first = waiting.place(events.start);
        Some(match self {
            Part::All => (first.start..last.end, None),
            Part::Middle => (first.middle..last.middle + 1, None),
            Part::Neighbours => (first.start..last.end, Some(first.middle - first.start)),
        })
    }
}

/// The cues of rows, or the outcomes, and what is needed to put them together.
type Side<'r> = (&'r [Pieces], &'r mut Named, &'r mut Column, &'r mut Vec<usize>);

/// Puts the rows of events together: the names of their words, which are ready; `known` says whether all are the sink's numbers.
#[inline(always)]
fn put(
    (pieces, named, ids, ends): Side<'_>,
    first: u32,
    known: bool,
    waiting: &Events<'_>,
    part: Part,
) -> Result<()> {
    let events = 0..waiting.len();
    let [pieces] = pieces else {
        for (row, event) in (first..).zip(events) {
            let parts = part.of(waiting.place(event));
            for pieces in pieces {
                for words in parts.clone() {
                    let names = pieces.covered().words(words);
                    named.append(names.iter().copied(), row, known, true, ids)?;
                }
            }
            ends.grow(ids.len(), ROWS)?;
        }
        return Ok(());
    };
    let covered = pieces.covered();
    let Some(ones) = covered.ones() else {
        if known && part == Part::All {
            let spans = events.map(|event| {
                let [words, _] = part.of(waiting.place(event));
                covered.span(words)
            });
            return named.append_spans(first, covered.names(), spans, ids, ends);
        }
        let rows = events.map(|event| {
            let [left, right] = part.of(waiting.place(event));
            [covered.words(left), covered.words(right)]
        });
        return named.append_rows(first, known, rows, ids, ends);
    };
    let rows = |events: Range<usize>| {
        events.map(|event| {
            let [left, right] = part.of(waiting.place(event));
            [&ones[left], &ones[right]]
        })
    };
    // All but those at either end of a context have names in the same places.
    let full = if part == Part::Middle { events.clone() } else { waiting.full(events.clone()) };
    let (names, left_out) = match part.window(waiting, &full) {
        Some((words, left_out)) => (&ones[words], left_out),
        None => (&[][..], None),
    };
    let n_names = (names.len() + 1).saturating_sub(full.len() + usize::from(left_out.is_some()));
    let append = match n_names {
        1 => Column::append_windows::<1>,
        2 => Column::append_windows::<2>,
        3 => Column::append_windows::<3>,
        4 => Column::append_windows::<4>,
        _ => return named.append_rows(first, known, rows(events), ids, ends),
    };
    let behind = first + full.end as u32;
    named.append_rows(first, known, rows(0..full.start), ids, ends)?;
    append(ids, names, left_out, ends)?;
    named.append_rows(behind, known, rows(full.end..events.end), ids, ends)
}

/// The cues, or the outcomes, of a row that is being made.
struct Row<'r> {
    named: &'r mut Named,
    ids: &'r mut Column,
    number: u32,
    /// Whether a name that the row has already goes.
    once: bool,
}

impl Row<'_> {
    /// Appends the names that some words of a context, the first of them at a place in it, give. Whether all are the sink's
    /// numbers.
    #[inline]
    fn append(
        &mut self,
        pieces: &mut Pieces,
        (side, place): (&[u32], usize),
        context: &mut Context<'_>,
    ) -> Result<bool> {
        if side.is_empty() {
            return Ok(true);
        }
        let (names, known) = pieces.of(side, place, context, self.named)?;
        for names in names.chunks(NAMES_TOGETHER) {
            context.monitor.check()?;
            self.named.append(names.iter().copied(), self.number, known, self.once, self.ids)?;
        }
        Ok(known)
    }
}

/// A row, and what it is known by.
#[derive(Clone, Copy)]
struct Known {
    key: Key,
    row: u32,
}

/// The words of an event and the place of the one in the middle: themselves if they are few, [`NONE`] behind fewer, so that
/// nothing else need be looked at; else their hash, and [`FAR`] at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key([u32; 4]);

/// In the last place of a key that is a hash; no place of a middle.
const FAR: u32 = u32::MAX - 1;

impl Key {
    #[inline]
    fn of(words: &[u32], middle: u32, hasher: &DefaultHashBuilder) -> Self {
        match *words {
            [a] => Self([a, NONE, NONE, middle]),
            [a, b] => Self([a, b, NONE, middle]),
            [a, b, c] => Self([a, b, c, middle]),
            _ => {
                let hash = hasher.hash_one((words, middle));
                Self([hash as u32, (hash >> 32) as u32, 0, FAR])
            }
        }
    }

    /// Whether it is the words themselves.
    #[inline]
    fn is_near(self) -> bool {
        self.0[3] != FAR
    }

    #[inline]
    fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        let [a, b, c, d] = self.0.map(u64::from);
        hasher.hash_one((a | b << 32, c | d << 32))
    }
}

/// The words of a row that are too many for a key, and behind them the place of the one in the middle.
fn words_of<'k>(far: &'k [u32], ends: &[usize], row: u32) -> &'k [u32] {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &far[start..ends[row]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers cues, and knows no events again.
    #[derive(Default)]
    struct Numbered {
        names: Vec<String>,
        event: Vec<String>,
        events: Vec<Vec<String>>,
    }

    impl EventSink for Numbered {
        fn cue(&mut self, name: &str) -> Result<()> {
            self.event.push(name.to_owned());
            Ok(())
        }

        fn outcome(&mut self, _name: &str) -> Result<()> {
            Ok(())
        }

        fn cue_id(&mut self, name: &str) -> Result<Option<u32>> {
            self.names.push(name.to_owned());
            Ok(Some(self.names.len() as u32 - 1))
        }

        fn cue_again(&mut self, cue: u32) -> Result<()> {
            self.event.push(self.names[cue as usize].clone());
            Ok(())
        }

        fn end_event(&mut self, _frequency: u64) -> Result<()> {
            self.events.push(std::mem::take(&mut self.event));
            Ok(())
        }
    }

    #[test]
    fn rows_that_came_before_and_are_no_longer_looked_for_are_delivered_as_they_came() {
        let corpus = Corpus { cues: vec![Names::Words], outcomes: Vec::new(), ..Corpus::default() };
        let (mut rows, mut sink) = (Rows::new(&corpus, Repeats::Go), Numbered::default());
        let words = ["a", "b", "c"].map(|word| rows.word(word).unwrap());
        let row = |rows: &mut Rows, i: usize, j: usize| {
            rows.end_context();
            let frame = Frame { words: &[words[i], words[j]], start: 0, middle: None };
            rows.of(frame, &corpus, &Monitor::new()).unwrap()
        };
        let made = [row(&mut rows, 0, 1), row(&mut rows, 1, 2)];
        rows.deliver(&made, &mut sink, &Monitor::new()).unwrap();
        let again = row(&mut rows, 1, 2);
        assert_eq!(again, made[1]);
        rows.of_words = None;
        // As many events as rows, but not one for each.
        let events = [again, again, row(&mut rows, 2, 0)];
        assert_eq!((events[2], rows.tokens.len()), (2, events.len()));
        rows.deliver(&events, &mut sink, &Monitor::new()).unwrap();
        assert_eq!(sink.events, [["a", "b"], ["b", "c"], ["b", "c"], ["b", "c"], ["c", "a"]]);
    }
}
