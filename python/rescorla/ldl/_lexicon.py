"""Words, their n-grams, and their vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.cues import ortho_coding
from rescorla._events.frames import entries_of
from rescorla._events.read import read_events
from rescorla._shared.checks import flag, near, numbered, only_names, places, several, shown, whole
from rescorla._weights.vectors import Vectors, named_rows
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def lexicon(
    words: Iterable[str],
    vectors: Vectors,
    *,
    frequencies: ArrayLike | None = None,
    n: int = 3,
    counts: bool = False,
) -> Lexicon:
    """Words with their n-grams of letters and their vectors: what linear discriminative learning starts from.

    Parameters
    ----------
    words : iterable of str
        The form of each word; homophones, which are spelled alike, have a row each.
    vectors : array_like of shape (n_words, n_dimensions), or by name
        The vector of each word: rows in the order of the words; or with names, as `rescorla.equilibrium`
        takes vectors: `read_vectors`, a mapping, a data frame, Weights. Those of homophones need rows.
    frequencies : array_like of int of shape (n_words,), optional
        How often each word is learned. By default once, which makes the endstate of learning.
    n : int, default 3
        How many letters an n-gram has, the boundary ``#`` before and after each word among them.
    counts : bool, default False
        Whether an n-gram that a word has twice counts twice, as in discriminative_lexicon_model; JudiLing
        counts it once.

    Returns
    -------
    Lexicon

    Raises
    ------
    ValueError
        When there are not as many vectors or frequencies as words.
    KeyError
        When vectors with names lack a word.

    Examples
    --------
    >>> import rescorla as rw
    >>> vectors = {"rat": [1.0, 0.0], "cat": [0.0, 2.0]}
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], vectors, n=2)
    >>> lexicon
    <Lexicon: 2 words, 6 n-grams of 2 letters, 2 dimensions>
    >>> lexicon.events[0]
    Event(cues=('#c', 'ca', 'at', 't#'), outcomes=('cat',), frequency=1)
    >>> lexicon.vectors["cat", :]
    array([0., 2.])
    """
    forms = only_names("words must be str", several("words", entries_of(words), "words"))
    names, table = named_rows("vectors", vectors, np.dtype(np.float64), "z")
    values = table.values
    if names is not None:
        rows = places(forms, numbered(names))
        if (rows < 0).any():
            missing = forms[int(rows.argmin())]
            raise KeyError(f"vectors have no row for the word {missing!r}; add one{near(missing, names)}")
        values = values[rows]
    if len(values) != len(forms):
        raise ValueError(f"vectors must be {len(forms)}, one for each word, not {len(values)}")
    given = None
    if frequencies is not None:
        listed = several("frequencies", frequencies, "numbers, one for each word")
        if len(listed) != len(forms):
            raise ValueError(f"frequencies must be {len(forms)}, one for each word, not {len(listed)}")
        given = np.array([whole("frequencies", entries_of(each)) for each in listed], dtype=np.int64)
    return Lexicon(forms, values, table.names, given, whole("n", n, 1), flag("counts", counts))


class Lexicon:
    """Words with their n-grams and their vectors; `lexicon` makes it.

    ``len(lexicon)`` is the number of words, ``lexicon[rows]`` a part: a slice, numbers of rows, or a mask.

    Attributes
    ----------
    words : tuple of str
        The form of each word.
    ngrams : tuple of tuple of str
        The n-grams of each word in their order, as often as it has them.
    events : Events
        An event for each word: its n-grams are cues, its name is the outcome. The second of two homophones
        has the name ``"word (2)"``.
    vectors : Weights of float64, n_words x n_dimensions
        The vector of each name.
    frequencies : ndarray of int64, n_words
    has_frequencies : bool
        Whether they were given.
    n : int
    counts : bool

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat", "rat"], [[1.0], [2.0], [3.0]])
    >>> lexicon[1:].events.outcomes
    ('rat', 'rat (2)')
    """

    def __init__(
        self,
        words: Sequence[str],
        values: NDArray[np.float64],
        dimensions: Sequence[str],
        frequencies: NDArray[np.int64] | None,
        n: int,
        counts: bool,
    ) -> None:
        self.words, self.n, self.counts = tuple(words), n, counts
        self.ngrams = tuple(ortho_coding(words, n))
        self.has_frequencies = frequencies is not None
        self.frequencies = np.ones(len(words), dtype=np.int64) if frequencies is None else frequencies
        names = _distinct(self.words)
        self.vectors = Weights(values, names, dimensions)
        rows = zip(self.ngrams, ((name,) for name in names), self.frequencies.tolist(), strict=True)
        self.events = read_events(rows, duplicates="keep" if counts else "drop")

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any]) -> Lexicon:
        chosen = np.arange(len(self))[rows]
        if chosen.ndim != 1:
            raise TypeError("a part of a lexicon has several rows: lexicon[3:4] for one")
        return Lexicon(
            [self.words[row] for row in chosen],
            np.asarray(self.vectors)[chosen],
            self.vectors.outcomes,
            self.frequencies[chosen] if self.has_frequencies else None,
            self.n,
            self.counts,
        )

    @cached_property
    def _attested(self) -> set[tuple[str, str]]:
        """The n-grams that follow each other in a word; the first one follows nothing."""
        return {pair for each in self.ngrams for pair in zip(("", *each), each, strict=False)}

    def __repr__(self) -> str:
        return (
            f"<Lexicon: {len(self):,} words, {self.events.n_cues:,} n-grams of {self.n} letters, "
            f"{self.vectors.shape[1]:,} dimensions>"
        )


def need_lexicon(value: object, argument: str = "lexicon") -> None:
    """TypeError unless a value is a lexicon."""
    if not isinstance(value, Lexicon):
        raise TypeError(f"{argument} must be a Lexicon, which rescorla.ldl.lexicon makes, not {shown(value)}")


def _distinct(words: Sequence[str]) -> list[str]:
    """A name for each word: its form, with a number from the second of equal forms on."""
    taken, seen, names = set(words), Counter[str](), []
    for word in words:
        seen[word] += 1
        name = word
        while seen[word] > 1 and (name := f"{word} ({seen[word]})") in taken:
            seen[word] += 1
        taken.add(name)
        names.append(name)
    return names
