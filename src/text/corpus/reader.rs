//! A reader of text: it makes the events of one block after another.
//!
//! A block may begin within a context. Then the reader does not make the events that reach back beyond the beginning of the
//! block. It reads on until a context begins, or until more words have passed than an event reaches back, and returns that place.
//! The text before it is the block's *prefix*. Another reader, the *joiner*, reads all prefixes, one after another. At the end of
//! each block it gets the words that later events can still hold.
//!
//! In a block words wait until a context ends or enough of them are there, because events are made faster together. If one of
//! them is refused, the block is read once more, without waiting, to find the place of the error.

use super::conllu::{self, Line};
use super::options::{Context, Corpus, Format, Window};
use super::rows::{Large, Rows};
use super::runs::{Item, Known, Run, Runs};
use super::windows::Windows;
use super::words::{RunItem, Words};
use crate::error::{Error, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::grow::{Grow, collected};
use crate::monitor::Monitor;

const ITEMS: &str = "what is between white space";

/// An error, and the offset in the text at which it lies.
pub(super) type Refused = (usize, Error);

/// Runs between two looks at the monitor.
const LOOK_EVERY: usize = 1 << 8;

/// Reads text, and holds the events that it makes until a writer takes them.
pub(super) struct Reader<'c> {
    corpus: &'c Corpus,
    monitor: &'c Monitor,
    words: Words<'c>,
    windows: Windows,
    /// Line ends since the last run of characters.
    line_ends: usize,
    runs: Runs,
    rows: Rows,
    /// Words that have passed while no context has begun yet.
    passed: usize,
    /// Whether events may wait for others to be made with them.
    waits: bool,
    /// What the present run holds.
    items: Vec<(Item, usize)>,
}

impl<'c> Reader<'c> {
    pub(super) fn new(corpus: &'c Corpus, duplicates: Duplicates, monitor: &'c Monitor) -> Result<Self> {
        Ok(Self {
            corpus,
            monitor,
            words: Words::new(corpus)?,
            windows: Windows::new(corpus.window),
            line_ends: 0,
            runs: Runs::default(),
            rows: Rows::new(corpus, duplicates),
            passed: 0,
            waits: false,
            items: Vec::new(),
        })
    }

    /// Reads a block, which begins a document if `opens`. Returns the end of its prefix, or `None` if all of it is prefix.
    pub(super) fn read(&mut self, text: &str, opens: bool) -> std::result::Result<Option<usize>, Refused> {
        let prefix = self.restart(opens);
        self.waits = true;
        let scanned = self.scan(text, prefix, None);
        self.waits = false;
        let made = scanned.and_then(|prefix| self.make(false).map(|()| prefix).map_err(|error| (0, error)));
        match made {
            Ok(_) | Err((_, Error::Stopped | Error::Memory { .. })) => made,
            // The event that is refused may have waited. Without waiting the place of the error is known.
            Err(_) => {
                let prefix = self.restart(opens);
                self.scan(text, prefix, Some(usize::MAX))
            }
        }
    }

    /// Reads on in a text whose beginning is known.
    pub(super) fn read_on(&mut self, text: &str) -> std::result::Result<(), Refused> {
        self.scan(text, Some(0), None).map(drop)
    }

    /// Reads a block once more, up to an event, and returns where in the text that event ends.
    pub(super) fn locate(&mut self, text: &str, opens: bool, event: usize) -> usize {
        let prefix = self.restart(opens);
        match self.scan(text, prefix, Some(event)) {
            Err((offset, _)) => offset,
            Ok(_) => text.len(),
        }
    }

    /// Forgets the text before a block. Returns where the block's prefix ends, if that is known at once.
    fn restart(&mut self, opens: bool) -> Option<usize> {
        self.windows.clear();
        self.rows.drop_events();
        self.line_ends = 0;
        self.passed = 0;
        (opens || self.windows.reach() == 0).then_some(0)
    }

    /// Goes through a text; events are made from `prefix` on, once that is known. If an event is `wanted`, every run is cut anew,
    /// so that places within it are known, and reading ends after that event, as with an error.
    fn scan(
        &mut self,
        text: &str,
        mut prefix: Option<usize>,
        wanted: Option<usize>,
    ) -> std::result::Result<Option<usize>, Refused> {
        if self.corpus.format == Format::Conllu {
            return self.scan_lines(text, prefix, wanted);
        }
        let bytes = text.as_bytes();
        let reach = self.windows.reach();
        let (mut at, mut runs) = (0, 0_usize);
        loop {
            at = self.skip_space(text, at);
            if at == bytes.len() {
                return Ok(prefix);
            }
            runs += 1;
            if runs % LOOK_EVERY == 0 {
                self.monitor.check().map_err(|error| (at, error))?;
            }
            if self.line_ends > 0 && self.end_by_lines(prefix.is_some()).map_err(|error| (at, error))? {
                prefix.get_or_insert(at);
            }
            if self.passes(wanted) {
                return Err((at, Error::Stopped));
            }
            if wanted.is_none() && self.waits && prefix.is_some() {
                at = self.take_known(bytes, at).map_err(|error| (at, error))?;
                if bytes.get(at).is_none_or(u8::is_ascii_whitespace) {
                    continue;
                }
            }
            let run = Run::at(bytes, at);
            let end = at + run.len();
            let known = if wanted.is_some() { None } else { self.runs.get(run) };
            let ended = match known {
                Some(Known::Word(word)) => {
                    self.item(Item::Word(word), prefix.is_some()).map_err(|error| (at, error))?
                }
                Some(Known::Items(items)) => {
                    self.items.clear();
                    self.items.make_room(items.len(), ITEMS).map_err(|error| (at, error))?;
                    self.items.extend(items.iter().map(|&item| (item, 0)));
                    self.items(at, prefix.is_some(), wanted)?
                }
                None => {
                    self.look(&text[at..end], run).map_err(|error| (at, error))?;
                    self.items(at, prefix.is_some(), wanted)?
                }
            };
            if prefix.is_none() && (ended || self.passed > reach) {
                prefix = Some(end);
            }
            at = end;
        }
    }

    /// Whether the event that is wanted, if any, is made.
    fn passes(&self, wanted: Option<usize>) -> bool {
        wanted.is_some_and(|wanted| self.rows.n_events() > wanted)
    }

    /// Takes the runs from a place on, each behind one space, as long as they are known to be words whose events can wait, or
    /// are known. Returns the place behind the last, or the place of the next run.
    fn take_known(&mut self, bytes: &[u8], at: usize) -> Result<usize> {
        let Self { runs, rows, windows, .. } = self;
        if self.corpus.window == Window::ONE {
            rows.make_room(LOOK_EVERY)?;
            Ok(take_words(bytes, at, LOOK_EVERY, runs, |word| rows.take_known(word)))
        } else {
            let most = LOOK_EVERY.min(windows.room());
            let words = windows.more(most)?;
            Ok(take_words(bytes, at, most, runs, |word| {
                words.push(word);
                Some(())
            }))
        }
    }

    /// Goes through lines of CoNLL-U as [`Reader::scan`] does through running text.
    fn scan_lines(
        &mut self,
        text: &str,
        mut prefix: Option<usize>,
        wanted: Option<usize>,
    ) -> std::result::Result<Option<usize>, Refused> {
        let reach = self.windows.reach();
        let mut at = 0;
        for (n, line) in text.split_inclusive('\n').enumerate() {
            if n % LOOK_EVERY == 0 {
                self.monitor.check().map_err(|error| (at, error))?;
            }
            let makes = prefix.is_some();
            let line_says =
                conllu::line(line).map_err(|misplaced| (at + misplaced.offset, misplaced.error))?;
            let ended = match (line_says, self.corpus.context) {
                (Line::Word(record), _) => {
                    self.record(record, makes).map_err(|error| (at, error))?;
                    false
                }
                (Line::SentenceEnd, Context::Line | Context::Sentence)
                | (Line::Paragraph, Context::Line | Context::Sentence | Context::Paragraph)
                | (Line::Document, _) => {
                    self.end(makes).map_err(|error| (at, error))?;
                    true
                }
                _ => false,
            };
            if self.passes(wanted) {
                return Err((at, Error::Stopped));
            }
            at += line.len();
            if prefix.is_none() && (ended || self.passed > reach) {
                prefix = Some(at);
            }
        }
        Ok(prefix)
    }

    /// Takes the record of a word.
    fn record(&mut self, record: &str, makes: bool) -> Result<()> {
        let run = Run::of(record.as_bytes());
        let word = match self.runs.get(run) {
            Some(Known::Word(word)) => Some(word),
            // A word that is left out.
            Some(Known::Items(_)) => None,
            None => {
                let word = self.words.record(record)?.map(|record| self.rows.word(&record)).transpose()?;
                self.runs.keep(run, word.map(Item::Word).as_slice())?;
                word
            }
        };
        word.map_or(Ok(()), |word| self.item(Item::Word(word), makes).map(drop))
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

    /// Finds out what a run holds, and keeps it.
    fn look(&mut self, text: &str, run: Run<'_>) -> Result<()> {
        let Self { words, rows, items, runs, .. } = self;
        items.clear();
        words.cut(text, |part, offset| {
            let item = match part {
                RunItem::Word(word) => Item::Word(rows.word(word)?),
                RunItem::Sentence => Item::Sentence,
                RunItem::Document => Item::Document,
            };
            items.grow((item, offset), ITEMS)
        })?;
        let holds = collected(items.iter().map(|&(item, _)| item), ITEMS)?;
        if runs.get(run).is_none() { runs.keep(run, &holds) } else { Ok(()) }
    }

    /// Takes what `items` hold, of a run at an offset. Returns whether a context ended.
    fn items(&mut self, at: usize, makes: bool, wanted: Option<usize>) -> std::result::Result<bool, Refused> {
        let mut ended = false;
        for i in 0..self.items.len() {
            let (item, offset) = self.items[i];
            ended |= self.item(item, makes).map_err(|error| (at + offset, error))?;
            if self.passes(wanted) {
                return Err((at + offset, Error::Stopped));
            }
        }
        Ok(ended)
    }

    /// Takes one thing; events are made if `makes`. Returns whether it ended a context.
    fn item(&mut self, item: Item, makes: bool) -> Result<bool> {
        match item {
            Item::Word(word) if self.corpus.window == Window::ONE => {
                self.rows.take(word, self.corpus, self.monitor).map(|()| false)
            }
            Item::Word(word) => {
                self.passed += 1;
                if !makes {
                    self.windows.hold(word)?;
                    return Ok(false);
                }
                self.windows.take(word)?;
                if !self.waits || self.windows.is_due() {
                    self.make(false)?;
                }
                Ok(false)
            }
            Item::Sentence | Item::Document => self.end(makes).map(|()| true),
        }
    }

    /// Ends the context if the line ends since the last run end it. Returns whether they do.
    fn end_by_lines(&mut self, makes: bool) -> Result<bool> {
        let ends = self.is_ended();
        self.line_ends = 0;
        if ends {
            self.end(makes)?;
        }
        Ok(ends)
    }

    /// Whether the line ends since the last run end the context.
    fn is_ended(&self) -> bool {
        match self.corpus.context {
            Context::Line => self.line_ends >= 1,
            Context::Sentence | Context::Paragraph => self.line_ends >= 2,
            Context::Document => false,
        }
    }

    /// Whether the next word may end the context.
    pub(super) fn may_end(&self) -> bool {
        self.is_ended() || self.corpus.context == Context::Sentence
    }

    fn end(&mut self, makes: bool) -> Result<()> {
        if makes {
            self.make(true)?;
        }
        self.windows.clear();
        Ok(())
    }

    /// Makes the events that wait; if the context `ended`, those that its end cuts short among them.
    fn make(&mut self, ended: bool) -> Result<()> {
        self.windows.check()?;
        self.rows.make(&self.windows.events(ended), self.corpus, self.monitor)?;
        self.windows.all_made();
        Ok(())
    }

    /// Ends a prefix, behind which a context may begin.
    pub(super) fn end_prefix(&mut self) -> Result<()> {
        self.end_by_lines(true).map(drop)
    }

    /// How many words of the context are held.
    pub(super) fn held(&self) -> usize {
        self.windows.held().len()
    }

    /// Ends the document.
    pub(super) fn end_document(&mut self) -> Result<()> {
        self.line_ends = 0;
        self.end(true)
    }

    /// Ends a line.
    pub(super) fn end_line(&mut self) {
        self.line_ends += 1;
    }

    /// Takes words as they stand. A line of words that do not stay in the text is no empty line.
    pub(super) fn read_words<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Result<()> {
        for word in words {
            self.end_by_lines(true)?;
            if !self.corpus.keeps(word) {
                continue;
            }
            let word = self.rows.word(word)?;
            self.item(Item::Word(word), true)?;
        }
        Ok(())
    }

    /// Takes the words that later events can hold from the reader that has read the block.
    pub(super) fn follow(&mut self, other: &Reader<'_>) -> Result<()> {
        self.windows.clear();
        // A block ends with a run, which may be white space beyond ASCII.
        self.line_ends = other.line_ends;
        for &word in other.windows.held() {
            let word = self.rows.word(other.rows.word_of(word))?;
            self.windows.hold(word)?;
        }
        Ok(())
    }

    /// Gives a writer the events. An error comes with how many it took before.
    pub(super) fn deliver(&mut self, writer: &mut EventWriter) -> std::result::Result<(), (usize, Error)> {
        self.rows.deliver(writer, self.monitor)?;
        match self.rows.large() {
            None => Ok(()),
            Some(Large::Rows) => {
                self.rows.drop_rows();
                Ok(())
            }
            Some(Large::All) => self.start_over().map_err(|error| (0, error)),
        }
    }

    /// Forgets all but the words that later events can hold.
    fn start_over(&mut self) -> Result<()> {
        let held = self.windows.held().iter().map(|&id| self.rows.word_of(id).to_owned());
        let held = collected(held, "the words of a context")?;
        self.rows.forget(self.corpus);
        self.runs.clear();
        self.windows.clear();
        for word in held {
            let word = self.rows.word(&word)?;
            self.windows.hold(word)?;
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

/// Calls `take` with up to so many words, the first of which begins at a place of a text, each behind one space, as long as it
/// takes them and the runs are known to be words. Returns the place behind the last, or the place of the next run.
#[inline(always)]
fn take_words(
    bytes: &[u8],
    mut at: usize,
    most: usize,
    runs: &Runs,
    mut take: impl FnMut(u32) -> Option<()>,
) -> usize {
    for _ in 0..most {
        let Some(found) = bytes.get(at..).and_then(<[u8]>::first_chunk).and_then(|text| runs.word(text))
        else {
            break;
        };
        if take(found.word).is_none() {
            break;
        }
        at += found.length + usize::from(found.goes_on);
        if !found.goes_on {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let reader = || {
            let mut reader = Reader::new(&corpus, Duplicates::Drop, &monitor).unwrap();
            reader.windows = Windows::within(5, Window::Context);
            reader
        };
        let refused = |misplaced: std::result::Result<Option<usize>, Refused>| {
            let (at, error) = misplaced.unwrap_err();
            assert!(error.to_string().contains("contexts of at most 5 words"), "{error}");
            at
        };
        // Twice, so that words are new, and known.
        let mut one = reader();
        for _ in 0..2 {
            assert_eq!(one.read("a b\nc a b", true).unwrap(), Some(0));
            one.end_document().unwrap();
            assert_eq!(one.rows.n_events(), 1);
            assert_eq!(refused(one.read("a b\nc a b c a", true)), 10);
        }
        // Block after block: the words before are held.
        let mut one = reader();
        one.read_on("a b c").unwrap();
        assert_eq!(refused(one.read_on("a b c a").map(|()| None)), 4);
        let mut one = reader();
        let words = ["a"; 9];
        one.read_words(words[..5].iter().copied()).unwrap();
        let error = one.read_words(words.iter().copied()).unwrap_err();
        assert!(error.to_string().contains("contexts of at most 5 words"), "{error}");
        // A document that ends in time begins anew.
        let mut one = reader();
        for _ in 0..3 {
            one.read_words(words[..5].iter().copied()).unwrap();
            one.end_document().unwrap();
        }
        assert_eq!(one.rows.n_events(), 3);
    }
}
