"""`rescorla.compat.pyndl.io` and `count` beside pyndl's: the same rows, files, counts, in the same order."""

import gzip
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from beside_pyndl import NAMES, REASON, beside, case, content, raised, rows, text, write

pyndl = pytest.importorskip("pyndl", reason=REASON)

import pandas as pd  # noqa: E402
from pyndl import count as their_count  # noqa: E402
from pyndl import io as theirs  # noqa: E402
from rescorla.compat.pyndl import count, io  # noqa: E402


def test_events_from_file_gives_the_rows_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            path = str(write(tmp_path / "e.tab.gz", rows(rng, twice=True), rng))
            start, step = rng.randint(0, 12), rng.randint(1, 5)
            found = list(io.events_from_file(path, start=start, step=step))
            assert found == list(theirs.events_from_file(path, start=start, step=step))
            assert list(io.events_from_file(path)) == list(theirs.events_from_file(path))
            plain = tmp_path / "e.tab"
            plain.write_bytes(gzip.decompress(Path(path).read_bytes()))
            found = list(io.events_from_file(plain, None, start, step))
            assert found == list(theirs.events_from_file(plain, None, start, step))


def test_events_from_file_reads_what_is_asked_for(tmp_path: Path) -> None:
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\n" + "a\tx\n" * 2_000_000 + "no row\n")
    events = io.events_from_file(path)
    assert list(itertools.islice(events, 10)) == [(["a"], ["x"])] * 10
    events.close()


def test_many_rows_come_by_steps_as_in_pyndl(tmp_path: Path) -> None:
    # More than are decoded together.
    path = text(tmp_path / "e.tab.gz", "cues\toutcomes\n" + "".join(f"c{i}\tx\n" for i in range(10_000)))
    for start, step in [
        (0, 1),
        (3, 7),
        (5000, 4999),
        (1, 5000),
        (9999, 3),
        (20_000, 2),
        (4096, 4096),
        (4095, 3),
    ]:
        found = list(io.events_from_file(path, start=start, step=step))
        assert found == list(theirs.events_from_file(path, start=start, step=step))


def test_events_to_file_writes_the_file_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng, twice=True)
            given: list[Any] = [
                rng.choice([(c, o), ("_".join(c), o), (c, "_".join(o)), ("_".join(c), "_".join(o))])
                for c, o in events
            ]
            options: dict[str, Any] = {
                "delimiter": rng.choice(["\t", "|", ";;"]),
                "columns": rng.choice([("cues", "outcomes"), ("Cues", "Outcomes", "Frequency"), ("a", "b")]),
                "compatible": rng.random() < 0.5,
                "compression": rng.choice(["gzip", None]),
            }
            frame = pd.DataFrame(
                {"cues": ["_".join(c) for c, _ in events], "outcomes": ["_".join(o) for _, o in events]}
            )
            for source in (given, frame):
                files = [tmp_path / "ours", tmp_path / "theirs"]
                for module, file in zip((io, theirs), files, strict=True):
                    told = options["compatible"] and options["columns"][0] != "Cues"
                    warned = pytest.warns(UserWarning, match="legacy names") if told else nullcontext()
                    with warned:
                        module.events_to_file(source, file, **options)
                if options["compression"]:
                    assert content(files[0]) == content(files[1])
                else:
                    assert files[0].read_bytes() == files[1].read_bytes()
            made = iter(given)
            io.events_to_file(made, files[0])
            assert list(theirs.events_from_file(files[0])) == [
                ("_".join(c).split("_"), "_".join(o).split("_")) for c, o in events
            ]


def test_events_from_lists_and_frames_are_those_of_pyndl(seeds: Iterator[int]) -> None:
    for seed in seeds:
        with case(seed) as rng:
            events = rows(rng, twice=True)
            given = [(rng.choice([c, "_".join(c)]), rng.choice([o, "_".join(o)])) for c, o in events]
            assert list(io.events_from_list(given)) == list(theirs.events_from_list(given))
            columns = rng.choice([("cues", "outcomes"), ("trigrams", "word")])
            cells = [["_".join(o), "_".join(c), 1] for c, o in events]
            frame = pd.DataFrame(cells, columns=[*columns[::-1], "n"])
            found = list(io.events_from_dataframe(frame, columns))
            assert found == list(theirs.events_from_dataframe(frame, columns))


WRONG: dict[str, tuple[str, tuple[Any, ...]]] = {
    "another compression of a source": ("events_from_file", ("e.tab.gz", "zip")),
    "no file": ("events_from_file", ("missing.tab.gz",)),
    "not packed": ("events_from_file", ("plain.tab",)),
    "an empty line": ("events_from_file", ("line.tab.gz",)),
    "cut short": ("events_from_file", ("cut.tab.gz",)),
    "a step back": ("events_from_file", ("e.tab.gz", "gzip", 0, -1)),
    "another compression": ("events_to_file", ([("a", "x")], "out", "\t", "zip")),
    "a number": ("events_to_file", (3, "out")),
    "a tuple of names": ("events_to_file", ([(("a", "b"), "x")], "out")),
    "a number for a name": ("events_to_file", ([(3, "x")], "out")),
    "one column": ("events_from_dataframe", (pd.DataFrame({"cues": ["a"]}),)),
    "no str": ("events_from_dataframe", (pd.DataFrame({"cues": [1.5], "outcomes": ["a"]}),)),
    "no pair": ("events_from_list", ([("a",)],)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_io_refuses_what_pyndl_refuses(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\n")
    text(tmp_path / "line.tab.gz", "cues\toutcomes\na\tx\n\nb\tx\n")
    (tmp_path / "cut.tab.gz").write_bytes((tmp_path / "e.tab.gz").read_bytes()[:-12])
    (tmp_path / "plain.tab").write_text("cues\toutcomes\na\tx\n")
    name, args = WRONG[wrong]
    found, expected = raised(getattr(io, name), *args), raised(getattr(theirs, name), *args)
    # What pyndl says of a file that is cut is EOFError, which names no file.
    assert isinstance(found, type(expected)) or isinstance(expected, EOFError), (found, expected)
    if isinstance(expected, EOFError):
        assert "cut.tab.gz" in str(found)


def test_cues_outcomes_are_those_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            path = str(write(tmp_path / "e.tab.gz", rows(rng, twice=True), rng))
            n = rng.randint(1, 5)
            found = count.cues_outcomes(path, n_jobs=n)
            expected = beside(their_count.cues_outcomes, path, n_jobs=n)
            assert tuple(found) == tuple(expected)
            assert found._fields == expected._fields
            assert list(found.cues) == list(expected.cues)
            assert list(found.outcomes) == list(expected.outcomes)
            assert all(type(side) is Counter for side in found[1:])


def test_names_come_in_the_order_of_pyndl_where_rows_are_looked_at_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rescorla.compat.pyndl import _name_order

    monkeypatch.setattr(_name_order, "_ROWS", 7)
    test_cues_outcomes_are_those_of_pyndl(iter(range(10)), tmp_path)


def test_words_symbols_are_those_of_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    pieces = [*NAMES, " ", "  ", "\n", "\r\n", "\t", "'", "(a)", "^", "A.", "Ä", "\u00a0", "~*", "İ"]
    for seed in seeds:
        with case(seed) as rng:
            path = tmp_path / "text.txt"
            path.write_text("".join(rng.choices(pieces, k=rng.randint(0, 80))), encoding="utf-8", newline="")
            options: dict[str, Any] = {"n_jobs": rng.randint(1, 4), "lower_case": rng.random() < 0.5}
            found = count.words_symbols(str(path), **options)
            expected = beside(their_count.words_symbols, str(path), **options)
            for ours, other in zip(found, expected, strict=True):
                assert list(ours.items()) == list(other.items())
            assert found._fields == expected._fields


def test_counters_are_saved_and_loaded_as_in_pyndl(seeds: Iterator[int], tmp_path: Path) -> None:
    for seed in seeds:
        with case(seed) as rng:
            counter = Counter({name: rng.randint(-1, 5) for name in rng.sample(NAMES, k=rng.randint(0, 10))})
            header = rng.choice(["key\tfreq\n", "word\tn\n"])
            ours, other = tmp_path / "ours", tmp_path / "theirs"
            count.save_counter(counter, ours, header=header)
            their_count.save_counter(counter, other, header=header)
            assert ours.read_bytes() == other.read_bytes()
            found = count.load_counter(ours)
            assert list(found.items()) == list(their_count.load_counter(ours).items())
            assert found == counter


@pytest.mark.parametrize("line", ["a\t1\na\t2\n", "a\n", "a\tb\t3\n", "a\tmany\n", "\n"])
def test_load_counter_refuses_what_pyndl_refuses(line: str, tmp_path: Path) -> None:
    path = tmp_path / "counts"
    path.write_text(f"key\tfreq\n{line}")
    found, expected = raised(count.load_counter, path), raised(their_count.load_counter, path)
    assert isinstance(found, type(expected))
    assert "line " in str(found)


def test_old_names_of_arguments_warn_as_in_pyndl(tmp_path: Path) -> None:
    path = str(text(tmp_path / "e.tab.gz", "cues\toutcomes\na\tx\nb\ty\nc\ty\n"))
    for module in (count, their_count):
        for name in ("cues_outcomes", "words_symbols"):
            with pytest.warns(DeprecationWarning, match="n_jobs|n_outcomes_per_job") as caught:
                getattr(module, name)(path if name[0] == "c" else __file__, number_of_processes=2)
            assert [warning.filename for warning in caught] == [__file__]
