//! The pseudo-inverse of the normal equations, as a factorisation.
//!
//! G = S C'FC S + ridge I is scaled to a diagonal of ones by D = diag(G)^(-1/2). That costs the Cholesky factorisation no
//! precision and often saves much, because eigenvalues are spread mostly by frequencies that differ. Then, with complete
//! pivoting,
//!
//! ```text
//! P'DGD P = L L'        with falling pivots L_ii^2: the part of a cue's sum of squares that the cues before it do not explain
//! ```
//!
//! The cues with pivots of REGULAR and more are a basis of r cues. All other pivots must be zero up to rounding: the first of
//! them, the largest, must be at most SLACK n eps. If not, the matrix is neither clearly regular nor clearly singular, and
//! eigenvalues decide the rank. They also do if the caller gives a tolerance. (Without this rule, Cholesky may "succeed" on a
//! singular matrix of integers.)
//!
//! The other cues are combinations of the basis, c_rest = c_basis X, X = D L1'^-1 L2' D^-1. So the columns of N = (-X; I) span
//! the null space of G, and a solution for the basis alone gets the least norm by
//!
//! ```text
//! x - N (I + X'X)^-1 N' x
//! ```
//!
//! The smaller the least pivot or eigenvalue that counts, the larger the errors of X and of eigenvectors. Where these errors may
//! show in the weights, N is corrected by G N, which should be zero and is computed from the events in double-double arithmetic.
//!
//! With a ridge of at least REGULAR times the largest diagonal element no pivot is smaller, and there is no pivoting.
//!
//! With n cues this takes n r^2 operations for the factors, (n - r)^2 r for I + X'X, and 2 r^2 + 4 r (n - r) for each right-hand
//! side; eigenvalues take 10 n^3 and more. Threads share the updates of a factorisation in stripes of fixed size, and the right-hand
//! sides in blocks, so that the bits do not depend on how many threads there are.

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, ColMut, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::block::OutcomeBlock;
use super::columns::{DenseColumns, square};
use super::counts::Counts;
use super::pivoted::{factorise, pivoted};
use crate::error::{Error, Result};
use crate::memory::{ask, collected, copied, filled, short};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::product::packing;

/// The least pivot of a basis; the largest possible is 1.
const REGULAR: f64 = 1e-8;
/// Pivots and eigenvalues below this times n eps, relative to the largest, are rounding errors.
const SLACK: f64 = 8.0;
/// If rounding may change the weights by more than this fraction, they are corrected by residuals in double-double arithmetic.
pub(super) const DOUBTFUL: f64 = 1e-11;
/// These corrections end when one is at most this fraction of the weights (which is rounding itself), or no longer becomes
/// smaller.
pub(super) const ROUNDED: f64 = 4.0 * f64::EPSILON;
/// The most multiplications between two looks at the stop flag: about 0.1 s.
const AT_ONCE: usize = 1 << 30;
/// Columns of G^+ that a thread makes at a time.
const WIDE: usize = 256;
/// Vectors of the null space of G that are corrected at a time.
const AT_A_TIME: usize = 64;

/// A factorisation of G.
pub(super) enum Factor {
    /// L, the cues of its rows, their elements of D, and the other cues.
    Cholesky { lower: Vec<f64>, basis: Vec<usize>, scale: Vec<f64>, rest: Option<Rest> },
    /// All n eigenvectors, and the nonzero eigenvalues, which belong to the last ones. The first ones span the null space of G;
    /// `exact` if they were corrected.
    Eigen { n: usize, vectors: Vec<f64>, values: Vec<f64>, tolerance: f64, exact: bool },
}

/// Cues that are combinations of the basis.
pub(super) struct Rest {
    cues: Vec<usize>,
    /// X, column after column.
    combination: Vec<f64>,
    /// The Cholesky factor of I + X'X.
    lower: Vec<f64>,
}

impl Factor {
    /// Factorises. `tolerance`: eigenvalues below this fraction of the greatest count as zero.
    pub(super) fn new(
        counts: &Counts,
        ridge: f64,
        tolerance: Option<f64>,
        monitor: &Monitor,
    ) -> Result<Self> {
        packing()?;
        let gram = counts.gram(ridge, monitor)?;
        let n = counts.n_columns();
        let least = SLACK * n as f64 * f64::EPSILON;
        if let Some(tolerance) = tolerance {
            return Self::eigen(gram, n, tolerance, monitor);
        }
        let diagonal = || (0..n).map(|i| gram[i * n + i]);
        if ridge >= REGULAR * diagonal().fold(0.0, f64::max) && ridge > 0.0 {
            return Self::regular(gram, n, monitor);
        }
        if let Some(mut factor) = Self::cholesky(gram, n, least, monitor)? {
            if factor.pivot().is_some_and(|pivot| f64::EPSILON > DOUBTFUL * pivot) {
                factor.correct(counts, ridge, monitor)?;
            }
            return Ok(factor);
        }
        let mut factor = Self::eigen(counts.gram(ridge, monitor)?, n, least, monitor)?;
        factor.correct(counts, ridge, monitor)?;
        Ok(factor)
    }

    /// Without pivoting, where a ridge keeps all pivots above those that count.
    fn regular(mut gram: Vec<f64>, n: usize, monitor: &Monitor) -> Result<Self> {
        let scale = scaled(&mut gram, n)?;
        if !factorise(&mut gram, n, monitor)? {
            return Err(Error::Numeric(
                "the normal equations have no factorisation; give a larger ridge".into(),
            ));
        }
        Ok(Factor::Cholesky { lower: gram, basis: collected(0..n)?, scale, rest: None })
    }

    /// `None` where the pivots are not clear.
    fn cholesky(mut gram: Vec<f64>, n: usize, least: f64, monitor: &Monitor) -> Result<Option<Self>> {
        let scale = scaled(&mut gram, n)?;
        let mut order = filled(0_usize, n)?;
        let Some(found) = pivoted(&mut gram, n, &mut order, monitor)? else { return Ok(None) };
        let pivot = |i: usize| gram[i * n + i].powi(2);
        let rank = (0..found).take_while(|&i| pivot(i) >= REGULAR).count();
        if rank < found && pivot(rank) > least {
            return Ok(None);
        }
        let rest = copied(&order[rank..])?;
        order.truncate(rank);
        let basis = order;
        let rest = if rest.is_empty() { None } else { Rest::new(&gram, n, &basis, rest, &scale, monitor)? };
        if rest.is_none() && rank < n {
            return Ok(None);
        }
        // Only L1 is needed from now on.
        let mut lower = gram;
        for j in 1..rank {
            lower.copy_within(j * n..j * n + rank, j * rank);
        }
        lower.truncate(rank * rank);
        lower.shrink_to_fit();
        let scale = collected(basis.iter().map(|&i| scale[i]))?;
        Ok(Some(Factor::Cholesky { lower, basis, scale, rest }))
    }

    fn eigen(mut gram: Vec<f64>, n: usize, tolerance: f64, monitor: &Monitor) -> Result<Self> {
        let mut vectors = square(n, monitor)?;
        let mut values = filled(0.0, n)?;
        let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        let mut memory =
            MemBuffer::try_new(need).map_err(|_| short::<u8>(need.unaligned_bytes_required()))?;
        ask(0)?;
        monitor.check()?;
        self_adjoint_evd(
            MatMut::from_column_major_slice_mut(&mut gram, n, n).as_ref(),
            ColMut::from_slice_mut(&mut values).as_diagonal_mut(),
            Some(MatMut::from_column_major_slice_mut(&mut vectors, n, n)),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|error| Error::Numeric(format!("the eigenvalues did not converge: {error:?}")))?;
        monitor.check()?;
        let greatest = values.iter().fold(0.0, |greatest: f64, &value| greatest.max(value));
        // In rising order.
        let first = values.iter().take_while(|&&value| value <= tolerance * greatest).count();
        values.drain(..first);
        Ok(Factor::Eigen { n, vectors, values, tolerance, exact: false })
    }

    /// Makes the basis of the null space of G exact up to rounding.
    ///
    /// Errors of the basis grow with the ratio of the largest eigenvalue or pivot to the least that counts. G v, which should be
    /// zero, comes from the events, and v - G^+ G v is better than v.
    fn correct(&mut self, counts: &Counts, ridge: f64, monitor: &Monitor) -> Result<()> {
        let (n, null) = (counts.n_columns(), counts.n_columns() - self.rank());
        for first in (0..null).step_by(AT_A_TIME) {
            let width = AT_A_TIME.min(null - first);
            let zeros = filled(0.0, width)?;
            let nothing = OutcomeBlock::without_outcomes(counts, &zeros, ridge);
            let mut before = f64::INFINITY;
            loop {
                let left = nothing.exact_residual(&self.null(first, width)?.to_rows()?, monitor)?;
                let mut step = DenseColumns::from_rows(&left, n, width)?;
                self.solve(&mut step, monitor)?;
                let moved = greatest(step.values());
                if moved <= ROUNDED || moved > before / 2.0 || !moved.is_finite() {
                    break;
                }
                self.move_null(first, &step);
                before = moved;
            }
        }
        match self {
            Factor::Cholesky { rest: Some(rest), .. } => {
                if !rest.factorise(monitor)? {
                    return Err(Error::Numeric(
                        "combinations of cues are too long for a factorisation; give a ridge, or use \
                         the iterative method"
                            .into(),
                    ));
                }
            }
            Factor::Cholesky { .. } => {}
            Factor::Eigen { exact, .. } => *exact = true,
        }
        Ok(())
    }

    /// Whether the null space of G is one: G maps its vectors to zero up to rounding.
    ///
    /// If frequencies differ so much that the rarest are below the rounding errors of the others, some directions only look like
    /// vectors of the null space. A random combination, corrected as far as possible, shows it. If the caller gave a tolerance,
    /// there is nothing to check.
    pub(super) fn is_certain(
        &self,
        counts: &Counts,
        tolerance: Option<f64>,
        monitor: &Monitor,
    ) -> Result<bool> {
        let (n, null) = (counts.n_columns(), counts.n_columns() - self.rank());
        if null == 0 || tolerance.is_some() {
            return Ok(true);
        }
        let most = greatest(&counts.diagonal(monitor)?);
        let mut vector = DenseColumns::zeros(n, 1)?;
        for first in (0..null).step_by(AT_A_TIME) {
            monitor.check()?;
            let some = self.null(first, AT_A_TIME.min(null - first))?;
            for j in 0..some.width() {
                vector.add_to(0, toss(first + j), some.get(j));
            }
        }
        let nothing = OutcomeBlock::without_outcomes(counts, &[0.0], 0.0);
        let mut before = f64::INFINITY;
        loop {
            let left = nothing.exact_residual(vector.values(), monitor)?;
            let mut step = DenseColumns::from_rows(&left, n, 1)?;
            self.solve(&mut step, monitor)?;
            let size = greatest(vector.values());
            let moved = greatest(step.values()) / size;
            if moved <= ROUNDED || moved > before / 2.0 || !moved.is_finite() {
                let form: f64 = vector.values().iter().zip(&left).map(|(value, left)| -value * left).sum();
                let rounding = SLACK * n as f64 * f64::EPSILON * size;
                return Ok(form <= rounding.powi(2) * n as f64 * most);
            }
            vector.add(&step);
            before = moved;
        }
    }

    /// Some vectors of the null space of G.
    fn null(&self, first: usize, width: usize) -> Result<DenseColumns> {
        match self {
            Factor::Cholesky { basis, rest, .. } => {
                let mut some = DenseColumns::zeros(basis.len() + rest.as_ref().map_or(0, Rest::len), width)?;
                if let Some(rest) = rest {
                    for j in 0..width {
                        let column = some.get_mut(j);
                        let combination = rest.combination().col(first + j);
                        basis.iter().zip(combination.iter()).for_each(|(&i, value)| column[i] = -value);
                        column[rest.cues[first + j]] = 1.0;
                    }
                }
                Ok(some)
            }
            Factor::Eigen { n, vectors, .. } => {
                let mut some = DenseColumns::zeros(*n, width)?;
                some.values_mut().copy_from_slice(&vectors[first * n..][..n * width]);
                Ok(some)
            }
        }
    }

    /// Adds a step to these vectors.
    fn move_null(&mut self, first: usize, step: &DenseColumns) {
        match self {
            Factor::Cholesky { basis, rest, .. } => {
                let rank = basis.len();
                let Some(rest) = rest else { return };
                for j in 0..step.width() {
                    let combination = &mut rest.combination[(first + j) * rank..][..rank];
                    let moves = basis.iter().map(|&i| step.get(j)[i]);
                    combination.iter_mut().zip(moves).for_each(|(value, step)| *value -= step);
                }
            }
            Factor::Eigen { n, vectors, .. } => {
                let vectors = vectors[first * *n..].iter_mut();
                vectors.zip(step.values()).for_each(|(value, step)| *value += step);
            }
        }
    }

    /// Replaces right-hand sides in the range of G by the solutions of least norm.
    pub(super) fn apply(&self, block: &mut DenseColumns, monitor: &Monitor) -> Result<()> {
        self.solve(block, monitor)?;
        self.shorten(block, monitor)
    }

    /// Replaces right-hand sides in the range of G by solutions, of any norm.
    fn solve(&self, block: &mut DenseColumns, monitor: &Monitor) -> Result<()> {
        packing()?;
        let width = block.width();
        match self {
            Factor::Cholesky { lower, basis, scale, .. } => {
                let r = basis.len();
                let lower = MatRef::from_column_major_slice(lower, r, r);
                let mut part = DenseColumns::zeros(r, width)?;
                for j in 0..width {
                    let (part, column) = (part.get_mut(j), block.get(j));
                    (0..r).for_each(|i| part[i] = column[basis[i]] * scale[i]);
                }
                solve_cholesky(lower, part.view_mut(), monitor)?;
                for j in 0..width {
                    let (part, column) = (part.get(j), block.get_mut(j));
                    column.fill(0.0);
                    (0..r).for_each(|i| column[basis[i]] = part[i] * scale[i]);
                }
            }
            Factor::Eigen { n, vectors, values, .. } => {
                let vectors = MatRef::from_column_major_slice(vectors, *n, *n);
                let vectors = vectors.subcols(n - values.len(), values.len());
                let mut coordinates = DenseColumns::zeros(values.len(), width)?;
                set_product(coordinates.view_mut(), vectors.transpose(), block.view());
                for j in 0..width {
                    coordinates.get_mut(j).iter_mut().zip(values).for_each(|(x, value)| *x /= value);
                }
                monitor.check()?;
                set_product(block.view_mut(), vectors, coordinates.view());
            }
        }
        Ok(())
    }

    /// Removes the part in the null space of G, so that solutions have the least norm.
    pub(super) fn shorten(&self, block: &mut DenseColumns, monitor: &Monitor) -> Result<()> {
        packing()?;
        monitor.check()?;
        let width = block.width();
        match self {
            Factor::Cholesky { basis, rest: Some(rest), .. } => {
                let mut part = DenseColumns::zeros(basis.len(), width)?;
                let mut step = DenseColumns::zeros(rest.cues.len(), width)?;
                for j in 0..width {
                    let column = block.get(j);
                    part.get_mut(j).iter_mut().zip(basis).for_each(|(to, &from)| *to = column[from]);
                    step.get_mut(j).iter_mut().zip(&rest.cues).for_each(|(to, &from)| *to = column[from]);
                }
                let combination = rest.combination();
                matmul(step.view_mut(), Accum::Add, combination.transpose(), part.view(), -1.0, Par::Seq);
                solve_cholesky(rest.lower(), step.view_mut(), monitor)?;
                matmul(part.view_mut(), Accum::Add, combination, step.view(), 1.0, Par::Seq);
                for j in 0..width {
                    let column = block.get_mut(j);
                    basis.iter().zip(part.get(j)).for_each(|(&to, from)| column[to] = *from);
                    rest.cues.iter().zip(step.get(j)).for_each(|(&to, from)| column[to] -= from);
                }
            }
            Factor::Eigen { n, vectors, values, exact: true, .. } if values.len() < *n => {
                let null = n - values.len();
                let null = MatRef::from_column_major_slice(&vectors[..n * null], *n, null);
                // The vectors are orthonormal only to some digits; doing it twice makes up for that.
                for _ in 0..2 {
                    let mut along = DenseColumns::zeros(null.ncols(), width)?;
                    set_product(along.view_mut(), null.transpose(), block.view());
                    matmul(block.view_mut(), Accum::Add, null, along.view(), -1.0, Par::Seq);
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Factor::Cholesky { .. } => "cholesky",
            Factor::Eigen { .. } => "eigen",
        }
    }

    /// The places of a basis, and the columns of G^+ there; `None` where eigenvalues decide.
    ///
    /// Those of G11^-1 are solved for from the diagonal on, because it is symmetric.
    pub(super) fn inverse(&self, n: usize, monitor: &Monitor) -> Result<Option<(&[usize], DenseColumns)>> {
        let Factor::Cholesky { lower, basis, scale, .. } = self else { return Ok(None) };
        let r = basis.len();
        let lower = MatRef::from_column_major_slice(lower, r, r);
        let mut columns = DenseColumns::zeros(n, r)?;
        let stripes = (WIDE * n).max(1);
        // The first stripes take the longest.
        let parts = columns.values_mut().par_chunks_mut(stripes).with_max_len(1);
        parts.enumerate().try_for_each(|(index, part)| {
            packing()?;
            let (first, width) = (index * WIDE, part.len() / n);
            let mut part = MatMut::from_column_major_slice_mut(part, n, width).subrows_mut(first, r - first);
            (0..width).for_each(|j| part[(j, j)] = 1.0);
            solve_cholesky(lower.submatrix(first, first, r - first, r - first), part, monitor)
        })?;
        let mut pulse = Pulse::default();
        let values = columns.values_mut();
        // Some columns at a time, so that lines of the cache are used whole.
        for first in (0..r).step_by(WIDE) {
            let end = r.min(first + WIDE);
            for i in 0..end {
                pulse.beat(WIDE, monitor)?;
                (first.max(i + 1)..end).for_each(|j| values[j * n + i] = values[i * n + j]);
            }
        }
        columns.values_mut().par_chunks_mut(stripes).enumerate().try_for_each(|(index, part)| {
            let width = part.len() / n;
            let mut some = DenseColumns::zeros(n, width)?;
            for (k, column) in part.chunks_exact(n).enumerate() {
                let (to, scale_of_column) = (some.get_mut(k), scale[index * WIDE + k]);
                for ((&place, value), scale) in basis.iter().zip(column).zip(scale) {
                    to[place] = scale * value * scale_of_column;
                }
            }
            self.shorten(&mut some, monitor)?;
            part.copy_from_slice(some.values());
            Ok::<_, Error>(())
        })?;
        Ok(Some((basis, columns)))
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Factor::Cholesky { basis, .. } => basis.len(),
            Factor::Eigen { values, .. } => values.len(),
        }
    }

    /// The least pivot that counts, if others are zero.
    fn pivot(&self) -> Option<f64> {
        match self {
            Factor::Cholesky { lower, rest: Some(_), .. } => lower.last().map(|root| root.powi(2)),
            _ => None,
        }
    }

    pub(super) fn tolerance(&self) -> f64 {
        match self {
            Factor::Cholesky { .. } => REGULAR,
            Factor::Eigen { tolerance, .. } => *tolerance,
        }
    }
}

impl Rest {
    /// `None` if the combinations are too large for a factorisation.
    fn new(
        gram: &[f64],
        n: usize,
        basis: &[usize],
        cues: Vec<usize>,
        scale: &[f64],
        monitor: &Monitor,
    ) -> Result<Option<Self>> {
        let (rank, k) = (basis.len(), cues.len());
        let factor = MatRef::from_column_major_slice(gram, n, n);
        let mut combination = filled(0.0, rank.saturating_mul(k))?;
        let mut columns = MatMut::from_column_major_slice_mut(&mut combination, rank, k);
        columns.copy_from(factor.submatrix(rank, 0, k, rank).transpose());
        let upper = factor.submatrix(0, 0, rank, rank).transpose();
        for some in stripes(k, rank * rank) {
            monitor.check()?;
            let some = columns.as_mut().subcols_mut(some.start, some.len());
            solve_upper_triangular_in_place(upper, some, Par::Seq);
        }
        for j in 0..k {
            (0..rank).for_each(|i| columns[(i, j)] *= scale[basis[i]] / scale[cues[j]]);
        }
        let lower = square(k, monitor)?;
        let mut rest = Self { cues, combination, lower };
        Ok(rest.factorise(monitor)?.then_some(rest))
    }

    fn len(&self) -> usize {
        self.cues.len()
    }

    /// Makes the factor of I + X'X. False if the combinations are too large for that.
    fn factorise(&mut self, monitor: &Monitor) -> Result<bool> {
        let k = self.len();
        let columns = MatRef::from_column_major_slice(&self.combination, self.combination.len() / k, k);
        self.lower.fill(0.0);
        (0..k).for_each(|i| self.lower[i * k + i] = 1.0);
        let mut whole = MatMut::from_column_major_slice_mut(&mut self.lower, k, k);
        for some in stripes(k, k * columns.nrows()) {
            monitor.check()?;
            let part = columns.subcols(some.start, some.len());
            let whole = whole.as_mut().subcols_mut(some.start, some.len());
            matmul(whole, Accum::Add, columns.transpose(), part, 1.0, Par::Seq);
        }
        factorise(&mut self.lower, k, monitor)
    }

    fn combination(&self) -> MatRef<'_, f64> {
        let k = self.cues.len();
        MatRef::from_column_major_slice(&self.combination, self.combination.len() / k, k)
    }

    fn lower(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.lower, self.cues.len(), self.cues.len())
    }
}

/// Columns in parts that take a short time each; one part if all take a short time. `each`: multiplications for a column.
fn stripes(n: usize, each: usize) -> impl Iterator<Item = Range<usize>> {
    let width = (AT_ONCE / each.max(1)).max(1);
    (0..n).step_by(width).map(move |first| first..n.min(first + width))
}

/// A number of size 0.5 to 1.5, of either sign, that looks random and is the same in every run.
pub(super) fn toss(number: usize) -> f64 {
    let mut bits = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let size = 0.5 + (bits >> 12) as f64 / (1_u64 << 52) as f64;
    if bits & 1 == 1 { size } else { -size }
}

/// Brings the lower triangle of G to a diagonal of ones; the elements of D.
fn scaled(gram: &mut [f64], n: usize) -> Result<Vec<f64>> {
    let scale: Vec<f64> = collected((0..n).map(|i| inverse_root(gram[i * n + i])))?;
    for (j, line) in gram.chunks_exact_mut(n.max(1)).enumerate() {
        (j..n).for_each(|i| line[i] *= scale[i] * scale[j]);
    }
    Ok(scale)
}

/// 1 / sqrt(x); 1 for the diagonal element of a column of zeros.
pub(super) fn inverse_root(x: f64) -> f64 {
    if x > 0.0 { x.sqrt().recip() } else { 1.0 }
}

pub(super) fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |greatest, value| value.abs().max(greatest))
}

fn set_product(target: MatMut<'_, f64>, left: MatRef<'_, f64>, right: MatRef<'_, f64>) {
    matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
}

/// Solves with a Cholesky factor.
pub(super) fn solve_cholesky(
    lower: MatRef<'_, f64>,
    mut block: MatMut<'_, f64>,
    monitor: &Monitor,
) -> Result<()> {
    for some in stripes(block.ncols(), lower.nrows().pow(2)) {
        let mut some = block.as_mut().subcols_mut(some.start, some.len());
        monitor.check()?;
        solve_lower_triangular_in_place(lower, some.as_mut(), Par::Seq);
        monitor.check()?;
        solve_upper_triangular_in_place(lower.transpose(), some, Par::Seq);
    }
    Ok(())
}
