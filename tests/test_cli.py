"""The command line, in this process and as a process."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
from rescorla import cli

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
        return shown.err if status else shown.out

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
    source = rw.compile_events(table, tmp_path / "e.rw").path if compiled else table
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
    assert report == {"events": "3", "tokens": "6", "cues": "3", "outcomes": "2", "saved to": str(path)}


def test_learn_prints_the_strongest_pairs(run: Run, table: Path) -> None:
    weights = rw.learn(table)
    pairs = [(cue, outcome, weights[cue, outcome]) for cue in weights.cues for outcome in weights.outcomes]
    pairs.sort(key=lambda pair: -pair[2])
    expected = [f"{cue}\t{outcome}\t{weight:.6g}" for cue, outcome, weight in pairs]
    for n in (0, 1, 4, 6, 10):
        printed = run("learn", table, "--top", n).splitlines()
        assert [line for line in printed if "\t" in line] == expected[:n]
        assert fields("\n".join(printed))["saved to"].startswith("nowhere")


def test_pairs_are_ranked_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 5, (40, 7)).astype(float)
    weights = rw.Weights(values, [f"c{i}" for i in range(40)], [f"o{j}" for j in range(7)])
    expected = sorted(np.ndenumerate(values), key=lambda item: -item[1])
    for block in (1, 7, 21, 10_000):
        monkeypatch.setattr(cli.weights, "_BLOCK", block)
        for n in (1, 10, 300):
            assert list(cli.weights.strongest_pairs(weights, n)) == [
                (f"c{i}", f"o{j}", value) for (i, j), value in expected[:n]
            ]


def test_learn_takes_running_text(run: Run, text: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    options = ["--cues", "bigrams", "--symbols", "A-Za-z", "--no-lower", "--boundary", "+"]
    run("learn", text, *options, "--duplicates", "keep", "--background", "always", "-o", path)
    found = rw.load_weights(path)
    assert found.outcomes == ("The", "cat", "sat", "THE")
    assert found.cues[:5] == ("always", "+T", "Th", "he", "e+")
    run("learn", text, "-o", path)
    assert rw.load_weights(path).outcomes == rw.corpus_events(text).outcomes


@pytest.mark.parametrize(
    "flag", [["--cues", "words"], ["--symbols", "a-z"], ["--no-lower"], ["--boundary", "+"]]
)
def test_options_for_text_are_refused_elsewhere(
    flag: list[str], run: Run, table: Path, tmp_path: Path
) -> None:
    assert f"{flag[0]} is for running text, and this is an event table" in run(
        "learn", table, *flag, status=1
    )
    compiled = rw.compile_events(table, tmp_path / "e.rw").path
    assert "this is a binary event file" in run("learn", compiled, *flag, status=1)


def test_a_background_cue_is_added_to_any_source(run: Run, table: Path, tmp_path: Path) -> None:
    compiled = rw.compile_events(table, tmp_path / "e.rw").path
    for source in (table, compiled):
        run("learn", source, "--background", "always", "-o", tmp_path / "w.npz")
        assert "always" in rw.load_weights(tmp_path / "w.npz").cues


def test_a_warning_is_one_line(run: Run, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["learn", str(table), "--beta", "30"]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("rescorla: warning: beta = 30 may overshoot")


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
    assert "unknown cue '#th'" in run("activations", text, tmp_path / "w.npz", "--top", 1, status=1)
    printed = run("activations", text, tmp_path / "w.npz", "--top", 1, "--unknown", "ignore")
    assert printed.splitlines()[0] == "#th_the_he#\tx\t0"


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
    run("events", text, "-o", binary, "--cues", "words")
    assert list(rw.open_events(binary)) == list(rw.corpus_events(text, cues="words"))
    run("events", binary, "--table", back)
    assert list(rw.read_events(back)) == list(rw.open_events(binary))


def test_info_of_events_and_of_weights(run: Run, table: Path, tmp_path: Path) -> None:
    binary = rw.compile_events(table, tmp_path / "e.rw").path
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
    assert (report["alpha"], report["continued"], report["rule"]) == ("3 numbers", "no", "rescorla-wagner")


def test_learn_by_a_method(run: Run, table: Path, tmp_path: Path) -> None:
    for method in ("forward", "adjoint"):
        run("learn", table, "--method", method, "-o", tmp_path / "w.npz")
        assert rw.load_weights(tmp_path / "w.npz").parameters["method"] == method


def test_verify(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "e.rw"
    rw.compile_events(table, path)
    assert run("verify", path) == f"{path}: sound, 3 events\n"
    whole = path.read_bytes()
    for at in (10, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert run("verify", path, status=1).startswith(f"rescorla: error: {path}")
    assert "expected" in run("verify", table, status=1)


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
        assert 0 < len(ax.lines) <= 3
    monkeypatch.undo()
    plt.close(figure)


def test_plot_closes_its_figure_and_says_what_is_wrong(run: Run, table: Path, tmp_path: Path) -> None:
    from matplotlib import pyplot as plt

    run("learn", table, "-o", tmp_path / "w.npz")
    run("plot", tmp_path / "w.npz", "-o", tmp_path / "w.png")
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
        ([], "required"),
        (["learn"], "FILE"),
        (["forget", table], "forget"),
        (["learn", table, "--beta", 1, 2, 3], "one number or two"),
        (["learn", table, "--top", -1], "less than 0"),
        (["events", table], "-o FILE"),
        (["activations", table, "w.npz"], "--top N"),
    ):
        assert message in run.usage(*arguments)


def test_help_and_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    commands = ["events", "learn", "equilibrium", "activations", "info", "verify", "plot"]
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
    assert done.stdout.splitlines()[-1].split("\t")[:2] == ["a", "x"]
    assert done.stderr == ""
    done = subprocess.run([*COMMAND, "info", "missing"], capture_output=True, text=True, check=False)
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE")
def test_a_closed_pipe_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    rw.Weights(np.ones((300, 300)), [f"c{i}" for i in range(300)], [f"o{i}" for i in range(300)]).save(path)
    events = rw.compile_events(([f"c{i % 300}"] * 2 for i in range(3000)), tmp_path / "e.rw").path
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
def test_ctrl_c_is_one_line_and_status_130(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "events.tab"
    # Hours of tokens.
    path.write_text("cues\toutcomes\tfrequency\n" + "a_b\tx\t4000000000\nb_c\ty\t4000000000\n" * 500)
    # Whoever runs the tests in the background may have the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        assert run("learn", path, "--method", "forward", status=130) == "rescorla: interrupted\n"
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
