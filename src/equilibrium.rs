//! The equilibrium of the rule (Danks 2003): the weights at which its mean update is zero.
//!
//! With one learning rate for present and absent outcomes these solve the normal equations
//!
//! ```text
//! G W = H,    G = C'FC,    H = C'FO diag(lambda)
//! ```
//!
//! C: events x cues (multiplicities), F: frequencies, O: events x outcomes. So the equilibrium is weighted least squares.
//! Where cues always come together G is singular, and the solution of least norm is taken: the least sum of w^2, or with
//! saliences the least sum of w^2 / alpha, which is the one the learner reaches from zero. A ridge is added to the
//! diagonal of G.
//!
//! Counting is done here, solving by faer: Cholesky where every pivot says that G is regular beyond doubt, the
//! pseudo-inverse by eigenvalues otherwise. Cholesky may well "succeed" on a singular matrix of integers: its smallest
//! pivots are then rounding errors, and may reach some ten times n * eps of the diagonal. Eigenvalues that should be zero
//! stay below n * eps of the greatest, so they decide.

use faer::linalg::solvers::{Llt, SelfAdjointEigen, Solve};
use faer::{Mat, MatRef, Side};

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::chunk::Body;
use crate::learn::pool;
use crate::monitor::Monitor;

/// Cholesky is trusted where each pivot is at least this part of its diagonal element.
const REGULAR: f64 = 1e-8;
/// By default eigenvalues below this many n * eps of the greatest count as zero.
const SLACK: f64 = 8.0;
/// Columns solved at once, to bound the memory.
const BLOCK: usize = 256;

/// What to solve.
pub struct Problem<'a> {
    /// The maximal activation of each outcome.
    pub lambda: &'a [f64],
    /// Saliences of the cues: which solution is meant where there are many. A cue of salience 0 keeps its zeros.
    pub alpha: Option<&'a [f64]>,
    /// Added to the diagonal; 0 for none.
    pub ridge: f64,
    /// Eigenvalues below this part of the greatest count as zero; 8 n * eps if `None`.
    pub tolerance: Option<f64>,
}

/// How it was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// "cholesky" or "eigen".
    pub solver: &'static str,
    /// The rank of the normal equations.
    pub rank: usize,
    /// Below which part of the greatest an eigenvalue counts as zero.
    pub tolerance: f64,
}

/// Writes the equilibrium to `out` (n_cues x n_outcomes, row after row).
///
/// # Errors
/// [`Error::Argument`] when lengths do not fit, [`Error::Format`] for a damaged file, [`Error::Memory`] when n_cues^2
/// numbers cannot be had, [`Error::Numeric`] when the solver does not converge, [`Error::Stopped`].
pub fn equilibrium<B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    problem: &Problem<'_>,
    out: &mut [f64],
    threads: usize,
    monitor: &Monitor,
) -> Result<Report> {
    // faer's parallel parts use the pool they are called in.
    pool(threads)?.install(|| solve(file, problem, out, monitor))
}

fn solve<B: AsRef<[u8]>>(
    file: &EventFile<B>,
    problem: &Problem<'_>,
    out: &mut [f64],
    monitor: &Monitor,
) -> Result<Report> {
    let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
    let lengths = [out.len(), problem.lambda.len(), problem.alpha.map_or(n_cues, <[f64]>::len)];
    if lengths != [n_cues * n_outcomes, n_outcomes, n_cues] {
        return Err(Error::Argument(format!("expected arrays for {n_cues} cues and {n_outcomes} outcomes")));
    }
    monitor.set_total(file.len() + n_outcomes as u64);
    out.fill(0.0);
    let active = Active::new(file, problem.alpha);
    let mut gram = count(file, &active, out, monitor)?;
    for row in out.chunks_exact_mut(n_outcomes.max(1)) {
        row.iter_mut().zip(problem.lambda).for_each(|(sum, lambda)| *sum *= lambda);
    }
    // With a ridge there is one solution, and saliences do not choose.
    let scale = active.scale(problem.alpha.filter(|_| problem.ridge == 0.0));
    let n = active.cues.len();
    for (i, row) in gram.chunks_exact_mut(n.max(1)).enumerate() {
        (0..=i).for_each(|j| row[j] *= scale[i] * scale[j]);
        row[i] += problem.ridge;
    }
    let tolerance = problem.tolerance.unwrap_or(SLACK * n as f64 * f64::EPSILON);
    monitor.check()?;
    let solver = Solver::new(MatRef::from_row_major_slice(&gram, n, n), tolerance)?;
    drop(gram);
    let mut right = Mat::<f64>::zeros(n, BLOCK.min(n_outcomes));
    for first in (0..n_outcomes).step_by(BLOCK) {
        let width = BLOCK.min(n_outcomes - first);
        for (i, &cue) in active.cues.iter().enumerate() {
            (0..width).for_each(|j| right[(i, j)] = out[cue as usize * n_outcomes + first + j] * scale[i]);
        }
        solver.solve(&mut right);
        for (i, &cue) in active.cues.iter().enumerate() {
            (0..width).for_each(|j| out[cue as usize * n_outcomes + first + j] = right[(i, j)] * scale[i]);
        }
        monitor.advance(width as u64)?;
    }
    Ok(Report { solver: solver.name(), rank: solver.rank(), tolerance })
}

/// The cues that occur and may change; all others have weight zero, whatever the events.
struct Active {
    cues: Vec<u32>,
    /// The place of each cue in `cues`.
    place: Vec<Option<u32>>,
}

impl Active {
    fn new<B: AsRef<[u8]>>(file: &EventFile<B>, alpha: Option<&[f64]>) -> Self {
        let counts = file.cues().counts();
        let active =
            |&cue: &u32| counts[cue as usize] > 0 && alpha.is_none_or(|alpha| alpha[cue as usize] > 0.0);
        let cues: Vec<u32> = (0..counts.len() as u32).filter(active).collect();
        let mut place = vec![None; counts.len()];
        for (i, &cue) in (0..).zip(&cues) {
            place[cue as usize] = Some(i);
        }
        Self { cues, place }
    }

    fn scale(&self, alpha: Option<&[f64]>) -> Vec<f64> {
        self.cues.iter().map(|&cue| alpha.map_or(1.0, |alpha| alpha[cue as usize].sqrt())).collect()
    }
}

/// The lower triangle of C'FC over the active cues, and C'FO into `out`.
fn count<B: AsRef<[u8]>>(
    file: &EventFile<B>,
    active: &Active,
    out: &mut [f64],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let n = active.cues.len();
    let n_outcomes = file.outcomes().len();
    let mut gram = Vec::new();
    gram.try_reserve_exact(n.saturating_mul(n)).map_err(|_| Error::Memory {
        what: "the normal equations",
        bytes: 8 * n as u128 * n as u128,
        cure: "use fewer cues",
    })?;
    gram.resize(n * n, 0.0);
    let mut add = |cues: &[u32], outcomes: &[u32], frequency: f64| {
        for &cue in cues {
            let Some(i) = active.place[cue as usize] else { continue };
            for &outcome in outcomes {
                out[cue as usize * n_outcomes + outcome as usize] += frequency;
            }
            for other in cues.iter().filter_map(|&other| active.place[other as usize]) {
                if other <= i {
                    gram[i as usize * n + other as usize] += frequency;
                }
            }
        }
    };
    // Events of one type are added once, with the sum of their frequencies.
    let types = file.types()?;
    let mut tokens_of = vec![0_u64; types.len()];
    for index in 0..file.n_chunks() {
        let chunk = file.chunk(index)?;
        for i in 0..chunk.body.len() {
            match &chunk.body {
                Body::Tokens(tokens) => {
                    let count = &mut tokens_of[tokens[i] as usize];
                    *count = count.saturating_add(chunk.frequency(i).into());
                }
                Body::Rows(rows) => add(rows.cues.get(i), rows.outcomes.get(i), chunk.frequency(i).into()),
            }
            if i % 1024 == 0 {
                monitor.check()?;
            }
        }
        monitor.advance(chunk.body.len() as u64)?;
    }
    for (i, &frequency) in tokens_of.iter().enumerate() {
        if frequency > 0 {
            add(types.cues.get(i), types.outcomes.get(i), frequency as f64);
        }
        if i % 1024 == 0 {
            monitor.check()?;
        }
    }
    Ok(gram)
}

/// A factorisation of the normal equations.
enum Solver {
    Cholesky(Llt<f64>),
    /// Eigenvectors of the nonzero eigenvalues, and these.
    Eigen(Mat<f64>, Vec<f64>),
}

impl Solver {
    fn new(gram: MatRef<'_, f64>, tolerance: f64) -> Result<Self> {
        let n = gram.nrows();
        if let Ok(cholesky) = Llt::new(gram, Side::Lower) {
            // L_ii^2 / G_ii is the part of a cue's variance that the cues before it do not explain.
            let regular = tolerance.max(REGULAR);
            let pivots = cholesky.L();
            if (0..n).all(|i| pivots[(i, i)].powi(2) > regular * gram[(i, i)]) {
                return Ok(Solver::Cholesky(cholesky));
            }
        }
        let eigen = SelfAdjointEigen::new(gram, Side::Lower)
            .map_err(|error| Error::Numeric(format!("the eigenvalues did not converge: {error:?}")))?;
        let values = eigen.S().column_vector();
        let greatest = values.iter().fold(0.0, |greatest: f64, &value| greatest.max(value));
        let first = values.iter().take_while(|&&value| value <= tolerance * greatest).count();
        let vectors = eigen.U().subcols(first, n - first).to_owned();
        Ok(Solver::Eigen(vectors, values.iter().skip(first).copied().collect()))
    }

    fn solve(&self, right: &mut Mat<f64>) {
        match self {
            Solver::Cholesky(cholesky) => cholesky.solve_in_place(right),
            Solver::Eigen(vectors, values) => {
                let mut coordinates = vectors.transpose() * &*right;
                for j in 0..coordinates.ncols() {
                    values.iter().enumerate().for_each(|(i, value)| coordinates[(i, j)] /= value);
                }
                *right = vectors * coordinates;
            }
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Solver::Cholesky(_) => "cholesky",
            Solver::Eigen(..) => "eigen",
        }
    }

    fn rank(&self) -> usize {
        match self {
            Solver::Cholesky(cholesky) => cholesky.L().nrows(),
            Solver::Eigen(_, values) => values.len(),
        }
    }
}
