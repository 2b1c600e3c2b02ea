"""What is public, and which room imports which."""

import ast
import pickle
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import rescorla as rw
from rescorla import perceptrons

PUBLIC = {"classify", "cli", "estimators", "measures", "perceptrons", "plot", "schedules"}
# Each room imports those before it.
ROOMS = ("_shared", "_core", "_events", "_weights", "_learn")


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports when it is imported."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module == "rescorla":
            yield from (f"rescorla.{each.name}" for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


def test_dir_shows_what_is_public() -> None:
    assert dir(rw) == sorted(rw.__all__)
    assert all(hasattr(rw, name) for name in rw.__all__)


def test_all_other_modules_lie_in_private_rooms() -> None:
    names = {module.name for module in pkgutil.iter_modules(rw.__path__)}
    assert {name for name in names if not name.startswith("_")} == PUBLIC


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_those_before_them(room: str) -> None:
    allowed = {f"rescorla.{each}" for each in ROOMS[: ROOMS.index(room) + 1]}
    for path in (Path(rw.__file__).parent / room).glob("*.py"):
        ours = {name for name in imported(path) if name.partition(".")[0] == "rescorla"}
        assert {".".join(name.split(".")[:2]) for name in ours} <= allowed, path


def test_what_is_public_is_pickled_by_its_public_name() -> None:
    for room, names in ((rw, rw.__all__), (perceptrons, perceptrons.__all__)):
        for name in names:
            if callable(getattr(room, name)):
                assert getattr(room, name).__module__ == room.__name__
                assert pickle.loads(pickle.dumps(getattr(room, name))) is getattr(room, name)
