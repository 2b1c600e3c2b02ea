//! The parameters of the rule.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::memory::gathered;
use crate::monitor::{Monitor, Pulse};

/// Saliences, learning rates and asymptotes, rounded to the type of the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters<E> {
    /// The salience of each cue (row of weights).
    pub alpha: Vec<E>,
    /// The learning rate where the outcome is present.
    pub beta1: E,
    /// The learning rate where the outcome is absent.
    pub beta2: E,
    /// Lambda, the asymptote, of each outcome (column of weights).
    pub lambda: Vec<E>,
}

impl<E: Element> Parameters<E> {
    /// Rounds and checks the parameters.
    ///
    /// # Errors
    /// [`Error::Argument`] when one is not finite, or a salience or rate is negative.
    pub fn new(alpha: &[f64], beta1: f64, beta2: f64, lambda: &[f64]) -> Result<Self> {
        let rounded = |name: &str, value: f64, least: f64| {
            let element = E::from_f64(value);
            if element.is_finite() && value >= least {
                Ok(element)
            } else {
                let range = if least == 0.0 { " >= 0" } else { "" };
                Err(Error::Argument(format!(
                    "expected {name} to be a finite {} number{range}, found {value}",
                    E::NAME
                )))
            }
        };
        let all = |name: &str, values: &[f64], least| -> Result<Vec<E>> {
            gathered(values.iter().map(|&value| rounded(name, value, least)))
        };
        Ok(Self {
            alpha: all("alpha", alpha, 0.0)?,
            beta1: rounded("beta", beta1, 0.0)?,
            beta2: rounded("beta", beta2, 0.0)?,
            lambda: all("lambda", lambda, f64::NEG_INFINITY)?,
        })
    }
}

/// Factors on the learning rates, one for each token from the first on.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule<'a> {
    /// On beta1, where the outcome is present.
    pub present: Cow<'a, [f64]>,
    /// On beta2, where it is absent; `None`: the same.
    pub absent: Option<Cow<'a, [f64]>>,
}

impl Schedule<'_> {
    /// The factors on beta2.
    fn absent(&self) -> &[f64] {
        self.absent.as_ref().unwrap_or(&self.present)
    }
}

/// Learning rates that change from token to token.
///
/// Invariant: there is a factor of each kind for all tokens that are learned, and no rate is negative or not finite.
pub(crate) struct Rates<'a> {
    betas: [f64; 2],
    schedule: &'a Schedule<'a>,
}

impl<'a> Rates<'a> {
    /// The rates for a number of tokens.
    ///
    /// # Errors
    /// [`Error::Argument`] when there are fewer factors, or a rate is negative or, rounded to `E`, not finite;
    /// [`Error::Stopped`].
    pub(crate) fn new<E: Element>(
        betas: [f64; 2],
        schedule: &'a Schedule<'a>,
        tokens: u64,
        monitor: &Monitor,
    ) -> Result<Self> {
        for (beta, factors) in betas.into_iter().zip([&*schedule.present, schedule.absent()]) {
            if (factors.len() as u64) < tokens {
                return Err(Error::Argument(format!(
                    "expected a schedule with a factor for each of {tokens} tokens, found {}",
                    factors.len()
                )));
            }
            let good = |factor: &f64| *factor >= 0.0 && E::from_f64(beta * factor).is_finite();
            for (block, factors) in factors.chunks(Pulse::WORK).enumerate() {
                monitor.check()?;
                if let Some(i) = factors.iter().position(|factor| !good(factor)) {
                    return Err(Error::Argument(format!(
                        "expected factors >= 0 that leave the rate finite in {}, found {} for token {}",
                        E::NAME,
                        factors[i],
                        block * Pulse::WORK + i + 1
                    )));
                }
            }
        }
        Ok(Self { betas, schedule })
    }

    /// Whether both rates are equal at every token.
    pub(crate) fn is_one(&self) -> bool {
        self.betas[0] == self.betas[1] && self.schedule.absent.is_none()
    }

    /// The rates of the token after `before` tokens, for present outcomes and for absent ones: beta * factor in float64, rounded
    /// to the type of the weights.
    #[inline(always)]
    pub(crate) fn after<E: Element>(&self, before: u64) -> [E; 2] {
        let ([beta1, beta2], [present, absent]) = (self.betas, self.factors(before));
        [E::from_f64(beta1 * present), E::from_f64(beta2 * absent)]
    }

    /// The factors of this token.
    #[inline(always)]
    pub(crate) fn factors(&self, before: u64) -> [f64; 2] {
        let last = self.schedule.present.len().saturating_sub(1);
        // Beyond the last token, where a forged survey begins too late.
        [&self.schedule.present, self.schedule.absent()].map(|all| all[(before as usize).min(last)])
    }
}

/// The common value of all elements, if they are equal.
pub(crate) fn same<E: Element>(elements: &[E]) -> Option<E> {
    let (first, rest) = elements.split_first()?;
    rest.iter().all(|element| element == first).then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_checked() {
        let rates = |present: &[f64], absent: &[f64]| {
            let schedule = Schedule { present: present.into(), absent: Some(absent.into()) };
            Rates::new::<f32>([0.1, 1e30], &schedule, 2, &Monitor::new()).map(|rates| rates.after::<f32>(1))
        };
        assert_eq!(rates(&[1.0, 0.3], &[0.0, 2.0]).unwrap(), [0.1_f64 * 0.3, 2e30].map(|rate| rate as f32));
        let refused = |present: &[f64], absent: &[f64]| rates(present, absent).unwrap_err().to_string();
        assert!(refused(&[1.0], &[1.0, 1.0]).contains("2 tokens, found 1"));
        assert!(refused(&[1.0, -0.5], &[1.0, 1.0]).contains("found -0.5 for token 2"));
        assert!(refused(&[1.0, 1.0], &[f64::NAN, 1.0]).contains("found NaN for token 1"));
        assert!(
            refused(&[1.0, 1.0], &[1.0, 1e10]).contains("finite in float32, found 10000000000 for token 2")
        );
    }

    #[test]
    fn parameters_are_checked_after_rounding() {
        assert!(Parameters::<f64>::new(&[0.0, 1e300], 0.1, 0.2, &[-1.0]).is_ok());
        assert!(Parameters::<f32>::new(&[1e300], 0.1, 0.2, &[]).is_err());
        assert!(Parameters::<f64>::new(&[-0.1], 0.1, 0.2, &[]).is_err());
        assert!(Parameters::<f64>::new(&[], f64::NAN, 0.2, &[]).is_err());
        assert!(Parameters::<f64>::new(&[], 0.1, f64::INFINITY, &[]).is_err());
        assert!(Parameters::<f64>::new(&[], 0.1, 0.1, &[f64::NEG_INFINITY]).is_err());
    }
}
