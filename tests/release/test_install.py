"""The page that says how to install names what the metadata name."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def rows() -> dict[str, str]:
    """What the table says that each extra brings."""
    table = PAGE.partition("| extra | brings | for |\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.M))


def test_the_table_has_the_extras() -> None:
    assert sorted(rows()) == sorted(EXTRAS)


def test_the_table_names_what_each_extra_brings() -> None:
    for extra, requirements in EXTRAS.items():
        brings = rows()[extra].lower()
        for requirement in requirements:
            name = re.split(r"[\[<>=~]", requirement)[0].lower()
            if name == "rescorla":
                assert "all of these" in brings or "those of" in brings or "xarray" in brings, extra
            else:
                assert name in brings or ("stubs" in brings and re.search("stubs|types", name)), (extra, name)


def test_the_page_names_the_oldest_python_and_rust() -> None:
    python = PROJECT["requires-python"].removeprefix(">=")
    rust = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]["rust-version"]
    assert f"CPython {python} or newer" in PAGE
    assert f"Rust {rust} or newer" in PAGE


def test_the_classifiers_begin_with_the_oldest_python() -> None:
    versions = re.findall(
        r"Programming Language :: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.M
    )
    assert f">={versions[0]}" == PROJECT["requires-python"]
