"""Events from running text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import glob, has_magic
from itertools import chain
from re import DOTALL, fullmatch
from typing import Any, Literal, NamedTuple, TypeAlias

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.kinds import PYTHON, Look, looks_at, text_format, warn_of_text
from rescorla._events.lines import lines_of_files, reads
from rescorla._events.made import made_by
from rescorla._events.names import Names as Words
from rescorla._events.names import listed, mapping_of
from rescorla._shared.checks import (
    DUPLICATES,
    Duplicates,
    PathName,
    flag,
    is_iterable,
    maybe_path_name,
    one_of,
    ordered,
    path_name,
    shown,
    string,
    thread_count,
    whole,
)
from rescorla._shared.progress import BYTES, Progress, watching
from rescorla._shared.warn import some, warn

Names: TypeAlias = (
    "str | int | Mapping[str, str | Iterable[str]] | Callable[[str], str | Iterable[str]] | os.PathLike[str]"
)
"""What words give: themselves, n-grams, or what a table or a function says."""

# How many letters make a cue; 0: a whole word.
GRAMS = {"trigrams": 3, "bigrams": 2, "unigrams": 1, "words": 0}

# What CoNLL-U says of words.
SAID = ("lemmas", "upos", "features")

# What says that all characters are symbols, in pyndl too.
ALL = ("all", "*")

# The mark that ends a document within a text, in pyndl too.
DOCUMENT_END = "---end.of.document---"


class TextOptions(NamedTuple):
    """How running text becomes events: the arguments of `corpus_events` that say so, and their defaults."""

    cues_from: Names | list[Names] | tuple[Names, ...] = "trigrams"
    outcomes_from: Names | list[Names] | tuple[Names, ...] | None = "words"
    window: int | tuple[int, int] | Literal["context"] | None = None
    mask: bool = False
    context: str = "line"
    across: bool = True
    letters: str = "codepoints"
    symbols: str | Callable[[str], bool] | None = None
    lower: bool = True
    normalize: str | None = None
    boundary: str = "#"
    stop_words: Words = ()
    vocabulary: Words | None = None
    sentence_end: str = ".?!…。！？"
    unknown: str = "error"
    format: str | None = None
    speakers: Words | None = None

    def check(self) -> None:
        """ValueError and TypeError for options that can be told to be wrong before any text is read."""
        for name, choices in CHOICES.items():
            one_of(name, getattr(self, name), choices)
        for name in ("boundary", "sentence_end"):
            string(name, getattr(self, name))
        for name in ("across", "lower", "mask"):
            flag(name, getattr(self, name))
        window = _window(self.window)
        if self.mask and window == (1, None):
            raise ValueError(
                "mask is for windows and contexts, and here each word is an event of its own; give a window, "
                "such as 'context'"
            )


# What options can be that have one of some values.
CHOICES: dict[str, tuple[str | None, ...]] = {
    "context": ("line", "sentence", "paragraph", "document"),
    "letters": ("codepoints", "graphemes"),
    "normalize": (None, "NFC", "NFD", "NFKC", "NFKD"),
    "unknown": ("error", "ignore", "keep"),
    "format": (None, "text", "subtitles", "conllu", "conll", "chat"),
}

# What the engine takes as it is.
_AS_THEY_ARE = (
    *("context", "across", "letters", "lower", "normalize", "boundary"),
    *("sentence_end", "unknown", "mask"),
)


def corpus_events(
    corpus: PathName | Iterable[PathName] | Iterable[Iterable[str]],
    path: PathName | None = None,
    *,
    cues_from: Names | list[Names] | tuple[Names, ...] = "trigrams",
    outcomes_from: Names | list[Names] | tuple[Names, ...] | None = "words",
    window: int | tuple[int, int] | Literal["context"] | None = None,
    mask: bool = False,
    context: Literal["line", "sentence", "paragraph", "document"] = "line",
    across: bool = True,
    letters: Literal["codepoints", "graphemes"] = "codepoints",
    symbols: str | Callable[[str], bool] | None = None,
    lower: bool = True,
    normalize: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None,
    boundary: str = "#",
    stop_words: Words = (),
    vocabulary: Words | None = None,
    sentence_end: str = ".?!…。！？",
    unknown: Literal["error", "ignore", "keep"] = "error",
    format: Literal["text", "subtitles", "conllu", "conll", "chat"] | None = None,
    speakers: Words | None = None,
    duplicates: Duplicates = "drop",
    background: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Events:
    """Make events of running text: by default one for each word, its trigrams as cues, itself as outcome.

    Parameters
    ----------
    corpus : path, several paths, lines or lists of words
        One path as a str or path-like: a file, a folder (all files in it and below, sorted by name) or a
        pattern such as ``"corpus/*.txt.gz"``; several as a list, tuple or iterator of path-like objects
        (`pathlib.Path`). Each file is a document; it is UTF-8, plain or compressed (gz, zst, xz). Any other
        iterable gives the text itself. Each of its items is a line or, with ``context="document"``, a
        document, which may have several lines: a str, or a list of str, whose words are separated already and
        stay as they are.
    path : str or path-like, optional
        A binary event file to write; None keeps the events in memory.
    cues_from : see below, default "trigrams"
        What the words of an event give as cues. ``"words"``: themselves. ``"trigrams"``, ``"bigrams"``,
        ``"unigrams"`` or a number n: n letters in a row, where the boundary counts as a letter; for n = 1 the
        letters of the words alone. A mapping from words to names (a str is split at ``_``, and ``""`` gives
        no name; another iterable of str gives names verbatim), a `pathlib.Path` of a table with such a
        mapping (word, tab, names joined by ``_``), or a function from words to names, which is called once
        for each different word. Of CoNLL-U also ``"lemmas"``, ``"upos"`` and ``"features"``. A
        list or tuple of these: the names of each, one after another.
    outcomes_from : as for cues, or None, default "words"
        What the words of an event give as outcomes. None: no outcomes.
    window : int, pair of int, "context" or None, default None
        Which words make an event. None or 1: each word. n: n consecutive words; events grow at the beginning
        of a context and shrink at its end: (A), (A B), (A B C), (B C D), ... (C D), (D) for n = 3; all words
        give cues and outcomes. A pair (before, after): each word gives the outcomes, and at most so many
        words before and after it give the cues; a word without neighbours is left out. ``"context"``: the
        whole context is one event.
    mask : bool, default False
        Whether a name is no cue for the outcome of its own name, in windows and contexts. Then each outcome
        of a window has an event of its own, with the cues of the window but its own: of the words A B C with
        ``window="context"``, (B C) -> A, (A C) -> B and (A B) -> C. In each of these events the other
        outcomes are absent.
    context : {"line", "sentence", "paragraph", "document"}, default "line"
        The part of the text that an event stays within. A paragraph ends at an empty line, or one of
        any white space; a document at the end of its file or of its item; and all of them at the mark
        ``---end.of.document---``, in lower or in upper case. For sentences see Notes.
    across : bool, default True
        Whether n-grams run across the words of an event, joined by the boundary as in ``"#in#the#"``, or stay
        within each word. With a pair as window, no n-gram joins the words before with those after.
    letters : {"codepoints", "graphemes"}, default "codepoints"
        What a letter of an n-gram is: a Unicode code point, or an extended grapheme cluster (UAX 29), which
        keeps combining marks with their letter.
    symbols : str or callable, optional
        The characters that make up words; all others separate words. Characters, ranges such as ``"a-z"`` and
        classes such as ``r"\\w"`` or ``r"\\p{Greek}"``; or a function that takes a character and says whether
        it belongs to words. It is called once for each different character of the text, in the
        form that `lower` and `normalize` give it. None, ``"all"`` or ``"*"``: white space separates words.
    lower : bool, default True
        Whether to turn everything to lower case first.
    normalize : {"NFC", "NFD", "NFKC", "NFKD"}, optional
        The normal form of Unicode into which the text is brought first of all.
    boundary : str, default "#"
        The mark of the beginning and the end of a word.
    stop_words : iterable of str, or pathlib.Path of a list, default ()
        Words to remove from the text before events are made; in a file, one in each line, before the first
        tab.
    vocabulary : iterable of str, or pathlib.Path of a list, optional
        The words to keep; all other words are removed.
    sentence_end : str, default ".?!…。！？"
        The characters that end sentences.
    unknown : {"error", "ignore", "keep"}, default "error"
        What a mapping gives for a word that it lacks: KeyError, no names, or the word itself.
    format : {"text", "subtitles", "conllu", "conll", "chat"}, optional
        What the files hold. None: what the content of the first hundred shows. ``"subtitles"``: the XML of
        OpenSubtitles, SubRip (.srt) or WebVTT (.vtt); a pause of more than five seconds ends a paragraph.
        ``"conllu"``: words that are separated already, with lemmas and features. Its sentences are also
        lines, and its words with characters that are not in `symbols` are left out. ``"conll"``: its
        relatives, with one word in a line, of which the words alone are read. ``"chat"``: transcripts of
        CHILDES (.cha), of which each utterance is a line. ``"text"``: running text, whatever it looks like.
    speakers : iterable of str, optional
        The speakers whose utterances are read of ``"chat"``, as in ``["CHI", "MOT"]``. None: all.
    duplicates : {"drop", "keep", "error"}, default "drop"
        What to do when an event lists a name twice: keep the first, keep both, or raise ValueError. A cue
        that is kept twice counts twice. So does an outcome in counts, in tables, in what `activations` lists
        with ``present_only``, and where vectors of outcomes are added; everywhere else it is present or
        absent, however often it is named.
    background : str, optional
        A cue to add to every event, before its others.
    threads : int, optional
        Has no effect: one thread reads the text, which takes a small part of the time of learning.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook. For files it counts bytes.

    Returns
    -------
    Events
        In memory, or the new file, opened. ``parameters["left_out"]`` counts the words that `stop_words`,
        `vocabulary`, `symbols` and `window` leave out or cut.

    Raises
    ------
    FormatError
        When the text is not UTF-8, a file is damaged or holds no text, files differ in format, or a context
        is too long to be one event; the message names the file and line.
    KeyError
        When a mapping lacks a word.
    ValueError, TypeError
        When an argument is not one of those listed.
    OSError
        When a file cannot be read or written.

    Warns
    -----
    RescorlaWarning
        When no word consists of `symbols`, or none of `vocabulary` or `stop_words` occurs in the text; when
        `symbols` has brackets around it, which are removed, or cuts words at letters; when a speaker does
        not occur; when words give one cue in two ways, or most words are so long that the text may have no
        blanks; when one of the first hundred files looks like a table, or the only file is empty.

    Notes
    -----
    Words are separated by white space (that of Unicode), by ``_``, by the characters of the boundary and by
    what is not in `symbols`. A zero width space (U+200B) separates words too; characters that nobody sees,
    such as soft hyphens and marks of the reading direction, are left out. A combining mark belongs to the
    class (``\\p{...}``, ``\\w``) of its letter. Line ends are ``\\n``, ``\\r\\n`` and ``\\r``.

    A sentence ends after a character of `sentence_end`, if only closing quotes and brackets stand between it
    and the next white space. A character that is not ASCII ends a sentence wherever it stands. So no sentence
    ends at "3.14" or "e.g.,", but one ends at "Mr.". For more, split sentences with a tool for your language
    and pass lists of words.

    The text streams: memory grows with the number of different words, not with the length of the text. But
    with ``window="context"`` the words of a context are held until it ends, and a context of more than
    16,777,216 words (2^24) is refused.

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
    >>> for event in rw.corpus_events(
    ...     ["In the beginning"], cues_from="words", window=(1, 1)
    ... ):
    ...     print(event.cues, event.outcomes)
    ('the',) ('in',)
    ('in', 'beginning') ('the',)
    ('the',) ('beginning',)
    """
    return events_of_text(
        corpus,
        path,
        TextOptions(
            cues_from=cues_from,
            outcomes_from=outcomes_from,
            window=window,
            context=context,
            across=across,
            letters=letters,
            symbols=symbols,
            lower=lower,
            normalize=normalize,
            boundary=boundary,
            stop_words=stop_words,
            vocabulary=vocabulary,
            sentence_end=sentence_end,
            unknown=unknown,
            mask=mask,
            format=format,
            speakers=speakers,
        ),
        duplicates=duplicates,
        background=background,
        threads=threads,
        progress=progress,
    )


def events_of_text(
    corpus: object,
    path: PathName | None,
    text: TextOptions,
    *,
    one_document: bool = False,
    duplicates: Duplicates = "drop",
    background: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Events:
    """As `corpus_events`, which says what the arguments are.

    With `one_document` the items of an iterable are lines in every context, those of one document, as a file
    has them.
    """
    text.check()
    one_of("duplicates", duplicates, DUPLICATES)
    thread_count(threads)
    if background is not None:
        background = string("background", background)
    texts, files = _texts(corpus)
    names = list(texts) if files else None
    if path is not None:
        named = [text.stop_words, text.vocabulary, *_several(text.cues_from), *_several(text.outcomes_from)]
        read = [path_name(each) for each in named if isinstance(each, os.PathLike)]
        _core.check_apart(path_name(path), [*(texts if files else []), *read])
    seen: list[tuple[str, Look]] = []
    if names is not None:
        texts, seen = names, looks_at(names)
        if text.format is None:
            warn_of_text(seen, len(names))
        text = text._replace(format=text_format(text.format, seen, PYTHON))
    elif text.format not in (None, "text"):
        raise TypeError(f"format {text.format!r} is for files; give paths (of type pathlib.Path in a list)")
    if text.speakers is not None and text.format != "chat":
        raise ValueError(
            f"speakers are those of the format 'chat', and this is {text.format or 'text'!r}; leave them out"
        )
    cues = _specs("cues_from", text.cues_from, text.format or "text")
    if not cues:
        raise ValueError("cues_from must be one or several, not none")
    allowed = _allowed(text.symbols)
    stopped = listed("stop_words", text.stop_words, words=True)
    known = None if text.vocabulary is None else listed("vocabulary", text.vocabulary, words=True)
    speakers = None if text.speakers is None else listed("speakers", text.speakers, words=True)
    spoke: set[str] = set()
    has_captions = files and any(each.kind == "captions" for _, each in seen)
    reader = reads(text.format, has_captions, speakers, spoke) if files and text.format else None
    if reader is not None:
        # Sentences and captions are lines; where sentences are asked for, each is one.
        is_apart = text.context == "sentence" and text.format != "subtitles"
        texts, files = lines_of_files(list(texts), reader, DOCUMENT_END, is_apart), False
    is_documents = text.context == "document" and not one_document and reader is None
    items: Literal["lines", "documents"] = "documents" if is_documents else "lines"
    with watching(progress, "reading", BYTES if files else items) as watch:
        file, told = _core.compile_corpus(
            texts,
            maybe_path_name(path),
            items="files" if files else items,
            cues=cues,
            outcomes=(
                []
                if text.outcomes_from is None
                else _specs("outcomes_from", text.outcomes_from, text.format or "text")
            ),
            window=_window(text.window),
            symbols=allowed,
            stop_words=stopped,
            vocabulary=known,
            document_end=DOCUMENT_END,
            format=text.format if files and text.format else "text",
            **{name: getattr(text, name) for name in _AS_THEY_ARE},
            duplicates=duplicates,
            background=background,
            progress=watch,
            parameters=made_by(
                "corpus_events",
                corpus,
                files=names,
                **text._asdict(),
                duplicates=duplicates,
                background=background,
            ),
        )
    missed, n_cut, cut, shared, unbroken = told
    if missing := [each for each in speakers or () if each not in spoke]:
        warn(f"speakers {some(missing)} do not occur; those who do: {some(sorted(spoke)) or 'none'}")
    _warn_of_missed(missed, text, {"vocabulary": known, "stop_words": stopped})
    if cut and "symbols" not in missed:
        _warn_of_cut(n_cut, cut, text)
    if shared is not None:
        warn(
            f"cues_from gives the cue {shared!r} in two ways, and they are one cue; to keep them apart, let "
            "a function or a table mark one kind, as in 'word:the'"
        )
    if unbroken is not None:
        warn(
            f"most words are long, such as {unbroken!r}; text of a script that has no blanks between words "
            "must be cut into words first: give a list of words for each line"
        )
    return Events(file)


def _warn_of_cut(n: int, cut: list[str], text: TextOptions) -> None:
    """Warn of words that lost letters because of `symbols`."""
    does = "leaves out" if text.format == "conllu" else "cuts"
    given = f" {text.symbols!r}" if isinstance(text.symbols, str) else ""
    words = f"{n:,} word{'s' if n > 1 else ''}"
    words += " with letters" if text.format == "conllu" else " at letters"
    warn(
        f"symbols{given} {does} {words}, such as {some(cut)}; \\w or \\p{{L}} has the letters of all "
        "scripts, \\p{Cyrillic} and the like those of one"
    )


def _warn_of_missed(missed: list[Any], text: TextOptions, lists: Mapping[str, list[str] | None]) -> None:
    """Warn of symbols and lists that leave no word of the text, and of lists without a word of it."""
    if "symbols" in missed:
        which = f" {text.symbols!r}" if isinstance(text.symbols, str) else ""
        warn(
            f"symbols{which} leaves no word of the text; "
            + (
                "the text is lower-cased first: allow small letters, such as 'a-z', or keep upper case"
                if text.lower
                else "name the characters that its words are made of"
            )
        )
    if "words" in missed:
        given = "stop_words and vocabulary together leave" if lists["vocabulary"] else "stop_words leaves"
        warn(f"{given} no word of the text; make the list of stop words shorter")
    done = {"vocabulary": "leaves no word of the text", "stop_words": "takes no word out of the text"}
    for argument, words in lists.items():
        if words and argument in missed:
            capitals = text.lower and any(word != word.lower() for word in words)
            warn(
                f"{argument} {done[argument]}: {some(words)} {'does' if len(words) == 1 else 'do'} not "
                "occur; "
                + (
                    "the text is lower-cased first: write small letters, or keep upper case"
                    if capitals
                    else "compare the spelling"
                )
            )


def _specs(argument: str, names: object, format: str) -> list[Any]:
    """What the engine takes for names: numbers of letters, what CoNLL-U says, dicts and functions."""
    if isinstance(names, list | tuple):
        return [spec for each in names for spec in _specs(argument, each, format)]
    if isinstance(names, str):
        if names in SAID and format == "conllu":
            return [names]
        if names in SAID:
            raise ValueError(f"{argument} can be {names!r} with the format 'conllu' only, not {format!r}")
        one_of(argument, names, (*GRAMS, *(SAID if format == "conllu" else ())))
        return [GRAMS[names]]
    if isinstance(names, Mapping | os.PathLike):
        return [mapping_of(argument, names)]
    if callable(names):
        return [names]
    if not hasattr(names, "__index__"):
        raise TypeError(
            f"{argument} must be one of {', '.join(map(repr, GRAMS))}, a number of letters, a mapping, a "
            f"pathlib.Path, a function, or several of these, not {type(names).__name__}"
        )
    return [whole(argument, names, 1, "a name such as 'trigrams'")]


def _several(names: object) -> list[Any]:
    """What is named for cues or outcomes, one after another."""
    return list(names) if isinstance(names, list | tuple) else [names]


def _window(window: object) -> tuple[int, int | None] | None:
    """None for the whole context, (n, None) for n words, (before, after) for neighbours."""
    if window is None:
        return (1, None)
    if isinstance(window, str):
        if window.isdecimal():
            raise TypeError(
                "window must be a whole number of 1 or more, a pair (before, after), 'context' or None, not "
                f"{window!r}; write {window}"
            )
        one_of("window", window, (None, "context"))
        return None
    if isinstance(window, tuple | list):
        if len(window) != 2:
            raise ValueError(
                f"window must be a number, a pair (before, after) or 'context', not {len(window)} numbers"
            )
        before, after = (whole("window", count) for count in window)
        if before + after == 0:
            raise ValueError("window must have a neighbour on one side at least, not (0, 0)")
        return (before, after)
    return (whole("window", window, 1, "a pair (before, after), 'context' or None"), None)


def _allowed(symbols: object) -> Any:
    """The characters of words as the engine takes them: None, a str without brackets, or a function."""
    if symbols is None or callable(symbols):
        return symbols
    symbols = string("symbols", symbols)
    if symbols in ALL:
        return None
    bracketed = fullmatch(r"\[(.*[^\\])\][+*]?", symbols, DOTALL)
    if bracketed is None:
        return symbols
    inner = bracketed[1]
    if inner.startswith("^"):
        raise ValueError(
            f"symbols are the characters that make up words, and {symbols!r} says which do not; name "
            "those that do, or give a function of a character"
        )
    warn(
        f"symbols {symbols!r} is taken for {inner!r}, without the brackets; write {inner!r}, or \\[ and \\] "
        "for brackets that belong to words"
    )
    return inner


def _texts(corpus: object) -> tuple[list[str] | Iterator[Any], bool]:
    """The paths of a corpus and True, or its lines and False."""
    if isinstance(corpus, str | os.PathLike):
        return files_of(corpus), True
    if not is_iterable(corpus) or isinstance(corpus, bytes | bytearray | Mapping):
        raise TypeError(
            f"corpus must be a path, a list of path-like objects or an iterable of lines, not {shown(corpus)}"
        )
    ordered("corpus", corpus)
    if isinstance(corpus, list | tuple) and _name_files(corpus):
        are = "is the name of a file" if len(corpus) == 1 else "are names of files"
        raise ValueError(
            f"corpus must be the lines of a text, and {some(corpus)} {are}; to read files from a list, use "
            f"pathlib.Path: [pathlib.Path({str(corpus[0])!r})]"
        )
    items = iter(corpus)
    first = next(items, "")
    if isinstance(first, os.PathLike):
        return [file for item in chain([first], items) for file in files_of(item)], True
    # The engine checks that each line is a str or a list of them, and names the one that is not.
    return chain([first], items), False


def _name_files(lines: Sequence[object]) -> bool:
    """Whether all lines are names of files. No text is looked at beyond its first line that is none."""
    return bool(lines) and all(isinstance(line, str) and _is_file(line) for line in lines)


def _is_file(line: str) -> bool:
    try:
        return os.path.isfile(line)
    except ValueError:  # It has a null character.
        return False


def files_of(path: PathName) -> list[str]:
    """The files of a path: itself, those below a folder, those that a pattern fits."""
    name = path_name(path)
    if os.path.isdir(name):
        below = (os.path.join(folder, file) for folder, _, files in os.walk(name) for file in files)
        found = sorted(file for file in below if os.path.isfile(file))
    elif isinstance(path, str) and has_magic(name) and not os.path.lexists(name):
        found = sorted(file for file in glob(name, recursive=True) if os.path.isfile(file))
    else:
        return [name]
    if not found:
        raise FileNotFoundError(2, "no files there", name)
    return found
