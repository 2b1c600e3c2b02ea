//! Text that is not in files: lines, or words that are found already.

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
    /// No lines yet, for a writer that is to be given at every step; work on long ones polls the monitor.
    ///
    /// # Errors
    /// When the corpus is not well described.
    pub fn new(corpus: &'c Corpus, writer: &EventWriter, monitor: &'c Monitor) -> Result<Self> {
        Ok(Self { reader: Reader::new(corpus, writer.duplicates(), monitor)? })
    }

    /// How many words are held of a context that the next word may end, or the end of the document does.
    pub fn waiting(&self, ends: bool) -> usize {
        if ends || self.reader.may_end() { self.reader.held() } else { 0 }
    }

    /// Takes a line, which may hold line ends, too; the last one may be missing.
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

    /// Takes a line of words, which stay as they are.
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

    /// Ends the document, which is the only one or the last one if nothing follows.
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
