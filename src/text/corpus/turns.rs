//! Turns: threads work on blocks at the same time, and deliver one after another.
//!
//! ```text
//! thread 1:  read 0 | deliver 0 | read 2      | deliver 2 | ...
//! thread 2:  read 1      | wait | deliver 1 | read 3 ...
//! ```
//!
//! So results come in the order of the blocks, and there are as many blocks in memory as threads.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// A target to which one thread delivers at a time.
pub(super) struct Turns<T> {
    state: Mutex<State<T>>,
    turned: Condvar,
}

struct State<T> {
    next: u64,
    target: T,
    failure: Option<Error>,
}

impl<T> Turns<T> {
    pub(super) fn new(target: T) -> Self {
        Self { state: Mutex::new(State { next: 0, target, failure: None }), turned: Condvar::new() }
    }

    /// Waits for the turn of a number, and delivers. Returns whether to go on, which is false after a failure. The failure with the
    /// least number is kept.
    pub(super) fn take(&self, number: u64, deliver: impl FnOnce(&mut T) -> Result<()>) -> bool {
        let mut state = self.lock();
        while state.next != number && state.failure.is_none() {
            state = self.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.failure.is_none() {
            state.failure = deliver(&mut state.target).err();
            state.next += 1;
            self.turned.notify_all();
        }
        state.failure.is_none()
    }

    /// Each thread holds this while others may wait for its turns.
    pub(super) fn watch(&self) -> impl Drop + '_ {
        Watched(self)
    }

    /// The target, after all threads are done.
    ///
    /// # Errors
    /// The failure, if there was one.
    pub(super) fn finish(self) -> Result<T> {
        let State { target, failure, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(target), Err)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When its thread panics, no other thread waits any longer, and the panic is passed on.
struct Watched<'t, T>(&'t Turns<T>);

impl<T> Drop for Watched<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().failure.get_or_insert(Error::Stopped);
            self.0.turned.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::thread;

    use super::*;

    /// Delivers the numbers below `n` on some threads; `deliver` says what happens with each.
    fn deliver(threads: usize, n: u64, deliver: impl Fn(u64) -> Result<()> + Sync) -> Result<Vec<u64>> {
        let (turns, next) = (Turns::new(Vec::new()), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let _watch = turns.watch();
                    let take = |number| {
                        turns.take(number, |delivered: &mut Vec<u64>| {
                            delivered.push(number);
                            deliver(number)
                        })
                    };
                    while take(next.fetch_add(1, Relaxed).min(n)) && next.load(Relaxed) <= n + 1 {}
                });
            }
        });
        turns.finish()
    }

    #[test]
    fn all_are_delivered_in_order() {
        for threads in [1, 2, 7] {
            let delivered =
                deliver(threads, 1000, |number| if number == 1000 { Err(Error::Stopped) } else { Ok(()) });
            assert!(matches!(delivered, Err(Error::Stopped)));
        }
    }

    #[test]
    fn the_first_failure_in_order_is_kept() {
        for threads in [1, 2, 7] {
            let failed = deliver(threads, 100, |number| match number {
                40.. => Err(Error::Argument(number.to_string())),
                _ => Ok(()),
            });
            let Err(Error::Argument(number)) = failed else { unreachable!() };
            assert_eq!(number, "40");
        }
    }

    #[test]
    fn a_panic_leaves_nobody_waiting() {
        let found = catch_unwind(AssertUnwindSafe(|| {
            deliver(3, 100, |number| {
                assert!(number < 40, "on purpose");
                Ok(())
            })
        }));
        assert!(found.is_err());
    }
}
