//! A tile, and the places of its rows and lanes in the result.

use crate::kernel::element::Element;

/// One of the two directions of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Cues.
    Rows,
    /// Outcomes.
    Columns,
}

/// A row or a lane of a tile, and the row or column of the result that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// Bytes that are loaded from memory together.
pub(super) const CACHE_LINE: usize = 64;

/// Rows of a tile that are transposed together: as many lines as the first cache holds at any stride.
const TURNED: usize = 8;

/// A tile, and the places of its rows.
pub(super) struct TileBlock<'a, E> {
    pub(super) tile: &'a [E],
    pub(super) width: usize,
    pub(super) along: &'a [Entry],
}

impl<E: Element> TileBlock<'_, E> {
    /// Calls `put(along, across, element)` for every element that has a place in the result, tile row after tile row.
    pub(super) fn by_rows(&self, across: &[Entry], mut put: impl FnMut(usize, usize, E)) {
        for row in self.along {
            let elements = &self.tile[row.from as usize * self.width..][..self.width];
            for lane in across {
                put(row.to as usize, lane.to as usize, elements[lane.from as usize]);
            }
        }
    }

    /// The same, lane after lane. It takes a cache line of lanes and a few rows at a time, so that whole cache lines are read and
    /// written.
    pub(super) fn by_lanes(&self, across: &[Entry], mut put: impl FnMut(usize, usize, E)) {
        for lanes in across.chunks(CACHE_LINE / size_of::<E>()) {
            for rows in self.along.chunks(TURNED) {
                for lane in lanes {
                    for row in rows {
                        let element = self.tile[row.from as usize * self.width + lane.from as usize];
                        put(row.to as usize, lane.to as usize, element);
                    }
                }
            }
        }
    }
}
