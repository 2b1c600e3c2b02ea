//! The trials of a person whose cues are names, tile by tile.

use super::general::RuleTile;
use super::people_plan::PersonTask;
use super::person_records::PersonRecords;
use super::script::{Event, Script};
use super::stretch::{Stretch, Times};
use super::tile::{LearnsColumns, Run};
use super::trajectory::activation;
use crate::error::Result;
use crate::kernel::dispatch::{Loops, compiled};
use crate::kernel::element::Element;
use crate::kernel::step::prefetch;
use crate::memory::Grow;
use crate::rules::rule::Rule;

/// The trials of a person, into a tile of his weights.
pub(super) struct TileTrials<'w, 't, 'r, E: Element, R: Rule<E>> {
    pub(super) tile: RuleTile<'w, E, R>,
    pub(super) run: Run<'w, E>,
    pub(super) task: &'w PersonTask<'t, E>,
    pub(super) script: &'w Script,
    pub(super) frequencies: &'w [u32],
    /// The number of his first trial among all.
    pub(super) first_trial: usize,
    /// The first column of the tile, how many it has, and the person's column of each outcome.
    pub(super) columns: (usize, usize, &'w [u32]),
    pub(super) records: &'w mut PersonRecords<'r>,
    pub(super) before: &'w mut Vec<E>,
    /// Room for a number for each column.
    pub(super) sums: &'w mut [E],
}

/// What a vector predicts at a trial, recorded.
struct VectorPrediction<'v, 't, 'r, E: Element> {
    task: &'v PersonTask<'t, E>,
    weights: &'v [E],
    width: usize,
    targets: &'v [E],
    trial: usize,
    cues: &'v [u32],
    outcomes: &'v [u32],
    records: &'v mut PersonRecords<'r>,
    sums: &'v mut [E],
}

impl<E: LearnsColumns> Loops for VectorPrediction<'_, '_, '_, E> {
    /// Whether the prediction is finite.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { task, weights, width, targets, trial, cues, outcomes, records, sums } = self;
        sums.fill(E::default());
        for &row in cues {
            let weights = &weights[row as usize * width..][..sums.len()];
            sums.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum = sum.plus(weight));
        }
        records.of_vectors((trial, outcomes), task.directions, sums, targets);
        sums.iter().fold(true, |finite, sum| finite & sum.is_finite())
    }
}

impl<E: LearnsColumns, R: Rule<E>> TileTrials<'_, '_, '_, E, R> {
    /// Returns whether weights may have become infinite or NaN. To look at each weight to vectors takes 10 % of the time; so what
    /// they predict tells of those that were used.
    pub(super) fn learn(self) -> Result<bool> {
        let Self { mut tile, run, task, script, frequencies, first_trial, columns, records, before, sums } =
            self;
        let (first, n, column_of) = columns;
        // The monitor is told of trials when the person is done.
        tile.tile.unreported.early = u64::MAX;
        let (mut place, mut events) = ([0; 2], script.events());
        let mut finite = task.plan.outcome_vectors.is_some();
        for (trial, &frequency) in frequencies.iter().enumerate() {
            let stretch = Stretch { events: events.clone(), len: 1, times: Times::all(frequency) };
            let Some(Event { cues, outcomes, .. }) = events.next() else { break };
            if task.plan.outcome_vectors.is_some() {
                tile.tile.expect(outcomes);
                let (weights, targets) = (&*tile.tile.weights, &tile.tile.targets[..n]);
                let width = tile.tile.width;
                // A person's rows are too many for the second cache: with 1,000 trials of 7 rows of 300 numbers a trial takes 6 %
                // less time than without.
                if let Some(next) = events.clone().next() {
                    next.cues.iter().for_each(|&row| prefetch(&raw const weights[row as usize * width], n));
                }
                let vector =
                    VectorPrediction { task, weights, width, targets, trial, cues, outcomes, records, sums };
                finite &= compiled(run.kernel, vector);
            } else {
                let choices = task.choices.of(first_trial + trial).iter();
                let columns = choices.map(|&choice| column_of[choice as usize]);
                records.of_names(&mut place, outcomes, columns, |column| {
                    let lane = (column as usize).checked_sub(first).filter(|&lane| lane < n)?;
                    Some(activation(cues, lane, &tile).to_f64())
                });
            }
            if frequency == 0 || !task.plan.update {
                continue;
            }
            let changes = !records.change.is_empty();
            if changes {
                before.clear();
                before.make_room(cues.len() * n)?;
                for &row in cues {
                    before.extend((0..n).map(|lane| tile.weight(row as usize, lane)));
                }
            }
            tile.learn(stretch, &run)?;
            if changes {
                for (old, &row) in before.chunks_exact(n).zip(cues) {
                    let moved = |lane: usize| tile.weight(row as usize, lane).to_f64() - old[lane].to_f64();
                    records.change[trial] += (0..n).map(moved).map(|change| change * change).sum::<f64>();
                }
            }
        }
        Ok(!(finite && records.change.iter().all(|change| change.is_finite())))
    }
}
