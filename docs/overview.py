"""The overview of the API, made of the docstrings: ``python docs/overview.py`` writes docs/api/index.md.

The site cannot be built, and a test fails, where the page is not what the docstrings say, or where a public
name is on no page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any, NamedTuple

import rescorla

FOLDER = Path(__file__).with_name("api")
PAGE = FOLDER / "index.md"

# The pages of the API, as a reader looks for them.
GROUPS = {
    "Make events": ["events", "factors", "datasets"],
    "Learn": [
        "learning",
        "people",
        "trajectories",
        "influence",
        "schedules",
    ],
    "Where learning goes": ["equilibrium", "convergence"],
    "Use weights": ["weights", "activations", "measures"],
    "Words and vectors": ["ldl"],
    "Draw and show": ["plot", "report"],
    "Classify": ["classify", "estimators"],
    "Relatives of the rule": ["family", "perceptrons"],
    "Large data and clusters": ["tiles", "distributed"],
    "Warnings and versions": ["warnings", "versions"],
    "The functions of pyndl": ["pyndl"],
}

_HEAD = """\
# All names

<!-- Made by docs/overview.py of the docstrings: change those, and run it. -->

Every public name, with a link to its page and the first line of what stands there. `rw` is
`import rescorla as rw`, and `pyndl` is `import rescorla.compat.pyndl as pyndl`. To start from a question, see
[Which function do I need?](../which.md)
"""

# What arguments are called, whatever function has them.
_SHARED = {
    "`events`, `weights`": (
        "what is learned from, what predicts: first, in this order. `source`, `corpus`, "
        "`text` and `data` are what events are made of"
    ),
    "`path`": (
        "where events go, and files are: `read_events(source, path)`, `events.filter(path=)`, "
        "`weights.save(path)`"
    ),
    "`out`": (
        "where weights and activations go: an array, a file, a store; the weights themselves, "
        "to learn in place"
    ),
    "`alpha`, `beta`, `lambda_`": (
        "saliences, learning rate or rates, asymptotes; `eta` of learners without saliences"
    ),
    "`cues`, `outcomes`": "those that are wanted, in this order",
    "`initial`": "weights to start from",
    "`passes`": "how often all tokens are gone through",
    "`seed`": (
        "where random numbers come from: an int, a Generator, a SeedSequence. Estimators and "
        "`classify` have scikit-learn's `random_state`"
    ),
    "`threads`": "how many threads work; by default as many as the process may run on",
    "`n`": "how many to give",
    "`dtype`": "float64 or float32",
    "`tol`": "the tolerance, where something stops",
    "`progress`": "None, True, False, or a function of done and total",
}

_ARGUMENTS = """\
## Arguments that functions share

What comes first is given by position; what goes somewhere, and all that chooses, is given by name.

| argument | what it is |
|---|---|
"""


def shared() -> str:
    """The table of the arguments that functions share."""
    return _ARGUMENTS + "".join(
        f"| {name} | {what} |\n" for name, what in _SHARED.items()
    )


# What has no docstring: the page that tells of it, and what it is.
_PLAIN = {
    "rescorla.__version__": (
        "versions",
        "The version of this package, a str.",
    )
}


class Entry(NamedTuple):
    """What a page of the API documents: its name in programs, its link from the overview, and itself."""

    path: str
    link: str
    found: Any


def page() -> str:
    """The page."""
    return "\n".join(
        [
            _HEAD,
            shared(),
            *(
                part
                for title, pages in GROUPS.items()
                for part in _group(title, pages)
            ),
        ]
    )


def unlisted() -> list[str]:
    """The public names that are on no page of the API, and the pages that are in no group."""
    pages = [page for pages in GROUPS.values() for page in pages]
    # A function or class may be public in two rooms: one page is enough.
    known = {id(entry.found) for page in pages for entry in _entries(page)}
    names = sorted(
        path
        for path, found in _public("rescorla", rescorla)
        if id(found) not in known
    )
    others = {path.stem for path in FOLDER.glob("*.md")} - {
        PAGE.stem,
        *pages,
    }
    return names + [f"docs/api/{name}.md" for name in sorted(others)]


def _public(path: str, room: ModuleType) -> Iterator[tuple[str, Any]]:
    """What users can import, but for constants of modules within the package."""
    for name in room.__all__:
        found = getattr(room, name)
        if inspect.ismodule(found):
            yield f"{path}.{name}", found
            yield from _public(f"{path}.{name}", found)
        elif callable(found) or room is rescorla:
            yield f"{path}.{name}", found


def _entries(page: str) -> Iterator[Entry]:
    """What a page of the API documents, in order: before what a module has, the module."""
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    seen = {"rescorla"}
    for path, options, heading in re.findall(
        r"^::: (\S+)\n((?: .*\n)*)|^## .*\{ #(rescorla\.\S+) \}$",
        text,
        re.MULTILINE,
    ):
        members = re.search(r"^ +members: \[(.*)\]$", options, re.MULTILINE)
        names = (
            [f"{path}.{name}" for name in members[1].split(", ")]
            if members
            else [path or heading]
        )
        for place in names:
            room, _, name = place.rpartition(".")
            parts = room.split(".")
            for each in (
                ".".join(parts[:count])
                for count in range(1, len(parts) + 1)
            ):
                if each not in seen:
                    seen.add(each)
                    yield Entry(each, f"{page}.md", resolve_name(each))
            public = ".".join([*parts, name])
            yield Entry(public, f"{page}.md#{place}", resolve_name(public))
    for path, (where, _) in _PLAIN.items():
        if where == page:
            yield Entry(path, f"{page}.md", resolve_name(path))


def _group(title: str, pages: list[str]) -> Iterator[str]:
    """What is in the package itself comes first, then what its classes have, then each of its modules."""
    entries = [entry for page in pages for entry in _entries(page)]
    yield f"## {title}\n"
    own = [entry for entry in entries if _room(entry) is None]
    if own:
        yield _list(
            (_called(entry.path), entry.link, _summary(entry))
            for entry in own
        )
    for entry in own:
        rows = [
            (f".{name}", f"{entry.link}.{name}", _first(member))
            for name, member in _members(entry)
        ]
        if rows:
            yield f"### Of `{entry.found.__name__}`\n"
            yield _list(rows)
    for room in dict.fromkeys(filter(None, map(_room, entries))):
        first, *rest = (entry for entry in entries if _room(entry) == room)
        yield f"### `{_called(first.path)}`\n"
        yield f"{_summary(first)} [More]({first.link}).\n"
        yield _list(
            (_called(entry.path), entry.link, _summary(entry))
            for entry in rest
        )


def _room(entry: Entry) -> str | None:
    """The module of the package that it is in, or is."""
    _, room, *within = entry.path.split(".")
    return room if within or inspect.ismodule(entry.found) else None


def _members(entry: Entry) -> Iterator[tuple[str, Any]]:
    """The methods and properties of a class, by name. Those of errors and named tuples are Python's."""
    if not inspect.isclass(entry.found) or issubclass(
        entry.found, tuple | Exception
    ):
        return
    for name in dir(entry.found):
        member = inspect.getattr_static(entry.found, name)
        # The docstring of any other value is that of its type.
        if (
            not name.startswith("_")
            and member.__doc__
            and member.__doc__ != type(member).__doc__
        ):
            yield name, member


def _list(rows: Iterable[tuple[str, str, str]]) -> str:
    return "".join(
        f"- [`{name}`]({link}): {summary}\n" for name, link, summary in rows
    )


def _called(path: str) -> str:
    """How a name is written in a program."""
    return re.sub(
        r"^rescorla\.(compat\.(?=pyndl\.))?",
        lambda start: "" if start[1] else "rw.",
        path,
    )


def _summary(entry: Entry) -> str:
    return (
        _PLAIN[entry.path][1]
        if entry.path in _PLAIN
        else _first(entry.found)
    )


def _first(found: Any) -> str:
    """The summary of a docstring, as Markdown."""
    text = " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
    if not text:
        raise ValueError(f"{found!r} has no docstring")
    parts = re.split(r"(``.+?``|`.+?`)", text)
    return "".join(
        part.replace("``", "`") if part.startswith("`") else _escaped(part)
        for part in parts
    )


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_<>\[\]])", r"\\\1", text)


def on_pre_build(config: Any) -> None:
    """What mkdocs calls before it builds the site."""
    if lost := unlisted():
        raise SystemExit(
            f"on no page of docs/api that is in a group of docs/overview.py: {', '.join(lost)}"
        )
    if PAGE.read_text(encoding="utf-8") != page():
        raise SystemExit(
            f"{PAGE} is not what the docstrings say: run python docs/overview.py"
        )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
