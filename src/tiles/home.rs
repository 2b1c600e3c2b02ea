//! Homes of weights: what tiles of columns begin with, and where they go when they have learned.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::memory::{Grow, collected, filled};
use crate::monitor::Monitor;
use crate::tiles::buffer::Buffer;
use crate::tiles::result::{Axis, Entry, Filling, Matrix, check_finite};

/// Where the weights of tiles of columns live.
pub(crate) trait Home<E>: Sync {
    /// What a thread needs to put tiles away.
    type Room;

    /// How many tiles there are.
    fn n_tiles(&self) -> usize;

    /// How many columns a tile has.
    fn n_columns(&self, tile: usize) -> usize;

    /// What a thread needs to put tiles away.
    ///
    /// # Errors
    /// [`Error::Memory`].
    fn room(&self) -> Result<Self::Room>;

    /// Fills a tile, rows of `width` zeros, with the weights that its columns begin with.
    ///
    /// # Errors
    /// Those of the home.
    fn fetch(&self, tile: usize, weights: &mut [E], width: usize) -> Result<()>;

    /// Takes what a tile has learned.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a weight that is infinite or NaN; those of the home.
    fn put(&self, tile: usize, weights: &[E], width: usize, room: &mut Self::Room) -> Result<()>;
}

/// Weights to continue from. Row i belongs to row i of the weights; `columns` says where each column is.
#[derive(Debug, Clone)]
pub struct Initial<'a, E: Clone> {
    /// The weights, row after row.
    pub weights: Cow<'a, [E]>,
    /// Columns in a row of `weights`.
    pub width: usize,
    /// Where each column of the result is in `weights`; `None`: it starts at zero.
    pub columns: Cow<'a, [Option<u32>]>,
    /// What a rule has besides weights: each state as `weights`, one state after another. Empty: they start as the rule says.
    pub states: Cow<'a, [E]>,
}

impl<'a, E: Element> Initial<'a, E> {
    /// All `n_columns` columns of the result, one after another.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn whole(weights: &'a [E], n_columns: usize) -> Result<Self> {
        let columns = collected((0..n_columns as u32).map(Some))?;
        Ok(Self { weights: weights.into(), width: n_columns, columns: columns.into(), states: (&[]).into() })
    }

    /// Which columns of the result do not start at zero. Minus zero counts: an event turns it into plus zero.
    ///
    /// # Errors
    /// [`Error::Argument`] when rows or columns are outside, or a weight is not finite.
    pub(crate) fn started(&self, n_rows: usize, n_columns: usize) -> Result<Vec<bool>> {
        let width = self.width;
        let whole = width > 0 && self.weights.len().is_multiple_of(width) || self.weights.is_empty();
        let inside = self.columns.iter().flatten().all(|&column| (column as usize) < width);
        if !whole || !inside || self.columns.len() != n_columns || self.n_rows() > n_rows {
            return Err(Error::Argument(
                "expected initial weights whose rows and columns are in the result".into(),
            ));
        }
        let mut started = filled(false, width)?;
        for row in self.weights.chunks_exact(width.max(1)) {
            for (started, weight) in started.iter_mut().zip(row) {
                if !weight.is_finite() {
                    let message = format!("expected finite initial weights, found {}", weight.to_f64());
                    return Err(Error::Argument(message));
                }
                *started |= !weight.is_positive_zero();
            }
        }
        let columns = self.columns.iter();
        collected(columns.map(|column| column.is_some_and(|column| started[column as usize])))
    }

    /// The states, each as weights that have its places.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn of_states(&self) -> Result<Vec<Initial<'_, E>>> {
        let states = self.states.chunks_exact(self.weights.len().max(1));
        let states = states.map(|weights| Initial {
            weights: weights.into(),
            width: self.width,
            columns: Cow::Borrowed(&*self.columns),
            states: (&[]).into(),
        });
        collected(states)
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.weights.len() / self.width.max(1)
    }
}

/// Refuses a result that is not of a shape, and initial weights that are not, or not finite.
///
/// # Errors
/// [`Error::Argument`].
pub(crate) fn check_shapes<E: Element>(
    shape: [usize; 2],
    out: &Matrix<'_, E>,
    initial: Option<&[E]>,
) -> Result<()> {
    let n = shape[0].checked_mul(shape[1]);
    if out.shape != shape || initial.is_some_and(|initial| Some(initial.len()) != n) {
        return Err(Error::Argument(format!("expected a result and initial weights of shape {shape:?}")));
    }
    match initial.unwrap_or_default().iter().find(|weight| !weight.is_finite()) {
        Some(weight) => {
            Err(Error::Argument(format!("expected finite initial weights, found {}", weight.to_f64())))
        }
        None => Ok(()),
    }
}

/// A column to learn, which stands for one or more columns of the result.
pub(crate) trait Stands: Sync {
    /// These columns, at least one.
    fn targets(&self) -> &[u32];
}

impl Stands for u32 {
    fn targets(&self) -> &[u32] {
        std::slice::from_ref(self)
    }
}

/// Weights that begin at zero, or at initial weights. They go to a result, unless they are recorded alone.
pub(crate) struct Fresh<'h, 'a, E: Clone, C> {
    /// The columns to learn, in the order in which tiles have them.
    pub(crate) columns: &'h [C],
    /// Columns in a tile.
    pub(crate) width: usize,
    pub(crate) initial: Option<&'h Initial<'h, E>>,
    pub(crate) filling: Option<Filling<'h, 'a, E>>,
    /// The number of the result's first column.
    pub(crate) origin: u32,
}

impl<'h, 'a, E: Element> Fresh<'h, 'a, E, u32> {
    /// All rows and columns of a result, the columns in an order.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Argument`] when the result is filled already.
    pub(crate) fn all(
        columns: &'h [u32],
        n_rows: usize,
        width: usize,
        initial: Option<&'h Initial<'h, E>>,
        (out, monitor): (&'h Matrix<'a, E>, &'h Monitor),
    ) -> Result<Self> {
        let along = collected((0..n_rows as u32).map(|row| Entry { from: row, to: row }))?;
        let filling = Some(out.begin(Axis::Columns, along, monitor)?);
        Ok(Self { columns, width, initial, filling, origin: 0 })
    }
}

impl<E: Clone, C> Fresh<'_, '_, E, C> {
    fn of(&self, tile: usize) -> &[C] {
        let first = tile * self.width;
        &self.columns[first..self.columns.len().min(first + self.width)]
    }
}

impl<E: Element, C: Stands> Home<E> for Fresh<'_, '_, E, C> {
    /// Lines of a result in a file.
    type Room = Buffer<E>;

    fn n_tiles(&self) -> usize {
        self.columns.len().div_ceil(self.width)
    }

    fn n_columns(&self, tile: usize) -> usize {
        self.of(tile).len()
    }

    fn room(&self) -> Result<Buffer<E>> {
        self.filling.as_ref().map_or_else(|| Buffer::zeros(0), Filling::buffer)
    }

    fn fetch(&self, tile: usize, weights: &mut [E], width: usize) -> Result<()> {
        let Some(initial) = self.initial else { return Ok(()) };
        let rows = weights.chunks_exact_mut(width).zip(initial.weights.chunks_exact(initial.width.max(1)));
        for (row, initial_row) in rows {
            for (weight, column) in row.iter_mut().zip(self.of(tile)) {
                if let Some(source) = initial.columns[column.targets()[0] as usize] {
                    *weight = initial_row[source as usize];
                }
            }
        }
        Ok(())
    }

    fn put(&self, tile: usize, weights: &[E], width: usize, lines: &mut Buffer<E>) -> Result<()> {
        let (columns, mut across) = (self.of(tile), Vec::new());
        for (from, column) in (0..).zip(columns) {
            across.make_room(column.targets().len())?;
            across.extend(column.targets().iter().map(|&to| Entry { from, to: to - self.origin }));
        }
        let row_and_column = |row, lane: usize| (row, columns[lane].targets()[0] as usize);
        match &self.filling {
            Some(filling) => filling.write(weights, width, &across, lines, row_and_column),
            None => check_finite(weights, width, &across, row_and_column),
        }
    }
}
