//! Writes events as tables: the same events always give the same bytes.

use std::io::Write;
use std::path::Path;

use super::EventFile;
use crate::error::{Error, Result};
use crate::files::atomic::check_apart;
use crate::files::packed_text::{TextFile, is_csv};
use crate::memory::spell;
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// The bytes of text that are written at once.
const AT_ONCE: usize = 1 << 20;

/// How a table writes its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// As pyndl: tabs, nothing quoted.
    Tab,
    /// As R: commas, all names quoted.
    Csv,
}

impl EventFile {
    /// Writes the events as a table: `cues<TAB>outcomes`, names joined by `_`, and a third column `frequency` where a frequency
    /// is not 1. A path that ends in .csv gets commas and quotes, one in .gz, .xz, .zst or .zstd (.csv.gz too) is compressed.
    ///
    /// # Errors
    /// A message when a name cannot stand in a table; [`Error::Argument`] if `path` is the events' own file; [`Error::Io`], and
    /// the old file is then as it was.
    pub fn to_table(&self, path: &Path, monitor: &Monitor) -> Result<()> {
        check_apart(Some(path), self.path())?;
        let style = if is_csv(path) { Style::Csv } else { Style::Tab };
        self.check_names(style)?;
        monitor.set_total(self.len() * 2);
        let frequency = self.has_frequencies(monitor)?;
        let mut out = TextFile::create(path)?;
        self.write_table(style, true, frequency, monitor, |text| {
            out.write_all(text).map_err(Error::io(path, "write"))
        })?;
        out.finish(path)
    }

    /// Whether a frequency is not 1.
    fn has_frequencies(&self, monitor: &Monitor) -> Result<bool> {
        let mut found = false;
        for chunk in 0..self.n_chunks() {
            found |= !self.chunk(chunk)?.frequencies.is_empty();
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
        }
        Ok(found)
    }

    /// Refuses a name that cannot stand in a table.
    pub(crate) fn check_names(&self, style: Style) -> Result<()> {
        for (kind, vocab) in [("cue", self.cues()), ("outcome", self.outcomes())] {
            if let Some(name) = vocab.names().find(|name| !style.fits(name)) {
                let cure = match style {
                    Style::Tab => "names that are not empty and have no `_`, tab or line end, for a table",
                    Style::Csv => "names that are not empty and have no `_`, for a table",
                };
                return Err(Error::defect(
                    cure,
                    format!("the {kind} {name:?}"),
                    "save the events as a binary file instead, or rename it",
                ));
            }
        }
        Ok(())
    }

    /// Calls `write` with the text of a table, piece by piece.
    pub(crate) fn write_table(
        &self,
        style: Style,
        header: bool,
        frequency: bool,
        monitor: &Monitor,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut text = String::new();
        if header {
            style.header(frequency, &mut text)?;
        }
        for chunk in 0..self.n_chunks() {
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            self.for_each(events, |_, cues, outcomes, n| {
                style.cell(self.cues(), cues, &mut text)?;
                spell(&mut text, style.separator())?;
                style.cell(self.outcomes(), outcomes, &mut text)?;
                if frequency {
                    spell(&mut text, &format!("{}{n}", style.separator()))?;
                }
                spell(&mut text, "\n")?;
                if text.len() >= AT_ONCE {
                    write(text.as_bytes())?;
                    text.clear();
                }
                Ok(())
            })?;
        }
        write(text.as_bytes())
    }
}

impl Style {
    fn fits(self, name: &str) -> bool {
        let line_ends = match self {
            Style::Tab => &['\t', '\n', '\r'][..],
            Style::Csv => &[],
        };
        !name.is_empty() && !name.contains('_') && !name.contains(line_ends)
    }

    fn separator(self) -> &'static str {
        match self {
            Style::Tab => "\t",
            Style::Csv => ",",
        }
    }

    fn header(self, frequency: bool, text: &mut String) -> Result<()> {
        let names = match self {
            Style::Tab => ["cues\toutcomes", "\tfrequency"],
            Style::Csv => ["\"cues\",\"outcomes\"", ",\"frequency\""],
        };
        spell(text, names[0])?;
        if frequency {
            spell(text, names[1])?;
        }
        spell(text, "\n")
    }

    fn cell(self, vocab: &Vocab, ids: &[u32], text: &mut String) -> Result<()> {
        let quote = if self == Style::Csv { "\"" } else { "" };
        spell(text, quote)?;
        for (i, &id) in ids.iter().enumerate() {
            let name = vocab.name(id).unwrap_or_default();
            if i > 0 {
                spell(text, "_")?;
            }
            if self == Style::Csv && name.contains('"') {
                spell(text, &name.replace('"', "\"\""))?;
            } else {
                spell(text, name)?;
            }
        }
        spell(text, quote)
    }
}
