//! The Widrow-Hoff rule on vectors.
//!
//! Names stand for themselves or for vectors. x is the sum of the vectors of a token's cues, z that of its outcomes, where a
//! name that stands for itself has a vector of zeros and one 1:
//!
//! ```text
//! for each token in order:    W += eta * x (z - W'x)'
//! ```
//!
//! With cues that are names (`present`) this is the forward method, its targets being numbers of any size: the rule's own
//! operations in their order, bit for bit.
//!
//! With vectors (`block`) some tokens at a time are learned by matrix products. In a block with rows x_t of X and targets
//! z_t of Z, the errors e_t = z_t - W_(t-1)'x_t and W_t = W_(t-1) + eta_t x_t e_t' give, row by row of a triangular system,
//!
//! ```text
//! (I + L) E = Z - X W,    L_ts = x_t'x_s eta_s for s < t, else 0          forward
//! W += X' diag(eta) E
//! ```
//!
//! It costs 4 p q a token with p numbers in x and q in z, whatever the block. Backward through the tokens (the adjoint method)
//! it costs 4 p p, and what z needs besides; V starts as the unit matrix:
//!
//! ```text
//! (I + U) S = X V,        U_ts = x_t'x_s eta_s for s > t, else 0          adjoint
//! W += S' diag(eta) Z,    V -= X' diag(eta) S;        in the end W += V' W_0
//! ```
//!
//! which is far less where z is an outcome of very many. An event of frequency f is f tokens in a row with the same x and z: the
//! error shrinks by 1 - eta k at each, k = x'x, so they are one token of rate eta_t = (1 - (1 - eta k)^f) / k.
//!
//! Tiles of either method are as wide whatever the number of threads, so that it changes no bit.

mod adjoint;
mod block;
mod forward;
mod present;
mod tokens;

use self::block::Blocks;
use self::tokens::Tokens;
use crate::error::{Error, Result};
use crate::events::EventFile;
use crate::kernel::dispatch::Kernel;
use crate::kernel::rows::Element;
use crate::monitor::Monitor;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::tiles::width::SMALL;

/// Blocks are made ready up to this many bytes at a time.
pub const BUDGET: usize = 32 << 20;

/// What the names of one side stand for.
#[derive(Debug, Clone, Copy)]
pub enum Side<'a, E> {
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

impl<E: Element> Side<'_, E> {
    /// Rows, or columns, of the weights.
    pub fn size(&self) -> usize {
        match *self {
            Side::Names { size, .. } | Side::Vectors { size, .. } => size,
        }
    }

    /// Refuses what does not fit `n` names.
    fn check(&self, n: usize) -> Result<()> {
        let fits = match *self {
            Side::Names { places, size } => {
                places.len() == n && places.iter().all(|&place| (place as usize) < size)
            }
            Side::Vectors { vectors, size } => Some(vectors.len()) == n.checked_mul(size),
        };
        let message = || Error::Argument(format!("expected a place or a vector for each of {n} names"));
        if fits { Ok(()) } else { Err(message()) }
    }

    /// Adds to `sums`, which begin at column `first` of the side, what some names stand for.
    #[inline]
    fn add(&self, names: &[u32], first: usize, sums: &mut [E]) {
        for &name in names {
            match *self {
                Side::Names { places, .. } => {
                    let place = (places[name as usize] as usize).wrapping_sub(first);
                    if let Some(sum) = sums.get_mut(place) {
                        *sum = sum.plus(E::from_f64(1.0));
                    }
                }
                Side::Vectors { vectors, size } => {
                    let vector = &vectors[name as usize * size..][..size][first..];
                    for (sum, &number) in sums.iter_mut().zip(vector) {
                        *sum = sum.plus(number);
                    }
                }
            }
        }
    }
}

/// What the tokens are.
pub enum Data<'a, B> {
    /// Those of a file.
    Events(&'a EventFile<B>),
    /// So many, each with a cue and an outcome of its own: rows of matrices.
    Rows(usize),
}

/// What to learn, and how.
pub struct Plan<'a, E> {
    /// What cues stand for.
    pub cues: Side<'a, E>,
    /// What outcomes stand for.
    pub outcomes: Side<'a, E>,
    /// The learning rate.
    pub eta: f64,
    /// All weights to begin with, row after row; zero if `None`.
    pub initial: Option<&'a [E]>,
    /// The method; the cheaper one if `None`. Cues that are names have the forward method only.
    pub method: Option<Method>,
    /// Threads to use at most.
    pub threads: usize,
    /// The instruction set for cues that are names; the best if `None`.
    pub kernel: Option<Kernel>,
    /// Columns in a tile of the forward method, rows in one of the adjoint; chosen by size if `None`.
    pub tile: Option<usize>,
    /// Tokens in a block; chosen by size if `None`.
    pub block: Option<usize>,
    /// Bytes of blocks that are made ready for all tiles at a time.
    pub budget: usize,
}

/// How the learning went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// The method.
    pub method: Method,
    /// Columns or rows in a tile.
    pub tile: usize,
    /// Threads.
    pub threads: usize,
    /// The greatest x'x of a token.
    pub max_kappa: f64,
}

/// Learns the tokens into `out`.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight leaves the finite numbers, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Element, B: AsRef<[u8]> + Sync>(
    data: &Data<'_, B>,
    plan: &Plan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<Report> {
    let shape = [plan.cues.size(), plan.outcomes.size()];
    let eta = E::from_f64(plan.eta);
    if !eta.is_finite() || plan.eta < 0.0 {
        return Err(Error::Argument(format!("expected a finite eta of 0 or more, found {}", plan.eta)));
    }
    let started = plan.initial.map_or(Some(0), |_| shape[0].checked_mul(shape[1]));
    if out.shape != shape || plan.initial.map_or(Some(0), |initial| Some(initial.len())) != started {
        return Err(Error::Argument(format!("expected a result and initial weights of shape {shape:?}")));
    }
    if let Some(weight) = plan.initial.unwrap_or_default().iter().find(|weight| !weight.is_finite()) {
        return Err(Error::Argument(format!("expected finite initial weights, found {}", weight.to_f64())));
    }
    let tokens = Tokens::read(data, matches!(plan.outcomes, Side::Vectors { .. }), monitor)?;
    let [n_cues, n_outcomes] = tokens.names();
    plan.cues.check(n_cues)?;
    plan.outcomes.check(n_outcomes)?;
    if let Side::Names { places, size } = plan.cues {
        return present::learn(&tokens, (places, size), plan, eta, out, monitor);
    }
    let [forward, adjoint] = costs(&tokens, plan);
    let method = plan.method.unwrap_or(if adjoint < forward { Method::Adjoint } else { Method::Forward });
    let cost = if method == Method::Adjoint { adjoint } else { forward };
    let threads = if cost < SMALL as f64 { 1 } else { plan.threads.max(1) };
    let blocks = Blocks::new(&tokens, plan, eta, method);
    let tile = match method {
        Method::Forward => forward::learn(&blocks, plan, threads, out, monitor),
        Method::Adjoint => adjoint::learn(&blocks, plan, threads, out, monitor),
    }?;
    Ok(Report { method, tile, threads, max_kappa: blocks.max_kappa() })
}

/// The multiplications and additions of the forward and of the adjoint method, roughly.
fn costs<E: Element>(tokens: &Tokens, plan: &Plan<'_, E>) -> [f64; 2] {
    let (n, p, q) = (tokens.len() as f64, plan.cues.size() as f64, plan.outcomes.size() as f64);
    let z = match plan.outcomes {
        Side::Names { .. } => 4.0 * p * tokens.n_outcomes() as f64,
        Side::Vectors { .. } => 2.0 * n * p * q,
    };
    let start = if plan.initial.is_some() { 2.0 * p * p * q } else { 0.0 };
    [4.0 * n * p * q, 4.0 * n * p * p + z + start]
}
