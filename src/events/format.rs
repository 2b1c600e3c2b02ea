//! The binary event file, byte by byte.
//!
//! Everything is little-endian. Each byte of a file is in one of these parts:
//!
//! ```text
//! offset 0             header, 128 bytes: see Header
//! offset 128           event chunks, one after another
//!                      type chunks, one after another (the dictionary; none without Header::has_types)
//! header.names         names of the cues, then of the outcomes
//! header.survey        the survey of the events (none without Header::has_survey): see `survey::block`
//! header.parameters    a text that says what made the file (none without Header::has_parameters): see `parameters`
//! header.directory     for every chunk (events, then types): u64 offset, u64 first row
//! header.length - 16   footer: u32 CRC32C of the directory, u32 zero, the magic again
//! header.length        end of the file
//! ```
//!
//! A **chunk** holds at most 65,536 events (see [`super::chunk`]); its length is a multiple of 8 and it begins with the CRC32C of
//! its other bytes. **Names** have one form for cues and outcomes:
//!
//! ```text
//! u32 CRC32C of all that follows up to and with the padding
//! u32 widths: 4 bits each for lengths, counts
//! u64 number of names, u64 bytes of text
//! lengths[], counts[], text, zeros up to a multiple of 8
//! ```
//!
//! Every array of numbers has 1, 2, 4 or 8 bytes for each number, the fewest that hold its greatest. An array of width 0 has only
//! ones, such as the frequencies of most events, and takes no bytes. Such arrays are limited, so that a small file stays small in
//! memory: an array of a chunk has the width 0 only up to [`LONGEST_ONES`] numbers, every name but one has a byte of text, and the
//! decoded dictionary of types takes at most [`TYPES_SIZE`] bytes.
//!
//! [`super::EventFile::open`] checks the header, the length, the names, the directory and the footer. A chunk's checksum,
//! structure and ids are checked whenever it is decoded, the survey and the parameters when they are first used.
//! [`super::EventFile::verify`] checks everything.

use std::ops::Range;

use super::packed::Packed;
use crate::error::{Error, Result};
use crate::memory::Grow;
use crate::vocab::Vocab;

/// The first bytes of the file.
pub const MAGIC: [u8; 8] = *b"\x89RWEV\r\n\x1a";
/// The version this library writes and reads.
pub const VERSION: u32 = 1;
/// The most events in a chunk.
pub const CHUNK_EVENTS: usize = 1 << 16;
/// The most cue slots, and the most outcome slots, in a chunk, so that a forged file cannot ask for much memory. The
/// writer starts a new chunk long before; it refuses only an event that has more of them on its own.
pub const CHUNK_SLOTS: usize = 1 << 24;
/// The most numbers in a chunk's array of width 0, whose numbers are all 1 and take no bytes.
pub const LONGEST_ONES: usize = CHUNK_EVENTS;
/// The most bytes of a chunk: three numbers for each of [`CHUNK_EVENTS`] events and twice [`CHUNK_SLOTS`] ids, 4 bytes each, the
/// bytes before them, and the padding.
pub(super) const CHUNK_BYTES: usize = 32 + 4 * (3 * CHUNK_EVENTS + 2 * CHUNK_SLOTS);
/// The most bytes of the decoded dictionary of types: 16 for each type, and 4 for each of its cues and outcomes.
pub const TYPES_SIZE: u64 = 256 << 20;
/// The length of the header.
pub const HEADER: usize = 128;
/// The length of the footer.
pub const FOOTER: usize = 16;
/// The length of a directory entry.
pub const ENTRY: usize = 16;
/// The end of the header's fields; zeros follow up to its checksum.
const FIELDS_END: usize = 112;
/// Required feature: chunks may hold event types as indices into a dictionary.
pub const TYPES: u32 = 1;
/// Required feature: there is a survey after the names.
pub const SURVEY: u32 = 2;
/// Required feature: there are parameters before the directory.
pub const PARAMETERS: u32 = 4;

/// The bytes of names before their arrays.
const NAMES_HEAD: usize = 24;

const REBUILD: &str = "the file is damaged: write it again from its source";

/// The error of a damaged file: where it is wrong, what was expected there, and what was found.
pub(super) fn damaged(offset: usize, expected: impl Into<String>, found: impl Into<String>) -> Error {
    defect_at(offset, expected, found, REBUILD)
}

/// As [`damaged`], with another cure.
pub(super) fn defect_at(
    offset: usize,
    expected: impl Into<String>,
    found: impl Into<String>,
    cure: &str,
) -> Error {
    Error::defect(expected, found, cure).at(None, Some(crate::error::Place::Offset(offset as u64)))
}

/// The header: what the file holds and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header {
    /// Required features; a reader refuses a file with one it does not know.
    pub features: u32,
    /// Events, that is rows.
    pub n_events: u64,
    /// Tokens: the sum of the frequencies.
    pub n_tokens: u64,
    /// Different cues.
    pub n_cues: u64,
    /// Different outcomes.
    pub n_outcomes: u64,
    /// Event types in the dictionary.
    pub n_types: u64,
    /// Chunks of events.
    pub n_chunks: u64,
    /// Chunks of types.
    pub n_type_chunks: u64,
    /// Where the names begin, that is where the chunks end.
    pub names: u64,
    /// Where the directory begins.
    pub directory: u64,
    /// The length of the file.
    pub length: u64,
    /// Where the survey begins; 0 where there is none.
    pub survey: u64,
    /// Where the parameters begin; 0 where there are none.
    pub parameters: u64,
}

impl Header {
    /// The 128 bytes, checksum included.
    pub fn encode(mut self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.features.to_le_bytes());
        for (field, place) in self.fields().into_iter().zip(bytes[16..FIELDS_END].as_chunks_mut::<8>().0) {
            *place = field.to_le_bytes();
        }
        let crc = crc32c::crc32c(&bytes[..HEADER - 4]);
        bytes[HEADER - 4..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The numbers after the features, in their order.
    fn fields(&mut self) -> [&mut u64; 12] {
        [
            &mut self.n_events,
            &mut self.n_tokens,
            &mut self.n_cues,
            &mut self.n_outcomes,
            &mut self.n_types,
            &mut self.n_chunks,
            &mut self.n_type_chunks,
            &mut self.names,
            &mut self.directory,
            &mut self.length,
            &mut self.survey,
            &mut self.parameters,
        ]
    }

    /// Reads and checks the header of a file of the given length. `file` has its first bytes: 128, or all of a shorter file. They
    /// must be a copy that nobody changes.
    pub fn decode(file: &[u8], file_length: usize) -> Result<Self> {
        if !file.starts_with(&MAGIC) {
            return Err(Error::defect(
                "a binary event file",
                "a file of another kind",
                "write one with `rescorla events` or read_events(source, path)",
            ));
        }
        let mut input = Input { bytes: file, start: 0, at: 8 };
        let version = input.u32()?;
        if version != VERSION {
            return Err(Error::defect(
                format!("version {VERSION}"),
                format!("version {version}"),
                "read it with the version of rescorla that wrote it, or write it again",
            ));
        }
        let mut header = Header { features: input.u32()?, ..Header::default() };
        for field in header.fields() {
            *field = input.u64()?;
        }
        let reserved = input.take(HEADER - 4 - FIELDS_END)?;
        let crc = input.u32()?;
        let found = crc32c::crc32c(&file[..HEADER - 4]);
        if crc != found {
            return Err(damaged(0, format!("a header with checksum {crc:08x}"), format!("{found:08x}")));
        }
        if header.features & !(TYPES | SURVEY | PARAMETERS) != 0 {
            return Err(Error::defect(
                "only features that this version knows",
                format!("feature bits {:#x}", header.features),
                "install a newer rescorla",
            ));
        }
        if reserved.iter().any(|&byte| byte != 0) {
            return Err(damaged(FIELDS_END, "zeros in the reserved bytes", "other bytes"));
        }
        if header.length != file_length as u64 {
            let expected = format!("{} bytes", header.length);
            return Err(damaged(file_length, expected, format!("{file_length} bytes")));
        }
        Ok(header)
    }

    /// Whether the file has a dictionary of event types.
    pub fn has_types(&self) -> bool {
        self.features & TYPES != 0
    }

    /// Whether the file has a survey.
    pub fn has_survey(&self) -> bool {
        self.features & SURVEY != 0
    }

    /// Whether the file says what made it.
    pub fn has_parameters(&self) -> bool {
        self.features & PARAMETERS != 0
    }

    /// The place of the survey. Opening checks that it is in the file.
    pub(super) fn place_of_survey(&self) -> Option<Range<usize>> {
        let end = if self.has_parameters() { self.parameters } else { self.directory };
        self.has_survey().then_some(self.survey as usize..end as usize)
    }

    /// The place of the parameters. Opening checks that it is in the file.
    pub(super) fn place_of_parameters(&self) -> Option<Range<usize>> {
        self.has_parameters().then_some(self.parameters as usize..self.directory as usize)
    }

    /// The optional blocks after the names, in order: the name of each, whether the features say that it is there, and where it
    /// begins.
    pub(super) fn behind_names(&self) -> [(&'static str, bool, u64); 3] {
        [
            ("survey", self.has_survey(), self.survey),
            ("parameters", self.has_parameters(), self.parameters),
            ("directory", true, self.directory),
        ]
    }
}

/// Reads bytes from the front, and knows their offset in the file for messages.
pub(super) struct Input<'a> {
    pub(super) bytes: &'a [u8],
    /// The offset of the bytes in the file.
    pub(super) start: usize,
    /// How many are read.
    pub(super) at: usize,
}

impl<'a> Input<'a> {
    /// A whole block, which begins at `start` of the file, without the checksum that [`seal`] wrote.
    pub(super) fn sealed(bytes: &'a [u8], start: usize) -> Result<Self> {
        let mut input = Self { bytes, start, at: 0 };
        let (expected, found) = (input.u32()?, crc32c::crc32c(&bytes[4..]));
        if expected == found {
            Ok(input)
        } else {
            Err(damaged(start, format!("bytes with checksum {expected:08x}"), format!("{found:08x}")))
        }
    }

    /// The offset of the next byte in the file.
    pub(super) fn offset(&self) -> usize {
        self.start + self.at
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let taken = self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| {
            let left = self.bytes.len().saturating_sub(self.at);
            damaged(self.offset(), format!("{n} more bytes"), format!("{left}"))
        })?;
        self.at += n;
        Ok(taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(self.take(4)?.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(self.take(8)?.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    /// An array of `n` numbers of the given width, appended to `values`.
    pub(super) fn numbers<T>(&mut self, n: usize, width: u32, values: &mut Vec<T>) -> Result<()>
    where
        T: Clone + From<u8> + From<u16> + From<u32> + TryFrom<u64>,
    {
        let size = n.checked_mul(width as usize);
        let start = self.offset();
        let size =
            size.ok_or_else(|| damaged(start, "an array inside the file", "an array beyond its end"))?;
        let bytes = self.take(size)?;
        values.make_room(n)?;
        match width {
            0 => values.resize(values.len() + n, T::from(1_u8)),
            1 => values.extend(bytes.iter().map(|&byte| T::from(byte))),
            2 => values.extend(bytes.as_chunks().0.iter().map(|&b| T::from(u16::from_le_bytes(b)))),
            4 => values.extend(bytes.as_chunks().0.iter().map(|&b| T::from(u32::from_le_bytes(b)))),
            8 => {
                for &bytes in bytes.as_chunks().0 {
                    let value = T::try_from(u64::from_le_bytes(bytes));
                    values.push(value.map_err(|_| damaged(start, "numbers below 2^32", "a larger number"))?);
                }
            }
            _ => return Err(damaged(start, "numbers of 0, 1, 2, 4 or 8 bytes", format!("{width} bytes"))),
        }
        Ok(())
    }

    /// Reads zeros up to the next multiple of 8.
    pub(super) fn padding(&mut self) -> Result<()> {
        let at = self.offset();
        if self.take(self.at.next_multiple_of(8) - self.at)?.iter().any(|&byte| byte != 0) {
            return Err(damaged(at, "zeros as padding", "other bytes"));
        }
        Ok(())
    }

    /// Reads the padding, with which the block ends.
    pub(super) fn end(mut self, block: &str) -> Result<()> {
        self.padding()?;
        match self.bytes.len() - self.at {
            0 => Ok(()),
            more => {
                Err(damaged(self.offset(), format!("the end of the {block}"), format!("{more} more bytes")))
            }
        }
    }
}

/// Appends zeros up to a multiple of 8, then writes into the first 4 bytes of the block that began at `start` the checksum of the
/// others.
pub(super) fn seal(start: usize, out: &mut Vec<u8>) -> Result<()> {
    out.grow_to(out.len().next_multiple_of(8), 0)?;
    let crc = crc32c::crc32c(&out[start + 4..]);
    out[start..start + 4].copy_from_slice(&crc.to_le_bytes());
    Ok(())
}

/// Appends the directory and the footer.
pub(super) fn encode_directory(chunks: &[(u64, u64)], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.make_room(ENTRY * chunks.len() + FOOTER)?;
    for (offset, first) in chunks {
        out.extend(offset.to_le_bytes());
        out.extend(first.to_le_bytes());
    }
    let crc = crc32c::crc32c(&out[start..]);
    out.extend(crc.to_le_bytes());
    out.extend([0; 4]);
    out.extend(MAGIC);
    Ok(())
}

/// Appends the names of a vocabulary. `out` has a multiple of 8 bytes.
pub(super) fn encode_names(vocab: &Vocab, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let (mut lengths, mut counts) = (Packed::default(), Packed::default());
    vocab.names().try_for_each(|name| lengths.push(name.len() as u64))?;
    counts.extend(vocab.counts())?;
    out.make_room(24)?;
    out.extend([0; 8]);
    out.extend((vocab.len() as u64).to_le_bytes());
    out.extend((vocab.text().len() as u64).to_le_bytes());
    let widths = lengths.take(out)? | counts.take(out)? << 4;
    out[start + 4..start + 8].copy_from_slice(&widths.to_le_bytes());
    out.grow_by(vocab.text().as_bytes())?;
    seal(start, out)
}

/// Reads names from `*at..end` of a file, and moves `at` to their end. `read` appends a copy of a part of the file.
pub(super) fn decode_names(
    read: impl Fn(Range<usize>, &mut Vec<u8>) -> Result<()>,
    at: &mut usize,
    end: usize,
    n: u64,
) -> Result<Vocab> {
    let start = *at;
    let room = end.saturating_sub(start);
    if room < NAMES_HEAD {
        return Err(damaged(start, format!("{NAMES_HEAD} more bytes"), format!("{room}")));
    }
    let mut block = Vec::new();
    read(start..start + NAMES_HEAD, &mut block)?;
    let mut head = Input { bytes: &block, start, at: 4 };
    let widths = head.u32()?;
    let (found, text_length) = (head.u64()?, head.u64()?);
    if widths >> 8 != 0 {
        return Err(damaged(start + 4, "zeros in the reserved bits", "ones"));
    }
    if found != n {
        return Err(damaged(start, format!("{n} names"), format!("{found}")));
    }
    let too_long = || damaged(start, "names inside the file", "names beyond its end");
    // Lengths and counts may take no bytes, but at most one name is empty: all others have at least a byte of text.
    let length = n.checked_mul(((widths & 15) + (widths >> 4)).into());
    let length = length.and_then(|numbers| numbers.checked_add(text_length)?.checked_next_multiple_of(8));
    let length = length.filter(|&length| n <= length).and_then(|length| usize::try_from(length).ok());
    let (n, length) = usize::try_from(n).ok().zip(length).ok_or_else(too_long)?;
    if length > room - NAMES_HEAD {
        return Err(too_long());
    }
    let rest = start + NAMES_HEAD..start + NAMES_HEAD + length;
    *at = rest.end;
    read(rest, &mut block)?;
    let mut input = Input { at: NAMES_HEAD, ..Input::sealed(&block, start)? };
    let (mut lengths, mut counts) = (Vec::<u64>::new(), Vec::<u64>::new());
    input.numbers(n, widths & 15, &mut lengths)?;
    input.numbers(n, widths >> 4, &mut counts)?;
    let text = input.take(usize::try_from(text_length).map_err(|_| too_long())?)?;
    input.padding()?;
    let text =
        std::str::from_utf8(text).map_err(|error| damaged(start, "names in UTF-8", error.to_string()))?;

    let mut vocab = Vocab::new();
    let mut rest = text;
    for (id, (&length, &count)) in lengths.iter().zip(&counts).enumerate() {
        let cut = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (name, behind) =
            cut.ok_or_else(|| damaged(start, "names that fill their text", "longer names"))?;
        rest = behind;
        if vocab.intern(name)? as usize != id {
            return Err(damaged(start, "every name once", format!("{name:?} twice")));
        }
        vocab.count(&[id as u32], count)?;
    }
    if rest.is_empty() {
        Ok(vocab)
    } else {
        Err(damaged(start, "names that fill their text", "shorter names"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_come_back(names in prop::collection::vec(".{0,9}", 0..40), count in any::<u64>()) {
            let mut vocab = Vocab::of(&names).unwrap();
            if !vocab.is_empty() {
                vocab.count(&[0], count).unwrap();
            }
            let mut bytes = Vec::new();
            encode_names(&vocab, &mut bytes).unwrap();
            let mut at = 0;
            let read = |part: Range<usize>, to: &mut Vec<u8>| to.grow_by(&bytes[part]);
            let back = decode_names(read, &mut at, bytes.len(), vocab.len() as u64).unwrap();
            prop_assert_eq!(at, bytes.len());
            prop_assert!(back.names().eq(vocab.names()));
            prop_assert_eq!(back.counts(), vocab.counts());
        }
    }

    #[test]
    fn every_bit_of_the_header_counts() {
        let header = Header { n_events: 3, length: HEADER as u64, ..Header::default() };
        let bytes = header.encode();
        assert_eq!(Header::decode(&bytes, HEADER).unwrap(), header);
        for bit in 0..HEADER * 8 {
            let mut broken = bytes;
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(Header::decode(&broken, HEADER), Err(Error::Format(_))), "bit {bit}");
        }
    }
}
