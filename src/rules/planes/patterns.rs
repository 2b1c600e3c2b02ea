//! Examples with their classes, as one thing: the pattern of example m is Z_m = S_m x_m, S_m = +-1.
//!
//! An example is right if its field Z_m.w is positive. With a bias, x has one more feature, the last, that is always 1.
//! Sums over features run in lanes, feature i in lane i mod 8: the same bits for dense and for sparse rows, and on every
//! machine.

use crate::error::{Error, Result};
use crate::kernel::dispatch::{Loops, compiled};
use crate::kernel::isa::Isa;
use crate::memory::{Grow, copied, filled, gathered};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::number_rows::{NumberRow, NumberRows};

/// Sums side by side, so that additions do not wait for each other.
const LANES: usize = 8;
/// A run of products that stays in the first cache while the features pass by.
const BLOCK: usize = 2048;

/// Examples and their classes.
///
/// Invariants: there are as many rows as signs, and as many columns as features; all numbers are finite, and so are the
/// squares.
#[derive(Debug)]
pub struct Patterns<'a> {
    rows: NumberRows<'a, f64>,
    signs: &'a [f64],
    features: usize,
    bias: bool,
    squares: Vec<f64>,
}

impl<'a> Patterns<'a> {
    /// Examples, and their classes, +1 and -1.
    ///
    /// # Errors
    /// When there are not as many of both, when something is not finite or not +-1, and when the square of a row leaves
    /// the range of numbers.
    pub fn new(rows: NumberRows<'a, f64>, signs: &'a [f64], bias: bool) -> Result<Self> {
        let expected = |what: &str| Err(Error::Argument(format!("expected {what}")));
        let [n, features] = rows.shape();
        if n != signs.len() {
            return expected("as many rows as classes");
        }
        if rows.values().iter().any(|value| !value.is_finite()) || signs.iter().any(|sign| sign.abs() != 1.0)
        {
            return expected("finite numbers, and classes +1 and -1");
        }
        let mut patterns = Self { rows, signs, features, bias, squares: Vec::new() };
        patterns.squares = gathered((0..n).map(|m| patterns.square_of(m)))?;
        Ok(patterns)
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.signs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// How many features they have, the bias counted.
    pub fn width(&self) -> usize {
        self.features + usize::from(self.bias)
    }

    /// |x|^2 of each example. 0 only where all of x is.
    pub fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The field of an example: Z.w.
    pub fn field(&self, example: usize, weights: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let NumberRow { values, columns } = self.rows.row(example);
        match columns {
            None => {
                let (row, last_row) = values.as_chunks::<LANES>();
                let (weights, last_weights) = weights[..self.features].as_chunks::<LANES>();
                for (x, w) in row.iter().zip(weights) {
                    for lane in 0..LANES {
                        sums[lane] += x[lane] * w[lane];
                    }
                }
                for (sum, (x, w)) in sums.iter_mut().zip(last_row.iter().zip(last_weights)) {
                    *sum += x * w;
                }
            }
            Some(columns) => {
                for (&column, x) in columns.iter().zip(values) {
                    sums[column as usize % LANES] += x * weights[column as usize];
                }
            }
        }
        if self.bias {
            sums[self.features % LANES] += weights[self.features];
        }
        let [a, b, c, d, e, f, g, h] = sums;
        self.signs[example] * (((a + e) + (c + g)) + ((b + f) + (d + h)))
    }

    /// Adds `by` * Z to the weights.
    pub fn add(&self, example: usize, by: f64, weights: &mut [f64]) {
        let by = by * self.signs[example];
        let NumberRow { values, columns } = self.rows.row(example);
        match columns {
            None => {
                for (w, x) in weights.iter_mut().zip(values) {
                    *w += by * x;
                }
            }
            Some(columns) => {
                for (&column, x) in columns.iter().zip(values) {
                    weights[column as usize] += by * x;
                }
            }
        }
        if self.bias {
            weights[self.features] += by;
        }
    }

    /// The sum of Z, each so many times.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn sum(&self, strengths: &[f64]) -> Result<Vec<f64>> {
        let mut weights = filled(0.0, self.width())?;
        for (example, &strength) in strengths.iter().enumerate() {
            if strength != 0.0 {
                self.add(example, strength, &mut weights);
            }
        }
        Ok(weights)
    }

    /// The least field over |w|, over all examples: infinite if there are none, 0 while w is.
    pub fn stability(&self, weights: &[f64]) -> f64 {
        let least = (0..self.len()).fold(f64::INFINITY, |least, m| self.field(m, weights).min(least));
        let size = size(weights);
        if size == 0.0 { least.clamp(0.0, f64::INFINITY) } else { least / size }
    }

    /// How many numbers a row has, or has at most.
    pub(super) fn row_length(&self) -> usize {
        if self.rows.is_dense() { self.width() } else { self.rows.n_values() / self.len().max(1) + 1 }
    }

    fn square_of(&self, example: usize) -> Result<f64> {
        let values = self.rows.row(example).values;
        let square = values.iter().fold(f64::from(u8::from(self.bias)), |sum, x| sum + x * x);
        let zero = !self.bias && values.iter().all(|&x| x == 0.0);
        if zero || (square >= f64::MIN_POSITIVE && square.is_finite()) {
            return Ok(square);
        }
        let wrong = if square.is_finite() { "small" } else { "large" };
        Err(Error::Argument(format!(
            "the numbers of example {example} are too {wrong} to be squared: expected a sum of squares between 1e-307 and \
             1e308, found {square:e}; scale X"
        )))
    }
}

/// |w|.
pub(super) fn size(weights: &[f64]) -> f64 {
    weights.iter().fold(0.0, |sum, w| sum + w * w).sqrt()
}

/// The patterns column by column, for products of one with all others.
pub(super) struct PatternColumns {
    layout: PatternLayout,
    kernel: Isa,
    examples: usize,
}

enum PatternLayout {
    /// Feature after feature, the numbers of all examples.
    Dense(Vec<f64>),
    /// Where each feature begins; the examples that have it, and their numbers.
    Sparse { starts: Vec<usize>, examples: Vec<u32>, values: Vec<f64> },
}

impl PatternColumns {
    /// Copies the patterns, signs and bias included.
    pub(super) fn new(patterns: &Patterns<'_>, kernel: Isa) -> Result<Self> {
        let (n, p) = (patterns.len(), patterns.width());
        let layout = if patterns.rows.is_dense() {
            let mut all = filled(0.0, n.saturating_mul(p))?;
            for m in 0..n {
                patterns.each(m, |i, z| all[i * n + m] = z);
            }
            PatternLayout::Dense(all)
        } else {
            if u32::try_from(n).is_err() {
                return Err(Error::Argument(format!("expected fewer than 2^32 examples, found {n}")));
            }
            let slots = patterns.rows.n_values() + if patterns.bias { n } else { 0 };
            let (mut starts, mut examples, mut all) =
                (filled(0, p + 1)?, filled(0, slots)?, filled(0.0, slots)?);
            for m in 0..n {
                patterns.each(m, |i, _| starts[i + 1] += 1);
            }
            for i in 0..p {
                starts[i + 1] += starts[i];
            }
            let mut next = copied(&starts)?;
            for m in 0..n {
                patterns.each(m, |i, z| {
                    examples[next[i]] = m as u32;
                    all[next[i]] = z;
                    next[i] += 1;
                });
            }
            PatternLayout::Sparse { starts, examples, values: all }
        };
        Ok(Self { layout, kernel, examples: n })
    }

    /// The products of a pattern with all: `row[m] = Z.Z_m`, summed over the features in their order.
    pub(super) fn products(
        &self,
        patterns: &Patterns<'_>,
        example: usize,
        row: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        row.fill(0.0);
        let mut features = Vec::new();
        features.make_room(patterns.width())?;
        patterns.each(example, |i, z| {
            if z != 0.0 {
                features.push((i, z));
            }
        });
        match &self.layout {
            PatternLayout::Dense(all) => {
                for (number, row) in row.chunks_mut(BLOCK).enumerate() {
                    let first = number * BLOCK;
                    for some in features.chunks(Pulse::WORK / BLOCK) {
                        monitor.check()?;
                        let task = AddColumns { all, features: some, examples: self.examples, first, row };
                        compiled(self.kernel, task);
                    }
                }
            }
            PatternLayout::Sparse { starts, examples, values } => {
                let mut pulse = Pulse::default();
                for (i, z) in features {
                    let range = starts[i]..starts[i + 1];
                    pulse.beat(range.len(), monitor)?;
                    for (&m, value) in examples[range.clone()].iter().zip(&values[range]) {
                        row[m as usize] += z * value;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Patterns<'_> {
    /// Shows each feature of a pattern and its number, in order.
    fn each(&self, example: usize, mut show: impl FnMut(usize, f64)) {
        let sign = self.signs[example];
        let NumberRow { values, columns } = self.rows.row(example);
        match columns {
            None => values.iter().enumerate().for_each(|(i, x)| show(i, sign * x)),
            Some(columns) => {
                columns.iter().zip(values).for_each(|(&i, x)| show(i as usize, sign * x));
            }
        }
        if self.bias {
            show(self.features, sign);
        }
    }
}

/// Adds multiples of columns to a run of products.
struct AddColumns<'a> {
    all: &'a [f64],
    features: &'a [(usize, f64)],
    examples: usize,
    first: usize,
    row: &'a mut [f64],
}

impl Loops for AddColumns<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for &(i, z) in self.features {
            let column = &self.all[i * self.examples + self.first..][..self.row.len()];
            for (product, value) in self.row.iter_mut().zip(column) {
                *product += z * value;
            }
        }
    }
}
