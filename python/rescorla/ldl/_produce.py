"""The form that a meaning gives to say, n-gram after n-gram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from rescorla._shared.checks import near, numbered, one_of, places, rate, real_array, whole
from rescorla._weights.weights import Weights
from rescorla.ldl._mappings import is_production

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from rescorla.ldl._lexicon import Lexicon

BOUNDARY = "#"


class Produced(NamedTuple):
    """A form that was produced; `produce` makes it.

    Attributes
    ----------
    ngrams : tuple of str
        In the order in which they were chosen.
    form : str
        What they spell, without boundaries.
    """

    ngrams: tuple[str, ...]
    form: str


def produce(
    lexicon: Lexicon,
    word: str | ArrayLike,
    F: Weights,
    G: Weights,
    *,
    stop: Literal["convergence", "boundary"] = "convergence",
    follows: Literal["overlap", "attested"] = "overlap",
    max_length: int = 50,
    tol: float = 0.0,
) -> Produced:
    """Say a meaning: choose one n-gram after another, each for what the ones before it have not expressed.

        c = 0;    repeat  g = the n-gram of greatest ((s - F'c)'G)_g among those that may follow;    c_g += 1

    Parameters
    ----------
    lexicon : Lexicon
        Its n-grams have two letters or more.
    word : str or array_like of shape (n_dimensions,)
        A name of the lexicon, whose vector is s, or the vector itself.
    F, G : Weights
        Of `comprehension` and `production`.
    stop : {"convergence", "boundary"}, default "convergence"
        Stop where no n-gram is above `tol`; with "boundary" also after an n-gram that ends a word.
    follows : {"overlap", "attested"}, default "overlap"
        Which n-grams may follow one: those of G that begin with its last n - 1 letters, or of these only
        those that follow it in a word of the lexicon. The first one begins a word.
    max_length : int, default 50
        The most n-grams.
    tol : float, default 0.0

    Returns
    -------
    Produced
        Of equal n-grams the first of G's outcomes is chosen.

    Raises
    ------
    KeyError
        When the lexicon has no such word, or F lacks an n-gram of G.
    ValueError
        When n-grams have one letter, or the vector has the wrong length.

    Notes
    -----
    This is the algorithm of discriminative_lexicon_model 2.7, in float64.

    Examples
    --------
    >>> import rescorla as rw
    >>> lexicon = rw.ldl.lexicon(["cat", "rat"], [[1.0, 0.0], [0.0, 1.0]])
    >>> F, G = rw.ldl.comprehension(lexicon), rw.ldl.production(lexicon)
    >>> rw.ldl.produce(lexicon, "cat", F, G)
    Produced(ngrams=('#ca', 'cat', 'at#'), form='cat')
    """
    one_of("stop", stop, ("convergence", "boundary"))
    one_of("follows", follows, ("overlap", "attested"))
    max_length, tol = whole("max_length", max_length), rate("tol", tol)
    if is_production(lexicon, F, "F") or not is_production(lexicon, G, "G"):
        raise ValueError("F must lead from n-grams to dimensions, and G from dimensions to n-grams")
    if lexicon.n < 2:
        raise ValueError(
            "lexicon must have n-grams of two letters or more, since one letter follows any other"
        )
    left, ngrams = _meaning(lexicon, word), G.outcomes
    rows = places(ngrams, numbered(F.cues))
    if (rows < 0).any():
        raise KeyError(
            f"F has no n-gram {ngrams[int(rows.argmin())]!r}, which G has; learn both from one lexicon"
        )
    next_of, forms = _followers(lexicon, ngrams, follows), F.values
    chosen: list[str] = []
    values = G.values
    while len(chosen) < max_length:
        columns = next_of.get(chosen[-1] if chosen else "", [])
        support = left @ values[:, columns]
        best = int(support.argmax()) if len(columns) else 0
        if not len(columns) or not support[best] > tol:
            break
        chosen.append(ngrams[columns[best]])
        left -= forms[rows[columns[best]]]
        if stop == "boundary" and chosen[-1].endswith(BOUNDARY):
            break
    spelled = "".join([ngram[0] for ngram in chosen[:-1]] + chosen[-1:])
    return Produced(tuple(chosen), spelled.removeprefix(BOUNDARY).removesuffix(BOUNDARY))


def _meaning(lexicon: Lexicon, word: str | ArrayLike) -> NDArray[np.float64]:
    if isinstance(word, str):
        if word not in lexicon.vectors._row_numbers:
            names = lexicon.vectors.cues
            raise KeyError(f"word {word!r} is none of the {len(names)} of the lexicon{near(word, names)}")
        return lexicon.vectors[word, :].copy()
    vector = real_array("word", word)
    if vector.shape != lexicon.vectors.shape[1:]:
        raise ValueError(
            f"word must be a vector of {lexicon.vectors.shape[1]} numbers, not of the shape {vector.shape}"
        )
    return vector


def _followers(lexicon: Lexicon, ngrams: tuple[str, ...], follows: str) -> dict[str, list[int]]:
    """The columns of the n-grams that may follow each one; after the empty one, those that begin a word."""
    begins: dict[str, list[int]] = {}
    for column, ngram in enumerate(ngrams):
        begins.setdefault(ngram[:-1], []).append(column)
    followers = {ngram: begins.get(ngram[1:], []) for ngram in ngrams}
    followers[""] = [column for column, ngram in enumerate(ngrams) if ngram.startswith(BOUNDARY)]
    if follows == "attested":
        pairs = lexicon._attested
        followers = {
            ngram: [column for column in columns if (ngram, ngrams[column]) in pairs]
            for ngram, columns in followers.items()
        }
    return followers
