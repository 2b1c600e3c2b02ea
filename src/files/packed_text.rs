//! Text files that appear whole or not at all, compressed as their names say.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

use crate::error::{Error, Result};
use crate::files::atomic::AtomicFile;

/// The default level of the xz tool.
const XZ_LEVEL: u32 = 6;

/// A text file being written, which takes its name when it is whole. If it is dropped before, nothing is left of it.
pub(crate) enum TextFile {
    Plain(AtomicFile),
    Gzip(GzEncoder<AtomicFile>),
    Xz(XzEncoder<AtomicFile>),
    Zstd(zstd::Encoder<'static, AtomicFile>),
}

impl TextFile {
    /// Begins a file that will be called `path`, compressed if that ends in .gz, .xz, .zst or .zstd.
    ///
    /// # Errors
    /// As for [`AtomicFile::create`].
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let file = AtomicFile::create(path)?;
        Ok(match suffix(path).as_deref() {
            Some("gz") => Self::Gzip(GzEncoder::new(file, Compression::default())),
            Some("xz") => Self::Xz(XzEncoder::new(file, XZ_LEVEL)),
            Some("zst" | "zstd") => {
                Self::Zstd(zstd::Encoder::new(file, 0).map_err(Error::io(path, "write"))?)
            }
            _ => Self::Plain(file),
        })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Io`]; the old file is then as it was.
    pub(crate) fn finish(self, path: &Path) -> Result<()> {
        match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(packer) => packer.finish(),
            Self::Xz(packer) => packer.finish(),
            Self::Zstd(packer) => packer.finish(),
        }
        .map_err(Error::io(path, "write"))?
        .finish()
    }
}

impl Write for TextFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(packer) => packer.write(bytes),
            Self::Xz(packer) => packer.write(bytes),
            Self::Zstd(packer) => packer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing waits for it: data is complete only at the end.
        Ok(())
    }
}

/// Whether a name says that a table has commas and quotes: it ends in .csv, or in .csv and the suffix of a compression.
pub(crate) fn is_csv(path: &Path) -> bool {
    match suffix(path).as_deref() {
        Some("csv") => true,
        Some(packed) if PACKED.contains(&packed) => {
            path.file_stem().is_some_and(|stem| is_csv(Path::new(stem)))
        }
        _ => false,
    }
}

/// Refuses a name that says text or table, where a binary event file is written.
///
/// # Errors
/// [`Error::Argument`].
pub(crate) fn check_binary_name(path: &Path) -> Result<()> {
    if !is_text(path) {
        return Ok(());
    }
    Err(Error::Argument(format!(
        "{}: this writes a binary file; to_table writes tables, and a binary file needs another suffix, such as .rw",
        path.display()
    )))
}

/// Whether a name ends as those of text, or of compressed text.
pub(crate) fn is_text(path: &Path) -> bool {
    const TEXT: [&str; 4] = ["csv", "tsv", "tab", "txt"];
    suffix(path).is_some_and(|suffix| TEXT.contains(&suffix.as_str()) || PACKED.contains(&suffix.as_str()))
}

const PACKED: [&str; 4] = ["gz", "xz", "zst", "zstd"];

fn suffix(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_written() {
        for (name, csv, binary) in [
            ("e.csv", true, false),
            ("e.CSV.gz", true, false),
            ("e.csv.zst", true, false),
            ("e.tab.csv", true, false),
            ("e.csv.tab", false, false),
            ("e.csv.rw", false, true),
            ("e.gz", false, false),
            ("e.tsv", false, false),
            ("e.rw", false, true),
            ("csv", false, true),
            (".csv", false, true),
        ] {
            assert_eq!(is_csv(Path::new(name)), csv, "{name}");
            assert_eq!(check_binary_name(Path::new(name)).is_ok(), binary, "{name}");
        }
    }
}
