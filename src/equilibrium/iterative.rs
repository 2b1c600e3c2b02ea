//! The equilibrium by conjugate gradients on the events (CGLS): the normal equations are never made.
//!
//! For one outcome, with V the weights of the cue sets, z the targets and M = C diag(m), from u = 0:
//!
//! ```text
//! e = z,  s = M'Ve,  p = s                 repeat until |s| <= tolerance * |s at the start|:
//! q = M p,    step = |s|^2 / (q'Vq)
//! u += step p,    e -= step q
//! s = M'Ve,    p = s + p |s|^2 / |s before|^2
//! ```
//!
//! It converges at the rate that the condition of M allows, to the solution of least |u|. Frequencies that differ much make it
//! slow, and m = diag(C'VC)^(-1/2) (Jacobi) removes most of that: trigrams of the King James text need some 2,800 iterations
//! instead of more than 5,000 to bring the gradient to 1e-12 of its initial size. But then |u| is least, and not |x|. With a
//! ridge there is one solution only. Without, a second run follows: the activations b = C S x are unique, and of all x with these
//! activations one has the least
//! |x|:
//!
//! ```text
//! 1.  V the tokens,                             m = diag(S C'VC S + ridge)^(-1/2)      any solution; with a ridge the one
//! 2.  V = 1 / sum over the set of (m_i S_i)^2,  m = 1                                  of least |x| with C S x = b
//! ```
//!
//! In the second run C S x = b has exact solutions, so they do not depend on V, and frequencies no longer matter.
//!
//! With initial weights W_0 the unknowns are changes, and z is O lambda - C W_0. Gradients are compared with those of O lambda and
//! C |W_0|, because z itself may be hardly more than rounding.
//!
//! Memory apart from the counts and the result, with s cue sets and n columns: each thread takes 8 w (2 s + 6 n) bytes for w
//! outcomes at a time, and 8 w n more for W_0. w is 32, or less where that keeps the former below 256 MiB. Outcomes are never
//! combined, so the bits do not depend on w.

use rayon::prelude::*;

use super::block::{OutcomeBlock, scale_rows};
use super::counts::Counts;
use super::factor::inverse_root;
use super::problem::{Problem, RelativeRates, Sink, Solved, Squares};
use crate::error::Result;
use crate::memory::{collected, copied, empty, filled};
use crate::monitor::{Monitor, Pulse};

/// By default a run ends when the gradient is this fraction of its initial size.
pub const TOLERANCE: f64 = 1e-12;
/// Units of progress of an outcome.
pub(super) const STEPS: u64 = 100;
/// The most outcomes at a time, for a thread.
const WIDEST: usize = 32;
/// The most bytes for these outcomes.
const BYTES: usize = 256 << 20;
/// In exact arithmetic a run ends after as many iterations as there are columns; rounding delays it.
const PATIENCE: usize = 20;

/// Solves for all outcomes.
pub(super) fn solve(
    counts: &Counts,
    problem: &Problem<'_>,
    rates: RelativeRates,
    sink: &Sink<'_>,
    monitor: &Monitor,
) -> Result<Solved> {
    sink.clear(monitor)?;
    let tolerance = problem.tolerance.unwrap_or(TOLERANCE);
    let n = counts.n_outcomes();
    let each = 8 * (2 * counts.n_sets() + 6 * counts.n_columns()).max(1);
    let width = n.div_ceil(rayon::current_num_threads()).min(WIDEST).min(BYTES / each).max(1);
    let blocks: Vec<usize> = collected((0..n).step_by(width))?;
    let work = |first: usize| {
        let outcomes = first..(first + width).min(n);
        let lambda = &problem.lambda[outcomes.clone()];
        let start = sink.start(counts, outcomes.clone(), monitor)?;
        let block =
            OutcomeBlock::new(counts, outcomes.clone(), lambda, rates, problem.ridge, start, monitor)?;
        let mut progress = Decrease::new(monitor, outcomes.len(), if problem.ridge > 0.0 { 1 } else { 2 });
        let (x, ends) = solve_block(&block, tolerance, &mut progress)?;
        let squares = block.judge(&block.residual(&x, monitor)?, monitor)?;
        sink.write(counts, outcomes, &x, monitor)?;
        Ok((ends, squares))
    };
    let mut done: Vec<Result<_>> = empty(blocks.len())?;
    blocks.into_par_iter().map(work).collect_into_vec(&mut done);
    let (mut squares, mut iterations, mut converged) = (empty(n)?, 0, true);
    for block in done {
        let (ends, of_block): (Vec<End>, Vec<Squares>) = block?;
        squares.extend(of_block);
        for end in ends {
            iterations = end.iterations.max(iterations);
            converged &= end.converged;
        }
    }
    Ok(Solved {
        solver: "cgls",
        rank: None,
        tolerance,
        iterations: Some(iterations),
        converged,
        squares,
        multiplied: 0,
    })
}

/// How the iterations of an outcome ended.
#[derive(Clone, Copy)]
struct End {
    iterations: u64,
    converged: bool,
}

/// Both runs.
fn solve_block(
    block: &OutcomeBlock<'_>,
    tolerance: f64,
    progress: &mut Decrease<'_>,
) -> Result<(Vec<f64>, Vec<End>)> {
    let (counts, width) = (block.counts, block.width());
    let RelativeRates { present, absent } = block.rates;
    // The diagonal of S C'FC S, with the same weight for all tokens: any positive m is allowed.
    let diagonal = counts.diagonal(progress.monitor)?;
    let mut errors = filled(0.0, counts.n_sets() * width)?;
    let mut at = 0;
    let mut kappa = empty(counts.n_sets())?;
    let mut pulse = Pulse::default();
    let (mut activation, mut target) = (vec![0.0; width], vec![0.0; width]);
    for (set, &tokens) in counts.tokens.iter().enumerate() {
        let mut sum = 0.0;
        pulse.beat(counts.set(set).len() + width, progress.monitor)?;
        for (column, times) in counts.set(set).entries() {
            sum += (times * counts.scale[column]).powi(2);
        }
        // A row of zeros is no equation.
        kappa.push(if sum > 0.0 { 1.0 / sum } else { 0.0 });
        if block.has_start() {
            block.initial_activation(set, &mut activation);
            let weighs = if absent > 0.0 { 1.0 } else { 0.0 };
            (0..width).for_each(|lane| errors[set * width + lane] = -weighs * activation[lane]);
        }
        for entry in block.entries(set, &mut at) {
            let lane = entry.lane as usize;
            let weight = present * entry.tokens + absent * (tokens - entry.tokens);
            if weight > 0.0 {
                errors[set * width + lane] =
                    present * entry.tokens * block.lambda[lane] / weight - activation[lane];
            }
        }
        target.fill(0.0);
        block.add_vectors(set, &mut target);
        (0..width).for_each(|lane| errors[set * width + lane] += target[lane] / tokens);
    }
    let m: Vec<f64> = collected(diagonal.iter().map(|sum| inverse_root(sum + block.ridge)))?;
    let factors: Vec<f64> = collected(m.iter().zip(&counts.scale).map(|(m, scale)| m * scale))?;
    let penalty: Vec<f64> = collected(m.iter().map(|m| block.ridge * m * m))?;
    let run = ConjugateGradients {
        counts,
        width,
        factors: &factors,
        penalty: (block.ridge > 0.0).then_some(&penalty),
        tolerance,
    };
    let sizes = if block.has_start() { Some(block.sizes_at_start(progress.monitor)?) } else { None };
    let by_tokens = |set: usize, row: &mut [f64], at: &mut usize| block.weigh(set, row, at);
    let (mut x, mut ends) = run.solve(&by_tokens, errors, sizes, progress)?;
    scale_rows(&mut x, &m, width);
    if block.ridge == 0.0 {
        let mut predicted = filled(0.0, counts.n_sets() * width)?;
        scale_rows(&mut x, &counts.scale, width);
        for (set, row) in predicted.chunks_exact_mut(width).enumerate() {
            pulse.beat(counts.set(set).len() * width, progress.monitor)?;
            counts.set(set).sum_rows(&x, row);
        }
        drop(x);
        let run = ConjugateGradients { counts, width, factors: &counts.scale, penalty: None, tolerance };
        // Zero for outcomes whose tokens have the weight zero, because activations there are not determined.
        let by_sets = |set: usize, row: &mut [f64], at: &mut usize| {
            row.iter_mut().for_each(|value| *value *= kappa[set]);
            if absent == 0.0 || present == 0.0 {
                let mut weights = vec![1.0; width];
                block.weigh(set, &mut weights, at);
                row.iter_mut()
                    .zip(weights)
                    .filter(|(_, weight)| *weight == 0.0)
                    .for_each(|(value, _)| *value = 0.0);
            }
        };
        let (least, second) = run.solve(&by_sets, predicted, None, progress)?;
        x = least;
        for (end, second) in ends.iter_mut().zip(second) {
            end.iterations += second.iterations;
            end.converged &= second.converged;
        }
    }
    Ok((x, ends))
}

/// Multiplies a row of numbers, one for each outcome, by the weights of a cue set. Sets must come in order; the last argument starts
/// at 0.
trait Weigh: Fn(usize, &mut [f64], &mut usize) {}

impl<F: Fn(usize, &mut [f64], &mut usize)> Weigh for F {}

/// One run of conjugate gradients, for all outcomes of a block at once.
struct ConjugateGradients<'a> {
    counts: &'a Counts,
    width: usize,
    /// m, times the scale of the columns.
    factors: &'a [f64],
    /// What a ridge adds to the diagonal of M'VM.
    penalty: Option<&'a [f64]>,
    tolerance: f64,
}

impl ConjugateGradients<'_> {
    /// Solves for u, given the targets. Gradients are compared with those of `sizes` if given, else with those of the targets.
    fn solve(
        &self,
        weights: &impl Weigh,
        mut errors: Vec<f64>,
        sizes: Option<Vec<f64>>,
        progress: &mut Decrease<'_>,
    ) -> Result<(Vec<f64>, Vec<End>)> {
        let (n, width) = (self.counts.n_columns(), self.width);
        let (mut solution, mut gradient) = (filled(0.0, n * width)?, filled(0.0, n * width)?);
        let mut of_sizes = None;
        if let Some(mut sizes) = sizes {
            self.descend(weights, &mut sizes, None, &solution, &mut gradient, progress.monitor)?;
            of_sizes = Some(self.squares(&gradient));
        }
        self.descend(weights, &mut errors, None, &solution, &mut gradient, progress.monitor)?;
        let mut direction = copied(&gradient)?;
        let mut image = filled(0.0, errors.len())?;
        let mut square = self.squares(&gradient);
        let start = of_sizes.unwrap_or_else(|| square.clone());
        let (mut curvature, mut step) = (vec![0.0; width], vec![0.0; width]);
        // A gradient below eps is only rounding, and steps along it would make u worse.
        let goal = self.tolerance.max(f64::EPSILON).powi(2);
        let open = |square: &[f64]| (0..width).any(|lane| square[lane] > goal * start[lane]);
        let mut iterations = vec![0; width];
        for _ in 0..PATIENCE * n + 100 {
            if !open(&square) {
                break;
            }
            self.image(weights, &direction, &mut image, &mut curvature, progress.monitor)?;
            for lane in 0..width {
                // A converged outcome no longer changes, so it does not depend on how long the others take.
                let moves = square[lane] > goal * start[lane] && curvature[lane] > 0.0;
                iterations[lane] += u64::from(moves);
                step[lane] = if moves { square[lane] / curvature[lane] } else { 0.0 };
            }
            for (row, direction) in solution.chunks_exact_mut(width).zip(direction.chunks_exact(width)) {
                (0..width).for_each(|lane| row[lane] += step[lane] * direction[lane]);
            }
            let move_by = Some((image.as_slice(), step.as_slice()));
            self.descend(weights, &mut errors, move_by, &solution, &mut gradient, progress.monitor)?;
            let now = self.squares(&gradient);
            for lane in 0..width {
                // The direction of a converged outcome no longer matters.
                curvature[lane] = if step[lane] > 0.0 { now[lane] / square[lane] } else { 0.0 };
                square[lane] = if step[lane] > 0.0 { now[lane] } else { square[lane] };
            }
            for (row, gradient) in direction.chunks_exact_mut(width).zip(gradient.chunks_exact(width)) {
                (0..width).for_each(|lane| row[lane] = gradient[lane] + curvature[lane] * row[lane]);
            }
            let slowest = (0..width)
                .filter(|&lane| start[lane] > 0.0)
                .map(|lane| (square[lane] / start[lane]).ln() / goal.ln())
                .fold(1.0, f64::min);
            progress.tell(slowest)?;
        }
        progress.next()?;
        let ends = (0..width).map(|lane| End {
            iterations: iterations[lane],
            converged: square[lane] <= self.tolerance.powi(2) * start[lane],
        });
        Ok((solution, ends.collect()))
    }

    /// q = M p and q'Vq + p' penalty p.
    fn image(
        &self,
        weights: &impl Weigh,
        direction: &[f64],
        image: &mut [f64],
        curvature: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let width = self.width;
        let mut scaled = copied(direction)?;
        scale_rows(&mut scaled, self.factors, width);
        curvature.fill(0.0);
        let mut weighed = vec![0.0; width];
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, row) in image.chunks_exact_mut(width).enumerate() {
            pulse.beat(self.counts.set(set).len() * width, monitor)?;
            self.counts.set(set).sum_rows(&scaled, row);
            weighed.copy_from_slice(row);
            weights(set, &mut weighed, &mut at);
            (0..width).for_each(|lane| curvature[lane] += row[lane] * weighed[lane]);
        }
        if let Some(penalty) = self.penalty {
            for (row, penalty) in direction.chunks_exact(width).zip(penalty) {
                (0..width).for_each(|lane| curvature[lane] += penalty * row[lane] * row[lane]);
            }
        }
        Ok(())
    }

    /// e -= step q, and s = M'Ve - penalty u.
    fn descend(
        &self,
        weights: &impl Weigh,
        errors: &mut [f64],
        step: Option<(&[f64], &[f64])>,
        solution: &[f64],
        gradient: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let width = self.width;
        gradient.fill(0.0);
        let mut weighed = vec![0.0; width];
        let mut at = 0;
        let mut pulse = Pulse::default();
        for (set, row) in errors.chunks_exact_mut(width).enumerate() {
            pulse.beat(self.counts.set(set).len() * width, monitor)?;
            if let Some((image, step)) = step {
                let image = &image[set * width..][..width];
                (0..width).for_each(|lane| row[lane] -= step[lane] * image[lane]);
            }
            weighed.copy_from_slice(row);
            weights(set, &mut weighed, &mut at);
            self.counts.set(set).add_to_rows(gradient, &weighed);
        }
        scale_rows(gradient, self.factors, width);
        if let Some(penalty) = self.penalty {
            let rows = gradient.chunks_exact_mut(width).zip(solution.chunks_exact(width));
            for ((row, solution), penalty) in rows.zip(penalty) {
                (0..width).for_each(|lane| row[lane] -= penalty * solution[lane]);
            }
        }
        Ok(())
    }

    /// The squared length of each outcome's column.
    fn squares(&self, rows: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for row in rows.chunks_exact(self.width) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
        }
        sums
    }
}

/// The progress of a block, by the logarithm of its slowest outcome's gradient.
struct Decrease<'a> {
    monitor: &'a Monitor,
    /// Units of each run.
    of_run: u64,
    run: u64,
    reported: u64,
}

impl<'a> Decrease<'a> {
    fn new(monitor: &'a Monitor, outcomes: usize, runs: u64) -> Self {
        Self { monitor, of_run: STEPS * outcomes as u64 / runs, run: 0, reported: 0 }
    }

    /// Reports that this part of the run is done.
    fn tell(&mut self, part: f64) -> Result<()> {
        let reached = self.run * self.of_run + (part.clamp(0.0, 1.0) * self.of_run as f64) as u64;
        // A gradient may grow for a while; progress never falls.
        let more = reached.saturating_sub(self.reported);
        self.reported += more;
        self.monitor.advance(more)
    }

    /// Ends the run.
    fn next(&mut self) -> Result<()> {
        self.tell(1.0)?;
        self.run += 1;
        Ok(())
    }
}
