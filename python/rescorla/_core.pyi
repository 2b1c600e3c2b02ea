"""The Rust engine: arrays in, arrays out. Names, defaults and documentation live in the modules around it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NotRequired, Protocol, TypeAlias, TypedDict, Unpack, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AtomicFile",
    "EventFile",
    "FormatError",
    "Job",
    "Likelihoods",
    "RowSolver",
    "Scratch",
    "TextStream",
    "__version__",
    "activations",
    "adatron",
    "available_threads",
    "check_apart",
    "clear",
    "compile_arrow",
    "compile_corpus",
    "compile_events",
    "compile_table",
    "crc32c",
    "delta_rule",
    "delta_rule_rows",
    "equilibrium",
    "exchange",
    "forecast",
    "influence",
    "learn",
    "learn_each",
    "learn_in_place",
    "look",
    "minover",
    "perceptron",
    "read_lines",
    "sensitivity",
    "students",
    "trajectories",
    "widrow_hoff",
    "write_lines",
    "written_as",
]

class _Table(Protocol):
    """Numbers in rows, dense or sparse."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def values(self) -> NDArray[Any]: ...
    @property
    def starts(self) -> NDArray[np.int64] | None: ...
    @property
    def columns(self) -> NDArray[np.uint32] | None: ...

__version__: str

_Progress: TypeAlias = Callable[[int, int], object] | None
_Factors: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
_New: TypeAlias = tuple[list[str], NDArray[np.int64], NDArray[np.int64], Literal["drop", "keep", "error"]]
_ThreeArrays: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Duplicates: TypeAlias = Literal["drop", "keep", "error"]
_Column: TypeAlias = int | str | None
_Columns: TypeAlias = tuple[_Column, _Column, _Column]

class _Learning(TypedDict):
    """All that a plan is made of. What a verb leaves away has its default."""

    alpha: NDArray[np.float64]
    beta1: float
    beta2: float
    lambda_: NDArray[np.float64]
    rule: NotRequired[str]
    rule_parameters: NotRequired[dict[str, float]]
    retention: NotRequired[float]
    schedule: NotRequired[_Factors | None]
    average: NotRequired[bool]
    cue_rows: NotRequired[NDArray[np.int64]]
    outcome_columns: NotRequired[NDArray[np.int64]]
    keep_rows: NotRequired[NDArray[np.int64] | None]
    initial: NotRequired[NDArray[Any] | None]
    initial_columns: NotRequired[NDArray[np.int64] | None]
    initial_states: NotRequired[NDArray[Any] | None]
    method: NotRequired[Literal["forward", "adjoint"] | None]
    threads: int
    event_memory: NotRequired[int | None]
    kernel: NotRequired[str | None]
    tile: NotRequired[int | None]
    progress: _Progress

class _Descent(TypedDict):
    """What events and tables are learned by."""

    alpha: NDArray[np.float64]
    beta: float
    activation: str
    loss: str
    batch: int | None
    mean: bool
    factors: NotRequired[NDArray[np.float64] | None]
    passes: int
    order: NDArray[np.int64] | None
    initial: NDArray[Any] | None
    threads: int
    kernel: str | None
    tile: int | None
    progress: _Progress

class FormatError(ValueError): ...

@final
class AtomicFile:
    def __new__(cls, path: str) -> AtomicFile: ...
    @property
    def temporary(self) -> str: ...
    def settle(self) -> None: ...
    def finish(self) -> None: ...
    def discard(self) -> None: ...

@final
class Scratch:
    def __new__(cls, path: str) -> Scratch: ...
    @property
    def path(self) -> str: ...
    def remove(self) -> None: ...

@final
class EventFile:
    @staticmethod
    def open(path: str, mapped: bool = True) -> EventFile: ...
    @staticmethod
    def of_content(content: bytes) -> EventFile: ...
    def content(self) -> bytes: ...
    @property
    def mapped(self) -> bool: ...
    def parameters(self) -> str | None: ...
    def digest(self, update: Callable[[bytes], object]) -> None: ...
    @property
    def path(self) -> str | None: ...
    @property
    def n_events(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_cues(self) -> int: ...
    @property
    def n_outcomes(self) -> int: ...
    def cue_names(self) -> tuple[str, ...]: ...
    def outcome_names(self) -> tuple[str, ...]: ...
    def cue_counts(self) -> NDArray[np.int64]: ...
    def outcome_counts(self) -> NDArray[np.int64]: ...
    def frequencies(self) -> NDArray[np.int64]: ...
    def probes(self, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def events(self, start: int, stop: int) -> list[tuple[tuple[str, ...], tuple[str, ...], int]]: ...
    def csr(self, side: Literal["cues", "outcomes"]) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    def select(
        self,
        blocks: Iterable[NDArray[np.int64]],
        n_rows: int,
        *,
        tokens: bool = False,
        background: str | None = None,
        path: str | None = None,
        progress: _Progress = None,
        parameters: str | None = None,
    ) -> EventFile: ...
    def filter(
        self,
        cues: _New | None,
        outcomes: _New | None,
        path: str | None = None,
        progress: _Progress = None,
        *,
        parameters: str | None = None,
    ) -> EventFile: ...
    def distinct(
        self,
        frequencies: Literal["sum", "one"],
        path: str | None = None,
        progress: _Progress = None,
        *,
        parameters: str | None = None,
    ) -> EventFile: ...
    def swapped(
        self, path: str | None = None, progress: _Progress = None, *, parameters: str | None = None
    ) -> EventFile: ...
    def renamed_counts(
        self, side: Literal["cues", "outcomes"], new: _New, progress: _Progress = None
    ) -> NDArray[np.int64]: ...
    @staticmethod
    def concat(
        files: Sequence[EventFile],
        path: str | None = None,
        progress: _Progress = None,
        *,
        parameters: str | None = None,
    ) -> EventFile: ...
    def cue_sets(self, progress: _Progress = None) -> tuple[_ThreeArrays, _ThreeArrays]: ...
    def save(self, path: str) -> EventFile: ...
    def to_table(self, path: str, progress: _Progress = None) -> None: ...
    def table_rows(self) -> bytes: ...
    def verify(self, progress: _Progress = None) -> None: ...
    def info(self) -> dict[str, Any]: ...

@final
class RowSolver:
    def __new__(
        cls, x: _Table, tokens: NDArray[np.float64], *, ridge: float, threads: int, progress: _Progress
    ) -> RowSolver: ...
    @property
    def rank(self) -> int: ...
    def solve(self, first: int, out: NDArray[np.float64], *, progress: _Progress) -> None: ...

@final
class Job:
    def __new__(cls, events: EventFile, *, dtype: str, **parameters: Unpack[_Learning]) -> Job: ...
    @property
    def method(self) -> Literal["forward", "adjoint"]: ...
    @property
    def n_lanes(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def width(self) -> int: ...
    @property
    def report(self) -> dict[str, Any]: ...
    def learn(self, start: int, stop: int, out: NDArray[Any], *, threads: int = 1) -> None: ...
    def progress(self) -> tuple[int, int]: ...
    def stop(self) -> None: ...

@final
class TextStream:
    def __new__(cls, stream: Any, name: str) -> TextStream: ...
    def look(self) -> tuple[str, str, list[str], str | None]: ...
    def read(self, n: int) -> bytes: ...
    def compile_table(
        self,
        path: str | None,
        duplicates: _Duplicates,
        background: str | None,
        *,
        columns: _Columns = ...,
        header: bool = True,
        limit: int | None = None,
        parameters: str | None = None,
    ) -> EventFile: ...

def available_threads() -> int: ...
def clear(out: NDArray[Any]) -> None: ...
def look(path: str) -> tuple[str, str, list[str], str | None]: ...
def compile_table(
    source: str,
    path: str | None,
    duplicates: _Duplicates,
    background: str | None,
    progress: _Progress,
    *,
    columns: _Columns = ...,
    header: bool = True,
    limit: int | None = None,
    parameters: str | None = None,
) -> EventFile: ...
def compile_arrow(
    source: Any,
    path: str | None,
    duplicates: _Duplicates,
    background: str | None,
    progress: _Progress,
    *,
    columns: _Columns = ...,
    limit: int | None = None,
    parameters: str | None = None,
) -> EventFile: ...
def compile_events(
    source: Iterable[Any],
    path: str | None,
    duplicates: _Duplicates,
    background: str | None,
    progress: _Progress,
    *,
    limit: int | None = None,
    parameters: str | None = None,
) -> EventFile: ...
def compile_corpus(
    source: Sequence[str] | Iterable[str | Iterable[str]],
    path: str | None,
    *,
    items: Literal["files", "lines", "documents"],
    cues: list[int | str | dict[str, Any] | Callable[[str], Any]],
    outcomes: list[int | str | dict[str, Any] | Callable[[str], Any]],
    window: tuple[int, int | None] | None,
    context: str,
    across: bool,
    letters: str,
    symbols: str | Callable[[str], object] | None,
    lower: bool,
    normalize: str | None,
    boundary: str,
    stop_words: list[str],
    vocabulary: list[str] | None,
    sentence_end: str,
    mask: bool,
    document_end: str,
    unknown: str,
    format: str,
    duplicates: _Duplicates,
    background: str | None,
    progress: _Progress,
    parameters: str | None = None,
) -> tuple[
    EventFile,
    tuple[
        list[Literal["symbols", "vocabulary", "stop_words", "words"]], int, list[str], str | None, str | None
    ],
]: ...
def learn(
    events: EventFile,
    *,
    out: NDArray[Any] | tuple[str, str, int, str],
    states: NDArray[Any] | None,
    **parameters: Unpack[_Learning],
) -> dict[str, Any]: ...
def learn_in_place(
    events: EventFile,
    *,
    rows: NDArray[np.int64],
    vectors: NDArray[Any] | None,
    out: NDArray[Any],
    **parameters: Unpack[_Learning],
) -> dict[str, Any]: ...
def forecast(events: EventFile, *, dtype: str, **parameters: Unpack[_Learning]) -> dict[str, Any]: ...
def activations(
    events: EventFile,
    weights: NDArray[Any],
    *,
    cue_rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    present_only: bool,
    out: NDArray[Any],
    threads: int,
    progress: _Progress,
) -> bool: ...
def adatron(
    x: _Table,
    y: NDArray[np.float64],
    *,
    bias: bool,
    max_sweeps: int,
    gamma: float,
    tol: float,
    progress: _Progress,
) -> dict[str, Any]: ...
def delta_rule(
    events: EventFile,
    *,
    lambda_: NDArray[np.float64],
    cue_rows: NDArray[np.int64],
    outcome_columns: NDArray[np.int64],
    out: NDArray[Any],
    **parameters: Unpack[_Descent],
) -> dict[str, Any]: ...
def delta_rule_rows(
    x: _Table,
    z: _Table,
    *,
    out: NDArray[Any],
    paces: NDArray[np.float64] | None = None,
    squares: NDArray[np.float64] | None = None,
    **parameters: Unpack[_Descent],
) -> dict[str, Any]: ...
def equilibrium(
    events: EventFile | int,
    *,
    cue_vectors: _Table | None,
    outcome_vectors: _Table | None,
    alpha: NDArray[np.float64] | None,
    initial: bool,
    beta1: float,
    beta2: float,
    lambda_: NDArray[np.float64],
    ridge: float,
    method: Literal["dense", "iterative"] | None,
    tol: float | None,
    out: NDArray[np.float64],
    threads: int,
    progress: _Progress,
) -> dict[str, Any]: ...
def perceptron(
    x: _Table,
    y: NDArray[np.float64],
    *,
    rule: str,
    eta: float,
    factors: NDArray[np.float64] | None,
    initial: NDArray[np.float64],
    bias: float | None,
    max_sweeps: int,
    progress: _Progress,
) -> tuple[NDArray[np.float64], float, float, NDArray[np.int64], NDArray[np.int64]]: ...

@final
class Likelihoods:
    def __new__(
        cls,
        events: EventFile,
        *,
        starts: NDArray[np.int64],
        initial: NDArray[np.float64],
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        of_outcomes: NDArray[np.int64],
        groups: NDArray[np.int64],
        options: NDArray[np.int64],
        option_starts: NDArray[np.int64] | None,
        chosen: NDArray[np.int64] | None,
        numbers: NDArray[np.float64] | None,
        rule: str,
        rule_parameters: list[str],
    ) -> Likelihoods: ...
    def n_responses(self) -> NDArray[np.int64]: ...
    def predictions(self, person: int, values: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def evaluate(
        self,
        persons: NDArray[np.int64],
        values: NDArray[np.float64],
        gradients: NDArray[np.float64],
        *,
        threads: int,
        progress: _Progress,
    ) -> NDArray[np.float64]: ...

def influence(
    events: EventFile,
    *,
    sums: _ThreeArrays,
    n: int,
    out: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    **parameters: Unpack[_Learning],
) -> dict[str, Any]: ...
def sensitivity(
    events: EventFile, *, sums: _ThreeArrays, **parameters: Unpack[_Learning]
) -> dict[str, Any]: ...
def learn_each(
    events: EventFile,
    *,
    initial: NDArray[Any],
    starts: NDArray[np.int64],
    rule: str,
    rule_parameters: dict[str, float],
    alpha: NDArray[np.float64],
    saliences: NDArray[np.float64] | None,
    beta1: NDArray[np.float64],
    beta2: NDArray[np.float64],
    lambda_: NDArray[np.float64],
    retention: NDArray[np.float64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    cue_vectors: NDArray[Any] | None,
    outcome_vectors: NDArray[Any] | None,
    choices: NDArray[np.int64],
    choice_starts: NDArray[np.int64] | None,
    outcome_starts: NDArray[np.int64],
    directions: NDArray[np.float64] | None,
    update: bool,
    records: dict[str, NDArray[Any]],
    threads: int,
    progress: _Progress,
) -> None: ...
def minover(
    x: _Table,
    y: NDArray[np.float64],
    *,
    bias: bool,
    max_steps: int,
    tol: float | None,
    record: bool,
    budget: int | None,
    kernel: str | None,
    progress: _Progress,
) -> dict[str, Any]: ...
def read_lines(path: str) -> list[str]: ...
def students(
    inputs: NDArray[np.float64],
    labels: NDArray[np.float64],
    teachers: NDArray[np.float64],
    starts: NDArray[np.float64],
    *,
    students: list[str],
    n_max: int,
    stop: float | None,
    threads: int,
    progress: _Progress,
) -> tuple[NDArray[np.float64], NDArray[np.uint64]]: ...
def trajectories(
    events: EventFile,
    *,
    tokens: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64] | None,
    predictions: bool,
    probes: tuple[NDArray[np.int64], ...],
    out: NDArray[Any],
    saliences: NDArray[Any],
    predicted: NDArray[Any],
    probed: NDArray[Any],
    **parameters: Unpack[_Learning],
) -> dict[str, Any]: ...
def widrow_hoff(
    events: EventFile | int,
    *,
    cues: tuple[NDArray[Any], int | None],
    outcomes: tuple[NDArray[Any], int | None],
    eta: float,
    schedule: NDArray[np.float64] | None,
    normalized: bool,
    initial: NDArray[Any] | None,
    out: NDArray[Any],
    method: str | None,
    threads: int,
    kernel: str | None,
    tile: int | None,
    block: int | None,
    progress: _Progress,
) -> dict[str, Any]: ...
def check_apart(output: str, inputs: Sequence[str]) -> None: ...
def crc32c(bytes: NDArray[np.uint8], before: int = 0) -> int: ...
def exchange(one: str, other: str) -> bool: ...
def write_lines(path: str, lines: Sequence[str]) -> None: ...
def written_as(path: str) -> Literal["csv", "text", "other"]: ...
