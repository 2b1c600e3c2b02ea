//! Pieces: the names that each word gives by itself, and those that two neighbours give together.
//!
//! ```text
//! #in#the#    of in:  #in in#    of in and the:  n#t    of the:  #th the he#
//! ```
//!
//! The names of a stretch of words are one list, and every event has a part of it. The list is joined from lists that are made
//! once, if n-grams are so short that none reaches over three words. (Such an n-gram would hold a whole word of one letter or
//! more, two boundaries, and a letter on either side.) Longer n-grams are made anew for every event, and so are n-grams of
//! letters that may combine where words meet.

use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::grams;
use super::joined::{Joined, List};
use super::names::Names;
use super::options::{Corpus, Letters, Window};
use crate::error::Result;
use crate::grow::{Grow, collected, room_in, spell};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

const PIECES: &str = "the names that words give";

const COVERED: &str = "the names of a context";

/// Words between two looks at the monitor.
const LOOK_EVERY: usize = 1 << 10;

/// The lists of one kind of names.
pub(super) struct Pieces {
    names: Names,
    how: How,
    lists: Joined,
    /// What each word gives by itself.
    of_word: Vec<Option<List>>,
    /// The names of a stretch of words, or of one event.
    joined: Joined,
    /// Where in `joined` the names of each word are, from the word `first` of the stretch on.
    spans: Vec<(usize, usize)>,
    first: usize,
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
    /// The list for each end of a word and beginning of the next word.
    lists: HashTable<((u32, u32), List)>,
    hasher: DefaultHashBuilder,
}

/// The text that names are made from.
pub(super) struct Text<'c> {
    pub(super) corpus: &'c Corpus,
    pub(super) monitor: &'c Monitor,
    pub(super) words: &'c Vocab,
    /// A buffer that is reused.
    pub(super) frame: &'c mut String,
}

impl Pieces {
    pub(super) fn new(names: &Names, corpus: &Corpus) -> Self {
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
        Self {
            names: names.clone(),
            how,
            lists: Joined::default(),
            of_word: Vec::new(),
            joined: Joined::default(),
            spans: Vec::new(),
            first: 0,
        }
    }

    /// Makes the names of the words at the places `used` of a stretch ready, and if `pairs`, those of neighbouring words, too.
    pub(super) fn cover(
        &mut self,
        words: &[u32],
        used: Range<usize>,
        pairs: bool,
        text: &mut Text<'_>,
        named: &mut Vocab,
    ) -> Result<()> {
        let Self { names, how, lists, of_word, joined, spans, first } = self;
        if matches!(how, How::Together) {
            return Ok(());
        }
        joined.clear();
        spans.clear();
        spans.make_room(used.len(), COVERED)?;
        *first = used.start;
        let mut before = None;
        for (n, &word) in words[used].iter().enumerate() {
            if n % LOOK_EVERY == 0 {
                text.monitor.check()?;
            }
            if let (How::Joined(joints), Some(before)) = (&mut *how, before) {
                let list = joints.list((before, word), text, lists, named)?;
                joined.append(lists, list)?;
            }
            let list = match of_word.get(word as usize) {
                Some(&Some(list)) => list,
                _ => made(names, word, of_word, lists, text, named)?,
            };
            let start = joined.len();
            joined.append(lists, list)?;
            spans.push((start, joined.len()));
            before = Some(word).filter(|_| pairs);
        }
        Ok(())
    }

    /// The names that some neighbouring words of the stretch give.
    #[inline(always)]
    pub(super) fn of(
        &mut self,
        stretch: &[u32],
        words: Range<usize>,
        text: &mut Text<'_>,
        named: &mut Vocab,
    ) -> Result<&[u32]> {
        if matches!(self.how, How::Together) {
            return self.together(&stretch[words], text, named);
        }
        let spans = &self.spans[words.start - self.first..words.end - self.first];
        let (start, end) = (spans.first().map_or(0, |span| span.0), spans.last().map_or(0, |span| span.1));
        Ok(&self.joined.ids()[start..end])
    }

    /// The names that some words give together, made at once.
    fn together(&mut self, words: &[u32], text: &mut Text<'_>, named: &mut Vocab) -> Result<&[u32]> {
        let Self { names, joined, .. } = self;
        joined.clear();
        let Text { corpus, monitor, .. } = *text;
        let said = words.iter().map(|&word| said(names, word, text.words, corpus));
        grams::each(names, &collected(said, COVERED)?, corpus, text.frame, |name| {
            monitor.check()?;
            joined.push(named.intern(name)?)
        })?;
        Ok(joined.ids())
    }

    /// About how many bytes of memory are in use.
    pub(super) fn size(&self) -> usize {
        let joints = match &self.how {
            How::Joined(joints) => {
                joints.edges.text().len() + 40 * joints.lists.len() + 12 * joints.of_word.len()
            }
            How::Apart | How::Together => 0,
        };
        4 * self.lists.len() + 12 * self.of_word.len() + joints
    }
}

/// Makes the list of a word.
fn made(
    names: &Names,
    word: u32,
    of_word: &mut Vec<Option<List>>,
    lists: &mut Joined,
    text: &mut Text<'_>,
    named: &mut Vocab,
) -> Result<List> {
    let at = word as usize;
    if of_word.len() <= at {
        of_word.grow_to(at + 1, None, PIECES)?;
    }
    let Text { corpus, words, .. } = *text;
    let said = grams::said(names, words.name(word).unwrap_or_default(), corpus);
    let list = lists
        .make(|push| grams::each(names, &[said], corpus, text.frame, |name| push(named.intern(name)?)))?;
    of_word[at] = Some(list);
    Ok(list)
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
        text: &mut Text<'_>,
        lists: &mut Joined,
        named: &mut Vocab,
    ) -> Result<List> {
        let ends = match (self.of_word.get(left as usize), self.of_word.get(right as usize)) {
            (Some(&Some((end, _))), Some(&Some((_, beginning)))) => (end, beginning),
            _ => (self.edges_of(left, text)?.0, self.edges_of(right, text)?.1),
        };
        let hash = hash(ends, &self.hasher);
        match self.lists.find(hash, |(known, _)| *known == ends) {
            Some((_, list)) => Ok(*list),
            None => self.make(ends, text, lists, named),
        }
    }

    /// Makes the list of an end and a beginning.
    fn make(
        &mut self,
        ends: (u32, u32),
        text: &mut Text<'_>,
        lists: &mut Joined,
        named: &mut Vocab,
    ) -> Result<List> {
        let Self { n, edges, lists: known, hasher, .. } = self;
        let edge = |id| edges.name(id).unwrap_or_default();
        let Text { corpus, frame, .. } = text;
        frame.clear();
        for part in [edge(ends.0), &corpus.boundary, edge(ends.1)] {
            spell(frame, part, PIECES)?;
        }
        // No n-gram lies within one word and its boundaries, because the end and the beginning are too short.
        let list = lists
            .make(|push| grams::letters(*n, corpus.letters, frame, &mut |name| push(named.intern(name)?)))?;
        let rehash = |(ends, _): &((u32, u32), List)| hash(*ends, hasher);
        room_in(known, rehash, PIECES)?;
        known.insert_unique(hash(ends, hasher), (ends, list), rehash);
        Ok(list)
    }

    /// The end and the beginning of a word, as `edges` has them.
    fn edges_of(&mut self, word: u32, text: &Text<'_>) -> Result<(u32, u32)> {
        let letters = said(&Names::Letters(self.n), word, text.words, text.corpus);
        let boundary = || text.corpus.boundary.chars();
        let framed = collected(boundary().chain(letters.chars()), PIECES)?;
        let end: String = framed[framed.len().saturating_sub(self.reach)..].iter().collect();
        let beginning: String = letters.chars().chain(boundary()).take(self.reach).collect();
        let edges = (self.edges.intern(&end)?, self.edges.intern(&beginning)?);
        if self.of_word.len() <= word as usize {
            self.of_word.grow_to(word as usize + 1, None, PIECES)?;
        }
        self.of_word[word as usize] = Some(edges);
        Ok(edges)
    }
}

fn hash((end, beginning): (u32, u32), hasher: &DefaultHashBuilder) -> u64 {
    hasher.hash_one(u64::from(end) << 32 | u64::from(beginning))
}

/// The part of a word's record that a kind of names is made of.
fn said<'w>(names: &Names, word: u32, words: &'w Vocab, corpus: &Corpus) -> &'w str {
    grams::said(names, words.name(word).unwrap_or_default(), corpus)
}
