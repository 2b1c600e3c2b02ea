"""`learn_each` against loops that learn one trial after another."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

NAMES = ["a", "b", "c", "d"]
OUTCOMES = ["x", "y", "z"]
TRIAL = st.tuples(
    st.sampled_from(["ann", "bob", 3]),
    st.lists(st.sampled_from(NAMES), max_size=4, unique=True),
    st.lists(st.sampled_from(OUTCOMES), max_size=2, unique=True),
    st.integers(0, 3),
)
TRIALS = st.lists(TRIAL, min_size=1, max_size=12)
DTYPES = st.sampled_from(["float64", "float32"])


def table_of(trials: list[Any], **more: Any) -> dict[str, list[Any]]:
    columns = zip(*trials, strict=True)
    return dict(zip(["who", "cues", "outcomes", "frequency"], map(list, columns), strict=True)) | more


@st.composite
def weights(draw: st.DrawFn) -> rw.Weights | None:
    """Weights of some of the names, or none."""
    if draw(st.booleans()):
        return None
    cues = draw(st.lists(st.sampled_from([*NAMES, "e"]), min_size=1, unique=True))
    outcomes = draw(st.lists(st.sampled_from([*OUTCOMES, "v"]), min_size=1, unique=True))
    row = st.lists(some.WEIGHTS, min_size=len(outcomes), max_size=len(outcomes))
    return rw.Weights([draw(row) for _ in cues], cues, outcomes)


def quietly(function: Any, *arguments: Any, **keywords: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RescorlaWarning)
        return function(*arguments, **keywords)


class Learner:
    """Somebody who learns one trial after another, by the public functions."""

    def __init__(self, initial: rw.Weights | None, dtype: str, **how: Any) -> None:
        names = rw.read_events([(NAMES, OUTCOMES, 0)])
        zero = quietly(rw.learn, names, initial=initial, dtype=dtype)
        self.weights, self.how = zero, {"dtype": dtype, "method": "forward", **how}

    def activation(self, cues: list[str], outcome: str) -> float:
        found = rw.activations([cues], self.weights, outcomes=[outcome])
        return float(found[0, 0])

    def learn(self, cues: list[str], outcomes: list[str], frequency: int) -> None:
        events = rw.read_events([(cues, outcomes, frequency)])
        self.weights = quietly(rw.learn, events, initial=self.weights, **self.how)


@given(TRIALS, weights(), DTYPES, st.data(), st.integers(1, 3))
def test_each_learns_as_if_alone(
    trials: list[Any], initial: rw.Weights | None, dtype: str, data: st.DataObject, threads: int
) -> None:
    persons = list(dict.fromkeys(who for who, *_ in trials))
    number = st.sampled_from([0.0, 0.1, 0.3, 0.9])
    alpha, lambda_, beta = (
        {who: data.draw(kind) for who in persons}
        for kind in (number, st.sampled_from([1.0, 0.5, -2.0]), st.tuples(number, number))
    )
    retention = {who: data.draw(st.sampled_from([1.0, 1.0, 0.995])) for who in persons}
    theta = {who: data.draw(st.sampled_from([0.0, 1.0, 3.0])) for who in persons}
    update = data.draw(st.booleans())
    found = quietly(
        rw.learn_each,
        table_of(trials, rt=list(range(len(trials)))),
        by="who",
        choices=["y", "x"],
        alpha=alpha,
        beta=beta,
        lambda_=lambda_,
        retention=retention,
        theta=theta,
        initial=initial,
        update=update,
        record=["activation", "choices", "surprisal", "change"],
        dtype=dtype,
        threads=threads,
    )
    assert found.persons == tuple(persons)
    assert found["rt"].tolist() == list(range(len(trials)))
    for who in persons:
        rates = {"alpha": alpha[who], "beta": beta[who], "lambda_": lambda_[who], "retention": retention[who]}
        learner = Learner(initial, dtype, **rates)
        exact = retention[who] == 1
        n = 0
        for row, (name, cues, outcomes, frequency) in enumerate(trials):
            if name != who:
                continue
            n += 1
            assert found["trial"][row] == n
            own = [learner.activation(cues, outcome) for outcome in outcomes]
            recorded = np.atleast_1d(found["activation"][row]).tolist()
            choices = [learner.activation(cues, outcome) for outcome in ("y", "x")]
            chosen = [found["activation_y"][row], found["activation_x"][row]]
            if exact or not update:
                assert (recorded, chosen) == (own, choices)
            else:
                tolerance = 1e-13 if dtype == "float64" else 1e-5
                assert recorded + chosen == pytest.approx(own + choices, rel=tolerance, abs=tolerance * 10)
            powers = [math.exp(theta[who] * each) for each in chosen]
            right = [each for each, outcome in zip(powers, ("y", "x"), strict=True) if outcome in outcomes]
            if len(right) == 1:
                assert found["surprisal"][row] == pytest.approx(-math.log2(right[0] / sum(powers)), abs=1e-12)
            else:
                assert np.isnan(found["surprisal"][row])
            before = learner.weights
            if update:
                learner.learn(cues, outcomes, frequency)
            difference = [learner.weights[cue, :] - before[cue, :] for cue in cues]
            change = math.sqrt(sum(float((each.astype(float) ** 2).sum()) for each in difference))
            assert found["change"][row] == pytest.approx(
                change, rel=1e-5, abs=1e-6 if dtype == "float32" else 1e-12
            )
        end = quietly(found.weights, who)
        for cue in end.cues:
            for outcome in end.outcomes:
                if exact:
                    assert end[cue, outcome] == learner.weights[cue, outcome]
                else:
                    assert end[cue, outcome] == pytest.approx(
                        learner.weights[cue, outcome], rel=1e-4, abs=1e-6
                    )


@pytest.mark.parametrize(
    "rule", ["no_competition", "hybrid", "pearce_kaye_hall", "mackintosh", "le_pelley", "van_hamme_wasserman"]
)
@given(TRIALS, DTYPES, weights())
def test_each_learns_by_any_rule(
    rule: Any, trials: list[Any], dtype: Any, initial: rw.Weights | None
) -> None:
    choices = ["x", "y"]
    how: dict[str, Any] = {"alpha": 0.4, "beta": 0.3, "rule": rule, "dtype": dtype, "initial": initial}
    found = quietly(rw.learn_each, table_of(trials), by="who", choices=choices, record=["choices"], **how)
    for who in found.persons:
        own = [row for row, (name, *_) in enumerate(trials) if name == who]
        # All of his trials before one, and what is predicted then.
        names = [(NAMES, OUTCOMES, 0)]
        for at, row in enumerate(own):
            before = rw.read_events([trials[each][1:] for each in own[:at]] + names)
            weights = quietly(rw.learn, before, method="forward", **how)
            predicted = rw.activations([trials[row][1]], weights, outcomes=choices)[0]
            assert [found[f"activation_{each}"][row] for each in choices] == predicted.tolist()
        end = found.weights(who)
        own_events = rw.read_events([trials[each][1:] for each in own] + names)
        every = quietly(rw.learn, own_events, method="forward", **how)
        assert {(cue, outcome): end[cue, outcome] for cue in end.cues for outcome in end.outcomes} == {
            (cue, outcome): every[cue, outcome] for cue in end.cues for outcome in end.outcomes
        }
    with pytest.raises(ValueError, match="retention must be 1 for the rule"):
        rw.learn_each(table_of(trials), by="who", rule=rule, retention=0.99)


def test_asymptotes_are_those_of_the_rule() -> None:
    table = {"who": ["ann"], "cues": ["a"], "outcomes": ["x"]}
    with pytest.raises(ValueError, match="lambda_ must be at most 1 for the rule le_pelley"):
        rw.learn_each(table, by="who", rule="le_pelley", lambda_=2.0)


@given(TRIALS, st.data(), DTYPES, st.booleans(), st.booleans())
def test_each_learns_vectors_as_if_alone(
    trials: list[Any], data: st.DataObject, dtype: str, x_too: bool, given_initial: bool
) -> None:
    q, p = data.draw(st.integers(2, 9)), 3
    numbers = st.sampled_from([-1.0, 0.0, 0.5, 2.0, 0.3])

    def table(names: list[str], size: int) -> dict[str, list[float]]:
        row = st.lists(numbers, min_size=size, max_size=size)
        return {name: data.draw(row) for name in names}

    z = table(OUTCOMES, q)
    x = table(NAMES, p) if x_too else None
    rows = [f"x{i}" for i in range(p)] if x_too else NAMES
    dimensions = [f"z{i}" for i in range(q)]
    initial = None
    if given_initial:
        initial = rw.Weights(
            np.array([data.draw(st.lists(numbers, min_size=q, max_size=q)) for _ in rows]), rows, dimensions
        )
    eta = data.draw(st.sampled_from([0.01, 0.1]))
    record = ["norm", "correlation", "squared_error", "rank", "change"]
    how: dict[str, Any] = {"cue_vectors": x, "outcome_vectors": z, "dtype": dtype}
    found = quietly(
        rw.learn_each, table_of(trials), by="who", alpha=1.0, beta=eta, initial=initial, record=record, **how
    )
    close: Any = {"rel": 1e-4, "abs": 1e-5} if dtype == "float32" else {"rel": 1e-9, "abs": 1e-11}
    for who in found.persons:
        start = np.zeros((len(rows), q)) if initial is None else initial.values
        learned = rw.Weights(start.astype(dtype), rows, dimensions)
        for row, (name, cues, outcomes, frequency) in enumerate(trials):
            if name != who:
                continue
            if x is None:
                vector = np.array(sum((learned.values[rows.index(cue)] for cue in cues), np.zeros(q, dtype)))
            else:
                vector = np.array(
                    sum((np.array(x[cue]) for cue in cues), np.zeros(p))
                ) @ learned.values.astype(float)
            target = np.array(sum((np.array(z[outcome]) for outcome in outcomes), np.zeros(q)))
            assert found["norm"][row] == pytest.approx(float(np.linalg.norm(vector)), **close)
            assert found["squared_error"][row] == pytest.approx(
                float(((vector - target) ** 2).sum()), **close
            )
            r = reference.correlation(vector.tolist(), target.tolist())
            spread = float(np.ptp(vector)) > 1e-4 and float(np.ptp(target)) > 1e-4
            if spread:
                assert found["correlation"][row] == pytest.approx(r, abs=1e-3 if dtype == "float32" else 1e-7)
            if not outcomes:
                assert found["rank"][row] == 0
            elif spread:
                known = list(dict.fromkeys(o for _, _, each, _ in trials for o in each))
                near = [reference.correlation(vector.tolist(), z[each]) for each in known]
                gaps = [abs(a - b) for a in near for b in near if a != b and not math.isnan(a + b)]
                own = [known.index(each) for each in outcomes if not math.isnan(near[known.index(each)])]
                if min(gaps, default=1) > 1e-4 and own:
                    best = max(near[each] for each in own)
                    assert found["rank"][row] == 1 + sum(each > best for each in near)
            before = learned
            if frequency:
                events = rw.read_events([(cues, outcomes, frequency)])
                vectors = {
                    "cue_vectors": x and {cue: x[cue] for cue in cues},
                    "outcome_vectors": {o: z[o] for o in outcomes},
                }
                if cues and outcomes:
                    learned = quietly(
                        rw.widrow_hoff, events, eta=eta, initial=learned, dtype=dtype, **vectors
                    )
                else:
                    learned = _by_hand(learned, cues, x, target, eta, frequency, dtype)
            change = float(np.linalg.norm(learned.values.astype(float) - before.values.astype(float)))
            assert found["change"][row] == pytest.approx(
                change, rel=1e-3 if dtype == "float32" else 1e-9, abs=1e-5 if dtype == "float32" else 1e-12
            )


def _by_hand(
    weights: rw.Weights, cues: list[str], x: Any, target: NDArray[Any], eta: float, frequency: int, dtype: str
) -> rw.Weights:
    values = weights.values.copy()
    for _ in range(frequency):
        if x is None:
            rows = [weights.cues.index(cue) for cue in cues]
            values[rows] += (eta * (target - values[rows].sum(axis=0))).astype(dtype)
        else:
            vector = np.array(sum((np.array(x[cue]) for cue in cues), np.zeros(3)))
            values += (eta * np.outer(vector, target - vector @ values)).astype(dtype)
    return rw.Weights(values, weights.cues, weights.outcomes)


# The table.


def test_tables_of_every_kind_give_the_same(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table: dict[str, Any] = {
        "who": ["b", "a", "b", "a"],
        "time": [2, 1, 1, 2],
        "rt": [500.5, 400.0, 300.0, 200.0],
        "cues": ["light_tone", "light", "tone", "tone"],
        "outcomes": ["shock", "shock", "none", "shock"],
    }
    frame = pandas.DataFrame(table)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    sources = [table, frame, polars.DataFrame(table), polars.DataFrame(table).to_arrow()]
    sources += [tmp_path / name for name in ("t.csv", "t.tsv", "t.parquet")]
    how: dict[str, Any] = {
        "by": "who",
        "order": "time",
        "alpha": 1.0,
        "beta": 0.5,
        "choices": ["shock", "none"],
    }
    first = rw.learn_each(table, **how)
    assert first["trial"].tolist() == [2, 1, 1, 2]
    assert first["activation"].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert list(first.columns)[:6] == ["person", "trial", "time", "rt", "cues", "outcomes"]
    for source in sources:
        found = rw.learn_each(source, **how)
        assert list(found.columns) == list(first.columns)
        for name, column in first.columns.items():
            assert found[name].tolist() == column.tolist(), name
    assert first.to_pandas()["rt"].tolist() == table["rt"]
    assert first.to_polars()["activation_shock"].to_list() == first["activation_shock"].tolist()
    for name in ("r.csv", "r.parquet", "r.npz"):
        first.save(tmp_path / name)
    back = pandas.read_csv(tmp_path / "r.csv")
    assert back["surprisal"].tolist() == first["surprisal"].tolist()
    assert pandas.read_parquet(tmp_path / "r.parquet")["person"].tolist() == table["who"]
    with np.load(tmp_path / "r.npz") as kept:
        assert kept["activation_none"].tolist() == first["activation_none"].tolist()
    with pytest.raises(ValueError, match=r"path must end in \.csv, \.parquet or \.npz"):
        first.save(tmp_path / "r.txt")


def test_choices_may_be_a_column() -> None:
    table = {
        "who": ["a", "a", "a"],
        "cues": ["l", "l", "l"],
        "outcomes": ["x", "y", "w"],
        "options": ["x_y", ["y", "z", "x"], "x_y"],
    }
    found = rw.learn_each(table, by="who", alpha=1.0, beta=0.5, choices="options")
    assert [each.tolist() for each in found["choice_activations"]] == [[0, 0], [0, 0, 0.5], [0.25, 0.5]]
    wanted = [1.0, math.log2(2 + math.exp(0.5))]
    assert found["surprisal"][:2].tolist() == pytest.approx(wanted)
    assert np.isnan(found["surprisal"][2])


def test_ranks_may_be_of_chosen_trials() -> None:
    table = {
        "who": [1, 1, 2],
        "cues": ["a", "b", "a"],
        "outcomes": ["x", "y", "x"],
        "test": [False, True, True],
    }
    vectors = {"x": [1.0, 0.0, 0.2], "y": [0.0, 1.0, 0.1]}
    initial = rw.Weights([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], ["a", "b"], ["z0", "z1", "z2"])
    how: dict[str, Any] = {"by": "who", "outcome_vectors": vectors, "initial": initial, "update": False}
    assert rw.learn_each(table, record=["rank"], **how)["rank"].tolist() == [2, 1, 2]
    for mask in ("test", [False, True, True]):
        assert rw.learn_each(table, record={"rank": mask}, **how)["rank"].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="record must say of rank at which of the 3 trials"):
        rw.learn_each(table, record={"rank": [True]}, **how)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"by": "whom"}, KeyError, "by names the column 'whom'"),
        ({"cues": "cue"}, KeyError, "cues names the column 'cue'"),
        ({"order": "when"}, KeyError, "order names the column 'when'"),
        ({"choices": "options"}, KeyError, "choices names the column 'options'"),
        ({"choices": ["x", "x"]}, ValueError, "choices must be different, and 'x'"),
        ({"alpha": {"a": 0.1}}, KeyError, "alpha has no number for the person 'b'"),
        ({"beta": {"a": 0.1}}, KeyError, "beta has no number for the person 'b'"),
        ({"beta": (0.1, 0.2, 0.3)}, ValueError, "beta must be a number or a pair"),
        ({"beta": (0.1,)}, ValueError, "beta must be a number or a pair"),
        ({"retention": 0.0}, ValueError, "retention must be above 0"),
        ({"retention": 1.01}, ValueError, "retention must be above 0 and at most 1, not 1.01"),
        ({"theta": "1"}, TypeError, "theta must be a number"),
        ({"record": "activation"}, TypeError, "record must be several names"),
        ({"record": ["rank"]}, ValueError, "record must be 'activation' or 'choices'"),
        ({"record": ["surprisal"]}, ValueError, "choices must be given"),
        ({"outcome_vectors": {"x": [1.0, 2.0]}, "beta": (0.1, 0.2)}, ValueError, "beta with a pair of rates"),
        ({"outcome_vectors": {"x": [1.0, 2.0]}, "lambda_": 2.0}, ValueError, "lambda_ other than 1"),
        (
            {"outcome_vectors": {"x": [1.0, 2.0]}, "rule": "no_competition"},
            ValueError,
            "rule must be 'rescorla_wagner'",
        ),
        ({"rule": "hebb"}, ValueError, "rule must be"),
        ({"initial": 1}, TypeError, "initial must be Weights"),
    ],
)
def test_what_is_wrong_is_told(keywords: dict[str, Any], error: type[Exception], message: str) -> None:
    table = {"who": ["a", "b"], "cues": ["l", "l"], "outcomes": ["x", "x"]}
    with pytest.raises(error, match=message):
        rw.learn_each(table, **{"by": "who", **keywords})


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
def test_who_diverges_is_named() -> None:
    table: dict[str, Any] = {"who": ["a"] * 3 + ["b"] * 2000, "cues": ["l"] * 2003, "outcomes": ["x"] * 2003}
    with pytest.raises(FloatingPointError, match="a weight of the person 'b' became"):
        rw.learn_each(table, by="who", alpha=1.0, beta=3.0)
    for kind in ("norm", "correlation", "squared_error", "change"):
        with pytest.raises(FloatingPointError, match="a weight of the person 'b' became"):
            rw.learn_each(
                table, by="who", alpha=1.0, beta=3.0, outcome_vectors={"x": [1.0, 2.0]}, record=[kind]
            )
    table = {"who": ["a", None], "cues": ["l", "l"], "outcomes": ["x", "x"]}
    with pytest.raises(ValueError, match="a person in each row, and row 1 of 'who' has none"):
        rw.learn_each(table, by="who")
    table = {"who": ["a"], "person": ["b"], "cues": ["l"], "outcomes": ["x"], "trial": [7]}
    with pytest.raises(ValueError, match="trials has a column 'person' besides 'who'"):
        rw.learn_each(table, by="who")
    assert rw.learn_each(table, by="person")["trial"].tolist() == [7]
    taken = {"who": ["a"], "cues": ["l"], "outcomes": ["x"], "activation": [1]}
    with pytest.raises(ValueError, match="trials has a column 'activation'"):
        rw.learn_each(taken, by="who")


def test_persons_of_many_chunks_are_split_among_threads() -> None:
    random = np.random.default_rng(1)
    n, persons = 150_000, 70
    who = np.sort(random.integers(0, persons, n))
    table: dict[str, Any] = {
        "who": who,
        "cues": [NAMES[i] for i in random.integers(0, 4, n)],
        "outcomes": [OUTCOMES[i] for i in random.integers(0, 3, n)],
    }
    one, two = (
        rw.learn_each(table, by="who", threads=threads, record=["activation", "change"]) for threads in (1, 2)
    )
    assert one["activation"].tolist() == two["activation"].tolist()
    assert one["change"].tolist() == two["change"].tolist()
    rows = np.flatnonzero(who == 35)
    alone = rw.learn_each(
        {name: [column[i] for i in rows] for name, column in table.items()},
        by="who",
        record=["activation", "change"],
    )
    assert one["activation"][rows].tolist() == alone["activation"].tolist()
    assert one["change"][rows].tolist() == pytest.approx(alone["change"].tolist(), abs=1e-15)


def test_a_row_of_another_length_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "trials.csv"
    path.write_text("who,cues,outcomes\nann,a,x\nann,a,x,y\n")
    with pytest.raises(rw.FormatError, match="line 3: expected 3 cells as in the header, found 4; put"):
        rw.learn_each(path, by="who")
