"""Counts of cues and outcomes, words and symbols: pyndl's ``count``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from rescorla._shared.checks import whole
from rescorla.compat.pyndl._arguments import Path, renamed
from rescorla.compat.pyndl._by_position import read_by_position
from rescorla.compat.pyndl._name_order import names_by_jobs
from rescorla.compat.pyndl._text_file import writing_text

__all__ = ["CuesOutcomes", "WordsSymbols", "cues_outcomes", "load_counter", "save_counter", "words_symbols"]

# What is cut off the ends of words.
_MARKS = "!?,.:;/\"'()^@*~"


class CuesOutcomes(NamedTuple):
    """The number of tokens, and how often each cue and outcome is named. `cues_outcomes` makes it."""

    n_events: int
    cues: Counter[str]
    outcomes: Counter[str]


class WordsSymbols(NamedTuple):
    """How often each word occurs, and each character. `words_symbols` makes it."""

    words: Counter[str]
    symbols: Counter[str]


def cues_outcomes(
    event_file_name: Path, *, n_jobs: int = 2, number_of_processes: int | None = None, verbose: bool = False
) -> CuesOutcomes:
    """Count the cues and outcomes of an event file.

    Parameters
    ----------
    event_file_name : str or path-like
        A table compressed by gzip; see `io.events_from_file`.
    n_jobs : int, default 2
        The number n, which sets the order of the names, as in pyndl: first those of every n-th row, then
        those of the rows next to these, and so on. With 1 they come in order of first appearance.
    number_of_processes : int, optional
        The old name of `n_jobs`.
    verbose : bool, default False
        Whether to say that it is done.

    Returns
    -------
    CuesOutcomes
        The number of tokens, and how many times each cue and outcome is named in all of them.

    Examples
    --------
    >>> import os, tempfile
    >>> from rescorla.compat.pyndl import count, io
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "events.tab.gz")
    >>> io.events_to_file([("a_b", "x"), ("b", "x")], path)
    >>> count.cues_outcomes(path)
    CuesOutcomes(n_events=2, cues=Counter({'b': 2, 'a': 1}), outcomes=Counter({'x': 2}))
    >>> folder.cleanup()
    """
    n_jobs = whole("n_jobs", renamed("number_of_processes", "n_jobs", number_of_processes, n_jobs), 1)
    events = read_by_position(event_file_name)
    names = names_by_jobs(events, n_jobs)
    cues = dict(zip(events.cues, events.cue_counts.tolist(), strict=True))
    outcomes = dict(zip(events.outcomes, events.outcome_counts.tolist(), strict=True))
    if verbose:
        print("\n...counting done.")
    return CuesOutcomes(
        events.n_tokens,
        Counter({name: cues[name] for name in names.cues}),
        Counter({name: outcomes[name] for name in names.outcomes}),
    )


def words_symbols(
    corpus_file_name: Path,
    *,
    n_jobs: int = 2,
    number_of_processes: int | None = None,
    lower_case: bool = False,
    verbose: bool = False,
) -> WordsSymbols:
    """Count the words of a text, and the characters in them.

    Words are separated by white space; marks of punctuation and brackets are cut off their ends.

    Parameters
    ----------
    corpus_file_name : str or path-like
        A text in UTF-8.
    n_jobs : int, default 2
        In which order words come; see `cues_outcomes`.
    number_of_processes : int, optional
        The old name of `n_jobs`.
    lower_case : bool, default False
        Whether to turn words to lower case.
    verbose : bool, default False
        Whether to say that it is done.

    Returns
    -------
    WordsSymbols
        How often each word and each character occurs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rescorla.compat.pyndl import count
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "text.txt")
    >>> _ = path.write_text("Oh, no! Oh.")
    >>> count.words_symbols(path).words
    Counter({'Oh': 2, 'no': 1})
    >>> folder.cleanup()
    """
    n_jobs = whole("n_jobs", renamed("number_of_processes", "n_jobs", number_of_processes, n_jobs), 1)
    counts: list[Counter[str]] = [Counter() for _ in range(n_jobs)]
    with open(corpus_file_name, encoding="utf-8") as text:
        for number, line in enumerate(text):
            found = (word.strip(_MARKS) for word in line.split())
            counts[number % n_jobs].update(word.lower() if lower_case else word for word in found)
    words, symbols = Counter[str](), Counter[str]()
    for some in counts:
        # What is nothing but marks is no word.
        some.pop("", None)
        words.update(some)
        for word, n in some.items():
            for symbol in word:
                symbols[symbol] += n
    if verbose:
        print("\n...counting done.")
    return WordsSymbols(words, symbols)


def save_counter(counter: Mapping[str, int], filename: Path, *, header: str = "key\tfreq\n") -> None:
    """Write counts to a table, the most frequent first; whole or not at all.

    Parameters
    ----------
    counter : Counter
        What to write.
    filename : str or path-like
        Where; an older file is replaced.
    header : str, default "key\\tfreq\\n"
        The first line.

    Raises
    ------
    ValueError
        When a name has a tab or a line break, which tables cannot hold.

    Examples
    --------
    >>> import os, tempfile
    >>> from collections import Counter
    >>> from rescorla.compat.pyndl import count
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "counts.tab")
    >>> count.save_counter(Counter("abb"), path)
    >>> count.load_counter(path)
    Counter({'b': 2, 'a': 1})
    >>> folder.cleanup()
    """
    rows = Counter(counter).most_common()
    for key, _ in rows:
        if any(end in str(key) for end in "\t\n\r"):
            raise ValueError(f"tables of counts cannot hold the name {key!r}, which has a tab or line break")
    with writing_text(os.fsdecode(filename), None) as out:
        out.write(header.encode("utf-8"))
        out.writelines(f"{key}\t{count}\n".encode() for key, count in rows)


def load_counter(filename: Path) -> Counter[str]:
    """Read the counts that `save_counter` wrote.

    Parameters
    ----------
    filename : str or path-like
        A table: a line that is skipped, then a name, a tab and a count in each.

    Returns
    -------
    Counter

    Raises
    ------
    ValueError
        When a line is something else, or a name comes twice.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rescorla.compat.pyndl import count
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "counts.tab")
    >>> _ = path.write_text("key\\tfreq\\na\\t3\\n")
    >>> count.load_counter(path)
    Counter({'a': 3})
    >>> folder.cleanup()
    """
    counter: Counter[str] = Counter()
    with open(filename, encoding="utf-8") as table:
        table.readline()
        for number, line in enumerate(table, 2):
            key, tab, count = line.rstrip("\n").rpartition("\t")
            if not tab or "\t" in key or not count.strip().lstrip("+-").isdecimal():
                raise ValueError(
                    f"{filename}, line {number}: expected a name, a tab and a count, found {line!r}"
                )
            if key in counter:
                raise ValueError(
                    f"{filename}, line {number}: contains two instances (words, symbols, ...) of the same "
                    f"spelling, {key!r}"
                )
            counter[key] = int(count)
    return counter
