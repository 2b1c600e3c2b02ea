//! Saving: events under another name, in the file that a writer would have written there.

use std::ops::Range;
use std::path::Path;

use super::EventFile;
use super::chunk_writer::SURVEYED;
use super::format::{HEADER, SURVEY};
use super::output::Output;
use crate::error::Result;
use crate::files::atomic::check_apart;
use crate::monitor::Monitor;
use crate::threads::available;

/// Bytes that are copied at a time.
const PIECE: usize = 4 << 20;

impl EventFile {
    /// Writes the events to a file, whole or not at all, and opens it. A file of many events gets its survey, which events in memory
    /// do not keep.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when the disk is full; the old file is then as it was. [`crate::error::Error::Argument`] when the
    /// path is that of these events.
    pub fn save(&self, path: &Path, monitor: &Monitor) -> Result<EventFile> {
        check_apart(Some(path), self.path())?;
        let mut header = *self.header();
        let length = header.length as usize;
        let [_, (_, has_parameters, parameters), (_, _, directory)] = header.behind_names();
        let mut survey = Vec::new();
        let mut names_end = length;
        if !header.has_survey() && header.n_chunks >= SURVEYED as u64 {
            names_end = if has_parameters { parameters } else { directory } as usize;
            self.survey(available(), monitor)?.encode(&mut survey)?;
            header.features |= SURVEY;
            header.survey = names_end as u64;
            header.parameters += if has_parameters { survey.len() as u64 } else { 0 };
            header.directory += survey.len() as u64;
            header.length += survey.len() as u64;
        }
        let mut out = Output::new(Some(path))?;
        out.write(&header.encode())?;
        self.copy(HEADER..names_end, &mut out, monitor)?;
        out.write(&survey)?;
        self.copy(names_end..length, &mut out, monitor)?;
        out.finish()
    }

    fn copy(&self, part: Range<usize>, out: &mut Output, monitor: &Monitor) -> Result<()> {
        let mut piece = Vec::new();
        for start in part.clone().step_by(PIECE) {
            monitor.check()?;
            piece.clear();
            self.read_part(start..part.end.min(start + PIECE), &mut piece)?;
            out.write(&piece)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::{Duplicates, EventWriter};
    use super::*;

    #[test]
    fn events_are_saved_as_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let monitor = Monitor::new();
        for (n, parameters) in [(3, None), (20 << 16, None), (20 << 16, Some("{}"))] {
            let written = |path: Option<&Path>| {
                let writer = EventWriter::new(path, Duplicates::Keep, None).unwrap();
                let mut writer = writer.with_parameters(parameters).unwrap();
                writer.add_names(["a", "b"].into_iter(), ["x"].into_iter()).unwrap();
                for i in 0..n {
                    writer.push(&[i % 2], &[0], 1 + i % 3).unwrap();
                }
                writer.finish().unwrap()
            };
            let path = |name| folder.path().join(name);
            let at_once = written(Some(&path("at once")));
            let kept = written(None).save(&path("saved"), &monitor).unwrap();
            assert_eq!(kept.header().has_survey(), n > 3);
            assert!(kept.bytes() == at_once.bytes());
            let again = kept.save(&path("again"), &monitor).unwrap();
            assert!(again.bytes() == at_once.bytes());
            again.verify(&monitor).unwrap();
            assert!(kept.save(&path("saved"), &monitor).is_err());
        }
    }
}
