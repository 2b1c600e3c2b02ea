//! The options of running text: which of its characters make words, and which words make an event.

use std::num::NonZeroUsize;

use super::names::Names;
use super::symbols::Allowed;
use crate::vocab::Vocab;

/// How running text becomes events.
///
/// Words are separated by Unicode white space, by `_` (which joins names in event tables), by the characters of
/// `boundary` (which would be taken for boundaries) and by whatever is not in `symbols`. The order: marks of documents,
/// normal form, lower case (that of Unicode, with its final sigma), ends of sentences, words.
///
/// ```
/// use rescorla::EventWriter;
/// use rescorla::internals::events::write::Duplicates;
/// use rescorla::internals::monitor::Monitor;
/// use rescorla::internals::text::corpus::{Corpus, TextReader};
///
/// let corpus = Corpus { symbols: Some("a-z".parse()?), ..Corpus::default() };
/// let mut writer = EventWriter::new(None, Duplicates::Drop, None)?;
/// let monitor = Monitor::new();
/// let mut reader = TextReader::new(&corpus, &monitor)?;
/// reader.line("On it!", &mut writer)?;
/// reader.end_document(&mut writer)?;
/// let events = writer.finish()?;
/// assert!(events.cues().names().eq(["#on", "on#", "#it", "it#"]));
/// assert!(events.outcomes().names().eq(["on", "it"]));
/// # Ok::<(), rescorla::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The cues of an event.
    pub cues: Vec<Names>,
    /// Its outcomes.
    pub outcomes: Vec<Names>,
    /// Which words make an event.
    pub window: Window,
    /// Whether a name is no cue for the outcome of its own name. Then each outcome of a window has an event of its own.
    pub mask: bool,
    /// The part of a text beyond which no event reaches.
    pub context: Context,
    /// Whether n-grams run across the words of an event, joined by the boundary, or stay within each word.
    pub across: bool,
    /// What counts as a letter of an n-gram.
    pub letters: Letters,
    /// The characters of words; `None`: all that do not separate words.
    pub symbols: Option<Allowed>,
    /// Whether to lower-case the text.
    pub lower: bool,
    /// The normal form that the text is brought into.
    pub normalize: Option<Normal>,
    /// What is put before, between and behind words, for n-grams with n >= 2.
    pub boundary: String,
    /// Words that are removed from the text.
    pub stop_words: Vocab,
    /// If given, all other words are removed, too.
    pub vocabulary: Option<Vocab>,
    /// The characters that end sentences.
    pub sentence_end: String,
    /// What the files hold.
    pub format: Format,
    /// The mark that ends a document within a file: as written here, in lower case or in upper case. Empty: there is none.
    pub document_end: String,
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

/// The part of a text beyond which no event reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// A line.
    Line,
    /// A sentence. It ends at the end of a paragraph, or at a character of `sentence_end`. An ASCII character ends a sentence
    /// only if, up to the next white space, nothing but closing quotes and brackets follows; another character, whatever follows.
    Sentence,
    /// The text between lines that are empty or have nothing but white space of any kind.
    Paragraph,
    /// A file, or a part of it up to a mark that ends a document.
    Document,
}

/// What files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Running text.
    Text,
    /// OpenSubtitles' XML.
    Subtitles,
    /// CoNLL-U: text in words, with lemmas, parts of speech and features. Each sentence is a line, too. A word
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
    /// Composed, with compatible characters replaced.
    Nfkc,
    /// Decomposed, with compatible characters replaced.
    Nfkd,
}

impl Default for Corpus {
    /// Every word of a line is an event: its trigrams are the cues, and it is the outcome.
    fn default() -> Self {
        Corpus {
            cues: vec![Names::Letters(NonZeroUsize::MIN.saturating_add(2))],
            outcomes: vec![Names::Words],
            window: Window::ONE,
            mask: false,
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
        }
    }
}
