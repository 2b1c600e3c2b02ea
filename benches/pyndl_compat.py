"""Every function of `rescorla.compat.pyndl` beside pyndl's, called in the same way.

    python benches/pyndl_compat.py                    # a made-up text of 200,000 words
    python benches/pyndl_compat.py --text kjv.txt     # another text
    python benches/pyndl_compat.py --smoke            # a short one: do the results agree?

Times are medians of the wall clock, in seconds; the ratio is pyndl's to ours. Both take `n_jobs` as pyndl has
it by default. What takes pyndl hours (nested weights, its loops in Python) learns the first events only:
`events` tells how many. pyndl waits a second at a time for its own processes, which is part of its time. The
exit status is 1 where results differ: by a bit for counts, files and weights of names, by more than 1e-12 of
the greatest number for the others.
"""

import argparse
import gzip
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

MODULES = ("activation", "corpus", "correlation", "count", "io", "ndl", "preprocess", "wh")

RULE: dict[str, Any] = {"betas": (0.1, 0.1), "lambda_": 1.0}
NEAR = 1e-12


class Size(NamedTuple):
    """How much there is."""

    words: int
    repetitions: int
    few: int  # events for loops in Python
    dimensions: int
    films: int


WHOLE = Size(words=200_000, repetitions=3, few=2_000, dimensions=100, films=200)
SMOKE = Size(words=600, repetitions=1, few=40, dimensions=4, films=3)


def package(name: str) -> SimpleNamespace:
    """The modules of a package with the functions of pyndl."""
    return SimpleNamespace(**{module: import_module(f"{name}.{module}") for module in MODULES})


OURS, THEIRS = package("rescorla.compat.pyndl"), package("pyndl")


class Subject(NamedTuple):
    """A function, called the same way in both packages; `same` compares what it gives."""

    name: str
    call: Callable[[SimpleNamespace], Any]
    same: Callable[[Any, Any], bool]
    events: int | None = None


def made_up_text(path: Path, n: int) -> None:
    """Words of a made-up language, some frequent and most rare, twelve in a line."""
    rng = np.random.default_rng(1)
    syllables = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "an", "er")]
    lexicon = ["".join(rng.choice(syllables, rng.integers(1, 4))) for _ in range(max(20, n // 20))]
    words = [lexicon[min(int(rank), len(lexicon)) - 1] for rank in rng.zipf(1.3, n)]
    lines = [" ".join(words[i : i + 12]) for i in range(0, n, 12)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def made_up_films(folder: Path, n: int) -> None:
    """Subtitles of a hundred sentences a film."""
    folder.mkdir()
    for film in range(n):
        sentences = "".join(
            f'<s id="{i}"><time id="T{i}S" value="00:{i // 60:02}:{i % 60:02}:00"/><w>Oh</w><w>no</w><w>.</w>'
            f'<time id="T{i}E" value="00:{i // 60:02}:{i % 60:02}:15"/></s>'
            for i in range(100)
        )
        with gzip.open(folder / f"{film:05}.xml.gz", "wt", encoding="utf-8") as file:
            file.write(f"<document>{sentences}</document>")


def rows(path: Path) -> list[list[list[str]]]:
    """The rows of a table, whose names are in any order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [[sorted(cell.split("_")) for cell in line.rstrip("\n").split("\t")] for line in file]


def near(ours: Any, theirs: Any) -> bool:
    """Whether numbers are the same, but for rounding."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return False
    scale = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    return bool(np.abs(ours - theirs).max(initial=0.0) <= NEAR * scale)


def same_by_name(ours: Any, theirs: Any) -> bool:
    """Whether arrays have the same bits under the same names."""
    ordered = theirs.loc[{dim: ours.coords[dim].values for dim in ours.coords}]
    return ours.dims == theirs.dims and bool(np.array_equal(ours.values, ordered.values))


def near_by_name(ours: Any, theirs: Any) -> bool:
    """Whether arrays have the same numbers under the same names, but for rounding."""
    ordered = theirs.loc[{dim: ours.coords[dim].values for dim in ours.coords}]
    return ours.dims == theirs.dims and near(ours.values, ordered.values)


def equal(ours: Any, theirs: Any) -> bool:
    """Whether values are equal."""
    return bool(ours == theirs)


def vectors(side: str, names: list[str], n: int) -> xr.DataArray:
    """A vector for each name."""
    values = np.random.default_rng(3).normal(scale=0.1, size=(len(names), n))
    dim = "cue_vector_dimensions" if side == "cues" else "outcome_vector_dimensions"
    return xr.DataArray(values, [(side, names), (dim, [f"d{i}" for i in range(n)])])


def written(folder: Path, make: Callable[[SimpleNamespace, Path], None]) -> Callable[[SimpleNamespace], Path]:
    """What makes a file anew each time."""

    def call(pyndl: SimpleNamespace) -> Path:
        path = folder / f"{'ours' if pyndl is OURS else 'theirs'}.tab.gz"
        path.unlink(missing_ok=True)
        make(pyndl, path)
        return path

    return call


def subjects(text: Path, folder: Path, size: Size) -> Iterator[Subject]:
    """Every function, on events of a text."""
    words, pairs = str(folder / "words.tab.gz"), str(folder / "pairs.tab.gz")
    of_words: dict[str, Any] = {"event_options": (1,), "lower_case": True}
    of_pairs: dict[str, Any] = {
        "event_structure": "word_to_word",
        "event_options": (1, 1),
        "cue_structure": "word_to_word",
        "allowed_symbols": "a-z",
        "lower_case": True,
    }
    OURS.preprocess.create_event_file(text, words, **of_words)
    OURS.preprocess.create_event_file(text, pairs, **of_pairs)
    counts = OURS.count.cues_outcomes(words)
    n, few = counts.n_events, min(size.few, counts.n_events)
    first = list(islice(OURS.io.events_from_file(words), few))
    cues, outcomes = list(counts.cues), list(counts.outcomes)
    frequent = {name for name, _ in counts.cues.most_common(len(cues) // 2)}

    def same_rows(ours: Path, theirs: Path) -> bool:
        return rows(ours) == rows(theirs)

    for name, source in (("trigrams of words", of_words), ("neighbours", of_pairs)):
        make = written(folder, partial(create, text, source))
        yield Subject(f"preprocess.create_event_file, {name}", make, same_rows, n)
    yield Subject(
        "preprocess.filter_event_file",
        written(folder, lambda p, out: p.preprocess.filter_event_file(words, out, keep_cues=frequent)),
        same_rows,
        n,
    )
    yield Subject(
        "preprocess.bandsample",
        lambda p: sorted(p.preprocess.bandsample(counts.outcomes, 1000, cutoff=1).values()),
        equal,
    )
    yield Subject("count.cues_outcomes", lambda p: tuple(p.count.cues_outcomes(words)), equal, n)
    yield Subject("count.words_symbols", lambda p: tuple(p.count.words_symbols(str(text))), equal)
    yield Subject(
        "count.save_counter and load_counter",
        lambda p: (
            p.count.save_counter(counts.outcomes, folder / "counts"),
            p.count.load_counter(folder / "counts"),
        )[1],
        equal,
    )
    yield Subject("io.events_from_file", lambda p: sum(1 for _ in p.io.events_from_file(words)), equal, n)
    yield Subject(
        "io.events_to_file", written(folder, lambda p, out: p.io.events_to_file(first, out)), same_rows, few
    )
    learned = OURS.ndl.ndl(words, 0.1, **RULE)
    yield Subject("ndl.ndl, trigrams of words", lambda p: p.ndl.ndl(words, 0.1, **RULE), same_by_name, n)
    yield Subject(
        "ndl.ndl, neighbours",
        lambda p: p.ndl.ndl(pairs, 0.1, remove_duplicates=True, **RULE),
        near_by_name,
        n,
    )
    yield Subject(
        "ndl.ndl(weights=)", lambda p: p.ndl.ndl(words, 0.1, weights=learned, **RULE), same_by_name, n
    )
    some = first[: max(1, few // 10)]
    nested = OURS.ndl.dict_ndl(some, 0.1, **RULE)
    yield Subject(
        "ndl.dict_ndl",
        lambda p: p.ndl.dict_ndl(some, 0.1, **RULE),
        lambda a, b: a.keys() == b.keys() and all(near([*a[o].values()], [b[o][c] for c in a[o]]) for o in a),
        len(some),
    )
    yield Subject("ndl.data_array", lambda p: p.ndl.data_array(nested), same_by_name)
    # Activations of all events would be tens of gigabytes.
    few_rows = str(folder / "few.tab.gz")
    OURS.io.events_to_file(first, few_rows)
    yield Subject("activation.activation", lambda p: p.activation.activation(few_rows, learned), near, few)
    dicts = {outcome: dict(row) for outcome, row in list(nested.items())[:50]}
    yield Subject(
        "activation.activation, nested",
        lambda p: [p.activation.activation(some, full(dicts, some))[outcome] for outcome in dicts],
        near,
        len(some),
    )
    forms, senses = vectors("cues", cues, size.dimensions), vectors("outcomes", outcomes, size.dimensions)
    for name, given in (
        ("names to names", {}),
        ("names to vectors", {"outcome_vectors": senses}),
        ("vectors to vectors", {"cue_vectors": forms, "outcome_vectors": senses}),
    ):
        yield Subject(f"wh.wh, {name}", partial(learn_vectors, words, given), near_by_name, n)
    yield Subject(
        "wh.wh, vectors to names", lambda p: p.wh.wh(few_rows, 0.01, cue_vectors=forms), near_by_name, few
    )
    single = [(cues_of[:1], outcomes_of[:1]) for cues_of, outcomes_of in first[: max(1, few // 100)]]
    small = forms[:, :10], senses[:, :10]
    yield Subject(
        "wh.dict_wh",
        lambda p: p.wh.dict_wh(single, 0.01, *small, make_data_array=True),
        near_by_name,
        len(single),
    )
    predicted = np.random.default_rng(4).normal(size=(size.dimensions, few))
    yield Subject(
        "correlation.correlation", lambda p: p.correlation.correlation(senses.values.T, predicted), near, few
    )
    made_up_films(folder / "films", size.films)
    yield Subject(
        "corpus.create_corpus_from_gz",
        written(folder, lambda p, out: p.corpus.create_corpus_from_gz(str(folder / "films"), str(out))),
        lambda a, b: a.read_bytes() == b.read_bytes(),
    )


def create(text: Path, options: dict[str, Any], pyndl: SimpleNamespace, out: Path) -> None:
    """An event file of a text."""
    pyndl.preprocess.create_event_file(text, out, **options)


def learn_vectors(path: str, given: dict[str, Any], pyndl: SimpleNamespace) -> Any:
    """Weights by the rule of Widrow and Hoff."""
    return pyndl.wh.wh(path, 0.01, **given)


def full(nested: dict[Any, dict[Any, float]], events: list[Any]) -> dict[Any, dict[Any, float]]:
    """Nested weights that have all cues of the events."""
    cues = dict.fromkeys(cue for event in events for cue in event[0])
    return {outcome: {cue: row.get(cue, 0.0) for cue in cues} for outcome, row in nested.items()}


def measured(call: Callable[[SimpleNamespace], Any], pyndl: SimpleNamespace, n: int) -> tuple[float, Any]:
    """The median time of a call, and what it gave."""
    times, found = [], None
    for _ in range(n):
        begun = time.perf_counter()
        found = call(pyndl)
        times.append(time.perf_counter() - begun)
    return statistics.median(times), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--text", type=Path, help="a running text in UTF-8")
    parser.add_argument("--only", default="", metavar="NAME", help="only functions whose name contains this")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    size = SMOKE if arguments.smoke else WHOLE
    agree = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = arguments.text
        if text is None:
            text = folder / "text.txt"
            made_up_text(text, size.words)
        print(f"{'function':46} {'events':>10} {'rescorla s':>11} {'pyndl s':>11} {'ratio':>8}")
        for subject in subjects(text, folder, size):
            if arguments.only not in subject.name:
                continue
            ours, found = measured(subject.call, OURS, size.repetitions)
            theirs, expected = measured(subject.call, THEIRS, size.repetitions)
            same = subject.same(found, expected)
            events = "" if subject.events is None else f"{subject.events:,}"
            differs = "" if same else "  differs"
            print(f"{subject.name:46} {events:>10} {ours:11.4f} {theirs:11.4f} {theirs / ours:8.1f}{differs}")
            agree &= same
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
