//! Reading ahead: a decoder works on a thread of its own while its text is parsed on another.
//!
//! ```text
//! decoder  --- full blocks --->  parser
//!          <-- empty blocks ---
//! ```
//!
//! There are [`BLOCKS`] blocks and no more, which bounds the memory and how far the decoder gets ahead.

use std::io::{self, ErrorKind, Read};
use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::error::Result;
use crate::grow::Grow;
use crate::threads::{self, refused};

/// One is filled, one is parsed, and one waits for the slower of the two.
const BLOCKS: usize = 3;

/// How much text is handed over at once.
const BLOCK: usize = 256 << 10;

/// The text that a thread of its own reads, and then its error, if there is one.
///
/// Invariants: `block[taken..]` has arrived but is not read yet. Every other block is at the thread, or on its way there or here.
/// Without `links` the thread has ended.
pub(super) struct Ahead<'scope> {
    block: Vec<u8>,
    taken: usize,
    links: Option<Links<'scope>>,
}

struct Links<'scope> {
    full: Receiver<io::Result<Vec<u8>>>,
    empty: Sender<Vec<u8>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope> Ahead<'scope> {
    /// Starts to read on a thread of the scope.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(reader: impl Read + Send + 'scope, scope: &'scope Scope<'scope, '_>) -> Result<Self> {
        threads::room(1).map_err(refused)?;
        let (fill, full) = channel();
        let (empty, emptied) = channel();
        for _ in 1..BLOCKS {
            // Cannot fail: the receiver still exists.
            let _ = empty.send(Vec::new());
        }
        let thread = Builder::new()
            .name("rescorla-decoder".into())
            .spawn_scoped(scope, move || read_blocks(reader, &emptied, &fill))
            .map_err(refused)?;
        Ok(Self { block: Vec::new(), taken: 0, links: Some(Links { full, empty, thread }) })
    }

    /// Gives the block back and takes the next one. If none comes, the thread has ended, at the end of the text or by a panic.
    fn next_block(&mut self) -> io::Result<()> {
        let Some(links) = &self.links else { return Ok(()) };
        self.taken = 0;
        // Fails if the thread has ended; its last blocks still arrive.
        let _ = links.empty.send(mem::take(&mut self.block));
        match links.full.recv() {
            Ok(block) => self.block = block?,
            Err(_) => self.stop().map_err(|_| io::Error::other("the decoder failed"))?,
        }
        Ok(())
    }

    /// Ends the thread: without links it stops after its present block.
    fn stop(&mut self) -> std::thread::Result<()> {
        let Some(Links { full, empty, thread }) = self.links.take() else { return Ok(()) };
        drop((full, empty));
        thread.join()
    }
}

impl Read for Ahead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // An empty block is not the end, since an error may follow it. The end is where there are no links.
        while self.taken == self.block.len() && self.links.is_some() {
            self.next_block()?;
        }
        let n = (&self.block[self.taken..]).read(buffer)?;
        self.taken += n;
        Ok(n)
    }
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        // A reader that stops early does not need the thread's result. The thread is joined, so that a panic of it ends here.
        let _ = self.stop();
    }
}

/// The work of the thread: it fills blocks until the text ends or fails, or until nobody takes them.
fn read_blocks(mut reader: impl Read, emptied: &Receiver<Vec<u8>>, full: &Sender<io::Result<Vec<u8>>>) {
    for mut block in emptied {
        let filled = fill(&mut reader, &mut block);
        let ended = block.len() < BLOCK;
        if full.send(Ok(block)).is_err() {
            return;
        }
        if let Err(error) = filled {
            // Fails if nobody takes it.
            let _ = full.send(Err(error));
            return;
        }
        if ended {
            return;
        }
    }
}

/// Reads until the block is full or the text ends. After an error the block has what was read before it.
fn fill(reader: &mut impl Read, block: &mut Vec<u8>) -> io::Result<()> {
    block.grow_to(BLOCK, 0, "text that is decoded ahead").map_err(io::Error::other)?;
    let mut filled = 0;
    let result = loop {
        match reader.read(&mut block[filled..]) {
            Ok(0) => break Ok(()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
        if filled == BLOCK {
            return Ok(());
        }
    };
    block.truncate(filled);
    result
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    /// Gives text in pieces of a length of their own, and then what `end` says.
    struct Script<'t, E> {
        text: &'t [u8],
        piece: usize,
        given: &'t AtomicUsize,
        end: E,
    }

    impl<E: FnMut() -> io::Result<usize>> Read for Script<'_, E> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.text.is_empty() {
                return (self.end)();
            }
            let length = self.piece.min(buffer.len());
            let n = self.text.read(&mut buffer[..length])?;
            self.given.fetch_add(n, Relaxed);
            Ok(n)
        }
    }

    /// All text that is read ahead, in pieces of `take` bytes, and the error behind it.
    fn ahead(
        text: &[u8],
        piece: usize,
        take: usize,
        end: impl FnMut() -> io::Result<usize> + Send,
    ) -> (Vec<u8>, Option<String>) {
        let given = AtomicUsize::new(0);
        thread::scope(|scope| {
            let mut ahead = Ahead::start(Script { text, piece, given: &given, end }, scope).unwrap();
            let (mut read, mut buffer) = (Vec::new(), vec![0; take]);
            loop {
                match ahead.read(&mut buffer) {
                    Ok(0) => return (read, None),
                    Ok(n) => read.extend_from_slice(&buffer[..n]),
                    Err(error) => return (read, Some(error.to_string())),
                }
            }
        })
    }

    fn some_text(length: usize) -> Vec<u8> {
        (0..length).map(|n| (n / 3 % 251) as u8).collect()
    }

    /// Lengths about those at which blocks end.
    fn lengths() -> impl Strategy<Value = usize> {
        (0..5_usize, 0..5_usize).prop_map(|(blocks, more)| (blocks * BLOCK + more).saturating_sub(2))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn text_and_error_come_in_order(
            length in lengths(),
            piece in 1000_usize..2 * BLOCK,
            take in 1000_usize..2 * BLOCK,
            fails: bool,
        ) {
            let text = some_text(length);
            let mut interrupted = false;
            let end = || match (std::mem::replace(&mut interrupted, true), fails) {
                (false, _) => Err(ErrorKind::Interrupted.into()),
                (true, true) => Err(io::Error::other("cut")),
                (true, false) => Ok(0),
            };
            let (read, error) = ahead(&text, piece, take, end);
            prop_assert!(read == text, "{} bytes of {}", read.len(), text.len());
            prop_assert_eq!(error.as_deref(), fails.then_some("cut"));
        }
    }

    #[test]
    fn a_panic_of_the_decoder_is_an_error_behind_its_last_whole_block() {
        let text = some_text(BLOCK + 5);
        let (read, error) = ahead(&text, BLOCK, 1000, || panic!("on purpose"));
        assert!(read == text[..BLOCK]);
        assert_eq!(error.as_deref(), Some("the decoder failed"));
    }

    #[test]
    fn a_panic_that_nobody_waits_for_stays_with_the_thread() {
        let given = AtomicUsize::new(0);
        thread::scope(|scope| {
            let end = || panic!("on purpose");
            drop(Ahead::start(Script { text: &[], piece: 1, given: &given, end }, scope).unwrap());
        });
    }

    #[test]
    fn the_decoder_gets_no_further_ahead_than_its_blocks_and_stops_when_nobody_reads() {
        let text = some_text(20 * BLOCK);
        let given = AtomicUsize::new(0);
        thread::scope(|scope| {
            let end = || Ok(0);
            let script = Script { text: &text, piece: BLOCK, given: &given, end };
            let mut ahead = Ahead::start(script, scope).unwrap();
            // With the first byte of the second block the first one is given back.
            let mut buffer = vec![0; BLOCK + 1];
            ahead.read_exact(&mut buffer).unwrap();
            drop(ahead);
            // The thread is joined: this is all it ever read.
            assert!(given.load(Relaxed) <= (BLOCKS + 1) * BLOCK, "{given:?}");
        });
    }
}
