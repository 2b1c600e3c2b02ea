"""Progress in a notebook: a bar without being asked, tqdm's widget where tqdm is there."""

import subprocess
import sys
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
import rescorla as rw
from rescorla._shared import progress

MANY = [("a_b", "x")] * 20_000


class Widget:
    """What `tqdm.auto` gives in a notebook: it learns of its total when it is made, or by `reset`."""

    made: ClassVar[list["Widget"]] = []

    def __init__(self, *, desc: str, total: int | None, **choices: Any) -> None:
        self.desc, self._total, self.n, self.start_t = desc, total, 0, 1.0
        self.closed = False
        self.seen: list[tuple[int, int | None]] = []
        self.made.append(self)

    @property
    def total(self) -> int | None:
        return self._total

    def reset(self, total: int | None) -> None:
        self._total, self.n, self.start_t = total, 0, 2.0

    def update(self, more: int) -> None:
        self.n += more
        self.seen.append((self.n, self._total))

    def close(self) -> None:
        self.closed = True


def fake(monkeypatch: pytest.MonkeyPatch, config: Any) -> None:
    shell = None if config is None else SimpleNamespace(config=config)
    ipython: Any = ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    auto: Any = ModuleType("tqdm.auto")
    auto.tqdm = Widget
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    monkeypatch.setattr(Widget, "made", [])
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)


def test_a_notebook_shows_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fake(monkeypatch, {"IPKernelApp": {"connection_file": "kernel.json"}})
    rw.read_events(MANY)
    (bar,) = Widget.made
    assert (bar.desc, bar.closed, bar.start_t) == ("reading", True, 1.0)
    assert bar.seen[-1] == (len(MANY), len(MANY))
    rw.read_events(iter(MANY))
    assert Widget.made[1].seen[-1][0] == len(MANY)
    rw.read_events(MANY, progress=False)
    assert len(Widget.made) == 2
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("config", [None, {}, {"TerminalIPythonApp": {}}])
def test_no_bar_where_no_kernel_runs(monkeypatch: pytest.MonkeyPatch, config: Any) -> None:
    fake(monkeypatch, config)
    rw.read_events(MANY)
    assert Widget.made == []


def test_without_tqdm_a_notebook_shows_the_plain_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, {"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    rw.read_events(MANY)
    assert "reading: 100%" in capsys.readouterr().err


def test_a_total_that_becomes_known_is_shown_and_the_time_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, {"IPKernelApp": {}})
    with progress.watching(None, "learning", "tokens") as watch:
        assert watch is not None
        assert Widget.made == []  # Nothing to show yet.
        watch(3, 0)
        watch(5, 10)
        watch(10, 10)
    (bar,) = Widget.made
    assert bar.seen == [(3, None), (5, 10), (10, 10)]
    assert (bar.start_t, bar.closed) == (1.0, True)
    with progress.watching(None, "brief", "tokens"):
        pass
    assert len(Widget.made) == 1


@pytest.mark.parametrize("with_tqdm", [True, False])
def test_brief_work_has_no_bar(
    with_tqdm: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(monkeypatch, {"IPKernelApp": {}})
    monkeypatch.setattr(progress, "_PATIENCE", 60.0)
    if not with_tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    rw.read_events(MANY)
    assert Widget.made == []
    assert capsys.readouterr().err == ""


def test_what_tqdm_says_of_missing_widgets_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loud(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name == "tqdm":
                warnings.warn("IProgress not found", UserWarning, stacklevel=2)
                return Widget
            raise AttributeError(name)

    fake(monkeypatch, {"IPKernelApp": {}})
    monkeypatch.setitem(sys.modules, "tqdm.auto", Loud("tqdm.auto"))
    rw.read_events(MANY)
    assert len(Widget.made) == 1


def test_without_widgets_tqdm_draws_a_line_and_no_warning_is_shown() -> None:
    """Tqdm itself, which warns where a notebook lacks ipywidgets, in a process that shows all warnings."""
    pytest.importorskip("tqdm", reason="tqdm is not installed: pip install rescorla[progress]")
    program = (
        "import sys, types\n"
        "sys.modules['ipywidgets'] = None\n"
        "shell = types.SimpleNamespace(config={'IPKernelApp': {}})\n"
        # By one of these tqdm, as it is newer or older, knows a notebook.
        "sys.modules['ipykernel.zmqshell'] = types.ModuleType('ipykernel.zmqshell')\n"
        "sys.modules['IPython'] = types.ModuleType('IPython')\n"
        "sys.modules['IPython'].get_ipython = lambda: shell\n"
        "import rescorla as rw\n"
        "from rescorla._shared import progress\n"
        "progress._PATIENCE = 0.0\n"
        "rw.read_events([('a_b', 'x')] * 20_000)\n"
        "assert sys.modules['tqdm.auto'].tqdm.__mro__[1].__module__ == 'tqdm.std'\n"
    )
    told = [sys.executable, "-W", "always", "-c", program]
    found = subprocess.run(told, capture_output=True, text=True, encoding="utf-8", check=False)
    assert found.returncode == 0, found.stderr
    # tqdm would swallow an error that a warning became.
    assert "reading: " in found.stderr
    assert "Warning" not in found.stderr
