"""Text from subtitles: pyndl's ``corpus``."""

from __future__ import annotations

import errno
import gzip
import os
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Generator, Iterable, Iterator
from multiprocessing import Pool
from typing import Any

from rescorla._core import FormatError, check_apart
from rescorla.compat.pyndl import io
from rescorla.compat.pyndl._arguments import Path, jobs
from rescorla.compat.pyndl._text_file import check_new, writing

__all__ = ["FRAMES_PER_SECOND", "PUNCTUATION", "JobParseGz", "create_corpus_from_gz", "read_clean_gzfile"]

FRAMES_PER_SECOND = 30
PUNCTUATION = tuple(".,:;?!()[]'")

_MILLISECONDS_PER_SECOND = 1000

# How long a subtitle may come after the last one in a corpus without a paragraph between.
_BREAK = 5.0

_END_OF_DOCUMENT = "\n---END.OF.DOCUMENT---\n\n"


def read_clean_gzfile(gz_file_path: Path, *, break_duration: float = 2.0) -> Generator[str, None, None]:
    """Give the lines of a file of subtitles, OpenSubtitles' XML compressed by gzip.

    Parameters
    ----------
    gz_file_path : str or path-like
        The file.
    break_duration : float, default 2.0
        The pause in seconds after which a paragraph begins: its line comes after an empty one.

    Yields
    ------
    line : str
        The words of a sentence, with blanks between them except before punctuation, and a line feed.

    Raises
    ------
    FileNotFoundError
        When the file is not there.
    ValueError
        When it is not such XML, or a word has no text.

    Examples
    --------
    >>> import gzip, os, tempfile
    >>> from rescorla.compat.pyndl import corpus
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "film.xml.gz")
    >>> with gzip.open(path, "wt") as file:
    ...     _ = file.write("<document><s><w>Oh</w><w>!</w></s></document>")
    >>> list(corpus.read_clean_gzfile(path))
    ['Oh!\\n']
    >>> folder.cleanup()
    """
    name = os.fsdecode(gz_file_path)
    last_time = 0.0
    for sentence in _sentences(name):
        text = _text_of(sentence, name)
        if not text:
            continue
        paragraphs = 0
        for time in sentence.findall("time"):
            kind = time.get("id", "")[-1:]
            now = _parse_time_string(time.get("value", ""))
            if kind == "E":
                last_time = now
            elif kind != "S":
                raise FormatError(
                    f"{name}: expected a time whose id ends in 'S' or 'E', found {time.get('id')!r}"
                )
            elif now - last_time > break_duration:
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
        words.append(word.text if word.text in PUNCTUATION else f" {word.text}")
    return "".join(words).strip()


def _parse_time_string(time_string: str) -> float:
    """A time in seconds: hours, minutes, seconds, and milliseconds after a comma or frames after a colon."""
    hours, minutes, seconds, rest = time_string.replace(",", ":").split(":")
    comma = time_string.rpartition(",")[2] == rest
    unit = _MILLISECONDS_PER_SECOND if comma else FRAMES_PER_SECOND
    return float(hours) * 3600 + float(minutes) * 60 + float(seconds) + float(rest) / unit


class JobParseGz:
    """What turns files of subtitles into text, for processes to do.

    Parameters
    ----------
    break_duration : float
        As for `read_clean_gzfile`.

    Examples
    --------
    >>> from rescorla.compat.pyndl import corpus
    >>> corpus.JobParseGz(break_duration=5.0).run("missing.gz")
    (None, 'missing.gz\\n')
    """

    def __init__(self, break_duration: float) -> None:
        self.break_duration = break_duration

    def run(self, filename: str) -> tuple[list[str] | None, str | None]:
        """The lines of a file and the end of a document; or, where it is not there, its name."""
        try:
            lines = list(read_clean_gzfile(filename, break_duration=self.break_duration))
        except FileNotFoundError:
            return None, f"{filename}\n"
        return [*lines, _END_OF_DOCUMENT], None


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
    n_threads = jobs(n_threads, "n_threads")
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
    with writing(out, None) as text:
        for lines, missing in _read(files, n_threads):
            if missing is not None:
                not_found.append(missing)
            text.write("".join(lines or ()).encode("utf-8"))
    if verbose:
        print(f"Processed {len(files)} files. {len(not_found)} files were not found.")
    if not_found:
        listed = io.safe_write_path(f"{out}.not_found", template="{path}-{counter}")
        with writing(os.fspath(listed), None) as text:
            text.write("".join(not_found).encode("utf-8"))


def _read(files: list[str], n_processes: int) -> Iterable[tuple[list[str] | None, str | None]]:
    job = JobParseGz(break_duration=_BREAK)
    if n_processes == 1 or len(files) < 2:
        yield from map(job.run, files)
        return
    with Pool(min(n_processes, len(files))) as pool:
        yield from pool.imap(job.run, files)
