"""The overview of the API has every public name, with what its docstring says."""

import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import rescorla as rw

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def overview() -> ModuleType:
    spec = importlib.util.spec_from_file_location("overview", ROOT / "docs" / "overview.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_docstrings_say(overview: ModuleType) -> None:
    assert overview.PAGE.read_text(encoding="utf-8") == overview.page(), "run python docs/overview.py"
    overview.on_pre_build(None)


def test_a_page_that_differs_builds_no_site(
    overview: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "PAGE", tmp_path / "index.md")
    overview.PAGE.write_text(overview.page().replace("Read events", "Reads events"), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"run python docs/overview\.py"):
        overview.on_pre_build(None)


def test_every_public_name_has_a_line(overview: ModuleType) -> None:
    assert overview.unlisted() == []
    page = overview.page()
    rooms = ("classify", "estimators", "measures", "plot", "schedules", "perceptrons", "tiles", "datasets")
    within = [f"{room}.{name}" for room in rooms for name in getattr(rw, room).__all__]
    for name in [*dir(rw), *within, "distributed.learn", "compat.pyndl"]:
        assert f"`rw.{name}`" in page, name
    for name in ("ndl", "ndl.ndl", "wh.dict_wh", "preprocess.bandsample", "count.CuesOutcomes"):
        assert f"`pyndl.{name}`" in page, name


def test_a_name_on_no_page_builds_no_site(overview: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgotten() -> None:
        """Nobody has written of it."""

    monkeypatch.setattr(rw.schedules, "forgotten", forgotten, raising=False)
    monkeypatch.setattr(rw.schedules, "__all__", [*rw.schedules.__all__, "forgotten"])
    with pytest.raises(SystemExit, match=r"on no page .*: rescorla\.schedules\.forgotten$"):
        overview.on_pre_build(None)


def test_a_page_in_no_group_builds_no_site(overview: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(overview.GROUPS, "Draw and show")
    with pytest.raises(SystemExit, match=r"rescorla\.report, docs/api/plot\.md, docs/api/report\.md$"):
        overview.on_pre_build(None)


def test_a_name_without_a_docstring_is_an_error(
    overview: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rw.schedules.power, "__doc__", None)
    with pytest.raises(ValueError, match=r"power.* has no docstring"):
        overview.page()


def test_the_first_line_of_a_docstring_is_shown_as_it_is_meant(
    overview: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "A * b_c | ``d|e`` and `f`,\n    in lines.\n\n    More."
    monkeypatch.setattr(rw.schedules.power, "__doc__", text)
    assert ": A \\* b\\_c | `d|e` and `f`, in lines.\n" in overview.page()


# Other names for what the table of shared arguments has a name for.
OTHERS = {
    "events": {"cue_sets", "stream"},
    "path": {"file", "filename", "output", "to"},
    "out": {"outfile", "result_path", "dest"},
    "passes": {"epochs", "repeat", "repeats", "n_passes", "nruns"},
    "seed": {"random_state", "rng", "random_seed"},
    "threads": {"n_jobs", "n_threads", "num_threads", "workers"},
    "n": {"top", "k", "size", "count", "limit_n"},
    "tol": {"tolerance", "eps"},
    "progress": {"verbose", "callback"},
    "dtype": {"type", "element"},
}
# What is called so for a reason: scikit-learn's own name; the literature's; a share of names, not of results.
REASONS = {
    ("classify.variable_importance", "random_state"),
    ("classify.variable_importance", "repeats"),
    ("ldl.accuracy", "k"),
    ("measures.accuracy", "k"),
    ("LeaveOneOut.accuracy", "k"),
    ("bandsample", "size"),
}


def functions(overview: ModuleType) -> Iterator[tuple[str, inspect.Signature]]:
    """Every public function and method, but those of estimators and of pyndl, whose names are given."""
    for path, found in overview._public("rescorla", rw):
        name = path.removeprefix("rescorla.")
        if name.startswith(("estimators", "compat", "classify.NDL")):
            continue
        if inspect.isfunction(found):
            yield name, inspect.signature(found)
        elif inspect.isclass(found) and found.__module__.startswith("rescorla"):
            for method, member in vars(found).items():
                if not method.startswith("_") and inspect.isfunction(member):
                    yield f"{name}.{method}", inspect.signature(member)


def test_arguments_have_the_names_of_the_table(overview: ModuleType) -> None:
    table = overview.shared()
    for shared in OTHERS:
        assert f"`{shared}`" in table, shared
    seen = 0
    for name, signature in functions(overview):
        seen += 1
        names = [each for each in signature.parameters if each != "self"]
        for shared, others in OTHERS.items():
            wrong = [each for each in names if each in others and (name, each) not in REASONS]
            assert wrong == [], f"{name} has {wrong} for {shared}"
        if "events" in names and "weights" in names:
            assert names.index("events") + 1 == names.index("weights"), name
        for shared in ("out", "seed", "threads", "passes", "progress"):
            each = signature.parameters.get(shared)
            by_name = each is None or each.kind is each.KEYWORD_ONLY or each.default is each.empty
            assert by_name or shared == "seed", f"{name}: {shared} is given by name"
    assert seen > 60
