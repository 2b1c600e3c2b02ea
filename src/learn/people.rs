//! Persons: each starts from the same weights and learns trials of his own; what is predicted before a trial is recorded.
//!
//! ```text
//! for each person: W = W_0
//!     for each of his trials, in order:
//!         record what W predicts
//!         learn the trial, as often as its frequency says
//! ```
//!
//! Nobody copies W_0. A person has the rows of the cues in his trials, and of names the columns that are recorded, in tiles that stay
//! in the second cache. Each tile goes through his trials by the loop of the rule (`general`), so that every bit is that of learning all
//! of W. Where cues stand for vectors every trial changes every row: then a person has all of them.
//!
//! Threads take some thousand trials at a time, of one person or of several.

use std::mem::{replace, take};
use std::ops::Range;
use std::sync::Mutex;

use super::general::{RuleTile, TokenRoom, begin_states};
pub use super::people_plan::PeoplePlan;
use super::people_plan::PersonTask;
use super::person_desk::{Desk, met, renewed};
pub use super::person_records::{Choices, PersonRecords};
use super::person_tile::TileTrials;
use super::person_vectors::VectorTrials;
use super::script::{NONE, Script, Segment};
use super::tile::{ColumnTile, Columns, Lanes, LearnsColumns, PerToken, Run, Targets};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::dispatch::compiled;
use crate::kernel::isa::Isa;
use crate::kernel::step::prefetch;
use crate::memory::{Grow, collected, filled};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::threads::{each, lock, sensible};
use crate::tiles::forgetting::{Retention, Rows};
use crate::tiles::rule::Parameters;
use crate::tiles::vectors::Vectors;
use crate::tiles::width::{WIDEST, padded};

/// Trials that a thread takes at a time, if persons have no more: so few that all threads have work, and so many that a chunk of the
/// events is decoded only a few times.
const UNIT: u64 = 1 << 13;
/// Bytes of a person's tile, so that it stays in the second cache.
const TILE: usize = 1 << 20;
/// So many rows ahead are fetched from memory.
const AHEAD: usize = 8;
/// The fewest columns of a tile, if there are so many: narrower ones cost too much for each trial.
const NARROWEST: usize = 64;

impl<E: LearnsColumns> PeoplePlan<'_, E> {
    /// Lets everybody learn. `outcome_starts` says where the outcomes of each trial begin; `directions` has, number after number, the
    /// vectors of all outcomes less their means and divided by their lengths, if ranks are recorded.
    ///
    /// # Errors
    /// [`Error::Argument`] when lengths do not fit; [`Error::NotFinite`] with the number of the person in place of the row when his
    /// weights became infinite or NaN; [`Error::Format`], [`Error::Memory`], [`Error::Stopped`].
    pub fn learn<R: Rule<E>>(
        &self,
        rule: &R,
        file: &EventFile,
        choices: Choices<'_>,
        (outcome_starts, directions): (&[u64], Option<&[f64]>),
        mut records: PersonRecords<'_>,
        monitor: &Monitor,
    ) -> Result<()> {
        self.check(file, choices, outcome_starts, &records)?;
        monitor.set_total(file.len());
        let mut units: Vec<(Range<usize>, Mutex<PersonRecords<'_>>)> = Vec::new();
        let n_persons = self.starts.len() - 1;
        let mut person = 0;
        while person < n_persons {
            let few = |&next: &usize| self.starts[next + 1] - self.starts[person] <= UNIT;
            let end = (person + 1..n_persons).take_while(few).last().map_or(person + 1, |last| last + 1);
            let trials = self.starts[person] as usize..self.starts[end] as usize;
            let own = (outcome_starts[trials.end] - outcome_starts[trials.start]) as usize;
            let records = records.next(trials.len(), own, choices.count(&trials));
            units.grow((person..end, Mutex::new(records)))?;
            person = end;
        }
        let task = PersonTask { plan: self, choices, directions, monitor };
        let start = || Desk::new(file.cues().len(), self.columns.len());
        each(sensible(self.threads), units.len(), start, |desk, unit| {
            let (persons, records) = &units[unit];
            let mut records = lock(records);
            task.unit(rule, (file, persons.clone()), take(&mut *records), desk)
        })
    }
}

impl<E: LearnsColumns> PersonTask<'_, E> {
    /// Lets some persons learn, one after another.
    fn unit<R: Rule<E>>(
        &self,
        rule: &R,
        (file, persons): (&EventFile, Range<usize>),
        mut records: PersonRecords<'_>,
        desk: &mut Desk<E>,
    ) -> Result<()> {
        let (starts, mut person) = (self.plan.starts, persons.start);
        let vectors = self.plan.outcome_vectors.is_some();
        let mut over = |person: usize, own: usize, desk: &mut Desk<E>| {
            let trials = starts[person] as usize..starts[person + 1] as usize;
            let mut records = records.next(trials.len(), own, self.choices.count(&trials));
            let result = match self.plan.cue_vectors {
                Some((vectors, size)) => {
                    self.on_vectors(person, trials.clone(), (vectors, size), &mut records, desk)
                }
                None => self.person(rule, (person, trials.clone()), &mut records, desk),
            };
            desk.clear();
            self.monitor.advance(trials.len() as u64)?;
            result
        };
        desk.clear();
        let mut own = 0;
        file.for_each(starts[persons.start]..starts[persons.end], |event, cues, outcomes, frequency| {
            while starts[person + 1] <= event {
                over(person, replace(&mut own, 0), desk)?;
                person += 1;
            }
            own += outcomes.len();
            for &cue in cues {
                let row = if self.plan.cue_vectors.is_some() {
                    cue
                } else {
                    met(&mut desk.row_of, &mut desk.cues, cue)?
                };
                desk.trials.events.cues.add(row)?;
            }
            desk.trials.events.cues.end()?;
            for &outcome in outcomes {
                let column =
                    if vectors { outcome } else { met(&mut desk.column_of, &mut desk.outcomes, outcome)? };
                desk.trials.events.outcomes.add(column)?;
            }
            desk.trials.events.outcomes.end()?;
            desk.trials.frequencies.grow(frequency)
        })?;
        for person in person..persons.end {
            over(person, replace(&mut own, 0), desk)?;
        }
        Ok(())
    }

    /// Lets a person learn, whose cues are names.
    fn person<R: Rule<E>>(
        &self,
        rule: &R,
        (person, trials): (usize, Range<usize>),
        records: &mut PersonRecords<'_>,
        desk: &mut Desk<E>,
    ) -> Result<()> {
        let plan = self.plan;
        let n_rows = desk.cues.len();
        let n = self.columns(&trials, !records.change.is_empty(), desk)?;
        let kernel = plan.kernel.unwrap_or_else(Isa::best);
        let salience = |&cue: &u32| plan.saliences.map_or(plan.alpha[person], |each| each[cue as usize]);
        let alpha = collected(desk.cues.iter().map(salience))?;
        let gamma = plan.retention[person];
        let retention = (gamma != 1.0 && plan.update).then(|| Retention::<E>::new(gamma));
        let script = self.script(n_rows, desk)?;
        // What a vector predicts is one number for all of its columns.
        let suits = (TILE / size_of::<E>() / n_rows.max(1)).clamp(NARROWEST, WIDEST);
        let wide = if plan.outcome_vectors.is_some() { n } else { suits.min(n) };
        for first in (0..n).step_by(wide.max(1)) {
            let own = wide.min(n - first);
            let width = padded::<E>(own, kernel).max(own);
            let lambda = filled(plan.lambda[person], own)?;
            let numbers = Parameters::<E>::new(&alpha, plan.beta1[person], plan.beta2[person], &lambda)?;
            self.fetch(desk, (first, own, width))?;
            let weights = &mut desk.weights[..n_rows * width];
            let n_states = rule.state().as_ref().len();
            let states = renewed(&mut desk.states, n_states * weights.len(), E::default())?;
            begin_states(rule, weights, states);
            let vectors = |numbers| Vectors { numbers, size: plan.n_columns };
            let targets = match plan.outcome_vectors {
                Some(numbers) => Targets::Vectors { vectors: vectors(numbers), first: 0, n },
                None => Targets::Names(Columns { first: first as u32, lanes: &[], lambda: &numbers.lambda }),
            };
            let lanes = Lanes::of(renewed(&mut desk.lanes, Lanes::<E>::EACH * width, E::default())?, width);
            let room = renewed(&mut desk.room, TokenRoom::<E>::EACH * width + own, E::default())?;
            let (sums, room) = room.split_at_mut(own);
            let per_token = PerToken { token: 0, rates: None, mean: None };
            let tile = ColumnTile::new(weights, width, targets, &numbers, lanes, per_token);
            let last = renewed(&mut desk.last, n_rows, 0)?;
            let forgotten = retention.as_ref().map(|retention| Rows::new(retention, last, 0));
            let work = TileTrials {
                tile: RuleTile::new(tile, rule, states, TokenRoom::of(room, width), forgotten)?,
                run: Run { rule: &numbers, kernel, tokens: 0, monitor: self.monitor },
                task: self,
                script: &script,
                frequencies: &desk.trials.frequencies,
                first_trial: trials.start,
                columns: (first, own, &desk.column_of),
                records,
                before: &mut desk.before,
                sums,
            };
            if work.learn()? {
                self.check_finite(person, &desk.weights[..n_rows * width])?;
            }
        }
        records.change.iter_mut().for_each(|change| *change = change.sqrt());
        Ok(())
    }

    /// A person's trials as the loops of rules read them.
    fn script(&self, n_rows: usize, desk: &Desk<E>) -> Result<Script> {
        let trials = &desk.trials;
        let n_columns = self.plan.outcome_vectors.map_or(desk.outcomes.len(), |_| self.plan.columns.len());
        let segment = Segment {
            rows: &trials.events,
            types: None,
            frequencies: &[],
            len: trials.frequencies.len(),
            before: 0,
            n_rows,
            n_columns,
        };
        let mut script = Script::new(&segment)?;
        (0..segment.len).try_for_each(|trial| script.push(&segment, trial as u32))?;
        Ok(script)
    }

    /// Finds the columns that a person needs, and returns how many there are.
    fn columns(&self, trials: &Range<usize>, all: bool, desk: &mut Desk<E>) -> Result<usize> {
        if self.plan.outcome_vectors.is_some() {
            return Ok(self.plan.n_columns);
        }
        if all {
            for outcome in 0..self.plan.columns.len() as u32 {
                met(&mut desk.column_of, &mut desk.outcomes, outcome)?;
            }
        }
        for trial in trials.clone() {
            for &outcome in self.choices.of(trial) {
                met(&mut desk.column_of, &mut desk.outcomes, outcome)?;
            }
            if matches!(self.choices, Choices::All(_)) {
                break;
            }
        }
        self.sort(desk);
        Ok(desk.outcomes.len())
    }

    /// Brings a person's columns in the order of W_0, so that those of a tile lie near each other there.
    fn sort(&self, desk: &mut Desk<E>) {
        let Desk { outcomes, column_of, trials, .. } = desk;
        // The trials name outcomes while columns change their numbers.
        let named = trials.events.outcomes.items_mut();
        named.iter_mut().for_each(|column| *column = outcomes[*column as usize]);
        outcomes.sort_unstable_by_key(|&outcome| (self.plan.columns[outcome as usize], outcome));
        for (column, &outcome) in (0..).zip(&*outcomes) {
            column_of[outcome as usize] = column;
        }
        named.iter_mut().for_each(|outcome| *outcome = column_of[*outcome as usize]);
    }

    /// Fills a tile with the weights that a person starts from, of his columns from `first` on.
    fn fetch(&self, desk: &mut Desk<E>, (first, own, width): (usize, usize, usize)) -> Result<()> {
        let plan = self.plan;
        let Desk { weights, cues, outcomes, columns, .. } = desk;
        columns.clear();
        columns.make_room(own)?;
        match plan.outcome_vectors {
            Some(_) => columns.extend(first as u32..(first + own) as u32),
            None => {
                columns.extend(outcomes[first..][..own].iter().map(|&outcome| plan.columns[outcome as usize]))
            }
        }
        // Columns that W_0 does not have come last, and are zero.
        let known = columns.partition_point(|&column| column != NONE);
        let (begin, end) = match columns[..known] {
            [begin, .., last] => (begin as usize, last as usize + 1),
            [only] => (only as usize, only as usize + 1),
            [] => (0, 0),
        };
        // What the person before has left is written over.
        weights.grow_to(cues.len() * width, E::default())?;
        let initial = plan.initial.unwrap_or_default();
        let row_of = |cue: u32| match plan.rows[cue as usize] {
            NONE => None,
            row => initial[row as usize * plan.n_columns..][..plan.n_columns].get(begin..end),
        };
        for (at, (to, &cue)) in weights.chunks_exact_mut(width).zip(&*cues).enumerate() {
            if let Some(row) = cues.get(at + AHEAD).and_then(|&cue| row_of(cue)) {
                prefetch(row.as_ptr(), row.len());
            }
            let row = row_of(cue).unwrap_or_default();
            let (to, zeros) = to.split_at_mut(if row.is_empty() { 0 } else { known });
            zeros.fill(E::default());
            if row.len() == to.len() {
                to.copy_from_slice(row);
            } else {
                to.iter_mut().zip(&*columns).for_each(|(to, &column)| *to = row[column as usize - begin]);
            }
        }
        Ok(())
    }

    /// Lets a person learn, whose cues stand for vectors: all rows change at every trial.
    fn on_vectors(
        &self,
        person: usize,
        trials: Range<usize>,
        (vectors, size): (&[E], usize),
        records: &mut PersonRecords<'_>,
        desk: &mut Desk<E>,
    ) -> Result<()> {
        let plan = self.plan;
        let n = self.columns(&trials, !records.change.is_empty(), desk)?;
        let weights = renewed(&mut desk.weights, size * n, E::default())?;
        if let (Some(initial), true) = (plan.initial, n > 0) {
            for (to, from) in weights.chunks_exact_mut(n).zip(initial.chunks_exact(plan.n_columns.max(1))) {
                if plan.outcome_vectors.is_some() {
                    to.copy_from_slice(from);
                    continue;
                }
                for (to, &outcome) in to.iter_mut().zip(&desk.outcomes) {
                    let column = plan.columns[outcome as usize];
                    *to = if column == NONE { E::default() } else { from[column as usize] };
                }
            }
        }
        let eta = E::from_f64(plan.alpha[person] * plan.beta1[person]);
        let lambda = E::from_f64(plan.lambda[person]);
        let room = renewed(&mut desk.room, size + 4 * n, E::default())?;
        let (x, room) = room.split_at_mut(size);
        let (sums, room) = room.split_at_mut(n);
        let (targets, room) = room.split_at_mut(n);
        let (updates, moved) = room.split_at_mut(n);
        let work = VectorTrials {
            task: self,
            weights,
            vectors: Vectors { numbers: vectors, size },
            numbers: (eta, lambda),
            room: [x, sums, targets, updates, moved],
            trials: &desk.trials,
            first_trial: trials.start,
            column_of: &desk.column_of,
            records,
        };
        compiled(plan.kernel.unwrap_or_else(Isa::best), work)?;
        self.check_finite(person, &desk.weights)
    }

    fn check_finite(&self, person: usize, weights: &[E]) -> Result<()> {
        // No early exit, so that the compiler makes vector code.
        if weights.iter().fold(true, |finite, weight| finite & weight.is_finite()) {
            return Ok(());
        }
        let at = weights.iter().position(|weight| !weight.is_finite()).unwrap_or_default();
        Err(Error::NotFinite { row: person, column: at, value: weights[at].to_f64() })
    }
}
