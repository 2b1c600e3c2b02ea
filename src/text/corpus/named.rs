//! Names in numbers: those of the sink where it knows the name, numbers of our own until then.

use std::array::from_fn;
use std::mem;
use std::ops::Range;

use crate::error::Result;
use crate::grow::Grow;
use crate::vocab::Vocab;

/// Marks a number of our own. What the sink gives is taken for such where it is as large.
pub(super) const OURS: u32 = 1 << 31;

/// Not known yet.
pub(super) const NONE: u32 = u32::MAX;

const NAMES: &str = "the names that words give";

const ROWS: &str = "the events of a block of text";

/// So many more names than are needed have room.
const MORE: usize = 1 << 10;

/// Cues, or outcomes.
///
/// Invariants: a number below [`OURS`] is the sink's, others are ours with that mark; `theirs` has the sink's for each of
/// ours, [`NONE`] as long as there is none; `last` are the rows that had each name last, apart for its two numbers.
#[derive(Default)]
pub(super) struct Named {
    vocab: Vocab,
    theirs: Vec<u32>,
    last_ours: Vec<u32>,
    last_theirs: Vec<u32>,
    /// Of each name of a stretch the place at which it was last before, and the last such place of the names so far; counted from 1
    /// on, 0 where there is none. A buffer that is used again.
    before: Vec<(u32, u32)>,
}

impl Named {
    /// The number of a name: the sink's, or a new one of ours.
    pub(super) fn intern(&mut self, name: &str) -> Result<u32> {
        let ours = self.vocab.intern(name)?;
        if ours as usize == self.theirs.len() {
            self.theirs.grow(NONE, NAMES)?;
            self.last_ours.grow(0, NAMES)?;
        }
        Ok(self.known(ours | OURS))
    }

    /// The sink's number in place of one of ours, if there is one by now.
    pub(super) fn known(&self, id: u32) -> u32 {
        match self.theirs.get((id & !OURS) as usize) {
            Some(&theirs) if id & OURS != 0 && theirs & OURS == 0 => theirs,
            _ => id,
        }
    }

    /// The name of a number of ours.
    pub(super) fn name(&self, id: u32) -> Option<&str> {
        if id & OURS == 0 { None } else { self.vocab.name(id & !OURS) }
    }

    /// Puts the sink's numbers in place of ours, and learns with `ask` what the sink calls names of which that is not known.
    /// Whether all are the sink's numbers now.
    pub(super) fn learn(
        &mut self,
        ids: &mut [u32],
        mut ask: impl FnMut(&str) -> Result<Option<u32>>,
    ) -> Result<bool> {
        for id in ids {
            *id = self.known(*id);
            if *id & OURS == 0 {
                continue;
            }
            let theirs = ask(self.vocab.name(*id & !OURS).unwrap_or_default())?;
            let Some(theirs) = theirs.filter(|theirs| theirs & OURS == 0) else { return Ok(false) };
            if self.last_theirs.len() <= theirs as usize {
                self.last_theirs.grow_to(theirs as usize + 1, 0, NAMES)?;
            }
            self.theirs[(*id & !OURS) as usize] = theirs;
            *id = theirs;
        }
        Ok(true)
    }

    /// Appends names to the row that is last; those that it does not have yet, if `once`. `known`: all are the sink's numbers.
    ///
    /// Rows are told apart by numbers that are not 0.
    #[inline]
    pub(super) fn append(
        &mut self,
        ids: impl ExactSizeIterator<Item = u32>,
        row: u32,
        known: bool,
        once: bool,
        to: &mut Column,
    ) -> Result<()> {
        if !once {
            return to.append(ids);
        }
        let Self { last_ours, last_theirs, .. } = self;
        to.append_new(ids, |id| {
            let last = if known || id & OURS == 0 {
                &mut last_theirs[id as usize]
            } else {
                &mut last_ours[(id & !OURS) as usize]
            };
            mem::replace(last, row) != row
        })
    }

    /// Appends rows of names, each in two parts; of a name that a row has twice the first. `known`: as for [`Named::append`].
    #[inline]
    pub(super) fn append_rows<'i>(
        &mut self,
        first: u32,
        known: bool,
        rows: impl Iterator<Item = [&'i [u32]; 2]>,
        to: &mut Column,
        ends: &mut Vec<usize>,
    ) -> Result<()> {
        let mut row = first;
        for parts in rows {
            if known {
                let room = to.room(parts.iter().map(|part| part.len()).sum())?;
                let mut kept = 0;
                for part in parts {
                    for &id in part {
                        // As in `Column::append_new`.
                        room[kept] = id;
                        kept += usize::from(mem::replace(&mut self.last_theirs[id as usize], row) != row);
                    }
                }
                to.take(kept);
            } else {
                for part in parts {
                    self.append(part.iter().copied(), row, false, true, to)?;
                }
            }
            ends.grow(to.len(), ROWS)?;
            row = row.wrapping_add(1);
        }
        Ok(())
    }

    /// Appends rows of names in the sink's numbers: parts of a stretch of names, both ends of which rise; of a name that a row has
    /// twice the first. The places in the stretch are told apart by numbers from `first` on, as rows are.
    pub(super) fn append_spans(
        &mut self,
        first: u32,
        names: &[u32],
        spans: impl Iterator<Item = Range<usize>>,
        to: &mut Column,
        ends: &mut Vec<usize>,
    ) -> Result<()> {
        let Self { last_theirs, before, .. } = self;
        let mut latest = 0;
        before.clear();
        before.make_room(names.len(), ROWS)?;
        before.extend(names.iter().enumerate().map(|(place, &name)| {
            let last = mem::replace(&mut last_theirs[name as usize], first + place as u32);
            let place = last.saturating_sub(first - 1);
            latest = latest.max(place);
            (place, latest)
        }));
        for span in spans {
            let (names, before) = (&names[span.clone()], &before[span.clone()]);
            let room = to.room(names.len())?;
            // Both count places from 1 on.
            let is_new = |place: u32| place as usize <= span.start;
            let kept = if before.last().is_none_or(|&(_, latest)| is_new(latest)) {
                room[..names.len()].copy_from_slice(names);
                names.len()
            } else {
                let mut kept = 0;
                for (&name, &(place, _)) in names.iter().zip(before) {
                    // As in `Column::append_new`.
                    room[kept] = name;
                    kept += usize::from(is_new(place));
                }
                kept
            };
            to.take(kept);
            ends.grow(to.len(), ROWS)?;
        }
        Ok(())
    }

    /// Forgets which rows had which names, so that their numbers can be given again.
    pub(super) fn forget_rows(&mut self) {
        self.last_ours.fill(0);
        self.last_theirs.fill(0);
    }

    /// Bytes of memory in use, about.
    pub(super) fn size(&self) -> usize {
        self.vocab.text().len() + 40 * self.theirs.len() + 4 * self.last_theirs.len()
    }
}

/// The names of rows, one row behind another.
///
/// Invariant: the first `used` of `ids` are the names.
#[derive(Default)]
pub(super) struct Column {
    ids: Vec<u32>,
    used: usize,
}

impl Column {
    /// The first `n` names alone.
    #[inline]
    pub(super) fn truncate(&mut self, n: usize) {
        self.used = self.used.min(n);
    }

    /// The names.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids[..self.used]
    }

    /// The names.
    pub(super) fn ids_mut(&mut self) -> &mut [u32] {
        &mut self.ids[..self.used]
    }

    /// How many names there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// Appends names.
    fn append(&mut self, ids: impl ExactSizeIterator<Item = u32>) -> Result<()> {
        let n = ids.len();
        for (place, id) in self.room(n)?.iter_mut().zip(ids) {
            *place = id;
        }
        self.take(n);
        Ok(())
    }

    /// Appends rows of `N` names, each from one place further on: those that follow each other there, but for one that is `left_out`;
    /// of a name that a row has twice the first.
    pub(super) fn append_windows<const N: usize>(
        &mut self,
        names: &[u32],
        left_out: Option<usize>,
        ends: &mut Vec<usize>,
    ) -> Result<()> {
        let n_rows = (names.len() + 1).saturating_sub(N + usize::from(left_out.is_some()));
        if n_rows == 0 {
            return Ok(());
        }
        let nth: [&[u32]; N] = from_fn(|n| {
            let place = n + usize::from(left_out.is_some_and(|left_out| n >= left_out));
            &names[place..][..n_rows]
        });
        let (before, mut kept) = (self.used, 0);
        ends.make_room(n_rows, ROWS)?;
        let room = self.room(N * n_rows)?;
        ends.extend((0..n_rows).map(|row| {
            let names = nth.map(|names| names[row]);
            for (n, name) in names.iter().enumerate() {
                room[kept] = *name;
                kept += usize::from(!names[..n].contains(name));
            }
            before + kept
        }));
        self.take(kept);
        Ok(())
    }

    /// Appends the names that are new.
    #[inline]
    fn append_new(
        &mut self,
        ids: impl ExactSizeIterator<Item = u32>,
        mut is_new: impl FnMut(u32) -> bool,
    ) -> Result<()> {
        let room = self.room(ids.len())?;
        let mut kept = 0;
        for id in ids {
            // No branch: whether a name comes again is hard to foresee.
            room[kept] = id;
            kept += usize::from(is_new(id));
        }
        self.take(kept);
        Ok(())
    }

    /// Room for `n` more names and one that is too many.
    #[inline]
    fn room(&mut self, n: usize) -> Result<&mut [u32]> {
        let needed = self.used + n + 1;
        if self.ids.len() < needed {
            // Not much more: what is never used takes no memory then.
            self.ids.grow_to(needed + MORE, 0, ROWS)?;
        }
        Ok(&mut self.ids[self.used..])
    }

    /// Takes what was put into the room.
    #[inline]
    fn take(&mut self, n: usize) {
        self.used += n;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Names of which none comes twice.
    fn once(names: impl IntoIterator<Item = u32>) -> Vec<u32> {
        names.into_iter().fold(Vec::new(), |mut kept, name| {
            if !kept.contains(&name) {
                kept.push(name);
            }
            kept
        })
    }

    fn rows(column: &Column, ends: &[usize]) -> Vec<Vec<u32>> {
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends).map(|(start, &end)| column.ids()[start..end].to_vec()).collect()
    }

    proptest! {
        #[test]
        fn windows_are_put_side_by_side(names in prop::collection::vec(0_u32..5, 0..12), left_out in prop::option::of(0_usize..4)) {
            let (mut column, mut ends) = (Column::default(), Vec::new());
            column.append_windows::<3>(&names, left_out, &mut ends).unwrap();
            let width = 3 + usize::from(left_out.is_some());
            let of = |window: &[u32]| {
                let others = window.iter().enumerate().filter(|&(place, _)| Some(place) != left_out);
                once(others.map(|(_, &name)| name))
            };
            let expected: Vec<Vec<u32>> = names.windows(width).map(of).collect();
            prop_assert_eq!(rows(&column, &ends), expected);
        }

        #[test]
        fn spans_keep_the_first_of_each_name(
            names in prop::collection::vec(0_u32..6, 1..20),
            ends_of_spans in prop::collection::vec((0_usize..20, 0_usize..6), 0..10),
            first in prop_oneof![Just(1_u32), Just(u32::MAX - 19)],
        ) {
            let mut named = Named { last_theirs: vec![0; 6], ..Named::default() };
            let mut ends_of_spans = ends_of_spans;
            ends_of_spans.sort_unstable();
            let mut last = 0;
            let spans: Vec<Range<usize>> = ends_of_spans.iter().map(|&(start, length)| {
                let start = start.min(names.len());
                last = last.max((start + length).min(names.len()));
                start..last
            }).collect();
            let (mut column, mut ends) = (Column::default(), Vec::new());
            named.append_spans(first, &names, spans.iter().cloned(), &mut column, &mut ends).unwrap();
            let expected: Vec<Vec<u32>> = spans.iter().map(|span| once(names[span.clone()].iter().copied())).collect();
            prop_assert_eq!(rows(&column, &ends), expected);
        }
    }
}
