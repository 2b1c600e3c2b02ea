//! Rules: what happens to weights, event by event.
//!
//! [`rule`] says what a rule must say. A file here is such a rule, in plain numbers, one column at a time: [`rescorla_wagner`],
//! [`no_competition`], [`hybrid`], [`pearce_kaye_hall`], [`mackintosh`], [`le_pelley`], [`van_hamme_wasserman`]. [`table`] has their
//! names. The driver (`learn::forward`) has everything else: events, tiles, threads, schedules, means, records, results.
//!
//! Rooms are learners that read something else than events one by one, or make something else than weights of tokens:
//!
//! - [`delta`]: the delta rule with an activation function, token by token or in batches, on events and on arrays.
//! - [`widrow_hoff`]: vectors as cues and outcomes.
//! - [`planes`]: a plane between two classes: a unit that answers with a sign, the plane of optimal stability, and who learns it from
//!   a teacher.
//!
//! A column of weights depends on the data and on itself, whatever the activation function
//! and the size of the batches: so tiles, threads and instruction sets are those of the rule, and change no bit.

// What is unsafe stays in the kernel. Rooms call it with proofs of their own.
#![deny(unsafe_code)]

pub mod delta;
pub mod hybrid;
pub mod le_pelley;
pub mod mackintosh;
pub mod no_competition;
pub mod pearce_kaye_hall;
pub mod planes;
pub mod rescorla_wagner;
pub mod rule;
pub mod table;
pub mod van_hamme_wasserman;
pub mod widrow_hoff;
