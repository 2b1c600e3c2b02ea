//! Error-driven associative learning at corpus scale.
//!
//! An *event* presents some cues and some outcomes. The Rescorla-Wagner rule learns weights `w` from cues to outcomes
//! so that the activation `a_j = sum of w_ij over the cues i present` predicts the outcomes:
//!
//! ```text
//! w_ij += alpha_i * beta1 * (lambda_j - a_j)     cue i present, outcome j present
//! w_ij += alpha_i * beta2 * (0        - a_j)     cue i present, outcome j absent
//! ```
//!
//! Each outcome's column of weights depends on the events only, never on another column. So the outcomes are cut into
//! tiles, every tile streams all events on a thread of its own, and the result has the same bits for any number of
//! threads, any width of the tiles and any instruction set.
//!
//! The data path: text -> names -> ids and a binary event file -> mapped reader -> scripts -> tiles -> weights. The rooms stand on
//! three floors; a room uses rooms below it, never beside or above:
//!
//! - Data. [`error`], [`monitor`], `grow`, [`lists`], `threads`: what can go wrong; stopping and progress; lists that grow; many
//!   lists in one; threads. [`vocab`]: names and ids. [`events`]: the binary event file. Above it [`text`]: event tables and running text, as names.
//! - Machine. [`kernel`]: arithmetic on rows of weights, per instruction set. [`tiles`]: how weights are cut, the rule's parameters,
//!   and where results go.
//! - Verbs. [`learn`]: the rule. [`family`]: its relatives. [`equilibrium`], [`activate`].
//! - `bind`: Python's view of it all (feature `python`).

pub mod activate;
pub mod equilibrium;
pub mod error;
pub mod events;
pub mod family;
mod grow;
pub mod kernel;
pub mod learn;
pub mod lists;
pub mod monitor;
pub mod text;
mod threads;
pub mod tiles;
pub mod vocab;

#[cfg(feature = "python")]
mod bind;
