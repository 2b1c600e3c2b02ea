"""Messages of the library as the command line says them."""

import argparse
import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from rescorla import cli
from rescorla.cli import wording

# What each command calls, and the arguments that options give it.
CALLED: dict[str, tuple[Any, ...]] = {
    "events": (rw.corpus_events, rw.read_events, rw.Events.filter),
    "learn": (rw.corpus_events, rw.read_events, rw.learn),
    "equilibrium": (rw.corpus_events, rw.read_events, rw.equilibrium),
    "activations": (rw.corpus_events, rw.read_events, rw.activations),
    "plot": (rw.plot.weights,),
    "export": (rw.Weights.save,),
}
# What the library raises and warns of where commands may call it.
MODULES: tuple[str, ...] = (
    "_events/derive",
    "_events/events",
    "_events/names",
    "_events/read",
    "_events/renaming",
    "_events/text",
    "_learn/activations",
    "_learn/equilibrium",
    "_learn/plan",
    "_learn/rescorla_wagner",
    "_shared/checks",
    "_weights/files",
    "_weights/npy",
    "_weights/weights",
)


def commands() -> dict[str, argparse.ArgumentParser]:
    [choices] = [action.choices for action in cli.parser()._actions if action.choices]
    found: Any = choices
    return dict(found)


def options(command: str) -> Iterator[tuple[str, str, argparse.Action]]:
    """Each argument of a function that an option of a command gives, the option, and its action."""
    parameters = {name for called in CALLED[command] for name in inspect.signature(called).parameters}
    for action in wording.options_of(commands()[command]):
        if (command, action.dest) == ("activations", "unknown"):
            continue  # That of words, where the command itself has one of cues.
        if action.dest in parameters:
            yield action.dest, max(action.option_strings, key=len), action


@pytest.mark.parametrize("command", CALLED)
def test_every_option_is_said_by_its_name(command: str) -> None:
    parser = commands()[command]
    found = list(options(command))
    assert len(found) >= {"plot": 3, "export": 1}.get(command, 15)
    for argument, flag, action in found:
        assert (
            wording.said(f"{argument} must be 1 or more, not 0", parser) == f"{flag} must be 1 or more, not 0"
        )
        assert wording.said(f"{argument}: expected a name", parser) == f"{flag}: expected a name"
        if action.const is None:
            for quoted in ("'words'", '"words"', "words"):
                said = wording.said(f"it is wrong; give {argument}={quoted}, or less", parser)
                assert said == f"it is wrong; give {flag} words, or less"
            assert wording.said(f"leave {argument}=None out", parser) == f"leave no {flag} out"
        else:
            assert wording.said(f"say {argument}={action.const}", parser) == f"say {flag}"
        assert wording.said(f"leave {argument}= out", parser) == f"leave {flag} out"


@pytest.mark.parametrize(
    ("command", "message", "said"),
    [
        (
            "activations",
            "the weights do not have it; unknown='ignore' leaves it out",
            "--unknown ignore leaves it out",
        ),
        (
            "events",
            'as in header=False, columns={"cues": 0, "outcomes": 1}',
            "as in --no-header, --columns cues=1,outcomes=2",
        ),
        ("learn", "or say columns={'cues': 'trigrams'}", "or say --columns cues=trigrams"),
        ("events", "write small letters, or say lower=False", "write small letters, or say --no-lower"),
        ("learn", "beta1 must be 0 or more, not -1.0", "--beta must be 0 or more, not -1.0"),
        ("learn", "lambda_ must be finite, not inf", "--lambda must be finite, not inf"),
        ("equilibrium", "give a ridge, or method='iterative'", "give a ridge, or --method iterative"),
        (
            "equilibrium",
            'use fewer threads, or method="iterative"',
            "use fewer threads, or --method iterative",
        ),
        ("learn", 'pass duplicates="drop" to count it once', "pass --duplicates drop to count it once"),
        (
            "events",
            "expected one of keep_cues, cue_map at most",
            "expected one of --keep-cues, --cue-map at most",
        ),
        (
            "events",
            "x.csv is a binary file; Events.to_table writes tables",
            "is a binary file; --table writes tables",
        ),
        ("learn", "out= is .npy; Weights.save writes other formats", "-o is .npy; -o writes other formats"),
        (
            "learn",
            "found weights: rescorla.load_weights reads them",
            "found weights: rescorla info reads them",
        ),
        ("learn", "rescorla.corpus_events makes events", "rescorla events makes events"),
        (
            "activations",
            'the word "a" is not in the table of cues; add it, or pass unknown="ignore" for no names',
            'the word "a" is not in the table of cues; add it, or pass --unknown-words ignore for no names',
        ),
        (
            "learn",
            'the word "a" is not in the table of cues; add it, or pass unknown="ignore" for no names',
            'the word "a" is not in the table of cues; add it, or pass --unknown-words ignore for no names',
        ),
        (
            "top",
            "unknown cue 'x'; these weights have 3 cues, see .cues; did you mean 'y'?",
            "unknown cue 'x'; these weights have 3 cues; did you mean 'y'?",
        ),
        (
            "top",
            "'x' is the name of an outcome: weights[cue, outcome], row(cue), column(outcome), top(cue=), "
            "top(outcome=)",
            "'x' is the name of an outcome",
        ),
        (
            "export",
            "weights[cues, outcomes] names the cue 'a' twice; name it once",
            "--cues names the cue 'a' twice; name it once",
        ),
    ],
)
def test_what_is_said(command: str, message: str, said: str) -> None:
    assert wording.said(message, commands()[command]).endswith(said)


@pytest.mark.parametrize(
    "message",
    [
        "alpha=0.1.npz: expected weights, found text",
        "runs/alpha=0.1/w.npz: expected weights",
        "the cue 'beta' is unknown",
        "--columns cues=1,outcomes=2 says which columns they are",
        "it is a cue of the events: beta",
        "the names of cues and outcomes are in order",
    ],
)
def test_names_that_are_no_arguments_stay(message: str) -> None:
    for parser in commands().values():
        assert wording.said(message, parser) == message


def messages() -> Iterator[tuple[str, str]]:
    """What modules raise or warn of; 'x' in place of values."""
    for module in MODULES:
        path = Path(rw.__file__).parent / f"{module}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_warning = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "warn"
            if not is_warning and not isinstance(node, ast.Raise):
                continue
            found = list(ast.walk(node))
            # Of a text with values in it the parts are no texts of their own.
            inner = {id(part) for each in found if isinstance(each, ast.JoinedStr) for part in each.values}
            for each in found:
                if id(each) in inner:
                    continue
                parts = each.values if isinstance(each, ast.JoinedStr) else [each]
                said = [part.value if isinstance(part, ast.Constant) else "'x'" for part in parts]
                if any(isinstance(part, str) and " " in part for part in said):
                    yield module, "".join(map(str, said))


def test_no_message_of_the_library_is_pythons_on_the_command_line() -> None:
    found = list(messages())
    assert len(found) > 100
    for command in CALLED:
        arguments = "|".join(argument for argument, _, _ in options(command))
        for module, message in found:
            said = wording.said(message, commands()[command])
            assert not re.search(rf"(?<!--columns )(?<![\w./,-])({arguments})=", said), (module, said)
            # Errors of type are Python's alone.
            assert not re.search(r"Weights\.save|to_table|\b(rw|rescorla)\.(corpus|read)_events", said)


def usage(capsys: pytest.CaptureFixture[str], *told: str) -> str:
    with pytest.raises(SystemExit) as caught:
        cli.main(told)
    assert caught.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["lern", "e.tab"], "rescorla: error: argument COMMAND: invalid choice: 'lern'"),
        (["lern", "e.tab"], "did you mean 'learn'?"),
        (
            ["learn", "e.tab", "--trigrams"],
            "unrecognized arguments: --trigrams; did you mean '--cues-from trigrams'?",
        ),
        (["learn", "e.tab", "--aplha", "1"], "did you mean '--alpha'?"),
        (["learn", "e.tab", "--aplha=1"], "did you mean '--alpha'?"),
        (["learn", "e.tab", "--adjoint"], "did you mean '--method adjoint'?"),
        (["events", "e.tab", "--keep-cues=c.txt", "-o", "e.rw", "--sede", "1"], "did you mean '--seed'?"),
        (["events", "e.tab", "--cues", "words"], "--cues words; did you mean '--cues-from'?"),
        (["learn", "e.tab", "--xyzzy"], "unrecognized arguments: --xyzzy; see --help"),
        (["learn", "e.tab", "--method", "ajoint"], "did you mean 'adjoint'?"),
        (["verify", "a.rw", "b.rw"], "verify: error: unrecognized arguments: b.rw; put names"),
    ],
)
def test_misspelt_commands_and_options_have_near_ones(
    told: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in usage(capsys, *told)


def test_warnings_speak_of_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The dog\n")
    assert cli.main(["events", str(text), "--symbols", "A-Z", "-o", str(tmp_path / "e.rw")]) == 0
    assert capsys.readouterr().err.startswith(
        "rescorla: warning: --symbols A-Z leaves no word of the text; the text is lower-cased first: allow "
        "small letters, such as 'a-z', or say --no-lower\n"
    )


@pytest.mark.parametrize(
    "told",
    [
        ["events", "{text}", "-o", "{folder}/e.rw"],
        ["events", "{text}", "--table", "{folder}/e.tab"],
        ["events", "{text}", "--cue-counts", "{folder}/c.tab"],
        ["events", "{text}", "--split", "1", "--test-output", "{folder}/t.rw", "-o", "{there}/e.rw"],
        ["learn", "{text}", "-o", "{folder}/w.npz"],
        ["learn", "{text}", "-o", "{folder}/w.npy"],
        ["equilibrium", "{text}", "-o", "{folder}/w.npz"],
        ["activations", "{text}", "{there}/w.npz", "-o", "{folder}/a.npy"],
        ["plot", "{there}/w.npz", "-o", "{folder}/w.svg"],
    ],
    ids=lambda told: f"{told[0]}-{told[-1].rpartition('/')[2]}",
)
def test_a_folder_that_is_missing_is_named(
    told: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the dog\n")
    rw.learn(rw.corpus_events(text)).save(tmp_path / "w.npz")
    folder = tmp_path / "nowhere"
    filled = [each.format(text=text, folder=folder, there=tmp_path) for each in told]
    assert cli.main(filled) == 1
    error = capsys.readouterr().err
    assert f"no folder {folder}; make it first" in error
    assert error.count("\n") == 1


def test_a_folder_that_is_missing_is_a_file_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    events = rw.read_events([("a", "x")])
    for path in (tmp_path / "nowhere" / "e.rw", Path("nowhere") / "e.rw"):
        for write in (events.save, events.to_table, lambda path: rw.read_events([("a", "x")], path)):
            with pytest.raises(FileNotFoundError, match=f"no folder {path.parent}; make it first") as refused:
                write(path)
            assert refused.value.filename == str(path)
    # What is to be read is another matter.
    with pytest.raises(FileNotFoundError, match="No such file"):
        rw.open_events(tmp_path / "nowhere" / "e.rw")
