//! Products of dense matrices by a library, and its memory, which it takes by itself and without which it ends the process.
//!
//! Each thread that multiplies matrices of more than a few rows keeps room for packed parts of them, twice the third cache of the
//! whole machine, from its first product on. So it is asked for here, before the first.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use faer::linalg::matmul::matmul;
use faer::traits::RealField;
use faer::{Accum, Mat, Par};
use memmap2::MmapMut;

use super::caches;
use crate::error::{Error, Result};
use crate::kernel::element::Element;

/// An element of matrices that the library multiplies.
pub trait Product: Element + RealField {}

impl<E: Element + RealField> Product for E {}

/// A product of two matrices of this size is made from packed parts.
const SIZE: usize = 32;
/// Room for what else is allocated meanwhile.
const MARGIN: usize = 1 << 20;

/// Sees to it that the calling thread has room for packed parts of matrices.
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
    // One thread at a time, so that none takes what another has just found to be there.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = caches::third().saturating_mul(2);
    MmapMut::map_anon(bytes.saturating_add(MARGIN)).map_err(|_| Error::Memory {
        what: "multiplying matrices on a thread",
        bytes: bytes as u128,
        cure: "use fewer threads, or the iterative method",
    })?;
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
