//! Learning in place, in the caller's array: by the forward method, on the rows of the cues that occur in the events alone.
//!
//! A tile is copied from the weights, learns all events, and is copied back. The weights get the same bits as by [`Plan::learn`]
//! with these weights as initial weights. Rows that no event has are neither read nor written, and take no time and no memory. If
//! the work is stopped, or a weight becomes infinite or NaN, some tiles have learned all events and the others none.

use std::sync::Mutex;

use super::checked_plan::decoded;
use super::costs::{Facts, max_kappa};
use super::forward::learn_tile;
use super::job::Report;
use super::order;
use super::plan::Plan;
use super::script::{EventStream, NONE, Numbering};
use super::stretch::{EVENT, OrderedEvents};
use super::tile::{Columns, Lanes, LearnsColumns, Run, Targets};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::survey::summary::{Position, Survey};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::memory::{Grow, collected, copied, filled};
use crate::monitor::Monitor;
use crate::threads::{lock, sensible};
use crate::tiles::buffer::Buffer;
use crate::tiles::columns::{Cut, Tiles};
use crate::tiles::home::Home;
use crate::tiles::method::Method;
use crate::tiles::result::{Entry, check_finite};
use crate::tiles::rule::{Parameters, Rates};
use crate::tiles::vectors::Vectors;
use crate::tiles::width::{SMALL, WIDEST};

/// Small work takes tiles as wide as can be, if one fits in this many bytes: each tile has a fixed cost.
const ONE_TILE: usize = 128 << 10;

/// The caller's weights, or some of their columns.
pub trait Slab<E>: Sized + Send {
    /// Rows and columns.
    fn shape(&self) -> [usize; 2];
    /// Cuts them into slabs of `width` columns; the last may have fewer.
    ///
    /// # Errors
    /// When there is no memory for a list of them.
    fn cut(self, width: usize) -> Result<Vec<Self>>;
    /// Copies a row that exists to the beginning of `to`.
    fn load(&self, row: usize, to: &mut [E]);
    /// Copies the beginning of `from` to a row that exists.
    fn store(&mut self, row: usize, from: &[E]);
}

/// Events and weights that were checked against each other; nothing is learned yet.
pub struct InPlace<'a, E: Clone, S> {
    plan: &'a Plan<'a, E>,
    /// What outcomes stand for, unless for columns.
    vectors: Option<Vectors<'a, E>>,
    rule: Parameters<E>,
    tiles: Tiles,
    facts: Facts,
    /// Whether all events fit the plan's budget as scripts.
    fits: bool,
    stream: EventStream,
    home: Slabs<S>,
    monitor: &'a Monitor,
}

/// The caller's weights, cut into tiles, without those that no event can change.
struct Slabs<S> {
    slabs: Vec<Cutting<S>>,
    /// The row of the weights for each row of a tile.
    rows: Vec<u32>,
}

/// The columns of the caller's weights that are a tile.
struct Cutting<S> {
    slab: Mutex<S>,
    /// The number of its first column, and how many it has.
    first: usize,
    n: usize,
    /// The position before the first event that can change one of them.
    start: Position,
}

impl<'a, E: LearnsColumns, S: Slab<E>> InPlace<'a, E, S> {
    /// Checks the events, and the weights in the rows of their cues. The plan's rows are the file's cues, in the file's order;
    /// `rows` says where each is in the weights. The plan's columns are all columns of the weights. Where outcomes stand for
    /// `vectors`, one after another, with a number for each column, no outcome has a column.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for the first weight, column by column, that is not finite; otherwise as [`Plan::learn`].
    pub fn new(
        file: &'a EventFile,
        plan: &'a Plan<'a, E>,
        rows: &'a [u32],
        vectors: Option<&'a [E]>,
        weights: S,
        monitor: &'a Monitor,
    ) -> Result<Self> {
        check_plan(plan, rows, weights.shape())?;
        check_vectors(plan, file, vectors)?;
        plan.check(file, &[])?;
        let survey = file.survey(sensible(plan.threads), monitor)?;
        let occurs = |cue: usize| survey.after_last[cue].events > 0;
        let (mut numbers, mut alpha, mut those) = (filled(NONE, rows.len())?, Vec::new(), Vec::new());
        for (cue, &row) in rows.iter().enumerate().filter(|(cue, _)| occurs(*cue)) {
            numbers[cue] = those.len() as u32;
            those.grow(row)?;
            alpha.grow(plan.alpha[cue])?;
        }
        let (rows, n_rows) = (those, alpha.len());
        let rule = Parameters::<E>::new(&alpha, plan.beta1, plan.beta2, plan.lambda)?;
        let max_kappa = max_kappa(file, (plan.rows, plan.alpha), survey, sensible(plan.threads), monitor)?;
        let mut facts = Facts::of(survey, max_kappa, file.header().n_tokens);
        let n_columns = plan.lambda.len();
        let vectors = vectors.map(|numbers| Vectors { numbers, size: n_columns });
        let (updates, widest) = (facts.slots.saturating_mul(n_columns as u64), n_columns.min(WIDEST));
        let fits = updates < SMALL && n_rows.saturating_mul(widest * size_of::<E>()) <= ONE_TILE;
        let cut = Cut {
            kernel: plan.kernel.unwrap_or_else(Isa::best),
            threads: sensible(plan.threads),
            updates,
            tile: plan.tile.or(fits.then_some(widest)),
            shape: [n_rows as f64, facts.slots_of_event()],
        };
        let tiles = Tiles::new::<E>([n_rows, n_columns], &cut);
        let width = tiles.width;
        let slabs = weights.cut(width)?;
        let end = Position { events: file.len(), tokens: facts.tokens, slots: facts.slots };
        let mut started = columns_not_zero(&slabs, &rows, width, n_columns, monitor)?;
        if vectors.is_some() {
            // Any event may change any column.
            started.fill(true);
        }
        let columns = column_starts(survey, end, plan, &started)?;
        let updates = columns.iter().map(|start| facts.slots - start.slots);
        facts.forward_updates = updates.fold(0, u64::saturating_add);
        let mut numbering = Numbering::of_names(file, vectors.is_none())?;
        (numbering.rows, numbering.n_rows) = (numbers, n_rows);
        if vectors.is_none() {
            let columns = plan.columns.iter().map(|column| column.unwrap_or(NONE));
            (numbering.columns, numbering.n_columns) = (collected(columns)?, n_columns);
        }
        let cuttings =
            slabs.into_iter().zip(columns.chunks(width)).enumerate().filter_map(|(i, (slab, tile))| {
                let start = tile.iter().copied().min_by_key(|start| start.events)?;
                let slab = Mutex::new(slab);
                (start.events < end.events).then_some(Cutting {
                    slab,
                    first: i * width,
                    n: tile.len(),
                    start,
                })
            });
        let home = Slabs { slabs: collected(cuttings)?, rows };
        let fits = decoded(survey, file, EVENT) <= plan.budget as u64;
        let stream = EventStream::new(file, numbering)?;
        Ok(Self { plan, vectors, rule, tiles, facts, fits, stream, home, monitor })
    }

    /// Learns all events, tile by tile.
    ///
    /// # Errors
    /// As [`Plan::learn`]. Tiles that were finished before the error have learned all events.
    pub fn learn(self) -> Result<Report> {
        let Self { plan, vectors, rule, tiles, facts, fits, stream, home, monitor } = self;
        let Tiles { kernel, threads, n_rows, width, .. } = tiles;
        let end = facts.tokens;
        monitor.set_total(home.slabs.iter().map(|slab| end.saturating_sub(slab.start.tokens)).sum());
        let betas = [plan.beta1, plan.beta2];
        let rates = plan.schedule.as_ref().map(|schedule| Rates::new::<E>(betas, schedule, end, monitor));
        let rates = rates.transpose()?;
        let ordered = rates.is_none() && order::pays::<E>(home.slabs.len(), n_rows, width);
        let chunks = OrderedEvents::all(stream, ordered, fits, threads, monitor)?;
        let run = Run { rule: &rule, kernel, tokens: end, monitor };
        let lanes = |_| Buffer::zeros(Lanes::<E>::EACH.saturating_mul(width));
        tiles.learn(&home, lanes, |lanes, tiles| {
            tiles.iter_mut().try_for_each(|tile| {
                let &Cutting { first, n, start, .. } = &home.slabs[tile.number];
                let lambda = &rule.lambda[first..first + n];
                let targets = match vectors {
                    Some(vectors) => Targets::Vectors { vectors, first, n },
                    None => Targets::Names(Columns { first: first as u32, lanes: &[], lambda }),
                };
                learn_tile(tile, targets, start, lanes, rates.as_ref(), &run, &chunks)
            })
        })?;
        Ok(Report { method: Method::Forward, kernel, tile: width, threads, facts })
    }
}

impl<E: Element, S: Slab<E>> Home<E> for Slabs<S> {
    type Room = ();

    fn n_tiles(&self) -> usize {
        self.slabs.len()
    }

    fn n_columns(&self, tile: usize) -> usize {
        self.slabs[tile].n
    }

    fn room(&self) -> Result<()> {
        Ok(())
    }

    fn fetch(&self, tile: usize, weights: &mut [E], width: usize) -> Result<()> {
        let Cutting { slab, n, .. } = &self.slabs[tile];
        let slab = lock(slab);
        for (weights, &row) in weights.chunks_exact_mut(width).zip(&self.rows) {
            slab.load(row as usize, &mut weights[..*n]);
        }
        Ok(())
    }

    fn put(&self, tile: usize, weights: &[E], width: usize, _: &mut ()) -> Result<()> {
        let Cutting { slab, first, n, .. } = &self.slabs[tile];
        let lanes = collected((0..*n as u32).map(|lane| Entry { from: lane, to: lane }))?;
        check_finite(weights, width, &lanes, |row, lane| (self.rows[row] as usize, first + lane))?;
        let mut slab = lock(slab);
        for (weights, &row) in weights.chunks_exact(width).zip(&self.rows) {
            slab.store(row as usize, &weights[..*n]);
        }
        Ok(())
    }
}

fn check_plan<E: Clone>(plan: &Plan<'_, E>, rows: &[u32], [n_rows, n_columns]: [usize; 2]) -> Result<()> {
    let wrong = |message: &str| Err(Error::Argument(message.into()));
    if plan.average || plan.initial.is_some() || plan.keep.is_some() || plan.method == Some(Method::Adjoint) {
        return wrong(
            "expected weights to learn in place by the forward method, all columns, and no mean of them",
        );
    }
    if plan.retention != 1.0 {
        return wrong(
            "retention must be 1 to learn in place: rows that no event has would be forgotten, too",
        );
    }
    let mut sorted = copied(rows)?;
    sorted.sort_unstable();
    let distinct = sorted.is_sorted_by(|a, b| a < b);
    let inside = sorted.last().is_none_or(|&last| (last as usize) < n_rows);
    let numbered = (0..).zip(plan.rows).all(|(number, &row)| number == row);
    if !distinct
        || !inside
        || !numbered
        || [plan.rows.len(), plan.alpha.len()] != [rows.len(); 2]
        || n_columns != plan.lambda.len()
    {
        return wrong("expected a row of the weights for every cue, and a lambda for every column");
    }
    Ok(())
}

fn check_vectors<E: Clone>(plan: &Plan<'_, E>, file: &EventFile, vectors: Option<&[E]>) -> Result<()> {
    let Some(vectors) = vectors else { return Ok(()) };
    let fits = Some(vectors.len()) == file.outcomes().len().checked_mul(plan.lambda.len());
    if fits && plan.columns.iter().all(Option::is_none) {
        return Ok(());
    }
    Err(Error::Argument(
        "expected a vector for every outcome, with a number for each column, and no columns of outcomes"
            .into(),
    ))
}

/// Which columns do not start at zero in the rows that are learned.
fn columns_not_zero<E: Element, S: Slab<E>>(
    slabs: &[S],
    rows: &[u32],
    width: usize,
    n_columns: usize,
    monitor: &Monitor,
) -> Result<Vec<bool>> {
    let mut started = filled(false, n_columns)?;
    let mut weights = filled(E::default(), width)?;
    for (tile, (slab, started)) in slabs.iter().zip(started.chunks_mut(width)).enumerate() {
        monitor.check()?;
        let mut wrong: Option<(usize, u32, f64)> = None;
        for &row in rows {
            let weights = &mut weights[..started.len()];
            slab.load(row as usize, weights);
            // No early exit, so that the compiler makes vector code of the loops.
            started
                .iter_mut()
                .zip(&*weights)
                .for_each(|(started, weight)| *started |= !weight.is_positive_zero());
            if !weights.iter().fold(true, |finite, weight| finite & weight.is_finite()) {
                let lane = weights.iter().position(|weight| !weight.is_finite()).unwrap_or_default();
                if wrong.is_none_or(|(first, ..)| lane < first) {
                    wrong = Some((lane, row, weights[lane].to_f64()));
                }
            }
        }
        if let Some((lane, row, value)) = wrong {
            return Err(Error::NotFinite { row: row as usize, column: tile * width + lane, value });
        }
    }
    Ok(started)
}

/// For each column of the weights the position before the first event that can change it.
fn column_starts<E: Clone>(
    survey: &Survey,
    end: Position,
    plan: &Plan<'_, E>,
    started: &[bool],
) -> Result<Vec<Position>> {
    let start = |&started: &bool| if started { Position::default() } else { end };
    let mut columns = collected(started.iter().map(start))?;
    for (column, first) in plan.columns.iter().zip(&survey.first) {
        if let (Some(column), Some(first)) = (column, first) {
            let start = &mut columns[*column as usize];
            if start.events > first.events {
                *start = *first;
            }
        }
    }
    Ok(columns)
}
