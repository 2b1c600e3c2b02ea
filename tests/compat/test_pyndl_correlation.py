"""`rescorla.compat.pyndl.correlation` beside pyndl's."""

from collections.abc import Iterator

import numpy as np
import pytest
from beside_pyndl import REASON, assert_close, case, raised

pyndl = pytest.importorskip("pyndl", reason=REASON)

from pyndl import correlation as theirs  # noqa: E402
from rescorla.compat.pyndl import correlation as ours  # noqa: E402

# pyndl takes means from sums, where digits cancel.
CANCELLED = 1e-12


def test_correlation_gives_the_correlations_of_pyndl(seeds: Iterator[int]) -> None:
    for seed in seeds:
        with case(seed):
            rng = np.random.default_rng(seed)
            n, n_outcomes, n_events = rng.integers(2, 20), rng.integers(1, 8), rng.integers(1, 8)
            semantics = rng.normal(size=(n, n_outcomes)) + rng.normal()
            activations = rng.normal(size=(n, n_events)) * rng.uniform(0.1, 10)
            found = ours.correlation(semantics, activations)
            assert_close(found, theirs.correlation(semantics, activations), CANCELLED)
            assert_close(found, theirs._reference_correlation(semantics, activations), CANCELLED)
            # What has no correlation is refused by both; or NaN here, and of pyndl NaN or infinite.
            flat, unknown = semantics.copy(), activations.copy()
            flat[:, 0] = 1.0
            unknown[0, -1] = np.nan
            for given in ((flat, activations), (semantics, unknown)):
                for module in (ours, theirs):
                    assert isinstance(raised(module.correlation, *given), ValueError)
            semantics, activations = flat, unknown
            with np.errstate(all="ignore"):
                expected = theirs.correlation(semantics, activations, allow_nan=True)
            found = ours.correlation(semantics, activations, allow_nan=True)
            assert np.isnan(found[0]).all()
            assert np.isnan(found[:, -1]).all()
            assert not np.isfinite(expected[0]).any()
            assert_close(found[1:, :-1], expected[1:, :-1], CANCELLED)


def test_correlation_refuses_vectors_of_different_lengths() -> None:
    for module in (ours, theirs):
        assert isinstance(raised(module.correlation, np.ones((2, 3)), np.ones((3, 3))), AssertionError)
