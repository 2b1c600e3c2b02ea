"""Measures of words in a network of comprehension and production, as predictors of people's responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rescorla._shared.checks import numbered, one_of, places, whole
from rescorla._weights.directions import bounded, directions
from rescorla._weights.weights import Weights
from rescorla.ldl._accuracy import Similarity, nearness, ngram_columns, own_nearness, ranks
from rescorla.ldl._mappings import is_production, predicted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rescorla.ldl._lexicon import Lexicon

Convention = Literal["judiling", "dlm"]

_METHODS: dict[str, Similarity] = {"judiling": "correlation", "dlm": "cosine"}


def support(lexicon: Lexicon, G: Weights, *, convention: Convention = "judiling") -> NDArray[np.float64]:
    """Semantic support for the form: how much a word's meaning supports the n-grams of the word.

        sum over the word's n-grams g of  c-hat_g

    Parameters
    ----------
    lexicon : Lexicon
    G : Weights, n_dimensions x n_ngrams
        Of `production`.
    convention : {"judiling", "dlm"}, default "judiling"
        JudiLingMeasures counts an n-gram that a word has twice twice, discriminative_lexicon_model once.

    Returns
    -------
    ndarray of float64, n_words
        n-grams that G does not have add nothing.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0], [0.0, 1.0]])
    >>> rw.ldl.support(lexicon, rw.ldl.production(lexicon)).round(3)
    array([3., 3.])
    """
    _check(lexicon, G, convention, "G", True)
    columns = ngram_columns(lexicon, G.outcomes, convention == "judiling")
    return np.array([row[own].sum() for row, own in zip(predicted(lexicon, G), columns, strict=True)])


def functional_load(
    lexicon: Lexicon, F: Weights, *, convention: Convention = "judiling"
) -> list[NDArray[np.float64]]:
    """How well each n-gram of a word agrees with the word's meaning: Pearson's r of F's row and the vector.

    Parameters
    ----------
    lexicon : Lexicon
    F : Weights, n_ngrams x n_dimensions
        Of `comprehension`.
    convention : {"judiling", "dlm"}, default "judiling"
        JudiLingMeasures takes the word's predicted vector, discriminative_lexicon_model its own.

    Returns
    -------
    list of ndarray of float64
        For each word a number for each of its `Lexicon.ngrams`; NaN for those that F does not have.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.1]])
    >>> F = rw.ldl.comprehension(lexicon)
    >>> [load.round(3).tolist() for load in rw.ldl.functional_load(lexicon, F)]
    [[0.993, 0.993, 0.0], [0.995, 0.995, 0.419]]
    """
    _check(lexicon, F, convention, "F", False)
    vectors = predicted(lexicon, F) if convention == "judiling" else lexicon.vectors.values
    meanings = directions(vectors, "correlation")
    rows, known = directions(F.values.astype(np.float64, copy=False), "correlation"), numbered(F.cues)
    loads = []
    for meaning, ngrams in zip(meanings, lexicon.ngrams, strict=True):
        found = places(ngrams, known)
        loads.append(np.where(found >= 0, bounded(rows[found] @ meaning), np.nan))
    return loads


def uncertainty(
    lexicon: Lexicon, weights: Weights, *, convention: Convention = "judiling"
) -> NDArray[np.float64]:
    """How many words compete for what is predicted of a word.

        sum over words k of  k s_k,    s_0 <= s_1 <= ... the similarities of the prediction to all words,
                                       scaled to lie between 0 and 1

    Parameters
    ----------
    lexicon : Lexicon
    weights : Weights
        F, for the vectors of words, or G, for their n-grams.
    convention : {"judiling", "dlm"}, default "judiling"
        JudiLingMeasures compares by correlation, discriminative_lexicon_model by cosine.

    Returns
    -------
    ndarray of float64, n_words
        NaN where a word has no similarity, or all are equal.

    Examples
    --------
    >>> import rescorla as rw
    >>> vectors = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.1], [0.5, 0.4, 0.0]]
    >>> lexicon = rw.ldl.lexicon(["cat", "rat", "hat"], vectors)
    >>> rw.ldl.uncertainty(lexicon, rw.ldl.comprehension(lexicon)).round(3)
    array([2.575, 2.602, 2.063])
    """
    one_of("convention", convention, tuple(_METHODS))
    return _over_words(lexicon, weights, _METHODS[convention], lambda near: [_uncertainty(near)])[0]


def density(lexicon: Lexicon, F: Weights, n: int = 8) -> NDArray[np.float64]:
    """Semantic density: the mean correlation of the predicted vector with the n words nearest to it.

    Parameters
    ----------
    lexicon : Lexicon
    F : Weights, n_ngrams x n_dimensions
    n : int, default 8
        How many words, the right one among them; not more than there are.

    Returns
    -------
    ndarray of float64, n_words

    Raises
    ------
    ValueError
        When n is less than 1 or more than the words.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.1]])
    >>> rw.ldl.density(lexicon, rw.ldl.comprehension(lexicon), n=2).round(3)
    array([0.046, 0.046])
    """
    n = whole("n", n, 1)
    _check(lexicon, F, "judiling", "F", False)
    if n > len(lexicon):
        raise ValueError(f"n must be at most the {len(lexicon)} words of the lexicon, not {n}")
    return _over_words(lexicon, F, "correlation", lambda near: [_nearest(near, n)])[0]


def measures(
    lexicon: Lexicon, F: Weights, G: Weights, *, convention: Convention = "judiling"
) -> dict[str, Any]:
    """All measures with one number a word, as columns: for a regression, in R or elsewhere.

    Parameters
    ----------
    lexicon : Lexicon
    F, G : Weights
        Of `comprehension` and `production`.
    convention : {"judiling", "dlm"}, default "judiling"
        Of `support` and `uncertainty`; and the norms are those of the predicted vector, or of the word's own.

    Returns
    -------
    dict of str and ndarray, n_words each
        ``word`` and ``frequency``. By F ``rank``: 1 + how many words are nearer to the predicted vector than
        the right one; ``target_correlation``, ``nearest_correlation``, ``average_correlation`` (ALC): the
        correlation of the predicted vector with that of the word, the greatest with any, the mean;
        ``density`` (of 8 words, or of all if they are fewer), ``uncertainty``; ``norm_1`` and ``norm_2``, sum
        of |s_d| and root of the sum of s_d^2. By G ``form_rank``, ``form_correlation``, ``form_uncertainty``
        and ``support``. ``pandas.DataFrame`` takes it.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.1]])
    >>> F, G = rw.ldl.comprehension(lexicon), rw.ldl.production(lexicon)
    >>> table = rw.ldl.measures(lexicon, F, G)
    >>> table["word"], table["rank"], table["support"].round(3)
    (array(['cat', 'rat'], dtype='<U3'), array([1, 1]), array([3., 3.]))
    """
    _check(lexicon, F, convention, "F", False)
    _check(lexicon, G, convention, "G", True)
    meanings = predicted(lexicon, F) if convention == "judiling" else lexicon.vectors.values
    n = min(8, max(len(lexicon), 1))
    comprehended = _over_words(
        lexicon, F, "correlation", lambda near: [near.max(axis=1), near.mean(axis=1), _nearest(near, n)]
    )
    return {
        "word": np.array(lexicon.words),
        "frequency": lexicon.frequencies,
        "rank": ranks(lexicon, F),
        "target_correlation": own_nearness(lexicon, F, "correlation"),
        "nearest_correlation": comprehended[0],
        "average_correlation": comprehended[1],
        "density": comprehended[2],
        "uncertainty": uncertainty(lexicon, F, convention=convention),
        "norm_1": np.linalg.norm(meanings, ord=1, axis=1),
        "norm_2": np.linalg.norm(meanings, axis=1),
        "form_rank": ranks(lexicon, G),
        "form_correlation": own_nearness(lexicon, G, "correlation"),
        "form_uncertainty": uncertainty(lexicon, G, convention=convention),
        "support": support(lexicon, G, convention=convention),
    }


def _over_words(
    lexicon: Lexicon,
    weights: Weights,
    method: Similarity,
    summed: Callable[[NDArray[np.float64]], list[NDArray[np.float64]]],
) -> list[NDArray[np.float64]]:
    """Numbers for each word, of the similarities of what is predicted of it to all words."""
    parts = [summed(near) for _, near in nearness(lexicon, weights, None, method)]
    return [np.concatenate(each) for each in zip(*parts, strict=True)] or [np.zeros(0)] * 3


def _nearest(near: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    means: NDArray[np.float64] = np.sort(near, axis=1)[:, -n:].mean(axis=1)
    return means


def _uncertainty(near: NDArray[np.float64]) -> NDArray[np.float64]:
    least, most = near.min(axis=1, keepdims=True), near.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        scaled = (near - least) / (most - least)
    return np.sort(scaled, axis=1) @ np.arange(near.shape[1])


def _check(lexicon: Lexicon, weights: Weights, convention: str, argument: str, production: bool) -> None:
    one_of("convention", convention, tuple(_METHODS))
    if is_production(lexicon, weights, argument) is not production:
        whence, where = ("dimensions", "n-grams") if production else ("n-grams", "dimensions")
        raise ValueError(f"{argument} must lead from {whence} to {where}; F and G are the wrong way round")
