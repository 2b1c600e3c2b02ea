//! A reader of running text: it finds the words, and gives a writer the events that they make.

use super::conllu::{self, Line};
use super::encoder::{Encoder, WORD};
use super::occurred::{LeftOut, Occurred};
use super::options::{Context, Corpus, Format, Window};
use super::runs::{Item, Known, Runs, TextRun};
use super::windows::Windows;
use super::words::Words;
use crate::error::Result;
use crate::events::write::EventWriter;
use crate::memory::{Grow, collected};
use crate::monitor::{Monitor, Pulse};
use crate::text::Misplaced;

/// Reads text, and writes the events that it makes. Every call must give the same writer.
pub struct TextReader<'c> {
    corpus: &'c Corpus,
    monitor: &'c Monitor,
    pulse: Pulse,
    words: Words<'c>,
    windows: Windows,
    /// Line ends since the last run of characters.
    line_ends: usize,
    runs: Runs,
    encoder: Encoder<'c>,
    /// What the present run holds.
    items: Vec<Item>,
}

impl<'c> TextReader<'c> {
    /// Begins without text.
    ///
    /// # Errors
    /// When the corpus is not well described.
    pub fn new(corpus: &'c Corpus, monitor: &'c Monitor) -> Result<Self> {
        Ok(Self {
            corpus,
            monitor,
            pulse: Pulse::default(),
            words: Words::new(corpus)?,
            windows: Windows::new(corpus.window),
            line_ends: 0,
            runs: Runs::default(),
            encoder: Encoder::new(corpus, monitor),
            items: Vec::new(),
        })
    }

    /// Takes a line, or several; the last line end may be missing.
    ///
    /// # Errors
    /// When a word is unknown, or the writer refuses; the caller knows the place.
    pub fn line(&mut self, line: &str, writer: &mut EventWriter) -> Result<()> {
        self.read(line, writer).map_err(|(_, error)| error)?;
        if !line.ends_with(['\n', '\r']) {
            self.line_ends += 1;
        }
        Ok(())
    }

    /// Takes a line as its words, which are not changed. A line of words that do not stay in the text is no empty line.
    ///
    /// # Errors
    /// As for [`TextReader::line`].
    pub fn words<'w>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        writer: &mut EventWriter,
    ) -> Result<()> {
        for word in words {
            self.pulse.beat(WORD, self.monitor)?;
            self.end_by_lines(writer)?;
            if let Some(reason) = self.words.left_out(word) {
                self.words.occurred.count(reason);
            } else {
                let word = self.encoder.number(word)?;
                self.word(word, writer)?;
            }
        }
        self.line_ends += 1;
        self.limit_memory()
    }

    /// Ends the document. Another may follow.
    ///
    /// # Errors
    /// As for [`TextReader::line`].
    pub fn end_document(&mut self, writer: &mut EventWriter) -> Result<()> {
        self.line_ends = 0;
        self.end_context(writer)
    }

    /// How many words are held of a context, if the next word may end it, or if the document `ends`.
    pub fn waiting(&self, ends: bool) -> usize {
        let may_end = ends || self.is_ended() || self.corpus.context == Context::Sentence;
        if may_end { self.windows.held().len() } else { 0 }
    }

    /// What occurred so far.
    pub fn occurred(&self) -> Occurred {
        Occurred { shared_cue: self.encoder.shared.name.clone(), ..self.words.occurred.clone() }
    }

    /// Reads on: a piece of text that begins and ends at the ends of words.
    pub(super) fn read(
        &mut self,
        text: &str,
        writer: &mut EventWriter,
    ) -> std::result::Result<(), Misplaced> {
        if self.corpus.format == Format::Conllu {
            self.read_lines(text, writer)?;
        } else {
            self.read_runs(text, writer)?;
        }
        self.limit_memory().map_err(|error| (0, error))
    }

    fn read_runs(&mut self, text: &str, writer: &mut EventWriter) -> std::result::Result<(), Misplaced> {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            at = self.skip_space(text, at);
            if at == bytes.len() {
                return Ok(());
            }
            self.begin_run(writer).map_err(|error| (at, error))?;
            at = self.take_known(bytes, at, writer)?;
            if bytes.get(at).is_none_or(u8::is_ascii_whitespace) {
                continue;
            }
            let run = TextRun::at(bytes, at);
            let end = at + run.len();
            if let Some(Known::Word(word)) = self.runs.get(run) {
                self.word(word, writer).map_err(|error| (at, error))?;
            } else {
                self.take_items(&text[at..end], run, writer).map_err(|error| (at, error))?;
            }
            at = end;
        }
    }

    fn begin_run(&mut self, writer: &mut EventWriter) -> Result<()> {
        self.pulse.beat(WORD, self.monitor)?;
        self.end_by_lines(writer)
    }

    /// Takes the runs from a place on, each behind one space, as long as they are known to be words. Returns the place behind the
    /// last, or the place of the next run.
    fn take_known(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        writer: &mut EventWriter,
    ) -> std::result::Result<usize, Misplaced> {
        while let Some(found) = bytes[at..].first_chunk().and_then(|text| self.runs.word(text)) {
            let taken = self.pulse.beat(WORD, self.monitor).and_then(|()| self.word(found.word, writer));
            taken.map_err(|error| (at, error))?;
            at += found.length;
            if !found.goes_on {
                break;
            }
            at += 1;
        }
        Ok(at)
    }

    /// Takes what a run holds.
    fn take_items(&mut self, text: &str, run: TextRun<'_>, writer: &mut EventWriter) -> Result<()> {
        self.items.clear();
        match self.runs.get(run) {
            Some(Known::Items(items)) => self.items.grow_by(items)?,
            _ => self.cut(text, run)?,
        }
        for n in 0..self.items.len() {
            match self.items[n] {
                Item::Word(word) => self.word(word, writer)?,
                Item::Sentence | Item::Document => self.end_context(writer)?,
                Item::LeftOut(reason) => self.words.occurred.count(reason),
            }
        }
        Ok(())
    }

    /// Finds out what a run holds, and keeps it.
    fn cut(&mut self, text: &str, run: TextRun<'_>) -> Result<()> {
        let Self { words, encoder, items, runs, .. } = self;
        words.cut(text, |part| {
            items.grow(match part {
                Item::Word(word) => Item::Word(encoder.number(word)?),
                Item::Sentence => Item::Sentence,
                Item::Document => Item::Document,
                Item::LeftOut(reason) => Item::LeftOut(reason),
            })
        })?;
        runs.keep(run, items)
    }

    /// Reads lines of CoNLL-U.
    fn read_lines(&mut self, text: &str, writer: &mut EventWriter) -> std::result::Result<(), Misplaced> {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            self.pulse.beat(WORD, self.monitor).map_err(|error| (at, error))?;
            let says = conllu::line(line).map_err(|(offset, error)| (at + offset, error))?;
            let taken = match (says, self.corpus.context) {
                (Line::Word(record), _) => self.record(record, writer),
                (Line::SentenceEnd, Context::Line | Context::Sentence)
                | (Line::Paragraph, Context::Line | Context::Sentence | Context::Paragraph)
                | (Line::Document, _) => self.end_context(writer),
                _ => Ok(()),
            };
            taken.map_err(|error| (at, error))?;
            at += line.len();
        }
        Ok(())
    }

    /// Takes the record of a word.
    fn record(&mut self, record: &str, writer: &mut EventWriter) -> Result<()> {
        let run = TextRun::of(record.as_bytes());
        let item = match self.runs.get(run) {
            Some(Known::Word(word)) => Item::Word(word),
            // A word that is left out.
            Some(Known::Items(&[item])) => item,
            _ => {
                let item = match self.words.record(record)? {
                    Ok(record) => Item::Word(self.encoder.number(&record)?),
                    Err(reason) => Item::LeftOut(reason),
                };
                self.runs.keep(run, &[item])?;
                item
            }
        };
        match item {
            Item::Word(word) => self.word(word, writer)?,
            Item::LeftOut(reason) => self.words.occurred.count(reason),
            Item::Sentence | Item::Document => {}
        }
        Ok(())
    }

    /// Skips white space, also beyond ASCII, and counts line ends: `\n`, `\r\n`, `\r`.
    #[inline]
    fn skip_space(&mut self, text: &str, mut at: usize) -> usize {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_whitespace() {
                at += 1;
                let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(at) != Some(&b'\n'));
                self.line_ends += usize::from(ends_line);
            } else {
                match wide_space(text, at) {
                    0 => break,
                    length => at += length,
                }
            }
        }
        at
    }

    /// Takes a word.
    #[inline]
    fn word(&mut self, word: u32, writer: &mut EventWriter) -> Result<()> {
        if self.corpus.window == Window::ONE {
            return self.encoder.write_word(word, writer);
        }
        self.windows.take(word)?;
        self.windows.event().map_or(Ok(()), |event| self.encoder.write(event, writer))
    }

    /// Ends the context if the line ends since the last run end it.
    fn end_by_lines(&mut self, writer: &mut EventWriter) -> Result<()> {
        let ends = self.is_ended();
        self.line_ends = 0;
        if ends { self.end_context(writer) } else { Ok(()) }
    }

    /// Whether the line ends since the last run end the context.
    fn is_ended(&self) -> bool {
        match self.corpus.context {
            Context::Line => self.line_ends >= 1,
            Context::Sentence | Context::Paragraph => self.line_ends >= 2,
            Context::Document => false,
        }
    }

    fn end_context(&mut self, writer: &mut EventWriter) -> Result<()> {
        let Self { windows, encoder, words, .. } = self;
        windows.cut().try_for_each(|event| encoder.write(event, writer))?;
        if windows.is_alone() {
            words.occurred.count(LeftOut::Alone);
        }
        windows.clear();
        Ok(())
    }

    /// Forgets all but the words that later events can hold, if the memory of words is full.
    fn limit_memory(&mut self) -> Result<()> {
        if !self.encoder.is_large() {
            return Ok(());
        }
        let held = self.windows.held().iter().map(|&word| self.encoder.word(word).to_owned());
        let held = collected(held)?;
        self.encoder.clear();
        self.runs.clear();
        self.windows.clear();
        for word in held {
            let word = self.encoder.number(&word)?;
            self.windows.take(word)?;
        }
        Ok(())
    }
}

/// How many bytes the character at a place has, if it is white space that [`u8::is_ascii_whitespace`] does not know; else 0.
#[inline]
fn wide_space(text: &str, at: usize) -> usize {
    // With one of these bytes all such characters begin.
    match text.as_bytes()[at] {
        0x0b | 0xc2 | 0xe1..=0xe3 => {
            text[at..].chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::write::Duplicates;

    #[test]
    fn all_white_space_begins_with_a_byte_that_is_looked_at() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_whitespace()) {
            let length = if c.is_ascii() && (c as u8).is_ascii_whitespace() { 0 } else { c.len_utf8() };
            assert_eq!(wide_space(&format!("a{c}b"), 1), length, "{c:?}");
        }
        for text in ["é", "\u{200b}", "あ", "\u{feff}", "b"] {
            assert_eq!(wide_space(text, 0), 0, "{text:?}");
        }
    }

    #[test]
    fn a_context_too_long_to_be_one_event_is_refused_at_a_word_of_it() {
        let (corpus, monitor) = (
            Corpus { window: Window::Context, context: Context::Document, ..Corpus::default() },
            Monitor::new(),
        );
        let mut writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
        let reader = || {
            let mut reader = TextReader::new(&corpus, &monitor).unwrap();
            reader.windows = Windows::within(5);
            reader
        };
        let refused = |misplaced: std::result::Result<(), Misplaced>| {
            let (at, error) = misplaced.unwrap_err();
            assert!(error.to_string().contains("contexts of at most 5 words"), "{error}");
            at
        };
        let mut one = reader();
        one.read("a b\nc a b", &mut writer).unwrap();
        one.end_document(&mut writer).unwrap();
        assert_eq!(writer.n_events(), 1);
        assert_eq!(refused(one.read("a b\nc a b c a", &mut writer)), 10);
        // In a later piece, at a word that is known, and in a run that is.
        let mut one = reader();
        one.read("a b c_a", &mut writer).unwrap();
        assert_eq!(refused(one.read("a b c a", &mut writer)), 2);
        let mut one = reader();
        one.read("a b c_a", &mut writer).unwrap();
        assert_eq!(refused(one.read("c_a", &mut writer)), 0);
        let mut one = reader();
        let words = ["a"; 9];
        one.words(words[..5].iter().copied(), &mut writer).unwrap();
        let error = one.words(words.iter().copied(), &mut writer).unwrap_err();
        assert!(error.to_string().contains("contexts of at most 5 words"), "{error}");
        // A document that ends in time begins anew.
        let mut one = reader();
        for _ in 0..3 {
            one.words(words[..5].iter().copied(), &mut writer).unwrap();
            one.end_document(&mut writer).unwrap();
        }
        assert_eq!(writer.n_events(), 4);
    }
}
