"""`trajectories`: after token t the bits of learning the first t tokens."""

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import asked
import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event
from test_learning import BUSY, KERNELS, WIDTHS, initial_weights, learn

EVENTS = some.events(frequencies=st.integers(0, 3))
FALLING = rw.schedules.inverse_time(3)


def record(source: Any, pairs: Any = None, **keywords: Any) -> rw.Trajectories:
    """`trajectories` without warnings, of rates and of entries for names that events lack."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RescorlaWarning)
        return asked.trajectories(source, pairs, **keywords)


def n_tokens(events: Sequence[Event]) -> int:
    return sum(frequency for _, _, frequency in events)


def times(last: int) -> st.SearchStrategy[list[int]]:
    """Some tokens to record, rising."""
    return st.sets(st.integers(0, last)).map(sorted)


# Equal to the reference.


@given(st.data(), EVENTS, some.DUPLICATES, some.DTYPES, some.THREADS, st.booleans())
def test_trajectories_and_predictions_are_those_of_the_reference(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any, threads: int, continued: bool
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(some.initials(cues, outcomes)) if continued else {}
    all_cues = reference.distinct([*(c for c, _ in initial), *cues])
    all_outcomes = reference.distinct([*(o for _, o in initial), *outcomes])
    rule = data.draw(some.rules(all_cues, all_outcomes))
    schedule = data.draw(st.one_of(st.none(), some.schedules(rows)))
    at = data.draw(times(n_tokens(rows)))
    pairs = data.draw(st.one_of(st.none(), some.subsets(list(itertools.product(all_cues, all_outcomes)))))
    wanted: dict[str, Any] = {}
    if pairs is None:
        wanted = {
            "cues": data.draw(st.one_of(st.none(), some.subsets(all_cues))),
            "outcomes": data.draw(st.one_of(st.none(), some.subsets(all_outcomes))),
        }
    chosen_cues = [*dict.fromkeys(c for c, _ in pairs)] if pairs is not None else wanted["cues"]
    chosen = [*dict.fromkeys(o for _, o in pairs)] if pairs is not None else wanted["outcomes"]
    chosen_cues, chosen = (
        names if some is None else some for names, some in ((all_cues, chosen_cues), (all_outcomes, chosen))
    )
    keywords = rule.keywords()
    if isinstance(rule.lambda_, dict):
        keywords["lambda_"] = {outcome: rule.lambda_[outcome] for outcome in chosen}

    traj = record(
        rw.read_events(events, duplicates=duplicates),
        pairs,
        **wanted,
        **keywords,
        at=at,
        dtype=dtype,
        threads=threads,
        initial=initial_weights(initial, dtype) if continued else None,
        schedule=schedule,
        predictions=True,
    )

    assert (list(traj.cues), list(traj.outcomes)) == (chosen_cues, chosen)
    assert traj.pairs == (None if pairs is None else tuple(pairs))
    assert traj.tokens.tolist() == at
    number = float if dtype == np.float64 else dtype
    told = (rule.alpha, rule.beta, rule.lambda_, all_cues, all_outcomes, initial, number)
    with np.errstate(all="ignore"):
        steps = reference.trajectory(
            rows,
            range(n_tokens(rows) + 1),
            *told,
            schedule=reference.unscheduled if schedule is None else schedule.of,
        )
    for time, token in enumerate(at):
        for pair in itertools.product(chosen_cues, chosen) if pairs is None else pairs:
            assert traj[pair][time].tobytes() == dtype(steps[token][pair]).tobytes()

    def activation(token: int, event_cues: Sequence[str], outcome: str) -> Any:
        return reference.activation(steps[token], event_cues, outcome, number)

    tokens = [event for event in rows for _ in range(event[2])]
    assert traj.all_predictions is not None
    assert traj.all_predictions.dtype == dtype
    assert traj.all_predictions.shape == (sum(token > 0 for token in at), len(chosen))
    assert some.bits(traj.all_predictions)[2] == b"".join(
        dtype(activation(token - 1, tokens[token - 1][0], outcome)).tobytes()
        for token in at
        if token > 0
        for outcome in chosen
    )
    before = np.cumsum([0, *(event[2] for event in rows)]).tolist()
    probed = [
        (None, past, tuple(event[0]), outcome, dtype(activation(past, event[0], outcome)).tobytes())
        for past, event in zip(before, rows, strict=False)
        if event[2] == 0 and event[0] and past <= (at[-1] if at else 0)
        for outcome in chosen
    ]
    probes: Any = [] if traj.probes is None else traj.probes
    assert [(*entry.tolist()[:-1], entry["activation"].tobytes()) for entry in probes] == probed
    asked = data.draw(st.lists(st.sampled_from(chosen_cues), max_size=4)) if chosen_cues else []
    if pairs is None or set(itertools.product(asked, chosen)) <= set(pairs):
        summed = traj.activations(asked)
        assert (summed.dtype, summed.shape) == (dtype, (len(at), len(chosen)))
        assert some.bits(summed)[2] == b"".join(
            dtype(activation(token, asked, outcome)).tobytes() for token in at for outcome in chosen
        )

    expected = []
    for token in (token for token in at if token > 0):
        event_cues, event_outcomes, _ = tokens[token - 1]
        for outcome in dict.fromkeys(event_outcomes):
            if outcome in chosen:
                a = activation(token - 1, event_cues, outcome)
                error = number(reference.of(rule.lambda_, outcome)) - a
                expected.append((token, outcome, dtype(a).tobytes(), dtype(error).tobytes()))
    assert traj.predictions is not None
    assert [
        (t, o, a.tobytes(), e.tobytes())
        for t, o, a, e in zip(
            *(traj.predictions[field] for field in ("token", "outcome", "activation", "error")), strict=True
        )
    ] == expected


@given(st.integers(0, 2**32), WIDTHS, some.DTYPES, some.DUPLICATES, some.THREADS, st.data())
def test_over_many_outcomes_the_first_tokens_are_learned(
    seed: int, width: int, dtype: Any, duplicates: Any, threads: int, data: st.DataObject
) -> None:
    events = some.wide_events(seed, 6, 5, width)
    rows = reference.normalised(events, duplicates)
    kernel = data.draw(st.sampled_from([None, *KERNELS]))
    tile = data.draw(st.one_of(st.none(), st.integers(1, 2 * width)))
    at = data.draw(times(n_tokens(rows)))
    rule = {"alpha": 0.3, "beta": (0.1, 0.05), "lambda_": 0.7, "dtype": dtype, "schedule": FALLING}
    source = rw.read_events(events, duplicates=duplicates)
    predictions = data.draw(st.booleans())
    traj = record(source, **rule, at=at, threads=threads, kernel=kernel, tile=tile, predictions=predictions)
    assert kernel in (None, traj.parameters["kernel"])
    for time, token in enumerate(at):
        assert some.bits(traj.values[time]) == some.bits(learn(first_tokens(rows, token), **rule).values)


def first_tokens(rows: Sequence[Event], n: int) -> Any:
    """The first n tokens; all names are known."""
    tokens = [(cues, outcomes, 1) for cues, outcomes, frequency in rows for _ in range(frequency)]
    names = [(cues, outcomes, 0) for cues, outcomes, _ in rows]
    return rw.read_events([*names, *tokens[:n]], duplicates="keep")


@pytest.mark.filterwarnings("ignore:every = ")
@given(EVENTS, some.DTYPES, st.integers(1, 5))
def test_every_is_at_the_beginning_its_multiples_and_the_last_token(
    events: list[Event], dtype: Any, every: int
) -> None:
    source = rw.read_events(events)
    one = record(source, every=every, dtype=dtype)
    # The beginning, multiples, and the last token, be it one or not.
    at = sorted({*range(0, source.n_tokens + 1, every), source.n_tokens})
    other = record(source, at=at, dtype=dtype)
    assert one.tokens.tolist() == at == other.tokens.tolist()
    assert not one.values[0].any()
    assert some.bits(one.values) == some.bits(other.values)


@given(EVENTS, some.DTYPES, st.data())
def test_after_all_tokens_it_is_what_is_learned(events: list[Event], dtype: Any, data: st.DataObject) -> None:
    source = rw.read_events(events)
    rule = data.draw(some.rules(source.cues, source.outcomes)).keywords()
    traj = record(source, **rule, dtype=dtype, at=[source.n_tokens])
    assert some.bits(traj.values[0]) == some.bits(learn(source, **rule, dtype=dtype).values)


@given(EVENTS, some.DTYPES, st.data())
def test_other_names_are_other_labels(events: list[Event], dtype: Any, data: st.DataObject) -> None:
    cues, outcomes = reference.vocabularies(events)
    new_cue = dict(zip(cues, data.draw(st.permutations(cues)), strict=True))
    new_outcome = dict(zip(outcomes, data.draw(st.permutations(outcomes)), strict=True))
    renamed = [([new_cue[c] for c in cs], [new_outcome[o] for o in os], f) for cs, os, f in events]
    old, new = (record(rw.read_events(source), dtype=dtype) for source in (events, renamed))
    for cue, outcome in itertools.product(cues, outcomes):
        assert some.bits(new[new_cue[cue], new_outcome[outcome]]) == some.bits(old[cue, outcome])


@given(EVENTS, some.DTYPES, st.data())
def test_pairs_are_those_of_the_block(events: list[Event], dtype: Any, data: st.DataObject) -> None:
    source = rw.read_events(events)
    pairs = data.draw(some.subsets(list(itertools.product(source.cues, source.outcomes))))
    block, some_of_it = record(source, dtype=dtype), record(source, pairs, dtype=dtype)
    assert some_of_it.values.shape == (source.n_tokens + 1, len(pairs))
    for pair in pairs:
        assert some.bits(some_of_it[pair]) == some.bits(block[pair])


@pytest.mark.parametrize("tile", [None, 40])
def test_threads_and_tiles_at_work_change_no_bit(tile: int | None) -> None:
    source = rw.read_events(BUSY)
    traj = record(source, cues=["c3", "c1"], every=50, threads=3, tile=tile, predictions=True)
    one = record(source, cues=["c3", "c1"], every=50, threads=1, predictions=True)
    assert (traj.parameters["threads"], one.parameters["threads"]) == (3, 1)
    assert some.bits(traj.values) == some.bits(one.values)
    assert traj.predictions is not None
    assert traj.predictions.tolist() == one.predictions.tolist()  # type: ignore[union-attr]
    last = record(source, every=source.n_tokens).values[-1]
    assert some.bits(last) == some.bits(learn(source).values)


# Events as they lie in files.


CHUNK = 65_536


@pytest.mark.parametrize("frequency", [1, 2])
def test_records_fall_anywhere_in_chunks_and_rows(frequency: int) -> None:
    rows = [
        (("a", "b") if i % 3 else ("a",), ("x",) if i % 5 else ("y",), frequency) for i in range(CHUNK + 9)
    ]
    # Before the second chunk, at both ends of it, inside a row.
    edge = CHUNK * frequency
    at = [0, 1, 2, 7, edge - 1, edge, edge + 1, edge + 2, edge + 3, n_tokens(rows)]
    traj = record(rw.read_events(rows), at=at, alpha=0.1, beta=0.1, predictions=True)
    assert traj.predictions is not None
    whole = [row for row in rows for _ in range(frequency)]
    for time, token in enumerate(at):
        weights = learn(
            rw.read_events([*((c, o, 0) for c, o, _ in rows[:16]), *((c, o, 1) for c, o, _ in whole[:token])])
        )
        assert some.bits(traj.values[time]) == some.bits(weights.values)
    for time, (token, outcome, a, error) in enumerate(traj.predictions.tolist(), 1):
        assert token == at[time]
        assert outcome == whole[token - 1][1][0]
        before = record(rw.read_events(rows), at=[token - 1]).values[0]
        names = [traj.cues.index(cue) for cue in whole[token - 1][0]]
        assert a == np.add.reduce([before[i, traj.outcomes.index(outcome)] for i in names])
        assert error == 1.0 - a


def test_outcomes_that_start_late_are_zero_before() -> None:
    source = rw.read_events([("a", "early", 1000), ("a", "late")])
    traj = record(source, at=[0, 999, 1000, 1001], tile=1)
    assert traj["a", "late"].tolist() == [0.0, 0.0, 0.0, 0.1 * 0.1]
    # Minus zero would be another number.
    assert not np.signbit(traj["a", "late"]).any()


def test_predictions_of_outcomes_that_always_come_together() -> None:
    # One of the two is learned, and stands for both.
    traj = record(rw.read_events([("a", "x_y", 3)]), alpha=1.0, beta=0.5, predictions=True)
    assert traj.predictions is not None
    assert traj.predictions["outcome"].tolist() == ["x", "y"] * 3
    assert traj.predictions["activation"].tolist() == [0.0, 0.0, 0.5, 0.5, 0.75, 0.75]
    assert traj.all_predictions is not None
    assert traj.all_predictions.tolist() == [[0.0, 0.0], [0.5, 0.5], [0.75, 0.75]]


def test_absent_outcomes_are_predicted_before_every_token() -> None:
    events = rw.read_events([("tone", "shock", 2), ("tone_light", "", 2), ("light", "food")])
    keywords: dict[str, Any] = {"alpha": 1.0, "beta": 0.5, "predictions": True}
    expected = [[0.0, 0.0], [0.0, 0.5], [0.0, 0.75], [0.0, 0.0], [0.0, -0.375]]
    chosen: list[dict[str, Any]] = [
        {"outcomes": ["food", "shock"]},
        {"outcomes": ["food", "shock"], "cues": []},
        {"pairs": [("light", "food"), ("tone", "shock")]},
    ]
    for names in chosen:
        found = rw.trajectories(events, **names, **keywords).all_predictions
        assert found is not None
        assert found.tolist() == expected
        some_of_it = rw.trajectories(events, at=[3, 5], **names, **keywords)
        assert some_of_it.all_predictions is not None
        assert some_of_it.all_predictions.tolist() == [expected[2], expected[4]]


def test_predictions_of_the_present_outcomes_alone() -> None:
    source = rw.read_events(SMALL)
    every = rw.trajectories(source, predictions=np.True_)  # type: ignore[arg-type]
    present = rw.trajectories(source, predictions="present")
    assert present.all_predictions is None
    assert every.all_predictions is not None
    assert present.predictions is not None
    assert every.predictions is not None
    assert present.predictions.tolist() == every.predictions.tolist()
    without = rw.trajectories(source)
    assert (without.predictions, without.all_predictions) == (None, None)


@given(EVENTS, some.DTYPES, st.data())
def test_activations_are_those_of_the_weights_after_each_token(
    events: list[Event], dtype: Any, data: st.DataObject
) -> None:
    source = rw.read_events(events)
    asked = data.draw(st.lists(st.sampled_from(source.cues), max_size=4)) if source.cues else []
    traj = record(source, alpha=0.3, beta=(0.2, 0.1), dtype=dtype, predictions=True)
    found = traj.activations(asked)
    sets = rw.read_events([(asked, [])], duplicates="keep")
    for values, row in zip(traj.values, found, strict=True):
        weights = rw.Weights(np.ascontiguousarray(values), traj.cues, traj.outcomes)
        assert some.bits(row) == some.bits(rw.activations(sets, weights)[0])
    # What is predicted before a token are the activations of its cues after the one before it.
    tokens = [event.cues for event in source for _ in range(event.frequency)]
    assert traj.all_predictions is not None
    for token, cues in enumerate(tokens):
        assert some.bits(traj.all_predictions[token]) == some.bits(traj.activations(cues)[token])


def test_activations_of_cues_by_name() -> None:
    traj = rw.trajectories(rw.read_events(SMALL), alpha=1.0, beta=0.5)
    light, tone = traj["light", "food"].tolist(), traj["tone", "food"].tolist()
    assert traj.activations("light")[:, traj.outcomes.index("food")].tolist() == light
    assert traj.activations(["light"]).tolist() == traj.activations("light").tolist()
    both = [one + other for one, other in zip(light, tone, strict=True)]
    assert traj.activations(iter(["light", "tone"]))[:, 0].tolist() == both
    assert traj.activations(("light", "light"))[:, 0].tolist() == [2 * weight for weight in light]
    assert traj.activations([]).tolist() == [[0.0, 0.0]] * 5
    pairs = rw.trajectories(rw.read_events(SMALL), [("tone", "food"), ("light", "food"), ("tone", "shock")])
    assert pairs.activations("tone").shape == (5, 2)
    with pytest.raises(KeyError, match="cues names 'light', whose weight to the outcome 'shock' was not"):
        pairs.activations(["tone", "light"])
    with pytest.raises(KeyError, match=r"'Tone', which is none of the 2 .*did you mean 'tone'\?"):
        pairs.activations("Tone")
    with pytest.raises(KeyError, match="cues names 'tone', which is none of the 0 that were recorded"):
        rw.trajectories(rw.read_events(SMALL), []).activations("tone")
    block = rw.trajectories(rw.read_events(SMALL), cues=["light"])
    with pytest.raises(
        KeyError, match=r"cues names 'tone', which is none of the 1 .*cues=\[\.\.\., 'tone'\]"
    ):
        block.activations(["light", "tone"])
    with pytest.raises(TypeError, match="cues must be a name, a str, not 1"):
        block.activations([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="cues must have an order"):
        block.activations({"light"})


def test_a_row_of_frequency_0_is_no_token() -> None:
    start = rw.Weights([[0.5], [0.25]], ["a", "b"], ["x"])
    source = rw.read_events(
        [("a", "x", 0), ("b", "x"), ("a", "x", 0), ("b", "x", 2), ("a", "x", 0), ("b", "x")]
    )
    traj = record(source, initial=start, alpha=1.0, beta=0.5, lambda_=0.25, predictions=True)
    assert traj.predictions is not None
    assert traj.predictions["activation"].tolist() == [0.25] * 4


def test_no_tokens_no_records() -> None:
    traj = record(rw.read_events([("a", "x", 0)]), predictions=True)
    assert (traj.tokens.tolist(), traj.values.tolist()) == ([0], [[[0.0]]])
    assert traj.predictions is not None
    assert len(traj.predictions) == 0
    assert record(rw.read_events([("a", "x", 3)]), []).values.shape == (4, 0)
    assert record(rw.read_events([("a", "x", 3)]), cues=[]).values.shape == (4, 0, 1)
    assert record(rw.read_events([("a", "x", 3)]), at=[]).values.shape == (0, 1, 1)


def test_both_ends_are_recorded_where_there_are_fewer_tokens_than_every() -> None:
    source = rw.read_events([("a", "x", 3)])
    with pytest.warns(rw.RescorlaWarning, match="every = 5 is more than the number of tokens, 3") as seen:
        traj = rw.trajectories(source, every=5)
    assert traj.tokens.tolist() == [0, 3]
    assert traj.values[1, 0, 0] == rw.learn(source)["a", "x"]
    assert len(seen) == 1
    assert record(source, every=3).tokens.tolist() == [0, 3]
    assert record(rw.read_events([("a", "x", 0)]), every=5).tokens.tolist() == [0]


def test_learning_ends_with_the_last_record() -> None:
    # Later tokens would diverge.
    source = rw.read_events([("a", "x", 2), ("b", "x", 9)])
    rule: dict[str, Any] = {"alpha": {"a": 0.1, "b": 1e200}, "beta": 1.0}
    assert record(source, every=2, at=None, **{**rule, "alpha": 0.1}).values.shape == (7, 2, 1)
    assert np.isfinite(record(source, at=[2], **rule).values).all()
    with pytest.raises(FloatingPointError, match="the weight of cue 'b' to outcome 'x' became"):
        record(source, [("a", "x")], **rule)


# What callers say and get.


SMALL = [("light", "food", 2), ("light_tone", "food_shock", 2)]


def test_trajectories_begin_with_the_initial_weights() -> None:
    start = rw.Weights([[0.5], [-0.25]], ["tone", "light"], ["food"])
    traj = rw.trajectories(rw.read_events(SMALL), initial=start, every=3, predictions=True)
    assert traj.tokens.tolist() == [0, 3, 4]
    for cue, outcome in itertools.product(traj.cues, traj.outcomes):
        first = start[cue, outcome] if outcome == "food" else 0.0
        assert traj[cue, outcome][0] == first
    assert traj.predictions is not None
    assert traj.predictions["token"].tolist() == [3, 3, 4, 4]


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        (
            ("Tone", "shock"),
            KeyError,
            "pairs names 'Tone', which is none of the 2 cues there are; did you mean 'tone'?",
        ),
        (
            ("tone", "shok"),
            KeyError,
            "pairs names 'shok', which is none of the 2 outcomes there are; did you mean 'shock'?",
        ),
        (("tone", 1), TypeError, "pairs must be pairs (cue, outcome) of names, but 1 is no name; write '1'"),
        (
            ("tone", ["shock"]),
            TypeError,
            "pairs must be pairs (cue, outcome) of names, but a list is no name; write a str",
        ),
        (np.float64(1.0), TypeError, "pairs must be pairs (cue, outcome) of names, not 1.0"),
    ],
)
def test_unknown_names_of_pairs_are_told_as_pairs(pair: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        rw.trajectories(rw.read_events(SMALL), [("light", "food"), pair])
    assert caught.value.args[0] == message
    # Those of initial weights are known, too.
    start = rw.Weights([[0.5, 0.0]], ["Tone"], ["pain", "shock"])
    found = rw.trajectories(rw.read_events(SMALL), [("Tone", "pain")], initial=start)
    assert found.values[0].tolist() == [0.5]


def test_labels() -> None:
    pairs = [("tone", "shock"), ("light", "food")]
    traj = rw.trajectories(rw.read_events(SMALL), pairs, every=2)
    assert repr(traj).split("\n")[0] == "<Trajectories: 3 tokens x 2 pairs, float64>"
    assert (traj.cues, traj.outcomes, traj.pairs) == (("tone", "light"), ("shock", "food"), tuple(pairs))
    assert traj.predictions is None
    assert traj["tone", "shock"].tolist() == traj.values[:, 0].tolist()
    with pytest.raises(KeyError, match=r"\('tone', 'food'\) is none of the 2"):
        traj["tone", "food"]
    with pytest.raises(TypeError, match="two names"):
        traj["tone"]  # type: ignore[index]
    block = rw.trajectories(rw.read_events(SMALL), outcomes=["shock"], dtype="float32")
    assert repr(block).split("\n")[0] == "<Trajectories: 5 tokens x 2 cues x 1 outcomes, float32>"
    assert block["tone", "shock"].tolist() == block.values[:, 1, 0].tolist()
    with pytest.raises(KeyError, match=r"\('Tone', 'food'\) is none of the 2 .*; did you mean 'tone'\?"):
        traj["Tone", "food"]
    # Both names are there, and neither is asked for.
    with pytest.raises(KeyError, match=r"\('tone', 'food'\) is none of the 2 [^?]*$"):
        traj["tone", "food"]
    with pytest.raises(KeyError, match="the cue 'food' is none of the 2"):
        block["food", "shock"]
    with pytest.raises(KeyError, match="the outcome 'food' is none of the 1"):
        block["tone", "food"]
    with pytest.raises(KeyError, match=r"'Tone' is none of the 2 that were recorded; did you mean 'tone'\?"):
        block["Tone", "shock"]
    with pytest.raises(KeyError, match=r"'shock' is an outcome: write \[cue, outcome\]"):
        block["shock", "tone"]
    with pytest.raises(KeyError, match=r"such as \(\('tone', 'shock'\), .*; did you mean 'tone'\?"):
        traj["Tone", "shock"]


def test_parameters() -> None:
    start = rw.Weights([[0.5]], ["tone"], ["food"])
    source = rw.read_events(SMALL)
    alpha = {"tone": 0.2, "light": 0.1}
    traj = rw.trajectories(
        source, [("light", "food")], alpha=alpha, beta=(0.2, 0.1), schedule=FALLING, initial=start, at=[1]
    )
    expected = {
        "rule": "rescorla_wagner",
        "alpha": [0.1],
        "beta1": 0.2,
        "beta2": 0.1,
        "lambda": 1.0,
        "schedule": "inverse_time(tau=3.0)",
        "n_events": 2,
        "n_tokens": 4,
        "method": "forward",
        "continued": True,
    }
    assert {name: traj.parameters[name] for name in expected} == expected


@pytest.mark.parametrize("pairs", [None, [("tone", "shock"), ("light", "food"), ("light", "shock")]])
def test_xarray_and_pandas_have_the_same_numbers(pairs: Any) -> None:
    traj = rw.trajectories(rw.read_events(SMALL), pairs, at=[0, 3], alpha=[0.1, 0.2], initial=None)
    array, frame = traj.to_xarray(), traj.to_pandas()
    assert array.dims == (("token", "cue", "outcome") if pairs is None else ("token", "pair"))
    assert array.token.values.tolist() == frame.index.tolist() == [0, 3]
    assert (frame.index.name, frame.columns.names) == ("token", ["cue", "outcome"])
    assert array.attrs["rule"] == "rescorla_wagner"
    names = list(itertools.product(traj.cues, traj.outcomes)) if pairs is None else pairs
    assert frame.columns.tolist() == names
    if pairs is not None:
        assert list(zip(array.cue.values, array.outcome.values, strict=True)) == pairs
    for place, (cue, outcome) in enumerate(names):
        found = array.sel(cue=cue, outcome=outcome) if pairs is None else array[:, place]
        assert frame[cue, outcome].tolist() == found.values.tolist() == traj[cue, outcome].tolist()


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"pairs": [("tone", "x")]}, KeyError, "pairs names 'x', which is none of the 2 outcomes"),
        ({"pairs": [("x", "food")]}, KeyError, "pairs names 'x', which is none of the 2 cues"),
        ({"pairs": [("tone", "food")] * 2}, ValueError, "names .* twice"),
        ({"pairs": ["tone_food"]}, TypeError, "pairs must be pairs"),
        ({"pairs": [("tone", "food", "x")]}, TypeError, "pairs must be pairs"),
        ({"pairs": [], "cues": ["tone"]}, ValueError, "pairs does not go with cues or outcomes"),
        ({"predictions": "all"}, ValueError, "predictions must be False or True or 'present', not 'all'"),
        ({"predictions": 1}, ValueError, "predictions must be False or True or 'present', not 1"),
        ({"every": 0}, ValueError, "every must be a whole number of 1 or more"),
        ({"every": 2, "at": [1]}, ValueError, "every and at"),
        ({"at": [1, 5]}, ValueError, "from 0 to 4, as the events have, not 5"),
        ({"at": [-1, 5]}, ValueError, "not -1"),
        ({"at": [1, 3, 3]}, ValueError, "3 comes after 3"),
        ({"at": [0.5]}, TypeError, "whole numbers of tokens from 0 to 4, not 0.5; write"),
        ({"at": [True]}, TypeError, "whole numbers of tokens from 0 to 4, not True; write"),
        ({"at": ["1"]}, TypeError, "whole numbers of tokens from 0 to 4, not '1'; write"),
        ({"at": 1}, TypeError, r"at must be several numbers of tokens, not 1; write \["),
        ({"cues": ["Tone"]}, KeyError, r"did you mean 'tone'\?"),
        ({"pairs": [("tone", "Food")]}, KeyError, r"did you mean 'food'\?"),
        ({"dtype": "int8"}, ValueError, "dtype"),
        ({"alpha": np.nan}, ValueError, "alpha must be finite"),
        ({"initial": 1}, TypeError, "initial must be Weights"),
        ({"schedule": lambda t: t[1:]}, ValueError, "4 numbers for tokens 1 to 4"),
    ],
)
def test_what_cannot_be_done_is_refused(
    keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rw.trajectories(rw.read_events(SMALL), **keywords)


def test_a_schedule_is_asked_for_what_is_learned() -> None:
    asked: list[int] = []

    def schedule(tokens: Any) -> Any:
        asked.extend(tokens)
        return np.ones(len(tokens))

    rw.trajectories(rw.read_events(SMALL), at=[0, 3], schedule=schedule)
    assert asked == [1, 2, 3]


def test_the_rate_must_be_safe_here_too() -> None:
    with pytest.warns(RuntimeWarning, match="safe only below 1") as seen:
        rw.trajectories(rw.read_events(SMALL), alpha=1.0, beta=1.0, at=[1])
    assert seen[0].filename == __file__


@pytest.mark.parametrize(("n", "every", "what"), [(2**32 - 1, 1, "the tokens to record"), (10**6, 7, "")])
def test_what_needs_more_memory_than_there_is_is_refused(n: int, every: int, what: str) -> None:
    names = "_".join(f"n{i}" for i in range(1000))
    source = rw.read_events([(names, names, n)] * 1000)
    size = (1 + -(-n * 1000 // every)) * 8
    message = f"{what} need {size} bytes" if what else f"trajectories need {size * 1000 * 1000} bytes"
    with pytest.raises(MemoryError, match=message):
        rw.trajectories(source, every=every)


def test_predictions_of_all_outcomes_need_memory() -> None:
    names = "_".join(f"n{i}" for i in range(1000))
    source = rw.read_events([(names, names, 10**6)] * 1000)
    size = 8 * 1000 * (1 + 10**9 // 7 + 1)
    with pytest.raises(MemoryError, match=f'predictions need {size} bytes .* predictions="present"'):
        rw.trajectories(source, cues=[], every=7, predictions=True)


# One after another.


@given(st.data(), EVENTS, some.DTYPES)
def test_parts_that_go_on_are_those_of_all_events(
    data: st.DataObject, events: list[Event], dtype: Any
) -> None:
    source = rw.read_events(events)
    rule = data.draw(some.rules(source.cues, source.outcomes)).keywords()
    ends = sorted(data.draw(st.sets(st.integers(0, len(events)), max_size=3)) | {0, len(events)})
    how: dict[str, Any] = {**rule, "dtype": dtype, "predictions": True}
    how["cues"], how["outcomes"] = source.cues, source.outcomes
    parts, weights = (
        [],
        rw.Weights(np.zeros((source.n_cues, source.n_outcomes), dtype), *reference.vocabularies(events)),
    )
    for start, end in itertools.pairwise(ends):
        some_events = source[start:end]
        parts.append(record(some_events, initial=weights, **how))
        weights = learn(some_events, initial=weights, **rule, dtype=dtype, threads=1)
    whole, joined = record(source, **how), rw.Trajectories.concat(parts or [record(source, **how)])
    assert joined.tokens.tolist() == whole.tokens.tolist()
    for name in ("values", "all_predictions"):
        assert some.bits(getattr(joined, name)) == some.bits(getattr(whole, name))
    assert joined.predictions is not None
    assert joined.predictions.tolist() == whole.predictions.tolist()  # type: ignore[union-attr]
    assert joined.parameters["n_tokens"] == source.n_tokens


def test_parts_keep_phases_probes_and_saliences() -> None:
    first, second = rw.design("first: A+ 3 / A?"), rw.design("second: A- 2 / A?")
    how: dict[str, Any] = {"rule": "mackintosh", "beta": 0.2}
    weights = rw.learn(first, **how)
    whole = rw.Trajectories.concat(
        [rw.trajectories(first, **how), rw.trajectories(second, initial=weights, **how)]
    )
    assert whole.phases["second"] == (range(len(first), len(first) + len(second)), range(3, 5))
    assert whole.probes is not None
    assert whole.probes[["phase", "token"]].tolist() == [("first", 2), ("second", 4)]
    assert whole.saliences is not None
    assert whole.saliences.shape == whole.values.shape == (6, 1, 1)
    with pytest.warns(rw.RescorlaWarning, match="phases named 'first'"):
        assert not rw.Trajectories.concat(
            [rw.trajectories(first), rw.trajectories(first, initial=rw.learn(first))]
        ).phases


def test_parts_that_do_not_go_on_are_refused() -> None:
    events = rw.read_events([("a", "x"), ("a_b", "x")])
    traj, weights = rw.trajectories(events), rw.learn(events)
    with pytest.raises(ValueError, match=r"parts\[1\] begins with other weights than parts\[0\] ends with"):
        rw.Trajectories.concat([traj, traj])
    with pytest.raises(ValueError, match="recorded the same pairs"):
        rw.Trajectories.concat([traj, rw.trajectories(events, [("a", "x")], initial=weights)])
    with pytest.raises(ValueError, match="of one dtype, but parts"):
        rw.Trajectories.concat([traj, rw.trajectories(events, initial=weights, dtype="float32")])
    with pytest.raises(ValueError, match="one or more"):
        rw.Trajectories.concat([])
    for wrong in (traj, [weights]):
        with pytest.raises(TypeError, match="parts must be"):
            rw.Trajectories.concat(wrong)  # type: ignore[arg-type]
    # The moment between them is there once, or not at all.
    rest = rw.trajectories(events, initial=weights, at=[1])
    assert rw.Trajectories.concat([traj, rest]).tokens.tolist() == [0, 1, 2, 3]
    assert rw.Trajectories.concat([rw.trajectories(events, at=[1]), rest]).tokens.tolist() == [1, 3]
