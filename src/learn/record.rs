//! Learning that records weights on the way.

use super::job::{Job, Report};
use super::kernels::Kernels;
use super::plan::Plan;
use super::trajectory::{Asked, Predictions, Recording, Records, Traces};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::monitor::Monitor;
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::rules::rule::Rule;
use crate::tiles::method::Method;

impl<E: Kernels> Plan<'_, E> {
    /// Learns the events of a file up to the last token to record, and records in `out`.
    ///
    /// # Errors
    /// Those of [`Plan::learn`]; [`Error::Argument`] where the recording does not fit the plan or `out`.
    pub fn trajectories(
        &self,
        file: &EventFile,
        recording: &Recording<'_>,
        out: Records<'_, E>,
        monitor: &Monitor,
    ) -> Result<(Report, Option<Predictions<E>>)> {
        self.trajectories_by(RescorlaWagner, file, recording, out, monitor)
    }

    /// The same by a rule.
    ///
    /// # Errors
    /// As [`Plan::trajectories`].
    pub fn trajectories_by<R: Rule<E>>(
        &self,
        rule: R,
        file: &EventFile,
        recording: &Recording<'_>,
        out: Records<'_, E>,
        monitor: &Monitor,
    ) -> Result<(Report, Option<Predictions<E>>)> {
        if self.method != Some(Method::Forward) || self.average {
            let message = "expected a plan of the forward method without a mean for trajectories";
            return Err(Error::Argument(message.into()));
        }
        let asked =
            recording.predictions.then(|| Asked::new(file, self, recording.tokens, monitor)).transpose()?;
        let job = Job::to_record(rule, file, self, monitor)?;
        let traces = Traces::new(recording, asked, &job.checked, out)?;
        let tile = job.record(&traces, monitor)?;
        let predictions = traces.asked.map(|asked| asked.answered(&job.checked.rule.lambda)).transpose()?;
        Ok((job.report(tile), predictions))
    }
}
