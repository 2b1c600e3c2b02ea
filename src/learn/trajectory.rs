//! Trajectories: weights of chosen cues and outcomes after chosen tokens.
//!
//! The forward method learns the wanted columns as [`Plan::learn`] does. Its events are cut at the tokens to record, also inside
//! a row of frequency f, which is f tokens. Between two records it learns as always, so weights that are recorded after token t
//! have the bits of learning the first t tokens. Learning ends with the last record.
//!
//! Columns of zeros start late, as always; records before their start stay zero.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use super::checked_plan::{CheckedPlan, LearnedColumn};
use super::general::RuleTile;
use super::plan::Plan;
use super::script::{Event, NONE, Scripted};
use super::stretch::{Stretch, Times};
use super::tile::{LearnsColumns, Run};
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::distinct::Distinct;
use crate::kernel::element::Element;
use crate::lists::{Lists, span};
use crate::memory::{Grow, collected, filled};
use crate::monitor::Monitor;
use crate::rules::rule::Rule;
use crate::threads::lock;

/// What to record. Rows and columns are those of the plan's weights and result.
#[derive(Debug, Clone, Copy)]
pub struct Recording<'a> {
    /// The tokens after which to record, counted from 1 and rising; 0: before the first.
    pub tokens: &'a [u64],
    /// The weights.
    pub cells: Cells<'a>,
    /// Whether to record the activations of the present outcomes just before each of these tokens.
    pub predictions: bool,
    /// Cue sets whose activations to record.
    pub probes: Probes<'a>,
}

/// Cue sets, and after how many tokens the activations of each are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Probes<'a> {
    /// These numbers do not fall.
    pub tokens: &'a [u64],
    /// The rows of the cues.
    pub cues: &'a Lists,
}

/// Where the records go. All must be zero.
#[derive(Debug)]
pub struct Records<'a, E> {
    /// The weights: trace, then token, then cell.
    pub weights: &'a mut [E],
    /// The first state of each of these weights, in the same places. Empty where it is not wanted.
    pub saliences: &'a mut [E],
    /// The activations of all columns just before each token to record, none for token 0: column, then token. Empty where they are
    /// not wanted.
    pub predicted: &'a mut [E],
    /// The activations of all columns at each probe: column, then probe.
    pub probed: &'a mut [E],
}

/// Weights to record, as traces. A trace has the weights of one or more cells of a column, at each token.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// A trace for each column: these rows.
    Block(&'a [u32]),
    /// A trace for each pair of a row and a column.
    Pairs(&'a [[u32; 2]]),
}

/// The rows of a trace, and its column.
type TraceCells<'a> = (&'a [u32], u32);

impl<'a> Cells<'a> {
    /// The rows and the column of each trace, in a result of `n_columns` columns.
    fn traces(self, n_columns: usize) -> Result<Vec<TraceCells<'a>>> {
        match self {
            Cells::Block(rows) => collected((0..n_columns as u32).map(|column| (rows, column))),
            Cells::Pairs(pairs) => collected(pairs.iter().map(|pair| (&pair[..1], pair[1]))),
        }
    }
}

/// Predictions: a row for each learned outcome that is present at a recorded token.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions<E> {
    /// The index of the recorded token.
    pub records: Vec<u32>,
    /// The column of the outcome.
    pub columns: Vec<u32>,
    /// Its activation just before the token was learned.
    pub activations: Vec<E>,
    /// The error: lambda minus the activation.
    pub errors: Vec<E>,
}

/// What all tiles record.
///
/// Invariants: `tokens` rise and are tokens of the file, and those of the probes do not fall; `slots[i]` has room for `cells[i]` at
/// each of them, `predicted[j]` for a number at each, `probed[j]` for one of each probe; rows and columns exist.
pub(super) struct Traces<'a, E> {
    tokens: &'a [u64],
    probes: Probes<'a>,
    cells: Vec<TraceCells<'a>>,
    /// A tile locks those of its columns; no other tile has them.
    slots: Vec<Mutex<&'a mut [E]>>,
    /// As `slots`, or empty.
    saliences: Vec<Mutex<&'a mut [E]>>,
    /// For each column, or empty.
    predicted: Vec<Mutex<&'a mut [E]>>,
    probed: Vec<Mutex<&'a mut [E]>>,
    /// The traces of each column.
    of_column: Vec<Vec<u32>>,
    pub(super) asked: Option<Asked>,
}

impl<'a, E: Element> Traces<'a, E> {
    pub(super) fn new(
        recording: &Recording<'a>,
        asked: Option<Asked>,
        checked: &CheckedPlan<E>,
        out: Records<'a, E>,
    ) -> Result<Self> {
        let (n_rows, n_columns, tokens) =
            (checked.rule.alpha.len(), checked.rule.lambda.len(), recording.tokens);
        let probes = recording.probes;
        let cells = recording.cells.traces(n_columns)?;
        let rising = tokens.windows(2).all(|pair| pair[0] < pair[1]) && probes.tokens.is_sorted();
        let last = tokens.last().max(probes.tokens.last());
        let known = probes.cues.items().iter().all(|&row| (row as usize) < n_rows);
        let inside = |(rows, column): &TraceCells<'_>| {
            rows.iter().all(|&row| (row as usize) < n_rows) && (*column as usize) < n_columns
        };
        if !rising
            || last.is_some_and(|&last| last > checked.facts.tokens)
            || !known
            || probes.cues.len() != probes.tokens.len()
            || !cells.iter().all(inside)
        {
            return Err(Error::Argument("expected rising tokens, rows and columns that exist".into()));
        }
        // All traces have the same number of cells.
        let size = cells.first().and_then(|(rows, _)| tokens.len().checked_mul(rows.len()));
        let size = size.unwrap_or(0);
        let of_salience = if out.saliences.is_empty() { 0 } else { size };
        let saliences = pieces(out.saliences, cells.len(), of_salience)?;
        let slots = pieces(out.weights, cells.len(), size)?;
        let n_predicted = if out.predicted.is_empty() { 0 } else { tokens.len() };
        let predicted = pieces(out.predicted, n_columns, n_predicted)?;
        let probed = pieces(out.probed, n_columns, probes.tokens.len())?;
        let mut of_column = filled(Vec::new(), n_columns)?;
        for (trace, (_, column)) in (0..).zip(&cells) {
            of_column[*column as usize].grow(trace)?;
        }
        Ok(Self { tokens, probes, cells, slots, saliences, predicted, probed, of_column, asked })
    }

    /// The last token to record.
    pub(super) fn end(&self) -> u64 {
        self.tokens.last().max(self.probes.tokens.last()).copied().unwrap_or(0)
    }

    /// What a tile of these columns records; the tile begins after `token` tokens.
    pub(super) fn tracer(&self, columns: &[LearnedColumn], token: u64) -> Result<Tracer<'_, 'a, E>> {
        let mut lanes = Vec::new();
        for (lane, column) in columns.iter().enumerate() {
            for trace in column.targets.iter().flat_map(|&target| &self.of_column[target as usize]) {
                if let Some(slot) = self.slots.get(*trace as usize) {
                    let out = lock(slot);
                    let salience = self.saliences.get(*trace as usize);
                    let salience = salience.map(lock);
                    lanes.grow(Lane { lane, rows: self.cells[*trace as usize].0, out, salience })?;
                }
            }
        }
        let mut lane_of = Vec::new();
        if self.asked.is_some() {
            lane_of = filled(NONE, self.of_column.len())?;
            for (lane, column) in (0..).zip(columns) {
                column.targets.iter().for_each(|&target| lane_of[target as usize] = lane);
            }
        }
        let (predicted, probed) = (held(&self.predicted, columns)?, held(&self.probed, columns)?);
        Ok(Tracer { traces: self, lanes, predicted, probed, lane_of, token, record: 0, probe: 0 })
    }
}

/// A buffer, cut into `n` pieces of `size` elements; none where they have no elements.
fn pieces<E>(buffer: &mut [E], n: usize, size: usize) -> Result<Vec<Mutex<&mut [E]>>> {
    if n.checked_mul(size) != Some(buffer.len()) {
        let found = buffer.len();
        return Err(Error::Argument(format!(
            "expected room for {n} records of {size} numbers, found {found}"
        )));
    }
    if size == 0 { Ok(Vec::new()) } else { collected(buffer.chunks_exact_mut(size).map(Mutex::new)) }
}

/// A lane, and where the activations of a column that it stands for go.
type Activations<'r, 'a, E> = (usize, MutexGuard<'r, &'a mut [E]>);

/// The slots of the columns that the lanes of a tile stand for.
fn held<'r, 'a, E>(
    slots: &'r [Mutex<&'a mut [E]>],
    columns: &[LearnedColumn],
) -> Result<Vec<Activations<'r, 'a, E>>> {
    let targets = columns.iter().enumerate();
    let targets = targets.flat_map(|(lane, column)| column.targets.iter().map(move |&target| (lane, target)));
    let slot = |(lane, target)| Some((lane, slots.get(target as usize)?));
    collected(targets.filter_map(slot).map(|(lane, slot)| (lane, lock(slot))))
}

/// Records the activations of these cues.
fn answer<E: LearnsColumns, R: Rule<E>>(
    out: &mut [Activations<'_, '_, E>],
    at: usize,
    cues: &[u32],
    tile: &RuleTile<'_, E, R>,
) {
    for (lane, out) in out {
        out[at] = activation(cues, *lane, tile);
    }
}

/// The sum of the weights of these cues, one after another. All `cues` are below the tile's number of rows.
#[inline(always)]
pub(super) fn activation<E: LearnsColumns, R: Rule<E>>(
    cues: &[u32],
    lane: usize,
    tile: &RuleTile<'_, E, R>,
) -> E {
    cues.iter().fold(E::default(), |sum, &cue| sum.plus(tile.weight(cue as usize, lane)))
}

/// The number of traces that a tile records together: as many as share a cache line of its rows.
const TOGETHER: usize = 8;

/// A trace of a lane of a tile.
struct Lane<'r, 'a, E> {
    lane: usize,
    rows: &'r [u32],
    out: MutexGuard<'r, &'a mut [E]>,
    salience: Option<MutexGuard<'r, &'a mut [E]>>,
}

/// What a tile records.
///
/// Invariant: `record` is the first record that is not made, `probe` the first probe; after `begin`, their tokens come after `token`.
pub(super) struct Tracer<'r, 'a, E> {
    traces: &'r Traces<'a, E>,
    lanes: Vec<Lane<'r, 'a, E>>,
    predicted: Vec<Activations<'r, 'a, E>>,
    probed: Vec<Activations<'r, 'a, E>>,
    /// The lane of each column, or [`NONE`]; for predictions.
    lane_of: Vec<u32>,
    /// How many tokens are learned.
    token: u64,
    record: usize,
    probe: usize,
}

impl<E: LearnsColumns> Tracer<'_, '_, E> {
    /// Records the weights that the tile begins with. Records before that are zero, as the buffer is.
    pub(super) fn begin<R: Rule<E>>(&mut self, tile: &RuleTile<'_, E, R>) {
        self.record = self.traces.tokens.partition_point(|&token| token < self.token);
        self.probe = self.traces.probes.tokens.partition_point(|&token| token < self.token);
        self.reach(tile);
    }

    /// Whether there is nothing left to record.
    pub(super) fn is_done(&self) -> bool {
        self.next().is_none()
    }

    /// Learns events into the tile, and records.
    ///
    /// # Errors
    /// When stopped.
    pub(super) fn follow<R: Rule<E>>(
        &mut self,
        mut walk: Walk<'_>,
        tile: &mut RuleTile<'_, E, R>,
        run: &Run<'_, E>,
    ) -> Result<()> {
        while let (Some(next), Some(event)) = (self.next(), walk.event()) {
            let mut ahead = next - self.token;
            if (self.traces.asked.is_some() || !self.predicted.is_empty())
                && let Some(&record) = self.traces.tokens.get(self.record)
            {
                if record - self.token == 1 {
                    answer(&mut self.predicted, self.record, event.cues, tile);
                    if let Some(asked) = &self.traces.asked {
                        asked.answer(self.record, &self.lane_of, event.cues, tile);
                    }
                } else {
                    // Up to the token before: the activations just before the record's token are wanted.
                    ahead = ahead.min(record - 1 - self.token);
                }
            }
            let (stretch, tokens) = walk.take(ahead);
            let rest = tile.learn(stretch, run)?;
            walk.go_on(rest);
            self.token += tokens;
            if self.token == next {
                self.reach(tile);
                run.monitor.check()?;
            }
        }
        Ok(())
    }

    /// The token to record next, weights or probes.
    fn next(&self) -> Option<u64> {
        let (record, probe) =
            (self.traces.tokens.get(self.record), self.traces.probes.tokens.get(self.probe));
        record.into_iter().chain(probe).min().copied()
    }

    /// Makes what is to be recorded after the tokens that are learned.
    fn reach<R: Rule<E>>(&mut self, tile: &RuleTile<'_, E, R>) {
        let Probes { tokens, cues } = self.traces.probes;
        while tokens.get(self.probe) == Some(&self.token) {
            answer(&mut self.probed, self.probe, cues.get(self.probe), tile);
            self.probe += 1;
        }
        if self.traces.tokens.get(self.record) == Some(&self.token) {
            self.make(tile);
        }
    }

    /// Makes the next record.
    fn make<R: Rule<E>>(&mut self, tile: &RuleTile<'_, E, R>) {
        for lanes in self.lanes.chunks_mut(TOGETHER) {
            // All traces have the same number of rows.
            let n_rows = lanes.first().map_or(0, |lane| lane.rows.len());
            let start = self.record * n_rows;
            for i in 0..n_rows {
                for Lane { lane, rows, out, salience } in &mut *lanes {
                    let row = rows[i] as usize;
                    out[start + i] = tile.weight(row, *lane);
                    if let Some(salience) = salience {
                        salience[start + i] = tile.first_state(row, *lane);
                    }
                }
            }
        }
        self.record += 1;
    }
}

/// Events, learned one piece after another.
///
/// Invariant: `learned` is zero or less than the frequency of the first event.
pub(super) struct Walk<'a> {
    left: Stretch<'a>,
    /// How many tokens of the first event are learned.
    learned: u32,
    /// How many events will be complete when the latest piece is learned.
    over: usize,
}

impl<'a> Walk<'a> {
    /// Begins at the first of some events.
    pub(super) fn new(events: Stretch<'a>) -> Self {
        Self { left: events, learned: 0, over: 0 }
    }

    /// The first event that has tokens left.
    fn event(&mut self) -> Option<Event<'a>> {
        while self.left.len > 0 {
            let mut rest = self.left.events.clone();
            let event = rest.next()?;
            if self.left.times.of(0) > 0 {
                return Some(event);
            }
            self.over = 1;
            self.go_on(rest);
        }
        None
    }

    /// The next piece, and its number of tokens: at least one, at most `most`. Some tokens must be left.
    fn take(&mut self, most: u64) -> (Stretch<'a>, u64) {
        let Stretch { events, len, times } = self.left.clone();
        let of_first = times.of(0) - self.learned;
        if self.learned > 0 || u64::from(of_first) > most {
            let some = u64::from(of_first).min(most) as u32;
            self.over = usize::from(some == of_first);
            self.learned += some;
            return (Stretch { events, len: 1, times: Times::all(some) }, some.into());
        }
        let (mut whole, mut tokens) = (0, 0);
        if times.are_once() {
            whole = len.min(usize::try_from(most).unwrap_or(usize::MAX));
            tokens = whole as u64;
        } else {
            while whole < len && tokens + u64::from(times.of(whole)) <= most {
                tokens += u64::from(times.of(whole));
                whole += 1;
            }
        }
        self.over = whole;
        (Stretch { events, len: whole, times }, tokens)
    }

    /// Continues with the events after a piece.
    fn go_on(&mut self, rest: Scripted<'a>) {
        if self.over > 0 {
            let Stretch { len, times, .. } = self.left;
            self.left = Stretch { events: rest, len: len - self.over, times: times.after(self.over) };
            (self.learned, self.over) = (0, 0);
        }
    }
}

/// The outcomes that are present at recorded tokens, and their activations.
///
/// Invariants: there is a list of columns for each record, and an activation for each column.
pub(super) struct Asked {
    columns: Lists,
    /// The bits of float64s. Each is written only by the tile that has its column.
    activations: Vec<AtomicU64>,
}

impl Asked {
    /// Finds the present outcomes that are learned.
    pub(super) fn new<E: Element>(
        file: &EventFile,
        plan: &Plan<'_, E>,
        tokens: &[u64],
        monitor: &Monitor,
    ) -> Result<Self> {
        let mut columns = Lists::default();
        let (mut past, mut left, mut once) = (0_u64, tokens, Distinct::default());
        // Before the first token nothing is predicted.
        if left.first() == Some(&0) {
            left = &left[1..];
            columns.end()?;
        }
        for chunk in 0..file.n_chunks() {
            monitor.check()?;
            if left.is_empty() {
                break;
            }
            file.for_each(file.events_of(chunk), |_, _, outcomes, frequency| {
                past = past.saturating_add(frequency.into());
                while let Some((&token, later)) = left.split_first()
                    && token <= past
                {
                    left = later;
                    let outcomes = once.of(outcomes)?;
                    let learned = |&outcome: &u32| *plan.columns.get(outcome as usize)?;
                    columns.gather(outcomes.iter().filter_map(learned))?;
                }
                Ok(())
            })?;
        }
        let activations = collected(columns.items().iter().map(|_| AtomicU64::new(0)))?;
        Ok(Self { columns, activations })
    }

    /// Predicts the outcomes of a record that are in the tile. All `cues` are below its number of rows.
    fn answer<E: LearnsColumns, R: Rule<E>>(
        &self,
        record: usize,
        lane_of: &[u32],
        cues: &[u32],
        tile: &RuleTile<'_, E, R>,
    ) {
        for row in span(self.columns.ends(), record).unwrap_or_default() {
            let lane = lane_of[self.columns.items()[row] as usize];
            if lane != NONE {
                let activation = activation(cues, lane as usize, tile);
                self.activations[row].store(activation.to_f64().to_bits(), Relaxed);
            }
        }
    }

    pub(super) fn answered<E: Element>(self, lambda: &[E]) -> Result<Predictions<E>> {
        let mut records = Vec::new();
        records.make_room(self.columns.items().len())?;
        for (record, &end) in (0..).zip(self.columns.ends()) {
            records.resize(end, record);
        }
        let activations = self.activations.into_iter().map(AtomicU64::into_inner).map(f64::from_bits);
        let activations = collected(activations.map(E::from_f64))?;
        let errors = activations.iter().zip(self.columns.items());
        let errors = errors.map(|(&activation, &column)| lambda[column as usize].minus(activation));
        let errors = collected(errors)?;
        Ok(Predictions { records, columns: self.columns.into_items(), activations, errors })
    }
}
