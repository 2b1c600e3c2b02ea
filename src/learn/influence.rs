//! What each event did to a weight, or to a sum of weights: one pass forward, which learns the columns of the outcomes, and one pass
//! backward with the adjoint of the sum.
//!
//! A sum y = v'w has a start v, which has a number for each row, and a column w. For a row of the file with f tokens, present or absent
//! outcome and its rate beta, kappa the sum of alpha m^2:
//!
//! ```text
//! q = gamma - beta kappa;   G = beta (q^0 + ... + q^(f-1));   H = beta (gamma^(f-1) q^0 + ... + gamma^0 q^(f-1))
//! forward:    a = w'c;   U = lambda o G - a H;   w = gamma^f w + D c U
//! backward:   s = v'Dc;   contribution = s lambda o G;   effect = -s U;   v = gamma^f v - c s H
//! ```
//!
//! `G` and `H` sum what the tokens of a row would do one by one. Where the rate changes inside a row they are sums over its tokens:
//!
//! ```text
//! for the tokens of the row from the last to the first, p = 1:   G += beta p;   H = gamma H + beta p;   p = (gamma - beta kappa) p
//! ```
//!
//! The derivatives of y come from the same passes, but backward token by token; `e` is y at first:
//!
//! ```text
//! u = beta (lambda o - a);   dy/dalpha_i += c_i v_i u;   dy/dbeta1 += s (lambda - a) where present;   dy/dbeta2 += -s a where absent
//! dy/dlambda += beta1 s where present;   dy/dgamma += (e - s u) / gamma;   e = e - s u - beta s a;   v = gamma v - beta s c
//! ```
//!
//! All in float64. Columns and starts are the lanes of a tile, so that several pairs cost little more than one.

use super::costs::max_kappa;
use super::plan::Plan;
use super::script::{EventStream, NONE, Numbering};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::lists::Lists;
use crate::memory::{Grow, collected, copied, filled};
use crate::monitor::{Monitor, Pulse};
use crate::threads::sensible;
use crate::tiles::forgetting::Retention;
use crate::tiles::rule::{Parameters, Rates};

/// Pairs that go through the events together at most.
const TOGETHER: usize = 16;

/// Sums of weights to ask about: each is a start and a column.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'a> {
    /// The rows of each start; one that comes twice counts twice.
    pub starts: &'a Lists,
    /// The column of each.
    pub columns: &'a [u32],
}

/// Where the influence of rows goes.
pub enum RowsOut<'a> {
    /// That of all rows of the file, row after row: contributions and effects.
    All(&'a mut [f64], &'a mut [f64]),
    /// That of the rows of the greatest effects, for each sum.
    Greatest(&'a mut [Greatest]),
}

/// The rows of the greatest effects.
#[derive(Debug, Clone)]
pub struct Greatest {
    /// How many are wanted.
    n: usize,
    /// Those, and maybe more.
    kept: Vec<Influence>,
    /// Lesser effects are not among them.
    least: f64,
}

/// What a row of the file did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// The row.
    pub row: u64,
    /// What it added to the sum.
    pub contribution: f64,
    /// The sum without the row, less the sum with it.
    pub effect: f64,
}

/// What is known of each sum besides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SumValues {
    /// The sums after the last token.
    pub values: Vec<f64>,
    /// What the initial weights add to them.
    pub initial: Vec<f64>,
    /// The greatest kappa of an event.
    pub max_kappa: f64,
}

/// The derivatives of a sum.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Derivatives {
    /// By the salience of each row.
    pub alpha: Vec<f64>,
    /// By the learning rates, where the outcome is present and where it is absent.
    pub beta: [f64; 2],
    /// By the asymptote of the outcome.
    pub lambda: f64,
    /// By what each token leaves of the weights.
    pub retention: f64,
}

impl Plan<'_, f64> {
    /// What each row of the file did to sums of weights.
    ///
    /// # Errors
    /// [`Error::Argument`] for parts that do not fit, [`Error::NotFinite`] when learning diverges, [`Error::Format`] for a damaged
    /// file, [`Error::Memory`], [`Error::Stopped`].
    pub fn influence(
        &self,
        file: &EventFile,
        sums: Sums<'_>,
        kept: &mut RowsOut<'_>,
        monitor: &Monitor,
    ) -> Result<SumValues> {
        let n_rows = usize::try_from(file.len()).unwrap_or(usize::MAX);
        let fits = match &kept {
            RowsOut::All(contributions, effects) => {
                let wanted = n_rows.checked_mul(sums.columns.len());
                [contributions.len(), effects.len()].map(Some) == [wanted; 2]
            }
            RowsOut::Greatest(all) => all.len() == sums.columns.len(),
        };
        if !fits {
            return Err(Error::Argument("expected room for each row and sum".into()));
        }
        let mut found = SumValues::default();
        self.tiles(file, sums, &mut found, monitor, |tile, first, found| match tile.n_lanes() {
            0..=1 => tile.influence::<1>(first, kept, found),
            2..=4 => tile.influence::<4>(first, kept, found),
            _ => tile.influence::<TOGETHER>(first, kept, found),
        })?;
        Ok(found)
    }

    /// The derivatives of sums of weights by the parameters of the rule.
    ///
    /// # Errors
    /// As [`Plan::influence`].
    pub fn sensitivity(
        &self,
        file: &EventFile,
        sums: Sums<'_>,
        monitor: &Monitor,
    ) -> Result<(SumValues, Vec<Derivatives>)> {
        let (mut found, mut derivatives) = (SumValues::default(), Vec::new());
        self.tiles(file, sums, &mut found, monitor, |tile, _, found| {
            derivatives.make_room(tile.sums.len())?;
            derivatives.extend(match tile.sums.len() {
                0..=1 => tile.sensitivity::<1>(found),
                2..=4 => tile.sensitivity::<4>(found),
                _ => tile.sensitivity::<TOGETHER>(found),
            }?);
            Ok(())
        })?;
        Ok((found, derivatives))
    }

    /// Checks the plan and calls `visit` with some sums at a time, and with the number of the first of them.
    fn tiles(
        &self,
        file: &EventFile,
        sums: Sums<'_>,
        found: &mut SumValues,
        monitor: &Monitor,
        mut visit: impl FnMut(&SumTile<'_>, usize, &mut SumValues) -> Result<()>,
    ) -> Result<()> {
        let rule = Parameters::<f64>::new(self.alpha, self.beta1, self.beta2, self.lambda)?;
        let retention = self.forgetting()?;
        self.check(file, sums.starts.items())?;
        if let Some(initial) = &self.initial {
            initial.started(rule.alpha.len(), rule.lambda.len())?;
        }
        let known = |&column: &u32| (column as usize) < rule.lambda.len();
        if sums.starts.len() != sums.columns.len() || !sums.columns.iter().all(known) {
            return Err(Error::Argument("expected a start and a column that exists for each sum".into()));
        }
        let rates = self.schedule.as_ref().map(|schedule| {
            Rates::new::<f64>([self.beta1, self.beta2], schedule, file.header().n_tokens, monitor)
        });
        let rates = rates.transpose()?;
        let is_one = rates.as_ref().map_or(self.beta1 == self.beta2, Rates::is_one);
        let threads = sensible(self.threads);
        let survey = file.survey(threads, monitor)?;
        found.max_kappa = max_kappa(file, (self.rows, self.alpha), survey, threads, monitor)?;
        let n_tiles = sums.columns.len().div_ceil(TOGETHER) as u64;
        monitor.set_total(n_tiles.saturating_mul(file.len()).saturating_mul(2));
        for first in (0..sums.columns.len()).step_by(TOGETHER) {
            let last = (first + TOGETHER).min(sums.columns.len());
            let (mut columns, mut starts, mut lanes) = (Vec::new(), Vec::new(), Vec::new());
            for (sum, &column) in (first..last).zip(&sums.columns[first..last]) {
                let lane = place(&mut columns, column)?;
                let rows = sums.starts.get(sum);
                // With one rate, outcomes of one start share its adjoint.
                let start = place(&mut starts, (rows, if is_one { 0 } else { lane }))?;
                lanes.grow([start, lane])?;
            }
            let mut lane_of = filled(NONE, rule.lambda.len())?;
            (0..).zip(&columns).for_each(|(lane, &column)| lane_of[column as usize] = lane);
            let of_outcome = |column: &Option<u32>| column.map_or(NONE, |column| lane_of[column as usize]);
            let numbering = Numbering {
                rows: copied(self.rows)?,
                n_rows: rule.alpha.len(),
                columns: collected(self.columns.iter().map(of_outcome))?,
                n_columns: columns.len(),
                once: true,
            };
            let stream = EventStream::new(file, numbering)?;
            let tile = SumTile {
                plan: self,
                retention: retention.as_ref(),
                rates: rates.as_ref(),
                stream,
                columns,
                starts,
                sums: lanes,
                monitor,
            };
            visit(&tile, first, found)?;
        }
        Ok(())
    }
}

/// The place of an item in a list, to which it is appended if it is not there.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> Result<usize> {
    match list.iter().position(|each| *each == item) {
        Some(place) => Ok(place),
        None => {
            list.grow(item)?;
            Ok(list.len() - 1)
        }
    }
}

/// Some sums, which go through the events together.
///
/// Invariant: there are at most [`TOGETHER`] columns and as many starts; rows are below the length of the saliences, outcomes of the
/// stream are places in `columns`.
struct SumTile<'a> {
    plan: &'a Plan<'a, f64>,
    retention: Option<&'a Retention<f64>>,
    rates: Option<&'a Rates<'a>>,
    stream: EventStream,
    /// The column of each lane of the forward pass.
    columns: Vec<u32>,
    /// The rows that each lane of the backward pass starts from, and the lane of its outcome.
    starts: Vec<(&'a [u32], usize)>,
    /// The lane of the start and that of the column of each sum.
    sums: Vec<[usize; 2]>,
    monitor: &'a Monitor,
}

/// A row of the file.
struct FileRow<'a> {
    number: usize,
    cues: &'a [u32],
    /// The lanes of the outcomes that are present.
    outcomes: &'a [u32],
    frequency: u32,
    /// How many tokens come before it.
    token: u64,
}

/// What the tokens of a row do together, for each lane of the forward pass.
struct Gains<const N: usize> {
    /// lambda o G.
    taught: [f64; N],
    /// H.
    held: [f64; N],
}

/// Rows of a tile, each as it was at some token.
struct RowTokens<'a> {
    retention: Option<&'a Retention<f64>>,
    at: Vec<u64>,
}

impl RowTokens<'_> {
    /// Brings a row of a tile to another token.
    #[inline(always)]
    fn bring<const N: usize>(&mut self, row: u32, token: u64, to: &mut [f64; N]) {
        let Some(retention) = self.retention else { return };
        let at = std::mem::replace(&mut self.at[row as usize], token);
        if at != token {
            let factor = retention.power(at.abs_diff(token));
            to.iter_mut().for_each(|number| *number *= factor);
        }
    }
}

/// How often each row is among the cues of an event.
struct Multiplicities(Vec<u32>);

impl Multiplicities {
    /// Calls `visit` with each cue of an event, as often as it comes, and how often that is.
    fn each(&mut self, cues: &[u32], mut visit: impl FnMut(u32, f64)) {
        cues.iter().for_each(|&cue| self.0[cue as usize] += 1);
        cues.iter().for_each(|&cue| visit(cue, f64::from(self.0[cue as usize])));
        cues.iter().for_each(|&cue| self.0[cue as usize] = 0);
    }
}

/// What the forward pass found.
struct ForwardPass {
    /// The activation of each column before each row of the file.
    activations: Vec<f64>,
    tokens: u64,
    /// Each sum.
    values: Vec<f64>,
}

impl SumTile<'_> {
    /// The number of lanes that are needed.
    fn n_lanes(&self) -> usize {
        self.columns.len().max(self.starts.len())
    }

    /// The rates of the token after `token` tokens, where the outcome is present and where it is absent.
    #[inline(always)]
    fn betas(&self, token: u64) -> [f64; 2] {
        match self.rates {
            Some(rates) => rates.after::<f64>(token),
            None => [self.plan.beta1, self.plan.beta2],
        }
    }

    fn gamma(&self) -> f64 {
        self.plan.retention
    }

    /// Calls `visit` with each row of the file, in order.
    fn forth(&self, work: usize, mut visit: impl FnMut(&FileRow<'_>) -> Result<()>) -> Result<u64> {
        let (mut token, mut number, mut pulse) = (0_u64, 0, Pulse::default());
        for chunk in 0..self.stream.n_chunks() {
            self.stream.visit(chunk, |segment| {
                for i in 0..segment.len {
                    let (row, frequency) = (segment.row(i) as usize, segment.frequency(i));
                    let (cues, outcomes) = (segment.rows.cues.get(row), segment.rows.outcomes.get(row));
                    pulse.beat((cues.len() + 1) * work, self.monitor)?;
                    visit(&FileRow { number, cues, outcomes, frequency, token })?;
                    number += 1;
                    token = token.saturating_add(frequency.into());
                }
                self.monitor.advance(segment.len as u64)
            })?;
        }
        Ok(token)
    }

    /// Calls `visit` with each row of the file, the last one first.
    fn back(
        &self,
        mut token: u64,
        work: usize,
        mut visit: impl FnMut(&FileRow<'_>) -> Result<()>,
    ) -> Result<()> {
        let (mut number, mut pulse) = (self.stream.len() as usize, Pulse::default());
        for chunk in (0..self.stream.n_chunks()).rev() {
            self.stream.visit(chunk, |segment| {
                for i in (0..segment.len).rev() {
                    let (row, frequency) = (segment.row(i) as usize, segment.frequency(i));
                    let (cues, outcomes) = (segment.rows.cues.get(row), segment.rows.outcomes.get(row));
                    pulse.beat((cues.len() + 1) * work, self.monitor)?;
                    number = number.saturating_sub(1);
                    token = token.saturating_sub(frequency.into());
                    visit(&FileRow { number, cues, outcomes, frequency, token })?;
                }
                self.monitor.advance(segment.len as u64)
            })?;
        }
        Ok(())
    }

    /// kappa of an event.
    fn kappa(&self, cues: &[u32], times: &mut Multiplicities) -> f64 {
        let mut kappa = 0.0;
        times.each(cues, |cue, m| kappa += self.plan.alpha[cue as usize] * m);
        kappa
    }

    /// What the tokens of a row do together.
    #[inline(always)]
    fn gains<const N: usize>(
        &self,
        row: &FileRow<'_>,
        times: &mut Multiplicities,
        pulse: &mut Pulse,
        gains: &mut Gains<N>,
    ) -> Result<()> {
        let [present, absent] = if row.frequency == 1 {
            let [present, absent] = self.betas(row.token);
            [[present; 2], [absent; 2]]
        } else {
            self.gains_of_tokens(row, times, pulse)?
        };
        gains.taught.fill(0.0);
        gains.held.fill(absent[1]);
        for &lane in row.outcomes {
            let lane = lane as usize;
            gains.taught[lane] = self.plan.lambda[self.columns[lane] as usize] * present[0];
            gains.held[lane] = present[1];
        }
        Ok(())
    }

    /// `[G, H]` of a row of any frequency, where the outcome is present and where it is absent.
    fn gains_of_tokens(
        &self,
        row: &FileRow<'_>,
        times: &mut Multiplicities,
        pulse: &mut Pulse,
    ) -> Result<[[f64; 2]; 2]> {
        let (kappa, gamma) = (self.kappa(row.cues, times), self.gamma());
        if self.rates.is_none() {
            return Ok(self
                .betas(0)
                .map(|beta| geometric([gamma - beta * kappa, gamma], row.frequency).map(|sum| beta * sum)));
        }
        let mut gains = [[0.0, 0.0, 1.0]; 2];
        for token in (row.token..row.token.saturating_add(row.frequency.into())).rev() {
            pulse.beat(8, self.monitor)?;
            for ([taught, held, rest], beta) in gains.iter_mut().zip(self.betas(token)) {
                *taught += beta * *rest;
                *held = gamma * *held + beta * *rest;
                *rest *= gamma - beta * kappa;
            }
        }
        Ok(gains.map(|[taught, held, _]| [taught, held]))
    }

    /// The initial weight of a row, for each lane.
    fn initial<const N: usize>(&self, row: usize) -> [f64; N] {
        let mut weights = [0.0; N];
        if let Some(initial) = &self.plan.initial {
            for (weight, &column) in weights.iter_mut().zip(&self.columns) {
                let place = initial.columns[column as usize].filter(|_| row < initial.n_rows());
                *weight = place.map_or(0.0, |place| initial.weights[row * initial.width + place as usize]);
            }
        }
        weights
    }

    fn tokens(&self, token: u64) -> Result<RowTokens<'_>> {
        let n = if self.retention.is_some() { self.plan.alpha.len() } else { 0 };
        Ok(RowTokens { retention: self.retention, at: filled(token, n)? })
    }

    fn times(&self) -> Result<Multiplicities> {
        Ok(Multiplicities(filled(0, self.plan.alpha.len())?))
    }

    /// Learns the columns, in no more lanes than they need: 16 cues of one outcome take a tenth less time.
    fn forward(&self) -> Result<ForwardPass> {
        match self.columns.len() {
            0..=1 => self.learn_columns::<1>(),
            2..=4 => self.learn_columns::<4>(),
            _ => self.learn_columns::<TOGETHER>(),
        }
    }

    /// The forward pass, in so many lanes.
    fn learn_columns<const N: usize>(&self) -> Result<ForwardPass> {
        let n = self.columns.len();
        let n_rows = usize::try_from(self.stream.len()).unwrap_or(usize::MAX);
        let mut activations = filled(0.0, n_rows.saturating_mul(n))?;
        let mut weights = collected((0..self.plan.alpha.len()).map(|row| self.initial::<N>(row)))?;
        // Columns of zeros stay zero until an outcome is there.
        let mut started = weights.iter().flatten().any(|&weight| weight != 0.0);
        let (mut tokens, mut times, mut pulse) = (self.tokens(0)?, self.times()?, Pulse::default());
        let mut gains = Gains { taught: [0.0; N], held: [0.0; N] };
        let token = self.forth(2 * N, |row| {
            started |= !row.outcomes.is_empty();
            if !started {
                return Ok(());
            }
            let mut sums = [0.0; N];
            for &cue in row.cues {
                let weights = &mut weights[cue as usize];
                tokens.bring(cue, row.token, weights);
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += *weight);
            }
            activations[row.number * n..][..n].copy_from_slice(&sums[..n]);
            if row.frequency == 0 {
                return Ok(());
            }
            self.gains(row, &mut times, &mut pulse, &mut gains)?;
            let Gains { taught, held } = &gains;
            let mut updates = [0.0; N];
            (0..N).for_each(|lane| updates[lane] = taught[lane] - sums[lane] * held[lane]);
            let end = row.token.saturating_add(row.frequency.into());
            for &cue in row.cues {
                let (weights, alpha) = (&mut weights[cue as usize], self.plan.alpha[cue as usize]);
                tokens.bring(cue, end, weights);
                weights.iter_mut().zip(&updates).for_each(|(weight, update)| *weight += alpha * update);
            }
            Ok(())
        })?;
        self.check_finite(&weights, |lane| lane)?;
        let value = |&[start, lane]: &[usize; 2]| {
            let add = |sum: f64, &row: &u32| {
                tokens.bring(row, token, &mut weights[row as usize]);
                sum + weights[row as usize][lane]
            };
            self.starts[start].0.iter().fold(0.0, add)
        };
        let values = collected(self.sums.iter().map(value))?;
        Ok(ForwardPass { activations, tokens: token, values })
    }

    /// Refuses numbers that are not finite, as those of a column.
    fn check_finite<const N: usize>(
        &self,
        rows: &[[f64; N]],
        lane_of: impl Fn(usize) -> usize,
    ) -> Result<()> {
        for (row, numbers) in rows.iter().enumerate() {
            if let Some(lane) = numbers.iter().position(|number| !number.is_finite()) {
                let column = self.columns.get(lane_of(lane)).map_or(0, |&column| column as usize);
                return Err(Error::NotFinite { row, column, value: numbers[lane] });
            }
        }
        Ok(())
    }

    /// The adjoint before the backward pass, where each lane has the start of `lanes`.
    fn adjoint<const N: usize>(&self, lanes: impl Iterator<Item = usize>) -> Result<Vec<[f64; N]>> {
        let mut adjoint = filled([0.0; N], self.plan.alpha.len())?;
        for (lane, start) in lanes.enumerate() {
            self.starts[start].0.iter().for_each(|&row| adjoint[row as usize][lane] += 1.0);
        }
        Ok(adjoint)
    }

    /// s of each lane.
    #[inline(always)]
    fn moved<const N: usize>(
        &self,
        row: &FileRow<'_>,
        tokens: &mut RowTokens<'_>,
        adjoint: &mut [[f64; N]],
    ) -> [f64; N] {
        let mut moved = [0.0; N];
        let end = row.token.saturating_add(row.frequency.into());
        for &cue in row.cues {
            let (numbers, alpha) = (&mut adjoint[cue as usize], self.plan.alpha[cue as usize]);
            tokens.bring(cue, end, numbers);
            moved.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += alpha * *number);
        }
        moved
    }

    /// Both passes: what each row did to each sum, of which `first` is the number of the first.
    fn influence<const N: usize>(
        &self,
        first: usize,
        kept: &mut RowsOut<'_>,
        found: &mut SumValues,
    ) -> Result<()> {
        let n = self.columns.len();
        let ForwardPass { activations, tokens: token, values } = self.forward()?;
        let n_rows = usize::try_from(self.stream.len()).unwrap_or(usize::MAX);
        let n_sums = match kept {
            RowsOut::All(contributions, _) => contributions.len() / n_rows.max(1),
            RowsOut::Greatest(all) => all.len(),
        };
        let mut lanes_of_starts = [0; N];
        lanes_of_starts.iter_mut().zip(&self.starts).for_each(|(lane, start)| *lane = start.1);
        let mut adjoint = self.adjoint::<N>(0..self.starts.len())?;
        let (mut tokens, mut times, mut pulse) = (self.tokens(token)?, self.times()?, Pulse::default());
        let mut gains = Gains { taught: [0.0; N], held: [0.0; N] };
        self.back(token, 2 * N, |row| {
            if row.frequency == 0 {
                return Ok(());
            }
            let moved = self.moved(row, &mut tokens, &mut adjoint);
            if moved.iter().all(|&moved| moved == 0.0) {
                return Ok(());
            }
            self.gains(row, &mut times, &mut pulse, &mut gains)?;
            let Gains { taught, held } = &gains;
            let activations = &activations[row.number * n..][..n];
            for (sum, &[start, lane]) in (first..).zip(&self.sums) {
                // Without a minus before a zero.
                let contribution = moved[start] * taught[lane] + 0.0;
                let effect = moved[start] * (activations[lane] * held[lane] - taught[lane]);
                match kept {
                    RowsOut::All(contributions, effects) => {
                        contributions[row.number * n_sums + sum] = contribution;
                        effects[row.number * n_sums + sum] = effect;
                    }
                    RowsOut::Greatest(all) => {
                        all[sum].add(Influence { row: row.number as u64, contribution, effect })?;
                    }
                }
            }
            let mut change = [0.0; N];
            (0..N).for_each(|lane| change[lane] = moved[lane] * held[lanes_of_starts[lane]]);
            for &cue in row.cues {
                let numbers = &mut adjoint[cue as usize];
                tokens.bring(cue, row.token, numbers);
                numbers.iter_mut().zip(&change).for_each(|(number, change)| *number -= change);
            }
            Ok(())
        })?;
        self.check_finite(&adjoint, |lane| lanes_of_starts[lane])?;
        for (row, numbers) in (0..).zip(&mut adjoint) {
            tokens.bring(row, 0, numbers);
        }
        found.values.grow_by(&values)?;
        for &[start, lane] in &self.sums {
            let part = |(row, numbers): (usize, &[f64; N])| match numbers[start] {
                0.0 => 0.0,
                number => number * self.initial::<N>(row)[lane],
            };
            let none = self.plan.initial.is_none();
            found.initial.grow(if none { 0.0 } else { adjoint.iter().enumerate().map(part).sum() })?;
        }
        Ok(())
    }

    /// Both passes: the derivatives of each sum. Each has a lane of its own.
    fn sensitivity<const N: usize>(&self, found: &mut SumValues) -> Result<Vec<Derivatives>> {
        let (n, gamma) = (self.columns.len(), self.gamma());
        let ForwardPass { activations, tokens: token, values } = self.forward()?;
        let mut adjoint = self.adjoint::<N>(self.sums.iter().map(|sum| sum[0]))?;
        let mut by_alpha = filled([0.0; N], self.plan.alpha.len())?;
        let mut derivatives = filled(Derivatives::default(), self.sums.len())?;
        let mut rests = copied(&values)?;
        let mut before = Vec::new();
        let (mut tokens, mut times, mut pulse) = (self.tokens(token)?, self.times()?, Pulse::default());
        self.back(token, 3 * N, |row| {
            if row.frequency == 0 {
                return Ok(());
            }
            let mut moved = self.moved(row, &mut tokens, &mut adjoint);
            let once = row.frequency == 1;
            let kappa = if once { 0.0 } else { self.kappa(row.cues, &mut times) };
            // What the numbers of the adjoint, and one for each copy of a cue, add to the derivatives by saliences.
            let (mut of_numbers, mut of_copies, mut change) = ([0.0; N], [0.0; N], [0.0; N]);
            for (each, &[_, lane]) in self.sums.iter().enumerate() {
                let Derivatives { beta, lambda, retention, .. } = &mut derivatives[each];
                let is_present = row.outcomes.contains(&(lane as u32));
                let which = usize::from(!is_present);
                let wanted = if is_present { self.plan.lambda[self.columns[lane] as usize] } else { 0.0 };
                let (mut a, mut left) = (activations[row.number * n + lane], 1.0);
                before.clear();
                let span = row.token..row.token.saturating_add(row.frequency.into());
                for token in span.clone() {
                    pulse.beat(8, self.monitor)?;
                    before.grow(a)?;
                    a = gamma * a + kappa * self.betas(token)[which] * (wanted - a);
                }
                for (token, a) in span.rev().zip(before.iter().rev()) {
                    let (rate, s) = (self.betas(token)[which], moved[each]);
                    let u = rate * (wanted - a);
                    of_numbers[each] += left * u;
                    of_copies[each] += change[each] * u;
                    beta[which] += self.factors(token)[which] * s * (wanted - a);
                    *lambda += if is_present { rate * s } else { 0.0 };
                    *retention += (rests[each] - s * u) / gamma;
                    rests[each] -= s * u + rate * s * a;
                    change[each] = gamma * change[each] + rate * s;
                    left *= gamma;
                    moved[each] = (gamma - rate * kappa) * s;
                }
            }
            times.each(row.cues, |cue, m| {
                let (sums, numbers) = (&mut by_alpha[cue as usize], &adjoint[cue as usize]);
                for lane in 0..N {
                    sums[lane] += of_numbers[lane] * numbers[lane] - m * of_copies[lane];
                }
            });
            for &cue in row.cues {
                let numbers = &mut adjoint[cue as usize];
                tokens.bring(cue, row.token, numbers);
                numbers.iter_mut().zip(&change).for_each(|(number, change)| *number -= change);
            }
            Ok(())
        })?;
        self.check_finite(&adjoint, |lane| self.sums.get(lane).map_or(0, |sum| sum[1]))?;
        found.values.grow_by(&values)?;
        for (lane, derivatives) in derivatives.iter_mut().enumerate() {
            derivatives.alpha = collected(by_alpha.iter().map(|sums| sums[lane]))?;
        }
        Ok(derivatives)
    }

    /// The factors of a schedule at a token.
    fn factors(&self, token: u64) -> [f64; 2] {
        match self.rates {
            Some(rates) => rates.factors(token),
            None => [1.0; 2],
        }
    }
}

/// `[q^0 + ... + q^(n-1), gamma^(n-1) q^0 + ... + gamma^0 q^(n-1)]` by doubling, which is right where q is nearly 1, too.
fn geometric([q, gamma]: [f64; 2], n: u32) -> [f64; 2] {
    let (mut sum, mut mixed, mut power, mut other) = (0.0, 0.0, 1.0, 1.0);
    for bit in (0..u32::BITS - n.leading_zeros()).rev() {
        mixed *= other + power;
        sum *= 1.0 + power;
        (power, other) = (power * power, other * other);
        if n >> bit & 1 == 1 {
            mixed = gamma * mixed + power;
            sum += power;
            (power, other) = (power * q, other * gamma);
        }
    }
    [sum, mixed]
}

impl Greatest {
    /// For the `n` rows of the greatest effects.
    pub fn of(n: usize) -> Self {
        Self { n, kept: Vec::new(), least: 0.0 }
    }

    /// Takes one more row, if it may be among them. Rows come from the last one on.
    #[inline(always)]
    fn add(&mut self, one: Influence) -> Result<()> {
        // Of equal effects the first rows stay.
        if one.effect.abs() < self.least || one.effect == 0.0 {
            return Ok(());
        }
        self.kept.grow(one)?;
        if self.kept.len() >= self.n.saturating_mul(2).max(1 << 10) {
            self.settle();
        }
        Ok(())
    }

    /// Leaves only them.
    fn settle(&mut self) {
        if self.kept.len() > self.n {
            let greater = |a: &Influence, b: &Influence| {
                b.effect.abs().total_cmp(&a.effect.abs()).then(a.row.cmp(&b.row))
            };
            self.kept.select_nth_unstable_by(self.n, greater);
            self.kept.truncate(self.n);
            self.least = self.kept.iter().map(|one| one.effect.abs()).fold(f64::INFINITY, f64::min);
        }
    }

    /// The rows, in order.
    pub fn rows(mut self) -> Vec<Influence> {
        self.settle();
        self.kept.sort_unstable_by_key(|one| one.row);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_by_doubling_are_those_of_a_loop(q in -1.0..1.0_f64, gamma in 0.5..=1.0_f64, n in 0..200_u32) {
            let (mut sum, mut mixed, mut power) = (0.0, 0.0, 1.0);
            for _ in 0..n {
                sum += power;
                mixed = gamma * mixed + power;
                power *= q;
            }
            let [found, other] = geometric([q, gamma], n);
            prop_assert!((found - sum).abs() <= 1e-12 * (1.0 + sum.abs()));
            prop_assert!((other - mixed).abs() <= 1e-12 * (1.0 + mixed.abs()));
        }

        #[test]
        fn the_greatest_are_those_of_a_sorted_list(
            effects in prop::collection::vec(-3..=3_i32, 0..3000),
            n in 1..40_usize,
        ) {
            let mut all: Vec<_> = (0..)
                .zip(&effects)
                .map(|(row, &effect)| Influence { row, contribution: 0.5, effect: effect.into() })
                .collect();
            let mut greatest = Greatest::of(n);
            all.iter().rev().for_each(|&one| greatest.add(one).unwrap());
            all.retain(|one| one.effect != 0.0);
            all.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
            all.truncate(n);
            all.sort_by_key(|one| one.row);
            prop_assert_eq!(greatest.rows(), all);
        }
    }

    #[test]
    fn a_long_row_of_slow_tokens_is_not_lost() {
        assert_eq!(geometric([1.0 - 1e-17, 1.0], 3), [3.0, 3.0]);
    }
}
