//! Rows: the cues and outcomes of events, until a sink takes them.
//!
//! A thread that reads text gives words, cues and outcomes numbers in the order in which it meets them. When its turn comes to
//! deliver, the sink learns each name once, and says by what it can come again. So names have ids in the order of the text,
//! whichever thread reads what.
//!
//! Where each word is an event, it has one row, which comes again with it. Other events have a row each, as they came.

use super::column::Column;
use super::options::{Corpus, Window};
use super::pieces::Text;
use super::windows::{Chosen, Events};
use crate::error::{Error, Result};
use crate::events::sink::{EventSink, Repeats};
use crate::grow::Grow;
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// Events between two looks at the monitor; so many go to the sink at once.
const LOOK_EVERY: usize = 1 << 10;

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

/// Rows and their names, and the events that have them.
///
/// Invariant: row `i` has the cues and the outcomes `i`, and the sink calls it `tokens[i]`, if it does. Events that are not of
/// one word have the rows 0, 1, 2, ...
pub(super) struct Rows {
    words: Vocab,
    /// The row of each word, where it is an event of its own.
    of_word: Vec<Option<u32>>,
    cues: Column,
    outcomes: Column,
    tokens: Vec<Option<u32>>,
    /// The row of each event.
    events: Vec<u32>,
    repeats: Repeats,
    /// Whether every word is an event.
    single: bool,
    /// A buffer that is used again.
    frame: String,
}

impl Rows {
    pub(super) fn new(corpus: &Corpus, repeats: Repeats) -> Self {
        let once = repeats == Repeats::Go;
        Self {
            words: Vocab::new(),
            of_word: Vec::new(),
            cues: Column::new(&corpus.cues, corpus, once),
            outcomes: Column::new(&corpus.outcomes, corpus, once),
            tokens: Vec::new(),
            events: Vec::new(),
            repeats,
            single: corpus.window == Window::ONE,
            frame: String::new(),
        }
    }

    /// The number of a word.
    pub(super) fn word(&mut self, word: &str) -> Result<u32> {
        let id = self.words.intern(word)?;
        if id as usize == self.of_word.len() {
            self.of_word.grow(None, ROWS)?;
        }
        Ok(id)
    }

    /// The word of a number.
    pub(super) fn word_of(&self, id: u32) -> &str {
        self.words.name(id).unwrap_or_default()
    }

    /// How many events wait for a sink.
    #[inline]
    pub(super) fn n_events(&self) -> usize {
        self.events.len()
    }

    /// Makes room for more events of words that have their rows.
    pub(super) fn make_room(&mut self, more: usize) -> Result<()> {
        self.events.make_room(more, ROWS)
    }

    /// Takes a word as an event, if it has its row.
    #[inline]
    pub(super) fn take_known(&mut self, word: u32) -> Option<()> {
        self.of_word[word as usize].map(|row| self.events.push(row))
    }

    /// Takes a word as an event.
    pub(super) fn take(&mut self, word: u32, corpus: &Corpus, monitor: &Monitor) -> Result<()> {
        self.make_room(1)?;
        if self.take_known(word).is_none() {
            self.make(&Events::of_one(&[word]), corpus, monitor)?;
            self.of_word[word as usize] = self.events.last().copied();
        }
        Ok(())
    }

    /// Makes the rows of events that follow each other in a text.
    pub(super) fn make(&mut self, events: &Events<'_>, corpus: &Corpus, monitor: &Monitor) -> Result<()> {
        if events.len() == 0 {
            return Ok(());
        }
        let n = self.tokens.len();
        self.events.make_room(events.len(), ROWS)?;
        self.tokens.make_room(events.len(), ROWS)?;
        let Self { words, frame, cues, outcomes, .. } = self;
        let mut text = Text { corpus, monitor, words, frame };
        let [of_cues, of_outcomes] =
            if events.have_middles() { [Chosen::Neighbours, Chosen::Middle] } else { [Chosen::All; 2] };
        let appended = cues.append(events, of_cues, &mut text);
        if let Err(error) = appended.and_then(|()| outcomes.append(events, of_outcomes, &mut text)) {
            cues.truncate(n);
            outcomes.truncate(n);
            return Err(error);
        }
        self.tokens.resize(n + events.len(), None);
        self.events.extend(n as u32..self.tokens.len() as u32);
        Ok(())
    }

    /// Pushes the events. An error comes with how many were pushed before, about.
    pub(super) fn deliver<S: EventSink + ?Sized>(
        &mut self,
        sink: &mut S,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, Error)> {
        // One at a time where a row shall have its token, and where the sink refuses some.
        let most = if self.single || self.repeats == Repeats::Seen { 1 } else { LOOK_EVERY };
        let (mut n, mut next_look) = (0, 0);
        while let Some(&row) = self.events.get(n) {
            if n >= next_look {
                monitor.check().map_err(|error| (n, error))?;
                next_look = n + LOOK_EVERY;
            }
            let row = row as usize;
            if let Some(token) = self.tokens[row]
                && sink.again(token, 1).map_err(|error| (n, error))?
            {
                n += 1;
                continue;
            }
            let together = most.min(self.events.len() - n);
            self.push(row, together, sink, monitor).map_err(|(before, error)| (n + before, error))?;
            if self.single {
                self.tokens[row] = sink.token();
            }
            n += together;
        }
        self.events.clear();
        if !self.single {
            self.drop_rows();
        }
        Ok(())
    }

    /// Pushes the events of rows from one on, in the sink's numbers if it has them.
    fn push<S: EventSink + ?Sized>(
        &mut self,
        row: usize,
        n: usize,
        sink: &mut S,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, Error)> {
        let Self { cues, outcomes, .. } = self;
        let of_cues = cues.sent(row..row + n, |name| {
            monitor.check()?;
            sink.cue_id(name)
        })?;
        let of_outcomes = outcomes.sent(row..row + n, |name| {
            monitor.check()?;
            sink.outcome_id(name)
        })?;
        if let (Some(cues), Some(outcomes)) = (of_cues, of_outcomes) {
            // An event by itself may have a token, those of a batch have none.
            let pushed = if n == 1 {
                sink.event_again(cues.ids(), outcomes.ids())
            } else {
                sink.events_again(cues, outcomes)
            };
            return pushed.map_err(|error| (0, error));
        }
        let mut by_name = |row| {
            cues.each(row, |name| {
                monitor.check()?;
                sink.cue(name)
            })?;
            monitor.check()?;
            outcomes.each(row, |name| sink.outcome(name))?;
            sink.end_event(1)
        };
        (0..n).try_for_each(|before| by_name(row + before).map_err(|error| (before, error)))
    }

    /// What there is more of than should be kept, if anything.
    pub(super) fn large(&self) -> Option<Large> {
        let names = self.words.text().len()
            + 40 * self.of_word.len()
            + self.cues.size_of_names()
            + self.outcomes.size_of_names();
        let rows = 8 * (self.cues.n_ids() + self.outcomes.n_ids()) + 40 * self.tokens.len();
        (names + rows > BUDGET).then_some(if rows < names { Large::All } else { Large::Rows })
    }

    /// Forgets everything, after the sink has taken it.
    pub(super) fn forget(&mut self, corpus: &Corpus) {
        *self = Self::new(corpus, self.repeats);
    }

    /// Forgets the events, which no sink shall have.
    pub(super) fn drop_events(&mut self) {
        self.events.clear();
        if !self.single {
            self.drop_rows();
        }
    }

    /// Forgets all rows, but not what their words give.
    pub(super) fn drop_rows(&mut self) {
        if self.single {
            self.of_word.fill(None);
        }
        self.cues.truncate(0);
        self.outcomes.truncate(0);
        self.tokens.clear();
    }
}
