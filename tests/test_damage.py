"""Damage of event files, tables and iterables: none goes unseen, and messages have the place."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import rescorla as rw
from hypothesis import given
from hypothesis import strategies as st
from reference import Event


def repeated(n: int) -> Iterator[Event]:
    return ((["a", "b"] if i % 3 else ["b"], ["x"], 1) for i in range(n))


FILES: dict[str, list[Event]] = {
    "plain": [(("a", "b"), ("x",), 1), (("b", "c"), ("y", "x"), 1), ((), ("z",), 1)],
    "frequencies": [(("a", "b"), ("x",), 3), (("b", "c"), ("y", "x"), 70_000), (("a",), (), 0)],
    "types": list(repeated(24)),
    "types and frequencies": [(c, o, 1 + i % 2) for i, (c, o, _) in enumerate(repeated(24))],
    "many names": [(("a",), tuple(f"{i:x}" for i in range(257)), 1)],
    "no events": [],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of small event files."""
    path = tmp_path_factory.mktemp("files") / "intact.bin"
    contents = {}
    for name, events in FILES.items():
        rw.compile_events(events, path)
        contents[name] = path.read_bytes()
    return contents


@pytest.fixture(params=FILES)
def intact(request: pytest.FixtureRequest, files: dict[str, bytes]) -> bytes:
    """The bytes of one of them."""
    return files[request.param]


def refused(damaged: bytes, path: Path) -> bool:
    """Whether the file does not open, or neither passes `verify` nor can be learned from."""
    path.write_bytes(damaged)
    if refusal(lambda: rw.open_events(path), path):
        return True
    events = rw.open_events(path)
    return refusal(events.verify, path) and refusal(lambda: rw.learn(events, threads=1), path)


def refusal(call: Callable[[], object], path: Path) -> bool:
    """Whether the call raises FormatError, which names the file."""
    try:
        call()
    except rw.FormatError as error:
        if str(path) not in str(error):
            raise
        return True
    return False


def test_damage_is_told_from_the_intact_file(intact: bytes, tmp_path: Path) -> None:
    assert not refused(intact, tmp_path / "copy.bin")


def test_every_truncation_is_refused(intact: bytes, tmp_path: Path) -> None:
    accepted = [n for n in range(len(intact)) if not refused(intact[:n], tmp_path / "short.bin")]
    assert accepted == []


def test_every_extension_is_refused(intact: bytes, tmp_path: Path) -> None:
    for more in (b"\0", b"\xff", bytes(8), intact):
        assert refused(intact + more, tmp_path / "long.bin")


def test_every_flipped_bit_is_refused(intact: bytes, tmp_path: Path) -> None:
    accepted = []
    for bit in range(8 * len(intact)):
        damaged = bytearray(intact)
        damaged[bit // 8] ^= 1 << bit % 8
        if not refused(bytes(damaged), tmp_path / "flipped.bin"):
            accepted.append(bit)
    assert accepted == []


@given(st.binary(max_size=400), st.booleans())
def test_random_bytes_are_no_event_file(
    folder: Path, files: dict[str, bytes], noise: bytes, magic: bool
) -> None:
    start = files["plain"][:12] if magic else b""
    assert refused(start + noise, folder / "noise.bin")


# Damage under right checksums, as a forger does it: may be read, may be refused, must not crash.


def crc32c(data: bytes) -> int:
    """The checksum of the format, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def u64(file: bytes, at: int) -> int:
    return int.from_bytes(file[at : at + 8], "little")


def sealed_parts(file: bytes) -> list[tuple[int, int, int]]:
    """Begin and end of each part of an intact file that has a checksum, and where the checksum stands."""
    names, directory, footer = u64(file, 72), u64(file, 80), len(file) - 16
    starts = [u64(file, entry) for entry in range(directory, footer, 16)]
    for _ in range(2):
        starts.append(names)
        widths = int.from_bytes(file[names + 4 : names + 8], "little")
        count, text = u64(file, names + 8), u64(file, names + 16)
        end = names + 24 + count * ((widths & 15) + (widths >> 4 & 15)) + text
        names = end + -end % 8
    assert names == directory
    parts = [(start + 4, end, start) for start, end in pairwise([*starts, directory])]
    return [(0, 124, 124), *parts, (directory, footer, footer)]


FORGED = [name for name in FILES if name != "many names"]
BYTES = st.one_of(st.sampled_from([0, 1, 2, 4, 8, 0x0F, 0x44, 0x80, 0xFF]), st.integers(0, 255))


@given(st.sampled_from(FORGED), st.lists(st.tuples(st.integers(0), BYTES), min_size=1, max_size=6))
def test_forged_files_do_no_harm(
    folder: Path, files: dict[str, bytes], name: str, changes: list[tuple[int, int]]
) -> None:
    intact = files[name]
    forged = bytearray(intact)
    for place, byte in changes:
        forged[place % len(forged)] = byte
    for start, end, seal in sealed_parts(intact):
        forged[seal : seal + 4] = crc32c(bytes(forged[start:end])).to_bytes(4, "little")
    path = folder / "forged.bin"
    path.write_bytes(forged)
    refusal(lambda: use(path), path)


def use(path: Path) -> None:
    """All that reads an event file."""
    events = rw.open_events(path)
    rows = list(events)
    assert len(rows) == len(events)
    # Forged frequencies may ask for hours of work.
    if sum(row.frequency for row in rows) < 1_000_000:
        rw.learn(events, threads=1)
    events.verify()


# Table defects, as Python sees them; the parser has its own tests.


DEFECTS = {
    "one column": ("cues\toutcomes\na_b\tx\na_b\n", 3, 4),
    "a frequency that is no number": ("cues\toutcomes\tfrequency\na\tx\t2\na\tx\tmany\n", 3, 5),
    "a negative frequency": ("cues\toutcomes\tfrequency\na\tx\t-1\n", 2, 5),
    "a cell too many": ("cues\toutcomes\na\tx\ty\n", 2, 5),
}


@pytest.mark.parametrize(("text", "line", "column"), DEFECTS.values(), ids=DEFECTS)
def test_a_defect_of_a_table_has_file_line_and_column(
    text: str, line: int, column: int, tmp_path: Path
) -> None:
    path = tmp_path / "events.tab"
    path.write_text(text)
    with pytest.raises(rw.FormatError) as caught:
        rw.read_events(path)
    assert str(caught.value).startswith(f"{path}, line {line}, column {column}: expected ")


def test_a_file_without_the_header_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "events.tab"
    path.write_text("c_u_e_s\toutcomes\n")
    with pytest.raises(ValueError, match=re.escape(f"{path}: expected an event table")):
        rw.read_events(path)


def test_a_table_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "events.tab"
    path.write_bytes(b"cues\toutcomes\na\tx\na\tx\xff\n")
    with pytest.raises(rw.FormatError, match=re.escape(f"{path}, line 3, column 4: ")):
        rw.read_events(path)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (("a", "x", -1), ValueError),
        (("a", "x", 1.5), TypeError),
        (("a",), (ValueError, TypeError)),
        (5, TypeError),
    ],
)
def test_a_defect_of_an_iterable_has_its_event(event: Any, error: Any) -> None:
    with pytest.raises(error, match="event 1"):
        rw.read_events([("a", "x"), event])


def test_duplicates_as_errors() -> None:
    with pytest.raises(ValueError, match=r"event 1\b.*a"):
        rw.read_events([("a", "x"), ("a_b_a", "x")], duplicates="error")
