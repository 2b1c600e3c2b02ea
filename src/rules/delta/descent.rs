//! How weights go down an error: what the delta rule is told, whatever its data.

use super::activation::{Activation, Loss};
use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::tiles::home::check_shapes;
use crate::tiles::result::Matrix;

/// How to learn. Lengths refer to the rows and columns of the result.
#[derive(Debug, Clone, Copy)]
pub struct Descent<'a, E> {
    /// Saliences, one a row.
    pub alpha: &'a [f64],
    /// The learning rate.
    pub beta: f64,
    /// The activation function.
    pub activation: Activation,
    /// The loss.
    pub loss: Loss,
    /// Tokens in a batch; all if `None`.
    pub batch: Option<u64>,
    /// Whether the updates of a batch are averaged over its tokens, not summed.
    pub mean: bool,
    /// Factors on the learning rate, one a batch, pass after pass; 1 if `None`.
    pub factors: Option<&'a [f64]>,
    /// How often to go through the tokens.
    pub passes: u64,
    /// The tokens in the order in which they come, pass after pass; that of the data if `None`.
    pub order: Option<&'a [i64]>,
    /// All weights to begin with, row after row; zero if `None`.
    pub initial: Option<&'a [E]>,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Isa>,
    /// Columns in a tile; chosen by size if `None`.
    pub tile: Option<usize>,
}

/// How the learning went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescentReport {
    /// The instruction set.
    pub kernel: Isa,
    /// Columns in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
}

impl<E: Element> Descent<'_, E> {
    /// Refuses what [`check_shapes`] does, and a log loss of another than the logistic function.
    pub(super) fn check(&self, shape: [usize; 2], out: &Matrix<'_, E>) -> Result<()> {
        check_shapes(shape, out, self.initial)?;
        if self.loss == Loss::Log && self.activation != Activation::Logistic {
            let message = format!("expected activation logistic for the log loss, found {}", self.activation);
            return Err(Error::Argument(message));
        }
        Ok(())
    }

    /// Refuses factors that are not one for each of so many batches a pass, or make no learning rate.
    pub(super) fn check_factors(&self, batches: usize) -> Result<()> {
        let Some(factors) = self.factors else { return Ok(()) };
        let good = |factor: &f64| *factor >= 0.0 && E::from_f64(self.beta * factor).is_finite();
        let all = (batches as u64).checked_mul(self.passes);
        if Some(factors.len() as u64) == all && factors.iter().all(good) {
            return Ok(());
        }
        Err(Error::Argument(format!(
            "expected a factor for each of {batches} batches of every pass, 0 or more, that leaves the rate finite"
        )))
    }

    /// The learning rate of a batch of so many tokens, given its number and the rate of one token without a factor.
    #[inline(always)]
    pub(super) fn rate(&self, beta: E, batch: usize, tokens: u64) -> E {
        let beta = self.factors.map_or(beta, |factors| E::from_f64(self.beta * factors[batch]));
        if self.mean { E::from_f64(beta.to_f64() / tokens as f64) } else { beta }
    }
}
