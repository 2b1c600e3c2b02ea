//! Running text: words within contexts, and the events that they make.
//!
//! ```text
//! files -> Blocks -> Reader: runs -> Words -> Windows -> Rows -> EventSink
//!                    Reader   (one a thread)       in turns
//! ```
//!
//! The text comes in blocks. Each thread reads a block into events in numbers of its own, and when it is the block's turn
//! the sink takes them. Events that reach over the beginning of a block are made in between, by a reader that sees only
//! the text about it. So what comes of a text depends neither on the number of threads nor on where blocks end.

mod blocks;
mod column;
mod conllu;
mod lines;
mod lists;
mod met;
mod names;
mod pieces;
mod reader;
mod rows;
mod runs;
mod symbols;
mod turns;
mod windows;
mod words;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::error::{Error, Place, Result};
use crate::events::sink::EventSink;
use crate::monitor::Monitor;
use crate::text::source::length_of;
use crate::threads::sensible;
use crate::vocab::Vocab;
use blocks::{Block, Blocks};
pub use lines::Lines;
pub use met::Met;
pub use names::{Lookup, Names, Table, Unknown};
use reader::Reader;
pub use symbols::{Allowed, Ask, Symbols};
use turns::Turns;

/// How running text becomes events.
///
/// Words are separated by Unicode white space, by `_` (which joins names in event tables), by the characters of
/// `boundary` (which would be taken for boundaries) and by whatever is not in `symbols`. The order: marks of documents,
/// normal form, lower case (that of Unicode, with its final sigma), ends of sentences, words.
///
/// ```
/// use rescorla::error::Result;
/// use rescorla::monitor::Monitor;
/// use rescorla::events::sink::EventSink;
/// use rescorla::text::corpus::{Corpus, Lines, Names};
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
/// let corpus = Corpus { symbols: Some("a-z".parse()?), ..Corpus::default() };
/// let mut table = Table(String::new());
/// let monitor = Monitor::new();
/// let mut lines = Lines::new(&corpus, &table, &monitor)?;
/// lines.line("On it!", &mut table)?;
/// lines.finish(&mut table)?;
/// assert_eq!(table.0, "#on on# -> on\n#it it# -> it\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The cues of an event.
    pub cues: Vec<Names>,
    /// Its outcomes.
    pub outcomes: Vec<Names>,
    /// Which words make an event.
    pub window: Window,
    /// What an event does not reach beyond.
    pub context: Context,
    /// Whether n-grams run across the words of an event, joined by the boundary, or stay within each word.
    pub across: bool,
    /// What counts as a letter of an n-gram.
    pub letters: Letters,
    /// The characters of words; without, all that separate nothing.
    pub symbols: Option<Allowed>,
    /// Whether to lower-case the text.
    pub lower: bool,
    /// The normal form to bring the text into.
    pub normalize: Option<Normal>,
    /// What is put before, between and behind words, for n-grams with n >= 2.
    pub boundary: String,
    /// Words that are taken out of the text.
    pub stop_words: Vocab,
    /// If given, the only words that are not.
    pub vocabulary: Option<Vocab>,
    /// The characters that end sentences.
    pub sentence_end: String,
    /// What the files hold.
    pub format: Format,
    /// What ends a document within a file, as it stands here, in lower or upper case; may be empty.
    pub document_end: String,
    /// What came up in the texts that were read.
    pub met: Arc<Met>,
}

/// Which words of a context make an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Up to so many consecutive words: the events grow at the beginning of a context and shrink at its end. All words
    /// give cues and outcomes.
    Words(NonZeroUsize),
    /// A word, which gives the outcomes, and up to so many words before and after it, which give the cues. A word without
    /// neighbours is no event.
    Around {
        /// How many words before it.
        before: usize,
        /// How many behind it.
        after: usize,
    },
    /// All words of the context, if there are any.
    Context,
}

impl Window {
    /// Every word is an event.
    pub const ONE: Window = Window::Words(NonZeroUsize::MIN);
}

/// What an event does not reach beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// A line.
    Line,
    /// A sentence: up to a character that ends one, followed by closing quotes and brackets alone in its run of
    /// characters without white space (a character that is not ASCII ends one whatever follows); or a paragraph's end.
    Sentence,
    /// What is between empty lines.
    Paragraph,
    /// A file, or what is between marks of a document's end in it.
    Document,
}

/// What files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Running text.
    Text,
    /// OpenSubtitles' XML.
    Subtitles,
    /// CoNLL-U: words that are found already, with lemmas, parts of speech and features. Each sentence is a line, too. A word
    /// with a character that is not in `symbols` is left out.
    Conllu,
}

/// What counts as a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// A Unicode code point.
    CodePoints,
    /// An extended grapheme cluster (UAX 29): what readers take for one character.
    Graphemes,
}

/// A normal form of Unicode (UAX 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normal {
    /// Composed.
    Nfc,
    /// Decomposed.
    Nfd,
    /// Composed, compatible characters made one.
    Nfkc,
    /// Decomposed, compatible characters made one.
    Nfkd,
}

/// How the work is shared out; the result does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// How many threads read, 1 or more.
    pub threads: usize,
    /// How many bytes of text a thread reads at a time.
    pub block: usize,
}

impl Default for Load {
    fn default() -> Self {
        Load { threads: 1, block: BLOCK }
    }
}

/// How many bytes of text a thread reads at a time, if events are short.
const BLOCK: usize = 1 << 18;

/// And at least, if they are long.
const LEAST: usize = 1 << 13;

/// Events of so many words are long: those of a block take more memory than all else.
const LONG: usize = 16;

impl Default for Corpus {
    /// Every word of a line is an event: its trigrams are the cues, and it is the outcome.
    fn default() -> Self {
        Corpus {
            cues: vec![Names::Letters(NonZeroUsize::MIN.saturating_add(2))],
            outcomes: vec![Names::Words],
            window: Window::ONE,
            context: Context::Line,
            across: true,
            letters: Letters::CodePoints,
            symbols: None,
            lower: true,
            normalize: None,
            boundary: "#".to_owned(),
            stop_words: Vocab::new(),
            vocabulary: None,
            format: Format::Text,
            sentence_end: ".?!…。！？".to_owned(),
            document_end: "---end.of.document---".to_owned(),
            met: Arc::default(),
        }
    }
}

impl Corpus {
    /// Pushes the events of text files, plain or compressed, into a sink. Each file is a document.
    ///
    /// An empty file has no events.
    ///
    /// # Errors
    /// When a file cannot be read, is not UTF-8, runs on for 64 MiB without white space, a word is unknown, or the sink
    /// refuses. Defects name the file, the line and the byte column.
    pub fn read<S: EventSink + Send + ?Sized>(
        &self,
        paths: &[PathBuf],
        sink: &mut S,
        load: Load,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut total = 0_u64;
        for path in paths {
            total = total.saturating_add(length_of(path)?);
        }
        monitor.set_total(total);
        // A thread for every block is enough.
        let blocks = usize::try_from(total / load.block.max(1) as u64).unwrap_or(usize::MAX);
        let threads = load.threads.min(blocks.max(paths.len())).max(1);
        let repeats = sink.repeats();
        let readers =
            (0..threads).map(|_| Reader::new(self, repeats, monitor)).collect::<Result<Vec<_>>>()?;
        let turns = Turns::new(Target {
            sink,
            seam: Reader::new(self, repeats, monitor)?,
            reaches: self.window != Window::ONE,
            paths,
            end: None,
        });
        thread::scope(|scope| {
            let blocks = Mutex::new(Blocks::new(paths, self.format, load.block.max(1), monitor, scope));
            let work = |mut reader: Reader<'_>| {
                let _watch = turns.watch();
                let mut block = Block::default();
                loop {
                    let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut block);
                    let Some((number, taken)) = next else { return };
                    let head = taken.and_then(|()| read_block(&mut reader, &block));
                    let path = &paths[block.file];
                    let deliver = |target: &mut Target<'_, '_, S>| {
                        let delivered = head.and_then(|head| target.deliver(&mut reader, &block, head));
                        delivered.map_err(|error| error.at(Some(path), None))
                    };
                    if !turns.take(number, deliver) {
                        return;
                    }
                }
            };
            thread::scope(|inner| {
                let mut readers = readers.into_iter();
                let own = readers.next();
                for reader in readers {
                    let thread = thread::Builder::new().name("rescorla-reader".into());
                    if thread.spawn_scoped(inner, || work(reader)).is_err() {
                        // Those that there are do the work, this one among them.
                        break;
                    }
                }
                own.into_iter().for_each(work);
            });
        });
        turns.finish()?.end_document()
    }

    /// A load of some threads, each of which reads so much at a time that its events take bounded memory.
    pub fn load(&self, threads: usize) -> Load {
        let words = match self.window {
            Window::Words(n) => n.get(),
            Window::Around { before, after } => before.saturating_add(after),
            Window::Context => 1,
        };
        Load { threads: sensible(threads), block: (BLOCK / words.div_ceil(LONG).max(1)).max(LEAST) }
    }

    /// Whether a word is one that stays in the text.
    pub(super) fn keeps(&self, word: &str) -> bool {
        self.met.note_word();
        let is_stop_word = !self.stop_words.is_empty() && self.stop_words.get(word).is_some();
        if is_stop_word {
            self.met.note_stop_word();
        }
        let is_known = self.vocabulary.as_ref().is_none_or(|words| words.get(word).is_some());
        if is_known {
            self.met.note_known_word();
        }
        is_known && !is_stop_word
    }
}

/// Reads a block, and says where its head ends.
fn read_block(reader: &mut Reader<'_>, block: &Block) -> Result<Option<usize>> {
    let piece = block.piece();
    let head = reader.read(piece.text()?, block.opens);
    head.map_err(|(offset, error)| error.at(None, Some(piece.place(offset))))
}

/// What blocks are delivered to, one after another.
struct Target<'c, 's, S: ?Sized> {
    sink: &'s mut S,
    /// Makes the events that reach over the beginning of a block.
    seam: Reader<'c>,
    /// Whether there are any.
    reaches: bool,
    paths: &'s [PathBuf],
    /// The file of the last block, and the place behind its last run of characters.
    end: Option<(usize, Place)>,
}

impl<S: EventSink + ?Sized> Target<'_, '_, S> {
    fn deliver(&mut self, reader: &mut Reader<'_>, block: &Block, head: Option<usize>) -> Result<()> {
        let piece = block.piece();
        let misplaced = |(offset, error): (usize, Error)| error.at(None, Some(piece.place(offset)));
        if self.reaches {
            let text = piece.text()?;
            if block.opens {
                self.end_document()?;
            } else {
                let seen = &text[..head.unwrap_or(text.len())];
                self.seam.read_on(seen).map_err(misplaced)?;
                if head.is_some() {
                    self.seam.end_head()?;
                }
            }
            // Where in the head it was is not worth remembering.
            self.seam.deliver(self.sink).map_err(|(_, error)| misplaced((0, error)))?;
        }
        let delivered = reader.deliver(self.sink);
        delivered.map_err(|(n, error)| match (piece.text(), &error) {
            // Where memory ended is no place in the text, and the reader has not all that it should have.
            (Err(_), _) | (_, Error::Memory { .. }) => error,
            (Ok(text), _) => misplaced((reader.locate(text, block.opens, n), error)),
        })?;
        if self.reaches {
            if head.is_some() {
                self.seam.follow(reader)?;
            }
            self.end = Some((block.file, piece.place(piece.bytes.trim_ascii_end().len())));
        }
        Ok(())
    }

    /// Ends the document, if there is one.
    fn end_document(&mut self) -> Result<()> {
        let ended = self.seam.end_document();
        let delivered = ended.and_then(|()| self.seam.deliver(self.sink).map_err(|(_, error)| error));
        delivered.map_err(|error| match &self.end {
            Some((file, place)) => error.at(self.paths.get(*file).map(PathBuf::as_path), Some(*place)),
            None => error,
        })
    }
}
