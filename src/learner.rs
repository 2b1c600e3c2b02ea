//! The engine with few parameters: the same for all names, with defaults.

use crate::equilibrium::{Problem, Solution, equilibrium};
use crate::error::Result;
use crate::events::EventFile;
use crate::events::data::Data;
use crate::learn::Plan;
use crate::memory::{Lack, collected, filled};
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::vocab::Vocab;

const WEIGHTS: &str = "the weights";

/// The rule's parameters, the method, and the threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Learner {
    alpha: f64,
    betas: [f64; 2],
    lambda: f64,
    average: bool,
    method: Option<Method>,
    threads: usize,
}

impl Default for Learner {
    fn default() -> Self {
        let threads = crate::threads::available();
        Self { alpha: 0.1, betas: [0.1; 2], lambda: 1.0, average: false, method: None, threads }
    }
}

impl Learner {
    /// Saliences and learning rates of 0.1, an asymptote of 1, the cheaper method, a thread for each processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// The salience of all cues.
    #[must_use]
    pub fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }

    /// The learning rate, whether the outcome is present or absent.
    #[must_use]
    pub fn beta(self, beta: f64) -> Self {
        self.betas(beta, beta)
    }

    /// The learning rates where the outcome is present, and where it is absent.
    #[must_use]
    pub fn betas(self, present: f64, absent: f64) -> Self {
        Self { betas: [present, absent], ..self }
    }

    /// Lambda, the asymptote, of all outcomes.
    #[must_use]
    pub fn lambda(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }

    /// Whether to give the mean of the weights over all tokens instead of the weights after the last.
    #[must_use]
    pub fn average(self, average: bool) -> Self {
        Self { average, ..self }
    }

    /// The method, instead of the cheaper one.
    #[must_use]
    pub fn method(self, method: Method) -> Self {
        Self { method: Some(method), ..self }
    }

    /// Threads to use at most.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Learns all weights of the events.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn learn<'a>(&self, events: &'a EventFile) -> Result<Weights<'a>> {
        let mut weights = Weights::zero(events)?;
        let [n_cues, n_outcomes] = weights.shape();
        let plan = Plan {
            rows: &collected(0..n_cues as u32)?,
            columns: &collected((0..n_outcomes as u32).map(Some))?,
            alpha: &filled(self.alpha, n_cues)?,
            beta1: self.betas[0],
            beta2: self.betas[1],
            lambda: &filled(self.lambda, n_outcomes)?,
            average: self.average,
            method: self.method,
            threads: self.threads,
            ..Plan::default()
        };
        plan.learn(events, &Matrix::new(&mut weights.values, [n_cues, n_outcomes])?, &Monitor::new())?;
        Ok(weights)
    }

    /// The equilibrium: the weights around which learning stays if the events go on for ever at small rates.
    ///
    /// # Errors
    /// As [`equilibrium`].
    pub fn equilibrium<'a>(&self, events: &'a EventFile) -> Result<Equilibrium<'a>> {
        let mut weights = Weights::zero(events)?;
        let lambda = filled(self.lambda, events.outcomes().len())?;
        let [beta1, beta2] = self.betas;
        let problem = Problem { beta1, beta2, lambda: &lambda, ..Problem::default() };
        let data = Data::Events(events);
        let solution = equilibrium(data, &problem, &mut weights.values, self.threads, &Monitor::new())?;
        Ok(Equilibrium { weights, solution })
    }
}

/// Weights from cues to outcomes, by name.
#[derive(Debug, Clone)]
pub struct Weights<'a> {
    cues: &'a Vocab,
    outcomes: &'a Vocab,
    values: Vec<f64>,
}

impl<'a> Weights<'a> {
    fn zero(events: &'a EventFile) -> Result<Self> {
        let (cues, outcomes) = (events.cues(), events.outcomes());
        let values = filled(0.0, cues.len().saturating_mul(outcomes.len())).named(WEIGHTS)?;
        Ok(Self { cues, outcomes, values })
    }

    /// The weight from a cue to an outcome, if the events have both.
    pub fn get(&self, cue: &str, outcome: &str) -> Option<f64> {
        let (row, column) = (self.cues.get(cue)? as usize, self.outcomes.get(outcome)? as usize);
        self.values.get(row * self.outcomes.len() + column).copied()
    }

    /// The cues: the rows.
    pub fn cues(&self) -> &'a Vocab {
        self.cues
    }

    /// The outcomes: the columns.
    pub fn outcomes(&self) -> &'a Vocab {
        self.outcomes
    }

    /// How many cues and outcomes there are.
    pub fn shape(&self) -> [usize; 2] {
        [self.cues.len(), self.outcomes.len()]
    }

    /// The weights, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Weights that learning does not change on average, and how they were computed.
#[derive(Debug, Clone)]
pub struct Equilibrium<'a> {
    /// The weights.
    pub weights: Weights<'a>,
    /// How they were computed.
    pub solution: Solution,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::write::{Duplicates, EventWriter};

    #[test]
    fn each_parameter_is_that_of_the_rule() {
        let mut writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
        for outcome in ["x", "y"] {
            writer.cue("a").unwrap();
            writer.outcome(outcome).unwrap();
            writer.end_event(1).unwrap();
        }
        let events = writer.finish().unwrap();
        let learner = Learner::new().alpha(0.5).betas(0.25, 0.125).lambda(2.0).threads(1);
        let weight = |learner: Learner| learner.learn(&events).unwrap().get("a", "x").unwrap();
        let first = 0.5 * 0.25 * 2.0;
        let second = first - 0.5 * 0.125 * first;
        assert_eq!(weight(learner.clone()), second);
        assert_eq!(weight(learner.clone().average(true)), (first + second) / 2.0);
        assert_eq!(weight(learner.clone().beta(0.25).method(Method::Adjoint)), first - 0.125 * first);
        // beta1 (lambda - a) = beta2 a
        let equilibrium = learner.equilibrium(&events).unwrap().weights;
        let weight = equilibrium.get("a", "y").unwrap();
        assert!((weight - 0.25 * 2.0 / 0.375).abs() < 1e-12, "{weight}");
    }
}
