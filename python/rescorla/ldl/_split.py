"""Words to learn from, and words held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rescorla._shared.checks import Seed, generator, number, whole
from rescorla.ldl._lexicon import Lexicon, need_lexicon
from rescorla.ldl._vectors import features_of


def careful_split(
    lexicon: Lexicon,
    test: int | float,
    *,
    features: Iterable[Iterable[str]] | None = None,
    seed: Seed,
) -> tuple[Lexicon, Lexicon]:
    """Hold words out, each n-gram of which occurs in the words that stay.

    Parameters
    ----------
    lexicon : Lexicon
    test : int or float
        How many words to hold out, or which share of them: a float between 0 and 1.
    features : iterable of iterable of str, optional
        For each word what else must occur in the words that stay, such as its lexeme and its inflections.
    seed : int or numpy Generator
        Of the order in which words are tried.

    Returns
    -------
    train, test : Lexicon

    Raises
    ------
    ValueError
        When so many words cannot be held out.

    Notes
    -----
    Words are tried in a random order. One is held out if each of its n-grams and features still occurs in
    another word that stays.

    Examples
    --------
    >>> import rescorla as rw
    >>> words = ["cat", "cats", "rat", "rats", "hat", "hats"]
    >>> lexicon = rw.ldl.lexicon(words, [[float(i)] for i in range(6)])
    >>> train, test = rw.ldl.careful_split(lexicon, 1, seed=1)
    >>> len(train), len(test), set(test.events.cues) <= set(train.events.cues)
    (5, 1, True)
    """
    need_lexicon(lexicon)
    n = len(lexicon)
    if isinstance(test, float):
        share = number("test", test)
        if not 0 < share < 1:
            raise ValueError(f"test must be a number of words, or a share between 0 and 1, not {test}")
        wanted = max(round(share * n), 1)
    else:
        wanted = whole("test", test)
    needed: list[set[object]] = [{*ngrams} for ngrams in lexicon.ngrams]
    if features is not None:
        listed = features_of(features)
        if len(listed) != n:
            raise ValueError(f"features must be {n}, one for each word, not {len(listed)}")
        for own, each in zip(needed, listed, strict=True):
            own.update(("feature", feature) for feature in each)
    left = Counter(need for own in needed for need in own)
    held: list[int] = []
    for row in generator(seed).permutation(n).tolist():
        if len(held) == wanted:
            break
        if all(left[need] > 1 for need in needed[row]):
            held.append(row)
            left.subtract(needed[row])
    if len(held) < wanted:
        raise ValueError(
            f"test must be at most {len(held)} of these {n} words in this order: the others have n-grams or "
            "features of their own; try another seed, or hold out fewer"
        )
    return lexicon[sorted({*range(n)} - {*held})], lexicon[sorted(held)]
