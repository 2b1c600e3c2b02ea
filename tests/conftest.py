"""Options, profiles of hypothesis, a count of its cases, what tests share, and no figure left open."""

import functools
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import draws
import pytest
import rescorla as rw
import stores
from hypothesis import settings
from rescorla._shared import testing

CI = bool(os.environ.get("CI"))
CASES_IN_CI = 60_000

# Pictures are drawn without a window.
os.environ.setdefault("MPLBACKEND", "Agg")

# `pytest --hypothesis-profile random` loads another one afterwards.
draws.register_profiles()
settings.load_profile("ci" if CI else "dev")

cases = 0


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("rescorla")
    options.addoption(
        "--kernel",
        metavar="NAME",
        help="learn with this kernel alone in the process of the tests (portable: what every processor runs)",
    )
    options.addoption(
        "--kills",
        metavar="N",
        type=int,
        default=5,
        help="kill a worker of a cluster amid a tile so many times (default: 5)",
    )
    options.addoption(
        "--pyndl-cases",
        metavar="N",
        type=int,
        default=100 if CI else 20,
        help="compare each function of rescorla.compat.pyndl with pyndl's on so many random inputs "
        "(default: 20, where CI is set 100; 1000 before a release)",
    )
    options.addoption(
        "--site",
        metavar="FOLDER",
        help="test the site that mkdocs built there (default: build it, where mkdocs is installed)",
    )
    options.addoption(
        "--without-shared-data",
        action="store_true",
        help="skip the tests that need the shared data, even where CI is set",
    )
    options.addoption(
        "--without-browser",
        action="store_true",
        help="skip the tests that need a browser where there is none, even where CI is set",
    )


# After Hypothesis has loaded the profile of the command line.
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    kernel = config.getoption("kernel")
    if kernel is not None:
        testing.everywhere["kernel"] = kernel
    if settings().derandomize:
        draws.leave_modules_out()


def pytest_report_header(config: pytest.Config) -> str:
    kernel = config.getoption("kernel")
    return f"kernel: {'the fastest of this machine' if kernel is None else kernel}"


def counted(test: Callable[..., Any]) -> Callable[..., Any]:
    """The test body, counting the cases that it sees to the end."""

    @functools.wraps(test)
    def body(*args: Any, **kwargs: Any) -> Any:
        global cases
        result = test(*args, **kwargs)
        cases += 1
        return result

    return body


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    handles = [getattr(getattr(item, "obj", None), "hypothesis", None) for item in items]
    # Parametrised items share the handle of their function.
    for handle in {id(handle): handle for handle in handles if handle}.values():
        handle.inner_test = counted(handle.inner_test)


def too_few(config: pytest.Config) -> bool:
    """Whether a whole run in CI tried fewer cases than promised; a run of chosen tests promises nothing."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")
    return CI and whole and not config.getoption("collectonly") and cases < CASES_IN_CI


# With `-n` the tests run in processes of their own, which give their counts to the one that started them.
@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    global cases
    cases += getattr(node, "workeroutput", {}).get("cases", 0)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cases"] = cases
    elif exitstatus == pytest.ExitCode.OK and too_few(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    verdict = f", fewer than the {CASES_IN_CI} of a whole run in CI" if too_few(config) else ""
    terminalreporter.write_line(f"hypothesis cases: {cases}{verdict}", red=bool(verdict))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    examples = draws.as_examples(item) if report.when == "call" else []
    if examples:
        report.sections.append(("add to the test", "\n".join(examples)))
    return report


@pytest.fixture(autouse=True)
def _no_figure_left_open() -> Iterator[None]:
    """Examples open figures, and matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def seeds(pytestconfig: pytest.Config) -> Iterator[int]:
    """The seeds of the cases on which functions are compared with pyndl's."""
    return iter(range(pytestconfig.getoption("pyndl_cases")))


@pytest.fixture(autouse=True)
def _pyndl_sleeps_shortly(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it waits for its processes pyndl sleeps for a second at a time."""
    if "pyndl.preprocess" in sys.modules:
        module = sys.modules["pyndl.preprocess"]
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=lambda seconds: sleep(min(seconds, 0.002))))


@pytest.fixture(scope="session")
def shared(pytestconfig: pytest.Config) -> Path:
    """The folder of shared data: RESCORLA_SHARED, or `shared` beside the project."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("RESCORLA_SHARED", beside))
    if folder.is_dir():
        return folder
    message = f"no shared data at {folder}; set RESCORLA_SHARED to the folder that holds golden/ and data/"
    if CI and not pytestconfig.getoption("without_shared_data"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for the files of all cases; a case overwrites those of the case before."""
    return tmp_path_factory.mktemp("cases")


@pytest.fixture
def interrupted() -> Iterator[None]:
    """For a test that interrupts its own process.

    A shell that runs the tests in the background has the signal ignored. And dask and Hypothesis have Python
    call them for each collection of garbage; Python drops an interrupt that comes in such a call.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def events() -> rw.Events:
    """What stores learn from."""
    return rw.read_events(stores.EVENTS)


@pytest.fixture
def small_chunks() -> Iterator[None]:
    """Stores have four columns or rows in a tile, so that few weights have many."""
    pytest.importorskip("zarr")
    with testing.asking(chunk=4):
        yield
