//! The forward method: tiles of outcomes, every tile streams the events in order.
//!
//! What a tile does with an event is said in `tile`. The liberties taken besides: the columns are cut into tiles and blocks of
//! vectors; the tile starts late, where its first column first can change; columns of padding stay zero; events without a common
//! cue change places (`order`). None changes an operation on any column, so the result is the scalar rule's, bit for bit. A cue named
//! twice is summed twice and updated twice, one after the other, as the rule says.
//!
//! A schedule sets beta1 and beta2 before each token, and a mean takes in the rows that a token will change (`mean`). Where there is
//! neither, a token costs one comparison more. Weights on the way are recorded between tokens, by learning stretch after stretch
//! (`trajectory`).

use super::checked::{CheckedPlan, LearnedColumn, Start};
use super::mean::Mean;
use super::plan::Initial;
use super::run::Run;
use super::script::{Chunks, NONE};
use super::tile::{ColumnTile, Columns, Lanes, LearnsColumns, OrderedEvents, PerToken};
use super::trajectory::{Tracer, Traces, Walk};
use crate::error::Result;
use crate::grow::{Grow, collected, filled};
use crate::kernel::element::Element;
use crate::threads::each;
use crate::tiles::buffer::Buffer;
use crate::tiles::result::{Axis, Entry, Filling, Matrix, check_finite};
use crate::tiles::rule::Rates;
use crate::tiles::width::padded;

const TILES: &str = "the columns of tiles";

/// What becomes of the tiles.
pub(super) enum Goal<'g, 'a, E> {
    /// When all tokens are learned the weights, or their means, are written to a result whose first column has this number.
    Weights(&'g Matrix<'a, E>, u32),
    /// Weights are recorded on the way, to the last token of which they are wanted.
    Traces(&'g Traces<'a, E>),
}

/// Learns columns, and returns the width of the tiles.
///
/// # Errors
/// See [`super::Plan::learn`].
pub(super) fn learn<E: LearnsColumns>(
    checked: &CheckedPlan<E>,
    start: &Start<'_, E>,
    columns: &[LearnedColumn],
    chunks: &Chunks<OrderedEvents>,
    goal: &Goal<'_, '_, E>,
    threads: usize,
    run: &Run<'_, E>,
) -> Result<usize> {
    let (monitor, n_rows) = (run.monitor, checked.rule.alpha.len());
    let width = checked.width(columns.len(), threads);
    let tiles = collected(columns.chunks(width), TILES)?;
    let end = match goal {
        Goal::Weights(..) => checked.facts.tokens,
        Goal::Traces(traces) => traces.end(),
    };
    let before = |tile: &&[LearnedColumn]| tile.first().map_or(end, |column| column.before);
    monitor.add_total(tiles.iter().map(|tile| end.saturating_sub(before(tile))).sum());
    let rates = start.schedule.as_ref().map(|schedule| Rates::new::<E>(start.betas, schedule, end, monitor));
    let rates = rates.transpose()?;
    let along = collected((0..).zip(&checked.kept).map(|(to, &from)| Entry { from, to }), TILES)?;
    let filling = match goal {
        Goal::Weights(out, _) => Some(out.begin(Axis::Columns, along, monitor)?),
        Goal::Traces(_) => None,
    };
    let origin = if let Goal::Weights(_, origin) = goal { *origin } else { 0 };
    let buffers = || {
        let (elements, means) = (n_rows.saturating_mul(width), usize::from(start.average));
        Ok(Buffers {
            weights: Buffer::zeros(elements)?,
            sums: Buffer::zeros(elements.saturating_mul(means))?,
            since: filled(0, n_rows * means, "the means of weights")?,
            lines: filling.as_ref().map_or_else(|| Buffer::zeros(0), Filling::buffer)?,
            lanes: Buffer::zeros(Lanes::<E>::EACH.saturating_mul(width))?,
        })
    };
    each(threads, tiles.len(), buffers, |buffers, index| {
        let columns = tiles[index];
        let lambda = columns.iter().map(|column| checked.rule.lambda[column.targets[0] as usize]);
        let lambda = collected(lambda, TILES)?;
        let width = padded::<E>(columns.len(), checked.kernel);
        let first_event = columns.first().map_or(u64::MAX, |column| column.start);
        let first = columns.first().map_or(0, |column| column.number);
        let lanes = lanes(columns, checked.columns.len())?;
        let tile = TileColumns {
            columns: Columns { first, lanes: &lanes, lambda: &lambda },
            width,
            start: first_event,
        };
        let elements = n_rows * width;
        let weights = &mut buffers.weights[..elements];
        begin(weights, width, columns, start.initial.as_ref());
        let sums = buffers.sums.get_mut(..elements).filter(|_| start.average);
        let mean = sums.map(|sums| Mean::new(sums, &mut buffers.since, width));
        let per_token = PerToken { token: before(&columns), rates: rates.as_ref(), mean };
        let tracer = match goal {
            Goal::Weights(..) => None,
            Goal::Traces(traces) => Some(traces.tracer(columns, per_token.token)?),
        };
        tile.learn(weights, Lanes::of(&mut buffers.lanes, width), per_token, tracer, run, chunks)?;
        let row_and_column = |row, lane: usize| (row, columns[lane].targets[0] as usize);
        match &filling {
            Some(filling) => {
                filling.write(weights, width, &across(columns, origin)?, &mut buffers.lines, row_and_column)
            }
            None => check_finite(weights, width, &across(columns, origin)?, row_and_column),
        }
    })?;
    Ok(width)
}

/// What a thread works with.
struct Buffers<E> {
    weights: Buffer<E>,
    /// For means: a sum for each weight,
    sums: Buffer<f64>,
    /// and for each row when it became what it is.
    since: Vec<u64>,
    /// For a result in a file.
    lines: Buffer<E>,
    /// For the lanes of a tile.
    lanes: Buffer<E>,
}

/// Fills a tile with what its columns start from.
fn begin<E: Element>(
    weights: &mut [E],
    width: usize,
    columns: &[LearnedColumn],
    initial: Option<&Initial<'_, E>>,
) {
    weights.fill(E::default());
    let Some(initial) = initial else { return };
    let rows = weights.chunks_exact_mut(width).zip(initial.weights.chunks_exact(initial.width.max(1)));
    for (row, initial_row) in rows {
        for (weight, column) in row.iter_mut().zip(columns) {
            if let Some(source) = initial.columns[column.targets[0] as usize] {
                *weight = initial_row[source as usize];
            }
        }
    }
}

/// For each column of the events its lane in a tile of these columns, of which each has a lane; none where they follow each other.
fn lanes(columns: &[LearnedColumn], n_columns: usize) -> Result<Vec<u32>> {
    if columns.is_sorted_by(|one, next| one.number + 1 == next.number) {
        return Ok(Vec::new());
    }
    let mut lanes = filled(NONE, n_columns, TILES)?;
    for (lane, column) in (0..).zip(columns) {
        lanes[column.number as usize] = lane;
    }
    Ok(lanes)
}

/// Where each column of a tile goes, in a result whose first column has a number.
fn across(columns: &[LearnedColumn], origin: u32) -> Result<Vec<Entry>> {
    let mut across = Vec::new();
    for (from, column) in (0..).zip(columns) {
        across.make_room(column.targets.len(), TILES)?;
        across.extend(column.targets.iter().map(|&to| Entry { from, to: to - origin }));
    }
    Ok(across)
}

/// Some columns one after another, and where they stand.
pub(super) struct TileColumns<'a, E> {
    pub(super) columns: Columns<'a, E>,
    /// Elements in a row: as many as columns, or some more.
    pub(super) width: usize,
    /// The first event that can change one of them.
    pub(super) start: u64,
}

impl<E: LearnsColumns> TileColumns<'_, E> {
    /// Learns all events into a tile that is filled with what it starts from.
    pub(super) fn learn(
        &self,
        weights: &mut [E],
        lanes: Lanes<'_, E>,
        per_token: PerToken<'_>,
        mut tracer: Option<Tracer<'_, '_, E>>,
        run: &Run<'_, E>,
        chunks: &Chunks<OrderedEvents>,
    ) -> Result<()> {
        let stream = chunks.stream();
        let mut tile = ColumnTile::new(weights, self.width, self.columns, run.rule, lanes, per_token);
        if let Some(tracer) = &mut tracer {
            tracer.begin(tile.weights, self.width);
        }
        let (first, mut skip) = stream.locate(self.start.min(stream.len()));
        for number in first..stream.n_chunks() {
            if tracer.as_ref().is_some_and(Tracer::is_done) {
                break;
            }
            chunks.visit(number, OrderedEvents::of, |events| {
                // Events before the first one that can change the tile leave it as it is.
                let mixed = events.mixed(skip);
                tile.unreported.early += mixed as u64;
                let stretch = events.after(skip - mixed);
                run.clock.during(|| match &mut tracer {
                    None => tile.learn(stretch, run).map(drop),
                    Some(tracer) => tracer.follow(Walk::new(stretch), &mut tile, run),
                })
            })?;
            skip = 0;
        }
        run.monitor.advance(tile.unreported.take())?;
        if let Some(mean) = tile.per_token.and_then(|per_token| per_token.mean) {
            mean.finish(tile.weights, run.tokens);
        }
        Ok(())
    }
}
