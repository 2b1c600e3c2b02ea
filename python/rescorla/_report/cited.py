"""How to cite: the software, and the papers that the function behind a result names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import rescorla._core as _core
from rescorla._learn.delta.delta_rule import delta_rule
from rescorla._learn.equilibrium import equilibrium
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.rule import RULES
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._report.page import section, sentences

_YEAR = 2026

# The functions behind the rules that `parameters` names.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(RULES, learn),
    "equilibrium": equilibrium,
    "delta": delta_rule,
    "widrow_hoff": widrow_hoff,
}


def cited(rule: object) -> str:
    """The section of a page that says how to cite."""
    function = _FUNCTIONS.get(rule) if isinstance(rule, str) else None
    papers = [] if function is None else references(function.__doc__)
    behind = ["<p>The papers behind it, as far as they matter to the argument:</p>", sentences(papers)]
    return section("How to cite", f"<pre>{escape(entry(address()))}</pre>", *(behind if papers else []))


def entry(where: str | None) -> str:
    """The software's entry for BibTeX."""
    fields = {
        "author ": "{The rescorla developers}",
        "title  ": "rescorla: error-driven associative learning at corpus scale",
        "year   ": str(_YEAR),
        "version": _core.__version__,
        "note   ": f"Version {_core.__version__}",
    }
    if where is not None:
        fields["url    "] = where
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{rescorla,\n{lines}\n}}"


def address() -> str | None:
    """Where the software is, as its metadata says; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        known: Mapping[str, Any] = dict(
            url.split(", ", 1) for url in metadata("rescorla").get_all("Project-URL") or ()
        )
    except PackageNotFoundError:
        return None
    return known.get("Repository")


def references(docstring: str | None) -> list[str]:
    """The entries of the section References of a docstring, each on one line; none under ``python -OO``."""
    text = inspect.cleandoc(docstring or "")
    found = re.search(r"^References\n-+\n(.*?)(?=^[^\n]+\n-{3,}$|\Z)", text, re.MULTILINE | re.DOTALL)
    return [" ".join(each.split()) for each in found[1].strip().split("\n\n")] if found else []
