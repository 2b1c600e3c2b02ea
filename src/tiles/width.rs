//! The width of tiles.

use crate::kernel::dispatch::lanes;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::tiles::caches;

/// With fewer updates of weights a second thread costs more than it saves, and either method is fast enough.
pub(crate) const SMALL: u64 = 1 << 20;

/// The most elements in a row of a tile.
pub(crate) const WIDEST: usize = 1024;
/// Two kinds of processors were measured: with a second cache of at most this many bytes, and with a larger one. The latter have
/// a slow third cache, and narrower rows are faster there.
const SECOND: usize = 1 << 20;
/// For the two kinds of processors: a row has about this many bytes, divided by the number of an event's cues minus one. If rows
/// are narrower, the fixed work for each event costs too much. If they are wider, fewer rows stay in the caches from one event to
/// the next. The best widths measured: 2 KiB for words as trigrams (4 cues), 512 bytes for 10 of 10,000 cues; with a second cache
/// of 2 MiB, 1 KiB up to 4 cues and 512 bytes from 5 on.
const BYTES_BY_SLOTS: [f64; 2] = [6700.0, 2900.0];
/// With a second cache of at most [`SECOND`], rows are as wide as they can be while the tile has at most this many bytes, and so
/// stays in the second cache.
const TILE_BYTES: f64 = 524_288.0;
/// With a larger second cache, rows have [`LEAST_ROW`] bytes if the tile then has at most this many bytes, so that much of it
/// stays in the first cache.
const NARROW_TILE_BYTES: f64 = 131_072.0;
/// The least bytes of a row.
const LEAST_ROW: f64 = 512.0;
/// The most bytes of a row, for the two kinds of processors.
const MOST_ROW: [f64; 2] = [2048.0, 1024.0];
/// The most bytes of all rows of an event, so that they stay in the first cache.
const EVENT_BYTES: f64 = 30_720.0;

/// Columns in a tile, for `slots` of `rows` rows in an event: as the caches allow, and so that there are tiles for all threads.
pub(crate) fn width<E: Element>(
    wanted: Option<usize>,
    kernel: Isa,
    columns: usize,
    [rows, slots]: [f64; 2],
    threads: usize,
) -> usize {
    let block = 8 * lanes::<E>(kernel);
    let bytes = row_bytes(rows, slots, caches::second());
    let blocks = (bytes / (block * size_of::<E>()) as f64).round() as usize;
    let suits = (blocks.max(1) * block).min(columns.div_ceil(threads));
    padded::<E>(wanted.unwrap_or(suits), kernel)
}

/// Bytes of a row, given the bytes of the second cache, if they are known.
fn row_bytes(rows: f64, slots: f64, second: Option<usize>) -> f64 {
    let [near, far] = BYTES_BY_SLOTS.map(|bytes| bytes / (slots - 1.0).max(1.0));
    let bytes = if second.is_none_or(|bytes| bytes <= SECOND) {
        near.max(TILE_BYTES / rows.max(1.0)).min(MOST_ROW[0])
    } else if rows * LEAST_ROW <= NARROW_TILE_BYTES {
        LEAST_ROW
    } else {
        far.min(MOST_ROW[1])
    };
    bytes.min(EVENT_BYTES / slots.max(1.0)).max(LEAST_ROW)
}

/// The width of a tile with room for some columns: whole vectors, and from 4 on whole blocks of 4 or 8, on which the kernel works
/// at once.
pub(crate) fn padded<E: Element>(columns: usize, kernel: Isa) -> usize {
    let lanes = lanes::<E>(kernel);
    let whole = match columns.div_ceil(lanes) {
        n @ 0..4 => n.max(1),
        n @ 4..8 => n.next_multiple_of(4),
        n => n.next_multiple_of(8),
    };
    (whole * lanes).min(WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_wide_as_was_found_to_be_fast() {
        let bytes = |rows, slots, second| row_bytes(rows, slots, second).round();
        // King James trigrams; many cues; few rows; many cues an event of few; so many that they would fill the first cache.
        let events = [(4613.0, 4.06), (10_000.0, 10.0), (100.0, 5.0), (100.0, 20.0), (100.0, 58.0)];
        let near = events.map(|(rows, slots)| bytes(rows, slots, Some(1 << 20)));
        assert_eq!(near, [2048.0, 744.0, 2048.0, 1536.0, 530.0]);
        assert_eq!(events.map(|(rows, slots)| bytes(rows, slots, None)), near);
        let far = events.map(|(rows, slots)| bytes(rows, slots, Some(2 << 20)));
        assert_eq!(far, [948.0, 512.0, 512.0, 512.0, 512.0]);
    }
}
