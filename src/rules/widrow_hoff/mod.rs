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
//! Normalized, a token's eta is divided by its k, or is 0 where k is 0: eta_t = eta / k.
//!
//! Tiles of either method are as wide whatever the number of threads, so that it changes no bit.

mod adjoint;
mod block;
mod forward;
mod plan;
mod present;
mod tokens;

use self::block::{Blocks, TokenEtas};
pub use self::plan::{BUDGET, Coding, WidrowHoffPlan, WidrowHoffReport};
use self::tokens::Tokens;
use crate::error::{Error, Result};
use crate::events::data::Data;
use crate::kernel::element::Element;
use crate::learn::Kernels;
use crate::monitor::Monitor;
use crate::tiles::home::check_shapes;
use crate::tiles::method::Method;
use crate::tiles::result::Matrix;
use crate::tiles::rule::Rates;
use crate::tiles::width::SMALL;

/// Learns the tokens into `out`.
///
/// # Errors
/// [`Error::Argument`] for parameters out of range, [`Error::Format`] for a damaged file, [`Error::NotFinite`] when a
/// weight becomes infinite or NaN, [`Error::Memory`], [`Error::Stopped`].
pub fn learn<E: Kernels>(
    data: &Data<'_>,
    plan: &WidrowHoffPlan<'_, E>,
    out: &Matrix<'_, E>,
    monitor: &Monitor,
) -> Result<WidrowHoffReport> {
    let shape = [plan.cues.size(), plan.outcomes.size()];
    let eta = E::from_f64(plan.eta);
    if !eta.is_finite() || plan.eta < 0.0 {
        return Err(Error::Argument(format!("expected a finite eta of 0 or more, found {}", plan.eta)));
    }
    check_shapes(shape, out, plan.initial)?;
    let [n_cues, n_outcomes] = data.names();
    plan.cues.check(n_cues)?;
    plan.outcomes.check(n_outcomes)?;
    if let Coding::Names { places, size } = plan.cues {
        return present::learn(data, (places, size), plan, out, monitor);
    }
    let factors = factors(data, plan, monitor)?;
    let tokens = Tokens::read(data, matches!(plan.outcomes, Coding::Vectors { .. }), monitor)?;
    let [forward, adjoint] = costs(&tokens, plan);
    let method = plan.method.unwrap_or(if adjoint < forward { Method::Adjoint } else { Method::Forward });
    let cost = if method == Method::Adjoint { adjoint } else { forward };
    let threads = if cost < SMALL as f64 { 1 } else { plan.threads.max(1) };
    let rates = TokenEtas { eta: plan.eta, factors, normalized: plan.normalized };
    let blocks = Blocks::new(&tokens, plan, rates, method);
    let tile = match method {
        Method::Forward => forward::learn(&blocks, plan, threads, out, monitor),
        Method::Adjoint => adjoint::learn(&blocks, plan, threads, out, monitor),
    }?;
    Ok(WidrowHoffReport { method, tile, threads, max_kappa: blocks.max_kappa() })
}

/// The factor of each token where cues have vectors.
fn factors<'a, E: Element>(
    data: &Data<'_>,
    plan: &'a WidrowHoffPlan<'_, E>,
    monitor: &Monitor,
) -> Result<&'a [f64]> {
    let Some(schedule) = &plan.schedule else { return Ok(&[]) };
    let Data::Rows(n) = *data else {
        return Err(Error::Argument(
            "expected no schedule for events whose cues have vectors, of which tokens with one rate are taken together"
                .into(),
        ));
    };
    Rates::new::<E>([plan.eta; 2], schedule, n as u64, monitor)?;
    Ok(&schedule.present)
}

/// The multiplications and additions of the forward and of the adjoint method, roughly.
fn costs<E: Element>(tokens: &Tokens, plan: &WidrowHoffPlan<'_, E>) -> [f64; 2] {
    let (n, p, q) = (tokens.len() as f64, plan.cues.size() as f64, plan.outcomes.size() as f64);
    let z = match plan.outcomes {
        Coding::Names { .. } => 4.0 * p * tokens.n_outcomes() as f64,
        Coding::Vectors { .. } => 2.0 * n * p * q,
    };
    let start = if plan.initial.is_some() { 2.0 * p * p * q } else { 0.0 };
    [4.0 * n * p * q, 4.0 * n * p * p + z + start]
}
