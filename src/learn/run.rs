//! What every tile of a call of learning needs.

use super::clock::Clock;
use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::tiles::rule::Rule;

/// How tiles are learned, and the monitor.
pub(super) struct Run<'a, E> {
    pub(super) rule: &'a Rule<E>,
    pub(super) kernel: Isa,
    /// Tokens of all events.
    pub(super) tokens: u64,
    pub(super) monitor: &'a Monitor,
    /// How long kernels ran.
    pub(super) clock: &'a Clock,
}
