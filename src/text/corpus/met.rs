//! What occurred in a text, so that callers can warn about options that fit nothing in it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What occurred in a text. Threads that read the text note it; the notes are complete when all threads are done.
#[derive(Debug, Default)]
pub struct Met {
    text: AtomicBool,
    word: AtomicBool,
    stop_word: AtomicBool,
    known_word: AtomicBool,
    kept_word: AtomicBool,
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

    /// Whether a word was kept: one of the vocabulary that is no stop word.
    pub fn kept_word(&self) -> bool {
        self.kept_word.load(Relaxed)
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

    pub(super) fn note_kept_word(&self) {
        note(&self.kept_word);
    }
}

/// Each flag is written only once: threads that write to the same memory all the time would wait for each other.
fn note(met: &AtomicBool) {
    if !met.load(Relaxed) {
        met.store(true, Relaxed);
    }
}
