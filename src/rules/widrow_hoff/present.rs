//! Cues that are names: the forward method, with targets of any size.
//!
//! ```text
//! for each token:
//!     z[:] = +0.0;  for each outcome o in order:  z[:] += vector of o
//!     a[:] = +0.0;  for each cue i in order:      a[:] += W[i, :]
//!     u[:] = eta * (z[:] - a[:])
//!     for each cue i in order:                    W[i, :] += u[:]
//! ```
//!
//! It is the rule of Rescorla and Wagner with saliences of 1, one learning rate, and z in place of lambda.

use super::plan::{Coding, WidrowHoffPlan, WidrowHoffReport};
use crate::error::{Error, Result};
use crate::events::data::Data;
use crate::events::survey::summary::Position;
use crate::kernel::isa::Isa;
use crate::learn::checked_plan::decoded;
use crate::learn::forward::learn_tile;
use crate::learn::script::{EventStream, Numbering};
use crate::learn::stretch::{EVENT, OrderedEvents};
use crate::learn::tile::{Columns, Lanes, LearnsColumns, Run, Targets};
use crate::memory::{collected, copied, filled};
use crate::monitor::Monitor;
use crate::threads::sensible;
use crate::tiles::buffer::Buffer;
use crate::tiles::columns::{Cut, Tiles};
use crate::tiles::home::{Fresh, Home, Initial};
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::tiles::rule::{Parameters, Rates};
use crate::tiles::vectors::Vectors;

/// Learns all columns, of cues whose places are those given among so many.
pub(super) fn learn<E: LearnsColumns>(
    data: &Data<'_>,
    (places, n_rows): (&[u32], usize),
    plan: &WidrowHoffPlan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<WidrowHoffReport> {
    let Data::Events(file) = *data else {
        return Err(Error::Argument("expected a vector for each row of a matrix".into()));
    };
    if plan.normalized {
        return Err(Error::Argument("expected a schedule to normalize cues that are names".into()));
    }
    let n_columns = plan.outcomes.size();
    let rule = Parameters::new(&filled(1.0, n_rows)?, plan.eta, plan.eta, &filled(1.0, n_columns)?)?;
    let survey = file.survey(sensible(plan.threads), monitor)?;
    let (tokens, slots) = (file.header().n_tokens, survey.totals.slots);
    let mut numbering = Numbering::of_names(file, matches!(plan.outcomes, Coding::Names { .. }))?;
    (numbering.rows, numbering.n_rows) = (copied(places)?, n_rows);
    if let Coding::Names { places, size } = plan.outcomes {
        (numbering.columns, numbering.n_columns) = (copied(places)?, size);
    }
    let fits = decoded(survey, file, EVENT) <= plan.budget as u64;
    let rates = plan.schedule.as_ref();
    let rates =
        rates.map(|schedule| Rates::new::<E>([plan.eta; 2], schedule, tokens, monitor)).transpose()?;
    let cut = Cut {
        kernel: plan.kernel.unwrap_or_else(Isa::best),
        threads: sensible(plan.threads),
        updates: slots.saturating_mul(n_columns as u64),
        tile: plan.tile,
        shape: [n_rows as f64, slots as f64 / tokens.max(1) as f64],
    };
    let tiles = Tiles::new::<E>([n_rows, n_columns], &cut);
    let columns = collected(0..n_columns as u32)?;
    let initial = plan.initial.map(|initial| Initial::whole(initial, n_columns)).transpose()?;
    let home = Fresh::all(&columns, n_rows, tiles.width, initial.as_ref(), (out, monitor))?;
    monitor.set_total(tokens.saturating_mul(home.n_tiles() as u64));
    let stream = EventStream::new(file, numbering)?;
    let chunks = OrderedEvents::all(stream, false, fits, tiles.threads, monitor)?;
    let run = Run { rule: &rule, kernel: cut.kernel, tokens, monitor };
    let lanes = |_| Buffer::zeros(Lanes::<E>::EACH.saturating_mul(tiles.width));
    tiles.learn(&home, lanes, |lanes, tiles| {
        tiles.iter_mut().try_for_each(|tile| {
            let (first, n) = (tile.columns.start, tile.columns.len());
            let targets = match plan.outcomes {
                Coding::Names { .. } => {
                    let lambda = &rule.lambda[tile.columns.clone()];
                    Targets::Names(Columns { first: first as u32, lanes: &[], lambda })
                }
                Coding::Vectors { vectors: numbers, size } => {
                    Targets::Vectors { vectors: Vectors { numbers, size }, first, n }
                }
            };
            learn_tile(tile, targets, Position::default(), lanes, rates.as_ref(), &run, &chunks)
        })
    })?;
    let (tile, threads) = (tiles.width, tiles.threads);
    let greatest =
        plan.schedule.as_ref().map(|schedule| schedule.present.iter().copied().fold(0.0, f64::max));
    let max_kappa = survey.totals.squares as f64 * greatest.unwrap_or(1.0);
    Ok(WidrowHoffReport { method: Method::Forward, tile, threads, max_kappa })
}
