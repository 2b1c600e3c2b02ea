//! Record batches as Arrow's C data interface hands them over, checked before anything relies on them.
//!
//! A batch of the interface has no types: it tells how many buffers and children it has and where they are, and its reader takes
//! them for what the schema of the stream says. All that a batch does tell is checked against the types here, then what the
//! buffers hold.
//!
//! How long buffers are it does not tell, so a column of `int8` where the schema has `int64` looks like one of `int64`: that the
//! buffers are as long as the types need is the promise of whoever gives the stream. Readers of pyarrow and arro3 are not taken at
//! this promise. Their batches are taken with the types that they have, and pyarrow, which knows the lengths of its buffers,
//! is asked to check them.

use std::ffi::{CStr, c_int, c_void};
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::{ptr, slice};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, make_array};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyStopIteration;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::exit;
use crate::error::{Error, Result};

/// Which columns of a table are cues, outcomes and, if there is one, frequency.
pub(super) type ColumnPlaces = [Option<usize>; 3];

/// The wanted columns of a batch.
pub(super) struct Batch {
    pub(super) columns: [Option<ArrayRef>; 3],
    pub(super) n_rows: usize,
    /// What the columns were taken out of: some owners keep their memory in it. So it goes last.
    _owner: FFI_ArrowArray,
}

/// The batches of a table, one after another.
pub(super) struct Batches {
    source: BatchSource,
    schema: Schema,
    taken: u64,
}

enum BatchSource {
    Stream(FFI_ArrowArrayStream),
    /// A Python object with `read_next_batch`, whose batches have `__arrow_c_array__`.
    Reader(Py<PyAny>),
}

impl Batches {
    /// Those of an object that has `__arrow_c_stream__`.
    ///
    /// # Errors
    /// When that is no stream of a table; what Python raises.
    pub(super) fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = source.py();
        let (source, schema) = if source.hasattr(intern!(py, "read_next_batch"))? {
            let capsule = source.getattr(intern!(py, "schema"))?.call_method0("__arrow_c_schema__")?;
            (BatchSource::Reader(source.clone().unbind()), schema_in(&capsule)?)
        } else {
            check_own_buffers(source)?;
            let mut stream = stream_in(&source.call_method0("__arrow_c_stream__")?)?;
            let schema = schema_of(&mut stream)?;
            (BatchSource::Stream(stream), schema)
        };
        Ok(Self { source, schema, taken: 0 })
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The next batch, of which some columns are wanted; `None` behind the last.
    ///
    /// # Errors
    /// When there is none for another reason, or it is not of the schema.
    pub(super) fn next(&mut self, wanted: ColumnPlaces) -> Result<Option<Batch>> {
        let number = self.taken;
        let array = match &mut self.source {
            BatchSource::Stream(stream) => next_of_stream(stream)?,
            BatchSource::Reader(reader) => Python::try_attach(|py| {
                exit::exempt_own_thread();
                next_of_reader(reader.bind(py), &self.schema, wanted, number)
            })
            .unwrap_or(Err(Error::Stopped))?,
        };
        self.taken += 1;
        array.map(|array| columns_of(array, &self.schema, wanted, number)).transpose()
    }
}

fn unreadable(what: impl Display) -> Error {
    Error::Argument(format!("expected a table as an Arrow stream, found one that cannot be read: {what}"))
}

/// Has pyarrow check that the buffers of a table or a batch of its own are as long as their types need.
fn check_own_buffers(table: &Bound<'_, PyAny>) -> PyResult<()> {
    if table.get_type().module()? == "pyarrow.lib" && table.hasattr("validate")? {
        table.call_method0("validate")?;
    }
    Ok(())
}

// What capsules hold.

#[expect(unsafe_code, reason = "a struct of another library, behind a capsule of Python")]
fn stream_in(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: A capsule of this name holds a pointer to an ArrowArrayStream of the Arrow C stream interface, whose layout
    // FFI_ArrowArrayStream has; it is valid and aligned as long as the capsule lives, which is until we return. We are attached to
    // the interpreter, so nobody else uses the stream meanwhile. It is moved out and a released one left, which the capsule's
    // destructor passes over.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) };
    if stream.release().is_none() {
        return Err(unreadable("it was taken before and is released; give a new one").into());
    }
    Ok(stream)
}

#[expect(unsafe_code, reason = "a struct of another library, behind a capsule of Python")]
fn schema_in(capsule: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let schema = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    // SAFETY: as for a stream; a capsule of this name holds an ArrowSchema, whose layout FFI_ArrowSchema has.
    let schema = unsafe { FFI_ArrowSchema::from_raw(schema.as_ptr().cast()) };
    Ok(Schema::try_from(&schema).map_err(unreadable)?)
}

#[expect(unsafe_code, reason = "a struct of another library, behind a capsule of Python")]
fn array_in(capsule: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArray> {
    let array = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: as for a stream; a capsule of this name holds an ArrowArray, whose layout FFI_ArrowArray has.
    Ok(unsafe { FFI_ArrowArray::from_raw(array.as_ptr().cast()) })
}

// Streams. From when one is moved out of its capsule we alone have it, and use it on one thread at a time, as the interface asks.
// That its callbacks do what the interface says is the promise of whoever named the capsule.

#[expect(unsafe_code, reason = "a callback of the Arrow C stream interface")]
fn schema_of(stream: &mut FFI_ArrowArrayStream) -> Result<Schema> {
    let get_schema = stream.get_schema().ok_or_else(|| unreadable("it has no get_schema"))?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released; the callback is its own, and fills the schema or fails.
    let code = unsafe { get_schema(stream, &raw mut schema) };
    check_code(stream, code)?;
    Schema::try_from(&schema).map_err(unreadable)
}

#[expect(unsafe_code, reason = "a callback of the Arrow C stream interface")]
fn next_of_stream(stream: &mut FFI_ArrowArrayStream) -> Result<Option<FFI_ArrowArray>> {
    let get_next = stream.get_next().ok_or_else(|| unreadable("it has no get_next"))?;
    let mut array = FFI_ArrowArray::empty();
    // SAFETY: as for the schema.
    let code = unsafe { get_next(stream, &raw mut array) };
    check_code(stream, code)?;
    // A released one comes behind the last.
    Ok((!array.is_released()).then_some(array))
}

/// What a stream says of its last failure.
#[expect(unsafe_code, reason = "a callback of the Arrow C stream interface")]
fn check_code(stream: &mut FFI_ArrowArrayStream, code: c_int) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    let Some(get_last_error) = stream.get_last_error() else {
        return Err(unreadable(std::io::Error::from_raw_os_error(code)));
    };
    // SAFETY: the stream is not released, the callback is its own, and the last call failed.
    let text = unsafe { get_last_error(stream) };
    if text.is_null() {
        return Err(unreadable(std::io::Error::from_raw_os_error(code)));
    }
    // SAFETY: not null, so it is a C string, which lives until the next call.
    Err(unreadable(unsafe { CStr::from_ptr(text) }.to_string_lossy()))
}

// Readers.

/// The next batch of a reader, which must have the wanted columns of the reader's schema.
fn next_of_reader(
    reader: &Bound<'_, PyAny>,
    schema: &Schema,
    wanted: ColumnPlaces,
    number: u64,
) -> Result<Option<FFI_ArrowArray>> {
    let py = reader.py();
    let next = || -> PyResult<_> {
        let batch = match reader.call_method0(intern!(py, "read_next_batch")) {
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => return Ok(None),
            batch => batch?,
        };
        check_own_buffers(&batch)?;
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            batch.call_method0(intern!(py, "__arrow_c_array__"))?.extract()?;
        Ok(Some((schema_in(&schema)?, array_in(&array)?)))
    };
    let Some((own, array)) = next().map_err(unreadable)? else { return Ok(None) };
    for column in wanted.into_iter().flatten() {
        let told = schema.field(column);
        let is_told = |field: &Field| {
            field.name() == told.name() && field.data_type().equals_datatype(told.data_type())
        };
        if own.fields().len() != schema.fields().len() || !is_told(own.field(column)) {
            let columns = |schema: &Schema| {
                let each =
                    schema.fields().iter().map(|field| format!("{} {}", field.name(), field.data_type()));
                each.collect::<Vec<_>>().join(", ")
            };
            return Err(Error::Argument(format!(
                "expected the columns of the schema ({}) in batch {number}, found {}; give all batches the schema of \
                 their reader",
                columns(schema),
                columns(&own),
            )));
        }
    }
    Ok(Some(array))
}

// Batches.

/// The wanted columns of a batch. They are checked; nothing of the others is looked at.
fn columns_of(array: FFI_ArrowArray, schema: &Schema, wanted: ColumnPlaces, number: u64) -> Result<Batch> {
    let contradicts = |found: String| {
        let cure = "the library that made the table has a defect";
        Error::Argument(format!(
            "expected batch {number} of a table to be as its schema says, found {found}; {cure}"
        ))
    };
    let node = Node::of(&array);
    let rows = node.rows("the batch", 1..=1, schema.fields().len(), false).map_err(contradicts)?;
    if !node.has_all(&rows) {
        return Err(contradicts("rows that are null".into()));
    }
    let mut columns = [const { None }; 3];
    if !rows.is_empty() {
        for (column, wanted) in columns.iter_mut().zip(wanted) {
            let Some(wanted) = wanted else { continue };
            let field = schema.field(wanted);
            let child = node.child(wanted).map_err(contradicts)?;
            let n = check_column(Node::of(child), field.data_type(), field.name()).map_err(contradicts)?;
            if n < rows.end {
                let found =
                    format!("{n} rows in the column {}, where the batch has {}", field.name(), rows.end);
                return Err(contradicts(found));
            }
            let whole = node.take(wanted, field.data_type());
            let whole =
                whole.map_err(|found| contradicts(format!("{found} in the column {}", field.name())))?;
            *column = Some(whole.slice(rows.start, rows.len()));
        }
    }
    Ok(Batch { columns, n_rows: rows.len(), _owner: array })
}

type Checked<T> = std::result::Result<T, String>;

/// Compares what an array tells with a type of names or of whole numbers, and returns how many entries it has.
fn check_column(node: &Node, data_type: &DataType, what: &str) -> Checked<usize> {
    let (buffers, n_children) = match data_type {
        DataType::Null => (0..=0, 0),
        DataType::Utf8 | DataType::LargeUtf8 => (3..=3, 0),
        // Views, the buffers that they point into, and the lengths of those.
        DataType::Utf8View => (3..=MOST, 0),
        DataType::List(_) | DataType::LargeList(_) => (2..=2, 1),
        _ => (2..=2, 0),
    };
    let is_coded = matches!(data_type, DataType::Dictionary(..));
    let rows = node.rows(what, buffers, n_children, is_coded)?;
    let listed = |field: &Field, used: usize| {
        let there = check_column(Node::of(node.child(0)?), field.data_type(), what)?;
        if used > there { Err(format!("lists of {used} names in {what}, which has {there}")) } else { Ok(()) }
    };
    match data_type {
        DataType::Utf8 => drop(node.last_offset::<i32>(what, &rows)?),
        DataType::LargeUtf8 => drop(node.last_offset::<i64>(what, &rows)?),
        DataType::Utf8View => node.check_lengths(what)?,
        DataType::List(field) => listed(field, node.last_offset::<i32>(what, &rows)?)?,
        DataType::LargeList(field) => listed(field, node.last_offset::<i64>(what, &rows)?)?,
        DataType::Dictionary(_, values) => drop(check_column(node.dictionary(), values, what)?),
        _ => {}
    }
    Ok(rows.len())
}

/// An ArrowArray, as the C data interface lays it out.
///
/// What its fields say of memory is the promise of its owner, once [`Node::rows`] has compared them with each other: that there are
/// `n_buffers` and `n_children` pointers, which are null or good, and of buffers that they are as long as their type needs.
#[repr(C)]
struct Node {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *mut FFI_ArrowArray,
    dictionary: *const FFI_ArrowArray,
    release: Option<unsafe extern "C" fn(*mut FFI_ArrowArray)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<Node>() == size_of::<FFI_ArrowArray>());

/// More entries than this have no room in any memory.
const MOST: i64 = i64::MAX / 32;

/// Whether something can be read where a pointer points.
fn is_there<T>(pointer: *const T) -> bool {
    !pointer.is_null() && pointer.is_aligned()
}

impl Node {
    #[expect(unsafe_code, reason = "the same struct, whose fields the other hides")]
    fn of(array: &FFI_ArrowArray) -> &Self {
        // SAFETY: both are laid out as the C data interface says.
        unsafe { &*ptr::from_ref(array).cast() }
    }

    /// Where in the buffers the entries are, if all that the array tells fits together.
    fn rows(
        &self,
        what: &str,
        buffers: RangeInclusive<i64>,
        n_children: usize,
        is_coded: bool,
    ) -> Checked<Range<usize>> {
        let found = |found: &dyn Display| Err(format!("{found} in {what}"));
        let Self { length, null_count, offset, .. } = *self;
        if self.release.is_none() {
            return found(&"memory that is released");
        }
        if !(0..=MOST).contains(&length) || !(0..=MOST).contains(&offset) || null_count > length {
            return found(&format!("{length} entries from {offset} on, {null_count} of them null,"));
        }
        if !buffers.contains(&self.n_buffers) || (self.n_buffers > 0 && !is_there(self.buffers)) {
            return found(&format!("{} buffers", self.n_buffers));
        }
        if usize::try_from(self.n_children) != Ok(n_children) || (n_children > 0 && !is_there(self.children))
        {
            return found(&format!("{} children", self.n_children));
        }
        if is_coded != is_there(self.dictionary) {
            return found(if is_coded { &"no dictionary" } else { &"a dictionary" });
        }
        if null_count > 0 && self.n_buffers > 0 && self.buffer(0).is_null() {
            return found(&format!("{null_count} null entries, but not which,"));
        }
        Ok(offset as usize..(offset + length) as usize)
    }

    /// A buffer, of as many as `rows` found.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn buffer(&self, number: usize) -> *const u8 {
        debug_assert!((number as i64) < self.n_buffers);
        // SAFETY: there are so many pointers, and `rows` saw that they can be read.
        unsafe { *self.buffers.add(number) }
    }

    /// A child, of as many as `rows` found.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn child(&self, number: usize) -> Checked<&FFI_ArrowArray> {
        debug_assert!((number as i64) < self.n_children);
        // SAFETY: there are so many pointers, and `rows` saw that they can be read. One that is not null is good.
        let child = unsafe { *self.children.add(number) };
        if !is_there(child) {
            return Err(format!("no child {number}"));
        }
        // SAFETY: see above.
        Ok(unsafe { &*child })
    }

    /// The dictionary, which `rows` found.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn dictionary(&self) -> &Self {
        // SAFETY: `rows` saw that there is one.
        Self::of(unsafe { &*self.dictionary })
    }

    /// Whether none of the entries is null.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn has_all(&self, rows: &Range<usize>) -> bool {
        let valid = self.buffer(0);
        // SAFETY: where there is a buffer of validity it has a bit for every entry.
        let is_valid = |row: usize| unsafe { *valid.add(row / 8) } >> (row % 8) & 1 == 1;
        self.null_count == 0 || valid.is_null() || rows.clone().all(is_valid)
    }

    /// Where the last entry of strings or lists ends, in their bytes or names.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn last_offset<O: OffsetSizeTrait>(&self, what: &str, rows: &Range<usize>) -> Checked<usize> {
        if rows.end == 0 {
            return Ok(0);
        }
        let offsets = self.buffer(1).cast::<O>();
        if !is_there(offsets) {
            return Err(format!("no offsets in {what}"));
        }
        // SAFETY: there is one offset more than entries, and they are aligned.
        let last = unsafe { *offsets.add(rows.end) };
        last.to_usize().ok_or_else(|| format!("the offset {last:?} in {what}"))
    }

    /// Checks the lengths of the buffers that views point into.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn check_lengths(&self, what: &str) -> Checked<()> {
        let n = self.n_buffers as usize - 3;
        let lengths = self.buffer(n + 2).cast::<i64>();
        if n == 0 {
            return Ok(());
        }
        if !is_there(lengths) {
            return Err(format!("no lengths of buffers in {what}"));
        }
        // SAFETY: there is a length for every buffer, and they are aligned.
        let lengths = unsafe { slice::from_raw_parts(lengths, n) };
        match lengths.iter().find(|&&length| length < 0) {
            Some(length) => Err(format!("a buffer of length {length} in {what}")),
            None => Ok(()),
        }
    }

    /// Moves a child out, which was checked against the type.
    #[expect(unsafe_code, reason = "memory of another library")]
    fn take(&self, number: usize, data_type: &DataType) -> Checked<ArrayRef> {
        // SAFETY: `child` found it, and nobody else has it. The interface lets a reader move a child out; a released one is left.
        let child = unsafe { FFI_ArrowArray::from_raw(*self.children.add(number)) };
        // SAFETY: it agrees with its type, as far as it can be told.
        let data = unsafe { from_ffi_and_data_type(child, data_type.clone()) };
        // What buffers hold: offsets, views, codes, and that text is UTF-8.
        let checked = data.and_then(|data| data.validate_full().map(|()| data));
        checked.map(make_array).map_err(|error| error.to_string())
    }
}
