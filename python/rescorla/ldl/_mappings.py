"""From n-grams to vectors, and from vectors to n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rescorla._events.read import read_events
from rescorla._learn.activations import activations
from rescorla._learn.equilibrium import equilibrium
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._shared.checks import numbered, rate
from rescorla._weights.weights import Weights, need_weights
from rescorla.ldl._lexicon import Lexicon, need_lexicon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rescorla._events.events import Events


def comprehension(lexicon: Lexicon, *, ridge: float = 0.0, eta: float | None = None) -> Weights:
    """The matrix F from n-grams to vectors: what reading or hearing a word evokes.

        F = (C'QC + ridge I)^+ C'Q S

    with C the words' n-grams, S their vectors, Q their frequencies.

    Parameters
    ----------
    lexicon : Lexicon
        With frequencies this is frequency-informed learning; without them each word counts once, and F is the
        endstate of learning.
    ridge : float, default 0.0
        As for `rescorla.equilibrium`. JudiLing divides by the largest frequency and adds 0.02: that is
        ``ridge=0.02 * lexicon.frequencies.max()`` here.
    eta : float, optional
        Learn the words one after another with this learning rate instead, by `rescorla.widrow_hoff`, in the
        order of the lexicon and each as often in a row as its frequency says.

    Returns
    -------
    Weights of float64, n_ngrams x n_dimensions

    Raises
    ------
    ValueError, MemoryError, ArithmeticError
        As `rescorla.equilibrium` and `rescorla.widrow_hoff`.

    Notes
    -----
    Where no word's n-grams are a combination of other words' and ridge is 0, every word is right in the
    endstate, and frequencies change nothing.

    References
    ----------
    Heitmeier, M., Chuang, Y.-Y., Axen, S. D. and Baayen, R. H. (2024). Frequency effects in linear
    discriminative learning. Frontiers in Human Neuroscience 17, 1242720.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0], [0.0, 1.0]])
    >>> rw.ldl.comprehension(lexicon).values.round(3).tolist()[:3]
    [[0.375, -0.125], [0.375, -0.125], [0.25, 0.25]]
    """
    need_lexicon(lexicon)
    return _learned(lexicon.events, ridge, eta, outcome_vectors=lexicon.vectors)


def production(lexicon: Lexicon, *, ridge: float = 0.0, eta: float | None = None) -> Weights:
    """The matrix G from vectors to n-grams: what a meaning gives to say.

        G = (S'QS + ridge I)^+ S'Q C

    Parameters
    ----------
    lexicon, ridge, eta : as `comprehension` has them

    Returns
    -------
    Weights of float64, n_dimensions x n_ngrams

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0], [0.0, 1.0]])
    >>> G = rw.ldl.production(lexicon)
    >>> round(G["z0", "#ca"], 3), round(G["z0", "#ra"], 3)
    (1.0, 0.0)
    """
    need_lexicon(lexicon)
    result = _learned(lexicon.events.swapped(), ridge, eta, cue_vectors=lexicon.vectors)
    if lexicon.counts:
        values, columns = result.values, numbered(result.outcomes)
        # What is learned is linear in the outcomes: an n-gram that a word has again is learned again.
        for again in _repeated(lexicon):
            part = _learned(again, ridge, eta, cue_vectors=lexicon.vectors)
            values[:, [columns[name] for name in part.outcomes]] += part.values
    return result


def predicted(lexicon: Lexicon, weights: Weights) -> NDArray[np.float64]:
    """What a mapping predicts of each word: vectors by F (S-hat), n-grams by G (C-hat).

        S-hat = C F,    C-hat = S G

    Parameters
    ----------
    lexicon : Lexicon
        n-grams that F does not have count for nothing; `careful_split` leaves none in held-out words.
    weights : Weights
        F of `comprehension`, or G of `production`.

    Returns
    -------
    ndarray of float64, n_words x n_dimensions or n_ngrams

    Raises
    ------
    ValueError
        When the weights have other dimensions than the vectors of the lexicon.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.5], [0.5, 2.0]])
    >>> rw.ldl.predicted(lexicon, rw.ldl.comprehension(lexicon)).round(3)
    array([[1. , 0.5],
           [0.5, 2. ]])
    """
    if is_production(lexicon, weights):
        form: NDArray[np.float64] = lexicon.vectors.values @ weights.values
        return form
    return activations(lexicon.events, weights, unknown="ignore")


def is_production(lexicon: Lexicon, weights: Weights, argument: str = "weights") -> bool:
    """Whether weights lead from the lexicon's vectors; ValueError where they do not lead to them, either."""
    need_lexicon(lexicon)
    need_weights(weights, argument)
    dimensions = lexicon.vectors.outcomes
    if weights.cues != dimensions and weights.outcomes != dimensions:
        raise ValueError(
            f"{argument} must have the {len(dimensions)} dimensions of the lexicon's vectors as outcomes (F) "
            f"or as cues (G); these have {len(weights.cues)} cues and {len(weights.outcomes)} outcomes"
        )
    return weights.outcomes != dimensions


def _learned(events: Events, ridge: float, eta: float | None, **vectors: Any) -> Weights:
    """The equilibrium, or what is learned with a rate."""
    if eta is None:
        return equilibrium(events, ridge=ridge, by=None, **vectors)
    if rate("ridge", ridge) != 0:
        raise ValueError("ridge belongs to the equilibrium: leave it out with eta")
    return widrow_hoff(events, eta=eta, **vectors)


def _repeated(lexicon: Lexicon) -> Iterator[Events]:
    """The words with the n-grams that they have for the second time, then for the third, and so on."""
    counted = [Counter(ngrams) for ngrams in lexicon.ngrams]
    for times in range(2, 1 + max((max(each.values(), default=0) for each in counted), default=0)):
        again = ([ngram for ngram, count in each.items() if count >= times] for each in counted)
        names = ([name] for name in lexicon.vectors.cues)
        yield read_events(zip(names, again, lexicon.frequencies.tolist(), strict=True))
