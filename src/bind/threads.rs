//! The function `available_threads`.

use pyo3::prelude::*;

use crate::threads::available;

/// How many threads can run at once: the processors that the process may run on, and no more than its share of them, where a
/// container or a batch system limits that.
#[pyfunction]
pub(super) fn available_threads() -> usize {
    available()
}
