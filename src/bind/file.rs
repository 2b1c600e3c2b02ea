//! The class `EventFile`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::watch::{Progress, watched};
use crate::error::{Error, Result};
use crate::events::atomic::AtomicFile;
use crate::events::map::{self, Bytes};
use crate::events::write::{Duplicates, EventWriter};
use crate::events::{EventFile, Recent};
use crate::vocab::Vocab;

/// A binary event file, mapped or in memory.
#[pyclass(name = "EventFile", module = "rescorla._core", frozen)]
pub(crate) struct PyEventFile {
    pub(super) file: EventFile<Bytes>,
    /// What `events` decoded last.
    recent: Mutex<Recent>,
}

impl From<EventFile<Bytes>> for PyEventFile {
    fn from(file: EventFile<Bytes>) -> Self {
        Self { file, recent: Mutex::default() }
    }
}

type Names<'py> = Bound<'py, PyTuple>;

#[pymethods]
impl PyEventFile {
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(py.detach(|| map::open(&path))?.into())
    }

    #[getter]
    fn path(&self) -> Option<String> {
        self.file.path().map(|path| path.to_string_lossy().into_owned())
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

    fn cue_names<'py>(&self, py: Python<'py>) -> PyResult<Names<'py>> {
        PyTuple::new(py, self.file.cues().names())
    }

    fn outcome_names<'py>(&self, py: Python<'py>) -> PyResult<Names<'py>> {
        PyTuple::new(py, self.file.outcomes().names())
    }

    fn cue_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        counts(py, self.file.cues())
    }

    fn outcome_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        counts(py, self.file.outcomes())
    }

    fn frequencies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let frequencies = watched(py, &None, |monitor| {
            let mut frequencies = Vec::new();
            for index in 0..self.file.n_chunks() {
                monitor.check()?;
                let chunk = self.file.chunk(index)?;
                frequencies.extend((0..chunk.body.len()).map(|i| i64::from(chunk.frequency(i))));
            }
            Ok(frequencies)
        })?;
        Ok(frequencies.into_pyarray(py))
    }

    /// The events of a range: (cues, outcomes, frequency).
    fn events<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: u64,
    ) -> PyResult<Vec<(Names<'py>, Names<'py>, u32)>> {
        let mut cue_names = Interned::new(self.file.cues());
        let mut outcome_names = Interned::new(self.file.outcomes());
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut event = |event| {
            let (cues, outcomes, frequency) = self.file.event(event, &mut recent)?;
            Ok((cue_names.tuple(py, cues)?, outcome_names.tuple(py, outcomes)?, frequency))
        };
        (start..stop.min(self.file.len())).map(&mut event).collect()
    }

    /// Row pointers and indices of the events' cues or outcomes, as the events list them.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn csr<'py>(
        &self,
        py: Python<'py>,
        side: &str,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>)> {
        let cues = match side {
            "cues" => true,
            "outcomes" => false,
            _ => {
                return Err(
                    Error::Argument(format!("expected \"cues\" or \"outcomes\", found {side:?}")).into()
                );
            }
        };
        let (pointers, indices) = watched(py, &None, |monitor| {
            let (mut pointers, mut indices) = (vec![0_i64], Vec::new());
            for chunk in 0..self.file.n_chunks() {
                monitor.check()?;
                self.file.for_each(self.file.events_of(chunk), |_, cue_ids, outcome_ids, _| {
                    for &id in if cues { cue_ids } else { outcome_ids } {
                        indices.push(i32::try_from(id).map_err(|_| {
                            Error::Argument("expected fewer than 2^31 names for a sparse matrix".into())
                        })?);
                    }
                    pointers.push(indices.len() as i64);
                    Ok(())
                })?;
            }
            Ok((pointers, indices))
        })?;
        Ok((pointers.into_pyarray(py), indices.into_pyarray(py)))
    }

    /// Some of the events, in memory, with all the names.
    fn select(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let rows: Vec<u64> =
            rows.as_array().iter().map(|&row| u64::try_from(row).unwrap_or(u64::MAX)).collect();
        if let Some(row) = rows.iter().find(|&&row| row >= self.file.len()) {
            return Err(PyIndexError::new_err(format!(
                "expected events below {}, found {row}",
                self.file.len()
            )));
        }
        let file = watched(py, &None, |monitor| {
            monitor.set_total(rows.len() as u64);
            let mut writer = EventWriter::new(None, Duplicates::Keep, None)?;
            writer.with_names(self.file.cues().names(), self.file.outcomes().names())?;
            let mut recent = Recent::default();
            for &row in &rows {
                monitor.advance(1)?;
                let (cues, outcomes, frequency) = self.file.event(row, &mut recent)?;
                writer.push(cues, outcomes, frequency)?;
            }
            writer.finish()
        })?;
        Ok(file.into())
    }

    /// Writes the file as it is under another name, and opens that.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = watched(py, &None, |monitor| {
            let mut copy = AtomicFile::create(&path)?;
            for piece in self.file.bytes().chunks(4 << 20) {
                monitor.check()?;
                copy.write_all(piece).map_err(Error::io(&path, "write"))?;
            }
            copy.finish()?;
            map::open(&path)
        })?;
        Ok(file.into())
    }

    #[pyo3(signature = (path, progress=None))]
    fn to_table(&self, py: Python<'_>, path: PathBuf, progress: Progress) -> PyResult<()> {
        watched(py, &progress, |monitor| self.file.to_table(&path, monitor))
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

fn counts<'py>(py: Python<'py>, vocab: &Vocab) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let counts: Result<Vec<i64>> = vocab
        .counts()
        .iter()
        .map(|&count| {
            i64::try_from(count).map_err(|_| Error::Argument(format!("the count {count} passes 2^63")))
        })
        .collect();
    Ok(counts?.into_pyarray(py))
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
        let name = |&id: &u32| {
            let name = || PyString::new(py, vocab.name(id).unwrap_or_default());
            made.entry(id).or_insert_with(name).clone()
        };
        PyTuple::new(py, ids.iter().map(name).collect::<Vec<_>>())
    }
}
