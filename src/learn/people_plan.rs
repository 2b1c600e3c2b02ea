//! Who learns what, and where it is recorded.

use super::person_records::{Choices, PersonRecords};
use super::script::NONE;
use super::tile::LearnsColumns;
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;

/// Who learns, by which parameters, from which weights. Persons are ranges of the events.
pub struct PeoplePlan<'a, E> {
    /// The first event of each person, and the end of the last; rising.
    pub starts: &'a [u64],
    /// The salience of each person, of all cues.
    pub alpha: &'a [f64],
    /// The saliences of the file's cues, in place of the persons'.
    pub saliences: Option<&'a [f64]>,
    /// The learning rate of each person where the outcome is present.
    pub beta1: &'a [f64],
    /// And where it is absent.
    pub beta2: &'a [f64],
    /// The asymptote of each person, of all outcomes.
    pub lambda: &'a [f64],
    /// What a token leaves of each person's weights.
    pub retention: &'a [f64],
    /// W_0, row after row; all zero if `None`.
    pub initial: Option<&'a [E]>,
    /// How many columns W_0 has.
    pub n_columns: usize,
    /// The row of W_0 for each of the file's cues; `u32::MAX`: a row of zeros. For vectors of cues it is not used.
    pub rows: &'a [u32],
    /// The column of W_0 for each outcome: the file's, and after them others that are recorded. `u32::MAX`: a column of zeros. For
    /// vectors of outcomes it is not used.
    pub columns: &'a [u32],
    /// What cues stand for: as many numbers each as W_0 has rows.
    pub cue_vectors: Option<(&'a [E], usize)>,
    /// What outcomes stand for: as many numbers each as W_0 has columns.
    pub outcome_vectors: Option<&'a [E]>,
    /// Whether trials are learned. If not, W_0 alone predicts.
    pub update: bool,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Isa>,
}

impl<E: LearnsColumns> PeoplePlan<'_, E> {
    /// Refuses parts that do not fit each other.
    pub(super) fn check(
        &self,
        file: &EventFile,
        choices: Choices<'_>,
        outcome_starts: &[u64],
        records: &PersonRecords<'_>,
    ) -> Result<()> {
        let wrong = |expected: &str| Err(Error::Argument(format!("expected {expected}")));
        let (n, n_outcomes) = (file.len() as usize, file.outcomes().len());
        let rising = |starts: &[u64], end: usize| {
            starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&(end as u64))
        };
        if !rising(self.starts, n) || outcome_starts.len() != n + 1 || !outcome_starts.is_sorted() {
            return wrong("persons and outcomes that begin one after another and end with the events");
        }
        let persons = self.starts.len() - 1;
        let each_person = [self.alpha, self.beta1, self.beta2, self.lambda, self.retention];
        if each_person.iter().any(|numbers| numbers.len() != persons) {
            return wrong("a parameter of each kind for each person");
        }
        if self.saliences.is_some_and(|saliences| saliences.len() != file.cues().len()) {
            return wrong("a salience for each cue");
        }
        let n_rows = self.initial.map_or(0, |initial| initial.len() / self.n_columns.max(1));
        let inside = |places: &[u32], n: usize| {
            places.iter().all(|&place| place == NONE || (place as usize) < n && self.initial.is_some())
        };
        let by_name =
            self.cue_vectors.is_some() || self.rows.len() == file.cues().len() && inside(self.rows, n_rows);
        let to_name = self.outcome_vectors.is_some()
            || self.columns.len() >= n_outcomes && inside(self.columns, self.n_columns);
        if !by_name
            || !to_name
            || self.initial.is_some_and(|initial| initial.len() != n_rows * self.n_columns)
        {
            return wrong("rows and columns of the initial weights for cues and outcomes");
        }
        if let Some((vectors, size)) = self.cue_vectors
            && (vectors.len() != file.cues().len() * size
                || self.initial.is_some_and(|initial| initial.len() != size * self.n_columns)
                || self.retention.iter().any(|&gamma| gamma != 1.0))
        {
            return wrong("vectors of cues of one size, and nothing forgotten with them");
        }
        if self.outcome_vectors.is_some_and(|vectors| vectors.len() != n_outcomes * self.n_columns) {
            return wrong("vectors of outcomes of one size");
        }
        let known =
            |outcomes: &[u32]| outcomes.iter().all(|&outcome| (outcome as usize) < self.columns.len());
        let fits = match choices {
            Choices::All(outcomes) => known(outcomes),
            Choices::Each(starts, outcomes) => {
                known(outcomes) && starts.len() == n + 1 && rising(starts, outcomes.len())
            }
        };
        let lengths = [
            (records.outcomes.len(), outcome_starts[n] as usize),
            (records.choices.len(), choices.count(&(0..n))),
            (records.change.len(), n),
            (records.norm.len(), n),
            (records.correlation.len(), n),
            (records.squared_error.len(), n),
            (records.rank.len(), n),
        ];
        if !fits || lengths.iter().any(|&(length, wanted)| length != 0 && length != wanted) {
            return wrong("choices that are outcomes, and room for each record");
        }
        Ok(())
    }
}

/// What all persons share.
pub(super) struct PersonTask<'t, E: Clone> {
    pub(super) plan: &'t PeoplePlan<'t, E>,
    pub(super) choices: Choices<'t>,
    pub(super) directions: Option<&'t [f64]>,
    pub(super) monitor: &'t Monitor,
}
