//! The end of the interpreter, while other threads are still in the engine.
//!
//! When Python ends, daemon threads may be anywhere. CPython before 3.14 ends such a thread when it next wants to run Python, by
//! unwinding its stack; there are Rust frames on it, and that aborts the process. So at exit, as long as all threads can still
//! run Python, the calls of other threads are asked to stop, as Ctrl-C asks, and the exit waits for them a moment. A thread that
//! comes to the end of its call, or begins another one, waits there for the end of the process, as all daemon threads do from
//! CPython 3.14 on.
//!
//! Not reached is Python code that the engine called (a progress function, a generator) and that does not come back in that
//! moment. CPython ends its thread in its own way, if it wakes at all before the process is gone.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::{Error, Result};

/// So long the exit waits at most. Work that is asked to stop does so within 0.2 s.
const MOMENT: Duration = Duration::from_millis(500);

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// Whether the interpreter is about to end. A call first counts itself and then reads this; the exit first sets this and then
/// reads the count: so at least one sees the other.
static ENDING: AtomicBool = AtomicBool::new(false);

/// How many threads are in calls.
static CALLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many calls this thread is in: a progress function may begin another one.
    static DEPTH: Cell<usize> = const { Cell::new(0) };

    /// Whether its calls go on at exit: it is the thread that ends the interpreter, or one of the engine.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// To be called before Python is, where the thread may be one of the engine: such a thread works for a call that is asked to stop
/// itself, and whose end waits for it.
pub(super) fn exempt_own_thread() {
    if DEPTH.get() == 0 {
        EXEMPT.set(true);
    }
}

fn must_stop() -> bool {
    ENDING.load(SeqCst) && !EXEMPT.get()
}

/// A call of the engine that takes time or runs Python, as long as this value lives.
pub(super) struct Call<'py>(Python<'py>);

impl<'py> Call<'py> {
    /// Begins a call. Once the interpreter ends the outermost call of a thread does not return from here.
    ///
    /// # Errors
    /// [`Error::Stopped`] in an inner call, when the interpreter ends.
    pub(super) fn begin(py: Python<'py>) -> Result<Self> {
        if DEPTH.replace(DEPTH.get() + 1) == 0 {
            CALLS.fetch_add(1, SeqCst);
        }
        let call = Self(py);
        call.check()?;
        Ok(call)
    }

    /// Asks whether to go on.
    ///
    /// # Errors
    /// [`Error::Stopped`] when the interpreter ends.
    pub(super) fn check(&self) -> Result<()> {
        if must_stop() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if DEPTH.replace(DEPTH.get() - 1) > 1 {
            return;
        }
        CALLS.fetch_sub(1, SeqCst);
        if must_stop() {
            self.0.detach(|| {
                loop {
                    thread::park();
                }
            })
        }
    }
}

/// To be called at exit: stops the calls of other threads.
#[pyfunction]
pub(super) fn stop_calls(py: Python<'_>) {
    EXEMPT.set(true);
    ENDING.store(true, SeqCst);
    let (own, until) = (usize::from(DEPTH.get() > 0), Instant::now() + MOMENT);
    py.detach(|| {
        while CALLS.load(SeqCst) > own && Instant::now() < until {
            thread::sleep(LOOK_EVERY);
        }
    });
}
