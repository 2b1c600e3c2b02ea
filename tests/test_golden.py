"""The values of R ndl, to 1e-9."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import strategies as some


def golden_weights(
    path: Path,
) -> tuple[list[str], list[str], np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Cues, outcomes and weights."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return [row[0] for row in rows], header[1:], np.array([[float(cell) for cell in row[1:]] for row in rows])


def assert_golden(weights: rw.Weights, path: Path) -> None:
    """The same names, and under each pair the same weight."""
    cues, outcomes, expected = golden_weights(path)
    assert (sorted(weights.cues), sorted(weights.outcomes)) == (sorted(cues), sorted(outcomes))
    found = np.array([[weights[cue, outcome] for outcome in outcomes] for cue in cues])
    some.assert_close(found, expected, 1e-9)


@pytest.mark.parametrize("data", ["danks", "lexample", "plurals"])
def test_equilibrium(shared: Path, data: str) -> None:
    events = rw.read_events(shared / "golden" / f"{data}_events.csv")
    assert_golden(rw.equilibrium(events), shared / "golden" / f"{data}_weights.csv")


def r_weights(events: rw.Events) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """What `estimateWeights` of R's ndl computes: P(outcome | cue) by the inverse of P(cue | cue).

    Both are counts of pairs divided by those of the cue. A cue that an event lists m times counts m times
    with others. With itself it counts m times, too, where the normal equations have m^2.
    """
    cues, outcomes = events.cue_matrix().toarray(), events.outcome_matrix().toarray()
    n = events.frequencies
    pairs = (cues.T * n) @ cues
    np.fill_diagonal(pairs, n @ cues)
    total = pairs.diagonal()[:, None]
    found: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.linalg.pinv(pairs / total) @ (
        (cues.T * n) @ outcomes / total
    )
    return found


def test_duplicates_that_r_keeps_are_no_equilibrium(shared: Path) -> None:
    table = shared / "golden" / "plurals_events.csv"
    dropped, kept = rw.read_events(table), rw.read_events(table, duplicates="keep")
    assert dropped.cue_matrix().max() == 1
    assert kept.cue_matrix().max() == 2
    # The formula is R's: without duplicates it gives R's numbers.
    assert_golden(
        rw.Weights(r_weights(dropped), dropped.cues, dropped.outcomes),
        shared / "golden" / "plurals_weights.csv",
    )
    equilibrium = rw.equilibrium(kept)
    assert np.abs(r_weights(kept) - equilibrium.values).max() == pytest.approx(0.867, abs=5e-4)
    # The equilibrium is where learning comes to rest: no cue expects too much or too little of an outcome.
    cues, outcomes = kept.cue_matrix().toarray(), kept.outcome_matrix().toarray()
    n = kept.frequencies[:, None]
    left = cues.T @ (n * (outcomes - cues @ equilibrium.values))
    assert np.abs(left).max() < 1e-9 * n.sum()
    left = cues.T @ (n * (outcomes - cues @ r_weights(kept)))
    assert np.abs(left).max() > 1.0


# There is no golden file of plurals with the background cue.
@pytest.mark.parametrize("data", ["danks", "lexample"])
def test_equilibrium_with_a_background_cue(shared: Path, data: str) -> None:
    table, golden = (
        shared / "golden" / f"{data}_events.csv",
        shared / "golden" / f"{data}_weights_background.csv",
    )
    assert_golden(rw.equilibrium(rw.read_events(table), background="Environ"), golden)
    assert_golden(rw.equilibrium(rw.read_events(table, background="Environ")), golden)


@pytest.mark.parametrize("method", ["auto", "forward", "adjoint"])
def test_the_weights_after_one_run(shared: Path, method: Any) -> None:
    events = rw.read_events(shared / "golden" / "plurals_events.csv")
    weights = rw.learn(events, alpha=0.1, beta=0.1, method=method)
    assert_golden(weights, shared / "golden" / "rw_plurals_roworder_1run_full_dedup_baseR.csv")


def test_the_weights_after_every_token(shared: Path) -> None:
    rows = list(rw.read_events(shared / "golden" / "lexample_events.csv"))
    tokens = [(cues, outcomes, 1) for cues, outcomes, frequency in rows for _ in range(frequency)]
    with (shared / "golden" / "rw_lexample_roworder_285tokens.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        trace = list(csv.DictReader(file))
    assert len(trace) == 285
    weights = None
    for token, expected in zip(tokens, trace, strict=False):
        weights = rw.learn(rw.read_events([token]), alpha=0.1, beta=0.1, initial=weights)
        for pair, value in list(expected.items())[1:]:
            cue, outcome = pair.split("->")
            known = cue in weights.cues and outcome in weights.outcomes
            assert (weights[cue, outcome] if known else 0.0) == pytest.approx(float(value), abs=1e-9)
