//! What every tile of a call of learning needs.

use crate::kernel::isa::Isa;
use crate::monitor::Monitor;
use crate::tiles::rule::Parameters;

/// How tiles are learned, and the monitor.
pub(crate) struct Run<'a, E> {
    pub(crate) rule: &'a Parameters<E>,
    pub(crate) kernel: Isa,
    /// Tokens of all events.
    pub(crate) tokens: u64,
    pub(crate) monitor: &'a Monitor,
}
