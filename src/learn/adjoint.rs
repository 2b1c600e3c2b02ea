//! The adjoint method: tiles of cues, every tile streams the events backward.
//!
//! With D = diag(alpha), c_t the multiplicities of the cues of token t, and o_t its outcomes, a token maps each column by an
//! affine function. With one learning rate beta all columns have the same slope A_t:
//!
//! ```text
//! W_t = A_t W_(t-1) + beta D c_t (lambda o_t)',     A_t = I - beta D c_t c_t'
//! W_T = A_T ... A_1 W_0  +  sum over t of  beta A_T ... A_(t+1) D c_t (lambda o_t)'
//! ```
//!
//! Row i of W_T is e_i' W_T. It needs no other row: v_t' = e_i' A_T ... A_(t+1) begins at the last token, as the unit vector of
//! cue i:
//!
//! ```text
//! v = e_i;  for each token t, the last first:
//!     s = sum over the cues c of t of alpha[c] * v[c]          (a cue named twice counts twice)
//!     W[i, o] += beta * s                                      for the outcomes o of t
//!     v[c]    -= beta * s                                      for the cues c of t (a cue named twice counts twice)
//! W[i, o] *= lambda[o]                                         when all tokens are done
//! W[i, :] += v' W_0
//! ```
//!
//! The cost of a token does not depend on the number of all outcomes, only on how many outcomes the token has. Tokens after the
//! last occurrence of cue i leave v as it is and add nothing (s = 0). So a tile starts at the last occurrence of its cues (or a
//! little later, if steps are reordered), and cues are sorted by their last occurrence. Steps (tokens, repeated ones together:
//! `steps`) that share no cue and no outcome may be reordered (`order`) without changing a bit.
//!
//! n cues that always come together and have the same salience are learned as one. Their v[c] differ only in how they begin. So
//! y = (sum of their v[c]) / n stands for all of them, with n * alpha as salience; for each of these cues y begins at 1 / n. With
//! initial weights they are kept apart, because v' W_0 needs each v[c].
//!
//! Where weights are forgotten (`tiles::forgetting`), A_t = gamma I - beta D c_t c_t', so every token multiplies all of v by gamma.
//! A row of v is kept without the powers since the token that changed it last, that token's among them, and gets them when it is
//! needed.
//!
//! The sums are the forward method's in another order: equal up to rounding, and the same bits for any number of threads,
//! width of tiles and instruction set.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::adjoint_steps::{Stepper, Steps};
use super::checked_plan::{CheckedPlan, LearnedRow};
use super::script::{Chunks, Event, Segment};
use super::tile::{LearnsColumns, Run};
use crate::error::Result;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::kernel::step::{Step, prefetch, step};
use crate::kernel::vector::Vector;
use crate::memory::{Grow, collected, filled};
use crate::monitor::{Monitor, Pulse};
use crate::threads::each;
use crate::tiles::buffer::Buffer;
use crate::tiles::forgetting::{Retention, multiply};
use crate::tiles::home::Initial;
use crate::tiles::product::{Product, packing};
use crate::tiles::result::{Axis, Entry, Filling, Matrix};
use crate::tiles::rule::same;
use crate::tiles::tile_passes::Passes;
use crate::tiles::width::{WIDEST, padded};

/// Columns of initial weights gathered at a time.
const GATHERED: usize = 256;
/// At least so many: faer multiplies a single column in another order, so its bits would depend on which others are learned.
const FEWEST: usize = 2;

/// Sums are prefetched so many steps before they are needed.
const AHEAD: usize = 3;
/// Nothing is prefetched if all sums take at most this many bytes, and so stay in the second cache.
const NEAR: usize = 512 << 10;

/// The salience of each row, times the number of rows that are equal to it.
///
/// # Errors
/// [`crate::error::Error::Memory`].
pub(super) fn saliences_of_twins<E: Element>(checked: &CheckedPlan<E>) -> Result<Vec<E>> {
    let rows = checked.rule.alpha.iter().zip(&checked.twins);
    collected(rows.map(|(alpha, &twins)| alpha.times(E::from_f64(twins.into()))))
}

/// Learns rows into a result whose first row has the number `origin`, and returns the width of the tiles.
///
/// # Errors
/// See [`super::Plan::learn`].
pub(super) fn learn<E: Kernels>(
    checked: &CheckedPlan<E>,
    initial: Option<&Initial<'_, E>>,
    (rows, origin): (&[LearnedRow], u32),
    chunks: &Chunks<Steps<E>>,
    out: &Matrix<'_, E>,
    threads: usize,
    run: &Run<'_, E>,
) -> Result<usize> {
    let monitor = run.monitor;
    let (n_rows, n_columns) = (checked.rule.alpha.len(), checked.columns.len());
    let alpha = saliences_of_twins(checked)?;
    let twins = |row: usize| f64::from(checked.twins[row]);
    let salience = same(&alpha);
    let width = checked.width(rows.len(), threads);
    let tiles = collected(rows.chunks(width))?;
    let retention = checked.retention.as_ref();
    let stepper = || Stepper::new(&alpha, checked.rule.beta1, retention, checked.facts.max_kappa);
    monitor.add_total(tiles.iter().filter_map(|tile| tile.first()).map(|cue| cue.end).sum());
    let mut along = Vec::new();
    for (from, column) in (0..).zip(&checked.columns) {
        along.make_room(column.targets.len())?;
        along.extend(column.targets.iter().map(|&to| Entry { from, to }));
    }
    let filling = out.begin(Axis::Rows, along, monitor)?;
    // Room for one row and one column at least, so that each tile has a piece of each buffer.
    let [of_v, of_sums] = [n_rows, n_columns].map(|n| n.max(1).saturating_mul(width));
    let of_last = if retention.is_some() { n_rows } else { 0 };
    let bytes = of_v.saturating_add(of_sums).saturating_mul(size_of::<E>()).saturating_add(8 * of_last);
    let passes = Passes::new(tiles.len(), threads, checked.tiles_in_pass(chunks.are_kept(), bytes));
    let start = || {
        let zeros = |n: usize| Buffer::<E>::zeros(n.saturating_mul(passes.most()));
        let last = filled(0, of_last.saturating_mul(passes.most()))?;
        Ok((zeros(of_v)?, zeros(of_sums)?, last, stepper()?, filling.buffer()?))
    };
    each(threads, passes.len(), start, |(v, sums, last, stepper, lines), pass| {
        let tiles = &tiles[passes.tiles(pass)];
        let pieces = v.chunks_mut(of_v).zip(sums.chunks_mut(of_sums));
        last.fill(run.tokens);
        let mut lasts = last.chunks_mut(n_rows.max(1));
        let begun = tiles.iter().zip(pieces).map(|(cues, (v, sums))| {
            let width = padded::<E>(cues.len(), checked.kernel);
            let (v, sums) = (&mut v[..n_rows * width], &mut sums[..n_columns * width]);
            v.fill(E::default());
            sums.fill(E::default());
            for (i, cue) in cues.iter().enumerate() {
                v[cue.row as usize * width + i] = E::from_f64(1.0 / twins(cue.row as usize));
            }
            let last = cues.first().and_then(|cue| cue.end.checked_sub(1));
            let (n_chunks, end) = last.map_or((0, 0), |last| {
                let (chunk, event) = chunks.stream().locate(last);
                (chunk + 1, event + 1)
            });
            RowTile { v, sums, last: lasts.next().unwrap_or_default(), width, n_chunks, end }
        });
        let mut begun = collected(begun)?;
        for number in (0..begun.iter().map(|tile| tile.n_chunks).max().unwrap_or(0)).rev() {
            let make = |segment: &Segment<'_>| stepper.steps(segment);
            chunks.visit(number, make, |steps| {
                let mut reached = begun.iter_mut().filter(|tile| number < tile.n_chunks);
                reached.try_for_each(|tile| {
                    let (alpha, end) = (&alpha, std::mem::replace(&mut tile.end, usize::MAX));
                    let task = Backward { tile, alpha, salience, retention, steps, end, monitor };
                    E::backward(checked.kernel, task)
                })
            })?;
        }
        for (tile, cues) in begun.iter_mut().zip(tiles) {
            tile.scale(checked);
            if let Some(initial) = initial {
                retention.iter().for_each(|retention| tile.forget(retention));
                tile.add_initial(initial, checked, monitor)?;
            }
            tile.write(cues, origin, checked, &filling, lines)?;
        }
        Ok(())
    })?;
    Ok(width)
}

/// The vectors v of the cues whose rows are learned (tracked cues), side by side.
struct RowTile<'a, E> {
    /// For each row of weights: one element of every vector.
    v: &'a mut [E],
    /// For each column of weights: the tracked cues' weights so far.
    sums: &'a mut [E],
    /// Where weights are forgotten, for each row of v the token that changed it last; before that, the last token.
    last: &'a mut [u64],
    /// Tracked cues in the tile, with padding: a multiple of the elements of a vector.
    width: usize,
    /// The number of chunks, from the first on, that have events for the tile.
    n_chunks: usize,
    /// In the chunk that it learns next: the number of events up to the last one for the tile.
    end: usize,
}

impl<E: Element> RowTile<'_, E> {
    /// Gives the rows of a token the powers of the retention that they lack. Inlined, it would cost learning without forgetting
    /// 10 %.
    #[cold]
    #[inline(never)]
    fn bring(&mut self, cues: &[u32], token: u64, retention: &Retention<E>) {
        for row in cues.iter().map(|&row| row as usize) {
            let gap = std::mem::replace(&mut self.last[row], token).saturating_sub(token);
            if gap > 0 {
                multiply(&mut self.v[row * self.width..][..self.width], retention.power(gap));
            }
        }
    }
}

impl<E: Product> RowTile<'_, E> {
    /// Gives each row of v the powers of the retention that it lacks.
    fn forget(&mut self, retention: &Retention<E>) {
        for (row, &last) in self.v.chunks_exact_mut(self.width).zip(&*self.last) {
            multiply(row, retention.power(last));
        }
    }

    /// Turns sums for the asymptote 1 into sums for lambda. A zero becomes +0.0, as in a sum of terms times lambda.
    fn scale(&mut self, checked: &CheckedPlan<E>) {
        for (column, sums) in checked.columns.iter().zip(self.sums.chunks_exact_mut(self.width)) {
            let lambda = checked.rule.lambda[column.targets[0] as usize];
            if lambda != E::from_f64(1.0) {
                sums.iter_mut().for_each(|sum| *sum = lambda.times(*sum).plus(E::default()));
            }
        }
    }

    /// Adds v' W_0, some columns at a time.
    fn add_initial(
        &mut self,
        initial: &Initial<'_, E>,
        checked: &CheckedPlan<E>,
        monitor: &Monitor,
    ) -> Result<()> {
        let n_initial = initial.n_rows();
        let v = MatRef::from_row_major_slice(&self.v[..n_initial * self.width], n_initial, self.width);
        let (mut gathered, mut padded) = (Vec::new(), Vec::new());
        gathered.make_room(n_initial.saturating_mul(GATHERED.min(checked.columns.len())))?;
        packing()?;
        for (columns, sums) in
            checked.columns.chunks(GATHERED).zip(self.sums.chunks_mut(GATHERED * self.width))
        {
            monitor.check()?;
            let n = columns.len().max(FEWEST);
            gathered.clear();
            for row in initial.weights.chunks_exact(initial.width.max(1)) {
                gathered.extend(columns.iter().map(|column| {
                    initial.columns[column.targets[0] as usize]
                        .map_or(E::default(), |source| row[source as usize])
                }));
                gathered.resize(gathered.len() + n - columns.len(), E::default());
            }
            padded.clear();
            if columns.len() < n {
                padded.extend_from_slice(sums);
                padded.resize(n * self.width, E::default());
            }
            let to = if padded.is_empty() { &mut *sums } else { &mut *padded };
            matmul(
                MatMut::from_row_major_slice_mut(to, n, self.width),
                Accum::Add,
                MatRef::from_row_major_slice(&gathered, n_initial, n).transpose(),
                v,
                E::from_f64(1.0),
                Par::Seq,
            );
            let learned = sums.len().min(padded.len());
            sums[..learned].copy_from_slice(&padded[..learned]);
        }
        Ok(())
    }

    fn write(
        &self,
        cues: &[LearnedRow],
        origin: u32,
        checked: &CheckedPlan<E>,
        filling: &Filling<'_, '_, E>,
        lines: &mut Buffer<E>,
    ) -> Result<()> {
        let mut across = Vec::new();
        for (from, cue) in (0..).zip(cues) {
            across.make_room(cue.targets.len())?;
            across.extend(cue.targets.iter().map(|&(to, _)| Entry { from, to: to - origin }));
        }
        let row_and_column = |row: usize, lane: usize| {
            let (_, weights) = cues[lane].targets[0];
            (weights as usize, checked.columns[row].targets[0] as usize)
        };
        filling.write(self.sums, self.width, &across, lines, row_and_column)
    }
}

/// An element whose tiles of rows can be learned, too: `f64` or `f32`, as those of columns.
pub trait Kernels: LearnsColumns + Product {
    /// Learns some steps into a tile of rows.
    ///
    /// # Errors
    /// When stopped.
    #[doc(hidden)]
    fn backward(kernel: Isa, task: Backward<'_, '_, Self>) -> Result<()>;
}

macro_rules! learns_rows {
    ($($element:ty),*) => {
        $(impl Kernels for $element {
            fn backward(kernel: Isa, task: Backward<'_, '_, Self>) -> Result<()> {
                run(kernel, task.width(), task)
            }
        })*
    };
}

learns_rows!(f64, f32);

/// The task of learning the steps of a chunk into a tile.
pub struct Backward<'a, 't, E> {
    tile: &'a mut RowTile<'t, E>,
    alpha: &'a [E],
    /// The salience of all cues, if it is the same.
    salience: Option<E>,
    retention: Option<&'a Retention<E>>,
    steps: &'a Steps<E>,
    /// Only steps whose last event comes before this one are done.
    end: usize,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Backward<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        // SAFETY: the instruction set exists.
        unsafe {
            match self.salience {
                Some(salience) => self.learn::<V, true, B>(salience),
                None => self.learn::<V, false, B>(E::default()),
            }
        }
    }
}

impl<E: Element> Backward<'_, '_, E> {
    /// Elements in a row of the tile.
    pub(super) fn width(&self) -> usize {
        self.tile.width
    }

    /// Learns with one salience for all cues, or with one for each.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn learn<V: Vector<Element = E>, const UNIFORM: bool, const B: usize>(
        self,
        salience: E,
    ) -> Result<()> {
        let Self { tile, alpha, retention, steps, end, monitor, .. } = self;
        let (script, width) = (&steps.script, tile.width);
        // The conditions that the pointers below rest on, together with the script's invariant.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(alpha.len() == script.n_rows() && tile.v.len() == script.n_rows() * width);
        assert!(tile.sums.len() == script.n_columns() * width);
        let sums = tile.sums.as_mut_ptr();
        let mut events = script.events();
        let first = steps.events.partition_point(|&event| event as usize >= end);
        for _ in 0..first {
            events.next();
        }
        let far = size_of_val(tile.sums) > NEAR;
        let mut later = events.clone();
        for _ in 0..AHEAD {
            later.next();
        }
        let (mut polled, mut work) = (end.min(steps.len), 0);
        // SAFETY: the instruction set exists.
        let zero = unsafe { V::splat(E::default()) };
        let one = E::from_f64(1.0);
        let mut shares = Shares::<V, UNIFORM> {
            alpha,
            outcomes: &[],
            sums,
            width,
            gain: zero,
            plain: retention.is_none(),
            ratio: one,
        };
        let gains = steps.gains.get(first..).unwrap_or_default();
        for (p, (Event { cues, outcomes, once }, &gain)) in (first..).zip(events.zip(gains)) {
            if far && let Some(&outcome) = later.next().and_then(|event| event.outcomes.first()) {
                prefetch(sums.wrapping_add(outcome as usize * width), width);
            }
            // SAFETY: the instruction set exists.
            unsafe {
                shares.gain = V::splat(if UNIFORM { gain.times(salience) } else { gain });
            }
            shares.ratio = steps.ratios.get(p).copied().unwrap_or(one);
            shares.outcomes = outcomes;
            for done in 0..steps.times.get(p).copied().unwrap_or(1) {
                if let Some(retention) = retention {
                    let token = steps.tokens[p].saturating_sub(done.into());
                    tile.bring(cues, token, retention);
                }
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `v`, and every outcome is
                // below n_columns, the number of rows of `sums`: the script says so. `v` and `sums` are borrowed mutably.
                unsafe { step::<V, _, B>(tile.v.as_mut_ptr(), width, cues, once, &mut shares) }
                work += (cues.len() + outcomes.len()) * width + 1;
                if work >= Pulse::WORK {
                    let event = steps.events[p] as usize;
                    monitor.advance((polled - event) as u64)?;
                    (polled, work) = (event, 0);
                }
            }
        }
        monitor.advance(polled as u64)
    }
}

/// Adds shares to a row of sums, `TIMES` a ratio or as they are.
///
/// # Safety
/// The instruction set of `V` must exist; `B` vectors can be read and written at `sums`.
#[inline(always)]
#[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
unsafe fn add_shares<V: Vector, const B: usize, const TIMES: bool>(
    sums: *mut V::Element,
    shares: [V; B],
    ratio: V::Element,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (b, share) in shares.into_iter().enumerate() {
            let at = sums.add(b * V::LANES);
            V::load(at).plus(if TIMES { V::splat(ratio).times(share) } else { share }).store(at);
        }
    }
}

/// The rule of a step: what it adds to the sums of its outcomes and subtracts from the v of its cues.
struct Shares<'a, V: Vector, const UNIFORM: bool> {
    alpha: &'a [V::Element],
    outcomes: &'a [u32],
    /// Rows of `width` elements.
    sums: *mut V::Element,
    width: usize,
    /// The learning rate of v; times the salience, if all cues have the same.
    gain: V,
    /// Whether that of the sums is the same; otherwise it is that of v times the ratio.
    plain: bool,
    ratio: V::Element,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and rows are below the number of saliences.
unsafe impl<V: Vector, const UNIFORM: bool> Step<V> for Shares<'_, V, UNIFORM> {
    const UNIFORM: bool = UNIFORM;

    #[inline(always)]
    fn factors(&self) -> &[V::Element] {
        self.alpha
    }

    #[inline(always)]
    unsafe fn term(row: V, factor: V) -> V {
        // SAFETY: see above.
        unsafe { if UNIFORM { row } else { factor.times(row) } }
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
        let mut shares = sums;
        // SAFETY: see above; outcomes are below the number of rows of `sums`, and the columns exist.
        unsafe {
            for share in &mut shares {
                *share = self.gain.times(*share);
            }
            for &outcome in self.outcomes {
                let sums = self.sums.add(outcome as usize * self.width + column);
                // Most learning forgets nothing, and needs no product.
                if self.plain {
                    add_shares::<V, B, false>(sums, shares, self.ratio);
                } else {
                    add_shares::<V, B, true>(sums, shares, self.ratio);
                }
            }
        }
        shares
    }

    #[inline(always)]
    unsafe fn changed(row: V, _: V, update: V) -> V {
        // SAFETY: see above.
        unsafe { row.minus(update) }
    }
}
