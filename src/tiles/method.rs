//! The two methods of learning.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The method that computes the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Events in order, in tiles of outcomes: the operations of the rule, bit for bit.
    #[default]
    Forward,
    /// Events backward, in tiles of cues: the same weights up to rounding, at a cost that does not depend on the number of
    /// outcomes. It needs one learning rate.
    Adjoint,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Forward => "forward",
            Method::Adjoint => "adjoint",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = [Method::Forward, Method::Adjoint].into_iter().find(|method| method.to_string() == name);
        known.ok_or_else(|| Error::Argument(format!("expected method forward or adjoint, found {name:?}")))
    }
}
