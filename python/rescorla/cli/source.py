"""The events that a command is about: FILE..., and the options that say how to read it."""

from __future__ import annotations

import argparse
import os
import re
import stat
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from rescorla._core import TextStream
from rescorla._events.concat import concat_events
from rescorla._events.events import Events
from rescorla._events.frames import ROLES, chosen_columns
from rescorla._events.kinds import FORMATS, NOUNS, Cures, Look, look, not_a_table, text_format, warn_of_counts
from rescorla._events.lines import lines_of
from rescorla._events.read import events_of
from rescorla._events.recorded import SHARED
from rescorla._events.text import CHOICES, GRAMS, SAID, TextOptions, events_of_text, files_of
from rescorla._shared.checks import DUPLICATES
from rescorla._shared.warn import RescorlaWarning, warn
from rescorla.cli import printing

# What words give as cues or outcomes; besides these a number of letters, or @ and the file of a table.
_NAMES = tuple(dict.fromkeys(("words", *GRAMS, *SAID)))

# The values of --format of which each is a format of running text.
_TEXT_FORMATS = tuple(name for name in CHOICES["format"] if name is not None)
_DEFAULTS = TextOptions()

# What is no part of the name of a column: another column follows, and not after a comma.
_ANOTHER = re.compile(rf"[\s;|+]({'|'.join(ROLES)})=")

_WORDS = Cures(
    text="--format text reads running text",
    unnamed="--columns cues=1,outcomes=2 says which columns they are, with --no-header where line 1 is an "
    "event already; --format text reads it as running text",
    events="leave --format out",
    weights="rescorla info, activations and plot take weights",
    frequency="--columns frequency={0} takes it for frequency",
    plain="--format text reads it as running text",
)

# What is read as text other than running text.
_NOUNS = {"subtitles": "subtitles", "conllu": "CoNLL-U", "conll": "a relative of CoNLL-U", "chat": "CHAT"}


def add_files(parser: argparse.ArgumentParser) -> None:
    """FILE..."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="running text (also a folder, a pattern in quotes, or - for standard input), event tables or "
        "binary event files; one or several",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """What files are, and where the columns of tables are."""
    parser.add_argument(
        "--format",
        choices=("auto", *_TEXT_FORMATS, "table", "events"),
        default="auto",
        help="what the files hold: subtitles are OpenSubtitles' XML, .srt and .vtt, conll relatives of "
        "CoNLL-U, chat transcripts (.cha) (default auto: detected from their content)",
    )
    parser.add_argument(
        "--columns",
        type=_columns,
        metavar="WHICH",
        help="the columns of a table: numbers from 1, as in cues=1,outcomes=2,frequency=3, or names, as in "
        "cues=trigrams",
    )
    parser.add_argument(
        "--no-header",
        dest="header",
        action="store_false",
        help="the first line of a table is an event and does not name the columns; needs --columns",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """How events are read: of any source, and of running text only."""
    add_format(parser)
    parser.add_argument(
        "--duplicates",
        choices=DUPLICATES,
        help="what to do with a name that an event has twice (default drop)",
    )
    parser.add_argument("--background", metavar="CUE", help="a cue to add to every event")
    group = parser.add_argument_group(
        "running text",
        "What words are, which of them make an event, and what they give. If FILE is not running text, "
        "these options are an error.",
    )
    # Each option is kept under the name of the field of `TextOptions` that it is; one that is not given has
    # the default of that field.
    flags: dict[str, str] = {}

    def add(flag: str, help: str, **how: Any) -> None:
        name = how.get("dest", flag[2:].replace("-", "_"))
        default = getattr(_DEFAULTS, name)
        if isinstance(default, str):
            help += f" (default {default})"
        if name in CHOICES:
            how["choices"] = [choice for choice in CHOICES[name] if choice is not None]
        flags[name] = flag
        group.add_argument(flag, help=help, **how)

    add(
        "--cues-from",
        type=_names,
        action="extend",
        metavar="NAMES",
        help="what words give as cues: words, trigrams, bigrams, unigrams, a number of letters, @TABLE "
        "(in each line a word, a tab and its names joined by _); of CoNLL-U also lemmas, upos, features; "
        "or several, as in 2,3,words",
    )
    add(
        "--outcomes-from",
        type=_names_or_none,
        action="extend",
        metavar="NAMES",
        help="what words give as outcomes, as for --cues-from; or none",
    )
    add(
        "--window",
        type=_window,
        metavar="WORDS",
        help="which words make an event: 1, each word; N, up to N words in a row; BEFORE,AFTER, a word as "
        "the outcome, up to so many words before and after it as cues; context, all words of the context "
        "(default 1)",
    )
    add(
        "--mask",
        action="store_const",
        const=True,
        help="a name is no cue for itself as an outcome: each outcome of a window has its own event",
    )
    add("--context", help="the part of a text beyond which no event reaches")
    add(
        "--within-words",
        dest="across",
        action="store_const",
        const=False,
        help="n-grams do not run across the words of an event",
    )
    add("--letters", help="what the letters of n-grams are")
    add(
        "--symbols",
        metavar="CHARS",
        help=r"the characters that make up words, such as a-z or \p{Greek}; others separate words (default: "
        "all but white space)",
    )
    add("--no-lower", dest="lower", action="store_const", const=False, help="keep upper case")
    add("--normalize", help="bring the text into this normal form of Unicode first")
    add("--boundary", metavar="MARK", help="mark of the ends of a word")
    add("--stop-words", type=Path, metavar="LIST", help="remove these words: a file with a word in each line")
    add(
        "--vocabulary",
        type=Path,
        metavar="LIST",
        help="remove all other words: a file with a word in each line",
    )
    add("--sentence-end", metavar="CHARS", help="the characters that end sentences")
    add(
        "--unknown-words",
        dest="unknown",
        help="what to do with a word that a @TABLE lacks: raise an error, give no names, or give the word "
        "itself",
    )
    add(
        "--speakers",
        type=lambda text: text.split(","),
        metavar="CODES",
        help="the speakers whose utterances are read of transcripts, as in CHI,MOT (default: all)",
    )
    parser.set_defaults(text_flags=flags)


def events(
    files: list[str],
    options: argparse.Namespace,
    path: str | None = None,
    scratch: Callable[[], str | None] = lambda: None,
    limit: int | None = None,
    like: Callable[[argparse.Namespace], None] | None = None,
) -> Events:
    """The events of files, one after another; with a limit, so many of the first ones.

    They are written to the binary event file `path`. Without one they are in memory, or in a file that
    `scratch` names, or are those of a binary event file as it is. What the files were read as is kept in the
    options, for the report. `like` gives running text the options that are not given.
    Where there are no events, a warning says so, unless another one says why.
    """
    warned = options.n_warnings
    found = _events(files, options, path, scratch, limit, like)
    if len(found) == 0 and limit != 0 and options.n_warnings == warned:
        warn(f"{', '.join(map(_name_of, files))}: there are no events in what was read")
    return found


def _events(
    files: list[str],
    options: argparse.Namespace,
    path: str | None,
    scratch: Callable[[], str | None],
    limit: int | None,
    like: Callable[[argparse.Namespace], None] | None,
) -> Events:
    if stream := _stream_of(files, options):
        with stream as opened:
            return _of_stream(opened, files[0], options, path, scratch, limit, like)
    found = [file for name in files for file in files_of(name)]
    seen = [look(file) for file in found]
    kinds = _kinds(found, seen, options)
    if set(kinds) == {"text"}:
        said = options.format if options.format in _TEXT_FORMATS else None
        options.text_format = text_format(said, zip(found, seen, strict=True), _WORDS)
        return _of_text([Path(file) for file in found], options, path, scratch, limit, like)
    _refuse_text(found, kinds, options)
    options.read_as = _read_as(kinds)
    if len(found) == 1:
        return _of_events(found[0], kinds[0], options, path, scratch, limit)
    parts: list[Events] = []
    for file, kind in zip(found, kinds, strict=True):
        rest = None if limit is None else limit - sum(map(len, parts))
        if rest == 0 and parts:
            break
        parts.append(_of_events(file, kind, options, None, scratch, rest))
    return concat_events(parts, path or scratch(), progress=options.progress)


def check_names_meant(side: str, names: Sequence[str] | None, known: Collection[str]) -> None:
    """ValueError where --cues or --outcomes says what words give, as --cues-from does."""
    if names and all(name in _NAMES for name in names) and set(names).isdisjoint(known):
        given = ",".join(names)
        raise ValueError(
            f"--{side} {' '.join(names)}: the events have no such {side}; --{side}-from {given} says what "
            "words give"
        )


def _kinds(files: Sequence[str], seen: Sequence[Look], options: argparse.Namespace) -> list[str]:
    """What each file is read as: text, table or events."""
    kinds = [_kind(file, each, options) for file, each in zip(files, seen, strict=True)]
    empty = [file for file, each in zip(files, seen, strict=True) if each.kind == "empty"]
    if empty and (len(empty) == len(files) or set(kinds) != {"text"}):
        # Among files of text one may be empty.
        raise ValueError(not_a_table(empty[0], Look("empty", "", []), _WORDS))
    return kinds


def _kind(file: str, seen: Look, options: argparse.Namespace) -> str:
    said = options.format
    columns, header = _layout(options)
    named = columns is not None or not header
    flag = "--no-header" if not header else "--columns"
    if said in _TEXT_FORMATS:
        if named:
            raise ValueError(f"{file}: {flag} is for tables, and --format is {said}; leave one of them out")
        text_format(said, [(file, seen)], _WORDS)
        return "text"
    if seen.kind == "events":
        if named or said == "table":
            raise ValueError(
                f"{file}: expected an event table, found a binary event file; leave out "
                f"{flag if named else '--format'}"
            )
        return "events"
    if said == "events":
        raise ValueError(
            f"{file}: expected a binary event file, found {NOUNS[seen.kind]}; rescorla events -o FILE writes "
            "one"
        )
    if seen.reads_as_table(named):
        return "table"
    if said == "auto" and seen.kind in FORMATS:
        return "text"
    if said == "auto":
        text_format(None, [(file, seen)], _WORDS)
    raise ValueError(not_a_table(file, seen, _WORDS))


def _read_as(kinds: Sequence[str]) -> str:
    """What files that are no text are read as, for the report."""
    n = len(kinds)
    if set(kinds) == {"table"}:
        return "event table" if n == 1 else f"{n:,} event tables"
    if set(kinds) == {"events"}:
        return "binary event file" if n == 1 else f"{n:,} binary event files"
    return f"{n:,} files: event tables and binary event files"


def described(text: TextOptions) -> str:
    """What is made of running text, as in "running text (trigrams of words -> words)"."""
    window = 1 if text.window is None else text.window
    span, before = "words", "words"
    if window == "context":
        span = before = f"all words of a {text.context}"
    elif isinstance(window, tuple):
        before = f"up to {window[0]} words before and {window[1]} after"
    elif window != 1:
        span = before = f"up to {window} words"
    cues, outcomes = _listed(text.cues_from, before), _listed(text.outcomes_from, span) or "nothing"
    return f"{_NOUNS.get(text.format or 'text', 'running text')} ({cues} -> {outcomes})"


def _listed(names: Any, span: str) -> str:
    """What words give, as in "trigrams of words"."""
    grams = {letters: name for name, letters in GRAMS.items()}

    def one(name: str | int | Path | Mapping[str, Any]) -> str:
        if isinstance(name, Path):
            return f"names in {name} of {span}"
        if isinstance(name, Mapping):
            return f"names in a table of {span}"
        if isinstance(name, int):
            name = grams.get(name, f"{name}-grams")
        return span if name == "words" else f"{name} of {span}"

    several = names if isinstance(names, list | tuple) else [] if names is None else [names]
    return ", ".join(map(one, several))


def _refuse_text(files: Sequence[str], kinds: Sequence[str], options: argparse.Namespace) -> None:
    """ValueError for running text, or options for it, beside tables and binary event files."""
    file, kind = next((file, kind) for file, kind in zip(files, kinds, strict=True) if kind != "text")
    if "text" in kinds:
        raise ValueError(
            f"{file}: expected running text as in {files[kinds.index('text')]}, found {NOUNS[kind]}; make "
            "events of the text first, then join them"
        )
    if given := _given(options):
        flag = options.text_flags[next(iter(given))]
        raise ValueError(f"{file}: {flag} is for running text, and this is {NOUNS[kind]}; leave it out")


def _of_text(
    corpus: Iterable[str] | Iterable[Path],
    options: argparse.Namespace,
    path: str | None,
    scratch: Callable[[], str | None],
    limit: int | None,
    like: Callable[[argparse.Namespace], None] | None,
) -> Events:
    if like is not None:
        like(options)
    options.read_as = described(_options_of_text(options))
    threads = getattr(options, "threads", None)
    with warnings.catch_warnings():
        # Whoever says --format text knows what it is.
        warnings.filterwarnings("ignore", message=".*this looks like", category=RescorlaWarning)
        target = (path if limit is None else None) or scratch()
        found = events_of_text(
            corpus,
            target,
            _options_of_text(options),
            one_document=True,
            threads=threads,
            progress=options.progress,
            **_shared(options),
        )
    if counts := found.parameters.get("left_out"):
        told = [f"{n:,} by {options.text_flags[option]}" for option, n in counts.items()]
        options.left_out = f"words (or parts): {', '.join(told)}"
    return found if limit is None else found.head(limit, path=path or scratch(), progress=options.progress)


def _of_events(
    file: str,
    kind: str,
    options: argparse.Namespace,
    path: str | None,
    scratch: Callable[[], str | None],
    limit: int | None,
) -> Events:
    shared = _shared(options)
    # A binary event file is read where it is, unless it is to be changed.
    if path is None and (kind != "events" or shared or limit is not None):
        path = scratch()
    columns, header = _layout(options)
    return events_of(
        file,
        path,
        columns=columns,
        header=header,
        limit=limit,
        progress=options.progress,
        words=_WORDS,
        **shared,
    )


def _of_stream(
    text: TextStream,
    file: str,
    options: argparse.Namespace,
    path: str | None,
    scratch: Callable[[], str | None],
    limit: int | None,
    like: Callable[[argparse.Namespace], None] | None,
) -> Events:
    """The events of what can be read only once, told apart by its content as files are."""
    name, seen = _name_of(file), Look(*text.look())
    [kind] = _kinds([name], [seen], options)
    if kind == "text":
        found = FORMATS[seen.kind] if options.format == "auto" else "text"
        if found != "text":
            raise ValueError(
                f"{name}: expected running text, found {NOUNS[seen.kind]}; save it to a file first"
            )
        return _of_text(lines_of(text, name), options, path, scratch, limit, like)
    if kind == "events":
        raise ValueError(
            f"{name}: expected running text or an event table, found a binary event file; it cannot be piped "
            "in: give the name of the file"
        )
    _refuse_text([name], [kind], options)
    options.read_as = _read_as([kind])
    columns, header = _layout(options)
    if header and chosen_columns(columns, header)[2] is None:
        warn_of_counts(name, seen.columns, _WORDS, seen.counts)
    return events_of(
        text,
        path or scratch(),
        columns=columns,
        header=header,
        limit=limit,
        progress=False,
        **_shared(options),
    )


def _layout(options: argparse.Namespace) -> tuple[dict[str, str | int] | None, bool]:
    """What --columns and --no-header say, as arguments of `read_events`."""
    columns, header = options.columns, options.header
    if not header and not (columns and all(isinstance(columns.get(n), int) for n in ("cues", "outcomes"))):
        raise ValueError(
            "--no-header: without a header columns have no names; say which they are, as in --columns "
            "cues=1,outcomes=2"
        )
    return columns, header


def _options_of_text(options: argparse.Namespace) -> TextOptions:
    """How running text becomes events: the options that were given, and --format."""
    return TextOptions(**_given(options), format=getattr(options, "text_format", "text"))


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """The options of running text that were given, as arguments of `corpus_events`."""
    return _set(options, getattr(options, "text_flags", ()))


def _shared(options: argparse.Namespace) -> dict[str, Any]:
    """The options of any source that were given."""
    return _set(options, SHARED)


def _set(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(options, name, None)) is not None}


def _stream_of(files: list[str], options: argparse.Namespace) -> AbstractContextManager[TextStream] | None:
    """The text of what can be read only once, if that is what is given."""
    if not (streams := [file for file in files if _is_stream(file)]):
        return None
    if len(files) > 1:
        raise ValueError(f"{streams[0]}: what is piped in goes alone; found {len(files)} files")
    if options.format in _TEXT_FORMATS and options.format != "text":
        raise ValueError(
            f"{files[0]}: --format {options.format} is for files, and this is piped in; "
            "save it to a file first"
        )
    return _opened(files[0])


@contextmanager
def _opened(file: str) -> Iterator[TextStream]:
    if file == "-":
        yield TextStream(printing.standard_input().buffer, _name_of(file))
    else:
        with open(file, "rb") as stream:
            yield TextStream(stream, file)


def _name_of(file: str) -> str:
    return "standard input" if file == "-" else file


def _is_stream(file: str) -> bool:
    """Whether a file can be read only once: standard input, a pipe."""
    if file == "-":
        return True
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)
    except OSError:
        return False  # Whoever opens it says what is wrong.


def _columns(text: str) -> dict[str, str | int]:
    found: dict[str, str | int] = {}
    for each in text.split(","):
        role, equals, column = each.partition("=")
        if role not in ROLES or not equals or not column or _ANOTHER.search(column):
            raise argparse.ArgumentTypeError(
                f"{each!r} does not say which column is which; write cues=1,outcomes=2 or cues=NAME,"
                "outcomes=NAME, and perhaps frequency=3"
            )
        if column.isascii() and column.isdecimal():
            if int(column) < 1:
                raise argparse.ArgumentTypeError(f"{each!r}: columns are counted from 1")
            found[role] = int(column) - 1
        else:
            found[role] = column
    return found


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
