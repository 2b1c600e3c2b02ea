"""Cues of words and of other cues: n-grams of letters, and cues that come together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from rescorla._events.frames import entries_of
from rescorla._shared.checks import flag, several, shown, string, whole


def ortho_coding(
    words: Iterable[str],
    grams: int | Iterable[int] = 2,
    *,
    boundary: str = "#",
    separator: str | None = None,
) -> list[tuple[str, ...]]:
    """Make cues of words: the n-grams of their letters, in the words' order.

    The n-grams of the word x_1 ... x_k are all runs of n neighbours in

        # x_1 x_2 ... x_k #    (without the boundaries # for n = 1)

    This codes the words of a lexicon: a table with a word in each row, and its frequency. For running text
    there is `corpus_events`, whose n-grams of single words are the same; but here capitals stay.

    Parameters
    ----------
    words : iterable of str
        The words, or a column of them: pandas, polars, arrow.
    grams : int or iterable of int, default 2
        The number n of letters in a cue, or several: first all cues of the first size, then those of the
        next, in the order given here.
    boundary : str, default "#"
        The mark of the beginning and the end of a word, which counts as a letter (as several if it has
        several characters, but as one with a separator). ``""`` for none. For n = 1 it is not added.
    separator : str, optional
        What stands between the letters of each word, if a letter is more than a character: ``"."`` for
        ``"sh.i.p"``. None: each Unicode code point is a letter.

    Returns
    -------
    list of tuple of str
        The cues of each word. A cue that a word has twice is there twice. A word has no cues of more letters
        than it has itself, boundaries included.

    Raises
    ------
    ValueError
        When a size is less than 1, there is none, the separator is empty, or a word has nothing between two
        separators.
    TypeError
        When a word is no str (so when one is missing), or an argument is of a wrong type.

    See Also
    --------
    corpus_events : events of running text.
    cue_coding : cues that come together, of any kind.

    Notes
    -----
    This is ``orthoCoding`` of the R package ndl 0.2.18, with these differences. Cues come in tuples, not
    joined by ``_``. A word that is too short for a size has no cues of that size; R gives it some with "NA"
    in them, or stops. The separator is taken as it stands; R takes it for a regular expression where n = 1.
    ndl 0.1 had ``maxn=n``, for all sizes up to n: that is ``grams=range(1, n + 1)``.

    References
    ----------
    Baayen, R. H., Milin, P., Djurdjevic, D. F., Hendrix, P. and Marelli, M. (2011). An amorphous model for
    morphological processing in visual comprehension based on naive discriminative learning. Psychological
    Review 118, 438-481.

    Arppe, A., Hendrix, P., Milin, P., Baayen, R. H., Sering, T. and Shaoul, C. (2018). ndl: Naive
    Discriminative Learning. R package version 0.2.18. ``orthoCoding``.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.ortho_coding(["hand", "as"])
    [('#h', 'ha', 'an', 'nd', 'd#'), ('#a', 'as', 's#')]
    >>> rw.ortho_coding(["hand"], grams=(1, 3))
    [('h', 'a', 'n', 'd', '#ha', 'han', 'and', 'nd#')]
    >>> rw.ortho_coding(["sh.i.p"], separator=".")
    [('#sh', 'shi', 'ip', 'p#')]

    With outcomes and frequencies beside them they are events:

    >>> cues = rw.ortho_coding(["hand", "hands"], grams=1)
    >>> rw.read_events(zip(cues, ["hand", "hand_plural"], [10, 20]))[1]
    Event(cues=('h', 'a', 'n', 'd', 's'), outcomes=('hand', 'plural'), frequency=20)
    """
    sizes = _sizes(grams)
    boundary = string("boundary", boundary)
    if separator is None:
        marks = list(boundary)
    else:
        separator = string("separator", separator)
        if not separator:
            raise ValueError("separator must not be empty; leave it out where each character is a letter")
        marks = [boundary] if boundary else []
    coded = []
    for position, word in enumerate(several("words", entries_of(words), "words")):
        if not isinstance(word, str):
            raise TypeError(
                f"word {position}: expected a str, found {shown(word)}; leave out rows without a word"
            )
        letters = list(word) if separator is None else _split(word, separator, "word", position)
        framed = [*marks, *letters, *marks]
        coded.append(tuple(gram for n in sizes for gram in _runs(letters if n == 1 else framed, n)))
    return coded


def cue_coding(
    cues: Iterable[str | Iterable[str]], maxn: int = 2, *, adjacent: bool = False
) -> list[tuple[str, ...]]:
    """Join cues that come together: each cue, then each pair, then each three, up to `maxn`.

    A configuration of cues that is a cue itself can have a weight of its own, which is not the sum of the
    weights of its parts. The cues of an event with the cues c_1, ..., c_k are the names

        c_i1 c_i2 ... c_in    for all i1 < i2 < ... < in,    n = 1, ..., maxn

    Parameters
    ----------
    cues : iterable of str or iterable of str
        The cues of each event, as `read_events` takes them: a str is split at ``_``, another iterable gives
        the names verbatim, and a set is taken in sorted order.
    maxn : int, default 2
        How many cues to join at most.
    adjacent : bool, default False
        Whether to join only cues that follow one another: i2 = i1 + 1 and so on.

    Returns
    -------
    list of tuple of str
        The cues of each event.

    Raises
    ------
    ValueError
        When `maxn` is less than 1, or a str has an empty name.
    TypeError
        When an event is not made of str, or an argument of a wrong type.

    See Also
    --------
    ortho_coding : cues of the letters of words.
    factor_events : tables of factors; a tuple of columns gives an interaction of these alone.

    Notes
    -----
    This is ``cueCoding`` of the R package ndl 0.2.18, with these differences. It takes many events; R takes
    one. Cues come in tuples, not joined by ``_``. `maxn` is 2 by default, not 1, which would change nothing.
    With ``adjacent=True`` runs of up to `maxn` cues are joined; R joins pairs, whatever `maxn` is.

    Names are joined with nothing between them, as in R. Where one may be the beginning of another, give them
    an end, such as ``"Person=First;"``: "ab" + "c" and "a" + "bc" are the same cue.

    Of k cues there are k + k (k - 1) / 2 with ``maxn=2``, and 2^k - 1 with ``maxn=k``.

    References
    ----------
    Arppe, A., Hendrix, P., Milin, P., Baayen, R. H., Sering, T. and Shaoul, C. (2018). ndl: Naive
    Discriminative Learning. R package version 0.2.18. ``cueCoding``.

    Examples
    --------
    >>> import rescorla as rw
    >>> rw.cue_coding(["First_Plural_hs95"])
    [('First', 'Plural', 'hs95', 'FirstPlural', 'Firsths95', 'Pluralhs95')]
    >>> rw.cue_coding([["First", "Plural", "hs95"]], maxn=3, adjacent=True)
    [('First', 'Plural', 'hs95', 'FirstPlural', 'Pluralhs95', 'FirstPluralhs95')]

    Single cues cannot tell "one of two, but not both"; pairs can:

    >>> either = [("a", "yes"), ("b", "yes"), ("a_b", "no")]
    >>> coded = [
    ...     (cues, outcome)
    ...     for cues, (_, outcome) in zip(
    ...         rw.cue_coding(c for c, _ in either), either
    ...     )
    ... ]
    >>> round(rw.equilibrium(rw.read_events(coded))["ab", "yes"], 4)
    -2.0
    """
    longest, adjacent = whole("maxn", maxn, 1), flag("adjacent", adjacent)
    coded = []
    for position, event in enumerate(several("cues", entries_of(cues), "events")):
        names = _names(event, position)
        sizes = range(1, min(longest, len(names)) + 1)
        coded.append(tuple(name for n in sizes for name in _joined(names, n, adjacent)))
    return coded


def _runs(letters: Sequence[str], n: int) -> Iterator[str]:
    """All runs of n neighbours, joined."""
    return ("".join(letters[i : i + n]) for i in range(len(letters) - n + 1))


def _joined(names: list[str], n: int, adjacent: bool) -> Iterator[str]:
    """All sets of n cues, or those of neighbours, joined."""
    return _runs(names, n) if adjacent else map("".join, combinations(names, n))


def _sizes(grams: object) -> list[int]:
    """One size, or several."""
    if hasattr(grams, "__index__"):
        return [whole("grams", grams, 1)]
    sizes = [whole("grams", n, 1) for n in several("grams", grams, "numbers of letters, or one number")]
    if not sizes:
        raise ValueError("grams must be one size or more, not none")
    return sizes


def _names(event: object, position: int) -> list[str]:
    """The names of an event's cues, as `read_events` has them."""
    if isinstance(event, str):
        return _split(event, "_", "event", position)
    if not isinstance(event, Iterable):
        raise TypeError(f"event {position}: expected a str or an iterable of names, found {shown(event)}")
    names = list(event)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"event {position}: expected names of type str, found {shown(name)}")
    return sorted(names) if isinstance(event, set | frozenset) else names


def _split(joined: str, separator: str, place: str, position: int) -> list[str]:
    """What stands between separators."""
    pieces = joined.split(separator) if joined else []
    if "" in pieces:
        raise ValueError(
            f"{place} {position}: expected something on both sides of each {separator!r}, found {joined!r}; "
            f"put one {separator!r} between two, and none at the ends"
        )
    return pieces
