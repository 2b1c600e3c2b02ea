//! Forgetting: each token first multiplies all weights by a number, the retention gamma.
//!
//! ```text
//! W_t = gamma W_(t-1) + beta D c_t (lambda o_t - W_(t-1)' c_t)'
//! ```
//!
//! A row changes otherwise at the tokens of its own cue only. So it is kept as it was after the last of these, and multiplied by a
//! power of gamma when it is needed again:
//!
//! ```text
//! before token t, for each distinct cue c of it:     r = gamma^(t-1-last[c]);  W[c, :] = r W[c, :]
//! a = the sum of these rows, as always
//! for each distinct cue c:                           W[c, :] = gamma W[c, :],  last[c] = t
//! for each cue c:                                    W[c, :] += alpha[c] * u
//! ```
//!
//! Powers are products of gamma^1, gamma^2, gamma^4 ..., from the lowest on. Every product is rounded to the type of the weights.

use crate::kernel::element::Element;

/// Powers of the retention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention<E> {
    /// gamma^(2^i).
    powers: [E; 64],
}

impl<E: Element> Retention<E> {
    /// Of gamma, which is rounded to the type of the weights.
    pub(crate) fn new(gamma: f64) -> Self {
        let mut powers = [E::from_f64(gamma); 64];
        for i in 1..powers.len() {
            powers[i] = powers[i - 1].times(powers[i - 1]);
        }
        Self { powers }
    }

    /// gamma.
    #[inline(always)]
    pub(crate) fn gamma(&self) -> E {
        self.powers[0]
    }

    /// gamma^n.
    #[inline(always)]
    pub(crate) fn power(&self, mut n: u64) -> E {
        let mut power = E::from_f64(1.0);
        while n > 0 {
            power = power.times(self.powers[n.trailing_zeros() as usize]);
            n &= n - 1;
        }
        power
    }
}

/// The rows of a tile, each as it was after the last token that changed it.
pub(crate) struct Rows<'a, E> {
    retention: &'a Retention<E>,
    /// That token, counted from 1.
    last: &'a mut [u64],
    /// How many tokens there were.
    token: u64,
}

impl<'a, E: Element> Rows<'a, E> {
    /// All rows as they are after `token` tokens.
    pub(crate) fn new(retention: &'a Retention<E>, last: &'a mut [u64], token: u64) -> Self {
        last.fill(token);
        Self { retention, last, token }
    }

    /// What a row is multiplied by to be what it is now.
    #[inline(always)]
    pub(crate) fn factor(&self, row: usize) -> E {
        self.retention.power(self.token.saturating_sub(self.last[row]))
    }

    /// What a row must be multiplied by now, before it is summed, unless it was already.
    #[inline(always)]
    pub(crate) fn recalled(&mut self, row: usize) -> Option<E> {
        (self.last[row] != self.token).then(|| {
            let factor = self.factor(row);
            self.last[row] = self.token;
            factor
        })
    }

    /// The next token begins to change rows, all of which were recalled.
    #[inline(always)]
    pub(crate) fn next(&mut self) {
        self.token += 1;
    }

    /// What a recalled row must be multiplied by before it is changed: gamma, once if it comes twice.
    #[inline(always)]
    pub(crate) fn kept(&mut self, row: usize) -> Option<E> {
        (self.last[row] != self.token).then(|| {
            self.last[row] = self.token;
            self.retention.gamma()
        })
    }

    /// Makes all rows what they are now.
    pub(crate) fn finish(&mut self, weights: &mut [E], width: usize) {
        for (row, weights) in weights.chunks_exact_mut(width).enumerate() {
            multiply(weights, self.factor(row));
            self.last[row] = self.token;
        }
    }
}

/// Multiplies a row.
#[inline(always)]
pub(crate) fn multiply<E: Element>(row: &mut [E], factor: E) {
    row.iter_mut().for_each(|weight| *weight = factor.times(*weight));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_power_is_that_of_repeated_squaring(gamma in 0.0..1.0_f64, n in 0..2000_u64) {
            let (mut power, mut square, mut left) = (1.0, gamma, n);
            while left > 0 {
                if left % 2 == 1 {
                    power *= square;
                }
                square *= square;
                left /= 2;
            }
            prop_assert_eq!(Retention::<f64>::new(gamma).power(n), power);
            prop_assert!((power - gamma.powf(n as f64)).abs() <= 1e-12);
        }
    }
}
