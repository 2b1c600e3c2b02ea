//! The mean of the weights over the tokens: the mean of W_1 ... W_T, where W_t are the weights after token t.
//!
//! A row changes at the tokens of its own cue only. Just before it changes, its old value is added once for each token that it
//! lasted:
//!
//! ```text
//! sum[c, :] = +0.0, since[c] = 1                          for every row c
//! before token t, for each cue c of it, in order:         sum[c, :] += W[c, :] * (t - since[c]), since[c] = t
//! mean[c, :] = (sum[c, :] + W[c, :] * (T + 1 - since[c])) / T
//! mean[c, :] = W[c, :]                                    where since[c] is still 1: no later token changed it
//! ```
//!
//! Sums are always float64, and the mean is rounded to the type of the weights once. The sum adds up the weights and not their
//! changes, so a change that rounding loses in the weights is lost in the mean, too.

use crate::kernel::element::Element;

/// Sums of the rows of a tile.
///
/// Invariant: there are as many sums as weights, and a `since` for each row.
pub(super) struct Mean<'a> {
    sums: &'a mut [f64],
    /// For each row the token, counted from 1, at which its present values begin to count.
    since: &'a mut [u64],
    width: usize,
}

impl<'a> Mean<'a> {
    /// Begins before the first token, for rows of `width` elements.
    pub(super) fn new(sums: &'a mut [f64], since: &'a mut [u64], width: usize) -> Self {
        sums.fill(0.0);
        since.fill(1);
        Self { sums, since, width }
    }

    /// Adds up the rows of a token's cues, before the token changes them; `token` is counted from 1. Inlined into code that is
    /// compiled for the instruction set.
    #[inline(always)]
    pub(super) fn leave<E: Element>(&mut self, token: u64, cues: &[u32], weights: &[E]) {
        for &cue in cues {
            let row = cue as usize;
            let times = token - std::mem::replace(&mut self.since[row], token);
            if times > 0 {
                add_times(
                    &mut self.sums[row * self.width..][..self.width],
                    &weights[row * self.width..],
                    times,
                );
            }
        }
    }

    /// Replaces the weights by their means over `tokens` tokens.
    pub(super) fn finish<E: Element>(self, weights: &mut [E], tokens: u64) {
        let rows = weights.chunks_exact_mut(self.width).zip(self.sums.chunks_exact_mut(self.width));
        for ((weights, sums), &since) in rows.zip(&*self.since).filter(|(_, since)| **since > 1) {
            // A forged survey may make `since` exceed `tokens + 1`.
            add_times(sums, weights, (tokens + 1).saturating_sub(since));
            for (weight, sum) in weights.iter_mut().zip(sums) {
                *weight = E::from_f64(*sum / tokens as f64);
            }
        }
    }
}

/// Adds a row `times` times.
#[inline(always)]
fn add_times<E: Element>(sums: &mut [f64], row: &[E], times: u64) {
    let times = times as f64;
    for (sum, weight) in sums.iter_mut().zip(row) {
        *sum += weight.to_f64() * times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_summed_for_as_long_as_they_stand() {
        let (mut sums, mut since) = ([9.0; 6], [9; 3]);
        let mut weights = [1.0, 2.0, 3.0, 4.0, 0.1, 0.3];
        let mut mean = Mean::new(&mut sums, &mut since, 2);
        // Row 0 is 1, 2 after tokens 1 and 2, then 10, 20; row 1 changes at the first token alone.
        mean.leave(1, &[1], &weights);
        weights[2..4].copy_from_slice(&[30.0, 40.0]);
        mean.leave(3, &[0, 0], &weights);
        weights[..2].copy_from_slice(&[10.0, 20.0]);
        mean.finish(&mut weights, 4);
        assert_eq!(weights, [5.5, 11.0, 30.0, 40.0, 0.1, 0.3]);
    }
}
