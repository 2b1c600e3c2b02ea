"""Text from subtitles: pyndl's ``corpus``."""

from __future__ import annotations

import errno
import gzip
import os
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Iterator
from itertools import chain, count
from multiprocessing import Pool
from typing import Any

from rescorla._core import FormatError, check_apart
from rescorla._shared.checks import whole
from rescorla.compat.pyndl._arguments import Path
from rescorla.compat.pyndl._text_file import check_new, writing_text

__all__ = ["create_corpus_from_gz"]

_PUNCTUATION = tuple(".,:;?!()[]'")

# How many seconds a subtitle may come after the last one without a paragraph between.
_BREAK = 5.0

_END_OF_DOCUMENT = "\n---END.OF.DOCUMENT---\n\n"


def _lines(name: str) -> Iterator[str]:
    """The lines of subtitles, OpenSubtitles' XML compressed by gzip; after a pause an empty one."""
    last_time = 0.0
    for sentence in _sentences(name):
        text = _text_of(sentence, name)
        if not text:
            continue
        paragraphs = 0
        for time in sentence.findall("time"):
            kind = time.get("id", "")[-1:]
            now = _seconds(time.get("value", ""))
            if kind == "E":
                last_time = now
            elif kind != "S":
                raise FormatError(
                    f"{name}: expected a time whose id ends in 'S' or 'E', found {time.get('id')!r}"
                )
            elif now - last_time > _BREAK:
                paragraphs += 1
        yield "\n" * paragraphs + text + "\n"


def _sentences(name: str) -> Iterator[Any]:
    """The sentences of a file."""
    try:
        with gzip.open(name, "rt", encoding="utf-8-sig") as file:
            root = ElementTree.parse(file).getroot()
    except (ElementTree.ParseError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise FormatError(
            f"{name}: expected subtitles as XML compressed by gzip, found a damaged file: {error}"
        ) from error
    yield from root.findall("s")


def _text_of(sentence: Any, name: str) -> str:
    words: list[str] = []
    for word in sentence.findall("w"):
        if word.text is None:
            raise FormatError(f"{name}: expected text in each word tag, found one with none; delete the tag")
        words.append(word.text if word.text in _PUNCTUATION else f" {word.text}")
    return "".join(words).strip()


def _seconds(time: str) -> float:
    """A time in seconds: hours, minutes, seconds, and milliseconds after a comma or frames after a colon."""
    hours, minutes, seconds, rest = time.replace(",", ":").split(":")
    in_a_second = 1000 if time.rpartition(",")[2] == rest else 30
    return float(hours) * 3600 + float(minutes) * 60 + float(seconds) + float(rest) / in_a_second


def _document(name: str) -> list[str] | None:
    """The lines of a file and the end of a document; None where it is not there."""
    try:
        return [*_lines(name), _END_OF_DOCUMENT]
    except FileNotFoundError:
        return None


def create_corpus_from_gz(
    directory: Path, outfile: Path, *, n_threads: int = 1, verbose: bool = False
) -> None:
    """Write one text of all files of subtitles in a folder and below, in order of their paths.

    Parameters
    ----------
    directory : str or path-like
        The folder; files that end in ``.gz`` are read.
    outfile : str or path-like
        The text to write, which must not be there yet; it appears whole or not at all.
    n_threads : int, default 1
        How many processes read.
    verbose : bool, default False
        Whether to say how many files there are.

    Raises
    ------
    OSError
        When there is no such folder, or the text is there already.
    ValueError
        When a file is not one of subtitles.

    Notes
    -----
    Files that cannot be found, as links may lead nowhere, are listed in ``OUTFILE.not_found``.

    Examples
    --------
    >>> import gzip, tempfile
    >>> from pathlib import Path
    >>> from rescorla.compat.pyndl import corpus
    >>> folder = tempfile.TemporaryDirectory()
    >>> with gzip.open(Path(folder.name, "film.xml.gz"), "wt") as file:
    ...     _ = file.write("<document><s><w>Oh</w><w>!</w></s></document>")
    >>> corpus.create_corpus_from_gz(folder.name, Path(folder.name, "corpus.txt"))
    >>> Path(folder.name, "corpus.txt").read_text()
    'Oh!\\n\\n---END.OF.DOCUMENT---\\n\\n'
    >>> folder.cleanup()
    """
    n_threads = whole("n_threads", n_threads, 1)
    folder, out = os.fsdecode(directory), os.fsdecode(outfile)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "no such folder", folder)
    check_new(out)
    files = sorted(
        os.path.join(root, name)
        for root, _, names in os.walk(folder, followlinks=True)
        for name in names
        if name.endswith(".gz")
    )
    check_apart(out, files)
    not_found: list[str] = []
    with writing_text(out, None) as text:
        for file, lines in zip(files, _read(files, n_threads), strict=True):
            if lines is None:
                not_found.append(f"{file}\n")
            text.write("".join(lines or ()).encode("utf-8"))
    if verbose:
        print(f"Processed {len(files)} files. {len(not_found)} files were not found.")
    if not_found:
        with writing_text(_not_there_yet(f"{out}.not_found"), None) as text:
            text.write("".join(not_found).encode("utf-8"))


def _read(files: list[str], n_processes: int) -> Iterator[list[str] | None]:
    if n_processes == 1 or len(files) < 2:
        yield from map(_document, files)
        return
    with Pool(min(n_processes, len(files))) as pool:
        yield from pool.imap(_document, files)


def _not_there_yet(path: str) -> str:
    """The path, or behind it the first number under which there is no file."""
    numbered = (f"{path}-{n}" for n in count(1))
    return next(each for each in chain([path], numbered) if not os.path.exists(each))
