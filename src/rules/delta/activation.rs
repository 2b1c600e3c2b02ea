//! Activation functions and losses: what a unit answers to the sum of its weights, and what an error then moves.
//!
//! ```text
//! y = g(h);   e = t - n * y;   u = rate * e;   u = u * g'(h)      (squared loss, g other than identity and threshold)
//! ```
//!
//! `t` is the sum of the targets of `n` tokens that have the same `h`.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::kernel::scalar::Scalar;
use crate::kernel::vector::Vector;

/// What makes a prediction of the sum of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// The sum itself.
    #[default]
    Identity,
    /// 1 / (1 + exp(-h)).
    Logistic,
    /// The hyperbolic tangent.
    Tanh,
    /// The sum where it is above zero, else zero. At zero it has the slope 1, as above it: with 0 there weights that begin at zero
    /// would stay there.
    Relu,
    /// 1 where the sum is above zero, else 0. It has no slope that could teach: its errors move weights as they are, which is the
    /// perceptron rule.
    Threshold,
}

/// What is made small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// (t - y)^2 / 2.
    #[default]
    Squared,
    /// -t log y - (1 - t) log(1 - y), for the logistic function.
    Log,
}

impl FromStr for Activation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Self::Identity, Self::Logistic, Self::Tanh, Self::Relu, Self::Threshold];
        known.into_iter().find(|activation| activation.to_string() == name).ok_or_else(|| {
            Error::Argument(format!(
                "expected activation identity, logistic, tanh, relu or threshold, found {name:?}"
            ))
        })
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "identity",
            Self::Logistic => "logistic",
            Self::Tanh => "tanh",
            Self::Relu => "relu",
            Self::Threshold => "threshold",
        })
    }
}

impl FromStr for Loss {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "squared" => Ok(Self::Squared),
            "log" => Ok(Self::Log),
            _ => Err(Error::Argument(format!("expected loss squared or log, found {name:?}"))),
        }
    }
}

/// What learns from the errors of a unit: the function, the loss, and how much of an error is taken.
#[derive(Clone, Copy)]
pub(super) struct Unit<V> {
    pub(super) activation: Activation,
    pub(super) loss: Loss,
    /// The learning rate.
    pub(super) rate: V,
    /// How many units there are: the lanes from here on stand for none, and their functions are not asked for.
    pub(super) columns: usize,
}

impl<V: Vector> Unit<V> {
    /// The errors and updates of the units from `column` on, given their sums and targets, for `tokens` tokens.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls vectors")]
    pub(super) unsafe fn errors_and_updates<const B: usize>(
        &self,
        column: usize,
        sums: [V; B],
        targets: [V; B],
        tokens: V,
    ) -> ([V; B], [V; B]) {
        let (mut errors, mut updates) = (sums, sums);
        let bent = self.activation != Activation::Identity;
        // SAFETY: by the contract of this function.
        unsafe {
            let columns = self.columns.saturating_sub(column);
            let predictions = if bent { bend(apply, self.activation, sums, columns) } else { sums };
            let steps = match self.activation {
                // Of the value nobody knows on which side of zero the sum is.
                Activation::Relu => bend(slope_of_relu, self.activation, sums, columns),
                _ => predictions,
            };
            for b in 0..B {
                errors[b] = targets[b].minus(tokens.times(predictions[b]));
                updates[b] = self.rate.times(errors[b]);
                if bent && self.loss == Loss::Squared {
                    updates[b] = updates[b].times(slope(self.activation, steps[b]));
                }
            }
        }
        (errors, updates)
    }
}

/// The most elements that a step has side by side: 8 vectors of 16.
const SIDE_BY_SIDE: usize = 128;

/// Applies a function of an activation, lane by lane, to so many lanes.
///
/// # Safety
/// The instruction set of `V` must exist.
#[inline(always)]
#[expect(unsafe_code, reason = "calls vectors")]
unsafe fn bend<V: Vector, const B: usize>(
    function: fn(Activation, &mut [V::Element]),
    activation: Activation,
    sums: [V; B],
    columns: usize,
) -> [V; B] {
    const { assert!(B * V::LANES <= SIDE_BY_SIDE) };
    let (mut values, mut results) = ([V::Element::default(); SIDE_BY_SIDE], sums);
    // SAFETY: by the contract of this function; there is room for B vectors.
    unsafe {
        for (b, sum) in sums.into_iter().enumerate() {
            sum.store(values.as_mut_ptr().add(b * V::LANES));
        }
        function(activation, &mut values[..columns.min(B * V::LANES)]);
        for (b, result) in results.iter_mut().enumerate() {
            *result = V::load(values.as_ptr().add(b * V::LANES));
        }
    }
    results
}

/// Applies an activation function to numbers, in float64.
#[inline(never)]
fn apply<E: Scalar>(activation: Activation, values: &mut [E]) {
    for value in values {
        let h = value.to_f64();
        *value = E::from_f64(match activation {
            Activation::Identity => h,
            Activation::Logistic => 1.0 / (1.0 + (-h).exp()),
            Activation::Tanh => h.tanh(),
            // What is not a number stays so.
            Activation::Relu if h < 0.0 => 0.0,
            Activation::Relu => h,
            Activation::Threshold if h.is_nan() => h,
            Activation::Threshold => f64::from(u8::from(h > 0.0)),
        });
    }
}

/// 1 where a sum is zero or more, else 0.
#[inline(never)]
fn slope_of_relu<E: Scalar>(_: Activation, values: &mut [E]) {
    for value in values {
        *value = E::from_f64(if value.to_f64() >= 0.0 { 1.0 } else { 0.0 });
    }
}

/// The derivative of an activation function, where it has the value `y`; that of `Relu` is found by [`slope_of_relu`].
///
/// # Safety
/// The instruction set of `V` must exist.
#[inline(always)]
#[expect(unsafe_code, reason = "calls vectors")]
unsafe fn slope<V: Vector>(activation: Activation, y: V) -> V {
    // SAFETY: by the contract of this function.
    unsafe {
        let one = V::splat(V::Element::from_f64(1.0));
        match activation {
            Activation::Identity | Activation::Threshold => one,
            Activation::Logistic => y.times(one.minus(y)),
            Activation::Tanh => one.minus(y.times(y)),
            Activation::Relu => y,
        }
    }
}
