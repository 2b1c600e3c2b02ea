//! Pieces: the names that each word gives by itself, and those that two neighbours give together.
//!
//! ```text
//! #in#the#    of in:  #in in#    of in and the:  n#t    of the:  #th the he#
//! ```
//!
//! So the names of an event are put together from lists that are made once, where n-grams are so short that none
//! reaches over three words: it would hold a whole word of one letter or more, two boundaries, and a letter on either
//! side. Longer n-grams, and letters that may grow together where words meet, are made anew for every event.

use std::hash::BuildHasher;
use std::num::NonZeroUsize;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::corpus::{Corpus, Letters, Names};
use super::named::{Named, OURS};
use super::names;
use super::rows::Row;
use crate::error::Result;
use crate::vocab::Vocab;

/// A list of names in `Pieces::ids`: where it begins and ends. The beginning has the mark [`OURS`] as long as names of the
/// list may have numbers of ours that the sink has numbers for.
type List = (u32, u32);

/// Not made yet.
const NONE: List = (u32::MAX, u32::MAX);

/// The lists of one kind of names.
pub(super) struct Pieces {
    names: Names,
    how: How,
    ids: Vec<u32>,
    /// What each word gives.
    of_word: Vec<List>,
}

/// How the names of an event come from those of its words.
enum How {
    /// One list after another.
    Apart,
    /// With lists of neighbours in between.
    Joined(Joints),
    /// They are made from all words at once.
    Together,
}

/// What words give with their neighbours: n-grams that hold the boundary between them, and a letter on either side.
struct Joints {
    /// How many letters of a word such an n-gram can hold; with the boundary at its other end.
    reach: usize,
    /// Beginnings and ends of words.
    edges: Vocab,
    /// The end and the beginning of each word, by their numbers.
    of_word: Vec<(u32, u32)>,
    /// By the end of a word and the beginning of the next.
    lists: HashTable<((u32, u32), List)>,
    hasher: DefaultHashBuilder,
}

impl Pieces {
    pub(super) fn new(names: &Names, corpus: &Corpus) -> Self {
        let boundary = corpus.boundary.chars().count();
        let how = match *names {
            Names::Letters(n) if n.get() > 1 && corpus.across => {
                // No n-gram lies within a boundary, none holds a word and the boundaries about it and more on both sides.
                let is_short = boundary < n.get() && n.get() <= 2 * boundary + 2;
                if is_short && corpus.letters == Letters::CodePoints {
                    How::Joined(Joints::new((n.get() - 1).saturating_sub(boundary)))
                } else {
                    How::Together
                }
            }
            Names::Words | Names::Letters(_) | Names::Looked(_) => How::Apart,
        };
        Self { names: names.clone(), how, ids: Vec::new(), of_word: Vec::new() }
    }

    /// Appends to a row the names that some words give, one beside the other. Whether all have the sink's numbers.
    pub(super) fn push(
        &mut self,
        side: &[u32],
        words: &Vocab,
        corpus: &Corpus,
        named: &mut Named,
        row: &mut Row<'_>,
    ) -> Result<bool> {
        if matches!(self.how, How::Together) {
            return self.together(side, words, corpus, named, row);
        }
        let mut known = true;
        for (i, &word) in side.iter().enumerate() {
            if i > 0
                && let How::Joined(joints) = &mut self.how
                && let Names::Letters(n) = self.names
            {
                let list =
                    joints.list((side[i - 1], word), words, corpus, n, row.frame, &mut self.ids, named)?;
                known &= list.0 & OURS == 0;
                named.append(slice(&self.ids, list), row.number, row.distinct, row.ids);
            }
            let mut list = self.of_word.get(word as usize).copied().unwrap_or(NONE);
            if list.0 & OURS != 0 {
                list = self.make(word, words, corpus, row.frame, named)?;
                known &= list.0 & OURS == 0;
            }
            named.append(slice(&self.ids, list), row.number, row.distinct, row.ids);
        }
        Ok(known)
    }

    /// The names that all words give at once.
    fn together(
        &mut self,
        side: &[u32],
        words: &Vocab,
        corpus: &Corpus,
        named: &mut Named,
        row: &mut Row<'_>,
    ) -> Result<bool> {
        let texts: Vec<&str> = side.iter().map(|&word| word_of(words, word)).collect();
        let mut known = true;
        names::each(&self.names, &texts, corpus, row.frame, |name| {
            let id = named.intern(name)?;
            known &= id & OURS == 0;
            named.append(&[id], row.number, row.distinct, row.ids);
            Ok(())
        })?;
        Ok(known)
    }

    /// Makes the list of a word, or looks for numbers of the sink in it.
    fn make(
        &mut self,
        word: u32,
        words: &Vocab,
        corpus: &Corpus,
        frame: &mut String,
        named: &mut Named,
    ) -> Result<List> {
        if self.of_word.len() <= word as usize {
            self.of_word.resize(word as usize + 1, NONE);
        }
        if self.of_word[word as usize] == NONE {
            let start = self.ids.len() as u32;
            names::each(&self.names, &[word_of(words, word)], corpus, frame, |name| {
                self.ids.push(named.intern(name)?);
                Ok(())
            })?;
            self.of_word[word as usize] = (start | OURS, self.ids.len() as u32);
        }
        let list = &mut self.of_word[word as usize];
        settle(list, &mut self.ids, named);
        Ok(*list)
    }

    /// Bytes of memory in use, about.
    pub(super) fn size(&self) -> usize {
        let joints = match &self.how {
            How::Joined(joints) => {
                joints.edges.text().len() + 40 * joints.lists.len() + 8 * joints.of_word.len()
            }
            How::Apart | How::Together => 0,
        };
        4 * self.ids.len() + 8 * self.of_word.len() + joints
    }
}

impl Joints {
    fn new(reach: usize) -> Self {
        Self {
            reach,
            edges: Vocab::new(),
            of_word: Vec::new(),
            lists: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The list of two words that follow each other.
    #[expect(clippy::too_many_arguments, reason = "what the pieces hold, and who gives numbers")]
    fn list(
        &mut self,
        (left, right): (u32, u32),
        words: &Vocab,
        corpus: &Corpus,
        n: NonZeroUsize,
        frame: &mut String,
        ids: &mut Vec<u32>,
        named: &mut Named,
    ) -> Result<List> {
        let ends = (self.edges_of(left, words, corpus)?.0, self.edges_of(right, words, corpus)?.1);
        let Self { lists, hasher, .. } = self;
        let hash = hasher.hash_one(ends);
        let found = lists.find(hash, |(known, _)| *known == ends).map(|(_, list)| *list);
        if let Some(list) = found.filter(|list| list.0 & OURS == 0) {
            return Ok(list);
        }
        if found.is_none() {
            let start = ids.len() as u32;
            // None lies within one word and its boundaries, since the end and the beginning are so short.
            let edge = |id| self.edges.name(id).unwrap_or_default();
            frame.clear();
            frame.extend([edge(ends.0), &corpus.boundary, edge(ends.1)]);
            names::letters(n, corpus.letters, frame, &mut |name| {
                ids.push(named.intern(name)?);
                Ok(())
            })?;
            let list = (start | OURS, ids.len() as u32);
            lists.insert_unique(hash, (ends, list), |(ends, _)| hasher.hash_one(ends));
        }
        let Some((_, list)) = lists.find_mut(hash, |(known, _)| *known == ends) else { return Ok(NONE) };
        settle(list, ids, named);
        Ok(*list)
    }

    /// The end and the beginning of a word, with the boundary where it is short.
    fn edges_of(&mut self, word: u32, words: &Vocab, corpus: &Corpus) -> Result<(u32, u32)> {
        if let Some(&known) = self.of_word.get(word as usize).filter(|known| **known != NONE) {
            return Ok(known);
        }
        let text = word_of(words, word);
        let framed: Vec<char> = corpus.boundary.chars().chain(text.chars()).collect();
        let end: String = framed[framed.len().saturating_sub(self.reach)..].iter().collect();
        let beginning: String = text.chars().chain(corpus.boundary.chars()).take(self.reach).collect();
        let edges = (self.edges.intern(&end)?, self.edges.intern(&beginning)?);
        if self.of_word.len() <= word as usize {
            self.of_word.resize(word as usize + 1, NONE);
        }
        self.of_word[word as usize] = edges;
        Ok(edges)
    }
}

/// Puts the sink's numbers into a list where there are any, and takes its mark away if no others are left.
fn settle(list: &mut List, ids: &mut [u32], named: &Named) {
    let start = list.0 & !OURS;
    let mut all = 0;
    for id in &mut ids[start as usize..list.1 as usize] {
        *id = named.known(*id);
        all |= *id;
    }
    list.0 = start | (all & OURS);
}

fn slice(ids: &[u32], list: List) -> &[u32] {
    &ids[(list.0 & !OURS) as usize..list.1 as usize]
}

fn word_of(words: &Vocab, word: u32) -> &str {
    words.name(word).unwrap_or_default()
}
