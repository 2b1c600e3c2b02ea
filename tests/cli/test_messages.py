"""Messages on the command line: those about an argument begin with the option that gave it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import rescorla as rw
from rescorla import cli
from rescorla.cli import command

FILES = {
    "e.tab": "cues\toutcomes\na_b\tx\nb\ty\n",
    "text.txt": "the dog\n",
    "none.txt": "zebra\tdog\n",
    "alpha.tab": "a\t-1\nb\t1\n",
    "lambda.tab": "x\tinf\ny\t1\n",
}
# An option of each argument of the library, with a value that the library refuses or warns of.
EVENTS = (
    "--cues-from 0",
    "--outcomes-from 0",
    "--window 0",
    "--symbols z-a",
    "--stop-words none.txt",
    "--vocabulary none.txt",
    "--speakers CHI",
)
RATES = ("--alpha -1", "--beta -1", "--lambda nan")
WEIGHTS = (*RATES, "--alpha-file alpha.tab", "--lambda-file lambda.tab", "--initial other.npz", "--threads 0")
BAD = {
    "events text.txt -o e.rw": (*EVENTS, "--threads 0"),
    "events e.tab -o e.rw": (
        *(f"--{side}-{kind} none.txt" for side in ("keep", "remove") for kind in ("cues", "outcomes")),
        "--cue-map none.txt",
        "--outcome-map none.txt",
        "--bandsample 0 --seed 1",
        "--split 1.5 --test-output t.rw",
    ),
    "learn text.txt": EVENTS,
    "learn e.tab": (*WEIGHTS, "--cues z", "--outcomes z", "--method adjoint --average", "--retention 1.5"),
    "learn e.tab --rule hybrid": ("--rule-parameters salience_rate=2",),
    "equilibrium text.txt": EVENTS,
    "equilibrium e.tab": (*WEIGHTS, "--ridge -1", "--tol -1"),
    "influence e.tab --cue a --outcome x": (
        *RATES,
        "--alpha-file alpha.tab",
        "--initial other.npz",
        "--retention 1.5",
    ),
    "influence e.tab --outcome x": ("--cue z",),
    "influence e.tab --cue a": ("--outcome z",),
    "activations text.txt w.npz --top 1 --unknown ignore": EVENTS,
    "activations e.tab w.npz --top 1": ("--outcomes z", "--threads 0"),
    "top w.npz": ("--cue z", "--outcome z"),
    "export w.npz -o v.npz": ("--cues z", "--outcomes a"),
    "plot w.npz -o w.svg": ("--cues z", "--outcomes a", "-n 0"),
    "report e.tab -o page.html": (*RATES, "-n 1", "--nearness correlation"),
}
# Options whose value is never wrong, or where what is wrong is a file or how options go together.
OTHERS = {
    *("--background", "--boundary", "--columns", "--sentence-end", "--title"),
    *("--output", "--table", "--cue-counts", "--outcome-counts", "--test-output", "--event-memory", "--part"),
    # The command itself reads its value.
    "--schedule",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    rw.learn("e.tab", progress=False).save("w.npz")
    rw.Weights([[1.0]], ["q"], ["r"]).save("other.npz")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("told", "bad"), [(told, bad) for told, several in BAD.items() for bad in several])
def test_a_bad_value_is_told_of_the_option(told: str, bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    flag, value, *_ = bad.split(" ")
    # What comes of a file is wrong in the file.
    begins = f"{flag} {value} must" if flag.endswith("-file") else f"{flag} "
    cli.main([*told.split(), *bad.split(" ")])
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("rescorla: ")]
    assert [
        line for line in said if re.match(rf"rescorla: (error|warning): {re.escape(begins)}", line)
    ] == said
    assert len(said) == 1


@pytest.mark.parametrize("name", sorted(command.all_of(cli.parser())))
def test_every_option_is_tried(name: str) -> None:
    # Both read text alike; where a word is asked about, an option that leaves none has another error.
    names = {name, {"influence": "learn"}.get(name)}
    tried = {bad.split()[0] for told, several in BAD.items() if told.split()[0] in names for bad in several}
    for action in command.options_of(command.all_of(cli.parser())[name]):
        # What argparse reads by itself it refuses by itself.
        if action.choices is None and action.nargs != 0 and action.type is not command.count:
            assert {*action.option_strings} & (tried | OTHERS), action.option_strings


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["alpha", "cues of beta", "beta=1"])
def test_a_file_that_is_called_as_an_argument_keeps_its_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text("cues\toutcomes\na\n", encoding="utf-8")
    assert cli.main(["learn", name]) == 1
    assert capsys.readouterr().err.startswith(f"rescorla: error: {name}, line 2, column 2: expected ")


# pyndl's own words.
LEFT = ("compat",)


def messages() -> Iterator[tuple[str, str]]:
    """What the library raises and warns of, without the calls that messages write out."""
    for path in Path(rw.__file__).parent.rglob("*.py"):
        if {*path.parts} & {*LEFT, "cli"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) or (
                isinstance(node, ast.Call) and getattr(node.func, "id", "") == "warn"
            ):
                texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                said = " ".join(each for each in texts if isinstance(each, str))
                yield path.name, re.sub(r"\([^()]*\)", "()", said)


def test_no_message_writes_an_argument_as_python_does() -> None:
    found = list(messages())
    assert len(found) > 400
    assert [(name, said) for name, said in found if re.search(r"\b[a-z_]+=", said)] == []


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
        for write in (events.save, events.to_table, lambda path: rw.corpus_events(["a b"], path)):
            with pytest.raises(FileNotFoundError, match=f"no folder {path.parent}; make it first") as refused:
                write(path)
            assert refused.value.filename == str(path)
    # What is to be read is another matter.
    with pytest.raises(FileNotFoundError, match="No such file"):
        rw.open_events(tmp_path / "nowhere" / "e.rw")
