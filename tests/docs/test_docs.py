"""Every example in the documentation runs and prints what the page says.

Python stands in `pycon` or `python` blocks, after prompts; commands of this package in `console` blocks.
A page is one session: what a block makes, later blocks use. Blocks after `<!-- needs kjv.txt -->` run
where the shared data is.
"""

import doctest
import json
import lzma
import re
import shlex
import shutil
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from rescorla import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
NEEDS = "<!-- needs kjv.txt -->"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

# How the blocks that are run begin, so that no snippet escapes; and those that are not.
RUN = {"pycon": ">>> ", "python": ">>> ", "console": "$ "}
NOT_RUN = {"text", "sh", "r", "yaml", "bibtex", "rust"}


def shell(command: str) -> None:
    """Runs a command of this package and prints what it prints, its report as well, as on a terminal."""
    program, *arguments = shlex.split(command)
    assert program == "rescorla", f"{command}: only commands of this package are run"
    with redirect_stderr(sys.stdout):
        assert cli.main(arguments) == 0, command


def session(page: str, *, with_data: bool) -> str:
    """The page as a doctest: all but its examples is blanked, line by line."""
    lines: list[str] = []
    language: str | None = None
    wanted, first = True, False
    goes_on = False  # Whether the line before ends in a backslash, and so its command is not at its end.
    for line in page.splitlines():
        fence = re.match(r"\s*```\s*(\w*)", line)
        if fence:
            language = fence[1] if language is None else None
            assert language is None or language in NOT_RUN | RUN.keys(), f"unknown kind of block: {line}"
            wanted, first = wanted or language is None, True
            lines.append("")
        elif language is None and line.strip() == NEEDS:
            wanted = with_data
            lines.append("")
        elif language is not None and language in RUN:
            assert not first or line.startswith(RUN[language]), f"expected a prompt, found {line!r}"
            first = False
            command = re.fullmatch(r"\$ (.*?)(\\?)", line)
            if goes_on:
                part = line.removesuffix("\\")
                goes_on = part != line
                example = f"... {part!r}{'' if goes_on else ')'}"
            elif command:
                goes_on = bool(command[2])
                example = f">>> shell({command[1]!r}{'' if goes_on else ')'}"
            else:
                example = line
            lines.append(example if wanted else "")
        else:
            lines.append("")
    return "\n".join(lines) + "\n"


def check(path: Path, *, with_data: bool) -> None:
    """Runs the examples of a page in the current folder."""
    text = session(path.read_text(encoding="utf-8"), with_data=with_data)
    test = doctest.DocTestParser().get_doctest(text, {"shell": shell}, path.name, str(path), 0)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    check(path, with_data=False)


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if NEEDS in path.read_text(encoding="utf-8")],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_examples_on_the_king_james_bible(
    path: Path, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lzma.open(shared / "data" / "kjv.txt.xz") as packed, (tmp_path / "kjv.txt").open("wb") as text:
        shutil.copyfileobj(packed, text)
    shutil.copy(ROOT / "README.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    check(path, with_data=True)


def test_the_commands_of_the_overview_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = "cues\toutcomes\tfrequency\na_b\tgod\t3\nb_c\theaven\t2\n"
    (tmp_path / "table.tab").write_text(table, encoding="utf-8")
    page = (ROOT / "docs" / "which.md").read_text(encoding="utf-8")
    [block] = re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL)
    for command in block.splitlines():
        shell(command)
    assert (tmp_path / "weights.npz").exists()


def test_the_limits_of_the_format_are_those_of_the_source() -> None:
    page = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
    source = (ROOT / "src" / "events" / "format.rs").read_text(encoding="utf-8")
    powers = dict(re.findall(r"const (CHUNK_\w+): usize = 1 << (\d+);", source))
    assert f"| rows in a chunk | {1 << int(powers['CHUNK_EVENTS']):,} |" in page
    assert f"in a chunk, so of an event | {1 << int(powers['CHUNK_SLOTS']):,} |" in page


# Data that pages read, and how a page says whose they are: by the link to the page that does, or in words.
DATA = r"\bkjv\.(txt|rw)|\bking_james\(|\b(think|plurals|danks|serbian|lexample|dative)\.csv"
WHOSE = r"datasets\.md|public domain"


def says_nothing_of_its_data(page: str) -> bool:
    """Whether the page has data in its code, and does not say where they come from."""
    blocks = re.findall(r"^```.*?^```", page, re.M | re.S)
    code = [*blocks, *re.findall(r"`[^`\n]+`", page)]
    return any(re.search(DATA, each) for each in code) and not re.search(WHOSE, page.replace(NEEDS, ""))


def test_pages_say_where_their_data_come_from() -> None:
    notebooks = {path: json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("docs/**/*.ipynb")}
    assert len(notebooks) > 2
    texts = {path: path.read_text(encoding="utf-8") for path in PAGES}
    for path, notebook in notebooks.items():
        cells = ((each["cell_type"], "".join(each["source"])) for each in notebook["cells"])
        texts[path] = "\n".join(f"```\n{text}\n```" if kind == "code" else text for kind, text in cells)
    # It says it for all.
    del texts[ROOT / "docs" / "howto" / "datasets.md"]
    assert sum(bool(re.search(DATA, text)) for text in texts.values()) > 10
    assert [
        str(path.relative_to(ROOT)) for path, text in texts.items() if says_nothing_of_its_data(text)
    ] == []


def test_a_page_that_does_not_say_whose_its_data_are_is_found() -> None:
    uses = "```pycon\n>>> rw.datasets.king_james()\n```\n"
    assert says_nothing_of_its_data(uses)
    assert says_nothing_of_its_data("Read `plurals.csv`.")
    assert not says_nothing_of_its_data(uses + "[Mark](../howto/datasets.md#a-text)")
    assert not says_nothing_of_its_data("Of king_james() nothing is said.")


# Code is at most as wide as this, prompts and all, so that none of it is out of sight on a narrow page.
WIDTH = 80

# What may be wider: blocks of text on these pages, these lines that are printed, and README's commands of
# set-up, each in one line, so that none is run by halves.
WIDE_TEXT = {
    "docs/format.md": "a table of the bytes of a file",
}
WIDE_OUTPUT = {
    "#In In# n#t": "an event, whole",
    "50 tokens drawn at random": "how a result shows itself",
    "events: made of": "a table of the command line",
    "in_the_beginning_god": "a line of an event table",
    "it is 3.14": "a sentence, whole",
    "made, step 1": "a table of the command line",
}


def wide(name: str, page: str) -> list[str]:
    """The lines of blocks of code that are too wide."""
    found, language = [], None
    for number, line in enumerate(page.splitlines(), 1):
        fence = re.match(r"\s*```\s*(\w*)", line)
        if fence:
            language = fence[1] if language is None else None
        elif (
            language is None
            or len(line) <= WIDTH
            or (language == "text" and name in WIDE_TEXT)
            or (language == "sh" and name == "README.md")
        ):
            continue
        elif line.startswith((">>> ", "... ", "$ ")) or not line.startswith(tuple(WIDE_OUTPUT)):
            found.append(f"{name}:{number}: {line}")
    return found


def test_code_fits_a_narrow_page() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PAGES}
    assert [line for name, text in texts.items() for line in wide(name, text)] == []
    # What no page needs is no exception.
    assert set(WIDE_TEXT) <= texts.keys()
    assert not [each for each in WIDE_OUTPUT if not any(f"\n{each}" in text for text in texts.values())]


def test_code_that_is_too_wide_is_found() -> None:
    long = "x" * 77
    page = (
        f"{long}{long}\n```pycon\n>>> {long}\n{long}\nmade, step 1{long}\n```\n```text\n{long}{long}\n```\n"
    )
    assert [line.split(": ")[0] for line in wide("docs/a.md", page)] == ["docs/a.md:3", "docs/a.md:8"]
    assert [line.split(": ")[0] for line in wide("docs/format.md", page)] == ["docs/format.md:3"]


def test_the_rule_in_rust_is_that_of_the_crate() -> None:
    # `cargo test --doc` compiles and runs it there.
    page = (ROOT / "docs" / "howto" / "own-rule.md").read_text(encoding="utf-8")
    source = (ROOT / "src" / "rules" / "rule.rs").read_text(encoding="utf-8")
    [shown] = re.findall(r"^```rust\n(.*?)^```$", page, re.M | re.S)
    example = re.sub(r"(?m)^//! ?", "", source.partition("//! ```\n//! use ")[2].partition("//! ```\n")[0])
    assert "impl<E: Element> Rule<E>" in shown
    assert "unsafe" not in shown
    assert shown in example


def test_a_wrong_example_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```pycon\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="Expected"):
        check(page, with_data=False)


def test_a_snippet_that_would_not_run_is_refused() -> None:
    with pytest.raises(AssertionError, match="a prompt"):
        session("```python\n1 + 1\n```\n", with_data=False)
    with pytest.raises(AssertionError, match="unknown kind"):
        session("```\n1 + 1\n```\n", with_data=False)


def test_a_command_may_go_on_in_the_next_line() -> None:
    page = "```console\n$ rescorla info \\\n    a.rw \\\n    --json\nrows\n```\n"
    [example] = doctest.DocTestParser().get_examples(session(page, with_data=False))
    assert example.source == "shell('rescorla info '\n'    a.rw '\n'    --json')\n"
    assert example.want == "rows\n"


def test_blocks_that_need_data_are_left_out_without_it() -> None:
    page = f"{NEEDS}\n```pycon\n>>> 1\n1\n```\n```pycon\n>>> 2\n2\n```\n"
    assert ">>> 1" not in session(page, with_data=False)
    assert ">>> 2" in session(page, with_data=False)
    assert ">>> 1" in session(page, with_data=True)
