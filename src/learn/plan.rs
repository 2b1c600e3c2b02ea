//! The plan: what to learn, with which parameters.

use super::costs::Facts;
use super::script::{BUDGET, NONE};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::survey::{look::common_classes, summary::Survey};
use crate::events::twins::Twins;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::memory::filled;
use crate::tiles::forgetting::Retention;
use crate::tiles::home::Initial;
use crate::tiles::method::Method;
use crate::tiles::rule::{Parameters, Schedule};
use crate::tiles::width::SMALL;

/// The greatest ratio of saliences for which the adjoint method's precision is promised.
const RATIO_OF_SALIENCES: f64 = 1e3;

/// Where weights are forgotten, the forward method takes so much longer for an element, beside the adjoint method: King James takes
/// 4.0 times as long as without forgetting, beside 2.0 times.
const FORGOTTEN: f64 = 2.0;

/// What to learn, and where the weights go. Lists are as long as the file's cues or outcomes, the rows of weights, or the columns
/// of the result.
pub struct Plan<'a, E: Clone> {
    /// The row of each of the file's cues.
    pub rows: &'a [u32],
    /// The column of the result for each of the file's outcomes; `None`: it is not learned.
    pub columns: &'a [Option<u32>],
    /// Saliences: one for each row.
    pub alpha: &'a [f64],
    /// Learning rate where the outcome is present.
    pub beta1: f64,
    /// Learning rate where the outcome is absent.
    pub beta2: f64,
    /// Factors on the learning rates, token by token; 1 for all if `None`. Forward method only.
    pub schedule: Option<Schedule<'a>>,
    /// Lambda, the asymptotes: one for each column of the result.
    pub lambda: &'a [f64],
    /// What each token leaves of every weight before it is learned, above 0 and at most 1.
    pub retention: f64,
    /// Initial weights; zero if `None`.
    pub initial: Option<Initial<'a, E>>,
    /// Whether the result is the mean of the weights over all tokens, instead of the weights after the last token. Forward method
    /// only.
    pub average: bool,
    /// Rows to write to the result, in its order; all if `None`.
    pub keep: Option<&'a [u32]>,
    /// The method; the cheaper one if `None`.
    pub method: Option<Method>,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Isa>,
    /// Lanes (columns or rows) in a tile; chosen by size if `None`.
    pub tile: Option<usize>,
    /// The budget in bytes for decoded events. If the events take more, none are kept, and the budget is for additional tiles,
    /// which share the decoding.
    pub budget: usize,
}

impl<E: Clone> Default for Plan<'_, E> {
    /// No names; learning rates of 0.1, on one thread.
    fn default() -> Self {
        Self {
            rows: &[],
            columns: &[],
            alpha: &[],
            beta1: 0.1,
            beta2: 0.1,
            schedule: None,
            lambda: &[],
            retention: 1.0,
            initial: None,
            average: false,
            keep: None,
            method: None,
            threads: 1,
            kernel: None,
            tile: None,
            budget: BUDGET,
        }
    }
}

impl<E: Element> Plan<'_, E> {
    pub(super) fn check(&self, file: &EventFile, kept: &[u32]) -> Result<()> {
        let (n_rows, n_columns) = (self.alpha.len(), self.lambda.len());
        let wrong = |expected: String| Err(Error::Argument(expected));
        let row_exists = |&row: &u32| (row as usize) < n_rows;
        if !kept.iter().all(row_exists) {
            return wrong("expected rows to keep that exist".into());
        }
        let fits = self.rows.len() == file.cues().len()
            && self.columns.len() == file.outcomes().len()
            && self.rows.iter().all(row_exists)
            && self.columns.iter().flatten().all(|&column| (column as usize) < n_columns);
        if !fits || n_rows >= NONE as usize || n_columns >= NONE as usize {
            return wrong("expected a row for every cue and a column for every outcome".into());
        }
        let mut taken = filled(false, n_rows)?;
        if self.rows.iter().any(|&row| std::mem::replace(&mut taken[row as usize], true)) {
            return wrong("expected a row of its own for every cue".into());
        }
        let mut taken = filled(false, n_columns)?;
        if self.columns.iter().flatten().any(|&column| std::mem::replace(&mut taken[column as usize], true)) {
            return wrong("expected a column of its own for every outcome".into());
        }
        Ok(())
    }

    /// The retention, unless it is 1.
    pub(super) fn forgetting(&self) -> Result<Option<Retention<E>>> {
        let (gamma, wrong) = (self.retention, |message: String| Err(Error::Argument(message)));
        if gamma == 1.0 {
            return Ok(None);
        }
        if !(gamma > 0.0 && gamma < 1.0) {
            return wrong(format!("retention must be above 0 and at most 1, not {gamma}"));
        }
        let rounded = E::from_f64(gamma);
        if rounded == E::from_f64(1.0) || rounded.is_positive_zero() {
            let rounded = rounded.to_f64();
            return wrong(format!("retention must not round to {rounded} in {}, as {gamma} does", E::NAME));
        }
        if self.average {
            return wrong(
                "retention must be 1 for a mean of the weights: a mean settles, weights that are forgotten do not".into(),
            );
        }
        Ok(Some(Retention::new(gamma)))
    }

    /// Refuses the adjoint method where the plan needs the forward method.
    pub(super) fn check_method(&self, method: Method, rule: &Parameters<E>) -> Result<()> {
        if method == Method::Adjoint && rule.beta1 != rule.beta2 {
            return Err(Error::Argument(format!(
                "beta must be one learning rate for the adjoint method, not {} and {}: it changes the weights to \
                 all outcomes at one rate, whether they occur or not; use the forward method",
                self.beta1, self.beta2
            )));
        }
        if method == Method::Adjoint && self.needs_forward() {
            let (what, why) = if self.average {
                ("a mean of the weights", "it gives the weights after the last token alone")
            } else {
                ("a schedule", "it takes repeated events as one step, at one learning rate")
            };
            return Err(Error::Argument(format!("method must be forward for {what}, not adjoint: {why}")));
        }
        Ok(())
    }

    /// Whether the plan needs the forward method.
    pub(super) fn needs_forward(&self) -> bool {
        self.average || self.schedule.is_some()
    }

    /// For each row, and for each outcome of the file, the first one that is equal to it: both always occur together, with the same
    /// initial weights and the same parameters.
    pub(super) fn twins(
        &self,
        rule: &Parameters<E>,
        started: &[bool],
        survey: &Survey,
    ) -> Result<[Vec<u32>; 2]> {
        let bits = |value: &E| value.to_f64().to_bits();
        let rows = rule.alpha.iter().map(|alpha| self.initial.is_none().then(|| bits(alpha)));
        let outcomes = self.columns.iter().map(|column| {
            let column = column.filter(|&column| !started[column as usize])?;
            Some(bits(&rule.lambda[column as usize]))
        });
        let (rows, outcomes) = (Twins::new(rows)?.least()?, Twins::new(outcomes)?.least()?);
        // Rows that no event has are equal, whatever their cues are.
        let mut cues = filled(NONE, rows.len())?;
        for (cue, &row) in self.rows.iter().enumerate() {
            let twin = survey.cue_twins[cue] as usize;
            cues[row as usize] = if survey.after_last[cue].events == 0 { NONE } else { self.rows[twin] };
        }
        Ok([common_classes(&cues, &rows)?, common_classes(&survey.outcome_twins, &outcomes)?])
    }

    /// The cheaper method, or the forward method where the adjoint one is not precise enough. The forward method is exact; the
    /// adjoint method is precise while beta * kappa is at most the retention and saliences differ little.
    ///
    /// The cost of a method is the number of elements that it visits: weights; with the adjoint method also sums, and repeated
    /// events count as one.
    pub(super) fn cheaper(
        &self,
        facts: &Facts,
        [n_tracked, n_columns]: [usize; 2],
        distinct_updates: u64,
    ) -> Method {
        let saliences = self.alpha.iter().filter(|alpha| **alpha > 0.0);
        let (least, most) = saliences.fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
        let precise = self.beta1 == self.beta2
            && self.beta1 * facts.max_kappa <= self.retention
            && most <= RATIO_OF_SALIENCES * least;
        if !precise || self.needs_forward() || facts.forward_updates < SMALL {
            return Method::Forward;
        }
        let visits = facts.visits as f64 / facts.slots as f64;
        let product = self
            .initial
            .as_ref()
            .map_or(0.0, |initial| initial.n_rows() as f64 * n_columns as f64 * n_tracked as f64);
        let adjoint = distinct_updates as f64 * visits + product;
        let dearer = if self.retention < 1.0 { FORGOTTEN } else { 1.0 };
        if adjoint < facts.forward_updates as f64 * dearer { Method::Adjoint } else { Method::Forward }
    }
}
