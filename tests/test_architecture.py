"""The page on the house says what is there, and imports run one way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"

PACKAGE = ROOT / "python" / "rescorla"

# Private rooms of the package, in the order in which they may import each other. Public rooms come after.
ROOMS = ("_core", "_shared", "_events", "_weights", "_learn", "_report")
PUBLIC = len(ROOMS)


def name_of(path: Path) -> str:
    """The module that a file is."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(name: str) -> Iterator[str]:
    """Modules of the package that a file imports, also inside functions, but for what only types need."""
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    typed = {
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if node in typed:
            continue
        found = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by dots"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [
                each if each in FILES or each == "rescorla._core" else str(node.module) for each in inside
            ]
        yield from (each for each in found if each.partition(".")[0] == "rescorla" and each != name)


ARROWS = {name: set(imports(name)) for name in FILES}


def floor_of(module: str) -> int:
    """How high a module stands: private rooms in their order, public rooms, on top the package itself."""
    parts = module.split(".")
    if len(parts) == 1:
        return PUBLIC + 1
    return ROOMS.index(parts[1]) if parts[1] in ROOMS else PUBLIC


def test_no_arrow_runs_up() -> None:
    assert len(FILES) > 100
    up = [
        f"{name} imports {module}"
        for name, modules in ARROWS.items()
        for module in modules
        # Public rooms are loaded by people; the command line asks the package for its version and its rooms.
        if floor_of(module) > floor_of(name) and floor_of(name) < PUBLIC
    ]
    assert up == []


def test_no_files_import_each_other() -> None:
    def reached(name: str) -> set[str]:
        found: set[str] = set()
        left = [name]
        while left:
            for module in ARROWS.get(left.pop(), set()) - found:
                found.add(module)
                left.append(module)
        return found

    # The package itself names all that is public; who asks it for something does not import a file for that.
    circles = [name for name in FILES if name != "rescorla" and name in reached(name)]
    assert circles == []


def test_no_two_files_have_the_same_name() -> None:
    """But for commands, for what is named after pyndl's modules, and for what is public itself."""
    inside = [name for name in FILES if name.count(".") > 1]
    elsewhere = ("rescorla.cli.", "rescorla.compat.")
    names = [FILES[name].name for name in inside if not name.startswith(elsewhere)]
    names = [name for name in names if name != "__init__.py"]
    assert len(names) > 80
    assert sorted(names) == sorted(set(names))


def test_helpers_of_public_rooms_bear_an_underscore() -> None:
    rooms = ("classify", "datasets", "estimators", "measures", "perceptrons", "plot")
    files = [path.name for room in rooms for path in (PACKAGE / room).glob("*.py")]
    assert len(files) > 20
    assert [file for file in files if not file.startswith("_")] == []


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


ENGINE = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "src").rglob("*.rs")
}


def files_with(pattern: str, rooms: tuple[str, ...]) -> set[str]:
    """Files of some rooms of the engine whose code has a pattern."""
    code = {name: re.sub(r"(?m)^\s*//.*$", "", text) for name, text in ENGINE.items()}
    return {name for name, text in code.items() if name.startswith(rooms) and re.search(pattern, text)}


def test_a_rule_has_nothing_unsafe() -> None:
    rules = {name for name in ENGINE if re.fullmatch(r"src/rules/\w+\.rs", name)}
    assert {"src/rules/rule.rs", "src/rules/rescorla_wagner.rs"} <= rules
    assert files_with(r"\bunsafe\b", ("src/rules/",)) & rules == set()
    assert "#![deny(unsafe_code)]" in ENGINE["src/rules/mod.rs"]


def test_one_thing_of_learning_has_one_way() -> None:
    rooms = ("src/learn/", "src/rules/")
    # Threads take tiles of columns from one driver. Tiles of rows have their own; facts and scripts are none.
    own = {"src/learn/adjoint.rs", "src/learn/facts.rs", "src/learn/script.rs"}
    assert files_with(r"\bthreads::(\{.*)?each\b", rooms) == own
    assert files_with(r"\bthreads::(\{.*)?each\b", ("src/tiles/",)) == {"src/tiles/columns.rs"}
    # One stream of events knows numbers, repeated outcomes and repeated cues.
    assert files_with(r"\beach_once\b", rooms) == {"src/learn/script.rs"}
    assert files_with(r"\.chunk\(", rooms) == {"src/learn/facts.rs", "src/learn/script.rs"}
