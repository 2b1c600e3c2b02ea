//! The class `EventFile`.

use std::ffi::OsStr;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::arrays::{Read1, indices};
use super::exit::Call;
use super::items::Items;
use super::keywords::Named;
use super::watch::{Progress, tell, watched, watched_if_long};
use crate::error::{Error, Result};
use crate::events::filter::{self, Renaming};
use crate::events::merge::{Merged, merge};
use crate::events::open;
use crate::events::pick::{Frequency, Picker};
use crate::events::table::Style;
use crate::events::write::Duplicates;
use crate::events::{EventFile, Recent};
use crate::lists::Lists;
use crate::memory::{Grow, ask, collected, copied, gathered, short};
use crate::monitor::Monitor;
use crate::vocab::Vocab;

/// A binary event file, mapped or in memory.
#[pyclass(name = "EventFile", module = "rescorla._core", frozen)]
pub(crate) struct PyEventFile {
    pub(super) file: EventFile,
    /// What `events` decoded last. Locked to take it out and to put it back, and not while Python can run.
    recent: Mutex<Recent>,
}

impl From<EventFile> for PyEventFile {
    fn from(file: EventFile) -> Self {
        Self { file, recent: Mutex::default() }
    }
}

/// So many events are made, and then
const SOME: u64 = 1 << 10;
/// it is seen to that there is so much memory: more than they take, unless they are long.
const ROOM: usize = 1 << 20;

/// The end of a file takes so many steps an event at most: a large one is looked at.
const STEPS: u64 = 8;

type PyNames<'py> = Bound<'py, PyTuple>;
type Ints<'py> = Bound<'py, PyArray1<i64>>;

impl PyEventFile {
    /// Finishes a file of so many events.
    pub(super) fn finished(
        py: Python<'_>,
        n_events: u64,
        finish: impl FnOnce(&Monitor) -> Result<EventFile> + Send,
    ) -> PyResult<Self> {
        Ok(watched_if_long(py, &None, STEPS.saturating_mul(n_events), finish)?.into())
    }

    /// The slots of all tokens, to which the counts of the cues sum.
    pub(super) fn slots(&self) -> u64 {
        self.file.cues().counts().iter().fold(0_u64, |slots, &count| slots.saturating_add(count))
    }

    /// Puts what was decoded last, and takes out what another call put there.
    fn exchange(&self, recent: Recent) -> Recent {
        mem::replace(&mut *self.recent.lock().unwrap_or_else(PoisonError::into_inner), recent)
    }
}

#[pymethods]
impl PyEventFile {
    #[staticmethod]
    #[pyo3(signature = (path, mapped=true))]
    fn open(py: Python<'_>, path: PathBuf, mapped: bool) -> PyResult<Self> {
        let open = if mapped { open::open } else { open::open_in_parts };
        Ok(py.detach(|| open(&path))?.into())
    }

    /// What made the events, if the file says so.
    fn parameters(&self) -> PyResult<Option<String>> {
        Ok(self.file.parameters()?)
    }

    /// Events in memory, of what `content` gave.
    #[staticmethod]
    fn of_content(py: Python<'_>, content: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = copied(content.as_bytes())?;
        Ok(py.detach(|| EventFile::open(bytes, None))?.into())
    }

    /// The whole file.
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut whole = Vec::new();
        let length = self.file.header().length as usize;
        watched(py, &None, |_| self.file.read_part(0..length, &mut whole))?;
        ask(whole.len())?;
        Ok(PyBytes::new(py, &whole))
    }

    /// Whether it is a file that is mapped.
    #[getter]
    fn mapped(&self) -> bool {
        self.file.is_mapped()
    }

    /// Calls `update` with the bytes that the digest is taken of, piece by piece.
    fn digest(&self, py: Python<'_>, update: &Bound<'_, PyAny>) -> PyResult<()> {
        let call = Call::begin(py)?;
        let sums = watched(py, &None, |monitor| self.file.checksums(monitor))?;
        self.file.digested(&sums, |piece| {
            call.check()?;
            // Making it would panic where there is no memory for it.
            ask(piece.len())?;
            update.call1((PyBytes::new(py, piece),)).map(drop)
        })
    }

    #[getter]
    fn path(&self) -> Option<&OsStr> {
        self.file.path().map(Path::as_os_str)
    }

    #[getter]
    fn n_events(&self) -> u64 {
        self.file.len()
    }

    #[getter]
    fn n_tokens(&self) -> u64 {
        self.file.header().n_tokens
    }

    #[getter]
    fn n_cues(&self) -> usize {
        self.file.cues().len()
    }

    #[getter]
    fn n_outcomes(&self) -> usize {
        self.file.outcomes().len()
    }

    fn cue_names<'py>(&self, py: Python<'py>) -> PyResult<PyNames<'py>> {
        tuple_of(py, self.file.cues())
    }

    fn outcome_names<'py>(&self, py: Python<'py>) -> PyResult<PyNames<'py>> {
        tuple_of(py, self.file.outcomes())
    }

    fn cue_counts<'py>(&self, py: Python<'py>) -> PyResult<Ints<'py>> {
        ints(py, self.file.cues().counts().iter().copied())
    }

    fn outcome_counts<'py>(&self, py: Python<'py>) -> PyResult<Ints<'py>> {
        ints(py, self.file.outcomes().counts().iter().copied())
    }

    fn frequencies<'py>(&self, py: Python<'py>) -> PyResult<Ints<'py>> {
        let frequencies = watched_if_long(py, &None, self.file.len(), |monitor| {
            let mut frequencies = Vec::new();
            for index in 0..self.file.n_chunks() {
                monitor.check()?;
                let chunk = self.file.chunk(index)?;
                frequencies.make_room(chunk.body.len())?;
                frequencies.extend((0..chunk.body.len()).map(|i| i64::from(chunk.frequency(i))));
            }
            Ok(frequencies)
        })?;
        Ok(frequencies.into_pyarray(py))
    }

    /// The events of frequency 0 that have cues and at most so many tokens before them, and how many these are.
    fn probes<'py>(&self, py: Python<'py>, last: u64) -> PyResult<(Ints<'py>, Ints<'py>)> {
        let (rows, tokens) = watched(py, &None, |monitor| {
            let (mut rows, mut tokens, mut past) = (Vec::new(), Vec::new(), 0_u64);
            for chunk in 0..self.file.n_chunks() {
                monitor.check()?;
                self.file.for_each(self.file.events_of(chunk), |row, cues, _, frequency| {
                    if frequency == 0 && !cues.is_empty() && past <= last {
                        rows.grow(row as i64)?;
                        tokens.grow(past as i64)?;
                    }
                    past = past.saturating_add(frequency.into());
                    Ok(())
                })?;
                if past > last {
                    break;
                }
            }
            Ok((rows, tokens))
        })?;
        Ok((rows.into_pyarray(py), tokens.into_pyarray(py)))
    }

    /// The events of a range: (cues, outcomes, frequency).
    fn events<'py>(&self, py: Python<'py>, start: u64, stop: u64) -> PyResult<Bound<'py, PyList>> {
        let _call = Call::begin(py)?;
        let mut cue_names = Interned::new(self.file.cues());
        let mut outcome_names = Interned::new(self.file.outcomes());
        let mut recent = self.exchange(Recent::default());
        let events = PyList::empty(py);
        let mut append = |event: u64| -> PyResult<()> {
            // Making a small tuple would panic where there is no memory for it.
            if (event - start).is_multiple_of(SOME) {
                ask(ROOM)?;
            }
            let (cues, outcomes, frequency) = self.file.event(event, &mut recent)?;
            events.append((cue_names.tuple(py, cues)?, outcome_names.tuple(py, outcomes)?, frequency))
        };
        let appended = (start..stop.min(self.file.len())).try_for_each(&mut append);
        self.exchange(recent);
        appended.map(|()| events)
    }

    /// Row pointers and indices of the events' cues or outcomes, as the events list them.
    fn csr<'py>(&self, py: Python<'py>, side: &str) -> PyResult<(Ints<'py>, Bound<'py, PyArray1<i32>>)> {
        let cues = is_cues(side)?;
        let (pointers, indices) =
            watched_if_long(py, &None, self.slots().saturating_add(self.file.len()), |monitor| {
                let (mut pointers, mut indices) = (vec![0_i64], Vec::new());
                pointers.make_room(usize::try_from(self.file.len()).unwrap_or(usize::MAX))?;
                for chunk in 0..self.file.n_chunks() {
                    monitor.check()?;
                    self.file.for_each(self.file.events_of(chunk), |_, cue_ids, outcome_ids, _| {
                        for &id in if cues { cue_ids } else { outcome_ids } {
                            let id = i32::try_from(id).map_err(|_| {
                                Error::Argument("expected fewer than 2^31 names for a sparse matrix".into())
                            })?;
                            indices.grow(id)?;
                        }
                        pointers.grow(indices.len() as i64)
                    })?;
                }
                Ok((pointers, indices))
            })?;
        Ok((pointers.into_pyarray(py), indices.into_pyarray(py)))
    }

    /// Events of the given numbers, an iterable of blocks of them, with all the names, at a path or in memory; `tokens`:
    /// each stands for one token. A background cue comes before all others.
    #[pyo3(signature = (blocks, n_rows, *, tokens=false, background=None, path=None, progress=None, parameters=None))]
    #[expect(clippy::too_many_arguments, reason = "all keywords")]
    fn select(
        &self,
        py: Python<'_>,
        blocks: &Bound<'_, PyAny>,
        n_rows: u64,
        tokens: bool,
        background: Option<&str>,
        path: Option<PathBuf>,
        progress: Progress,
        parameters: Option<&str>,
    ) -> PyResult<Self> {
        let call = Call::begin(py)?;
        let frequency = if tokens { Frequency::One } else { Frequency::Own };
        let mut picker = Picker::new(&self.file, frequency, background, path.as_deref(), parameters)?;
        let mut done = 0;
        for block in blocks.try_iter()? {
            call.check()?;
            let block: Read1<'_, i64> = block?.extract()?;
            // Numbers below 0 are no events, and are refused as such.
            let events = collected(block.to_vec()?.into_iter().map(|event| event as u64))?;
            watched(py, &None, |monitor| picker.push(&events, monitor))?;
            done += events.len() as u64;
            tell(py, &progress, done, n_rows)?;
        }
        Self::finished(py, n_rows, |monitor| picker.finish(monitor))
    }

    /// The events under other names, at a path or in memory; None: the names of that side stay.
    #[pyo3(signature = (cues, outcomes, path=None, progress=None, *, parameters=None))]
    fn filter(
        &self,
        py: Python<'_>,
        cues: Option<New<'_>>,
        outcomes: Option<New<'_>>,
        path: Option<PathBuf>,
        progress: Progress,
        parameters: Option<&str>,
    ) -> PyResult<Self> {
        let side = |new: Option<New<'_>>, names| match new {
            Some(new) => renaming(new),
            None => Ok(Renaming::none(names)?),
        };
        let (cues, outcomes) = (side(cues, self.file.cues())?, side(outcomes, self.file.outcomes())?);
        let filter =
            |monitor: &_| filter::filter(&self.file, &cues, &outcomes, path.as_deref(), parameters, monitor);
        Ok(watched(py, &progress, filter)?.into())
    }

    /// Each event that differs from all before it, at a path or in memory; `frequencies`: "sum" or "one".
    #[pyo3(signature = (frequencies, path=None, progress=None, *, parameters=None))]
    fn distinct(
        &self,
        py: Python<'_>,
        frequencies: Named<Merged>,
        path: Option<PathBuf>,
        progress: Progress,
        parameters: Option<&str>,
    ) -> PyResult<Self> {
        let merge = |monitor: &_| merge(&self.file, frequencies.0, path.as_deref(), parameters, monitor);
        Ok(watched(py, &progress, merge)?.into())
    }

    /// The events with outcomes as cues and cues as outcomes, at a path or in memory.
    #[pyo3(signature = (path=None, progress=None, *, parameters=None))]
    fn swapped(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        progress: Progress,
        parameters: Option<&str>,
    ) -> PyResult<Self> {
        let swap = |monitor: &_| filter::swap(&self.file, path.as_deref(), parameters, monitor);
        Ok(watched(py, &progress, swap)?.into())
    }

    /// How many tokens would have each of the new names.
    #[pyo3(signature = (side, new, progress=None))]
    fn renamed_counts<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        new: New<'_>,
        progress: Progress,
    ) -> PyResult<Ints<'py>> {
        let (of_cues, new) = (is_cues(side)?, renaming(new)?);
        ints(py, watched(py, &progress, |monitor| new.counts(&self.file, of_cues, monitor))?)
    }

    /// The events of several files one after another, at a path or in memory, with the names of all.
    #[staticmethod]
    #[pyo3(signature = (files, path=None, progress=None, *, parameters=None))]
    fn concat(
        py: Python<'_>,
        files: Items<Py<Self>>,
        path: Option<PathBuf>,
        progress: Progress,
        parameters: Option<&str>,
    ) -> PyResult<Self> {
        let files: Vec<&EventFile> = files.0.iter().map(|file| &file.get().file).collect();
        Ok(watched(py, &progress, |monitor| filter::concat(&files, path.as_deref(), parameters, monitor))?
            .into())
    }

    /// The sets of cues among the tokens: (row pointers, cue ids, tokens of each set), and for each set with an outcome
    /// (set, outcome, tokens), sorted by outcome, then set.
    #[expect(clippy::type_complexity, reason = "six arrays")]
    #[pyo3(signature = (progress=None))]
    fn cue_sets<'py>(
        &self,
        py: Python<'py>,
        progress: Progress,
    ) -> PyResult<((Ints<'py>, Ints<'py>, Ints<'py>), (Ints<'py>, Ints<'py>, Ints<'py>))> {
        let sets = watched(py, &progress, |monitor| self.file.cue_sets(monitor))?;
        let pointers = std::iter::once(0).chain(sets.cues.ends().iter().map(|&end| end as u64));
        let cues = sets.cues.items().iter().map(|&id| id.into());
        let (each, joint) = (sets.tokens.iter().copied(), sets.joint.iter());
        Ok((
            (ints(py, pointers)?, ints(py, cues)?, ints(py, each)?),
            (
                ints(py, joint.clone().map(|joint| joint.0.into()))?,
                ints(py, joint.clone().map(|joint| joint.1.into()))?,
                ints(py, joint.map(|joint| joint.2))?,
            ),
        ))
    }

    /// Writes the file as it is under another name, and opens that.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = watched(py, &None, |monitor| self.file.save(&path, monitor))?;
        Ok(file.into())
    }

    #[pyo3(signature = (path, progress=None))]
    fn to_table(&self, py: Python<'_>, path: PathBuf, progress: Progress) -> PyResult<()> {
        watched(py, &progress, |monitor| self.file.to_table(&path, monitor))
    }

    /// The rows of a table with tabs, without frequencies, for who writes it some events at a time.
    fn table_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = watched(py, &None, |monitor| {
            self.file.check_names(Style::Tab)?;
            let mut whole = Vec::new();
            self.file.write_table(Style::Tab, false, false, monitor, |text| whole.grow_by(text))?;
            Ok(whole)
        })?;
        ask(text.len())?;
        Ok(PyBytes::new(py, &text))
    }

    #[pyo3(signature = (progress=None))]
    fn verify(&self, py: Python<'_>, progress: Progress) -> PyResult<()> {
        watched(py, &progress, |monitor| self.file.verify(monitor))
    }

    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let header = self.file.header();
        let info = PyDict::new(py);
        info.set_item("path", self.path())?;
        info.set_item("version", crate::events::format::VERSION)?;
        info.set_item("encoding", if header.has_types() { "types" } else { "rows" })?;
        info.set_item("n_events", header.n_events)?;
        info.set_item("n_tokens", header.n_tokens)?;
        info.set_item("n_cues", header.n_cues)?;
        info.set_item("n_outcomes", header.n_outcomes)?;
        info.set_item("n_types", header.n_types)?;
        info.set_item("n_chunks", header.n_chunks)?;
        info.set_item("n_bytes", header.length)?;
        let per_event = header.length as f64 / header.n_events as f64;
        info.set_item("bytes_per_event", if header.n_events > 0 { Some(per_event) } else { None })?;
        Ok(info)
    }
}

fn is_cues(side: &str) -> Result<bool> {
    match side {
        "cues" => Ok(true),
        "outcomes" => Ok(false),
        _ => Err(Error::Argument(format!("expected \"cues\" or \"outcomes\", found {side:?}"))),
    }
}

/// The new names; where in the ids those of each old one begin, and where the last end; the ids; duplicates.
type New<'py> = (Items<Bound<'py, PyString>>, Read1<'py, i64>, Read1<'py, i64>, Named<Duplicates>);

fn renaming((names, pointers, ids, duplicates): New<'_>) -> PyResult<Renaming> {
    let wrong = |what: &str| Error::Argument(format!("expected {what} in a renaming"));
    let (ids, pointers) = (indices(&ids)?, indices::<usize>(&pointers)?);
    let mut becomes = Lists::default();
    for ends in pointers.windows(2) {
        becomes.push(ids.get(ends[0]..ends[1]).ok_or_else(|| wrong("pointers that rise"))?)?;
    }
    let vocab = names.vocab()?;
    if vocab.len() != names.0.len() {
        return Err(wrong("each name once").into());
    }
    Ok(Renaming::new(vocab, becomes, duplicates.0)?)
}

fn ints<'py>(py: Python<'py>, numbers: impl IntoIterator<Item = u64>) -> PyResult<Ints<'py>> {
    let fit = |number| {
        i64::try_from(number).map_err(|_| Error::Argument(format!("the count {number} passes 2^63")))
    };
    Ok(gathered(numbers.into_iter().map(fit))?.into_pyarray(py))
}

/// Python strings of all names. Not made as a tuple at once: where there is no memory for one, that would panic.
fn tuple_of<'py>(py: Python<'py>, vocab: &Vocab) -> PyResult<PyNames<'py>> {
    let names = PyList::empty(py);
    for name in vocab.names() {
        names.append(PyString::from_bytes(py, name.as_bytes())?)?;
    }
    Ok(py.get_type::<PyTuple>().call1((names,))?.cast_into()?)
}

/// Python strings of names, each made once.
struct Interned<'a, 'py> {
    vocab: &'a Vocab,
    made: HashMap<u32, Bound<'py, PyString>>,
}

impl<'a, 'py> Interned<'a, 'py> {
    fn new(vocab: &'a Vocab) -> Self {
        Self { vocab, made: HashMap::new() }
    }

    fn tuple(&mut self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyTuple>> {
        let Self { vocab, made } = self;
        let mut names = Vec::new();
        names.make_room(ids.len())?;
        for &id in ids {
            let name = match made.get(&id) {
                Some(name) => name.clone(),
                None => {
                    let name = PyString::from_bytes(py, vocab.name(id).unwrap_or_default().as_bytes())?;
                    let more = 2 * made.len() + 1;
                    made.try_reserve(1).map_err(|_| short::<(u32, Py<PyString>)>(more))?;
                    made.entry(id).insert(name).get().clone()
                }
            };
            names.push(name);
        }
        ask(ids.len().saturating_mul(size_of::<Py<PyAny>>()))?;
        PyTuple::new(py, names)
    }
}
