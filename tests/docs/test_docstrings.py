"""The examples in the docstrings of the installed package run and give what they say."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
import rescorla
from rescorla import classify, estimators, measures, perceptrons, plot, schedules
from test_docs import WIDTH

MODULES = ["rescorla"] + [
    module.name
    for module in pkgutil.walk_packages(rescorla.__path__, "rescorla.")
    if module.name != "rescorla.__main__"
]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
#: Where there must be examples: the rooms that users see.
SHOWN = {
    "rescorla",
    "rescorla.compat.pyndl",
    "rescorla.compat.pyndl.activation",
    "rescorla.compat.pyndl.corpus",
    "rescorla.compat.pyndl.correlation",
    "rescorla.compat.pyndl.count",
    "rescorla.compat.pyndl.io",
    "rescorla.compat.pyndl.ndl",
    "rescorla.compat.pyndl.preprocess",
    "rescorla.compat.pyndl.wh",
    "rescorla.datasets",
    "rescorla.datasets._bible",
    "rescorla.datasets._plants",
    "rescorla.datasets._plurals",
    "rescorla.estimators",
    "rescorla.estimators.delta",
    "rescorla.estimators.equilibrium",
    "rescorla.estimators.names",
    "rescorla.estimators.planes",
    "rescorla.estimators.rescorla_wagner",
    "rescorla.measures",
    "rescorla.perceptrons",
    "rescorla.plot._curves",
    "rescorla.plot._graph",
    "rescorla.plot._heatmap",
    "rescorla.plot._histogram",
    "rescorla.plot._rates",
    "rescorla.schedules",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert results.failed == 0
    assert results.attempted > 0 or name not in SHOWN


@pytest.mark.parametrize("name", MODULES)
def test_examples_fit_a_narrow_page(name: str) -> None:
    tests = doctest.DocTestFinder().find(importlib.import_module(name))
    assert [line for test in tests for line in wide(test)] == []


def wide(test: doctest.DocTest) -> list[str]:
    """The lines of examples that are wider than on a page, prompts and all."""
    lines = (line for example in test.examples for line in example.source.splitlines())
    return [f"{test.name}: {line}" for line in lines if len(line) > WIDTH - len(">>> ")]


def test_an_example_that_is_too_wide_is_found() -> None:
    long = "x" * 77
    test = doctest.DocTestParser().get_doctest(
        f"    >>> {long}\n    >>> y\n    {long}{long}\n", {}, "a", None, 0
    )
    assert wide(test) == [f"a: {long}"]


# Doctest passes over the methods of a class that says it is of another module.
CLASSES = {
    f"{room.__name__}.{name}": found
    for room in (rescorla, classify, estimators, measures, perceptrons, plot, schedules)
    for name in room.__all__
    if isinstance(found := getattr(room, name), type)
}


@pytest.mark.parametrize("name", CLASSES)
def test_examples_of_methods_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(optionflags=OPTIONS)
    for key, value in vars(CLASSES[name]).items():
        method = getattr(value, "__func__", getattr(value, "fget", value))
        if inspect.isfunction(method):
            for test in finder.find(inspect.unwrap(method), f"{name}.{key}"):
                runner.run(test)
                assert wide(test) == []
    assert runner.summarize(verbose=False).failed == 0
    if name == "rescorla.Events":
        assert runner.tries > 20


def test_every_public_function_and_class_has_an_example() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    without = [
        name
        for name in rescorla.__all__
        if callable(found := getattr(rescorla, name))
        and not (isinstance(found, type) and issubclass(found, Exception))
        and not any(test.examples for test in finder.find(found, name))
    ]
    assert without == []
