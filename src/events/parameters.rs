//! The parameters: a text that says what made a file. The engine keeps it and does not interpret it.
//!
//! ```text
//! u32 CRC32C of all that follows
//! u32 zero
//! u64 bytes of text
//! text, UTF-8
//! zeros up to a multiple of 8
//! ```

use super::EventFile;
use super::format::{Input, damaged, seal};
use crate::error::{Error, Result};
use crate::memory::{Grow, copied};

/// The most bytes of a text.
const MOST: usize = 16 << 20;

/// Bytes before the text.
const HEAD: usize = 16;

/// Appends the parameters. `out` has a multiple of 8 bytes.
///
/// # Errors
/// [`Error::Memory`].
pub(super) fn encode(text: &str, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.grow_by(&[0; HEAD - 8])?;
    out.grow_by(&(text.len() as u64).to_le_bytes())?;
    out.grow_by(text.as_bytes())?;
    seal(start, out)
}

/// Checks that a text is one that a file can keep.
///
/// # Errors
/// [`Error::Argument`].
pub(super) fn check(text: &str) -> Result<()> {
    if text.len() <= MOST {
        return Ok(());
    }
    Err(Error::Argument(format!("expected parameters of at most {MOST} bytes, found {}", text.len())))
}

/// Reads the parameters that fill `bytes`, which stand at `start` of a file.
fn decode(bytes: &[u8], start: usize) -> Result<String> {
    let mut input = Input::sealed(bytes, start)?;
    if input.u32()? != 0 {
        return Err(damaged(start + 4, "zeros in the reserved bytes", "other bytes"));
    }
    let length = usize::try_from(input.u64()?).unwrap_or(usize::MAX);
    let text = input.take(length)?;
    input.end("parameters")?;
    let text = copied(text)?;
    String::from_utf8(text).map_err(|error| damaged(start, "parameters in UTF-8", error.to_string()))
}

impl EventFile {
    /// The text that says what made the file, if it has one.
    ///
    /// # Errors
    /// [`Error::Format`] when it is damaged.
    pub fn parameters(&self) -> Result<Option<String>> {
        let Some(place) = self.header().place_of_parameters() else { return Ok(None) };
        let (start, mut bytes) = (place.start, Vec::new());
        if place.len() > HEAD + MOST + 8 {
            let found = format!("{} bytes", place.len());
            return Err(
                damaged(start, format!("parameters of at most {MOST} bytes"), found).at(self.path(), None)
            );
        }
        self.read_part(place, &mut bytes)?;
        decode(&bytes, start).map(Some).map_err(|error| error.at(self.path(), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::format::{HEADER, Header};
    use crate::events::write::{Duplicates, EventWriter};
    use crate::monitor::Monitor;
    use proptest::prelude::*;

    fn written(text: Option<&str>) -> EventFile {
        let mut writer =
            EventWriter::new(None, Duplicates::Keep, None).unwrap().with_parameters(text).unwrap();
        writer.cue("a").unwrap();
        writer.outcome("x").unwrap();
        writer.end_event(1).unwrap();
        writer.finish().unwrap()
    }

    proptest! {
        #[test]
        fn what_a_file_is_told_comes_back(text in ".{0,40}") {
            let (told, not) = (written(Some(&text)), written(None));
            prop_assert_eq!(told.parameters().unwrap(), Some(text));
            prop_assert_eq!(not.parameters().unwrap(), None);
            told.verify(&Monitor::new()).unwrap();
            // The digest depends on checksums and names.
            prop_assert_eq!(told.checksums(&Monitor::new()).unwrap(), not.checksums(&Monitor::new()).unwrap());
        }
    }

    #[test]
    fn every_bit_counts() {
        let file = written(Some("\"what\""));
        let Header { parameters, directory, .. } = *file.header();
        let bytes = file.bytes().unwrap();
        for bit in 8 * parameters as usize..8 * directory as usize {
            let mut broken = bytes.to_vec();
            broken[bit / 8] ^= 1 << (bit % 8);
            let broken = EventFile::open(broken, None).unwrap();
            assert!(matches!(broken.parameters(), Err(Error::Format(_))), "bit {bit}");
            assert!(matches!(broken.verify(&Monitor::new()), Err(Error::Format(_))), "bit {bit}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (most, more) = ("a".repeat(MOST), "a".repeat(MOST + 1));
        assert_eq!(written(Some(&most)).parameters().unwrap(), Some(most));
        let writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        assert!(matches!(writer.with_parameters(Some(&more)), Err(Error::Argument(_))));
        for (text, length, found) in
            [("abc", 9, "9 more bytes"), ("abc", 2, "zeros as padding"), ("12345678", 0, "the end of")]
        {
            let mut block = Vec::new();
            encode(text, &mut block).unwrap();
            block[8] = length;
            seal(0, &mut block).unwrap();
            let error = decode(&block, 0).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn the_features_say_what_there_is() {
        let file = written(Some("text"));
        for (features, parameters) in
            [(0, file.header().parameters), (4, 0), (4, file.header().directory + 8)]
        {
            let mut bytes = file.bytes().unwrap().to_vec();
            let header = Header { features, parameters, ..*file.header() };
            bytes[..HEADER].copy_from_slice(&header.encode());
            assert!(matches!(EventFile::open(bytes, None), Err(Error::Format(_))));
        }
    }
}
