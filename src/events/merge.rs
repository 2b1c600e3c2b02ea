//! Equal events become one. Events are equal if they have the same cues and the same outcomes, in any order, each equally often.
//!
//! ```text
//! for each event:
//!     find its number, by its sorted cues and outcomes; add its frequency to the sum of the number
//! for each number:
//!     write the event that had it first, with the sum
//! ```
//!
//! Chunks are decoded one after another, twice, so memory depends on the names and on how many events differ.

use std::path::Path;
use std::str::FromStr;

use super::EventFile;
use super::write::{Duplicates, EventWriter};
use crate::error::{Error, Place, Result};
use crate::files::atomic::check_apart;
use crate::lists::DistinctLists;
use crate::memory::{Grow, filled};
use crate::monitor::{Monitor, Pulse};

/// The work of sorting, finding or writing a name, in the units of [`Pulse`].
const NAME: usize = 16;

/// The frequency of an event that stands for all that equal it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// The sum of their frequencies.
    Sum,
    /// 1; or 0 if all their frequencies are 0.
    One,
}

impl FromStr for Merged {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "sum" => Ok(Merged::Sum),
            "one" => Ok(Merged::One),
            _ => {
                Err(Error::Argument(format!("expected frequencies to be \"sum\" or \"one\", found {word:?}")))
            }
        }
    }
}

impl Merged {
    /// The frequency by the sum, for events of which `first` is the first.
    fn frequency(self, sum: u64, first: u64) -> Result<u32> {
        let wanted = if self == Merged::One { sum.min(1) } else { sum };
        u32::try_from(wanted).map_err(|_| {
            let error = Error::defect(
                "equal events whose frequencies sum to at most 4,294,967,295",
                sum.to_string(),
                "let frequencies be \"one\", or divide all frequencies",
            );
            error.at(None, Some(Place::Event(first)))
        })
    }
}

/// Writes each event that differs from all before it, under all the names of the file, to a path or into memory.
///
/// # Errors
/// [`Error::Format`] when the file is damaged or a sum too large, [`Error::Argument`] when the path is that of the file,
/// [`Error::Io`], [`Error::Stopped`].
pub fn merge(
    file: &EventFile,
    merged: Merged,
    path: Option<&Path>,
    parameters: Option<&str>,
    monitor: &Monitor,
) -> Result<EventFile> {
    check_apart(path, file.path())?;
    monitor.set_total(file.len().saturating_mul(2));
    let mut writer = EventWriter::new(path, Duplicates::Keep, None)?.with_parameters(parameters)?;
    writer.add_names(file.cues().names(), file.outcomes().names())?;
    let different = Different::of(file, monitor)?;
    let (types, mut pulse) = (file.types()?, Pulse::default());
    let mut events = different.first.iter().copied().zip(different.sums).peekable();
    for index in 0..file.n_chunks() {
        let rows = file.events_of(index);
        if events.peek().is_some_and(|(event, _)| rows.contains(event)) {
            let chunk = file.chunk(index)?;
            while let Some((event, sum)) = events.next_if(|(event, _)| rows.contains(event)) {
                let (cues, outcomes) = EventFile::row(&chunk, types, (event - rows.start) as usize);
                pulse.beat(NAME * (1 + cues.len() + outcomes.len()), monitor)?;
                writer.push(cues, outcomes, merged.frequency(sum, event)?)?;
            }
        }
        monitor.advance(rows.end - rows.start)?;
    }
    writer.finish_watched(monitor)
}

/// The events that differ. Each has a number, in the order in which they came.
#[derive(Default)]
struct Different {
    /// For each number the first event that had it. They rise.
    first: Vec<u64>,
    /// For each number the sum of the frequencies.
    sums: Vec<u64>,
}

impl Different {
    fn of(file: &EventFile, monitor: &Monitor) -> Result<Self> {
        let mut different = Self::default();
        let (mut known, mut sorted, mut pulse) = (DistinctLists::default(), Vec::new(), Pulse::default());
        let types = file.types()?;
        let mut numbers: Vec<Option<u32>> = filled(None, types.len())?;
        for index in 0..file.n_chunks() {
            let (chunk, start) = (file.chunk(index)?, file.events_of(index).start);
            for i in 0..chunk.body.len() {
                pulse.beat(NAME, monitor)?;
                let event_type = chunk.body.type_of(i).map(|event_type| event_type as usize);
                let number = match event_type.and_then(|event_type| numbers[event_type]) {
                    Some(number) => number,
                    None => {
                        let (cues, outcomes) = EventFile::row(&chunk, types, i);
                        pulse.beat(NAME * (cues.len() + outcomes.len()), monitor)?;
                        sort(cues, outcomes, &mut sorted)?;
                        let (number, is_new) = known.intern(&sorted)?;
                        if is_new {
                            different.first.grow(start + i as u64)?;
                            different.sums.grow(0)?;
                        }
                        number
                    }
                };
                if let Some(event_type) = event_type {
                    numbers[event_type] = Some(number);
                }
                // What is beyond 2^64 is too large for a frequency, too.
                let sum = &mut different.sums[number as usize];
                *sum = sum.saturating_add(chunk.frequency(i).into());
            }
            monitor.advance(chunk.body.len() as u64)?;
        }
        Ok(different)
    }
}

/// Makes one list of an event that is the same for equal events only: how many cues there are, the cues, the outcomes.
fn sort(cues: &[u32], outcomes: &[u32], sorted: &mut Vec<u32>) -> Result<()> {
    sorted.clear();
    // A chunk counts its cues by u32.
    sorted.grow(cues.len() as u32)?;
    sorted.grow_by(cues)?;
    sorted.grow_by(outcomes)?;
    let (cues, outcomes) = sorted[1..].split_at_mut(cues.len());
    cues.sort_unstable();
    outcomes.sort_unstable();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::format::CHUNK_EVENTS;

    type Row = (Vec<u32>, Vec<u32>, u32);

    /// So many events that differ, each three times: as it is, with its cues turned round, and as it is.
    fn thrice(n: u32) -> impl Iterator<Item = Row> {
        let event = |i: u32| (vec![i / 250, 250 + i % 250, i / 250], vec![i % 7], 1 + i % 3);
        let turned =
            move |i| (event(i).0.into_iter().rev().skip(1).chain([i / 250]).collect(), vec![i % 7], 5);
        (0..n).map(event).chain((0..n).map(turned)).chain((0..n).map(event))
    }

    #[test]
    fn equal_events_become_one_in_either_encoding() {
        for n in [300, 60_000] {
            // One that comes twice, in full and over several chunks; one of types.
            let events = thrice(n).chain(thrice(if n == 300 { n } else { 0 }));
            let (file, times) = (EventFile::of_rows(500, events), if n == 300 { 2 } else { 1 });
            assert_eq!(
                (file.header().has_types(), file.n_chunks() > 2),
                (n == 300, n > CHUNK_EVENTS as u32 / 2)
            );
            let monitor = Monitor::new();
            let sums = merge(&file, Merged::Sum, None, None, &monitor).unwrap();
            assert_eq!(monitor.progress(), (2 * file.len(), 2 * file.len()));
            sums.verify(&Monitor::new()).unwrap();
            let mut expected: Vec<Row> = thrice(n).take(n as usize).collect();
            expected.iter_mut().for_each(|event| event.2 = times * (2 * event.2 + 5));
            assert!(sums.rows() == expected);
            assert_eq!(sums.cues().counts(), file.cues().counts());
            let ones = merge(&file, Merged::One, None, None, &Monitor::new()).unwrap();
            expected.iter_mut().for_each(|event| event.2 = 1);
            assert!(ones.rows() == expected);
        }
    }

    #[test]
    fn cues_are_no_outcomes_and_a_cue_twice_is_another_event() {
        let events: [Row; 6] = [
            (vec![1, 0], vec![], 0),
            (vec![1], vec![0], 2),
            (vec![0, 1, 0], vec![], 3),
            (vec![0, 1], vec![], 0),
            (vec![], vec![1, 0], 4),
            (vec![0, 0, 1], vec![], 5),
        ];
        let file = EventFile::of_rows(2, events.iter().cloned());
        let mut expected = [events[0].clone(), events[1].clone(), events[2].clone(), events[4].clone()];
        expected[2].2 = 8;
        assert_eq!(merge(&file, Merged::Sum, None, None, &Monitor::new()).unwrap().rows(), expected);
        expected.iter_mut().for_each(|event| event.2 = event.2.min(1));
        assert_eq!(merge(&file, Merged::One, None, None, &Monitor::new()).unwrap().rows(), expected);
    }

    #[test]
    fn a_sum_that_is_no_frequency_and_a_stop_are_errors() {
        let rows = [(vec![1], vec![], 1), (vec![0], vec![], u32::MAX), (vec![0], vec![], 1)];
        let file = EventFile::of_rows(2, rows);
        let error = merge(&file, Merged::Sum, None, None, &Monitor::new()).map(drop).unwrap_err().to_string();
        assert!(error.starts_with("event 1: ") && error.contains("found 4294967296; let"), "{error}");
        assert!(merge(&file, Merged::One, None, None, &Monitor::new()).is_ok());
        let monitor = Monitor::new();
        monitor.stop();
        assert!(matches!(merge(&file, Merged::One, None, None, &monitor), Err(Error::Stopped)));
        assert!(matches!("sums".parse::<Merged>(), Err(Error::Argument(_))));
    }
}
