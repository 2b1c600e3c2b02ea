"""Every example in the documentation runs and prints what the page says.

Python stands in `pycon` or `python` blocks, after prompts; commands of this package in `console` blocks.
A page is one session: what a block makes, later blocks use. Blocks after `<!-- needs kjv.txt -->` run
where the shared data is.
"""

import doctest
import lzma
import re
import shlex
import shutil
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from rescorla import cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
NEEDS = "<!-- needs kjv.txt -->"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

# How the blocks that are run begin, so that no snippet escapes; and those that are not.
RUN = {"pycon": ">>> ", "python": ">>> ", "console": "$ "}
NOT_RUN = {"text", "sh", "r", "yaml", "bibtex"}


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
            command = re.fullmatch(r"\$ (.*)", line)
            example = f">>> shell({command[1]!r})" if command else line
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


def test_the_commands_of_the_cheat_sheet_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = "cues\toutcomes\tfrequency\na_b\tgod\t3\nb_c\theaven\t2\n"
    (tmp_path / "table.tab").write_text(table, encoding="utf-8")
    page = (ROOT / "docs" / "cheat-sheet.md").read_text(encoding="utf-8")
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


def test_blocks_that_need_data_are_left_out_without_it() -> None:
    page = f"{NEEDS}\n```pycon\n>>> 1\n1\n```\n```pycon\n>>> 2\n2\n```\n"
    assert ">>> 1" not in session(page, with_data=False)
    assert ">>> 2" in session(page, with_data=False)
    assert ">>> 1" in session(page, with_data=True)
