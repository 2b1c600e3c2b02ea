//! How wide tiles are.

use crate::kernel::dispatch::lanes;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::tiles::caches;

/// Updates of weights below which a second thread costs more than it saves, and the choice of a method is no matter.
pub(crate) const SMALL: u64 = 1 << 20;

/// The most elements in a row of a tile.
pub(crate) const WIDEST: usize = 1024;
/// What tells apart the two kinds of processors that were measured: a second cache of no more than this. Those with a larger one
/// have a third that is far away, and narrower rows suit them.
const SECOND: usize = 1 << 20;
/// Rows shall be about so many bytes wide, divided by the number of cues of an event but one: narrower, and the fixed work
/// for each event costs too much; wider, and fewer rows stay in the caches from one event to the next. Measured: 2 KiB suit
/// the 4 cues of words as trigrams, 512 bytes 10 of 10,000 cues; with a second cache of 2 MiB 1 KiB up to 4 cues, 512 bytes from
/// 5 on.
const BYTES_BY_SLOTS: [f64; 2] = [6700.0, 2900.0];
/// But wide as long as the tile takes no more than this, and so stays in the second cache;
const TILE_BYTES: f64 = 524_288.0;
/// or, where the second cache is larger, narrow if a good part of the tile then stays in the first cache, as of no more than this.
const NARROW_TILE_BYTES: f64 = 131_072.0;
/// A row shall not be narrower than this many bytes,
const LEAST_ROW: f64 = 512.0;
/// nor wider than this many,
const MOST_ROW: [f64; 2] = [2048.0, 1024.0];
/// and all rows of an event shall take no more than this, and so stay in the first cache.
const EVENT_BYTES: f64 = 30_720.0;

/// Columns in a tile: what suits the caches with `slots` rows an event of `rows`, and enough tiles for all threads.
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

/// Bytes of a row that suit the caches, of which the second has so many, if that is known.
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

/// The width of a tile that has room for some columns: whole vectors, and from 4 on whole blocks of 4 or 8, which the kernel
/// does at once.
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
