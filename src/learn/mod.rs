//! Learning: a plan becomes a job, a job is cut into tiles, and threads learn the tiles.
//!
//! [`Plan::learn_by`] makes a [`Job`] and learns all of it. A job is a plan that was checked (`plan`, `checked_plan`), with the
//! facts about the events (`costs`), the method, and the events as that method reads them (`script`). Any part of it may be learned on
//! any thread.
//!
//! Weights are cut into tiles, and each thread takes one tile after another, or several at a time. A tile has columns, which
//! learn the events in order (`forward`, `tile`), or rows, which go through the events backward (`adjoint`, `adjoint_steps`). Where
//! it pays, events that share rows are reordered to come one after another (`order`), which changes no bit.
//!
//! The forward method can also give the mean of the weights over all tokens (`mean`), record weights at chosen tokens
//! ([`trajectory`]), or learn in the caller's array ([`in_place`]). What each event did
//! takes a forward pass and a backward pass of its own ([`influence`]). `forecast` says how much memory all this takes at most.

mod adjoint;
mod adjoint_steps;
pub(crate) mod checked_plan;
mod costs;
mod forecast;
pub(crate) mod forward;
mod general;
pub mod in_place;
pub mod influence;
mod job;
pub mod likelihood;
mod mean;
mod order;
pub mod people;
mod people_plan;
mod person_desk;
mod person_records;
mod person_tile;
mod person_vectors;
mod plan;
pub(crate) mod script;
pub(crate) mod stretch;
pub(crate) mod tile;
pub mod trajectory;

pub use crate::tiles::home::Initial;
pub use adjoint::Kernels;
pub use costs::Facts;
pub use forecast::{Forecast, Memory};
pub use job::{Job, Report};
pub use plan::Plan;
pub use script::BUDGET;
