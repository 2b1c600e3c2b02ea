"""Random events and parameters, and the small helpers that several test files share."""

import gzip
import lzma
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import reference
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Event, PerName

Name = TypeVar("Name")

DUPLICATES = st.sampled_from(["drop", "keep"])
DTYPES = st.sampled_from([np.float64, np.float32])
THREADS = st.integers(1, 4)

# No surrogates: they are no text. The small alphabet makes names overlap, share prefixes and differ by case.
_COMMON = "abAB#äß字𝒳 "
VERBATIM_NAMES = st.one_of(
    st.text(_COMMON + '_\t\n\r"\\,', min_size=1, max_size=4),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
)
TABLE_NAMES = st.one_of(
    st.text(_COMMON + '"\\,', min_size=1, max_size=4),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="_\t\n\r"), min_size=1, max_size=6),
)
# Of names with blanks in a str the library asks whether they were meant to be several.
MAY_HAVE_BLANKS = pytest.mark.filterwarnings("ignore:a str of cues has _ between them")
PLAIN_NAMES = st.text("abcdeäß字", min_size=1, max_size=3)

# Sums and products of these round; 1 and 0 do not.
SALIENCES = st.sampled_from([0.0, 0.01, 0.1, 0.3, 1.0])
RATES = st.sampled_from([0.0, 0.05, 0.1, 0.2, 1.0])
LAMBDAS = st.sampled_from([1.0, 0.7, 100.0, 0.0, -0.3, 1e-3])
FREQUENCIES = st.integers(0, 5)
WEIGHTS = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 0.1]), st.floats(-2, 2, width=32))


@st.composite
def events(
    draw: st.DrawFn,
    names: st.SearchStrategy[str] = PLAIN_NAMES,
    *,
    max_events: int = 8,
    max_cues: int = 8,
    max_outcomes: int = 4,
    frequencies: st.SearchStrategy[int] = FREQUENCIES,
) -> list[Event]:
    """Events over a few names, which may repeat within an event and be both cue and outcome."""
    some = st.sampled_from(draw(st.lists(names, min_size=1, max_size=8, unique=True)))
    side = {"cues": st.lists(some, max_size=max_cues), "outcomes": st.lists(some, max_size=max_outcomes)}
    event = st.tuples(side["cues"].map(tuple), side["outcomes"].map(tuple), frequencies)
    return draw(st.lists(event, min_size=1, max_size=max_events))


def wide_events(seed: int, n_events: int, n_cues: int, n_outcomes: int) -> list[Event]:
    """Events over many outcomes, so that vectors, their remainders and several tiles are all at work."""
    rng = random.Random(seed)
    result: list[Event] = []
    for _ in range(n_events):
        cues = tuple(f"c{rng.randrange(n_cues)}" for _ in range(rng.randrange(1, 9)))
        outcomes = tuple(f"o{rng.randrange(n_outcomes)}" for _ in range(rng.randrange(5)))
        result.append((cues, outcomes, rng.choice([1, 1, 1, 2, 0])))
    # Once each at the end, so that no name is missing and the late outcomes start late.
    everything = tuple(f"o{j}" for j in range(n_outcomes))
    return [*result, ((f"c{rng.randrange(n_cues)}",), everything, 1)]


@dataclass
class Rule:
    """Everything that `learn` is told about one set of events."""

    alpha: PerName
    beta: Any
    lambda_: PerName

    def keywords(self) -> dict[str, Any]:
        """As the product takes them."""
        return {"alpha": self.alpha, "beta": self.beta, "lambda_": self.lambda_}


@st.composite
def rules(draw: st.DrawFn, cues: Sequence[str], outcomes: Sequence[str]) -> Rule:
    """Parameters: one number or one a name, one rate or two."""
    alpha = draw(st.one_of(SALIENCES, st.fixed_dictionaries(dict.fromkeys(cues, SALIENCES))))
    beta = draw(st.one_of(RATES, st.tuples(RATES, RATES)))
    lambda_ = draw(st.one_of(LAMBDAS, st.fixed_dictionaries(dict.fromkeys(outcomes, LAMBDAS))))
    return Rule(alpha, beta, lambda_)


@st.composite
def initials(draw: st.DrawFn, cues: Sequence[str], outcomes: Sequence[str]) -> dict[tuple[str, str], float]:
    """Initial weights for some cues and outcomes, and for names of their own, in an order of their own."""
    rows = draw(st.permutations([*draw(subsets(cues)), "an initial cue"]))
    columns = draw(st.permutations([*draw(subsets(outcomes)), "an initial outcome"]))
    return {(c, o): draw(WEIGHTS) for c in rows for o in columns}


@dataclass
class Schedule:
    """Factors token by token, as the product and as the reference take them."""

    present: list[float]
    absent: list[float] | None

    def __call__(self, tokens: NDArray[np.int64]) -> Any:
        """As the product asks."""
        assert tokens.dtype == np.int64
        arrays = (np.array(self.present), np.array(self.present if self.absent is None else self.absent))
        return arrays[0][tokens - 1] if self.absent is None else tuple(array[tokens - 1] for array in arrays)

    def of(self, token: int) -> tuple[float, float]:
        """As the reference asks."""
        return self.present[token - 1], (self.present if self.absent is None else self.absent)[token - 1]


@st.composite
def schedules(draw: st.DrawFn, events: Sequence[Event]) -> Schedule:
    """Factors for beta, or for beta1 and beta2, for all tokens of some events; some stand still."""
    factors = st.one_of(st.sampled_from([1.0, 0.5, 0.0, 1 / 3, 1.7]), st.floats(0, 3, width=32))
    n = sum(event[2] for event in events)
    table = st.one_of(st.lists(factors, min_size=n, max_size=n), factors.map(lambda factor: [factor] * n))
    return Schedule(draw(table), draw(st.one_of(st.none(), table)))


@st.composite
def subsets(draw: st.DrawFn, names: Sequence[Name]) -> list[Name]:
    """Some of the names, each once, in any order."""
    if not names:
        return []
    return draw(st.lists(st.sampled_from(list(names)), unique=True))


# The same events in every layout that the product reads.


def table_text(rows: Sequence[Event]) -> str:
    """Events as a tab-separated table."""
    lines = ["cues\toutcomes\tfrequency"]
    lines += [f"{'_'.join(cues)}\t{'_'.join(outcomes)}\t{frequency}" for cues, outcomes, frequency in rows]
    return "\n".join(lines) + "\n"


def csv_text(rows: Sequence[Event]) -> str:
    """Events as R ndl writes them, with a column that is nobody's business."""

    def quoted(names: Sequence[str]) -> str:
        return '"' + "_".join(names).replace('"', '""') + '"'

    lines = ['"Word","Cues","Outcomes","Frequency"']
    lines += [f'"w, {i}",{quoted(cues)},{quoted(outcomes)},{f}' for i, (cues, outcomes, f) in enumerate(rows)]
    return "\n".join(lines) + "\n"


def write_layout(layout: str, rows: Sequence[Event], folder: Path) -> Path:
    """Writes the events as a table, plain or packed, and returns its path."""
    path = folder / f"events.{layout}"
    text = (csv_text if layout == "csv" else table_text)(rows).encode()
    if layout == "gz":
        path.write_bytes(gzip.compress(text, 1))
    elif layout == "zst":
        import pyarrow

        with pyarrow.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(text)
    elif layout == "xz":
        path.write_bytes(lzma.compress(text, preset=0))
    else:
        path.write_bytes(text)
    return path


# Comparing.


def bits(values: NDArray[Any]) -> tuple[Any, ...]:
    """What two arrays must share to be equal bit for bit."""
    return values.shape, values.dtype, np.ascontiguousarray(values).tobytes()


def assert_close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """All differences are within the tolerance."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def by_label(weights: Any) -> dict[tuple[str, str], bytes]:
    """The bits of each weight under its names."""
    values = np.asarray(weights.values)
    return {
        (cue, outcome): values[i, j].tobytes()
        for i, cue in enumerate(weights.cues)
        for j, outcome in enumerate(weights.outcomes)
    }


def reference_weights(
    rows: Sequence[Event],
    parameters: Rule,
    cues: Sequence[str],
    outcomes: Sequence[str],
    dtype: Any = np.float64,
    initial: Mapping[tuple[str, str], float] | None = None,
    *,
    average: bool = False,
    **more: Any,
) -> NDArray[Any]:
    """What the reference learns, as an array of the dtype."""
    with np.errstate(all="ignore"):
        number = float if dtype == np.float64 else dtype
        learn = reference.mean if average else reference.learn
        told = (parameters.alpha, parameters.beta, parameters.lambda_, cues, outcomes, initial, number)
        learned = learn(rows, *told, **more)
    return reference.matrix(learned, cues, outcomes, dtype)
