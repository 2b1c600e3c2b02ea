//! Tiles: how wide they are, and the threads that take one after another.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;

/// The most elements in a row of a tile.
pub(crate) const WIDEST: usize = 1024;
/// Rows shall be about so many bytes wide, divided by the number of cues of an event but one: narrower, and the fixed work
/// for each event costs too much; wider, and fewer rows stay in the caches from one event to the next. Measured: 2 KiB suit
/// the 4 cues of words as trigrams, 512 bytes 10 of 10,000 cues.
const BYTES_BY_SLOTS: f64 = 6700.0;
/// But wide as long as the tile takes no more than this, and so stays in the second cache.
const TILE_BYTES: f64 = 524_288.0;
/// A row shall not be narrower than this many bytes,
const LEAST_ROW: f64 = 512.0;
/// nor wider than this many,
const MOST_ROW: f64 = 2048.0;
/// and all rows of an event shall take no more than this, and so stay in the first cache.
const EVENT_BYTES: f64 = 30_720.0;

/// Lets threads take one of `n` tiles after another. Each thread has a state of its own, made by `start`.
///
/// # Errors
/// Of several failing tiles the first one's, so that the same data always give the same message.
pub(crate) fn each_tile<S>(
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

/// Columns in a tile: what suits the caches with `slots` rows an event of `rows`, and enough tiles for all threads.
pub(crate) fn width<E: Element>(
    wanted: Option<usize>,
    kernel: Kernel,
    columns: usize,
    [rows, slots]: [f64; 2],
    threads: usize,
) -> usize {
    let block = 8 * kernel.lanes::<E>();
    let bytes = (BYTES_BY_SLOTS / (slots - 1.0).max(1.0)).max(TILE_BYTES / rows.max(1.0));
    let bytes = bytes.min(MOST_ROW).min(EVENT_BYTES / slots.max(1.0)).max(LEAST_ROW);
    let blocks = (bytes / (block * size_of::<E>()) as f64).round() as usize;
    let suits = (blocks.max(1) * block).min(columns.div_ceil(threads));
    padded::<E>(wanted.unwrap_or(suits), kernel)
}

/// The width of a tile that has room for some columns: whole vectors, and from 4 on whole blocks of 4 or 8, which the kernel
/// does at once.
pub(crate) fn padded<E: Element>(columns: usize, kernel: Kernel) -> usize {
    let lanes = kernel.lanes::<E>();
    let whole = match columns.div_ceil(lanes) {
        n @ 0..4 => n.max(1),
        n @ 4..8 => n.next_multiple_of(4),
        n => n.next_multiple_of(8),
    };
    (whole * lanes).min(WIDEST)
}
