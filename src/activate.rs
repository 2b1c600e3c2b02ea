//! Activations: what given weights predict from the cues of given events. Read only.
//!
//! ```text
//! a_j = sum of w_cj over the cues c of the event, in the order in which it lists them, from +0.0
//! ```

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::grow::Grow;
use crate::kernel::rows::Element;
use crate::learn::in_pool;
use crate::monitor::Monitor;

/// Weights, row after row, and where the events' names are in them.
pub struct Weights<'a, E> {
    /// The weights.
    pub values: &'a [E],
    /// Columns in a row.
    pub width: usize,
    /// The row of each of the file's cues; `None`: it predicts nothing.
    pub rows: &'a [Option<u32>],
}

/// Which activations.
pub enum Which<'a> {
    /// Of these columns, in every event: events x columns.
    Columns(&'a [u32]),
    /// Of the outcomes present in each event, event after event. For each of the file's outcomes its column; `None`: its
    /// activation is not known and is NaN.
    Present(&'a [Option<u32>]),
}

/// Fills `out` with activations, event after event.
///
/// # Errors
/// [`Error::Argument`] when the shapes do not fit, [`Error::Format`] for a damaged file, [`Error::Stopped`].
pub fn activate<E: Element, B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    weights: &Weights<'_, E>,
    which: &Which<'_>,
    out: &mut [E],
    threads: usize,
    monitor: &Monitor,
) -> Result<()> {
    weights.check(file, which)?;
    monitor.set_total(file.len());
    // What each chunk of events fills: pieces of `out`, handed to the threads one by one.
    let mut pieces = Vec::new();
    pieces.make_room(file.n_chunks(), "the pieces of the result")?;
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
        pieces.push((chunk, piece));
        rest = behind;
    }
    if !rest.is_empty() {
        return Err(Error::Argument(format!(
            "expected an array {} elements shorter for the result",
            rest.len()
        )));
    }

    let threads = threads.clamp(1, pieces.len().max(1));
    let pieces = Mutex::new(pieces.into_iter());
    let failure = Mutex::new(None);
    in_pool(threads, || {
        loop {
            let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((chunk, piece)) = piece else { break };
            if let Err(error) = weights.fill(file, chunk, which, piece, monitor) {
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                break;
            }
        }
    })?;
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

impl<E: Element> Weights<'_, E> {
    fn check<B: AsRef<[u8]>>(&self, file: &EventFile<B>, which: &Which<'_>) -> Result<()> {
        let n_rows = self.values.len().checked_div(self.width).unwrap_or(0);
        let inside = |column: &u32| (*column as usize) < self.width;
        let columns_fit = match which {
            Which::Columns(columns) => columns.iter().all(inside),
            Which::Present(columns) => {
                columns.len() == file.outcomes().len() && columns.iter().flatten().all(inside)
            }
        };
        let exists = |&row: &u32| self.width == 0 || (row as usize) < n_rows;
        let rows_fit = self.rows.len() == file.cues().len() && self.rows.iter().flatten().all(exists);
        if columns_fit && rows_fit {
            Ok(())
        } else {
            Err(Error::Argument(
                "expected rows and columns that the weights have, one a cue and outcome".into(),
            ))
        }
    }

    fn fill<B: AsRef<[u8]>>(
        &self,
        file: &EventFile<B>,
        chunk: usize,
        which: &Which<'_>,
        mut out: &mut [E],
        monitor: &Monitor,
    ) -> Result<()> {
        let mut work = 0;
        file.for_each(file.events_of(chunk), |_, cues, outcomes, _| {
            let rows = || {
                let rows = cues.iter().filter_map(|&cue| self.rows[cue as usize]);
                rows.map(|row| &self.values[row as usize * self.width..][..self.width])
            };
            let length = match which {
                Which::Columns(columns) => columns.len(),
                Which::Present(_) => outcomes.len(),
            };
            let (here, behind) = std::mem::take(&mut out).split_at_mut_checked(length).unwrap_or_default();
            out = behind;
            match which {
                Which::Columns(columns) => {
                    let all =
                        columns.len() == self.width && (0..).zip(*columns).all(|(i, &column)| i == column);
                    here.fill(E::default());
                    for row in rows() {
                        if all {
                            here.iter_mut().zip(row).for_each(|(sum, &weight)| *sum = sum.plus(weight));
                        } else {
                            let weights = columns.iter().map(|&column| row[column as usize]);
                            here.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = sum.plus(weight));
                        }
                    }
                }
                Which::Present(columns) => {
                    for (value, &outcome) in here.iter_mut().zip(outcomes) {
                        *value = match columns[outcome as usize] {
                            Some(column) => {
                                rows().fold(E::default(), |sum, row| sum.plus(row[column as usize]))
                            }
                            None => E::from_f64(f64::NAN),
                        };
                    }
                }
            }
            work += (cues.len() + 1) * (length + 1);
            if work > 1 << 20 {
                work = 0;
                monitor.check()?;
            }
            Ok(())
        })?;
        let events = file.events_of(chunk);
        monitor.advance(events.end - events.start)
    }
}
