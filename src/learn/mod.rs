//! Learning: what to learn, cut into tiles, on threads.
//!
//! [`learn`] numbers the columns by the first event that can change them, cuts them into tiles and lets threads take one
//! tile after another; a thread fills its tile with the initial weights, streams the events through it
//! (`forward`) and copies its columns into the result. Tiles touch different columns, so the result does not depend on
//! who learns what when.

mod forward;
pub mod rule;
pub mod stream;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::{Kernel, run};
use crate::kernel::rows::Element;
use crate::monitor::Monitor;
use forward::{Forward, Tile, WIDEST};
use rule::Rule;
use stream::{Column, Facts, Stream};

/// A tile shall not take more than this, so that most of its rows stay in the second cache,
const TILE_BYTES: usize = 512 << 10;
/// but its rows shall not be narrower than this many bytes, for each event costs a tile some fixed work.
const LEAST_ROW: usize = 512;
/// Events times slots times columns below which a second thread costs more than it saves.
const SMALL: u64 = 1 << 20;

/// What to learn, and where it goes. Lengths refer to the file, the rows of weights and the columns of the result.
pub struct Plan<'a, E> {
    /// The row of each of the file's cues.
    pub rows: &'a [u32],
    /// The column of the result for each of the file's outcomes; `None`: it is not learned.
    pub columns: &'a [Option<u32>],
    /// Saliences, one a row.
    pub alpha: &'a [f64],
    /// Learning rate where the outcome is present.
    pub beta1: f64,
    /// Learning rate where the outcome is absent.
    pub beta2: f64,
    /// Maximal activations, one a column of the result.
    pub lambda: &'a [f64],
    /// Weights to begin with; zero where there are none.
    pub initial: Option<Initial<'a, E>>,
    /// Rows to write to the result, in its order; all if `None`.
    pub keep: Option<&'a [u32]>,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Kernel>,
    /// Columns in a tile; chosen by size if `None`.
    pub tile: Option<usize>,
    /// Bytes of decoded events to keep.
    pub budget: usize,
}

/// Weights to continue from: row i is row i of the weights, columns are looked up.
pub struct Initial<'a, E> {
    /// The weights, row after row.
    pub weights: &'a [E],
    /// Columns in a row of `weights`.
    pub width: usize,
    /// Where each column of the result is in `weights`; `None`: it starts at zero.
    pub columns: &'a [Option<u32>],
}

/// How the learning went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The instruction set.
    pub kernel: Kernel,
    /// Columns in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// About the events.
    pub facts: Facts,
}

/// A matrix of the caller's that is filled column by column, from several threads.
///
/// Invariant: an exclusive borrow of the memory that the pointer and the strides (in elements) span lasts as long as
/// `'a`, and different (row, column) pairs are different elements.
pub struct Matrix<'a, E> {
    start: *mut E,
    strides: [isize; 2],
    shape: [usize; 2],
    borrow: std::marker::PhantomData<&'a mut [E]>,
}

#[expect(unsafe_code, reason = "columns are written by the threads that learned them")]
// SAFETY: a thread writes only the columns of its tile (`Matrix::set`), and no column is in two tiles; elements are
// plain numbers.
unsafe impl<E: Element> Sync for Matrix<'_, E> {}

impl<'a, E: Element> Matrix<'a, E> {
    /// Wraps a matrix whose elements lie `strides` apart.
    ///
    /// # Safety
    /// For every row < `shape[0]` and column < `shape[1]` the element at `start + row * strides[0] + column *
    /// strides[1]` must be writable and nobody else's during `'a`.
    ///
    /// # Errors
    /// [`Error::Argument`] when elements lie upon each other: neither stride steps over all of the other axis.
    #[expect(unsafe_code, reason = "numpy's memory")]
    pub unsafe fn from_raw(start: *mut E, shape: [usize; 2], strides: [isize; 2]) -> Result<Self> {
        let steps = strides.map(isize::unsigned_abs);
        let over = |outer: usize, inner: usize| {
            let span = steps[inner].saturating_mul(shape[inner].saturating_sub(1));
            (steps[inner] > 0 || shape[inner] <= 1) && (steps[outer] > span || shape[outer] <= 1)
        };
        if shape.contains(&0) || over(0, 1) || over(1, 0) {
            Ok(Self { start, strides, shape, borrow: std::marker::PhantomData })
        } else {
            Err(Error::Argument("expected a result whose elements do not share memory".into()))
        }
    }

    /// Wraps a matrix in a slice, row after row.
    ///
    /// # Errors
    /// When the slice has not `shape` elements.
    pub fn new(elements: &'a mut [E], shape: [usize; 2]) -> Result<Self> {
        if shape[0].checked_mul(shape[1]) != Some(elements.len()) {
            return Err(Error::Argument(format!("expected {shape:?} elements, found {}", elements.len())));
        }
        #[expect(unsafe_code, reason = "a slice is such a memory")]
        // SAFETY: row * shape[1] + column is below the length and different for different pairs; the slice is borrowed.
        unsafe {
            Self::from_raw(elements.as_mut_ptr(), shape, [shape[1] as isize, 1])
        }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// No other thread may write the same element.
    #[inline]
    #[expect(unsafe_code, reason = "unsynchronised writes")]
    unsafe fn set(&self, row: usize, column: usize, value: E) {
        assert!(row < self.shape[0] && column < self.shape[1]);
        let offset = row as isize * self.strides[0] + column as isize * self.strides[1];
        // SAFETY: inside by the assertion and the contract of `from_raw`; unshared by the contract of this function.
        unsafe { self.start.offset(offset).write(value) }
    }
}

/// Learns the events of a file into `out`, which must be zero: columns that no event can change are not written.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight leaves the finite numbers, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Element, B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    plan: &Plan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<Report> {
    let rule = Rule::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
    let kernel = plan.kernel.unwrap_or_else(Kernel::best);
    let kept: Vec<u32> = plan.keep.map_or_else(|| (0..plan.alpha.len() as u32).collect(), <[u32]>::to_vec);
    if kept.len() != out.shape[0] || plan.lambda.len() != out.shape[1] {
        let expected = [kept.len(), plan.lambda.len()];
        return Err(Error::Argument(format!(
            "expected a result of shape {expected:?}, found {:?}",
            out.shape
        )));
    }
    if kept.iter().any(|&row| row as usize >= plan.alpha.len()) {
        return Err(Error::Argument("expected rows to keep that exist".into()));
    }
    let started = match &plan.initial {
        Some(initial) => initial.started(plan.alpha.len(), plan.lambda.len())?,
        None => vec![false; plan.lambda.len()],
    };
    let (stream, columns) =
        Stream::new(file, plan.rows, plan.alpha, plan.columns, &started, plan.budget, monitor)?;

    let facts = stream.facts();
    let work = facts.slots.saturating_mul(columns.len() as u64);
    let threads = if work < SMALL { 1 } else { plan.threads.clamp(1, columns.len().max(1)) };
    let width = width::<E>(plan.tile, kernel, columns.len(), plan.alpha.len(), threads);
    let tiles: Vec<&[Column]> = columns.chunks(width).collect();
    let events = |tile: &&[Column]| stream.len() - tile.first().map_or(stream.len(), |column| column.start);
    monitor.expect(tiles.iter().map(events).sum());

    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let fail = |tile: usize, error: Error| {
        let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
        // Of several the first tile's, so that the same data always give the same message.
        if failure.as_ref().is_none_or(|(first, _)| tile < *first) {
            *failure = Some((tile, error));
        }
    };
    let worker = || {
        let mut weights = match Buffer::<E>::zeros(plan.alpha.len().saturating_mul(width)) {
            Ok(weights) => weights,
            Err(error) => return fail(0, error),
        };
        loop {
            let index = next.fetch_add(1, Relaxed);
            let Some(columns) = tiles.get(index) else { break };
            let place = Place { columns, first: (index * width) as u32, width };
            let learned = place.learn(&mut weights, plan, &rule, &stream, kernel, monitor);
            if let Err(error) = learned.and_then(|()| place.write(&weights, &kept, out)) {
                // Tiles begun before go on to their end: one of them may have the first error.
                next.store(tiles.len(), Relaxed);
                fail(index, error);
            }
        }
    };
    in_pool(threads, worker)?;
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(Report { kernel, tile: width, threads, facts }),
    }
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
fn width<E: Element>(
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

impl<E: Element> Initial<'_, E> {
    /// Which columns of the result do not start at zero. Minus zero is not zero: an event turns it into plus zero.
    fn started(&self, n_rows: usize, n_columns: usize) -> Result<Vec<bool>> {
        let width = self.width;
        let whole = width > 0 && self.weights.len().is_multiple_of(width) || self.weights.is_empty();
        let inside = self.columns.iter().flatten().all(|&column| (column as usize) < width);
        if !whole || !inside || self.columns.len() != n_columns || self.n_rows() > n_rows {
            return Err(Error::Argument(
                "expected initial weights whose rows and columns are in the result".into(),
            ));
        }
        let mut started = vec![false; width];
        for row in self.weights.chunks_exact(width.max(1)) {
            for (started, weight) in started.iter_mut().zip(row) {
                if !weight.is_finite() {
                    let message = format!("expected finite initial weights, found {}", weight.to_f64());
                    return Err(Error::Argument(message));
                }
                *started |= !weight.is_positive_zero();
            }
        }
        Ok(self.columns.iter().map(|column| column.is_some_and(|column| started[column as usize])).collect())
    }

    fn n_rows(&self) -> usize {
        self.weights.len() / self.width.max(1)
    }
}

/// A run of columns and where it stands.
struct Place<'a> {
    columns: &'a [Column],
    /// Its first column in the stream's numbering.
    first: u32,
    width: usize,
}

impl Place<'_> {
    fn learn<E: Element, B: AsRef<[u8]>>(
        &self,
        weights: &mut [E],
        plan: &Plan<'_, E>,
        rule: &Rule<E>,
        stream: &Stream<'_, B>,
        kernel: Kernel,
        monitor: &Monitor,
    ) -> Result<()> {
        weights.fill(E::default());
        if let Some(initial) = &plan.initial {
            let rows =
                weights.chunks_exact_mut(self.width).zip(initial.weights.chunks_exact(initial.width.max(1)));
            for (row, initial_row) in rows {
                for (weight, column) in row.iter_mut().zip(self.columns) {
                    if let Some(source) = initial.columns[column.target as usize] {
                        *weight = initial_row[source as usize];
                    }
                }
            }
        }
        let lambda: Vec<E> = self.columns.iter().map(|column| rule.lambda[column.target as usize]).collect();
        let mut tile = Tile { weights, width: self.width, first: self.first, lambda: &lambda };
        let start = self.columns.first().map_or(stream.len(), |column| column.start);
        stream.from(start, |segment, skip| {
            run(kernel, Forward { tile: &mut tile, rule, segment, skip, monitor })
        })
    }

    fn write<E: Element>(&self, weights: &[E], kept: &[u32], out: &Matrix<'_, E>) -> Result<()> {
        let row_of = |row: usize| &weights[row * self.width..][..self.columns.len()];
        for row in 0..weights.len() / self.width {
            if let Some(column) = row_of(row).iter().position(|weight| !weight.is_finite()) {
                return Err(Error::NotFinite {
                    row,
                    column: self.columns[column].target as usize,
                    value: row_of(row)[column].to_f64(),
                });
            }
        }
        for (target, &row) in kept.iter().enumerate() {
            for (column, &weight) in self.columns.iter().zip(row_of(row as usize)) {
                #[expect(unsafe_code, reason = "unsynchronised writes")]
                // SAFETY: every column is in one tile, and every tile is written by the one thread that took it.
                unsafe {
                    out.set(target, column.target as usize, weight);
                }
            }
        }
        Ok(())
    }
}
