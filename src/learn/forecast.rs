//! What learning would need, without learning: the method, and the most memory, apart from a result in memory and the file's dictionary of event types.
//!
//! ```text
//! events     all of them decoded, or the plan's budget if that is less; and for each thread 32 MiB: room for a chunk of
//!            65,536 events of 59 names each
//! tiles      for each thread    forward: n_cues * width elements      adjoint: (n_cues + n_outcomes) * width elements
//! lines      for each thread    1 MiB or 64 bytes * the length of a line, whichever is more; for a result in a file
//! others     256 bytes for each cue and outcome; 8 MiB for each thread: its stack, and memory rounded to huge pages
//! ```
//!
//! If the decoded events exceed the budget, none are kept. Then each thread may have more than one tile, so that tiles share the
//! decoding of a chunk; together these additional tiles take no more than the budget.
//!
//! A mean takes n_cues * (width * 8 + 8) bytes for each thread, forgetting n_cues * 8, each state of a rule another tile, a schedule 8
//! or 16 bytes for each token, and trajectories the size of what they record.
//!
//! Learning chooses the width of a tile: rows of 512 to 2,048 bytes, or at most 1,024 if the processor's second cache has more
//! than 1 MiB. The more cues an event has, the narrower the tile. A line is a column with the forward method, a row with the
//! adjoint method. Initial weights come in addition: a copy, unless they have the result's type and lie row after row; with the
//! adjoint method also 256 of their columns for each thread.

use super::checked_plan::CheckedPlan;
use super::costs::Facts;
use super::plan::Plan;
use crate::error::Result;
use crate::events::EventFile;
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::tiles::method::Method;
use crate::tiles::result::line_buffer;
use crate::tiles::width::width;

/// Bytes for the chunk that a thread decodes and makes ready at a time.
const CHUNK: usize = 32 << 20;
/// Bytes that a thread needs besides its buffers.
const THREAD: usize = 8 << 20;
/// Bytes for each name: its row or column, salience, first and last event, and so on.
const NAME: usize = 256;

/// Bytes of memory at most, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Decoded events, or additional tiles instead.
    pub events: usize,
    /// Tiles of weights, one on each thread.
    pub tiles: usize,
    /// Lines of a result in a file.
    pub lines: usize,
    /// Everything else.
    pub others: usize,
}

impl Memory {
    /// For numbers of cues, outcomes and threads, a mean of `slots` cues an event, and `events` bytes for decoded events that are
    /// kept, or for additional tiles instead.
    fn needed<E: Element>(
        [n_cues, n_outcomes]: [usize; 2],
        slots: f64,
        events: u64,
        threads: usize,
        method: Method,
    ) -> Self {
        let (lanes, line, tile_rows) = match method {
            Method::Forward => (n_outcomes, n_cues, n_cues),
            Method::Adjoint => (n_cues, n_outcomes, n_cues.saturating_add(n_outcomes)),
        };
        let width = width::<E>(None, Isa::best(), lanes, [n_cues as f64, slots], threads.max(1));
        let of_threads = |bytes: usize| bytes.saturating_mul(threads);
        let elements = |n: usize| of_threads(n.saturating_mul(size_of::<E>()));
        let names = n_cues.saturating_add(n_outcomes).saturating_mul(NAME);
        Self {
            events: of_threads(CHUNK).saturating_add(usize::try_from(events).unwrap_or(usize::MAX)),
            tiles: elements(tile_rows.saturating_mul(width)),
            lines: elements(line_buffer::<E>(line, lanes)),
            others: of_threads(THREAD).saturating_add(names),
        }
    }
}

/// The forecast of a plan: what learning would need.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The method that computes the weights.
    pub method: Method,
    /// About the events.
    pub facts: Facts,
    /// How much memory it would take at most, apart from a result in memory.
    pub memory: Memory,
}

impl<E: Element> Plan<'_, E> {
    /// Checks the events of a file as learning would, and learns nothing.
    ///
    /// # Errors
    /// As [`Plan::learn`].
    pub fn forecast(&self, file: &EventFile, monitor: &Monitor) -> Result<Forecast> {
        let CheckedPlan { method, facts, decoded, .. } =
            CheckedPlan::new::<RescorlaWagner>(file, self, monitor)?;
        let names = [self.alpha.len(), self.lambda.len()];
        let events = decoded.min(self.budget as u64);
        let memory = Memory::needed::<E>(names, facts.slots_of_event(), events, self.threads, method);
        Ok(Forecast { method, facts, memory })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiles::caches;

    #[test]
    fn the_formula_is_what_its_words_say() {
        const MIB: usize = 1 << 20;
        // 60,000 rows of the least width, 512 bytes, for there are many cues in an event; lines of 480,000 bytes, 8 at a time.
        let forward = Memory::needed::<f64>([60_000, 10_000], 20.0, 512 << 20, 2, Method::Forward);
        assert_eq!(forward.events, 512 * MIB + 2 * 32 * MIB);
        assert_eq!(forward.tiles, 2 * 60_000 * 512);
        assert_eq!(forward.lines, 2 * 8 * 480_000);
        assert_eq!(forward.others, 2 * 8 * MIB + 256 * 70_000);
        let adjoint = Memory::needed::<f32>([60_000, 10_000], 1.0, 1000, 3, Method::Adjoint);
        assert_eq!(adjoint.events, 1000 + 3 * 32 * MIB);
        let widest = if caches::second().is_some_and(|bytes| bytes > MIB) { 1024 } else { 2048 };
        assert_eq!(adjoint.tiles, 3 * 70_000 * widest);
        assert_eq!(adjoint.lines, 3 * 26 * 40_000);
        assert!(adjoint.lines <= 3 * MIB);
    }

    #[test]
    fn what_no_machine_has_does_not_overflow() {
        let all = Memory::needed::<f64>([usize::MAX; 2], 5.0, u64::MAX, usize::MAX, Method::Adjoint);
        assert_eq!(all.tiles, usize::MAX);
    }
}
