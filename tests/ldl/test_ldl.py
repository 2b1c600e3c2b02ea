"""Lexicons, and the matrices of comprehension and production, against least squares of numpy."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from lexicons import forms, lexicons

ldl = rw.ldl


def least_squares(X: Any, Z: Any, frequencies: Any, ridge: float) -> Any:
    normal = X.T * frequencies @ X + ridge * np.eye(X.shape[1])
    return np.linalg.pinv(normal, rcond=1e-12, hermitian=True) @ (X.T * frequencies @ Z)


@given(lexicons(), st.sampled_from([0.0, 0.5]))
def test_mappings_are_least_squares(lexicon: Any, ridge: float) -> None:
    C, S, f = forms(lexicon, lexicon.events.cues), lexicon.vectors.values, lexicon.frequencies
    if not f.any() or not C.size:
        return
    F, G = ldl.comprehension(lexicon, ridge=ridge), ldl.production(lexicon, ridge=ridge)
    assert F.cues == G.outcomes == lexicon.events.cues
    assert F.outcomes == G.cues == lexicon.vectors.outcomes
    some.assert_close(F.values, least_squares(C, S, f, ridge), 1e-8)
    some.assert_close(G.values, least_squares(S, C, f, ridge), 1e-8)
    some.assert_close(ldl.predicted(lexicon, F), C @ F.values, 1e-10)
    some.assert_close(ldl.predicted(lexicon, G), S @ G.values, 1e-10)


@given(lexicons(), st.sampled_from([0.001, 0.02]))
def test_words_learned_one_after_another(lexicon: Any, eta: float) -> None:
    C, S = forms(lexicon, lexicon.events.cues), lexicon.vectors.values
    F, G = np.zeros((C.shape[1], S.shape[1])), np.zeros((S.shape[1], C.shape[1]))
    for c, s, frequency in zip(C, S, lexicon.frequencies, strict=True):
        for _ in range(frequency):
            F += eta * np.outer(c, s - c @ F)
            G += eta * np.outer(s, c - s @ G)
    some.assert_close(ldl.comprehension(lexicon, eta=eta).values, F, 1e-10)
    some.assert_close(ldl.production(lexicon, eta=eta).values, G, 1e-10)


def test_judiling_s_shift_is_a_ridge() -> None:
    """It takes sqrt(f / max f) on both sides, and adds .02 to the diagonal."""
    random = np.random.default_rng(1)
    words, f = ["cat", "cats", "rat", "hats", "at"], np.array([50, 3, 7, 1, 20])
    lexicon = ldl.lexicon(words, random.normal(size=(5, 3)), frequencies=f)
    C, S = forms(lexicon, lexicon.events.cues), lexicon.vectors.values
    root = np.sqrt(f / f.max())[:, np.newaxis]
    shifted = np.linalg.solve(
        (root * C).T @ (root * C) + 0.02 * np.eye(C.shape[1]), (root * C).T @ (root * S)
    )
    some.assert_close(ldl.comprehension(lexicon, ridge=0.02 * f.max()).values, shifted, 1e-12)


def test_a_lexicon_keeps_what_it_is_given() -> None:
    words = ["bank", "bank", "bank (2)", "an"]
    lexicon = ldl.lexicon(words, np.arange(8.0).reshape(4, 2), frequencies=[1, 0, 2, 3], n=2)
    assert lexicon.words == tuple(words)
    assert lexicon.events.outcomes == ("bank", "bank (3)", "bank (2)", "an") == lexicon.vectors.cues
    assert lexicon.events.frequencies.tolist() == [1, 0, 2, 3]
    assert lexicon.ngrams[3] == ("#a", "an", "n#")
    assert ldl.lexicon(["banban"], [[1.0]]).events[0].cues == ("#ba", "ban", "anb", "nba", "an#")
    part = lexicon[[3, 1]]
    assert part.words == ("an", "bank")
    assert part.vectors.values.tolist() == [[6.0, 7.0], [2.0, 3.0]]
    assert part.frequencies.tolist() == [3, 0]
    assert len(lexicon[np.array([True, False, False, True])]) == 2
    with pytest.raises(TypeError, match="several rows"):
        lexicon[1]  # type: ignore[index]


def test_vectors_come_by_name() -> None:
    words, table = ["b", "a", "b"], {"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [5.0, 6.0]}
    pandas = pytest.importorskip("pandas")
    for vectors in (table, pandas.DataFrame(table, index=["x", "y"]).T):
        assert ldl.lexicon(words, vectors).vectors.values.tolist() == [[3, 4], [1, 2], [3, 4]]
    assert ldl.lexicon(words, pandas.DataFrame(table, index=["x", "y"]).T).vectors.outcomes == ("x", "y")
    with pytest.raises(KeyError, match="no row for the word 'bb'"):
        ldl.lexicon(["bb"], table)
    with pytest.raises(ValueError, match="vectors must be 1, one for each word, not 2"):
        ldl.lexicon(["a"], [[1.0], [2.0]])
    with pytest.raises(ValueError, match="frequencies must be 1, one for each word, not 2"):
        ldl.lexicon(["a"], [[1.0]], frequencies=[1, 2])


def test_weights_of_other_vectors_are_refused() -> None:
    lexicon = ldl.lexicon(["cat", "rat"], [[1.0, 0.0], [0.0, 1.0]])
    other = ldl.lexicon(["cat", "rat"], [[1.0], [0.0]])
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    for wrong in (ldl.comprehension(other), ldl.production(other)):
        with pytest.raises(ValueError, match="weights must have the 2 dimensions"):
            ldl.predicted(lexicon, wrong)
    with pytest.raises(ValueError, match="weights must have the 1 dimensions"):
        ldl.accuracy(lexicon, F, candidates=other)
    with pytest.raises(ValueError, match="G must lead from dimensions"):
        ldl.support(lexicon, F)
    with pytest.raises(ValueError, match="F must lead from n-grams"):
        ldl.functional_load(lexicon, G)
    with pytest.raises(ValueError, match="ridge belongs to the equilibrium"):
        ldl.comprehension(lexicon, ridge=1.0, eta=0.1)


# Words held out.


@given(lexicons(n=(2, 2)), st.integers(0, 9))
def test_all_that_a_held_out_word_has_occurs_in_training(lexicon: Any, seed: int) -> None:
    features = [(word[0], "odd" if len(word) % 2 else "even") for word in lexicon.words]
    wanted = len(lexicon)
    while True:
        try:
            train, test = ldl.careful_split(lexicon, wanted, features=features, seed=seed)
            break
        except ValueError as error:
            # It says how many there may be.
            wanted = int(str(error).split("at most ")[1].split()[0])
    assert len(test) == wanted
    assert len(train) + len(test) == len(lexicon)
    assert sorted(train.words + test.words) == sorted(lexicon.words)
    assert {ngram for each in test.ngrams for ngram in each} <= {
        ngram for each in train.ngrams for ngram in each
    }
    for place in (0, 1):
        of = {word: feature[place] for word, feature in zip(lexicon.words, features, strict=True)}
        assert {of[word] for word in test.words} <= {of[word] for word in train.words}


def test_shares_of_words_are_held_out() -> None:
    lexicon = ldl.lexicon(["aaaa"] * 10, np.zeros((10, 1)))
    assert [len(part) for part in ldl.careful_split(lexicon, 0.3, seed=1)] == [7, 3]
    # A share of less than a word is a word.
    assert [len(part) for part in ldl.careful_split(lexicon, 0.01, seed=1)] == [9, 1]
    first, again = (ldl.careful_split(lexicon, 3, seed=5)[1] for _ in range(2))
    assert first.vectors.values.tolist() == again.vectors.values.tolist()
    for wrong in (0.0, 1.0, 1.5):
        with pytest.raises(ValueError, match="test must be a number of words, or a share"):
            ldl.careful_split(lexicon, wrong, seed=1)
    with pytest.raises(ValueError, match="features must be 10, one for each word, not 1"):
        ldl.careful_split(lexicon, 3, features=[("a",)], seed=1)
    with pytest.raises(TypeError, match="features must be several for each word"):
        ldl.careful_split(lexicon, 3, features=["ab"] * 10, seed=1)


# Vectors.


def test_vectors_are_read_of_the_words_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "v.vec"
    text = "5 3\nthe 1 2 3\nnan .5 -1e3 0\n. . 1 2 3\ncafé 7 8 9\nthe 0 0 0\n12 1 1 1 \n"
    path.write_text(text, "utf-8")
    packed = tmp_path / "v.vec.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, packed):
        found = ldl.read_vectors(file, ["café", "nan", "the", "12", "nan"])
        assert found.cues == ("café", "nan", "the", "12")
        assert found.values.tolist() == [[7, 8, 9], [0.5, -1000, 0], [1, 2, 3], [1, 1, 1]]
    with pytest.warns(rw.RescorlaWarning, match="'dog' of 2 have no vector"):
        assert ldl.read_vectors(path, ["the", "dog"]).cues == ("the",)
    path.write_text("the 1 2 3\ncat 1 2\n")
    assert ldl.read_vectors(path, ["the"]).shape == (1, 3)
    for wrong in ("cat 1 2", "cat 1 2 x", "cat 1 2 inf"):
        path.write_text(f"the 1 2 3\n{wrong}\n")
        with pytest.raises(rw.FormatError, match=r"line 2: expected a word and 3 finite numbers"):
            ldl.read_vectors(path, ["cat"])
    with pytest.raises(rw.FormatError, match="found none of them"):
        ldl.read_vectors(path, ["dog"])
    with pytest.raises(FileNotFoundError):
        ldl.read_vectors(tmp_path / "none", ["dog"])


def test_simulated_vectors_are_sums_of_what_words_are() -> None:
    words = [("cat", "one"), ("cat", "many"), ("rat", "one"), ("rat", "many")]
    vectors = ldl.simulated_vectors(words, 500, sd_noise=0.0, seed=3)
    some.assert_close(vectors[0] - vectors[1], vectors[2] - vectors[3], 1e-10)
    assert np.array_equal(vectors, ldl.simulated_vectors(words, 500, sd_noise=0.0, seed=3))
    one = ldl.simulated_vectors(
        [(f"{i}",) for i in range(2000)], 50, sd=2.0, sd_mean=3.0, sd_noise=1.5, seed=1
    )
    # Within 4 standard errors, about.
    assert abs(one.mean(axis=1).std() - (9 + (4 + 1.5**2) / 50) ** 0.5) < 0.2
    assert abs((one - one.mean(axis=1, keepdims=True)).std() - (4 + 1.5**2) ** 0.5) < 0.05
    with pytest.raises(TypeError, match="features must be several for each word"):
        ldl.simulated_vectors(["cat"], seed=1)
