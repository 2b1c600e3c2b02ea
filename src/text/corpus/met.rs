//! What came up in a text, for those who ask for what never does.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What came up in a text. Threads that read it note it down, each for itself; it is to be read when they are done.
#[derive(Debug, Default)]
pub struct Met {
    text: AtomicBool,
    word: AtomicBool,
    stop_word: AtomicBool,
    known_word: AtomicBool,
}

impl Met {
    /// Whether there was anything but white space and marks.
    pub fn text(&self) -> bool {
        self.text.load(Relaxed)
    }

    /// Whether there was a word, of the characters that are allowed.
    pub fn word(&self) -> bool {
        self.word.load(Relaxed)
    }

    /// Whether there was a stop word.
    pub fn stop_word(&self) -> bool {
        self.stop_word.load(Relaxed)
    }

    /// Whether there was a word of the vocabulary; any word, where there is none.
    pub fn known_word(&self) -> bool {
        self.known_word.load(Relaxed)
    }

    pub(super) fn note_text(&self) {
        note(&self.text);
    }

    pub(super) fn note_word(&self) {
        note(&self.word);
    }

    pub(super) fn note_stop_word(&self) {
        note(&self.stop_word);
    }

    pub(super) fn note_known_word(&self) {
        note(&self.known_word);
    }
}

/// Threads write to what they share only once, or they would wait for each other all the time.
fn note(met: &AtomicBool) {
    if !met.load(Relaxed) {
        met.store(true, Relaxed);
    }
}
