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
//! A table of events is read, learned, and asked for a weight:
//!
//! ```
//! use rescorla::{Duplicates, EventWriter, Learner, Monitor, read_table};
//!
//! # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let path = std::env::temp_dir().join(format!("rescorla-{}.tab", std::process::id()));
//! std::fs::write(&path, "cues\toutcomes\tfrequency\nlight_tone\tshock\t2\nlight\t\t1\n")?;
//!
//! let mut writer = EventWriter::new(None, Duplicates::Drop, None)?;
//! read_table(&path, &mut writer, &Monitor::new())?;
//! let events = writer.finish()?;
//!
//! let weights = Learner::new().alpha(0.5).beta(0.5).learn(&events)?;
//! assert_eq!(weights.get("tone", "shock"), Some(0.375));
//! println!("from the light: {:?}", weights.get("light", "shock"));
//! # std::fs::remove_file(&path)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`EventWriter`] makes an [`EventFile`] of names; [`Learner`] learns [`Weights`] from it, and their [`Equilibrium`]. For rules of
//! one's own there are [`rule`], a [`Plan`] and the arithmetic of [`kernel`].
//!
//! The data path: text -> names -> ids and a binary event file -> mapped reader -> scripts -> tiles -> weights. The rooms stand on
//! three floors; a room uses rooms below it, never beside or above, but that `learn` and `rules` share a floor and know each other:
//!
//! - Data. `error`, `monitor`, `memory`, `lists`, `threads`: errors; stopping and progress; memory that may lack; many lists in
//!   one; threads. `vocab`: names and ids. `files`: files that appear whole. `events`: the binary event file. Above it `text`: event
//!   tables and running text.
//! - Machine. `kernel`: arithmetic on rows of weights, per instruction set. `tiles`: how weights are cut, the rule's
//!   parameters, and where results go.
//! - Verbs. `learn`: events, tiles and threads for any rule. `rules`: the rules, and learners of arrays and vectors.
//!   `equilibrium`, `activate`. Above them `learner`: a simple interface.
//! - `bind`: the Python interface (feature `python`).

pub mod kernel;
mod learner;
mod memory;
mod threads;

/// The rooms of the engine, for its tests and benches. Nothing here is promised.
#[doc(hidden)]
#[path = "."]
pub mod internals {
    pub mod activate;
    pub mod equilibrium;
    pub mod error;
    pub mod events;
    pub mod files;
    pub mod learn;
    pub mod lists;
    pub mod monitor;
    pub mod rules;
    pub mod text;
    pub mod tiles;
    pub mod vocab;
}

#[cfg(feature = "python")]
use internals::activate;
use internals::{equilibrium, error, events, files, learn, lists, monitor, rules, text, tiles, vocab};

pub use error::{Error, Result};
pub use events::EventFile;
pub use events::write::{Duplicates, EventWriter};
pub use learn::Plan;
pub use learner::{Equilibrium, Learner, Weights};
pub use monitor::Monitor;
pub use rules::rule;
pub use text::tables::read as read_table;
pub use tiles::result::Matrix;

#[cfg(feature = "python")]
mod bind;
