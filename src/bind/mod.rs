//! Python's view of the engine: the only room that knows Python.
//!
//! A file holds one verb (or one class): it converts the arguments, detaches from the interpreter, calls the engine and
//! converts the result. Labels, defaults and documentation live in the Python modules around `rescorla._core`.
//!
//! Rules that no file here may break:
//!
//! - **No lock is held while Python can run.** Python runs in every call of a Python object, but also wherever one is made or
//!   dropped: the garbage collector may run there, and finalisers with it, which may call anything here, on this thread or,
//!   when they let another one run, on that. So take what a lock guards out of it, unlock, work, and put it back. The same
//!   holds for what initialises a `OnceLock`. A thread that waits for a lock is detached, or the lock is held for a moment only.
//! - **Every array passes [`arrays`]**, and nothing here asks numpy for a borrow by itself.
//! - **What takes time, or calls Python, is a [`exit::Call`]**, so that it can be stopped when the interpreter ends.
//! - **No length that a Python object tells is believed** before as many items have come: see [`items`].

mod activate;
mod adatron;
mod arrays;
mod arrow;
mod batches;
mod compile;
mod corpus;
mod delta;
mod equilibrium;
mod errors;
mod exit;
mod file;
mod influence;
mod items;
mod job;
mod keywords;
mod learn;
mod likelihood;
mod lines;
mod minover;
mod output;
mod people;
mod perceptron;
mod row_solver;
mod stream;
mod students;
mod trajectory;
mod watch;
mod widrow_hoff;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// The engine of the Python package `rescorla`.
#[pymodule]
mod _core {
    use super::*;

    #[pymodule_export]
    use super::{
        activate::activations,
        adatron::adatron,
        arrays::clear,
        arrow::compile_arrow,
        compile::{compile_events, compile_table, look},
        corpus::compile_corpus,
        delta::{delta_rule, delta_rule_rows},
        equilibrium::equilibrium,
        file::PyEventFile,
        influence::{influence, sensitivity},
        job::PyJob,
        learn::{forecast, learn, learn_in_place},
        likelihood::PyLikelihoods,
        lines::{read_lines, write_lines, written_as},
        minover::minover,
        output::{PyAtomicFile, PyScratch, check_apart, crc32c, exchange},
        people::learn_each,
        perceptron::perceptron,
        row_solver::PyRowSolver,
        stream::PyTextStream,
        students::students,
        trajectory::trajectories,
        watch::available_threads,
        widrow_hoff::widrow_hoff,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        // numpy's interface is looked up when the first array is made, by running Python, and an interrupt meanwhile would be
        // a panic: so it is now, and not at the end of a long call.
        py.import("numpy.lib")?;
        py.check_signals()?;
        drop(PyArray1::<f64>::zeros(py, 0, false).readonly());
        let stop_calls = wrap_pyfunction!(super::exit::stop_calls, module)?;
        py.import("atexit")?.call_method1("register", (stop_calls,))?;
        module.add("FormatError", py.get_type::<super::errors::FormatError>())?;
        // As Python writes a version before it is released.
        module.add("__version__", env!("CARGO_PKG_VERSION").replace("-dev.", ".dev"))
    }
}
