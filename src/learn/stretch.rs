//! Events in the order in which tiles of columns learn them, and stretches of them.

use super::order;
use super::script::{Chunks, EventStream, Script, Scripted, Segment};
use crate::error::Result;
use crate::memory::copied;
use crate::monitor::Monitor;

/// Bytes of memory for an event, besides the script: its frequency.
pub(crate) const EVENT: u64 = 4;

/// The events of a chunk, in the order in which they are learned.
pub(crate) struct OrderedEvents {
    script: Script,
    /// The frequency of each event; empty where all are 1.
    frequencies: Vec<u32>,
    /// Whether the events are reordered, within blocks.
    ordered: bool,
}

impl OrderedEvents {
    /// All chunks of a stream; events are reordered if `ordered`.
    pub(crate) fn all(
        stream: EventStream,
        ordered: bool,
        fits: bool,
        threads: usize,
        monitor: &Monitor,
    ) -> Result<Chunks<Self>> {
        let make = |(): &mut (), segment: &Segment<'_>| {
            let events = Self::of(segment)?;
            if ordered { events.ordered() } else { Ok(events) }
        };
        Chunks::new(stream, fits, threads, monitor, || Ok(()), make)
    }

    pub(crate) fn of(segment: &Segment<'_>) -> Result<Self> {
        let mut script = Script::new(segment)?;
        for i in 0..segment.len {
            script.push(segment, segment.row(i))?;
        }
        Ok(Self { script, frequencies: copied(segment.frequencies)?, ordered: false })
    }

    /// Reorders the events so that those that share cues come one after another, if each has frequency 1.
    fn ordered(mut self) -> Result<Self> {
        if self.frequencies.is_empty() {
            let order = order::of(&self.script, false)?;
            self.script.reorder(&order, order::BLOCK)?;
            self.ordered = true;
        }
        Ok(self)
    }

    /// How many of the first `skip` events are in a block with later events, with which reordering may have mixed them.
    pub(crate) fn mixed(&self, skip: usize) -> usize {
        if self.ordered { skip % order::BLOCK } else { 0 }
    }

    /// All events but the first `skip`.
    pub(crate) fn after(&self, skip: usize) -> Stretch<'_> {
        let mut events = self.script.events();
        if let Some(last) = skip.checked_sub(1) {
            events.nth(last);
        }
        let times = Times { each: &self.frequencies, others: 1 }.after(skip);
        Stretch { events, len: self.script.len().saturating_sub(skip), times }
    }
}

/// Some events in order.
#[derive(Debug, Clone)]
pub(crate) struct Stretch<'a> {
    /// These events and all that come after them.
    pub(crate) events: Scripted<'a>,
    /// How many of them belong here.
    pub(crate) len: usize,
    pub(crate) times: Times<'a>,
}

/// The frequencies of some events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times<'a> {
    /// The frequencies of the first events.
    each: &'a [u32],
    /// The frequency of all other events.
    others: u32,
}

impl<'a> Times<'a> {
    /// The same frequency for all.
    pub(crate) fn all(others: u32) -> Self {
        Self { each: &[], others }
    }

    /// The frequency of event `i`.
    #[inline(always)]
    pub(crate) fn of(self, i: usize) -> u32 {
        self.each.get(i).copied().unwrap_or(self.others)
    }

    /// Whether all frequencies are 1.
    pub(crate) fn are_once(self) -> bool {
        self.each.is_empty() && self.others == 1
    }

    /// The frequencies of the events after the first `n`.
    pub(crate) fn after(self, n: usize) -> Self {
        Self { each: self.each.get(n..).unwrap_or_default(), ..self }
    }
}
