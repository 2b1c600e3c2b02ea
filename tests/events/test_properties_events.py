"""Events and weights: what goes in comes out."""

import gzip
import re
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import reference
import rescorla as rw
import strategies as some
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from reference import Event


def as_rows(events: Any) -> list[Event]:
    """Events as the reference has them."""
    return [(tuple(cues), tuple(outcomes), frequency) for cues, outcomes, frequency in events]


@given(some.events(some.VERBATIM_NAMES), some.DUPLICATES, st.booleans())
def test_an_event_file_holds_the_events(
    folder: Path, events: list[Event], duplicates: Any, with_background: bool
) -> None:
    background = "_constant_" if with_background else None
    expected = reference.normalised(events, duplicates, background)
    in_memory = rw.read_events(events, duplicates=duplicates, background=background)
    compiled = rw.read_events(
        iter(events), folder / "compiled.bin", duplicates=duplicates, background=background
    )
    saved = in_memory.save(folder / "saved.bin")
    opened = rw.open_events(folder / "saved.bin")
    for found in (in_memory, compiled, saved, opened):
        assert as_rows(found) == expected
        assert (found.cues, found.outcomes) == reference.vocabularies(expected)
        assert (len(found), found.n_cues, found.n_outcomes) == (
            len(expected),
            len(found.cues),
            len(found.outcomes),
        )
        assert found.n_tokens == sum(frequency for _, _, frequency in expected)
        found.verify()
    assert unmade(folder / "saved.bin") == unmade(folder / "compiled.bin")


@some.MAY_HAVE_BLANKS
@given(some.events(some.TABLE_NAMES), some.DUPLICATES, st.sampled_from(["tab", "tab.gz", "tab.zst"]))
def test_a_table_holds_the_events(folder: Path, events: list[Event], duplicates: Any, layout: str) -> None:
    expected = reference.normalised(events, duplicates)
    table = folder / f"round.{layout}"
    rw.read_events(events, duplicates=duplicates).to_table(table)
    assert as_rows(rw.read_events(table, duplicates=duplicates)) == expected


@pytest.mark.filterwarnings("ignore:.*(and no _|by blanks at their ends)")
@some.MAY_HAVE_BLANKS
@pytest.mark.parametrize("layout", ["tab", "gz", "zst", "xz", "csv"])
@given(events=some.events(some.TABLE_NAMES))
def test_a_table_written_by_others_holds_the_events(layout: str, folder: Path, events: list[Event]) -> None:
    assert as_rows(rw.read_events(some.write_layout(layout, events, folder))) == reference.normalised(events)


@pytest.mark.parametrize("name", ["a_b", "a\tb", "a\nb", "a\rb"])
def test_a_name_that_tables_cannot_hold_is_refused(name: str, tmp_path: Path) -> None:
    for event in ((["c"], [name]), ([name], ["o"])):
        with pytest.raises(ValueError, match=re.escape(repr(name)[1:-1])):
            rw.read_events([event]).to_table(tmp_path / "events.tab")
    assert list(tmp_path.iterdir()) == []


@given(some.events(), some.DUPLICATES)
def test_counts_and_matrices(events: list[Event], duplicates: Any) -> None:
    rows = reference.normalised(events, duplicates)
    found = rw.read_events(events, duplicates=duplicates)
    sides: list[tuple[Literal["cues", "outcomes"], Any, Any, Any]] = [
        ("cues", found.cues, found.cue_counts, found.cue_matrix()),
        ("outcomes", found.outcomes, found.outcome_counts, found.outcome_matrix()),
    ]
    for side, names, counts, matrix in sides:
        assert counts.tolist() == reference.counts(rows, names, side)
        assert matrix.shape == (len(rows), len(names))
        assert matrix.toarray().tolist() == reference.incidence(rows, names, side).tolist()


@given(some.events(), st.data())
def test_indexing_and_slices(events: list[Event], data: st.DataObject) -> None:
    found, rows = rw.read_events(events), reference.normalised(events)
    index = data.draw(st.integers(-len(rows), len(rows) - 1))
    assert as_rows([found[index]]) == [rows[index]]
    part = data.draw(st.slices(len(rows)))
    assert as_rows(found[part]) == rows[part]
    assert (found[part].cues, found[part].outcomes) == (found.cues, found.outcomes)


# Arrays of str lose a NUL at the end, netCDF's strings end at the first; both refuse such names.
FILE_NAMES = some.VERBATIM_NAMES.filter(lambda name: "\0" not in name)


@given(some.events(FILE_NAMES), some.DTYPES, st.sampled_from(["npz", "npy", "nc"]))
def test_a_weights_file_holds_weights_and_labels(
    folder: Path, events: list[Event], dtype: Any, suffix: str
) -> None:
    weights = rw.learn(rw.read_events(events), dtype=dtype)
    path = folder / f"weights.{suffix}"
    weights.save(path)
    loaded = rw.load_weights(path)
    assert some.bits(np.asarray(loaded.values)) == some.bits(weights.values)
    assert (tuple(loaded.cues), tuple(loaded.outcomes)) == (tuple(weights.cues), tuple(weights.outcomes))


@given(some.events(max_cues=3, max_outcomes=6), st.sampled_from([0.1, (0.2, 0.05)]))
def test_outcomes_that_are_kept_twice_teach_as_one_does(events: list[Event], beta: Any) -> None:
    once = [(cues, reference.distinct(outcomes), frequency) for cues, outcomes, frequency in events]
    kept, single = rw.read_events(events, duplicates="keep"), rw.read_events(once, duplicates="keep")
    for learned in (
        partial(rw.learn, beta=beta, method="forward"),
        partial(rw.learn, beta=beta, average=True),
        partial(rw.equilibrium, beta=beta),
        partial(rw.trajectories, beta=beta, predictions=True),
        partial(rw.delta_rule, beta=0.1, batch=2),
        partial(rw.widrow_hoff, eta=0.1),
    ):
        assert learned(kept).values.tobytes() == learned(single).values.tobytes()
    # The adjoint method takes repeated types of events together, where the events have a dictionary of types:
    # whether they have one may depend on outcomes that are named twice.
    alike = kept.info()["encoding"] == single.info()["encoding"]
    methods: tuple[Literal["auto", "adjoint"], ...] = (
        ("auto",) if isinstance(beta, tuple) else ("adjoint", "auto")
    )
    for method in methods:
        found, wanted = (rw.learn(source, beta=beta, method=method) for source in (kept, single))
        assert found.parameters["method"] == wanted.parameters["method"]
        if alike or found.parameters["method"] == "forward":
            assert found.values.tobytes() == wanted.values.tobytes()
        np.testing.assert_allclose(found.values, wanted.values, rtol=0, atol=1e-12)


def test_pyndl_counts_an_outcome_that_is_named_twice_twice(tmp_path: Path) -> None:
    count = pytest.importorskip("pyndl.count")
    packed = tmp_path / "events.tab.gz"
    packed.write_bytes(gzip.compress(b"cues\toutcomes\na_b_a\tx_y_x\na_b_a\tx_y_x\nb\ty\n"))
    _, cues, outcomes = count.cues_outcomes(str(packed))
    found = rw.read_events(packed, duplicates="keep")
    assert dict(outcomes) == dict(zip(found.outcomes, found.outcome_counts.tolist(), strict=True))
    assert dict(cues) == dict(zip(found.cues, found.cue_counts.tolist(), strict=True))
