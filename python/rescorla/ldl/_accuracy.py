"""Whether the right word is nearest to what is predicted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from rescorla._learn.activations import activations
from rescorla._shared.checks import flag, numbered, one_of, places, whole
from rescorla._weights.directions import best_ranks, blocks, bounded, directions
from rescorla._weights.weights import Weights
from rescorla.ldl._lexicon import Lexicon, need_lexicon
from rescorla.ldl._mappings import is_production, predicted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Similarity = Literal["correlation", "cosine"]


def accuracy(
    lexicon: Lexicon,
    weights: Weights,
    *,
    k: int = 1,
    candidates: Lexicon | None = None,
    by: Literal["types", "tokens"] = "types",
    homophones: bool = True,
    method: Similarity = "correlation",
) -> float:
    """The share of words that are among the k nearest to what is predicted of them.

    Parameters
    ----------
    lexicon : Lexicon
        The words in question: those learned, or held out.
    weights : Weights
        F, whose predictions are compared with the vectors of words; or G, with their n-grams.
    k : int, default 1
    candidates : Lexicon, optional
        More words to choose from, as the training words are for words held out.
    by : {"types", "tokens"}, default "types"
        Whether each word counts once, or as often as its frequency says.
    homophones : bool, default True
        Whether a word of the same form counts as right.
    method : {"correlation", "cosine"}, default "correlation"
        What near means.

    Returns
    -------
    float
        NaN without words.

    Examples
    --------
    >>> import rescorla as rw
    >>> words = ["cat", "rat", "rats", "art"]
    >>> vectors = rw.ldl.simulated_vectors([[word] for word in words], 5, seed=1)
    >>> lexicon = rw.ldl.lexicon(words, vectors, frequencies=[9, 1, 1, 1])
    >>> F = rw.ldl.comprehension(lexicon[:3])
    >>> rw.ldl.accuracy(lexicon[3:], F, candidates=lexicon[:3])
    0.0
    """
    one_of("by", by, ("types", "tokens"))
    one_of("method", method, ("correlation", "cosine"))
    flag("homophones", homophones)
    k = whole("k", k, 1)
    right = ranks(lexicon, weights, candidates, homophones, method) <= k
    tokens = lexicon.frequencies if by == "tokens" else np.ones(len(lexicon))
    return float((tokens * right).sum() / tokens.sum()) if tokens.sum() else float("nan")


def ranks(
    lexicon: Lexicon,
    weights: Weights,
    candidates: Lexicon | None = None,
    homophones: bool = True,
    method: Similarity = "correlation",
) -> NDArray[np.int64]:
    """1 + the number of words nearer to what is predicted than the right one; last where nothing is."""
    is_production(lexicon, weights)
    if candidates is not None:
        need_lexicon(candidates, "candidates")
    forms = lexicon.words if candidates is None else (*lexicon.words, *candidates.words)
    of_form: dict[str, list[int]] = {}
    for row, form in enumerate(forms):
        of_form.setdefault(form, []).append(row)
    own = [of_form[form] if homophones else [row] for row, form in enumerate(lexicon.words)]
    starts = np.append(0, np.cumsum([len(rows) for rows in own])).astype(np.int64)
    rows = np.array([row for each in own for row in each], dtype=np.int64)
    result = np.zeros(len(lexicon), dtype=np.int64)
    for some, near in nearness(lexicon, weights, candidates, method):
        part = starts[some.start : some.stop + 1]
        result[some] = best_ranks(near, part - part[0], rows[part[0] : part[-1]])
    return result


def nearness(
    lexicon: Lexicon, weights: Weights, candidates: Lexicon | None, method: Similarity
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """How near what is predicted of some words is to all words: those of the lexicon, then the candidates."""
    lexicons = [lexicon] if candidates is None else [lexicon, candidates]
    left = directions(predicted(lexicon, weights), method)
    n = sum(map(len, lexicons))
    sides = {is_production(each, weights) for each in lexicons}
    if sides == {True}:
        lengths = np.concatenate([_form_lengths(each, weights.outcomes, method) for each in lexicons])
        for some in blocks(len(left), n):
            # The mean of a centred row is 0, so that the other side need not be centred.
            names = map(str, range(some.start, some.stop))
            sums = Weights(left[some].T, weights.outcomes, names)
            found = [activations(each.events, sums, unknown="ignore") for each in lexicons]
            with np.errstate(divide="ignore", invalid="ignore"):
                yield some, bounded(np.concatenate(found).T / lengths)
        return
    right = np.concatenate([directions(each.vectors.values, method) for each in lexicons])
    for some in blocks(len(left), n):
        yield some, bounded(left[some] @ right.T)


def own_nearness(lexicon: Lexicon, weights: Weights, method: Similarity) -> NDArray[np.float64]:
    """How near what is predicted of each word is to the word itself."""
    left = directions(predicted(lexicon, weights), method)
    if not is_production(lexicon, weights):
        return bounded((left * directions(lexicon.vectors.values, method)).sum(axis=1))
    columns = ngram_columns(lexicon, weights.outcomes, lexicon.counts)
    sums = np.array([row[own].sum() for row, own in zip(left, columns, strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return bounded(sums / _form_lengths(lexicon, weights.outcomes, method))


def ngram_columns(lexicon: Lexicon, ngrams: tuple[str, ...], repeats: bool) -> list[NDArray[np.int64]]:
    """The columns of each word's n-grams, those that there are: as often as the word has them, or once."""
    known = numbered(ngrams)
    found = (places(own if repeats else list(dict.fromkeys(own)), known) for own in lexicon.ngrams)
    return [columns[columns >= 0] for columns in found]


def _form_lengths(lexicon: Lexicon, ngrams: tuple[str, ...], method: Similarity) -> NDArray[np.float64]:
    """The length of each word's row of n-grams, less its mean for a correlation."""
    lengths = np.zeros(len(lexicon))
    for row, columns in enumerate(ngram_columns(lexicon, ngrams, lexicon.counts)):
        counts = np.unique(columns, return_counts=True)[1]
        total = counts.sum() if method == "correlation" else 0
        lengths[row] = (counts * counts).sum() - total * total / max(len(ngrams), 1)
    return np.sqrt(np.maximum(lengths, 0.0))
