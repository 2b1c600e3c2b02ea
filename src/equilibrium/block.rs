//! A block: some outcomes side by side, their right-hand sides and their residuals.
//!
//! A matrix has a row for each column of C, and in it one number for each outcome of the block, so that the activation of a cue
//! set is a sum of rows. Outcomes are never combined, so the result does not depend on how they are grouped into blocks.

use std::ops::Range;

use super::counts::Counts;
use super::double::Double;
use super::problem::{RelativeRates, Squares};
use super::start::StartBlock;
use super::vector_targets::VectorTargets;
use crate::error::Result;
use crate::memory::{copied, empty, filled};
use crate::monitor::{Monitor, Pulse};

/// The work for a double-double number, relative to that for a number.
const DOUBLE: usize = 16;

/// How often a cue set occurred with an outcome of the block.
#[derive(Clone, Copy, Default)]
pub(super) struct SetCount {
    set: u32,
    pub(super) lane: u32,
    pub(super) tokens: f64,
}

/// Some outcomes of one problem.
///
/// Invariants: `lambda` has one number for each outcome; `entries` rise by set, and their lanes are below the number of outcomes.
pub(super) struct OutcomeBlock<'a> {
    pub(super) counts: &'a Counts,
    outcomes: Range<usize>,
    pub(super) lambda: &'a [f64],
    pub(super) rates: RelativeRates,
    pub(super) ridge: f64,
    /// The initial weights, from which x is the change; zero if `None`.
    start: Option<StartBlock>,
    entries: Vec<SetCount>,
}

impl<'a> OutcomeBlock<'a> {
    /// `lambda` has one number for each outcome of the block.
    pub(super) fn new(
        counts: &'a Counts,
        outcomes: Range<usize>,
        lambda: &'a [f64],
        rates: RelativeRates,
        ridge: f64,
        start: Option<StartBlock>,
        monitor: &Monitor,
    ) -> Result<Self> {
        // First the place where the entries of each set begin, then the place of the set's next entry.
        let mut places = filled(0_usize, counts.n_sets() + 1)?;
        for outcome in outcomes.clone() {
            monitor.check()?;
            counts.pairs(outcome).iter().for_each(|pair| places[pair.set as usize + 1] += 1);
        }
        for set in 1..places.len() {
            places[set] += places[set - 1];
        }
        let n = places.last().copied().unwrap_or_default();
        let mut entries = filled(SetCount::default(), n)?;
        for (lane, outcome) in (0..).zip(outcomes.clone()) {
            monitor.check()?;
            for pair in counts.pairs(outcome) {
                let place = &mut places[pair.set as usize];
                entries[*place] = SetCount { set: pair.set, lane, tokens: pair.tokens };
                *place += 1;
            }
        }
        Ok(Self { counts, outcomes, lambda, rates, ridge, start, entries })
    }

    /// The first `width` outcomes of a block without initial weights.
    pub(super) fn first(&self, width: usize, monitor: &Monitor) -> Result<Self> {
        let (start, lambda) = (self.outcomes.start, &self.lambda[..width]);
        Self::new(self.counts, start..start + width, lambda, self.rates, self.ridge, None, monitor)
    }

    /// Outcomes that never occur.
    pub(super) fn without_outcomes(counts: &'a Counts, zeros: &'a [f64], ridge: f64) -> Self {
        let (rates, entries) = (RelativeRates::ONE, Vec::new());
        Self { counts, outcomes: 0..0, lambda: zeros, rates, ridge, start: None, entries }
    }

    /// How many outcomes there are.
    pub(super) fn width(&self) -> usize {
        self.lambda.len()
    }

    /// The entries of a set. Sets must come in order; `at` starts at 0 and keeps the place.
    pub(super) fn entries(&self, set: usize, at: &mut usize) -> &[SetCount] {
        let start = *at;
        while self.entries.get(*at).is_some_and(|entry| entry.set as usize == set) {
            *at += 1;
        }
        &self.entries[start..*at]
    }

    /// The targets, where outcomes stand for vectors.
    fn vectors(&self) -> Option<&VectorTargets> {
        self.counts.targets.as_ref().filter(|_| !self.outcomes.is_empty())
    }

    /// Whether outcomes stand for vectors.
    pub(super) fn has_vectors(&self) -> bool {
        self.vectors().is_some()
    }

    /// Adds to a row the summed targets of the tokens of a set, where outcomes stand for vectors.
    pub(super) fn add_vectors(&self, set: usize, row: &mut [f64]) {
        if let Some(targets) = self.vectors() {
            targets.add(set, self.outcomes.clone(), row);
        }
    }

    /// Whether x is the change from initial weights.
    pub(super) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// The right-hand sides: the residual at x = 0.
    pub(super) fn right_sides(&self, monitor: &Monitor) -> Result<Vec<f64>> {
        if self.start.is_none() {
            return self.targets(monitor);
        }
        self.residual(&filled(0.0, self.counts.n_columns() * self.width())?, monitor)
    }

    /// For each outcome the largest of its initial weights, in the scale of x.
    pub(super) fn start_sizes(&self) -> Vec<f64> {
        let mut most = vec![0.0; self.width()];
        if let Some(start) = &self.start {
            for (row, scale) in start.columns().chunks_exact(self.width().max(1)).zip(&self.counts.scale) {
                most.iter_mut().zip(row).for_each(|(most, y)| *most = (y.abs() / scale).max(*most));
            }
        }
        most
    }

    /// The activations of a set by the initial weights.
    pub(super) fn initial_activation(&self, set: usize, activation: &mut [f64]) {
        activation.fill(0.0);
        if let Some(start) = &self.start {
            self.counts.set(set).sum_rows(start.columns(), activation);
            self.add_fixed(start, set, activation);
        }
    }

    /// For each set the size of its targets, and of the terms of its activations by the initial weights, before these cancel.
    pub(super) fn sizes_at_start(&self, monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width();
        let RelativeRates { present, absent } = self.rates;
        let mut rows = filled(0.0, self.counts.n_sets() * width)?;
        let sizes = self.start.as_ref().map(StartBlock::sizes).transpose()?;
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, row) in rows.chunks_exact_mut(width.max(1)).enumerate() {
            pulse.beat(self.counts.set(set).len() * width, monitor)?;
            if let Some(sizes) = &sizes {
                self.counts.set(set).sum_rows(sizes.columns(), row);
                self.add_fixed(sizes, set, row);
            }
            let tokens = self.counts.tokens[set];
            if let Some(targets) = self.vectors() {
                row.iter_mut().for_each(|size| *size *= tokens);
                targets.add_sizes(set, self.outcomes.clone(), row);
                row.iter_mut().for_each(|size| *size /= tokens);
            }
            for entry in self.entries(set, &mut at) {
                let weight = present * entry.tokens + absent * (tokens - entry.tokens);
                if weight > 0.0 {
                    let lane = entry.lane as usize;
                    row[lane] += (present * entry.tokens * self.lambda[lane]).abs() / weight;
                }
            }
        }
        Ok(rows)
    }

    /// Adds the weights of the frozen cues of a set to its activations.
    fn add_fixed(&self, start: &StartBlock, set: usize, activation: &mut [f64]) {
        for row in start.frozen(self.counts.fixed(set), activation.len()) {
            activation.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
        }
    }

    /// S C'F O lambda, with tokens weighted by beta1.
    fn targets(&self, monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width();
        let mut sums = filled(0.0, self.counts.n_columns() * width)?;
        let mut pulse = Pulse::default();
        for entry in &self.entries {
            let lane = entry.lane as usize;
            let target = self.rates.present * entry.tokens * self.lambda[lane];
            let row = self.counts.set(entry.set as usize);
            pulse.beat(row.len(), monitor)?;
            for (column, times) in row.entries() {
                sums[column * width + lane] += target * times * self.counts.scale[column];
            }
        }
        if self.vectors().is_some() {
            let mut target = vec![0.0; width];
            for set in 0..self.counts.n_sets() {
                pulse.beat(self.counts.set(set).len() * width, monitor)?;
                target.fill(0.0);
                self.add_vectors(set, &mut target);
                self.counts.set(set).add_to_rows(&mut sums, &target);
            }
            scale_rows(&mut sums, &self.counts.scale, width);
        }
        Ok(sums)
    }

    /// S C'F C |W_0|, with tokens weighted by beta1 or beta2: the size of the terms of the initial activations, before these
    /// cancel.
    fn pulls(&self, start: &StartBlock, monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width();
        let sizes = start.sizes()?;
        let mut sums = filled(0.0, self.counts.n_columns() * width)?;
        let mut pull = vec![0.0; width];
        let mut at = 0;
        let mut pulse = Pulse::default();
        for set in 0..self.counts.n_sets() {
            pulse.beat(self.counts.set(set).len() * width, monitor)?;
            self.counts.set(set).sum_rows(sizes.columns(), &mut pull);
            self.add_fixed(&sizes, set, &mut pull);
            self.weigh(set, &mut pull, &mut at);
            self.counts.set(set).add_to_rows(&mut sums, &pull);
        }
        scale_rows(&mut sums, &self.counts.scale, width);
        Ok(sums)
    }

    /// Multiplies a row of numbers, one for each outcome, by the weights of the tokens of a set. Sets must come in order; `at`
    /// starts at 0.
    pub(super) fn weigh(&self, set: usize, row: &mut [f64], at: &mut usize) {
        let RelativeRates { present, absent } = self.rates;
        let tokens = self.counts.tokens[set];
        let entries = self.entries(set, at);
        if present == absent {
            row.iter_mut().for_each(|value| *value *= tokens);
            return;
        }
        let mut entries = entries.iter().peekable();
        for (lane, value) in (0..).zip(row) {
            let there = entries.next_if(|entry| entry.lane == lane).map_or(0.0, |entry| entry.tokens);
            *value *= present * there + absent * (tokens - there);
        }
    }

    /// The residual at x: S C'F (O lambda - C W) - ridge x, with W = W_0 + S x and tokens weighted by beta1 or beta2.
    ///
    /// The errors of the predictions are computed set by set, before they are summed. So the condition of C amplifies their
    /// rounding, and not that of C'C.
    pub(super) fn residual(&self, x: &[f64], monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width();
        let counts = self.counts;
        let RelativeRates { present, absent } = self.rates;
        let mut y = copied(x)?;
        scale_rows(&mut y, &counts.scale, width);
        if let Some(start) = &self.start {
            y.iter_mut().zip(start.columns()).for_each(|(y, start)| *y += start);
        }
        let mut rest = filled(0.0, x.len())?;
        let (mut activation, mut error) = (vec![0.0; width], vec![0.0; width]);
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, &tokens) in counts.tokens.iter().enumerate() {
            pulse.beat(counts.set(set).len() * width, monitor)?;
            counts.set(set).sum_rows(&y, &mut activation);
            if let Some(start) = &self.start {
                self.add_fixed(start, set, &mut activation);
            }
            error.iter_mut().zip(&activation).for_each(|(e, a)| *e = -(absent * tokens) * a);
            for &SetCount { lane, tokens, .. } in self.entries(set, &mut at) {
                let lane = lane as usize;
                error[lane] +=
                    tokens * (present * (self.lambda[lane] - activation[lane]) + absent * activation[lane]);
            }
            self.add_vectors(set, &mut error);
            counts.set(set).add_to_rows(&mut rest, &error);
        }
        scale_rows(&mut rest, &counts.scale, width);
        rest.iter_mut().zip(x).for_each(|(rest, x)| *rest -= self.ridge * x);
        Ok(rest)
    }

    /// The residual in double-double arithmetic, rounded once at the end.
    ///
    /// Frequencies may lie so far apart that the residual of a rare cue set is smaller than the rounding error of a common one.
    pub(super) fn exact_residual(&self, x: &[f64], monitor: &Monitor) -> Result<Vec<f64>> {
        let width = self.width().max(1);
        let counts = self.counts;
        let [present, absent] = [self.rates.present, self.rates.absent].map(Double::from);
        let mut y = empty(x.len())?;
        for (row, &scale) in x.chunks_exact(width).zip(&counts.scale) {
            y.extend(row.iter().map(|&x| Double::product(scale, x)));
        }
        if let Some(start) = &self.start {
            y.iter_mut().zip(start.columns()).for_each(|(y, &start)| *y = y.plus(start.into()));
        }
        let mut rest = filled(Double::default(), x.len())?;
        let mut activation = vec![Double::default(); width];
        let mut with = vec![0.0; width];
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, &tokens) in counts.tokens.iter().enumerate() {
            let row = counts.set(set);
            // A double-double number takes some dozens of operations.
            pulse.beat(DOUBLE * row.len() * width, monitor)?;
            activation.fill(Double::default());
            for (column, times) in row.entries() {
                let row = &y[column * width..][..width];
                for (sum, &y) in activation.iter_mut().zip(row) {
                    *sum = sum.plus(y.times(times.into()));
                }
            }
            if let Some(start) = &self.start {
                for row in start.frozen(counts.fixed(set), width) {
                    activation.iter_mut().zip(row).for_each(|(sum, &weight)| *sum = sum.plus(weight.into()));
                }
            }
            with.fill(0.0);
            self.entries(set, &mut at).iter().for_each(|entry| with[entry.lane as usize] = entry.tokens);
            for ((activation, &with), &lambda) in activation.iter_mut().zip(&with).zip(self.lambda) {
                let missing = Double::from(lambda).minus(*activation).times(with.into()).times(present);
                // Counts are integers, and so is their difference.
                let surplus = activation.times(Double::sum(tokens, -with)).times(absent);
                *activation = missing.minus(surplus);
            }
            if let Some(targets) = self.vectors() {
                targets.add_exactly(set, self.outcomes.clone(), &mut activation);
            }
            for (column, times) in row.entries() {
                let row = &mut rest[column * width..][..width];
                for (sum, &error) in row.iter_mut().zip(&activation) {
                    *sum = sum.plus(error.times(times.into()));
                }
            }
        }
        let mut rounded = empty(x.len())?;
        for ((row, x), &scale) in rest.chunks_exact(width).zip(x.chunks_exact(width)).zip(&counts.scale) {
            rounded.extend(row.iter().zip(x).map(|(rest, &x)| {
                let shrunk = Double::product(self.ridge, x);
                rest.times(scale.into()).minus(shrunk).head
            }));
        }
        Ok(rounded)
    }

    /// About how large the rounding error of `residual` at x is, for each `every`th outcome: the root of the sum of the squared
    /// errors of all sets.
    pub(super) fn rounding(&self, x: &[f64], every: usize, monitor: &Monitor) -> Result<Vec<f64>> {
        let all = self.width().max(1);
        let width = all.div_ceil(every);
        let counts = self.counts;
        let mut y = empty(counts.n_columns() * width)?;
        for (row, scale) in x.chunks_exact(all).zip(&counts.scale) {
            y.extend(row.iter().step_by(every).map(|x| scale * x.abs()));
        }
        let start = self.start.as_ref().map(StartBlock::sizes).transpose()?;
        if let Some(start) = &start {
            let starts = start.columns().chunks_exact(all).flat_map(|row| row.iter().step_by(every));
            y.iter_mut().zip(starts).for_each(|(y, start)| *y += start);
        }
        let mut sums = filled(0.0, y.len())?;
        let mut sizes = vec![0.0; width];
        let mut whole = vec![0.0; all];
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, &tokens) in counts.tokens.iter().enumerate() {
            pulse.beat(counts.set(set).len() * width, monitor)?;
            counts.set(set).sum_rows(&y, &mut sizes);
            if let Some(start) = &start {
                whole.fill(0.0);
                self.add_fixed(start, set, &mut whole);
                sizes.iter_mut().zip(whole.iter().step_by(every)).for_each(|(size, more)| *size += more);
            }
            let tokens = tokens * self.rates.present.max(self.rates.absent);
            sizes.iter_mut().for_each(|size| *size *= tokens);
            for &SetCount { lane, tokens, .. } in self.entries(set, &mut at) {
                let lane = lane as usize;
                if lane.is_multiple_of(every) {
                    sizes[lane / every] += (self.rates.present * tokens * self.lambda[lane]).abs();
                }
            }
            if let Some(targets) = self.vectors() {
                whole.fill(0.0);
                targets.add_sizes(set, self.outcomes.clone(), &mut whole);
                sizes.iter_mut().zip(whole.iter().step_by(every)).for_each(|(size, more)| *size += more);
            }
            sizes.iter_mut().for_each(|size| *size *= *size);
            counts.set(set).add_to_rows(&mut sums, &sizes);
        }
        sums.iter_mut().for_each(|sum| *sum = f64::EPSILON * sum.sqrt());
        scale_rows(&mut sums, &counts.scale, width);
        Ok(sums)
    }

    /// For each outcome the squares of the residual `rest`, and of what the residual is relative to.
    pub(super) fn judge(&self, rest: &[f64], monitor: &Monitor) -> Result<Vec<Squares>> {
        let mut targets = self.squares(&self.targets(monitor)?);
        if let Some(start) = &self.start {
            let pulls = self.squares(&self.pulls(start, monitor)?);
            targets.iter_mut().zip(pulls).for_each(|(targets, pulls)| *targets += pulls);
        }
        let each = self.squares(rest).into_iter().zip(targets);
        Ok(each.map(|(rest, targets)| Squares { rest, targets }).collect())
    }

    /// For each outcome the sum of squares over all cues of v, where `values` are S C' v.
    fn squares(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.width()];
        for (column, row) in values.chunks_exact(self.width().max(1)).enumerate() {
            let weight = self.counts.size[column] / self.counts.scale[column].powi(2);
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value * value);
        }
        sums
    }
}

/// Multiplies each row by its factor.
pub(super) fn scale_rows(rows: &mut [f64], factors: &[f64], width: usize) {
    for (row, factor) in rows.chunks_exact_mut(width.max(1)).zip(factors) {
        row.iter_mut().for_each(|value| *value *= factor);
    }
}
