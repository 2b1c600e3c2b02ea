//! How long all threads together did something.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time, added up over threads.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    nanoseconds: AtomicU64,
}

impl Clock {
    /// Does some work and adds the time that it took.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = work();
        // Centuries of nanoseconds fit in 64 bits.
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        result
    }

    /// The time so far.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Relaxed))
    }
}
