//! Tiles: how wide they are, and the threads that take one after another.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;

/// The most elements in a row of a tile.
pub(super) const WIDEST: usize = 1024;
/// A tile shall not take more than this, so that most of its rows stay in the second cache,
const TILE_BYTES: usize = 512 << 10;
/// but its rows shall not be narrower than this many bytes, for each event costs a tile some fixed work.
const LEAST_ROW: usize = 512;

/// Lets threads take one of `n` tiles after another. Each thread has a state of its own, made by `start`.
///
/// # Errors
/// Of several failing tiles the first one's, so that the same data always give the same message.
pub(super) fn each_tile<S>(
    threads: usize,
    n: usize,
    start: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, usize) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let fail = |tile: usize, error: Error| {
        // Tiles begun before go on to their end: one of them may have the first error.
        next.store(n, Relaxed);
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| tile < *first) {
            *failure = Some((tile, error));
        }
    };
    in_pool(threads, || match start() {
        Ok(mut state) => loop {
            let tile = next.fetch_add(1, Relaxed);
            if tile >= n {
                break;
            }
            if let Err(error) = work(&mut state, tile) {
                fail(tile, error);
            }
        },
        Err(error) => fail(0, error),
    })?;
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

/// Runs `worker` on every one of so many threads.
pub(crate) fn in_pool(threads: usize, worker: impl Fn() + Sync) -> Result<()> {
    if threads == 1 {
        worker();
    } else {
        pool(threads)?.broadcast(|_| worker());
    }
    Ok(())
}

/// A pool of its own for each call: the global pool would hang in a forked child, and starting threads takes less time
/// than a tile.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let name = |index| format!("rescorla-{index}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(name).build();
    pool.map_err(|error| Error::Argument(format!("cannot start {threads} threads: {error}")))
}

/// Columns in a tile: what fits the cache, but wide enough to be worth the way, and enough tiles for all threads.
pub(super) fn width<E: Element>(
    wanted: Option<usize>,
    kernel: Kernel,
    columns: usize,
    rows: usize,
    threads: usize,
) -> usize {
    let lanes = kernel.lanes::<E>();
    let fits = TILE_BYTES / size_of::<E>() / rows.max(1);
    let share = columns.div_ceil(threads).max(1);
    let width = wanted.unwrap_or_else(|| fits.max(LEAST_ROW / size_of::<E>()).min(share));
    // From 4 vectors on whole blocks of 4 or 8, which the kernel does at once.
    let whole = match width.div_ceil(lanes) {
        n @ 0..4 => n.max(1),
        n @ 4..8 => n.next_multiple_of(4),
        n => n.next_multiple_of(8),
    };
    (whole * lanes).min(WIDEST)
}
