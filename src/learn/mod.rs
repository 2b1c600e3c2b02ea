//! Learning: what to learn, how, cut into tiles, on threads.
//!
//! [`learn`] looks at all events once (`survey`), takes the cheaper method, numbers rows and columns as it needs them
//! (`stream`), cuts the weights into tiles and lets threads take one tile after another (`tiles`): columns that see the
//! events in order (`forward`), or rows that see them backward (`adjoint`, `steps`). Names that always occur together
//! (`twins`) are learned once. Events with rows in common are taken one after another ([`order`]). Rates may follow a
//! schedule ([`rule`]), a result may be the mean over all tokens (`mean`), and weights may be recorded on the way
//! ([`trajectory`]), or learned where they lie ([`in_place`]): by the forward method. The inner loops of both methods are compiled with the crate (`kernels`). A thread
//! copies what it learned into the result (`matrix`). Tiles touch different columns, or different rows, so the result does
//! not depend on who learns what when. `memory` says how much of it all this takes.

mod adjoint;
mod clock;
mod forward;
pub mod in_place;
mod kernels;
mod mean;
pub mod memory;
pub mod order;
pub mod script;
mod steps;
mod survey;
pub mod trajectory;

use std::time::Duration;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::twins::Twins;
use crate::grow::{Grow, collected, copied, filled, gathered};
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;
use crate::monitor::Monitor;
use crate::threads::sensible;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::tiles::rule::{Rule, Schedule};
use crate::tiles::width::SMALL;
use clock::Clock;
pub use kernels::Kernels;
use memory::Memory;
use script::{Column, NONE, Numbering, Stream};
use steps::Stepper;
pub use survey::Facts;
use survey::Survey;

const NAMES: &str = "the rows and columns to learn";

/// The greatest ratio of saliences for which the adjoint method's precision is promised.
const ALIKE: f64 = 1e3;

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
    /// Factors on the learning rates, token by token; 1 throughout if `None`. For the forward method.
    pub schedule: Option<Schedule<'a>>,
    /// Maximal activations, one a column of the result.
    pub lambda: &'a [f64],
    /// Weights to begin with; zero where there are none.
    pub initial: Option<Initial<'a, E>>,
    /// Whether to give the mean of the weights over all tokens instead of the weights after the last. For the forward
    /// method.
    pub average: bool,
    /// Rows to write to the result, in its order; all if `None`.
    pub keep: Option<&'a [u32]>,
    /// How to compute; the cheaper way if `None`.
    pub method: Option<Method>,
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
    /// How the weights were computed.
    pub method: Method,
    /// The instruction set.
    pub kernel: Kernel,
    /// Columns in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// The time that all threads together spent in the kernel, without reading events and writing weights.
    pub busy: Duration,
    /// About the events.
    pub facts: Facts,
}

/// Learns the events of a file into `out`, which must be zero: columns that no event can change are not written.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight leaves the finite numbers, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Kernels, B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    plan: &Plan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<Report> {
    if plan.shape() != out.shape {
        return Err(Error::Argument(format!(
            "expected a result of shape {:?}, found {:?}",
            plan.shape(),
            out.shape
        )));
    }
    let (job, stream) = Prepared::new(file, plan, monitor)?.job(file, plan, monitor)?;
    let tile = match job.method {
        Method::Forward => forward::learn(&job, stream, &forward::Goal::Weights(out))?,
        Method::Adjoint => adjoint::learn(&job, stream, out)?,
    };
    Ok(job.report(tile))
}

/// What learning would be like.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// How the weights would be computed.
    pub method: Method,
    /// About the events.
    pub facts: Facts,
    /// How much memory it would take at most, apart from a result in memory.
    pub memory: Memory,
}

/// Looks at the events of a file as learning would, and learns nothing.
///
/// # Errors
/// As [`learn`].
pub fn forecast<E: Element, B: AsRef<[u8]> + Sync>(
    file: &EventFile<B>,
    plan: &Plan<'_, E>,
    monitor: &Monitor,
) -> Result<Forecast> {
    let Prepared { survey, learned: Learned { facts, .. }, method, .. } = Prepared::new(file, plan, monitor)?;
    let each = match method {
        Method::Forward => forward::EVENT,
        Method::Adjoint => Stepper::<E>::STEP,
    };
    let decoded = survey.made_ready().saturating_add(file.len().saturating_mul(each));
    let names = [plan.alpha.len(), plan.lambda.len()];
    let memory = Memory::needed::<E>(names, facts.slots_of_event(), decoded, plan.threads, method);
    Ok(Forecast { method, facts, memory })
}

/// What is known before anything is learned.
struct Prepared<E> {
    rule: Rule<E>,
    survey: Survey,
    learned: Learned,
    method: Method,
}

impl<E: Element> Prepared<E> {
    fn new<B: AsRef<[u8]>>(file: &EventFile<B>, plan: &Plan<'_, E>, monitor: &Monitor) -> Result<Self> {
        let rule = Rule::<E>::new(plan.alpha, plan.beta1, plan.beta2, plan.lambda)?;
        let kept = match plan.keep {
            Some(keep) => copied(keep, NAMES)?,
            None => collected(0..plan.alpha.len() as u32, NAMES)?,
        };
        plan.check(file, &kept)?;
        let started = match &plan.initial {
            Some(initial) => initial.started(plan.alpha.len(), plan.lambda.len())?,
            None => filled(false, plan.lambda.len(), NAMES)?,
        };
        let twins = plan.twins(&rule, &started)?;
        let survey = Survey::of(file, plan.rows, plan.alpha, twins, plan.budget, monitor)?;
        let learned = Learned::new(&survey, plan, &started, kept, file.header().n_tokens)?;
        let method = plan.method.unwrap_or_else(|| plan.cheaper(&learned));
        plan.check_method(method)?;
        Ok(Self { rule, survey, learned, method })
    }

    /// All that the method needs, and the events in the numbering of rows and columns that are learned.
    fn job<'a, B: AsRef<[u8]>>(
        self,
        file: &'a EventFile<B>,
        plan: &'a Plan<'a, E>,
        monitor: &'a Monitor,
    ) -> Result<(Job<'a, E>, Stream<'a, B>)> {
        let Self { rule, survey, learned, method } = self;
        let Learned { columns, tracked, kept, facts, .. } = learned;
        let mut rows = copied(plan.rows, NAMES)?;
        if method == Method::Adjoint {
            let least = survey.row_twins.least()?;
            rows.iter_mut().filter(|row| least[**row as usize] != **row).for_each(|row| *row = NONE);
        }
        let mut place = filled(NONE, plan.lambda.len(), NAMES)?;
        for (number, column) in (0..).zip(&columns) {
            // The first target alone is that of an outcome whose events are learned.
            column.targets.iter().take(1).for_each(|&target| place[target as usize] = number);
        }
        let place = plan.columns.iter().map(|column| column.map_or(NONE, |column| place[column as usize]));
        let (n_rows, n_columns) = (plan.alpha.len(), columns.len());
        let numbering = Numbering { rows, n_rows, columns: collected(place, NAMES)?, n_columns };
        let room = (plan.budget as u64).saturating_sub(survey.made_ready()) / file.len().max(1);
        let stream = Stream::new(file, numbering, survey.chunks, monitor)?;
        let job = Job {
            plan,
            rule,
            method,
            columns,
            tracked,
            twins: collected((0..n_rows as u32).map(|row| survey.row_twins.size(row)), NAMES)?,
            kept,
            kernel: plan.kernel.unwrap_or_else(Kernel::best),
            threads: if facts.updates(method) < SMALL { 1 } else { sensible(plan.threads) },
            room,
            facts,
            monitor,
            slots: facts.slots_of_event(),
            clock: Clock::default(),
        };
        Ok((job, stream))
    }
}

/// All that a method needs, checked.
struct Job<'a, E> {
    plan: &'a Plan<'a, E>,
    rule: Rule<E>,
    method: Method,
    columns: Vec<Column>,
    tracked: Vec<Tracked>,
    /// For each row how many are equal to it, itself among them.
    twins: Vec<u32>,
    /// The rows to write, in the order of the result.
    kept: Vec<u32>,
    kernel: Kernel,
    threads: usize,
    /// Bytes of memory left for each event in the budget, besides decoded events and their script.
    room: u64,
    facts: Facts,
    monitor: &'a Monitor,
    /// Cues of an event, in the mean.
    slots: f64,
    /// How long kernels ran.
    clock: Clock,
}

impl<E> Job<'_, E> {
    /// How it went with tiles of so many columns.
    fn report(self, tile: usize) -> Report {
        let Self { method, kernel, threads, facts, .. } = self;
        Report { method, kernel, tile, threads, busy: self.clock.time(), facts }
    }
}

/// A row to learn: the rows of the result that it is, and the event after the last one that has its cue.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tracked {
    /// The row of weights.
    row: u32,
    /// Its places in the result, and the row of weights that each stands for.
    targets: Vec<(u32, u32)>,
    end: u64,
}

/// What there is to learn: columns by the first event that can change them, rows by the last one.
struct Learned {
    columns: Vec<Column>,
    tracked: Vec<Tracked>,
    /// The rows to write, in the order of the result.
    kept: Vec<u32>,
    facts: Facts,
    /// Updates of the adjoint method where twins are learned once.
    distinct_updates: u64,
}

impl Learned {
    fn new<E>(
        survey: &Survey,
        plan: &Plan<'_, E>,
        started: &[bool],
        kept: Vec<u32>,
        n_tokens: u64,
    ) -> Result<Self> {
        let mut facts = Facts {
            max_kappa: survey.max_kappa,
            slots: survey.slots,
            visits: survey.visits,
            tokens: n_tokens,
            ..Facts::default()
        };
        let mut learned =
            Self { columns: Vec::new(), tracked: Vec::new(), kept: Vec::new(), facts, distinct_updates: 0 };

        let started_first = (0..).zip(started).filter(|(_, started)| **started);
        let from_start = |(target, _)| Ok(Column { targets: copied(&[target], NAMES)?, start: 0, before: 0 });
        learned.columns = gathered(started_first.map(from_start), NAMES)?;
        facts.forward_updates = survey.slots.saturating_mul(learned.columns.len() as u64);
        let least = survey.outcome_twins.least()?;
        let mut number = filled(NONE, least.len(), NAMES)?;
        for (outcome, (&first, &least)) in survey.first.iter().zip(&least).enumerate() {
            let (Some(target), Some(first)) = (plan.columns[outcome], first) else { continue };
            if started[target as usize] {
                continue;
            }
            let updates = survey.slots - first.slots;
            facts.forward_updates = facts.forward_updates.saturating_add(updates);
            if outcome == least as usize {
                number[outcome] = learned.columns.len() as u32;
                let (start, before) = (first.events, first.tokens);
                learned.columns.grow(Column { targets: copied(&[target], NAMES)?, start, before }, NAMES)?;
            } else {
                learned.columns[number[least as usize] as usize].targets.grow(target, NAMES)?;
            }
        }
        learned.columns.sort_unstable_by_key(|column| (column.start, column.targets[0]));

        let least = survey.row_twins.least()?;
        let mut number = filled(NONE, least.len(), NAMES)?;
        for (target, &row) in (0..).zip(&kept) {
            let after = survey.after_last[row as usize];
            facts.adjoint_updates = facts.adjoint_updates.saturating_add(after.slots);
            let least = least[row as usize];
            let place = number[least as usize];
            if let Some(tracked) = learned.tracked.get_mut(place as usize) {
                tracked.targets.grow((target, row), NAMES)?;
            } else {
                number[least as usize] = learned.tracked.len() as u32;
                learned.distinct_updates = learned.distinct_updates.saturating_add(after.slots);
                let targets = copied(&[(target, row)], NAMES)?;
                learned.tracked.grow(Tracked { row: least, targets, end: after.events }, NAMES)?;
            }
        }
        learned.tracked.sort_unstable_by_key(|tracked| (std::cmp::Reverse(tracked.end), tracked.row));
        learned.facts = facts;
        learned.kept = kept;
        Ok(learned)
    }
}

impl<E: Element> Plan<'_, E> {
    fn shape(&self) -> [usize; 2] {
        [self.keep.map_or(self.alpha.len(), <[u32]>::len), self.lambda.len()]
    }

    fn check<B: AsRef<[u8]>>(&self, file: &EventFile<B>, kept: &[u32]) -> Result<()> {
        let (n_rows, n_columns) = (self.alpha.len(), self.lambda.len());
        let wrong = |expected: String| Err(Error::Argument(expected));
        let row_exists = |&row: &u32| (row as usize) < n_rows;
        if !kept.iter().all(row_exists) {
            return wrong("expected rows to keep that exist".into());
        }
        let fits = self.rows.len() == file.cues().len()
            && self.columns.len() == file.outcomes().len()
            && self.rows.iter().all(row_exists)
            && self.columns.iter().flatten().all(|&column| (column as usize) < n_columns);
        if !fits || n_rows >= NONE as usize || n_columns >= NONE as usize {
            return wrong("expected a row for every cue and a column for every outcome".into());
        }
        let mut taken = filled(false, n_columns, NAMES)?;
        if self.columns.iter().flatten().any(|&column| std::mem::replace(&mut taken[column as usize], true)) {
            return wrong("expected a column of its own for every outcome".into());
        }
        Ok(())
    }

    /// What only the forward method can do is not asked of another.
    fn check_method(&self, method: Method) -> Result<()> {
        if method == Method::Adjoint && self.needs_forward() {
            let (what, why) = if self.average {
                ("a mean of the weights", "it gives the weights after the last token alone")
            } else {
                ("a schedule", "it takes repeated events as one step, at one learning rate")
            };
            return Err(Error::Argument(format!(
                "expected method=\"forward\" for {what}, found method=\"adjoint\": {why}"
            )));
        }
        Ok(())
    }

    /// Whether only the forward method will do.
    fn needs_forward(&self) -> bool {
        self.average || self.schedule.is_some()
    }

    /// Rows and outcomes that are twins as long as no event tells them apart: those that start and learn alike.
    fn twins(&self, rule: &Rule<E>, started: &[bool]) -> Result<[Twins; 2]> {
        let bits = |value: &E| value.to_f64().to_bits();
        let rows = rule.alpha.iter().map(|alpha| self.initial.is_none().then(|| bits(alpha)));
        let outcomes = self.columns.iter().map(|column| {
            let column = column.filter(|&column| !started[column as usize])?;
            Some(bits(&rule.lambda[column as usize]))
        });
        Ok([Twins::new(rows)?, Twins::new(outcomes)?])
    }

    /// The cheaper method, where both are as good: the forward method is exact, the adjoint method precise while
    /// beta * kappa <= 1 and saliences are alike.
    ///
    /// The cost of both is that of visiting rows: of weights, and of sums in the adjoint method, where repeated events
    /// are taken as one.
    fn cheaper(&self, learned: &Learned) -> Method {
        let facts = &learned.facts;
        let saliences = self.alpha.iter().filter(|alpha| **alpha > 0.0);
        let (least, most) = saliences.fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
        let precise =
            self.beta1 == self.beta2 && self.beta1 * facts.max_kappa <= 1.0 && most <= ALIKE * least;
        if !precise || self.needs_forward() || facts.forward_updates < SMALL {
            return Method::Forward;
        }
        let visits = facts.visits as f64 / facts.slots as f64;
        let product = self.initial.as_ref().map_or(0.0, |initial| {
            initial.n_rows() as f64 * learned.columns.len() as f64 * learned.tracked.len() as f64
        });
        let adjoint = learned.distinct_updates as f64 * visits + product;
        if adjoint < facts.forward_updates as f64 { Method::Adjoint } else { Method::Forward }
    }
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
        let mut started = filled(false, width, NAMES)?;
        for row in self.weights.chunks_exact(width.max(1)) {
            for (started, weight) in started.iter_mut().zip(row) {
                if !weight.is_finite() {
                    let message = format!("expected finite initial weights, found {}", weight.to_f64());
                    return Err(Error::Argument(message));
                }
                *started |= !weight.is_positive_zero();
            }
        }
        let columns = self.columns.iter();
        collected(columns.map(|column| column.is_some_and(|column| started[column as usize])), NAMES)
    }

    fn n_rows(&self) -> usize {
        self.weights.len() / self.width.max(1)
    }
}
