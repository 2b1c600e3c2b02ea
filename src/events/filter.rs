//! Events with other names: names are removed, renamed, merged or split; cues and outcomes change places. Also the events of several
//! files, one after another.
//!
//! ```text
//! for each event:
//!     replace each cue and each outcome by its new names: none, one or several
//!     drop the event if it had cues and has none any more; else write it, with its frequency
//! ```
//!
//! Chunks are decoded and written one after another, so memory depends on the names and on the event types, not on the number of
//! events.

use std::path::Path;

use super::EventFile;
use super::duplicates::{Duplicates, EventNames};
use super::write::{EventWriter, Side};
use crate::error::{Error, Place, Result};
use crate::files::atomic::check_apart;
use crate::lists::Lists;
use crate::memory::{Grow, filled, gathered};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// The new names of the cues of a file, or of its outcomes.
///
/// Invariant: the ids in `becomes` are those of `names`.
#[derive(Debug)]
pub struct Renaming {
    names: Vocab,
    becomes: Lists,
    duplicates: Duplicates,
}

impl Renaming {
    /// From the new names, in the order of their ids, and the new ids of each old id. `duplicates` says what to do when an event
    /// has a new name twice.
    ///
    /// # Errors
    /// [`Error::Argument`] for an id without a name.
    pub fn new(names: Vocab, becomes: Lists, duplicates: Duplicates) -> Result<Self> {
        match becomes.items().iter().find(|&&id| id as usize >= names.len()) {
            Some(id) => Err(Error::Argument(format!("expected ids below {}, found {id}", names.len()))),
            None => Ok(Self { names, becomes, duplicates }),
        }
    }

    /// The renaming that keeps every name, also where an event has a name twice.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn none(names: &Vocab) -> Result<Self> {
        let mut becomes = Lists::default();
        (0..names.len() as u32).try_for_each(|id| becomes.push(&[id]))?;
        Ok(Self { names: Vocab::of(names.names())?, becomes, duplicates: Duplicates::Keep })
    }

    /// Counts the new names of the cues, or of the outcomes, among the tokens of a file.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged or a refused duplicate comes, [`Error::Stopped`].
    pub fn counts(&self, file: &EventFile, of_cues: bool, monitor: &Monitor) -> Result<Vec<u64>> {
        monitor.set_total(file.len());
        let mut side = self.side(if of_cues { "cue" } else { "outcome" });
        let mut counts = filled(0_u64, self.names.len())?;
        for chunk in 0..file.n_chunks() {
            let events = file.events_of(chunk);
            monitor.advance(events.end - events.start)?;
            file.for_each(events, |event, cues, outcomes, frequency| {
                if event % 1024 == 0 {
                    monitor.check()?;
                }
                for &id in side.rename(if of_cues { cues } else { outcomes }, event)? {
                    // Sums of a real file stay far below 2^64; a forged file may claim more.
                    counts[id as usize] = counts[id as usize].saturating_add(frequency.into());
                }
                Ok(())
            })?;
        }
        Ok(counts)
    }

    fn side(&self, what: &'static str) -> RenamedSide<'_> {
        RenamedSide { renaming: self, event: EventNames::new(what, self.duplicates) }
    }
}

/// Writes the events of a file under other names, to a path or into memory.
///
/// # Errors
/// [`Error::Format`] when the file is damaged or a refused duplicate comes, [`Error::Argument`] when the path is that of the file,
/// [`Error::Io`], [`Error::Stopped`].
pub fn filter(
    file: &EventFile,
    cues: &Renaming,
    outcomes: &Renaming,
    path: Option<&Path>,
    parameters: Option<&str>,
    monitor: &Monitor,
) -> Result<EventFile> {
    check_apart(path, file.path())?;
    monitor.set_total(file.len());
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?.with_parameters(parameters)?;
    writer.add_names(cues.names.names(), outcomes.names.names())?;
    let (mut cues, mut outcomes) = (cues.side("cue"), outcomes.side("outcome"));
    push_each(file, &mut writer, monitor, |writer, event, (old, named), frequency| {
        let new = cues.rename(old, event)?;
        let stays = old.is_empty() || !new.is_empty();
        if stays {
            writer.push(new, outcomes.rename(named, event)?, frequency)?;
        }
        Ok(stays)
    })?;
    writer.finish_watched(monitor)
}

/// Writes the events of several files one after another, to a path or into memory. The result has the names of all files, in the
/// order of their first appearance.
///
/// # Errors
/// As for [`filter`].
pub fn concat(
    files: &[&EventFile],
    path: Option<&Path>,
    parameters: Option<&str>,
    monitor: &Monitor,
) -> Result<EventFile> {
    check_apart(path, files.iter().filter_map(|file| file.path()))?;
    monitor.set_total(files.iter().map(|file| file.len()).sum());
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?.with_parameters(parameters)?;
    let (mut cues, mut outcomes) = (Vec::new(), Vec::new());
    for file in files {
        let new_cues = gathered(file.cues().names().map(|name| writer.id(Side::Cue, name)))?;
        let new_outcomes = gathered(file.outcomes().names().map(|name| writer.id(Side::Outcome, name)))?;
        push_each(file, &mut writer, monitor, |writer, _, (old_cues, old_outcomes), frequency| {
            for (ids, old, new) in
                [(&mut cues, old_cues, &new_cues), (&mut outcomes, old_outcomes, &new_outcomes)]
            {
                ids.clear();
                ids.make_room(old.len())?;
                ids.extend(old.iter().map(|&id| new[id as usize]));
            }
            writer.push(&cues, &outcomes, frequency).map(|()| true)
        })?;
    }
    writer.finish_watched(monitor)
}

/// Writes the events of a file with outcomes as cues and cues as outcomes, to a path or into memory.
///
/// # Errors
/// As for [`filter`].
pub fn swap(
    file: &EventFile,
    path: Option<&Path>,
    parameters: Option<&str>,
    monitor: &Monitor,
) -> Result<EventFile> {
    check_apart(path, file.path())?;
    monitor.set_total(file.len());
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?.with_parameters(parameters)?;
    writer.add_names(file.outcomes().names(), file.cues().names())?;
    push_each(file, &mut writer, monitor, |writer, _, (cues, outcomes), frequency| {
        writer.push(outcomes, cues, frequency).map(|()| true)
    })?;
    writer.finish_watched(monitor)
}

/// What becomes of the events of a type: not known yet, they are dropped, or they are written under this key of the writer.
#[derive(Clone, Copy)]
enum Type {
    Unknown,
    Dropped,
    Key(u32),
}

/// Calls `push` with the number of an event, its cues and outcomes, and its frequency. It writes the event or drops it, as its type
/// says, and returns whether it was written. For most events it need not be called, since another of their type came before.
fn push_each(
    file: &EventFile,
    writer: &mut EventWriter,
    monitor: &Monitor,
    mut push: impl FnMut(&mut EventWriter, u64, (&[u32], &[u32]), u32) -> Result<bool>,
) -> Result<()> {
    let types = file.types()?;
    let mut known = filled(Type::Unknown, types.len())?;
    for index in 0..file.n_chunks() {
        let (chunk, first) = (file.chunk(index)?, file.events_of(index).start);
        for i in 0..chunk.body.len() {
            if i % 1024 == 0 {
                monitor.check()?;
            }
            let frequency = chunk.frequency(i);
            let event_type = chunk.body.type_of(i);
            match event_type.map(|event_type| known[event_type as usize]) {
                Some(Type::Dropped) => continue,
                Some(Type::Key(key)) if writer.event_again(key, frequency.into())? => continue,
                _ => {}
            }
            let stays = push(writer, first + i as u64, EventFile::row(&chunk, types, i), frequency)?;
            if let Some(event_type) = event_type {
                known[event_type as usize] =
                    if stays { writer.key().map_or(Type::Unknown, Type::Key) } else { Type::Dropped };
            }
        }
        monitor.advance(chunk.body.len() as u64)?;
    }
    Ok(())
}

/// Renames one event after another.
struct RenamedSide<'a> {
    renaming: &'a Renaming,
    event: EventNames,
}

impl RenamedSide<'_> {
    /// The new ids of an event, in the order of the old ones.
    fn rename(&mut self, old: &[u32], number: u64) -> Result<&[u32]> {
        let Self { renaming: Renaming { names, becomes, .. }, event } = self;
        event.ids.clear();
        for &id in old {
            let added = event.add(becomes.get(id as usize), number, names);
            added.map_err(|error| error.at(None, Some(Place::Event(number))))?;
        }
        Ok(&event.ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::format::CHUNK_EVENTS;
    use proptest::prelude::*;

    type Row = (Vec<u32>, Vec<u32>, u32);

    const NAMES: u32 = 6;

    fn vocab(n: u32) -> Vocab {
        Vocab::of((0..n).map(|i| i.to_string())).unwrap()
    }

    fn file(events: &[Row]) -> EventFile {
        EventFile::of_rows(NAMES, events.iter().cloned())
    }

    fn renaming(becomes: &[Vec<u32>], duplicates: Duplicates) -> Renaming {
        let mut lists = Lists::default();
        becomes.iter().for_each(|ids| lists.push(ids).unwrap());
        Renaming::new(vocab(NAMES), lists, duplicates).unwrap()
    }

    /// The new names of an event's cues, or of its outcomes, and whether one came twice.
    fn renamed(old: &[u32], becomes: &[Vec<u32>], keep: bool) -> (Vec<u32>, bool) {
        let all: Vec<u32> = old.iter().flat_map(|&id| becomes[id as usize].clone()).collect();
        let mut once: Vec<u32> = Vec::new();
        all.iter().for_each(|id| {
            if !once.contains(id) {
                once.push(*id)
            }
        });
        let twice = once.len() < all.len();
        (if keep { all } else { once }, twice)
    }

    fn ids() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0..NAMES, 0..4)
    }

    fn events() -> impl Strategy<Value = Vec<Row>> {
        let event = || (ids(), ids(), 0_u32..3);
        let varied = prop::collection::vec(event(), 0..20);
        let types = prop::collection::vec(event(), 1..4);
        let repeated = types.prop_flat_map(|types| prop::collection::vec(prop::sample::select(types), 0..40));
        prop_oneof![varied, repeated]
    }

    fn becomes() -> impl Strategy<Value = Vec<Vec<u32>>> {
        prop::collection::vec(prop::collection::vec(0..NAMES, 0..3), NAMES as usize)
    }

    fn policy() -> impl Strategy<Value = Duplicates> {
        prop::sample::select(vec![Duplicates::Drop, Duplicates::Keep, Duplicates::Error])
    }

    proptest! {
        #[test]
        fn each_event_is_renamed_by_itself(
            events in events(), cues in becomes(), outcomes in becomes(), policy in policy(), on_disk in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = on_disk.then(|| folder.path().join("filtered"));
            let (mut expected, mut counts, mut refused) = (Vec::new(), [0; 2 * NAMES as usize], false);
            for (old_cues, old_outcomes, n) in &events {
                let (new_cues, cue_twice) = renamed(old_cues, &cues, policy == Duplicates::Keep);
                let (new_outcomes, outcome_twice) = renamed(old_outcomes, &outcomes, policy == Duplicates::Keep);
                let goes = new_cues.is_empty() && !old_cues.is_empty();
                refused |= cue_twice || outcome_twice && !goes;
                new_cues.iter().for_each(|&id| counts[id as usize] += u64::from(*n));
                new_outcomes.iter().for_each(|&id| counts[(NAMES + id) as usize] += u64::from(*n));
                if !goes {
                    expected.push((new_cues, new_outcomes, *n));
                }
            }
            let file = file(&events);
            let [cues, outcomes] = [renaming(&cues, policy), renaming(&outcomes, policy)];
            match filter(&file, &cues, &outcomes, path.as_deref(), None, &Monitor::new()) {
                Err(error) => {
                    prop_assert!(refused && policy == Duplicates::Error, "{}", error);
                    prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
                }
                Ok(filtered) => {
                    prop_assert!(!(refused && policy == Duplicates::Error));
                    prop_assert_eq!(filtered.rows(), expected);
                    prop_assert_eq!(filtered.path(), path.as_deref());
                    filtered.verify(&Monitor::new()).unwrap();
                    if policy != Duplicates::Error {
                        let monitor = Monitor::new();
                        prop_assert_eq!(cues.counts(&file, true, &monitor).unwrap(), &counts[..NAMES as usize]);
                        prop_assert_eq!(outcomes.counts(&file, false, &monitor).unwrap(), &counts[NAMES as usize..]);
                    }
                }
            }
        }

        #[test]
        fn parts_one_after_another_are_the_whole(events in events(), at in any::<prop::sample::Index>()) {
            let at = at.index(events.len() + 1);
            let (whole, parts) = (file(&events), [file(&events[..at]), file(&events[at..])]);
            let joined = concat(&[&parts[0], &parts[1]], None, None, &Monitor::new()).unwrap();
            prop_assert_eq!(joined.bytes(), whole.bytes());
        }
    }

    /// Events over three chunks, of few types or of as many types as events. One outcome comes once in a chunk, always at the
    /// same place.
    fn large(n_types: u32) -> EventFile {
        let event = |i: u32| {
            let event_type = i % n_types;
            let outcome = if i % CHUNK_EVENTS as u32 == 5 { 499 } else { event_type % 7 };
            (vec![event_type % 499, event_type / 499, event_type % 499], vec![outcome], 1 + i % 3)
        };
        EventFile::of_rows(500, (0..150_000).map(event))
    }

    #[test]
    fn nothing_changes_without_a_renaming_in_either_encoding() {
        for n_types in [1000, 150_000] {
            let file = large(n_types);
            assert_eq!(file.header().has_types(), n_types == 1000);
            let (cues, outcomes) =
                (Renaming::none(file.cues()).unwrap(), Renaming::none(file.outcomes()).unwrap());
            let monitor = Monitor::new();
            let filtered = filter(&file, &cues, &outcomes, None, None, &monitor).unwrap();
            assert!(filtered.bytes() == file.bytes());
            assert_eq!(monitor.progress(), (150_000, 150_000));
            assert_eq!(cues.counts(&file, true, &Monitor::new()).unwrap(), file.cues().counts());
            assert!(concat(&[&file], None, None, &Monitor::new()).unwrap().bytes() == file.bytes());
        }
    }

    #[test]
    fn what_is_swapped_twice_is_as_it_was_in_either_encoding() {
        for n_types in [1000, 150_000] {
            let file = large(n_types);
            let swapped = swap(&file, None, None, &Monitor::new()).unwrap();
            let expected = file.rows().into_iter().map(|(cues, outcomes, n)| (outcomes, cues, n));
            assert!(swapped.rows() == expected.collect::<Vec<_>>());
            let monitor = Monitor::new();
            assert!(swap(&swapped, None, None, &monitor).unwrap().bytes() == file.bytes());
            assert_eq!(monitor.progress(), (150_000, 150_000));
            monitor.stop();
            assert!(matches!(swap(&file, None, None, &monitor), Err(Error::Stopped)));
        }
    }

    #[test]
    fn names_of_later_files_come_behind_those_of_earlier_ones() {
        let files: Vec<_> = ["b_a", "a_c", "c_b"]
            .map(|names| {
                let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
                names.split('_').for_each(|name| writer.cue(name).unwrap());
                writer.end_event(1).unwrap();
                writer.finish().unwrap()
            })
            .into();
        let joined = concat(&files.iter().collect::<Vec<_>>(), None, None, &Monitor::new()).unwrap();
        assert_eq!(joined.cues().names().collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(
            joined.rows().iter().map(|event| event.0.clone()).collect::<Vec<_>>(),
            [[0, 1], [1, 2], [2, 0]]
        );
        assert_eq!(joined.cues().counts(), [2, 2, 2]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let file = EventFile::of_rows(2, [(vec![0], vec![], 1), (vec![0, 1], vec![], 1)]);
        let mut lists = Lists::default();
        lists.push(&[0, 1]).unwrap();
        assert!(matches!(Renaming::new(vocab(1), lists.clone(), Duplicates::Drop), Err(Error::Argument(_))));
        lists.push(&[1]).unwrap();
        let (both, none) = (
            Renaming::new(vocab(2), lists, Duplicates::Error).unwrap(),
            Renaming::none(file.outcomes()).unwrap(),
        );
        let error = filter(&file, &both, &none, None, None, &Monitor::new()).unwrap_err().to_string();
        assert!(
            error.starts_with("event 1: expected every cue of an event once, found \"1\" twice; let"),
            "{error}"
        );
        let monitor = Monitor::new();
        monitor.stop();
        assert!(matches!(filter(&file, &both, &none, None, None, &monitor), Err(Error::Stopped)));
        assert!(matches!(both.counts(&file, true, &monitor), Err(Error::Stopped)));
        assert!(matches!(concat(&[&file], None, None, &monitor), Err(Error::Stopped)));
    }
}
