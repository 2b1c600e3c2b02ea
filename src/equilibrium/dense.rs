//! The equilibrium by a factorisation of the normal equations.
//!
//! ```text
//! x = G^+ h;    then once or more    x += G^+ r,    r = S C'F (O lambda - C S x) - ridge x
//! ```
//!
//! G has the square of the condition of C. The refinement, whose r comes from the events and not from G, takes that back:
//! what is left is of the order of the condition of C (Bjorck's corrected seminormal equations). Whether it is worth its
//! cost, as much as solving, a random combination of a block's r tells: the square of the solution for it is in the mean the sum
//! of those for all. Where it is below NEGLIGIBLE of the weights, they stay as they are.
//!
//! *Two rates.* With beta1 where the outcome is present and beta2 where it is absent, outcome j has a matrix of its own,
//!
//! ```text
//! G_j = beta2 (G + delta U U'),    U = S C' restricted to the p cue sets with j, times the roots of their counts,
//! G_j^+ = (G^+ - delta Q (I + delta U'Q)^-1 Q') / beta2,    Q = G^+ U,    delta = (beta1 - beta2) / beta2
//! ```
//!
//! which costs 2 r^2 p; beyond p = n / 6 a factorisation of G_j alone is cheaper. All sets have positive weights, so that all G_j
//! map the same to zero, and I + delta U'Q has no eigenvalue below min(1, beta1 / beta2). Where beta2 = 0 they do not, and each
//! outcome is solved for by itself, over the cue sets that have it.

use std::ops::Range;

use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::block::Block;
use super::counts::Counts;
use super::factor::{Factor, factorise, solve as solve_lower};
use super::{Problem, Rates, Sink, Solved, Squares};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// The most outcomes in a block.
const WIDEST: usize = 256;
/// Blocks there are at least, if there are outcomes enough, for the threads to share.
const BLOCKS: usize = 16;
/// A block has so many times r^2 numbers to multiply at most, so that the stop flag is looked at often enough.
const WORK: usize = 1 << 30;
/// Corrections below this part of the weights are not worth making.
const NEGLIGIBLE: f64 = 1e-11;
/// A correction that is below this part of the weights leaves errors of its square, which are none.
const ENOUGH: f64 = 1e-7;
/// The most refinements.
const MOST: usize = 3;
/// An outcome with more cue sets than this part of the columns has a factorisation of its own.
const UPDATED: usize = 6;

/// Solves for all outcomes.
pub(super) fn solve(
    counts: &Counts,
    problem: &Problem<'_>,
    rates: Rates,
    sink: &Sink<'_>,
    monitor: &Monitor,
) -> Result<Solved> {
    let Rates { present, absent } = rates;
    let together = absent > 0.0 && (present == absent || problem.tolerance.is_none());
    let factor = if together {
        Some(Factor::new(counts, problem.ridge / absent, problem.tolerance, monitor)?)
    } else {
        None
    };
    let alone = |outcome: usize| match &factor {
        None => true,
        Some(_) => present != absent && UPDATED * counts.pairs(outcome).len() > counts.n_columns(),
    };
    let widest = (WORK / factor.as_ref().map_or(1, Factor::rank).pow(2).max(1)).clamp(8, WIDEST);
    let blocks = blocks(counts, alone, widest, present == absent);
    let task = Task { counts, problem, rates, factor: factor.as_ref(), widest, sink, monitor };
    let done: Vec<Result<Part>> = blocks
        .into_par_iter()
        .map(|outcomes| {
            let width = outcomes.len() as u64;
            let part = if alone(outcomes.start) { task.one(outcomes.start) } else { task.block(outcomes) }?;
            monitor.advance(width)?;
            Ok(part)
        })
        .collect();
    let mut squares = Vec::new();
    let (mut solver, mut tolerance) =
        factor.as_ref().map_or(("cholesky", 0.0), |f| (f.name(), f.tolerance()));
    for part in done {
        let part = part?;
        squares.extend(part.squares);
        if let Some((name, least)) = part.alone {
            tolerance = least.max(tolerance);
            solver = if name == "eigen" { name } else { solver };
        }
    }
    let rank = factor.map(|factor| factor.rank());
    Ok(Solved { solver, rank, tolerance, iterations: None, squares, converged: true })
}

/// Outcomes that are solved for together, one after another in one block: of about the same size, and with two rates
/// of no more than `widest` cue sets. The threads have no say, so that they have none in the bits.
fn blocks(
    counts: &Counts,
    alone: impl Fn(usize) -> bool,
    widest: usize,
    one_rate: bool,
) -> Vec<Range<usize>> {
    let n = counts.n_outcomes();
    let width = n.div_ceil(BLOCKS.max(n.div_ceil(widest))).max(1);
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut sets = 0;
    for outcome in 0..n {
        let more = if one_rate { 0 } else { counts.pairs(outcome).len() };
        match blocks.last_mut() {
            Some(last)
                if last.len() < width && sets + more <= widest && !alone(outcome) && !alone(last.start) =>
            {
                last.end += 1;
                sets += more;
            }
            _ => {
                blocks.push(outcome..outcome + 1);
                sets = more;
            }
        }
    }
    blocks
}

/// What a block brought.
struct Part {
    squares: Vec<Squares>,
    /// Solver and tolerance, where the factorisation was the block's own.
    alone: Option<(&'static str, f64)>,
}

struct Task<'a, 'b> {
    counts: &'a Counts,
    problem: &'a Problem<'a>,
    rates: Rates,
    factor: Option<&'a Factor>,
    widest: usize,
    sink: &'a Sink<'b>,
    monitor: &'a Monitor,
}

impl Task<'_, '_> {
    /// Some outcomes, by the factorisation that all share.
    fn block(&self, outcomes: Range<usize>) -> Result<Part> {
        let Some(factor) = self.factor else { return self.one(outcomes.start) };
        let lambda = &self.problem.lambda[outcomes.clone()];
        let block = Block::new(self.counts, outcomes.clone(), lambda, self.rates, self.problem.ridge);
        let updates = if self.rates.present == self.rates.absent {
            Vec::new()
        } else {
            outcomes.clone().map(|outcome| self.update(factor, outcome)).collect::<Result<_>>()?
        };
        let inverse = Inverse { factor, absent: self.rates.absent, updates };
        let (x, squares) = inverse.solve(&block, self.monitor)?;
        self.sink.write(self.counts, outcomes, &x);
        Ok(Part { squares, alone: None })
    }

    /// One outcome, by a factorisation of its own.
    fn one(&self, outcome: usize) -> Result<Part> {
        let Rates { present, absent } = self.rates;
        let (counts, columns) = self.counts.of_outcome(outcome, present, absent)?;
        let factor = Factor::new(&counts, self.problem.ridge, self.problem.tolerance, self.monitor)?;
        let lambda = &self.problem.lambda[outcome..=outcome];
        let block = Block::new(&counts, 0..1, lambda, Rates::ONE, self.problem.ridge);
        let inverse = Inverse { factor: &factor, absent: 1.0, updates: Vec::new() };
        let (part, squares) = inverse.solve(&block, self.monitor)?;
        let mut x = vec![0.0; self.counts.n_columns()];
        part.iter().zip(columns).for_each(|(value, column)| x[column as usize] = *value);
        self.sink.write(self.counts, outcome..outcome + 1, &x);
        Ok(Part { squares, alone: Some((factor.name(), factor.tolerance())) })
    }

    /// How the matrix of an outcome differs from that of all.
    fn update(&self, factor: &Factor, outcome: usize) -> Result<Update> {
        let counts = self.counts;
        let delta = (self.rates.present - self.rates.absent) / self.rates.absent;
        let pairs = counts.pairs(outcome);
        let vectors: Vec<Vec<(usize, f64)>> = pairs
            .iter()
            .map(|pair| {
                let columns = counts.set(pair.set as usize).iter();
                let root = pair.tokens.sqrt();
                columns.map(|&column| (column as usize, root * counts.scale[column as usize])).collect()
            })
            .collect();
        let mut solved = Mat::zeros(counts.n_columns(), 0);
        for some in vectors.chunks(self.widest) {
            self.monitor.check()?;
            let mut part = Mat::zeros(counts.n_columns(), some.len());
            for (j, vector) in some.iter().enumerate() {
                vector.iter().for_each(|&(column, value)| part[(column, j)] += value);
            }
            factor.apply(&mut part);
            let done = solved.ncols();
            solved = Mat::from_fn(part.nrows(), done + part.ncols(), |i, j| {
                if j < done { solved[(i, j)] } else { part[(i, j - done)] }
            });
        }
        let mut lower = Mat::from_fn(vectors.len(), vectors.len(), |i, j| {
            let product: f64 = vectors[i].iter().map(|&(column, value)| value * solved[(column, j)]).sum();
            f64::from(u8::from(i == j)) + delta * product
        });
        if !factorise(lower.as_mut()) {
            return Err(Error::Numeric(format!(
                "beta1 and beta2 are too far apart (a ratio of {:e}) for a factorisation; bring them nearer, or use \
                 method=\"iterative\"",
                self.rates.present / self.rates.absent
            )));
        }
        Ok(Update { delta, vectors, solved, lower })
    }
}

/// G_j^+ for the outcomes of a block.
struct Inverse<'a> {
    factor: &'a Factor,
    absent: f64,
    /// One an outcome; none where all have the same matrix.
    updates: Vec<Update>,
}

/// delta, U, Q and the Cholesky factor of I + delta U'Q.
struct Update {
    delta: f64,
    /// The columns of U, sparse.
    vectors: Vec<Vec<(usize, f64)>>,
    solved: Mat<f64>,
    lower: Mat<f64>,
}

impl Inverse<'_> {
    /// x of a block, and how well it solves.
    fn solve(&self, block: &Block<'_>, monitor: &Monitor) -> Result<(Vec<f64>, Vec<Squares>)> {
        let (n, width) = (block.counts.n_columns(), block.width());
        let mut x = by_columns(&block.targets(), n, width);
        self.apply(&mut x);
        let mut round = 0;
        loop {
            monitor.check()?;
            let rows = by_rows(&x);
            let rest = block.residual(&rows, monitor)?;
            let mut step = by_columns(&rest, n, width);
            if round == MOST || (round == 0 && self.is_negligible(&step, greatest(&x))) {
                return Ok((rows, block.judge(&rest)));
            }
            self.apply(&mut step);
            x += &step;
            self.factor.shorten(&mut x);
            round = if greatest(&step) <= ENOUGH * greatest(&x) { MOST } else { round + 1 };
        }
    }

    /// Whether a correction is too small to matter, by that of a random combination.
    fn is_negligible(&self, rest: &Mat<f64>, weights: f64) -> bool {
        if !self.updates.is_empty() || rest.ncols() < 2 {
            return false;
        }
        let mut combination = Mat::zeros(rest.nrows(), 1);
        for j in 0..rest.ncols() {
            // A bit of the golden ratio's multiples: as good as a coin, and the same in every run.
            let heads = (j as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & 1 == 1;
            let sign = if heads { 1.0 } else { -1.0 };
            (0..rest.nrows()).for_each(|i| combination[(i, 0)] += sign * rest[(i, j)]);
        }
        self.factor.apply(&mut combination);
        greatest(&combination) <= NEGLIGIBLE * weights
    }

    fn apply(&self, block: &mut Mat<f64>) {
        self.factor.apply(block);
        for (j, update) in self.updates.iter().enumerate() {
            let p = update.vectors.len();
            let mut inner = Mat::from_fn(p, 1, |i, _| -> f64 {
                update.vectors[i].iter().map(|&(column, value)| value * block[(column, j)]).sum()
            });
            solve_lower(update.lower.as_ref(), inner.as_mut());
            for k in 0..p {
                let factor = update.delta * inner[(k, 0)];
                (0..block.nrows()).for_each(|i| block[(i, j)] -= factor * update.solved[(i, k)]);
            }
            (0..block.nrows()).for_each(|i| block[(i, j)] /= self.absent);
        }
    }
}

fn greatest(block: &Mat<f64>) -> f64 {
    block.norm_max()
}

fn by_columns(rows: &[f64], n: usize, width: usize) -> Mat<f64> {
    MatRef::from_row_major_slice(rows, n, width).to_owned()
}

fn by_rows(block: &Mat<f64>) -> Vec<f64> {
    let (n, width) = (block.nrows(), block.ncols());
    let mut rows = vec![0.0; n * width];
    for j in 0..width {
        (0..n).for_each(|i| rows[i * width + j] = block[(i, j)]);
    }
    rows
}
