//! Learning: a plan becomes a job, a job is cut into tiles, and threads learn the tiles.
//!
//! [`Plan::learn`] makes a [`Job`] and learns all of it. A job is a plan that was checked (`plan`, `checked`), with the facts
//! about the events (`facts`), the method, and the events as that method reads them (`script`). Any part of it may be learned on
//! any thread.
//!
//! Weights are cut into tiles, and each thread takes one tile after another, or several at a time. A tile has columns, which
//! learn the events in order (`forward`, `tile`), or rows, which go through the events backward (`adjoint`, `steps`). Where
//! it pays, events that share rows are reordered to come one after another (`order`), which changes no bit.
//!
//! The forward method can also give the mean of the weights over all tokens (`mean`), record weights at chosen tokens
//! ([`trajectory`]), or learn in the caller's array ([`in_place`]). What each event did
//! takes a forward pass and a backward pass of its own ([`influence`]). [`memory`] says how much memory all this takes at most.

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
mod kernels;
pub mod likelihood;
mod mean;
pub mod memory;
mod order;
pub mod people;
mod people_plan;
mod person_desk;
mod person_records;
mod person_tile;
mod person_vectors;
mod plan;
mod record;
pub(crate) mod script;
pub(crate) mod stretch;
pub(crate) mod targets;
pub(crate) mod tile;
pub(crate) mod tile_run;
pub mod trajectory;

pub use crate::tiles::home::Initial;
pub use costs::Facts;
pub use forecast::Forecast;
pub use job::{Job, Report};
pub use kernels::Kernels;
pub use plan::Plan;
pub use script::BUDGET;
