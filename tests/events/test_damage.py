"""Damage of event files, tables and iterables: none goes unseen, and messages have the place."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rescorla as rw
import rescorla._core as _core
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
    "made": [(("a", "b"), ("x",), 1), (("b", "c"), ("y", "x"), 1), ((), ("z",), 1)],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of small event files."""
    path = tmp_path_factory.mktemp("files") / "intact.bin"
    contents = {}
    for name, events in FILES.items():
        made = '{"n":1}' if name == "made" else None
        _core.compile_events(events, str(path), "drop", None, None, parameters=made)
        contents[name] = path.read_bytes()
    return contents


@pytest.fixture(params=FILES)
def intact(request: pytest.FixtureRequest, files: dict[str, bytes]) -> bytes:
    """The bytes of one of them."""
    return files[request.param]


def refused(damaged: bytes, path: Path) -> bool:
    """Whether the file does not open, or neither passes `verify` nor can be learned from and told about."""
    path.write_bytes(damaged)
    if refusal(lambda: rw.open_events(path), path):
        return True
    events = rw.open_events(path)
    return refusal(events.verify, path) and (
        # In this order: learning only warns where the parameters are damaged.
        refusal(lambda: events.parameters, path) or refusal(lambda: rw.learn(events, threads=1), path)
    )


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
    if made := u64(file, 104):
        starts.append(made)
    assert names == (made or directory)
    parts = [(start + 4, end, start) for start, end in pairwise([*starts, directory])]
    return [(0, 124, 124), *parts, (directory, footer, footer)]


def sealed(file: bytearray, parts: list[tuple[int, int, int]]) -> bytes:
    """The file with right checksums."""
    for start, end, seal in parts:
        file[seal : seal + 4] = crc32c(bytes(file[start:end])).to_bytes(4, "little")
    return bytes(file)


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
    path = folder / "forged.bin"
    path.write_bytes(sealed(forged, sealed_parts(intact)))
    refusal(lambda: use(path), path)


def use(path: Path) -> None:
    """All that reads an event file."""
    events = rw.open_events(path)
    # First: learning only warns where these are damaged.
    assert isinstance(events.parameters, dict)
    rows = list(events)
    assert len(rows) == len(events)
    # Forged frequencies may ask for hours of work.
    if sum(row.frequency for row in rows) < 1_000_000:
        rw.learn(events, threads=1)
    events.verify()


# What no checksum can tell. In the file "plain" the chunk is at 128 (numbers of cues and of outcomes at 152
# and 155, their ids at 158 and 162, zeros at 166), the names are at 168 and 200, the directory is at 232; in
# the file "types" the tokens are at 128 (their indices at 152) and the types at 176. The file "made" is
# "plain" with what made it at 232: its length is at 240, the text at 248, a zero at 255; the directory is at
# 256.
FORGERIES: dict[str, tuple[str, dict[int, str], str]] = {
    "another magic": ("plain", {0: "00"}, "a file of another kind"),
    "another version": ("plain", {8: "02"}, "expected version 1, found version 2"),
    "an unknown feature": ("plain", {12: "08"}, "feature bits 0x8"),
    "a survey without a place": ("plain", {12: "02"}, "the survey where the features say so, found it at 0"),
    "a place without a survey": (
        "plain",
        {96: "c8"},
        "the survey where the features say so, found it at 200",
    ),
    "a reserved byte": ("plain", {112: "01"}, "zeros in the reserved bytes"),
    "parameters without a place": (
        "plain",
        {12: "04"},
        "the parameters where the features say so, found it at 0",
    ),
    "a place without parameters": (
        "plain",
        {104: "e8"},
        "the parameters where the features say so, found it at 232",
    ),
    "parameters elsewhere": ("made", {104: "e0"}, "the parameters after the names, found it at 224"),
    "reserved bytes of parameters": ("made", {236: "01"}, "zeros in the reserved bytes"),
    "parameters beyond their bytes": ("made", {240: "09"}, "offset 248: expected 9 more bytes, found 8"),
    "bytes beyond the parameters": ("made", {240: "06"}, "zeros as padding"),
    "padding of parameters": ("made", {255: "01"}, "zeros as padding"),
    "parameters that are not UTF-8": ("made", {250: "ff"}, "parameters in UTF-8"),
    "parameters that are not JSON": ("made", {248: "5b"}, "parameters as a JSON object, found"),
    "parameters that are no object": ("made", {248: "5b226e222c315d"}, "parameters as a JSON object, found"),
    "another length": ("plain", {88: "ff"}, "expected 511 bytes, found 264 bytes"),
    "parts out of order": ("plain", {80: "80"}, "parts in their order"),
    "another footer": ("plain", {252: "01"}, "the end of an event file"),
    "a chunk more": ("plain", {56: "02"}, "2 entries in the directory"),
    "a chunk elsewhere": ("plain", {232: "88"}, "chunk 0 at offset 128"),
    "a chunk of other rows": ("plain", {240: "01"}, "rows from 0 in chunk 0, found 1 to 3"),
    "a chunk without rows": ("plain", {16: "00"}, "rows from 0 in chunk 0, found 0 to 0"),
    "a chunk of too many rows": ("plain", {18: "02"}, "1 to 65536 rows from 0 in chunk 0"),
    "events without a chunk": ("no events", {16: "01"}, "chunks up to the names"),
    "types that are not there": ("plain", {12: "01"}, "a dictionary where the features say so"),
    "types that are not announced": ("types", {12: "00"}, "a dictionary where the features say so"),
    "reserved bits": ("plain", {134: "10"}, "zeros in the reserved bits"),
    "another form of chunk": ("plain", {136: "02"}, "a chunk of events in full or of types, found form 2"),
    "a chunk cut short": ("types", {288: "82"}, "a chunk inside the file, found the end of the file"),
    "a row more": ("plain", {140: "04"}, "expected 3 events, found 4"),
    "slots beyond measure": ("plain", {147: "02"}, "at most 16777216 cue slots or outcome slots"),
    "lists that do not fill their slots": ("plain", {152: "01"}, "expected 4 cue slots, found 3"),
    "a cue that is not there": ("plain", {158: "03"}, "cue ids below 3, found 3"),
    "an outcome that is not there": ("plain", {162: "03"}, "outcome ids below 3, found 3"),
    "padding of a chunk": ("plain", {167: "01"}, "zeros as padding"),
    "a longer chunk": ("frequencies", {134: "00", 166: "0000"}, "the end of the chunk, found 16 more bytes"),
    "numbers of a strange width": ("plain", {132: "13"}, "0, 1, 2, 4 or 8 bytes, found 3 bytes"),
    "types with slots": (
        "types",
        {144: "01"},
        "event types without cue slots and outcome slots, found 1 and 0",
    ),
    "a type that is not there": ("types", {152: "02"}, "type ids below 2, found 2"),
    "types as tokens": (
        "types",
        {180: "0100000001", 192: "0000000000000000", 200: "0001000000000000"},
        "type ids below 0, found 1",
    ),
    "types with frequencies": (
        "types",
        {180: "011001", 200: "0102000002020000"},
        "types without frequencies",
    ),
    "reserved bits of names": ("plain", {173: "01"}, "zeros in the reserved bits"),
    "a name more": ("plain", {176: "04"}, "expected 3 names, found 4"),
    "more names than bytes": ("plain", {37: "01", 172: "00", 181: "01"}, "names inside the file"),
    "a name twice": ("plain", {196: "61"}, 'every name once, found "a" twice'),
    "names beyond their text": (
        "plain",
        {184: "02", 197: "00"},
        "names that fill their text, found longer names",
    ),
    "text beyond the names": ("plain", {184: "04"}, "names that fill their text, found shorter names"),
    "names that are not UTF-8": ("plain", {195: "ff"}, "names in UTF-8"),
    "padding of names": ("plain", {199: "01"}, "zeros as padding"),
    "another number of tokens": ("plain", {24: "04"}, "expected 4 tokens, found 3"),
    "another count of a cue": ("plain", {193: "03"}, '3 occurrences of the cue "b", found 2'),
    "another count of an outcome": ("plain", {224: "03"}, '3 of the outcome "x", found 2'),
}


@pytest.mark.parametrize(("name", "changes", "message"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_refused_for_what_it_is(
    files: dict[str, bytes], name: str, changes: dict[int, str], message: str, tmp_path: Path
) -> None:
    forged = bytearray(files[name])
    for at, change in changes.items():
        forged[at : at + len(change) // 2] = bytes.fromhex(change)
    path = tmp_path / "forged.bin"
    path.write_bytes(sealed(forged, sealed_parts(files[name])))
    with pytest.raises(rw.FormatError, match=f"{re.escape(str(path))}.*{message}"):
        use(path)


@pytest.mark.parametrize(
    ("name", "hole", "moved", "message"),
    [
        ("no events", 128, (72, 80, 88), "chunks up to the names"),
        ("plain", 232, (80, 88), "the directory after the names, found it at 240"),
    ],
)
def test_a_hole_is_refused(
    files: dict[str, bytes], name: str, hole: int, moved: tuple[int, ...], message: str, tmp_path: Path
) -> None:
    intact = files[name]
    forged = bytearray(intact[:hole] + bytes(8) + intact[hole:])
    for field in moved:
        forged[field : field + 8] = (u64(intact, field) + 8).to_bytes(8, "little")
    path = tmp_path / "hole.bin"
    path.write_bytes(sealed(forged, [(0, 124, 124)]))
    with pytest.raises(rw.FormatError, match=message):
        rw.open_events(path)


# Files that claim much in few bytes: arrays of width 0, whose numbers are all 1.


def block(parts: bytes) -> bytes:
    """What follows a checksum, with that before it and zeros up to a multiple of 8."""
    parts += bytes(-(len(parts) + 4) % 8)
    return crc32c(parts).to_bytes(4, "little") + parts


def chunk(rows: int, cues: int, outcomes: int, widths: int = 0, numbers: bytes = b"") -> bytes:
    """A chunk of rows."""
    head = (widths, 0, rows, cues, outcomes)
    return block(b"".join(field.to_bytes(4, "little") for field in head) + numbers)


def assembled(
    events: list[tuple[int, bytes]], types: list[tuple[int, bytes]], magic: bytes, count: int = 1
) -> bytes:
    """A file of chunks, each with its number of rows, of the cues a and b and the outcomes x and y."""
    body, directory = b"", b""
    for chunks in (events, types):
        row = 0
        for n, data in chunks:
            directory += (128 + len(body)).to_bytes(8, "little") + row.to_bytes(8, "little")
            body += data
            row += n
    n_events, n_types = (sum(n for n, _ in chunks) for chunks in (events, types))
    names = b"".join(
        block(bytes([0x10, 0, 0, 0]) + (2).to_bytes(8, "little") * 2 + bytes([count] * 2) + text)
        for text in (b"ab", b"xy")
    )
    at = 128 + len(body)
    length = at + len(names) + len(directory) + 16
    fields = (n_events, n_events, 2, 2, n_types, len(events), len(types), at, at + len(names), length)
    header = magic + (1).to_bytes(4, "little") + bool(types).to_bytes(4, "little")
    header += b"".join(field.to_bytes(8, "little") for field in fields) + bytes(28)
    header += crc32c(header).to_bytes(4, "little")
    footer = crc32c(directory).to_bytes(4, "little") + bytes(4) + magic
    return header + body + names + directory + footer


# One row of 2^24 cues "b" and as many outcomes; 65,536 rows of one of each.
VAST = (1, chunk(1, 1 << 24, 1 << 24, 0x44, (1 << 24).to_bytes(4, "little") * 2))
MANY = (1 << 16, chunk(1 << 16, 1 << 16, 1 << 16))
TOO_VAST = r"offset 1\d\d: .*at most 65536 cue ids in no bytes, found 16777216"
CLAIMS = {
    "vast events": ([VAST] * 60, [], TOO_VAST),
    "vast types": ([MANY], [VAST] * 150, TOO_VAST),
    "too many types": (
        [MANY],
        [MANY] * 171,
        f"offset {128 + 24 * 171}: .*types that take at most 268435456 bytes when decoded, found 268959744",
    ),
}
LOOKS: dict[str, Callable[[rw.Events], object]] = {
    "verify": lambda events: events.verify(),
    "an index": lambda events: events[0],
    "learn": lambda events: rw.learn(events, threads=1),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize(("events", "types", "message"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_beyond_measure_is_refused(
    files: dict[str, bytes],
    events: list[tuple[int, bytes]],
    types: list[tuple[int, bytes]],
    message: str,
    look: Callable[[rw.Events], object],
    tmp_path: Path,
) -> None:
    path = tmp_path / "claims.bin"
    path.write_bytes(assembled(events, types, files["plain"][:8]))
    assert path.stat().st_size < 10_000
    opened = rw.open_events(path)
    with pytest.raises(rw.FormatError, match=message):
        look(opened)


def test_what_takes_no_bytes_is_read_as_far_as_it_may_go(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "claims.bin"
    path.write_bytes(assembled([MANY], [], files["plain"][:8]))
    events = rw.open_events(path)
    assert (events[0], events[-1], len(events)) == (*[(("b",), ("y",), 1)] * 2, 1 << 16)


@pytest.mark.parametrize("n", [60_000, 1 << 16, 70_000])
def test_a_cue_may_come_very_often_in_an_event(n: int) -> None:
    events = rw.read_events([("a", "x"), (["b"] * n, "y")], duplicates="keep")[1:]
    events.verify()
    assert events[0] == (("b",) * n, ("y",), 1)


def test_types_without_events_are_verified(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "types.bin"
    path.write_bytes(assembled([], [(1, chunk(1, 1, 1, 0x100, b"\x07"))], files["plain"][:8], count=0))
    with pytest.raises(rw.FormatError, match="cue ids below 2, found 7"):
        rw.open_events(path).verify()


READERS: dict[str, Callable[[rw.Events, Path], object]] = {
    "learn": lambda events, _: rw.learn(events),
    "equilibrium": lambda events, _: rw.equilibrium(events),
    "activations": lambda events, _: rw.activations(
        events, rw.Weights(np.zeros((3, 1)), events.cues, ["x"]), threads=2
    ),
    "iteration": lambda events, _: list(events),
    "an index": lambda events, _: events[0],
    "a slice": lambda events, _: events[:1],
    "frequencies": lambda events, _: events.frequencies,
    "a matrix": lambda events, _: events.cue_matrix(),
    "a table": lambda events, folder: events.to_table(folder / "events.tab"),
    "verify": lambda events, _: events.verify(),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_damaged_chunk_is_refused_by_all_that_read_it(
    files: dict[str, bytes], read: Callable[[rw.Events, Path], object], tmp_path: Path
) -> None:
    damaged = bytearray(files["plain"])
    damaged[160] ^= 1
    path = tmp_path / "damaged.bin"
    path.write_bytes(damaged)
    events = rw.open_events(path)
    assert refusal(lambda: read(events, tmp_path), path)


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
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 1: expected the columns cues")):
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
        (("a", "x", True), TypeError),
        (("a",), (ValueError, TypeError)),
        (5, TypeError),
    ],
)
def test_a_defect_of_an_iterable_has_its_event(event: Any, error: Any) -> None:
    with pytest.raises(error, match="event 1"):
        rw.read_events([("a", "x"), event])


@pytest.mark.parametrize(("event", "twice"), [(("a_b_a", "x"), "a"), (("a", "x_x"), "x")])
def test_duplicates_as_errors(event: tuple[str, str], twice: str) -> None:
    with pytest.raises(ValueError, match=rf'event 1\b.* found "{twice}" twice'):
        rw.read_events([("a", "x"), event], duplicates="error")
