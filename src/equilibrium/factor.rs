//! The pseudo-inverse of the normal equations, factorised.
//!
//! G = S C'FC S + ridge I is brought to a diagonal of ones by D = diag(G)^(-1/2), which costs a Cholesky factorisation
//! nothing in precision and often saves much: it is the spread of frequencies that spreads eigenvalues. Then, with complete
//! pivoting,
//!
//! ```text
//! P'DGD P = L L'        pivots L_ii^2 falling: the part of a cue's sum of squares that the cues before it do not explain
//! ```
//!
//! Pivots of REGULAR and more make a basis of r cues. All others must have vanished: the first of them, which is the largest,
//! is at most SLACK n eps, or the matrix is neither clearly regular nor clearly singular, and eigenvalues decide, as they
//! do where the caller gives a tolerance. (Cholesky may well "succeed" on a singular matrix of integers.)
//!
//! The other cues are combinations of the basis, c_rest = c_basis X, X = D L1'^-1 L2' D^-1. So the columns of N = (-X; I) span
//! what G maps to zero, and what comes of solving for the basis alone is brought to least norm by
//!
//! ```text
//! x - N (I + X'X)^-1 N' x
//! ```
//!
//! With n cues that costs n r^2 for the factors, (n - r)^2 r for I + X'X, and 2 r^2 + 4 r (n - r) for each right-hand side, where
//! eigenvalues take 10 n^3 and more. All of it is done by one thread, so that the bits do not depend on how many there are;
//! right-hand sides are what is shared out among threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::{llt, llt_pivoting};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::counts::Counts;
use super::counts::zeros;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Pivots of a basis are at least this, of 1.
const REGULAR: f64 = 1e-8;
/// Pivots and eigenvalues below this many n eps, of the largest, are rounding errors.
const SLACK: f64 = 8.0;

/// A factorisation of G.
pub(super) enum Factor {
    /// L and what D and P say about its rows; what the others are.
    Cholesky { lower: Vec<f64>, basis: Vec<usize>, scale: Vec<f64>, rest: Option<Rest> },
    /// Eigenvectors, all n of them, and the nonzero eigenvalues, which are those of the last ones.
    Eigen { n: usize, vectors: Vec<f64>, values: Vec<f64>, tolerance: f64 },
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
    /// Factorises. `tolerance`: eigenvalues below this part of the greatest count as zero.
    pub(super) fn new(
        counts: &Counts,
        ridge: f64,
        tolerance: Option<f64>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let gram = counts.gram(ridge, monitor)?;
        monitor.check()?;
        let n = counts.n_columns();
        let least = SLACK * n as f64 * f64::EPSILON;
        if let Some(tolerance) = tolerance {
            return Self::eigen(gram, n, tolerance);
        }
        if let Some(factor) = Self::cholesky(gram, n, least)? {
            return Ok(factor);
        }
        monitor.check()?;
        Self::eigen(counts.gram(ridge, monitor)?, n, least)
    }

    /// `None` where the pivots leave doubt.
    fn cholesky(mut gram: Vec<f64>, n: usize, least: f64) -> Result<Option<Self>> {
        let scale: Vec<f64> = (0..n).map(|i| gram[i * n + i].sqrt().recip()).collect();
        for (j, line) in gram.chunks_exact_mut(n.max(1)).enumerate() {
            (j..n).for_each(|i| line[i] *= scale[i] * scale[j]);
        }
        let (mut order, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
        let mut memory = MemBuffer::new(llt_pivoting::factor::cholesky_in_place_scratch::<usize, f64>(
            n,
            Par::Seq,
            Default::default(),
        ));
        let found = llt_pivoting::factor::cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut gram, n, n),
            &mut order,
            &mut inverse,
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        let Ok((info, _)) = found else { return Ok(None) };
        let pivot = |i: usize| gram[i * n + i].powi(2);
        let rank = (0..info.rank).take_while(|&i| pivot(i) >= REGULAR).count();
        if rank < info.rank && pivot(rank) > least {
            return Ok(None);
        }
        let basis = order[..rank].to_vec();
        let rest = order[rank..].to_vec();
        let rest = if rest.is_empty() { None } else { Rest::new(&gram, n, &basis, rest, &scale)? };
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
        let scale = basis.iter().map(|&i| scale[i]).collect();
        Ok(Some(Factor::Cholesky { lower, basis, scale, rest }))
    }

    fn eigen(mut gram: Vec<f64>, n: usize, tolerance: f64) -> Result<Self> {
        let mut vectors = zeros(
            n.saturating_mul(n),
            "the eigenvectors of the normal equations",
            "use method=\"iterative\"",
        )?;
        let gram = MatMut::from_column_major_slice_mut(&mut gram, n, n);
        let mut spectrum = faer::Col::<f64>::zeros(n);
        let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| Error::Memory {
            what: "the eigenvalues of the normal equations",
            bytes: need.unaligned_bytes_required() as u128,
            cure: "use method=\"iterative\"",
        })?;
        self_adjoint_evd(
            gram.as_ref(),
            spectrum.as_diagonal_mut(),
            Some(MatMut::from_column_major_slice_mut(&mut vectors, n, n)),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|error| Error::Numeric(format!("the eigenvalues did not converge: {error:?}")))?;
        let greatest = spectrum.iter().fold(0.0, |greatest: f64, &value| greatest.max(value));
        // In rising order.
        let first = spectrum.iter().take_while(|&&value| value <= tolerance * greatest).count();
        Ok(Factor::Eigen { n, vectors, values: spectrum.iter().skip(first).copied().collect(), tolerance })
    }

    /// Replaces right-hand sides in the range of G by the solutions of least norm.
    pub(super) fn apply(&self, block: &mut Mat<f64>) {
        match self {
            Factor::Cholesky { lower, basis, scale, .. } => {
                let (r, width) = (basis.len(), block.ncols());
                let lower = MatRef::from_column_major_slice(lower, r, r);
                let mut part = Mat::from_fn(r, width, |i, j| block[(basis[i], j)] * scale[i]);
                solve(lower, part.as_mut());
                block.fill(0.0);
                for j in 0..width {
                    (0..r).for_each(|i| block[(basis[i], j)] = part[(i, j)] * scale[i]);
                }
                self.shorten(block);
            }
            Factor::Eigen { n, vectors, values, .. } => {
                let vectors = MatRef::from_column_major_slice(vectors, *n, *n);
                let vectors = vectors.subcols(n - values.len(), values.len());
                let mut coordinates = Mat::zeros(values.len(), block.ncols());
                matmul(&mut coordinates, Accum::Replace, vectors.transpose(), &*block, 1.0, Par::Seq);
                for j in 0..coordinates.ncols() {
                    values.iter().enumerate().for_each(|(i, value)| coordinates[(i, j)] /= value);
                }
                matmul(block, Accum::Replace, vectors, &coordinates, 1.0, Par::Seq);
            }
        }
    }

    /// Takes away what G maps to zero, so that solutions have the least norm.
    pub(super) fn shorten(&self, block: &mut Mat<f64>) {
        let Factor::Cholesky { basis, rest: Some(rest), .. } = self else { return };
        let width = block.ncols();
        let mut part = Mat::from_fn(basis.len(), width, |i, j| block[(basis[i], j)]);
        let mut step = Mat::from_fn(rest.cues.len(), width, |i, j| block[(rest.cues[i], j)]);
        matmul(&mut step, Accum::Add, rest.combination().transpose(), &part, -1.0, Par::Seq);
        solve(rest.lower(), step.as_mut());
        matmul(&mut part, Accum::Add, rest.combination(), &step, 1.0, Par::Seq);
        for j in 0..width {
            (0..basis.len()).for_each(|i| block[(basis[i], j)] = part[(i, j)]);
            (0..rest.cues.len()).for_each(|i| block[(rest.cues[i], j)] -= step[(i, j)]);
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Factor::Cholesky { .. } => "cholesky",
            Factor::Eigen { .. } => "eigen",
        }
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Factor::Cholesky { basis, .. } => basis.len(),
            Factor::Eigen { values, .. } => values.len(),
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
    /// `None` where combinations are too long for a factorisation.
    fn new(gram: &[f64], n: usize, basis: &[usize], cues: Vec<usize>, scale: &[f64]) -> Result<Option<Self>> {
        let (rank, k) = (basis.len(), cues.len());
        let factor = MatRef::from_column_major_slice(gram, n, n);
        let mut combination = zeros(rank * k, "the combinations of cues", "use method=\"iterative\"")?;
        let mut columns = MatMut::from_column_major_slice_mut(&mut combination, rank, k);
        columns.copy_from(factor.submatrix(rank, 0, k, rank).transpose());
        let upper = factor.submatrix(0, 0, rank, rank).transpose();
        solve_upper_triangular_in_place(upper, columns.as_mut(), Par::Seq);
        for j in 0..k {
            (0..rank).for_each(|i| columns[(i, j)] *= scale[basis[i]] / scale[cues[j]]);
        }
        let mut lower = zeros(k * k, "the combinations of cues", "use method=\"iterative\"")?;
        (0..k).for_each(|i| lower[i * k + i] = 1.0);
        let mut square = MatMut::from_column_major_slice_mut(&mut lower, k, k);
        matmul(square.as_mut(), Accum::Add, columns.as_ref().transpose(), columns.as_ref(), 1.0, Par::Seq);
        Ok(factorise(square).then_some(Self { cues, combination, lower }))
    }

    fn combination(&self) -> MatRef<'_, f64> {
        let k = self.cues.len();
        MatRef::from_column_major_slice(&self.combination, self.combination.len() / k, k)
    }

    fn lower(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.lower, self.cues.len(), self.cues.len())
    }
}

/// Replaces a matrix by its Cholesky factor, unless it has no positive pivots.
pub(super) fn factorise(matrix: MatMut<'_, f64>) -> bool {
    let n = matrix.nrows();
    let mut memory =
        MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_ok()
}

/// Solves with a Cholesky factor.
pub(super) fn solve(lower: MatRef<'_, f64>, mut block: MatMut<'_, f64>) {
    solve_lower_triangular_in_place(lower, block.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(lower.transpose(), block, Par::Seq);
}
