"""Events from running text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from rescorla import _core
from rescorla.arguments import PathName, one_of, path_name
from rescorla.events import Events
from rescorla.progress import Progress, watching
from rescorla.sources import DUPLICATES, Duplicates

# How many letters make a cue; 0: a whole word.
_GRAMS = {"trigrams": 3, "bigrams": 2, "unigrams": 1, "words": 0}


def corpus_events(
    corpus: PathName | Iterable[PathName],
    path: PathName | None = None,
    *,
    cues: str = "trigrams",
    outcomes: str = "words",
    window: int | None = None,
    context: str = "line",
    symbols: str | None = None,
    lower: bool = True,
    boundary: str = "#",
    duplicates: Duplicates = "drop",
    background: str | None = None,
    progress: Progress = None,
) -> Events:
    """Make events of running text: the letter n-grams of each word are cues to the word.

    Parameters
    ----------
    corpus : path, several paths, or lines
        One path as a str or path-like; several as a list, tuple or iterator of path-like objects
        (`pathlib.Path`); any other iterable of str gives the lines of the text themselves.
    path : str or path-like, optional
        A binary event file to write; None keeps the events in memory.
    cues : {"trigrams", "bigrams", "unigrams", "words"}, default "trigrams"
        What of a word is its cues: its runs of three or two letters, the boundary mark counted as one on
        either side; its letters; or the word itself.
    outcomes : {"words"}, default "words"
        What is to be learned.
    window : {None, 1}, default None
        How many words make an event: one.
    context : {"line"}, default "line"
        What an event does not reach beyond.
    symbols : str, optional
        The characters that make up words, ranges such as ``"a-z"`` among them; all others separate words.
        None: white space separates words.
    lower : bool, default True
        Whether to turn everything to lower case first.
    boundary : str, default "#"
        The mark of the beginning and the end of a word.
    duplicates : {"drop", "keep", "error"}, default "drop"
        What to do when a word has an n-gram twice: count it once, count it twice, or raise ValueError.
    background : str, optional
        A cue to add to every event, before its others.
    progress : None, bool or callable(done, total), default None
        None shows a bar if standard error is a terminal.

    Returns
    -------
    Events
        In memory, or the new file, opened.

    Raises
    ------
    FormatError
        When the text is not UTF-8; the message names the file and line.
    ValueError
        When an argument is not one of those listed.
    OSError
        When a file cannot be read or written.

    References
    ----------
    Baayen, R. H., Milin, P., Djurdjevic, D. F., Hendrix, P. and Marelli, M. (2011). An amorphous model for
    morphological processing in visual comprehension based on naive discriminative learning. Psychological
    Review 118, 438-481.

    Examples
    --------
    >>> import rescorla as rw
    >>> events = rw.corpus_events(["in the beginning", "the word"])
    >>> events[0]
    Event(cues=('#in', 'in#'), outcomes=('in',), frequency=1)
    """
    one_of("cues", cues, tuple(_GRAMS))
    one_of("outcomes", outcomes, ("words",))
    one_of("window", window, (None, 1))
    one_of("context", context, ("line",))
    one_of("duplicates", duplicates, DUPLICATES)
    texts, files = _texts(corpus)
    with watching(progress, "reading") as watch:
        return Events(
            _core.compile_corpus(
                texts,
                None if path is None else path_name(path),
                files=files,
                grams=_GRAMS[cues],
                symbols=symbols,
                lower=lower,
                boundary=boundary,
                duplicates=duplicates,
                background=background,
                progress=watch,
            )
        )


def _texts(corpus: PathName | Iterable[PathName]) -> tuple[list[str] | Iterator[str], bool]:
    """The paths of a corpus and True, or its lines and False."""
    if isinstance(corpus, str | os.PathLike):
        return [path_name(corpus)], True
    if not isinstance(corpus, Iterable) or isinstance(corpus, bytes | bytearray | Mapping):
        kind = type(corpus).__name__
        raise TypeError(
            f"a corpus is a path, a list of path-like objects or an iterable of lines, not {kind}"
        )
    items = iter(corpus)
    first = next(items, "")
    if isinstance(first, os.PathLike):
        return [os.fspath(item) for item in chain([first], items)], True
    # The engine checks that each line is a str, and names the one that is not.
    return chain([first], items), False  # type: ignore[arg-type]
