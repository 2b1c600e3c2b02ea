//! How many threads work, the pool that they are, and how they share work.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use memmap2::MmapMut;

use crate::error::{Error, Result};

/// What a thread takes from the beginning: its stack, and what the system puts beside it.
const STACK: usize = (2 << 20) + (256 << 10);
/// What is left for small allocations while threads start.
const MARGIN: usize = 1 << 20;

/// A pool of its own for each call: the global pool would hang in a forked child, and starting threads takes less time
/// than a tile. Where the system does not start so many, fewer do the work.
///
/// # Errors
/// [`Error::Thread`] when not even one starts.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let mut threads = sensible(threads);
    loop {
        match started(threads) {
            Ok(pool) => return Ok(pool),
            Err(error) if threads == 1 => return Err(error),
            Err(_) => threads /= 2,
        }
    }
}

/// A pool of exactly so many threads.
///
/// They start one after another: each takes memory of its own from the system, and one that finds none ends the process.
fn started(threads: usize) -> Result<rayon::ThreadPool> {
    let handles = RefCell::new(Vec::new());
    let start = |thread: rayon::ThreadBuilder| {
        room(1)?;
        let (begun, wait) = sync_channel(1);
        let work = move || {
            // Cannot fail: the other end waits for it. By then the thread has what it takes for itself.
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
        // Those that did start are about to end; what they had may be enough for fewer.
        handles.into_inner().into_iter().for_each(|thread| drop(thread.join()));
    }
    pool
}

/// Fails where there is no memory for so many more threads to start.
///
/// Of memory that was freed threads have no use: it must be the system's.
///
/// # Errors
/// The system's own.
pub(crate) fn room(threads: usize) -> io::Result<()> {
    let bytes = threads.saturating_mul(STACK).saturating_add(MARGIN);
    MmapMut::map_anon(bytes).map(drop)
}

/// A thread that cannot start.
pub(crate) fn refused(error: impl fmt::Display) -> Error {
    Error::Thread(error.to_string())
}

/// How many threads can run at once: as many as there are processors that the process may run on, or fewer where its control
/// group has a quota of their time. 1 where the system does not say.
pub(crate) fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// So many threads, but no more than may help: a few for each processor.
pub(crate) fn sensible(threads: usize) -> usize {
    threads.clamp(1, (4 * available()).max(16))
}

/// Lets threads do one of `n` pieces of work after another. Each thread has a state of its own, made by `start`.
///
/// # Errors
/// Of several that fail the first one's, by number, so that the same data always give the same message.
pub(crate) fn each<S>(
    threads: usize,
    n: usize,
    start: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let fail = |number: usize, error: Error| {
        // What was begun before goes on to its end, and may have the first error.
        next.store(n, Relaxed);
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| number < *first) {
            *failure = Some((number, error));
        }
    };
    in_pool(threads.min(n), || match start() {
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
    })?;
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

/// Runs `worker` on every one of so many threads, or as many as can be had.
fn in_pool(threads: usize, worker: impl Fn() + Sync) -> Result<()> {
    if threads <= 1 {
        worker();
    } else {
        pool(threads)?.broadcast(|_| worker());
    }
    Ok(())
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
