//! Encoding: words become the cues and outcomes of events, which a writer takes.

use std::mem;

use super::options::{Corpus, Window};
use super::pieces::{Pieces, SharedCue, Text};
use super::windows::WordEvent;
use crate::error::Result;
use crate::events::write::{EventWriter, Side};
use crate::memory::Grow;
use crate::monitor::{Monitor, Pulse};
use crate::vocab::Vocab;

/// About the most memory that the words take, and the lists of names that they give.
const BUDGET: usize = 24 << 20;

/// The work of a word, in numbers that are touched.
pub(super) const WORD: usize = 1 << 10;

/// Makes events of words. Each word has a number.
pub(super) struct Encoder<'c> {
    corpus: &'c Corpus,
    monitor: &'c Monitor,
    pulse: Pulse,
    words: Vocab,
    /// The writer's key of the event of each word, if words are events.
    keys: Vec<Option<u32>>,
    cues: Vec<Pieces>,
    outcomes: Vec<Pieces>,
    /// A buffer that is reused.
    frame: String,
    pub(super) shared: SharedCue,
}

impl<'c> Encoder<'c> {
    pub(super) fn new(corpus: &'c Corpus, monitor: &'c Monitor) -> Self {
        let pieces = |names: &'c [_]| {
            names.iter().enumerate().map(|(kind, names)| Pieces::new(names, kind, corpus)).collect()
        };
        Self {
            corpus,
            monitor,
            pulse: Pulse::default(),
            words: Vocab::new(),
            keys: Vec::new(),
            cues: pieces(&corpus.cues),
            outcomes: pieces(&corpus.outcomes),
            frame: String::new(),
            shared: SharedCue::default(),
        }
    }

    /// The number of a word.
    pub(super) fn number(&mut self, word: &str) -> Result<u32> {
        let number = self.words.intern(word)?;
        if self.corpus.window == Window::ONE && number as usize == self.keys.len() {
            self.keys.grow(None)?;
        }
        Ok(number)
    }

    /// The word of a number.
    pub(super) fn word(&self, number: u32) -> &str {
        self.words.name(number).unwrap_or_default()
    }

    /// Writes the event of a word, where words are events.
    #[inline]
    pub(super) fn write_word(&mut self, word: u32, writer: &mut EventWriter) -> Result<()> {
        if let Some(key) = self.keys[word as usize]
            && writer.event_again(key, 1)?
        {
            return Ok(());
        }
        self.write(WordEvent { words: &[word], middle: None }, writer)?;
        self.keys[word as usize] = writer.key();
        Ok(())
    }

    /// Writes an event.
    pub(super) fn write(&mut self, event: WordEvent<'_>, writer: &mut EventWriter) -> Result<()> {
        self.pulse.beat(WORD * event.words.len(), self.monitor)?;
        let (words, rest, outcomes) = match event.middle {
            None => (event.words, &[][..], event.words),
            Some(at) => (&event.words[..at], &event.words[at + 1..], &event.words[at..=at]),
        };
        let Self { corpus, monitor, words: known, frame, shared, .. } = self;
        let shared = (self.cues.len() > 1).then_some(shared);
        let mut text = Text { corpus, monitor, words: known, frame, shared };
        for pieces in &mut self.cues {
            pieces.write(words, Side::Cue, &mut text, writer)?;
            pieces.write(rest, Side::Cue, &mut text, writer)?;
        }
        for pieces in &mut self.outcomes {
            pieces.write(outcomes, Side::Outcome, &mut text, writer)?;
        }
        if corpus.mask { writer.end_masked_event(self.monitor) } else { writer.end_event(1) }
    }

    /// Whether words and lists take more memory than they may.
    pub(super) fn is_large(&self) -> bool {
        let lists = self.cues.iter().chain(&self.outcomes).map(Pieces::size).sum::<usize>();
        self.words.text().len() + 40 * self.words.len() + lists > BUDGET
    }

    /// Forgets all words and lists.
    pub(super) fn clear(&mut self) {
        let shared = mem::take(&mut self.shared);
        *self = Self { shared, ..Self::new(self.corpus, self.monitor) };
    }
}
