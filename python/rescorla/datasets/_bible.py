"""The King James Bible: one book comes with rescorla, the whole is read."""

from __future__ import annotations

from gzip import decompress
from importlib.resources import files
from pathlib import Path

from rescorla._shared.checks import PathName, near, path_name, shown

# How many verses each book has, in their order.
_VERSES = """
Genesis 1533, Exodus 1213, Leviticus 859, Numbers 1288, Deuteronomy 959, Joshua 658, Judges 618, Ruth 85,
1 Samuel 810, 2 Samuel 695, 1 Kings 816, 2 Kings 719, 1 Chronicles 942, 2 Chronicles 822, Ezra 280,
Nehemiah 406, Esther 167, Job 1070, Psalms 2461, Proverbs 915, Ecclesiastes 222, Song of Solomon 117,
Isaiah 1292, Jeremiah 1364, Lamentations 154, Ezekiel 1273, Daniel 357, Hosea 197, Joel 73, Amos 146,
Obadiah 21, Jonah 48, Micah 105, Nahum 47, Habakkuk 56, Zephaniah 53, Haggai 38, Zechariah 211, Malachi 55,
Matthew 1071, Mark 678, Luke 1151, John 879, Acts 1007, Romans 433, 1 Corinthians 437, 2 Corinthians 257,
Galatians 149, Ephesians 155, Philippians 104, Colossians 95, 1 Thessalonians 89, 2 Thessalonians 47,
1 Timothy 113, 2 Timothy 83, Titus 46, Philemon 25, Hebrews 303, James 108, 1 Peter 105, 2 Peter 61,
1 John 105, 2 John 13, 3 John 14, Jude 25, Revelation 404
"""
_BOOKS = {name: int(n) for name, _, n in (each.strip().rpartition(" ") for each in _VERSES.split(","))}


def king_james(path: PathName | None = None, *, book: str | None = None) -> list[str]:
    """Give the verses of the Gospel of Mark; or of the whole King James Bible, from a file.

    Mark comes with rescorla: 678 verses, some 15,000 words, a story that is told in short sentences and with
    many words again and again, so that one pass over it learns something.

    Parameters
    ----------
    path : str or path-like, optional
        A file of the whole text, which does not come with rescorla: a verse in each line, the 66 books in
        their usual order, in UTF-8; plain, gz or xz. Empty lines do not count. None reads Mark.
    book : str, optional
        One book of the file, such as ``"Genesis"``, ``"1 Kings"`` or ``"Psalms"``. None: all of them.

    Returns
    -------
    list of str
        The verses, as they are printed: with capitals and punctuation, without numbers. `corpus_events` takes
        them as lines.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    ValueError
        When the file has not as many lines as the text has verses, 31,102; there is no such book; or a book
        other than Mark is asked for without a file.

    Notes
    -----
    The text of 1769 is in the public domain. In the United Kingdom the Crown has rights to print it.

    Examples
    --------
    >>> import rescorla as rw
    >>> verses = rw.datasets.king_james()
    >>> verses[3]
    'John did baptize in the wilderness, and preach the baptism of repentance for the remission of sins.'
    >>> events = rw.corpus_events(verses, symbols="a-z")
    >>> events.n_tokens, events.n_cues, events.n_outcomes
    (15187, 2155, 1663)
    """
    if book is not None and not (isinstance(book, str) and book in _BOOKS):
        raise ValueError(
            f"book must be one of the 66 books, such as 'Genesis' or '1 Kings', not {shown(book)}"
            f"{near(book, _BOOKS)}"
        )
    if path is None:
        if book not in (None, "Mark"):
            raise ValueError(
                f"book must be 'Mark', which alone comes with rescorla, not {shown(book)}; or give as path a "
                "file of the whole text with a verse in each line"
            )
        return _verses(files("rescorla.datasets").joinpath("mark.txt.gz").read_bytes())
    verses = _verses(Path(path_name(path)).read_bytes())
    whole = sum(_BOOKS.values())
    if len(verses) != whole:
        raise ValueError(
            f"{path_name(path)}: expected {whole:,} lines, a verse in each, found {len(verses):,}; of "
            "another text rescorla.corpus_events(path) makes events as well"
        )
    if book is None:
        return verses
    names = list(_BOOKS)
    start = sum(_BOOKS[name] for name in names[: names.index(book)])
    return verses[start : start + _BOOKS[book]]


def _verses(data: bytes) -> list[str]:
    if data.startswith(b"\x1f\x8b"):
        data = decompress(data)
    elif data.startswith(b"\xfd7zXZ"):
        # Not every Python has it.
        import lzma

        data = lzma.decompress(data)
    return [line for line in data.decode("utf-8-sig").splitlines() if line.strip()]
