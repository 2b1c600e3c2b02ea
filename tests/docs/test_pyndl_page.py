"""docs/api/pyndl.md speaks of every function of pyndl; those that ours has have its signatures."""

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

PAGE = (Path(__file__).parents[2] / "docs" / "api" / "pyndl.md").read_text(encoding="utf-8")
MODULES = ["", "ndl", "wh", "activation", "preprocess", "count", "io", "corpus", "correlation"]
COMPILED = {"ndl_parallel", "ndl_openmp", "correlation_openmp"}
# What ours has: what scripts call.
KEPT = {
    *("ndl.ndl", "ndl.dict_ndl", "ndl.WeightDict", "ndl.data_array", "wh.wh", "wh.dict_wh"),
    *("activation.activation", "correlation.correlation"),
    *("preprocess.create_event_file", "preprocess.filter_event_file", "preprocess.bandsample"),
    *("corpus.create_corpus_from_gz", "io.events_from_file", "io.events_to_file"),
    *("io.events_from_dataframe", "io.events_from_list"),
    *("count.cues_outcomes", "count.CuesOutcomes", "count.words_symbols", "count.WordsSymbols"),
    *("count.load_counter", "count.save_counter"),
}


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
            # `requires` and the like are of Python.
            if name[0] != "_" and callable(found) and found.__module__ == there.__name__:
                yield Public(module, name, found)


PUBLIC = list(public())
OURS = [each for each in PUBLIC if each.key in KEPT]


def rows() -> list[str]:
    """The first cells of the tables that say it function by function, of what ours has."""
    section = PAGE.partition("\n## Each function and argument")[2].partition("`compat` does not have:")[0]
    return re.findall(r"^\| `([^`]+)` \| \S", section, re.M)


def test_pyndl_has_what_is_kept_and_more() -> None:
    assert {each.key for each in OURS} == KEPT
    assert {"sysinfo", "preprocess.JobFilter"} < {each.key for each in PUBLIC} - KEPT


def test_every_name_has_a_row() -> None:
    assert [each.key for each in OURS if each.key not in rows()] == []


def test_what_ours_has_not_is_said() -> None:
    left_out = PAGE.partition("`compat` does not have:")[2].partition("\n##")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]+)\|", left_out, re.M))))
    assert named == {each.name for each in PUBLIC if each.key not in KEPT} | COMPILED
    for each in PUBLIC:
        room = module_of("rescorla.compat.pyndl", each.module)
        assert (each.name in room.__all__) == (each.key in KEPT), each.key


def test_every_argument_has_a_row() -> None:
    told = set(rows())
    missing = [
        f"{each.key}({argument}=)"
        for each in OURS
        for argument in each.arguments
        if not {f"{each.key}({argument}=)", f"{argument}="} & told
    ]
    assert missing == []


def test_every_row_is_of_something_in_pyndl_and_comes_once() -> None:
    known = {each.key for each in OURS}
    known |= {f"{each.key}({argument}=)" for each in OURS for argument in each.arguments}
    known |= {f"{argument}=" for each in OURS for argument in each.arguments}
    told = rows()
    assert [row for row in told if row not in known] == []
    assert sorted(set(told)) == sorted(told)


@pytest.mark.parametrize("each", OURS, ids=lambda each: each.key)
def test_ours_has_the_signature_of_pyndl(each: Public) -> None:
    ours = getattr(module_of("rescorla.compat.pyndl", each.module), each.name)
    if inspect.isclass(each.found):
        assert inspect.isclass(ours)

    def plain(function: Any) -> list[Any]:
        return [
            (parameter.name, parameter.kind, parameter.default)
            for parameter in inspect.signature(function).parameters.values()
        ]

    assert plain(ours) == plain(each.found)
