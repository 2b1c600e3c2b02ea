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

use super::job::{Job, LearnedColumn};
use super::mean::Mean;
use super::order;
use super::plan::Initial;
use super::script::{Chunks, EventStream};
use super::tile::{ColumnTile, Lanes, LearnsColumns, OrderedEvents, PerToken};
use super::trajectory::{Tracer, Traces, Walk};
use crate::error::Result;
use crate::grow::{Grow, collected, filled};
use crate::kernel::element::Element;
use crate::threads::each;
use crate::tiles::buffer::Buffer;
use crate::tiles::result::{Axis, Entry, Filling, Matrix, check_finite};
use crate::tiles::rule::Rates;
use crate::tiles::width::{padded, width};

const TILES: &str = "the columns of tiles";

/// What becomes of the tiles.
pub(super) enum Goal<'g, 'a, E> {
    /// When all tokens are learned the weights, or their means, are written.
    Weights(&'g Matrix<'a, E>),
    /// Weights are recorded on the way, to the last token of which they are wanted.
    Traces(&'g Traces<'a, E>),
}

/// Learns all columns of a job, and returns the width of the tiles.
///
/// # Errors
/// See [`super::Plan::learn`].
pub(super) fn learn<E: LearnsColumns>(
    job: &Job<'_, E>,
    stream: EventStream,
    goal: &Goal<'_, '_, E>,
) -> Result<usize> {
    let (n_rows, plan) = (job.rule.alpha.len(), job.plan);
    let width = width::<E>(
        plan.tile,
        job.kernel,
        job.columns.len(),
        [n_rows as f64, job.facts.slots_of_event()],
        job.threads,
    );
    let tiles = collected(job.columns.chunks(width), TILES)?;
    let end = match goal {
        Goal::Weights(_) => job.facts.tokens,
        Goal::Traces(traces) => traces.end(),
    };
    let before = |tile: &&[LearnedColumn]| tile.first().map_or(end, |column| column.before);
    job.monitor.set_total(tiles.iter().map(|tile| end.saturating_sub(before(tile))).sum());
    let rates =
        plan.schedule.map(|schedule| Rates::new::<E>([plan.beta1, plan.beta2], schedule, end, job.monitor));
    let rates = rates.transpose()?;
    let plain = matches!(goal, Goal::Weights(_)) && rates.is_none() && !plan.average;
    let ordered = plain && order::pays::<E>(tiles.len(), n_rows, width);
    let chunks = OrderedEvents::all(stream, ordered, job)?;
    let along = collected((0..).zip(&job.kept).map(|(to, &from)| Entry { from, to }), TILES)?;
    let filling = match goal {
        Goal::Weights(out) => Some(out.begin(Axis::Columns, along, job.monitor)?),
        Goal::Traces(_) => None,
    };
    let buffers = || {
        let (elements, means) = (n_rows.saturating_mul(width), usize::from(plan.average));
        Ok(Buffers {
            weights: Buffer::zeros(elements)?,
            sums: Buffer::zeros(elements.saturating_mul(means))?,
            since: filled(0, n_rows * means, "the means of weights")?,
            lines: filling.as_ref().map_or_else(|| Buffer::zeros(0), Filling::buffer)?,
            lanes: Buffer::zeros(Lanes::<E>::EACH.saturating_mul(width))?,
        })
    };
    each(job.threads, tiles.len(), buffers, |buffers, index| {
        let (columns, first) = (tiles[index], (index * width) as u32);
        let lambda = columns.iter().map(|column| job.rule.lambda[column.targets[0] as usize]);
        let lambda = collected(lambda, TILES)?;
        let width = padded::<E>(columns.len(), job.kernel);
        let start = columns.first().map_or(u64::MAX, |column| column.start);
        let tile = TileColumns { first, width, start, lambda: &lambda };
        let elements = n_rows * width;
        let weights = &mut buffers.weights[..elements];
        begin(weights, width, columns, plan.initial.as_ref());
        let sums = buffers.sums.get_mut(..elements).filter(|_| plan.average);
        let mean = sums.map(|sums| Mean::new(sums, &mut buffers.since, width));
        let per_token = PerToken { token: before(&columns), rates: rates.as_ref(), mean };
        let tracer = match goal {
            Goal::Weights(_) => None,
            Goal::Traces(traces) => Some(traces.tracer(columns, per_token.token)?),
        };
        tile.learn(weights, Lanes::of(&mut buffers.lanes, width), per_token, tracer, job, &chunks)?;
        let row_and_column = |row, lane: usize| (row, columns[lane].targets[0] as usize);
        match &filling {
            Some(filling) => {
                filling.write(weights, width, &across(columns)?, &mut buffers.lines, row_and_column)
            }
            None => check_finite(weights, width, &across(columns)?, row_and_column),
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

/// Where each column of a tile goes.
fn across(columns: &[LearnedColumn]) -> Result<Vec<Entry>> {
    let mut across = Vec::new();
    for (from, column) in (0..).zip(columns) {
        across.make_room(column.targets.len(), TILES)?;
        across.extend(column.targets.iter().map(|&to| Entry { from, to }));
    }
    Ok(across)
}

/// Some columns one after another, and where they stand.
pub(super) struct TileColumns<'a, E> {
    /// The first of them in the stream's numbering.
    pub(super) first: u32,
    /// Elements in a row: as many as columns, or some more.
    pub(super) width: usize,
    /// The first event that can change one of them.
    pub(super) start: u64,
    /// The maximal activation of each.
    pub(super) lambda: &'a [E],
}

impl<E: LearnsColumns> TileColumns<'_, E> {
    /// Learns all events into a tile that is filled with what it starts from.
    pub(super) fn learn(
        &self,
        weights: &mut [E],
        lanes: Lanes<'_, E>,
        per_token: PerToken<'_>,
        mut tracer: Option<Tracer<'_, '_, E>>,
        job: &Job<'_, E>,
        chunks: &Chunks<OrderedEvents>,
    ) -> Result<()> {
        let stream = chunks.stream();
        let columns = (self.first, self.lambda);
        let mut tile = ColumnTile::new(weights, self.width, columns, &job.rule, lanes, per_token);
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
                job.clock.during(|| match &mut tracer {
                    None => tile.learn(stretch, job).map(drop),
                    Some(tracer) => tracer.follow(Walk::new(stretch), &mut tile, job),
                })
            })?;
            skip = 0;
        }
        job.monitor.advance(tile.unreported.take())?;
        if let Some(mean) = tile.per_token.and_then(|per_token| per_token.mean) {
            mean.finish(tile.weights, job.facts.tokens);
        }
        Ok(())
    }
}
