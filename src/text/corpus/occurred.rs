//! What occurred in a text, so that callers can tell what options leave out, and warn of those that fit nothing in it.

/// Why a word is left out of a text, or cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// It is a stop word.
    StopWord,
    /// It is not in the vocabulary.
    Unknown,
    /// It has characters that do not make up words; `lettered`: one of those, or of what is dropped with it, is a letter.
    Symbols {
        /// Whether a letter is lost.
        lettered: bool,
    },
    /// It has no neighbour that could give cues.
    Alone,
}

/// What occurred in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    /// How many words were left out as stop words,
    pub n_stop_words: u64,
    /// as words that the vocabulary has not,
    pub n_unknown: u64,
    /// or cut or left out for their characters,
    pub n_cut: u64,
    /// among them those that lost letters,
    pub n_lettered: u64,
    /// or left out because they stood alone.
    pub n_alone: u64,
    /// The first words that lost letters.
    pub lettered: Vec<String>,
    /// How many words were looked at, each once or a few times,
    pub n_words: u64,
    /// and how many of them are long, in a script that has no blanks between words.
    pub n_unbroken: u64,
    /// One of those.
    pub unbroken: Option<String>,
    /// A cue that words gave in two ways.
    pub shared_cue: Option<String>,
}

impl Occurred {
    /// Notes whether a word is long, and of a script that has no blanks between words. Such words are seldom long.
    pub(super) fn see(&mut self, word: &str) {
        self.n_words += 1;
        // Words of Latin letters, which are most, are not looked at.
        if word.is_ascii() {
            return;
        }
        let long = word.chars().map(|c| match c {
            // Thai, Lao, Myanmar, Khmer.
            '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => 1,
            // Katakana, in which words from other languages are written, which are long.
            '\u{30a0}'..='\u{30ff}' => 1,
            // Hiragana, and Chinese characters.
            '\u{3040}'..='\u{309f}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => 2,
            _ => 0,
        });
        const LONG: usize = 8;
        if long.sum::<usize>() >= LONG {
            self.n_unbroken += 1;
            self.unbroken.get_or_insert_with(|| word.to_owned());
        }
    }

    /// Notes that a word of the text lost characters.
    pub(super) fn cut(&mut self, word: &str, lettered: bool) -> LeftOut {
        const ENOUGH: usize = 3;
        if lettered && self.lettered.len() < ENOUGH && !self.lettered.iter().any(|known| known == word) {
            self.lettered.push(word.to_owned());
        }
        LeftOut::Symbols { lettered }
    }

    /// Counts a word that is left out.
    pub(super) fn count(&mut self, reason: LeftOut) {
        match reason {
            LeftOut::StopWord => self.n_stop_words += 1,
            LeftOut::Unknown => self.n_unknown += 1,
            LeftOut::Symbols { lettered } => {
                self.n_cut += 1;
                self.n_lettered += u64::from(lettered);
            }
            LeftOut::Alone => self.n_alone += 1,
        }
    }
}
