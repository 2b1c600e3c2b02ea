//! The events as counts: the distinct cue sets, how often each occurred, and how often with each outcome.
//!
//! Least squares need nothing else. For one outcome j let a cue set t with cues c_t have f_t tokens, n_tj of them with j:
//!
//! ```text
//! C'FC = sum of f_t c_t c_t'        C'FO e_j = sum of n_tj c_t        C'F(O lambda - C W) e_j = sum of (n_tj lambda - f_t c_t'w) c_t
//! ```
//!
//! Cues that always come together, equally often, are one *column*. If its cues have the saliences alpha_i, the column has the
//! salience A = sum of alpha_i: of all ways to share its weight y among the cues, w_i = alpha_i / A * y has the least sum of
//! w_i^2 / alpha_i, which is y^2 / A. Cues that never occur or have the salience 0 have no column, and do not change. A cue of
//! salience 0 with initial weights is *frozen*: its weights are part of activations, so cue sets with it and without it are
//! different.
//!
//! The unknowns are x = y / sqrt(A). So the wanted solution is the one of least |x|, and a ridge adds ridge |x|^2.
//!
//! Memory, with s distinct cue sets that list k cues in all and p pairs of a set and an outcome: 4 k + 16 (s + p) bytes, and while
//! counting at most 24 k + 64 s + 128 p + 64 MB, because growing lists have room for twice their elements. All counts are integers,
//! exact in f64 below 2^53, so they depend neither on the order of events nor on the number of threads.

use rayon::prelude::*;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::columns::square;
use super::rows::{SetRow, SetRows};
use super::vector_targets::VectorTargets;
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::distinct::Distinct;
use crate::events::sets::SetCounter;
use crate::events::twins::Twins;
use crate::lists::Lists;
use crate::memory::{Grow, ask, collected, copied, empty, filled};
use crate::monitor::{Monitor, Pulse};
use crate::tiles::product::packing;

/// Marks a cue without a column.
const NONE: u32 = u32::MAX;
/// Pairs of a cue set and an outcome that are gathered before equal ones are added up.
const PAIRS: usize = 1 << 20;
/// The work to sort and hash a cue of an event, relative to looking at it.
const SORTING: usize = 16;
/// Columns, and rows, of a product of matrices.
const BAND: usize = 64;
/// An event of this many cues takes more memory than the margin for small allocations.
const LONG: usize = 1 << 12;

/// How often a cue set occurred with an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) set: u32,
    pub(super) tokens: f64,
}

/// The events as counts.
///
/// Invariants: `rows` has one for each set; columns in it are below `scale.len()`, and of cues that are names each is in a set; `tokens` has a positive number for each set; sets
/// in `pairs` are below `tokens.len()`, and rise within an outcome; `place` and `share` have an entry for each cue; `fixed` has a
/// list of numbers below `frozen.len()` for each set, or no list at all.
pub(super) struct Counts {
    pub(super) rows: SetRows,
    /// For each set its frozen cues, as places in `frozen`.
    pub(super) fixed: Lists,
    /// The frozen cues.
    pub(super) frozen: Vec<u32>,
    /// f_t of each set.
    pub(super) tokens: Vec<f64>,
    /// The pairs of each outcome, or of each number of the outcomes' vectors, with what comes to it in place of tokens.
    pub(super) pairs: Lists<Pair>,
    /// Where outcomes stand for vectors with all their numbers: the targets, in place of pairs.
    pub(super) targets: Option<VectorTargets>,
    /// sqrt(A) of each column.
    pub(super) scale: Vec<f64>,
    /// How many cues a column stands for.
    pub(super) size: Vec<f64>,
    /// The column of each cue.
    pub(super) place: Vec<u32>,
    /// w_i / x of each cue.
    pub(super) share: Vec<f64>,
}

impl Counts {
    /// Counts the events of a file. `alpha`: saliences of the cues, 1 if `None`. `predicts`: whether a cue has initial weights.
    /// There are `n_outcomes`; the outcomes of the file come first. `repeated`: an outcome counts as often as an event names it.
    pub(super) fn new(
        file: &EventFile,
        alpha: Option<&[f64]>,
        predicts: impl Fn(usize) -> bool,
        n_outcomes: usize,
        repeated: bool,
        monitor: &Monitor,
    ) -> Result<Self> {
        let known = file.cues().counts();
        let alpha = |cue: usize| alpha.map_or(1.0, |alpha| alpha[cue]);
        let active = (0..known.len()).map(|cue| known[cue] > 0 && alpha(cue) > 0.0);
        let active = collected(active)?;
        let is_frozen = |&cue: &usize| known[cue] > 0 && !active[cue] && predicts(cue);
        let frozen = collected((0..known.len()).filter(is_frozen).map(|cue| cue as u32))?;
        let mut gathering = Gathering::new(active, &frozen, repeated)?;
        gathering.read(file, monitor)?;
        let Gathering { active, twins, sets: SetCounter { cues: sets, tokens, .. }, pairs, .. } = gathering;
        let pairs = pairs.all(monitor)?;

        // A column for the first of each class of twins.
        ask(8 * active.len())?;
        let least = twins.least()?;
        let mut place = filled(NONE, active.len())?;
        let (mut salience, mut size) = (empty(active.len())?, empty(active.len())?);
        for cue in (0..active.len()).filter(|&cue| active[cue]) {
            let first = least[cue] as usize;
            if first == cue {
                place[cue] = salience.len() as u32;
                salience.push(0.0);
                size.push(0.0);
            }
            place[cue] = place[first];
            salience[place[cue] as usize] += alpha(cue);
            size[place[cue] as usize] += 1.0;
        }
        let scale: Vec<f64> = collected(salience.iter().map(|sum: &f64| sum.sqrt()))?;
        let share = place
            .iter()
            .enumerate()
            .map(|(cue, &column)| scale.get(column as usize).map_or(0.0, |scale| alpha(cue) / scale));
        let share = collected(share)?;
        let (mut columns, mut fixed) = (Lists::default(), Lists::default());
        let mut pulse = Pulse::default();
        for cues in sets.lists().iter() {
            pulse.beat(cues.len(), monitor)?;
            let first = |&&cue: &&u32| active[cue as usize] && least[cue as usize] == cue;
            columns.gather(cues.iter().filter(first).map(|&cue| place[cue as usize]))?;
            if !frozen.is_empty() {
                let places = cues.iter().filter_map(|cue| frozen.binary_search(cue).ok());
                fixed.gather(places.map(|place| place as u32))?;
            }
        }
        let (mut left, mut of_outcomes) = (&pairs[..], Lists::default());
        for outcome in 0..n_outcomes as u32 {
            let (of_outcome, rest) = left.split_at(left.partition_point(|pair| pair.outcome <= outcome));
            let weighed = of_outcome.iter().map(|pair| Pair { set: pair.set, tokens: pair.tokens as f64 });
            of_outcomes.gather(weighed)?;
            left = rest;
        }
        let tokens = collected(tokens.iter().map(|&tokens| tokens as f64))?;
        let (rows, pairs) = (SetRows::Names(columns), of_outcomes);
        Ok(Self { rows, fixed, frozen, tokens, pairs, targets: None, scale, size, place, share })
    }

    /// The problem of one outcome with two learning rates as one with one rate: a token has the weight `present` with the
    /// outcome, and `absent` without. Columns of weight zero are left out; the second result names the other columns.
    pub(super) fn of_outcome(
        &self,
        outcome: usize,
        present: f64,
        absent: f64,
        monitor: &Monitor,
    ) -> Result<(Self, Vec<u32>)> {
        let mut tokens = collected(self.tokens.iter().map(|tokens| absent * tokens))?;
        let known = self.pairs(outcome);
        for pair in known {
            let set = pair.set as usize;
            tokens[set] = present * pair.tokens + absent * (self.tokens[set] - pair.tokens);
        }
        let (mut kept, mut fixed) = (KeptRows::new(self)?, Lists::default());
        let mut renumbered = empty(tokens.len())?;
        let mut pulse = Pulse::default();
        for (set, &weight) in tokens.iter().enumerate() {
            renumbered.push(kept.n as u32);
            if weight > 0.0 {
                pulse.beat(self.set(set).len(), monitor)?;
                kept.push(self.set(set))?;
                if !self.frozen.is_empty() {
                    fixed.push(self.fixed(set))?;
                }
            }
        }
        let mut pairs = Lists::default();
        let weighed = known.iter().filter(|pair| tokens[pair.set as usize] > 0.0);
        let weighed =
            weighed.map(|pair| Pair { set: renumbered[pair.set as usize], tokens: present * pair.tokens });
        pairs.gather(weighed)?;
        tokens.retain(|&tokens| tokens > 0.0);
        let KeptRows { rows, columns: kept, .. } = kept;
        let of = |values: &[f64]| collected(kept.iter().map(|&column| values[column as usize]));
        let counts = Self {
            scale: of(&self.scale)?,
            size: of(&self.size)?,
            rows,
            fixed,
            frozen: copied(&self.frozen)?,
            tokens,
            pairs,
            targets: None,
            place: Vec::new(),
            share: Vec::new(),
        };
        Ok((counts, kept))
    }

    pub(super) fn n_columns(&self) -> usize {
        self.scale.len()
    }

    pub(super) fn n_sets(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn n_outcomes(&self) -> usize {
        self.pairs.len()
    }

    /// The row of a cue set.
    pub(super) fn set(&self, set: usize) -> SetRow<'_> {
        self.rows.get(set)
    }

    /// The frozen cues of a cue set, as places in `frozen`, each as often as the set has it.
    pub(super) fn fixed(&self, set: usize) -> &[u32] {
        if self.frozen.is_empty() { &[] } else { self.fixed.get(set) }
    }

    /// The cue sets that occurred with an outcome.
    pub(super) fn pairs(&self, outcome: usize) -> &[Pair] {
        self.pairs.get(outcome)
    }

    /// The lower triangle of S C'FC S + ridge I, column after column, where S is the diagonal matrix of `scale`.
    ///
    /// Threads count bands of columns.
    pub(super) fn gram(&self, ridge: f64, monitor: &Monitor) -> Result<Vec<f64>> {
        let n = self.n_columns();
        if let SetRows::Dense { values, .. } = &self.rows {
            return self.gram_of_vectors(values, ridge, monitor);
        }
        let mut gram = square(n, monitor)?;
        let band = n.div_ceil(4 * rayon::current_num_threads()).max(1);
        gram.par_chunks_mut((band * n).max(1)).enumerate().try_for_each(|(index, part)| {
            let first = index * band;
            let inside = first..first + part.len() / n;
            let mut pulse = Pulse::default();
            // The columns of a set, each once, and how often it occurs in the set.
            let mut counted: Vec<(usize, f64)> = Vec::new();
            for (set, &tokens) in self.tokens.iter().enumerate() {
                let columns = self.set(set);
                pulse.beat(columns.len(), monitor)?;
                counted.clear();
                counted.make_room(columns.len())?;
                counted.extend(columns.entries());
                for &(column, times) in counted.iter().filter(|(column, _)| inside.contains(column)) {
                    pulse.beat(counted.len(), monitor)?;
                    let line = &mut part[(column - first) * n..][..n];
                    let tokens = tokens * times;
                    let below = counted.iter().filter(|&&(other, _)| other >= column);
                    below.for_each(|&(other, times)| line[other] += tokens * times);
                }
            }
            for (column, line) in inside.zip(part.chunks_exact_mut(n)) {
                pulse.beat(n, monitor)?;
                line.iter_mut().zip(&self.scale).for_each(|(sum, scale)| *sum *= scale * self.scale[column]);
                line[column] += ridge;
            }
            Ok(())
        })?;
        Ok(gram)
    }

    /// The same, of rows with all their numbers.
    fn gram_of_vectors(&self, values: &[f64], ridge: f64, monitor: &Monitor) -> Result<Vec<f64>> {
        let n = self.n_columns();
        let mut gram = square(n, monitor)?;
        gram.par_chunks_mut((BAND * n).max(1)).enumerate().try_for_each(|(index, part)| {
            packing()?;
            let (first, width) = (index * BAND, part.len() / n);
            let mut part = MatMut::from_column_major_slice_mut(part, n, width).subrows_mut(first, n - first);
            for (rows, tokens) in values.chunks(BAND * n).zip(self.tokens.chunks(BAND)) {
                monitor.check()?;
                let rows = MatRef::from_row_major_slice(rows, tokens.len(), n).subcols(first, n - first);
                let mut weighed = filled(0.0, tokens.len() * width)?;
                let mut weighed = MatMut::from_column_major_slice_mut(&mut weighed, tokens.len(), width);
                for j in 0..width {
                    (0..tokens.len()).for_each(|i| weighed[(i, j)] = tokens[i] * rows[(i, j)]);
                }
                matmul(part.as_mut(), Accum::Add, rows.transpose(), weighed.as_ref(), 1.0, Par::Seq);
            }
            Ok::<_, Error>(())
        })?;
        (0..n).for_each(|column| gram[column * n + column] += ridge);
        Ok(gram)
    }

    /// The diagonal of S C'FC S.
    pub(super) fn diagonal(&self, monitor: &Monitor) -> Result<Vec<f64>> {
        let mut diagonal = filled(0.0, self.n_columns())?;
        let mut pulse = Pulse::default();
        for (set, &tokens) in self.tokens.iter().enumerate() {
            pulse.beat(self.set(set).len(), monitor)?;
            for (column, times) in self.set(set).entries() {
                diagonal[column] += tokens * (times * self.scale[column]).powi(2);
            }
        }
        Ok(diagonal)
    }

    /// For each cue its column and w / x, if it has one.
    pub(super) fn cues(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let cues = self.place.iter().zip(&self.share).enumerate();
        cues.filter(|(_, (column, _))| **column != NONE)
            .map(|(cue, (&column, &share))| (cue, column as usize, share))
    }
}

/// Some rows, with the columns that they have. Vectors keep all their numbers.
struct KeptRows {
    rows: SetRows,
    n: usize,
    /// The columns that are kept, and where each column is among them.
    columns: Vec<u32>,
    place: Vec<u32>,
}

impl KeptRows {
    fn new(counts: &Counts) -> Result<Self> {
        let n = counts.n_columns();
        let all = || collected(0..n as u32);
        let (rows, columns, place) = match &counts.rows {
            SetRows::Names(_) => (SetRows::Names(Lists::default()), empty(n)?, filled(NONE, n)?),
            SetRows::Sparse(_) => (SetRows::Sparse(Lists::default()), all()?, Vec::new()),
            SetRows::Dense { width, .. } => {
                (SetRows::Dense { width: *width, values: Vec::new() }, all()?, Vec::new())
            }
        };
        Ok(Self { rows, n: 0, columns, place })
    }

    fn push(&mut self, row: SetRow<'_>) -> Result<()> {
        self.n += 1;
        match (&mut self.rows, row) {
            (SetRows::Names(kept), SetRow::Names(columns)) => {
                for &column in columns {
                    let place = &mut self.place[column as usize];
                    if *place == NONE {
                        *place = self.columns.len() as u32;
                        self.columns.push(column);
                    }
                }
                kept.gather(columns.iter().map(|&column| self.place[column as usize]))
            }
            (SetRows::Sparse(kept), SetRow::Sparse(entries)) => kept.push(entries),
            (SetRows::Dense { values, .. }, SetRow::Dense(numbers)) => values.grow_by(numbers),
            // All rows are of one kind.
            _ => Ok(()),
        }
    }
}

/// How often a cue set occurred with an outcome, while counting.
#[derive(Clone, Copy)]
struct Occurrence {
    outcome: u32,
    set: u32,
    tokens: u64,
}

impl Occurrence {
    fn key(&self) -> (u32, u32) {
        (self.outcome, self.set)
    }
}

/// Counts that are not complete. Cue sets list cues here, sorted.
struct Gathering {
    active: Vec<bool>,
    /// The cues that distinguish sets: those that are active, and the frozen ones.
    distinguishing: Vec<bool>,
    twins: Twins,
    sets: SetCounter,
    pairs: Pairs,
    once: Distinct,
    repeated: bool,
    pulse: Pulse,
}

impl Gathering {
    fn new(active: Vec<bool>, frozen: &[u32], repeated: bool) -> Result<Self> {
        // The classes of twins: one for each cue, in a list that grows.
        ask(16 * active.len())?;
        let mut distinguishing = copied(&active)?;
        frozen.iter().for_each(|&cue| distinguishing[cue as usize] = true);
        Ok(Self {
            distinguishing,
            twins: Twins::new(active.iter().map(|active| active.then_some(0)))?,
            active,
            sets: SetCounter::default(),
            pairs: Pairs::default(),
            once: Distinct::default(),
            repeated,
            pulse: Pulse::default(),
        })
    }

    /// Counts the events of a file. Threads decode chunks, which are counted in order.
    fn read(&mut self, file: &EventFile, monitor: &Monitor) -> Result<()> {
        ask(8 * file.types()?.len())?;
        let side_by_side = rayon::current_num_threads();
        let chunks = (0..file.n_chunks()).step_by(side_by_side).flat_map(|first| {
            let some = first..(first + side_by_side).min(file.n_chunks());
            some.into_par_iter().map(|index| file.chunk(index)).collect::<Vec<_>>()
        });
        file.tally(chunks, monitor, |cues, outcomes, tokens| self.add(cues, outcomes, tokens, monitor))
    }

    fn add(&mut self, cues: &[u32], outcomes: &[u32], tokens: u64, monitor: &Monitor) -> Result<()> {
        // Sorting takes several times as long as looking.
        self.pulse.beat(SORTING * cues.len() + outcomes.len() + 1, monitor)?;
        let Self { active, distinguishing, twins, sets, .. } = self;
        if !cues.iter().any(|&cue| active[cue as usize]) {
            return Ok(());
        }
        let counted = sets.count(cues, |cue| distinguishing[cue as usize], tokens)?;
        let Some((set, is_new)) = counted else { return Ok(()) };
        if is_new {
            if sets.sorted.len() > LONG {
                // The cues of an event, as ids and as counts, in lists that grow.
                ask(48 * sets.sorted.len())?;
            }
            twins.split(sets.sorted.iter().copied())?;
        }
        let outcomes = if self.repeated { outcomes } else { self.once.of(outcomes)? };
        self.pairs.add(outcomes.iter().map(|&outcome| Occurrence { outcome, set, tokens }), monitor)
    }
}

/// Pairs of an outcome and a cue set: sorted runs, and a list of the pairs since.
///
/// Invariant: each run is sorted and has a pair once. Each run is less than half as long as the one before, so that a pair is
/// moved only a few times.
#[derive(Default)]
struct Pairs {
    runs: Vec<Vec<Occurrence>>,
    recent: Vec<Occurrence>,
}

impl Pairs {
    fn add(&mut self, pairs: impl ExactSizeIterator<Item = Occurrence>, monitor: &Monitor) -> Result<()> {
        self.recent.make_room(pairs.len())?;
        self.recent.extend(pairs);
        if self.recent.len() < PAIRS {
            return Ok(());
        }
        self.sort()?;
        while let [.., before, last] = self.runs.as_slice()
            && 2 * last.len() > before.len()
        {
            self.join(monitor)?;
        }
        Ok(())
    }

    /// All pairs in one run.
    fn all(mut self, monitor: &Monitor) -> Result<Vec<Occurrence>> {
        self.sort()?;
        while self.runs.len() > 1 {
            self.join(monitor)?;
        }
        Ok(self.runs.pop().unwrap_or_default())
    }

    /// Makes a run of the pairs that are not sorted yet.
    fn sort(&mut self) -> Result<()> {
        self.recent.par_sort_unstable_by_key(Occurrence::key);
        self.recent.dedup_by(|next, kept| {
            let same = next.key() == kept.key();
            if same {
                kept.tokens = kept.tokens.saturating_add(next.tokens);
            }
            same
        });
        self.runs.push(collected(self.recent.drain(..))?);
        Ok(())
    }

    /// Merges the last two runs.
    fn join(&mut self, monitor: &Monitor) -> Result<()> {
        let (Some(last), Some(before)) = (self.runs.pop(), self.runs.pop()) else { return Ok(()) };
        let mut joined: Vec<Occurrence> = empty(before.len().saturating_add(last.len()))?;
        let mut pulse = Pulse::default();
        let (mut before, mut last) = (before.into_iter().peekable(), last.into_iter().peekable());
        loop {
            pulse.beat(1, monitor)?;
            let next = match (before.peek(), last.peek()) {
                (Some(one), Some(other)) if one.key() <= other.key() => before.next(),
                (_, Some(_)) => last.next(),
                (_, None) => before.next(),
            };
            let Some(next) = next else { break };
            match joined.last_mut() {
                Some(kept) if kept.key() == next.key() => {
                    kept.tokens = kept.tokens.saturating_add(next.tokens);
                }
                _ => joined.push(next),
            }
        }
        self.runs.push(joined);
        Ok(())
    }
}
