"""What the benchmarks learn: each workload writes an event table in pyndl's format.

Synthetic events come from a seeded generator: the same table in every run. Tables written here are compressed
at gzip's level 1, to save time.
"""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

SEED = 1
TABLE = "events.tab.gz"
NAMES = "names.json"


class Source(NamedTuple):
    """What a workload starts from: a running text, where it needs one, and whether to be quick."""

    text: Path
    smoke: bool


class Size(NamedTuple):
    """The size of synthetic events."""

    events: int
    cues: int
    outcomes: int
    cues_per_event: int


class Workload(NamedTuple):
    """A named task. `samples`: how many events pyndl learns where the whole would take it hours."""

    about: str
    write: Callable[[Source, Path], None]
    needs_text: bool = False
    samples: Callable[[bool], tuple[int, int]] | None = None


def write_table(path: Path, lines: Iterable[str]) -> None:
    """Writes an event table; a line is cues, a tab, outcomes and a newline."""
    with gzip.open(path, "wt", encoding="utf-8", newline="\n", compresslevel=1) as table:
        table.write("cues\toutcomes\n")
        rest = iter(lines)
        while block := "".join(islice(rest, 10_000)):
            table.write(block)


def trigrams_to_word(source: Source, folder: Path) -> None:
    """The trigrams of each word are cues to it. pyndl writes the table."""
    from pyndl import preprocess

    preprocess.create_event_file(
        str(source.text),
        str(folder / TABLE),
        allowed_symbols="a-z",
        context_structure="document",
        event_structure="consecutive_words",
        event_options=(1,),
        cue_structure="trigrams_to_word",
        lower_case=True,
        remove_duplicates=True,
    )


def next_word(source: Source, folder: Path) -> None:
    """The two words before are cues to each word. A word that comes twice among the two is one cue."""
    words = re.findall("[a-z]+", source.text.read_text(encoding="utf-8").lower())
    write_table(folder / TABLE, _next_word_lines(words))


def _next_word_lines(words: list[str]) -> Iterator[str]:
    for i in range(1, len(words)):
        cues = dict.fromkeys(words[max(i - 2, 0) : i])
        yield f"{'_'.join(cues)}\t{words[i]}\n"


def synthetic(source: Source, folder: Path, *, size: Size, small: Size) -> None:
    """Random events by Zipf's law."""
    write_table(folder / TABLE, zipf_lines(small if source.smoke else size))


def zipf_lines(size: Size) -> Iterator[str]:
    """Events of distinct cues by Zipf's law and one outcome: each outcome once, the rest by Zipf's law."""
    generator = np.random.default_rng(SEED)
    cues = distinct_zipf(generator, size.cues, (size.events, size.cues_per_event))
    rest = zipf(generator, size.outcomes, size.events - size.outcomes)
    outcomes = generator.permutation(np.concatenate([np.arange(size.outcomes), rest]))
    names = [f"c{i}" for i in range(size.cues)]
    for event, outcome in zip(cues.tolist(), outcomes.tolist(), strict=True):
        yield f"{'_'.join([names[i] for i in event])}\to{outcome}\n"


def zipf(generator: np.random.Generator, n: int, shape: int | tuple[int, ...]) -> Numbers:
    """Numbers below n; that of rank r has a probability in proportion to 1 / r."""
    cumulated = np.cumsum(1 / np.arange(1, n + 1))
    return np.asarray(np.searchsorted(cumulated, generator.random(shape) * cumulated[-1], side="right"))


def distinct_zipf(generator: np.random.Generator, n: int, shape: tuple[int, int]) -> Numbers:
    """Rows of distinct numbers by Zipf's law: a number that comes again in its row is drawn again."""
    rows = zipf(generator, n, shape)
    while True:
        order = np.argsort(rows, axis=1, kind="stable")
        ordered = np.take_along_axis(rows, order, axis=1)
        again = np.zeros(shape, dtype=bool)
        np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
        n_again = int(again.sum())
        if n_again == 0:
            return rows
        rows[again] = zipf(generator, n, n_again)


def frequent_words(source: Source, folder: Path) -> None:
    """Tokens drawn from the English list of wordfreq; trigrams to word.

    Beside the table: the names in it, in order of appearance, and tables of its first events for pyndl.
    The words are the most frequent ones that consist of the letters a to z alone; 150,000 of them leave the
    weights small enough for a machine of 24 GB.
    """
    n_words, n_tokens = (2_000, 20_000) if source.smoke else (150_000, 10_000_000)
    words, frequencies = _english(n_words)
    drawn = np.random.default_rng(SEED).choice(len(words), size=n_tokens, p=frequencies)
    _, first = np.unique(drawn, return_index=True)
    seen = drawn[np.sort(first)].tolist()
    trigrams = {i: trigrams_of(words[i]) for i in seen}
    lines = {i: f"{'_'.join(trigrams[i])}\t{words[i]}\n" for i in seen}
    write_table(folder / TABLE, (lines[i] for i in drawn.tolist()))
    for n_events in word_samples(source.smoke):
        write_table(sample_table(folder, n_events), (lines[i] for i in drawn[:n_events].tolist()))
    names = {
        "cues": list(dict.fromkeys(trigram for i in seen for trigram in trigrams[i])),
        "outcomes": [words[i] for i in seen],
    }
    (folder / NAMES).write_text(json.dumps(names), encoding="utf-8")


def _english(n: int) -> tuple[list[str], NDArray[np.float64]]:
    """The n most frequent words of the letters a to z, and their probabilities."""
    import wordfreq

    listed: dict[str, float] = wordfreq.get_frequency_dict("en", wordlist="large")
    plain = {word: listed[word] for word in listed if re.fullmatch("[a-z]+", word)}
    words = sorted(plain, key=lambda word: (-plain[word], word))[:n]
    frequencies = np.array([plain[word] for word in words])
    return words, frequencies / frequencies.sum()


def trigrams_of(word: str) -> list[str]:
    """The distinct trigrams of a word between its boundary marks."""
    marked = f"#{word}#"
    return list(dict.fromkeys(marked[i : i + 3] for i in range(len(marked) - 2)))


def word_samples(smoke: bool) -> tuple[int, int]:
    """How many of the first events pyndl learns."""
    return (1_000, 5_000) if smoke else (10_000, 40_000)


def sample_table(folder: Path, n_events: int) -> Path:
    """The table of the first events."""
    return folder / f"first-{n_events}.tab.gz"


def small_text(path: Path) -> None:
    """Some thousand words of a made-up language, by Zipf's law."""
    generator = random.Random(SEED)
    letters = "abcdefghij"
    words = ["".join(generator.choices(letters, k=generator.randint(2, 7))) for _ in range(300)]
    chosen = generator.choices(words, weights=[1 / (rank + 1) for rank in range(300)], k=5000)
    path.write_text("\n".join(" ".join(chosen[i : i + 10]) for i in range(0, 5000, 10)), encoding="utf-8")


def _zipf(size: Size, small: Size) -> dict[str, Any]:
    cues = f"{size.cues_per_event} cues an event of {size.cues:,}"
    about = f"{cues}, one outcome of {size.outcomes:,}, by Zipf's law"
    return {"about": about, "write": partial(synthetic, size=size, small=small)}


WORKLOADS: dict[str, Workload] = {
    "kjv-trigrams": Workload("running text, trigrams to word", trigrams_to_word, needs_text=True),
    "kjv-next-word": Workload("running text, the two words before to the word", next_word, needs_text=True),
    "zipf-10k": Workload(**_zipf(Size(200_000, 10_000, 10_000, 10), Size(1_000, 200, 200, 10))),
    "tall-3k-60k": Workload(**_zipf(Size(200_000, 3_000, 60_000, 10), Size(1_000, 100, 500, 10))),
    "few-46x4": Workload(**_zipf(Size(200_000, 46, 4, 3), Size(2_000, 46, 4, 3))),
    "few-46x4-2k": Workload(**_zipf(Size(2_000, 46, 4, 3), Size(200, 46, 4, 3))),
    "wordfreq-10m": Workload(
        "10 million tokens by the frequencies of English, trigrams to word",
        frequent_words,
        samples=word_samples,
    ),
}
