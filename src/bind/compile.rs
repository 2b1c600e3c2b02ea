//! The verb `compile`: a source of names becomes an event file.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};

use super::exit::Call;
use super::file::PyEventFile;
use super::keywords::Named;
use super::watch::{Progress, tell, watched};
use crate::error::{Error, Place, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::memory::Grow;
use crate::text::kind::{self, Kind, Look, TextFormat};
use crate::text::tables::{self, Column, Layout};

/// Python's own iterables are read on the calling thread; signals and progress are looked at this often.
const LOOK_EVERY: u64 = 4096;

/// What a file holds, in a word; its first line; and the cells of that, if it looks like a table.
pub(super) type PyLook = (&'static str, String, Vec<String>, Option<String>);

/// What a file holds, told by its content.
#[pyfunction]
pub(crate) fn look(py: Python<'_>, path: PathBuf) -> PyResult<PyLook> {
    Ok(seen(py.detach(|| kind::look(&path))?))
}

pub(super) fn seen(Look { kind, first, columns, counts }: Look) -> PyLook {
    let kind = match kind {
        Kind::Events => "events",
        Kind::PackedEvents => "packed",
        Kind::Table => "table",
        Kind::UnnamedTable => "unnamed",
        Kind::Format(format) => match format {
            TextFormat::Subtitles => "subtitles",
            TextFormat::Captions => "captions",
            TextFormat::Chat => "chat",
            TextFormat::Conllu => "conllu",
            TextFormat::Conll => "conll",
            TextFormat::Json => "json",
            TextFormat::Html => "html",
            TextFormat::Rtf => "rtf",
        },
        Kind::Text => "text",
        Kind::Empty => "empty",
        Kind::Weights => "weights",
        Kind::Frames => "frames",
        Kind::Picture => "picture",
        Kind::Archive => "archive",
        Kind::Compressed => "compressed",
        Kind::Utf16 => "utf16",
    };
    (kind, first, columns, counts)
}

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(position) = object.extract() {
            Ok(Column::At(position))
        } else {
            Ok(Column::Name(object.extract()?))
        }
    }
}

/// The columns of cues, outcomes and frequency; None: the one of that name.
pub(super) type PyColumns = [Option<Column>; 3];

/// An event table becomes an event file.
#[pyfunction]
#[pyo3(signature = (
    source, path, duplicates, background, progress, *, columns=[None, None, None], header=true, limit=None, parameters=None
))]
#[expect(clippy::too_many_arguments, reason = "as Python has them")]
pub(crate) fn compile_table(
    py: Python<'_>,
    source: PathBuf,
    path: Option<PathBuf>,
    duplicates: Named<Duplicates>,
    background: Option<&str>,
    progress: Progress,
    columns: PyColumns,
    header: bool,
    limit: Option<u64>,
    parameters: Option<&str>,
) -> PyResult<PyEventFile> {
    let layout = Layout { columns, header };
    let file = watched(py, &progress, |monitor| {
        let mut writer =
            EventWriter::new(path.as_deref(), duplicates.0, background)?.with_parameters(parameters)?;
        tables::read_as(&source, &layout, limit, &mut writer, monitor)?;
        writer.finish_watched(monitor)
    })?;
    Ok(file.into())
}

/// An iterable of (cues, outcomes) or (cues, outcomes, frequency) becomes an event file; with a limit, so many of its first
/// items.
#[pyfunction]
#[pyo3(signature = (source, path, duplicates, background, progress, *, limit=None, parameters=None))]
#[expect(clippy::too_many_arguments, reason = "as Python has them")]
pub(crate) fn compile_events(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    path: Option<PathBuf>,
    duplicates: Named<Duplicates>,
    background: Option<&str>,
    progress: Progress,
    limit: Option<u64>,
    parameters: Option<&str>,
) -> PyResult<PyEventFile> {
    let call = Call::begin(py)?;
    let mut writer =
        EventWriter::new(path.as_deref(), duplicates.0, background)?.with_parameters(parameters)?;
    each_item(py, source, limit, &progress, |number, event| {
        let at = |error: Error| error.at(None, Some(Place::Event(number)));
        let (cues, outcomes, frequency) = parts(event, number)?.ok_or_else(|| {
            PyTypeError::new_err(format!(
                "event {number}: expected (cues, outcomes) or (cues, outcomes, frequency), found {}",
                short_repr(event)
            ))
        })?;
        each_name(&cues, number, &mut |name| call.check().and_then(|()| writer.cue(name).map_err(at)))?;
        each_name(&outcomes, number, &mut |name| {
            call.check().and_then(|()| writer.outcome(name).map_err(at))
        })?;
        let frequency = frequency.map_or(Ok(1), |frequency| frequency_of(&frequency, number))?;
        Ok(writer.end_event(frequency).map_err(at)?)
    })?;
    let n_events = writer.n_events();
    PyEventFile::finished(py, n_events, |monitor| writer.finish_watched(monitor))
}

/// Calls `take` with every item and its number; with a limit, with so many: no more is asked for.
pub(super) fn each_item(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    limit: Option<u64>,
    progress: &Progress,
    mut take: impl FnMut(u64, &Bound<'_, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let call = Call::begin(py)?;
    // Told to `progress`, and nothing else is made of it.
    let total = source.len().unwrap_or(0) as u64;
    let tell = |done: u64| tell(py, progress, done, total.max(done));
    let mut number = 0;
    let mut items = source.try_iter()?;
    while limit.is_none_or(|limit| number < limit) {
        let Some(item) = items.next() else { break };
        take(number, &item?)?;
        call.check()?;
        number += 1;
        if number % LOOK_EVERY == 0 {
            py.check_signals()?;
            tell(number)?;
        }
    }
    tell(number)
}

type Object<'py> = Bound<'py, PyAny>;
type EventParts<'py> = (Object<'py>, Object<'py>, Option<Object<'py>>);

/// Cues, outcomes and, if there is one, the frequency.
fn parts<'py>(event: &Object<'py>, number: u64) -> PyResult<Option<EventParts<'py>>> {
    if event.is_instance_of::<PyString>() {
        return Ok(None);
    }
    if !event.is_instance_of::<PyTuple>()
        && !event.is_instance_of::<PyList>()
        && let Ok(event) = event.cast::<PyMapping>()
    {
        return named_parts(event, number);
    }
    let Ok(mut items) = event.try_iter() else { return Ok(None) };
    let mut next = || items.next().transpose();
    let (cues, outcomes, frequency, behind) = (next()?, next()?, next()?, next()?);
    Ok(match (cues, outcomes, behind) {
        (Some(cues), Some(outcomes), None) => Some((cues, outcomes, frequency)),
        _ => None,
    })
}

/// The parts of a mapping by their names, in any case; of names that differ in case alone the one in small letters.
fn named_parts<'py>(event: &Bound<'py, PyMapping>, number: u64) -> PyResult<Option<EventParts<'py>>> {
    let mut found = [const { None }; 3];
    let mut others = false;
    for key in event.keys()? {
        let name = key.cast::<PyString>().map(|key| key.to_string_lossy().into_owned()).unwrap_or_default();
        match ["cues", "outcomes", "frequency"].iter().position(|part| name.eq_ignore_ascii_case(part)) {
            Some(part) if found[part].is_none() || name.chars().all(char::is_lowercase) => {
                found[part] = Some(event.get_item(key)?);
            }
            Some(_) => {}
            None => others = true,
        }
    }
    match found {
        [Some(cues), Some(outcomes), frequency] if !others => Ok(Some((cues, outcomes, frequency))),
        _ => Err(PyValueError::new_err(format!(
            "event {number}: expected a mapping with the keys cues, outcomes and perhaps frequency, found the keys {}; \
             rename them, or give tuples (cues, outcomes)",
            short_repr(event.keys()?.as_any())
        ))),
    }
}

/// Calls `take` with every name: of a str what `_` joins, of a set its names sorted, of another iterable its names.
fn each_name(source: &Object<'_>, event: u64, take: &mut impl FnMut(&str) -> Result<()>) -> PyResult<()> {
    if let Ok(cell) = source.cast::<PyString>() {
        for (_, name) in tables::split_names(unicode(cell, event)?) {
            take(name.map_err(|error| error.at(None, Some(Place::Event(event))))?)?;
        }
        return Ok(());
    }
    let wrong = |what: &str, found: &Object<'_>| {
        PyTypeError::new_err(format!("event {event}: expected {what}, found {}", short_repr(found)))
    };
    if source.is_instance_of::<PySet>() || source.is_instance_of::<PyFrozenSet>() {
        let mut sorted = Vec::new();
        for name in source.try_iter()? {
            let name = name?;
            let name = name.cast::<PyString>().map_err(|_| wrong("names of type str", &name))?;
            sorted.grow(unicode(name, event)?.to_owned())?;
        }
        sorted.sort_unstable();
        return sorted.iter().try_for_each(|name| Ok(take(name)?));
    }
    for name in source.try_iter().map_err(|_| wrong("a str or an iterable of names", source))? {
        let name = name?;
        take(unicode(name.cast::<PyString>().map_err(|_| wrong("names of type str", &name))?, event)?)?;
    }
    Ok(())
}

/// The text of a str; one with a lone surrogate has none.
fn unicode<'a>(name: &'a Bound<'_, PyString>, event: u64) -> PyResult<&'a str> {
    name.to_str().map_err(|_| {
        let cure = "a lone surrogate cannot be written as UTF-8: replace it";
        Error::defect("names in Unicode", short_repr(name.as_any()), cure)
            .at(None, Some(Place::Event(event)))
            .into()
    })
}

/// A frequency: a whole number, which may be a float.
fn frequency_of(frequency: &Object<'_>, event: u64) -> PyResult<u64> {
    // Floats of Python and of numpy have this; truth values have not.
    let is_float = frequency.hasattr("is_integer")? && !frequency.hasattr("__index__")?;
    if let Some(whole) = frequency.extract().ok().filter(|_| is_float).and_then(tables::whole) {
        return Ok(whole);
    }
    let index = frequency.call_method0("__index__").ok().filter(|_| !frequency.is_instance_of::<PyBool>());
    let index = index.ok_or_else(|| {
        let message =
            format!("event {event}: expected a whole number as frequency, found {}", short_repr(frequency));
        PyTypeError::new_err(message)
    })?;
    Ok(index.extract::<u64>().map_err(|_| {
        let found = short_repr(frequency);
        Error::defect("a frequency of 0 or more, below 2^32", found, "").at(None, Some(Place::Event(event)))
    })?)
}

/// A value for a message: its repr, cut short.
pub(super) fn short_repr(value: &Object<'_>) -> String {
    let repr =
        value.repr().map_or_else(|_| "something".to_owned(), |repr| repr.to_string_lossy().into_owned());
    if repr.chars().count() > 80 { repr.chars().take(77).chain("...".chars()).collect() } else { repr }
}
