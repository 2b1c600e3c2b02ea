//! Windows: which words of a context make an event.

use std::ops::Range;

use super::options::Window;
use crate::error::{Error, Result};
use crate::grow::Grow;

/// The words of a context, one after another, and the events that they make.
///
/// Invariant: `words` are the words of the context so far, without the first `forgotten`, but with all of [`Windows::held`]. The
/// events that end with one of the first `made` of them are made, or are not wanted.
#[derive(Debug)]
pub(super) struct Windows {
    window: Window,
    words: Vec<u32>,
    forgotten: usize,
    made: usize,
    /// The most words that wait; if the whole context is one event, the most words that it can have.
    most: usize,
}

/// The most words of a context that is one event: all of them are held until it ends.
const CONTEXT: usize = 1 << 24;

const WORDS: &str = "the words of a context";

/// After this many words of a long context, those that no later event can hold are forgotten.
const HELD: usize = 1 << 12;

impl Windows {
    pub(super) fn new(window: Window) -> Self {
        Self::within(CONTEXT, window)
    }

    /// Begins; a context that is one event has at most `context` words.
    pub(super) fn within(context: usize, window: Window) -> Self {
        let mut windows = Self { window, words: Vec::new(), forgotten: 0, made: 0, most: context };
        if window != Window::Context {
            windows.most = HELD / windows.reach().saturating_add(1);
        }
        windows
    }

    /// Checks the length of the context.
    ///
    /// # Errors
    /// When it is longer than it may be.
    pub(super) fn check(&self) -> Result<()> {
        if self.window != Window::Context || self.words.len() <= self.most {
            return Ok(());
        }
        Err(Error::defect(
            format!("contexts of at most {} words where the whole context is one event", self.most),
            "a longer one",
            "give shorter contexts (lines, sentences, paragraphs, or more marks of a document's end), or take a window of a \
             number of words",
        ))
    }

    /// How many words an event can hold before its last one.
    pub(super) fn reach(&self) -> usize {
        match self.window {
            Window::Words(n) => n.get() - 1,
            Window::Around { before, after } => before.saturating_add(after),
            Window::Context => usize::MAX,
        }
    }

    /// The words that later events of the context can hold, and one more, which shows that these events do not begin with the
    /// context.
    pub(super) fn held(&self) -> &[u32] {
        &self.words[self.words.len().saturating_sub(self.reach().saturating_add(1))..]
    }

    /// Forgets the context.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.forgotten = 0;
        self.made = 0;
    }

    /// Takes the next word of the context. Events that end with it wait to be made.
    #[inline]
    pub(super) fn take(&mut self, word: u32) -> Result<()> {
        self.words.grow(word, WORDS)
    }

    /// The list to which up to `most` next words of the context can be pushed.
    #[inline]
    pub(super) fn more(&mut self, most: usize) -> Result<&mut Vec<u32>> {
        self.words.make_room(most, WORDS)?;
        Ok(&mut self.words)
    }

    /// Takes the next word of the context. No wanted event ends with it.
    pub(super) fn hold(&mut self, word: u32) -> Result<()> {
        self.take(word)?;
        self.all_made();
        Ok(())
    }

    /// Whether so many words wait that their events should be made.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.words.len() - self.made > self.most
    }

    /// How many more words can wait before that.
    pub(super) fn room(&self) -> usize {
        self.most.saturating_add(1).saturating_sub(self.words.len() - self.made)
    }

    /// The events that wait to be made; if the context `ended`, those that its end cuts short among them.
    pub(super) fn events(&self, ended: bool) -> Events<'_> {
        let n = self.words.len();
        let last = |cut| if ended { cut } else { n..n };
        let (whole, cut) = match self.window {
            Window::Words(most) => (self.made..n, last((n.saturating_sub(most.get()) + 1).min(n)..n)),
            Window::Around { before, after } => {
                // A word without neighbours has no cues: the first word if events have none before it, the last if they have none
                // after it.
                let lonely = |neighbours| usize::from(neighbours == 0);
                let start =
                    if self.forgotten == 0 { lonely(after) } else { 0 }.max(self.made.saturating_sub(after));
                let end = if ended { n.saturating_sub(lonely(before)) } else { n.saturating_sub(after) };
                let alone = self.reach() == 0 || self.forgotten + n == 1;
                (if alone { n..n } else { start..end.max(start) }, n..n)
            }
            Window::Context => (n..n, last(n.saturating_sub(1)..n)),
        };
        // No event holds a word before the first word of the first event.
        let first = match self.window {
            Window::Words(most) if !whole.is_empty() => (whole.start + 1).saturating_sub(most.get()),
            Window::Around { before, .. } => whole.start.saturating_sub(before),
            Window::Words(_) => cut.start,
            Window::Context => 0,
        }
        .min(n);
        let [whole, cut] = [whole, cut].map(|at| at.start - first..at.end - first);
        Events { window: self.window, words: &self.words[first..], whole, cut }
    }

    /// No events wait: they were made, or are not wanted.
    pub(super) fn all_made(&mut self) {
        if self.window == Window::Context {
            return;
        }
        if self.words.len() > self.reach().saturating_add(HELD) {
            let forgotten = self.words.len() - self.held().len();
            self.words.drain(..forgotten);
            self.forgotten += forgotten;
        }
        self.made = self.words.len();
    }
}

/// Events that follow each other in a context.
#[derive(Debug, Clone)]
pub(super) struct Events<'w> {
    window: Window,
    /// Words of the context, from the first of the first event on.
    pub(super) words: &'w [u32],
    /// The words that are the last ones of events, or the middle ones.
    whole: Range<usize>,
    /// The first words of events that the end of the context cuts short.
    cut: Range<usize>,
}

impl<'w> Events<'w> {
    /// The event of one word.
    pub(super) fn of_one(word: &'w [u32; 1]) -> Self {
        Self { window: Window::ONE, words: word, whole: 0..1, cut: 1..1 }
    }

    /// Whether the middle word has another role than its neighbours.
    pub(super) fn have_middles(&self) -> bool {
        matches!(self.window, Window::Around { .. })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.whole.len() + self.cut.len()
    }

    /// Where in [`Events::words`] the words of an event are. Both ends rise from event to event, and so does the middle.
    #[inline(always)]
    fn place(&self, event: usize) -> EventSpan {
        let n = self.words.len();
        let word = self.whole.start + event;
        match self.window {
            _ if event >= self.whole.len() => {
                let word = self.cut.start + event - self.whole.len();
                let start = if self.window == Window::Context { 0 } else { word };
                EventSpan { start, middle: start, end: n }
            }
            // No sum overflows.
            Window::Around { before, after } => EventSpan {
                start: word.saturating_sub(before),
                middle: word,
                end: (word + after.min(n) + 1).min(n),
            },
            Window::Words(most) => {
                let start = (word + 1).saturating_sub(most.get());
                EventSpan { start, middle: start, end: word + 1 }
            }
            Window::Context => EventSpan { start: 0, middle: 0, end: n },
        }
    }

    /// The places of the chosen words of an event: one after another, or on both sides of the middle.
    #[inline(always)]
    pub(super) fn words_of(&self, event: usize, part: Chosen) -> [Range<usize>; 2] {
        let EventSpan { start, middle, end } = self.place(event);
        match part {
            Chosen::All => [start..end, 0..0],
            Chosen::Middle => [middle..middle + 1, 0..0],
            Chosen::Neighbours => [start..middle, middle + 1..end],
        }
    }

    /// The words that are chosen in any event: all between the first and the last of them. And whether two neighbours can be chosen
    /// in one event.
    pub(super) fn used(&self, part: Chosen) -> (Range<usize>, bool) {
        let n = self.len();
        let (first, last) = (self.place(0), self.place(n - 1));
        match part {
            Chosen::All => (first.start..last.end, true),
            Chosen::Middle => (first.middle..last.middle + 1, false),
            Chosen::Neighbours => {
                // The middle word of an event is a neighbour in the next event, if events have words before the middle, and in the
                // event before, if they have words after it.
                let lonely_first =
                    first.start == first.middle && (n == 1 || self.place(1).start > first.middle);
                let lonely_last = last.end == last.middle + 1 && (n == 1 || self.place(n - 2).end < last.end);
                let words = first.start + usize::from(lonely_first)..last.end - usize::from(lonely_last);
                let pairs = matches!(self.window, Window::Around { before, after } if before.max(after) > 1);
                (words, pairs)
            }
        }
    }
}

/// Which words of an event give names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    All,
    Middle,
    Neighbours,
}

/// Where the words of an event are.
#[derive(Debug, Clone, Copy)]
struct EventSpan {
    start: usize,
    /// The word that has another role than its neighbours, if there is one.
    middle: usize,
    end: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of contexts of the words 0, 1, 2, ...: the words, and the one in the middle; made when so many words wait.
    fn events_of(window: Window, contexts: &[usize], together: usize) -> Vec<(Vec<u32>, Option<u32>)> {
        let mut windows = Windows::new(window);
        let mut events = Vec::new();
        let mut make = |windows: &Windows, ended| {
            let waiting = windows.events(ended);
            for part in [Chosen::All, Chosen::Middle, Chosen::Neighbours] {
                let mut words = (0..waiting.len()).flat_map(|event| waiting.words_of(event, part)).flatten();
                assert!(words.all(|word| waiting.used(part).0.contains(&word)));
            }
            events.extend((0..waiting.len()).map(|event| {
                let EventSpan { start, middle, end } = waiting.place(event);
                let middle = waiting.have_middles().then(|| waiting.words[middle]);
                (waiting.words[start..end].to_vec(), middle)
            }));
        };
        for &n in contexts {
            for word in 0..n as u32 {
                windows.take(word).unwrap();
                if (word as usize + 1).is_multiple_of(together) || windows.is_due() {
                    make(&windows, false);
                    windows.all_made();
                }
            }
            make(&windows, true);
            windows.clear();
        }
        events
    }

    /// The same however many words wait.
    fn events(window: Window, contexts: &[usize]) -> Vec<(Vec<u32>, Option<u32>)> {
        let found = events_of(window, contexts, 1);
        for together in [2, 3, usize::MAX] {
            assert_eq!(events_of(window, contexts, together), found);
        }
        found
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
        let mut windows = Windows::within(5, Window::Context);
        for context in 0..3 {
            for word in 0..5 {
                assert_eq!(windows.room(), 6 - word as usize, "{context}");
                // Whether they are taken or held.
                if word % 2 == 0 {
                    windows.take(word).unwrap();
                } else {
                    windows.hold(word).unwrap();
                }
                windows.all_made();
                assert!(!windows.is_due() && windows.check().is_ok());
            }
            assert_eq!(windows.events(true).words, [0, 1, 2, 3, 4]);
            if context < 2 {
                windows.clear();
            }
        }
        windows.take(5).unwrap();
        assert!(windows.is_due());
        let error = windows.check().unwrap_err().to_string();
        assert!(error.contains("contexts of at most 5 words"), "{error}");
        // Other windows do not hold the context.
        let mut windows = Windows::within(5, Window::Words(2.try_into().unwrap()));
        (0..9).for_each(|word| windows.take(word).unwrap());
        assert!(windows.check().is_ok());
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
            windows.hold(word).unwrap();
            assert!(windows.words.len() <= HELD + 3);
            // Wherever a block ends: the last word is an event if the context ends with it.
            assert_eq!(windows.held(), (word.saturating_sub(1)..=word).collect::<Vec<_>>());
            assert_eq!(windows.events(true).len(), usize::from(word > 0));
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
