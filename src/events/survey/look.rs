//! Looking at all events: each thread at consecutive chunks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::part::Part;
use super::summary::{Position, Survey, Totals};
use crate::error::Result;
use crate::events::file::EventFile;
use crate::memory::{collected, filled, gathered, short};
use crate::monitor::Monitor;
use crate::threads::each;

/// The fewest chunks that a thread surveys.
const LEAST: usize = 4;
/// The most threads that survey a file. Each needs memory for lists of all names.
const PARTS: usize = 16;

impl EventFile {
    /// The survey: the one that the file keeps, or one that is made on `threads` threads. It is made once and remembered.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] when a part of the file is damaged; [`crate::error::Error::Stopped`].
    pub(crate) fn survey(&self, threads: usize, monitor: &Monitor) -> Result<&Survey> {
        if let Some(survey) = self.0.survey.get() {
            return Ok(survey);
        }
        let survey = match self.kept_survey()? {
            Some(survey) => survey,
            None => Survey::look(self, threads, monitor)?,
        };
        Ok(self.0.survey.get_or_init(|| survey))
    }
}

impl Survey {
    /// Surveys all events.
    ///
    /// # Errors
    /// Those of decoding; [`crate::error::Error::Stopped`].
    pub(crate) fn look(file: &EventFile, threads: usize, monitor: &Monitor) -> Result<Self> {
        Self::in_parts(file, threads.min(PARTS).min(file.n_chunks() / LEAST).max(1), monitor)
    }

    /// Surveys all events by a number of threads, each of which has consecutive chunks.
    fn in_parts(file: &EventFile, n: usize, monitor: &Monitor) -> Result<Self> {
        let parts = collected((0..n).map(|_| Mutex::new(None)))?;
        let bound = |part: usize| file.n_chunks() * part / n;
        each(
            n,
            n,
            || Ok(()),
            |(), i| {
                let part = Part::of(file, bound(i)..bound(i + 1), monitor)?;
                *parts[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(part);
                Ok(())
            },
        )?;
        let parts =
            parts.into_iter().filter_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        Self::joined(file, parts)
    }

    /// Joins the surveys of consecutive parts.
    fn joined(file: &EventFile, parts: impl Iterator<Item = Part>) -> Result<Self> {
        let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
        let mut survey = Self {
            first: filled(None, n_outcomes)?,
            after_last: filled(Position::default(), n_cues)?,
            cue_twins: filled(0, n_cues)?,
            outcome_twins: filled(0, n_outcomes)?,
            totals: Totals::default(),
        };
        let mut before = Position::default();
        for part in parts {
            for (first, found) in survey.first.iter_mut().zip(part.first) {
                *first = first.or(found.map(|position| position.after(before)));
            }
            for (last, found) in survey.after_last.iter_mut().zip(part.after_last) {
                *last = found.map_or(*last, |position| position.after(before));
            }
            let twins = [part.cue_twins.least()?, part.outcome_twins.least()?];
            [survey.cue_twins, survey.outcome_twins] = if before == Position::default() {
                // Nothing is known yet that would part any names.
                twins
            } else {
                [
                    common_classes(&survey.cue_twins, &twins[0])?,
                    common_classes(&survey.outcome_twins, &twins[1])?,
                ]
            };
            let Totals { slots, names, squares, visits } = part.totals;
            let totals = &mut survey.totals;
            totals.slots = totals.slots.saturating_add(slots);
            totals.names = totals.names.saturating_add(names);
            totals.squares = totals.squares.max(squares);
            totals.visits = totals.visits.saturating_add(visits);
            before = part.end.after(before);
        }
        Ok(survey)
    }
}

/// The classes of names that are together in both of two partitions. In all three, a class is given by its first name.
pub(crate) fn common_classes(one: &[u32], other: &[u32]) -> Result<Vec<u32>> {
    let mut first = HashMap::new();
    gathered((0..).zip(one.iter().zip(other)).map(|(name, classes)| {
        first.try_reserve(1).map_err(|_| short::<[u32; 3]>(2 * first.len() + 1))?;
        Ok(*first.entry(classes).or_insert(name))
    }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::events::write::{Duplicates, EventWriter};
    use proptest::prelude::*;

    /// Events of few names, each with a frequency.
    pub(in super::super) type Events = Vec<(Vec<u32>, Vec<u32>, u32)>;

    const NAMES: u32 = 6;

    pub(in super::super) fn events() -> impl Strategy<Value = Events> {
        let ids = || prop::collection::vec(0..NAMES, 0..4);
        let event = || (ids(), ids(), 0..4_u32);
        let varied = prop::collection::vec(event(), 0..30);
        let types = prop::collection::vec(event(), 1..4);
        let repeated = types.prop_flat_map(|types| prop::collection::vec(prop::sample::select(types), 0..40));
        prop_oneof![varied, repeated]
    }

    fn written(events: &Events, times: usize, plain: bool) -> EventFile {
        write(EventWriter::new(None, Duplicates::Keep, None).unwrap(), events, times, plain)
    }

    pub(in super::super) fn write(
        mut writer: EventWriter,
        events: &Events,
        times: usize,
        plain: bool,
    ) -> EventFile {
        let names: Vec<String> = (0..NAMES).map(|name| name.to_string()).collect();
        let names = || names.iter().map(String::as_str);
        writer.add_names(names(), names()).unwrap();
        for (cues, outcomes, frequency) in std::iter::repeat_n(events, times).flatten() {
            writer.push(cues, outcomes, if plain { 1 } else { *frequency }).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The survey by its definition, in the simplest code.
    fn expected(events: &Events, has_types: bool) -> Survey {
        let mut survey = Survey {
            first: vec![None; NAMES as usize],
            after_last: vec![Position::default(); NAMES as usize],
            ..Survey::default()
        };
        let (mut tokens, mut slots) = (0, 0);
        for (i, (cues, outcomes, frequency)) in (0..).zip(events) {
            let distinct = (0..NAMES).filter(|name| outcomes.contains(name)).count();
            survey.totals.names += (cues.len() + distinct) as u64;
            if *frequency == 0 {
                continue;
            }
            for &outcome in outcomes {
                survey.first[outcome as usize].get_or_insert(Position { events: i, tokens, slots });
            }
            tokens += u64::from(*frequency);
            slots += u64::from(*frequency) * cues.len() as u64;
            for &cue in cues {
                survey.after_last[cue as usize] = Position { events: i + 1, tokens, slots };
            }
            let times = |name: u32| cues.iter().filter(|cue| **cue == name).count() as u64;
            survey.totals.squares =
                survey.totals.squares.max((0..NAMES).map(|name| times(name).pow(2)).sum());
        }
        survey.totals.slots = slots;
        let taught = || events.iter().filter(|event| event.2 > 0);
        let distinct = |outcomes: &[u32]| {
            let mut seen = Vec::new();
            outcomes.iter().for_each(|outcome| {
                if !seen.contains(outcome) {
                    seen.push(*outcome);
                }
            });
            seen
        };
        let all: Vec<_> = taught().map(|(cues, outcomes, _)| (cues, distinct(outcomes))).collect();
        for (i, event) in all.iter().enumerate() {
            let neighbour = all[..i].iter().rfind(|other| other.0.iter().any(|cue| event.0.contains(cue)));
            if !(has_types && neighbour == Some(event)) {
                survey.totals.visits += (event.0.len() + event.1.len()) as u64;
            }
        }
        let cue = |name: u32| taught().map(move |event| event.0.iter().filter(|cue| **cue == name).count());
        let outcome = |name: u32| taught().map(move |event| event.1.contains(&name));
        survey.cue_twins =
            (0..NAMES).map(|name| (0..NAMES).find(|&other| cue(other).eq(cue(name))).unwrap()).collect();
        survey.outcome_twins = (0..NAMES)
            .map(|name| (0..NAMES).find(|&other| outcome(other).eq(outcome(name))).unwrap())
            .collect();
        survey
    }

    proptest! {
        #[test]
        fn a_survey_finds_what_its_words_say(events in events()) {
            let file = written(&events, 1, false);
            let found = Survey::look(&file, 2, &Monitor::new()).unwrap();
            prop_assert_eq!(found, expected(&events, file.header().has_types()));
        }
    }

    #[test]
    fn parts_find_what_the_whole_has() {
        let events = vec![
            (vec![0, 1], vec![2], 1),
            (vec![2, 2, 3], vec![3, 4, 3], 3),
            (vec![0, 1], vec![2], 0),
            (vec![4], vec![], 1),
        ];
        for plain in [true, false] {
            // Five chunks; some names have only one event, at the end.
            let mut all: Events = std::iter::repeat_n(events.clone(), 66_000).flatten().collect();
            all.push((vec![5], vec![5], 1));
            let file = written(&all, 1, plain);
            assert_eq!(file.n_chunks(), 5);
            let whole = Survey::in_parts(&file, 1, &Monitor::new()).unwrap();
            assert_eq!(whole.after_last[5].events, all.len() as u64);
            for n in 2..=5 {
                assert_eq!(Survey::in_parts(&file, n, &Monitor::new()).unwrap(), whole);
            }
        }
    }
}
