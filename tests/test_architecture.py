"""The page on the house says what is there, and imports run one way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"

# Private rooms of the package, in the order in which they may import each other.
ROOMS = ("_core", "_shared", "_events", "_weights", "_learn", "_store", "_report")
# Calls upward, inside functions: of methods, and of who has no store and does not load what stores need.
UPWARD = {
    ("weights.py", "rescorla._store.lazy"),
    ("weights.py", "rescorla._store.save"),
    ("weights.py", "rescorla._learn.predict"),
    ("rescorla_wagner.py", "rescorla._store.learn"),
}
PACKAGE = ROOT / "python" / "rescorla"


def room_of(module: str) -> str | None:
    """The room of a module of the package, as `rescorla._events.read`; None for other modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "rescorla" and len(parts) > 1 else None


def imports(path: Path) -> Iterator[str]:
    """Modules of the package that a file imports, anywhere, but for what type checkers alone need."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed = {
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if node in typed:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "rescorla":
            names = [f"rescorla.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            if room_of(name) is not None:
                yield name


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "_core"])
def test_a_private_room_imports_rooms_before_it(room: str) -> None:
    allowed = ROOMS[: ROOMS.index(room) + 1]
    files = sorted((PACKAGE / room).glob("*.py"))
    assert len(files) > 3
    for path in files:
        for module in imports(path):
            assert room_of(module) in allowed or (path.name, module) in UPWARD, (
                f"{path.name} imports {module}"
            )


def test_every_hop_of_the_page_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    hops = re.findall(r"`((?:src|python|tests)/[\w/.]+?)(?::(\w+))?`", text)
    assert len(hops) > 25
    for file, function in hops:
        path = ROOT / file
        assert path.exists(), f"no {file}"
        if function:
            code = path.read_text(encoding="utf-8")
            assert re.search(rf"\b(?:fn|def) {function}\b", code), f"no {function} in {file}"
