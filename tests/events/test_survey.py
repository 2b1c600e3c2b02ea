"""Large event files keep what one look at all events finds."""

from pathlib import Path

import pytest
import rescorla as rw

FEW = rw.read_events([(f"a{i % 7}_b{i % 11}_c", f"x{i % 13}_y{i % 13}", 1 + i % 3) for i in range(1000)])

# As docs/format.md has it.
FEATURES, SURVEY, DIRECTORY = slice(12, 16), slice(96, 104), slice(80, 88)


def number(content: bytes, at: slice) -> int:
    return int.from_bytes(content[at], "little")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 16 chunks."""
    path = tmp_path_factory.mktemp("large") / "events.rw"
    FEW.sample(16 << 16, 1, path=path)
    return path


@pytest.mark.parametrize("mapped", [True, False])
def test_what_is_learned_is_the_same_with_and_without_it(path: Path, mapped: bool) -> None:
    content = path.read_bytes()
    assert number(content, FEATURES) & 2
    assert number(content, SURVEY) < number(content, DIRECTORY)
    kept, none = rw.open_events(path, mapped=mapped), FEW.sample(16 << 16, 1)
    assert kept.digest == none.digest
    kept.verify()
    for method in ("forward", "adjoint"):
        learned = [rw.learn(events, method=method) for events in (kept, none)]
        assert learned[0].values.tobytes() == learned[1].values.tobytes()
        one, other = ({n: v for n, v in w.parameters.items() if n != "source"} for w in learned)
        assert one["updates_forward"] == other["updates_forward"]
        assert one["updates_adjoint"] == other["updates_adjoint"]


def test_a_smaller_file_has_none(tmp_path: Path) -> None:
    FEW.sample(15 << 16, 1, path=tmp_path / "events.rw")
    content = (tmp_path / "events.rw").read_bytes()
    assert not number(content, FEATURES) & 2
    assert number(content, SURVEY) == 0


def test_a_damaged_one_is_refused(path: Path, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[number(bytes(content), SURVEY) + 50] ^= 1
    (tmp_path / "events.rw").write_bytes(content)
    events = rw.open_events(tmp_path / "events.rw")
    for use in (rw.learn, rw.Events.verify):
        with pytest.raises(rw.FormatError, match=r"events\.rw.* bytes with checksum"):
            use(events)
