//! The verb `students`: how well a rule is learned from a teacher's examples.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::arrays::{Read2, Read3};
use super::items::Items;
use super::keywords::Named;
use super::watch::{Progress, watched};
use crate::error::Error;
use crate::memory::collected;
use crate::rules::planes::students::{Draws, Student, StudentsPlan, study};

/// Errors and steps, student after student of each draw.
type PyOutcomes<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>);

/// Lets all students learn from all draws.
#[pyfunction]
#[pyo3(signature = (inputs, labels, teachers, starts, *, students, n_max, stop, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn students<'py>(
    py: Python<'py>,
    inputs: Read3<'py, f64>,
    labels: Read2<'py, f64>,
    teachers: Read2<'py, f64>,
    starts: Read2<'py, f64>,
    students: Items<Named<Student>>,
    n_max: u64,
    stop: Option<f64>,
    threads: usize,
    progress: Progress,
) -> PyResult<PyOutcomes<'py>> {
    let students = collected(students.0.into_iter().map(|student| student.0))?;
    let [_, examples, features] = *inputs.shape() else {
        return Err(Error::Argument("expected inputs of three dimensions".into()).into());
    };
    let draws = Draws {
        features,
        examples,
        inputs: inputs.slice("inputs")?,
        labels: labels.slice("labels")?,
        teachers: teachers.slice("teachers")?,
        starts: starts.slice("starts")?,
    };
    let plan = StudentsPlan { students: &students, n_max, stop, threads };
    let outcomes = watched(py, &progress, |monitor| study(&draws, &plan, monitor))?;
    let errors = collected(outcomes.iter().map(|outcome| outcome.error))?;
    let steps = collected(outcomes.iter().map(|outcome| outcome.steps))?;
    Ok((PyArray1::from_vec(py, errors), PyArray1::from_vec(py, steps)))
}
