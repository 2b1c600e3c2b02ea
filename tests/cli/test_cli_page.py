"""The page on the command line is what the parser says; help short and whole."""

import argparse
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from rescorla import cli
from rescorla.cli.command import all_of
from terminal import said

ROOT = Path(__file__).resolve().parents[2]


def commands_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("commands_page", ROOT / "docs" / "commands.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_parser_says() -> None:
    made = commands_page()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run python docs/commands.py"
    made.on_pre_build(None)


def test_a_page_that_differs_builds_no_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = commands_page()
    monkeypatch.setattr(made, "PAGE", tmp_path / "cli.md")
    made.PAGE.write_text(made.page().replace("--schedule", "--schedules"), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"run python docs/commands\.py"):
        made.on_pre_build(None)


def test_every_option_has_a_row_and_a_meaning() -> None:
    page = commands_page().page()
    _, *sections = page.split("\n## ")
    shared, text = sections[0].split("\n| running text |")
    own = dict(each.split("\n", 1) for each in sections)
    for name, command in all_of(cli.parser()).items():
        for action in command._actions:
            assert action.help
            assert action.help is not argparse.SUPPRESS
            if action.dest != "help":
                for flag in action.option_strings:
                    row = re.compile(rf"^\| .*`{re.escape(flag)}[ `]", re.MULTILINE)
                    named = f"`{flag}`" in own[name] or flag in ("--json", "--no-progress")
                    where = [own[name]]
                    where += [shared] * named + [text] * ("all of running text" in own[name])
                    assert any(row.search(each) for each in where), (name, flag)


def test_options_of_running_text_stand_once() -> None:
    made = commands_page()
    page = made.page()
    groups = [
        {row.title for row in made._rows(command) if row.table == "running text"}
        for command in all_of(cli.parser()).values()
    ]
    with_text = [each for each in groups if each]
    # Each of these commands has all of them, as the page says.
    assert len(with_text) == page.count("all of running text")
    for titles in with_text:
        assert titles == with_text[0]
    assert all(page.count(f"\n| {title} |") == 1 for title in with_text[0])


@pytest.mark.parametrize("name", list(all_of(cli.parser())))
def test_the_short_help_is_a_part_of_the_whole(name: str) -> None:
    command = all_of(cli.parser())[name]
    short, whole = said(name, "-h"), said(name, "--help")
    assert (short.status, whole.status) == (0, 0)
    assert short.error == whole.error == ""

    def flags(text: str) -> set[str]:
        return set(re.findall(r"^  (?:-\w(?: \S+)?, )?(--?[a-z-]+)", text, re.MULTILINE))

    every = {max(action.option_strings, key=len) for action in command._actions if action.option_strings}
    assert flags(whole.out) | {"-h"} >= every
    if command.common is None:
        assert short.out == whole.out
    else:
        assert short.out.count("\n") < 45
        assert flags(short.out) < flags(whole.out)
        known = {flag for action in command._actions for flag in action.option_strings}
        assert set(command.common) <= known
        assert all(flag in short.out for flag in command.common)
        assert "show all options" in short.out


def test_the_program_alone_lists_the_commands() -> None:
    found = said()
    assert (found.status, found.out) == (2, "")
    for name, command in all_of(cli.parser()).items():
        assert re.search(rf"^    {name} +\w.*$", found.error, re.MULTILINE)
        assert command.usage is not None
    assert said("-h").out == said("--help").out == found.error


def test_wrong_usage_names_the_command() -> None:
    assert "rescorla learn: error: " in said("learn", "e.tab", "--top", "-1").error
