//! The normal equations of rows, factorised, and the solutions for the rows themselves.

use pyo3::prelude::*;

use super::arrays::{PyTable, Read1, Write2};
use super::watch::{Progress, watched};
use crate::equilibrium::RowSolver;

/// X'FX + ridge I, factorised.
#[pyclass(name = "RowSolver", module = "rescorla._core", frozen)]
pub(crate) struct PyRowSolver {
    solver: RowSolver,
    threads: usize,
}

#[pymethods]
impl PyRowSolver {
    #[new]
    #[pyo3(signature = (x, tokens, *, ridge, threads, progress))]
    fn new(
        py: Python<'_>,
        x: PyTable<'_>,
        tokens: Read1<'_, f64>,
        ridge: f64,
        threads: usize,
        progress: Progress,
    ) -> PyResult<Self> {
        let (table, tokens) = (x.hold()?, tokens.to_vec()?);
        let rows = table.rows()?;
        let solver =
            watched(py, &progress, |monitor| RowSolver::new(&rows, &tokens, ridge, threads, monitor))?;
        Ok(Self { solver, threads })
    }

    /// The rank of X.
    #[getter]
    fn rank(&self) -> usize {
        self.solver.rank()
    }

    /// Fills `out` with (X'FX + ridge I)^+ x of the rows from `first` on, row after row.
    #[pyo3(signature = (first, out, *, progress))]
    fn solve(
        &self,
        py: Python<'_>,
        first: usize,
        mut out: Write2<'_, f64>,
        progress: Progress,
    ) -> PyResult<()> {
        let rows = first..first.saturating_add(out.shape()[0]);
        let out = out.slice()?;
        watched(py, &progress, |monitor| self.solver.solve(rows, out, self.threads, monitor))
    }
}
