//! The verb `compile` for Arrow data: the columns of a table, as its owner holds them, become an event file.
//!
//! ```text
//! __arrow_c_stream__ -> record batches -> columns -> names, straight from the buffers -> EventWriter
//! ```
//!
//! Batches are asked for and read on a thread that is detached from the interpreter; an owner whose batches are made by
//! Python attaches itself, as the Arrow C stream interface expects.

use std::ops::Range;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, LargeStringArray, OffsetSizeTrait, PrimitiveArray, StringArray,
    StringViewArray, downcast_integer_array, new_empty_array,
};
use arrow_schema::{DataType, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::batches::{Batch, Batches, ColumnPlaces};
use super::compile::PyColumns;
use super::file::PyEventFile;
use super::keywords::Named;
use super::watch::{Progress, watched};
use crate::error::{Error, Place, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::memory::Grow;
use crate::monitor::Monitor;
use crate::text::seen::Seen;
use crate::text::tables::{self, Column};

/// Progress is told this often.
const TELL_EVERY: usize = 4096;

const COLUMNS: [&str; 3] = ["cues", "outcomes", "frequency"];

/// A table that has `__arrow_c_stream__` becomes an event file.
#[pyfunction]
#[pyo3(signature = (source, path, duplicates, background, progress, *, columns=[None, None, None], limit=None, parameters=None))]
#[expect(clippy::too_many_arguments, reason = "as Python has them")]
pub(crate) fn compile_arrow(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    path: Option<PathBuf>,
    duplicates: Named<Duplicates>,
    background: Option<&str>,
    progress: Progress,
    columns: PyColumns,
    limit: Option<u64>,
    parameters: Option<&str>,
) -> PyResult<PyEventFile> {
    let mut batches = Batches::of(source)?;
    let columns = find_columns(batches.schema(), &columns)?;
    check_types(batches.schema(), columns)?;
    let limit = limit.unwrap_or(u64::MAX);
    let total = n_rows(source).min(limit);
    let file = watched(py, &progress, move |monitor| {
        let mut writer =
            EventWriter::new(path.as_deref(), duplicates.0, background)?.with_parameters(parameters)?;
        let (mut done, mut seen) = (0, Seen::default());
        while done < limit
            && let Some(mut batch) = batches.next(columns)?
        {
            monitor.check()?;
            batch.n_rows = batch.n_rows.min(usize::try_from(limit - done).unwrap_or(usize::MAX));
            push_batch(&batch, done, total, &mut seen, &mut writer, monitor)?;
            done += batch.n_rows as u64;
        }
        writer.finish_watched(monitor)
    })?;
    Ok(file.into())
}

/// How many rows a table of arrow, polars or pandas has; of others nobody knows.
fn n_rows(source: &Bound<'_, PyAny>) -> u64 {
    let number = |name: &str| source.getattr(name).and_then(|n| n.extract()).ok();
    let index = || source.getattr("index").and_then(|index| index.len()).map_or(0, |n| n as u64);
    number("num_rows").or_else(|| number("height")).unwrap_or_else(index)
}

/// Which columns are cues, outcomes and, if there is one, frequency. One named exactly so goes before those in another
/// case.
fn find_columns(schema: &Schema, given: &[Option<Column>; 3]) -> Result<ColumnPlaces> {
    let mut columns = [None; 3];
    for ((column, wanted), given) in columns.iter_mut().zip(COLUMNS).zip(given) {
        if let Some(given) = given {
            *column = Some(find_given(schema, given)?);
            continue;
        }
        let named = |same: fn(&str, &str) -> bool| {
            let fields = schema.fields().iter().enumerate();
            fields.filter(|(_, field)| same(field.name(), wanted)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let exactly = named(|name, wanted| name == wanted);
        let found = if exactly.is_empty() { named(str::eq_ignore_ascii_case) } else { exactly };
        *column = match found[..] {
            [] if wanted == "frequency" => None,
            [] => {
                let message = format!(
                    "expected columns cues, outcomes and perhaps frequency, found [{}]; add {wanted}",
                    column_names(schema)
                );
                return Err(Error::Argument(message));
            }
            [only] => Some(only),
            _ => {
                let message =
                    format!("expected one column {wanted}, found {}; rename the others", found.len());
                return Err(Error::Argument(message));
            }
        };
    }
    Ok(columns)
}

/// A column that the caller gave by name or position.
fn find_given(schema: &Schema, given: &Column) -> Result<usize> {
    let mut fields = schema.fields().iter().enumerate();
    let found = match given {
        &Column::At(position) => fields.nth(position),
        Column::Name(name) => fields.find(|(_, field)| field.name() == name),
    };
    found.map(|(at, _)| at).ok_or_else(|| {
        let wanted = match given {
            Column::At(position) => format!("column {position}, counted from 0,"),
            Column::Name(name) => format!("a column '{name}'"),
        };
        Error::Argument(format!(
            "columns asks for {wanted} and there are [{}]; name one of these",
            column_names(schema)
        ))
    })
}

/// The names of the columns.
fn column_names(schema: &Schema) -> String {
    schema.fields().iter().map(|field| format!("'{}'", field.name())).collect::<Vec<_>>().join(", ")
}

fn check_types(schema: &Schema, columns: ColumnPlaces) -> PyResult<()> {
    for (column, name) in columns.into_iter().zip(COLUMNS) {
        let Some(column) = column else { continue };
        let found = schema.field(column).data_type();
        let none = new_empty_array(found);
        let (is_right, expected) = match name {
            "frequency" => (frequencies(&none).is_some(), "whole numbers"),
            _ => (NameColumn::of(&none).is_some(), "strings or lists of strings"),
        };
        if !is_right {
            let message =
                format!("expected {expected} in the column {name}, found {found}; convert the column");
            return Err(PyTypeError::new_err(message));
        }
    }
    Ok(())
}

/// Pushes the rows of a batch, of which the first is event `first`.
fn push_batch(
    batch: &Batch,
    first: u64,
    total: u64,
    seen: &mut Seen,
    writer: &mut EventWriter,
    monitor: &Monitor,
) -> Result<()> {
    if batch.n_rows == 0 {
        return Ok(());
    }
    let [cues, outcomes, frequency] = batch.columns.each_ref().map(Option::as_ref);
    // Cannot be: the schema was checked, and all batches are of it.
    let other = || Error::Argument("a batch of other columns than the first".into());
    let names = |column: Option<&ArrayRef>| column.and_then(NameColumn::of).ok_or_else(other);
    let (cues, outcomes) = (names(cues)?, names(outcomes)?);
    let frequency = frequency.map(|column| frequencies(column).ok_or_else(other)).transpose()?;
    let mut row_as_bytes = Vec::new();
    let mut one = |row: usize| -> Result<()> {
        let frequency = frequency.as_ref().map_or(Ok(1), |frequency| frequency(row))?;
        row_as_bytes.clear();
        row_as_bytes.extend(frequency.to_le_bytes());
        cues.spell(row, "cues", &mut row_as_bytes)?;
        row_as_bytes.push(SIDE);
        outcomes.spell(row, "outcomes", &mut row_as_bytes)?;
        if seen.again(&row_as_bytes, writer)? {
            return Ok(());
        }
        cues.each(row, "cues", |name| monitor.check().and_then(|()| writer.cue(name)))?;
        outcomes.each(row, "outcomes", |name| monitor.check().and_then(|()| writer.outcome(name)))?;
        writer.end_event(frequency)?;
        seen.keep(&row_as_bytes, frequency, writer.key())
    };
    for row in 0..batch.n_rows {
        monitor.check()?;
        let number = first + row as u64;
        one(row).map_err(|error| error.at(None, Some(Place::Event(number))))?;
        if (row + 1) % TELL_EVERY == 0 || row + 1 == batch.n_rows {
            monitor.set_total(total.max(number + 1));
            monitor.advance((row % TELL_EVERY + 1) as u64)?;
        }
    }
    Ok(())
}

fn no_frequency(found: &str) -> Error {
    let cure = "leave the row out if it did not occur";
    Error::defect("a frequency of 0 or more, whole and below 2^32", found, cure)
}

fn null(column: &str) -> Error {
    let cure = "fill the column (in names \"\" or an empty list mean none), or leave the row out";
    Error::defect(format!("a value in the column {column}"), "null", cure)
}

/// A column of names.
enum NameColumn {
    /// Joined by `_`.
    Joined(Texts),
    /// Lists of names, and where in them those of a row are.
    Listed(Texts, ByRow<Range<usize>>),
}

/// What a column has in a row, if not null.
type ByRow<T> = Box<dyn Fn(usize) -> Option<T>>;

impl NameColumn {
    fn of(column: &ArrayRef) -> Option<Self> {
        match column.data_type() {
            DataType::List(_) => Self::listed::<i32>(column),
            DataType::LargeList(_) => Self::listed::<i64>(column),
            _ => Texts::of(column).map(NameColumn::Joined),
        }
    }

    fn listed<O: OffsetSizeTrait>(column: &ArrayRef) -> Option<Self> {
        let lists = column.as_list::<O>().clone();
        let texts = Texts::of(lists.values())?;
        let range = move |row| {
            let offset = |at: usize| lists.value_offsets()[at].as_usize();
            lists.is_valid(row).then(|| offset(row)..offset(row + 1))
        };
        Some(NameColumn::Listed(texts, Box::new(range)))
    }

    /// Adds bytes that no other names have.
    fn spell(&self, row: usize, column: &str, bytes: &mut Vec<u8>) -> Result<()> {
        match self {
            NameColumn::Joined(texts) => {
                bytes.grow_by(texts.get(row).ok_or_else(|| null(column))?.as_bytes())?;
            }
            NameColumn::Listed(texts, ranges) => {
                for at in ranges(row).ok_or_else(|| null(column))? {
                    bytes.grow_by(texts.get(at).ok_or_else(|| null(column))?.as_bytes())?;
                    bytes.grow(NAME)?;
                }
            }
        }
        Ok(())
    }

    fn each(&self, row: usize, column: &str, mut take: impl FnMut(&str) -> Result<()>) -> Result<()> {
        match self {
            NameColumn::Joined(texts) => {
                let cell = texts.get(row).ok_or_else(|| null(column))?;
                tables::split_names(cell).try_for_each(|(_, name)| take(name?))
            }
            NameColumn::Listed(texts, ranges) => {
                let mut range = ranges(row).ok_or_else(|| null(column))?;
                range.try_for_each(|at| take(texts.get(at).ok_or_else(|| null(column))?))
            }
        }
    }
}

/// Between cues and outcomes, and behind each name of a list, in the bytes of a row: no byte of UTF-8.
const SIDE: u8 = 0xff;
const NAME: u8 = 0xfe;

/// Strings.
enum Texts {
    Short(StringArray),
    Long(LargeStringArray),
    View(StringViewArray),
    /// Codes of other strings.
    Coded(ByRow<i128>, Box<Texts>),
    /// A column without a type, where all is null.
    Untyped,
}

impl Texts {
    fn of(column: &ArrayRef) -> Option<Self> {
        Some(match column.data_type() {
            DataType::Utf8 => Texts::Short(column.as_string().clone()),
            DataType::LargeUtf8 => Texts::Long(column.as_string().clone()),
            DataType::Utf8View => Texts::View(column.as_string_view().clone()),
            DataType::Dictionary(..) => {
                let coded = column.as_any_dictionary();
                let codes = integers(&coded.keys().slice(0, coded.len()))?;
                Texts::Coded(codes, Box::new(Texts::of(coded.values())?))
            }
            DataType::Null => Texts::Untyped,
            _ => return None,
        })
    }

    fn get(&self, at: usize) -> Option<&str> {
        match self {
            Texts::Short(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Texts::Long(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Texts::View(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Texts::Coded(codes, texts) => codes(at).and_then(|code| texts.get(code as usize)),
            Texts::Untyped => None,
        }
    }
}

/// Frequencies: integers, or floats that are whole.
fn frequencies(column: &ArrayRef) -> Option<Box<dyn Fn(usize) -> Result<u64>>> {
    if let Some(integer) = integers(column) {
        return Some(Box::new(move |row| {
            let frequency = integer(row).ok_or_else(|| null("frequency"))?;
            frequency.try_into().map_err(|_| no_frequency(&frequency.to_string()))
        }));
    }
    let float: ByRow<f64> = match column.data_type() {
        DataType::Float32 => of_floats(column.as_primitive::<Float32Type>()),
        DataType::Float64 => of_floats(column.as_primitive::<Float64Type>()),
        _ => return None,
    };
    Some(Box::new(move |row| {
        let float = float(row).ok_or_else(|| null("frequency"))?;
        tables::whole(float).ok_or_else(|| no_frequency(&float.to_string()))
    }))
}

fn of_floats<T: ArrowPrimitiveType<Native: Into<f64>>>(column: &PrimitiveArray<T>) -> ByRow<f64> {
    let column = column.clone();
    Box::new(move |row| (row < column.len() && column.is_valid(row)).then(|| column.value(row).into()))
}

/// Integers of any width.
fn integers(column: &ArrayRef) -> Option<ByRow<i128>> {
    let column: &dyn Array = column;
    downcast_integer_array!(
        column => {
            let column = column.clone();
            Some(Box::new(move |row| {
                (row < column.len() && column.is_valid(row)).then(|| i128::from(column.value(row)))
            }))
        },
        DataType::Null => Some(Box::new(|_| None)),
        _ => None
    )
}
