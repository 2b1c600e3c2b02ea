//! What the columns of a tile shall come to.

use super::script::NONE;
use crate::tiles::vectors::Vectors;

/// The columns of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a, E> {
    /// The number of the first column, as events name it. Without `lanes` the others are consecutive.
    pub(crate) first: u32,
    /// The lane of each column of the events, or no table; [`NONE`]: the column is not in the tile.
    pub(crate) lanes: &'a [u32],
    /// Lambda, the asymptote, of each column.
    pub(crate) lambda: &'a [E],
}

/// What the columns of a tile shall come to at an event.
#[derive(Clone, Copy)]
pub(crate) enum Targets<'a, E> {
    /// Lambda where the outcome is present, zero where it is absent.
    Names(Columns<'a, E>),
    /// The sum of the vectors of the outcomes that are present, as often as they are named: `n` numbers of it, from `first` on.
    Vectors { vectors: Vectors<'a, E>, first: usize, n: usize },
}

impl<E> Targets<'_, E> {
    /// The number of columns.
    pub(super) fn n(&self) -> usize {
        match self {
            Self::Names(columns) => columns.lambda.len(),
            Self::Vectors { n, .. } => *n,
        }
    }
}

impl<E> Columns<'_, E> {
    /// The lane of a column of the events. Where the column is not in the tile, a number that is no lane.
    #[inline(always)]
    pub(super) fn lane(self, column: u32) -> usize {
        if self.lanes.is_empty() {
            column.wrapping_sub(self.first) as usize
        } else {
            self.lanes.get(column as usize).copied().unwrap_or(NONE) as usize
        }
    }
}
