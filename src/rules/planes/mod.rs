//! Planes between two classes of [`patterns`], examples with their classes.
//!
//! - [`perceptron`]: a unit that answers with a sign.
//! - [`minover`], [`adatron`]: the plane of optimal stability. [`students`]: who learns it from a teacher.

pub mod adatron;
pub mod minover;
pub mod patterns;
pub mod perceptron;
pub mod students;
