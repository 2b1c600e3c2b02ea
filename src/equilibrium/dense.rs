//! The equilibrium by a factorisation of the normal equations.
//!
//! ```text
//! x = G^+ h;    then once or more    x += G^+ r,    r = S C'F (O lambda - C S x) - ridge x
//! ```
//!
//! The condition of G is the square of that of C. The refinement, whose residual r comes from the events and not from G, makes up
//! for that: the remaining errors are of the order of the condition of C (Bjorck's corrected seminormal equations). A refinement
//! costs as much as solving. A random combination of a block's r shows whether it is needed: the squared solution for the
//! combination is, on average, the sum of the squared solutions for all outcomes. Below NEGLIGIBLE of the weights there is no
//! refinement.
//!
//! The rounding errors of r have the size of the common cue sets. If frequencies differ much, they exceed the residuals of the
//! rare sets, and G^+ amplifies them. By how much is estimated by a random combination, too: of the possible rounding errors of
//! all sets. Above DOUBTFUL, r is computed in double-double arithmetic instead, and corrections go on until they are rounding
//! themselves. If they do not get that small, the solution is reported as not converged.
//!
//! *Many outcomes.* Where outcomes outnumber the columns of C, G^+ itself is made, column by column. Then x = G^+ h takes n
//! multiplications for each cue that h has, which are few. This is less exact where G is nearly singular. So a sample of each block
//! is held against the bounds above, and a block that exceeds them is solved by the factorisation instead.
//!
//! *Two rates.* With beta1 where the outcome is present and beta2 where it is absent, outcome j has a matrix of its own,
//!
//! ```text
//! G_j = beta2 (G + delta U U'),    U = S C' restricted to the p cue sets with j, times the roots of their counts,
//! G_j^+ = (G^+ - delta Q (I + delta U'Q)^-1 Q') / beta2,    Q = G^+ U,    delta = (beta1 - beta2) / beta2
//! ```
//!
//! which costs 2 r^2 p; beyond p = n / 6 a factorisation of G_j alone is cheaper. All sets have positive weights, so all G_j have
//! the same null space, and I + delta U'Q has no eigenvalue below min(1, beta1 / beta2). If a rate is 0, the null spaces differ,
//! and each outcome is solved for alone, over the cue sets with a positive weight.

use std::ops::Range;

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use super::block::OutcomeBlock;
use super::columns::{DenseColumns, square};
use super::counts::Counts;
use super::factor::{DOUBTFUL, Factor, ROUNDED, greatest, solve_cholesky, toss};
use super::pivoted::factorise;
use super::problem::{Problem, RelativeRates, Sink, Solved, Squares};
use crate::error::{Error, Result};
use crate::lists::Lists;
use crate::memory::{Grow, collected, empty, filled};
use crate::monitor::{Monitor, Pulse};

/// The most outcomes in a block.
const WIDEST: usize = 160;
/// Where a sample tells for all outcomes of a block, it has one in so many. On the King James Bible residuals of the sample alone
/// take a third off the time of the whole.
const SAMPLED: usize = 16;
/// Products of matrices are slow with fewer outcomes than about this.
const NARROW: usize = 80;
/// G^+ is made if there are more than this many times as many outcomes as columns in the basis.
const MANY: f64 = 1.5;
/// The fewest blocks for threads to share, if there are enough outcomes.
const BLOCKS: usize = 16;
/// Corrections below this fraction of the weights are not made.
const NEGLIGIBLE: f64 = 1e-11;
/// After a correction below this fraction of the weights the errors are of the order of its square, which is negligible.
const ENOUGH: f64 = 1e-7;
/// The most refinements.
const MOST: usize = 3;
/// A solution is not converged if corrections change it by more than this fraction and no longer become smaller.
const UNSOLVED: f64 = 1e-13;
/// An outcome with more cue sets than a sixth of the columns has a factorisation of its own.
const UPDATED: usize = 6;

/// Solves for all outcomes.
pub(super) fn solve(
    counts: &Counts,
    problem: &Problem<'_>,
    rates: RelativeRates,
    sink: &Sink<'_>,
    monitor: &Monitor,
) -> Result<Solved> {
    let RelativeRates { present, absent } = rates;
    let together = absent > 0.0 && present > 0.0 && (present == absent || problem.tolerance.is_none());
    // A factorisation leaves threads idle for much of its time. On the King James Bible, with two threads, this and the diagonal
    // that `pivoted` keeps together take 6 % off the time of the whole.
    let (factor, cleared) = rayon::join(
        || {
            let ridge = problem.ridge / absent;
            together.then(|| Factor::new(counts, ridge, problem.tolerance, monitor)).transpose()
        },
        || sink.clear(monitor),
    );
    cleared?;
    let factor = factor?;
    let alone = |outcome: usize| match &factor {
        None => true,
        Some(_) => present != absent && UPDATED * counts.pairs(outcome).len() > counts.n_columns(),
    };
    let blocks = blocks(counts, alone, present == absent)?;
    let inverse = match &factor {
        Some(factor) if present == absent && !problem.initial && counts.targets.is_none() => {
            PseudoInverse::new(factor, counts, monitor)?
        }
        _ => None,
    };
    let inverse = inverse.as_ref();
    let task = SolveTask { counts, problem, rates, factor: factor.as_ref(), inverse, sink, monitor };
    let work = |outcomes: Range<usize>| {
        let width = outcomes.len() as u64;
        let part = if alone(outcomes.start) { task.one(outcomes.start) } else { task.block(outcomes) }?;
        monitor.advance(width)?;
        Ok(part)
    };
    let mut done: Vec<Result<SolvedBlock>> = empty(blocks.len())?;
    // One block at a time, so that threads end together. This, rows that are exchanged a panel at a time (`pivoted`) and the
    // stripes of `Factor::inverse` together take 15 % off.
    blocks.into_par_iter().with_max_len(1).map(work).collect_into_vec(&mut done);
    let mut squares = empty(counts.n_outcomes())?;
    let mut converged = match &factor {
        Some(factor) => factor.is_certain(counts, problem.tolerance, monitor)?,
        None => true,
    };
    let (mut solver, mut tolerance) =
        factor.as_ref().map_or(("cholesky", 0.0), |f| (f.name(), f.tolerance()));
    let mut multiplied = 0;
    for part in done {
        let part = part?;
        multiplied += usize::from(part.solution.multiplied);
        squares.extend(part.solution.squares);
        converged &= part.solution.converged;
        if let Some((name, least)) = part.alone {
            tolerance = least.max(tolerance);
            solver = if name == "eigen" { name } else { solver };
        }
    }
    let rank = factor.map(|factor| factor.rank());
    Ok(Solved { solver, rank, tolerance, iterations: None, squares, converged, multiplied })
}

/// The outcomes in blocks of neighbours of about the same size; with two rates a block has at most WIDEST cue sets. Blocks do not
/// depend on the threads, so the bits do not either.
fn blocks(counts: &Counts, alone: impl Fn(usize) -> bool, one_rate: bool) -> Result<Vec<Range<usize>>> {
    let n = counts.n_outcomes();
    // With two rates most of the work is that of each outcome.
    let shared = if one_rate { BLOCKS.min(n.div_ceil(NARROW)).max(1) } else { BLOCKS };
    let width = n.div_ceil(shared.max(n.div_ceil(WIDEST))).max(1);
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut sets = 0;
    for outcome in 0..n {
        let more = if one_rate { 0 } else { counts.pairs(outcome).len() };
        match blocks.last_mut() {
            Some(last)
                if last.len() < width && sets + more <= WIDEST && !alone(outcome) && !alone(last.start) =>
            {
                last.end += 1;
                sets += more;
            }
            _ => {
                blocks.grow(outcome..outcome + 1)?;
                sets = more;
            }
        }
    }
    Ok(blocks)
}

/// x of a block, and its residual.
struct BlockSolution {
    /// Row after row.
    x: Vec<f64>,
    squares: Vec<Squares>,
    /// Whether the remaining errors are only rounding.
    converged: bool,
    /// Whether x is a product with G^+.
    multiplied: bool,
}

/// A block that is solved.
struct SolvedBlock {
    /// The solution without x, which has been written.
    solution: BlockSolution,
    /// The solver and the tolerance, if the block had a factorisation of its own.
    alone: Option<(&'static str, f64)>,
}

struct SolveTask<'a, 'b> {
    counts: &'a Counts,
    problem: &'a Problem<'a>,
    rates: RelativeRates,
    factor: Option<&'a Factor>,
    inverse: Option<&'a PseudoInverse<'a>>,
    sink: &'a Sink<'b>,
    monitor: &'a Monitor,
}

impl SolveTask<'_, '_> {
    /// Solves for some outcomes, by the factorisation that all share.
    fn block(&self, outcomes: Range<usize>) -> Result<SolvedBlock> {
        let Some(factor) = self.factor else { return self.one(outcomes.start) };
        let lambda = &self.problem.lambda[outcomes.clone()];
        let (rates, ridge) = (self.rates, self.problem.ridge);
        let start = self.sink.start(self.counts, outcomes.clone(), self.monitor)?;
        let block =
            OutcomeBlock::new(self.counts, outcomes.clone(), lambda, rates, ridge, start, self.monitor)?;
        let updates = if self.rates.present == self.rates.absent {
            Vec::new()
        } else {
            outcomes.clone().map(|outcome| self.update(factor, outcome)).collect::<Result<_>>()?
        };
        let inverse = Inverse { factor, products: self.inverse, absent: self.rates.absent, updates };
        let mut solution = inverse.solve(&block, self.monitor)?;
        self.sink.write(self.counts, outcomes, &solution.x, self.monitor)?;
        solution.x = Vec::new();
        Ok(SolvedBlock { solution, alone: None })
    }

    /// Solves for one outcome, by a factorisation of its own.
    fn one(&self, outcome: usize) -> Result<SolvedBlock> {
        let RelativeRates { present, absent } = self.rates;
        let (counts, columns) = self.counts.of_outcome(outcome, present, absent, self.monitor)?;
        let ridge = self.problem.ridge;
        let factor = Factor::new(&counts, ridge, self.problem.tolerance, self.monitor)?;
        let lambda = &self.problem.lambda[outcome..=outcome];
        let start = self.sink.start(self.counts, outcome..outcome + 1, self.monitor)?;
        let start = start.map(|start| start.of_columns(&columns)).transpose()?;
        let block = OutcomeBlock::new(&counts, 0..1, lambda, RelativeRates::ONE, ridge, start, self.monitor)?;
        let inverse = Inverse { factor: &factor, products: None, absent: 1.0, updates: Vec::new() };
        let mut solution = inverse.solve(&block, self.monitor)?;
        solution.converged &= factor.is_certain(&counts, self.problem.tolerance, self.monitor)?;
        let mut x = filled(0.0, self.counts.n_columns())?;
        solution.x.iter().zip(columns).for_each(|(value, column)| x[column as usize] = *value);
        self.sink.write(self.counts, outcome..outcome + 1, &x, self.monitor)?;
        solution.x = Vec::new();
        Ok(SolvedBlock { solution, alone: Some((factor.name(), factor.tolerance())) })
    }

    /// The difference between the matrix of an outcome and that of all.
    fn update(&self, factor: &Factor, outcome: usize) -> Result<LowRank> {
        let counts = self.counts;
        let delta = (self.rates.present - self.rates.absent) / self.rates.absent;
        // For each cue set with the outcome its columns, which may come more than once, and their numbers.
        let mut vectors = Lists::default();
        for pair in counts.pairs(outcome) {
            let root = pair.tokens.sqrt();
            let entry = |(column, times): (usize, f64)| (column as u32, root * times * counts.scale[column]);
            vectors.gather(counts.set(pair.set as usize).entries().map(entry))?;
        }
        let p = vectors.len();
        let mut solved = DenseColumns::zeros(counts.n_columns(), p)?;
        for first in (0..p).step_by(WIDEST) {
            let width = WIDEST.min(p - first);
            let mut part = DenseColumns::zeros(counts.n_columns(), width)?;
            for j in 0..width {
                let column = part.get_mut(j);
                vectors.get(first + j).iter().for_each(|&(place, value)| column[place as usize] += value);
            }
            factor.apply(&mut part, self.monitor)?;
            let n = part.values().len();
            solved.values_mut()[first * counts.n_columns()..][..n].copy_from_slice(part.values());
        }
        let mut lower = square(p, self.monitor)?;
        let mut pulse = Pulse::default();
        for (j, column) in lower.chunks_exact_mut(p.max(1)).enumerate() {
            let solved = solved.get(j);
            for (i, value) in column.iter_mut().enumerate() {
                pulse.beat(vectors.get(i).len(), self.monitor)?;
                *value = f64::from(u8::from(i == j)) + delta * sum_at(vectors.get(i), solved);
            }
        }
        if !factorise(&mut lower, p, self.monitor)? {
            return Err(Error::Numeric(format!(
                "beta1 and beta2 are too far apart (a ratio of {:e}) for a factorisation; bring them nearer, or use \
                 the iterative method",
                self.rates.present / self.rates.absent
            )));
        }
        Ok(LowRank { delta, vectors, solved, lower })
    }
}

/// The product of a sparse vector and a column.
fn sum_at(vector: &[(u32, f64)], column: &[f64]) -> f64 {
    vector.iter().map(|&(place, value)| value * column[place as usize]).sum()
}

/// G^+, of which only the columns of the basis are needed: right-hand sides are in the range of G.
struct PseudoInverse<'a> {
    /// The places of the basis.
    basis: &'a [usize],
    columns: DenseColumns,
}

impl<'a> PseudoInverse<'a> {
    /// `None` where it does not pay.
    fn new(factor: &'a Factor, counts: &Counts, monitor: &Monitor) -> Result<Option<Self>> {
        if (counts.n_outcomes() as f64) < MANY * factor.rank() as f64 {
            return Ok(None);
        }
        let inverse = factor.inverse(counts.n_columns(), monitor)?;
        Ok(inverse.map(|(basis, columns)| Self { basis, columns }))
    }

    /// G^+ times some columns.
    fn times(&self, right: &DenseColumns, monitor: &Monitor) -> Result<DenseColumns> {
        let mut x = DenseColumns::zeros(right.height(), right.width())?;
        let mut pulse = Pulse::default();
        for j in 0..right.width() {
            let right = right.get(j);
            for (number, &place) in self.basis.iter().enumerate() {
                if right[place] != 0.0 {
                    pulse.beat(right.len(), monitor)?;
                    x.add_to(j, right[place], self.columns.get(number));
                }
            }
        }
        Ok(x)
    }
}

/// G_j^+ for the outcomes of a block.
struct Inverse<'a> {
    factor: &'a Factor,
    /// The elements of G^+, if they are known.
    products: Option<&'a PseudoInverse<'a>>,
    absent: f64,
    /// One for each outcome; none if all have the same matrix.
    updates: Vec<LowRank>,
}

/// delta, U, Q and the Cholesky factor of I + delta U'Q.
struct LowRank {
    delta: f64,
    vectors: Lists<(u32, f64)>,
    solved: DenseColumns,
    lower: Vec<f64>,
}

/// The estimated errors of a solution.
struct Errors {
    /// The mean size of corrections.
    correction: f64,
    /// The greatest sum of the remaining error and the error that rounding may hide, as a fraction of an outcome's greatest weight.
    doubt: f64,
}

impl Inverse<'_> {
    fn solve(&self, block: &OutcomeBlock<'_>, monitor: &Monitor) -> Result<BlockSolution> {
        if let Some(solution) = self.multiply(block, monitor)? {
            return Ok(solution);
        }
        let (n, width) = (block.counts.n_columns(), block.width());
        let mut x = DenseColumns::from_rows(&block.right_sides(monitor)?, n, width)?;
        self.apply(&mut x, monitor)?;
        // Errors of changes are relative to the weights.
        let start = block.start_sizes();
        let largest = |x: &DenseColumns| greatest(x.values()).max(greatest(&start));
        let mut round = 0;
        loop {
            monitor.check()?;
            let rows = x.to_rows()?;
            let rest = block.residual(&rows, monitor)?;
            let mut step = DenseColumns::from_rows(&rest, n, width)?;
            // Random combinations show the errors at the cost of one more outcome, if there are several and all have the same
            // matrix.
            if round == MOST || (round == 0 && width > 1 && self.updates.is_empty()) {
                // Outcomes that stand for vectors have targets in the same sets, so some tell for all.
                let every = if block.has_vectors() { SAMPLED.min(width) } else { 1 };
                let errors = self.errors(block, &x, &rows, &step, &start, every, monitor)?;
                if round == MOST || errors.correction <= NEGLIGIBLE * largest(&x) {
                    if errors.doubt > DOUBTFUL {
                        return self.refine(block, x, &start, monitor);
                    }
                    let squares = block.judge(&rest, monitor)?;
                    return Ok(BlockSolution { x: rows, squares, converged: true, multiplied: false });
                }
            }
            self.apply(&mut step, monitor)?;
            x.add(&step);
            self.factor.shorten(&mut x, monitor)?;
            round = if greatest(step.values()) <= ENOUGH * largest(&x) { MOST } else { round + 1 };
        }
    }

    /// The solution as a product with G^+, if that is known, and if the errors of the first outcomes of the block are within the
    /// bounds. Only of these there are residuals.
    fn multiply(&self, block: &OutcomeBlock<'_>, monitor: &Monitor) -> Result<Option<BlockSolution>> {
        let (n, width) = (block.counts.n_columns(), block.width());
        let Some(products) = self.products.filter(|_| width > 1) else { return Ok(None) };
        let right = DenseColumns::from_rows(&block.right_sides(monitor)?, n, width)?;
        let x = products.times(&right, monitor)?;
        drop(right);
        let sample = block.first(width.div_ceil(SAMPLED), monitor)?;
        let of_sample = x.first(sample.width())?;
        let rows = of_sample.to_rows()?;
        let rest = sample.residual(&rows, monitor)?;
        let step = DenseColumns::from_rows(&rest, n, sample.width())?;
        let errors = self.errors(&sample, &of_sample, &rows, &step, &sample.start_sizes(), 1, monitor)?;
        if errors.correction > NEGLIGIBLE * greatest(of_sample.values()) || errors.doubt > DOUBTFUL {
            return Ok(None);
        }
        let squares = sample.judge(&rest, monitor)?;
        Ok(Some(BlockSolution { x: x.to_rows()?, squares, converged: true, multiplied: true }))
    }

    /// The estimated errors of the solution x, given its residual, and the sizes of the initial weights. Each `every`th outcome
    /// tells what rounding may hide.
    #[expect(clippy::too_many_arguments, reason = "a step of `solve`, with what it has at hand")]
    fn errors(
        &self,
        block: &OutcomeBlock<'_>,
        x: &DenseColumns,
        rows: &[f64],
        rest: &DenseColumns,
        start: &[f64],
        every: usize,
        monitor: &Monitor,
    ) -> Result<Errors> {
        let (n, width) = (x.height(), x.width());
        let sampled = width.div_ceil(every);
        let rounding = block.rounding(rows, every, monitor)?;
        let mut doubts = DenseColumns::zeros(n, sampled)?;
        for (k, j) in (0..width).step_by(every).enumerate() {
            let size = greatest(x.get(j)).max(start[j]);
            let share = if size > 0.0 { size.recip() } else { 0.0 };
            for (i, (doubt, rest)) in doubts.get_mut(k).iter_mut().zip(rest.get(j)).enumerate() {
                *doubt = share * (rest + toss(i * width + j) * rounding[i * sampled + k]);
            }
        }
        if !self.updates.is_empty() {
            self.apply(&mut doubts, monitor)?;
            return Ok(Errors { correction: f64::INFINITY, doubt: greatest(doubts.values()) });
        }
        // Both are solved for at once, which costs no more than one alone.
        let mut combinations = DenseColumns::zeros(n, 2)?;
        for j in 0..width {
            // A bit of the golden ratio's multiples: as good as a coin, and the same in every run.
            let heads = (j as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & 1 == 1;
            let sign = if heads { 1.0 } else { -1.0 };
            combinations.add_to(0, sign, rest.get(j));
        }
        (0..sampled).for_each(|k| combinations.add_to(1, toss(k), doubts.get(k)));
        self.factor.apply(&mut combinations, monitor)?;
        // The combination has an error of at most the number of outcomes times the greatest error.
        let doubt = greatest(combinations.get(1)) / sampled as f64;
        Ok(Errors { correction: greatest(combinations.get(0)), doubt })
    }

    /// Corrects x by residuals in double-double arithmetic, until only rounding is left.
    fn refine(
        &self,
        block: &OutcomeBlock<'_>,
        mut x: DenseColumns,
        start: &[f64],
        monitor: &Monitor,
    ) -> Result<BlockSolution> {
        let (n, width) = (x.height(), x.width());
        let mut before = f64::INFINITY;
        loop {
            let rows = x.to_rows()?;
            let rest = block.exact_residual(&rows, monitor)?;
            let mut step = DenseColumns::from_rows(&rest, n, width)?;
            self.apply(&mut step, monitor)?;
            let moved = (0..width)
                .map(|j| (greatest(step.get(j)), greatest(x.get(j)).max(start[j])))
                .filter(|&(step, _)| step > 0.0)
                .fold(0.0, |most: f64, (step, x)| most.max(step / x));
            if moved <= ROUNDED || moved > before / 2.0 || !moved.is_finite() {
                let squares = block.judge(&rest, monitor)?;
                let converged = moved.min(before) <= UNSOLVED;
                return Ok(BlockSolution { x: rows, squares, converged, multiplied: false });
            }
            x.add(&step);
            self.factor.shorten(&mut x, monitor)?;
            before = moved;
        }
    }

    fn apply(&self, block: &mut DenseColumns, monitor: &Monitor) -> Result<()> {
        self.factor.apply(block, monitor)?;
        for (j, update) in self.updates.iter().enumerate() {
            let p = update.vectors.len();
            let column = block.get_mut(j);
            let mut inner = collected(update.vectors.iter().map(|vector| sum_at(vector, column)))?;
            let lower = MatRef::from_column_major_slice(&update.lower, p, p);
            solve_cholesky(lower, MatMut::from_column_major_slice_mut(&mut inner, p, 1), monitor)?;
            for (k, inner) in inner.iter().enumerate() {
                let factor = update.delta * inner;
                column.iter_mut().zip(update.solved.get(k)).for_each(|(x, solved)| *x -= factor * solved);
            }
            column.iter_mut().for_each(|x| *x /= self.absent);
        }
        Ok(())
    }
}
