//! What can be learned by both methods.

use super::adjoint::LearnsRows;
use super::tile::LearnsColumns;

/// An element that can be learned by both methods: `f64` or `f32`.
pub trait Kernels: LearnsColumns + LearnsRows {}

impl<E: LearnsColumns + LearnsRows> Kernels for E {}
