//! Arrays of numpy as they come in. Every array that the engine reads or writes passes here.
//!
//! While a call has an array, no other call writes to it, and none reads it while it is written to. Its elements lie at addresses
//! that their type may have, whole numbers of elements apart: what divides the strides of numpy, which are bytes, would
//! otherwise find other bytes.

use numpy::ndarray::{ArrayView2, ArrayViewMut2, Axis, Dimension, Ix1, Ix2, Ix3, IxDyn};
use numpy::{
    BorrowError, Element, PyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyReadonlyArray, PyReadwriteArray, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::activate::ReadWeights;
use crate::error::Error;
use crate::kernel::element;
use crate::learn::in_place::Slab;
use crate::lists::Lists;
use crate::memory::{Grow, collected, gathered};
use crate::tiles::number_rows::NumberRows;
use crate::tiles::result::Matrix;

/// An array that is read.
pub(super) struct Read<'py, E: Element, D: Dimension>(PyReadonlyArray<'py, E, D>);

pub(super) type Read1<'py, E> = Read<'py, E, Ix1>;
pub(super) type Read2<'py, E> = Read<'py, E, Ix2>;
pub(super) type Read3<'py, E> = Read<'py, E, Ix3>;
pub(super) type ReadDyn<'py, E> = Read<'py, E, IxDyn>;

impl<'py, E: Element, D: Dimension> Read<'py, E, D> {
    /// Holds an array, which no other call writes to meanwhile.
    ///
    /// # Errors
    /// When another call writes to it, or its elements do not lie as those of its type must.
    pub(super) fn of(array: &Bound<'py, PyArray<E, D>>) -> PyResult<Self> {
        if !lies_well(array.as_untyped()) {
            return Err(misplaced("expected an array", "give a copy, numpy.array(...)").into());
        }
        let held = array.try_readonly().map_err(|_| {
            let message = "expected an array that nobody writes to, found the result of a call that still runs; wait until \
                           it is done";
            Error::Argument(message.into())
        })?;
        Ok(Self(held))
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// The elements, in the order of their places, wherever they lie.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn to_vec(&self) -> Result<Vec<E>, Error>
    where
        E: Clone,
    {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        collected(self.0.as_array().iter().cloned())
    }

    /// The elements where they lie.
    ///
    /// # Errors
    /// When they do not lie one after another.
    pub(super) fn slice(&self, what: &str) -> Result<&[E], Error> {
        // A slice of numpy's may lie row after row or column after column.
        if !self.0.is_c_contiguous() {
            return Err(scattered(what));
        }
        self.0.as_slice().map_err(|_| scattered(what))
    }
}

impl<E: Element> Read2<'_, E> {
    /// The matrix that the elements are, in whatever order.
    pub(super) fn table(&self) -> View<'_, E> {
        View {
            shape: [self.shape()[0], self.shape()[1]],
            elements: (!self.0.is_empty()).then(|| self.0.as_array()),
        }
    }
}

/// A matrix that is read where it lies.
pub(super) struct View<'a, E> {
    shape: [usize; 2],
    /// `None` where there are none.
    elements: Option<ArrayView2<'a, E>>,
}

impl<E: Element + element::Element> ReadWeights<E> for View<'_, E> {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn row(&self, row: usize) -> Option<&[E]> {
        match &self.elements {
            Some(elements) => elements.row(row).to_slice(),
            None => Some(&[]),
        }
    }

    fn at(&self, row: usize, column: usize) -> E {
        self.elements.map_or_else(E::default, |elements| elements[[row, column]])
    }

    fn pick(&self, column: usize, rows: &[u32], mut put: impl FnMut(E)) {
        if let Some(elements) = &self.elements {
            let elements = elements.column(column);
            match elements.as_slice() {
                Some(elements) => rows.iter().for_each(|&row| put(elements[row as usize])),
                None => rows.iter().for_each(|&row| put(elements[row as usize])),
            }
        }
    }
}

impl<'a, 'py, E: Element, D: Dimension + 'static> FromPyObject<'a, 'py> for Read<'py, E, D> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::of(typed(&object)?)
    }
}

/// An array that is written to.
pub(super) struct Write<'py, E: Element, D: Dimension>(PyReadwriteArray<'py, E, D>);

pub(super) type Write2<'py, E> = Write<'py, E, Ix2>;

impl<'py, E: Element, D: Dimension> Write<'py, E, D> {
    /// Holds an array, which no other call has meanwhile.
    ///
    /// # Errors
    /// When another call has it, it is read-only, or its elements do not lie as those of its type must.
    pub(super) fn of(array: &Bound<'py, PyArray<E, D>>) -> PyResult<Self> {
        if !lies_well(array.as_untyped()) {
            return Err(misplaced("out must be an array", "leave it out, and copy the new array").into());
        }
        if !lies_apart(array.as_untyped()) {
            let message = "out must be an array whose elements do not share memory, and this one repeats some, such as \
                           one of numpy.broadcast_to; give a copy";
            return Err(Error::Argument(message.into()).into());
        }
        let held = array.try_readwrite().map_err(|error| {
            Error::Argument(match error {
                BorrowError::NotWriteable => {
                    "out must be writeable; this array is read-only".into()
                }
                _ => "out must be an array that no other call has, and one that still runs has this; wait until it is done"
                    .into(),
            })
        })?;
        Ok(Self(held))
    }

    /// The elements where they lie.
    ///
    /// # Errors
    /// When they do not lie one after another.
    pub(super) fn slice(&mut self) -> Result<&mut [E], Error> {
        // A slice of numpy's may lie row after row or column after column.
        if !self.0.is_c_contiguous() {
            return Err(scattered("a result"));
        }
        self.0.as_slice_mut().map_err(|_| scattered("a result"))
    }
}

impl<E: Element + element::Element, D: Dimension> Write<'_, E, D> {
    /// Makes all elements zero.
    fn clear(&mut self, py: Python<'_>) {
        if !self.0.is_empty() {
            let mut elements = self.0.as_array_mut();
            py.detach(|| elements.fill(E::default()));
        }
    }
}

/// Evaluates an expression for an array of float64 or float32 of some dimension, or else another one: an error that says what was
/// expected, if no more is said.
macro_rules! of_floats {
    ($object:expr, $dimension:ty, $what:literal, $array:ident => $body:expr) => {
        $crate::bind::arrays::of_floats!($object, $dimension, $array => $body, else {
            let message = concat!("expected ", $what, " of float64 or float32");
            Err($crate::error::Error::Argument(message.into()).into())
        })
    };
    ($object:expr, $dimension:ty, $array:ident => $body:expr, else $other:expr) => {
        match (
            $object.cast::<numpy::PyArray<f64, $dimension>>(),
            $object.cast::<numpy::PyArray<f32, $dimension>>(),
        ) {
            (Ok($array), _) => $body,
            (_, Ok($array)) => $body,
            _ => $other,
        }
    };
}
/// Evaluates an expression for the type with the name float64 or float32.
macro_rules! of_named {
    ($name:expr, $Element:ident => $body:expr) => {
        match $name {
            "float64" => {
                type $Element = f64;
                $body
            }
            "float32" => {
                type $Element = f32;
                $body
            }
            other => {
                let message = format!("expected float64 or float32, found {other}");
                Err($crate::error::Error::Argument(message).into())
            }
        }
    };
}
pub(super) use {of_floats, of_named};

/// Makes a result of float64 or float32 zero, unless it is one that cannot be written to.
#[pyfunction]
pub(super) fn clear(py: Python<'_>, out: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    of_floats!(out, IxDyn, out => Write::of(out)?.clear(py), else drop(typed::<f32, IxDyn>(out)?));
    Ok(())
}

impl<E: Element> Write2<'_, E> {
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.0.shape()[0], self.0.shape()[1]]
    }
}

impl<E: Element + element::Element> Write2<'_, E> {
    /// The matrix that the elements are, in whatever order.
    ///
    /// # Errors
    /// When elements share memory.
    pub(super) fn matrix(&mut self) -> Result<Matrix<'_, E>, Error> {
        if self.0.is_empty() {
            return Matrix::new(&mut [], self.shape());
        }
        let mut view = self.0.as_array_mut();
        let (shape, strides) = (view.dim().into(), [view.strides()[0], view.strides()[1]]);
        #[expect(unsafe_code, reason = "numpy's memory")]
        // SAFETY: `of` saw that elements are aligned, and whole numbers of them apart. So ndarray's view says where they are
        // (shape, strides in elements). The array is borrowed exclusively as long as `self` is.
        unsafe {
            Matrix::from_raw(view.as_mut_ptr(), shape, strides)
        }
    }

    /// The same, to learn in place.
    pub(super) fn columns(&mut self) -> ColumnSlab<'_, E> {
        let shape = self.shape();
        ColumnSlab { shape, elements: if self.0.is_empty() { None } else { Some(self.0.as_array_mut()) } }
    }
}

/// A matrix that is learned where it lies, or some of its columns.
pub(super) struct ColumnSlab<'a, E> {
    shape: [usize; 2],
    /// `None` where there are none.
    elements: Option<ArrayViewMut2<'a, E>>,
}

impl<E: Element + element::Element> Slab<E> for ColumnSlab<'_, E> {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn cut(self, width: usize) -> Result<Vec<Self>, Error> {
        let [n_rows, n_columns] = self.shape;
        let (mut slabs, mut rest, mut left) = (Vec::new(), self.elements, n_columns);
        while left > 0 {
            let here = width.clamp(1, left);
            let (elements, behind) = rest.map(|rest| rest.split_at(Axis(1), here)).unzip();
            slabs.grow(Self { shape: [n_rows, here], elements })?;
            (rest, left) = (behind, left - here);
        }
        Ok(slabs)
    }

    fn load(&self, row: usize, to: &mut [E]) {
        if let Some(elements) = &self.elements {
            let from = elements.row(row);
            match from.as_slice() {
                Some(from) => to.iter_mut().zip(from).for_each(|(to, &from)| *to = from),
                None => to.iter_mut().zip(from).for_each(|(to, &from)| *to = from),
            }
        }
    }

    fn store(&mut self, row: usize, from: &[E]) {
        if let Some(elements) = &mut self.elements {
            let mut to = elements.row_mut(row);
            match to.as_slice_mut() {
                Some(to) => to.iter_mut().zip(from).for_each(|(to, &from)| *to = from),
                None => to.iter_mut().zip(from).for_each(|(to, &from)| *to = from),
            }
        }
    }
}

impl<'a, 'py, E: Element, D: Dimension + 'static> FromPyObject<'a, 'py> for Write<'py, E, D> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::of(typed(&object)?)
    }
}

/// The matrix of the wanted type that a caller gives as `what`.
///
/// # Errors
/// When it is of another type; those of [`Read::of`].
pub(super) fn matrix_of<'py, E: Element + element::Element>(
    array: &Bound<'py, PyUntypedArray>,
    what: &str,
) -> PyResult<Read2<'py, E>> {
    let array = array
        .cast::<PyArray2<E>>()
        .map_err(|_| Error::Argument(format!("expected {what} of {}, found {}", E::NAME, array.dtype())))?;
    Read::of(array)
}

/// Places that must exist, or numbers of 0 or more.
pub(super) fn indices<T: TryFrom<i64>>(array: &Read1<'_, i64>) -> PyResult<Vec<T>> {
    let wrong = |index: i64| Error::Argument(format!("expected a place of 0 or more, found {index}"));
    let index = |index: i64| T::try_from(index).map_err(|_| wrong(index));
    Ok(gathered(array.to_vec()?.into_iter().map(index))?)
}

/// Lists of these lengths.
pub(super) fn lists_of(lengths: &Read1<'_, i64>, items: &Read1<'_, i64>) -> PyResult<Lists> {
    let lists = Lists::of(&indices(lengths)?, indices(items)?)?;
    Ok(lists.ok_or_else(|| Error::Argument("expected as many items as the lists are long".into()))?)
}

/// Places of which -1 says that there is none.
pub(super) fn optional_indices(array: &Read1<'_, i64>) -> PyResult<Vec<Option<u32>>> {
    let wrong = |index: i64| Error::Argument(format!("expected a place in an array or -1, found {index}"));
    let index = |index: i64| match index {
        -1 => Ok(None),
        _ => u32::try_from(index).map(Some).map_err(|_| wrong(index)),
    };
    Ok(gathered(array.to_vec()?.into_iter().map(index))?)
}

/// A table of numbers: the attributes of the Python package's `Table`.
#[derive(FromPyObject)]
pub(super) struct PyTable<'py> {
    shape: (usize, usize),
    values: Bound<'py, PyAny>,
    starts: Option<Bound<'py, PyArray1<i64>>>,
    columns: Option<Bound<'py, PyArray1<u32>>>,
}

/// The arrays of a table, not written to meanwhile.
pub(super) struct HeldTable<'py, E: Element> {
    shape: [usize; 2],
    values: ReadDyn<'py, E>,
    places: Option<(Read1<'py, i64>, Read1<'py, u32>)>,
}

impl<'py> PyTable<'py> {
    /// Holds the arrays.
    ///
    /// # Errors
    /// When values are not of the type; those of [`Read::of`].
    pub(super) fn hold<E: Element + element::Element>(&self) -> PyResult<HeldTable<'py, E>> {
        let values = self.values.cast::<PyArrayDyn<E>>();
        let values =
            values.map_err(|_| Error::Argument(format!("expected a table of {} numbers", E::NAME)))?;
        let places = self.starts.as_ref().zip(self.columns.as_ref());
        let places = places.map(|(starts, columns)| PyResult::Ok((Read::of(starts)?, Read::of(columns)?)));
        let shape = [self.shape.0, self.shape.1];
        Ok(HeldTable { shape, values: Read::of(values)?, places: places.transpose()? })
    }
}

impl<E: Element + element::Element> HeldTable<'_, E> {
    /// The rows.
    ///
    /// # Errors
    /// When arrays do not lie row after row in memory, or do not fit together.
    pub(super) fn rows(&self) -> PyResult<NumberRows<'_, E>> {
        let values = self.values.slice("a table")?;
        Ok(match &self.places {
            None => NumberRows::dense(values, self.shape)?,
            Some((starts, columns)) => {
                NumberRows::sparse(values, starts.slice("starts")?, columns.slice("columns")?, self.shape)?
            }
        })
    }
}

/// An array of the type and of so many dimensions.
fn typed<'a, 'py, E: Element, D: Dimension + 'static>(
    object: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyArray<E, D>>> {
    object.cast().map_err(|_| {
        let dimensions = D::NDIM.map_or(String::new(), |n| format!(" of dimension {n}"));
        let found = match object.cast::<PyUntypedArray>() {
            Ok(array) => format!("one of {} of dimension {}", array.dtype(), array.ndim()),
            Err(_) => object.get_type().to_string(),
        };
        let wanted = dtype::<E>(object.py());
        PyTypeError::new_err(format!("expected an array of {wanted}{dimensions}, found {found}"))
    })
}

/// Whether elements are aligned, and whole numbers of them apart.
fn lies_well(array: &Bound<'_, PyUntypedArray>) -> bool {
    let size = array.dtype().itemsize();
    let mut axes = array.shape().iter().zip(array.strides());
    array.is_empty()
        || array.is_aligned() && axes.all(|(&n, stride)| n == 1 || stride.unsigned_abs() % size == 0)
}

/// Whether each element has a place of its own: every axis steps over all that the axes of smaller steps span.
fn lies_apart(array: &Bound<'_, PyUntypedArray>) -> bool {
    let axes = array.shape().iter().zip(array.strides()).filter(|&(&n, _)| n > 1);
    let mut axes: Vec<_> = axes.map(|(&n, stride)| (stride.unsigned_abs(), n)).collect();
    axes.sort_unstable();
    let mut span = 0;
    let steps_over = |(step, n): (usize, usize)| {
        let over = step > span;
        span = step.saturating_mul(n - 1).saturating_add(span);
        over
    };
    array.is_empty() || axes.into_iter().all(steps_over)
}

fn misplaced(wanted: &str, cure: &str) -> Error {
    Error::Argument(format!(
        "{wanted} whose elements lie a whole number of elements apart, aligned, and not between those of others, as in a \
         field of records; {cure}"
    ))
}

fn scattered(what: &str) -> Error {
    Error::Argument(format!(
        "expected {what} row after row in memory; numpy.ascontiguousarray makes such a copy"
    ))
}
