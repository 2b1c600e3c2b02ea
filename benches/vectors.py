"""Learning with vectors, beside numpy.

    python benches/vectors.py                    # all sections
    python benches/vectors.py --section in_place
    python benches/vectors.py --smoke            # small, a few times: do the weights agree?

Sections:

in_place: one trial of four cue names and an outcome that has a vector, on weights that are there, of two
sizes: `widrow_hoff(initial=w, out=w)`, with the vectors in a dict, in Weights and normalized;
`learn(initial=w, out=w)` of the same event; and numpy on the rows of the cues. Ratios are those of medians.

endstate: the 5,000 most frequent words of running text (`--text`; made of random letters without it), their
trigrams, and vectors of 300 numbers: `equilibrium(outcome_vectors=)`, with a ridge beside a sparse product by
scipy and LAPACK's posv, and without one beside LAPACK's gelsy (least norm, by pivoted QR). All take the same
number of threads: OPENBLAS_NUM_THREADS, or 2. Each is timed on its own, since BLAS keeps processors busy
after a call.

The exit status is 1 where weights are further from numpy's than 1e-12, or other rows have changed.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import rescorla as rw

ETA = 0.1
OTHER = 7.25


def microseconds(calls: dict[str, Callable[[], object]], n: int) -> dict[str, float]:
    """The median time of each call; they take turns, so that what else the machine does meets all alike."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(n):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(each) * 1e6 for name, each in times.items()}


def weights_of(n_cues: int, columns: list[str], rows: list[int]) -> rw.Weights:
    """Weights that are zero in some rows."""
    values = np.full((n_cues, len(columns)), OTHER)
    values[rows] = 0.0
    return rw.Weights(values, [f"c{i}" for i in range(n_cues)], columns)


def in_place(smoke: bool) -> bool:
    """One trial on weights that are there, of two sizes."""
    sizes, n = ([(40, 30), (400, 30)], 5) if smoke else ([(4_000, 300), (40_000, 300)], 1_000)
    agree = [one_trial(n_cues, q, n) for n_cues, q in sizes]
    return all(agree)


def one_trial(n_cues: int, q: int, n: int) -> bool:
    """One trial, n times: the medians side by side, and whether the weights agree."""
    rows = np.random.default_rng(1).choice(n_cues, 4, replace=False).tolist()
    event = rw.read_events([([f"c{row}" for row in rows], ["o5"])])
    table = np.random.default_rng(2).normal(size=(n_cues, q))
    names, dimensions = [f"o{i}" for i in range(n_cues)], [f"z{j}" for j in range(q)]
    in_dict = dict(zip(names, table, strict=True))
    in_weights = rw.Weights(table, names, dimensions)
    mine = {name: weights_of(n_cues, dimensions, rows) for name in ("dict", "Weights", "normalized")}
    theirs = weights_of(n_cues, ["o5", *dimensions[1:]], rows)
    plain = weights_of(n_cues, dimensions, rows).values

    def by_numpy() -> None:
        plain[rows] += ETA * (table[5] - plain[rows].sum(axis=0))

    def by_vectors(name: str, vectors: Any, **more: Any) -> object:
        of = mine[name]
        return rw.widrow_hoff(event, eta=ETA, outcome_vectors=vectors, initial=of, out=of, **more)

    calls: dict[str, Callable[[], object]] = {
        "numpy, the rows present": by_numpy,
        "learn(out=)": lambda: rw.learn(event, alpha=1.0, beta=ETA, initial=theirs, out=theirs),
        "widrow_hoff(out=), vectors in a dict": lambda: by_vectors("dict", in_dict),
        "widrow_hoff(out=), vectors in Weights": lambda: by_vectors("Weights", in_weights),
        "widrow_hoff(out=), normalized": lambda: by_vectors("normalized", in_dict, normalized=True),
    }
    medians = microseconds(calls, n)
    print(f"one trial on {n_cues:,} x {q} weights, {n} times, medians in microseconds")
    for name, median in medians.items():
        of_learn, of_numpy = median / medians["learn(out=)"], median / medians["numpy, the rows present"]
        print(f"  {name:38} {median:9.1f}   {of_learn:5.2f} x learn  {of_numpy:6.1f} x numpy")
    others = np.ones(n_cues, dtype=bool)
    others[rows] = False
    far = max(np.abs(mine[name].values - plain).max() for name in ("dict", "Weights"))
    kept = all((weights.values[others] == OTHER).all() for weights in mine.values())
    checksum = float(plain[rows].sum())
    print(f"  differ from numpy by {far:.1e} at most; other rows kept: {kept}; checksum {checksum:.6f}")
    return bool(far <= 1e-12 and kept)


def frequent_words(text: str | None, n: int) -> rw.Events:
    """The most frequent words with their trigrams as cues, each once, with its frequency."""
    if text is None:
        random = np.random.default_rng(3)
        lengths = random.integers(3, 8, size=20 * n)
        lines = [" ".join("".join(random.choice(list("abcdefgh"), length)) for length in lengths)]
        corpus = rw.corpus_events(lines)
    else:
        corpus = rw.corpus_events(text, symbols="a-z")
    most = np.argsort(-corpus.outcome_counts, kind="stable")[:n].tolist()
    words = [corpus.outcomes[i] for i in most]
    counts = corpus.outcome_counts[most].tolist()
    trigrams = rw.ortho_coding(words, grams=3)
    return rw.read_events(
        [(cues, [word], count) for cues, word, count in zip(trigrams, words, counts, strict=True)]
    )


def endstate(smoke: bool, text: str | None = None) -> bool:
    """The equilibrium of words that stand for vectors, beside LAPACK."""
    from scipy.linalg import lapack, lstsq

    n, q, times = (200, 10, 2) if smoke else (5_000, 300, 7)
    events = frequent_words(text, n)
    threads = int(os.environ.get("OPENBLAS_NUM_THREADS", "2"))
    S = np.random.default_rng(1).normal(size=(len(events.outcomes), q))
    C, f = events.cue_matrix(), events.frequencies.astype(float)
    ridge = 0.02 * f.max()

    def ours(ridge: float) -> Any:
        return rw.equilibrium(events, outcome_vectors=S, ridge=ridge, threads=threads, progress=False)

    def posv() -> Any:
        weighed = C.multiply(f[:, np.newaxis]).tocsr()
        gram, right = (C.T @ weighed).toarray(), weighed.T @ S
        gram[np.diag_indices_from(gram)] += ridge
        _, x, failed = lapack.dposv(gram, right, lower=1, overwrite_a=1, overwrite_b=1)
        return None if failed else x

    def gelsy() -> Any:
        root = np.sqrt(f)[:, np.newaxis]
        return lstsq(C.toarray() * root, S * root, cond=1e-10, lapack_driver="gelsy")[0]

    print(f"{events.n_cues:,} cues, {n:,} words, vectors of {q}, {threads} threads; medians in seconds")
    agree = True
    for name, ours_of, theirs in (("with a ridge", ridge, posv), ("least norm", 0.0, gelsy)):
        found, expected = ours(ours_of), theirs()
        mine = microseconds({"": lambda r=ours_of: ours(r)}, times)[""] / 1e6  # type: ignore[misc]
        other = microseconds({"": theirs}, times if theirs is posv else min(times, 2))[""] / 1e6
        far = float(np.abs(found.values - expected).max() / np.abs(expected).max())
        agree = agree and far < 1e-9
        print(
            f"  {name:14} {mine:8.3f}   LAPACK {theirs.__name__} {other:8.3f}   ratio {mine / other:6.3f}   "
            f"rank {found.parameters['rank']}, differ by {far:.1e} of the largest weight"
        )
    print(f"  checksum {float(np.abs(found.values).sum()):.6f}")
    return agree


SECTIONS = ("in_place", "endstate")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--section", choices=SECTIONS, action="append")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--text", help="a file of running text, for endstate")
    arguments = parser.parse_args()
    chosen = arguments.section or list(SECTIONS)
    results = [
        endstate(arguments.smoke, arguments.text) if name == "endstate" else in_place(arguments.smoke)
        for name in chosen
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
