//! Events under other names: names taken out, renamed, merged or made several; events of several files in a row.
//!
//! ```text
//! for each event:
//!     cues, outcomes = what their names become: none, one or several each
//!     goes when it had cues and has none any more; else it is written, with its frequency
//! ```
//!
//! Chunk after chunk is decoded and written, so memory depends on the names and on the types of events, not on how many
//! events there are.

use std::path::Path;

use super::EventFile;
use super::chunk::Lists;
use super::map::Bytes;
use super::write::{Duplicates, EventWriter, is_new, twice};
use crate::error::{Error, Place, Result};
use crate::monitor::Monitor;
use crate::text::EventSink;
use crate::vocab::Vocab;

/// What becomes of the cues of a file, or of its outcomes.
///
/// Invariant: the ids in `becomes` are those of `names`.
#[derive(Debug)]
pub struct Renaming {
    names: Vocab,
    becomes: Lists,
    duplicates: Duplicates,
}

impl Renaming {
    /// The new names, in the order of their ids, and for each old id the new ones. `duplicates` is for what an event has
    /// twice under the new names.
    ///
    /// # Errors
    /// [`Error::Argument`] for an id without a name.
    pub fn new(names: Vocab, becomes: Lists, duplicates: Duplicates) -> Result<Self> {
        match becomes.ids().iter().find(|&&id| id as usize >= names.len()) {
            Some(id) => Err(Error::Argument(format!("expected ids below {}, found {id}", names.len()))),
            None => Ok(Self { names, becomes, duplicates }),
        }
    }

    /// Every name stays what it is, as often as an event has it.
    pub fn none(names: &Vocab) -> Self {
        let mut becomes = Lists::default();
        (0..names.len() as u32).for_each(|id| becomes.push(&[id]));
        Self { names: names.clone(), becomes, duplicates: Duplicates::Keep }
    }

    /// Counts the new names among the tokens of a file, of which this is about the cues or about the outcomes.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged or a name comes twice and must not, [`Error::Stopped`].
    pub fn counts<B: AsRef<[u8]>>(
        &self,
        file: &EventFile<B>,
        of_cues: bool,
        monitor: &Monitor,
    ) -> Result<Vec<u64>> {
        monitor.set_total(file.len());
        let mut side = self.side(if of_cues { Side::cues } else { Side::outcomes });
        let mut counts = vec![0_u64; self.names.len()];
        for chunk in 0..file.n_chunks() {
            let events = file.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            file.for_each(events, |event, cues, outcomes, frequency| {
                for &id in side.rename(if of_cues { cues } else { outcomes }, event)? {
                    // At most one for each name in a file of fewer than 2^64 tokens, or so it says.
                    counts[id as usize] = counts[id as usize].saturating_add(frequency.into());
                }
                Ok(())
            })?;
        }
        Ok(counts)
    }

    fn side<'a>(&'a self, new: fn(&'a Vocab, &'a Lists, Duplicates) -> Side<'a>) -> Side<'a> {
        new(&self.names, &self.becomes, self.duplicates)
    }
}

/// The events of a file under other names, at a path or in memory.
///
/// # Errors
/// [`Error::Format`] when the file is damaged or a name comes twice and must not, [`Error::Io`], [`Error::Stopped`].
pub fn filter<B: AsRef<[u8]>>(
    file: &EventFile<B>,
    cues: &Renaming,
    outcomes: &Renaming,
    path: Option<&Path>,
    monitor: &Monitor,
) -> Result<EventFile<Bytes>> {
    monitor.set_total(file.len());
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?;
    writer.with_names(cues.names.names(), outcomes.names.names())?;
    append(file, cues.side(Side::cues), outcomes.side(Side::outcomes), &mut writer, monitor)?;
    writer.finish()
}

/// The events of several files one after another, at a path or in memory. The names are those of all, in order of first
/// appearance.
///
/// # Errors
/// As for [`filter`].
pub fn concat<B: AsRef<[u8]>>(
    files: &[&EventFile<B>],
    path: Option<&Path>,
    monitor: &Monitor,
) -> Result<EventFile<Bytes>> {
    monitor.set_total(files.iter().map(|file| file.len()).sum());
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?;
    let (mut cues, mut outcomes) = (Vocab::new(), Vocab::new());
    for file in files {
        // The writer gives ids as `merge` does.
        writer.with_names(file.cues().names(), file.outcomes().names())?;
        let becomes = [merge(&mut cues, file.cues())?, merge(&mut outcomes, file.outcomes())?];
        let cues = Side::cues(&cues, &becomes[0], Duplicates::Keep);
        append(file, cues, Side::outcomes(&outcomes, &becomes[1], Duplicates::Keep), &mut writer, monitor)?;
    }
    writer.finish()
}

/// Adds names to those there are, and says what their ids are there.
fn merge(all: &mut Vocab, names: &Vocab) -> Result<Lists> {
    let mut becomes = Lists::default();
    for name in names.names() {
        becomes.push(&[all.intern(name)?]);
    }
    Ok(becomes)
}

/// What is known of a type of events: nothing yet, that its events go, or the writer's token of it.
#[derive(Clone, Copy)]
enum Type {
    Unknown,
    Goes,
    Token(u32),
}

fn append<B: AsRef<[u8]>>(
    file: &EventFile<B>,
    mut cues: Side<'_>,
    mut outcomes: Side<'_>,
    writer: &mut EventWriter,
    monitor: &Monitor,
) -> Result<()> {
    let types = file.types()?;
    let mut known = vec![Type::Unknown; types.len()];
    for index in 0..file.n_chunks() {
        let (chunk, first) = (file.chunk(index)?, file.events_of(index).start);
        for i in 0..chunk.body.len() {
            if i % 1024 == 0 {
                monitor.check()?;
            }
            let frequency = chunk.frequency(i);
            let kind = chunk.body.token(i);
            match kind.map(|kind| known[kind as usize]) {
                Some(Type::Goes) => continue,
                Some(Type::Token(token)) if writer.again(token, frequency.into())? => continue,
                _ => {}
            }
            let (rows, row) = EventFile::<B>::row(&chunk, types, i);
            let event = first + i as u64;
            let old = rows.cues.get(row);
            let new = cues.rename(old, event)?;
            let goes = new.is_empty() && !old.is_empty();
            if !goes {
                writer.push(new, outcomes.rename(rows.outcomes.get(row), event)?, frequency)?;
            }
            if let Some(kind) = kind {
                known[kind as usize] =
                    if goes { Type::Goes } else { writer.token().map_or(Type::Unknown, Type::Token) };
            }
        }
        monitor.advance(chunk.body.len() as u64)?;
    }
    Ok(())
}

/// A renaming at work on one event after another.
struct Side<'a> {
    what: &'static str,
    names: &'a Vocab,
    becomes: &'a Lists,
    duplicates: Duplicates,
    /// The event that last had each new name.
    last: Vec<u64>,
    ids: Vec<u32>,
}

impl<'a> Side<'a> {
    fn cues(names: &'a Vocab, becomes: &'a Lists, duplicates: Duplicates) -> Self {
        Self { what: "cue", names, becomes, duplicates, last: Vec::new(), ids: Vec::new() }
    }

    /// Outcomes count once, unless twice is an error.
    fn outcomes(names: &'a Vocab, becomes: &'a Lists, duplicates: Duplicates) -> Self {
        let duplicates = if duplicates == Duplicates::Keep { Duplicates::Drop } else { duplicates };
        Self { what: "outcome", ..Self::cues(names, becomes, duplicates) }
    }

    /// The new ids of an event, in the order of the old ones.
    fn rename(&mut self, old: &[u32], event: u64) -> Result<&[u32]> {
        let Self { what, names, becomes, duplicates, last, ids } = self;
        ids.clear();
        for &id in old.iter().flat_map(|&id| becomes.get(id as usize)) {
            if *duplicates == Duplicates::Keep || is_new(last, id, event) {
                ids.push(id);
            } else if *duplicates == Duplicates::Error {
                let name = names.name(id).unwrap_or_default();
                return Err(twice(what, name).at(None, Some(Place::Event(event))));
            }
        }
        Ok(ids)
    }
}
