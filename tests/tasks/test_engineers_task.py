"""An engineer's task, done with what docs/howto/estimators.md says and nothing else.

Verses are to be told apart by their book: a pipeline of words is searched for its best settings, its words
are named and its probabilities used; then the same of a stream of texts that no memory would hold, by hashed
words.
"""

import lzma
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rescorla import estimators
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline

# Where these books begin in the King James Bible, and how many verses they have.
BOOKS = {"Genesis": (0, 1533), "Psalms": (13940, 2461), "Luke": (24894, 1151)}


@pytest.fixture(scope="module")
def verses(shared: Path) -> tuple[list[str], list[str]]:
    """Verses of three books, and the book of each."""
    with lzma.open(shared / "data/kjv.txt.xz", "rt", encoding="utf-8") as file:
        kjv = file.read().splitlines()
    texts = [line for start, n in BOOKS.values() for line in kjv[start : start + n]]
    return texts, [book for book, (_, n) in BOOKS.items() for _ in range(n)]


def test_a_pipeline_is_searched_and_read(verses: tuple[list[str], list[str]]) -> None:
    texts, books = verses
    train, test, y, z = train_test_split(texts, books, test_size=0.25, random_state=1, stratify=books)
    pipeline = make_pipeline(CountVectorizer(), estimators.RescorlaWagnerClassifier(passes=20, threads=1))
    grid = {
        "countvectorizer__binary": [False, True],
        "rescorlawagnerclassifier__class_weight": [None, "balanced"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, scoring="neg_log_loss").fit(train, y)
    best = search.best_estimator_
    assert best.score(test, z) > 0.85
    shares = best.predict_proba(test)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (best.classes_[shares.argmax(axis=1)] == best.predict(test)).all()
    assert log_loss(z, shares) < 0.4
    weights = estimators.named_weights(search)
    assert weights.outcomes == ("Genesis", "Luke", "Psalms")
    strongest = {book: [cue for cue, _ in weights.top(outcome=book, n=40)] for book in weights.outcomes}
    assert "selah" in strongest["Psalms"]
    assert "jesus" in strongest["Luke"]
    assert "abraham" in strongest["Genesis"]
    # Weights of rows, by which a fold may be forgotten; and a fresh copy for another fit.
    weighted = clone(best).fit(train, y, rescorlawagnerclassifier__sample_weight=np.full(len(train), 0.5))
    assert weighted.score(test, z) > 0.85


def test_a_stream_of_hashed_words(verses: tuple[list[str], list[str]]) -> None:
    texts, books = verses
    train, test, y, z = train_test_split(texts, books, test_size=0.25, random_state=1, stratify=books)
    hashing = HashingVectorizer(n_features=2**18, alternate_sign=False, norm=None)

    def stream(passes: int) -> Iterator[tuple[list[str], list[str]]]:
        for _ in range(passes):
            for start in range(0, len(train), 200):
                yield train[start : start + 200], y[start : start + 200]

    learner = estimators.RescorlaWagnerClassifier(threads=1)
    for piece, labels in stream(1):
        learner.partial_fit(hashing.transform(piece), labels, classes=list(BOOKS))
    tracemalloc.start()
    try:
        for piece, labels in stream(4):
            learner.partial_fit(hashing.transform(piece), labels)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The weights, which were there before, have 6 million bytes.
    assert kept < 500_000
    assert peak < 3_000_000
    X = hashing.transform(test)
    assert learner.score(X, z) > 0.8
    assert log_loss(z, learner.predict_proba(X)) < 0.5


def test_the_page_says_how() -> None:
    page = (Path(__file__).parents[2] / "docs/howto/estimators.md").read_text(encoding="utf-8")
    needed = [
        "CountVectorizer",
        "GridSearchCV",
        "neg_log_loss",
        "named_weights",
        "predict_proba",
        "sample_weight",
    ]
    needed += ["HashingVectorizer", "partial_fit", "classes=", "class_weight", "threads="]
    assert [word for word in needed if word not in page] == []
