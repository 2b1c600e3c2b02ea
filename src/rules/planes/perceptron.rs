//! The perceptron: a unit that answers with a sign, and learns from its mistakes.
//!
//! ```text
//! f(x) = +0.0; for each column i of x in order: f = f + x[i] * w[i];  with a bias: f = f + w0
//! an example is wrong unless y * f(x) > 0
//! to add an example: s = eta * factor * y; for each column i of x in order: w[i] = w[i] + s * x[i];  with a bias: w0 = w0 + s
//!
//! single: a sweep goes through the examples in order, and adds each one that is wrong with the weights of the moment
//! batch:  a sweep finds all examples that are wrong with its first weights, and then adds these in order
//! ```
//!
//! Sweeps go on until one has found no example wrong.
//!
//! The liberty taken: of dense rows eight are summed side by side, for the additions of one sum wait for each other. Once one of
//! the eight is added the sums of those after it are thrown away and made again.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::{Grow, copied, filled};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::number_rows::NumberRows;

/// Rows that are summed side by side.
const AT_ONCE: usize = 8;

/// Which mistakes are learned from at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Each one at once (Rosenblatt).
    Single,
    /// All of a sweep together.
    Batch,
}

impl FromStr for Update {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "single" => Ok(Self::Single),
            "batch" => Ok(Self::Batch),
            _ => Err(Error::Argument(format!("expected rule single or batch, found {name:?}"))),
        }
    }
}

/// How to learn.
#[derive(Debug, Clone, Copy)]
pub struct PerceptronPlan<'a> {
    /// Which mistakes are learned from at a time.
    pub update: Update,
    /// How much of an example is added.
    pub eta: f64,
    /// Factors on eta, one an example, the same in each sweep; `None`: 1.
    pub factors: Option<&'a [f64]>,
    /// The weights to begin with, one a column.
    pub initial: &'a [f64],
    /// The bias to begin with; `None`: there is none.
    pub bias: Option<f64>,
    /// When to give up.
    pub max_sweeps: u64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// The weights.
    pub weights: Vec<f64>,
    /// The bias; 0 if there is none.
    pub bias: f64,
    /// The least y f(x) over the size of weights and bias; 0 where these are 0, infinite without examples.
    pub stability: f64,
    /// How many examples were found wrong in each sweep.
    pub errors: Vec<u64>,
    /// How often each example was added.
    pub added: Vec<u64>,
}

/// Learns the classes `y`, +1 and -1, of the rows of `x`.
///
/// # Errors
/// [`Error::Argument`] when lengths do not fit or numbers are not finite; [`Error::NotFinite`], in column 0, when a weight
/// becomes infinite or NaN (the bias counts as the row after the last); [`Error::Stopped`].
pub fn learn(
    x: &NumberRows<'_, f64>,
    y: &[f64],
    plan: &PerceptronPlan<'_>,
    monitor: &Monitor,
) -> Result<Plane> {
    let [n, p] = x.shape();
    if y.len() != n || plan.initial.len() != p {
        return Err(Error::Argument(format!(
            "expected {n} classes and {p} initial weights, found {} and {}",
            y.len(),
            plan.initial.len()
        )));
    }
    if y.iter().any(|y| y.abs() != 1.0) {
        return Err(Error::Argument("expected classes +1 and -1".into()));
    }
    if plan.factors.is_some_and(|factors| factors.len() != n || factors.iter().any(|f| !f.is_finite())) {
        return Err(Error::Argument(format!("expected {n} finite factors, one for each example")));
    }
    let numbers = plan.initial.iter().chain(plan.bias.as_ref());
    if !(plan.eta.is_finite() && plan.eta > 0.0) || numbers.into_iter().any(|weight| !weight.is_finite()) {
        return Err(Error::Argument("expected eta above 0, and finite numbers".into()));
    }
    let mut unit = SignUnit {
        x,
        y,
        eta: plan.eta,
        factors: plan.factors,
        weights: copied(plan.initial)?,
        bias: plan.bias,
        added: filled(0, n)?,
        monitor,
        pulse: Pulse::default(),
    };
    let mut errors = Vec::new();
    monitor.set_total((n as u64).saturating_mul(plan.max_sweeps));
    while (errors.len() as u64) < plan.max_sweeps {
        let wrong = match plan.update {
            Update::Single => unit.single()?,
            Update::Batch => unit.batch()?,
        };
        errors.grow(wrong)?;
        unit.check()?;
        monitor.advance(n as u64)?;
        if wrong == 0 {
            break;
        }
    }
    let stability = unit.stability()?;
    let SignUnit { weights, bias, added, .. } = unit;
    Ok(Plane { weights, bias: bias.unwrap_or(0.0), stability, errors, added })
}

/// The unit, and what it learns.
struct SignUnit<'a> {
    x: &'a NumberRows<'a, f64>,
    y: &'a [f64],
    eta: f64,
    factors: Option<&'a [f64]>,
    weights: Vec<f64>,
    bias: Option<f64>,
    /// How often each example was added.
    added: Vec<u64>,
    monitor: &'a Monitor,
    /// Products since the last look at the monitor.
    pulse: Pulse,
}

impl SignUnit<'_> {
    /// A sweep by the single rule; how many examples were wrong.
    fn single(&mut self) -> Result<u64> {
        let (mut wrong, mut example) = (0, 0);
        while example < self.y.len() {
            let (margins, summed) = self.margins(example)?;
            match margins[..summed].iter().position(|margin| !right(*margin)) {
                None => example += summed,
                Some(first) => {
                    self.add(example + first);
                    example += first + 1;
                    wrong += 1;
                }
            }
        }
        Ok(wrong)
    }

    /// A sweep by the batch rule; how many examples were wrong.
    fn batch(&mut self) -> Result<u64> {
        let mut wrong = Vec::new();
        wrong.make_room(self.y.len())?;
        self.each(|example, margin| {
            if !right(margin) {
                wrong.push(example);
            }
        })?;
        for &example in &wrong {
            self.pulse.beat(self.x.row(example).values.len(), self.monitor)?;
            self.add(example);
        }
        Ok(wrong.len() as u64)
    }

    /// Calls `look` with every example and its y f(x).
    fn each(&mut self, mut look: impl FnMut(usize, f64)) -> Result<()> {
        let mut example = 0;
        while example < self.y.len() {
            let (margins, summed) = self.margins(example)?;
            margins[..summed].iter().for_each(|&margin| {
                look(example, margin);
                example += 1;
            });
        }
        Ok(())
    }

    /// y f(x) of some examples, the first of which is given, and how many they are.
    fn margins(&mut self, first: usize) -> Result<([f64; AT_ONCE], usize)> {
        let mut sums = [0.0; AT_ONCE];
        let summed = if self.x.is_dense() { AT_ONCE.min(self.y.len() - first) } else { 1 };
        if summed == AT_ONCE {
            let rows: [&[f64]; AT_ONCE] =
                std::array::from_fn(|r| &self.x.row(first + r).values[..self.weights.len()]);
            for (i, weight) in self.weights.iter().enumerate() {
                for (sum, row) in sums.iter_mut().zip(&rows) {
                    *sum += row[i] * weight;
                }
            }
        } else {
            for (r, sum) in sums[..summed].iter_mut().enumerate() {
                let row = self.x.row(first + r);
                match row.columns {
                    None => row.values.iter().zip(&self.weights).for_each(|(x, weight)| *sum += x * weight),
                    Some(columns) => columns
                        .iter()
                        .zip(row.values)
                        .for_each(|(&i, x)| *sum += x * self.weights[i as usize]),
                }
            }
        }
        for (sum, y) in sums.iter_mut().zip(&self.y[first..]) {
            if let Some(bias) = self.bias {
                *sum += bias;
            }
            *sum *= y;
        }
        self.pulse.beat(summed * (self.x.row(first).values.len() + 1), self.monitor)?;
        Ok((sums, summed))
    }

    /// Adds an example.
    fn add(&mut self, example: usize) {
        let eta = self.factors.map_or(self.eta, |factors| self.eta * factors[example]);
        let (row, step) = (self.x.row(example), eta * self.y[example]);
        match row.columns {
            None => row.values.iter().zip(&mut self.weights).for_each(|(x, weight)| *weight += step * x),
            Some(columns) => {
                columns.iter().zip(row.values).for_each(|(&i, x)| self.weights[i as usize] += step * x);
            }
        }
        if let Some(bias) = &mut self.bias {
            *bias += step;
        }
        self.added[example] += 1;
    }

    /// Refuses weights that are not finite.
    fn check(&self) -> Result<()> {
        let mut numbers = self.weights.iter().chain(self.bias.as_ref()).enumerate();
        match numbers.find(|(_, weight)| !weight.is_finite()) {
            Some((row, &value)) => Err(Error::NotFinite { row, column: 0, value }),
            None => Ok(()),
        }
    }

    /// The least y f(x) over the size of the weights.
    fn stability(&mut self) -> Result<f64> {
        let mut least = f64::INFINITY;
        self.each(|_, margin| {
            // Once it is not a number it stays so.
            if margin < least || margin.is_nan() {
                least = margin;
            }
        })?;
        let numbers = || self.weights.iter().chain(self.bias.as_ref());
        // By the largest of them, so that no square overflows.
        let largest = numbers().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        if largest == 0.0 {
            return Ok(if self.y.is_empty() { f64::INFINITY } else { 0.0 });
        }
        let size = numbers().map(|weight| (weight / largest) * (weight / largest)).sum::<f64>().sqrt();
        Ok(least / largest / size)
    }
}

/// Whether an example with this y f(x) is right. One that overflowed is not.
fn right(margin: f64) -> bool {
    margin > 0.0
}
