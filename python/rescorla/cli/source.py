"""The events that a command is about: FILE..., and the options that say how to read it."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from rescorla._core import FormatError, content_kind
from rescorla.arguments import DUPLICATES
from rescorla.concat import concat_events
from rescorla.corpus import corpus_events, files_of
from rescorla.events import Events, open_events
from rescorla.sources import compile_events, read_events

# What words give as cues or outcomes; besides these a number of letters, or @ and the file of a table.
_NAMES = ("words", "trigrams", "bigrams", "unigrams", "lemmas", "upos", "features")
_NOUNS = {"text": "running text", "table": "an event table", "events": "a binary event file"}
_SHARED = ("duplicates", "background")


def add_files(parser: argparse.ArgumentParser) -> None:
    """FILE..."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="running text (also a folder, a pattern in quotes, or - for standard input), event tables or "
        "binary event files; several are read one after another",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """How events are read: of any source, and of running text only."""
    parser.add_argument(
        "--duplicates",
        choices=DUPLICATES,
        help="what to do with a name that an event has twice (default drop)",
    )
    parser.add_argument("--background", metavar="CUE", help="a cue to add to every event")
    group = parser.add_argument_group(
        "running text",
        "What words are, which of them make an event, and what they give as cues and outcomes. These options "
        "are refused where FILE is no running text.",
    )
    # Each option is kept under the name of the argument of corpus_events that it is; one that is not given
    # has the default of corpus_events.
    flags: dict[str, str] = {}

    def add(flag: str, **how: Any) -> None:
        action = group.add_argument(flag, **how)
        flags[action.dest] = flag

    add(
        "--cues",
        type=_names,
        action="extend",
        metavar="NAMES",
        help="what words give as cues: words, trigrams, bigrams, unigrams, a number of letters, @TABLE (a "
        "file with a word, a tab and its names joined by _ in each line); of CoNLL-U also lemmas, upos, "
        "features; or several with commas between, as in 2,3,words (default trigrams)",
    )
    add(
        "--outcomes",
        type=_names_or_none,
        action="extend",
        metavar="NAMES",
        help="what words give as outcomes, likewise; or none (default words)",
    )
    add(
        "--window",
        type=_window,
        metavar="WORDS",
        help="which words make an event: 1, each word; N, up to N words in a row; BEFORE,AFTER, a word as "
        "the outcome and so many words around it as cues; context, all of it (default 1)",
    )
    add(
        "--context",
        choices=("line", "sentence", "paragraph", "document"),
        help="what events do not reach beyond (default line)",
    )
    add(
        "--within-words",
        dest="across",
        action="store_const",
        const=False,
        help="n-grams do not run across the words of an event",
    )
    add(
        "--letters",
        choices=("codepoints", "graphemes"),
        help="what the letters of n-grams are (default codepoints)",
    )
    add(
        "--symbols",
        metavar="CHARS",
        help=r"the characters that make up words, such as a-z or \p{Greek}; others separate words (default: "
        "all but white space)",
    )
    add("--no-lower", dest="lower", action="store_const", const=False, help="keep upper case")
    add(
        "--normalize",
        choices=("NFC", "NFD", "NFKC", "NFKD"),
        help="bring the text into this normal form of Unicode first",
    )
    add("--boundary", metavar="MARK", help="mark of the ends of a word (default #)")
    add("--stop-words", type=Path, metavar="LIST", help="take these words out: a file, a word in each line")
    add("--vocabulary", type=Path, metavar="LIST", help="take all but these words out")
    add("--sentence-end", metavar="CHARS", help="the characters that end sentences (default .?!…。！？)")
    add(
        "--document-end",
        metavar="MARK",
        help="what ends a document within a file (default ---end.of.document---)",
    )
    add(
        "--unknown-words",
        dest="unknown",
        choices=("error", "ignore", "keep"),
        help="what a table gives for a word that it lacks: an error, no names or the word itself (default "
        "error)",
    )
    add(
        "--format",
        choices=("text", "subtitles", "conllu"),
        help="what the files hold: text, OpenSubtitles' XML or CoNLL-U (default text)",
    )
    add(
        "--items",
        choices=("lines", "documents"),
        help="whether each line of standard input is a line or a document (default lines)",
    )
    parser.set_defaults(text_flags=flags)


def events(
    files: list[str],
    options: argparse.Namespace,
    path: str | None = None,
    scratch: Callable[[], str | None] = lambda: None,
) -> Events:
    """The events of files, one after another.

    They are written to the binary event file `path`. Without one they are in memory, or in a file that
    `scratch` names, or are those of a binary event file as it is.
    """
    if streams := [file for file in files if _is_stream(file)]:
        if len(files) > 1:
            raise ValueError(f"{streams[0]}: what is piped in goes alone; found {len(files)} files")
        if _given(options).get("format", "text") != "text":
            raise ValueError(
                f"{files[0]}: --format {options.format} is for files, and this is piped in; save it to a "
                "file first"
            )
        return _of_text(_lines(files[0]), options, path or scratch())
    found = [file for name in files for file in files_of(name)]
    kinds = [content_kind(file) for file in found]
    if set(kinds) == {"text"}:
        if "items" in _given(options):
            raise ValueError(f"{files[0]}: --items is for standard input (-); leave it out")
        return _of_text([Path(file) for file in found], options, path or scratch())
    _refuse_text(found, kinds, options)
    if len(found) == 1:
        return _of_events(found[0], kinds[0], options, path, scratch)
    parts = [_of_events(file, kind, options, None, scratch) for file, kind in zip(found, kinds, strict=True)]
    return concat_events(parts, path or scratch(), progress=options.progress)


def _refuse_text(files: Sequence[str], kinds: Sequence[str], options: argparse.Namespace) -> None:
    """ValueError for running text, or options for it, beside tables and binary event files."""
    file, kind = next((file, kind) for file, kind in zip(files, kinds, strict=True) if kind != "text")
    if "text" in kinds:
        raise ValueError(
            f"{file}: expected running text as in {files[kinds.index('text')]}, found {_NOUNS[kind]}; make "
            "events of the text first, then join them"
        )
    if given := _given(options):
        flag = options.text_flags[next(iter(given))]
        raise ValueError(f"{file}: {flag} is for running text, and this is {_NOUNS[kind]}; leave it out")


def _of_text(corpus: Iterable[str] | Iterable[Path], options: argparse.Namespace, path: str | None) -> Events:
    given = _given(options) | _shared(options)
    threads = getattr(options, "threads", None)
    return corpus_events(corpus, path, threads=threads, progress=options.progress, **given)


def _of_events(
    file: str, kind: str, options: argparse.Namespace, path: str | None, scratch: Callable[[], str | None]
) -> Events:
    shared = _shared(options)
    if kind == "events" and path is None and not shared:
        return open_events(file)
    target = path or scratch()
    if target is None:
        return read_events(file, progress=options.progress, **shared)
    return compile_events(file, target, progress=options.progress, **shared)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """The options of running text that were given, as arguments of `corpus_events`."""
    return _set(options, getattr(options, "text_flags", ()))


def _shared(options: argparse.Namespace) -> dict[str, Any]:
    """The options of any source that were given."""
    return _set(options, _SHARED)


def _set(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(options, name, None)) is not None}


def _is_stream(file: str) -> bool:
    """Whether a file can be read only once: standard input, a pipe."""
    if file == "-":
        return True
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except OSError:
        return False  # Whoever opens it says what is wrong.


def _lines(file: str) -> Iterator[str]:
    """The lines of a stream."""
    if file == "-":
        yield from _decoded(sys.stdin.buffer, "standard input")
    else:
        with open(file, "rb") as stream:
            yield from _decoded(stream, file)


def _decoded(stream: IO[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(stream, 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{name}, line {number}: expected UTF-8, found the byte 0x{line[error.start]:02x}; convert "
                "the text to UTF-8, or decompress it first"
            ) from None


def _names(text: str) -> list[str | int | Path]:
    return [_name(each) for each in text.split(",")]


def _names_or_none(text: str) -> list[str | int | Path]:
    return [] if text == "none" else _names(text)


def _name(text: str) -> str | int | Path:
    if text in _NAMES:
        return text
    if text.startswith("@") and len(text) > 1:
        return Path(text[1:])
    if text.isascii() and text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is none of {', '.join(_NAMES)}, a number of letters or @TABLE"
    )


def _window(text: str) -> int | tuple[int, int] | str:
    if text == "context":
        return text
    try:
        counts = [int(each) for each in text.split(",")]
    except ValueError:
        counts = []
    if len(counts) == 1:
        return counts[0]
    if len(counts) == 2:
        return counts[0], counts[1]
    raise argparse.ArgumentTypeError(f"{text!r} is no number, no pair BEFORE,AFTER and not context")
