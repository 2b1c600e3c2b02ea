"""What the page "Large data" advises, beside what it advises against.

    python benches/guide.py --text kjv.txt    # the King James Bible, or another running text
    python benches/guide.py --smoke           # a made-up text: are the results the same?

Each line has two ways to the same thing, which take turns. The times are medians of five, after a turn
that does not count. The events are the trigrams of each word as cues to the word, unless a line says
otherwise. The exit status is 1 where two ways that promise the same result differ.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rescorla as rw
import workloads
from rescorla.estimators import RescorlaWagnerClassifier

REPETITIONS = 5
SOME = 50
Way = tuple[str, Callable[[], Any]]


class Advice(NamedTuple):
    """Two ways, the slower first. Results may differ by `tolerance` of the largest; None: not compared."""

    about: str
    instead: Way
    better: Way
    tolerance: float | None = 0.0


class Given(NamedTuple):
    """What the ways start from."""

    text: Path
    folder: Path
    words: rw.Events
    neighbours: rw.Events


def values(result: Any) -> Any:
    """The numbers of a result."""
    if isinstance(result, rw.Weights):
        return np.asarray(result.values)
    if isinstance(result, rw.Events):
        return np.frombuffer(bytes.fromhex(result.digest), dtype=np.uint8)
    return np.asarray(result)


def agree(first: Any, second: Any, tolerance: float | None) -> bool:
    """Whether two results are as near each other as is promised."""
    if tolerance is None:
        return True
    a, b = values(first), values(second)
    if tolerance == 0.0:
        return a.shape == b.shape and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()
    return a.shape == b.shape and bool(np.abs(a - b).max() <= tolerance * max(1.0, np.abs(a).max()))


def seconds(call: Callable[[], Any]) -> float:
    """What a call takes; its result is gone before the next begins."""
    begun = time.perf_counter()
    result = call()
    took = time.perf_counter() - begun
    del result
    return took


def compare(advice: Advice, repetitions: int) -> bool:
    """Prints the times of both ways; says whether their results agree."""
    (slow, instead), (fast, better) = advice.instead, advice.better
    same = agree(instead(), better(), advice.tolerance)
    pairs = [(seconds(instead), seconds(better)) for _ in range(repetitions)]
    a, b = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratios = sorted(first / second for first, second in pairs)
    verdict = "" if same else "   DIFFERS"
    print(f"{advice.about}\n  {slow:58} {a:9.4f} s\n  {fast:58} {b:9.4f} s", end="")
    print(f"   ratio {a / b:7.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}){verdict}", flush=True)
    return same


def sources(given: Given) -> Iterator[Advice]:
    """Events made once, or each time."""
    words, text, folder = given.words, given.text, given.folder
    table, packed, file = folder / "words.tab", folder / "words.tab.gz", folder / "words.rw"
    words.to_table(table)
    words.to_table(packed)
    words.save(file)
    rows = [(event.cues, event.outcomes) for event in words]
    opened: Way = ("open_events(file)", lambda: rw.open_events(file))
    yield Advice("events: text", ("corpus_events(text)", lambda: corpus(text)), opened)
    yield Advice("events: table", ("read_events(table)", lambda: rw.read_events(table)), opened)
    yield Advice("events: table, gz", ("read_events(table.gz)", lambda: rw.read_events(packed)), opened)
    yield Advice("events: a list", ("read_events(list)", lambda: rw.read_events(rows)), opened)

    def some(source: Any) -> rw.Weights:
        return rw.learn(source, outcomes=words.outcomes[:SOME], method="forward")

    from_file: Way = ("learn(file)", lambda: some(file))
    yield Advice("learn: table, gz", ("learn(table.gz)", lambda: some(packed)), from_file)
    yield Advice("learn: a list", ("learn(list)", lambda: some(rows)), from_file)
    yield Advice(
        "symbols",
        ("symbols=function", lambda: corpus(text, symbols=lambda letter: "a" <= letter <= "z")),
        ('symbols="a-z"', lambda: corpus(text)),
    )

    ten = folder / "ten.tab"
    ten.write_text(
        "".join(["cues\toutcomes\n", *(10 * f"{'_'.join(c)}\t{'_'.join(o)}\n" for c, o in rows)]),
        encoding="utf-8",
    )
    tens = folder / "tens.tab"
    tens.write_text(
        "".join(["cues\toutcomes\tfrequency\n", *(f"{'_'.join(c)}\t{'_'.join(o)}\t10\n" for c, o in rows)]),
        encoding="utf-8",
    )
    yield Advice(
        "each event ten times",
        ("ten rows", lambda: some(ten)),
        ("frequency 10", lambda: some(tens)),
    )


def corpus(text: Path, **options: Any) -> rw.Events:
    """The events of a text."""
    return rw.corpus_events(text, **{"symbols": "a-z", **options})


def learning(given: Given) -> Iterator[Advice]:
    """Less of the weights, smaller ones, the other method, threads."""
    words, neighbours, folder = given.words, given.neighbours, given.folder
    some = words.outcomes[:SOME]
    picked = slice(0, SOME)
    yield Advice(
        "outcomes=, forward",
        (
            "learn(), then 50 columns",
            lambda: rw.learn(words, method="forward").values[:, picked],
        ),
        ("learn(outcomes=50)", lambda: rw.learn(words, outcomes=some, method="forward")),
    )
    yield Advice(
        "outcomes=, auto",
        ("learn(), then 50 columns", lambda: rw.learn(words).values[:, picked]),
        ("learn(outcomes=50)", lambda: rw.learn(words, outcomes=some)),
        1e-11,
    )
    yield Advice(
        "cues=, adjoint",
        (
            "learn(), then 50 rows",
            lambda: rw.learn(words, method="adjoint").values[picked],
        ),
        ("learn(cues=50)", lambda: rw.learn(words, cues=words.cues[:SOME], method="adjoint")),
    )
    for name, events in (("trigrams to word", words), ("two words before", neighbours)):
        yield Advice(
            f"float32: {name}",
            ("float64", partial(rw.learn, events)),
            ("float32", partial(rw.learn, events, dtype="float32")),
            1e-5,
        )
    yield Advice(
        f"method: trigrams to word, {words.n_cues:,} x {words.n_outcomes:,}",
        ("forward", lambda: rw.learn(words, method="forward")),
        ("adjoint", lambda: rw.learn(words, method="adjoint")),
        1e-11,
    )
    yield Advice(
        f"method: two words before, {neighbours.n_cues:,} x {neighbours.n_outcomes:,}",
        ("adjoint", lambda: rw.learn(neighbours, method="adjoint")),
        ("forward", lambda: rw.learn(neighbours, method="forward")),
        1e-11,
    )
    yield Advice(
        "threads",
        ("threads=1", lambda: rw.learn(words, threads=1)),
        ("threads=2", lambda: rw.learn(words, threads=2)),
    )

    def saved() -> rw.Weights:
        rw.learn(words).save(folder / "saved.npy")
        return rw.load_weights(folder / "saved.npy")

    yield Advice(
        "out=",
        ("learn(), save(.npy)", saved),
        ("learn(out=.npy)", lambda: rw.learn(words, out=folder / "out.npy")),
    )
    held = rw.learn(words)
    yield Advice(
        "the same array again",
        ("learn()", lambda: rw.learn(words)),
        ("learn(out=array)", lambda: rw.learn(words, out=held.values)),
    )


def in_place(given: Given) -> Iterator[Advice]:
    """Trials, one call each."""
    words = given.words
    latest, second = [rw.learn(words, method="forward")], rw.learn(words, method="forward")
    trials = [rw.read_events([(event.cues, event.outcomes)]) for event in words[: min(len(words), 5)]]

    def copied() -> rw.Weights:
        for trial in trials:
            latest[0] = rw.learn(trial, initial=latest[0], method="forward")
        return latest[0]

    def placed() -> rw.Weights:
        for trial in trials:
            rw.learn(trial, initial=second, out=second)
        return second

    yield Advice("five trials more", ("initial=w", copied), ("initial=w, out=w", placed))


def asking(given: Given) -> Iterator[Advice]:
    """Activations and trajectories of what is wanted."""
    words = given.words
    weights = rw.learn(words, method="forward")
    tested = words[: min(len(words), 2_000)]
    some = weights.outcomes[:SOME]
    places = {outcome: place for place, outcome in enumerate(weights.outcomes)}
    numbers = np.array([places[name] for event in tested for name in event.outcomes], dtype=np.intp)
    yield Advice(
        "activations, 2,000 events: 50 outcomes",
        ("activations(), then 50 columns", lambda: rw.activations(tested, weights)[:, :SOME]),
        ("activations(outcomes=50)", lambda: rw.activations(tested, weights, outcomes=some)),
    )
    yield Advice(
        "activations, 2,000 events: those present",
        (
            "activations(), then those present",
            lambda: rw.activations(tested, weights)[np.arange(len(tested)), numbers],
        ),
        ("present_only=True", lambda: rw.activations(tested, weights, present_only=True)),
    )
    cue_sets = [list(event.cues) for event in tested]

    def one_by_one() -> Any:
        return np.concatenate([rw.activations([each], weights, outcomes=some) for each in cue_sets])

    yield Advice(
        "activations of 2,000 cue sets: one call",
        ("a call each", one_by_one),
        ("one call", lambda: rw.activations(cue_sets, weights, outcomes=some)),
    )
    every = max(len(words) // 100, 1)
    common = np.argsort(words.outcome_counts)[-SOME:]
    outcomes = [words.outcomes[i] for i in common]
    pairs = [(words.cues[i], outcome) for i, outcome in enumerate(outcomes[:10])]

    def picked() -> Any:
        found = rw.trajectories(words, outcomes=outcomes, every=every)
        return np.stack([found[cue, outcome] for cue, outcome in pairs], axis=1)

    yield Advice(
        "trajectories of ten weights, at 100 tokens",
        ("all cues, 50 outcomes", picked),
        ("ten pairs", lambda: rw.trajectories(words, pairs, every=every).values),
    )


def balance(given: Given) -> Iterator[Advice]:
    """The equilibrium by both methods, and by a looser tolerance."""
    few = given.words.filter(keep_outcomes=given.words.outcomes[:SOME])
    yield Advice(
        f"equilibrium, {few.n_cues:,} cues, {few.n_outcomes} outcomes",
        ("iterative", lambda: rw.equilibrium(few, method="iterative")),
        ("dense", lambda: rw.equilibrium(few, method="dense")),
        1e-6,
    )
    yield Advice(
        "equilibrium, iterative: tolerance",
        ("tol=1e-12", lambda: rw.equilibrium(few, method="iterative")),
        ("tol=1e-6", lambda: rw.equilibrium(few, method="iterative", tol=1e-6)),
        None,
    )


def estimators(given: Given) -> Iterator[Advice]:
    """Sparse features, or dense ones."""
    verses = given.text.read_text(encoding="utf-8").splitlines()
    verses = [verse for verse in verses if verse.strip()]
    verses = random.Random(1).sample(verses, min(2_000, len(verses)))
    events = rw.corpus_events(verses, symbols="a-z", cues_from="words", window="context", outcomes_from=None)
    X = events.cue_matrix()
    y = np.arange(X.shape[0]) % 12
    dense = X.toarray()

    def coefficients(features: Any) -> Any:
        return RescorlaWagnerClassifier(random_state=1, threads=1).fit(features, y).coef_

    yield Advice(
        f"RescorlaWagnerClassifier, {X.shape[0]:,} x {X.shape[1]:,}",
        ("dense X", lambda: coefficients(dense)),
        ("sparse X", lambda: coefficients(X)),
        1e-9,
    )


def prepared(text: Path, folder: Path) -> Given:
    """The events of the text."""
    neighbours = corpus(text, cues_from="words", window=(2, 0), context="document")
    return Given(text, folder, corpus(text), neighbours)


PARTS: dict[str, Callable[[Given], Iterator[Advice]]] = {
    "sources": sources,
    "learning": learning,
    "in-place": in_place,
    "asking": asking,
    "equilibrium": balance,
    "estimators": estimators,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="(default: all)")
    arguments = parser.parse_args()
    repetitions = 1 if arguments.smoke else REPETITIONS
    agreed = True
    with tempfile.TemporaryDirectory() as name:
        text = arguments.text
        if arguments.smoke or text is None:
            text = Path(name) / "text.txt"
            workloads.small_text(text)
        given = prepared(text, Path(name))
        for part in arguments.part:
            for advice in PARTS[part](given):
                agreed &= compare(advice, repetitions)
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
