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


def test_no_two_classes_have_the_same_name() -> None:
    names = re.findall(
        r"(?m)^class (\w+)", "\n".join(path.read_text(encoding="utf-8") for path in FILES.values())
    )
    assert len(names) > 150
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


def paths_of(use: str) -> Iterator[str]:
    """The paths that a `use` names, with its braces opened."""
    head, brace, body = use.partition("{")
    if not brace:
        yield use
        return
    depth, start = 0, 0
    body = body[: body.rindex("}")] + ","
    for at, sign in enumerate(body):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            if body[start:at]:
                yield from paths_of(head + body[start:at])
            start = at + 1


def engine_imports() -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """For each module of the engine those that it names, without tests. A mod.rs stands for its folder."""
    modules = {}
    for name, text in ENGINE.items():
        parts = name.removeprefix("src/").removesuffix(".rs").split("/")
        modules[tuple(parts[:-1] if parts[-1] in ("mod", "lib") else parts)] = text
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for module, text in modules.items():
        code = re.sub(r"#\[cfg\(test\)\]\s*(pub\(.*?\) )?mod tests \{.*", "", text, flags=re.DOTALL)
        code = re.sub(r"(?m)//.*$", "", code)
        named = [re.sub(r"\s+as\s+\w+|\s", "", use) for use in re.findall(r"\buse\s+([^;]+);", code)]
        paths = [path for use in named for path in paths_of(use)]
        paths += re.findall(r"\b(?:crate|super)(?:::\w+)+", code)
        found[module] = set()
        for path in paths:
            parts, base = path.split("::"), list(module)
            if parts[0] in ("crate", "self"):
                base = base if parts[0] == "self" else []
                parts = parts[1:]
            while parts and parts[0] == "super":
                base, parts = base[:-1], parts[1:]
            full = (*base, *parts)
            known = [full[:n] for n in range(len(full), -1, -1) if full[:n] in modules]
            if known and known[0] != module:
                found[module].add(known[0])
    return found


def test_no_two_files_of_the_engine_import_each_other() -> None:
    arrows = engine_imports()
    assert ("learn", "script") in arrows[("learn", "stretch")]
    assert ("kernel", "isa") in arrows[("learn", "checked_plan")]
    mutual = [
        "/".join(one) + " and " + "/".join(other)
        for one, modules in arrows.items()
        for other in modules
        if one < other and one in arrows[other]
    ]
    assert mutual == []


def test_no_name_of_a_type_stands_for_two_things() -> None:
    kind = r"(?m)^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|union|type) (\w+)"
    files: dict[str, list[str]] = {}
    for name, text in ENGINE.items():
        for found in re.findall(kind, text):
            files.setdefault(found, []).append(name)
    assert {"EventFile", "Rule", "Monitor"} <= files.keys()
    assert {found: names for found, names in files.items() if len(set(names)) > 1} == {}


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
    # Threads take tiles of columns from one driver. Tiles of rows and persons have their own; costs and
    # scripts are none.
    own = {"src/learn/adjoint.rs", "src/learn/costs.rs", "src/learn/people.rs", "src/learn/script.rs"}
    assert files_with(r"\bthreads::(\{.*)?each\b", rooms) == own
    assert files_with(r"\bthreads::(\{.*)?each\b", ("src/tiles/",)) == {"src/tiles/columns.rs"}
    # One stream of events knows numbers, repeated outcomes and repeated cues.
    assert files_with(r"\beach_distinct\b", rooms) == {"src/learn/script.rs"}
    assert files_with(r"\.chunk\(", rooms) == {"src/learn/costs.rs", "src/learn/script.rs"}


def test_memory_is_asked_for_in_one_room() -> None:
    # A buffer of a tile is a map itself.
    assert files_with(r"map_anon\(", ("src/",)) == {"src/memory.rs", "src/tiles/buffer.rs"}
    # One counter of work between two looks at the monitor.
    assert files_with(r"const (POLL|LOOK)_EVERY: usize", ("src/",)) == set()
