"""The estimators beside scikit-learn's, on the verses of a text: which of twelve parts is a verse from?

    python benches/classifiers.py --text kjv.txt              # the King James Bible, a verse a line
    python benches/classifiers.py --text kjv.txt --splits 1   # one of the five random splits
    python benches/classifiers.py --smoke                     # a few hundred lines of words: does it work

Verses are counts of words, or their TF-IDF with and without the logarithm of counts.
RescorlaWagnerClassifier with its defaults has to be as accurate as SGDClassifier with its, within .01 in
the mean of the splits. EquilibriumClassifier, on the counts of the first split, has to come to its tolerance.
With --smoke lines are drawn at random, and nothing is required of accuracies.
"""

import argparse
import json
import lzma
import platform
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import rescorla as rw
import sklearn
from rescorla.estimators import EquilibriumClassifier, RescorlaWagnerClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split

CLASSES = 12
REPETITIONS = 3
FEATURES = {
    "counts": CountVectorizer,
    "TF-IDF": TfidfVectorizer,
    "TF-IDF, sublinear": lambda: TfidfVectorizer(sublinear_tf=True),
}


def verses_of(path: Path) -> tuple[list[str], Any]:
    """The lines that are not empty, and of twelve equal parts of the text that of each."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        verses = [line.strip() for line in lines if line.strip()]
    return verses, np.arange(len(verses)) * CLASSES // len(verses)


def drawn() -> tuple[list[str], Any]:
    """Lines of words, some of them more frequent in one part than in others, and the part of each."""
    random, classes = np.random.default_rng(1), np.arange(600) * CLASSES // 600
    words = np.minimum(random.zipf(1.5, size=(600, 12)), 300)
    own = random.random((600, 12)) < 0.2
    words[own] = 1000 + (classes[:, None] * np.ones(12, dtype=int))[own]
    return [" ".join(f"w{word}" for word in line) for line in words], classes


def measured(classifier: Any, train: Any, test: Any) -> dict[str, float]:
    """The accuracy on rows not learned from, and the processor seconds of learning: the least of some."""
    seconds = np.inf
    for _ in range(REPETITIONS):
        began = time.process_time()
        with warnings.catch_warnings():
            # SGDClassifier says so where its iterations did not do.
            warnings.simplefilter("ignore")
            classifier.fit(*train)
        seconds = min(seconds, time.process_time() - began)
    # Counting classes takes one.
    passes = int(np.max(getattr(classifier, "n_iter_", 1)))
    return {"accuracy": classifier.score(*test), "seconds": seconds, "passes": passes}


def compared(verses: list[str], classes: Any, splits: int) -> list[dict[str, Any]]:
    """Each kind of features, the means over the splits."""
    rows = []
    for name, vectorizer in FEATURES.items():
        ours, theirs = [], []
        for seed in range(splits):
            texts, others, y, z = train_test_split(verses, classes, test_size=0.2, random_state=seed)
            words = vectorizer()
            train, test = (words.fit_transform(texts), y), (words.transform(others), z)
            ours.append(measured(RescorlaWagnerClassifier(random_state=seed), train, test))
            theirs.append(measured(SGDClassifier(random_state=seed), train, test))
        mean = [
            {key: float(np.mean([run[key] for run in runs])) for key in runs[0]} for runs in (ours, theirs)
        ]
        rows.append({"features": name, "ours": mean[0], "theirs": mean[1]})
        print(
            f"{name:20}", *(f"{kind['accuracy']:.3f} {kind['seconds']:6.2f} s" for kind in mean), flush=True
        )
    return rows


def equilibrium(verses: list[str], classes: Any) -> dict[str, Any]:
    """The counts of the first split at the equilibrium."""
    texts, others, y, z = train_test_split(verses, classes, test_size=0.2, random_state=0)
    words = CountVectorizer()
    X = words.fit_transform(texts)
    began, wall = time.process_time(), time.perf_counter()
    fitted = EquilibriumClassifier(progress=None).fit(X, y)
    found = {
        "rows": X.shape[0],
        "features": X.shape[1],
        "values": X.nnz,
        "accuracy": fitted.score(words.transform(others), z),
        "processor seconds": time.process_time() - began,
        "seconds": time.perf_counter() - wall,
        "iterations": int(fitted.n_iter_),
        "converged": bool(fitted.weights_.parameters["converged"]),
    }
    print("equilibrium", *(f"{key}: {value}" for key, value in found.items()), sep="\n  ", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, help="a verse a line; .xz is unpacked")
    parser.add_argument("--splits", type=int, default=5, help="random splits to take the means of (5)")
    parser.add_argument("--smoke", action="store_true", help="a few hundred lines of words: does it work")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    if options.text is None and not options.smoke:
        parser.error("give --text FILE, or --smoke")
    verses, classes = drawn() if options.smoke else verses_of(options.text)
    rows = compared(verses, classes, options.splits)
    solved = equilibrium(verses, classes)
    if options.json:
        versions = {"rescorla": rw.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
        figures: dict[str, Any] = {"machine": platform.machine(), "versions": versions}
        figures |= {"classifiers": rows, "equilibrium": solved}
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    wrong = [] if solved["converged"] else ["the equilibrium did not come to its tolerance"]
    for row in [] if options.smoke else rows:
        if row["ours"]["accuracy"] < row["theirs"]["accuracy"] - 0.01:
            wrong.append(f"{row['features']}: the accuracy is more than .01 below SGDClassifier's")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
