//! The class `TextStream`: text that can be read only once, such as what is piped in. It is looked at, then read.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::compile::{PyColumns, PyLook, seen};
use super::errors::Raised;
use super::exit::Call;
use super::file::PyEventFile;
use super::keywords::Named;
use crate::error::{Error, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::memory::{ask, filled};
use crate::monitor::Monitor;
use crate::text::kind::look_at;
use crate::text::source::Source;
use crate::text::tables::{Layout, TableColumns};

/// Text from a Python object with a method `read` that gives bytes.
#[pyclass(name = "TextStream", module = "rescorla._core", frozen)]
pub(crate) struct PyTextStream {
    name: PathBuf,
    raised: Raised,
    /// Taken out while it is at work.
    state: Mutex<Option<State>>,
}

struct State {
    source: Source<'static>,
    /// The columns, once rows of a table were read.
    columns: Option<TableColumns>,
}

#[pymethods]
impl PyTextStream {
    #[new]
    fn new(py: Python<'_>, stream: Py<PyAny>, name: PathBuf) -> PyResult<Self> {
        let _call = Call::begin(py)?;
        let raised = Raised::default();
        let reader = Reader { stream, raised: raised.clone() };
        let source = py.detach(|| Source::once(&name, reader)).map_err(|error| raised.or(error))?;
        Ok(Self { name, raised, state: Mutex::new(Some(State { source, columns: None })) })
    }

    /// What it holds, as `look` says it of files. Nothing is taken from it.
    fn look(&self, py: Python<'_>) -> PyResult<PyLook> {
        self.with(py, |state| look_at(&mut state.source)).map(seen)
    }

    /// At most so many bytes of the text that comes next; none at its end.
    fn read<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |state| {
            let mut bytes = filled(0, n.min(MOST))?;
            let n = state.source.take_bytes(&mut bytes)?;
            bytes.truncate(n);
            Ok(bytes)
        })?;
        ask(bytes.len())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The events of the rows that come next, at most so many, as an event file.
    #[pyo3(signature = (path, duplicates, background, *, columns=[None, None, None], header=true, limit=None, parameters=None))]
    #[expect(clippy::too_many_arguments, reason = "as Python has them")]
    fn compile_table(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        duplicates: Named<Duplicates>,
        background: Option<&str>,
        columns: PyColumns,
        header: bool,
        limit: Option<u64>,
        parameters: Option<&str>,
    ) -> PyResult<PyEventFile> {
        let layout = Layout { columns, header };
        let file = self.with(py, |State { source, columns: known }| {
            let mut writer =
                EventWriter::new(path.as_deref(), duplicates.0, background)?.with_parameters(parameters)?;
            let columns = match known {
                Some(columns) => columns,
                empty => empty.insert(TableColumns::begin(source, &layout)?),
            };
            columns.push(source, limit, &mut writer, &Monitor::new())?;
            writer.finish()
        })?;
        Ok(file.into())
    }
}

/// So many bytes are given at once at most.
const MOST: usize = 1 << 20;

impl PyTextStream {
    /// Works on the calling thread, so that whoever waits for input can be interrupted. It is detached from the interpreter
    /// but where bytes are asked for.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> Result<R> + Send,
    ) -> PyResult<R> {
        let _call = Call::begin(py)?;
        let taken = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        let busy = || Error::Argument(format!("{} is being read by another call", self.name.display()));
        let mut state = taken.ok_or_else(busy)?;
        let result = py.detach(|| work(&mut state));
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
        result.map_err(|error| self.raised.or(error.at(Some(&self.name), None)))
    }
}

/// Reads by the method of a Python object.
struct Reader {
    stream: Py<PyAny>,
    raised: Raised,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raised.attached(|py| {
            py.check_signals()?;
            let block = self.stream.bind(py).call_method1("read", (buffer.len(),))?;
            let wrong = || PyTypeError::new_err("expected a stream of bytes, opened in binary mode");
            let bytes = block.cast::<PyBytes>().map_err(|_| wrong())?.as_bytes();
            let room = buffer.get_mut(..bytes.len()).ok_or_else(wrong)?;
            room.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        read.map_err(io::Error::other)
    }
}
