"""docs/moving.md has a row for every public name and argument of pyndl; our functions have its signatures."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from beside_pyndl import REASON

pyndl = pytest.importorskip("pyndl", reason=REASON)

PAGE = (Path(__file__).parents[2] / "docs" / "moving.md").read_text(encoding="utf-8")
MODULES = ["", "ndl", "wh", "activation", "preprocess", "count", "io", "corpus", "correlation"]
COMPILED = ["ndl_parallel", "ndl_openmp", "correlation_openmp"]


class Public(NamedTuple):
    """What pyndl has under a name."""

    module: str
    name: str
    found: Any

    @property
    def key(self) -> str:
        return f"{self.module}.{self.name}".strip(".")

    @property
    def arguments(self) -> list[str]:
        if not callable(self.found) or self.name == "WeightDict":
            return []
        return list(inspect.signature(self.found).parameters)


def module_of(package: str, name: str) -> ModuleType:
    return import_module(f"{package}.{name}".strip("."))


def public() -> Iterator[Public]:
    """Every public name of pyndl, in the module that it comes from."""
    for module in MODULES:
        there = module_of("pyndl", module)
        for name, found in vars(there).items():
            own = not callable(found) or found.__module__ == there.__name__
            if name[0] != "_" and own and not inspect.ismodule(found) and name != "pyndl_version":
                # `requires` and the like are of Python.
                yield Public(module, name, found)


PUBLIC = list(public())


def rows() -> list[str]:
    """The first cells of the tables that say it function by function."""
    section = PAGE.partition("### Each function and argument")[2].partition("\n### ")[0]
    return re.findall(r"^\| `([^`]+)` \| \S", section, re.M)


def test_there_is_something_to_compare() -> None:
    assert len(PUBLIC) > 40
    assert {"ndl.ndl", "sysinfo", "preprocess.JobFilter"} < {each.key for each in PUBLIC}


def test_every_name_has_a_row() -> None:
    missing = [each.key for each in PUBLIC if each.key not in rows()]
    assert missing == []
    assert [name for name in COMPILED if name not in rows()] == []


def test_every_argument_has_a_row() -> None:
    told = set(rows())
    missing = [
        f"{each.key}({argument}=)"
        for each in PUBLIC
        for argument in each.arguments
        if not {f"{each.key}({argument}=)", f"{argument}="} & told
    ]
    assert missing == []


def test_every_row_is_of_something_in_pyndl_and_comes_once() -> None:
    known = {each.key for each in PUBLIC} | set(COMPILED)
    known |= {f"{each.key}({argument}=)" for each in PUBLIC for argument in each.arguments}
    known |= {f"{argument}=" for each in PUBLIC for argument in each.arguments}
    told = rows()
    assert [row for row in told if row not in known] == []
    assert sorted(set(told)) == sorted(told)


@pytest.mark.parametrize("each", PUBLIC, ids=lambda each: each.key)
def test_ours_has_the_signature_of_pyndl(each: Public) -> None:
    ours = getattr(module_of("rescorla.compat.pyndl", each.module), each.name)
    if not callable(each.found):
        assert ours == each.found
        return
    assert callable(ours)
    if inspect.isclass(each.found):
        assert inspect.isclass(ours)

    def plain(function: Any) -> list[Any]:
        return [
            (parameter.name, parameter.kind, parameter.default)
            for parameter in inspect.signature(function).parameters.values()
        ]

    assert plain(ours) == plain(each.found)


def test_modules_that_ours_has_say_what_is_public() -> None:
    for name in MODULES[1:]:
        module = module_of("rescorla.compat.pyndl", name)
        wanted = {each.name for each in PUBLIC if each.module == name}
        assert wanted <= set(module.__all__)
