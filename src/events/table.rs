//! Events back to pyndl's table: the same events always give the same bytes.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::EventFile;
use super::atomic::{AtomicFile, check_apart};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

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
        let mut out = BufWriter::with_capacity(1 << 20, AtomicFile::create(path)?);
        let mut line = String::from(if plain { "cues\toutcomes\n" } else { "cues\toutcomes\tfrequency\n" });
        for chunk in 0..self.n_chunks() {
            let events = self.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            self.for_each(events, |_, cues, outcomes, frequency| {
                join(self.cues(), cues, &mut line);
                line.push('\t');
                join(self.outcomes(), outcomes, &mut line);
                if !plain {
                    line.push('\t');
                    line.push_str(&frequency.to_string());
                }
                line.push('\n');
                out.write_all(line.as_bytes()).map_err(Error::io(path, "write"))?;
                line.clear();
                Ok(())
            })?;
        }
        out.write_all(line.as_bytes()).map_err(Error::io(path, "write"))?;
        out.into_inner().map_err(|error| Error::io(path, "write")(error.into_error()))?.finish()
    }
}

fn fits(name: &str) -> bool {
    !name.is_empty() && !name.contains(['_', '\t', '\n', '\r'])
}

fn join(vocab: &Vocab, ids: &[u32], line: &mut String) {
    for (i, &id) in ids.iter().enumerate() {
        if i > 0 {
            line.push('_');
        }
        line.push_str(vocab.name(id).unwrap_or_default());
    }
}
