//! The delta rule with an activation function, token by token or in batches.
//!
//! ```text
//! for each batch, and in it for each group of tokens with the same cues, n of them, c_j of these with outcome j:
//!     h[:] = +0.0; for each cue i in order: h[:] += W[i, :]             W as it was before the batch
//!     y[:] = g(h[:])
//!     e[:] = t[:] - n * y[:],    t[j] = lambda[j] * c_j                 (tanh: 2 * lambda[j] * c_j - n * lambda[j])
//!     u[:] = rate * e[:]         rate = beta * factor of the batch      (mean: divided by the tokens of the batch)
//!     u[:] = u[:] * g'(h[:])                                            (squared loss)
//!     for each cue i in order: W[i, :] += alpha[i] * u[:]
//! ```
//!
//! `t - n y` is the sum of target minus prediction over the tokens of the group. With batches of one token and the identity
//! this is the rule of Rescorla and Wagner, and the forward method, bit for bit.
//!
//! The liberties taken: the columns are cut into tiles. In batches of more than one token there are two copies of a tile: one
//! that is summed and one that is changed; rows that the batch changed are copied at its end. With the identity a tile of
//! zeros stays one until one of its outcomes occurs, so its batches begin there. None changes an operation on any column. The
//! functions are the system's, in float64, rounded to the type of the weights: the same bits on one machine for any
//! number of threads, any tile and any instruction set; another machine's functions may differ in the last place.

use super::activation::{Activation, Loss, Unit};
use super::batches::{Maker, Section, Sections, TokenSource};
use super::descent::{Descent, DescentReport};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::kernel::step::{Step, step, step_between};
use crate::kernel::vector::Vector;
use crate::learn::script::{EventStream, Numbering};
use crate::memory::{Grow, collected, copied, filled};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::buffer::Buffer;
use crate::tiles::columns::{Cut, Tile, Tiles};
use crate::tiles::home::{Fresh, Home, Initial};
use crate::tiles::result::Matrix;
use crate::tiles::rule::{Parameters, same};
use crate::tiles::width::WIDEST;

/// The work that a function takes, in slots.
const FUNCTION: usize = 16;

/// What to learn, and how. Lengths refer to the file, and to the rows and columns of the result.
pub struct DeltaPlan<'a, E> {
    /// The row of each of the file's cues.
    pub rows: &'a [u32],
    /// The column of each of the file's outcomes.
    pub columns: &'a [u32],
    /// Targets where an outcome is present, one a column.
    pub lambda: &'a [f64],
    /// How to learn it.
    pub descent: Descent<'a, E>,
    /// Bytes of batches to keep.
    pub budget: usize,
}

/// Learns the events of a file into `out`.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight becomes infinite or NaN, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Element>(
    file: &EventFile,
    plan: &DeltaPlan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<DescentReport> {
    let descent = &plan.descent;
    let (n_rows, n_columns) = (descent.alpha.len(), plan.lambda.len());
    descent.check([n_rows, n_columns], out)?;
    let rule = plan.rule()?;
    let (rows, columns) = (copied(plan.rows)?, copied(plan.columns)?);
    let numbering = Numbering { rows, n_rows, columns, n_columns, once: true };
    let mut source = TokenSource::read(&EventStream::new(file, numbering)?, monitor)?;
    let columns = plan.in_order(&source.first_events()?)?;
    let mut numbers = filled(0, n_columns)?;
    for (number, &column) in (0..).zip(&columns) {
        numbers[column as usize] = number;
    }
    source.renumber(&numbers);
    let sections = Sections::new(&source, descent.batch, descent.order, descent.passes, plan.budget)?;
    descent.check_factors(sections.batches())?;

    let slots = file.cues().counts().iter().fold(0_u64, |slots, &count| slots.saturating_add(count));
    let updates = slots.saturating_mul(descent.passes).saturating_mul(n_columns as u64);
    let copies = if sections.single() { 1 } else { 2 };
    let cut = Cut {
        kernel: descent.kernel.unwrap_or_else(Isa::best),
        threads: descent.threads,
        updates,
        tile: descent.tile,
        shape: [(copies * n_rows) as f64, slots as f64 / source.n_tokens().max(1) as f64],
    };
    let tiles = Tiles::new::<E>([n_rows, n_columns], &cut);
    let initial = descent.initial.map(|initial| Initial::whole(initial, n_columns)).transpose()?;
    let home = Fresh::all(&columns, n_rows, tiles.width, initial.as_ref(), (out, monitor))?;
    // Without tokens no pass would ever look at the monitor.
    let passes = if source.n_tokens() == 0 { 0 } else { descent.passes };
    monitor.set_total(source.n_tokens().saturating_mul(passes).saturating_mul(home.n_tiles() as u64));

    let start = |_| Ok((Buffer::zeros((copies - 1) * tiles.elements())?, sections.maker()?));
    let learn = |(before, maker): &mut (Buffer<E>, Maker), tile: &mut Tile<'_, E>| {
        let (weights, width, first) = (&mut *tile.weights, tile.width, tile.columns.start);
        let columns = &columns[tile.columns.clone()];
        let before = &mut before[..(copies - 1) * n_rows * width];
        before.copy_from_slice(&weights[..(copies - 1) * n_rows * width]);
        let mut lambda = collected(columns.iter().map(|&column| rule.lambda[column as usize]))?;
        lambda.grow_to(width, E::default())?;
        let zero = weights.iter().all(|weight| weight.is_positive_zero());
        let mut tile = DeltaTile {
            weights,
            before,
            width,
            first: first as u32,
            n_columns: columns.len(),
            lambda: &lambda,
            targets: &mut filled(E::default(), width)?,
            started: !zero || descent.activation != Activation::Identity,
        };
        let mut first = 0;
        for pass in 0..passes {
            sections.visit(pass, maker, monitor, |section| {
                let source = &source;
                let task = Delta { tile: &mut tile, descent, rule: &rule, source, section, first, monitor };
                first += section.len();
                run(cut.kernel, width, task)
            })?;
        }
        Ok(())
    };
    tiles.learn(&home, start, |state, tiles| tiles.iter_mut().try_for_each(|tile| learn(state, tile)))?;
    Ok(DescentReport { kernel: cut.kernel, tile: tiles.width, threads: tiles.threads })
}

impl<E: Element> DeltaPlan<'_, E> {
    /// The parameters, rounded and checked.
    fn rule(&self) -> Result<Parameters<E>> {
        let Descent { loss, alpha, beta, .. } = self.descent;
        if loss == Loss::Log
            && let Some(lambda) = self.lambda.iter().find(|lambda| !(0.0..=1.0).contains(*lambda))
        {
            return Err(Error::Argument(format!(
                "expected lambda between 0 and 1 for the log loss, of which other targets have no minimum, found \
                 {lambda}"
            )));
        }
        Parameters::new(alpha, beta, beta, self.lambda)
    }

    /// The columns in the order in which tiles have them. Where a column of zeros stays one until its outcome occurs, by
    /// the first event that has it.
    fn in_order(&self, first_events: &[usize]) -> Result<Vec<u32>> {
        let Descent { activation, initial, .. } = self.descent;
        let n_columns = self.lambda.len();
        let mut start =
            if activation == Activation::Identity { copied(first_events)? } else { filled(0, n_columns)? };
        for row in initial.unwrap_or_default().chunks_exact(n_columns.max(1)) {
            for (start, weight) in start.iter_mut().zip(row) {
                if !weight.is_positive_zero() {
                    *start = 0;
                }
            }
        }
        let mut columns = collected(0..n_columns as u32)?;
        // Equal ones in their order.
        columns.sort_unstable_by_key(|&column| (start[column as usize], column));
        Ok(columns)
    }
}

/// Some columns of all rows.
struct DeltaTile<'a, E> {
    /// The weights, row after row.
    weights: &'a mut [E],
    /// The weights before the batch, between batches equal to `weights`; empty where batches are single tokens.
    before: &'a mut [E],
    /// Elements in a row: a multiple of the lanes of the kernel.
    width: usize,
    /// The first of its columns, in the numbering of the source.
    first: u32,
    n_columns: usize,
    /// The target of each column where its outcome is present.
    lambda: &'a [E],
    /// The sum of these over the tokens of the group at hand; zero between groups.
    targets: &'a mut [E],
    /// Whether the weights are other than zero, or may become so without an outcome.
    started: bool,
}

impl<E: Element> DeltaTile<'_, E> {
    /// Which lane of the tile a column is.
    #[inline(always)]
    fn lane(&self, column: u32) -> Option<usize> {
        let lane = column.wrapping_sub(self.first) as usize;
        (lane < self.n_columns).then_some(lane)
    }
}

/// Learning a section of batches into a tile.
struct Delta<'a, 't, E> {
    tile: &'a mut DeltaTile<'t, E>,
    descent: &'a Descent<'a, E>,
    rule: &'a Parameters<E>,
    source: &'a TokenSource,
    section: &'a Section,
    /// The number of its first batch among those of all passes.
    first: usize,
    monitor: &'a Monitor,
}

impl<E: Element> Task<E> for Delta<'_, '_, E> {
    type Output = Result<()>;

    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) -> Result<()> {
        // SAFETY: the instruction set exists.
        unsafe {
            match same(&self.rule.alpha) {
                Some(alpha) => self.learn::<V, true, B>(alpha),
                None => self.learn::<V, false, B>(E::default()),
            }
        }
    }
}

impl<E: Element> Delta<'_, '_, E> {
    /// Learns with one salience for all cues, or with those of the rule.
    ///
    /// # Safety
    /// The instruction set of `V` must exist.
    #[inline(always)]
    #[expect(unsafe_code, reason = "calls the kernel")]
    unsafe fn learn<V: Vector<Element = E>, const UNIFORM: bool, const B: usize>(
        self,
        alpha: E,
    ) -> Result<()> {
        let Self { tile, descent, rule, source, section, first, monitor } = self;
        let width = tile.width;
        // The conditions that the pointers below rest on, together with the invariant of the source.
        assert!(width % (B * V::LANES) == 0 && (1..=WIDEST).contains(&width));
        assert!(tile.targets.len() == width && tile.lambda.len() == width && tile.n_columns <= width);
        assert!(rule.alpha.len() == source.n_rows() && tile.weights.len() == source.n_rows() * width);
        let single = tile.before.is_empty();
        assert!(single || tile.before.len() == tile.weights.len());
        let twice = descent.activation == Activation::Tanh;
        let function = if descent.activation == Activation::Identity { 0 } else { FUNCTION };
        let (mut done, mut work) = (0, 0);
        for batch in 0..section.len() {
            let (tokens, groups) = section.batch(batch);
            done += tokens;
            let occurs = |&(column, _): &(u32, u64)| tile.lane(column).is_some();
            if !tile.started && !section.outcomes(groups.clone()).iter().any(occurs) {
                continue;
            }
            tile.started = true;
            let rate = descent.rate(rule.beta1, first + batch, tokens);
            for group in groups {
                let (pattern, tokens, outcomes) = section.group(group);
                let (cues, once) = source.pattern(pattern);
                for &(column, count) in outcomes {
                    if let Some(lane) = tile.lane(column) {
                        let lambda = tile.lambda[lane];
                        let lambda = if twice { lambda.plus(lambda) } else { lambda };
                        tile.targets[lane] = lambda.times(E::from_f64(count as f64));
                    }
                }
                // SAFETY: every cue is below n_rows, the number of elements of `alpha` and of rows of `weights` and `before`,
                // and none comes twice if `once`: the source says so. `targets` and `lambda` have `width` elements.
                // `weights` is borrowed mutably, and does not overlap with `before`.
                unsafe {
                    let mut errors = DeltaErrors::<V, UNIFORM> {
                        alpha: V::splat(alpha),
                        saliences: &rule.alpha,
                        tokens: V::splat(E::from_f64(tokens as f64)),
                        targets: tile.targets.as_ptr(),
                        absent: twice.then_some(tile.lambda.as_ptr()),
                        unit: Unit {
                            activation: descent.activation,
                            loss: descent.loss,
                            rate: V::splat(rate),
                            columns: tile.n_columns,
                        },
                    };
                    let weights = tile.weights.as_mut_ptr();
                    if single {
                        step::<V, _, B>(weights, width, cues, once, &mut errors);
                    } else {
                        let before = tile.before.as_ptr();
                        step_between::<V, _, B>(before, weights, width, cues, &mut errors);
                    }
                }
                for &(column, _) in outcomes {
                    if let Some(lane) = tile.lane(column) {
                        tile.targets[lane] = E::default();
                    }
                }
                work += (cues.len() + function) * width + outcomes.len() + 1;
                if work >= Pulse::WORK {
                    monitor.check()?;
                    work = 0;
                }
            }
            if !single {
                for &row in section.touched(batch) {
                    let row = row as usize * width..(row as usize + 1) * width;
                    tile.before[row.clone()].copy_from_slice(&tile.weights[row]);
                }
                work += section.touched(batch).len() * width;
            }
            if work >= Pulse::WORK {
                monitor.advance(done)?;
                (done, work) = (0, 0);
            }
        }
        monitor.advance(done)
    }
}

/// The delta rule: sums are what the activation function is applied to, and updates are errors times a learning rate.
struct DeltaErrors<'a, V: Vector, const UNIFORM: bool> {
    /// The salience of all cues, if there is one.
    alpha: V,
    saliences: &'a [V::Element],
    /// How many tokens the group has.
    tokens: V,
    /// For each column the sum of targets of the tokens that have its outcome.
    targets: *const V::Element,
    /// What each token takes off the sum of targets, if anything.
    absent: Option<*const V::Element>,
    unit: Unit<V>,
}

#[expect(unsafe_code, reason = "calls vectors")]
// SAFETY: by the contract of the methods the instruction set exists, and rows are below the number of saliences.
unsafe impl<V: Vector, const UNIFORM: bool> Step<V> for DeltaErrors<'_, V, UNIFORM> {
    const UNIFORM: bool = UNIFORM;

    #[inline(always)]
    fn factors(&self) -> &[V::Element] {
        self.saliences
    }

    #[inline(always)]
    unsafe fn update<const B: usize>(&mut self, column: usize, sums: [V; B]) -> [V; B] {
        // SAFETY: see above; there are as many targets, and elements of `absent`, as columns.
        unsafe {
            let mut targets = sums;
            for (b, target) in targets.iter_mut().enumerate() {
                let at = column + b * V::LANES;
                *target = V::load(self.targets.add(at));
                if let Some(absent) = self.absent {
                    *target = target.minus(self.tokens.times(V::load(absent.add(at))));
                }
            }
            let (_, mut updates) = self.unit.errors_and_updates(column, sums, targets, self.tokens);
            if UNIFORM {
                for update in &mut updates {
                    *update = self.alpha.times(*update);
                }
            }
            updates
        }
    }
}
