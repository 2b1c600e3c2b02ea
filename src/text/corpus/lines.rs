//! Text that is not in files: lines, or lists of words.

use super::options::Corpus;
use super::reader::Reader;
use crate::error::Result;
use crate::events::write::EventWriter;
use crate::monitor::Monitor;

/// Makes events of lines as they come.
pub struct Lines<'c> {
    reader: Reader<'c>,
}

impl<'c> Lines<'c> {
    /// Begins without lines. Every call must give the same writer. Long lines are read under the monitor.
    ///
    /// # Errors
    /// When the corpus is not well described.
    pub fn new(corpus: &'c Corpus, writer: &EventWriter, monitor: &'c Monitor) -> Result<Self> {
        Ok(Self { reader: Reader::new(corpus, writer.duplicates(), monitor)? })
    }

    /// How many words are held of a context, if the next word may end it, or if the document `ends`.
    pub fn waiting(&self, ends: bool) -> usize {
        if ends || self.reader.may_end() { self.reader.held() } else { 0 }
    }

    /// Takes a line, or several; the last line end may be missing.
    ///
    /// # Errors
    /// When a word is unknown, or the writer refuses; the caller knows the place.
    pub fn line(&mut self, line: &str, writer: &mut EventWriter) -> Result<()> {
        self.reader.read_on(line).map_err(|(_, error)| error)?;
        if !line.ends_with(['\n', '\r']) {
            self.reader.end_line();
        }
        self.deliver(writer)
    }

    /// Takes a line as its words, which are not changed.
    ///
    /// # Errors
    /// As for [`Lines::line`].
    pub fn words<'w>(
        &mut self,
        words: impl Iterator<Item = &'w str>,
        writer: &mut EventWriter,
    ) -> Result<()> {
        self.reader.read_words(words)?;
        self.reader.end_line();
        self.deliver(writer)
    }

    /// Ends the document. Another may follow.
    ///
    /// # Errors
    /// As for [`Lines::line`].
    pub fn finish(&mut self, writer: &mut EventWriter) -> Result<()> {
        self.reader.end_document()?;
        self.deliver(writer)
    }

    fn deliver(&mut self, writer: &mut EventWriter) -> Result<()> {
        self.reader.deliver(writer).map_err(|(_, error)| error)
    }
}
