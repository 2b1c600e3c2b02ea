//! Students who learn a rule from a teacher's examples: on the same draws, in parallel over these.
//!
//! The teacher is a plane w*; S = sign(w*.x). How wrong a student w is about inputs drawn at random is the angle between the two,
//!
//! ```text
//! eps = acos(w.w* / |w||w*|) / pi
//! ```
//!
//! A student of no weights guesses: eps = 1/2. Each draw is worked on by one thread from beginning to end, so that the threads have
//! no say in the bits.

use std::str::FromStr;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use super::adatron;
use super::minover::{BUDGET, Search};
use super::patterns::{Patterns, size};
use crate::error::{Error, Result};
use crate::memory::{Grow, ask, collected, copied, filled, gathered, short};
use crate::monitor::Monitor;
use crate::threads::pool;
use crate::tiles::number_rows::NumberRows;
use crate::tiles::product::packing;

/// AdaTron is done when its stability is this near the greatest.
const TOLERANCE: f64 = 1e-6;
/// Eigenvalues below this many n eps, of the greatest, are rounding errors.
const SLACK: f64 = 8.0;

/// A way to learn the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Student {
    /// Optimal stability, step by step.
    Minover,
    /// Rosenblatt's perceptron, one example after another, from zero.
    Rosenblatt,
    /// The same, from a random start.
    RosenblattRandom,
    /// Optimal stability.
    Adatron,
    /// The least sum of (S - w.x)^2, and among several the least |w|.
    LeastSquares,
    /// The sum of S x.
    Hebb,
}

impl FromStr for Student {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "minover" => Ok(Self::Minover),
            "rosenblatt" => Ok(Self::Rosenblatt),
            "rosenblatt_random" => Ok(Self::RosenblattRandom),
            "adatron" => Ok(Self::Adatron),
            "least_squares" => Ok(Self::LeastSquares),
            "hebb" => Ok(Self::Hebb),
            _ => Err(Error::Argument(format!("expected a student, found {name:?}"))),
        }
    }
}

/// What was drawn, draw after draw.
pub struct Draws<'a> {
    /// How many features there are.
    pub features: usize,
    /// How many examples a draw has.
    pub examples: usize,
    /// The examples, row after row.
    pub inputs: &'a [f64],
    /// Their classes.
    pub labels: &'a [f64],
    /// The teachers.
    pub teachers: &'a [f64],
    /// Where students with a random start begin.
    pub starts: &'a [f64],
}

/// How students learn.
pub struct StudentsPlan<'a> {
    /// Who learns.
    pub students: &'a [Student],
    /// How often they may see each example: steps of MinOver are at most so many times the examples, sweeps so many.
    pub n_max: u64,
    /// MinOver stops when eps changes by no more than this in one step.
    pub stop: Option<f64>,
    /// How many threads.
    pub threads: usize,
}

/// What became of a student.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// eps.
    pub error: f64,
    /// How many updates were made; 0 where the weights are computed at once.
    pub steps: u64,
}

/// Lets all students learn from all draws: student after student of each draw. The monitor counts draws.
///
/// # Errors
/// When lengths do not fit each other, when numbers are out of range, and when the monitor says to stop.
pub fn study(draws: &Draws<'_>, plan: &StudentsPlan<'_>, monitor: &Monitor) -> Result<Vec<Outcome>> {
    let (n, p) = (draws.features, draws.examples);
    let replicates = draws.teachers.len() / n.max(1);
    let fits = draws.teachers.len() == replicates * n
        && draws.starts.len() == replicates * n
        && draws.labels.len() == replicates * p
        && Some(draws.inputs.len()) == n.checked_mul(p).and_then(|size| size.checked_mul(replicates));
    if !fits {
        return Err(Error::Argument("expected inputs, labels, teachers and starts of as many draws".into()));
    }
    monitor.set_total(replicates as u64);
    let one = |number: usize| {
        let inputs = NumberRows::dense(&draws.inputs[number * n * p..][..n * p], [p, n])?;
        let class = Class {
            patterns: Patterns::new(inputs, &draws.labels[number * p..][..p], false)?,
            teacher: &draws.teachers[number * n..][..n],
            start: &draws.starts[number * n..][..n],
            plan,
            monitor,
        };
        let outcomes = gathered(plan.students.iter().map(|&student| class.outcome(student)));
        monitor.advance(1)?;
        outcomes
    };
    let pool = pool(plan.threads.min(replicates))?;
    ask(replicates.saturating_mul(size_of::<Result<Vec<Outcome>>>()))?;
    let all: Vec<Result<Vec<Outcome>>> = pool.install(|| (0..replicates).into_par_iter().map(one).collect());
    let mut outcomes = Vec::new();
    for of_draw in all {
        outcomes.grow_by(&of_draw?)?;
    }
    Ok(outcomes)
}

/// One draw, and those who learn from it.
struct Class<'a> {
    patterns: Patterns<'a>,
    teacher: &'a [f64],
    start: &'a [f64],
    plan: &'a StudentsPlan<'a>,
    monitor: &'a Monitor,
}

impl Class<'_> {
    fn outcome(&self, student: Student) -> Result<Outcome> {
        self.monitor.check()?;
        let (weights, steps) = match student {
            Student::Minover => self.minover()?,
            // From zero the rate only scales the weights, and a rate of 1 leaves whole numbers whole: what is on the plane is so
            // exactly, where multiples of 1 / N would round.
            Student::Rosenblatt => self.rosenblatt(filled(0.0, self.teacher.len())?, 1.0)?,
            Student::RosenblattRandom => {
                self.rosenblatt(copied(self.start)?, 1.0 / self.teacher.len() as f64)?
            }
            Student::Adatron => {
                let plan =
                    adatron::AdaTronPlan { max_sweeps: self.plan.n_max, gamma: 1.0, tolerance: TOLERANCE };
                let fit = adatron::sweep(&self.patterns, &plan, self.monitor, || self.monitor.check())?;
                (fit.weights, fit.steps)
            }
            Student::LeastSquares => (self.least_squares()?, 0),
            Student::Hebb => (self.patterns.sum(&filled(1.0, self.patterns.len())?)?, 0),
        };
        let overlap = dot(&weights, self.teacher);
        Ok(Outcome { error: angle(overlap, size(&weights) * size(self.teacher)), steps })
    }

    fn minover(&self) -> Result<(Vec<f64>, u64)> {
        let mut search = Search::new(&self.patterns, BUDGET, None)?;
        let most = self.plan.n_max.saturating_mul(self.patterns.len() as u64);
        let every = search.poll_every();
        // What each step adds to the overlap with the teacher.
        let gains = (0..self.patterns.len()).map(|m| self.patterns.field(m, self.teacher));
        let gains = collected(gains)?;
        let (mut overlap, mut before) = (0.0, None);
        while search.steps < most && !search.is_stuck() {
            overlap += gains[search.at];
            search.step(self.monitor)?;
            if search.steps.is_multiple_of(every) {
                self.monitor.check()?;
            }
            if let Some(least) = self.plan.stop {
                let error = angle(overlap, search.square.max(0.0).sqrt() * size(self.teacher));
                if before.is_some_and(|before: f64| (error - before).abs() <= least) {
                    break;
                }
                before = Some(error);
            }
        }
        Ok((search.weights()?, search.steps))
    }

    /// w += eta Z where Z.w <= 0, until nothing is wrong in a whole sweep.
    fn rosenblatt(&self, mut weights: Vec<f64>, eta: f64) -> Result<(Vec<f64>, u64)> {
        let mut steps = 0;
        for _ in 0..self.plan.n_max {
            self.monitor.check()?;
            let before = steps;
            for m in 0..self.patterns.len() {
                if self.patterns.field(m, &weights) <= 0.0 {
                    self.patterns.add(m, eta, &mut weights);
                    steps += 1;
                }
            }
            if steps == before {
                break;
            }
        }
        Ok((weights, steps))
    }

    /// Z'(Z Z')^+ 1 or (Z'Z)^+ Z'1, whichever matrix is smaller.
    fn least_squares(&self) -> Result<Vec<f64>> {
        let (n, p) = (self.teacher.len(), self.patterns.len());
        let mut columns = filled(0.0, n * p)?;
        for (m, column) in columns.chunks_exact_mut(n.max(1)).enumerate() {
            self.patterns.add(m, 1.0, column);
        }
        let columns = MatRef::from_column_major_slice(&columns, n, p);
        packing()?;
        let ones = constant(p, 1, 1.0)?;
        let solution = if p < n {
            let gram = product(columns.transpose(), columns)?;
            product(columns, pseudo_solve(gram.as_ref(), ones)?.as_ref())?
        } else {
            let right = product(columns, ones.as_ref())?;
            pseudo_solve(product(columns, columns.transpose())?.as_ref(), right)?
        };
        collected(solution.col(0).iter().copied())
    }
}

/// A matrix of equal numbers.
fn constant(rows: usize, columns: usize, value: f64) -> Result<Mat<f64>> {
    let mut matrix = Mat::new();
    matrix.try_reserve(rows, columns).map_err(|_| short::<f64>(rows.saturating_mul(columns)))?;
    matrix.resize_with(rows, columns, |_, _| value);
    Ok(matrix)
}

fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let mut result = constant(left.nrows(), right.ncols(), 0.0)?;
    matmul(&mut result, Accum::Replace, left, right, 1.0, Par::Seq);
    Ok(result)
}

/// G^+ b of a symmetric matrix without negative eigenvalues.
fn pseudo_solve(gram: MatRef<'_, f64>, right: Mat<f64>) -> Result<Mat<f64>> {
    let n = gram.nrows();
    let mut vectors = constant(n, n, 0.0)?;
    let mut spectrum = constant(n, 1, 0.0)?;
    let need = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::try_new(need).map_err(|_| short::<u8>(need.unaligned_bytes_required()))?;
    self_adjoint_evd(
        gram,
        spectrum.as_mut().col_mut(0).as_diagonal_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|error| Error::Numeric(format!("the eigenvalues did not converge: {error:?}")))?;
    let spectrum = spectrum.col(0);
    let greatest = spectrum.iter().fold(0.0, |greatest: f64, &value| greatest.max(value));
    let least = SLACK * n as f64 * f64::EPSILON * greatest;
    let mut coordinates = product(vectors.transpose(), right.as_ref())?;
    for (i, &value) in spectrum.iter().enumerate() {
        coordinates[(i, 0)] = if value > least { coordinates[(i, 0)] / value } else { 0.0 };
    }
    product(vectors.as_ref(), coordinates.as_ref())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// The angle between two vectors, as a part of pi; 1/2 if one of them is zero.
fn angle(product: f64, sizes: f64) -> f64 {
    let cosine = if sizes > 0.0 { (product / sizes).clamp(-1.0, 1.0) } else { 0.0 };
    cosine.acos() / std::f64::consts::PI
}
