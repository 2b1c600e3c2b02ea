//! Running text: every word is an event, in the order of the text.
//!
//! ```text
//! text -> Words (lower case, symbols) -> word -> Grams -> cues, with the word as the outcome
//! ```
//!
//! The two steps know nothing of each other, so that events of several words, lines or sentences are a matter of what
//! lies between them.

use std::iter::once;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::text::EventSink;
use crate::text::seen::Seen;
use crate::text::source::{MAX_PIECE, Source, read_ahead};
pub use crate::text::symbols::Symbols;

/// How running text becomes events: what a word is, and what its cues are. Its outcome is the word itself.
///
/// Words are separated by Unicode white space, by `_` (which joins names in event tables), by the characters of
/// `boundary` (which would be taken for boundaries) and by whatever is not in `symbols`. Lower-casing is that of
/// Unicode, with its final sigma, and comes before all of this.
///
/// ```
/// use rescorla::error::Result;
/// use rescorla::text::EventSink;
/// use rescorla::text::corpus::{Corpus, Grams};
///
/// struct Table(String);
///
/// impl EventSink for Table {
///     fn cue(&mut self, name: &str) -> Result<()> {
///         self.0 += &format!("{name} ");
///         Ok(())
///     }
///     fn outcome(&mut self, name: &str) -> Result<()> {
///         self.0 += &format!("-> {name}\n");
///         Ok(())
///     }
///     fn end_event(&mut self, _frequency: u64) -> Result<()> {
///         Ok(())
///     }
/// }
///
/// let corpus = Corpus {
///     grams: Grams::Letters(3.try_into()?),
///     symbols: Some("a-z".parse()?),
///     lower: true,
///     boundary: "#".to_owned(),
/// };
/// let mut table = Table(String::new());
/// corpus.push_line("On it!", &mut table)?;
/// assert_eq!(table.0, "#on on# -> on\n#it it# -> it\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corpus {
    /// The cues of a word.
    pub grams: Grams,
    /// The characters of words; without, all that separate nothing.
    pub symbols: Option<Symbols>,
    /// Whether to lower-case the text.
    pub lower: bool,
    /// What is put before and after a word, for letter n-grams with n >= 2.
    pub boundary: String,
}

/// The cues of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grams {
    /// The word itself.
    Words,
    /// Its n-grams of letters (code points), boundaries included; for n = 1 the letters alone. None for a word that is
    /// shorter than n with its boundaries.
    Letters(NonZeroUsize),
}

impl Corpus {
    /// Pushes the events of a text file, plain, gzip or zstd, into a sink.
    ///
    /// Line breaks mean nothing but white space, and a line of any length is read in pieces. An empty file has no events.
    ///
    /// # Errors
    /// When the file cannot be read, is not UTF-8, runs on for 64 MiB without white space, or the sink refuses. Defects
    /// name the file, the line and the byte column.
    pub fn read<S: EventSink + ?Sized>(&self, path: &Path, sink: &mut S, monitor: &Monitor) -> Result<()> {
        read_ahead(path, monitor, |source| self.read_from(source, sink, monitor))
            .map_err(|error| error.at(Some(path), None))
    }

    fn read_from<S: EventSink + ?Sized>(
        &self,
        source: &mut Source<'_>,
        sink: &mut S,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut words = Words::new(self);
        let mut frame = String::new();
        let mut seen = Seen::default();
        while let Some(block) = source.piece(MAX_PIECE, last_space)? {
            let push = |word: &str| {
                monitor.check()?;
                if !seen.again(word.as_bytes(), sink)? {
                    self.push_word(word, &mut frame, sink, monitor)?;
                    seen.keep(word.as_bytes(), 1, sink);
                }
                Ok(())
            };
            words
                .each(block.text()?, push)
                .map_err(|(offset, error)| error.at(None, Some(block.place(offset))))?;
        }
        Ok(())
    }

    /// Pushes the events of a text in memory, which ends with a whole word, into a sink.
    ///
    /// # Errors
    /// When the sink refuses; the caller knows the place.
    pub fn push_line<S: EventSink + ?Sized>(&self, line: &str, sink: &mut S) -> Result<()> {
        let (mut frame, monitor) = (String::new(), Monitor::new());
        let push = |word: &str| self.push_word(word, &mut frame, sink, &monitor);
        Words::new(self).each(line, push).map_err(|(_, error)| error)
    }

    fn push_word<S: EventSink + ?Sized>(
        &self,
        word: &str,
        frame: &mut String,
        sink: &mut S,
        monitor: &Monitor,
    ) -> Result<()> {
        match self.grams {
            Grams::Words => sink.cue(word)?,
            Grams::Letters(n) => {
                frame.clear();
                let boundary = if n.get() == 1 { "" } else { &self.boundary };
                frame.extend([boundary, word, boundary]);
                for gram in letter_grams(frame, n) {
                    monitor.check()?;
                    sink.cue(gram)?;
                }
            }
        }
        monitor.check()?;
        sink.outcome(word)?;
        sink.end_event(1)
    }
}

/// Finds the words of a text.
struct Words<'c> {
    corpus: &'c Corpus,
    /// Whether an ASCII character separates words.
    ascii: [bool; 128],
    lowered: String,
}

impl<'c> Words<'c> {
    fn new(corpus: &'c Corpus) -> Self {
        let ascii = std::array::from_fn(|c| u8::try_from(c).is_ok_and(|c| separates(corpus, char::from(c))));
        Words { corpus, ascii, lowered: String::new() }
    }

    /// Calls `push` with every word. An error comes with the offset of its word.
    ///
    /// The text is lower-cased in runs between white space, across which no letter has an effect on another's case.
    fn each(
        &mut self,
        text: &str,
        mut push: impl FnMut(&str) -> Result<()>,
    ) -> std::result::Result<(), (usize, Error)> {
        let Self { corpus, ascii, lowered } = self;
        let is_separator = |c: char| match ascii.get(c as usize) {
            Some(&known) => known,
            None => separates(corpus, c),
        };
        for run in text.split_ascii_whitespace() {
            let cased = if corpus.lower { lower(run, lowered) } else { run };
            for word in cased.split(is_separator).filter(|word| !word.is_empty()) {
                push(word).map_err(|error| {
                    let offset = offset_of(word, cased);
                    let offset = if corpus.lower { before_lowering(run, offset) } else { offset };
                    (offset_of(run, text) + offset, error)
                })?;
            }
        }
        Ok(())
    }
}

fn separates(corpus: &Corpus, c: char) -> bool {
    c.is_whitespace()
        || c == '_'
        || corpus.boundary.contains(c)
        || corpus.symbols.as_ref().is_some_and(|symbols| !symbols.contains(c))
}

/// Lower-cases into a buffer that is used again.
fn lower<'l>(text: &str, lowered: &'l mut String) -> &'l str {
    lowered.clear();
    if text.is_ascii() {
        lowered.push_str(text);
        lowered.make_ascii_lowercase();
    } else if text.contains('Σ') {
        // The only letter whose lower case depends on its neighbours.
        lowered.push_str(&text.to_lowercase());
    } else {
        lowered.extend(text.chars().flat_map(char::to_lowercase));
    }
    lowered
}

/// The offset in a text of what has the given offset in its lower case, which may be longer or shorter.
fn before_lowering(text: &str, offset: usize) -> usize {
    let mut lowered = 0;
    let mut wanted = text.char_indices().filter(|(_, c)| {
        let here = lowered;
        lowered += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        here >= offset
    });
    wanted.next().map_or(text.len(), |(at, _)| at)
}

/// The offset of a part of a text in it.
fn offset_of(part: &str, whole: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

/// All runs of n code points.
fn letter_grams(text: &str, n: NonZeroUsize) -> impl Iterator<Item = &str> {
    let starts = text.char_indices().map(|(start, _)| start);
    let ends = starts.clone().chain(once(text.len())).skip(n.get());
    starts.zip(ends).map(|(start, end)| &text[start..end])
}

/// The end of the last white space, where a text can be cut without cutting a word.
fn last_space(pending: &[u8]) -> Option<usize> {
    let ascii = pending.iter().rposition(u8::is_ascii_whitespace).map(|at| at + 1);
    ascii.or_else(|| {
        let text = pending.utf8_chunks().next()?.valid();
        text.char_indices().rfind(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8())
    })
}
