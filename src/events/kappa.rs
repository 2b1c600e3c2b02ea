//! Kappa of an event: the sum of alpha * m^2 over its cues, where m is the multiplicity of a cue.
//!
//! A token reduces the error of its event by the fraction beta * kappa.

use crate::error::Result;
use crate::memory::filled;

/// Sums alpha * m^2 over the cues of events.
pub(crate) struct Kappa {
    /// For each cue, how often it occurred in the current event so far; zero between events.
    named: Vec<u32>,
}

impl Kappa {
    /// For cues below `n_cues`.
    pub(crate) fn new(n_cues: usize) -> Result<Self> {
        Ok(Self { named: filled(0, n_cues)? })
    }

    /// Kappa of an event. The k-th occurrence of a cue adds alpha * (2 k - 1), since the first m odd numbers sum to m^2.
    pub(crate) fn of(&mut self, cues: &[u32], alpha: impl Fn(u32) -> f64) -> f64 {
        let mut kappa = 0.0;
        for &cue in cues {
            let named = &mut self.named[cue as usize];
            *named += 1;
            kappa += alpha(cue) * (2.0 * f64::from(*named) - 1.0);
        }
        for &cue in cues {
            self.named[cue as usize] = 0;
        }
        kappa
    }
}
