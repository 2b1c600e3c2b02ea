//! The delta rule on arrays: each row of X is a token whose cues have values, the row of Z its targets.
//!
//! ```text
//! for each batch, and in it for each token in order, x its row of X and z its row of Z:
//!     h[:] = +0.0; for each column i of x in order: h[:] += W[i, :] * x[i]      W as it was before the batch
//!     u[:] = rate * (z[:] - g(h[:]))      rate = beta * factor of the batch     (mean: divided by the tokens of the batch)
//!     u[:] = u[:] * g'(h[:])                                                    (squared loss)
//!     for each column i of x in order: W[i, :] += (alpha[i] * x[i]) * u[:]
//! ```
//!
//! Of a sparse row only what stands there is looked at. Where all values are 1 and each event has its cues in the order of their
//! ids, batches of one token have the bits of [`super::events`].
//!
//! With factors the rate of a token is `rate * factor[token]`. On demand the squares of the errors z - g(h) are summed, pass by
//! pass and column by column, over the tokens in their order.
//!
//! The liberties taken: as there, tiles of columns, and two copies of a tile for batches. In batches of dense rows eight tokens
//! are worked on at once, so that a row of weights is loaded once for all of them: none sees the others, and what they add to a
//! weight is added in their order.

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Mutex;

use super::activation::{Activation, Loss, Unit};
use super::descent::{Descent, DescentReport};
use crate::error::{Error, Result};
use crate::kernel::block::{RowUpdate, Slots, block};
use crate::kernel::dispatch::{Task, run};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::kernel::step::prefetch;
use crate::kernel::vector::Vector;
use crate::memory::{collected, filled};
use crate::monitor::{Monitor, Pulse};
use crate::threads::lock;
use crate::tiles::buffer::Buffer;
use crate::tiles::columns::{Cut, Tile, Tiles};
use crate::tiles::home::{Fresh, Home, Initial};
use crate::tiles::number_rows::NumberRows;
use crate::tiles::result::Matrix;
use crate::tiles::rule::Parameters;
use crate::tiles::width::{WIDEST, padded};

/// The work that a function takes, in slots.
const FUNCTION: usize = 16;
/// With so many columns or fewer, rows are a line or two of a cache.
const FEW_COLUMNS: usize = 16;
/// Tokens of a batch that are worked on at once.
const AT_ONCE: usize = 8;

/// Learns the rows of `x` and `z` into `out`. There may be a factor on the rate of each token; and room for the sums of squared
/// errors, pass after pass of a number for each column.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::NotFinite`] when a weight becomes infinite or NaN,
/// [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Element>(
    x: &NumberRows<'_, E>,
    z: &NumberRows<'_, E>,
    descent: &Descent<'_, E>,
    factors: Option<&[f64]>,
    squares: Option<&mut [f64]>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<DescentReport> {
    let ([n, n_rows], [n_targets, n_columns]) = (x.shape(), z.shape());
    descent.check([n_rows, n_columns], out)?;
    let rule = Parameters::new(descent.alpha, descent.beta, descent.beta, &[])?;
    if n != n_targets || rule.alpha.len() != n_rows {
        return Err(Error::Argument(format!(
            "expected targets for {n} tokens and {n_rows} saliences, found {n_targets} and {}",
            rule.alpha.len()
        )));
    }
    if descent.loss == Loss::Log && !z.values().iter().all(|z| (0.0..=1.0).contains(&z.to_f64())) {
        return Err(Error::Argument("expected targets between 0 and 1 for the log loss".into()));
    }
    if factors.is_some_and(|factors| {
        factors.len() != n || !factors.iter().all(|factor| factor.is_finite() && *factor >= 0.0)
    }) {
        return Err(Error::Argument(format!("expected a factor of 0 or more for each of {n} tokens")));
    }
    if squares
        .as_ref()
        .is_some_and(|squares| Some(squares.len() as u64) != descent.passes.checked_mul(n_columns as u64))
    {
        return Err(Error::Argument("expected room for the errors of every pass and column".into()));
    }
    let squares = squares.map(Mutex::new);
    let orders = Orders::new(n, descent)?;
    descent.check_factors(orders.batches())?;

    let updates = (x.n_values() as u64).saturating_mul(descent.passes).saturating_mul(n_columns as u64);
    let copies = if orders.batch == 1 { 1 } else { 2 };
    let cut = Cut {
        kernel: descent.kernel.unwrap_or_else(|| narrowest::<E>(n_columns)),
        threads: descent.threads,
        updates,
        tile: descent.tile,
        shape: [(copies * n_rows) as f64, x.n_values() as f64 / n.max(1) as f64],
    };
    let columns = collected(0..n_columns as u32)?;
    let tiles = Tiles::new::<E>([n_rows, n_columns], &cut);
    let initial = descent.initial.map(|initial| Initial::whole(initial, n_columns)).transpose()?;
    let home = Fresh::all(&columns, n_rows, tiles.width, initial.as_ref(), (out, monitor))?;
    // Without tokens no pass would ever look at the monitor.
    let passes = if n == 0 { 0 } else { descent.passes };
    monitor.set_total((n as u64).saturating_mul(passes).saturating_mul(home.n_tiles() as u64));

    let start = |_| Buffer::zeros((copies - 1) * tiles.elements());
    let learn = |before: &mut Buffer<E>, tile: &mut Tile<'_, E>| {
        let (weights, width, columns) = (&mut *tile.weights, tile.width, tile.columns.clone());
        let before = &mut before[..(copies - 1) * n_rows * width];
        before.copy_from_slice(&weights[..(copies - 1) * n_rows * width]);
        let mut tile = RowsTile {
            weights,
            before,
            width,
            first: columns.start,
            n_columns: columns.len(),
            targets: &mut filled(E::default(), AT_ONCE * width)?,
            rates: [E::default(); AT_ONCE],
            squares: &mut filled(E::default(), if squares.is_some() { width } else { 0 })?,
        };
        for pass in 0..passes {
            let order = orders.of(pass);
            let first = pass as usize * orders.batches();
            tile.squares.fill(E::default());
            let task = Pass { tile: &mut tile, descent, rule: &rule, first, factors, x, z, order, monitor };
            run(cut.kernel, width, task)?;
            if let Some(squares) = &squares {
                let mut squares = lock(squares);
                let to = &mut squares[pass as usize * n_columns + tile.first..][..tile.n_columns];
                for (to, sum) in to.iter_mut().zip(&*tile.squares) {
                    *to = sum.to_f64();
                }
            }
        }
        Ok(())
    };
    tiles.learn(&home, start, |state, tiles| tiles.iter_mut().try_for_each(|tile| learn(state, tile)))?;
    Ok(DescentReport { kernel: cut.kernel, tile: tiles.width, threads: tiles.threads })
}

/// The fastest kernel for so many columns: that of wide vectors, unless it takes more room for a row than that of half as wide
/// ones. Rows of few columns come from the caches, and less of them from the first for every number that stands for nothing.
fn narrowest<E: Element>(n_columns: usize) -> Isa {
    let best = Isa::best();
    if n_columns > FEW_COLUMNS {
        return best;
    }
    let vectors = Isa::available().filter(|&kernel| kernel != Isa::Portable);
    vectors.min_by_key(|&kernel| padded::<E>(n_columns, kernel)).unwrap_or(best)
}

/// Which tokens a pass has.
///
/// Invariants: the batch is not 0; the tokens of `order` are below `n`, and there are n for each pass.
#[derive(Clone, Copy)]
struct Orders<'a> {
    n: usize,
    batch: usize,
    order: Option<&'a [i64]>,
}

/// The tokens of a pass in the order in which they come.
#[derive(Clone, Copy)]
struct Order<'a> {
    n: usize,
    batch: usize,
    tokens: Option<&'a [i64]>,
}

impl<'a> Orders<'a> {
    fn new<E>(n: usize, descent: &Descent<'a, E>) -> Result<Self> {
        let Descent { order, passes, batch, .. } = *descent;
        if order.is_some_and(|order| Some(order.len() as u64) != (n as u64).checked_mul(passes)) {
            return Err(Error::Argument(format!("expected an order of {n} tokens for every pass")));
        }
        let known = |token: &i64| usize::try_from(*token).is_ok_and(|token| token < n);
        if let Some(token) = order.unwrap_or_default().iter().find(|token| !known(token)) {
            return Err(Error::Argument(format!("expected the number of a token, found {token}")));
        }
        let batch = batch.map_or(n, |batch| usize::try_from(batch).unwrap_or(n)).clamp(1, n.max(1));
        Ok(Self { n, batch, order })
    }

    /// How many batches a pass has.
    fn batches(&self) -> usize {
        self.n.div_ceil(self.batch)
    }

    fn of(&self, pass: u64) -> Order<'a> {
        let Self { n, batch, order } = *self;
        Order { n, batch, tokens: order.map(|order| &order[pass as usize * n..(pass as usize + 1) * n]) }
    }
}

impl Order<'_> {
    /// The token at a position of the pass, if there is such a position, and an order.
    #[inline(always)]
    fn ordered(&self, position: usize) -> Option<usize> {
        self.tokens.and_then(|tokens| tokens.get(position)).map(|&token| token as usize)
    }

    /// The token at a position of the pass.
    #[inline(always)]
    fn token(&self, position: usize) -> usize {
        match self.tokens {
            None => position,
            Some(tokens) => tokens[position] as usize,
        }
    }
}

/// Some columns of all rows.
struct RowsTile<'a, E> {
    /// The weights, row after row.
    weights: &'a mut [E],
    /// The weights before the batch, between batches equal to `weights`; empty where batches are single tokens.
    before: &'a mut [E],
    /// Elements in a row: a multiple of the lanes of the kernel.
    width: usize,
    /// The first of its columns.
    first: usize,
    n_columns: usize,
    /// Room for the targets of [`AT_ONCE`] tokens; zero beyond the columns.
    targets: &'a mut [E],
    /// The rates of as many tokens.
    rates: [E; AT_ONCE],
    /// The sums of squared errors of this pass, one a column; empty where nobody asks for them.
    squares: &'a mut [E],
}

/// A pass of one tile.
struct Pass<'a, 't, E> {
    tile: &'a mut RowsTile<'t, E>,
    descent: &'a Descent<'a, E>,
    rule: &'a Parameters<E>,
    /// The number of its first batch among those of all passes.
    first: usize,
    factors: Option<&'a [f64]>,
    x: &'a NumberRows<'a, E>,
    z: &'a NumberRows<'a, E>,
    order: Order<'a>,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Pass<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        let ones = self.rule.alpha.iter().all(|&alpha| alpha.to_f64() == 1.0);
        // SAFETY: the instruction set exists.
        unsafe { if ones { self.learn::<V, true, B>() } else { self.learn::<V, false, B>() } }
    }
}

impl<E: Element> Pass<'_, '_, E> {
    /// Learns with saliences that are all 1, or with those of the rule.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn learn<V: Vector<Element = E>, const ONES: bool, const B: usize>(mut self) -> Result<()> {
        let (width, p) = (self.tile.width, self.x.shape()[1]);
        // The conditions that pointers rest on, together with the invariants of the rows.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(self.tile.targets.len() == AT_ONCE * width && self.tile.n_columns <= width);
        assert!(self.tile.squares.is_empty() || self.tile.squares.len() == width);
        assert!(self.rule.alpha.len() == p && self.tile.weights.len() == p * width);
        let single = self.order.batch == 1;
        assert!(self.tile.before.len() == if single { 0 } else { p * width });
        let function = if self.descent.activation == Activation::Identity { 0 } else { FUNCTION };
        let (n, batch) = (self.order.n, self.order.batch);
        let (mut start, mut reported, mut work) = (0, 0, 0);
        while start < n {
            let end = (start + batch).min(n);
            let number = self.first + start / batch;
            let rate = self.descent.rate(self.rule.beta1, number, (end - start) as u64);
            let (mut position, mut changed) = (start, 0);
            while position < end {
                let eight = self.x.is_dense() && position + AT_ONCE <= end;
                self.ask(position);
                // SAFETY: the instruction set exists, and the conditions are those above. Where there are eight tokens the batch
                // has more than one, so there is a copy.
                let slots = unsafe {
                    if !eight {
                        self.token::<V, ONES, B>(position, rate)
                    } else if B.is_multiple_of(2) && matches!(V::ISA, Isa::Avx512) {
                        self.tokens::<V, ONES, 2>(position, rate)
                    } else {
                        self.tokens::<V, ONES, 1>(position, rate)
                    }
                };
                let tokens = if eight { AT_ONCE } else { 1 };
                changed += slots;
                position += tokens;
                work += (slots + (function + 1) * tokens) * width;
                if work >= Pulse::WORK {
                    self.monitor.advance((position - reported) as u64)?;
                    (reported, work) = (position, 0);
                }
            }
            if !single {
                work += self.remember(start..end, changed);
            }
            start = end;
        }
        self.monitor.advance((n - reported) as u64)
    }

    /// Learns a token, and returns how many slots it has.
    ///
    /// # Safety
    /// The instruction set of `V` must exist, and the conditions of [`Pass::learn`] hold.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn token<V: Vector<Element = E>, const ONES: bool, const B: usize>(
        &mut self,
        position: usize,
        rate: E,
    ) -> usize {
        let row = self.x.row(self.order.token(position));
        self.aim(position, 1, rate);
        let width = self.tile.width;
        // SAFETY: columns are below p, the number of rows of the tile: the invariant of the rows says so. The tile is borrowed
        // mutably, and does not overlap with the copy.
        unsafe {
            let to = self.tile.weights.as_mut_ptr();
            let from = if self.tile.before.is_empty() { to.cast_const() } else { self.tile.before.as_ptr() };
            let errors = self.errors::<V, ONES>();
            match row.columns {
                Some(columns) => {
                    let some = Standing { columns, values: row.values };
                    block::<V, _, _, 1, B>(from, to, width, some, &errors);
                }
                None => block::<V, _, _, 1, B>(from, to, width, All([row.values]), &errors),
            }
        }
        row.values.len()
    }

    /// Asks for what later tokens read, where they are in an order: rows may be anywhere then. Verses of the King James Bible in
    /// random order are learned in .92 of the time that this takes without, and an estimator's `fit` takes .95.
    #[inline(always)]
    fn ask(&self, position: usize) {
        if let Some(token) = self.order.ordered(position + 6) {
            self.x.ask_where(token);
            self.z.ask_where(token);
            if let Some(factors) = self.factors {
                prefetch(factors.as_ptr().wrapping_add(token), 1);
            }
        }
        if let Some(token) = self.order.ordered(position + 3) {
            self.x.ask(token);
            self.z.ask(token);
        }
    }

    /// Learns [`AT_ONCE`] tokens of a batch, and returns how many slots they have.
    ///
    /// # Safety
    /// The instruction set of `V` must exist, and the conditions of [`Pass::learn`] hold; rows are dense, and there is a copy
    /// of the tile.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn tokens<V: Vector<Element = E>, const ONES: bool, const B: usize>(
        &mut self,
        position: usize,
        rate: E,
    ) -> usize {
        let mut rows = [&[][..]; AT_ONCE];
        for (t, row) in rows.iter_mut().enumerate() {
            *row = self.x.row(self.order.token(position + t)).values;
        }
        self.aim(position, AT_ONCE, rate);
        let width = self.tile.width;
        // SAFETY: as in `token`; all rows have p values.
        unsafe {
            let (from, to) = (self.tile.before.as_ptr(), self.tile.weights.as_mut_ptr());
            let errors = self.errors::<V, ONES>();
            block::<V, _, _, AT_ONCE, B>(from, to, width, All(rows), &errors);
        }
        AT_ONCE * rows[0].len()
    }

    /// Copies the targets of some tokens to where vectors can be loaded, and finds their rates.
    #[inline(always)]
    fn aim(&mut self, position: usize, tokens: usize, rate: E) {
        let RowsTile { width, first, n_columns, .. } = *self.tile;
        for t in 0..tokens {
            let token = self.order.token(position + t);
            let targets = &mut self.tile.targets[t * width..][..n_columns];
            self.z.row(token).copy(first, targets);
            self.tile.rates[t] =
                self.factors.map_or(rate, |factors| E::from_f64(rate.to_f64() * factors[token]));
        }
    }

    /// What makes updates of sums.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls vectors")]
    unsafe fn errors<V: Vector<Element = E>, const ONES: bool>(&mut self) -> RowErrors<'_, V, ONES> {
        // SAFETY: by the contract of this function.
        unsafe {
            RowErrors {
                saliences: &self.rule.alpha,
                targets: self.tile.targets.as_ptr(),
                rates: self.tile.rates,
                squares: if self.tile.squares.is_empty() {
                    null_mut()
                } else {
                    self.tile.squares.as_mut_ptr()
                },
                width: self.tile.width,
                one: V::splat(E::from_f64(1.0)),
                unit: Unit {
                    activation: self.descent.activation,
                    loss: self.descent.loss,
                    rate: V::splat(E::default()),
                    columns: self.tile.n_columns,
                },
            }
        }
    }

    /// Brings the copy of the tile up to date after a batch that changed so many rows, some of them several times. Returns
    /// how many elements were copied.
    fn remember(&mut self, batch: Range<usize>, changed: usize) -> usize {
        let RowsTile { weights, before, width, .. } = &mut *self.tile;
        if changed >= self.x.shape()[1] {
            before.copy_from_slice(weights);
            return weights.len();
        }
        for position in batch {
            for &row in self.x.row(self.order.token(position)).columns.unwrap_or_default() {
                let row = row as usize * *width..(row as usize + 1) * *width;
                before[row.clone()].copy_from_slice(&weights[row]);
            }
        }
        changed * *width
    }
}

/// All columns of tokens: rows of equal length.
#[derive(Clone, Copy)]
struct All<'a, E, const T: usize>([&'a [E]; T]);

#[expect(unsafe_code, reason = "the hot loop")]
// SAFETY: there are as many rows as values, and slots are below.
unsafe impl<E: Element, const T: usize> Slots<E> for All<'_, E, T> {
    #[inline(always)]
    fn count(self) -> usize {
        self.0[0].len()
    }

    #[inline(always)]
    unsafe fn row(self, slot: usize) -> usize {
        slot
    }

    #[inline(always)]
    unsafe fn value(self, token: usize, slot: usize) -> E {
        // SAFETY: by the contract of `Slots`; all rows have the length of the first.
        unsafe { *self.0.get_unchecked(token).get_unchecked(slot) }
    }
}

/// What stands in a sparse row.
#[derive(Clone, Copy)]
struct Standing<'a, E> {
    columns: &'a [u32],
    values: &'a [E],
}

#[expect(unsafe_code, reason = "the hot loop")]
// SAFETY: columns are below p by the invariant of the rows, and there are as many as values.
unsafe impl<E: Element> Slots<E> for Standing<'_, E> {
    #[inline(always)]
    fn count(self) -> usize {
        self.columns.len()
    }

    #[inline(always)]
    unsafe fn row(self, slot: usize) -> usize {
        // SAFETY: by the contract of `Slots`.
        unsafe { *self.columns.get_unchecked(slot) as usize }
    }

    #[inline(always)]
    unsafe fn value(self, _: usize, slot: usize) -> E {
        // SAFETY: by the contract of `Slots`.
        unsafe { *self.values.get_unchecked(slot) }
    }
}

/// The delta rule: sums are what the activation function is applied to, and updates are errors times a learning rate.
struct RowErrors<'a, V: Vector, const ONES: bool> {
    saliences: &'a [V::Element],
    /// The targets of the tokens at hand, `width` of each.
    targets: *const V::Element,
    /// Their rates.
    rates: [V::Element; AT_ONCE],
    /// Where the squares of errors are added, `width` of them; null if nowhere. Nobody else has them.
    squares: *mut V::Element,
    width: usize,
    one: V,
    unit: Unit<V>,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, rows are below the number of saliences, tokens below
// [`AT_ONCE`], and there are `width` targets of each token, and as many squares, which no other pointer has.
unsafe impl<V: Vector, const ONES: bool> RowUpdate<V> for RowErrors<'_, V, ONES> {
    #[inline(always)]
    unsafe fn factor(&self, row: usize, value: V) -> V {
        // SAFETY: see above.
        unsafe { if ONES { value } else { V::splat(*self.saliences.get_unchecked(row)).times(value) } }
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&self, token: usize, column: usize, sums: [V; B]) -> [V; B] {
        let mut targets = sums;
        // SAFETY: see above.
        unsafe {
            for (b, target) in targets.iter_mut().enumerate() {
                *target = V::load(self.targets.add(token * self.width + column + b * V::LANES));
            }
            let unit = Unit { rate: V::splat(*self.rates.get_unchecked(token)), ..self.unit };
            let (errors, updates) = unit.errors_and_updates(column, sums, targets, self.one);
            if !self.squares.is_null() {
                for (b, error) in errors.into_iter().enumerate() {
                    let at = self.squares.add(column + b * V::LANES);
                    V::load(at).plus(error.times(error)).store(at);
                }
            }
            updates
        }
    }
}
