//! Memory for tiles: zeroed, aligned to pages, in huge pages if the system has them.
//!
//! A tile's rows are visited at random; with pages of 4 KiB every visit misses the translation buffer. The memory is an anonymous
//! map, so it is aligned and zero before it is touched, and a huge page only needs to be asked for.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::error::{Error, Result};
use crate::kernel::element::Element;
use crate::memory::filled;

const HUGE_PAGE: usize = 2 << 20;
/// Up to so many bytes come from the heap, because each page of a map of its own costs time.
const LITTLE: usize = 128 << 10;
/// What the heap gives is used from a cache line's beginning on, so that no vector crosses into the next.
const LINE: usize = 64;

/// A slice of elements in memory of its own.
///
/// Invariant: a map has `size_of::<E>() * length` bytes from `start` on, which is aligned for `E`; a list has `length` elements from
/// `start` on.
#[derive(Debug)]
pub struct Buffer<E> {
    memory: BufferMemory<E>,
    start: usize,
    length: usize,
}

#[derive(Debug)]
enum BufferMemory<E> {
    List(Vec<E>),
    Map(MmapMut),
}

impl<E: Element> Buffer<E> {
    /// `length` zeros.
    ///
    /// # Errors
    /// [`Error::Memory`] when the system has none.
    pub fn zeros(length: usize) -> Result<Self> {
        let memory = || Error::Memory {
            what: "a tile of weights",
            bytes: length as u128 * size_of::<E>() as u128,
            cure: "learn fewer outcomes at a time or use fewer threads",
        };
        let bytes = length.checked_mul(size_of::<E>()).ok_or_else(memory)?;
        if bytes <= LITTLE {
            let slack = LINE / size_of::<E>();
            let list = filled(E::default(), length + slack)?;
            let start = list.as_ptr().align_offset(LINE).min(slack);
            return Ok(Self { memory: BufferMemory::List(list), start, length });
        }
        // Room to begin at a huge page's boundary.
        let slack = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let map = MmapMut::map_anon(bytes.checked_add(slack).ok_or_else(memory)?).map_err(|_| memory())?;
        let start = if slack > 0 { map.as_ptr().align_offset(HUGE_PAGE).min(slack) } else { 0 };
        #[cfg(target_os = "linux")]
        if slack > 0 {
            // The system may refuse. Without huge pages learning is slower, with the same result.
            let _ = map.advise_range(memmap2::Advice::HugePage, start, bytes);
        }
        Ok(Self { memory: BufferMemory::Map(map), start, length })
    }

    /// The bytes of the elements.
    #[expect(unsafe_code, reason = "elements as bytes")]
    pub fn bytes(&self) -> &[u8] {
        let elements: &[E] = self;
        // SAFETY: elements are numbers without padding, and as many bytes long.
        unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
    }
}

#[expect(unsafe_code, reason = "bytes as elements")]
impl<E: Element> Deref for Buffer<E> {
    type Target = [E];
    fn deref(&self) -> &[E] {
        match &self.memory {
            BufferMemory::List(list) => &list[self.start..self.start + self.length],
            // SAFETY: by the invariant the bytes exist and are aligned (a map begins at a page, `start` is 0 or leads to a
            // huge page's boundary); every bit pattern is an element; the lifetime is that of the borrowed map.
            BufferMemory::Map(map) => unsafe {
                std::slice::from_raw_parts(map.as_ptr().add(self.start).cast(), self.length)
            },
        }
    }
}

#[expect(unsafe_code, reason = "bytes as elements")]
impl<E: Element> DerefMut for Buffer<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        match &mut self.memory {
            BufferMemory::List(list) => &mut list[self.start..self.start + self.length],
            // SAFETY: as in `deref`, and the map is borrowed mutably.
            BufferMemory::Map(map) => unsafe {
                std::slice::from_raw_parts_mut(map.as_mut_ptr().add(self.start).cast(), self.length)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_of_every_size() {
        for length in [0, 1, 1000, LITTLE / 8, LITTLE / 8 + 1, HUGE_PAGE / 8, HUGE_PAGE + 3] {
            let mut buffer = Buffer::<f64>::zeros(length).unwrap();
            assert_eq!(buffer.len(), length);
            assert!(buffer.iter().all(|&value| value == 0.0));
            buffer.fill(1.5);
            assert_eq!(buffer.iter().sum::<f64>(), 1.5 * length as f64);
            assert_eq!(buffer.bytes(), 1.5_f64.to_ne_bytes().repeat(length));
            assert_eq!(buffer.as_ptr() as usize % LINE, 0);
            if length * 8 >= HUGE_PAGE {
                assert_eq!(buffer.as_ptr() as usize % HUGE_PAGE, 0);
            }
        }
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert!(matches!(Buffer::<f64>::zeros(usize::MAX), Err(Error::Memory { .. })));
        assert!(matches!(Buffer::<f64>::zeros(1 << 59), Err(Error::Memory { .. })));
    }
}
