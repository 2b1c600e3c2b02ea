//! Events made ready for the learner: decoded, validated, owned, in the learner's numbering.
//!
//! The learner indexes weights by what it finds here without looking again, so everything is checked here: rows are
//! below the number of saliences, columns below the number of those that change. A chunk is decoded from the file into owned memory and
//! its ids are looked up in the maps below, whose values were checked once; whatever happens to the file afterwards, the
//! learner sees the copy.
//!
//! What is decoded is kept when it fits a budget, and is decoded again for every pass otherwise.

use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::events::chunk::{Body, Chunk, Rows};
use crate::monitor::Monitor;

/// Decoded events are kept up to this many bytes.
pub const BUDGET: usize = 512 << 20;

/// Marks an outcome that is not learned.
const NONE: u32 = u32::MAX;

/// What is worth knowing about the events before learning.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Facts {
    /// The greatest sum of alpha * m^2 over the cues of an event.
    pub max_kappa: f64,
    /// Cue slots over all tokens.
    pub slots: u64,
}

/// A source of events in the learner's numbering.
///
/// Invariants: every cue id in `types` and `kept` is below `n_rows`, every outcome id below `n_columns`, every token
/// below `types.len()`. `rows` and `columns` hold only such numbers, or `NONE` for an outcome that is not learned.
pub struct Stream<'a, B> {
    file: &'a EventFile<B>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    n_rows: usize,
    n_columns: usize,
    types: Rows,
    kept: Option<Vec<Chunk>>,
    facts: Facts,
}

/// A run of events in the learner's numbering.
#[derive(Clone, Copy)]
pub struct Segment<'a> {
    /// The events in full, or their types.
    pub(super) rows: &'a Rows,
    /// The type of each event, if `rows` are types; event `i` is row `i` otherwise.
    pub(super) tokens: Option<&'a [u32]>,
    /// The frequency of each event; empty where all are 1.
    pub(super) frequencies: &'a [u32],
    /// How many events there are.
    pub(super) len: usize,
    /// All cue ids are below.
    pub(super) n_rows: usize,
    /// All outcome ids are below.
    pub(super) n_columns: usize,
}

impl<'a, B: AsRef<[u8]>> Stream<'a, B> {
    /// Reads all events once. `rows[cue]` is the row of each of the file's cues, below `alpha.len()`;
    /// `column[outcome]` the column of each of its outcomes or `None`.
    ///
    /// Columns are numbered anew, in order of the first event that can change them: that is what a late start needs.
    /// Columns for which `started` says that they do not start at zero come first. With the columns comes, for every row,
    /// the event after the last one that has its cue: 0 where none has.
    ///
    /// # Errors
    /// [`Error::Format`] when the file is damaged, [`Error::Argument`] when the maps do not fit it.
    pub fn new(
        file: &'a EventFile<B>,
        rows: &[u32],
        alpha: &[f64],
        column: &[Option<u32>],
        started: &[bool],
        budget: usize,
        monitor: &Monitor,
    ) -> Result<(Self, Vec<Column>, Vec<u64>)> {
        let fits = rows.len() == file.cues().len()
            && column.len() == file.outcomes().len()
            && rows.iter().all(|&row| (row as usize) < alpha.len())
            && column.iter().flatten().all(|&column| (column as usize) < started.len());
        if !fits || alpha.len() >= NONE as usize || started.len() >= NONE as usize {
            return Err(Error::Argument(
                "expected a row for every cue and a column for every outcome".into(),
            ));
        }
        let mut taken = vec![false; started.len()];
        if column.iter().flatten().any(|&column| std::mem::replace(&mut taken[column as usize], true)) {
            return Err(Error::Argument("expected a column of its own for every outcome".into()));
        }
        let types = file.types()?;
        let mut survey = Survey::new(file, types, rows, alpha);
        let mut kept = Some(Vec::new());
        let mut size = types.size();
        for index in 0..file.n_chunks() {
            monitor.check()?;
            let chunk = file.chunk(index)?;
            survey.look(file.events_of(index).start, &chunk);
            size += chunk.size();
            if size > budget {
                kept = None;
            }
            if let Some(kept) = &mut kept {
                kept.push(chunk);
            }
        }
        let Survey { first, after_last, facts, .. } = survey;

        let mut columns: Vec<Column> = Vec::new();
        columns.extend(
            (0..)
                .zip(started)
                .filter(|(_, started)| **started)
                .map(|(target, _)| Column { target, start: 0 }),
        );
        for (outcome, &start) in first.iter().enumerate() {
            if let (Some(target), Some(start)) = (column[outcome], start)
                && !started[target as usize]
            {
                columns.push(Column { target, start });
            }
        }
        columns.sort_by_key(|column| (column.start, column.target));
        let mut place = vec![NONE; started.len()];
        for (position, column) in (0..).zip(&columns) {
            place[column.target as usize] = position;
        }
        let place =
            column.iter().map(|column| column.map_or(NONE, |target| place[target as usize])).collect();

        let mut stream = Self {
            file,
            rows: rows.to_vec(),
            columns: place,
            n_rows: alpha.len(),
            n_columns: columns.len(),
            types: types.clone(),
            kept: None,
            facts,
        };
        let mut types = std::mem::take(&mut stream.types);
        stream.renumber(&mut types);
        stream.types = types;
        if let Some(chunks) = &mut kept {
            for chunk in chunks {
                if let Body::Rows(rows) = &mut chunk.body {
                    stream.renumber(rows);
                }
            }
        }
        stream.kept = kept;
        Ok((stream, columns, after_last))
    }

    /// Events in all.
    pub fn len(&self) -> u64 {
        self.file.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the first pass found.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Calls `visit` with runs of events, in order, and the place in the first run where event `start` is.
    ///
    /// # Errors
    /// Those of decoding, and of `visit`.
    pub fn from(&self, start: u64, mut visit: impl FnMut(Segment<'_>, usize) -> Result<()>) -> Result<()> {
        for index in self.file.chunk_with(start)..self.file.n_chunks() {
            let skip = start.saturating_sub(self.file.events_of(index).start) as usize;
            self.visit(index, |segment| visit(segment, skip))?;
        }
        Ok(())
    }

    /// Calls `visit` with runs of events, the last first, and how many events of the first run come before event `end`.
    ///
    /// # Errors
    /// Those of decoding, and of `visit`.
    pub fn back_from(&self, end: u64, mut visit: impl FnMut(Segment<'_>, usize) -> Result<()>) -> Result<()> {
        let Some(last) = end.checked_sub(1) else { return Ok(()) };
        for index in (0..=self.file.chunk_with(last)).rev() {
            let events = self.file.events_of(index);
            let wanted = events.end.min(end).saturating_sub(events.start) as usize;
            self.visit(index, |segment| visit(segment, wanted))?;
        }
        Ok(())
    }

    fn visit(&self, index: usize, visit: impl FnOnce(Segment<'_>) -> Result<()>) -> Result<()> {
        match self.kept.as_ref().and_then(|kept| kept.get(index)) {
            Some(chunk) => visit(self.segment(chunk)),
            None => {
                let mut chunk = self.file.chunk(index)?;
                if let Body::Rows(rows) = &mut chunk.body {
                    self.renumber(rows);
                }
                visit(self.segment(&chunk))
            }
        }
    }

    fn segment<'s>(&'s self, chunk: &'s Chunk) -> Segment<'s> {
        let (rows, tokens) = match &chunk.body {
            Body::Rows(rows) => (rows, None),
            Body::Tokens(tokens) => (&self.types, Some(tokens.as_slice())),
        };
        Segment {
            rows,
            tokens,
            frequencies: &chunk.frequencies,
            len: chunk.body.len(),
            n_rows: self.n_rows,
            n_columns: self.n_columns,
        }
    }

    /// From the file's ids to rows and columns. The file's ids are below the lengths of the maps: decoding checked it.
    fn renumber(&self, rows: &mut Rows) {
        for id in rows.cues.ids_mut() {
            *id = self.rows[*id as usize];
        }
        rows.outcomes.retain(|id| self.columns[id as usize] != NONE);
        for id in rows.outcomes.ids_mut() {
            *id = self.columns[*id as usize];
        }
    }
}

/// A column to learn: where it goes in the result, and the first event that can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its place in the result.
    pub target: u32,
    /// The first event that can change it.
    pub start: u64,
}

/// One pass over the events.
struct Survey<'a> {
    rows: &'a [u32],
    alpha: &'a [f64],
    /// The first event in which each outcome occurs.
    first: Vec<Option<u64>>,
    /// For each row the event after the last one that has its cue.
    after_last: Vec<u64>,
    /// Cue slots of each type, once one of its events was seen.
    types: &'a Rows,
    seen: Vec<bool>,
    /// For each row its multiplicity in the event at hand; zero between events.
    multiplicity: Vec<u32>,
    facts: Facts,
}

impl<'a> Survey<'a> {
    fn new<B: AsRef<[u8]>>(file: &EventFile<B>, types: &'a Rows, rows: &'a [u32], alpha: &'a [f64]) -> Self {
        Self {
            rows,
            alpha,
            first: vec![None; file.outcomes().len()],
            after_last: vec![0; alpha.len()],
            types,
            seen: vec![false; types.len()],
            multiplicity: vec![0; alpha.len()],
            facts: Facts::default(),
        }
    }

    fn look(&mut self, start: u64, chunk: &Chunk) {
        for (i, event) in (0..chunk.body.len()).zip(start..) {
            let frequency = u64::from(chunk.frequency(i));
            if frequency == 0 {
                continue;
            }
            let (rows, row, new) = match &chunk.body {
                Body::Rows(rows) => (rows, i, true),
                Body::Tokens(tokens) => {
                    let token = tokens[i] as usize;
                    (self.types, token, !std::mem::replace(&mut self.seen[token], true))
                }
            };
            let cues = rows.cues.get(row);
            for &cue in cues {
                self.after_last[self.rows[cue as usize] as usize] = event + 1;
            }
            self.facts.slots = self.facts.slots.saturating_add(frequency.saturating_mul(cues.len() as u64));
            if new {
                for &outcome in rows.outcomes.get(row) {
                    self.first[outcome as usize].get_or_insert(event);
                }
                self.facts.max_kappa = self.facts.max_kappa.max(self.kappa(cues));
            }
        }
    }

    /// The sum of alpha * m^2 over the cues, as the sum of alpha * (2 k - 1) over the k-th mention of each.
    fn kappa(&mut self, cues: &[u32]) -> f64 {
        let mut kappa = 0.0;
        for &cue in cues {
            let row = self.rows[cue as usize] as usize;
            self.multiplicity[row] += 1;
            kappa += self.alpha[row] * f64::from(2 * self.multiplicity[row] - 1);
        }
        for &cue in cues {
            self.multiplicity[self.rows[cue as usize] as usize] = 0;
        }
        kappa
    }
}
