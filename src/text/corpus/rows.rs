//! Rows: the cues and outcomes of events, until a writer takes them.
//!
//! A thread that reads text numbers words, cues and outcomes in the order in which it meets them. When it is the thread's turn to
//! deliver, it gives the writer each name once, and gets the writer's id for it. So names have ids in the order of the text,
//! whichever thread reads which block.
//!
//! If each word is an event, a word has one row, which is used whenever the word comes again. Other events have a row each, in
//! their order.

use std::ops::Range;

use super::column::Column;
use super::options::{Corpus, Window};
use super::pieces::Text;
use super::windows::{Chosen, Events};
use crate::error::{Error, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::grow::Grow;
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// Events between two looks at the monitor, and events that go to the writer at once.
const LOOK_EVERY: usize = 1 << 10;

/// About the most memory that is kept, besides what one block of text adds.
const BUDGET: usize = 24 << 20;

const ROWS: &str = "the events of a block of text";

/// What takes too much memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Large {
    /// Rows.
    Rows,
    /// Words and names, without which rows mean nothing.
    All,
}

/// Rows and their names, and the events that have them.
///
/// Invariant: row `i` has the cues and the outcomes `i`, and `keys[i]` is the writer's key of it, if it has one. Events that are
/// not of one word have the rows 0, 1, 2, ...
pub(super) struct Rows {
    words: Vocab,
    /// The row of each word, if words are events.
    of_word: Vec<Option<u32>>,
    cues: Column,
    outcomes: Column,
    keys: Vec<Option<u32>>,
    /// The row of each event.
    events: Vec<u32>,
    duplicates: Duplicates,
    /// Whether every word is an event.
    single: bool,
    /// A buffer that is reused.
    frame: String,
}

impl Rows {
    pub(super) fn new(corpus: &Corpus, duplicates: Duplicates) -> Self {
        let once = duplicates == Duplicates::Drop;
        Self {
            words: Vocab::new(),
            of_word: Vec::new(),
            cues: Column::new(&corpus.cues, corpus, once),
            outcomes: Column::new(&corpus.outcomes, corpus, once),
            keys: Vec::new(),
            events: Vec::new(),
            duplicates,
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

    /// How many events wait for a writer.
    #[inline]
    pub(super) fn n_events(&self) -> usize {
        self.events.len()
    }

    /// Makes room for more events of words that have a row.
    pub(super) fn make_room(&mut self, more: usize) -> Result<()> {
        self.events.make_room(more, ROWS)
    }

    /// Takes a word as an event, if it has a row.
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

    /// Makes the rows of neighbouring events of a text.
    pub(super) fn make(&mut self, events: &Events<'_>, corpus: &Corpus, monitor: &Monitor) -> Result<()> {
        if events.len() == 0 {
            return Ok(());
        }
        let n = self.keys.len();
        self.events.make_room(events.len(), ROWS)?;
        self.keys.make_room(events.len(), ROWS)?;
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
        self.keys.resize(n + events.len(), None);
        self.events.extend(n as u32..self.keys.len() as u32);
        Ok(())
    }

    /// Gives a writer the events. An error comes with about how many the writer took before it.
    pub(super) fn deliver(
        &mut self,
        writer: &mut EventWriter,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, Error)> {
        // One at a time if rows are to get keys, or if the writer may refuse events.
        let most = if self.single || self.duplicates == Duplicates::Error { 1 } else { LOOK_EVERY };
        let (mut n, mut next_look) = (0, 0);
        while let Some(&row) = self.events.get(n) {
            if n >= next_look {
                monitor.check().map_err(|error| (n, error))?;
                next_look = n + LOOK_EVERY;
            }
            let row = row as usize;
            if let Some(key) = self.keys[row]
                && writer.event_again(key, 1).map_err(|error| (n, error))?
            {
                n += 1;
                continue;
            }
            let together = most.min(self.events.len() - n);
            self.push(row..row + together, writer, monitor).map_err(|(before, error)| (n + before, error))?;
            if self.single {
                self.keys[row] = writer.key();
            }
            n += together;
        }
        self.events.clear();
        if !self.single {
            self.drop_rows();
        }
        Ok(())
    }

    /// Gives a writer the events of some rows.
    fn push(
        &mut self,
        rows: Range<usize>,
        writer: &mut EventWriter,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, Error)> {
        let cues = self.cues.sent(rows.clone(), |name| {
            monitor.check()?;
            writer.cue_id(name)
        })?;
        let outcomes = self.outcomes.sent(rows, |name| {
            monitor.check()?;
            writer.outcome_id(name)
        })?;
        writer.events(cues, outcomes).map_err(|error| (0, error))
    }

    /// What takes more memory than may be kept, if anything does.
    pub(super) fn large(&self) -> Option<Large> {
        let names = self.words.text().len()
            + 40 * self.of_word.len()
            + self.cues.size_of_names()
            + self.outcomes.size_of_names();
        let rows = 8 * (self.cues.n_ids() + self.outcomes.n_ids()) + 40 * self.keys.len();
        (names + rows > BUDGET).then_some(if rows < names { Large::All } else { Large::Rows })
    }

    /// Forgets everything, after the writer has taken it.
    pub(super) fn forget(&mut self, corpus: &Corpus) {
        *self = Self::new(corpus, self.duplicates);
    }

    /// Forgets the events without giving them to a writer.
    pub(super) fn drop_events(&mut self) {
        self.events.clear();
        if !self.single {
            self.drop_rows();
        }
    }

    /// Forgets all rows, but not the names that words give.
    pub(super) fn drop_rows(&mut self) {
        if self.single {
            self.of_word.fill(None);
        }
        self.cues.truncate(0);
        self.outcomes.truncate(0);
        self.keys.clear();
    }
}
