//! The trials of a person whose cues stand for vectors: every trial changes every row.

use super::people_plan::PersonTask;
use super::person_desk::OwnTrials;
use super::person_records::{PersonRecords, norm_of};
use super::tile::LearnsColumns;
use crate::error::Result;
use crate::kernel::dispatch::Loops;
use crate::kernel::element::Element;
use crate::monitor::Pulse;
use crate::tiles::vectors::Vectors;

/// The trials of a person whose cues stand for vectors.
pub(super) struct VectorTrials<'w, 't, 'r, E: Element> {
    pub(super) task: &'w PersonTask<'t, E>,
    pub(super) weights: &'w mut [E],
    pub(super) vectors: Vectors<'w, E>,
    /// The learning rate, and lambda.
    pub(super) numbers: (E, E),
    /// The vector of the cues, sums, targets, updates, and the updates of a trial added up.
    pub(super) room: [&'w mut [E]; 5],
    pub(super) trials: &'w OwnTrials,
    pub(super) first_trial: usize,
    pub(super) column_of: &'w [u32],
    pub(super) records: &'w mut PersonRecords<'r>,
}

impl<E: LearnsColumns> Loops for VectorTrials<'_, '_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self {
            task,
            weights,
            vectors,
            numbers: (eta, lambda),
            room,
            trials,
            first_trial,
            column_of,
            records,
        } = self;
        let [x, sums, targets, updates, moved] = room;
        let (mut place, mut pulse) = ([0; 2], Pulse::default());
        let n = sums.len();
        for trial in 0..trials.frequencies.len() {
            let (cues, outcomes) = trials.events.get(trial);
            let times = if task.plan.update { trials.frequencies[trial] } else { 0 };
            vectors.sum(cues, 0, x);
            match task.plan.outcome_vectors {
                Some(numbers) => Vectors { numbers, size: n }.sum(outcomes, 0, targets),
                None => {
                    targets.fill(E::default());
                    outcomes.iter().for_each(|&column| targets[column as usize] = lambda);
                }
            }
            moved.fill(E::default());
            for token in 0..times.max(1) {
                pulse.beat(2 * weights.len() + 1, task.monitor)?;
                sums.fill(E::default());
                if n > 0 {
                    for (row, &number) in weights.chunks_exact(n).zip(&*x) {
                        sums.iter_mut()
                            .zip(row)
                            .for_each(|(sum, &weight)| *sum = sum.plus(number.times(weight)));
                    }
                }
                if token == 0 {
                    if task.plan.outcome_vectors.is_some() {
                        records.of_vectors((trial, outcomes), task.directions, sums, targets);
                    } else {
                        let choices = task.choices.of(first_trial + trial).iter();
                        let columns = choices.map(|&choice| column_of[choice as usize]);
                        records.of_names(&mut place, outcomes, columns, |column| {
                            Some(sums[column as usize].to_f64())
                        });
                    }
                }
                if token >= times || n == 0 {
                    continue;
                }
                for ((update, &target), &sum) in updates.iter_mut().zip(&*targets).zip(&*sums) {
                    *update = eta.times(target.minus(sum));
                }
                moved.iter_mut().zip(&*updates).for_each(|(sum, &update)| *sum = sum.plus(update));
                for (row, &number) in weights.chunks_exact_mut(n).zip(&*x) {
                    row.iter_mut()
                        .zip(&*updates)
                        .for_each(|(weight, &update)| *weight = weight.plus(number.times(update)));
                }
            }
            if let Some(change) = records.change.get_mut(trial) {
                *change = norm_of(x) * norm_of(moved);
            }
        }
        Ok(())
    }
}
