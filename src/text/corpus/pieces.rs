//! Pieces: the names that each word gives by itself, and those that two neighbours give together.
//!
//! ```text
//! #in#the#    of in:  #in in#    of in and the:  n#t    of the:  #th the he#
//! ```
//!
//! The names of a context are one stream, of which every event has a part; a word's names are put into it once.
//! They are put together from lists that are made once, where n-grams are so short that none reaches over three words: it
//! would hold a whole word of one letter or more, two boundaries, and a letter on either side. Longer n-grams, and letters
//! that may grow together where words meet, are made anew for every event.

use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::lists::{Joined, List, Lists};
use super::named::{NONE, Named, OURS};
use super::names;
use super::{Corpus, Letters, Names};
use crate::error::Result;
use crate::grow::{Grow, collected, room_in, spell};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

const PIECES: &str = "the names that words give";

const COVERED: &str = "the names of a context";

/// The lists of one kind of names.
pub(super) struct Pieces {
    by_word: ByWord,
    how: How,
    stream: Stream,
    /// A stretch of words.
    covered: Covered,
}

/// What each word gives by itself.
///
/// Invariant: `singles` has the name of each word that gives one, as in its list; [`NONE`] in place of others.
struct ByWord {
    names: Names,
    lists: Lists,
    pieces: Vec<Option<Piece>>,
    singles: Vec<u32>,
}

/// The names of a stretch of words.
///
/// Invariant: `starts` and `ends` are the places in `joined` of the names of each word, up to the last that was wanted; there are
/// none where each word has one name.
#[derive(Default)]
pub(super) struct Covered {
    joined: Joined,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Covered {
    /// The names of some words of the stretch.
    #[inline(always)]
    pub(super) fn words(&self, words: Range<usize>) -> &[u32] {
        &self.names()[self.span(words)]
    }

    /// Where in [`Covered::names`] those of some words are.
    #[inline(always)]
    pub(super) fn span(&self, words: Range<usize>) -> Range<usize> {
        let Self { starts, ends, .. } = self;
        if words.is_empty() {
            return 0..0;
        }
        if starts.is_empty() { words } else { starts[words.start]..ends[words.end - 1] }
    }

    /// The names of all words, one behind another, and those of neighbours in between.
    pub(super) fn names(&self) -> &[u32] {
        self.joined.ids()
    }

    /// The names of all words, if each has one.
    #[inline]
    pub(super) fn ones(&self) -> Option<&[u32]> {
        self.starts.is_empty().then(|| self.joined.ids())
    }

    fn clear(&mut self) {
        self.joined.clear();
        self.starts.clear();
        self.ends.clear();
    }
}

/// The names of words that follow each other in a context.
///
/// Invariant: `spans` are the places in `joined` of the names of each word from the word `base` of the context on, and
/// of how many words, up to and with it, all names are in the sink's numbers, those with the word before among them.
#[derive(Default)]
struct Stream {
    joined: Joined,
    base: usize,
    spans: Vec<(usize, usize, usize)>,
}

/// So many words of a stream are held before those that no event will see again are forgotten.
const HELD: usize = 1 << 10;

/// A list of names.
#[derive(Debug, Clone, Copy)]
struct Piece {
    list: List,
    /// Whether all its names are in the sink's numbers.
    known: bool,
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
    n: NonZeroUsize,
    /// How many letters on one side of the boundary such an n-gram can hold.
    reach: usize,
    /// Ends and beginnings of words, with the boundary on their other side.
    edges: Vocab,
    /// The end and the beginning of each word, by their numbers.
    of_word: Vec<Option<(u32, u32)>>,
    /// By the end of a word and the beginning of the next.
    pieces: HashTable<((u32, u32), Piece)>,
    hasher: DefaultHashBuilder,
}

/// The text about which pieces are asked.
pub(super) struct Context<'c> {
    pub(super) corpus: &'c Corpus,
    /// Polled once a word: a context may have millions.
    pub(super) monitor: &'c Monitor,
    pub(super) words: &'c Vocab,
    /// A buffer that is used again.
    pub(super) frame: &'c mut String,
}

impl Pieces {
    pub(super) fn new(names: &Names, corpus: &Corpus) -> Self {
        let boundary = corpus.boundary.chars().count();
        let how = match *names {
            Names::Letters(n) if n.get() > 1 && corpus.across => {
                // No n-gram lies within a boundary, none holds a word and the boundaries about it and more on both sides.
                let is_short = boundary < n.get() && n.get() <= 2 * boundary + 2;
                if is_short && corpus.letters == Letters::CodePoints {
                    How::Joined(Joints::new(n, n.get() - 1 - boundary))
                } else {
                    How::Together
                }
            }
            _ => How::Apart,
        };
        let (lists, pieces, singles) = (Lists::default(), Vec::new(), Vec::new());
        Self {
            by_word: ByWord { names: names.clone(), lists, pieces, singles },
            how,
            stream: Stream::default(),
            covered: Covered::default(),
        }
    }

    /// Whether names are put together from lists of words and neighbours.
    pub(super) fn has_lists(&self) -> bool {
        !matches!(self.how, How::Together)
    }

    /// Gets the names of a stretch of words ready, of those at the places in `used`; those of `pairs` of words too, if asked for.
    /// Puts into `strange` the places of words of which not all names, those with the word before among them, are in the sink's
    /// numbers.
    pub(super) fn cover(
        &mut self,
        words: &[u32],
        (used, pairs): (Range<usize>, bool),
        context: &mut Context<'_>,
        named: &mut Named,
        strange: &mut Vec<usize>,
    ) -> Result<()> {
        let Self { by_word, how, covered, .. } = self;
        covered.clear();
        if matches!(how, How::Apart)
            && by_word.cover(words, used.clone(), context, named, strange, covered)?
        {
            return Ok(());
        }
        covered.clear();
        let Covered { joined, starts, ends } = covered;
        starts.make_room(words.len(), COVERED)?;
        ends.make_room(words.len(), COVERED)?;
        strange.make_room(words.len(), COVERED)?;
        starts.resize(used.start, 0);
        ends.resize(used.start, 0);
        let mut before = None;
        for at in used {
            let word = words[at];
            let mut known = true;
            if let (How::Joined(joints), Some(before)) = (&mut *how, before) {
                let piece = joints.piece((before, word), context, &mut by_word.lists, named)?;
                joined.append(&by_word.lists, piece.list)?;
                known = piece.known;
            }
            let piece = by_word.piece(word, context, named)?;
            starts.push(joined.len());
            joined.append(&by_word.lists, piece.list)?;
            ends.push(joined.len());
            if !(known && piece.known) {
                strange.push(at);
            }
            before = Some(word).filter(|_| pairs);
        }
        Ok(())
    }

    /// The names of the stretch that is covered.
    pub(super) fn covered(&self) -> &Covered {
        &self.covered
    }

    /// The names that some words give, one beside the other, the first of them at a place of the context; and whether all
    /// are in the sink's numbers.
    pub(super) fn of(
        &mut self,
        side: &[u32],
        place: usize,
        context: &mut Context<'_>,
        named: &mut Named,
    ) -> Result<(&[u32], bool)> {
        if side.is_empty() {
            return Ok((&[], true));
        }
        if matches!(self.how, How::Together) {
            self.stream.clear();
            let known = self.together(side, context, named)?;
            return Ok((self.stream.joined.ids(), known));
        }
        if let &[word] = side {
            let piece = self.by_word.piece(word, context, named)?;
            return Ok((self.by_word.lists.get(piece.list), piece.known));
        }
        let Stream { base, spans, .. } = &self.stream;
        let mut end = base + spans.len();
        // The next word can only be put behind one that is known here.
        if place < *base
            || place > end
            || (place == end && !spans.is_empty())
            || spans.len() > HELD.max(side.len())
        {
            self.stream.clear();
            self.stream.base = place;
            end = place;
        }
        for at in end..place + side.len() {
            context.monitor.check()?;
            let i = at - place;
            self.extend((i > 0).then(|| side[i - 1]), side[i], context, named)?;
        }
        let spans = &self.stream.spans[place - self.stream.base..][..side.len()];
        let ((start, ..), (_, end, known)) = (spans[0], spans[spans.len() - 1]);
        Ok((&self.stream.joined.ids()[start..end], known >= side.len()))
    }

    /// Puts the names of the next word into the stream, behind those it gives with the word before.
    fn extend(
        &mut self,
        before: Option<u32>,
        word: u32,
        context: &mut Context<'_>,
        named: &mut Named,
    ) -> Result<()> {
        let mut known = true;
        if let (How::Joined(joints), Some(before)) = (&mut self.how, before) {
            let piece = joints.piece((before, word), context, &mut self.by_word.lists, named)?;
            self.stream.joined.append(&self.by_word.lists, piece.list)?;
            known = piece.known;
        }
        let piece = self.by_word.piece(word, context, named)?;
        let Stream { joined, spans, .. } = &mut self.stream;
        let start = joined.len();
        joined.append(&self.by_word.lists, piece.list)?;
        let before = spans.last().map_or(0, |&(.., known)| known);
        spans.grow((start, joined.len(), if known && piece.known { before + 1 } else { 0 }), COVERED)
    }

    /// Forgets the context, or the numbers that its names had.
    pub(super) fn forget_stream(&mut self) {
        self.stream.clear();
    }

    /// The names that all words give at once.
    fn together(&mut self, side: &[u32], context: &mut Context<'_>, named: &mut Named) -> Result<bool> {
        let words = side.iter().map(|&word| said(&self.by_word.names, word, context.words, context.corpus));
        let words = collected(words, COVERED)?;
        let mut known = true;
        names::each(&self.by_word.names, &words, context.corpus, context.frame, |name| {
            context.monitor.check()?;
            let id = named.intern(name)?;
            known &= id & OURS == 0;
            self.stream.joined.push(id)
        })?;
        Ok(known)
    }

    /// Bytes of memory in use, about.
    pub(super) fn size(&self) -> usize {
        let joints = match &self.how {
            How::Joined(joints) => {
                joints.edges.text().len() + 40 * joints.pieces.len() + 12 * joints.of_word.len()
            }
            How::Apart | How::Together => 0,
        };
        let ByWord { lists, pieces, singles, .. } = &self.by_word;
        4 * (lists.len() + singles.len()) + 12 * pieces.len() + joints
    }
}

impl ByWord {
    /// What a word gives.
    #[inline]
    fn piece(&mut self, word: u32, context: &mut Context<'_>, named: &mut Named) -> Result<Piece> {
        match self.pieces.get(word as usize) {
            Some(&Some(piece)) if piece.known => Ok(piece),
            _ => self.settle(word, context, named),
        }
    }

    /// What a word gives, in the sink's numbers wherever there are any; its list is made if it is not there.
    fn settle(&mut self, word: u32, context: &mut Context<'_>, named: &mut Named) -> Result<Piece> {
        let Self { names, lists, pieces, singles } = self;
        let at = word as usize;
        if pieces.len() <= at {
            pieces.grow_to(at + 1, None, PIECES)?;
            singles.grow_to(at + 1, NONE, PIECES)?;
        }
        let list = match pieces[at] {
            Some(piece) => piece.list,
            None => {
                let words = [said(names, word, context.words, context.corpus)];
                lists.make(|push| {
                    names::each(names, &words, context.corpus, context.frame, |name| {
                        push(named.intern(name)?)
                    })
                })?
            }
        };
        let piece = settled(list, lists, named);
        pieces[at] = Some(piece);
        if let &[name] = lists.get(list) {
            singles[at] = name;
        }
        Ok(piece)
    }

    /// Covers words of which each gives one name. Whether they do.
    fn cover(
        &mut self,
        words: &[u32],
        used: Range<usize>,
        context: &mut Context<'_>,
        named: &mut Named,
        strange: &mut Vec<usize>,
        covered: &mut Covered,
    ) -> Result<bool> {
        let joined = &mut covered.joined;
        let mut all = 0;
        joined.extend(words.iter().map(|&word| {
            let name = self.singles.get(word as usize).copied().unwrap_or(NONE);
            all |= name;
            name
        }))?;
        if all & OURS == 0 {
            return Ok(true);
        }
        let n_strange = strange.len();
        strange.make_room(words.len(), COVERED)?;
        for at in used {
            if joined.ids()[at] & OURS == 0 {
                continue;
            }
            let piece = self.piece(words[at], context, named)?;
            let &[name] = self.lists.get(piece.list) else {
                strange.truncate(n_strange);
                return Ok(false);
            };
            joined.ids_mut()[at] = name;
            if !piece.known {
                strange.push(at);
            }
        }
        Ok(true)
    }
}

impl Joints {
    fn new(n: NonZeroUsize, reach: usize) -> Self {
        Self {
            n,
            reach,
            edges: Vocab::new(),
            of_word: Vec::new(),
            pieces: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The list of two words that follow each other.
    #[inline]
    fn piece(
        &mut self,
        (left, right): (u32, u32),
        context: &mut Context<'_>,
        lists: &mut Lists,
        named: &mut Named,
    ) -> Result<Piece> {
        let ends = match (self.of_word.get(left as usize), self.of_word.get(right as usize)) {
            (Some(&Some((end, _))), Some(&Some((_, beginning)))) => (end, beginning),
            _ => (self.edges_of(left, context)?.0, self.edges_of(right, context)?.1),
        };
        let hash = self.hasher.hash_one(u64::from(ends.0) << 32 | u64::from(ends.1));
        match self.pieces.find(hash, |(known, _)| *known == ends) {
            Some((_, piece)) if piece.known => Ok(*piece),
            _ => self.make(ends, hash, context, lists, named),
        }
    }

    /// Makes the list of an end and a beginning, or looks for the sink's numbers for it.
    fn make(
        &mut self,
        ends: (u32, u32),
        hash: u64,
        context: &mut Context<'_>,
        lists: &mut Lists,
        named: &mut Named,
    ) -> Result<Piece> {
        let Self { n, edges, pieces, hasher, .. } = self;
        if let Some((_, piece)) = pieces.find_mut(hash, |(known, _)| *known == ends) {
            *piece = settled(piece.list, lists, named);
            return Ok(*piece);
        }
        let edge = |id| edges.name(id).unwrap_or_default();
        let Context { corpus, frame, .. } = context;
        frame.clear();
        for part in [edge(ends.0), &corpus.boundary, edge(ends.1)] {
            spell(frame, part, PIECES)?;
        }
        // None lies within one word and its boundaries, since the end and the beginning are so short.
        let list = lists
            .make(|push| names::letters(*n, corpus.letters, frame, &mut |name| push(named.intern(name)?)))?;
        let piece = settled(list, lists, named);
        let rehash = |((end, beginning), _): &((u32, u32), Piece)| {
            hasher.hash_one(u64::from(*end) << 32 | u64::from(*beginning))
        };
        room_in(pieces, rehash, PIECES)?;
        pieces.insert_unique(hash, (ends, piece), rehash);
        Ok(piece)
    }

    /// The end and the beginning of a word, with the boundary where it is short.
    fn edges_of(&mut self, word: u32, context: &Context<'_>) -> Result<(u32, u32)> {
        let text = said(&Names::Letters(self.n), word, context.words, context.corpus);
        let boundary = || context.corpus.boundary.chars();
        let framed = collected(boundary().chain(text.chars()), PIECES)?;
        let end: String = framed[framed.len().saturating_sub(self.reach)..].iter().collect();
        let beginning: String = text.chars().chain(boundary()).take(self.reach).collect();
        let edges = (self.edges.intern(&end)?, self.edges.intern(&beginning)?);
        if self.of_word.len() <= word as usize {
            self.of_word.grow_to(word as usize + 1, None, PIECES)?;
        }
        self.of_word[word as usize] = Some(edges);
        Ok(edges)
    }
}

/// What the text says of a word, for names of some kind.
fn said<'w>(names: &Names, word: u32, words: &'w Vocab, corpus: &Corpus) -> &'w str {
    names::said(names, words.name(word).unwrap_or_default(), corpus)
}

impl Stream {
    fn clear(&mut self) {
        self.joined.clear();
        self.spans.clear();
    }
}

/// A list with the sink's numbers wherever there are any.
fn settled(list: List, lists: &mut Lists, named: &Named) -> Piece {
    let mut all = 0;
    for id in lists.get_mut(list) {
        *id = named.known(*id);
        all |= *id;
    }
    Piece { list, known: all & OURS == 0 }
}
