"""The command line, in this process and as a process."""

import argparse
import gzip
import inspect
import io
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from eventfiles import unmade
from hypothesis import given
from hypothesis import strategies as st
from rescorla import cli
from rescorla._events.text import CHOICES, TextOptions
from rescorla.cli.command import all_of

# The passage has letters beyond ASCII, and words that are the letters of an n-gram.
pytestmark = pytest.mark.filterwarnings("ignore:symbols .* cuts", "ignore:cues_from gives the cue")

TABLE = "cues\toutcomes\tfrequency\na_b\tx\t3\nb_c\ty\t1\na\tx\t2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "events.tab"
    path.write_text(TABLE)
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("The cat sat. THE cat!\n")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> "Run":
    return Run(capsys)


class Run:
    """Runs commands and keeps what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object, status: int = 0) -> str:
        found = cli.main([str(argument) for argument in arguments])
        shown = self.capsys.readouterr()
        assert found == status, shown.err
        # As on a terminal: the report, then what was asked for.
        return shown.err if status else shown.err + shown.out

    def usage(self, *arguments: object) -> str:
        with pytest.raises(SystemExit) as caught:
            cli.main([str(argument) for argument in arguments])
        assert caught.value.code == 2
        return self.capsys.readouterr().err


def fields(report: str) -> dict[str, str]:
    """The lines of a report."""
    lines = [line.split("  ", 1) for line in report.splitlines() if "\t" not in line]
    return {name: value.strip() for name, value in lines}


# learn.


@pytest.mark.parametrize("suffix", ["npz", "npy", "nc"])
@pytest.mark.parametrize("compiled", [False, True])
def test_learn_is_learn(suffix: str, compiled: bool, run: Run, table: Path, tmp_path: Path) -> None:
    source = rw.read_events(table, tmp_path / "e.rw").path if compiled else table
    path = tmp_path / f"w.{suffix}"
    options = ["--alpha", 0.2, "--beta", 0.3, 0.1, "--lambda", 2, "--dtype", "float32", "--threads", 1]
    report = fields(run("learn", source, *options, "-o", path))
    found = rw.load_weights(path)
    expected = rw.learn(table, alpha=0.2, beta=(0.3, 0.1), lambda_=2, dtype="float32")
    assert np.array_equal(found.values, expected.values)
    assert found.values.dtype == np.float32
    assert (found.cues, found.outcomes) == (expected.cues, expected.outcomes)
    seconds = report.pop("seconds")
    assert float(seconds) >= 0
    assert report.pop("read as") == ("binary event file" if compiled else "event table")
    assert report == {"events": "3", "tokens": "6", "cues": "3", "outcomes": "2", "saved to": str(path)}


def test_learn_prints_the_strongest_pairs(run: Run, table: Path) -> None:
    weights = rw.learn(table)
    pairs = [(cue, outcome, weights[cue, outcome]) for cue in weights.cues for outcome in weights.outcomes]
    pairs.sort(key=lambda pair: -abs(pair[2]))
    expected = [f"{cue}\t{outcome}\t{weight:.6g}" for cue, outcome, weight in pairs]
    for n in (0, 1, 4, 6, 10):
        printed = run("learn", table, "--top", n).splitlines()
        assert [line for line in printed if "\t" in line] == expected[:n]
        assert fields("\n".join(printed))["not saved"] == "-o FILE saves the weights"
        assert "saved to" not in fields("\n".join(printed))


def test_learn_takes_running_text(run: Run, text: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    options = ["--cues-from", "bigrams", "--symbols", "A-Za-z", "--no-lower", "--boundary", "+"]
    run("learn", text, *options, "--duplicates", "keep", "--background", "always", "-o", path)
    found = rw.load_weights(path)
    assert found.outcomes == ("The", "cat", "sat", "THE")
    assert found.cues[:5] == ("always", "+T", "Th", "he", "e+")
    run("learn", text, "-o", path)
    assert rw.load_weights(path).outcomes == rw.corpus_events(text).outcomes


def test_a_background_cue_is_added_to_any_source(run: Run, table: Path, tmp_path: Path) -> None:
    compiled = rw.read_events(table, tmp_path / "e.rw").path
    for source in (table, compiled):
        run("learn", source, "--background", "always", "-o", tmp_path / "w.npz")
        assert "always" in rw.load_weights(tmp_path / "w.npz").cues


def test_a_warning_is_one_line(run: Run, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["learn", str(table), "--beta", "30"]) == 0
    [line, *others] = capsys.readouterr().err.splitlines()
    assert line.startswith("rescorla: warning: --beta = 30 may overshoot")
    assert "warning" not in "".join(others)


def test_no_events_at_all_are_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.tab").write_text("cues\toutcomes\n")
    (tmp_path / "text.txt").write_text("cat\ndog\n")
    table, text = map(str, (tmp_path / "table.tab", tmp_path / "text.txt"))
    windows = ["--cues-from", "words", "--window", "1,1"]
    for command in ("learn", "equilibrium"):
        for files, options in (([table], []), ([table, table], []), ([text], windows)):
            assert cli.main([command, *files, *options]) == 0
            line = capsys.readouterr().err.splitlines()[0]
            assert line == f"rescorla: warning: {', '.join(files)}: there are no events in what was read"
    assert cli.main(["learn", text]) == 0
    assert "warning" not in capsys.readouterr().err


# equilibrium, activations, events, info, verify.


def test_equilibrium_is_equilibrium(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    printed = run("equilibrium", table, "--ridge", 0.5, "--background", "always", "-o", path, "--top", 2)
    expected = rw.equilibrium(table, ridge=0.5, background="always")
    found = rw.load_weights(path)
    pairs = [(cue, outcome) for cue in found.cues for outcome in found.outcomes]
    assert sorted(found.cues) == sorted(expected.cues)
    assert [found[pair] for pair in pairs] == pytest.approx([expected[pair] for pair in pairs], abs=1e-12)
    assert printed.count("\t") == 4


def test_equilibrium_takes_two_rates_and_a_method(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    options = ["--beta", 0.2, 0.05, "--lambda", 2, "--method", "iterative", "--tol", 1e-13]
    run("equilibrium", table, *options, "-o", path)
    found = rw.load_weights(path)
    expected = rw.equilibrium(table, beta=(0.2, 0.05), lambda_=2, method="iterative", tol=1e-13)
    assert np.array_equal(found.values, expected.values)
    assert (found.parameters["solver"], found.parameters["tolerance"]) == ("cgls", 1e-13)
    assert "--beta takes one number or two" in run.usage("equilibrium", table, "--beta", 1, 2, 3)


def test_activations_are_activations(run: Run, table: Path, tmp_path: Path) -> None:
    weights = rw.learn(table)
    weights.save(tmp_path / "w.npz")
    out = tmp_path / "a.npy"
    report = run("activations", table, tmp_path / "w.npz", "-o", out)
    assert fields(report)["activations"] == "3 x 2"
    expected = rw.activations(table, weights)
    assert np.array_equal(np.load(out), expected)
    printed = run("activations", table, tmp_path / "w.npz", "--top", 1).splitlines()
    assert printed == [
        f"a_b\tx\t{expected[0, 0]:.6g}",
        f"b_c\tx\t{expected[1, 0]:.6g}",
        f"a\tx\t{expected[2, 0]:.6g}",
    ]


def test_activations_of_unknown_cues(run: Run, table: Path, text: Path, tmp_path: Path) -> None:
    rw.learn(table).save(tmp_path / "w.npz")
    assert "do not have the cue '#th'" in run("activations", text, tmp_path / "w.npz", "--top", 1, status=1)
    printed = run("activations", text, tmp_path / "w.npz", "--top", 1, "--unknown", "ignore")
    warned, *lines = printed.splitlines()
    assert "the events were read from events.tab, which tells of no text" in warned
    assert lines[0] == "#th_the_he#\t(no known cue)"
    assert {line.split("\t")[1] for line in lines} == {"(no known cue)"}


def test_words_without_a_known_cue_are_told_from_words_that_activate_nothing(
    run: Run, tmp_path: Path
) -> None:
    values = [[0.0, -0.0], [0.5, -0.5]]
    rw.Weights(values, ["a", "b"], ["x", "y"]).save(tmp_path / "w.npz")
    (tmp_path / "e.tab").write_text("cues\toutcomes\na\tx\nb\tx\nc_d\tx\nb_d\tx\n\tx\n")
    told = run("activations", tmp_path / "e.tab", tmp_path / "w.npz", "--top", 2, "--unknown", "ignore")
    assert told.splitlines() == [
        "a\tx\t0",
        "a\ty\t0",
        "b\tx\t0.5",
        "b\ty\t-0.5",
        "c_d\t(no known cue)",
        "b_d\tx\t0.5",
        "b_d\ty\t-0.5",
        "\t(no known cue)",
    ]


def test_events_in_place_of_weights_are_told(run: Run, table: Path, tmp_path: Path) -> None:
    rw.read_events(table).save(tmp_path / "e.rw")
    for path, found in ((table, "an event table"), (tmp_path / "e.rw", "a binary event file")):
        expected = (
            f"{path}: expected weights (.npz, .npy, .nc, .zarr), found {found}; rescorla learn makes weights"
        )
        for command in (["activations", table, path, "--top", 1], ["plot", path, "-o", tmp_path / "p.svg"]):
            message = run(*command, status=1)
            assert expected in message
            assert "read_events" not in message
            assert "open_events" not in message


def test_zeros_of_an_equilibrium_are_printed_as_zeros(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "e.csv"
    table.write_text(
        "Cues,Outcomes,Frequency\nh_a_n_d,hand,10\nh_a_n_d_s,hand,20\nl_a_n_d,land,8\na_n_d,and,35\n"
    )
    weights = rw.equilibrium(table).values
    # The solver leaves some.
    assert np.abs(weights[np.abs(weights) < 1e-12]).max() > 0
    printed = [
        line.split("\t") for line in run("equilibrium", table, "--top", 99).splitlines() if "\t" in line
    ]
    assert len(printed) == weights.size
    assert {number for _, _, number in printed if abs(float(number)) < 1e-12} == {"0"}
    # What is learned is printed as it is.
    (tmp_path / "t.tab").write_text("cues\toutcomes\na\tx\n")
    options = ["--alpha", 1e-9, "--beta", 1e-9, "--top", 1]
    assert run("learn", tmp_path / "t.tab", *options).splitlines()[-1] == "a\tx\t1e-18"


def test_activations_are_printed_across_blocks(
    run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rw.learn(table).save(tmp_path / "w.npz")
    whole = run("activations", table, tmp_path / "w.npz", "--top", 2)
    monkeypatch.setattr(cli.activations, "_BLOCK", 1)
    assert run("activations", table, tmp_path / "w.npz", "--top", 2) == whole


def test_events_to_a_binary_file_and_back(run: Run, table: Path, text: Path, tmp_path: Path) -> None:
    binary, back = tmp_path / "e.rw", tmp_path / "back.tab"
    report = fields(run("events", table, "-o", binary, "--table", back))
    assert (report["saved to"], report["table"], report["tokens"]) == (str(binary), str(back), "6")
    assert list(rw.open_events(binary)) == list(rw.read_events(table)) == list(rw.read_events(back))
    run("events", text, "-o", binary, "--cues-from", "words")
    assert list(rw.open_events(binary)) == list(rw.corpus_events(text, cues_from="words"))
    run("events", binary, "--table", back)
    assert list(rw.read_events(back)) == list(rw.open_events(binary))


def test_info_of_events_and_of_weights(run: Run, table: Path, tmp_path: Path) -> None:
    binary = rw.read_events(table, tmp_path / "e.rw").path
    for source in (table, binary):
        report = fields(run("info", source))
        assert report["file"] == str(source)
        assert (report["n events"], report["n tokens"], report["n cues"], report["n outcomes"]) == (
            "3",
            "6",
            "3",
            "2",
        )
        assert float(report["bytes per event"]) > 0
        assert report["encoding"]
        parameters = rw.learn(str(source)).parameters
        for method in ("forward", "adjoint"):
            assert report[f"learning: updates, {method}"] == str(parameters[f"updates_{method}"])
        assert report["learning: method"] == parameters["method"]
        assert report["learning: weights"] == "48 bytes"
        assert report["learning: memory besides"].startswith("at most ")
    rw.learn(table, alpha=[0.1, 0.2, 0.3]).save(tmp_path / "w.npz")
    report = fields(run("info", tmp_path / "w.npz"))
    assert report["weights"] == str(tmp_path / "w.npz")
    assert (report["cues"], report["outcomes"], report["values"]) == ("3", "2", "float64")
    assert (report["alpha"], report["continued"], report["rule"]) == ("3 numbers", "no", "rescorla_wagner")


def test_learn_by_a_method(run: Run, table: Path, tmp_path: Path) -> None:
    for method in ("forward", "adjoint"):
        run("learn", table, "--method", method, "-o", tmp_path / "w.npz")
        assert rw.load_weights(tmp_path / "w.npz").parameters["method"] == method


def test_verify(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    rw.read_events(table, path)
    assert run("verify", path) == f"{path}: sound, 3 events\n"
    whole = path.read_bytes()
    for at in (10, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert run("verify", path, status=1).startswith(f"rescorla: error: {path}")
    assert "expected" in run("verify", table, status=1)


# Running text.

# A text in which every option makes a difference.
PASSAGE = """\
In the Beginning was the word. The banana\u2019s cafe\u0301 was CAFE\u0301; and
the word was good! In the end

the end. ---END.OF.DOCUMENT---
The word \ufb01ts
"""
LEMMAS = "was\tbe\nthe\t\nword\tword_noun\n"
TEXT_COMMANDS = ("events", "learn", "equilibrium", "activations")

Case = tuple[str, dict[str, Any], str, dict[str, Any]]
TABLE_CUES = ("--cues-from @lemmas.tab", {"cues_from": Path("lemmas.tab")})
IGNORED = ("--unknown-words ignore", {"unknown": "ignore"})
WIDE = ("--window 3", {"window": 3})
SENTENCES = ("--context sentence --window 3", {"context": "sentence", "window": 3})
NOTHING: tuple[str, dict[str, Any]] = ("", {})

# What a command is told, and the same in Python; then what both are told besides.
TEXT_CASES: list[Case] = [
    ("--cues-from words", {"cues_from": "words"}, *NOTHING),
    (
        "--cues-from 2,3 --cues-from @lemmas.tab,words",
        {"cues_from": [2, 3, Path("lemmas.tab"), "words"]},
        *IGNORED,
    ),
    ("--outcomes-from bigrams,1", {"outcomes_from": ("bigrams", 1)}, *NOTHING),
    ("--outcomes-from @lemmas.tab", {"outcomes_from": Path("lemmas.tab")}, *IGNORED),
    ("--outcomes-from none", {"outcomes_from": None}, *NOTHING),
    ("--window 2", {"window": 2}, *NOTHING),
    ("--window 2,1", {"window": (2, 1)}, *NOTHING),
    ("--window context", {"window": "context"}, *NOTHING),
    (
        "--mask",
        {"mask": True},
        "--cues-from words --window context",
        {"cues_from": "words", "window": "context"},
    ),
    ("--context sentence", {"context": "sentence"}, *WIDE),
    ("--context paragraph", {"context": "paragraph"}, *WIDE),
    ("--context document", {"context": "document"}, *WIDE),
    ("--within-words", {"across": False}, *WIDE),
    ("--letters graphemes", {"letters": "graphemes"}, *NOTHING),
    (r"--symbols a-z\p{Mn}", {"symbols": r"a-z\p{Mn}"}, *NOTHING),
    ("--no-lower", {"lower": False}, *NOTHING),
    ("--normalize NFC", {"normalize": "NFC"}, *NOTHING),
    ("--normalize NFKD", {"normalize": "NFKD"}, *NOTHING),
    ("--boundary +", {"boundary": "+"}, *NOTHING),
    ("--boundary=", {"boundary": ""}, *NOTHING),
    ("--stop-words list.txt", {"stop_words": Path("list.txt")}, *NOTHING),
    ("--vocabulary list.txt", {"vocabulary": Path("list.txt")}, *NOTHING),
    ("--sentence-end ;", {"sentence_end": ";"}, *SENTENCES),
    ("--unknown-words ignore", {"unknown": "ignore"}, *TABLE_CUES),
    ("--unknown-words keep", {"unknown": "keep"}, *TABLE_CUES),
    ("--duplicates keep", {"duplicates": "keep"}, *NOTHING),
    ("--background always", {"background": "always"}, *NOTHING),
]
# What is tested apart: where text comes from, where events go, and what does not change them.
TEXT_APART = {"corpus", "path", "format", "speakers", "threads", "progress"}


@pytest.fixture
def passage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The text, a table and a list, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("lemmas.tab").write_text(LEMMAS, encoding="utf-8")
    Path("list.txt").write_text("the\nword\n", encoding="utf-8")
    Path("passage.txt").write_text(PASSAGE, encoding="utf-8")
    return Path("passage.txt")


def written(make: Callable[[str], object]) -> bytes:
    """The bytes of the event file that a function writes, but for what says which function it was."""
    make("written.rw")
    return unmade(Path("written.rw"))


def by_command(run: Run, *told: object) -> bytes:
    return written(lambda path: run("events", *told, "-o", path))


def by_corpus_events(corpus: Any, **told: Any) -> bytes:
    return written(lambda path: rw.corpus_events(corpus, path, **told))


def arguments_of(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters)


def actions(command: str) -> dict[str, argparse.Action]:
    """The options of a command, by the name of the argument that they are."""
    return {action.dest: action for action in all_of(cli.parser())[command]._actions}


@pytest.mark.parametrize(("told", "same", "besides", "same_besides"), TEXT_CASES)
def test_options_of_running_text_are_arguments_of_corpus_events(
    told: str, same: dict[str, Any], besides: str, same_besides: dict[str, Any], run: Run, passage: Path
) -> None:
    found = by_command(run, passage, *told.split(), *besides.split())
    assert found == by_corpus_events(passage, **same_besides, **same)
    if "unknown" in same:
        error = run("events", passage, *besides.split(), "-o", "without.rw", status=1)
        assert 'the word "in" is not in the table' in error
    else:
        # The option matters.
        assert found != by_corpus_events(passage, **same_besides)


def test_every_argument_of_corpus_events_is_an_option() -> None:
    arguments = arguments_of(rw.corpus_events)
    assert {name for _, same, *_ in TEXT_CASES for name in same} == arguments - TEXT_APART
    for command in TEXT_COMMANDS:
        assert arguments - {"corpus", "path"} <= actions(command).keys()
        assert {"files", "output"} <= actions(command).keys()


def test_the_record_of_text_options_has_the_defaults_of_corpus_events() -> None:
    parameters = inspect.signature(rw.corpus_events).parameters
    options = TextOptions()._asdict()
    others = {"corpus", "path", "duplicates", "background", "threads", "progress"}
    assert options == {name: each.default for name, each in parameters.items() if name not in others}
    for name, choices in CHOICES.items():
        allowed = re.findall(r"'([a-zA-Z]+)'", parameters[name].annotation)
        assert allowed == [choice for choice in choices if choice is not None]


def test_help_tells_the_defaults() -> None:
    parameters = inspect.signature(rw.corpus_events).parameters
    for command in TEXT_COMMANDS:
        for name, action in actions(command).items():
            if name in parameters and isinstance(default := parameters[name].default, str):
                told = "(default auto:" if name == "format" else f"(default {default})"
                assert told in str(action.help)
            # One that is not given is not said.
            if name in parameters:
                assert action.default == ("auto" if name == "format" else None)
    assert actions("events")["cutoff"].help is not None
    assert f"(default {inspect.signature(rw.bandsample).parameters['cutoff'].default})" in str(
        actions("events")["cutoff"].help
    )


@pytest.mark.parametrize(
    "case", [case for case in TEXT_CASES if case[1].keys() - {"duplicates", "background"}]
)
def test_options_of_running_text_are_refused_elsewhere(
    case: Case, run: Run, table: Path, passage: Path
) -> None:
    told = case[0].split()
    flag = told[0].rstrip("=")
    rw.read_events(table, "e.rw")
    for command in ("events", "learn"):
        error = run(command, table, *told, "-o", "out.npz", status=1)
        assert f"{table}: {flag} is for running text, and this is an event table; leave it out\n" in error
        assert "this is a binary event file" in run(command, "e.rw", *told, "-o", "out.npz", status=1)
    assert not Path("out.npz").exists()


@pytest.mark.parametrize("command", TEXT_COMMANDS[1:])
def test_options_of_running_text_with_other_commands(command: str, run: Run, passage: Path) -> None:
    told = ["--cues-from", "2", "--window", "context", "--context", "sentence", "--unknown-words", "keep"]
    told += ["--outcomes-from", "@lemmas.tab", "--symbols", r"\w", "--threads", "1"]
    expected = rw.corpus_events(
        passage,
        cues_from=2,
        window="context",
        context="sentence",
        unknown="keep",
        outcomes_from=Path("lemmas.tab"),
        symbols=r"\w",
    )
    if command == "activations":
        weights = rw.learn(rw.corpus_events(passage, cues_from=2))
        weights.save("w.npz")
        run(command, passage, "w.npz", *told, "--unknown", "ignore", "-o", "a.npy")
        assert np.array_equal(np.load("a.npy"), rw.activations(expected, weights, unknown="ignore"))
    else:
        run(command, passage, *told, "-o", "w.npz")
        found, same = rw.load_weights("w.npz"), getattr(rw, command)(expected)
        assert (found.cues, found.outcomes) == (same.cues, same.outcomes)
        assert np.array_equal(found.values, same.values)


def test_options_of_running_text_that_make_no_sense(run: Run, passage: Path) -> None:
    for told, message in (
        (
            ["--cues-from", "tetragrams"],
            "'tetragrams' is none of words, trigrams, bigrams, unigrams, lemmas",
        ),
        (["--cues-from", "none"], "'none' is none of"),
        (["--outcomes-from", "words,none"], "'none' is none of"),
        (["--cues-from", "@"], "'@' is none of"),
        (["--window", "some"], "'some' is no number, no pair BEFORE,AFTER and not context"),
        (["--window", "1,2,3"], "'1,2,3' is no number"),
        (["--context", "page"], "'page'"),
    ):
        assert message in run.usage("events", passage, *told, "-o", "e.rw")
    for told, message in (
        (
            ["--cues-from", "0"],
            "--cues-from must be a whole number of 1 or more, or a name such as 'trigrams', not 0",
        ),
        (
            ["--window", "0"],
            "1 or more, or a pair (before, after), 'context' or None, not 0",
        ),
        (["--cues-from", "@missing.tab"], "missing.tab: No such file"),
        (["--stop-words", "missing.txt"], "missing.txt: No such file"),
        (["--outcomes-from", "@lemmas.tab"], 'the word "in" is not in the table'),
        (["--threads", "0"], "--threads must be a whole number of 1 or more, not 0"),
    ):
        error = run("events", passage, *told, "-o", "e.rw", status=1)
        assert error.startswith("rescorla: error: ")
        assert message in error
        assert error.count("\n") == 1
    assert not list(Path().glob("e.rw*"))


def test_the_number_of_threads_changes_nothing(run: Run, passage: Path) -> None:
    expected = by_corpus_events(passage)
    for threads in (1, 2, 3, 2**31):
        assert expected == by_command(run, passage, "--threads", threads)


@pytest.mark.parametrize("command", ["learn", "equilibrium"])
def test_more_threads_than_there_can_be_are_as_many_as_help(run: Run, tmp_path: Path, command: str) -> None:
    table, found = tmp_path / "events.tab", []
    rw.read_events([(f"a{i % 7}_b{i % 5}", f"x{i % 3}") for i in range(300)]).to_table(table)
    for threads in (1, 2**31):
        run(command, table, "--threads", threads, "-o", tmp_path / f"{threads}.npz")
        found.append(rw.load_weights(tmp_path / f"{threads}.npz").values.tobytes())
    assert found[0] == found[1]


def test_running_text_in_several_files(run: Run, passage: Path) -> None:
    Path("more").mkdir()
    Path("more/b.txt").write_text("the end\n", encoding="utf-8")
    Path("more/a.txt.gz").write_bytes(gzip.compress(b"the beginning\n"))
    whole = ["--context", "document", "--window", "context"]
    for files, same in (
        ([passage, "more/b.txt"], [passage, Path("more/b.txt")]),
        (["more"], "more"),
        (["more/*.txt*"], "more/*.txt*"),
        (["more", passage, "more/b*"], [Path("more"), passage, Path("more/b.txt")]),
    ):
        expected = by_corpus_events(same, context="document", window="context")
        assert expected == by_command(run, *files, *whole)
    Path("none").mkdir()
    assert "none: no files there" in run("events", "none", "-o", "e.rw", status=1)
    assert "*.xyz: no files there" in run("events", "*.xyz", "-o", "e.rw", status=1)


def test_formats_of_running_text(run: Run, passage: Path) -> None:
    Path("we.conllu").write_text(
        "1\tWe\twe\tPRON\t_\tNumber=Plur\t2\tnsubj\t_\t_\n2\tread\tread\tVERB\t_\t_\t0\troot\t_\t_\n",
        encoding="utf-8",
    )
    expected = by_corpus_events(
        "we.conllu", format="conllu", cues_from=[2, "upos"], outcomes_from=["lemmas", "features"]
    )
    told = ["--cues-from", "2,upos", "--outcomes-from", "lemmas,features"]
    assert expected == by_command(run, "we.conllu", "--format", "conllu", *told)
    assert expected == by_command(run, "we.conllu", *told)
    error = run("events", "we.conllu", *told, "--format", "text", "-o", "e.rw", status=1)
    assert "--cues-from can be 'upos' with the format 'conllu' only" in error
    film = "<document><s><w>In</w><w>the</w></s></document>"
    Path("film.xml.gz").write_bytes(gzip.compress(film.encode()))
    expected = by_corpus_events("film.xml.gz", format="subtitles", window=2)
    assert expected == by_command(run, "film.xml.gz", "--format", "subtitles", "--window", 2)
    assert expected == by_command(run, "film.xml.gz", "--window", 2)


class Input:
    """Standard input."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def test_running_text_from_standard_input(run: Run, passage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(*told: object) -> bytes:
        monkeypatch.setattr(sys, "stdin", Input(PASSAGE.encode()))
        return by_command(run, "-", *told)

    assert piped() == by_corpus_events(passage)
    # It is one document, as a file is.
    expected = by_corpus_events(passage, context="document", window=3)
    assert piped("--context", "document", "--window", "3") == expected
    assert "-: what is piped in goes alone; found 2 files" in run(
        "events", passage, "-", "-o", "e.rw", status=1
    )
    assert "-: --format conllu is for files" in run(
        "events", "-", "--format", "conllu", "-o", "e.rw", status=1
    )
    assert piped("--format", "text") == piped()
    monkeypatch.setattr(sys, "stdin", Input(b"word\n" + gzip.compress(b"word")))
    assert "standard input, line 2: expected UTF-8, found the byte 0x8b" in run(
        "events", "-", "-o", "e.rw", status=1
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_running_text_from_a_pipe_is_read_once(run: Run, passage: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(PASSAGE, "utf-8"))
    writer.start()
    assert by_command(run, "pipe") == by_corpus_events(passage)
    writer.join()


# Events of events.

LIST = "word\tfrequency\nthe\t4\nword\t3\nin\t1\nend\t1\n"
CUES = "the\nwor\nord\n#th\n"
MAP = "the\tarticle\nword\tnoun_word\nwas\t\n"
CUE_MAP = "the\tth\nwor\two_or\nord\tor\n"

FILTER_CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "keep_cues": ("--keep-cues cues.txt", {"keep_cues": Path("cues.txt")}),
    "keep_outcomes": ("--keep-outcomes list.tab", {"keep_outcomes": Path("list.tab")}),
    "remove_cues": ("--remove-cues cues.txt", {"remove_cues": Path("cues.txt")}),
    "remove_outcomes": ("--remove-outcomes list.tab", {"remove_outcomes": Path("list.tab")}),
    "cue_map": ("--cue-map cues.tab", {"cue_map": Path("cues.tab")}),
    "outcome_map": ("--outcome-map map.tab", {"outcome_map": Path("map.tab")}),
    "min_cue_count": ("--min-cue-count 2", {"min_cue_count": 2}),
    "min_outcome_count": ("--min-outcome-count 2", {"min_outcome_count": 2}),
    "max_cues": ("--max-cues 5", {"max_cues": 5}),
    "max_outcomes": ("--max-outcomes 2", {"max_outcomes": 2}),
    "duplicates": (
        "--cue-map cues.tab --duplicates keep",
        {"cue_map": Path("cues.tab"), "duplicates": "keep"},
    ),
}


@pytest.fixture
def word_events(passage: Path) -> rw.Events:
    """Events of the text in a file, lists and maps beside it."""
    write_lists(Path())
    return rw.corpus_events(passage, "words.rw", symbols="a-z")


def write_lists(folder: Path) -> None:
    for name, content in (("list.tab", LIST), ("cues.txt", CUES), ("map.tab", MAP), ("cues.tab", CUE_MAP)):
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize("argument", FILTER_CASES)
def test_options_of_names_are_arguments_of_filter(argument: str, run: Run, word_events: rw.Events) -> None:
    told, same = FILTER_CASES[argument]
    found = by_command(run, "words.rw", *told.split())
    assert found == written(lambda path: word_events.filter(path=path, **same))
    assert found != unmade(Path("words.rw"))
    less = {name: value for name, value in same.items() if name != argument}
    assert found != written(lambda path: word_events.filter(path=path, **less))


def test_every_argument_of_filter_is_an_option() -> None:
    arguments = arguments_of(rw.Events.filter) - {"self", "path", "progress"}
    assert arguments == FILTER_CASES.keys()
    assert arguments <= actions("events").keys()


@pytest.mark.parametrize(
    ("told", "same"),
    [
        ("--head 5", lambda events, path: events.head(5, path=path)),
        ("--sample 30 --seed 4", lambda events, path: events.sample(30, 4, path=path)),
        ("--shuffle --seed 4", lambda events, path: events.shuffled(4, path=path)),
        ("--passes 3", lambda events, path: events.passes(3, path=path)),
        ("--passes 3 --shuffle --seed 4", lambda events, path: events.passes(3, 4, path=path)),
        ("--background always", lambda events, path: events.with_background("always", path=path)),
        (
            "--bandsample 4 --seed 4",
            lambda events, path: events.filter(
                path=path, keep_outcomes=rw.bandsample(events.counts("outcomes"), 4, seed=4)
            ),
        ),
        (
            "--bandsample 4 --cutoff 1 --seed 4",
            lambda events, path: events.filter(
                path=path, keep_outcomes=rw.bandsample(events.counts("outcomes"), 4, cutoff=1, seed=4)
            ),
        ),
    ],
)
def test_options_of_events_are_methods(
    told: str, same: Callable[[rw.Events, str], object], run: Run, word_events: rw.Events
) -> None:
    found = by_command(run, "words.rw", *told.split())
    assert found == written(lambda path: same(word_events, path))
    assert found != unmade(Path("words.rw"))
    # In memory on the way to a table.
    run("events", "words.rw", *told.split(), "--table", "found.tab")
    same(word_events, "same.rw")
    rw.open_events("same.rw").to_table("same.tab")
    assert Path("found.tab").read_bytes() == Path("same.tab").read_bytes()


@pytest.mark.parametrize(("told", "seed"), [("", None), ("--seed 3", 3)])
@pytest.mark.parametrize("part", ["0.25", "5"])
def test_split_is_split(told: str, seed: int | None, part: str, run: Run, word_events: rw.Events) -> None:
    outputs = (
        "-o",
        "train.rw",
        "--test-output",
        "test.rw",
        "--table",
        "train.tab",
        "--cue-counts",
        "train.counts",
    )
    report = fields(run("events", "words.rw", "--split", part, *told.split(), *outputs))
    size = float(part) if "." in part else int(part)
    train, test = word_events.split(size, seed, paths=("train.same", "test.same"))
    assert Path("train.rw").read_bytes() == Path("train.same").read_bytes()
    assert Path("test.rw").read_bytes() == Path("test.same").read_bytes()
    assert list(rw.read_events("train.tab")) == list(train)
    train.counts("cues").to_csv("same.counts", sep="\t")
    assert Path("train.counts").read_bytes() == Path("same.counts").read_bytes()
    assert (report["events"], report["test events"]) == (str(len(train)), str(len(test)))
    assert (report["saved to"], report["test saved to"]) == ("train.rw", "test.rw")


def test_counts_are_counts_and_lists(run: Run, word_events: rw.Events) -> None:
    report = fields(run("events", "words.rw", "--cue-counts", "c.tab", "--outcome-counts", "o.tab"))
    assert (report["cue counts"], report["outcome counts"]) == ("c.tab", "o.tab")
    for side, path in (("cues", "c.tab"), ("outcomes", "o.tab")):
        word_events.counts(side).to_csv("same.tab", sep="\t")  # type: ignore[arg-type]
        assert Path(path).read_bytes() == Path("same.tab").read_bytes()
    run("events", "words.rw", "--keep-outcomes", "o.tab", "-o", "all.rw")
    assert list(rw.open_events("all.rw")) == list(word_events)


def test_tables_to_standard_output(run: Run, word_events: rw.Events) -> None:
    told = ("--cue-counts", "c.tab", "--outcome-counts", "o.tab", "--table", "e.tab")
    run("events", "words.rw", *told)
    for flag, path in zip(told[::2], told[1::2], strict=True):
        assert run("events", "words.rw", flag, "-", "-o", "e.rw") == Path(path).read_text(encoding="utf-8")
    assert list(rw.open_events("e.rw")) == list(word_events)
    assert "only one table can go to standard output" in run.usage(
        "events", "words.rw", *told, "--table", "-", "--cue-counts", "-"
    )


def test_counts_of_names_with_quotation_marks_are_lists(run: Run, passage: Path) -> None:
    passage.write_text('"word" \\ "word" a"b\n', encoding="utf-8")
    run("events", passage, "--outcome-counts", "o.tab")
    assert Path("o.tab").read_text(encoding="utf-8") == 'outcomes\tfrequency\n"word"\t2\n\\\t1\na"b\t1\n'
    run("events", passage, "--keep-outcomes", "o.tab", "-o", "e.rw")
    assert rw.open_events("e.rw").outcomes == ('"word"', "\\", 'a"b')


def test_counts_refuse_names_that_a_table_cannot_hold(run: Run, tmp_path: Path) -> None:
    rw.read_events([(["a\tb"], "x")], tmp_path / "e.rw")
    error = run("events", tmp_path / "e.rw", "--cue-counts", tmp_path / "c.tab", status=1)
    assert "the name 'a\\tb' contains a tab or a line break" in error
    assert not (tmp_path / "c.tab").exists()


def test_tables_and_event_files_one_after_another(run: Run, word_events: rw.Events, table: Path) -> None:
    expected = written(lambda path: rw.concat_events(["words.rw", table, "words.rw"], path))
    assert expected == by_command(run, "words.rw", table, "words.rw")
    run("events", table, "words.rw", "--background", "always", "--max-outcomes", 2, "-o", "found.rw")
    parts = [rw.read_events(part, background="always") for part in (table, "words.rw")]
    assert written(lambda path: rw.concat_events(parts).filter(path=path, max_outcomes=2)) == unmade(
        Path("found.rw")
    )
    run("learn", table, "words.rw", "-o", "w.npz")
    assert np.array_equal(
        rw.load_weights("w.npz").values, rw.learn(rw.concat_events([table, "words.rw"])).values
    )


def test_running_text_goes_with_running_text(
    run: Run, word_events: rw.Events, passage: Path, table: Path
) -> None:
    for other, noun in (("words.rw", "a binary event file"), (table, "an event table")):
        assert f"{other}: expected running text as in {passage}, found {noun}; make events" in run(
            "events", passage, other, "-o", "e.rw", status=1
        )


# Any of these together; seeds are added.
TOGETHER = [
    ["--max-cues", "9"],
    ["--bandsample", "4", "--cutoff", "1"],
    ["--head", "20"],
    ["--shuffle"],
    ["--passes", "2"],
    ["--split", "0.3"],
]


@given(chosen=st.sets(st.sampled_from(range(len(TOGETHER)))), seed=st.integers(0, 9))
def test_options_together_are_steps_one_after_another(chosen: set[int], seed: int, folder: Path) -> None:
    (folder / "passage.txt").write_text(PASSAGE, encoding="utf-8")
    told = [word for number in sorted(chosen, reverse=True) for word in TOGETHER[number]]
    flags = {word for word in told if word.startswith("--")}
    drawn = flags & {"--bandsample", "--shuffle", "--split"}
    told += ["--seed", str(seed)] if drawn else []
    told += ["--test-output", str(folder / "test.rw")] if "--split" in flags else []
    with redirect_stdout(io.StringIO()):
        assert cli.main(["events", str(folder / "passage.txt"), *told, "-o", str(folder / "found.rw")]) == 0
    events = rw.corpus_events(folder / "passage.txt")
    if "--max-cues" in flags:
        events = events.filter(max_cues=9)
    if "--bandsample" in flags:
        sample = rw.bandsample(events.counts("outcomes"), 4, cutoff=1, seed=seed)
        events = events.filter(keep_outcomes=sample)
    if "--head" in flags:
        events = events.head(20)
    if "--passes" in flags or "--shuffle" in flags:
        events = events.passes(2 if "--passes" in flags else 1, seed if "--shuffle" in flags else None)
    if "--split" in flags:
        events, test = events.split(0.3, seed)
        test.save(folder / "same.rw")
        assert (folder / "test.rw").read_bytes() == (folder / "same.rw").read_bytes()
    events.save(folder / "same.rw")
    assert (folder / "found.rw").read_bytes() == (folder / "same.rw").read_bytes()
    assert not [each for each in folder.iterdir() if "tmp" in each.name]


def test_steps_leave_nothing_behind(run: Run, word_events: rw.Events, passage: Path) -> None:
    before = Path("words.rw").read_bytes()
    told = ["--max-cues", "9", "--head", "3", "--split", "3", "--test-output", "test.rw"]
    assert "--split must leave each part one event at least" in run(
        "events", passage, *told, "-o", "words.rw", status=1
    )
    assert Path("words.rw").read_bytes() == before
    assert not Path("test.rw").exists()
    assert not [each for each in Path().iterdir() if "tmp" in each.name]
    expected = written(lambda path: word_events.filter(max_cues=9).head(3, path=path))
    run("events", "words.rw", *told[:4], "-o", "e.rw")
    assert unmade(Path("e.rw")) == expected
    assert not [each for each in Path().iterdir() if "tmp" in each.name]


def test_options_of_events_that_do_not_go_together(run: Run, word_events: rw.Events) -> None:
    for told, message in (
        ("", "give -o FILE, --table FILE, --cue-counts FILE, --outcome-counts FILE or several"),
        ("-o e.rw --split 0.5", "--split PART and --test-output FILE go together"),
        ("-o e.rw --test-output t.rw", "--split PART and --test-output FILE go together"),
        ("--table e.tab --split 0.5 --test-output t.rw", "--split needs -o FILE"),
        ("-o e.rw --sample 3 --shuffle --seed 1", "--sample goes without --shuffle and --passes"),
        ("-o e.rw --sample 3 --passes 2 --seed 1", "--sample goes without --shuffle and --passes"),
        ("-o e.rw --cutoff 3", "--cutoff goes with --bandsample"),
        ("-o e.rw --sample 3", "--sample needs --seed S"),
        ("-o e.rw --shuffle", "--shuffle needs --seed S"),
        ("-o e.rw --bandsample 3", "--bandsample needs --seed S"),
        ("-o e.rw --passes 2 --seed 1", "--seed S is for --sample, --shuffle, --bandsample and --split"),
        ("-o e.rw --head -1", "-1 is less than 0"),
        ("-o e.rw --head some", "'some' is no whole number"),
        ("-o e.rw --split some --test-output t.rw", "'some' is no share"),
    ):
        assert message in run.usage("events", "words.rw", *told.split())
    for told, message in (
        (
            "--keep-cues cues.txt --remove-cues cues.txt",
            "--keep-cues and remove_cues ask for different things",
        ),
        ("--keep-cues missing.txt", "missing.txt: No such file"),
        ("--cue-map cues.txt", "cues.txt, line 1: expected a name, a tab"),
        (
            "--split 1.5 --test-output t.rw",
            "--split must be more than 0 and less than 1",
        ),
        ("--split 0.5 --test-output e.rw", "e.rw is written twice: name another output"),
        ("--bandsample 0 --seed 1", "--bandsample must be a whole number of 1 or more"),
    ):
        assert message in run("events", "words.rw", *told.split(), "-o", "e.rw", status=1)
    assert not list(Path().glob("e.rw*"))


# Errors.


@pytest.mark.parametrize("kind", ["heatmap", "network"])
def test_plot_draws_the_weights_that_are_named(
    kind: str, run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import pyplot as plt

    figures: list[Any] = []
    monkeypatch.setattr(plt, "close", figures.append)
    run("equilibrium", table, "-o", tmp_path / "w.npz")
    picture = tmp_path / "w.svg"
    chosen = ["--cues", "a", "c", "--outcomes", "y", "x", "-n", 3]
    report = run("plot", tmp_path / "w.npz", "-o", picture, "--kind", kind, *chosen)
    assert fields(report) == {"weights": str(tmp_path / "w.npz"), "picture": str(picture)}
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    (figure,) = figures
    ax = figure.axes[0]
    if kind == "heatmap":
        assert [label.get_text() for label in ax.get_xticklabels()] == ["y", "x"]
        assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "c"]
    else:
        assert {text.get_text() for text in ax.texts} <= {"a", "c", "x", "y"}
        assert 0 < len(ax.lines) <= 4
    monkeypatch.undo()
    plt.close(figure)


def test_plot_closes_its_figure_and_says_what_is_wrong(run: Run, table: Path, tmp_path: Path) -> None:
    from matplotlib import pyplot as plt

    run("learn", table, "-o", tmp_path / "w.npz")
    run("plot", tmp_path / "w.npz", "-o", tmp_path / "w.png")
    run("plot", tmp_path / "w.npz", "-o", tmp_path / "w")
    assert (tmp_path / "w").read_bytes() == (tmp_path / "w.png").read_bytes()
    assert plt.get_fignums() == []
    message = run("plot", tmp_path / "w.npz", "-o", tmp_path / "w.png", "--cues", "z", status=1)
    assert "cues names 'z'" in message
    assert ".npz, .npy, .nc" in run("plot", table, "-o", tmp_path / "w.png", status=1)
    assert "'xyz'" in run("plot", tmp_path / "w.npz", "-o", tmp_path / "w.xyz", status=1)
    assert "-o" in run.usage("plot", tmp_path / "w.npz")
    assert plt.get_fignums() == []


def test_an_error_is_one_line(run: Run, table: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.tab"
    broken.write_text("cues\toutcomes\na_b\n")
    for arguments, message in (
        (["learn", tmp_path / "missing"], f"{tmp_path / 'missing'}: "),
        (["learn", broken], f"{broken}, line 2"),
        (["learn", table, "-o", tmp_path / "w.txt"], ".npz, .npy, .nc"),
        (["learn", table, "-o", tmp_path / "nowhere" / "w.npz"], f"{tmp_path / 'nowhere'}: "),
        (["learn", table, "--alpha", "-1"], "alpha must be 0 or more, not -1.0"),
        (["learn", table, "--alpha", "9e99", "--beta", "9e99"], "diverges"),
        (["equilibrium", table, "--ridge", "-1"], "ridge must be 0 or more"),
        (["activations", table, tmp_path / "w.npz", "--top", "1"], "w.npz"),
        (["activations", table, table, "--top", "1"], ".npz, .npy, .nc"),
    ):
        error = run(*arguments, status=1)
        assert error.startswith("rescorla: error: ")
        assert message in error
        assert error.count("\n") == 1
        assert "Errno" not in error
    assert sorted(each.name for each in tmp_path.iterdir()) == ["broken.tab", "events.tab"]


def test_wrong_usage_is_status_2(run: Run, table: Path) -> None:
    for arguments, message in (
        ([], "learn association weights"),
        (["learn"], "FILE"),
        (["forget", table], "forget"),
        (["learn", table, "--beta", 1, 2, 3], "one number or two"),
        (["learn", table, "--top", -1], "less than 0"),
        (["events", table], "-o FILE"),
        (["activations", table, "w.npz"], "--top N"),
    ):
        assert message in run.usage(*arguments)


def test_help_and_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    commands = list(all_of(cli.parser()))
    for arguments in ([], *([command] for command in commands)):
        with pytest.raises(SystemExit, match="0"):
            cli.main([*arguments, "--help"])
        assert "rescorla" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"rescorla {rw.__version__}\n"


# As a process.

COMMAND = [sys.executable, "-m", "rescorla"]


def test_the_command_as_a_module(table: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "learn", str(table), "--top", "1"], capture_output=True, text=True, check=True
    )
    # What was asked for alone is on standard output.
    assert done.stdout.split("\t")[:2] == ["a", "x"]
    assert done.stdout.count("\n") == 1
    assert fields(done.stderr)["tokens"] == "6"
    done = subprocess.run([*COMMAND, "info", "missing"], capture_output=True, text=True, check=False)
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE")
def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    rw.Weights(np.ones((300, 300)), [f"c{i}" for i in range(300)], [f"o{i}" for i in range(300)]).save(path)
    events = rw.read_events(([f"c{i % 300}"] * 2 for i in range(3000)), tmp_path / "e.rw").path
    assert events is not None
    with subprocess.Popen(
        [*COMMAND, "activations", events, str(path), "--top", "300"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="Windows interrupts otherwise")
@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_is_one_line_and_status_130(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "events.tab"
    # Hours of tokens.
    path.write_text("cues\toutcomes\tfrequency\n" + "a_b\tx\t4000000000\nb_c\ty\t4000000000\n" * 500)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        assert run("learn", path, "--method", "forward", status=130) == "rescorla: interrupted\n"
    finally:
        timer.join()
