//! A survey as a block of a file, written and read.
//!
//! ```text
//! u32 CRC32C of all that follows
//! u32 widths, 4 bits each, of the arrays in their order
//! u64 cue slots, u64 names, u64 squares, u64 visits: see Totals
//! of each cue       events[], tokens[], slots[] up to and with the last event that has it; the first of its twins[]
//! of each outcome   1 + events[], or 0 where it does not occur, tokens[], slots[] before the first event that has it;
//!                   the first of its twins[]
//! zeros up to a multiple of 8
//! ```
//!
//! Reading checks that the numbers fit the file: positions are inside it, and the first of some twins names itself. Only
//! [`EventFile::verify`] checks them against the events: a forged survey gives wrong weights, as forged events do.

use super::summary::{Position, Survey, Totals};
use crate::error::Result;
use crate::events::file::EventFile;
#[cfg(test)]
use crate::events::format::{HEADER, SURVEY};
use crate::events::format::{Header, Input, damaged, seal};
use crate::events::packed::Packed;
use crate::memory::{Grow, collected, gathered};

/// Bytes before the arrays.
const HEAD: usize = 40;

impl Survey {
    /// Appends the survey. `out` must stand at a multiple of 8.
    ///
    /// # Errors
    /// [`crate::error::Error::Memory`].
    pub(in super::super) fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.grow_by(&[0; HEAD])?;
        let Self { first, after_last, cue_twins, outcome_twins, totals } = self;
        let fields: [fn(&Position) -> u64; 3] =
            [|position| position.events, |position| position.tokens, |position| position.slots];
        let mut arrays = Written { out, widths: 0, n: 0 };
        for field in fields {
            arrays.append(after_last.iter().map(field))?;
        }
        arrays.append(cue_twins.iter().map(|&twin| twin.into()))?;
        arrays.append(first.iter().map(|first| first.map_or(0, |position| position.events + 1)))?;
        for field in &fields[1..] {
            arrays.append(first.iter().map(|first| first.as_ref().map_or(0, field)))?;
        }
        arrays.append(outcome_twins.iter().map(|&twin| twin.into()))?;
        let widths = arrays.widths;
        out[start + 4..start + 8].copy_from_slice(&widths.to_le_bytes());
        let Totals { slots, names, squares, visits } = *totals;
        let head = out[start + 8..start + HEAD].as_chunks_mut::<8>().0;
        for (place, number) in head.iter_mut().zip([slots, names, squares, visits]) {
            *place = number.to_le_bytes();
        }
        seal(start, out)
    }

    /// Reads the survey that fills `bytes`, which begin at `start` of a file with this header.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`].
    fn decode(bytes: &[u8], start: usize, header: &Header) -> Result<Self> {
        let mut input = Input::sealed(bytes, start)?;
        let widths = input.u32()?;
        let totals =
            Totals { slots: input.u64()?, names: input.u64()?, squares: input.u64()?, visits: input.u64()? };
        let mut arrays = Arrays { input, widths };
        let (n_cues, n_outcomes) = (header.n_cues, header.n_outcomes);
        let positions = |arrays: &mut Arrays<'_>, n: u64| -> Result<_> {
            let events = arrays.take(n, header.n_events, "events")?;
            let tokens = arrays.take(n, header.n_tokens, "tokens")?;
            let slots = arrays.take(n, totals.slots, "slots")?;
            Ok(events.into_iter().zip(tokens).zip(slots))
        };
        let after_last = positions(&mut arrays, n_cues)?;
        let after_last = after_last.map(|((events, tokens), slots)| Position { events, tokens, slots });
        let after_last = collected(after_last)?;
        let cue_twins = twins(&arrays.take(n_cues, n_cues, "cues")?, &after_last, start)?;
        let first = positions(&mut arrays, n_outcomes)?;
        let first = first.map(|((events, tokens), slots)| {
            events.checked_sub(1).map(|events| Position { events, tokens, slots })
        });
        let first = collected(first)?;
        let outcome_twins = twins(&arrays.take(n_outcomes, n_outcomes, "outcomes")?, &first, start)?;
        arrays.input.end("survey")?;
        Ok(Self { first, after_last, cue_twins, outcome_twins, totals })
    }
}

/// The arrays of a survey that are written, one after another.
struct Written<'a> {
    out: &'a mut Vec<u8>,
    /// Their widths, 4 bits each, and the number of arrays.
    widths: u32,
    n: u32,
}

impl Written<'_> {
    fn append(&mut self, mut numbers: impl Iterator<Item = u64>) -> Result<()> {
        let mut packed = Packed::<u64>::default();
        numbers.try_for_each(|number| packed.push(number))?;
        self.widths |= packed.take(self.out)? << (4 * self.n);
        self.n += 1;
        Ok(())
    }
}

/// The arrays of a survey that are read, one after another.
struct Arrays<'a> {
    input: Input<'a>,
    /// The widths of the arrays that are left; that of the next one is in the lowest bits.
    widths: u32,
}

impl Arrays<'_> {
    /// The next array: `n` numbers, one for each name of the file, none above `most`.
    fn take(&mut self, n: u64, most: u64, what: &str) -> Result<Vec<u64>> {
        let (at, width) = (self.input.offset(), self.widths & 15);
        self.widths >>= 4;
        let mut numbers = Vec::<u64>::new();
        // The file has this many names, and they are in memory, so the cast keeps the number.
        self.input.numbers(n as usize, width, &mut numbers)?;
        match numbers.iter().find(|number| **number > most) {
            Some(found) => Err(damaged(at, format!("at most {most} {what}"), found.to_string())),
            None => Ok(numbers),
        }
    }
}

/// Checks twins: each gives the first name of its class. That name gives itself, and occurs at the same place.
fn twins<P: PartialEq>(numbers: &[u64], places: &[P], start: usize) -> Result<Vec<u32>> {
    let twin = |(name, &twin): (usize, &u64)| {
        // `fits` holds for ids of names alone, so the cast keeps them.
        let fits = |twin: usize| twin <= name && numbers[twin] == twin as u64 && places[twin] == places[name];
        if usize::try_from(twin).is_ok_and(fits) {
            Ok(twin as u32)
        } else {
            Err(damaged(start, "twins that name the first of them", format!("{twin} for name {name}")))
        }
    };
    gathered(numbers.iter().enumerate().map(twin))
}

impl EventFile {
    /// The survey that the file holds, if it holds one.
    ///
    /// # Errors
    /// [`crate::error::Error::Format`] when it is damaged.
    pub(in super::super) fn kept_survey(&self) -> Result<Option<Survey>> {
        let Some(place) = self.header().place_of_survey() else { return Ok(None) };
        let (start, mut bytes) = (place.start, Vec::new());
        self.read_part(place, &mut bytes)?;
        Survey::decode(&bytes, start, self.header()).map(Some).map_err(|error| error.at(self.path(), None))
    }
}

#[cfg(test)]
impl EventFile {
    /// The file with another survey, valid or not.
    pub(crate) fn with_survey(&self, survey: &Survey) -> Self {
        let bytes = self.bytes().unwrap();
        let mut header = *self.header();
        let behind = header.directory as usize;
        let names_end = header.place_of_survey().map_or(behind, |place| place.start);
        let mut file = bytes[..names_end].to_vec();
        survey.encode(&mut file).unwrap();
        header.features |= SURVEY;
        (header.survey, header.directory) = (names_end as u64, file.len() as u64);
        file.extend_from_slice(&bytes[behind..]);
        header.length = file.len() as u64;
        file[..HEADER].copy_from_slice(&header.encode());
        Self::open(file, self.path()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::{Events, events, write};
    use super::*;
    use crate::error::Error;
    use crate::events::write::{Duplicates, EventWriter};
    use crate::monitor::Monitor;
    use proptest::prelude::*;

    /// The events in two files: one keeps its survey, one does not.
    fn files(events: &Events) -> [EventFile; 2] {
        let folder = tempfile::tempdir().unwrap();
        [true, false].map(|surveyed| {
            let path = folder.path().join(format!("{surveyed}.rw"));
            let writer = EventWriter::new(Some(&path), Duplicates::Keep, None).unwrap();
            write(if surveyed { writer.surveyed() } else { writer }, events, 1, false)
        })
    }

    fn looked(file: &EventFile) -> Survey {
        Survey::look(file, 1, &Monitor::new()).unwrap()
    }

    proptest! {
        #[test]
        fn a_file_keeps_what_a_look_finds(events in events()) {
            let monitor = Monitor::new();
            let [kept, none] = files(&events);
            prop_assert_eq!(none.kept_survey().unwrap(), None);
            prop_assert_eq!(kept.kept_survey().unwrap(), Some(looked(&kept)));
            prop_assert_eq!(kept.survey(1, &monitor).unwrap(), none.survey(1, &monitor).unwrap());
            kept.verify(&monitor).unwrap();
            // Everything else is the same, and so is the digest.
            prop_assert_eq!(kept.checksums(&monitor).unwrap(), none.checksums(&monitor).unwrap());
            let [one, other] = [&kept, &none].map(|file| &file.bytes().unwrap()[HEADER..file.header().names as usize]);
            prop_assert_eq!(one, other);
            let footer = |file: &EventFile| file.bytes().unwrap()[file.header().directory as usize..].to_vec();
            prop_assert_eq!(footer(&kept), footer(&none));
        }
    }

    fn some() -> Events {
        vec![(vec![0, 1], vec![2], 1), (vec![2, 2, 3], vec![3, 4, 3], 300), (vec![0, 1, 5], vec![2], 70_000)]
    }

    #[test]
    fn every_bit_of_a_survey_counts() {
        let [file, _] = files(&some());
        let (header, bytes) = (*file.header(), file.bytes().unwrap());
        for bit in 8 * header.survey as usize..8 * header.directory as usize {
            let mut broken = bytes.to_vec();
            broken[bit / 8] ^= 1 << (bit % 8);
            let broken = EventFile::open(broken, None).unwrap();
            let monitor = Monitor::new();
            assert!(matches!(broken.survey(1, &monitor), Err(Error::Format(_))), "bit {bit}");
            assert!(matches!(broken.verify(&monitor), Err(Error::Format(_))), "bit {bit}");
        }
    }

    #[test]
    fn a_block_that_does_not_fit_the_names_is_refused() {
        let [file, _] = files(&some());
        let survey = || looked(&file);
        let mut broken = vec![];
        broken.push(Survey { after_last: vec![Position::default(); 5], ..survey() });
        broken.push(Survey { first: vec![None; 7], ..survey() });
        for position in [
            Position { events: 4, ..Position::default() },
            Position { tokens: 70_302, ..Position::default() },
            Position { slots: 210_903, ..Position::default() },
        ] {
            broken.push(Survey { after_last: vec![position; 6], ..survey() });
            let position = Position { events: position.events.saturating_sub(1), ..position };
            broken.push(Survey { first: vec![Some(position); 6], ..survey() });
        }
        for twins in
            [vec![0, 1, 2, 3, 4, 6], vec![0, 2, 2, 3, 4, 5], vec![0, 0, 1, 3, 4, 5], vec![0, 0, 0, 3, 4, 5]]
        {
            broken.push(Survey { cue_twins: twins.clone(), ..survey() });
            broken.push(Survey { outcome_twins: twins, ..survey() });
        }
        for (i, survey) in broken.iter().enumerate() {
            let found = file.with_survey(survey).kept_survey();
            assert!(matches!(found, Err(Error::Format(_))), "number {i}: {found:?}");
        }
        assert_eq!(file.with_survey(&survey()).bytes(), file.bytes());
    }

    #[test]
    fn a_survey_of_other_events_is_found_out() {
        let [file, _] = files(&some());
        let mut wrong = looked(&file);
        wrong.totals.squares += 1;
        let forged = file.with_survey(&wrong);
        assert_eq!(forged.survey(1, &Monitor::new()).unwrap(), &wrong);
        let found = forged.verify(&Monitor::new()).unwrap_err().to_string();
        assert!(found.contains("a survey of these events"), "{found}");
    }

    #[test]
    fn a_look_at_the_end_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.rw");
        let writer = || EventWriter::new(Some(&path), Duplicates::Keep, None).unwrap().surveyed();
        let monitor = Monitor::new();
        monitor.stop();
        let mut stopped = writer();
        stopped.add_names(["a"].into_iter(), ["x"].into_iter()).unwrap();
        stopped.push(&[0], &[0], 1).unwrap();
        assert!(matches!(stopped.finish_watched(&monitor), Err(Error::Stopped)));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
