"""Lexicons drawn at random, and their n-grams as a matrix."""

from typing import Any

import numpy as np
import reference
import rescorla as rw
from hypothesis import strategies as st
from numpy.typing import NDArray

WORDS = st.lists(st.text("abn", min_size=1, max_size=6), min_size=1, max_size=8)


@st.composite
def lexicons(draw: st.DrawFn, n: tuple[int, int] = (1, 3), d: tuple[int, int] = (1, 4)) -> Any:
    """Words with n-grams and vectors of so many letters and dimensions."""
    words, length = draw(WORDS), draw(st.integers(*d))
    vector = st.lists(st.integers(-3, 3), min_size=length, max_size=length)
    frequencies = st.lists(st.integers(0, 5), min_size=len(words), max_size=len(words))
    return rw.ldl.lexicon(
        words,
        [draw(vector) for _ in words],
        frequencies=draw(st.none() | frequencies),
        n=draw(st.integers(*n)),
        counts=draw(st.booleans()),
    )


def forms(lexicon: Any, ngrams: tuple[str, ...]) -> NDArray[np.float64]:
    """C, the words' n-grams."""
    matrix = np.zeros((len(lexicon), len(ngrams)))
    for row, word in enumerate(lexicon.words):
        letters = list(word) if lexicon.n == 1 else reference.ngrams(word, lexicon.n)
        for each in letters:
            column = ngrams.index(each)
            matrix[row, column] = matrix[row, column] + 1 if lexicon.counts else 1
    return matrix
