"""Events from running text, and event files from event files: pyndl's ``preprocess``."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, TextIO, TypeAlias, cast

import numpy as np

from rescorla._core import FormatError, check_apart
from rescorla._events.bands import bandsample as drawn
from rescorla._events.text import corpus_events
from rescorla._shared.checks import whole
from rescorla.compat.pyndl._arguments import Path, renamed
from rescorla.compat.pyndl._corpus_text import WordFinder, contexts
from rescorla.compat.pyndl._text_file import check_new, writing_text

__all__ = ["bandsample", "create_event_file", "filter_event_file"]

Cell: TypeAlias = Callable[[str], str | None]
Names: TypeAlias = Collection[str] | Literal["all"]

_GRAMS = {"bigrams_to_word": 2, "trigrams_to_word": 3}
_CUE_STRUCTURES = (*_GRAMS, "word_to_word")

# Events whose text is made at a time.
_ROWS = 1 << 16
# Cells that are remembered.
_CELLS = 1 << 18


def bandsample(
    population: Mapping[str, int],
    sample_size: int = 50_000,
    *,
    cutoff: int = 5,
    seed: int | None = None,
    verbose: bool = False,
) -> Counter[str]:
    """A sample of names that follows the distribution of tokens: `rescorla.bandsample`.

    Parameters
    ----------
    population : mapping from str to int
        How often each name occurs.
    sample_size : int, default 50000
        How many names to draw, about.
    cutoff : int, default 5
        Names that occur less often are not drawn.
    seed : int, optional
        What sets the order of equally frequent names; by default it is another each time. pyndl has no seed.
    verbose : bool, default False
        It changes nothing.

    Returns
    -------
    Counter
        The count of each name that was drawn.

    Examples
    --------
    >>> from rescorla.compat.pyndl import preprocess
    >>> preprocess.bandsample({"a": 9, "b": 8, "c": 1}, 2, cutoff=2, seed=1)
    Counter({'a': 9, 'b': 8})
    """
    random: Any = np.random.default_rng() if seed is None else seed
    return Counter(drawn(dict(population), sample_size, cutoff=cutoff, seed=random))


def create_event_file(
    corpus_file: Path,
    event_file: Path,
    *,
    allowed_symbols: str | Callable[[str], object] = "all",
    context_structure: str = "document",
    event_structure: str = "consecutive_words",
    event_options: tuple[int, ...] | None = (3,),
    cue_structure: str = "trigrams_to_word",
    lower_case: bool = False,
    remove_duplicates: bool = True,
    verbose: bool = False,
) -> None:
    """Write the events of a running text to a table, by `rescorla.corpus_events`.

    Parameters
    ----------
    corpus_file : str or path-like
        A text in UTF-8. Words are between blanks; ``_``, ``#`` and tabs are blanks.
    event_file : str or path-like
        The table to write, compressed by gzip; it must not be there yet. It appears whole or not at all.
    allowed_symbols : str or callable, default "all"
        The characters that words are made of, as between the brackets of a regular expression, such as
        ``"a-z"``; or a function of a character that says whether it is one. Others are blanks.
    context_structure : {"document", "line"}, default "document"
        What an event does not reach beyond. A document ends at ``---end.of.document---``, and at the end of
        the file.
    event_structure : {"consecutive_words", "word_to_word", "line"}, default "consecutive_words"
        Which words make an event: so many in a row, fewer at the ends of a context; each word, which is the
        outcome, with its neighbours as cues; or all of a context.
    event_options : tuple of int, or None, default (3,)
        The number of consecutive words, or how many words before and behind are neighbours.
    cue_structure : {"trigrams_to_word", "bigrams_to_word", "word_to_word"}, default "trigrams_to_word"
        Whether cues are runs of letters, across all words of the event, which all are outcomes; or words.
        Consecutive words then have no outcome but the empty name.
    lower_case : bool, default False
        Whether to turn the text to lower case first.
    remove_duplicates : bool, default True
        Whether an event has each cue and outcome once; they are in order of first appearance.
    verbose : bool, default False
        Whether to show how far it is.

    Raises
    ------
    OSError
        When the text cannot be read, or the table is there already.
    NotImplementedError
        When a structure is none of those listed.
    ValueError
        When `event_options` are not those of the structure.

    Warns
    -----
    RescorlaWarning
        When the text contains ``_``, ``#`` or tabs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rescorla.compat.pyndl import io, preprocess
    >>> folder = tempfile.TemporaryDirectory()
    >>> text, events = (
    ...     Path(folder.name, name) for name in ("text.txt", "events.tab.gz")
    ... )
    >>> _ = text.write_text("in the beginning")
    >>> preprocess.create_event_file(
    ...     text,
    ...     events,
    ...     event_structure="word_to_word",
    ...     event_options=(1, 1),
    ...     cue_structure="word_to_word",
    ... )
    >>> list(io.events_from_file(events))
    [(['the'], ['in']), (['in', 'beginning'], ['the']), (['the'], ['beginning'])]
    >>> folder.cleanup()
    """
    _check("event_structure", event_structure, ("consecutive_words", "line", "word_to_word"))
    _check("context_structure", context_structure, ("document", "line"))
    _check("cue_structure", cue_structure, _CUE_STRUCTURES)
    out = os.fsdecode(event_file)
    check_new(out)
    window = _window(event_structure, event_options)
    words = WordFinder(allowed_symbols, lower_case)
    by_letters = cue_structure in _GRAMS
    with open(corpus_file, encoding="utf-8") as text:
        given: Iterator[list[str]] = contexts(text, words, context_structure)
        if by_letters and isinstance(window, tuple):
            # The word and its neighbours are all cues, and all outcomes.
            given, window = _with_neighbours(given, *window), "context"
        elif window == (0, 0):
            # Without neighbours words have no cues.
            given, window = ([] for _ in given), None
        events = corpus_events(
            given,
            cues_from=_GRAMS[cue_structure] if by_letters else "words",
            outcomes_from=None if event_structure == "consecutive_words" and not by_letters else "words",
            window=window,
            lower=False,
            duplicates="drop" if remove_duplicates else "keep",
            progress=bool(verbose),
        )
    with writing_text(out, "gzip") as table:
        table.write(b"cues\toutcomes\n")
        for start in range(0, len(events), _ROWS):
            table.write(events[start : start + _ROWS]._file.table_rows())


def _window(structure: str, options: Any) -> Any:
    """Which words make an event, as `corpus_events` has it."""
    if structure == "line":
        return "context"
    n = 1 if structure == "consecutive_words" else 2
    wanted = "(number_of_words,)" if n == 1 else "(before, after)"
    message = f"event_options must be {wanted} where events are {structure!r}, not {options!r}"
    if not isinstance(options, Iterable):
        raise TypeError(message)
    numbers = tuple(options)
    if len(numbers) != n or not all(isinstance(each, int) and each >= 2 - n for each in numbers):
        raise ValueError(message)
    return numbers[0] if n == 1 else numbers


def _with_neighbours(given: Iterable[list[str]], before: int, after: int) -> Iterator[list[str]]:
    """Each word behind those before and those after it."""
    for words in given:
        for i, word in enumerate(words):
            yield [*words[max(0, i - before) : i], *words[i + 1 : i + 1 + after], word]


def _check(argument: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        listed = ", ".join(map(repr, known))
        raise NotImplementedError(f"{argument}={value!r} is not implemented; it can be one of {listed}")


def _change(
    kind: str, keep: Names, remove: Collection[str] | None, becomes: Mapping[str, str] | None
) -> Cell:
    """What is left of a cell, as the arguments ask, of which one at most may; None for no names."""
    keeps_all = isinstance(keep, str) and keep == "all"
    if (not keeps_all) + (remove is not None) + (becomes is not None) > 1:
        raise ValueError(f"You can either specify keep_{kind}s, remove_{kind}s, or {kind}_map.")
    for argument, names in ((f"keep_{kind}s", keep), (f"remove_{kind}s", remove)):
        if isinstance(names, str) and not (names is keep and keeps_all):
            raise ValueError(f"{argument} must be several names, not the str {names!r}; write [{names!r}]")
    if keeps_all and remove is None and becomes is None:
        return lambda cell: cell
    new = None if becomes is None else dict(becomes)
    some, stays = (frozenset(keep), True) if remove is None else (frozenset(remove), False)

    # The same cells come again and again.
    @lru_cache(_CELLS)
    def cell_of(cell: str) -> str | None:
        names = cell.split("_")
        if new is None:
            names = [name for name in names if (name in some) == stays]
        else:
            names = [other for name in names if (other := new.get(name, ""))]
        return "_".join(names) if names else None

    return cell_of


def filter_event_file(
    input_event_file: Path,
    output_event_file: Path,
    *,
    keep_cues: Names = "all",
    keep_outcomes: Names = "all",
    remove_cues: Collection[str] | None = None,
    remove_outcomes: Collection[str] | None = None,
    cue_map: Mapping[str, str] | None = None,
    outcome_map: Mapping[str, str] | None = None,
    n_jobs: int = 1,
    number_of_processes: int | None = None,
    chunksize: int = 100_000,
    verbose: bool = False,
) -> None:
    """Write an event file with some of the cues and outcomes of another, or with others in their place.

    Of cues, and of outcomes, one says either which to keep, which to remove, or what they become.

    Parameters
    ----------
    input_event_file : str or path-like
        A table compressed by gzip, of two columns.
    output_event_file : str or path-like
        The table to write, compressed by gzip; an older file is replaced. It appears whole or not at all.
    keep_cues, keep_outcomes : "all" or collection of str, default "all"
        The names that stay.
    remove_cues, remove_outcomes : collection of str, optional
        The names that are removed.
    cue_map, outcome_map : mapping from str to str, optional
        What names become. Names that the mapping lacks are removed.
    n_jobs, chunksize : int, default 1 and 100000
        They change nothing.
    number_of_processes : int, optional
        The old name of `n_jobs`.
    verbose : bool, default False
        It changes nothing.

    Raises
    ------
    ValueError
        When a line is none of an event file, or several of the arguments speak of cues, or of outcomes.
    OSError
        When a file cannot be read or written.

    Notes
    -----
    An event that is left without cues is removed. One without outcomes stays.

    Examples
    --------
    >>> import os, tempfile
    >>> from rescorla.compat.pyndl import io, preprocess
    >>> folder = tempfile.TemporaryDirectory()
    >>> old, new = (
    ...     os.path.join(folder.name, name) for name in ("old.tab.gz", "new.tab.gz")
    ... )
    >>> io.events_to_file([("a_b", "x"), ("b", "y")], old)
    >>> preprocess.filter_event_file(old, new, remove_cues=["b"])
    >>> list(io.events_from_file(new))
    [(['a'], ['x'])]
    >>> folder.cleanup()
    """
    whole("n_jobs", renamed("number_of_processes", "n_jobs", number_of_processes, n_jobs), 1)
    whole("chunksize", chunksize, 1)
    cues_of = _change("cue", keep_cues, remove_cues, cue_map)
    outcomes_of = _change("outcome", keep_outcomes, remove_outcomes, outcome_map)
    source, out = os.fsdecode(input_event_file), os.fsdecode(output_event_file)
    check_apart(out, [source])
    with gzip.open(source, "rt", encoding="utf-8") as opened, writing_text(out, "gzip") as table:
        lines = cast(TextIO, opened)
        table.write(lines.readline().encode("utf-8"))
        for number, line in enumerate(lines, 2):
            cells = line.strip("\n").split("\t")
            if len(cells) != 2:
                raise FormatError(
                    f"{source}, line {number}: tabular event file need to have two tab separated columns, "
                    f"found {len(cells)}: {line!r}"
                )
            cues = cues_of(cells[0])
            # An event without outcomes stays, for it tells how often its cues occur.
            if cues is not None:
                table.write(f"{cues}\t{outcomes_of(cells[1]) or ''}\n".encode())
