//! Cues and outcomes that stand for vectors.
//!
//! The row of a cue set is the sum of its cues' vectors, and the target of a token that of its outcomes' vectors. A column of C is a
//! number of the cues' vectors then, and an "outcome" one of the outcomes' vectors.

use rayon::prelude::*;

use super::counts::{Counts, Pair};
use super::rows::SetRows;
use super::vector_targets::VectorTargets;
use crate::error::{Error, Result};
use crate::lists::Lists;
use crate::memory::{Grow, collected, copied, empty, filled};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::number_rows::NumberRows;

/// Refuses vectors that are not one for each name.
pub(super) fn check_one_each(vectors: Option<&NumberRows<'_, f64>>, n: usize) -> Result<()> {
    match vectors {
        Some(vectors) if vectors.shape()[0] != n => {
            Err(Error::Argument(format!("expected {n} vectors, found {}", vectors.shape()[0])))
        }
        _ => Ok(()),
    }
}

impl Counts {
    /// The same, where cues stand for vectors: the columns are their numbers. There are no saliences then.
    pub(super) fn with_cue_vectors(self, vectors: &NumberRows<'_, f64>, monitor: &Monitor) -> Result<Self> {
        let p = vectors.shape()[1];
        // The cues of each column.
        let mut cues = collected(self.cues().map(|(cue, column, _)| (column as u32, cue as u32)))?;
        cues.sort_unstable();
        let mut of_columns = Lists::default();
        for column in cues.chunk_by(|one, other| one.0 == other.0) {
            of_columns.gather(column.iter().map(|&(_, cue)| cue))?;
        }
        let n = self.n_sets();
        let terms = |set: usize| {
            let columns = self.set(set).entries();
            columns.flat_map(|(column, times)| of_columns.get(column).iter().map(move |&cue| (cue, times)))
        };
        let mut pulse = Pulse::default();
        let rows = if vectors.is_dense() {
            let mut values = filled(0.0, n.saturating_mul(p))?;
            for (set, sums) in values.chunks_exact_mut(p.max(1)).enumerate() {
                for (cue, times) in terms(set) {
                    pulse.beat(p, monitor)?;
                    let vector = vectors.row(cue as usize).values;
                    sums.iter_mut().zip(vector).for_each(|(sum, value)| *sum += times * value);
                }
            }
            SetRows::Dense { width: p, values }
        } else {
            let (mut rows, mut entries) = (Lists::default(), Vec::new());
            for set in 0..n {
                entries.clear();
                for (cue, times) in terms(set) {
                    let vector = vectors.row(cue as usize);
                    pulse.beat(vector.values.len(), monitor)?;
                    entries.make_room(vector.values.len())?;
                    let columns = vector.columns.unwrap_or_default().iter();
                    entries
                        .extend(columns.zip(vector.values).map(|(&column, value)| (column, times * value)));
                }
                entries.sort_by_key(|&(column, _)| column);
                entries.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    kept.1 += if same { next.1 } else { 0.0 };
                    same
                });
                rows.push(&entries)?;
            }
            SetRows::Sparse(rows)
        };
        let [scale, size, share] = [filled(1.0, p)?, filled(1.0, p)?, filled(1.0, p)?];
        let place = collected(0..p as u32)?;
        Ok(Self { rows, scale, size, share, place, ..self })
    }

    /// The same, where outcomes stand for vectors.
    pub(super) fn with_outcome_vectors(
        mut self,
        vectors: &NumberRows<'_, f64>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let outcomes = self.outcomes_of_sets(monitor)?;
        let q = vectors.shape()[1];
        let mut pairs = Lists::default();
        if vectors.is_dense() {
            (0..q).try_for_each(|_| pairs.gather([].into_iter()))?;
            self.targets = Some(VectorTargets { outcomes, width: q, values: copied(vectors.values())? });
        } else {
            let mut terms: Vec<(u32, u32, f64)> = Vec::new();
            let mut pulse = Pulse::default();
            for (set, outcomes) in (0..).zip(outcomes.iter()) {
                for &(outcome, tokens) in outcomes {
                    let vector = vectors.row(outcome as usize);
                    pulse.beat(vector.values.len() + 1, monitor)?;
                    terms.make_room(vector.values.len())?;
                    let columns = vector.columns.unwrap_or_default().iter();
                    terms.extend(
                        columns.zip(vector.values).map(|(&column, value)| (column, set, tokens * value)),
                    );
                }
            }
            // Stable, so that equal places are added up in the order of the outcomes.
            terms.par_sort_by_key(|&(column, set, _)| (column, set));
            terms.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                kept.2 += if same { next.2 } else { 0.0 };
                same
            });
            let mut left = &terms[..];
            for column in 0..q as u32 {
                let (some, rest) = left.split_at(left.partition_point(|term| term.0 <= column));
                pairs.gather(some.iter().map(|&(_, set, tokens)| Pair { set, tokens }))?;
                left = rest;
            }
        }
        self.pairs = pairs;
        Ok(self)
    }

    /// For each set its outcomes, and how many of its tokens have them.
    fn outcomes_of_sets(&self, monitor: &Monitor) -> Result<Lists<(u32, f64)>> {
        let mut lengths = filled(0_u32, self.n_sets())?;
        for pair in self.pairs.items() {
            lengths[pair.set as usize] += 1;
        }
        let mut next = empty(lengths.len())?;
        let mut end = 0;
        for &length in &lengths {
            next.push(end);
            end += length as usize;
        }
        let mut items = filled((0, 0.0), end)?;
        let mut pulse = Pulse::default();
        for (outcome, pairs) in (0..).zip(self.pairs.iter()) {
            pulse.beat(pairs.len() + 1, monitor)?;
            for pair in pairs {
                let place = &mut next[pair.set as usize];
                items[*place] = (outcome, pair.tokens);
                *place += 1;
            }
        }
        Lists::of(&lengths, items)?.ok_or_else(|| Error::Numeric("counts of outcomes do not agree".into()))
    }

    /// Rows of matrices, each a set of its own, with an outcome of its own.
    pub(super) fn of_rows(n: usize) -> Result<Self> {
        let end = u32::try_from(n)
            .map_err(|_| Error::Argument(format!("expected fewer than 2^32 rows, found {n}")))?;
        let (mut sets, mut pairs) = (Lists::default(), Lists::default());
        for row in 0..end {
            sets.push(&[row])?;
            pairs.push(&[Pair { set: row, tokens: 1.0 }])?;
        }
        Ok(Self {
            rows: SetRows::Names(sets),
            fixed: Lists::default(),
            frozen: Vec::new(),
            tokens: filled(1.0, n)?,
            pairs,
            targets: None,
            scale: filled(1.0, n)?,
            size: filled(1.0, n)?,
            place: collected(0..end)?,
            share: filled(1.0, n)?,
        })
    }
}
