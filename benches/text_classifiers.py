"""RescorlaWagnerClassifier beside three of scikit-learn's on texts: accuracy, and processor time, in one run.

    python benches/text_classifiers.py --text kjv.txt    # King James verses: from which book is each?
    python benches/text_classifiers.py                   # the digits alone, which scikit-learn ships
    python benches/text_classifiers.py --smoke           # a few hundred lines of words: does it work

Verses are counts of words, or their TF-IDF with and without the logarithm of counts; the classes are the 66
books. No set of texts comes with scikit-learn, and nothing is fetched here. Of those that come with it the
digits are nearest to texts: rows of counts, from 0 to 16 in each of 64 places, of which half are 0, and ten
classes. Each classifier has its defaults but for the seed, and learns on one thread.

RescorlaWagnerClassifier has to be as accurate as SGDClassifier, within .01 in the mean of the splits. With
--smoke nothing is required of accuracies.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

# Before numpy is loaded, which asks once: all are measured on one thread.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np
import rescorla as rw
import sklearn
from classifiers import FEATURES, drawn, measured, verses_of
from rescorla.estimators import RescorlaWagnerClassifier
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB

# Verses of each book, Genesis to Revelation.
BOOKS = [
    *(1533, 1213, 859, 1288, 959, 658, 618, 85, 810, 695, 816, 719, 942, 822, 280, 406, 167, 1070, 2461, 915),
    *(222, 117, 1292, 1364, 154, 1273, 357, 197, 73, 146, 21, 48, 105, 47, 56, 53, 38, 211, 55, 1071, 678),
    *(1151, 879, 1007, 433, 437, 257, 149, 155, 104, 95, 89, 47, 113, 83, 46, 25, 303, 108, 105, 61, 105, 13),
    *(14, 25, 404),
]
OURS, RIVAL = "RescorlaWagnerClassifier", "SGDClassifier"


def learners(seed: int) -> list[Any]:
    """What is compared."""
    return [
        RescorlaWagnerClassifier(random_state=seed, threads=1),
        SGDClassifier(random_state=seed),
        LogisticRegression(),
        MultinomialNB(),
    ]


def books_of(path: Path) -> tuple[list[str], Any]:
    """The verses, and the number of the book of each."""
    verses, _ = verses_of(path)
    if len(verses) != sum(BOOKS):
        raise SystemExit(
            f"{path} has {len(verses):,} lines, not the {sum(BOOKS):,} verses of the King James Bible"
        )
    return verses, np.repeat(np.arange(len(BOOKS)), BOOKS)


def compared(name: str, rows: Any, classes: Any, splits: int, vectorizer: Any = None) -> dict[str, Any]:
    """All learners on all splits: the means."""
    found: dict[str, list[dict[str, float]]] = {}
    for seed in range(splits):
        train, test, y, z = train_test_split(rows, classes, test_size=0.2, random_state=seed)
        if vectorizer is not None:
            words = vectorizer()
            train, test = words.fit_transform(train), words.transform(test)
        for learner in learners(seed):
            found.setdefault(type(learner).__name__, []).append(measured(learner, (train, y), (test, z)))
    means = {
        learner: {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
        for learner, runs in found.items()
    }
    for learner, mean in means.items():
        print(f"{name:24} {learner:26} {mean['accuracy']:.3f} {mean['seconds']:8.3f} s", flush=True)
    return {"data": name, "learners": means}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, help="the King James Bible, a verse a line; .xz is unpacked")
    parser.add_argument("--splits", type=int, default=3, help="random splits to take the means of (3)")
    parser.add_argument("--smoke", action="store_true", help="a few hundred lines of words: does it work")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    splits = 1 if options.smoke else options.splits
    X, y = load_digits(return_X_y=True)
    tables = [compared("digits", X, y, splits)]
    if options.smoke or options.text:
        verses, classes = drawn() if options.smoke else books_of(options.text)
        for name, vectorizer in FEATURES.items():
            tables.append(compared(f"books, {name}", verses, classes, splits, vectorizer))
    if options.json:
        versions = {"rescorla": rw.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__}
        figures = {"machine": platform.machine(), "versions": versions, "tables": tables}
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    wrong = []
    for table in [] if options.smoke else tables:
        ours, rival = table["learners"][OURS], table["learners"][RIVAL]
        if ours["accuracy"] < rival["accuracy"] - 0.01:
            wrong.append(f"{table['data']}: the accuracy is more than .01 below {RIVAL}'s")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
