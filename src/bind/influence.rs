//! The verbs `influence` and `sensitivity`.

use numpy::{IntoPyArray, Ix1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::arrays::{Read1, Write, indices, lists_of};
use super::file::PyEventFile;
use super::learn::Arguments;
use crate::learn::influence::{Derivatives, Greatest, RowsOut, SumValues, Sums};
use crate::memory::{collected, filled};

/// The lengths of starts, their rows, and the column of each.
type SumArrays<'py> = (Read1<'py, i64>, Read1<'py, i64>, Read1<'py, i64>);

/// What each row of the events did to sums of weights. Contributions and effects of all rows go to the arrays of `out`, row after row;
/// without it, those of the `n` greatest effects of each sum are in the result.
#[pyfunction]
#[pyo3(signature = (events, *, sums, n, out, **parameters))]
pub(crate) fn influence<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    sums: SumArrays<'py>,
    n: usize,
    mut out: Option<(Write<'py, f64, Ix1>, Write<'py, f64, Ix1>)>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?.forward();
    let (starts, columns) = (lists_of(&sums.0, &sums.1)?, indices(&sums.2)?);
    let asked = Sums { starts: &starts, columns: &columns };
    let mut greatest = filled(Greatest::of(n), columns.len())?;
    let mut kept = match &mut out {
        Some((contributions, effects)) => RowsOut::All(contributions.slice()?, effects.slice()?),
        None => RowsOut::Greatest(&mut greatest),
    };
    let found = arguments.carry_out(py, events, columns.len(), |file, plan, monitor| {
        plan.influence(file, asked, &mut kept, monitor)
    })?;
    let result = sums_as_dict(py, found)?;
    let all = PyList::empty(py);
    for greatest in greatest {
        let kept = greatest.rows();
        let rows = collected(kept.iter().map(|one| one.row as i64))?.into_pyarray(py);
        let contributions = collected(kept.iter().map(|one| one.contribution))?.into_pyarray(py);
        let effects = collected(kept.iter().map(|one| one.effect))?.into_pyarray(py);
        all.append((rows, contributions, effects))?;
    }
    result.set_item("greatest", all)?;
    Ok(result)
}

/// The derivatives of sums of weights by the saliences of all rows, by both rates, by lambda and by the retention.
#[pyfunction]
#[pyo3(signature = (events, *, sums, **parameters))]
pub(crate) fn sensitivity<'py>(
    py: Python<'py>,
    events: &PyEventFile,
    sums: SumArrays<'py>,
    parameters: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = Arguments::of(parameters)?.forward();
    let (starts, columns) = (lists_of(&sums.0, &sums.1)?, indices(&sums.2)?);
    let asked = Sums { starts: &starts, columns: &columns };
    let (found, all) = arguments
        .carry_out(py, events, columns.len(), |file, plan, monitor| plan.sensitivity(file, asked, monitor))?;
    let result = sums_as_dict(py, found)?;
    let derivatives = PyList::empty(py);
    for Derivatives { alpha, beta, lambda, retention } in all {
        derivatives.append((alpha.into_pyarray(py), beta[0], beta[1], lambda, retention))?;
    }
    result.set_item("derivatives", derivatives)?;
    Ok(result)
}

/// What is known of all sums, for Python.
fn sums_as_dict(py: Python<'_>, found: SumValues) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("values", found.values)?;
    result.set_item("initial", found.initial)?;
    result.set_item("max_kappa", found.max_kappa)?;
    Ok(result)
}
