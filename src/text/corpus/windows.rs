//! Windows: which words of a context make an event.

use super::options::Window;
use crate::error::{Error, Result};
use crate::memory::Grow;

/// The words of a context, one after another, and the events that they make.
///
/// Invariant: `words` are the words of the context so far, or the latest of them, [`Windows::held`] among them.
#[derive(Debug)]
pub(super) struct Windows {
    window: Window,
    words: Vec<u32>,
    /// With so many words a context that is one event is too long, and of others some are forgotten.
    most: usize,
}

/// The words that make an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WordEvent<'w> {
    pub(super) words: &'w [u32],
    /// Which of them gives the outcomes, where the others give the cues.
    pub(super) middle: Option<usize>,
}

/// The most words of a context that is one event: all of them are held until it ends.
const LONGEST: usize = 1 << 24;

/// After this many words of a long context, those that no later event can hold are forgotten.
const MANY: usize = 1 << 12;

impl Windows {
    pub(super) fn new(window: Window) -> Self {
        Self { window, words: Vec::new(), most: if window == Window::Context { LONGEST } else { MANY } }
    }

    /// Takes the next word of the context.
    ///
    /// # Errors
    /// When the context is one event, and longer than it may be.
    #[inline]
    pub(super) fn take(&mut self, word: u32) -> Result<()> {
        if self.words.len() >= self.most {
            self.forget()?;
        }
        self.words.grow(word)
    }

    /// The event that the latest word completes, if there is one.
    #[inline]
    pub(super) fn event(&self) -> Option<WordEvent<'_>> {
        let n = self.words.len();
        match self.window {
            Window::Words(most) => {
                Some(WordEvent { words: &self.words[n.saturating_sub(most.get())..], middle: None })
            }
            Window::Around { after, .. } => self.around(n.checked_sub(after.saturating_add(1))?),
            Window::Context => None,
        }
    }

    /// The events that the end of the context cuts short.
    pub(super) fn cut(&self) -> impl Iterator<Item = WordEvent<'_>> {
        let n = self.words.len();
        let first = match self.window {
            Window::Words(most) => (n.saturating_sub(most.get()) + 1).min(n),
            Window::Around { after, .. } => n.saturating_sub(after),
            Window::Context => n.saturating_sub(1),
        };
        (first..n).filter_map(move |at| match self.window {
            Window::Words(_) => Some(WordEvent { words: &self.words[at..], middle: None }),
            Window::Around { .. } => self.around(at),
            Window::Context => Some(WordEvent { words: &self.words, middle: None }),
        })
    }

    /// A word and its neighbours. A word without neighbours has no cues, and is no event.
    fn around(&self, at: usize) -> Option<WordEvent<'_>> {
        let Window::Around { before, after } = self.window else { return None };
        let start = at.saturating_sub(before);
        let end = at.saturating_add(after).saturating_add(1).min(self.words.len());
        (end - start > 1).then(|| WordEvent { words: &self.words[start..end], middle: Some(at - start) })
    }

    /// The words that later events of the context can hold, and one more, which shows that these events do not begin with the
    /// context.
    pub(super) fn held(&self) -> &[u32] {
        let reach = match self.window {
            Window::Words(n) => n.get() - 1,
            Window::Around { before, after } => before.saturating_add(after),
            Window::Context => usize::MAX,
        };
        &self.words[self.words.len().saturating_sub(reach.saturating_add(1))..]
    }

    /// Whether a word of the context has no neighbour that gives cues: its only one, or, if all neighbours stand on one side, the
    /// first or the last.
    pub(super) fn is_alone(&self) -> bool {
        let n = self.words.len();
        matches!(self.window, Window::Around { before, after } if n == 1 || (n > 1 && (before == 0 || after == 0)))
    }

    /// Forgets the context.
    pub(super) fn clear(&mut self) {
        self.words.clear();
    }

    /// Forgets the words that no later event can hold, if they are many.
    #[cold]
    fn forget(&mut self) -> Result<()> {
        if self.window == Window::Context {
            return Err(Error::defect(
                format!("contexts of at most {} words where the whole context is one event", self.most),
                "a longer one",
                "give shorter contexts (lines, sentences, paragraphs, or more marks of a document's end), or take a window of \
                 a number of words",
            ));
        }
        let forgotten = self.words.len() - self.held().len();
        if forgotten >= self.most / 2 {
            self.words.drain(..forgotten);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Windows {
        /// A context that is one event has at most so many words.
        pub(in super::super) fn within(most: usize) -> Self {
            Self { most, ..Self::new(Window::Context) }
        }
    }

    /// The events of contexts of the words 0, 1, 2, ...: the words, and the one in the middle.
    fn events(window: Window, contexts: &[usize]) -> Vec<(Vec<u32>, Option<u32>)> {
        let of = |event: WordEvent<'_>| (event.words.to_vec(), event.middle.map(|at| event.words[at]));
        let mut windows = Windows::new(window);
        let mut events = Vec::new();
        for &n in contexts {
            for word in 0..n as u32 {
                windows.take(word).unwrap();
                events.extend(windows.event().map(of));
            }
            events.extend(windows.cut().map(of));
            windows.clear();
        }
        events
    }

    #[test]
    fn consecutive_words_grow_and_shrink() {
        let three = Window::Words(3.try_into().unwrap());
        let found: Vec<Vec<u32>> = events(three, &[4, 0, 2]).into_iter().map(|(words, _)| words).collect();
        let expected: [&[u32]; 9] =
            [&[0], &[0, 1], &[0, 1, 2], &[1, 2, 3], &[2, 3], &[3], &[0], &[0, 1], &[1]];
        assert_eq!(found, expected);
    }

    #[test]
    fn neighbours_are_those_of_the_context() {
        let found = events(Window::Around { before: 2, after: 1 }, &[4, 1, 2]);
        let expected: [(&[u32], u32); 6] =
            [(&[0, 1], 0), (&[0, 1, 2], 1), (&[0, 1, 2, 3], 2), (&[1, 2, 3], 3), (&[0, 1], 0), (&[0, 1], 1)];
        assert_eq!(found, expected.map(|(words, middle)| (words.to_vec(), Some(middle))));
    }

    #[test]
    fn a_context_that_is_one_event_has_so_many_words_at_most() {
        assert_eq!(Windows::new(Window::Context).most, 1 << 24);
        let mut windows = Windows::within(5);
        for _ in 0..3 {
            windows.clear();
            (0..5).for_each(|word| windows.take(word).unwrap());
            assert_eq!(windows.cut().next().unwrap().words, [0, 1, 2, 3, 4]);
        }
        let error = windows.take(5).unwrap_err().to_string();
        assert!(error.contains("contexts of at most 5 words"), "{error}");
    }

    #[test]
    fn a_long_context_is_forgotten_but_for_what_events_hold() {
        let n = 3 * MANY;
        let found = events(Window::Around { before: 2, after: 2 }, &[n]);
        assert_eq!(found.len(), n);
        assert!(found.iter().enumerate().all(|(i, (words, middle))| {
            let i = i as u32;
            *middle == Some(i) && words.iter().copied().eq(i.saturating_sub(2)..(i + 3).min(n as u32))
        }));
        let mut windows = Windows::new(Window::Words(2.try_into().unwrap()));
        for word in 0..n as u32 {
            windows.take(word).unwrap();
            assert!(windows.words.len() <= MANY);
            assert_eq!(windows.held(), (word.saturating_sub(1)..=word).collect::<Vec<_>>());
            // Wherever words were forgotten last: the last word is an event if the context ends with it.
            assert_eq!(windows.cut().count(), usize::from(word > 0));
        }
        let all = Window::Around { before: usize::MAX, after: usize::MAX };
        assert_eq!(events(all, &[1, 2]), [(vec![0, 1], Some(0)), (vec![0, 1], Some(1))]);
        let all = Window::Words(usize::MAX.try_into().unwrap());
        assert_eq!(events(all, &[2]), [(vec![0], None), (vec![0, 1], None), (vec![1], None)]);
        assert_eq!(events(Window::Around { before: 0, after: 0 }, &[3]), []);
        assert_eq!(
            events(Window::Around { before: 0, after: 1 }, &[3, 1]),
            [(vec![0, 1], Some(0)), (vec![1, 2], Some(1))]
        );
        assert_eq!(events(Window::Around { before: 1, after: 0 }, &[1, 2]), [(vec![0, 1], Some(1))]);
        assert_eq!(events(Window::Context, &[2, 0, 1]), [(vec![0, 1], None), (vec![0], None)]);
    }
}
