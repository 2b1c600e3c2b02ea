//! The result: a matrix in memory or in a file, filled tile by tile from several threads.
//!
//! A tile is a block of rows of equal width, `tile[a * width + b]`. Its rows go *along* one axis of the result, its lanes
//! *across*, to lines of the result that no other tile has:
//!
//! ```text
//! method     tile row a     lane b      a lane becomes a whole
//! forward    cue            outcome     column
//! adjoint    outcome        cue         row
//! ```
//!
//! In memory the elements may lie in any order (`strided`). A file holds one lane after another (`lines`): columns
//! when the method is forward, rows when it is adjoint, so nothing smaller than a whole line is written anywhere.

mod block;
mod lines;
mod strided;

use std::fs::File;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use self::block::TileBlock;
use self::lines::FileLines;
use self::strided::Strided;
use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::memory::collected;
use crate::monitor::Monitor;
use crate::tiles::buffer::Buffer;

pub use self::block::Axis;
pub(crate) use self::block::Entry;
pub(crate) use self::lines::line_buffer;

/// The place of the weights: the caller's memory, or a file.
pub struct Matrix<'a, E> {
    store: Store<'a, E>,
    pub(crate) shape: [usize; 2],
    /// The direction of the tiles' lanes, once the filling has begun.
    lanes: OnceLock<Axis>,
}

enum Store<'a, E> {
    Memory(Strided<'a, E>),
    File(FileLines),
}

impl<'a, E: Element> Matrix<'a, E> {
    /// Wraps a matrix with the given strides, in elements.
    ///
    /// # Safety
    /// For every row < `shape[0]` and column < `shape[1]` the element at `start + row * strides[0] + column *
    /// strides[1]` must be writable and nobody else's during `'a`.
    ///
    /// # Errors
    /// [`Error::Argument`] when elements overlap: neither stride is larger than the other axis.
    #[expect(unsafe_code, reason = "numpy's memory")]
    pub unsafe fn from_raw(start: *mut E, shape: [usize; 2], strides: [isize; 2]) -> Result<Self> {
        // SAFETY: the same contract.
        let memory = unsafe { Strided::from_raw(start, shape, strides) }?;
        Ok(Self { store: Store::Memory(memory), shape, lanes: OnceLock::new() })
    }

    /// Wraps a matrix in a slice, row after row.
    ///
    /// # Errors
    /// When the slice has not `shape` elements.
    pub fn new(elements: &'a mut [E], shape: [usize; 2]) -> Result<Self> {
        Ok(Self { store: Store::Memory(Strided::new(elements, shape)?), shape, lanes: OnceLock::new() })
    }

    /// A matrix in a file that must have only zeros from byte `start` on. Room is reserved now, so a full disk fails before any
    /// work. Errors call the file `path`.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no room.
    pub fn in_file(file: File, path: PathBuf, start: u64, shape: [usize; 2]) -> Result<Self> {
        let lines = FileLines::reserve::<E>(file, path, start, shape)?;
        Ok(Self { store: Store::File(lines), shape, lanes: OnceLock::new() })
    }

    /// Whether the result is filled column after column or row after row; `None` before the filling has begun. A file holds its
    /// elements in that order.
    pub fn lanes(&self) -> Option<Axis> {
        self.lanes.get().copied()
    }

    /// The CRC32C of the elements in a file, in its order; `None` in memory.
    pub fn crc(&self) -> Option<u32> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(lines) => Some(lines.crc()),
        }
    }

    /// Begins the filling by tiles with lanes of this direction; `along` has the places of their rows.
    ///
    /// # Errors
    /// [`Error::Argument`] when it was begun before, or rows go outside.
    pub(crate) fn begin<'s>(
        &'s self,
        lanes: Axis,
        along: Vec<Entry>,
        monitor: &'s Monitor,
    ) -> Result<Filling<'s, 'a, E>> {
        let (extent, n_lanes) = self.extents(lanes);
        if self.lanes.set(lanes).is_err() || along.iter().any(|entry| entry.to as usize >= extent) {
            return Err(Error::Argument("expected a result to which nothing was written yet".into()));
        }
        let taken = (0..n_lanes).map(|_| AtomicBool::new(false));
        let taken = collected(taken)?;
        Ok(Filling { matrix: self, lanes, along, taken, monitor })
    }

    /// The length of a lane, and the number of lanes.
    fn extents(&self, lanes: Axis) -> (usize, usize) {
        let [rows, columns] = self.shape;
        match lanes {
            Axis::Rows => (columns, rows),
            Axis::Columns => (rows, columns),
        }
    }
}

/// A result that is being filled.
///
/// Invariants: it is the only one of its matrix; the targets of `along` are inside; a lane of the result is written by
/// the one call that set its `taken`.
pub(crate) struct Filling<'s, 'a, E> {
    matrix: &'s Matrix<'a, E>,
    lanes: Axis,
    along: Vec<Entry>,
    taken: Vec<AtomicBool>,
    monitor: &'s Monitor,
}

impl<E: Element> Filling<'_, '_, E> {
    /// The buffer that a thread needs for [`Filling::write`].
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(crate) fn buffer(&self) -> Result<Buffer<E>> {
        let (extent, n_lanes) = self.matrix.extents(self.lanes);
        Buffer::zeros(match self.matrix.store {
            Store::Memory(_) => 0,
            Store::File(_) => line_buffer::<E>(extent, n_lanes),
        })
    }

    /// Writes the lanes `across` of a tile. `place` gives the row and the column of weights of a row and a lane, for the error
    /// about a weight that is not finite. If there are several such weights, the error names that of the first lane, whichever
    /// lanes share the tile.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for any row of the tile, whether it goes to the result or not; [`Error::Io`];
    /// [`Error::Stopped`].
    pub(crate) fn write(
        &self,
        tile: &[E],
        width: usize,
        across: &[Entry],
        buffer: &mut Buffer<E>,
        row_and_column: impl Fn(usize, usize) -> (usize, usize),
    ) -> Result<()> {
        check_finite(tile, width, across, row_and_column)?;
        for lane in across {
            assert!(
                !self.taken[lane.to as usize].swap(true, Relaxed),
                "a lane of the result is written once"
            );
        }
        let block = TileBlock { tile, width, along: &self.along };
        match &self.matrix.store {
            #[expect(unsafe_code, reason = "threads write to one matrix")]
            // SAFETY: `begin` checked the targets of `along`, the length of `taken` those of `across`. By the invariant of
            // `taken` no other call writes to these lanes, and no other filling to this matrix.
            Store::Memory(memory) => unsafe { memory.copy(&block, across, self.lanes) },
            Store::File(lines) => {
                let (extent, _) = self.matrix.extents(self.lanes);
                lines.write(&block, across, extent, buffer, self.monitor)?;
            }
        }
        Ok(())
    }
}

/// Refuses a tile with an element that is not finite in the lanes `across`; `place` as in [`Filling::write`].
///
/// # Errors
/// [`Error::NotFinite`].
pub(crate) fn check_finite<E: Element>(
    tile: &[E],
    width: usize,
    across: &[Entry],
    row_and_column: impl Fn(usize, usize) -> (usize, usize),
) -> Result<()> {
    let Some((row, lane)) = first_not_finite(tile, width, across) else { return Ok(()) };
    let value = tile[row * width + lane].to_f64();
    let (row, column) = row_and_column(row, lane);
    Err(Error::NotFinite { row, column, value })
}

/// The row and the lane of the first element that is not finite, by lanes.
fn first_not_finite<E: Element>(tile: &[E], width: usize, across: &[Entry]) -> Option<(usize, usize)> {
    // No early exit from the loop over a piece, so that the compiler makes vector code of it.
    let finite = |piece: &[E]| piece.iter().fold(true, |finite, weight| finite & weight.is_finite());
    if tile.chunks(1024).all(finite) {
        return None;
    }
    across.iter().map(|entry| entry.from as usize).find_map(|lane| {
        let row = tile.chunks_exact(width).position(|row| !row[lane].is_finite());
        row.map(|row| (row, lane))
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use proptest::prelude::*;

    use super::*;

    const START: u64 = 128;

    /// Consecutive rows or lanes, each with where it goes.
    fn each(targets: impl IntoIterator<Item = u32>) -> Vec<Entry> {
        (0..).zip(targets).map(|(from, to)| Entry { from, to }).collect()
    }

    /// A result of 37 lanes of 13 elements, cut into tiles: `along[a]` and `across[b]` are targets, each once.
    #[derive(Debug, Clone)]
    struct Case {
        lanes: Axis,
        along: Vec<u32>,
        across: Vec<u32>,
        width: usize,
        padding: usize,
    }

    const EXTENT: usize = 13;
    const N_LANES: usize = 37;

    fn cases() -> impl Strategy<Value = Case> {
        let some = |n: usize| Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle();
        (
            prop_oneof![Just(Axis::Rows), Just(Axis::Columns)],
            (some(EXTENT), 0..=EXTENT),
            // Some in a row, so that lines adjoin.
            (prop_oneof![some(N_LANES), Just((0..N_LANES as u32).collect())], 0..=N_LANES),
            1..N_LANES,
            0..4_usize,
        )
            .prop_map(|(lanes, (mut along, n), (mut across, m), width, padding)| {
                along.truncate(n);
                across.truncate(m);
                Case { lanes, along, across, width, padding }
            })
    }

    impl Case {
        fn shape(&self) -> [usize; 2] {
            match self.lanes {
                Axis::Rows => [N_LANES, EXTENT],
                Axis::Columns => [EXTENT, N_LANES],
            }
        }

        /// What the element of a row and a lane of the result shall be: never zero.
        fn element<E: Element>(along: u32, across: u32) -> E {
            E::from_f64(f64::from(1 + along + 100 * across))
        }

        /// Row after row.
        fn expected<E: Element>(&self) -> Vec<E> {
            let [rows, columns] = self.shape();
            let cell = |row: usize, column: usize| {
                let (along, across) = match self.lanes {
                    Axis::Rows => (column as u32, row as u32),
                    Axis::Columns => (row as u32, column as u32),
                };
                let learned = self.along.contains(&along) && self.across.contains(&across);
                if learned { Self::element(along, across) } else { E::default() }
            };
            (0..rows).flat_map(|row| (0..columns).map(move |column| cell(row, column))).collect()
        }

        /// Fills a matrix. The tiles have rows that go nowhere, and lanes of padding.
        fn fill<E: Element>(&self, matrix: &Matrix<'_, E>) -> Result<()> {
            let monitor = Monitor::new();
            let along = (1..).step_by(2).zip(&self.along).map(|(from, &to)| Entry { from, to }).collect();
            let filling = matrix.begin(self.lanes, along, &monitor)?;
            let mut buffer = filling.buffer()?;
            for targets in self.across.chunks(self.width) {
                let width = self.width + self.padding;
                let mut tile = vec![E::from_f64(-1.0); (2 * self.along.len() + 1) * width];
                for (a, &along) in self.along.iter().enumerate() {
                    for (b, &across) in targets.iter().enumerate() {
                        tile[(2 * a + 1) * width + b] = Self::element(along, across);
                    }
                }
                filling.write(&tile, width, &each(targets.iter().copied()), &mut buffer, |a, b| (a, b))?;
            }
            Ok(())
        }

        fn check<E: Element>(&self, elements: impl Fn(&[u8]) -> Vec<E>) {
            let expected = self.expected::<E>();
            let ([rows, columns], n) = (self.shape(), expected.len());
            let turned =
                |flat: &[E]| -> Vec<E> { (0..n).map(|i| flat[i % columns * rows + i / columns]).collect() };

            let mut memory = vec![E::default(); n];
            let matrix = Matrix::new(&mut memory, self.shape()).unwrap();
            self.fill(&matrix).unwrap();
            assert_eq!(matrix.lanes(), Some(self.lanes));
            assert_eq!(memory, expected);

            let mut memory = vec![E::default(); n];
            #[expect(unsafe_code, reason = "columns in memory")]
            // SAFETY: row + column * rows is below the length and different for different pairs.
            let matrix = unsafe { Matrix::from_raw(memory.as_mut_ptr(), self.shape(), [1, rows as isize]) };
            self.fill(&matrix.unwrap()).unwrap();
            assert_eq!(turned(&memory), expected);

            let file = tempfile::tempfile().unwrap();
            let mut again = file.try_clone().unwrap();
            let matrix = Matrix::<E>::in_file(file, PathBuf::from("w.npy"), START, self.shape()).unwrap();
            self.fill(&matrix).unwrap();
            let mut bytes = Vec::new();
            again.rewind().unwrap();
            again.read_to_end(&mut bytes).unwrap();
            let (head, body) = bytes.split_at(START as usize);
            assert_eq!(matrix.crc(), Some(crc32c::crc32c(body)));
            assert!(head.iter().all(|&byte| byte == 0));
            let found = elements(body);
            assert_eq!(if self.lanes == Axis::Rows { found } else { turned(&found) }, expected);
        }
    }

    proptest! {
        #[test]
        fn every_home_holds_the_same(case in cases()) {
            case.check::<f64>(|bytes| {
                bytes.chunks_exact(8).map(|bytes| f64::from_ne_bytes(bytes.try_into().unwrap())).collect()
            });
            case.check::<f32>(|bytes| {
                bytes.chunks_exact(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap())).collect()
            });
        }
    }

    #[test]
    fn a_result_is_filled_once_and_inside() {
        let monitor = Monitor::new();
        let mut memory = [0.0; 6];
        let matrix = Matrix::new(&mut memory, [2, 3]).unwrap();
        assert!(matrix.begin(Axis::Columns, each([0, 1]), &monitor).is_ok());
        assert!(matrix.begin(Axis::Columns, each([0, 1]), &monitor).is_err());
        for (lanes, outside) in [(Axis::Columns, 2), (Axis::Rows, 3)] {
            let matrix = Matrix::new(&mut memory, [2, 3]).unwrap();
            assert!(matrix.begin(lanes, each([0, outside]), &monitor).is_err());
        }
    }

    #[test]
    #[should_panic(expected = "written once")]
    fn a_lane_is_written_once() {
        let monitor = Monitor::new();
        let mut memory = [0.0; 2];
        let matrix = Matrix::new(&mut memory, [2, 1]).unwrap();
        let filling = matrix.begin(Axis::Columns, each([0, 1]), &monitor).unwrap();
        let mut buffer = filling.buffer().unwrap();
        for _ in 0..2 {
            filling.write(&[1.0, 2.0], 1, &each([0]), &mut buffer, |a, b| (a, b)).unwrap();
        }
    }

    #[test]
    fn what_is_not_finite_is_found_by_lanes() {
        let across = each([0, 1]);
        // Three rows of two lanes and one of padding.
        let tile = |bad: &[usize]| {
            let mut tile = vec![0.0_f32; 9];
            bad.iter().for_each(|&i| tile[i] = f32::NEG_INFINITY);
            tile
        };
        for (bad, place) in [
            (vec![], None),
            (vec![2], None),
            (vec![1, 6], Some((2, 0))),
            (vec![2, 4], Some((1, 1))),
            (vec![3, 6], Some((1, 0))),
        ] {
            assert_eq!(first_not_finite(&tile(&bad), 3, &across), place, "{bad:?}");
        }
        let long: Vec<f64> = (0..5000).map(|i| if i == 4999 { f64::NAN } else { 1.0 }).collect();
        assert_eq!(first_not_finite(&long, 1, &across[..1]), Some((4999, 0)));
    }

    #[test]
    fn a_row_that_goes_nowhere_must_be_finite_too() {
        let monitor = Monitor::new();
        let mut memory = [0.0; 1];
        let matrix = Matrix::new(&mut memory, [1, 1]).unwrap();
        let filling = matrix.begin(Axis::Columns, vec![Entry { from: 1, to: 0 }], &monitor).unwrap();
        let mut buffer = filling.buffer().unwrap();
        let found = filling.write(&[f64::INFINITY, 0.0], 1, &each([0]), &mut buffer, |a, b| (a + 10, b + 20));
        assert!(
            matches!(found, Err(Error::NotFinite { row: 10, column: 20, value: f64::INFINITY })),
            "{found:?}"
        );
    }

    #[test]
    fn a_stopped_monitor_stops_the_writing() {
        let monitor = Monitor::new();
        let file = tempfile::tempfile().unwrap();
        let matrix = Matrix::<f64>::in_file(file, PathBuf::from("w.npy"), START, [1, 1]).unwrap();
        let filling = matrix.begin(Axis::Columns, each([0]), &monitor).unwrap();
        let mut buffer = filling.buffer().unwrap();
        monitor.stop();
        let stopped = filling.write(&[1.0], 1, &each([0]), &mut buffer, |a, b| (a, b));
        assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    }

    #[test]
    fn room_that_is_not_there_is_an_error_with_the_name() {
        for shape in [[1 << 30, 1 << 30], [usize::MAX, usize::MAX]] {
            let file = tempfile::tempfile().unwrap();
            let error = Matrix::<f64>::in_file(file, PathBuf::from("w.npy"), START, shape).err().unwrap();
            assert!(error.to_string().starts_with("cannot write w.npy: "), "{error}");
        }
    }
}
