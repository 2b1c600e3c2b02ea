//! Pieces: the names that each word gives by itself, and those that two neighbours give together.
//!
//! ```text
//! #in#the#    of in:  #in in#    of in and the:  n#t    of the:  #th the he#
//! ```
//!
//! Each list of names is made once, and an event is a row of lists, if n-grams are so short that none reaches over three words.
//! (Such an n-gram would hold a whole word of one letter or more, two boundaries, and a letter on either side.) Longer n-grams are
//! made anew for every event, and so are n-grams of letters that may combine where words meet.
//!
//! A list is made where the first event has it, so that names get the writer's ids in the order of events.

use std::hash::BuildHasher;
use std::num::NonZeroUsize;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::names::Names;
use super::options::{Corpus, Format, Letters, Window};
use super::{conllu, grams};
use crate::error::Result;
use crate::events::write::{EventWriter, Side};
use crate::memory::{Grow, collected, room_in, spell};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// The lists of one kind of names, in ids of the writer.
pub(super) struct Pieces {
    names: Names,
    /// Which of several kinds of names it is.
    kind: usize,
    how: How,
    lists: WordLists,
    /// What each word gives by itself.
    of_word: Vec<Option<List>>,
}

/// Lists of ids, one after another, each known by its place, so that finding one costs no look at where it ends.
#[derive(Default)]
struct WordLists(Vec<u32>);

#[derive(Clone, Copy)]
struct List {
    start: u32,
    end: u32,
}

impl WordLists {
    /// The ids of a list.
    #[inline]
    fn get(&self, list: List) -> &[u32] {
        &self.0[list.start as usize..list.end as usize]
    }

    /// The list of the ids from a place on, which were pushed last.
    fn from(&self, start: usize) -> List {
        // They fit: memory is exhausted long before 2^32 ids.
        List { start: start as u32, end: self.0.len() as u32 }
    }
}

/// How the names of an event come from those of its words.
enum How {
    /// One list after another.
    Apart,
    /// With lists of neighbours in between.
    Joined(Joints),
    /// Made from all words at once.
    Together,
}

/// What words give with their neighbours: n-grams that hold the boundary between them, and a letter on either side.
struct Joints {
    n: NonZeroUsize,
    /// How many letters on one side of the boundary such an n-gram can hold.
    reach: usize,
    /// Ends of words (of short ones, with the boundary before them) and beginnings (of short ones, with the boundary after them).
    edges: Vocab,
    /// The end and the beginning of each word, by their numbers.
    of_word: Vec<Option<(u32, u32)>>,
    /// What each end of a word and beginning of the next word give.
    lists: HashTable<((u32, u32), List)>,
    hasher: DefaultHashBuilder,
}

/// A cue that words give in two ways, as the word `ox` and the bigram `ox` of `box`.
#[derive(Default)]
pub(super) struct SharedCue {
    /// For each cue the kind of names that gave it first, from 1.
    kinds: Vec<u8>,
    /// The first that another kind gave, too.
    pub(super) name: Option<String>,
}

impl SharedCue {
    /// Notes that a kind of names gave a cue.
    fn note(&mut self, kind: usize, id: u32, name: &str) -> Result<()> {
        let (id, kind) = (id as usize, kind.min(254) as u8 + 1);
        if self.kinds.len() <= id {
            self.kinds.grow_to(id + 1, 0)?;
        }
        match self.kinds[id] {
            0 => self.kinds[id] = kind,
            known if known != kind && self.name.is_none() => self.name = Some(name.to_owned()),
            _ => {}
        }
        Ok(())
    }
}

/// The text that names are made from.
pub(super) struct Text<'c> {
    pub(super) corpus: &'c Corpus,
    pub(super) monitor: &'c Monitor,
    pub(super) words: &'c Vocab,
    /// A buffer that is reused.
    pub(super) frame: &'c mut String,
    /// Where there are several kinds of cues: a cue that two of them give.
    pub(super) shared: Option<&'c mut SharedCue>,
}

impl Pieces {
    pub(super) fn new(names: &Names, kind: usize, corpus: &Corpus) -> Self {
        let boundary = corpus.boundary.chars().count();
        let how = match *names {
            Names::Letters(n) if n.get() > 1 && corpus.across && corpus.window != Window::ONE => {
                // No n-gram lies within a boundary. None holds a word, the boundaries around it, and more on both sides.
                let is_short = boundary < n.get() && n.get() <= 2 * boundary + 2;
                if is_short && corpus.letters == Letters::CodePoints {
                    How::Joined(Joints::new(n, n.get() - 1 - boundary))
                } else {
                    How::Together
                }
            }
            _ => How::Apart,
        };
        Self { names: names.clone(), kind, how, lists: WordLists::default(), of_word: Vec::new() }
    }

    /// Gives a writer the names that some words of an event give, which follow each other.
    #[inline]
    pub(super) fn write(
        &mut self,
        words: &[u32],
        side: Side,
        text: &mut Text<'_>,
        writer: &mut EventWriter,
    ) -> Result<()> {
        if matches!(self.how, How::Together) {
            return self.write_together(words, side, text, writer);
        }
        let mut before = None;
        for &word in words {
            if let (How::Joined(joints), Some(before)) = (&mut self.how, before) {
                let list = joints.list((before, word), side, text, &mut self.lists, writer)?;
                writer.names(side, self.lists.get(list))?;
            }
            let list = match self.of_word.get(word as usize) {
                Some(&Some(list)) => list,
                _ => self.make(word, side, text, writer)?,
            };
            writer.names(side, self.lists.get(list))?;
            before = Some(word);
        }
        Ok(())
    }

    /// The same for names that are made at once from all words.
    fn write_together(
        &self,
        words: &[u32],
        side: Side,
        text: &mut Text<'_>,
        writer: &mut EventWriter,
    ) -> Result<()> {
        let monitor = text.monitor;
        let said = words.iter().map(|&word| said(&self.names, word, text));
        grams::each_name(&self.names, &collected(said)?, text.corpus, text.frame, |name| {
            monitor.check()?;
            writer.name(side, name)
        })
    }

    /// Makes the list of a word.
    fn make(&mut self, word: u32, side: Side, text: &mut Text<'_>, writer: &mut EventWriter) -> Result<List> {
        text.monitor.check()?;
        let Self { names, kind, lists, of_word, .. } = self;
        let said = said(names, word, text);
        let start = lists.0.len();
        let mut shared = text.shared.as_deref_mut().filter(|_| side == Side::Cue);
        let take = |name: &str| {
            let id = writer.id(side, name)?;
            if let Some(shared) = &mut shared {
                shared.note(*kind, id, name)?;
            }
            lists.0.grow(id)
        };
        grams::each_name(names, &[said], text.corpus, text.frame, take)?;
        let list = lists.from(start);
        let at = word as usize;
        if of_word.len() <= at {
            of_word.grow_to(at + 1, None)?;
        }
        of_word[at] = Some(list);
        Ok(list)
    }

    /// About how many bytes of memory are in use.
    pub(super) fn size(&self) -> usize {
        let joints = match &self.how {
            How::Joined(joints) => {
                joints.edges.text().len() + 40 * joints.lists.len() + 12 * joints.of_word.len()
            }
            How::Apart | How::Together => 0,
        };
        4 * self.lists.0.len() + 12 * self.of_word.len() + joints
    }
}

impl Joints {
    fn new(n: NonZeroUsize, reach: usize) -> Self {
        Self {
            n,
            reach,
            edges: Vocab::new(),
            of_word: Vec::new(),
            lists: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The list of two words that follow each other.
    #[inline]
    fn list(
        &mut self,
        (left, right): (u32, u32),
        side: Side,
        text: &mut Text<'_>,
        lists: &mut WordLists,
        writer: &mut EventWriter,
    ) -> Result<List> {
        let ends = match (self.of_word.get(left as usize), self.of_word.get(right as usize)) {
            (Some(&Some((end, _))), Some(&Some((_, beginning)))) => (end, beginning),
            _ => (self.edges_of(left, text)?.0, self.edges_of(right, text)?.1),
        };
        let hash = self.hasher.hash_one(ends);
        match self.lists.find(hash, |(known, _)| *known == ends) {
            Some((_, list)) => Ok(*list),
            None => self.make(ends, side, text, lists, writer),
        }
    }

    /// Makes the list of an end and a beginning.
    fn make(
        &mut self,
        ends: (u32, u32),
        side: Side,
        text: &mut Text<'_>,
        lists: &mut WordLists,
        writer: &mut EventWriter,
    ) -> Result<List> {
        let Self { n, edges, lists: known, hasher, .. } = self;
        let edge = |id| edges.name(id).unwrap_or_default();
        let Text { corpus, frame, .. } = text;
        frame.clear();
        for part in [edge(ends.0), &corpus.boundary, edge(ends.1)] {
            spell(frame, part)?;
        }
        // No n-gram lies within one word and its boundaries, because the end and the beginning are too short.
        let start = lists.0.len();
        let mut take = |name: &str| lists.0.grow(writer.id(side, name)?);
        grams::letters(*n, corpus.letters, frame, &mut take)?;
        let list = lists.from(start);
        let rehash = |(ends, _): &((u32, u32), List)| hasher.hash_one(ends);
        room_in(known, rehash)?;
        known.insert_unique(hasher.hash_one(ends), (ends, list), rehash);
        Ok(list)
    }

    /// The end and the beginning of a word, as `edges` has them.
    fn edges_of(&mut self, word: u32, text: &Text<'_>) -> Result<(u32, u32)> {
        let letters = said(&Names::Letters(self.n), word, text);
        let boundary = || text.corpus.boundary.chars();
        let framed = collected(boundary().chain(letters.chars()))?;
        let end: String = framed[framed.len().saturating_sub(self.reach)..].iter().collect();
        let beginning: String = letters.chars().chain(boundary()).take(self.reach).collect();
        let edges = (self.edges.intern(&end)?, self.edges.intern(&beginning)?);
        if self.of_word.len() <= word as usize {
            self.of_word.grow_to(word as usize + 1, None)?;
        }
        self.of_word[word as usize] = Some(edges);
        Ok(edges)
    }
}

/// The part of a word's record that a kind of names is made of: the whole record, or the word alone.
fn said<'t>(names: &Names, word: u32, text: &Text<'t>) -> &'t str {
    let record = text.words.name(word).unwrap_or_default();
    match (text.corpus.format, names) {
        (Format::Conllu, Names::Words | Names::Letters(_) | Names::Looked(_)) => conllu::form(record),
        _ => record,
    }
}
