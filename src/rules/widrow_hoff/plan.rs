//! What to learn, and from what.

use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::kernel::isa::Isa;
use crate::tiles::method::Method;
use crate::tiles::rule::Schedule;
use crate::tiles::vectors::Vectors;

/// Blocks are made ready up to this many bytes at a time.
pub const BUDGET: usize = 32 << 20;

/// What the names of one side stand for.
#[derive(Debug, Clone, Copy)]
pub enum Coding<'a, E> {
    /// For themselves: each has a place among `size` in the weights.
    Names {
        /// The place of each name.
        places: &'a [u32],
        /// How many places there are.
        size: usize,
    },
    /// For vectors, which are added up.
    Vectors {
        /// That of each name, one after another.
        vectors: &'a [E],
        /// Numbers in each.
        size: usize,
    },
}

impl<E: Element> Coding<'_, E> {
    /// Rows, or columns, of the weights.
    pub fn size(&self) -> usize {
        match *self {
            Coding::Names { size, .. } | Coding::Vectors { size, .. } => size,
        }
    }

    /// Refuses what does not fit `n` names.
    pub(super) fn check(&self, n: usize) -> Result<()> {
        let fits = match *self {
            Coding::Names { places, size } => {
                places.len() == n && places.iter().all(|&place| (place as usize) < size)
            }
            Coding::Vectors { vectors, size } => Some(vectors.len()) == n.checked_mul(size),
        };
        let message = || Error::Argument(format!("expected a place or a vector for each of {n} names"));
        if fits { Ok(()) } else { Err(message()) }
    }

    /// Adds to `sums`, which begin at column `first` of the side, what some names stand for.
    #[inline]
    pub(super) fn add(&self, names: &[u32], first: usize, sums: &mut [E]) {
        match *self {
            Coding::Names { places, .. } => {
                for &name in names {
                    let place = (places[name as usize] as usize).wrapping_sub(first);
                    if let Some(sum) = sums.get_mut(place) {
                        *sum = sum.plus(E::from_f64(1.0));
                    }
                }
            }
            Coding::Vectors { vectors: numbers, size } => Vectors { numbers, size }.add(names, first, sums),
        }
    }
}

/// What to learn, and how.
pub struct WidrowHoffPlan<'a, E> {
    /// What cues stand for.
    pub cues: Coding<'a, E>,
    /// What outcomes stand for.
    pub outcomes: Coding<'a, E>,
    /// The learning rate.
    pub eta: f64,
    /// Factors on it, token by token; 1 for all if `None`. Not for events whose cues have vectors.
    pub schedule: Option<Schedule<'a>>,
    /// Whether the rate of a token is divided by x'x, and is 0 where x'x is 0. Where cues are names a schedule says so.
    pub normalized: bool,
    /// All weights to begin with, row after row; zero if `None`.
    pub initial: Option<&'a [E]>,
    /// The method; the cheaper one if `None`. Cues that are names have the forward method only.
    pub method: Option<Method>,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set for cues that are names; the best if `None`.
    pub kernel: Option<Isa>,
    /// Columns in a tile of the forward method, rows in one of the adjoint; chosen by size if `None`.
    pub tile: Option<usize>,
    /// Tokens in a block; chosen by size if `None`.
    pub block: Option<usize>,
    /// Bytes of blocks that are made ready for all tiles at a time.
    pub budget: usize,
}

/// How the learning went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WidrowHoffReport {
    /// The method.
    pub method: Method,
    /// Columns or rows in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// The greatest x'x of a token, times its factor; where cues are names, times the greatest factor.
    pub max_kappa: f64,
}
