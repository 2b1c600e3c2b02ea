//! What occurred in a text, so that callers can warn about options that fit nothing in it.

/// What occurred in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occurred {
    /// Whether there was anything but white space and marks.
    pub text: bool,
    /// Whether there was a word, of the characters that are allowed.
    pub word: bool,
    /// Whether there was a stop word.
    pub stop_word: bool,
    /// Whether there was a word of the vocabulary; any word, where there is none.
    pub known_word: bool,
    /// Whether a word was kept: one of the vocabulary that is no stop word.
    pub kept_word: bool,
}
