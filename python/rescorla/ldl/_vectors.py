"""Vectors of words: read from files, or simulated."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rescorla._core import FormatError
from rescorla._events.frames import entries_of
from rescorla._shared.checks import (
    PathName,
    Seed,
    generator,
    is_iterable,
    only_names,
    path_name,
    rate,
    several,
    whole,
)
from rescorla._shared.warn import some, warn
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_vectors(path: PathName, words: Iterable[str]) -> Weights:
    """Read the vectors of some words from a text file of word2vec, fastText or GloVe.

    Parameters
    ----------
    path : str or path-like
        UTF-8, also gzipped: a line for each word, the word and its numbers with blanks between. A first line
        with two whole numbers, of words and of dimensions, is skipped.
    words : iterable of str
        The words that are asked for; only these take memory.

    Returns
    -------
    Weights of float64, n_words x n_dimensions
        In the order of the words asked for, each once. Words that the file does not have are left out, with a
        warning; its first line for a word counts.

    Raises
    ------
    FormatError
        When a line is not understood.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> import rescorla as rw
    >>> with open("vectors.vec", "w") as file:
    ...     _ = file.write("3 2\\nthe 0.1 0.2\\ncat 1.0 0.5\\nrat -1 0\\n")
    >>> rw.ldl.read_vectors("vectors.vec", ["rat", "cat"]).values
    array([[-1. ,  0. ],
           [ 1. ,  0.5]])
    """
    name = path_name(path)
    asked = dict.fromkeys(only_names("words must be str", several("words", entries_of(words), "words")))
    wanted = {word.encode(errors="surrogatepass"): word for word in asked}
    found: dict[str, NDArray[np.float64]] = {}
    length = 0
    with open(name, "rb") as raw, gzip.open(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw as file:
        for number, line in enumerate(file, 1):
            word, _, numbers = line.rstrip().partition(b" ")
            if number == 1 and word.isdigit() and numbers.strip().isdigit():
                continue
            if not length:
                length = len(numbers.split())
            # A word may have blanks: then its first part has too many numbers.
            if word not in wanted or wanted[word] in found or len(numbers.split()) > length:
                continue
            try:
                vector = np.array(numbers.split(), dtype=np.float64)
            except ValueError:
                vector = np.zeros(0)
            if len(vector) != length or not length or not np.isfinite(vector).all():
                raise FormatError(
                    f"{name}, line {number}: expected a word and {length or 'its'} finite numbers, found "
                    f"{line.decode(errors='replace')[:60]!r}; give a text file of vectors"
                )
            found[wanted[word]] = vector
    if not found:
        raise FormatError(
            f"{name}: expected vectors of the {len(asked)} words, found none of them; compare the spelling"
        )
    missing = [word for word in asked if word not in found]
    if missing:
        warn(f"words: {some(missing)} of {len(asked)} have no vector in {name}, and are left out")
    names = [word for word in asked if word in found]
    return Weights(np.array([found[word] for word in names]), names, [f"z{i}" for i in range(length)])


def simulated_vectors(
    features: Iterable[Iterable[str]],
    n_dimensions: int = 200,
    *,
    sd: float = 4.0,
    sd_mean: float = 1.0,
    sd_noise: float = 1.0,
    seed: Seed,
) -> NDArray[np.float64]:
    """Vectors for words of which only the lexeme and the inflections are known.

        s = e + sum over the word's features of v_f,    v_f ~ N(m_f, sd),    m_f ~ N(0, sd_mean)

    Words of one lexeme are alike, and so are words of one inflection.

    Parameters
    ----------
    features : iterable of iterable of str
        The lexeme and the inflections of each word: ``zip(table.Lexeme, table.Number, table.Case)``. A name
        is one feature wherever it stands.
    n_dimensions : int, default 200
    sd, sd_mean, sd_noise : float
        Standard deviations: of a feature's numbers about their mean, of these means, of the noise.
    seed : int or numpy Generator

    Returns
    -------
    ndarray of float64, n_words x n_dimensions

    Notes
    -----
    JudiLing's ``make_S_matrix`` has the same distribution and defaults, but draws other numbers.

    Examples
    --------
    >>> import rescorla as rw
    >>> words = [("cat", "singular"), ("cat", "plural"), ("rat", "plural")]
    >>> vectors = rw.ldl.simulated_vectors(words, seed=1)
    >>> vectors.shape
    (3, 200)
    >>> rw.measures.correlations(vectors, vectors)[0].round(1)
    array([1. , 0.6, 0. ])
    """
    d, random = whole("n_dimensions", n_dimensions, 1), generator(seed)
    sds = [rate(name, value) for name, value in (("sd", sd), ("sd_mean", sd_mean), ("sd_noise", sd_noise))]
    known: dict[str, NDArray[np.float64]] = {}
    listed = features_of(features)
    vectors = np.zeros((len(listed), d))
    for row, each in enumerate(listed):
        for feature in only_names("features must be str", each):
            if feature not in known:
                known[feature] = random.normal(random.normal(0.0, sds[1]), sds[0], d)
            vectors[row] += known[feature]
    return vectors + random.normal(0.0, sds[2], vectors.shape)


def features_of(features: Iterable[Iterable[str]]) -> list[Iterable[str]]:
    """The features of each word; TypeError where a word has not several."""
    listed = several("features", features, "the features of each word")
    for each in listed:
        if isinstance(each, str) or not is_iterable(each):
            raise TypeError(f"features must be several for each word, such as (lexeme, number), not {each!r}")
    return listed
