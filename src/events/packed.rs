//! Numbers in the narrowest width that holds them all.

use std::mem;
use std::ops::BitOr;

use crate::error::Result;
use crate::memory::Grow;

/// How many numbers are packed at a time: so many stay in the cache until they are packed.
const TOGETHER: usize = 1 << 12;

/// Numbers as a file has them: each in as many bytes as the greatest needs, or in none where all are 1.
///
/// Invariants: `bytes` has the first `packed` numbers, `width` bytes each; if the width is 0, they are all 1. `waiting` has the
/// numbers after them.
#[derive(Debug, Default)]
pub(super) struct Packed<T> {
    bytes: Vec<u8>,
    packed: usize,
    width: usize,
    waiting: Vec<T>,
}

impl<T: Copy + Into<u64> + From<u8> + BitOr<Output = T> + PartialEq> Packed<T> {
    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.packed + self.waiting.len()
    }

    /// Appends numbers.
    #[inline]
    pub(super) fn extend(&mut self, numbers: &[T]) -> Result<()> {
        if self.waiting.len() + numbers.len() < TOGETHER {
            self.waiting.grow_by(numbers)
        } else {
            self.extend_now(numbers)
        }
    }

    /// Appends a number.
    #[inline]
    pub(super) fn push(&mut self, number: T) -> Result<()> {
        self.waiting.grow(number)?;
        if self.waiting.len() >= TOGETHER { self.pack_waiting() } else { Ok(()) }
    }

    /// Appends all numbers to `out`, removes them here, and returns their width.
    pub(super) fn take(&mut self, out: &mut Vec<u8>) -> Result<u32> {
        self.pack_waiting()?;
        out.grow_by(&self.bytes)?;
        self.bytes.clear();
        self.packed = 0;
        // At most 8.
        Ok(mem::take(&mut self.width) as u32)
    }

    /// Gives each number one byte if there are more than `most` numbers and they have the width 0.
    pub(super) fn spell_out_beyond(&mut self, most: usize) -> Result<()> {
        self.pack_waiting()?;
        if self.packed > most { self.widen(1) } else { Ok(()) }
    }

    fn extend_now(&mut self, numbers: &[T]) -> Result<()> {
        self.pack_waiting()?;
        numbers.chunks(TOGETHER).try_for_each(|numbers| self.pack(numbers))
    }

    fn pack_waiting(&mut self) -> Result<()> {
        let mut waiting = mem::take(&mut self.waiting);
        self.pack(&waiting)?;
        waiting.clear();
        self.waiting = waiting;
        Ok(())
    }

    fn pack(&mut self, numbers: &[T]) -> Result<()> {
        if numbers.iter().any(|&number| number != T::from(1)) {
            // All bits together need as many bytes as the greatest number.
            let all = numbers.iter().fold(T::from(0), |all, &number| all | number);
            self.widen(width_of(all.into()))?;
        }
        let numbers = || numbers.iter().map(|&number| -> u64 { number.into() });
        self.bytes.make_room(self.width * numbers().len())?;
        self.packed += numbers().len();
        // The casts keep every bit: no number needs more.
        match self.width {
            0 => {}
            1 => append(&mut self.bytes, numbers().map(|number| [number as u8])),
            2 => append(&mut self.bytes, numbers().map(|number| (number as u16).to_le_bytes())),
            4 => append(&mut self.bytes, numbers().map(|number| (number as u32).to_le_bytes())),
            _ => append(&mut self.bytes, numbers().map(u64::to_le_bytes)),
        }
        Ok(())
    }

    /// Gives each number `width` bytes, if it has fewer. Numbers move from the last to the first, so that none is overwritten
    /// before it has moved.
    fn widen(&mut self, width: usize) -> Result<()> {
        if width <= self.width {
            return Ok(());
        }
        self.bytes.grow_to(self.packed * width, 0)?;
        let narrow = mem::replace(&mut self.width, width);
        for i in (0..self.packed).rev() {
            let mut number = [0; size_of::<u64>()];
            match narrow {
                0 => number[0] = 1,
                _ => number[..narrow].copy_from_slice(&self.bytes[i * narrow..][..narrow]),
            }
            self.bytes[i * width..][..width].copy_from_slice(&number[..width]);
        }
        Ok(())
    }
}

/// The bytes that a number needs, at least one.
fn width_of(number: u64) -> usize {
    match number {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x1_0000_0000 => 4,
        0x1_0000_0000.. => 8,
    }
}

/// Appends numbers with the same width; there is room for them.
fn append<const WIDTH: usize>(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = [u8; WIDTH]>) {
    let start = out.len();
    out.resize(start + WIDTH * numbers.len(), 0);
    for (place, number) in out[start..].as_chunks_mut().0.iter_mut().zip(numbers) {
        *place = number;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::format::Input;
    use super::*;

    /// Pieces of numbers; those of a piece are about equally large, and some pieces are long.
    fn pieces() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let number = |bits: u32| any::<u64>().prop_map(move |n| n >> (64 - bits + n as u32 % bits));
        let one = || Just(1_u64).boxed();
        let number = prop_oneof![
            Just(one()),
            Just(number(8).boxed()),
            Just(number(16).boxed()),
            Just(number(64).boxed())
        ];
        let times = prop_oneof![Just(1), Just(TOGETHER / 16)];
        let piece = (number, times).prop_flat_map(|(number, times)| {
            prop::collection::vec(number, 0..40).prop_map(move |piece| piece.repeat(times))
        });
        prop::collection::vec(piece, 0..6)
    }

    proptest! {
        #[test]
        fn numbers_come_back_in_the_narrowest_width(pieces in pieces(), one_by_one in any::<bool>()) {
            let mut packed = Packed::default();
            let all = pieces.concat();
            // A reused buffer begins empty.
            for _ in 0..2 {
                for piece in &pieces {
                    if one_by_one {
                        piece.iter().for_each(|&number| packed.push(number).unwrap());
                    } else {
                        packed.extend(piece).unwrap();
                    }
                }
                prop_assert_eq!(packed.len(), all.len());
                let mut bytes = Vec::new();
                let width = packed.take(&mut bytes).unwrap();
                let greatest = all.iter().max().copied().unwrap_or(1);
                let narrowest = if all.iter().all(|&n| n == 1) { 0 } else { width_of(greatest) };
                prop_assert_eq!(width as usize, narrowest);
                let mut back = Vec::<u64>::new();
                let mut input = Input { bytes: &bytes, start: 0, at: 0 };
                input.numbers(all.len(), width, &mut back).unwrap();
                prop_assert_eq!(input.at, bytes.len());
                prop_assert_eq!(&back, &all);
                prop_assert_eq!(packed.len(), 0);
            }
        }
    }
}
