//! Events back to pyndl's table: the same events always give the same bytes.

use std::io::Write;
use std::path::Path;

use super::EventFile;
use super::atomic::{AtomicFile, check_apart};
use crate::error::{Error, Result};
use crate::grow::spell;
use crate::monitor::Monitor;
use crate::vocab::Vocab;

const TEXT: &str = "the text of a table";

/// So much text is written at once.
const AT_ONCE: usize = 1 << 20;

impl<B: AsRef<[u8]>> EventFile<B> {
    /// Writes the events as a table: `cues<TAB>outcomes`, names joined by `_`, and a third column `frequency` where a
    /// frequency is not 1.
    ///
    /// # Errors
    /// A defect when a name cannot stand in a table; [`Error::Argument`] for the file of the events themselves;
    /// [`Error::Io`], and the old file is then as it was.
    pub fn to_table(&self, path: &Path, monitor: &Monitor) -> Result<()> {
        check_apart(Some(path), self.path())?;
        for (kind, vocab) in [("cue", self.cues()), ("outcome", self.outcomes())] {
            if let Some(name) = vocab.names().find(|name| !fits(name)) {
                return Err(Error::defect(
                    "names that are not empty and have no `_`, tab or line end, for a table",
                    format!("the {kind} {name:?}"),
                    "save the events as a binary file instead, or rename it",
                ));
            }
        }
        monitor.set_total(self.len() * 2);
        let mut plain = true;
        for chunk in 0..self.n_chunks() {
            plain &= self.chunk(chunk)?.frequencies.is_empty();
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
        }
        let mut out = AtomicFile::create(path)?;
        let mut text = String::new();
        spell(&mut text, if plain { "cues\toutcomes\n" } else { "cues\toutcomes\tfrequency\n" }, TEXT)?;
        for chunk in 0..self.n_chunks() {
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            self.for_each(events, |_, cues, outcomes, frequency| {
                join(self.cues(), cues, &mut text)?;
                spell(&mut text, "\t", TEXT)?;
                join(self.outcomes(), outcomes, &mut text)?;
                if !plain {
                    spell(&mut text, &format!("\t{frequency}"), TEXT)?;
                }
                spell(&mut text, "\n", TEXT)?;
                if text.len() >= AT_ONCE {
                    out.write_all(text.as_bytes()).map_err(Error::io(path, "write"))?;
                    text.clear();
                }
                Ok(())
            })?;
        }
        out.write_all(text.as_bytes()).map_err(Error::io(path, "write"))?;
        out.finish()
    }
}

fn fits(name: &str) -> bool {
    !name.is_empty() && !name.contains(['_', '\t', '\n', '\r'])
}

fn join(vocab: &Vocab, ids: &[u32], text: &mut String) -> Result<()> {
    for (i, &id) in ids.iter().enumerate() {
        let name = vocab.name(id).unwrap_or_default();
        if i > 0 {
            spell(text, "_", TEXT)?;
        }
        spell(text, name, TEXT)?;
    }
    Ok(())
}
