//! OpenSubtitles' XML as plain text: a line for each sentence, an empty line before each pause.
//!
//! ```text
//! <s id="3"><time id="T2S" value="00:01:08,480" /><w id="3.1">M</w><w id="3.2">.</w></s>      M.
//! ```
//!
//! It is the text that pyndl's `create_corpus_from_gz` writes: words are joined by blanks, and punctuation without. Only words
//! directly in a sentence count, not those in tags of formatting (`<i>`, `<b>`). Text in a sentence that is in no tag, as in files
//! whose words are not tagged, counts as it is. One other thing is different from pyndl: digits after
//! a comma in a time are milliseconds, as in the files; pyndl takes them for frames. Entities are those of XML, and characters
//! such as `&#233;`.
//!
//! Memory is bounded by the longest tag or piece of text, the longest sentence, and the depth of tags.

use std::io::{self, BufRead, ErrorKind, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::error::{Error, Place, Result};
use crate::memory::{Grow, filled, spell};

/// If a subtitle begins longer than this after the end of the last one, there is a pause.
const PAUSE: u64 = 5 * SECOND;

/// A second, in a unit of time of which milliseconds and frames (30 a second) are multiples.
const SECOND: u64 = 3000;

/// The longest tag, comment or text between tags.
const MAX_ITEM: usize = 1 << 20;

/// The longest sentence.
const MAX_SENTENCE: usize = 16 << 20;

/// How many tags may be open at once.
const MAX_DEPTH: usize = 64;

const CLOSE: &str = "check that the file has subtitles, and its tags are closed";

/// How much XML is read at once.
const WINDOW: usize = 64 << 10;

/// Reads the plain text of the XML that another reader gives.
///
/// Invariant: `text[taken..]` is read but not yet given; nothing follows it when `ended`.
pub(super) struct Subtitles<R, F> {
    xml: Reader<SubtitleLines<R>>,
    failed: F,
    item: Vec<u8>,
    sentences: Sentences,
    text: String,
    taken: usize,
    ended: bool,
}

impl<R: Read, F: Fn(io::Error) -> Error> Subtitles<R, F> {
    /// The text of `xml`; `failed` turns an error of that reader into ours.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn new(xml: R, failed: F) -> Result<Self> {
        let mut xml = Reader::from_reader(SubtitleLines::new(xml)?);
        xml.config_mut().expand_empty_elements = true;
        // The parser puts at most this much into it. Room that is not used takes no memory.
        let mut item = Vec::new();
        item.make_room(MAX_ITEM + 2 * WINDOW)?;
        Ok(Self {
            xml,
            failed,
            item,
            sentences: Sentences::default(),
            text: String::new(),
            taken: 0,
            ended: false,
        })
    }

    /// Reads the next tag or piece of text.
    fn advance(&mut self) -> Result<()> {
        self.item.clear();
        self.xml.get_mut().left = MAX_ITEM;
        let place = self.xml.get_ref().place;
        let taken = match self.xml.read_event_into(&mut self.item) {
            Ok(event) => self.sentences.take(&event, &mut self.text),
            Err(error) => Err(self.refused(&error)),
        };
        self.ended = taken.map_err(|error| error.at(None, Some(place)))?;
        Ok(())
    }

    fn refused(&mut self, error: &quick_xml::Error) -> Error {
        match (error, self.xml.get_mut().failure.take()) {
            (quick_xml::Error::Io(_), Some(failure)) => (self.failed)(failure),
            (quick_xml::Error::Encoding(_), _) => {
                Error::defect("XML in UTF-8", "other bytes", "save the file as UTF-8")
            }
            (error, _) => ill_formed(error.to_string()),
        }
    }
}

impl<R: Read, F: Fn(io::Error) -> Error> Read for Subtitles<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() && !self.ended {
            self.text.clear();
            self.taken = 0;
            self.advance().map_err(io::Error::other)?;
        }
        let n = (&self.text.as_bytes()[self.taken..]).read(buffer)?;
        self.taken += n;
        Ok(n)
    }
}

/// The state of the document, and its present sentence.
///
/// Invariants: `depth` tags are open, the root first. A sentence is `inside` from depth 2, a word from depth 3.
#[derive(Default)]
struct Sentences {
    depth: usize,
    rooted: bool,
    inside: Inside,
    /// The words so far, joined.
    sentence: String,
    word: String,
    /// The number of pauses before the sentence.
    pauses: usize,
    /// When the last subtitle ended, of the sentences before; and the same with this sentence.
    ended: u64,
    ends: u64,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Inside {
    #[default]
    Elsewhere,
    Sentence,
    Word,
    /// In a word, after another tag in it.
    WordBehind,
}

impl Sentences {
    /// Takes the next part of the document and adds complete sentences to the text. Returns whether the document ends.
    fn take(&mut self, event: &Event<'_>, text: &mut String) -> Result<bool> {
        match event {
            Event::Start(tag) => self.open(tag)?,
            Event::End(_) => self.close(text)?,
            Event::Text(part) => self.push(&part.xml10_content())?,
            Event::CData(part) => self.push(&part.xml10_content())?,
            Event::GeneralRef(name) => self.push(character(name)?.encode_utf8(&mut [0; 4]))?,
            Event::Eof if self.depth > 0 => {
                return Err(ill_formed("the end of the file in the middle of it"));
            }
            Event::Eof if !self.rooted => return Err(ill_formed("no tag")),
            Event::Eof => return Ok(true),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        Ok(false)
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        match (self.depth, self.inside, tag.name().as_ref()) {
            (0, ..) if self.rooted => return Err(ill_formed("a tag behind the end")),
            (0, ..) => self.rooted = true,
            (1, _, "s") => {
                self.inside = Inside::Sentence;
                self.sentence.clear();
                self.pauses = 0;
                self.ends = self.ended;
            }
            (2, Inside::Sentence, "w") => {
                self.inside = Inside::Word;
                self.word.clear();
            }
            (2, Inside::Sentence, "time") => self.time(tag)?,
            (3, Inside::Word, _) => self.inside = Inside::WordBehind,
            (MAX_DEPTH, ..) => {
                return Err(Error::defect(format!("at most {MAX_DEPTH} open tags"), "one more", CLOSE));
            }
            _ => {}
        }
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self, text: &mut String) -> Result<()> {
        // The parser makes sure that a tag is open.
        self.depth = self.depth.saturating_sub(1);
        match (self.depth, self.inside) {
            (2, Inside::Word | Inside::WordBehind) => self.end_word(),
            (1, Inside::Sentence) => self.end_sentence(text),
            _ => Ok(()),
        }
    }

    fn push(&mut self, part: &str) -> Result<()> {
        if self.depth == 0 && !part.trim_ascii().is_empty() {
            return Err(ill_formed("text outside of all tags"));
        }
        let is_bare = self.inside == Inside::Sentence && self.depth == 2 && !part.trim().is_empty();
        if self.inside == Inside::Word || is_bare {
            if let Some(other) = part.chars().find(|&c| !is_xml(c)) {
                return Err(ill_formed(format!("the character {other:?}")));
            }
            if is_bare {
                // A line end would end the sentence.
                for line in part.split_inclusive(['\n', '\r']) {
                    spell(&mut self.sentence, line.trim_end_matches(['\n', '\r']))?;
                    spell(&mut self.sentence, if line.ends_with(['\n', '\r']) { " " } else { "" })?;
                }
            } else {
                spell(&mut self.word, part)?;
            }
            self.check_length()?;
        }
        Ok(())
    }

    fn end_word(&mut self) -> Result<()> {
        self.inside = Inside::Sentence;
        if self.word.is_empty() {
            let cure = "delete the tag, or the file if it is damaged";
            return Err(Error::defect("text in a tag <w>", "none before its end", cure));
        }
        if !is_punctuation(&self.word) {
            spell(&mut self.sentence, " ")?;
        }
        spell(&mut self.sentence, &self.word)?;
        self.word.clear();
        self.check_length()
    }

    /// Ends a sentence. One without words is ignored, and so are its times.
    fn end_sentence(&mut self, text: &mut String) -> Result<()> {
        self.inside = Inside::Elsewhere;
        let sentence = self.sentence.trim();
        if !sentence.is_empty() {
            (0..self.pauses).try_for_each(|_| spell(text, "\n"))?;
            spell(text, sentence)?;
            spell(text, "\n")?;
            self.ended = self.ends;
        }
        Ok(())
    }

    fn time(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        let value = attribute(tag, "value")?;
        let time = parse_time(&value).ok_or_else(|| {
            let cure = "write hours:minutes:seconds,milliseconds, such as 00:01:08,480";
            Error::defect("a time", format!("{value:?}"), cure)
        })?;
        let id = attribute(tag, "id")?;
        match id.chars().next_back() {
            Some('S') if time > self.ends.saturating_add(PAUSE) => self.pauses += 1,
            Some('S') => {}
            Some('E') => self.ends = time,
            _ => {
                let cure = "end the id in S where a subtitle starts, in E where it ends";
                return Err(Error::defect("an id such as T1S or T1E", format!("{id:?}"), cure));
            }
        }
        self.check_length()
    }

    fn check_length(&self) -> Result<()> {
        if self.sentence.len() + self.word.len() + self.pauses <= MAX_SENTENCE {
            return Ok(());
        }
        Err(Error::defect(format!("a sentence of at most {MAX_SENTENCE} bytes"), "a longer one", CLOSE))
    }
}

/// The value of an attribute that must be there, as it is written.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<String> {
    let attribute = tag.try_get_attribute(name).map_err(|error| ill_formed(error.to_string()))?;
    let missing = || Error::defect(format!("an attribute {name} in a tag <time>"), "none", "add it");
    Ok(attribute.ok_or_else(missing)?.value.into_owned())
}

/// A time in units of 1 / [`SECOND`]: hours, minutes and seconds; then milliseconds after a comma, frames after a colon.
fn parse_time(text: &str) -> Option<u64> {
    let fraction = text.rfind([':', ','])?;
    let unit = if text[fraction..].starts_with(',') { SECOND / 1000 } else { SECOND / 30 };
    let mut clock = text[..fraction].split([':', ',']);
    let mut units = 0;
    for length in [3600 * SECOND, 60 * SECOND, SECOND] {
        // At most 10^9 hours, and as many minutes, seconds and the rest: far below 2^64.
        units += number(clock.next()?)? * length;
    }
    units += number(&text[fraction + 1..])? * unit;
    clock.next().is_none().then_some(units)
}

fn number(digits: &str) -> Option<u64> {
    let plausible = digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    plausible.then(|| digits.parse().ok()).flatten()
}

/// The character that a reference such as `&amp;` or `&#38;` stands for.
fn character(name: &BytesRef<'_>) -> Result<char> {
    let numbered = name.resolve_char_ref().map_err(|error| ill_formed(error.to_string()))?;
    let named = || resolve_xml_entity(name).and_then(|text| text.chars().next());
    numbered.or_else(named).ok_or_else(|| {
        let cure = "write the character itself";
        Error::defect("one of XML's own entities", format!("&{};", &**name), cure)
    })
}

/// Whether a word is joined without a blank.
fn is_punctuation(word: &str) -> bool {
    matches!(word, "." | "," | ":" | ";" | "?" | "!" | "(" | ")" | "[" | "]" | "'")
}

fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

fn ill_formed(found: impl Into<String>) -> Error {
    Error::defect("whole XML", found, "the file is cut or damaged: copy or make it again")
}

/// Reads, counts lines, and keeps an error of the reader, because the XML parser would lose it.
///
/// Invariants: `window[start..end]` is read but not yet consumed, and begins at `place`; the `failure` comes after it. At most
/// `left` bytes more and one window are given before an error.
struct SubtitleLines<R> {
    reader: R,
    window: Vec<u8>,
    start: usize,
    end: usize,
    place: Place,
    left: usize,
    failure: Option<io::Error>,
}

impl<R: Read> SubtitleLines<R> {
    fn new(reader: R) -> Result<Self> {
        let place = Place::Line { line: 1, column: 1 };
        let window = filled(0, WINDOW)?;
        Ok(Self { reader, window, start: 0, end: 0, place, left: MAX_ITEM, failure: None })
    }

    /// Fills the window, up to a failure. It fills the whole window, so that a byte order mark is never cut.
    fn fill(&mut self) {
        (self.start, self.end) = (0, 0);
        if self.left == 0 {
            let expected = format!("a tag or text of at most {MAX_ITEM} bytes");
            self.failure = Some(io::Error::other(Error::defect(expected, "a longer one", CLOSE)));
        }
        while self.end < self.window.len() && self.failure.is_none() {
            match self.reader.read(&mut self.window[self.end..]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.failure = Some(error),
            }
        }
    }
}

impl<R: Read> Read for SubtitleLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: Read> BufRead for SubtitleLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.fill();
            if self.end == 0 && self.failure.is_some() {
                return Err(io::Error::other("see the failure"));
            }
        }
        Ok(&self.window[self.start..self.end])
    }

    fn consume(&mut self, n: usize) {
        let consumed = &self.window[self.start..self.end][..n];
        if let Place::Line { line, column } = &mut self.place {
            match memchr::memrchr(b'\n', consumed) {
                None => *column += n as u64,
                Some(last) => {
                    *line += memchr::memchr_iter(b'\n', consumed).count() as u64;
                    *column = (n - last) as u64;
                }
            }
        }
        self.start += n;
        self.left = self.left.saturating_sub(n);
    }
}
