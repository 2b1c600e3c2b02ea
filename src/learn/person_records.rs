//! What is recorded of each person's trials.

use std::mem::take;
use std::ops::Range;

use crate::kernel::element::Element;

/// Outcomes whose activations are recorded at each trial.
#[derive(Clone, Copy)]
pub enum Choices<'a> {
    /// The same at all trials.
    All(&'a [u32]),
    /// Those of trial t from place `starts[t]` on.
    Each(&'a [u64], &'a [u32]),
}

impl Choices<'_> {
    pub(super) fn of(&self, trial: usize) -> &[u32] {
        match self {
            Self::All(outcomes) => outcomes,
            Self::Each(starts, outcomes) => &outcomes[starts[trial] as usize..starts[trial + 1] as usize],
        }
    }

    /// How many the trials of a range have together.
    pub(super) fn count(&self, trials: &Range<usize>) -> usize {
        match self {
            Self::All(outcomes) => outcomes.len() * trials.len(),
            Self::Each(starts, _) => (starts[trials.end] - starts[trials.start]) as usize,
        }
    }
}

/// Where records go. What is not wanted is empty; the others have a number for each trial, unless they say otherwise.
#[derive(Default)]
pub struct PersonRecords<'r> {
    /// The activations of each trial's outcomes: one for each that the event lists.
    pub outcomes: &'r mut [f64],
    /// The activations of the choices, trial after trial.
    pub choices: &'r mut [f64],
    /// The size of the change of the rows of each trial's cues.
    pub change: &'r mut [f64],
    /// The size of the predicted vector.
    pub norm: &'r mut [f64],
    /// Its correlation with the vector of the trial's outcomes.
    pub correlation: &'r mut [f64],
    /// The square of its distance from that.
    pub squared_error: &'r mut [f64],
    /// How many outcomes' vectors correlate more with it than that of the trial, and 1; where it is -1 before.
    pub rank: &'r mut [i64],
}

impl<'r> PersonRecords<'r> {
    /// The records of the next trials; these keep the rest.
    pub(super) fn next(&mut self, trials: usize, outcomes: usize, choices: usize) -> Self {
        fn cut<'r, T>(all: &mut &'r mut [T], n: usize) -> &'r mut [T] {
            let (first, rest) = take(all).split_at_mut_checked(n).unwrap_or_default();
            *all = rest;
            first
        }
        Self {
            outcomes: cut(&mut self.outcomes, outcomes),
            choices: cut(&mut self.choices, choices),
            change: cut(&mut self.change, trials),
            norm: cut(&mut self.norm, trials),
            correlation: cut(&mut self.correlation, trials),
            squared_error: cut(&mut self.squared_error, trials),
            rank: cut(&mut self.rank, trials),
        }
    }

    /// Records the activations of a trial's outcomes and choices, as far as they are known. `place` says where each begins, and
    /// moves on.
    #[inline(always)]
    pub(super) fn of_names(
        &mut self,
        place: &mut [usize; 2],
        outcomes: &[u32],
        choices: impl Iterator<Item = u32>,
        activation: impl Fn(u32) -> Option<f64>,
    ) {
        if !self.outcomes.is_empty() {
            for &column in outcomes {
                if let Some(activation) = activation(column) {
                    self.outcomes[place[0]] = activation;
                }
                place[0] += 1;
            }
        }
        if !self.choices.is_empty() {
            for column in choices {
                if let Some(activation) = activation(column) {
                    self.choices[place[1]] = activation;
                }
                place[1] += 1;
            }
        }
    }

    /// Records what a vector predicts.
    #[inline(always)]
    pub(super) fn of_vectors<E: Element>(
        &mut self,
        (trial, outcomes): (usize, &[u32]),
        directions: Option<&[f64]>,
        sums: &[E],
        targets: &[E],
    ) {
        if let Some(norm) = self.norm.get_mut(trial) {
            *norm = norm_of(sums);
        }
        if let Some(error) = self.squared_error.get_mut(trial) {
            *error = added_up(sums, targets, |a, b| (a - b) * (a - b));
        }
        let n = sums.len() as f64;
        if let Some(correlation) = self.correlation.get_mut(trial) {
            let (p, t) = (total(sums) / n, total(targets) / n);
            let variances = added_up(sums, sums, |a, _| (a - p) * (a - p))
                * added_up(targets, targets, |b, _| (b - t) * (b - t));
            *correlation =
                (added_up(sums, targets, |a, b| (a - p) * (b - t)) / variances.sqrt()).clamp(-1.0, 1.0);
        }
        if let (Some(rank), Some(directions)) = (self.rank.get_mut(trial), directions)
            && *rank < 0
        {
            *rank = rank_of(outcomes, sums, total(sums) / n, directions);
        }
    }
}

/// The place of the best of some outcomes, by the correlations of all vectors with a prediction; the last where it has none.
fn rank_of<E: Element>(outcomes: &[u32], sums: &[E], mean: f64, directions: &[f64]) -> i64 {
    let n = directions.len() / sums.len().max(1);
    let mut near = vec![0.0; n];
    for (sum, numbers) in sums.iter().zip(directions.chunks_exact(n.max(1))) {
        let sum = sum.to_f64() - mean;
        near.iter_mut().zip(numbers).for_each(|(near, number)| *near += sum * number);
    }
    let own = outcomes.iter().map(|&outcome| near[outcome as usize]).fold(f64::NAN, f64::max);
    if own.is_nan() || sums.iter().all(|sum| *sum == sums[0]) {
        return if outcomes.is_empty() { 0 } else { n as i64 };
    }
    1 + near.iter().filter(|&&other| other > own).count() as i64
}

/// The sum of some numbers made of two lists, in eight sums side by side.
#[inline(always)]
fn added_up<E: Element>(a: &[E], b: &[E], number: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (a, last_of_a) = a.as_chunks::<8>();
    let (b, last_of_b) = b.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += number(a[lane].to_f64(), b[lane].to_f64());
        }
    }
    let last = last_of_a.iter().zip(last_of_b).map(|(a, b)| number(a.to_f64(), b.to_f64()));
    sums.iter().sum::<f64>() + last.sum::<f64>()
}

#[inline(always)]
fn total<E: Element>(numbers: &[E]) -> f64 {
    added_up(numbers, numbers, |number, _| number)
}

#[inline(always)]
pub(super) fn norm_of<E: Element>(numbers: &[E]) -> f64 {
    added_up(numbers, numbers, |number, _| number * number).sqrt()
}
