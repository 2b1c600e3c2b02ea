//! MinOver, the perceptron of optimal stability (Krauth and Mezard 1987).
//!
//! ```text
//! w = 0
//! repeat:  m = the first example of the least field h_m = Z_m.w
//!          w += Z_m / N
//! ```
//!
//! What is kept are not the weights but the counts k_m of steps, v = N w = sum of k_m Z_m, and all fields of v. A step adds the
//! products of Z_m with all patterns to these and looks for the least in the same pass: P additions, whatever N. The products,
//! P N multiplications, are made when an example is first chosen, and kept while there is room; few examples are ever
//! chosen, however many there are. |v|^2 changes by 2 h_m + |Z_m|^2.
//!
//! *The bound.* Every plane of stability kappa, |w*| = 1, has Z_m.w* >= kappa for all m. So after t steps |v| >= v.w* >= t kappa:
//! no plane has a stability above |v| / t = N |w| / t. Where the stability reached, the least field over |v|, comes near it, it is
//! near the greatest that there is. Both are computed anew from the counts before that is said.

use super::patterns::{PatternColumns, Patterns, size};
use crate::error::Result;
use crate::kernel::dispatch::{Task, run};
use crate::kernel::isa::Isa;
use crate::kernel::vector::Vector;
use crate::memory::{Grow, Lack, collected, filled};
use crate::monitor::{Monitor, Pulse};

/// Products may take this much memory, in bytes; those for which there is no room are made anew for each step.
pub const BUDGET: usize = 1 << 28;
/// Fields whose least is known by itself: few, so that its place is soon found; whole vectors of any instruction set.
const BLOCK: usize = 64;

/// How to learn.
pub struct MinOverPlan {
    /// The most steps.
    pub max_steps: u64,
    /// Stop when the stability is within the factor 1 - tolerance of the greatest; if `None` do all steps.
    pub tolerance: Option<f64>,
    /// Whether to record errors and stabilities.
    pub record: bool,
    /// Bytes for products.
    pub budget: usize,
    /// The instruction set; the best if `None`.
    pub kernel: Option<Isa>,
}

/// A plane, and the way to it.
#[derive(Debug, PartialEq)]
pub struct MinOverFit {
    /// w, the bias last.
    pub weights: Vec<f64>,
    /// The least field over |w|.
    pub stability: f64,
    /// How many steps were made.
    pub steps: u64,
    /// How often each example was added.
    pub counts: Vec<u64>,
    /// Examples with fields of 0 and less before each step, if recorded.
    pub errors: Vec<i64>,
    /// Stabilities before each step, if recorded.
    pub stabilities: Vec<f64>,
    /// Whether the stability is within the tolerance, or without one, whether it is positive.
    pub converged: bool,
    /// Whether an example without features was chosen: no step changes anything any more.
    pub stuck: bool,
}

/// Learns.
///
/// # Errors
/// When there is no memory, and when the monitor says to stop.
pub fn learn(patterns: &Patterns<'_>, plan: &MinOverPlan, monitor: &Monitor) -> Result<MinOverFit> {
    let mut search = Search::new(patterns, plan.budget, plan.kernel)?;
    let (mut errors, mut stabilities) = (Vec::new(), Vec::new());
    let every = search.poll_every();
    monitor.set_total(plan.max_steps);
    // Fields carry the rounding of all steps. Where they deceive, some steps are made before the next look.
    let mut look = 0;
    let mut certain = patterns.is_empty();
    while search.steps < plan.max_steps && !certain && !search.is_stuck() {
        if plan.record {
            errors.grow(search.errors())?;
            stabilities.grow(search.stability())?;
        }
        search.step(monitor)?;
        if search.steps.is_multiple_of(every) {
            monitor.advance(every)?;
        }
        if let Some(tolerance) = plan.tolerance
            && search.steps >= look
            && search.is_within(tolerance)
        {
            certain = search.is_proven(tolerance)?;
            look = search.steps + search.steps / 8 + 1;
        }
    }
    let weights = search.weights()?;
    let stability = patterns.stability(&weights);
    let converged = certain || (plan.tolerance.is_none() && stability > 0.0);
    let stuck = search.is_stuck();
    let Search { steps, counts, .. } = search;
    Ok(MinOverFit { weights, stability, steps, counts, errors, stabilities, converged, stuck })
}

/// The state of the learner.
///
/// Invariants, but for rounding: `fields[m] = Z_m.v` and `square = |v|^2` for v = sum of `counts[m]` Z_m; `least` is the least
/// field and `at` the first example that has it (infinite and 0 if there are none). Fields and rows of products are filled up to
/// whole blocks, with infinity and with 0.
pub(super) struct Search<'a, 'b> {
    patterns: &'a Patterns<'b>,
    products: Products,
    fields: Vec<f64>,
    pub(super) counts: Vec<u64>,
    pub(super) steps: u64,
    pub(super) square: f64,
    pub(super) at: usize,
    least: f64,
    kernel: Isa,
}

impl<'a, 'b> Search<'a, 'b> {
    /// At w = 0, where all fields are 0 and the first example is the one to learn.
    pub(super) fn new(patterns: &'a Patterns<'b>, budget: usize, kernel: Option<Isa>) -> Result<Self> {
        let kernel = kernel.unwrap_or_else(Isa::best);
        let n = patterns.len();
        let mut fields = filled(0.0, n.next_multiple_of(BLOCK))?;
        fields[n..].fill(f64::INFINITY);
        Ok(Self {
            products: Products::new(patterns, budget, kernel)?,
            fields,
            counts: filled(0, n)?,
            steps: 0,
            square: 0.0,
            at: 0,
            least: if n == 0 { f64::INFINITY } else { 0.0 },
            patterns,
            kernel,
        })
    }

    /// Adds the example of the least field. There must be one.
    pub(super) fn step(&mut self, monitor: &Monitor) -> Result<()> {
        let row = self.products.of(self.patterns, self.at, monitor)?;
        self.counts[self.at] += 1;
        self.steps += 1;
        self.square += 2.0 * self.least + self.patterns.squares()[self.at];
        (self.least, self.at) = run(self.kernel, 1, AddAndFind { fields: &mut self.fields, row });
        Ok(())
    }

    /// Whether the example to learn has no features: learning it changes nothing.
    pub(super) fn is_stuck(&self) -> bool {
        self.patterns.squares().get(self.at) == Some(&0.0)
    }

    /// The least field over |v|; 0 while v is.
    fn stability(&self) -> f64 {
        if self.square > 0.0 { self.least / self.square.sqrt() } else { self.least.min(0.0) }
    }

    fn errors(&self) -> i64 {
        if self.least > 0.0 { 0 } else { self.fields.iter().map(|&field| i64::from(field <= 0.0)).sum() }
    }

    /// Whether least / |v| >= (1 - tolerance) |v| / t.
    fn is_within(&self, tolerance: f64) -> bool {
        self.least > 0.0 && self.least * self.steps as f64 >= (1.0 - tolerance) * self.square
    }

    /// The same, of weights made anew from the counts.
    fn is_proven(&self, tolerance: f64) -> Result<bool> {
        let sum = self.sum()?;
        let stability = self.patterns.stability(&sum);
        Ok(stability > 0.0 && stability >= (1.0 - tolerance) * size(&sum) / self.steps as f64)
    }

    /// w.
    pub(super) fn weights(&self) -> Result<Vec<f64>> {
        let n = self.patterns.width() as f64;
        let mut weights = self.sum()?;
        weights.iter_mut().for_each(|v| *v /= n);
        Ok(weights)
    }

    /// v.
    fn sum(&self) -> Result<Vec<f64>> {
        let counts = collected(self.counts.iter().map(|&count| count as f64))?;
        self.patterns.sum(&counts)
    }

    /// So many steps take a millisecond or so, while the products are at hand.
    pub(super) fn poll_every(&self) -> u64 {
        let some = Pulse::WORK / (self.fields.len() + 64);
        some.max(1) as u64
    }
}

/// Products of patterns with all patterns, made when they are first wanted.
struct Products {
    columns: PatternColumns,
    /// In which of the rows those of an example are; `None`: not yet made, or not kept.
    places: Vec<Option<u32>>,
    rows: Vec<Vec<f64>>,
    /// How many rows there is room for.
    most: usize,
    /// How long a row is.
    width: usize,
    passing: Vec<f64>,
}

impl Products {
    fn new(patterns: &Patterns<'_>, budget: usize, kernel: Isa) -> Result<Self> {
        let n = patterns.len();
        let width = n.next_multiple_of(BLOCK);
        let most = (budget / (8 * width).max(1)).min(u32::MAX as usize);
        let columns = PatternColumns::new(patterns, kernel)
            .cured("learn from fewer examples, or take adatron, which needs no copy")?;
        Ok(Self { columns, places: filled(None, n)?, rows: Vec::new(), most, width, passing: Vec::new() })
    }

    fn of(&mut self, patterns: &Patterns<'_>, example: usize, monitor: &Monitor) -> Result<&[f64]> {
        if let Some(place) = self.places[example] {
            return Ok(&self.rows[place as usize]);
        }
        if self.rows.len() < self.most {
            let mut row = filled(0.0, self.width)?;
            self.columns.products(patterns, example, &mut row[..patterns.len()], monitor)?;
            self.rows.make_room(1)?;
            self.places[example] = Some(self.rows.len() as u32);
            self.rows.push(row);
            return Ok(&self.rows[self.rows.len() - 1]);
        }
        self.passing.grow_to(self.width, 0.0)?;
        self.columns.products(patterns, example, &mut self.passing[..patterns.len()], monitor)?;
        Ok(&self.passing)
    }
}

/// Adds a row to the fields, and finds the first of the least. Both have whole blocks. With loops of which the compiler makes
/// vectors, steps on 1,500 examples take 1.4 times as long.
struct AddAndFind<'a> {
    fields: &'a mut [f64],
    row: &'a [f64],
}

#[expect(unsafe_code, reason = "vectors, within the bounds of arrays")]
impl Task<f64> for AddAndFind<'_> {
    type Output = (f64, usize);
    /// The least of each block, then its place in the first block that has the least of all.
    #[inline(always)]
    unsafe fn run<V: Vector<Element = f64>, const B: usize>(self) -> (f64, usize) {
        let (mut lowest, mut first) = (f64::INFINITY, 0);
        let (blocks, _) = self.fields.as_chunks_mut::<BLOCK>();
        let (rows, _) = self.row.as_chunks::<BLOCK>();
        for (number, (fields, row)) in blocks.iter_mut().zip(rows).enumerate() {
            let (fields, row) = (fields.as_mut_ptr(), row.as_ptr());
            let mut lanes = [f64::INFINITY; BLOCK];
            // SAFETY: the caller has the instruction set of V; BLOCK is a multiple of 2 LANES, so that every vector lies
            // within its array.
            unsafe {
                // Two at a time, so that comparisons do not wait for each other.
                let mut least = (V::splat(f64::INFINITY), V::splat(f64::INFINITY));
                for place in (0..BLOCK).step_by(2 * V::LANES) {
                    let sum = V::load(fields.add(place)).plus(V::load(row.add(place)));
                    sum.store(fields.add(place));
                    least.0 = sum.lesser(least.0);
                    let place = place + V::LANES;
                    let sum = V::load(fields.add(place)).plus(V::load(row.add(place)));
                    sum.store(fields.add(place));
                    least.1 = sum.lesser(least.1);
                }
                least.0.lesser(least.1).store(lanes.as_mut_ptr());
            }
            let mut width = V::LANES;
            while width > 1 {
                width /= 2;
                for lane in 0..width {
                    lanes[lane] = lanes[lane].min(lanes[lane + width]);
                }
            }
            if lanes[0] < lowest {
                (lowest, first) = (lanes[0], number * BLOCK);
            }
        }
        let place = self.fields[first..].iter().position(|&field| field == lowest);
        (lowest, first + place.unwrap_or(0))
    }
}
