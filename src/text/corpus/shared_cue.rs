//! A cue that words give in two ways.

use crate::error::Result;
use crate::memory::Grow;

/// A cue that words give in two ways, as the word `ox` and the bigram `ox` of `box`.
#[derive(Default)]
pub(super) struct SharedCue {
    /// For each cue the kind of names that gave it first, from 1.
    kinds: Vec<u8>,
    /// The first that another kind gave, too.
    pub(super) name: Option<String>,
}

impl SharedCue {
    /// Notes that a kind of names gave a cue.
    pub(super) fn note(&mut self, kind: usize, id: u32, name: &str) -> Result<()> {
        let (id, kind) = (id as usize, kind.min(254) as u8 + 1);
        if self.kinds.len() <= id {
            self.kinds.grow_to(id + 1, 0)?;
        }
        match self.kinds[id] {
            0 => self.kinds[id] = kind,
            known if known != kind && self.name.is_none() => self.name = Some(name.to_owned()),
            _ => {}
        }
        Ok(())
    }
}
