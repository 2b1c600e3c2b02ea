"""A small lexicon of English nouns and their plurals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rescorla._events.cues import ortho_coding
from rescorla._events.events import Events
from rescorla._events.read import read_events

# Singular, plural, and how often each occurs. The frequencies are made up.
_NOUNS = """
dog dogs 40 24      cat cats 32 20      hand hands 48 56    arm arms 20 24      book books 44 32
tree trees 28 36    house houses 60 28  horse horses 24 20  box boxes 20 12     bus buses 16 4
glass glasses 24 16 lens lenses 6 3     dish dishes 10 14   church churches 24 6 baby babies 28 12
city cities 40 16   story stories 32 18 day days 80 64      boy boys 36 28      key keys 18 14
knife knives 12 4   leaf leaves 8 20    wolf wolves 8 6     man men 88 60       woman women 64 52
foot feet 24 40     tooth teeth 6 22    mouse mice 10 8     child children 56 72 ox oxen 4 3
sheep sheep 6 12    fish fish 20 16
"""


def plurals(grams: int | Iterable[int] = 2) -> Events:
    """Give English nouns: their letters are cues; the word, and whether it is a plural, are outcomes.

    Each event is a form: its cues are the n-grams of its letters, its outcomes the noun ("dog") and, of a
    plural, "plural". There are plurals by -s and -es, by other letters (babies, knives), by other vowels
    (men, mice) and by none (sheep); and nouns that end in s anyway (bus, lens, glass).

    Parameters
    ----------
    grams : int or iterable of int, default 2
        The number n of letters in a cue, or several, as for `rescorla.ortho_coding`. ``#`` marks the
        beginning and the end of a word, if n > 1.

    Returns
    -------
    Events
        Two for each of 32 nouns, the singular first; the frequencies are how often each form occurs.

    Raises
    ------
    ValueError, TypeError
        When `grams` is no whole number of 1 or more.

    Notes
    -----
    The list was made for rescorla, under its licence. So were the frequencies: they come from no corpus, and
    are no facts on English.

    A cue that a form has twice counts once. So single letters do not tell houses from house.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.datasets.plurals()
    >>> for event in events.head(2):
    ...     print(event)
    Event(cues=('#d', 'do', 'og', 'g#'), outcomes=('dog',), frequency=40)
    Event(cues=('#d', 'do', 'og', 'gs', 's#'), outcomes=('dog', 'plural'), frequency=24)
    >>> weights = rw.learn(events.passes(10, seed=1), alpha=0.1, beta=0.1)
    >>> weights.top(outcome="plural", n=1)[0][0]
    's#'
    """
    words, outcomes, frequencies = zip(*_forms(), strict=True)
    return read_events(zip(ortho_coding(words, grams), outcomes, frequencies, strict=True), progress=False)


def _forms() -> Iterator[tuple[str, list[str], int]]:
    """Each form, its outcomes, and its frequency."""
    cells = _NOUNS.split()
    for singular, plural, ones, many in zip(*(cells[start::4] for start in range(4)), strict=True):
        yield singular, [singular], int(ones)
        yield plural, [singular, "plural"], int(many)
