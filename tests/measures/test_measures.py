"""`measures`, each against its equation in plain Python."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import assume, given
from hypothesis import strategies as st
from rescorla import measures
from rescorla._weights import directions
from rescorla.measures import _of_events

CUES, OUTCOMES = ["a", "b", "c"], ["x", "y", "z", "w"]
NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, -0.5]), st.floats(-2, 2).filter(lambda x: x == 0 or abs(x) > 1e-6)
)
WEIGHTS = st.lists(NUMBERS, min_size=12, max_size=12).map(
    lambda numbers: rw.Weights(np.array(numbers).reshape(3, 4), CUES, OUTCOMES)
)
EVENTS = st.lists(
    st.tuples(st.lists(st.sampled_from(CUES), unique=True), st.lists(st.sampled_from(OUTCOMES), unique=True)),
    min_size=1,
    max_size=5,
)
SINGLE = st.lists(
    st.tuples(st.lists(st.sampled_from(CUES), unique=True), st.sampled_from(OUTCOMES).map(lambda x: [x])),
    min_size=1,
    max_size=5,
)
BLOCKS = st.sampled_from([1, 4, 8, 1 << 22])


def activated(weights: rw.Weights, cues: list[str]) -> dict[str, float]:
    return {outcome: sum(weights[cue, outcome] for cue in cues) for outcome in weights.outcomes}


def size(vector: list[float], norm: str) -> float:
    if norm == "l1":
        return sum(map(abs, vector))
    if norm == "l2":
        return math.sqrt(sum(x * x for x in vector))
    middle = statistics.median(vector)
    return statistics.median(abs(x - middle) for x in vector)


@pytest.fixture(autouse=True)
def _blocks() -> Any:
    before = directions._BLOCK
    yield
    directions._BLOCK = before


@given(EVENTS, WEIGHTS)
def test_activation_sums_over_the_outcomes_of_an_event(events: Any, weights: rw.Weights) -> None:
    expected = [sum(activated(weights, cues)[o] for o in outcomes) for cues, outcomes in events]
    some.assert_close(measures.activation(rw.read_events(events), weights), expected, 1e-12)


TWICE = st.lists(
    st.tuples(st.lists(st.sampled_from(CUES)), st.lists(st.sampled_from(OUTCOMES), min_size=1)),
    min_size=1,
    max_size=5,
)


@given(TWICE, WEIGHTS)
def test_an_outcome_that_is_named_twice_is_present_once(events: Any, weights: rw.Weights) -> None:
    source = rw.read_events(events, duplicates="keep")
    expected = [sum(activated(weights, cues)[o] for o in set(outcomes)) for cues, outcomes in events]
    some.assert_close(measures.activation(source, weights), expected, 1e-12)
    single = [(cues, outcomes[:1] * 2) for cues, outcomes in events]
    source, targets = rw.read_events(single, duplicates="keep"), [outcomes[0] for _, outcomes in single]
    for measure in (measures.rank, measures.margin):
        found = measure(source, weights)
        assert found.tolist() == measure(source, weights, targets=targets).tolist()


@given(SINGLE, WEIGHTS, BLOCKS)
def test_activation_of_targets(events: Any, weights: rw.Weights, block: int) -> None:
    directions._BLOCK = block
    cues, targets = [cues for cues, _ in events], [outcomes[0] for _, outcomes in events]
    expected = measures.activation(rw.read_events(events), weights)
    some.assert_close(measures.activation(cues, weights, targets=targets), expected, 1e-12)


@given(WEIGHTS, st.sampled_from(["l1", "l2", "mad"]))
def test_prior(weights: rw.Weights, norm: Any) -> None:
    expected = [size(weights.column(outcome).tolist(), norm) for outcome in OUTCOMES]
    some.assert_close(measures.prior(weights, norm=norm), expected, 1e-12)


@given(EVENTS, WEIGHTS, st.sampled_from(["l1", "l2", "mad"]), BLOCKS)
def test_diversity(events: Any, weights: rw.Weights, norm: Any, block: int) -> None:
    directions._BLOCK = block
    expected = [size(list(activated(weights, cues).values()), norm) for cues, _ in events]
    found = measures.diversity([cues for cues, _ in events], weights, norm=norm)
    some.assert_close(found, expected, 1e-12)


@given(EVENTS, WEIGHTS, st.sampled_from(["absolute", "softmax"]), BLOCKS)
def test_entropy(events: Any, weights: rw.Weights, method: Any, block: int) -> None:
    directions._BLOCK = block
    found = measures.entropy([cues for cues, _ in events], weights, method=method)
    for (cues, _), bits in zip(events, found, strict=True):
        values = activated(weights, cues).values()
        sizes = [math.exp(a) if method == "softmax" else abs(a) for a in values]
        if not any(sizes):
            sizes = [1.0] * 4
        shares = [x / sum(sizes) for x in sizes]
        assert bits == pytest.approx(-sum(p * math.log2(p) for p in shares if p), abs=1e-9)


@given(SINGLE, WEIGHTS, BLOCKS)
def test_rank_and_margin(events: Any, weights: rw.Weights, block: int) -> None:
    directions._BLOCK = block
    source = rw.read_events(events)
    matrix = rw.activations(source, weights)
    ranks, margins = measures.rank(source, weights), measures.margin(source, weights)
    for row, (_, (target,)) in zip(range(len(events)), events, strict=True):
        own = matrix[row, OUTCOMES.index(target)]
        others = [a for a, outcome in zip(matrix[row], OUTCOMES, strict=True) if outcome != target]
        assert ranks[row] == 1 + sum(a > own for a in others)
        assert margins[row] == own - max(others)
        assert (ranks[row] == 1) == (margins[row] >= 0)


@given(WEIGHTS, st.sampled_from(["cues", "outcomes"]), st.sampled_from(["cosine", "correlation"]))
def test_similarity(weights: rw.Weights, side: Any, method: Any) -> None:
    vectors = weights.values if side == "cues" else weights.values.T
    assume(all(len(set(vector)) > 1 for vector in vectors.tolist()))
    found = measures.similarity(weights, side=side, method=method)
    if method == "correlation":
        expected = np.corrcoef(vectors)
    else:
        lengths = np.sqrt((vectors**2).sum(axis=1))
        expected = vectors @ vectors.T / np.outer(lengths, lengths)
    some.assert_close(found, expected)
    names = weights.cues if side == "cues" else weights.outcomes
    some.assert_close(
        measures.similarity(weights, names[::-1], side=side, method=method), expected[::-1, ::-1]
    )


@given(WEIGHTS, st.sampled_from(["cues", "outcomes"]), st.integers(1, 5), BLOCKS)
def test_density_is_the_mean_similarity_of_the_nearest(
    weights: rw.Weights, side: Any, n: int, block: int
) -> None:
    directions._BLOCK = block
    found = measures.density(weights, n, side=side)
    alike = measures.similarity(weights, side=side)
    for i, row in enumerate(alike):
        near = sorted((s for k, s in enumerate(row) if k != i and not np.isnan(s)), reverse=True)[:n]
        expected = float(np.mean(near)) if near and not np.isnan(row[i]) else np.nan
        assert found[i] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_density_is_that_of_ten_neighbours() -> None:
    rows = np.random.default_rng(1).normal(size=(13, 3))
    weights = rw.Weights(rows, list("abcdefghijklm"), ["x", "y", "z"])
    expected, other = measures.density(weights, 10), measures.density(weights, 11)
    assert measures.density(weights).tolist() == expected.tolist() != other.tolist()


@given(WEIGHTS, st.sampled_from(["cues", "outcomes"]))
def test_typicality_is_the_similarity_to_the_mean(weights: rw.Weights, side: Any) -> None:
    vectors = weights.values if side == "cues" else weights.values.T
    mean = vectors.mean(axis=0)
    assume(np.abs(mean).max() > 1e-6 and (np.abs(vectors).max(axis=1) > 0).all())
    expected = vectors @ mean / np.linalg.norm(vectors, axis=1) / np.linalg.norm(mean)
    some.assert_close(measures.typicality(weights, side=side), expected)


@given(st.lists(st.tuples(*[st.floats(-5, 5)] * 6), min_size=1, max_size=4))
def test_correlation_is_that_of_numpy(rows: Any) -> None:
    predicted, target = np.array(rows)[:, :3], np.array(rows)[:, 3:]
    assume((predicted.std(axis=1) > 1e-3).all() and (target.std(axis=1) > 1e-3).all())
    expected = [np.corrcoef(p, t)[0, 1] for p, t in zip(predicted, target, strict=True)]
    some.assert_close(measures.correlation(predicted, target), expected)


@given(st.lists(st.lists(some.WEIGHTS, min_size=4, max_size=4), min_size=2, max_size=6), st.integers(1, 5))
def test_correlations_are_those_of_numpy_and_ranks_count_them(rows: Any, cut: int) -> None:
    matrix = np.array(rows)
    assume(cut < len(matrix) and (matrix.std(axis=1) > 1e-3).all())
    predicted, vectors = matrix[:cut], matrix[cut:]
    expected = np.corrcoef(matrix)[:cut, cut:]
    some.assert_close(measures.correlations(predicted, vectors), expected)
    own = measures.correlation(np.repeat(predicted, len(vectors), 0), np.tile(vectors, (cut, 1)))
    some.assert_close(measures.correlations(predicted, vectors).ravel(), own)
    lengths = np.linalg.norm(matrix, axis=1)
    cosines = (predicted @ vectors.T) / lengths[:cut, None] / lengths[cut:]
    distances = -np.linalg.norm(predicted[:, None] - vectors, axis=2)
    for method, near in (("correlation", expected), ("cosine", cosines), ("distance", distances)):
        for target in range(len(vectors)):
            # Ties may go either way by rounding.
            gaps = np.abs(near - near[:, [target]])
            gaps[:, target] = 1.0
            clear = (gaps > 1e-6).all(axis=1)
            wanted = 1 + (near > near[:, [target]]).sum(axis=1)
            targets = [target] * cut
            found = measures.nearness_rank(predicted, vectors, targets, method=method)  # type: ignore[arg-type]
            assert found[clear].tolist() == wanted[clear].tolist()
            for k in (1, 2, 9):
                share = measures.accuracy(predicted, vectors, targets, k=k, method=method)  # type: ignore[arg-type]
                assert share == (found <= k).mean()


def test_correlations_are_the_transpose_of_those_of_pyndl() -> None:
    pyndl = pytest.importorskip(
        "pyndl.correlation", reason="pyndl is not installed: pip install rescorla[bench]"
    )
    rng = np.random.default_rng(1)
    predicted, vectors = rng.normal(size=(7, 5)), rng.normal(size=(4, 5))
    theirs = pyndl.correlation(np.ascontiguousarray(vectors.T), np.ascontiguousarray(predicted.T))
    some.assert_close(measures.correlations(predicted, vectors), theirs.T)


def test_targets_are_names_where_vectors_have_them() -> None:
    vectors = {"up": [1.0, 2.0, 3.0], "down": [3.0, 2.0, 1.0], "flat": [1.0, 1.0, 1.0]}
    predicted = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [5.0, 5.0, 5.0]]
    names = ["up", "down", "flat", "up"]
    # What is flat has no direction, and comes last.
    assert measures.nearness_rank(predicted, vectors, names).tolist() == [1, 2, 3, 3]
    assert measures.nearness_rank(predicted, vectors, [0, 1, 2, 0]).tolist() == [1, 2, 3, 3]
    array = np.array(list(vectors.values()))
    assert measures.nearness_rank(predicted, array, [0, 1, 2, 0]).tolist() == [1, 2, 3, 3]
    assert measures.accuracy(predicted, vectors, names) == 0.25
    assert np.isnan(measures.accuracy(np.zeros((0, 3)), vectors, []))
    with pytest.raises(KeyError, match="no row for the target 'left'"):
        measures.nearness_rank(predicted[:1], vectors, ["left"])
    with pytest.raises(TypeError, match="targets are names, but the vectors have none"):
        measures.nearness_rank(predicted[:1], array, ["up"])
    with pytest.raises(TypeError, match="not the str 'up'"):
        measures.nearness_rank(predicted[:1], vectors, "up")
    with pytest.raises(ValueError, match="rows from 0 to 2, not 3"):
        measures.nearness_rank(predicted[:1], vectors, [3])
    with pytest.raises(ValueError, match="targets must be 4, one for each event, not 1"):
        measures.nearness_rank(predicted, vectors, ["up"])
    with pytest.raises(
        ValueError, match=r"predicted must be a matrix of 3 columns, .* not of shape \(1, 2\)"
    ):
        measures.correlations([[1.0, 2.0]], vectors)
    with pytest.raises(ValueError, match="k must be a whole number of 1 or more, not 0"):
        measures.accuracy(predicted, vectors, names, k=0)
    with pytest.raises(ValueError, match="method must be"):
        measures.accuracy(predicted, vectors, names, method="angle")  # type: ignore[arg-type]


def test_what_has_no_direction_has_no_similarity() -> None:
    weights = rw.Weights([[0.0, 0.0], [1.0, 2.0], [0.1, 0.1]], CUES, ["x", "y"])
    assert np.isnan(measures.similarity(weights)[0]).all()
    assert np.isnan(measures.typicality(weights)).tolist() == [True, False, False]
    assert np.isnan(measures.density(weights)).tolist() == [True, False, False]
    assert np.isnan(measures.similarity(weights, method="correlation")[2]).all()
    assert np.isnan(measures.correlation([[0.1, 0.1, 0.1]], [[1.0, 2.0, 3.0]])).all()


def test_without_weights_there_is_nothing_to_measure() -> None:
    nothing = rw.Weights(np.zeros((0, 2)), [], ["x", "y"])
    assert measures.prior(nothing).tolist() == [0.0, 0.0]
    assert np.isnan(measures.prior(nothing, norm="mad")).all()
    assert measures.typicality(nothing).tolist() == []
    assert measures.density(rw.Weights([[1.0]], ["a"], ["x"])).tolist() == pytest.approx(
        [np.nan], nan_ok=True
    )
    assert measures.margin([""], rw.Weights([[1.0]], ["a"], ["x"]), targets=["x"]).tolist() == [np.inf]
    assert measures.entropy(["", "a"], rw.Weights([[1.0, 0.0]], ["a"], ["x", "y"])).tolist() == [1.0, 0.0]


def test_large_activations_do_not_overflow() -> None:
    weights = rw.Weights([[1e200, -1e200]], ["a"], ["x", "y"])
    assert measures.entropy(["a"], weights, method="softmax").tolist() == [0.0]
    some.assert_close(measures.similarity(weights), [[1.0]])


def test_measures_of_float32_are_float64() -> None:
    weights = rw.Weights(np.array([[0.5, 0.25]], dtype=np.float32), ["a"], ["x", "y"])
    events = rw.read_events([("a", "x")])
    for found in (measures.prior(weights), measures.margin(events, weights), measures.typicality(weights)):
        assert found.dtype == np.float64
    assert measures.rank(events, weights).dtype == np.int64


WEIGHT = rw.Weights([[0.5, 0.25]], ["a"], ["x", "y"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: measures.rank(["a"], WEIGHT), ValueError, r"event 0: expected one outcome, found \[\]"),
        (lambda: measures.rank(rw.read_events([("a", "x"), ("a", "x_y")]), WEIGHT), ValueError, "event 1"),
        (
            lambda: measures.rank(["a"], WEIGHT, targets=["x", "y"]),
            ValueError,
            "targets must be 1, one for each event",
        ),
        (lambda: measures.margin(["a"], WEIGHT, targets="x"), TypeError, "not the str 'x'"),
        (
            lambda: measures.activation(["a"], WEIGHT, targets=["no"]),
            KeyError,
            "do not have the outcome 'no'",
        ),
        (lambda: measures.diversity(["no"], WEIGHT), KeyError, "do not have the cue 'no'"),
        (lambda: measures.diversity(["a"], WEIGHT, norm="no"), ValueError, "norm must be"),  # type: ignore[arg-type]
        (lambda: measures.entropy(["a"], WEIGHT, method="no"), ValueError, "method must be"),  # type: ignore[arg-type]
        (lambda: measures.similarity(WEIGHT, ["no"]), KeyError, "names 'no'"),
        (lambda: measures.similarity(WEIGHT, side="no"), ValueError, "side must be"),  # type: ignore[arg-type]
        (lambda: measures.density(WEIGHT, 0), ValueError, "n must be a whole number of 1 or more, not 0"),
        (lambda: measures.correlation([[1.0]], [[1.0, 2.0]]), ValueError, "of one shape"),
    ],
)
def test_a_wrong_argument_is_named(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


MEASURES: Any = measures


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda e, w: MEASURES.activation(w, e),
            "events must be Events, .*, not Weights; the two are swapped",
        ),
        (lambda e, w: MEASURES.rank(w, e), "the two are swapped: events come first, weights second"),
        (lambda e, w: MEASURES.margin(w, w), "not Weights; events come first"),
        (lambda e, w: MEASURES.diversity(e, e), "weights must be Weights, not an Events; rescorla.learn"),
        (lambda e, w: MEASURES.entropy(e, w.values), "not an ndarray; rescorla.Weights"),
        (lambda e, w: MEASURES.entropy(e, "w.npz"), "not 'w.npz'; rescorla.load_weights"),
        (lambda e, w: MEASURES.prior(e), "weights must be Weights, not an Events"),
        (lambda e, w: MEASURES.similarity(e), "weights must be Weights, not an Events"),
        (lambda e, w: MEASURES.typicality(w.values), "weights must be Weights, not an ndarray"),
        (lambda e, w: MEASURES.density(3, w), "weights must be Weights, not 3"),
        (
            lambda e, w: MEASURES.rank(e, w, threads="2"),
            "threads must be a whole number of 1 or more, not '2'",
        ),
        (lambda e, w: MEASURES.rank(e, w, progress=1), "progress must be"),
        (
            lambda e, w: MEASURES.nearness_rank({"x": [1.0]}, [[1.0]], ["x"]),
            "predicted .* not a dict.*predicted come first",
        ),
        (lambda e, w: MEASURES.correlations({"x": [1.0]}, [[1.0]]), "predicted .* not a dict"),
        (
            lambda e, w: MEASURES.accuracy([[1.0]], {"x": [1.0]}, ["x"], k=1.5),
            "k must be a whole number of 1",
        ),
    ],
)
def test_swapped_and_wrong_things_are_told_apart(call: Any, message: str) -> None:
    events = rw.read_events([("a", "x"), ("b", "y")])
    with pytest.raises(TypeError, match=message):
        call(events, rw.learn(events))


def test_a_target_that_is_nearly_an_outcome_is_asked_for() -> None:
    weights = rw.Weights([[0.5, 0.25]], ["a"], ["heaven", "earth"])
    with pytest.raises(KeyError, match=r"do not have the outcome 'heavn'.*did you mean 'heaven'"):
        measures.rank(["a", "a"], weights, targets=["earth", "heavn"])


def test_no_event_is_decoded_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    events = rw.read_events([("a_b", "x", 2), ("b", "y"), ("a_c", "x"), ("c", "z")] * 50)
    weights = rw.learn(events)
    of_one: list[Any] = [measures.activation, measures.rank, measures.margin]
    every: list[Any] = [*of_one, measures.diversity, measures.entropy]
    targets = [event.outcomes[0] for event in events]
    expected = [measure(events, weights, targets=targets).tolist() for measure in of_one]

    def refuse(*_: object) -> Any:
        raise AssertionError("an event was decoded")

    monkeypatch.setattr(rw.Events, "__iter__", refuse)
    monkeypatch.setattr(directions, "_BLOCK", 30)
    found = [measure(events, weights) for measure in every]
    assert [each.tolist() for each in found[:3]] == expected
    assert [each.shape for each in found] == [(200,)] * 5
    with pytest.raises(AssertionError, match="decoded"):
        list(events)


def test_only_the_columns_of_targets_are_activated(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"o{i}" for i in range(40)]
    weights = rw.Weights(np.arange(80.0).reshape(2, 40), ["a", "b"], names)
    asked: list[Any] = []

    def listening(*arguments: Any, **choices: Any) -> Any:
        asked.append(choices["outcomes"])
        return rw.activations(*arguments, **choices)

    monkeypatch.setattr(_of_events, "activations", listening)
    found = measures.activation(["a", "a_b", "b"], weights, targets=["o7", "o3", "o7"])
    assert found.tolist() == [7.0, 3.0 + 43.0, 47.0]
    assert asked == [["o3", "o7"]]


@pytest.mark.parametrize("measure", ["activation", "rank", "margin", "diversity", "entropy"])
def test_measures_take_threads_and_show_how_far_they_are(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = rw.read_events([("a_b", "x"), ("b", "y"), ("a_c", "z")] * 30)
    weights = rw.learn(events)
    compute: Any = getattr(measures, measure)
    expected = compute(events, weights)
    monkeypatch.setattr(directions, "_BLOCK", 30)
    seen: list[tuple[int, int]] = []
    for threads in (1, 2):
        seen.clear()
        found = compute(events, weights, threads=threads, progress=lambda *at: seen.append(at))
        assert found.tolist() == expected.tolist()
        assert seen == sorted(seen)
        assert seen[-1] == (90, 90)
        # From the start to the end, whatever the blocks.
        assert {total for _, total in seen} == {90}

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute(events, weights, progress=stop)


def test_unknown_cues_can_be_left_out() -> None:
    without: list[Any] = [measures.diversity, measures.entropy]
    for measure in without:
        known, unknown = measure(["a"], WEIGHT), measure(["a_no"], WEIGHT, unknown="ignore")
        assert known.tolist() == unknown.tolist()
    of_targets: list[Any] = [measures.activation, measures.rank, measures.margin]
    for measure in of_targets:
        known = measure(["a"], WEIGHT, targets=["y"])
        assert measure(["a_no"], WEIGHT, targets=["y"], unknown="ignore").tolist() == known.tolist()


def test_a_pair_of_known_cues_is_a_cue_set_as_for_activations() -> None:
    weights = rw.Weights([[0.5, 0.0], [0.25, 1.0]], ["light_left", "tone"], ["x", "y"])
    pair = [("light_left", "tone")]
    assert measures.entropy(pair, weights).shape == (1,)
    expected = rw.activations(pair, weights)
    assert expected.tolist() == [[0.75, 1.0]]
    assert measures.diversity(pair, weights).tolist() == [np.abs(expected).sum()]
    with pytest.raises(ValueError, match="looks like cues and outcomes"):
        measures.diversity([("light_left", "x")], weights)
