"""Measures and production against loops, and against values that others print."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from lexicons import forms, lexicons

ldl = rw.ldl

# What JudiLingMeasures computes of these predicted and true vectors, by its documentation.
PREDICTED = np.array([[1, 2, 1, 1], [1, -2, 3, 1], [1, -2, 3, 3], [0, 0, 1, 2]], dtype=np.float64)
VECTORS = np.array([[-1, 2, 1, 1], [1, 2, 3, 1], [1, 2, 0, 1], [0.5, -2, 1.5, 0]])
JUDILING = {
    "density": [0.7393813797301239, 0.6420816485652429, 0.4496869233815781, 0.281150888376636],
    "average_correlation": [
        0.1867546970250672,
        -0.030901103469572838,
        -0.0681995247218424,
        0.011247813283240052,
    ],
    "nearest_correlation": [0.8164965809277259, 0.9886230654859615, 0.8625383733289683, 0.35478743759344955],
    "target_correlation": [0.6622661785325219, 0.2955402316445243, -0.86386842558136, 0.35478743759344955],
    "rank": [2, 2, 4, 1],
    "uncertainty": [5.447907056192456, 4.5888162633614, 4.365247579557125, 5.052415166794307],
}
BY_COSINE = [5.749202747845322, 4.308224063773331, 4.423630522948703, 4.877528828745243]


def test_judiling_has_the_same_numbers() -> None:
    lexicon = ldl.lexicon(list("abcd"), VECTORS, n=1)
    F = rw.Weights(PREDICTED, list("abcd"), lexicon.vectors.outcomes)
    table = ldl.measures(lexicon, F, ldl.production(lexicon))
    for name, values in JUDILING.items():
        if name != "density":
            some.assert_close(table[name], np.array(values), 1e-12)
    # There the documentation takes the two nearest.
    some.assert_close(ldl.density(lexicon, F, 2), np.array(JUDILING["density"]), 1e-6)
    some.assert_close(ldl.uncertainty(lexicon, F, convention="dlm"), np.array(BY_COSINE), 1e-12)


def test_the_discriminative_lexicon_model_has_the_same_numbers() -> None:
    """Those of its own tests, version 2.7."""
    features = ["=walk", "=walked", "=walks", "walk", "1", "2", "3", "past", "pres"]
    drawn = {each: np.random.RandomState(10 + i).normal(size=5) for i, each in enumerate(features)}
    own = ["=walk walk 1 2 pres", "=walked walk 1 2 3 past", "=walks walk 3 pres"]
    words = dict(zip(["walk", "walked", "walks"], own, strict=True))
    vectors = {word: sum(drawn[each] for each in own.split()) for word, own in words.items()}
    lexicon = ldl.lexicon(list(words), vectors)
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    loads = ldl.functional_load(lexicon, F, convention="dlm")
    walk, walked = (dict(zip(lexicon.ngrams[row], loads[row], strict=True)) for row in (0, 1))
    some.assert_close(np.array([walk["#wa"], walked["#wa"]]), np.array([0.9516095962, 0.1372308544]), 1e-9)
    assert walked["ed#"] == pytest.approx(0.8494412122, abs=1e-9)
    some.assert_close(ldl.support(lexicon, G, convention="dlm")[:2], np.array([4.0, 6.0]), 1e-9)
    table = ldl.measures(lexicon, F, G, convention="dlm")
    some.assert_close(table["uncertainty"][:2], np.array([2.5984557392, 2.0955753635]), 1e-9)
    some.assert_close(table["form_uncertainty"][:2], np.array([2.1507838011, 2.1429429640]), 1e-9)
    some.assert_close(table["norm_1"][:2], np.array([8.3922761281, 7.8530324610]), 1e-9)


def _two(sizes: tuple[int, int]) -> st.SearchStrategy[Any]:
    """Two lexicons of n-grams and vectors of the same sizes."""
    n, d = ((size, size) for size in sizes)
    return st.tuples(lexicons(n, d), lexicons(n, d))


@given(st.tuples(st.integers(1, 3), st.integers(2, 4)).flatmap(_two), st.sampled_from(["judiling", "dlm"]))
def test_measures_are_their_loops(two: Any, convention: Any) -> None:
    """By weights of another lexicon, so that n-grams are missing."""
    lexicon, other = two
    assume(other.frequencies.any() and other.events.cues)
    F, G = ldl.comprehension(other, ridge=0.5), ldl.production(other, ridge=0.5)
    known = [tuple(each for each in own if each in G.outcomes) for own in lexicon.ngrams]
    table = ldl.measures(lexicon, F, G, convention=convention)
    S = lexicon.vectors.values
    C = forms(lexicon, (*G.outcomes, *(each for each in lexicon.events.cues if each not in G.outcomes)))
    C = C[:, : len(G.outcomes)]
    meanings, spelled = C @ F.values, S @ G.values
    right = [[row for row, form in enumerate(lexicon.words) if form == word] for word in lexicon.words]
    for hat, gold, prefix in ((meanings, S, ""), (spelled, C, "form_")):
        near = np.array(reference.similarities(hat.tolist(), gold.tolist(), reference.correlation))
        if not np.isfinite(near).all():
            continue
        target = f"{prefix}target_correlation" if not prefix else "form_correlation"
        some.assert_close(table[target], near.diagonal(), 1e-7)
        # Where two are equal up to rounding, either may be the nearer one.
        gaps = np.abs(near[:, :, np.newaxis] - near[:, np.newaxis, :])
        if not ((gaps > 0) & (gaps < 1e-9)).any():
            assert table[f"{prefix}rank"].tolist() == reference.nearness_ranks(near.tolist(), right)
        if not prefix:
            some.assert_close(table["nearest_correlation"], near.max(axis=1), 1e-7)
            some.assert_close(table["average_correlation"], near.mean(axis=1), 1e-7)
            some.assert_close(table["density"], np.array(reference.density(near.tolist(), 8)), 1e-7)
        similarity = reference.correlation if convention == "judiling" else reference.cosine
        near = np.array(reference.similarities(hat.tolist(), gold.tolist(), similarity))
        if np.isfinite(near).all() and (np.ptp(near, axis=1) > 1e-6).all():
            some.assert_close(
                table[f"{prefix}uncertainty"], np.array(reference.uncertainty(near.tolist())), 1e-7
            )
    for row, own in enumerate(known):
        values = reference.support(spelled[row].tolist(), own, G.outcomes, convention == "judiling")
        assert table["support"][row] == pytest.approx(values, abs=1e-9)
    vectors = meanings if convention == "judiling" else S
    some.assert_close(table["norm_1"], np.abs(vectors).sum(axis=1), 1e-10)
    some.assert_close(table["norm_2"], (vectors**2).sum(axis=1) ** 0.5, 1e-10)
    for row, loads in enumerate(ldl.functional_load(lexicon, F, convention=convention)):
        for each, load in zip(lexicon.ngrams[row], loads, strict=True):
            wanted = np.nan
            if each in F.cues:
                wanted = reference.correlation(F.values[F.cues.index(each)].tolist(), vectors[row].tolist())
            if np.isfinite(wanted):
                assert load == pytest.approx(wanted, abs=1e-6)
            elif each not in F.cues:
                assert np.isnan(load)


def test_no_measure_of_words_without_a_form() -> None:
    lexicon = ldl.lexicon(["ab", "cd"], [[1.0, 2.0], [2.0, 1.0]])
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    unknown = ldl.lexicon(["xy"], [[1.0, 1.0]])
    table = ldl.measures(unknown, F, G)
    assert np.isnan(table["target_correlation"][0])
    assert table["support"][0] == 0
    assert np.isnan(ldl.functional_load(unknown, F)[0]).all()
    with pytest.raises(ValueError, match="n must be at most the 1 words"):
        ldl.density(unknown, F)
    assert all(len(column) == 0 for column in ldl.measures(lexicon[:0], F, G).values())


# Accuracy.


def test_accuracy_counts_words_tokens_and_homophones() -> None:
    words = ["a", "b", "b", "c"]
    vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.1]]
    lexicon = ldl.lexicon(words, vectors, frequencies=[1, 2, 3, 4], n=1)
    # b is taken for the first b, c for a.
    F = rw.Weights(
        [[1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [1.0, 0.0, 0.1]], ["a", "b", "c"], lexicon.vectors.outcomes
    )
    assert ldl.accuracy(lexicon, F) == 3 / 4
    assert ldl.accuracy(lexicon, F, homophones=False) == 2 / 4
    assert ldl.accuracy(lexicon, F, by="tokens") == 6 / 10
    assert ldl.accuracy(lexicon, F, homophones=False, by="tokens") == 3 / 10
    assert ldl.accuracy(lexicon, F, k=2) == 1.0
    # What is held out is compared with what was learned, too.
    assert ldl.accuracy(lexicon[3:], F) == 1.0
    assert ldl.accuracy(lexicon[3:], F, candidates=lexicon[:3]) == 0.0
    assert np.isnan(ldl.accuracy(lexicon[:0], F))


# Production.


@given(
    lexicons(n=(2, 3)),
    st.sampled_from(["convergence", "boundary"]),
    st.booleans(),
    st.integers(0, 9),
)
def test_forms_are_produced_by_the_loop(lexicon: Any, stop: Any, attested: bool, max_length: int) -> None:
    assume(lexicon.frequencies.any() and lexicon.events.cues)
    F, G = ldl.comprehension(lexicon, ridge=0.1), ldl.production(lexicon, ridge=0.1)
    pairs = {pair for own in lexicon.ngrams for pair in zip(("", *own), own, strict=False)}
    how: dict[str, Any] = {"stop": stop, "max_length": max_length, "tol": 1e-6}
    for name in lexicon.vectors.cues:
        meaning = lexicon.vectors[name, :]
        said = reference.produce(
            meaning.tolist(),
            G.outcomes,
            F.values.tolist(),
            G.values.tolist(),
            attested=pairs if attested else None,
            **how,
        )
        follows: Any = "attested" if attested else "overlap"
        found = ldl.produce(lexicon, name, F, G, follows=follows, **how)
        assert found.ngrams == ldl.produce(lexicon, meaning, F, G, follows=follows, **how).ngrams
        if found.ngrams != tuple(said):
            # Two n-grams were equal up to rounding.
            assert _is_close(found.ngrams, said, meaning, F, G)


def _is_close(found: Any, said: Any, meaning: Any, F: Any, G: Any) -> bool:
    place = next(i for i, (a, b) in enumerate(zip([*found, ""], [*said, ""], strict=False)) if a != b)
    rest = meaning - sum((F[each, :] for each in found[:place]), np.zeros(len(meaning)))
    values = [rest @ G[:, each] if each else 1e-6 for each in ([*found, ""][place], [*said, ""][place])]
    return bool(abs(values[0] - values[1]) < 1e-9)


def test_words_are_said() -> None:
    lexicon = ldl.lexicon(["ban", "banban"], [[1.0, 1.0], [1.0, 2.0]], counts=True)
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    assert ldl.produce(lexicon, "ban", F, G).form == "ban"
    assert ldl.produce(lexicon, "banban", F, G) == (("#ba", "ban", "anb", "nba", "ban", "an#"), "banban")
    assert ldl.produce(lexicon, [1.0, 2.0], F, G, max_length=2).ngrams == ("#ba", "ban")
    assert ldl.produce(lexicon, [1.0, 2.0], F, G, tol=1e9) == ((), "")
    with pytest.raises(KeyError, match="'bann' is none of the 2 of the lexicon"):
        ldl.produce(lexicon, "bann", F, G)
    with pytest.raises(ValueError, match="word must be a vector of 2 numbers"):
        ldl.produce(lexicon, [1.0], F, G)
    for matrices in ((G, F), (F, F), (G, G)):
        with pytest.raises(ValueError, match="F must lead from n-grams to dimensions"):
            ldl.produce(lexicon, "ban", *matrices)
    fewer = rw.Weights(F.values[1:], F.cues[1:], F.outcomes)
    with pytest.raises(KeyError, match="F has no n-gram '#ba'"):
        ldl.produce(lexicon, "ban", fewer, G)
    single = ldl.lexicon(["ban"], [[1.0, 1.0]], n=1)
    with pytest.raises(ValueError, match="n-grams of two letters or more"):
        ldl.produce(single, "ban", ldl.comprehension(single), ldl.production(single))


def test_attested_words_alone_are_said() -> None:
    """Of one's n-grams others could be spelled."""
    words = ["abab", "ba"]
    lexicon = ldl.lexicon(words, np.eye(2), n=2)
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    chosen = ldl.produce(lexicon, "ba", F, G, follows="attested").ngrams
    pairs = {pair for own in lexicon.ngrams for pair in pairwise(own)}
    assert {*pairwise(chosen)} <= pairs


def test_a_form_ends_where_nothing_is_supported_and_after_fifty_ngrams() -> None:
    lexicon = ldl.lexicon(["aaaa"], [[1.0, 2.0]])
    F, G = ldl.comprehension(lexicon), ldl.production(lexicon)
    nothing = rw.Weights(np.zeros_like(G.values), G.cues, G.outcomes)
    assert ldl.produce(lexicon, "aaaa", F, nothing) == ((), "")
    # Nothing is ever expressed, and an a follows an a.
    mute = rw.Weights(np.zeros_like(F.values), F.cues, F.outcomes)
    endless = rw.Weights(np.where(np.array(G.outcomes) == "aa#", 0.0, G.values), G.cues, G.outcomes)
    assert ldl.produce(lexicon, "aaaa", mute, endless).ngrams == ("#aa", *["aaa"] * 49)


def test_density_is_that_of_eight_words() -> None:
    vectors = np.random.default_rng(1).normal(size=(10, 3))
    lexicon = ldl.lexicon([f"w{letter}" for letter in "abcdefghij"], vectors)
    F, G = ldl.comprehension(lexicon, ridge=0.1), ldl.production(lexicon)
    expected, other = ldl.density(lexicon, F, 8), ldl.density(lexicon, F, 9)
    assert ldl.density(lexicon, F).tolist() == expected.tolist() != other.tolist()
    assert ldl.measures(lexicon, F, G)["density"].tolist() == expected.tolist()
