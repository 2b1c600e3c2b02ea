"""The kernel that a whole run of tests asks for."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla import perceptrons
from rescorla._shared import testing

EVENTS = rw.read_events([(["a", "b"], ["x"], 3), (["b"], ["y"], 2)])
X = np.array([[1.0, 2.0], [-1.0, 1.0]])


def delta(data: Any) -> Any:
    return rw.delta_rule(data, beta=0.1, progress=False)


VERBS: dict[str, Callable[[], Any]] = {
    "learn": lambda: rw.learn(EVENTS, progress=False),
    "trajectories": lambda: rw.trajectories(EVENTS, [("a", "x")], progress=False),
    "delta rule on events": lambda: delta(EVENTS),
    "delta rule on arrays": lambda: delta((X, np.array([[1.0], [0.0]]))),
    "Widrow-Hoff": lambda: rw.widrow_hoff((X, X), eta=0.1, progress=False),
    "MinOver": lambda: perceptrons.minover(X, np.array([1, -1]), max_steps=3),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_asks_for_the_kernel_of_the_run(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(testing.everywhere, "kernel", "that of the run")
    with pytest.raises(ValueError, match=r"expected a kernel of this machine .*that of the run"):
        VERBS[verb]()


def test_weights_that_change_in_place_ask_for_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = rw.learn(EVENTS, progress=False)
    monkeypatch.setitem(testing.everywhere, "kernel", "that of the run")
    with pytest.raises(ValueError, match=r"expected a kernel of this machine .*that of the run"):
        rw.learn(EVENTS, initial=weights, out=weights, progress=False)


def test_every_thread_has_the_kernel_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(testing.everywhere, "kernel", "portable")
    with ThreadPoolExecutor(1) as pool, testing.asking(tile=3):
        weights = pool.submit(rw.learn, EVENTS, progress=False).result()
        here = rw.learn(EVENTS, progress=False)
    assert weights.parameters["kernel"] == here.parameters["kernel"] == "portable"


def test_a_test_that_asks_for_a_kernel_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(testing.everywhere, "kernel", "that of the run")
    with testing.asking(kernel="portable"):
        assert rw.learn(EVENTS, progress=False).parameters["kernel"] == "portable"
    with testing.asking(kernel=None), pytest.raises(ValueError, match="that of the run"):
        rw.learn(EVENTS, progress=False)


def test_this_run_learns_with_the_kernel_of_its_command_line(pytestconfig: pytest.Config) -> None:
    kernel = pytestconfig.getoption("kernel")
    if kernel is None:
        pytest.skip("a run with the fastest kernel of this machine")
    assert rw.learn(EVENTS, progress=False).parameters["kernel"] == kernel
