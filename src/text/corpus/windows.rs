//! Windows: which words of a context make an event.

use super::Window;

/// The words of a context, one after another, and the events that they make.
///
/// Invariant: `words` are the words of the context so far but for the first `forgotten`; at least the last
/// [`Windows::reach`] of them.
#[derive(Debug)]
pub(super) struct Windows {
    window: Window,
    words: Vec<u32>,
    forgotten: usize,
}

/// The words of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame<'w> {
    /// All of them.
    pub(super) words: &'w [u32],
    /// How many words of the context come before them.
    pub(super) start: usize,
    /// The one in the middle, where it has another part than its neighbours.
    pub(super) middle: Option<usize>,
}

/// So many words of a long context are held before those that no event will see again are forgotten.
const HELD: usize = 1 << 12;

impl Windows {
    pub(super) fn new(window: Window) -> Self {
        Self { window, words: Vec::new(), forgotten: 0 }
    }

    /// How many words before it an event that ends with a word can hold.
    pub(super) fn reach(&self) -> usize {
        match self.window {
            Window::Words(n) => n.get() - 1,
            Window::Around { before, after } => before.saturating_add(after),
            Window::Context => usize::MAX,
        }
    }

    /// What later events of the context can hold, and one more word, which tells that they do not begin with the context.
    pub(super) fn held(&self) -> &[u32] {
        &self.words[self.words.len().saturating_sub(self.reach().saturating_add(1))..]
    }

    /// Forgets the context.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.forgotten = 0;
    }

    /// Takes a word that is known not to end an event.
    pub(super) fn hold(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Takes the next word of the context, and calls `event` with the event that ends with it.
    pub(super) fn word<E>(
        &mut self,
        word: u32,
        event: impl FnMut(Frame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.words.len() > self.reach().saturating_add(HELD) {
            let forgotten = self.words.len() - self.reach();
            self.words.drain(..forgotten);
            self.forgotten += forgotten;
        }
        self.words.push(word);
        let n = self.words.len();
        match self.window {
            Window::Words(most) => self.event(n.saturating_sub(most.get()), n, None, event),
            Window::Around { before, after } if n > after => {
                let middle = n - 1 - after;
                self.event(middle.saturating_sub(before), n, Some(middle), event)
            }
            Window::Around { .. } | Window::Context => Ok(()),
        }
    }

    /// Ends the context, and calls `event` with the events that its end cuts short.
    pub(super) fn end<E>(&mut self, mut event: impl FnMut(Frame<'_>) -> Result<(), E>) -> Result<(), E> {
        let n = self.words.len();
        match self.window {
            Window::Words(most) => {
                for start in n.saturating_sub(most.get()) + 1..n {
                    self.event(start, n, None, &mut event)?;
                }
            }
            Window::Around { before, after } => {
                for middle in n.saturating_sub(after)..n {
                    self.event(middle.saturating_sub(before), n, Some(middle), &mut event)?;
                }
            }
            Window::Context if n > 0 => self.event(0, n, None, &mut event)?,
            Window::Context => {}
        }
        self.clear();
        Ok(())
    }

    fn event<E>(
        &self,
        start: usize,
        end: usize,
        middle: Option<usize>,
        mut event: impl FnMut(Frame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Nothing would be a cue of a word without neighbours.
        if middle.is_some() && end - start == 1 {
            return Ok(());
        }
        event(Frame {
            words: &self.words[start..end],
            start: self.forgotten + start,
            middle: middle.map(|middle| middle - start),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// The events of contexts of the words 0, 1, 2, ...: the words, and the one in the middle.
    fn events(window: Window, contexts: &[usize]) -> Vec<(Vec<u32>, Option<u32>)> {
        let mut windows = Windows::new(window);
        let mut events = Vec::new();
        let mut take = |frame: Frame<'_>| {
            events.push((frame.words.to_vec(), frame.middle.map(|middle| frame.words[middle])));
            Ok::<(), Infallible>(())
        };
        for &n in contexts {
            for word in 0..n as u32 {
                let Ok(()) = windows.word(word, &mut take);
            }
            let Ok(()) = windows.end(&mut take);
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
    fn a_long_context_is_forgotten_but_for_what_events_hold() {
        let n = 3 * HELD;
        let found = events(Window::Around { before: 2, after: 2 }, &[n]);
        assert_eq!(found.len(), n);
        assert!(found.iter().enumerate().all(|(i, (words, middle))| {
            let i = i as u32;
            *middle == Some(i) && words.iter().copied().eq(i.saturating_sub(2)..(i + 3).min(n as u32))
        }));
        let mut windows = Windows::new(Window::Words(2.try_into().unwrap()));
        for word in 0..n as u32 {
            let Ok(()) = windows.word(word, |_| Ok::<(), Infallible>(()));
            assert!(windows.words.len() <= HELD + 3);
        }
        assert_eq!(windows.held(), [n as u32 - 2, n as u32 - 1]);
        assert_eq!(events(Window::Context, &[2, 0, 1]), [(vec![0, 1], None), (vec![0], None)]);
    }
}
