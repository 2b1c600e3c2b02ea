//! The forward method: tiles of outcomes, every tile streams the events in order.
//!
//! `tile` says what a tile does with an event. This file departs from the plain rule as follows:
//!
//! 1. The columns are cut into tiles, tiles into blocks of vectors.
//! 2. A tile starts at the first event that can change one of its columns.
//! 3. Columns of padding stay zero.
//! 4. Events that share no cue may be reordered (`order`).
//!
//! None of this changes a bit of any column: the result is that of the scalar rule. A cue that an event names twice is summed
//! twice and updated twice, one after the other, as the rule says.
//!
//! A schedule sets beta1 and beta2 before each token, and a mean adds up the rows that a token will change (`mean`). If neither
//! is used, they cost at most one comparison for each token. Trajectories record weights between tokens, by learning one piece of
//! the events after another (`trajectory`).

use super::checked_plan::{CheckedPlan, LearnedColumn, Start};
use super::general::{RuleTile, TokenRoom, begin_states};
use super::mean::Mean;
use super::script::{Chunks, EventStream, NONE};
use super::stretch::OrderedEvents;
use super::tile::{ColumnTile, Columns, Lanes, LearnsColumns, PerToken, Run, Targets};
use super::trajectory::{Tracer, Traces, Walk};
use crate::error::Result;
use crate::events::survey::summary::Position;
use crate::kernel::element::Element;
use crate::memory::{collected, copied, filled, gathered};
use crate::rules::rescorla_wagner::RescorlaWagner;
use crate::rules::rule::Rule;
use crate::tiles::buffer::Buffer;
use crate::tiles::columns::{Tile, Tiles};
use crate::tiles::forgetting::Rows;
use crate::tiles::home::{Fresh, Home, Initial};
use crate::tiles::result::{Axis, Entry, Matrix};
use crate::tiles::rule::Rates;

/// What happens to the learned tiles.
pub(super) enum Goal<'g, 'a, E> {
    /// After all tokens the weights, or their means, are written to a result whose first column has this number; and the states of
    /// the rule to others, if there are any.
    Weights(&'g Matrix<'a, E>, u32, &'g [Matrix<'a, E>]),
    /// Weights are recorded at chosen tokens; learning ends at the last of these.
    Traces(&'g Traces<'a, E>),
}

/// Learns columns, and returns the width of the tiles.
///
/// # Errors
/// See [`super::Plan::learn`].
pub(super) fn learn<'g, 'a, E: LearnsColumns, R: Rule<E>>(
    checked: &CheckedPlan<E>,
    (start, rule): (&Start<'_, E>, &R),
    columns: &[LearnedColumn],
    chunks: &Chunks<OrderedEvents>,
    goal: &Goal<'g, 'a, E>,
    threads: usize,
    run: &Run<'_, E>,
) -> Result<usize> {
    let (monitor, n_rows) = (run.monitor, checked.rule.alpha.len());
    let width = checked.width(columns.len(), threads);
    let end = match goal {
        Goal::Weights(..) => checked.facts.tokens,
        Goal::Traces(traces) => traces.end(),
    };
    let before = |tile: &[LearnedColumn]| tile.first().map_or(end, |column| column.before);
    monitor.add_total(columns.chunks(width).map(|tile| end.saturating_sub(before(tile))).sum());
    let rates = start.schedule.as_ref().map(|schedule| Rates::new::<E>(start.betas, schedule, end, monitor));
    let rates = rates.transpose()?;
    let along = collected((0..).zip(&checked.kept).map(|(to, &from)| Entry { from, to }))?;
    let of_states = start.initial.as_ref().map_or(Ok(Vec::new()), Initial::of_states)?;
    let home = |initial, out: Option<&'g Matrix<'a, E>>, origin| {
        let filling = out.map(|out| out.begin(Axis::Columns, copied(&along)?, monitor)).transpose()?;
        Ok(Fresh { columns, width, initial, filling, origin })
    };
    let (out, origin, outs) = match goal {
        Goal::Weights(out, origin, outs) => (Some(*out), *origin, *outs),
        Goal::Traces(_) => (None, 0, &[][..]),
    };
    let weights = home(start.initial.as_ref(), out, origin)?;
    let states = 0..rule.state().as_ref().len();
    let states = gathered(states.map(|i| home(of_states.get(i), outs.get(i), origin)))?;
    // Room for one row at least, so that each tile has a piece of each buffer.
    let (rows, means) = (n_rows.max(1), usize::from(start.average));
    let lasts = usize::from(checked.retention.is_some());
    let (elements, of_lanes) = (rows.saturating_mul(width), Lanes::<E>::EACH.saturating_mul(width));
    let in_kernel = R::KERNEL && checked.retention.is_none();
    let of_room = if in_kernel { 0 } else { TokenRoom::<E>::EACH.saturating_mul(width) };
    let most = match goal {
        Goal::Weights(..) => {
            let of_means = means * (size_of::<f64>() * width + size_of::<u64>());
            let each = size_of::<E>() * (1 + states.len());
            let bytes = rows.saturating_mul(each * width + of_means + lasts * size_of::<u64>());
            checked.tiles_in_pass(chunks.are_kept(), bytes)
        }
        // Trajectories take one tile in each pass.
        Goal::Traces(_) => 1,
    };
    let tiles = Tiles { kernel: checked.kernel, threads, n_rows, width, most };
    let buffers = |most: usize| {
        Ok(Buffers {
            sums: Buffer::zeros(elements.saturating_mul(most * means))?,
            since: filled(0, rows * most * means)?,
            last: filled(0, rows * most * lasts)?,
            lanes: Buffer::zeros(of_lanes * most)?,
            states: gathered((0..most).map(|_| Buffer::zeros(elements.saturating_mul(states.len()))))?,
            room: gathered((0..most).map(|_| Buffer::zeros(of_room)))?,
            lines: gathered(states.iter().map(|state| state.room()))?,
        })
    };
    tiles.learn(&weights, buffers, |buffers, tiles| {
        let of = |tile: &Tile<'_, E>| &columns[tile.columns.clone()];
        let lists = gathered(tiles.iter().map(|tile| TileLists::of(of(tile), checked)))?;
        let mut means = buffers.sums.chunks_mut(elements).zip(buffers.since.chunks_mut(rows));
        let mut last = buffers.last.chunks_mut(rows);
        let own = buffers.lanes.chunks_mut(of_lanes).zip(&mut buffers.states).zip(&mut buffers.room);
        let learning = tiles.iter_mut().zip(&lists).zip(own);
        let learning = learning.map(|((tile, lists), ((lanes, numbers), room))| {
            let (columns, width) = (of(tile), tile.width);
            let numbers = &mut numbers[..n_rows * width * states.len()];
            let size = n_rows * width;
            begin_states(rule, tile.weights, numbers);
            for (state, numbers) in states.iter().zip(numbers.chunks_mut(size.max(1))) {
                state.fetch(tile.number, numbers, width)?;
            }
            let mean = means
                .next()
                .map(|(sums, since)| Mean::new(&mut sums[..n_rows * width], &mut since[..n_rows], width));
            let per_token = PerToken { token: before(columns), rates: rates.as_ref(), mean };
            let tracer = match goal {
                Goal::Weights(..) => None,
                Goal::Traces(traces) => Some(traces.tracer(columns, per_token.token)?),
            };
            let start = columns.first().map_or(u64::MAX, |column| column.start);
            let first = columns.first().map_or(0, |column| column.number);
            let targets = Targets::Names(Columns { first, lanes: &lists.lanes, lambda: &lists.lambda });
            let lanes = Lanes::of(lanes, width);
            let tile = ColumnTile::new(tile.weights, width, targets, run.rule, lanes, per_token);
            let forgotten = checked.retention.as_ref().zip(last.next());
            let forgotten = forgotten.map(|(retention, last)| Rows::new(retention, last, before(columns)));
            let tile = RuleTile::new(tile, rule, numbers, TokenRoom::of(room, width), forgotten)?;
            Ok(BegunTile::new(tile, start, tracer, chunks.stream()))
        });
        learn_tiles(&mut gathered(learning)?, run, chunks)?;
        for (tile, numbers) in tiles.iter().zip(&buffers.states) {
            let numbers = numbers.chunks((n_rows * tile.width).max(1));
            for ((state, numbers), lines) in states.iter().zip(numbers).zip(&mut buffers.lines) {
                state.put(tile.number, numbers, tile.width, lines)?;
            }
        }
        Ok(())
    })?;
    Ok(width)
}

/// The buffers of a thread. Each tile of a pass has a piece of each of them.
struct Buffers<E> {
    /// For means: a sum for each weight.
    sums: Buffer<f64>,
    /// For means: for each row the token that changed it last.
    since: Vec<u64>,
    /// For forgetting: for each row the token that changed it last.
    last: Vec<u64>,
    /// Targets and rates for the lanes of a tile.
    lanes: Buffer<E>,
    /// The states that a rule has besides weights, and what it needs for the lanes; of each tile.
    states: Vec<Buffer<E>>,
    room: Vec<Buffer<E>>,
    /// Lines of a result in a file, for each state.
    lines: Vec<Buffer<E>>,
}

/// The lists that the [`Columns`] of a tile borrow.
struct TileLists<E> {
    lambda: Vec<E>,
    lanes: Vec<u32>,
}

impl<E: Element> TileLists<E> {
    fn of(columns: &[LearnedColumn], checked: &CheckedPlan<E>) -> Result<Self> {
        let lambda = columns.iter().map(|column| checked.rule.lambda[column.targets[0] as usize]);
        let mut lanes = Vec::new();
        if !columns.is_sorted_by(|one, next| one.number + 1 == next.number) {
            lanes = filled(NONE, checked.columns.len())?;
            (0..).zip(columns).for_each(|(lane, column)| lanes[column.number as usize] = lane);
        }
        Ok(Self { lambda: collected(lambda)?, lanes })
    }
}

/// A tile that is learning.
struct BegunTile<'t, 'a, E: Element, R: Rule<E>> {
    tile: RuleTile<'t, E, R>,
    /// The first chunk that has an event for the tile.
    first: usize,
    /// The number of events in that chunk before the tile's first event. Zero once the chunk is learned.
    skip: usize,
    tracer: Option<Tracer<'t, 'a, E>>,
}

/// Learns all events from a position on into a tile, with a schedule perhaps.
///
/// # Errors
/// When stopped, or events cannot be read.
pub(crate) fn learn_tile<E: LearnsColumns>(
    tile: &mut Tile<'_, E>,
    targets: Targets<'_, E>,
    start: Position,
    lanes: &mut Buffer<E>,
    rates: Option<&Rates<'_>>,
    run: &Run<'_, E>,
    chunks: &Chunks<OrderedEvents>,
) -> Result<()> {
    let (width, per_token) = (tile.width, PerToken { token: start.tokens, rates, mean: None });
    let tile = ColumnTile::new(tile.weights, width, targets, run.rule, Lanes::of(lanes, width), per_token);
    let tile = RuleTile::new(tile, &RescorlaWagner, &mut [], TokenRoom::of(&mut [], width), None)?;
    learn_tiles(&mut [BegunTile::new(tile, start.events, None, chunks.stream())], run, chunks)
}

/// Learns all events into some tiles, chunk after chunk. Tiles do not depend on each other, so each has the bits that it would have
/// alone.
///
/// # Errors
/// When stopped, or events cannot be read.
fn learn_tiles<E: LearnsColumns, R: Rule<E>>(
    tiles: &mut [BegunTile<'_, '_, E, R>],
    run: &Run<'_, E>,
    chunks: &Chunks<OrderedEvents>,
) -> Result<()> {
    let n_chunks = chunks.stream().n_chunks();
    let first = tiles.iter().map(|tile| tile.first).min().unwrap_or(n_chunks);
    for number in first..n_chunks {
        if tiles.iter().all(BegunTile::is_done) {
            break;
        }
        run.monitor.check()?;
        chunks.visit(number, OrderedEvents::of, |events| {
            let mut reached = tiles.iter_mut().filter(|tile| tile.first <= number);
            reached.try_for_each(|tile| tile.learn(events, run))
        })?;
    }
    tiles.iter_mut().try_for_each(|tile| tile.finish(run))
}

impl<'t, 'a, E: LearnsColumns, R: Rule<E>> BegunTile<'t, 'a, E, R> {
    /// A tile with the weights that it begins with. Event `start` is the first that can change it.
    fn new(
        tile: RuleTile<'t, E, R>,
        start: u64,
        mut tracer: Option<Tracer<'t, 'a, E>>,
        stream: &EventStream,
    ) -> Self {
        if let Some(tracer) = &mut tracer {
            tracer.begin(&tile);
        }
        let (first, skip) = stream.locate(start.min(stream.len()));
        Self { tile, first, skip, tracer }
    }

    /// Whether everything is recorded.
    fn is_done(&self) -> bool {
        self.tracer.as_ref().is_some_and(Tracer::is_done)
    }

    /// Learns the next chunk.
    fn learn(&mut self, events: &OrderedEvents, run: &Run<'_, E>) -> Result<()> {
        let (tile, skip) = (&mut self.tile, std::mem::take(&mut self.skip));
        // Events before the first one that can change the tile leave it as it is.
        let mixed = events.mixed(skip);
        tile.tile.unreported.early += mixed as u64;
        let stretch = events.after(skip - mixed);
        match &mut self.tracer {
            None => tile.learn(stretch, run).map(drop),
            Some(tracer) => tracer.follow(Walk::new(stretch), tile, run),
        }
    }

    /// Reports the last tokens, brings rows to the last of them, and replaces weights by means if the plan asks for them.
    fn finish(&mut self, run: &Run<'_, E>) -> Result<()> {
        let tile = &mut self.tile.tile;
        if let Some(forgotten) = &mut self.tile.forgotten {
            forgotten.finish(tile.weights, tile.width);
        }
        run.monitor.advance(tile.unreported.take())?;
        if let Some(mean) = tile.per_token.take().and_then(|per_token| per_token.mean) {
            mean.finish(tile.weights, run.tokens);
        }
        Ok(())
    }
}
