//! Products of dense matrices by a library, and the memory that the library allocates. It ends the process if there is none.
//!
//! From its first product of matrices with more than a few rows on, each thread keeps a buffer for packed parts of them, twice as
//! large as the third caches of the whole machine. So this memory is asked for here, before the first product.

use std::cell::Cell;
use std::sync::Mutex;

use faer::linalg::matmul::matmul;
use faer::traits::RealField;
use faer::{Accum, Mat, Par};

use super::caches;
use crate::error::Result;
use crate::kernel::element::Element;
use crate::memory::{Lack, ask};
use crate::threads::lock;

/// An element of matrices that the library can multiply.
pub trait Product: Element + RealField {}

impl<E: Element + RealField> Product for E {}

/// The library packs parts of matrices from this size on.
const SIZE: usize = 32;

/// Makes sure that the calling thread has memory for packed parts of matrices.
///
/// # Errors
/// [`Error::Memory`] when there is none.
pub(crate) fn packing() -> Result<()> {
    static TURN: Mutex<()> = Mutex::new(());
    thread_local! {
        static THERE: Cell<bool> = const { Cell::new(false) };
    }
    if THERE.get() {
        return Ok(());
    }
    // One thread at a time, so that no two threads count on the same memory.
    let _turn = lock(&TURN);
    let bytes = caches::third().saturating_mul(2);
    ask(bytes).cured("use fewer threads, or the iterative method")?;
    let factor = Mat::from_fn(SIZE, SIZE, |i, j| f64::from(u8::from(i == j)));
    let mut product = Mat::zeros(SIZE, SIZE);
    matmul(&mut product, Accum::Replace, &factor, &factor, 1.0, Par::Seq);
    THERE.set(true);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_asks_once() {
        packing().unwrap();
        packing().unwrap();
    }
}
