//! Learning where the weights lie: by the forward method, on the rows of the events' cues alone.
//!
//! A tile is filled from the weights, learns all events, and goes back to where it came from. What is done to the weights is what
//! [`super::learn`] does with the same weights to begin with, so their bits are the same; other rows are neither read nor written.
//! Nothing here takes time or memory for rows that no event has. When the work is stopped, or a weight leaves the finite
//! numbers, some tiles have learned all events and the others none.

use std::sync::{Mutex, PoisonError};

use super::clock::Clock;
use super::forward::{Course, EVENT, Place, Tokens, begins_with_negative_zero};
use super::matrix::{Entry, check_finite};
use super::order;
use super::rule::{Rates, Rule};
use super::stream::{Column, NONE, Numbering, Runs, Stream};
use super::survey::Survey;
use super::tiles::{each_tile, padded, width};
use super::twins::Twins;
use super::{Facts, Job, Kernels, Method, NAMES, Plan, Report, SMALL};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::grow::{Grow, collected, copied, filled};
use crate::kernel::buffer::Buffer;
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;
use crate::monitor::Monitor;
use crate::threads::sensible;

const TILES: &str = "the tiles of weights";

/// Weights of the caller's, or some of their columns.
pub trait Slab<E>: Sized + Send {
    /// Rows and columns.
    fn shape(&self) -> [usize; 2];
    /// Cuts them into slabs of so many columns, the last of which may have fewer.
    ///
    /// # Errors
    /// When there is no memory for a list of them.
    fn cut(self, width: usize) -> Result<Vec<Self>>;
    /// Copies a row that exists to the beginning of `to`.
    fn load(&self, row: usize, to: &mut [E]);
    /// Copies the beginning of `from` to a row that exists.
    fn store(&mut self, row: usize, from: &[E]);
}

/// Events and weights that fit each other: nothing is learned yet.
pub struct InPlace<'a, E, B, S> {
    job: Job<'a, E>,
    stream: Stream<'a, B>,
    /// The row of the weights for each row of the plan.
    rows: &'a [u32],
    slabs: Vec<S>,
    /// Columns in a slab.
    width: usize,
}

impl<'a, E: Kernels, B: AsRef<[u8]> + Sync, S: Slab<E>> InPlace<'a, E, B, S> {
    /// Looks at the events and at the rows of the weights that they have. The plan's rows are the file's cues, in its order, and
    /// `rows` says where each is in the weights; its columns are all columns of the weights.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for the first of those weights that is not, by columns; otherwise as [`super::learn`].
    pub fn new(
        file: &'a EventFile<B>,
        plan: &'a Plan<'a, E>,
        rows: &'a [u32],
        weights: S,
        monitor: &'a Monitor,
    ) -> Result<Self> {
        check(plan, rows, weights.shape())?;
        plan.check(file, &[])?;
        let rule = Rule::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
        let alone = |n: usize| Twins::new((0..n).map(|_| None));
        let twins = [alone(rows.len())?, alone(file.outcomes().len())?];
        let survey = Survey::of(file, plan.rows, plan.alpha, twins, plan.budget, monitor)?;
        let mut facts = Facts {
            max_kappa: survey.max_kappa,
            slots: survey.slots,
            visits: survey.visits,
            tokens: file.header().n_tokens,
            ..Facts::default()
        };
        let n_columns = plan.lambda.len();
        let small = survey.slots.saturating_mul(n_columns as u64) < SMALL;
        let threads = if small { 1 } else { sensible(plan.threads) };
        let (kernel, slots) = (plan.kernel.unwrap_or_else(Kernel::best), facts.slots_of_event());
        let width = width::<E>(plan.tile, kernel, n_columns, [rows.len() as f64, slots], threads);
        let slabs = weights.cut(width)?;
        let columns = columns(&survey, plan, &started(&slabs, rows, width, n_columns, monitor)?, facts.tokens)?;
        let updates = columns.iter().map(|column| survey.slots - column.slots);
        facts.forward_updates = updates.fold(0, u64::saturating_add);
        let mut columns = collected(columns.into_iter().map(|column| column.column), TILES)?;
        for tile in columns.chunks_mut(width) {
            let start = tile.iter().map(|column| (column.start, column.before)).min().unwrap_or_default();
            tile.iter_mut().for_each(|column| (column.start, column.before) = start);
        }
        let place = plan.columns.iter().map(|column| column.unwrap_or(NONE));
        let numbering = Numbering {
            rows: copied(plan.rows, NAMES)?,
            n_rows: rows.len(),
            columns: collected(place, NAMES)?,
            n_columns,
        };
        let room = (plan.budget as u64).saturating_sub(survey.made_ready()) / file.len().max(1);
        let stream = Stream::new(file, numbering, survey.chunks, monitor)?;
        let job = Job {
            plan,
            rule,
            method: Method::Forward,
            columns,
            tracked: Vec::new(),
            twins: Vec::new(),
            kept: Vec::new(),
            kernel,
            threads,
            room,
            facts,
            monitor,
            slots,
            clock: Clock::default(),
        };
        Ok(Self { job, stream, rows, slabs, width })
    }

    /// Learns all events, tile by tile.
    ///
    /// # Errors
    /// As [`super::learn`]; tiles that were done have learned all events.
    pub fn learn(self) -> Result<Report> {
        let Self { job, stream, rows, slabs, width } = self;
        let (plan, end, n_events) = (job.plan, job.facts.tokens, stream.len());
        let tiles = collected(job.columns.chunks(width), TILES)?;
        let before = |tile: &[Column]| tile.first().map_or(end, |column| column.before);
        job.monitor.set_total(tiles.iter().map(|tile| end.saturating_sub(before(tile))).sum());
        let rates = plan
            .schedule
            .map(|schedule| Rates::new::<E>([plan.beta1, plan.beta2], schedule, end, job.monitor))
            .transpose()?;
        let ordered = rates.is_none() && order::pays::<E>(tiles.len(), rows.len(), width);
        let runs = Runs::new(
            stream,
            job.room >= EVENT,
            job.threads,
            job.monitor,
            || Ok(()),
            |(), segment| {
                let tokens = Tokens::of(segment)?;
                if ordered { tokens.ordered() } else { Ok(tokens) }
            },
        )?;
        let slabs = collected(slabs.into_iter().map(Mutex::new), TILES)?;
        let desk = || Buffer::zeros(rows.len().saturating_mul(width));
        each_tile(job.threads, tiles.len(), desk, |weights, index| {
            let (columns, first) = (tiles[index], (index * width) as u32);
            if columns.first().is_none_or(|column| column.start >= n_events) {
                return Ok(());
            }
            let place = Place { columns, first, width: padded::<E>(columns.len(), job.kernel) };
            let weights = &mut weights[..rows.len() * place.width];
            // No other thread takes this tile.
            let mut slab = slabs[index].lock().unwrap_or_else(PoisonError::into_inner);
            weights.fill(E::default());
            for (weights, &row) in weights.chunks_exact_mut(place.width).zip(rows) {
                slab.load(row as usize, weights);
            }
            let negative_zeros = begins_with_negative_zero(weights);
            let course = Course { token: before(columns), rates: rates.as_ref(), mean: None };
            place.learn(weights, negative_zeros, course, None, &job, &runs)?;
            let across = collected((0..columns.len() as u32).map(|lane| Entry { from: lane, to: lane }), TILES)?;
            check_finite(weights, place.width, &across, |row, lane| {
                (rows[row] as usize, columns[lane].targets[0] as usize)
            })?;
            for (weights, &row) in weights.chunks_exact(place.width).zip(rows) {
                slab.store(row as usize, weights);
            }
            Ok(())
        })?;
        drop(runs);
        Ok(job.report(width))
    }
}

fn check<E>(plan: &Plan<'_, E>, rows: &[u32], [n_rows, n_columns]: [usize; 2]) -> Result<()> {
    let wrong = |message: &str| Err(Error::Argument(message.into()));
    if plan.average || plan.initial.is_some() || plan.keep.is_some() || plan.method == Some(Method::Adjoint) {
        return wrong("expected weights to learn in place by the forward method, all columns, and no mean of them");
    }
    let mut sorted = copied(rows, NAMES)?;
    sorted.sort_unstable();
    let distinct = sorted.is_sorted_by(|a, b| a < b);
    let inside = sorted.last().is_none_or(|&last| (last as usize) < n_rows);
    let numbered = (0..).zip(plan.rows).all(|(number, &row)| number == row);
    if !distinct || !inside || !numbered || rows.len() != plan.alpha.len() || n_columns != plan.lambda.len() {
        return wrong("expected a row of the weights for every cue, and a lambda for every column");
    }
    Ok(())
}

/// Which columns do not start at zero in the rows that are learned.
fn started<E: Element, S: Slab<E>>(
    slabs: &[S],
    rows: &[u32],
    width: usize,
    n_columns: usize,
    monitor: &Monitor,
) -> Result<Vec<bool>> {
    let mut started = filled(false, n_columns, NAMES)?;
    let mut weights = filled(E::default(), width, TILES)?;
    for (tile, (slab, started)) in slabs.iter().zip(started.chunks_mut(width)).enumerate() {
        monitor.check()?;
        let mut wrong: Option<(usize, u32, f64)> = None;
        for &row in rows {
            let weights = &mut weights[..started.len()];
            slab.load(row as usize, weights);
            for (lane, (started, weight)) in started.iter_mut().zip(weights).enumerate() {
                *started |= !weight.is_positive_zero();
                if !weight.is_finite() && wrong.is_none_or(|(first, ..)| lane < first) {
                    wrong = Some((lane, row, weight.to_f64()));
                }
            }
        }
        if let Some((lane, row, value)) = wrong {
            return Err(Error::NotFinite { row: row as usize, column: tile * width + lane, value });
        }
    }
    Ok(started)
}

/// A column, and how many slots come before the first event that can change it.
struct Late {
    column: Column,
    slots: u64,
}

/// All columns, each with the first event that can change it.
fn columns<E>(survey: &Survey, plan: &Plan<'_, E>, started: &[bool], tokens: u64) -> Result<Vec<Late>> {
    let (end, n_events) = (survey.slots, survey.n_events());
    let mut columns = Vec::new();
    columns.make_room(started.len(), TILES)?;
    for (target, &started) in (0..).zip(started) {
        let (start, before, slots) = if started { (0, 0, 0) } else { (n_events, tokens, end) };
        let column = Column { targets: copied(&[target], TILES)?, start, before };
        columns.push(Late { column, slots });
    }
    for (column, first) in plan.columns.iter().zip(&survey.first) {
        if let (Some(column), Some(first)) = (column, first) {
            let late = &mut columns[*column as usize];
            if late.column.start > first.events {
                (late.column.start, late.column.before, late.slots) = (first.events, first.tokens, first.slots);
            }
        }
    }
    Ok(columns)
}
