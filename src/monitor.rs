//! A stop flag and a progress counter that long work polls.
//!
//! The work runs on other threads; the calling thread looks at both every 50 ms. So a bar moves, Ctrl-C stops the
//! work within 0.2 s, and the hot loops pay one relaxed atomic add per few thousand events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::threads::{self, lock};

/// How often the calling thread looks.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The state that the work and its watcher share. All orderings are relaxed: the counters guard no other memory.
#[derive(Debug, Default)]
pub struct Monitor {
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Monitor {
    /// Begins: nothing is done, the total is not known, nobody has stopped it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the total work, in the units of [`Monitor::advance`].
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Relaxed);
    }

    /// Adds to the total work.
    pub fn add_total(&self, more: u64) {
        self.total.fetch_add(more, Relaxed);
    }

    /// Adds to the work done, and returns [`Error::Stopped`] if the work must stop.
    pub fn advance(&self, n: u64) -> Result<()> {
        self.done.fetch_add(n, Relaxed);
        self.check()
    }

    /// Returns [`Error::Stopped`] if the work must stop.
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Asks the work to stop at its next poll.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// The work done and the total work (0: not known yet).
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }

    /// Runs `work` on a thread of its own while the calling thread calls `look(done, total)` every 50 ms. In between, the calling
    /// thread calls `rest(wait)`, which calls `wait`, and may release something meanwhile.
    ///
    /// If `look` fails, the work is asked to stop and waited for, and the failure is the inner result.
    ///
    /// # Errors
    /// [`Error::Thread`] when no thread can be started.
    pub fn watch<R: Send, E>(
        &self,
        work: impl FnOnce() -> R + Send,
        rest: impl Fn(&(dyn Fn() + Sync)),
        mut look: impl FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> Result<std::result::Result<R, E>> {
        threads::room(1).map_err(threads::refused)?;
        let finish = Finish::default();
        std::thread::scope(|scope| {
            let worker = std::thread::Builder::new().name("rescorla".into()).spawn_scoped(scope, || {
                let _finished = Finished(&finish);
                work()
            });
            let worker = worker.map_err(threads::refused)?;
            let mut failure = None;
            loop {
                rest(&|| finish.wait());
                if finish.is_there() {
                    break;
                }
                if failure.is_none() {
                    let (done, total) = self.progress();
                    if let Err(error) = look(done, total) {
                        self.stop();
                        failure = Some(error);
                    }
                }
            }
            let result = match worker.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            Ok(match failure {
                Some(error) => Err(error),
                None => Ok(result),
            })
        })
    }
}

/// Counts work, and looks at a monitor after every so much of it, so that hot loops only count.
#[derive(Debug, Default)]
pub struct Pulse(usize);

impl Pulse {
    /// The work between two looks: numbers that are touched, each of which takes about a nanosecond.
    pub const WORK: usize = 1 << 22;

    /// Counts work that is about to be done.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the monitor was looked at and the work must stop.
    #[inline]
    pub fn beat(&mut self, work: usize, monitor: &Monitor) -> Result<()> {
        self.0 = self.0.saturating_add(work);
        if self.0 < Self::WORK {
            return Ok(());
        }
        self.0 = 0;
        monitor.check()
    }
}

/// Whether work is done.
#[derive(Default)]
struct Finish {
    there: Mutex<bool>,
    came: Condvar,
}

impl Finish {
    /// Waits until the work is done, or until it is time to look.
    fn wait(&self) {
        let there = lock(&self.there);
        drop(self.came.wait_timeout_while(there, LOOK_EVERY, |there| !*there));
    }

    fn is_there(&self) -> bool {
        *lock(&self.there)
    }
}

/// Dropped on return and on unwinding, so the watcher always wakes.
struct Finished<'f>(&'f Finish);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        *lock(&self.0.there) = true;
        self.0.came.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_comes_back() {
        let monitor = Monitor::new();
        let result: std::result::Result<u32, ()> = monitor.watch(|| 7, |wait| wait(), |_, _| Ok(())).unwrap();
        assert_eq!(result, Ok(7));
    }

    #[test]
    fn looks_come_between_rests() {
        let resting = std::cell::Cell::new(0);
        let rest = |wait: &(dyn Fn() + Sync)| {
            resting.set(resting.get() + 1);
            wait();
            resting.set(resting.get() - 1);
        };
        let (monitor, mut looks) = (Monitor::new(), 0);
        let look = |_, _| {
            looks += 1;
            if resting.get() > 0 { Err("not woken") } else { Ok(()) }
        };
        let work = || std::thread::sleep(4 * LOOK_EVERY);
        assert_eq!(monitor.watch(work, rest, look).unwrap(), Ok(()));
        assert!(looks > 0);
    }

    #[test]
    fn a_panic_wakes_the_watcher() {
        let watch = || Monitor::new().watch(|| panic!("enough"), |wait| wait(), |_, _| Ok::<(), ()>(()));
        assert!(std::panic::catch_unwind(watch).is_err());
    }

    #[test]
    fn a_failing_look_stops_the_work() {
        let monitor = Monitor::new();
        let work = || {
            loop {
                if let Err(error) = monitor.advance(1) {
                    return error;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        assert_eq!(monitor.watch(work, |wait| wait(), |_, _| Err("enough")).unwrap().err(), Some("enough"));
        assert!(monitor.progress().0 > 0);
    }
}
