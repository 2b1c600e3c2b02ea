//! The number of threads, the pool of threads, and the sharing of work.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use crate::error::{Error, Result};
use crate::memory::free;

/// The memory that a thread takes when it starts: its stack, and what the system adds.
const STACK: usize = (2 << 20) + (256 << 10);

/// A pool for one call. The global pool would hang in a forked child, and starting threads takes less time than a tile. If the
/// system does not start so many threads, fewer do the work.
///
/// # Errors
/// [`Error::Thread`] when not even one starts.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let mut threads = sensible(threads);
    loop {
        match pool_of(threads) {
            Ok(pool) => return Ok(pool),
            Err(error) if threads == 1 => return Err(error),
            Err(_) => threads /= 2,
        }
    }
}

/// A pool of exactly so many threads.
///
/// They start one after another, because each takes memory from the system, and a thread that gets none ends the process.
fn pool_of(threads: usize) -> Result<rayon::ThreadPool> {
    let handles = RefCell::new(Vec::new());
    let start = |thread: rayon::ThreadBuilder| {
        room(1)?;
        let (begun, wait) = sync_channel(1);
        let work = move || {
            // Cannot fail: the receiver waits for it. By then the thread has its memory.
            let _ = begun.send(());
            thread.run();
        };
        handles.borrow_mut().push(Builder::new().name("rescorla-worker".into()).spawn(work)?);
        // Cannot fail: the thread sends before anything else.
        let _ = wait.recv();
        Ok(())
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).spawn_handler(start).build();
    let pool = pool.map_err(refused).and_then(|pool| room(0).map(|()| pool).map_err(refused));
    if pool.is_err() {
        // The threads that did start end now. Their memory may be enough for fewer threads.
        handles.into_inner().into_iter().for_each(|thread| drop(thread.join()));
    }
    pool
}

/// Fails if there is no memory to start so many more threads.
///
/// # Errors
/// The system's own.
pub(crate) fn room(threads: usize) -> io::Result<()> {
    free(threads.saturating_mul(STACK))
}

/// The error of a thread that cannot start.
pub(crate) fn refused(error: impl fmt::Display) -> Error {
    Error::Thread(error.to_string())
}

/// Takes a lock. Whether its holder has panicked does not matter: then the whole call panics.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many threads can run at once: the number of processors that the process may use, or fewer if its control group has a quota
/// of processor time. 1 if the system does not report it.
pub(crate) fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The given number of threads, limited to a few for each processor.
pub(crate) fn sensible(threads: usize) -> usize {
    threads.clamp(1, (4 * available()).max(16))
}

/// Lets threads do `n` pieces of work, each thread one piece after another. Each thread has a state of its own, made by `start`.
///
/// # Errors
/// If several pieces fail, the error of the first one, by number, so that the same data always give the same message.
pub(crate) fn each<S>(
    threads: usize,
    n: usize,
    start: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let fail = |number: usize, error: Error| {
        // Pieces that have begun go on, since one of them may have the first error.
        next.store(n, Relaxed);
        let mut failure = lock(&failure);
        if failure.as_ref().is_none_or(|(first, _)| number < *first) {
            *failure = Some((number, error));
        }
    };
    let worker = || match start() {
        Ok(mut state) => loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= n {
                break;
            }
            if let Err(error) = work(&mut state, number) {
                fail(number, error);
            }
        },
        Err(error) => fail(0, error),
    };
    match threads.min(n) {
        0..=1 => worker(),
        threads => drop(pool(threads)?.broadcast(|_| worker())),
    }
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_help_are_not_started() {
        assert_eq!([0, 1, 2, 16].map(sensible), [1, 1, 2, 16]);
        let most = sensible(usize::MAX);
        assert!((16..1 << 16).contains(&most));
        assert_eq!(pool(1 << 31).unwrap().current_num_threads(), most);
    }
}
