//! The events as counts: the distinct cue sets, how often each occurred, and how often with each outcome.
//!
//! Least squares need no more. For one outcome j let a cue set t with cues c_t have f_t tokens, n_tj of them with j:
//!
//! ```text
//! C'FC = sum of f_t c_t c_t'        C'FO e_j = sum of n_tj c_t        C'F(O lambda - C W) e_j = sum of (n_tj lambda - f_t c_t'w) c_t
//! ```
//!
//! Cues that always come together, equally often, are one *column*. With saliences
//! alpha_i of its cues the column has the salience A = sum of alpha_i: of all ways to share its weight y among them, w_i =
//! alpha_i / A * y has the least sum of w_i^2 / alpha_i, which is y^2 / A. Cues that never occur, or of salience 0, have no
//! column, and weight 0.
//!
//! Unknowns are x = y / sqrt(A), so that the solution meant is the one of least |x|, and a ridge adds ridge |x|^2.
//!
//! Memory, with s distinct cue sets that list k cues together and p pairs of a set and an outcome: 4 k + 16 (s + p) bytes,
//! and while counting at most 24 k + 64 s + 128 p + 64 MB, for lists that grow have room for twice what is in them. All
//! counts are integers, exact in f64 below 2^53, so neither the order of events nor the number of threads can be seen in
//! them.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::chunk::{Body, Chunk};
use crate::learn::twins::Twins;
use crate::monitor::Monitor;

/// Marks a cue without a column.
const NONE: u32 = u32::MAX;
/// Pairs of a cue set and an outcome that are gathered before equal ones are added up.
const PAIRS: usize = 1 << 20;
/// Looks at the stop flag once in so many pairs of cues,
const WORK: usize = 1 << 22;
/// or cue sets.
pub(super) const POLL: usize = 1024;

/// Lists of columns, one after another.
///
/// Invariant: `ends` rises and ends at `columns.len()`.
#[derive(Debug, Clone, Default)]
struct Sets {
    ends: Vec<usize>,
    columns: Vec<u32>,
}

impl Sets {
    fn get(&self, set: usize) -> &[u32] {
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.columns[start..self.ends[set]]
    }

    fn push(&mut self, columns: impl Iterator<Item = u32> + Clone) -> Result<()> {
        reserve(&mut self.columns, columns.clone().count())?;
        reserve(&mut self.ends, 1)?;
        self.columns.extend(columns);
        self.ends.push(self.columns.len());
        Ok(())
    }
}

/// How often a cue set occurred with an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub(super) set: u32,
    pub(super) tokens: f64,
}

/// The events as counts.
///
/// Invariants: columns in `sets` are below `scale.len()`, each at least in one set; `tokens` has one positive number a set;
/// sets in `pairs` are below `tokens.len()`, rising within an outcome; `ends` has one entry an outcome, rises and ends at
/// `pairs.len()`; `place` and `share` have one entry a cue.
pub(super) struct Counts {
    sets: Sets,
    /// f_t.
    pub(super) tokens: Vec<f64>,
    pairs: Vec<Pair>,
    ends: Vec<usize>,
    /// sqrt(A) of each column.
    pub(super) scale: Vec<f64>,
    /// How many cues a column stands for.
    size: Vec<f64>,
    /// The column of each cue.
    place: Vec<u32>,
    /// w_i / x of each cue.
    share: Vec<f64>,
}

impl Counts {
    /// Counts the events of a file. `alpha`: saliences of the cues, 1 if `None`.
    pub(super) fn new<B: AsRef<[u8]> + Sync>(
        file: &EventFile<B>,
        alpha: Option<&[f64]>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let known = file.cues().counts();
        let alpha = |cue: usize| alpha.map_or(1.0, |alpha| alpha[cue]);
        let active: Vec<bool> = (0..known.len()).map(|cue| known[cue] > 0 && alpha(cue) > 0.0).collect();
        let mut gathering = Gathering::new(active)?;
        gathering.read(file, monitor)?;
        let Gathering { active, twins, sets, tokens, mut pairs, .. } = gathering;
        merge(&mut pairs);

        // A column for the first of each class of twins.
        let least = twins.least()?;
        let mut place = vec![NONE; active.len()];
        let (mut salience, mut size) = (Vec::new(), Vec::new());
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
        let scale: Vec<f64> = salience.iter().map(|sum: &f64| sum.sqrt()).collect();
        let share = place
            .iter()
            .enumerate()
            .map(|(cue, &column)| scale.get(column as usize).map_or(0.0, |scale| alpha(cue) / scale));
        let share = share.collect();
        let mut columns = Sets::default();
        for set in 0..tokens.len() {
            let first = |&&cue: &&u32| least[cue as usize] == cue;
            columns.push(sets.get(set).iter().filter(first).map(|&cue| place[cue as usize]))?;
        }
        let mut ends = Vec::with_capacity(file.outcomes().len());
        for outcome in 0..file.outcomes().len() as u32 {
            ends.push(pairs.partition_point(|pair| pair.outcome <= outcome));
        }
        let mut listed = Vec::new();
        reserve(&mut listed, pairs.len())?;
        listed.extend(pairs.iter().map(|pair| Pair { set: pair.set, tokens: pair.tokens as f64 }));
        let tokens = tokens.iter().map(|&tokens| tokens as f64).collect();
        Ok(Self { sets: columns, tokens, pairs: listed, ends, scale, size, place, share })
    }

    /// The problem of one outcome with two learning rates as one with one rate: every token weighs `present` with the outcome
    /// and `absent` without. The columns of cues that weigh nothing are gone; the second result names those that are left.
    pub(super) fn of_outcome(&self, outcome: usize, present: f64, absent: f64) -> Result<(Self, Vec<u32>)> {
        let mut tokens = Vec::new();
        reserve(&mut tokens, self.n_sets())?;
        tokens.extend(self.tokens.iter().map(|tokens| absent * tokens));
        let pairs = self.pairs(outcome);
        for pair in pairs {
            let set = pair.set as usize;
            tokens[set] = present * pair.tokens + absent * (self.tokens[set] - pair.tokens);
        }
        let (mut place, mut kept) = (vec![NONE; self.n_columns()], Vec::new());
        let mut sets = Sets::default();
        let mut renumbered = Vec::new();
        for (set, &weight) in tokens.iter().enumerate() {
            renumbered.push(sets.ends.len() as u32);
            if weight > 0.0 {
                for &column in self.sets.get(set) {
                    if place[column as usize] == NONE {
                        place[column as usize] = kept.len() as u32;
                        kept.push(column);
                    }
                }
                sets.push(self.sets.get(set).iter().map(|&column| place[column as usize]))?;
            }
        }
        let pairs: Vec<Pair> = pairs
            .iter()
            .filter(|pair| tokens[pair.set as usize] > 0.0)
            .map(|pair| Pair { set: renumbered[pair.set as usize], tokens: present * pair.tokens })
            .collect();
        tokens.retain(|&tokens| tokens > 0.0);
        let of = |values: &[f64]| kept.iter().map(|&column| values[column as usize]).collect::<Vec<_>>();
        let counts = Self {
            ends: vec![pairs.len()],
            scale: of(&self.scale),
            size: of(&self.size),
            sets,
            tokens,
            pairs,
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
        self.ends.len()
    }

    /// The columns of a cue set; one comes as often as the set has its cues.
    pub(super) fn set(&self, set: usize) -> &[u32] {
        self.sets.get(set)
    }

    /// The cue sets that occurred with an outcome.
    pub(super) fn pairs(&self, outcome: usize) -> &[Pair] {
        let start = if outcome == 0 { 0 } else { self.ends[outcome - 1] };
        &self.pairs[start..self.ends[outcome]]
    }

    /// How many cues each column stands for.
    pub(super) fn size(&self, column: usize) -> f64 {
        self.size[column]
    }

    /// The lower triangle of S C'FC S + ridge I, S the diagonal matrix of `scale`, column after column.
    ///
    /// Bands of columns are counted side by side.
    pub(super) fn gram(&self, ridge: f64, monitor: &Monitor) -> Result<Vec<f64>> {
        let n = self.n_columns();
        let mut gram = zeros(n.saturating_mul(n), "the normal equations", "use method=\"iterative\"")?;
        let band = n.div_ceil(4 * rayon::current_num_threads()).max(1);
        gram.par_chunks_mut((band * n).max(1)).enumerate().try_for_each(|(index, part)| {
            let first = index * band;
            let inside = first..first + part.len() / n;
            let mut work = 0;
            for (set, &tokens) in self.tokens.iter().enumerate() {
                let columns = self.set(set);
                work += columns.len() * columns.len();
                if work > WORK {
                    monitor.check()?;
                    work = 0;
                }
                for &column in columns.iter().filter(|&&column| inside.contains(&(column as usize))) {
                    let line = &mut part[(column as usize - first) * n..][..n];
                    columns
                        .iter()
                        .filter(|&&other| other >= column)
                        .for_each(|&other| line[other as usize] += tokens);
                }
            }
            for (column, line) in inside.zip(part.chunks_exact_mut(n)) {
                line.iter_mut().zip(&self.scale).for_each(|(sum, scale)| *sum *= scale * self.scale[column]);
                line[column] += ridge;
            }
            Ok(())
        })?;
        Ok(gram)
    }

    /// For each cue its column and w / x, if it has one.
    pub(super) fn cues(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let cues = self.place.iter().zip(&self.share).enumerate();
        cues.filter(|(_, (column, _))| **column != NONE)
            .map(|(cue, (&column, &share))| (cue, column as usize, share))
    }
}

/// How often a cue set occurred with an outcome, while counting.
#[derive(Clone, Copy)]
struct Occurrence {
    outcome: u32,
    set: u32,
    tokens: u64,
}

/// Counts in the making: cue sets list cues here, sorted.
struct Gathering {
    active: Vec<bool>,
    twins: Twins,
    sets: Sets,
    tokens: Vec<u64>,
    pairs: Vec<Occurrence>,
    /// When to add equal pairs up.
    full: usize,
    /// Sets by the hash of their cues.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    sorted: Vec<u32>,
}

impl Gathering {
    fn new(active: Vec<bool>) -> Result<Self> {
        Ok(Self {
            twins: Twins::new(active.iter().map(|active| active.then_some(0)))?,
            active,
            sets: Sets::default(),
            tokens: Vec::new(),
            pairs: Vec::new(),
            full: PAIRS,
            known: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            sorted: Vec::new(),
        })
    }

    /// Chunks are decoded side by side, and taken in order.
    fn read<B: AsRef<[u8]> + Sync>(&mut self, file: &EventFile<B>, monitor: &Monitor) -> Result<()> {
        let types = file.types()?;
        let mut of_type = vec![0_u64; types.len()];
        let side_by_side = rayon::current_num_threads();
        for first in (0..file.n_chunks()).step_by(side_by_side) {
            let last = (first + side_by_side).min(file.n_chunks());
            let chunks: Vec<Result<Chunk>> =
                (first..last).into_par_iter().map(|index| file.chunk(index)).collect();
            for chunk in chunks {
                let chunk = chunk?;
                for i in 0..chunk.body.len() {
                    let tokens = u64::from(chunk.frequency(i));
                    match &chunk.body {
                        Body::Tokens(types) => {
                            let of_type = &mut of_type[types[i] as usize];
                            *of_type = of_type.saturating_add(tokens);
                        }
                        Body::Rows(rows) => self.add(rows.cues.get(i), rows.outcomes.get(i), tokens)?,
                    }
                    if i % POLL == 0 {
                        monitor.check()?;
                    }
                }
                monitor.advance(chunk.body.len() as u64)?;
            }
        }
        for (i, &tokens) in of_type.iter().enumerate() {
            self.add(types.cues.get(i), types.outcomes.get(i), tokens)?;
            if i % POLL == 0 {
                monitor.check()?;
            }
        }
        Ok(())
    }

    fn add(&mut self, cues: &[u32], outcomes: &[u32], tokens: u64) -> Result<()> {
        if tokens == 0 {
            return Ok(());
        }
        let Self { active, twins, sets, known, hasher, sorted, .. } = self;
        sorted.clear();
        sorted.extend(cues.iter().filter(|&&cue| active[cue as usize]));
        sorted.sort_unstable();
        if sorted.is_empty() {
            return Ok(());
        }
        let hash = hasher.hash_one(&sorted);
        let set = match known.find(hash, |&set| sets.get(set as usize) == *sorted) {
            Some(&set) => set,
            None => {
                let set = u32::try_from(self.tokens.len()).map_err(|_| {
                    Error::Argument(
                        "expected fewer than 4,294,967,296 different cue sets; use fewer events".into(),
                    )
                })?;
                sets.push(sorted.iter().copied())?;
                reserve(&mut self.tokens, 1)?;
                self.tokens.push(0);
                let rehash = |&set: &u32| hasher.hash_one(sets.get(set as usize));
                known.try_reserve(1, rehash).map_err(|_| full(8 * self.tokens.len()))?;
                known.insert_unique(hash, set, rehash);
                twins.split(sorted.iter().copied())?;
                set
            }
        };
        let sum = &mut self.tokens[set as usize];
        *sum = sum.saturating_add(tokens);
        reserve(&mut self.pairs, outcomes.len())?;
        self.pairs.extend(outcomes.iter().map(|&outcome| Occurrence { outcome, set, tokens }));
        if self.pairs.len() > self.full {
            merge(&mut self.pairs);
            self.full = (2 * self.pairs.len()).max(PAIRS);
        }
        Ok(())
    }
}

/// Sorts by outcome and set, and adds equal pairs up.
fn merge(pairs: &mut Vec<Occurrence>) {
    pairs.par_sort_unstable_by_key(|pair| (pair.outcome, pair.set));
    pairs.dedup_by(|next, kept| {
        let same = (next.outcome, next.set) == (kept.outcome, kept.set);
        if same {
            kept.tokens = kept.tokens.saturating_add(next.tokens);
        }
        same
    });
}

/// Room for more elements, as `Vec` would take it, or an error.
pub(super) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| full((list.len() + more) * size_of::<T>()))
}

fn full(bytes: usize) -> Error {
    Error::Memory { what: "counting the events", bytes: bytes as u128, cure: "use fewer events" }
}

/// Zeros, or an error.
pub(super) fn zeros(n: usize, what: &'static str, cure: &'static str) -> Result<Vec<f64>> {
    let mut list = Vec::new();
    list.try_reserve_exact(n).map_err(|_| Error::Memory { what, bytes: 8 * n as u128, cure })?;
    list.resize(n, 0.0);
    Ok(list)
}
