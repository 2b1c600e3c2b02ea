//! A text file as pieces cut at boundaries, plain, gzip, zstd or xz; its content decides which.
//!
//! ```text
//! file -> Disk (progress, stop) -> decoder (-> Subtitles) -> window -> pieces: lines, records, blocks of words
//! ```
//!
//! Pieces lie in the window and are copied only when the window moves on. So memory is bounded by the longest piece, whose length
//! the reader limits.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use liblzma::bufread::XzDecoder;
use liblzma::stream::Stream;

use crate::error::{Error, Place, Result};
use crate::memory::{Grow, ask, filled, short};
use crate::monitor::Monitor;
use crate::text::subtitles::Subtitles;

/// The longest first line in which names of columns are looked for.
pub const MAX_HEADER: usize = 1 << 20;

/// The longest piece that is held in memory: a line of a table, a word of running text.
pub const MAX_PIECE: usize = 64 << 20;

/// How much text is read at once.
const WINDOW: usize = 256 << 10;

/// How much text is read at once, if only the beginning of a file is needed.
const GLANCE: usize = 16 << 10;

/// How much of a file is read at once, where less of its text is wanted.
const COMPRESSED: usize = 64 << 10;

/// How many of the first bytes show what a file is, if it is not text, and how it is compressed.
const MAGIC: usize = 64;

/// The most memory that the decoder of an xz file may take, in MiB: the file's dictionary, which can have 1.5 GiB, and
/// a little more. All of xz's own levels need at most 65 MiB.
const XZ_MEMORY: u64 = 128;

/// The most memory that the decoder of a zstd file takes, in MiB: the longest window that it accepts.
const ZSTD_MEMORY: usize = 128;

/// The memory that decoders take when they start, with a margin.
const DECODER: usize = 512 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format that running text is wrapped in. It is not detected from the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    /// Nothing: plain text.
    Text,
    /// The XML of OpenSubtitles. Its text has a line for each sentence, and an empty line before each pause.
    Subtitles,
}

/// How many bytes a file has; 0 for a pipe.
pub(crate) fn length_of(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path).map_err(Error::io(path, "open"))?.len())
}

/// Text read from a file, in pieces.
///
/// Invariants: `window[start..end]` is the text that is read but not yet taken, and begins at `line`, `column` of the file, which
/// begins with `magic`; `ended` says that nothing follows it.
pub struct Source<'m> {
    path: PathBuf,
    magic: Vec<u8>,
    encoding: Encoding,
    reader: Box<dyn Read + Send + 'm>,
    window: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// Whether carriage returns are read as line feeds.
    returns: bool,
    line: u64,
    column: u64,
}

/// Text between two boundaries, with the second, and where in the file it begins.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'s> {
    /// The text, not yet known to be UTF-8.
    pub bytes: &'s [u8],
    line: u64,
    column: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Plain,
    Gzip,
    Zstd,
    Xz,
}

impl<'m> Source<'m> {
    /// Opens a plain, gzip, zstd or xz file, to read the text that is wrapped in a format, without a byte order mark.
    ///
    /// The bytes read from it are the monitor's progress. Places are places in the text; but an error in the XML has its place there.
    ///
    /// # Errors
    /// When the file cannot be opened or read.
    pub fn open(path: &Path, format: Wrapping, monitor: &'m Monitor) -> Result<Self> {
        Self::of(path, Disk::open(path, monitor)?, format, WINDOW)
    }

    /// Opens a file of plain text as [`Source::open`] does, but reads less at once, for a look at its beginning.
    pub(super) fn glance(path: &Path, monitor: &'m Monitor) -> Result<Self> {
        Self::of(path, Disk::open(path, monitor)?, Wrapping::Text, GLANCE)
    }

    /// The text of a stream that can be read only once; messages call it `name`.
    ///
    /// # Errors
    /// When it cannot be read.
    #[cfg(feature = "python")]
    pub(crate) fn once(name: &Path, reader: impl Read + Send + 'm) -> Result<Self> {
        Self::of(name, reader, Wrapping::Text, WINDOW)
    }

    fn of(path: &Path, mut disk: impl Read + Send + 'm, format: Wrapping, window: usize) -> Result<Self> {
        let damage = |error| failure(error, Encoding::Plain);
        // The first bytes are read and put in front again, without seeking, so that pipes can be read, too.
        let mut magic = Vec::new();
        disk.by_ref().take(MAGIC as u64).read_to_end(&mut magic).map_err(damage)?;
        let encoding = Encoding::of(&magic);
        ask(DECODER)?;
        let whole = BufReader::with_capacity(COMPRESSED, Cursor::new(magic.clone()).chain(disk));
        let reader: Box<dyn Read + Send + 'm> = match encoding {
            Encoding::Plain => Box::new(whole),
            Encoding::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Encoding::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(whole).map_err(damage)?),
            Encoding::Xz => {
                let decoder = Stream::new_stream_decoder(XZ_MEMORY << 20, liblzma::stream::CONCATENATED)
                    .map_err(|error| failure(error.into(), encoding))?;
                Box::new(XzDecoder::new_stream(whole, decoder))
            }
        };
        let reader = match format {
            Wrapping::Text => reader,
            Wrapping::Subtitles => Box::new(Subtitles::new(reader, move |error| failure(error, encoding))?),
        };
        let mut source = Source {
            path: path.to_path_buf(),
            magic,
            encoding,
            reader,
            window: filled(0, window)?,
            start: 0,
            end: 0,
            ended: false,
            returns: false,
            line: 1,
            column: 1,
        };
        source.fill(window)?;
        if format == Wrapping::Text && source.pending().starts_with(BYTE_ORDER_MARK) {
            source.start = BYTE_ORDER_MARK.len();
        }
        Ok(source)
    }

    /// The first bytes of the file as stored, and whether it is compressed.
    pub(super) fn magic(&self) -> (&[u8], bool) {
        (&self.magic, self.encoding != Encoding::Plain)
    }

    /// Reads carriage returns as line feeds from now on, if the first lines end with them alone, as some programs on a Mac
    /// write.
    pub(super) fn break_at_returns(&mut self) -> Result<()> {
        self.peek(1, MAX_HEADER)?;
        let pending = self.pending();
        if memchr::memchr(b'\n', pending).is_none() && memchr::memchr(b'\r', pending).is_some() {
            self.returns = true;
            break_lines(&mut self.window[self.start..self.end]);
        }
        Ok(())
    }

    /// The pending text, with `lines` lines if the next `limit` bytes have as many; and whether nothing follows it. It stays
    /// pending.
    pub(super) fn peek(&mut self, lines: usize, limit: usize) -> Result<(Piece<'_>, bool)> {
        while !self.ended
            && self.pending().len() < limit
            && memchr::memchr_iter(b'\n', self.pending()).nth(lines - 1).is_none()
        {
            self.fill(limit)?;
        }
        let piece = Piece { bytes: self.pending(), line: self.line, column: self.column };
        Ok((piece, self.ended))
    }

    /// Takes the next bytes of the text, as many as are ready and fit the buffer; none at the end.
    #[cfg(feature = "python")]
    pub(crate) fn take_bytes(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.start == self.end && !self.ended {
            self.fill(WINDOW)?;
        }
        let n = buffer.len().min(self.end - self.start);
        buffer[..n].copy_from_slice(&self.window[self.start..self.start + n]);
        self.start += n;
        Ok(n)
    }

    /// The next line with its line feed, which the last one may lack.
    ///
    /// # Errors
    /// When the line is longer than `limit` bytes, or as for reading.
    pub fn line(&mut self, limit: usize) -> Result<Option<Piece<'_>>> {
        let bytes = self.take(limit, line_end)?;
        let piece = Piece { bytes: &self.window[bytes], line: self.line, column: self.column };
        // Nothing follows a line without a line feed, so its end needs no place.
        (self.line, self.column) = (self.line + 1, 1);
        Ok((!piece.bytes.is_empty()).then_some(piece))
    }

    /// The next piece: the pending text up to the end that `find` finds in it, or all the rest of the file.
    ///
    /// If `find` finds no end, it is called again with twice as much text. So searching from the start again costs no more than
    /// reading did.
    ///
    /// # Errors
    /// When there is no end in `limit` bytes, or as for reading.
    pub fn piece(
        &mut self,
        limit: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<Piece<'_>>> {
        let bytes = self.take(limit, find)?;
        let piece = Piece { bytes: &self.window[bytes], line: self.line, column: self.column };
        (self.line, self.column) = piece.line_and_column(piece.bytes.len());
        Ok((!piece.bytes.is_empty()).then_some(piece))
    }

    /// Takes the next piece, and returns its place in the window.
    fn take(&mut self, limit: usize, find: impl Fn(&[u8]) -> Option<usize>) -> Result<Range<usize>> {
        let length = loop {
            let pending = self.pending();
            match find(pending) {
                Some(length) => break length,
                None if self.ended => break pending.len(),
                None if pending.len() > limit => return Err(self.too_long(limit)),
                None => self.fill(limit)?,
            }
        };
        let start = self.start;
        self.start += length;
        Ok(start..self.start)
    }

    fn pending(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// Moves the pending text to the front of the window and reads until the window is full. A full window grows first, to at
    /// most one byte more than `limit`: enough to see that a piece is too long.
    fn fill(&mut self, limit: usize) -> Result<()> {
        self.window.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.window.len() {
            let longer = self.window.len().saturating_mul(2).min(limit.saturating_add(1));
            self.window.grow_to(longer.max(self.end), 0)?;
        }
        while self.end < self.window.len() && !self.ended {
            match self.reader.read(&mut self.window[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    if self.returns {
                        break_lines(&mut self.window[self.end..self.end + n]);
                    }
                    self.end += n;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let place = self.after_pending();
                    return Err(failure(error, self.encoding).at(Some(&self.path), Some(place)));
                }
            }
        }
        Ok(())
    }

    fn too_long(&self, limit: usize) -> Error {
        Error::defect(
            format!("a line or word of at most {limit} bytes"),
            "a longer one",
            "check that the file is text, its lines broken and its quotes closed",
        )
        .at(Some(&self.path), Some(Place::Line { line: self.line, column: self.column }))
    }

    fn after_pending(&self) -> Place {
        let pending = Piece { bytes: self.pending(), line: self.line, column: self.column };
        pending.place(pending.bytes.len())
    }
}

impl<'s> Piece<'s> {
    /// The first `n` bytes, or all if there are fewer.
    pub(super) fn beginning(&self, n: usize) -> Piece<'s> {
        Self { bytes: &self.bytes[..n], ..*self }
    }

    /// The line and the byte column of the byte at `offset`.
    pub fn place(&self, offset: usize) -> Place {
        let (line, column) = self.line_and_column(offset);
        Place::Line { line, column }
    }

    /// The piece as text.
    ///
    /// # Errors
    /// When it is not UTF-8; the place is that of the first wrong byte.
    pub fn text(&self) -> Result<&'s str> {
        std::str::from_utf8(self.bytes).map_err(|error| {
            let offset = error.valid_up_to();
            let byte = self.bytes.get(offset).copied().unwrap_or_default();
            Error::defect("text in UTF-8", format!("byte 0x{byte:02x}"), "save the file as UTF-8")
                .at(None, Some(self.place(offset)))
        })
    }

    fn line_and_column(&self, offset: usize) -> (u64, u64) {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        match memchr::memrchr(b'\n', before) {
            None => (self.line, self.column + before.len() as u64),
            Some(last) => {
                let feeds = memchr::memchr_iter(b'\n', &before[..last]).count() as u64 + 1;
                (self.line + feeds, (before.len() - last) as u64)
            }
        }
    }
}

impl Encoding {
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Encoding::Gzip,
            // A zstd frame, or a skippable frame, with which parallel compressors begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Encoding::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Encoding::Xz,
            _ => Encoding::Plain,
        }
    }
}

/// The file itself. It reports what is read to the monitor, and stops when that says so.
struct Disk<'m> {
    file: File,
    path: PathBuf,
    monitor: &'m Monitor,
}

impl<'m> Disk<'m> {
    fn open(path: &Path, monitor: &'m Monitor) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        Ok(Self { file, path: path.to_path_buf(), monitor })
    }
}

impl Read for Disk<'_> {
    /// Errors that are not the decoder's pass through it inside an [`io::Error`]; [`failure`] takes them out again.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = match self.file.read(buffer) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                return Err(io::Error::other(Error::io(&self.path, "read")(error)));
            }
            other => other?,
        };
        self.monitor.advance(n as u64).map_err(io::Error::other)?;
        Ok(n)
    }
}

/// The error that passed through a decoder, or else the decoder's own, which has no place yet.
fn failure(error: io::Error, encoding: Encoding) -> Error {
    let own = match error.downcast::<Error>() {
        Ok(ours) => return ours,
        Err(own) => own,
    };
    let inner = own.get_ref().and_then(|inner| inner.downcast_ref());
    if let Some(liblzma::stream::Error::Mem) = inner {
        return short::<u8>((XZ_MEMORY as usize) << 20);
    }
    // Only zstd's message shows that memory was short.
    if encoding == Encoding::Zstd && own.to_string().contains("not enough memory") {
        return short::<u8>(ZSTD_MEMORY << 20);
    }
    if let Some(liblzma::stream::Error::MemLimit) = inner {
        return Error::defect(
            format!("xz data whose decoder needs at most {XZ_MEMORY} MiB of memory"),
            "more",
            "pack the file again with xz -9 or less",
        );
    }
    let expected = match encoding {
        Encoding::Plain => "text",
        Encoding::Gzip => "whole gzip data",
        Encoding::Zstd => "whole zstd data",
        Encoding::Xz => "whole xz data",
    };
    let found = match own.kind() {
        ErrorKind::UnexpectedEof => "the end of the file in the middle of it".to_owned(),
        _ => format!("damage ({own})"),
    };
    Error::defect(expected, found, "the file is cut or damaged: copy or make it again")
}

fn break_lines(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| **byte == b'\r') {
        *byte = b'\n';
    }
}

fn line_end(pending: &[u8]) -> Option<usize> {
    memchr::memchr(b'\n', pending).map(|feed| feed + 1)
}
