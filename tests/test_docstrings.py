"""The examples in the docstrings of the installed package run and give what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
import rescorla

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
    "rescorla.datasets.bible",
    "rescorla.datasets.design",
    "rescorla.datasets.lexicon",
    "rescorla.datasets.r",
    "rescorla.estimators",
    "rescorla.estimators.delta",
    "rescorla.estimators.equilibrium",
    "rescorla.estimators.names",
    "rescorla.estimators.planes",
    "rescorla.estimators.rescorla_wagner",
    "rescorla.measures",
    "rescorla.perceptrons",
    "rescorla.plot",
    "rescorla.schedules",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert results.failed == 0
    assert results.attempted > 0 or name not in SHOWN


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
