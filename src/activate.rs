//! Activations of outcomes by given weights and the cues of given events.
//!
//! ```text
//! a_j = sum of w_cj over the cues c of the event, in the event's order, from +0.0
//! ```
//!
//! Weights are read in place, whether their rows or their columns are contiguous, and only those that are needed: they may be in
//! a file that is larger than the memory. If columns are contiguous, a few columns at a time are gathered for all events of a
//! chunk, so that each column is read once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::element::Element;
use crate::lists::Lists;
use crate::memory::{Grow, collected, filled};
use crate::monitor::{Monitor, Pulse};
use crate::threads::{each, lock};

/// Weights in memory, in any layout.
pub trait ReadWeights<S>: Sync {
    /// Rows and columns.
    fn shape(&self) -> [usize; 2];
    /// A row that exists; `None` if its elements are not contiguous.
    fn row(&self, row: usize) -> Option<&[S]>;
    /// The element of a row and a column that exist.
    fn at(&self, row: usize, column: usize) -> S;
    /// Calls `put` with the elements of a column in some rows, all of which exist, one after another.
    fn pick(&self, column: usize, rows: &[u32], put: impl FnMut(S));
}

/// Weights, and the rows of the events' cues.
pub struct KnownWeights<'a, T> {
    /// The weights.
    pub table: T,
    /// The row of each of the file's cues; `None`: the cue has no weights and adds nothing.
    pub rows: &'a [Option<u32>],
}

/// The wanted activations.
pub enum Which<'a> {
    /// Of these columns, in every event: events x columns.
    Columns(&'a [u32]),
    /// Of the outcomes present in each event, event after event. For each of the file's outcomes its column; `None`: its
    /// activation is not known and is NaN.
    Present(&'a [Option<u32>]),
}

/// Columns that are gathered at a time: one or two cache lines of each row.
const SIDE: usize = 16;

/// The most cues of events for which columns are gathered at once; they take 16 MiB.
const GATHERED: usize = 1 << 22;

/// Fills `out` with activations, event after event. Weights are rounded to the type of the sums. Returns whether a finite weight
/// became infinite.
///
/// # Errors
/// [`Error::Argument`] when the shapes do not fit, [`Error::Format`] for a damaged file, [`Error::Stopped`].
pub fn activate<S: Element, E: Element>(
    file: &EventFile,
    weights: &KnownWeights<'_, impl ReadWeights<S>>,
    which: &Which<'_>,
    out: &mut [E],
    threads: usize,
    monitor: &Monitor,
) -> Result<bool> {
    weights.check(file, which)?;
    monitor.set_total(file.len());
    // The piece of `out` for each chunk of events.
    let mut pieces = Vec::new();
    pieces.make_room(file.n_chunks())?;
    let mut rest = out;
    for chunk in 0..file.n_chunks() {
        let length = match which {
            Which::Columns(columns) => {
                let events = file.events_of(chunk);
                usize::try_from(events.end - events.start).ok().and_then(|n| n.checked_mul(columns.len()))
            }
            Which::Present(_) => {
                let mut length = 0;
                file.for_each(file.events_of(chunk), |_, _, outcomes, _| {
                    length += outcomes.len();
                    Ok(())
                })?;
                Some(length)
            }
        };
        let split = length.and_then(|length| rest.split_at_mut_checked(length));
        let (piece, behind) =
            split.ok_or_else(|| Error::Argument("expected a longer array for the result".into()))?;
        pieces.push(piece);
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(Error::Argument(format!(
            "expected an array {} elements shorter for the result",
            rest.len()
        )));
    }

    let pieces = collected(pieces.into_iter().map(Mutex::new))?;
    let overflow = AtomicBool::new(false);
    each(
        threads,
        pieces.len(),
        || Ok(()),
        |(), chunk| {
            // No other thread takes this piece.
            let mut piece = lock(&pieces[chunk]);
            ChunkSums { file, chunk, weights, overflow: &overflow, monitor }.fill(which, &mut piece[..])
        },
    )?;
    Ok(overflow.into_inner())
}

impl<T> KnownWeights<'_, T> {
    fn check<S>(&self, file: &EventFile, which: &Which<'_>) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        let [n_rows, n_columns] = self.table.shape();
        let inside = |column: &u32| (*column as usize) < n_columns;
        let columns_fit = match which {
            Which::Columns(columns) => columns.iter().all(inside),
            Which::Present(columns) => {
                columns.len() == file.outcomes().len() && columns.iter().flatten().all(inside)
            }
        };
        let exists = |&row: &u32| (row as usize) < n_rows;
        let rows_fit = self.rows.len() == file.cues().len() && self.rows.iter().flatten().all(exists);
        if columns_fit && rows_fit {
            Ok(())
        } else {
            Err(Error::Argument(
                "expected rows and columns that the weights have, one a cue and outcome".into(),
            ))
        }
    }
}

/// The sums of a chunk of events.
struct ChunkSums<'a, T> {
    file: &'a EventFile,
    chunk: usize,
    weights: &'a KnownWeights<'a, T>,
    /// Whether a finite weight became infinite when it was rounded.
    overflow: &'a AtomicBool,
    monitor: &'a Monitor,
}

impl<T> ChunkSums<'_, T> {
    fn fill<S: Element, E: Element>(&self, which: &Which<'_>, out: &mut [E]) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        match which {
            Which::Present(columns) => self.fill_present(columns, out)?,
            Which::Columns(columns) => {
                let KnownWeights { table, rows } = self.weights;
                let first = rows.iter().flatten().next();
                if first.is_none_or(|&row| table.row(row as usize).is_some()) {
                    self.fill_by_rows(columns, out)?;
                } else {
                    self.fill_by_columns(columns, out)?;
                }
            }
        }
        let events = self.file.events_of(self.chunk);
        self.monitor.advance(events.end - events.start)
    }

    /// A weight in the type of the sums.
    #[inline(always)]
    fn rounded<S: Element, E: Element>(&self, weight: S) -> E {
        let rounded = E::from_f64(weight.to_f64());
        if size_of::<E>() < size_of::<S>() && !rounded.is_finite() && weight.is_finite() {
            self.overflow.store(true, Relaxed);
        }
        rounded
    }

    /// The rows of the cues of an event.
    #[inline(always)]
    fn rows_of(&self, cues: &[u32]) -> impl Iterator<Item = u32> {
        cues.iter().filter_map(|&cue| self.weights.rows[cue as usize])
    }

    /// Fills in the activations of the outcomes present in each event.
    fn fill_present<S: Element, E: Element>(&self, columns: &[Option<u32>], mut out: &mut [E]) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        let (table, mut pulse) = (&self.weights.table, Pulse::default());
        self.file.for_each(self.file.events_of(self.chunk), |_, cues, outcomes, _| {
            let (here, behind) =
                std::mem::take(&mut out).split_at_mut_checked(outcomes.len()).unwrap_or_default();
            out = behind;
            for (value, &outcome) in here.iter_mut().zip(outcomes) {
                *value = match columns[outcome as usize] {
                    Some(column) => self.rows_of(cues).fold(E::default(), |sum, row| {
                        sum.plus(self.rounded(table.at(row as usize, column as usize)))
                    }),
                    None => E::from_f64(f64::NAN),
                };
            }
            pulse.beat((cues.len() + 1) * (outcomes.len() + 1), self.monitor)
        })
    }

    /// Fills in the activations of columns, from contiguous rows.
    fn fill_by_rows<S: Element, E: Element>(&self, columns: &[u32], mut out: &mut [E]) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        let (table, mut pulse) = (&self.weights.table, Pulse::default());
        let all = columns.len() == table.shape()[1] && (0..).zip(columns).all(|(i, &column)| i == column);
        self.file.for_each(self.file.events_of(self.chunk), |_, cues, _, _| {
            let (here, behind) =
                std::mem::take(&mut out).split_at_mut_checked(columns.len()).unwrap_or_default();
            out = behind;
            here.fill(E::default());
            for row in self.rows_of(cues) {
                let row = table.row(row as usize).unwrap_or_default();
                if all {
                    here.iter_mut().zip(row).for_each(|(sum, &weight)| *sum = sum.plus(self.rounded(weight)));
                } else {
                    let weights = columns.iter().map(|&column| self.rounded(row[column as usize]));
                    here.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = sum.plus(weight));
                }
            }
            pulse.beat((cues.len() + 1) * (columns.len() + 1), self.monitor)
        })
    }

    /// Fills in the activations of columns, from rows that are not contiguous.
    fn fill_by_columns<S: Element, E: Element>(&self, columns: &[u32], out: &mut [E]) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        let mut gathered = Gathered::new(self.weights.rows.len())?;
        let (mut filled, mut events) = (0, self.file.events_of(self.chunk));
        let end = events.end;
        while events.start < end {
            events.end = gathered.take(self, events.start..end)?;
            let length = gathered.rows.len() * columns.len();
            self.sum(&mut gathered, columns, out.get_mut(filled..filled + length).unwrap_or_default())?;
            filled += length;
            events.start = events.end;
        }
        Ok(())
    }

    /// Sums columns for some events, a few columns at a time.
    fn sum<S: Element, E: Element>(&self, some: &mut Gathered, columns: &[u32], out: &mut [E]) -> Result<()>
    where
        T: ReadWeights<S>,
    {
        let mut block = filled([E::default(); SIDE], some.distinct.len())?;
        let mut pulse = Pulse::default();
        for (number, side) in columns.chunks(SIDE).enumerate() {
            for (lane, &column) in side.iter().enumerate() {
                let mut row = 0;
                self.weights.table.pick(column as usize, &some.distinct, |weight| {
                    block[row][lane] = self.rounded(weight);
                    row += 1;
                });
            }
            for (event, rows) in out.chunks_exact_mut(columns.len()).zip(some.rows.iter()) {
                let mut sums = [E::default(); SIDE];
                for &row in rows {
                    let weights = &block[row as usize];
                    sums.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum = sum.plus(weight));
                }
                event[number * SIDE..][..side.len()].copy_from_slice(&sums[..side.len()]);
            }
            pulse.beat(
                (some.rows.items().len() + some.rows.len() + some.distinct.len()) * SIDE,
                self.monitor,
            )?;
        }
        Ok(())
    }
}

/// Marks a cue without a place.
const NONE: u32 = u32::MAX;

/// Some events, of which columns are gathered at once.
///
/// Invariant: `places` is `NONE` for all cues except those of these events.
struct Gathered {
    /// For each of the file's cues the place of its row in `distinct`.
    places: Vec<u32>,
    /// The cues that the events have.
    cues: Vec<u32>,
    /// The rows of these cues, in rising order.
    distinct: Vec<u32>,
    /// The rows of each event: places in `distinct`.
    rows: Lists,
}

impl Gathered {
    /// Without events, for a file with so many cues.
    fn new(n_cues: usize) -> Result<Self> {
        let places = filled(NONE, n_cues)?;
        Ok(Self { places, cues: Vec::new(), distinct: Vec::new(), rows: Lists::default() })
    }

    /// Takes events from the first of a range on. Returns the event after the last one taken.
    fn take<T>(&mut self, sums: &ChunkSums<'_, T>, range: std::ops::Range<u64>) -> Result<u64> {
        self.cues.iter().for_each(|&cue| self.places[cue as usize] = NONE);
        self.cues.clear();
        self.rows.clear();
        sums.file.for_each(range.clone(), |_, cues, _, _| {
            // Events beyond the limit are taken next time.
            if self.rows.items().len() < GATHERED {
                for &cue in cues.iter().filter(|&&cue| sums.weights.rows[cue as usize].is_some()) {
                    if std::mem::replace(&mut self.places[cue as usize], 0) == NONE {
                        self.cues.grow(cue)?;
                    }
                    self.rows.add(cue)?;
                }
                self.rows.end()?;
            }
            Ok(())
        })?;
        self.cues.sort_unstable_by_key(|&cue| sums.weights.rows[cue as usize]);
        self.distinct = collected(sums.rows_of(&self.cues))?;
        (0..).zip(&self.cues).for_each(|(place, &cue)| self.places[cue as usize] = place);
        self.rows.items_mut().iter_mut().for_each(|row| *row = self.places[*row as usize]);
        Ok(range.start + self.rows.len() as u64)
    }
}
