//! Long work off the interpreter: it runs on other threads, while the calling thread looks at signals and progress.

use pyo3::prelude::*;

use super::exit::Call;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::threads;

/// How many threads can run at once: the processors that the process may run on, and no more than its share of them, where a
/// container or a batch system limits that.
#[pyfunction]
pub(super) fn available_threads() -> usize {
    threads::available()
}

/// Something callable with (done, total), or nothing.
pub(super) type Progress = Option<Py<PyAny>>;

/// Fewer steps of the innermost loop, each a multiplication or an addition, take some milliseconds at most.
const BRIEF: u64 = 1 << 22;

/// As [`brief`] or [`watched`]: by how many steps of the innermost loop the work takes.
pub(super) fn watched_if_long<R: Send>(
    py: Python<'_>,
    progress: &Progress,
    steps: u64,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    if steps < BRIEF { brief(py, progress, work) } else { watched(py, progress, work) }
}

/// Runs `work` on another thread. The calling thread is detached from the interpreter, but every 50 ms it checks for signals and
/// calls `progress`; what either raises stops the work and is raised.
pub(super) fn watched<R: Send>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    let monitor = Monitor::new();
    watched_by(py, &monitor, progress, || work(&monitor))
}

/// As [`watched`], for work that polls a monitor which is there already.
pub(super) fn watched_by<R: Send>(
    py: Python<'_>,
    monitor: &Monitor,
    progress: &Progress,
    work: impl FnOnce() -> Result<R> + Send,
) -> PyResult<R> {
    let call = Call::begin(py)?;
    let look = |done, total| {
        call.check()?;
        py.check_signals()?;
        tell(py, progress, done, total)
    };
    let result = monitor.watch(work, |wait| py.detach(wait), look)???;
    finish(py, progress, monitor)?;
    Ok(result)
}

/// As [`watched`], for work that is over before anyone could look: on the calling thread, without starting another.
pub(super) fn brief<R: Send>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    let _call = Call::begin(py)?;
    let monitor = Monitor::new();
    let result = py.detach(|| work(&monitor))?;
    finish(py, progress, &monitor)?;
    Ok(result)
}

fn finish(py: Python<'_>, progress: &Progress, monitor: &Monitor) -> PyResult<()> {
    let (_, total) = monitor.progress();
    tell(py, progress, total, total)
}

/// Calls `progress` if there is one. A total of 0 is one that nobody knows.
pub(super) fn tell(py: Python<'_>, progress: &Progress, done: u64, total: u64) -> PyResult<()> {
    let done = if total == 0 { done } else { done.min(total) };
    match progress {
        Some(progress) => progress.call1(py, (done, total)).map(drop),
        None => Ok(()),
    }
}
