"""What each event did: contributions sum to the weight, effects are those of learning again."""

from typing import Any

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

RETENTIONS = st.sampled_from([1.0, 1.0, 0.9, 0.5, 0.999999])
BETAS = st.sampled_from([0.0, 0.05, 0.1, 0.3])
NAMES = ("a", "b", "c", "d")
OUTCOMES = ("x", "y", "z")


class Case:
    """Events, what they are learned by, and what is asked about."""

    def __init__(self, draw: Any) -> None:
        cues = st.lists(st.sampled_from(NAMES), max_size=4).map(tuple)
        outcomes = st.lists(st.sampled_from(OUTCOMES), max_size=2).map(tuple)
        event = st.tuples(cues, outcomes, st.sampled_from([0, 1, 1, 1, 2, 5]))
        self.rows: list[Event] = [*draw(st.lists(event, max_size=9)), (NAMES, OUTCOMES, 1)]
        self.events = rw.read_events(self.rows, duplicates="keep")
        one = st.sampled_from([0.0, 0.2, 0.7, 1.0])
        self.how: dict[str, Any] = {
            "alpha": draw(st.one_of(st.just(0.3), st.fixed_dictionaries(dict.fromkeys(NAMES, one)))),
            "beta": draw(st.one_of(BETAS, st.tuples(BETAS, BETAS))),
            "retention": draw(RETENTIONS),
        }
        self.lambdas = draw(st.fixed_dictionaries(dict.fromkeys(OUTCOMES, st.sampled_from([1.0, 0.7, -2.0]))))
        self.schedule = draw(st.one_of(st.none(), some.schedules(reference.normalised(self.rows, "keep"))))
        if draw(st.booleans()):
            names = draw(st.permutations([*NAMES[:2], "e"]))
            values = np.random.default_rng(draw(st.integers(0, 9))).normal(size=(3, 2))
            self.how["initial"] = rw.Weights(values, names, ["y", "x"])
        sums = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
        self.pairs = draw(st.lists(st.tuples(sums, st.sampled_from(OUTCOMES)), min_size=1, max_size=20))

    def lambda_of(self, outcome: str) -> dict[str, float]:
        return {outcome: self.lambdas[outcome]}

    def influence(self, **more: Any) -> list[rw.Influence]:
        lambdas = {outcome: self.lambdas[outcome] for _, outcome in self.pairs}
        how = {"lambda_": lambdas, "schedule": self.schedule}
        return rw.influence(self.events, pairs=self.pairs, **how | self.how | more)

    def value(self, pair: Any, without: int | None = None) -> float:
        """The sum of weights, learned with rate 0 at the tokens of a row."""
        factors = np.ones((2, self.events.n_tokens))
        if self.schedule is not None:
            factors[:] = self.schedule.present
            if self.schedule.absent is not None:
                factors[1] = self.schedule.absent
        if without is not None:
            ends = np.cumsum([frequency for *_, frequency in self.rows])
            factors[:, ends[without] - self.rows[without][2] : ends[without]] = 0
        weights = rw.learn(
            self.events,
            schedule=lambda tokens: (factors[0][tokens - 1], factors[1][tokens - 1]),
            lambda_=self.lambda_of(pair[1]),
            outcomes=[pair[1]],
            **self.how,
        )
        return float(sum(weights[cue, pair[1]] for cue in pair[0]))


def close(found: Any, wanted: Any) -> bool:
    return bool(np.allclose(found, wanted, rtol=1e-11, atol=1e-12))


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(st.data())
def test_effects_are_those_of_learning_again(data: st.DataObject) -> None:
    case = Case(data.draw)
    for pair, found in zip(case.pairs, case.influence(), strict=True):
        value = case.value(pair)
        assert (found.cues, found.outcome) == (tuple(pair[0]), pair[1])
        assert close(found.value, value)
        assert close(found.contributions.sum() + found.initial, value)
        without = [case.value(pair, row) for row in range(len(case.rows))]
        assert close(found.effects, np.array(without) - value)
        has = [pair[1] in outcomes for _, outcomes, _ in case.rows]
        assert not found.contributions[~np.array(has)].any()


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(st.data(), st.integers(1, 12))
def test_the_greatest_are_those_of_all(data: st.DataObject, n: int) -> None:
    case = Case(data.draw)
    for whole, some_rows in zip(case.influence(), case.influence(n=n), strict=True):
        assert some_rows.top(n) == [row for row in whole.top(n) if row.effect]
        assert list(some_rows.rows) == sorted(some_rows.rows)
        assert (some_rows.value, some_rows.initial) == (whole.value, whole.initial)


@pytest.mark.filterwarnings("ignore::rescorla.RescorlaWarning")
@given(st.data())
def test_derivatives_are_those_of_differences(data: st.DataObject) -> None:
    case = Case(data.draw)
    case.how["alpha"] = dict(zip(NAMES, (0.3, 0.5, 0.2, 0.1), strict=True))
    case.how["beta"] = data.draw(st.sampled_from([(0.2, 0.2), (0.3, 0.1)]))
    case.how["retention"] = data.draw(st.sampled_from([0.9, 0.6, 0.99]))
    pairs = case.pairs
    lambdas = {outcome: case.lambdas[outcome] for _, outcome in pairs}
    told = {"schedule": case.schedule, "lambda_": lambdas}
    for pair, found in zip(pairs, rw.sensitivity(case.events, pairs=pairs, **case.how, **told), strict=True):

        def difference(by: float, pair: Any = pair, **moved: Any) -> float:
            kept, lambdas = dict(case.how), dict(case.lambdas)
            case.lambdas[pair[1]] += by * moved.pop("lambda_", 0)
            for cue in NAMES:
                case.how["alpha"] = {
                    **case.how["alpha"],
                    cue: case.how["alpha"][cue] + by * moved.get(cue, 0),
                }
            case.how["beta"] = tuple(
                rate + by * moved.get(name, 0)
                for rate, name in zip(case.how["beta"], ("beta1", "beta2"), strict=True)
            )
            case.how["retention"] += by * moved.get("retention", 0)
            value = case.value(pair)
            case.how, case.lambdas = kept, lambdas
            return value

        def slope(**moved: Any) -> float:
            return (difference(1e-5, **moved) - difference(-1e-5, **moved)) / 2e-5

        exact = dict(zip(found.all_cues, found.alpha.tolist(), strict=True))
        for cue in NAMES:
            assert np.isclose(exact[cue], slope(**{cue: 1}), rtol=1e-5, atol=1e-6)
        for name in ("beta1", "beta2", "lambda_", "retention"):
            assert np.isclose(getattr(found, name), slope(**{name: 1}), rtol=1e-5, atol=1e-6), name
        assert close(found.value, case.value(pair))


EVENTS = rw.read_events([("a_b", "x", 2), ("b", "y"), ("a", ""), ("b", "x"), ("c", "x")])


def test_groups_sum_what_rows_contribute() -> None:
    found = rw.influence(EVENTS, ["a", "b"], "x")
    column = ["early", "early", "early", "late", "late"]
    sums = found.by(np.array(column))
    assert sums == {"early": found.contributions[0], "late": found.contributions[3]}
    assert found.by(lambda event: event.cues) == {
        ("a", "b"): found.contributions[0],
        ("b",): found.contributions[3],
    }
    assert sum(sums.values()) == pytest.approx(found.value)
    with pytest.raises(ValueError, match="add up; effects do not"):
        found.by(column, "effects")
    with pytest.raises(ValueError, match="for each of the 5 rows of the events, not 4"):
        found.by(column[1:])
    with pytest.raises(ValueError, match="need all rows, and n = 2 were kept"):
        rw.influence(EVENTS, "a", "x", n=2).by(column)


def test_results_go_to_pandas_and_show_themselves() -> None:
    found = rw.influence(EVENTS, "b", "x", n=2)
    frame = found.to_pandas()
    assert frame.index.tolist() == found.rows.tolist()
    assert frame["effect"].tolist() == found.effects.tolist()
    assert repr(found).startswith("<Influence: b -> x, value 0.02941, 2 of 5 rows>\n")
    shown = found._repr_html_().partition("<details")[0]
    assert shown.count("<tr>") == 3
    # Cues and outcomes are text, the other four columns are numbers.
    assert [shown.count(f'<td style="text-align: {side}') for side in ("left", "right")] == [4, 8]
    html = rw.sensitivity(EVENTS, "b", "x")._repr_html_()
    assert "alpha of b" in html
    assert "retention" in html
    contributions = rw.influence(EVENTS, ["b", "b", "a"], "y").contributions
    assert not np.signbit(contributions[contributions == 0]).any()


def test_the_cues_that_matter_most_come_first() -> None:
    events = rw.read_events([("_".join(f"c{i}" for i in range(n + 1)), "x") for n in range(12)])
    found = rw.sensitivity(events, "c0", "x", alpha=0.1, beta=0.5)
    derivatives = dict(zip(found.all_cues, found.alpha.tolist(), strict=True))
    assert min(derivatives.values()) < 0 < max(derivatives.values())
    by_size = sorted(derivatives.items(), key=lambda each: -abs(each[1]))
    assert (found.top(), found.top(3), found.top(0)) == (by_size[:10], by_size[:3], [])
    effects = rw.influence(events, "c0", "x", alpha=0.1, beta=0.5).top()
    assert len(effects) == 10
    assert [abs(row.effect) for row in effects] == sorted((abs(row.effect) for row in effects), reverse=True)


def test_what_cannot_be_asked_is_said() -> None:
    call: Any = rw.influence
    with pytest.raises(TypeError, match="cues and outcome are what influence is asked about"):
        call(EVENTS, "a")
    with pytest.raises(TypeError, match="pairs does not go with cues and outcome"):
        call(EVENTS, "a", "x", pairs=[("a", "x")])
    with pytest.raises(TypeError, match=r"pairs must be pairs \(cues, outcome\)"):
        call(EVENTS, pairs=["ax"])
    with pytest.raises(KeyError, match="pairs names 'z', which is none of the 3 cues"):
        call(EVENTS, pairs=[(["a", "z"], "x")])
    with pytest.raises(KeyError, match="outcome names 'z', which is none of the 2 outcomes"):
        call(EVENTS, "a", "z")
    with pytest.raises(ValueError, match="n must be a whole number of 1 or more, not 0"):
        call(EVENTS, "a", "x", n=0)
    with pytest.raises(FloatingPointError, match="became"):
        rw.sensitivity(rw.read_events([("a", "x", 9000)]), "a", "x", alpha=1.0, beta=3.0)
    with pytest.warns(rw.RescorlaWarning, match="may overshoot"):
        call(EVENTS, "a", "x", beta=11.0, alpha=1.0)


def test_a_word_in_a_text_is_found_where_it_is_wrong() -> None:
    verses = rw.datasets.king_james()
    verses[563] = verses[563].replace("kingdom", "kingdon")
    events = rw.corpus_events(verses, symbols="a-z")
    assert rw.influence(events, "gdo", "kingdom", n=1).top(1)[0].event.outcomes == ("kingdon",)
