"""The overview of the API has every public name, with what its docstring says."""

import importlib.util
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
