"""Calls whatever numpy is enough for: a program for an environment that has nothing else.

``python -I -S numpy_alone.py PACKAGES`` looks for packages in that folder alone, and allows no network. Each
call prints its name when it is done.
"""

import sys

sys.path.append(sys.argv[1])

import io
import os
import socket
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import Any


def no_network(*_: object, **__: object) -> None:
    raise OSError("there is no network here")


socket.socket = socket.create_connection = no_network  # type: ignore[misc,assignment]

import numpy as np  # noqa: E402
import rescorla  # noqa: E402
from rescorla.cli import main  # noqa: E402

rw: Any = rescorla

ROWS = [("c_a_t_s", "cat_plural", 4), ("c_a_t", "cat", 9), ("h_a_t", "hat", 7), ("h_a_t_s", "hat_plural", 2)]
TRIALS = {"who": [*"aaabbb"], "cues": ["p"] * 6, "outcomes": ["x"] * 6, "answer": [*"yxxyyx"]}
TEXT = "In the beginning God created the heaven and the earth.\n" * 3


def events() -> Mapping[str, Callable[[], object]]:
    read = rw.read_events(ROWS)
    return {
        "read_events": lambda: rw.read_events(ROWS, duplicates="keep", background="here"),
        "read_events to a file": lambda: rw.read_events(ROWS, "e.rw"),
        "open_events": lambda: rw.open_events("e.rw").verify(),
        "to_table": lambda: [read.to_table(f"e.{suffix}") for suffix in ("tab", "tab.gz", "csv")],
        "read a table": lambda: [rw.read_events(f"e.{suffix}") for suffix in ("tab", "tab.gz", "csv")],
        "corpus_events": lambda: rw.corpus_events("text.txt", symbols="a-z"),
        "corpus_events to a file": lambda: rw.corpus_events(
            "text.txt", "t.rw", cues_from="words", window=(1, 1)
        ),
        "design": lambda: rw.design({"one": "A+ 4 | AB+ 4", "two": "AB+ 4"}),
        "factor_events": lambda: rw.factor_events({"a": ["x", "y"], "b": ["p", "q"]}, "b"),
        "concat_events": lambda: rw.concat_events([read, "e.rw"]),
        "cues": lambda: [rw.ortho_coding(["cats"]), rw.cue_coding(["a", "b"]), rw.cue_window([1.0, 2.0])],
        "bandsample": lambda: rw.bandsample({"a": 3, "b": 1}, 1, seed=1, cutoff=1),
        "derived": lambda: [
            read.filter(min_cue_count=2),
            read.split(0.5, 1),
            read.head(1),
            read.sample(3, 1),
            read.passes(2, 1),
            read.shuffled(1),
            read.with_background("here"),
            read.distinct(),
            read.swapped(),
            read[1:],
            read.save("s.rw"),
            read.info(),
            repr(read),
            read._repr_html_(),
        ],
    }


def learning() -> Mapping[str, Callable[[], object]]:
    read = rw.read_events(ROWS)
    weights = rw.learn(read)
    curves = rw.trajectories(read, [("a", "cat")])
    did = rw.influence(read, "a", "cat")
    return {
        "learn": lambda: [
            rw.learn(read, method=method, dtype=dtype)
            for method in ("auto", "forward", "adjoint")
            for dtype in ("float64", "float32")
        ],
        "learn with all that there is": lambda: rw.learn(
            read,
            alpha=dict.fromkeys(read.cues, 0.2),
            beta=(0.1, 0.05),
            lambda_=2.0,
            schedule=rw.schedules.inverse_time(10),
            average=True,
            initial=weights,
            cues=["a"],
            outcomes=["cat"],
        ),
        "learn in place": lambda: rw.learn(read, initial=weights, out=weights),
        "learn to a file": lambda: rw.learn(read, out="w.npy"),
        "learn to an array": lambda: rw.learn(read, out=np.zeros(weights.shape)),
        "trajectories": lambda: [curves.save("c.npz"), rw.Trajectories.load("c.npz"), repr(curves)],
        "influence": lambda: [
            did.top(2),
            did.by(lambda event: event.cues),
            repr(did),
            did._repr_html_(),
            rw.influence(read, pairs=[(["a", "t"], "cat")], n=2),
            repr(rw.sensitivity(read, "a", "cat")),
        ],
        "activations": lambda: [
            rw.activations(read, weights, out="a.npy"),
            rw.activations(["a_t"], weights),
            weights.predict(["c_a_t"], n=2),
        ],
        "persons": lambda: [
            rw.learn_each(TRIALS, by="who").save("t.csv"),
            rw.fit_each(
                TRIALS, by="who", response="answer", choices=["x", "y"], free=["beta"], pooling="complete"
            ),
        ],
        "equilibrium": lambda: [
            rw.equilibrium(read),
            rw.equilibrium(read, beta=(0.2, 0.1)),
            rw.equilibrium(read, method="iterative", ridge=0.1),
            rw.equilibrium(rw.design("A+ 4 | AB+ 4"), by="phase"),
            rw.equilibrium(read, outcome_vectors={name: [1.0, 2.0] for name in read.outcomes}),
            rw.leave_one_out(read).accuracy(),
            rw.standard_errors(read, rw.equilibrium(read)),
        ],
        "convergence": lambda: [
            each
            for rate in (rw.convergence(read), rw.convergence(read, beta=(0.1, 0.05)))
            for each in (
                rate.summary(),
                rate.half_life(),
                rate.oscillation(),
                rate.passes(0.1),
                rate.equilibrium,
            )
        ],
        "weights": lambda: [
            weights.top(outcome="cat"),
            weights.strongest(2),
            weights["a", "cat"],
            weights.row("a"),
            weights.column("cat"),
            repr(weights),
            weights._repr_html_(),
            [weights.save(f"w.{suffix}") for suffix in ("npz", "npy", "csv", "tsv")],
            [rw.load_weights(f"w.{suffix}") for suffix in ("npz", "npy")],
        ],
        "verify": lambda: [bool(rw.verify(file)) for file in ("e.rw", "w.npz", "w.npy")].index(True),
        "report": lambda: [
            rw.report(each, "page.html") for each in (weights, curves, did, rw.design("A+ 4"))
        ],
        "measures": lambda: [rw.measures.prior(weights), rw.measures.activation(read, weights)],
        "show_versions": rw.show_versions,
    }


def family() -> Mapping[str, Callable[[], object]]:
    random = np.random.default_rng(1)
    X, Z = random.normal(size=(8, 3)), random.normal(size=(8, 2))
    y = np.sign(X @ np.array([1.0, -1.0, 0.5]))
    read = rw.read_events(ROWS)
    vectors = rw.Weights(random.normal(size=(read.n_outcomes, 2)), read.outcomes, ["one", "two"])
    return {
        "delta_rule": lambda: [
            rw.delta_rule(read, beta=0.1, activation="logistic"),
            rw.delta_rule(
                (X, np.abs(np.sign(Z))), beta=0.1, activation="logistic", loss="log", batch=4, passes=2
            ),
            rw.delta_rule((X, Z), beta=0.1, activation="tanh", passes=2, seed=1),
        ],
        "widrow_hoff": lambda: [
            rw.widrow_hoff((X, Z), eta=0.01, passes=2),
            rw.widrow_hoff(read, eta=0.01),
            rw.widrow_hoff(read, eta=0.01, outcome_vectors=vectors),
        ],
        "perceptrons": lambda: [
            rw.perceptrons.perceptron(X, y),
            rw.perceptrons.minover(X, y, max_steps=10),
            rw.perceptrons.adatron(X, y),
            rw.perceptrons.teacher_student(10, [1.0], seed=1),
        ],
    }


def commands() -> Mapping[str, Callable[[], object]]:
    def called(*arguments: str) -> Callable[[], object]:
        def call() -> None:
            assert main(arguments) == 0, arguments

        return call

    told = (
        "events text.txt --cues-from trigrams --symbols a-z -o x.rw",
        "learn x.rw -o x.npz --top 3",
        "learn e.tab -o x.npy",
        "equilibrium x.rw --top 3",
        "activations x.rw x.npz -o act.csv",
        "top x.npz --outcome god",
        "export x.npz -o x.csv",
        "info x.rw",
        "verify x.npz",
        "report x.npz -o x.html",
    )
    return {f"rescorla {each}": called(*each.split()) for each in told}


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("text.txt", "w", encoding="utf-8") as file:
            file.write(TEXT)
        for calls in (events, learning, family, commands):
            for name, call in calls().items():
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as told:
                    try:
                        call()
                    except BaseException as error:
                        raise RuntimeError(f"{name}: {told.getvalue()}") from error
                print(name, flush=True)
        os.chdir("/")
    brought = {name.partition(".")[0] for name in sys.modules}
    assert brought.isdisjoint({"scipy", "sklearn", "pandas", "xarray", "zarr", "matplotlib"}), brought


run()
