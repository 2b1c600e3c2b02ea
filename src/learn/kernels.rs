//! The kernels of both methods, compiled here.
//!
//! What is generic is compiled again in every crate that uses it. The bodies of a step are several hundred for each element
//! (`kernel::step`), which takes minutes; so here they are named for both elements, and users of the crate need only link them.

use super::adjoint::Backward;
use super::forward::Forward;
use crate::error::Result;
use crate::kernel::dispatch::{Kernel, run};
use crate::kernel::rows::Element;

/// An element that can be learned: `f64` or `f32`.
pub trait Kernels: Element {
    /// Learns some events into a tile of columns.
    ///
    /// # Errors
    /// When stopped.
    #[doc(hidden)]
    fn forward(kernel: Kernel, task: Forward<'_, '_, '_, Self>) -> Result<()>;

    /// Learns some steps into a tile of rows.
    ///
    /// # Errors
    /// When stopped.
    #[doc(hidden)]
    fn backward(kernel: Kernel, task: Backward<'_, '_, Self>) -> Result<()>;
}

macro_rules! kernels {
    ($($element:ty),*) => {
        $(impl Kernels for $element {
            fn forward(kernel: Kernel, task: Forward<'_, '_, '_, Self>) -> Result<()> {
                run(kernel, task.width(), task)
            }
            fn backward(kernel: Kernel, task: Backward<'_, '_, Self>) -> Result<()> {
                run(kernel, task.width(), task)
            }
        })*
    };
}

kernels!(f64, f32);
