"""How the software is cited agrees with what it is, and which papers with what the docstrings name."""

import inspect
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import rescorla

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "citing.md").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
# How Python writes what Cargo calls a version before a version.
BEFORE = {"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}


def as_python(version: str) -> str:
    """A version of Cargo's as Python writes it: 0.2.0-dev.0 is 0.2.0.dev0."""
    release, _, before = version.partition("-")
    kind, _, number = before.partition(".")
    return release + (BEFORE[kind] + number if before else "")


def version() -> str:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return as_python(manifest["package"]["version"])


def references(docstring: str | None) -> list[str]:
    """The entries of a numpydoc section References, each on one line."""
    found = re.search(
        r"^References\n-+\n(.*?)(?=^[^\n]+\n-{3,}$|\Z)", inspect.cleandoc(docstring or ""), re.M | re.S
    )
    return [" ".join(entry.split()) for entry in found[1].strip().split("\n\n")] if found else []


def named() -> dict[str, list[str]]:
    """The references of every public function, class and method that has some."""
    found: dict[str, list[str]] = {}

    def visit(prefix: str, room: ModuleType) -> None:
        for name in room.__all__:
            each = getattr(room, name)
            if isinstance(each, ModuleType):
                visit(f"{prefix}{name}.", each)
                continue
            found[prefix + name] = references(each.__doc__)
            if isinstance(each, type):
                for method, value in vars(each).items():
                    if callable(value) and not method.startswith("_"):
                        found[f"{prefix}{name}.{method}"] = references(value.__doc__)

    visit("", rescorla)
    return {name: entries for name, entries in found.items() if entries}


def short(entry: str) -> str:
    """An entry as the text cites it: Danks (2003), Evert and Arppe (2015), Baayen et al. (2011)."""
    authors, year = re.match(r"(.*?) \((\d{4})\)\. ", entry + " ").groups()  # type: ignore[union-attr]
    surnames = re.findall(r"(?:^|, | and )([^,]+?), [A-Z]\.(?:[ -][A-Z]\.)*", authors)
    joined = surnames[0] + " et al." if len(surnames) > 2 else " and ".join(surnames)
    return f"{joined} ({year})"


def rows() -> dict[str, list[str]]:
    """The table of the page: the papers of each function."""
    found = {}
    for functions, papers in re.findall(r"^\| (`.*?) \| (.*?) \|$", PAGE, re.M):
        for function in re.findall(r"`([^`]+)`", functions):
            assert function not in found, f"{function} has two rows"
            found[function] = papers.split("; ")
    return found


def listed() -> list[str]:
    """The list of references at the end of the page."""
    items = PAGE.partition("## References\n")[2].strip().removeprefix("- ").split("\n- ")
    return [" ".join(item.split()) for item in items]


@pytest.mark.parametrize(
    ("cargo", "python"),
    [
        ("0.2.0-dev.0", "0.2.0.dev0"),
        ("1.0.0-rc.2", "1.0.0rc2"),
        ("1.0.0-beta.1", "1.0.0b1"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_versions_as_python_writes_them(cargo: str, python: str) -> None:
    assert as_python(cargo) == python


def test_the_citation_names_the_version() -> None:
    assert re.findall(r"^version: (.*)$", CITATION, re.M) == [version()]


def test_the_entry_for_bibtex_names_the_version() -> None:
    assert re.findall(r"version *= \{(.*)\},", PAGE) == [version()]
    assert re.findall(r"note *= \{Version (.*)\},", PAGE) == [version()]


def test_the_entry_for_bibtex_has_the_title_and_authors_of_the_citation() -> None:
    for key, field in (("title", "title"), ("  - name", "author")):
        said = re.findall(rf'^{key}: "?(.*?)"?$', CITATION, re.M)
        assert re.findall(rf"^ +{field} *= \{{+(.*?)\}}+,$", PAGE, re.M) == said


def test_the_page_names_the_papers_of_every_docstring() -> None:
    wanted = {name: sorted(map(short, entries)) for name, entries in named().items()}
    assert len(wanted) > 30
    assert {name: sorted(papers) for name, papers in rows().items()} == wanted


def test_each_reference_is_that_of_a_docstring() -> None:
    entries = [entry for each in named().values() for entry in each]
    for item in listed():
        assert any(entry.startswith(item) for entry in entries), item
    assert sorted(map(short, listed())) == sorted({short(entry) for entry in entries})
