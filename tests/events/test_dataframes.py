"""Events as data frames: `read_events` reads them back."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rescorla as rw
import strategies as some
from hypothesis import given
from hypothesis import strategies as st
from reference import Event

FRAMES = pytest.mark.parametrize("library", ["pandas", "polars"])


def frame_of(events: rw.Events, library: str) -> pd.DataFrame | pl.DataFrame:
    return events.to_pandas() if library == "pandas" else events.to_polars()


@FRAMES
@given(events=some.events(some.VERBATIM_NAMES, frequencies=st.integers(0, 3)))
def test_a_frame_reads_back_as_the_events(library: str, events: list[Event]) -> None:
    source = rw.read_events(events, duplicates="keep")
    again = rw.read_events(frame_of(source, library), duplicates="keep")
    assert list(again) == list(source)
    assert (again.cues, again.outcomes) == (source.cues, source.outcomes)


@FRAMES
def test_types_are_the_same_for_no_events(library: str) -> None:
    for source in (rw.read_events([]), rw.read_events([("a_b", "x", 3), ("", "")])):
        frame = frame_of(source, library)
        assert list(frame.columns) == ["cues", "outcomes", "frequency"]
        assert len(frame) == len(source)
        if isinstance(frame, pl.DataFrame):
            assert frame.dtypes == [pl.List(pl.String), pl.List(pl.String), pl.Int64]
        else:
            assert frame.dtypes.tolist() == [np.dtype(object), np.dtype(object), np.dtype(np.int64)]
            assert frame.index.tolist() == list(range(len(source)))


@FRAMES
def test_more_events_than_are_decoded_at_once(library: str) -> None:
    source = rw.read_events((f"c{n % 7}", "x", n % 3) for n in range(65_536 + 3))
    assert frame_of(source, library)["frequency"].to_list() == source.frequencies.tolist()
    assert frame_of(source, library)["cues"].to_list() == [list(event.cues) for event in source]
