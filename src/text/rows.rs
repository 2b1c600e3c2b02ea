//! Rows: the events that some words make, in numbers of their own, until a sink takes them.
//!
//! A thread that reads text gives words, cues, outcomes and kinds of events numbers in the order in which it meets them.
//! When its turn comes to deliver, the sink learns each name and each row once, and says by what they can come again. So
//! names have ids in the order of the text, whichever thread reads what.

use std::hash::BuildHasher;
use std::mem;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::corpus::{Corpus, Names};
use super::pieces::Pieces;
use super::windows::Frame;
use super::{EventSink, Repeats};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// Not known yet.
const NONE: u32 = u32::MAX;

/// With this many rows it is judged whether rows come again.
const TRIAL: usize = 1 << 15;

/// Rows that come again fewer times than one in so many are not looked for.
const WORTHWHILE: usize = 4;

/// What is kept takes about this much memory, but for what one block of text adds.
const BUDGET: usize = 24 << 20;

/// Rows and their names.
///
/// Invariants: row `i` has the cues `ids[ends[i - 1].1..ends[i].0]` and the outcomes `ids[ends[i].0..ends[i].1]`, and is the
/// event of the words `key(i)`; `tokens` is what the sink calls the rows.
pub(super) struct Rows {
    words: Vocab,
    /// The row of each word that is an event of its own.
    of_word: Vec<u32>,
    /// Rows by their words, unless rows are not looked for.
    of_words: Option<HashTable<u32>>,
    hasher: DefaultHashBuilder,
    keys: Vec<u32>,
    key_ends: Vec<usize>,
    hits: usize,
    cues: Named,
    outcomes: Named,
    cue_pieces: Vec<Pieces>,
    outcome_pieces: Vec<Pieces>,
    repeats: Repeats,
    ids: Vec<u32>,
    ends: Vec<(usize, usize)>,
    tokens: Vec<u32>,
    /// Rows ever made.
    made: u64,
    frame: String,
    /// The sink's names of an event.
    theirs: Vec<u32>,
}

/// Names, and what the sink calls them.
#[derive(Default)]
struct Named {
    vocab: Vocab,
    ids: Vec<u32>,
    /// The row that had the name last, counted from 1 over all that were ever made.
    last: Vec<u64>,
}

impl Named {
    fn intern(&mut self, name: &str) -> Result<u32> {
        let id = self.vocab.intern(name)?;
        if id as usize == self.ids.len() {
            self.ids.push(NONE);
            self.last.push(0);
        }
        Ok(id)
    }

    fn size(&self) -> usize {
        self.vocab.text().len() + 40 * self.ids.len()
    }

    /// Drops the names from `start` on that came before in the row.
    fn drop_repeated(&mut self, ids: &mut Vec<u32>, start: usize, row: u64) {
        let mut kept = start;
        for i in start..ids.len() {
            let id = ids[i];
            ids[kept] = id;
            kept += usize::from(mem::replace(&mut self.last[id as usize], row) != row);
        }
        ids.truncate(kept);
    }

    /// What the sink calls some names, appended to `theirs`; `false` if it does not know them all.
    fn theirs(&self, ids: &[u32], theirs: &mut Vec<u32>) -> bool {
        let start = theirs.len();
        theirs.extend(ids.iter().map(|&id| self.ids[id as usize]));
        !theirs[start..].contains(&NONE)
    }
}

impl Rows {
    pub(super) fn new(corpus: &Corpus, repeats: Repeats) -> Self {
        let pieces = |names: &[Names]| names.iter().map(|names| Pieces::new(names, corpus)).collect();
        Self {
            words: Vocab::new(),
            of_word: Vec::new(),
            of_words: Some(HashTable::new()),
            hasher: DefaultHashBuilder::default(),
            keys: Vec::new(),
            key_ends: Vec::new(),
            hits: 0,
            cues: Named::default(),
            outcomes: Named::default(),
            cue_pieces: pieces(&corpus.cues),
            outcome_pieces: pieces(&corpus.outcomes),
            repeats,
            ids: Vec::new(),
            ends: Vec::new(),
            tokens: Vec::new(),
            made: 0,
            frame: String::new(),
            theirs: Vec::new(),
        }
    }

    /// The number of a word.
    pub(super) fn word(&mut self, word: &str) -> Result<u32> {
        let id = self.words.intern(word)?;
        if id as usize == self.of_word.len() {
            self.of_word.push(NONE);
        }
        Ok(id)
    }

    /// The word of a number.
    pub(super) fn word_of(&self, id: u32) -> &str {
        self.words.name(id).unwrap_or_default()
    }

    /// The row of the event of one word, where all events are of one word.
    #[inline]
    pub(super) fn of_word(&mut self, word: u32, corpus: &Corpus) -> Result<u32> {
        match self.of_word[word as usize] {
            NONE => {
                let row = self.make(Frame { words: &[word], middle: None }, corpus)?;
                self.of_word[word as usize] = row;
                Ok(row)
            }
            row => Ok(row),
        }
    }

    /// The row of an event.
    pub(super) fn of(&mut self, frame: Frame<'_>, corpus: &Corpus) -> Result<u32> {
        if self.of_words.is_some() && self.ends.len() == TRIAL && self.hits < TRIAL / WORTHWHILE {
            self.of_words = None;
        }
        let middle = frame.middle.map_or(NONE, |middle| middle as u32);
        let Self { of_words: Some(known), hasher, keys, key_ends, .. } = self else {
            return self.make(frame, corpus);
        };
        let hash = hasher.hash_one((frame.words, middle));
        let is_it = |&row: &u32| {
            let (last, words) = key(keys, key_ends, row).split_last().unwrap_or((&NONE, &[]));
            *last == middle && words == frame.words
        };
        if let Some(&row) = known.find(hash, is_it) {
            self.hits += 1;
            return Ok(row);
        }
        let row = self.make(frame, corpus)?;
        let Self { of_words, hasher, keys, key_ends, .. } = self;
        keys.extend_from_slice(frame.words);
        keys.push(middle);
        key_ends.push(keys.len());
        if let Some(known) = of_words {
            known.insert_unique(hash, row, |&row| {
                let (last, words) = key(keys, key_ends, row).split_last().unwrap_or((&NONE, &[]));
                hasher.hash_one((words, *last))
            });
        }
        Ok(row)
    }

    /// A new row.
    fn make(&mut self, frame: Frame<'_>, corpus: &Corpus) -> Result<u32> {
        let Self { words, cues, outcomes, cue_pieces, outcome_pieces, ids, frame: buffer, .. } = self;
        let all = frame.words;
        let (before, after, result) = match frame.middle {
            None => (all, &all[..0], all),
            Some(middle) => (&all[..middle], &all[middle + 1..], &all[middle..=middle]),
        };
        let start = ids.len();
        for pieces in cue_pieces {
            pieces.push(before, words, corpus, buffer, |name| cues.intern(name), ids)?;
            pieces.push(after, words, corpus, buffer, |name| cues.intern(name), ids)?;
        }
        self.made += 1;
        if self.repeats == Repeats::Go {
            cues.drop_repeated(ids, start, self.made);
        }
        let cues_end = ids.len();
        for pieces in outcome_pieces {
            pieces.push(result, words, corpus, buffer, |name| outcomes.intern(name), ids)?;
        }
        if self.repeats != Repeats::Seen {
            outcomes.drop_repeated(ids, cues_end, self.made);
        }
        self.ends.push((cues_end, self.ids.len()));
        self.tokens.push(NONE);
        Ok(self.ends.len() as u32 - 1)
    }

    /// Pushes events, given their rows. An error comes with how many were pushed before.
    pub(super) fn deliver<S: EventSink + ?Sized>(
        &mut self,
        events: &[u32],
        sink: &mut S,
        monitor: &Monitor,
    ) -> std::result::Result<(), (usize, crate::error::Error)> {
        for (n, &row) in events.iter().enumerate() {
            let token = self.tokens[row as usize];
            let again = if token == NONE { Ok(false) } else { sink.again(token, 1) };
            match again {
                Ok(true) => {}
                Ok(false) => self.push(row as usize, sink, monitor).map_err(|error| (n, error))?,
                Err(error) => return Err((n, error)),
            }
        }
        Ok(())
    }

    /// Pushes an event with its names, and keeps what the sink calls it and them.
    fn push<S: EventSink + ?Sized>(&mut self, row: usize, sink: &mut S, monitor: &Monitor) -> Result<()> {
        let Self { cues, outcomes, ids, ends, tokens, theirs, .. } = self;
        let start = if row == 0 { 0 } else { ends[row - 1].1 };
        let (cues_end, end) = ends[row];
        theirs.clear();
        if cues.theirs(&ids[start..cues_end], theirs) && outcomes.theirs(&ids[cues_end..end], theirs) {
            let (cues, outcomes) = theirs.split_at(cues_end - start);
            sink.event_again(cues, outcomes)?;
            tokens[row] = sink.token().unwrap_or(NONE);
            return Ok(());
        }
        for &cue in &ids[start..cues_end] {
            monitor.check()?;
            match cues.ids[cue as usize] {
                NONE => {
                    sink.cue(cues.vocab.name(cue).unwrap_or_default())?;
                    cues.ids[cue as usize] = sink.last_cue().unwrap_or(NONE);
                }
                known => sink.cue_again(known)?,
            }
        }
        monitor.check()?;
        for &outcome in &ids[cues_end..end] {
            match outcomes.ids[outcome as usize] {
                NONE => {
                    sink.outcome(outcomes.vocab.name(outcome).unwrap_or_default())?;
                    outcomes.ids[outcome as usize] = sink.last_outcome().unwrap_or(NONE);
                }
                known => sink.outcome_again(known)?,
            }
        }
        sink.end_event(1)?;
        tokens[row] = sink.token().unwrap_or(NONE);
        Ok(())
    }

    /// Whether there is more than should be kept.
    pub(super) fn is_large(&self) -> bool {
        let size = self.words.text().len()
            + 32 * self.of_word.len()
            + self.cues.size()
            + self.outcomes.size()
            + self.cue_pieces.iter().chain(&self.outcome_pieces).map(Pieces::size).sum::<usize>()
            + 8 * (self.keys.len() + self.ids.len())
            + 32 * self.ends.len();
        size > BUDGET
    }

    /// Forgets everything, after the sink has taken it.
    pub(super) fn forget(&mut self, corpus: &Corpus) {
        let of_words = self.of_words.is_some().then(HashTable::new);
        *self = Self { of_words, ..Self::new(corpus, self.repeats) };
    }

    /// Forgets rows where they are not looked for, after the sink has taken them: nor is there any use in looking for them
    /// where the sink does not know them again.
    pub(super) fn forget_rows(&mut self, single: bool) {
        if !single && self.tokens.last().is_some_and(|&token| token == NONE) {
            self.of_words = None;
        }
        if self.of_words.is_none() {
            self.keys.clear();
            self.key_ends.clear();
            self.ids.clear();
            self.ends.clear();
            self.tokens.clear();
        }
    }
}

/// The words of a row, and behind them the place of the one in the middle.
fn key<'k>(keys: &'k [u32], ends: &[usize], row: u32) -> &'k [u32] {
    let row = row as usize;
    let start = if row == 0 { 0 } else { ends[row - 1] };
    &keys[start..ends[row]]
}
