//! Cues that are names: the forward method with targets of any size.
//!
//! ```text
//! for each token:
//!     z[:] = +0.0;  for each outcome o in order:  z[:] += vector of o
//!     a[:] = +0.0;  for each cue i in order:      a[:] += W[i, :]
//!     u[:] = eta * (z[:] - a[:])
//!     for each cue i in order:                    W[i, :] += u[:]
//! ```

use super::plan::{Coding, WidrowHoffPlan, WidrowHoffReport};
use super::tokens::Tokens;
use crate::error::Result;
use crate::family::columns::{COLUMNS, Cut, WeightTile, WeightTiles};
use crate::family::descent::DescentReport;
use crate::grow::{Grow, collected, filled};
use crate::kernel::dispatch::{Task, run};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::kernel::step::{Step, step};
use crate::kernel::vector::Vector;
use crate::lists::Lists;
use crate::monitor::Monitor;
use crate::tiles::buffer::Buffer;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::tiles::width::WIDEST;

const SCRIPT: &str = "the events to learn";

/// The work is interrupted to look at the monitor after about this many slots times columns: a millisecond or so.
const POLL_EVERY: usize = 1 << 22;

/// The cues of all events as rows, each event's in order.
///
/// Invariant: all are below `n_rows`; where `once` says so, none comes twice in its event.
struct CueScript {
    rows: Lists,
    once: Vec<bool>,
    n_rows: usize,
    /// The greatest sum of the squared multiplicities of an event.
    max_kappa: f64,
}

impl CueScript {
    fn new(tokens: &Tokens, places: &[u32], n_rows: usize, monitor: &Monitor) -> Result<Self> {
        let mut script = Self { rows: Lists::default(), once: Vec::new(), n_rows, max_kappa: 0.0 };
        script.once.make_room(tokens.len(), SCRIPT)?;
        // The event that had each row last, and how often.
        let mut last = filled((usize::MAX, 0_u64), n_rows, SCRIPT)?;
        for event in 0..tokens.len() {
            let (mut once, mut kappa) = (true, 0);
            for &cue in tokens.cues(event) {
                let row = places[cue as usize];
                let (seen, times) = &mut last[row as usize];
                *times = if std::mem::replace(seen, event) == event { *times + 1 } else { 1 };
                once &= *times == 1;
                // Odd numbers sum to squares.
                kappa += 2 * *times - 1;
                script.rows.add(row, SCRIPT)?;
            }
            script.max_kappa = script.max_kappa.max(kappa as f64);
            script.rows.end(SCRIPT)?;
            script.once.push(once);
            if event % (1 << 16) == 0 {
                monitor.check()?;
            }
        }
        Ok(script)
    }

    #[inline(always)]
    fn event(&self, event: usize) -> (&[u32], bool) {
        (self.rows.get(event), self.once[event])
    }
}

/// Learns all columns, of cues whose places are those given among so many.
pub(super) fn learn<E: Element>(
    tokens: &Tokens,
    (places, n_rows): (&[u32], usize),
    plan: &WidrowHoffPlan<'_, E>,
    eta: E,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<WidrowHoffReport> {
    let n_columns = plan.outcomes.size();
    let script = CueScript::new(tokens, places, n_rows, monitor)?;
    let updates = (script.rows.len() as u64).saturating_mul(n_columns as u64);
    let cut = Cut {
        kernel: plan.kernel.unwrap_or_else(Isa::best),
        threads: plan.threads,
        updates,
        tile: plan.tile,
        shape: [n_rows as f64, script.rows.len() as f64 / tokens.len().max(1) as f64],
    };
    let columns = collected(0..n_columns as u32, COLUMNS)?;
    let tiles = WeightTiles::new(&columns, n_rows, plan.initial, &cut);
    monitor.set_total(tokens.total().saturating_mul(tiles.len() as u64));
    let report = tiles.learn(out, monitor, Buffer::zeros, |targets, tile| {
        let WeightTile { ref mut weights, width, first, columns } = *tile;
        let (script, side, targets) = (&script, plan.outcomes, &mut targets[..width]);
        let columns = columns.len();
        let task = NamedCues { tokens, script, side, first, columns, weights, targets, eta, monitor };
        run(cut.kernel, width, task)
    })?;
    let DescentReport { tile, threads, .. } = report;
    Ok(WidrowHoffReport { method: Method::Forward, tile, threads, max_kappa: script.max_kappa })
}

/// Learning all events into a tile.
struct NamedCues<'a, E> {
    tokens: &'a Tokens,
    script: &'a CueScript,
    side: Coding<'a, E>,
    /// The first column of the tile, and how many it has but for padding.
    first: usize,
    columns: usize,
    weights: &'a mut [E],
    targets: &'a mut [E],
    eta: E,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for NamedCues<'_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        let Self { tokens, script, side, first, columns, weights, targets, eta, monitor } = self;
        let width = targets.len();
        // The conditions that the pointers below rest on, together with the invariant of the script.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width) && columns <= width);
        assert!(weights.len() == script.n_rows * width);
        let (mut done, mut work) = (0, 0);
        for event in 0..tokens.len() {
            let (cues, once) = script.event(event);
            let outcomes = tokens.outcomes(event);
            targets.fill(E::default());
            side.add(outcomes, first, &mut targets[..columns]);
            for _ in 0..tokens.frequency(event) {
                // SAFETY: the instruction set exists. Every cue is below n_rows, the number of rows of `weights`, and none comes
                // twice if `once`: the script says so. `targets` has `width` elements. `weights` is borrowed mutably.
                unsafe {
                    let mut errors = PresentErrors::<V> { eta: V::splat(eta), targets: targets.as_ptr() };
                    step::<V, _, B>(weights.as_mut_ptr(), width, cues, once, &mut errors);
                }
                done += 1;
                work += (cues.len() + outcomes.len() + 1) * width;
                if work >= POLL_EVERY {
                    monitor.advance(done)?;
                    (done, work) = (0, 0);
                }
            }
        }
        monitor.advance(done)
    }
}

/// The rule: sums are predictions, and updates are errors times the learning rate.
struct PresentErrors<V: Vector> {
    eta: V,
    targets: *const V::Element,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and there is a target for each column.
unsafe impl<V: Vector> Step<V> for PresentErrors<V> {
    const UNIFORM: bool = true;

    #[inline(always)]
    unsafe fn factor(&self, _: u32) -> V {
        self.eta
    }

    #[inline(always)]
    unsafe fn term(row: V, _: V) -> V {
        row
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
        let mut updates = sums;
        // SAFETY: see above.
        unsafe {
            for b in 0..B {
                let target = V::load(self.targets.add(column + b * V::LANES));
                updates[b] = self.eta.times(target.minus(sums[b]));
            }
        }
        updates
    }

    #[inline(always)]
    unsafe fn changed(row: V, _: V, update: V) -> V {
        // SAFETY: see above.
        unsafe { row.plus(update) }
    }
}
