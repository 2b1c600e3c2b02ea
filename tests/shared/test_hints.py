"""Calls with the arguments of other packages, with misspelt ones, and with too many or too few."""

import doctest
import inspect
from collections.abc import Callable
from typing import Any

import pytest
import rescorla as rw
from rescorla._shared.hints import hinting

EVENTS = rw.read_events([("a_b", "x", 3)])

FUNCTIONS = [value for name in rw.__all__ if inspect.isfunction(value := getattr(rw, name))]


# What type checkers refuse, too.
called: Any = rw
events: Any = EVENTS


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: called.learn(EVENTS, betas=(0.1, 0.1)), "no argument 'betas'; write beta=(beta1, beta2)"),
        (lambda: called.learn(EVENTS, alphas={"a": 1}), "no argument 'alphas'; write alpha="),
        (lambda: called.learn(EVENTS, n_jobs=2), "no argument 'n_jobs'; write threads="),
        (
            lambda: called.learn(EVENTS, number_of_threads=2),
            "no argument 'number_of_threads'; write threads=",
        ),
        (lambda: called.learn(EVENTS, **{"lambda": 1.0}), "no argument 'lambda'; write lambda_="),
        (lambda: called.learn(EVENTS, weights=None), "no argument 'weights'; write initial="),
        (
            lambda: called.learn(EVENTS, remove_duplicates=True),
            'make the events by rescorla.read_events(source, duplicates="drop", "keep" or "error")',
        ),
        (
            lambda: called.read_events([], remove_duplicates=True),
            'write duplicates="drop", "keep" or "error"',
        ),
        (lambda: called.activations(EVENTS, None, ignore_missing_cues=True), 'write unknown="ignore"'),
        (lambda: called.corpus_events([], allowed_symbols="a-z"), "write symbols="),
        (lambda: called.equilibrium(EVENTS, addBackground=True), 'write background="Environ"'),
        (lambda: called.ortho_coding([], sepToken="."), "write separator="),
        (lambda: called.bandsample({}, sample_size=3, seed=1), "write size="),
        (lambda: called.learn(EVENTS, lamda=2), "learn() has no argument 'lamda'; did you mean 'lambda_'?"),
        (lambda: called.learn(EVENTS, treads=2), "did you mean 'threads'?"),
        (
            lambda: called.trajectories(EVENTS, evry=2),
            "no argument 'evry'; did you mean 'every'?",
        ),
        (
            lambda: events.filter(keep_cue=["a"]),
            "Events.filter() has no argument 'keep_cue'; did you mean",
        ),
        (lambda: called.open_events("e.rw", xyzzy=1), "open_events() has no argument 'xyzzy'; it has path"),
        (
            lambda: called.learn(EVENTS, 0.1, 0.2),
            "learn() takes 1 argument by position (events), and 3 were given; name the others, as in "
            "learn(events, alpha=0.1, beta=0.2)",
        ),
        (
            lambda: events.head(1, "e.rw"),
            "name the others, as in head(n, path='e.rw')",
        ),
        (lambda: called.learn(EVENTS, events=EVENTS), "learn() is given 'events' twice"),
        (lambda: called.learn(), "learn() needs events; write learn(events)"),
        (lambda: events.sample(), "Events.sample() needs n and seed; write sample(n, seed)"),
        (lambda: called.bandsample({}), "bandsample() needs seed; write bandsample(counts, seed=...)"),
    ],
)
def test_a_call_that_does_not_fit_is_told_what_to_write(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as refused:
        call()
    assert message in str(refused.value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_public_functions_are_told(function: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) has no argument 'n_jobs'; "):
        function(n_jobs=2)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_signature_and_documentation_stay(function: Callable[..., Any]) -> None:
    inner: Any = inspect.unwrap(function)
    assert inner is not function
    assert inspect.signature(function) == inspect.signature(inner)
    assert (function.__doc__, function.__module__) == (inner.__doc__, "rescorla")
    # Examples are found where they stand.
    found = doctest.DocTestFinder().find(inspect.getmodule(function))
    assert any(each.name.endswith(f".{function.__name__}") and each.examples for each in found)


def test_methods_that_make_events_of_events_are_told() -> None:
    derived = "concat filter head passes repeated sample shuffled split with_background"
    for name in derived.split():
        with pytest.raises(TypeError, match=rf"Events\.{name}\(\) has no argument 'n_jobs'"):
            getattr(EVENTS, name)(n_jobs=2)


def test_what_a_function_raises_itself_is_left_as_it_is() -> None:
    @hinting
    def outer(x: int) -> int:
        return inner(x, 1)  # type: ignore[call-arg]

    def inner(x: int) -> int:
        return x

    with pytest.raises(TypeError, match=r"inner\(\) takes 1 positional argument but 2 were given") as raised:
        outer(1)
    assert raised.value.__cause__ is None
    with pytest.raises(TypeError, match="events come from a path, an iterable"):
        rw.learn(3)  # type: ignore[arg-type]


def test_what_cannot_be_explained_is_raised_as_it_was() -> None:
    # Without a frame of its own, and not for how it was called.
    with pytest.raises(TypeError, match="abs"):
        hinting(abs)("x")  # type: ignore[arg-type]
