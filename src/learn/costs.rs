//! What a plan needs to know about the events before learning, and the cost of each method.

use std::sync::Mutex;

use crate::error::Result;
use crate::events::EventFile;
use crate::events::chunk::Body;
use crate::events::kappa::Kappa;
use crate::events::survey::summary::Survey;
use crate::memory::filled;
use crate::monitor::Monitor;
use crate::threads::{each, lock};
use crate::tiles::method::Method;

/// What a plan needs to know about the events before learning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facts {
    /// The greatest kappa of an event: alpha * m^2, summed over its cues of multiplicity m.
    pub max_kappa: f64,
    /// Cue slots: the numbers of cues of all tokens, summed.
    pub slots: u64,
    /// Updates of the forward method: cue slots from the first occurrence of each outcome on, summed over the outcomes.
    pub forward_updates: u64,
    /// Updates of the adjoint method: cue slots up to the last occurrence of each cue, summed over the cues.
    pub adjoint_updates: u64,
    /// Rows of weights and of sums that the adjoint method visits in a pass over all events; repeated events count as one.
    pub visits: u64,
    /// Tokens: each event counts as often as its frequency says.
    pub tokens: u64,
}

impl Facts {
    /// Facts before the updates are counted, for a number of tokens.
    pub(super) fn of(survey: &Survey, max_kappa: f64, tokens: u64) -> Self {
        let (slots, visits) = (survey.totals.slots, survey.totals.visits);
        Self { max_kappa, slots, visits, tokens, ..Self::default() }
    }

    /// Updates of a method.
    pub fn updates(&self, method: Method) -> u64 {
        match method {
            Method::Forward => self.forward_updates,
            Method::Adjoint => self.adjoint_updates,
        }
    }

    /// The mean number of cues of a token.
    pub(super) fn slots_of_event(&self) -> f64 {
        self.slots as f64 / self.tokens.max(1) as f64
    }
}

/// The greatest sum of alpha * m^2 over the cues of an event, where `rows[cue]` is the row of each of the file's cues, below
/// `alpha.len()`. With one salience for all cues it follows from the survey; otherwise threads look at all events.
///
/// # Errors
/// Those of decoding; [`crate::error::Error::Stopped`].
pub(super) fn max_kappa(
    file: &EventFile,
    (rows, alpha): (&[u32], &[f64]),
    survey: &Survey,
    threads: usize,
    monitor: &Monitor,
) -> Result<f64> {
    let of = |cue: u32| alpha[rows[cue as usize] as usize];
    let mut saliences = rows.iter().map(|&row| alpha[row as usize]);
    let Some(first) = saliences.next() else { return Ok(0.0) };
    if saliences.all(|alpha| alpha == first) {
        return Ok(first * survey.totals.squares as f64);
    }
    let types = file.types()?;
    let greatest = Mutex::new(0.0_f64);
    let start = || Ok((Kappa::new(rows.len())?, filled(false, types.len())?));
    each(threads.min(file.n_chunks()).max(1), file.n_chunks(), start, |(kappa, seen), index| {
        monitor.check()?;
        let chunk = file.chunk(index)?;
        let mut most = 0.0_f64;
        for i in (0..chunk.body.len()).filter(|&i| chunk.frequency(i) > 0) {
            let cues = match &chunk.body {
                Body::Full(rows) => rows.cues.get(i),
                Body::Types(tokens) if std::mem::replace(&mut seen[tokens[i] as usize], true) => continue,
                Body::Types(tokens) => types.cues.get(tokens[i] as usize),
            };
            most = most.max(kappa.of(cues, of));
        }
        let mut greatest = lock(&greatest);
        *greatest = greatest.max(most);
        Ok(())
    })?;
    let greatest = *lock(&greatest);
    Ok(greatest)
}
