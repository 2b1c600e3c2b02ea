//! AdaTron, which finds the plane of optimal stability through the strengths of the examples (Anlauf and Biehl 1989).
//!
//! ```text
//! a = 0, w = 0
//! in each sweep, for each example m in order:
//!     d = max(-a_m, gamma (1 - Z_m.w) / |Z_m|^2)
//!     a_m += d;    w += d Z_m
//! ```
//!
//! Between sweeps those that have a strength are visited again, as often as takes about as long as a sweep. For when there are many
//! more examples than features, few have one, and it is among these that convergence is slow.
//!
//! This goes uphill on sum a - |w|^2 / 2, w = sum of a_m Z_m, a >= 0, one coordinate at a time: successive over-relaxation of
//! the dual of "least |w|, all fields 1 and more". It converges for 0 < gamma < 2 if there is such a plane.
//!
//! *The bound.* A plane of stability kappa, |w*| = 1, has |w| >= w.w* = sum of a_m Z_m.w* >= kappa sum a. So no plane has a
//! stability above |w| / sum a, as with MinOver, where strengths are counts. At the end both bounds are 1 / |w|.

use super::patterns::{Patterns, size};
use crate::error::{Error, Result};
use crate::memory::{Grow, collected, filled};
use crate::monitor::{Monitor, Pulse};

/// How to learn.
pub struct AdaTronPlan {
    /// The most sweeps.
    pub max_sweeps: u64,
    /// Between 0 and 2.
    pub gamma: f64,
    /// Stop when the stability is within the factor 1 - tolerance of the greatest.
    pub tolerance: f64,
}

/// A plane, and the way to it.
#[derive(Debug, PartialEq)]
pub struct AdaTronFit {
    /// w, the bias last.
    pub weights: Vec<f64>,
    /// The least field over |w|.
    pub stability: f64,
    /// How many strengths were changed.
    pub steps: u64,
    /// a.
    pub strengths: Vec<f64>,
    /// Examples that were met with fields of 0 and less, in each sweep.
    pub errors: Vec<i64>,
    /// Whether the stability is within the tolerance of the greatest.
    pub converged: bool,
}

/// Learns.
///
/// # Errors
/// When numbers are too large or too small, and when the monitor says to stop.
pub fn learn(patterns: &Patterns<'_>, plan: &AdaTronPlan, monitor: &Monitor) -> Result<AdaTronFit> {
    monitor.set_total(plan.max_sweeps);
    sweep(patterns, plan, monitor, || monitor.advance(1))
}

/// Learns, and calls `swept` after each sweep.
pub(super) fn sweep(
    patterns: &Patterns<'_>,
    plan: &AdaTronPlan,
    monitor: &Monitor,
    swept: impl Fn() -> Result<()>,
) -> Result<AdaTronFit> {
    let mut state = Strengths::new(patterns)?;
    let mut errors = Vec::new();
    let mut certain = patterns.is_empty();
    let all = collected(0..patterns.len())?;
    while (errors.len() as u64) < plan.max_sweeps && !certain {
        if !errors.is_empty() {
            let support = all.iter().copied().filter(|&m| state.strengths[m] > 0.0);
            let support = collected(support)?;
            for _ in 0..patterns.len() / support.len().max(1) {
                state.visit(&support, plan.gamma, monitor)?;
            }
        }
        let (wrong, least) = state.visit(&all, plan.gamma, monitor)?;
        errors.grow(wrong)?;
        swept()?;
        // Fields met on the way are those of other weights: where they are good enough it is worth to look again.
        certain = state.is_within(least / size(&state.weights), plan.tolerance)
            && state.is_within(patterns.stability(&state.weights), plan.tolerance);
    }
    let Strengths { weights, strengths, steps, .. } = state;
    if weights.iter().chain(&strengths).any(|value| !value.is_finite()) {
        return Err(Error::Numeric(
            "weights left the range of numbers; scale X, so that its numbers are about 1".into(),
        ));
    }
    let stability = patterns.stability(&weights);
    Ok(AdaTronFit { weights, stability, steps, strengths, errors, converged: certain })
}

/// Invariant: `weights` are the sum of `strengths[m]` Z_m.
struct Strengths<'a, 'b> {
    patterns: &'a Patterns<'b>,
    weights: Vec<f64>,
    strengths: Vec<f64>,
    steps: u64,
    /// Multiplications since the monitor was looked at.
    pulse: Pulse,
}

impl<'a, 'b> Strengths<'a, 'b> {
    fn new(patterns: &'a Patterns<'b>) -> Result<Self> {
        let weights = filled(0.0, patterns.width())?;
        let strengths = filled(0.0, patterns.len())?;
        Ok(Self { patterns, weights, strengths, steps: 0, pulse: Pulse::default() })
    }

    /// Visits examples. Returns how many were met with fields of 0 and less, and the least field met.
    fn visit(&mut self, examples: &[usize], gamma: f64, monitor: &Monitor) -> Result<(i64, f64)> {
        let (mut wrong, mut least) = (0, f64::INFINITY);
        for &m in examples {
            self.pulse.beat(self.patterns.row_length() + 8, monitor)?;
            let field = self.patterns.field(m, &self.weights);
            wrong += i64::from(field <= 0.0);
            least = field.min(least);
            let square = self.patterns.squares()[m];
            if square > 0.0 {
                let change = (gamma * (1.0 - field) / square).max(-self.strengths[m]);
                if change != 0.0 {
                    self.strengths[m] += change;
                    self.patterns.add(m, change, &mut self.weights);
                    self.steps += 1;
                }
            }
        }
        Ok((wrong, least))
    }

    /// Whether a stability is at least (1 - tolerance) |w| / sum a.
    fn is_within(&self, stability: f64, tolerance: f64) -> bool {
        let sum: f64 = self.strengths.iter().sum();
        stability > 0.0 && stability >= (1.0 - tolerance) * size(&self.weights) / sum
    }
}
