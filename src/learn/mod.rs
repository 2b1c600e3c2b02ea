//! Learning: what to learn, cut into tiles, on threads.
//!
//! [`learn`] surveys the events (`stream`), cuts the weights into tiles and lets threads take one tile after another
//! (`tiles`): columns that see the events in order (`forward`), or rows that see them backward (`adjoint`). A thread
//! copies what it learned into the result (`matrix`). Tiles touch different columns, or different rows, so the result does
//! not depend on who learns what when.

mod adjoint;
mod forward;
mod matrix;
pub mod rule;
pub mod stream;
mod tiles;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;
use crate::monitor::Monitor;
pub use matrix::Matrix;
use rule::Rule;
use stream::{Column, Facts, Stream};
pub(crate) use tiles::{in_pool, pool};

/// Events times slots times columns below which a second thread costs more than it saves.
const SMALL: u64 = 1 << 20;

/// How to compute the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Events in order, tiles of outcomes: the rule's own operations, bit for bit.
    #[default]
    Forward,
    /// Events backward, tiles of cues: the same weights up to rounding, at a cost that does not depend on the number of
    /// outcomes. Needs one learning rate.
    Adjoint,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Forward => "forward",
            Method::Adjoint => "adjoint",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Method::Forward, Method::Adjoint].into_iter().find(|method| method.to_string() == name);
        known.ok_or_else(|| Error::Argument(format!("expected method forward or adjoint, found {name:?}")))
    }
}

/// What to learn, and where it goes. Lengths refer to the file, the rows of weights and the columns of the result.
pub struct Plan<'a, E> {
    /// The row of each of the file's cues.
    pub rows: &'a [u32],
    /// The column of the result for each of the file's outcomes; `None`: it is not learned.
    pub columns: &'a [Option<u32>],
    /// Saliences, one a row.
    pub alpha: &'a [f64],
    /// Learning rate where the outcome is present.
    pub beta1: f64,
    /// Learning rate where the outcome is absent.
    pub beta2: f64,
    /// Maximal activations, one a column of the result.
    pub lambda: &'a [f64],
    /// Weights to begin with; zero where there are none.
    pub initial: Option<Initial<'a, E>>,
    /// Rows to write to the result, in its order; all if `None`.
    pub keep: Option<&'a [u32]>,
    /// How to compute.
    pub method: Method,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Kernel>,
    /// Columns in a tile; chosen by size if `None`.
    pub tile: Option<usize>,
    /// Bytes of decoded events to keep.
    pub budget: usize,
}

/// Weights to continue from: row i is row i of the weights, columns are looked up.
pub struct Initial<'a, E> {
    /// The weights, row after row.
    pub weights: &'a [E],
    /// Columns in a row of `weights`.
    pub width: usize,
    /// Where each column of the result is in `weights`; `None`: it starts at zero.
    pub columns: &'a [Option<u32>],
}

/// How the learning went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The instruction set.
    pub kernel: Kernel,
    /// Columns in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// About the events.
    pub facts: Facts,
}

/// Learns the events of a file into `out`, which must be zero: columns that no event can change are not written.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight leaves the finite numbers, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Element, B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    plan: &Plan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<Report> {
    let rule = Rule::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
    let kernel = plan.kernel.unwrap_or_else(Kernel::best);
    let kept: Vec<u32> = plan.keep.map_or_else(|| (0..plan.alpha.len() as u32).collect(), <[u32]>::to_vec);
    if kept.len() != out.shape[0] || plan.lambda.len() != out.shape[1] {
        let expected = [kept.len(), plan.lambda.len()];
        return Err(Error::Argument(format!(
            "expected a result of shape {expected:?}, found {:?}",
            out.shape
        )));
    }
    if kept.iter().any(|&row| row as usize >= plan.alpha.len()) {
        return Err(Error::Argument("expected rows to keep that exist".into()));
    }
    let started = match &plan.initial {
        Some(initial) => initial.started(plan.alpha.len(), plan.lambda.len())?,
        None => vec![false; plan.lambda.len()],
    };
    let (stream, columns, after_last) =
        Stream::new(file, plan.rows, plan.alpha, plan.columns, &started, plan.budget, monitor)?;

    let facts = stream.facts();
    let work = facts.slots.saturating_mul(columns.len() as u64);
    let threads = if work < SMALL { 1 } else { plan.threads.clamp(1, columns.len().max(1)) };
    let job = Job { plan, rule, stream, columns, after_last, kept, kernel, threads, out, monitor };
    let tile = match plan.method {
        Method::Forward => forward::learn(&job)?,
        Method::Adjoint => adjoint::learn(&job)?,
    };
    Ok(Report { kernel, tile, threads, facts })
}

/// All that a method needs, checked.
struct Job<'a, E, B> {
    plan: &'a Plan<'a, E>,
    rule: Rule<E>,
    stream: Stream<'a, B>,
    columns: Vec<Column>,
    /// For every row the event after the last one that has its cue.
    after_last: Vec<u64>,
    /// The rows to write, in the order of the result.
    kept: Vec<u32>,
    kernel: Kernel,
    threads: usize,
    out: &'a Matrix<'a, E>,
    monitor: &'a Monitor,
}

impl<E: Element> Initial<'_, E> {
    /// Which columns of the result do not start at zero. Minus zero is not zero: an event turns it into plus zero.
    fn started(&self, n_rows: usize, n_columns: usize) -> Result<Vec<bool>> {
        let width = self.width;
        let whole = width > 0 && self.weights.len().is_multiple_of(width) || self.weights.is_empty();
        let inside = self.columns.iter().flatten().all(|&column| (column as usize) < width);
        if !whole || !inside || self.columns.len() != n_columns || self.n_rows() > n_rows {
            return Err(Error::Argument(
                "expected initial weights whose rows and columns are in the result".into(),
            ));
        }
        let mut started = vec![false; width];
        for row in self.weights.chunks_exact(width.max(1)) {
            for (started, weight) in started.iter_mut().zip(row) {
                if !weight.is_finite() {
                    let message = format!("expected finite initial weights, found {}", weight.to_f64());
                    return Err(Error::Argument(message));
                }
                *started |= !weight.is_positive_zero();
            }
        }
        Ok(self.columns.iter().map(|column| column.is_some_and(|column| started[column as usize])).collect())
    }

    fn n_rows(&self) -> usize {
        self.weights.len() / self.width.max(1)
    }
}
