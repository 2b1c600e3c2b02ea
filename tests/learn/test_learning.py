"""`learn`: equal to the reference bit for bit, whatever the machine, the layout and the order of the work."""

import multiprocessing
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
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
from rescorla._shared import testing

LAYOUTS = ["iterable", "tab", "gz", "zst", "csv", "file"]
WIDTHS = st.sampled_from([1, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130])
QUIET = pytest.mark.filterwarnings("ignore:.*safe:RuntimeWarning")


def kernels() -> list[str]:
    """The instruction sets that this machine has."""
    events = rw.read_events([(["a"], ["x"], 1)])
    found = []
    for kernel in ("portable", "neon", "avx2", "avx512"):
        try:
            asked.learn(events, kernel=kernel)
        except ValueError as error:
            if kernel not in str(error):
                raise
            continue
        found.append(kernel)
    return found


KERNELS = [testing.everywhere["kernel"]] if "kernel" in testing.everywhere else kernels()


def learn(source: Any, **keywords: Any) -> Any:
    """`learn` by the forward method, without warnings of rates and of initial weights of other names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", "initial shares no name", rw.RescorlaWarning)
        return asked.learn(source, method="forward", **keywords)


def assert_reference(result: Any, expected: np.ndarray[Any, Any]) -> None:
    """The reference's bits under its labels."""
    assert some.bits(result.values) == some.bits(expected)


# Equal to the reference.


@given(st.data(), some.events(), some.DUPLICATES, some.DTYPES, some.THREADS, st.booleans())
def test_learn_is_the_reference(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any, threads: int, background: bool
) -> None:
    constant = "constant" if background else None
    rows = reference.normalised(events, duplicates, constant)
    cues, outcomes = reference.vocabularies(rows)
    rule = data.draw(some.rules(cues, outcomes))
    source = rw.read_events(events, duplicates=duplicates, background=constant)
    result = learn(source, **rule.keywords(), dtype=dtype, threads=threads)
    assert (tuple(result.cues), tuple(result.outcomes)) == (cues, outcomes)
    assert_reference(result, some.reference_weights(rows, rule, cues, outcomes, dtype))


@given(st.data(), some.events(), some.DUPLICATES, some.DTYPES)
def test_learn_from_initial_weights_is_the_reference(
    data: st.DataObject, events: list[Event], duplicates: Any, dtype: Any
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    initial = data.draw(some.initials(cues, outcomes))
    all_cues = reference.distinct([*(c for c, _ in initial), *cues])
    all_outcomes = reference.distinct([*(o for _, o in initial), *outcomes])
    rule = data.draw(some.rules(all_cues, all_outcomes))
    start = initial_weights(initial, dtype)
    result = learn(
        rw.read_events(events, duplicates=duplicates), **rule.keywords(), dtype=dtype, initial=start
    )
    assert (list(result.cues), list(result.outcomes)) == (all_cues, all_outcomes)
    assert_reference(result, some.reference_weights(rows, rule, all_cues, all_outcomes, dtype, initial))


def initial_weights(initial: dict[tuple[str, str], float], dtype: Any = np.float64) -> Any:
    cues = reference.distinct(c for c, _ in initial)
    outcomes = reference.distinct(o for _, o in initial)
    return rw.Weights(reference.matrix(initial, cues, outcomes, dtype), cues, outcomes)


@given(st.integers(0, 2**32), WIDTHS, some.DTYPES, some.DUPLICATES, some.THREADS, st.data())
def test_learn_over_many_outcomes_is_the_reference(
    seed: int, width: int, dtype: Any, duplicates: Any, threads: int, data: st.DataObject
) -> None:
    events = some.wide_events(seed, 6, 5, width)
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    rule = some.Rule(dict(zip(cues, (0.1, 0.3, 0.0, 0.2, 0.07), strict=False)), (0.1, 0.05), 0.7)
    kernel = data.draw(st.sampled_from([None, *KERNELS]))
    tile = data.draw(st.one_of(st.none(), st.integers(1, 2 * width)))
    source = rw.read_events(events, duplicates=duplicates)
    result = learn(source, **rule.keywords(), dtype=dtype, threads=threads, kernel=kernel, tile=tile)
    assert kernel in (None, result.parameters["kernel"])
    assert_reference(result, some.reference_weights(rows, rule, cues, outcomes, dtype))


# Below a certain amount of work the engine starts no threads; this is more.
BUSY = some.wide_events(4, 600, 40, 1500)


def test_threads_at_work_change_no_bit() -> None:
    one, three = (learn(rw.read_events(BUSY), threads=threads) for threads in (1, 3))
    assert (one.parameters["threads"], three.parameters["threads"]) == (1, 3)
    assert some.bits(three.values) == some.bits(one.values)


def test_more_events_than_a_chunk_holds_are_as_many_tokens() -> None:
    # The late outcome has a tile of its own, which starts in the middle of the first chunk.
    early: list[Event] = [(("a",), tuple(f"o{j}" for j in range(8)), 1)] * 5
    late: Event = (("a", "b"), ("late",), 1)
    many, few = [*early, *[late] * 70_000], [*early, (*late[:2], 70_000)]
    weights = [learn(rw.read_events(events), alpha=0.01, beta=0.001, tile=1) for events in (many, few)]
    assert some.bits(weights[0].values) == some.bits(weights[1].values)


def test_a_sum_starts_at_plus_zero() -> None:
    # A weight of -0.0 is summed to +0.0, so that the error -0.0 - 0.0 leaves the weight what it was.
    start = rw.Weights([[-0.0]], ["a"], ["x"])
    result = learn(rw.read_events([("a", "x")]), lambda_=-0.0, initial=start)
    assert_reference(result, np.array([[-0.0]]))


@pytest.mark.filterwarnings("ignore:.*(and no _|by blanks at their ends)")
@some.MAY_HAVE_BLANKS
@pytest.mark.parametrize("layout", LAYOUTS)
@given(events=some.events(some.TABLE_NAMES), duplicates=some.DUPLICATES)
def test_every_layout_gives_the_same_weights(
    layout: str, folder: Path, events: list[Event], duplicates: Any
) -> None:
    rows = reference.normalised(events, duplicates)
    cues, outcomes = reference.vocabularies(rows)
    result = learn(source_in(layout, events, duplicates, folder), alpha=0.1, beta=(0.1, 0.05))
    assert (tuple(result.cues), tuple(result.outcomes)) == (cues, outcomes)
    assert_reference(result, some.reference_weights(rows, some.Rule(0.1, (0.1, 0.05), 1.0), cues, outcomes))


def source_in(layout: str, events: Sequence[Event], duplicates: Any, folder: Path) -> Any:
    """The events in one of the layouts, as something that `learn` takes."""
    if layout == "iterable":
        return rw.read_events(iter(events), duplicates=duplicates)
    if layout == "file":
        rw.read_events(events, folder / "events.bin", duplicates=duplicates)
        return folder / "events.bin"
    path = some.write_layout(layout, events, folder)
    return path if duplicates == "drop" else rw.read_events(path, duplicates=duplicates)


# The algebra of the rule.


@given(some.events(), some.DTYPES)
def test_a_frequency_is_a_number_of_equal_events(events: list[Event], dtype: Any) -> None:
    tokens = [(c, o, 1) for c, o, frequency in events for _ in range(frequency)]
    once = learn(rw.read_events([(c, o, 0) for c, o, _ in events] + tokens), dtype=dtype)
    assert some.bits(once.values) == some.bits(learn(rw.read_events(events), dtype=dtype).values)


@given(some.events(), some.events(), some.DTYPES, st.data())
def test_learning_on_is_learning_at_once(
    first: list[Event], second: list[Event], dtype: Any, data: st.DataObject
) -> None:
    cues, outcomes = reference.vocabularies([*first, *second])
    rule = data.draw(some.rules(cues, outcomes)).keywords()
    halfway = learn(rw.read_events(first), **restricted(rule, first), dtype=dtype)
    before = halfway.values.copy()
    whole = learn(rw.read_events([*first, *second]), **rule, dtype=dtype)
    assert some.by_label(
        learn(rw.read_events(second), **rule, dtype=dtype, initial=halfway)
    ) == some.by_label(whole)
    assert some.bits(halfway.values) == some.bits(before)


def restricted(rule: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
    """The rule with the parameters of these events' names alone."""
    known = dict(zip(("alpha", "lambda_"), reference.vocabularies(events), strict=True))
    return {
        key: {name: value[name] for name in known[key]} if isinstance(value, dict) else value
        for key, value in rule.items()
    }


@given(some.events(), some.DTYPES, st.integers(-8, 8))
def test_a_power_of_two_in_lambda_is_one_in_the_weights(events: list[Event], dtype: Any, power: int) -> None:
    source = rw.read_events(events)
    # No weight is so small that halving it rounds.
    unit = learn(source, alpha=0.25, beta=0.25, dtype=dtype).values
    factor = dtype(2.0**power)
    assert some.bits(
        learn(source, alpha=0.25, beta=0.25, lambda_=2.0**power, dtype=dtype).values
    ) == some.bits(unit * factor)


@given(some.events(), st.data())
def test_linear_in_lambda(events: list[Event], data: st.DataObject) -> None:
    source = rw.read_events(events)
    lambdas = st.fixed_dictionaries(dict.fromkeys(source.outcomes, st.floats(-10, 10)))
    one, two = data.draw(lambdas), data.draw(lambdas)
    both = {name: 2 * one[name] - 3 * two[name] for name in one}
    parts = [learn(source, lambda_=part).values for part in (one, two, both)]
    some.assert_close(parts[2], 2 * parts[0] - 3 * parts[1], 1e-12)


@given(some.events(), some.DTYPES, st.data())
def test_other_names_permute_rows_and_columns(events: list[Event], dtype: Any, data: st.DataObject) -> None:
    cues, outcomes = reference.vocabularies(events)
    new_cue = dict(zip(cues, data.draw(st.permutations(cues)), strict=True))
    new_outcome = dict(zip(outcomes, data.draw(st.permutations(outcomes)), strict=True))
    renamed = [([new_cue[c] for c in cs], [new_outcome[o] for o in os], f) for cs, os, f in events]
    old, new = learn(rw.read_events(events), dtype=dtype), learn(rw.read_events(renamed), dtype=dtype)
    assert {
        (new_cue[c], new_outcome[o]): bits for (c, o), bits in some.by_label(old).items()
    } == some.by_label(new)


@given(some.events(), some.DTYPES, some.THREADS, st.data())
def test_other_ids_permute_rows_and_columns(
    events: list[Event], dtype: Any, threads: int, data: st.DataObject
) -> None:
    cues, outcomes = reference.vocabularies(events)
    # A first event of frequency 0 gives the ids in another order and teaches nothing.
    order = (data.draw(st.permutations(cues)), data.draw(st.permutations(outcomes)), 0)
    other = learn(rw.read_events([order, *events]), dtype=dtype, threads=threads)
    assert (list(other.cues), list(other.outcomes)) == (list(order[0]), list(order[1]))
    assert some.by_label(other) == some.by_label(learn(rw.read_events(events), dtype=dtype))


@given(some.events(), some.DTYPES, some.THREADS, st.data())
def test_chosen_outcomes_and_cues_are_columns_and_rows_of_the_whole(
    events: list[Event], dtype: Any, threads: int, data: st.DataObject
) -> None:
    source = rw.read_events(events)
    rule = data.draw(some.rules(source.cues, source.outcomes)).keywords()
    outcomes = data.draw(st.one_of(st.none(), some.subsets(source.outcomes)))
    cues = data.draw(st.one_of(st.none(), some.subsets(source.cues)))
    chosen = chosen_lambda(rule, outcomes)
    part = learn(source, **chosen, dtype=dtype, threads=threads, cues=cues, outcomes=outcomes)
    assert list(part.cues) == list(source.cues if cues is None else cues)
    assert list(part.outcomes) == list(source.outcomes if outcomes is None else outcomes)
    whole = some.by_label(learn(source, **rule, dtype=dtype))
    assert some.by_label(part) == {(c, o): whole[c, o] for c in part.cues for o in part.outcomes}


def chosen_lambda(rule: dict[str, Any], outcomes: Sequence[str] | None) -> dict[str, Any]:
    """The rule with a lambda for each of the outcomes chosen."""
    if outcomes is None or not isinstance(rule["lambda_"], dict):
        return rule
    return {**rule, "lambda_": {name: rule["lambda_"][name] for name in outcomes}}


@given(some.events(), some.DTYPES, st.data())
def test_a_cue_of_no_salience_keeps_its_row(events: list[Event], dtype: Any, data: st.DataObject) -> None:
    cues, outcomes = reference.vocabularies(events)
    values = st.floats(-2, 2, width=32).map(lambda value: value + 0.0)
    initial = {(c, o): data.draw(values) for c in cues for o in outcomes}
    frozen = set(data.draw(some.subsets(cues)))
    alpha = {cue: 0.0 if cue in frozen else 0.1 for cue in cues}
    result = learn(rw.read_events(events), alpha=alpha, initial=initial_weights(initial, dtype), dtype=dtype)
    for i, cue in enumerate(result.cues):
        if cue in frozen:
            assert list(result.values[i]) == [dtype(initial[cue, outcome]) for outcome in result.outcomes]


@given(some.events(), some.DTYPES)
def test_names_that_never_occur_change_nothing(events: list[Event], dtype: Any) -> None:
    plain = some.by_label(learn(rw.read_events(events), dtype=dtype))
    never = (["a cue that never occurs"], ["an outcome that never occurs"], 0)
    for extended in ([never, *events], [*events, never]):
        result = learn(rw.read_events(extended), dtype=dtype)
        more = some.by_label(result)
        assert {pair: more[pair] for pair in plain} == plain
        assert not result.row(never[0][0]).any()
        assert not result.column(never[1][0]).any()


# Rates and numbers out of bounds.


@QUIET
@given(some.events(max_events=4), st.sampled_from([1e100, 1e160]), some.DTYPES)
def test_a_weight_that_leaves_the_finite_numbers_is_an_error(
    events: list[Event], rate: float, dtype: Any
) -> None:
    cues, outcomes = reference.vocabularies(reference.normalised(events))
    if dtype == np.float32:
        rate = np.sqrt(np.sqrt(rate)) * 1e-10
    expected = some.reference_weights(
        reference.normalised(events), some.Rule(rate, 1.0, 1.0), cues, outcomes, dtype
    )
    source = rw.read_events(events)
    if np.isfinite(expected).all():
        assert_reference(rw.learn(source, alpha=rate, beta=1.0, dtype=dtype, method="forward"), expected)
    else:
        with pytest.raises(FloatingPointError, match="diverges"):
            rw.learn(source, alpha=rate, beta=1.0, dtype=dtype, method="forward")


@QUIET
def test_of_several_weights_that_diverge_the_first_is_named() -> None:
    # Tiles of equal work on several threads: without an order of errors any tile's may come out.
    source = rw.read_events([(["a"], [f"o{j}" for j in range(64)], 1_000_000)])
    with pytest.raises(FloatingPointError, match="'a' to outcome 'o0' "):
        learn(source, alpha=1.0, beta=3.0, threads=4, tile=8)


def test_the_weight_that_diverges_has_its_own_name() -> None:
    # Of x and y only y occurs; z, the second to occur, diverges.
    source = rw.read_events([(["a"], ["x"], 0), (["a"], ["y"], 1), (["b"], ["z"], 9)])
    rule = {"alpha": {"a": 0.1, "b": 1e200}, "beta": (1.0, 0.0)}
    with pytest.raises(FloatingPointError, match="'b' to outcome 'z' became "):
        learn(source, **rule)


def test_a_rate_that_is_not_safe_is_a_warning_that_names_the_safe_one() -> None:
    events = [(["a", "b"], ["x"], 1), (["a", "a"], ["y"], 1), (["a"] * 9, [], 0)]
    # Two cues once each: kappa = 2 alpha. One cue twice: kappa = 4 alpha.
    with pytest.warns(RuntimeWarning, match="safe"):
        rw.learn(rw.read_events(events), alpha=0.5, beta=(0.1, 2.0))
    with pytest.warns(RuntimeWarning, match="safe"):
        rw.learn(rw.read_events(events, duplicates="keep"), alpha=0.5, beta=1.0)
    rw.learn(rw.read_events(events), alpha=0.5, beta=1.99)
    rw.learn(rw.read_events(events, duplicates="keep"), alpha=0.5, beta=0.99)
    rw.learn(rw.read_events(events), alpha={"a": 0.0, "b": 0.5}, beta=3.0)
    # Initial weights number the cues in another order.
    start = rw.Weights([[0.0]], ["b"], ["x"])
    with pytest.warns(RuntimeWarning, match="safe"):
        rw.learn(rw.read_events([("a", "x")]), alpha={"a": 0.5, "b": 0.0}, beta=4.0, initial=start)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "name", ["alpha", "beta", "beta1", "beta2", "lambda_", "alpha of a", "lambda_ of x", "initial"]
)
def test_a_parameter_that_is_no_finite_number_is_refused(name: str, value: float) -> None:
    source = rw.read_events([(["a", "b"], ["x", "y"], 1)])
    special: dict[str, dict[str, Any]] = {
        "beta1": {"beta": (value, 0.1)},
        "beta2": {"beta": (0.1, value)},
        "alpha of a": {"alpha": {"a": value, "b": 0.1}},
        "lambda_ of x": {"lambda_": {"x": value, "y": 1.0}},
        "initial": {"initial": rw.Weights(np.array([[value]]), ["a"], ["x"])},
    }
    with pytest.raises(ValueError, match="finite"):
        rw.learn(source, **special.get(name, {name: value}))


@pytest.mark.parametrize(
    "keywords",
    [
        {"outcomes": ["z"]},
        {"cues": ["z"]},
        {"alpha": {"a": 0.1}},
        {"lambda_": {"x": 1.0}},
    ],
)
def test_an_unknown_or_missing_name_is_a_key_error(keywords: dict[str, Any]) -> None:
    with pytest.raises(KeyError):
        rw.learn(rw.read_events([(["a", "b"], ["x", "y"], 1)]), **keywords)


# Names that do nothing.


def test_a_mapping_needs_the_names_of_the_events_alone() -> None:
    initial = rw.Weights(np.array([[0.5, 0.1], [0.25, 0.2]]), ["old", "light"], ["gone", "food"])
    events = rw.read_events([("light_tone", "food_shock", 3)])
    alpha, lambda_ = {"light": 0.2, "tone": 0.3}, {"food": 2.0, "shock": 1.0}
    for method in ("forward", "adjoint"):
        found = rw.learn(events, alpha=alpha, lambda_=lambda_, initial=initial, method=method)
        whole = rw.learn(
            events,
            alpha={**alpha, "old": 0.7},
            lambda_={**lambda_, "gone": 5.0},
            initial=initial,
            method=method,
        )
        assert some.bits(found.values) == some.bits(whole.values)
        # What was given is told, and 0 where nothing was needed.
        assert found.parameters["alpha"] == [0.0, 0.2, 0.3]
        assert found.parameters["lambda"] == [0.0, 2.0, 1.0]
        assert whole.parameters["alpha"] == [0.7, 0.2, 0.3]
        assert whole.parameters["lambda"] == [5.0, 2.0, 1.0]
    chosen = rw.learn(events, alpha=alpha, initial=initial, cues=["tone", "old"], method="forward")
    assert chosen.parameters["alpha"] == [0.3, 0.0]
    with pytest.raises(KeyError, match="alpha has no entry for the cue 'tone'"):
        rw.learn(events, alpha={"light": 0.2, "old": 0.7}, initial=initial)
    with pytest.raises(KeyError, match="lambda_ has no entry for the outcome 'shock'"):
        rw.learn(events, lambda_={"food": 2.0, "gone": 0.7}, initial=initial)
    with pytest.raises(ValueError, match=r"alpha must be finite .* not nan .*'old'"):
        rw.learn(events, alpha={**alpha, "old": np.nan}, initial=initial)


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        (
            {"alpha": {"light": 0.1, "lihgt": 0.2}},
            r"alpha has entries for 'lihgt', not a cue of .*; did you mean 'light'\?",
        ),
        (
            {"lambda_": {"food": 0.1, **{f"n{i}": 1.0 for i in range(7)}}},
            "lambda_ has entries for 'n0', 'n1', 'n2', 'n3', 'n4' and 2 more, not outcomes of ",
        ),
    ],
)
def test_entries_for_names_that_are_nowhere_are_a_warning(
    keywords: dict[str, Any], message: str, in_place: bool
) -> None:
    events = rw.read_events([("light", "food")])
    weights = rw.Weights([[0.0]], ["light"], ["food"]) if in_place else None
    more: dict[str, Any] = {"initial": weights, "out": weights} if in_place else {}
    with pytest.warns(rw.RescorlaWarning, match=message) as caught:
        rw.learn(events, **keywords, **more)
    assert [warning.filename for warning in caught] == [__file__]


def test_entries_for_names_that_are_not_chosen_are_none() -> None:
    events = rw.read_events([("light_tone", "food_shock")])
    rw.learn(
        events, lambda_={"food": 1.0, "shock": 2.0}, outcomes=["food"], alpha={"light": 0.1, "tone": 0.2}
    )


def test_initial_weights_without_a_name_of_the_events_are_a_warning() -> None:
    events = rw.read_events([("#li_lig", "food")])
    letters = rw.Weights(np.zeros((2, 1)), ["l", "i"], ["shock"])
    with pytest.warns(
        rw.RescorlaWarning, match="initial shares no name .* '#li', 'lig', .* 'l', 'i': "
    ) as one:
        result = rw.learn(events, initial=letters)
    assert [warning.filename for warning in one] == [__file__]
    assert result.values.shape == (4, 2)
    for cue, outcome in [("lig", "shock"), ("l", "food")]:
        rw.learn(events, initial=rw.Weights([[0.0]], [cue], [outcome]))
    rw.learn(rw.read_events([]), initial=letters)


def test_weights_are_no_events() -> None:
    weights: Any = rw.Weights([[0.0]], ["a"], ["x"])
    with pytest.raises(TypeError, match=r"found weights: learn\(events, initial=weights\) goes on from them"):
        rw.learn(weights)


def test_what_two_rates_have_not_is_said() -> None:
    with pytest.raises(ValueError, match="changes the weights to all outcomes at one rate"):
        rw.learn(rw.read_events([("a", "x")]), beta=(0.1, 0.2), method="adjoint")


# Processes.


def learn_in_child(queue: Any) -> None:
    queue.put(some.bits(learn(rw.read_events(BUSY), threads=2).values))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_a_forked_child_learns_after_its_parent() -> None:
    mine = some.bits(learn(rw.read_events(BUSY), threads=2).values)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=learn_in_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=20) == mine
        child.join(20)
        assert child.exitcode == 0
    finally:
        child.kill()


@pytest.mark.parametrize(
    "function",
    [rw.learn, rw.trajectories, rw.equilibrium, rw.convergence, partial(rw.delta_rule, beta=0.1)],
    ids=["learn", "trajectories", "equilibrium", "convergence", "delta_rule"],
)
def test_entries_that_do_nothing_are_warned_of_by_all_that_learn(function: Any) -> None:
    events = rw.read_events([("light_tone", "shock", 3), ("light", "food")])
    with pytest.warns(
        rw.RescorlaWarning, match="alpha has entries for 'lihgt'.*did you mean 'light'"
    ) as seen:
        function(events, alpha={"light": 0.1, "tone": 0.1, "lihgt": 0.2})
    assert [each.filename for each in seen] == [__file__]
    with pytest.warns(
        rw.RescorlaWarning, match="lambda_ has entries for 'shocks', not an outcome of .*did you mean 'shock'"
    ):
        function(events, lambda_={"shock": 1.0, "food": 0.5, "shocks": 2.0})


@pytest.mark.parametrize("function", [rw.learn, rw.trajectories], ids=["learn", "trajectories"])
def test_a_salience_for_each_cue_of_the_events_is_enough(function: Any) -> None:
    events = rw.read_events([("light_tone", "shock", 3)])
    initial = rw.learn(rw.read_events([("bell", "shock"), ("light", "food")]))
    some_cues = {"light": 0.1, "tone": 0.2}
    found = function(events, initial=initial, alpha=some_cues).values
    assert (
        found.tobytes() == function(events, initial=initial, alpha=some_cues | {"bell": 0.3}).values.tobytes()
    )


@pytest.mark.parametrize(
    "function",
    [rw.learn, rw.trajectories, partial(rw.delta_rule, beta=0.1)],
    ids=["learn", "trajectories", "delta_rule"],
)
def test_initial_weights_that_share_no_name_are_warned_of(function: Any) -> None:
    initial = rw.Weights([[1.0]], ["bell"], ["food"])
    with pytest.warns(rw.RescorlaWarning, match="initial shares no name with the events"):
        function(rw.read_events([("light_tone", "shock", 3)]), initial=initial)


@pytest.mark.parametrize(
    ("beta", "safe"),
    [
        (0.999, True),
        (1.0, False),
        ((0.999, 0.5), True),
        ((0.5, 1.0), False),
    ],
)
def test_a_rate_is_safe_below_its_bound_alone(beta: Any, safe: bool) -> None:
    """Of two cues of salience 1 a rate of 1 takes away twice the error, so that it never shrinks."""
    events = rw.read_events([("a_b", "x", 2), ("a", "y")])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rw.learn(events, alpha=1.0, beta=beta)
        rw.trajectories(events, alpha=1.0, beta=beta)
    assert len(seen) == (0 if safe else 2)
    assert all("so a rate is safe only below 1; lower beta or alpha" in str(each.message) for each in seen)
