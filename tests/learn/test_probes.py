"""Probes, events of frequency 0: what is predicted is recorded, and nothing is taught."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st

TRIAL = st.builds(
    lambda cues, mark, n: f"{''.join(sorted(cues))}{mark} {2 * n}",
    st.sets(st.sampled_from("ABC"), min_size=1),
    st.sampled_from(["+", "-", "+-", "?", ">x_y"]),
    st.integers(1, 3),
)
DESIGNS = st.lists(st.lists(TRIAL, min_size=1, max_size=4).map(" / ".join), min_size=1, max_size=3).map(
    " | ".join
)
RULE: dict[str, Any] = {"alpha": 0.3, "beta": (0.2, 0.1)}


@given(DESIGNS, st.booleans(), st.none() | st.integers(0, 5), some.DTYPES)
def test_a_probe_has_the_sum_of_the_weights_learned_up_to_there(
    text: str, between: bool, seed: int | None, dtype: Any
) -> None:
    events = rw.design(text, context=between, between=int(between), seed=seed)
    traj = rw.trajectories(events, every=events.n_tokens or 1, dtype=dtype, **RULE)
    expected = []
    for name, phase in events.phases.items():
        for row in phase.rows:
            cues, _, frequency = events[row]
            if frequency:
                continue
            before = events[:row]
            weights = rw.learn(before, method="forward", dtype=dtype, **RULE)
            activations = rw.activations([cues], weights)[0]
            expected += [
                (name, before.n_tokens, cues, outcome, activation)
                for outcome, activation in zip(events.outcomes, activations, strict=True)
            ]
    assert (traj.probes is None) == (not any(n == 0 for _, _, n in events))
    found = [] if traj.probes is None else traj.probes.tolist()
    assert found == expected
    if traj.probes is not None:
        assert traj.probes.dtype["activation"] == dtype


@given(DESIGNS, st.booleans())
def test_a_probe_changes_no_weight(text: str, between: bool) -> None:
    events = rw.design(text, context=between, between=int(between))
    without = rw.read_events([event for event in events if event.frequency])
    assert without.n_tokens == events.n_tokens
    keywords: dict[str, Any] = {"alpha": 0.3, "beta": 0.2, "cues": without.cues, "outcomes": without.outcomes}
    one, other = (np.asarray(rw.learn(each, method="forward", **keywords)) for each in (events, without))
    assert some.bits(one) == some.bits(other)
    # The adjoint method may group tokens otherwise, and round so.
    np.testing.assert_allclose(np.asarray(rw.learn(events, method="adjoint", **keywords)), one, atol=1e-14)


def test_probes_are_recorded_whatever_else_is() -> None:
    events = rw.design("A+ 40 | AB+ 40 / B? 2 | B? / AB?")
    # Whether all is recorded, or one weight that no probe has, or little.
    every = rw.trajectories(events, alpha=0.2, beta=0.2).probes
    assert every is not None
    assert every["phase"].tolist() == ["2", "2", "3", "3"]
    assert every["token"].tolist() == [50, 70, 80, 80]
    assert every["cues"].tolist() == [("B",), ("B",), ("B",), ("A", "B")]
    for keywords in (
        {"pairs": [("A", "US")]},
        {"cues": ["A"]},
        {"every": 80},
        {"at": [80]},
        {"predictions": True},
    ):
        found = rw.trajectories(events, alpha=0.2, beta=0.2, **keywords).probes
        assert found is not None
        assert found.tolist() == every.tolist()
    # And up to the last token that is recorded.
    for last, n in ((49, 0), (50, 1), (79, 2), (80, 4)):
        probes = rw.trajectories(events, at=[last], alpha=0.2, beta=0.2).probes
        assert (0 if probes is None else len(probes)) == n
    assert rw.trajectories(events, outcomes=[]).probes.tolist() == []  # type: ignore[union-attr]


def test_probes_follow_the_rule_that_is_asked_for() -> None:
    events = rw.design("A+ 6 | A? / C? | A- 3 | A?")
    start = rw.learn(rw.design("C+ 2 | B+ | A+ 3"), alpha=0.5, beta=0.5)
    rule: dict[str, Any] = {
        "alpha": {"A": 0.3, "C": 0.1, "B": 0.2},
        "beta": (0.4, 0.2),
        "lambda_": {"US": 2.0},
        "schedule": rw.schedules.inverse_time(tau=3),
        "initial": start,
    }
    traj = rw.trajectories(events, [("A", "US"), ("C", "US")], **rule)
    assert traj.probes is not None
    assert traj.probes["activation"].tolist() == [
        traj["A", "US"][6],
        traj["C", "US"][6],
        traj["A", "US"][9],
    ]


def test_events_of_frequency_0_are_probes_in_any_events() -> None:
    traj = rw.trajectories([("a", "x", 5), ("a", "", 0), ("b_a", "x"), ("a_b", "y", 0)], alpha=1.0, beta=0.5)
    assert traj.phases == {}
    assert traj.probes is not None
    learned = 1 - 0.5**5
    assert traj.probes.tolist() == [
        (None, 5, ("a",), "x", learned),
        (None, 5, ("a",), "y", 0.0),
        (None, 6, ("a", "b"), "x", learned + (1 - learned)),
        (None, 6, ("a", "b"), "y", 0.0),
    ]
    # What no design wrote is the same as what one writes.
    design = rw.design("A+ 5 | A? / AB?")
    written = rw.read_events(list(design))
    one, other = (rw.trajectories(events).probes for events in (design, written))
    assert one is not None
    assert other is not None
    fields = ["token", "cues", "outcome", "activation"]
    assert one[fields].tolist() == other[fields].tolist()
    assert (one["phase"].tolist(), other["phase"].tolist()) == (["2", "2"], [None, None])


def test_events_without_probes_have_none() -> None:
    assert rw.trajectories(rw.design("A+ 3")).probes is None
    assert rw.trajectories([("a", "x", 2), ("a", "x")]).probes is None
    # A row without cues asks nothing.
    assert rw.trajectories([("a", "x", 2), ("", "x", 0)]).probes is None


def test_probes_outside_of_phases_have_none() -> None:
    events = rw.concat_events([rw.read_events([("A", "", 0)]), rw.design("train: A+ 2 / A? | A?")])
    more = rw.concat_events([events, rw.read_events([("A", "US", 0)])])
    probes = rw.trajectories(more).probes
    assert probes is not None
    assert probes["phase"].tolist() == [None, "train", "2", None]


def test_too_many_probes_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rescorla._learn.probes._MOST", 4)
    rows = [("a", "x", 3), ("a", "y", 0), ("b", "", 0)]
    for most in (rows, [*rows, ("a", "x", 4)]):
        probes = rw.trajectories(most).probes
        assert probes is not None
        assert len(probes) == 4
    with pytest.warns(
        rw.RescorlaWarning, match=r"^events have 3 rows of frequency 0, .* 6 entries, more than 4"
    ) as seen:
        traj = rw.trajectories([*rows, ("a", "", 0)])
    assert seen[0].filename == __file__
    assert (traj.probes, traj.values.shape) == (None, (4, 2, 2))
    # The cures.
    probes = rw.trajectories([*rows, ("a", "", 0)], outcomes=["x"]).probes
    assert probes is not None
    assert len(probes) == 3
    events = rw.read_events([*rows, ("a", "", 0)])
    assert rw.trajectories(events[events.frequencies > 0]).probes is None
    # Those that come too late are none.
    probes = rw.trajectories([*rows, ("a", "x", 1), ("a", "", 0)], at=[3]).probes
    assert probes is not None
    assert len(probes) == 4


def test_phases_come_with_trajectories() -> None:
    events = rw.design("A+ 4 | test: AB+ 2")
    assert rw.trajectories(events).phases == events.phases
    assert rw.trajectories(events[1:]).phases == {"test": events[1:].phases["test"]}


@given(DESIGNS, some.DTYPES, st.booleans())
def test_files_keep_probes_and_phases(text: str, dtype: Any, designed: bool) -> None:
    events = rw.design(text) if designed else rw.read_events(list(rw.design(text)))
    traj = rw.trajectories(events, dtype=dtype)
    with tempfile.TemporaryDirectory() as folder:
        traj.save(Path(folder, "t.npz"))
        again = rw.Trajectories.load(Path(folder, "t.npz"))
    assert str(again.phases) == str(traj.phases)
    assert (again.probes is None) == (traj.probes is None)
    if again.probes is not None and traj.probes is not None:
        assert again.probes.dtype == traj.probes.dtype
        assert again.probes.tolist() == traj.probes.tolist()


def test_files_without_probes_and_phases_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    rw.trajectories([("a", "x", 2)]).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    about = arrays["about"].tobytes().decode("ascii")
    older = about.replace(', "probes": null, "phases": {}', "")
    assert older != about
    arrays["about"] = np.frombuffer(older.encode("ascii"), dtype=np.uint8)
    np.savez(path, **arrays)
    again = rw.Trajectories.load(path)
    assert (again.probes, again.phases, again.tokens.tolist()) == (None, {}, [0, 1, 2])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"probes": [["1", "1"]', '"probes": [["1", 1]'),
        ('"probes": [["1", "1"]', '"probes": [["1"]'),
        ('["A"]], ["US", "US"]]', '["A"]], ["US", 7]]'),
        ('["A"]], ["US", "US"]]', '["A"]]]'),
        ('["A"]], ["US", "US"]]', '["A"]], ["US"]]'),
        ('"rows": [0, 4]', '"rows": [4, 0]'),
        ('"phases": {"1"', '"phases": {"1": 3, "2"'),
    ],
)
def test_a_damaged_file_is_refused(old: str, new: str, tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    rw.trajectories(rw.design("A+ 2 / A? / A?")).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    about = arrays["about"].tobytes().decode("ascii")
    # What made the events has such parts, too; those of the trajectories are the last.
    before, found, after = about.rpartition(old)
    assert found
    arrays["about"] = np.frombuffer((before + new + after).encode("ascii"), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(rw.FormatError, match=r"t\.npz: expected "):
        rw.Trajectories.load(path)
