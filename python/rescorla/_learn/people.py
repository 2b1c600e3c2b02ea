"""Learning person by person, trial by trial."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._events.frames import column_of, columns_of, is_frame, is_table
from rescorla._events.names import rows_of
from rescorla._events.read import read_events
from rescorla._learn.record import of_events
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.rescorla_wagner import learn
from rescorla._learn.rule import RuleName, rule_given
from rescorla._learn.trials import Trials
from rescorla._learn.widrow_hoff import widrow_hoff
from rescorla._shared.checks import (
    element_type,
    flag,
    is_number,
    near,
    number,
    numbered,
    one_of,
    only_names,
    path_name,
    places,
    rate,
    several,
    shown,
    thread_count,
)
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._weights.directions import directions
from rescorla._weights.vectors import Table, Vectors, vectors_of
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

PerPerson: TypeAlias = "float | Mapping[Any, float]"
"""A number for all persons, or a mapping from persons to numbers."""

_OF_NAMES = ("activation", "choices", "surprisal", "change")
_OF_VECTORS = ("norm", "correlation", "squared_error", "rank", "change")


def learn_each(
    trials: Any,
    *,
    by: str,
    cues: str = "cues",
    outcomes: str = "outcomes",
    choices: str | Iterable[str] | None = None,
    order: str | None = None,
    alpha: PerPerson = 0.1,
    beta: PerPerson | tuple[float, float] | Mapping[Any, tuple[float, float]] = 0.1,
    lambda_: PerPerson = 1.0,
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    retention: PerPerson = 1.0,
    theta: PerPerson = 1.0,
    initial: Weights | None = None,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    update: bool = True,
    record: Iterable[str] | Mapping[str, Any] | None = None,
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    progress: Progress = None,
) -> Trials:
    """Learn the trials of each person on their own, and record what is predicted before each trial.

    Every person starts from the same weights W_0 (`initial`) and learns his own trials in their order:

        record what W predicts, a = W'c;    then    dw_ij = alpha * beta * (lambda * o_j - a_j)

    So a trial has the prediction of somebody who has seen the trials before it: a predictor for his response.

    Parameters
    ----------
    trials : data frame, mapping of columns, Arrow table or path
        A row for each trial: pandas, polars, arrow, a mapping from names to columns, or the path of a table
        (.csv with commas, else tabs; .parquet). A column ``frequency`` says how often a trial is learned.
        Columns that are not used are carried along, such as response times.
    by : str
        The column of persons.
    cues, outcomes : str, default "cues" and "outcomes"
        The columns of cues and outcomes: a str is split at ``_``, another iterable gives names verbatim. A
        name that comes twice in a trial counts once.
    choices : str or iterable of str, optional
        The outcomes that a person chooses from, whose activations are recorded: a column, or names for all
        trials.
    order : str, optional
        A column to sort each person's trials by. By default they are in the order of the rows.
    alpha, lambda_, retention, theta : float or mapping from persons, defaults 0.1, 1.0, 1.0, 1.0
        Salience, asymptote, what a trial leaves of every weight, and what activations are multiplied by for
        the ``surprisal``: one number, or one for each person. `alpha` may also be a mapping from cues.
    beta : float, pair of float, or mapping from persons to these, default 0.1
        The learning rate, or the pair (beta1, beta2) for present and for absent outcomes. With vectors the
        rule is that of Widrow and Hoff with eta = alpha * beta.
    rule, rule_parameters
        As for `rescorla.learn`.
    initial : Weights, optional
        W_0, zero by default. It is shared by all and not copied.
    cue_vectors, outcome_vectors : optional
        The vectors of cues and outcomes, as for `rescorla.widrow_hoff`.
    update : bool, default True
        Whether trials are learned. If not, all predictions are those of W_0.
    record : iterable of str, or mapping from str, optional
        What to record. Of names: ``"activation"`` of each trial's outcomes, ``"choices"``: the activation of
        each choice, ``"surprisal"``, ``"change"``. Of vectors: ``"norm"``, ``"correlation"``,
        ``"squared_error"``, ``"rank"``, ``"change"``. See the notes. By default all but change and rank. A
        mapping may say of ``"rank"`` at which trials: by a mask, or the name of a column of truth values.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights. What is recorded is float64.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on. The bits of the
        result do not depend on it.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Trials
        In the order of the rows: person, trial, the columns that were given, and those that were recorded.

    Raises
    ------
    ValueError, TypeError, KeyError
        When the table lacks a column or a cell is malformed, a parameter is out of its range or lacks a
        person, or arguments do not go together.
    FloatingPointError
        When somebody's weights diverge; the message names him.
    FormatError, OSError, MemoryError, ImportError
        When the table cannot be read.

    See Also
    --------
    learn : one learner.
    trajectories : weights over time.

    Notes
    -----
    What is recorded, before a trial is learned:

    - ``activation``: of each of the trial's outcomes; an array of them where trials have another number of
      outcomes than one.
    - ``choices``: columns ``activation_NAME`` for names that all trials share, or one column of arrays.
    - ``surprisal``: -log2 p of the trial's outcome, with p = softmax(theta a) over the choices; NaN where not
      exactly one outcome of the trial is a choice.
    - ``norm``: the length of the predicted vector; ``correlation`` with the vector of the trial's outcomes, NaN
      for a constant one; ``squared_error``: their squared distance; ``rank``: 1 + the number of outcomes whose
      vectors correlate more with the prediction than that of the trial's own. A rank among thousands of
      vectors costs more than to learn the trial.
    - ``change``: the root of the summed squares by which the weights of the trial's cues change.

    The result equals learning with ``learn(initial=...)`` trial by trial, bit for bit where the retention is
    1 and cues are names. A person takes memory for the weights of the cues in his trials, to the outcomes that
    are recorded; with vectors of cues, or the change, all weights.

    References
    ----------
    Heitmeier, M., Chuang, Y.-Y. and Baayen, R. H. (2023). How trial-to-trial learning shapes mappings in the
    mental lexicon: modelling lexical decision with linear discriminative learning. Cognitive Psychology 146,
    101598.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "participant": ["ann", "ann", "bob", "bob"],
    ...     "cues": ["light", "light", "light_tone", "tone"],
    ...     "outcomes": ["shock", "shock", "shock", "none"],
    ... }
    >>> trials = rw.learn_each(
    ...     table,
    ...     by="participant",
    ...     beta={"ann": 0.5, "bob": 0.2},
    ...     alpha=1.0,
    ...     choices=["shock", "none"],
    ... )
    >>> trials["activation"]
    array([0. , 0.5, 0. , 0. ])
    >>> trials["activation_shock"]
    array([0. , 0.5, 0. , 0.2])
    >>> trials["surprisal"].round(3)
    array([1.   , 0.684, 1.   , 1.151])
    """
    started = perf_counter()
    element = element_type(dtype)
    if initial is not None and not isinstance(initial, Weights):
        raise TypeError(f"initial must be Weights, not {shown(initial)}")
    table = _Table.of(trials, by, cues, outcomes, order)
    events = table.events
    sides = _Sides.of(events, cue_vectors, outcome_vectors, initial, element)
    wanted = _Wanted.of(record, choices, table, sides)
    one_rule = rule_given(rule, rule_parameters, 1.0, element)
    if sides.vectors and rule != "rescorla_wagner":
        raise ValueError(f"rule must be 'rescorla_wagner' with vectors, not {rule!r}")
    numbers = _Numbers.of(alpha, beta, lambda_, retention, theta, table.persons, events, sides)
    chosen = _Chosen.of(choices, table, events) if wanted.choices else None
    universe = events.outcomes if chosen is None else tuple(numbered((*events.outcomes, *chosen.names)))
    if wanted.change and initial is not None and not sides.vectors:
        universe = tuple(numbered((*universe, *initial.outcomes)))
    outcome_starts, outcome_ids = events._file.csr("outcomes")
    arrays = wanted.arrays(len(events), len(outcome_ids), 0 if chosen is None else chosen.length(len(events)))
    unlabelled = np.zeros(0, dtype=np.int64)
    told = {
        "initial": sides.weights,
        "starts": table.starts,
        "rule": rule,
        **numbers.told(),
        "rows": unlabelled if sides.x is not None else sides.rows(events.cues),
        "columns": unlabelled if sides.z is not None else sides.columns(universe),
        "cue_vectors": None if sides.x is None else sides.x.values,
        "outcome_vectors": None if sides.z is None else sides.z.values,
        "choices": unlabelled if chosen is None else chosen.ids(numbered(universe)),
        "choice_starts": None if chosen is None else chosen.starts,
        "outcome_starts": np.asarray(outcome_starts, dtype=np.int64),
        "directions": _turned(sides.z) if "rank" in arrays and sides.z is not None else None,
        "update": flag("update", update),
        "records": arrays,
    }
    n_threads = thread_count(threads)
    try:
        with watching(progress, "learning", "trials", len(events)) as watch:
            _core.learn_each(events._file, **told, threads=n_threads, progress=watch)
    except FloatingPointError as error:
        match error.args:
            case (int(person), _, value):
                raise FloatingPointError(
                    f"learning diverges: a weight of the person {shown(table.persons[person])} became {value}; "
                    "lower alpha or beta"
                ) from None
        raise
    columns = dict(table.carried)
    columns |= wanted.columns(arrays, table, chosen, (outcome_starts, outcome_ids), universe, numbers.theta)
    parameters = recorded_facts(
        rule,
        started,
        **one_rule.parameters,
        alpha=alpha if is_number(alpha) else "mapping",
        update=update,
        continued=initial is not None,
        n_persons=len(table.persons),
        **of_events(events),
    )

    def weights_of(person: int) -> Weights:
        own = events[table.starts[person] : table.starts[person + 1]]
        return sides.learned(own, numbers, person, rule, rule_parameters, update, element)

    return Trials(columns, table.persons, parameters, weights_of)


class _Table(NamedTuple):
    """The trials, person after person."""

    events: Events
    persons: tuple[Any, ...]
    starts: NDArray[np.int64]
    """Where the trials of each person begin in the events."""
    order: NDArray[np.int64]
    """The row of each event."""
    carried: dict[str, NDArray[Any]]
    columns: Mapping[Any, Sequence[Any]]

    @classmethod
    def of(cls, trials: Any, by: str, cues: str, outcomes: str, order: str | None) -> _Table:
        columns = _columns(trials)
        column_of("cues", columns, cues)
        column_of("outcomes", columns, outcomes)
        people = column_of("by", columns, by)
        numbers: dict[Any, int] = {}
        try:
            codes = np.array([numbers.setdefault(person, len(numbers)) for person in people], dtype=np.int64)
        except TypeError:
            raise TypeError(f"by must name a column of persons, and {by!r} has lists") from None
        if order is None:
            rows = np.argsort(codes, kind="stable")
        else:
            ranks = np.asarray(column_of("order", columns, order))
            if ranks.dtype == object:
                raise TypeError(f"order must name a column of numbers or of str, and {order!r} has others")
            rows = np.lexsort((ranks, codes))
        events = _events(trials, columns, cues, outcomes)
        if not np.array_equal(rows, np.arange(len(rows))):
            events = events[rows]
        counts = np.bincount(codes, minlength=len(numbers))
        starts = np.append(0, np.cumsum(counts)).astype(np.int64)
        trial = np.zeros(len(rows), dtype=np.int64)
        trial[rows] = np.arange(len(rows)) - np.repeat(starts[:-1], counts) + 1
        carried = {"person": _array(people), "trial": trial}
        carried |= {
            str(name): _array(each) for name, each in columns.items() if str(name) not in ("person", by)
        }
        return cls(events, tuple(numbers), starts, rows, carried, columns)


def _columns(trials: Any) -> Mapping[Any, Sequence[Any]]:
    """The columns of a table, or of a file."""
    if isinstance(trials, str | os.PathLike):
        name = path_name(trials, "trials")
        if name.endswith(".parquet"):
            return columns_of(need("pyarrow.parquet").read_table(name))
        header, *rows = rows_of(name)
        wrong = next((line for line, row in enumerate(rows, 2) if len(row) != len(header)), None)
        if wrong is not None:
            raise _core.FormatError(
                f"{name}, line {wrong}: expected {len(header)} cells as in the header, found "
                f"{len(rows[wrong - 2])}; put cells with commas in quotes"
            )
        cells = zip(*rows, strict=True) if rows else ((),) * len(header)
        return {name: _numbers(list(column)) for name, column in zip(header, cells, strict=True)}
    if hasattr(trials, "__arrow_c_stream__") and not is_table(trials):
        trials = need("pyarrow").table(trials)
    try:
        return columns_of(trials)
    except TypeError as error:
        raise TypeError(str(error).replace("frame", "trials", 1)) from None
    except ValueError as error:
        raise ValueError(str(error).replace("frame", "trials", 1)) from None


def _numbers(cells: list[str]) -> list[Any]:
    """The cells of a file as numbers, if all are; empty ones are missing then."""
    try:
        found = [float(cell) if cell else float("nan") for cell in cells]
    except ValueError:
        return cells
    if all(cell == "" for cell in cells):
        return cells
    return [int(each) for each in found] if all(each.is_integer() for each in found) else found


def _events(trials: Any, columns: Mapping[Any, Sequence[Any]], cues: str, outcomes: str) -> Events:
    """The cues, outcomes and frequencies as events, in the order of the rows."""
    given = {"cues": cues, "outcomes": outcomes}
    if "frequency" in columns:
        given["frequency"] = "frequency"
    if is_frame(trials):
        return read_events(trials[list(given.values())], columns=given)
    return read_events(zip(*(columns[name] for name in given.values()), strict=True))


def _array(column: Sequence[Any]) -> NDArray[Any]:
    """A column as an array: of its own type if it has one, else of objects."""
    try:
        array = np.asarray(column)
    except ValueError:
        array = np.zeros(0, dtype=object)
    if array.ndim != 1 or array.dtype.kind not in "biufU" or len(array) != len(column):
        array = np.empty(len(column), dtype=object)
        array[:] = column
    elif array.dtype.kind == "U":
        array = array.astype(object)
    return array


class _Sides(NamedTuple):
    """What cues and outcomes stand for, and the weights that all start from."""

    x: Table | None
    z: Table | None
    initial: Weights | None
    weights: NDArray[Any]
    """W_0; no rows where it is zero."""

    @property
    def vectors(self) -> bool:
        return self.x is not None or self.z is not None

    @classmethod
    def of(
        cls,
        events: Events,
        cue_vectors: Vectors | None,
        outcome_vectors: Vectors | None,
        initial: Weights | None,
        element: np.dtype[Any],
    ) -> _Sides:
        x = z = None
        if cue_vectors is not None:
            x = vectors_of("cue", events.cues, cue_vectors, element, "x")
        if outcome_vectors is not None:
            z = vectors_of("outcome", events.outcomes, outcome_vectors, element, "z")
        if initial is None:
            n = len(z.names) if z is not None else 0
            return cls(x, z, None, np.zeros((0, n), dtype=element))
        values = np.asarray(initial)
        for kind, table, names, axis in (("cue", x, initial.cues, 0), ("outcome", z, initial.outcomes, 1)):
            if table is not None and table.names != names:
                found = places(table.names, numbered(names))
                if len(names) != len(found) or (found < 0).any():
                    raise ValueError(f"initial weights must have the dimensions of the {kind} vectors")
                values = values.take(found, axis)
        if not np.isfinite(values).all():
            raise ValueError("initial weights must be finite")
        return cls(x, z, initial, np.ascontiguousarray(values, dtype=element))

    def rows(self, cues: Sequence[str]) -> NDArray[np.int64]:
        return places(cues, {} if self.initial is None else self.initial._row_numbers)

    def columns(self, outcomes: Sequence[str]) -> NDArray[np.int64]:
        return places(outcomes, {} if self.initial is None else self.initial._column_numbers)

    def learned(
        self,
        events: Events,
        numbers: _Numbers,
        person: int,
        rule: RuleName,
        rule_parameters: Mapping[str, float] | None,
        update: bool,
        element: np.dtype[Any],
    ) -> Weights:
        """What a person has learned of his events."""
        occurring = [cue for cue, count in zip(events.cues, events.cue_counts.tolist(), strict=True) if count]
        own = events.filter(keep_cues=occurring) if len(occurring) < events.n_cues else events
        if not update:
            own = own[:0]
        initial = self.initial
        if initial is not None and self.x is None:
            initial = initial[[cue for cue in own.cues if cue in initial._row_numbers], :]
        how: dict[str, Any] = {"initial": initial, "dtype": element}
        if not self.vectors:
            alpha: Any = numbers.alpha[person]
            if numbers.saliences is not None:
                alpha = dict(zip(events.cues, numbers.saliences.tolist(), strict=True))
            return learn(
                own,
                alpha=alpha,
                beta=(float(numbers.beta1[person]), float(numbers.beta2[person])),
                lambda_=float(numbers.lambda_[person]),
                rule=rule,
                rule_parameters=rule_parameters,
                retention=float(numbers.retention[person]),
                method="forward",
                **how,
            )
        return widrow_hoff(
            own,
            eta=float(numbers.alpha[person] * numbers.beta1[person]),
            cue_vectors=None if self.x is None else Weights(self.x.values, events.cues, self.x.names),
            outcome_vectors=None if self.z is None else Weights(self.z.values, events.outcomes, self.z.names),
            **how,
        )


class _Numbers(NamedTuple):
    """The parameters of each person."""

    alpha: NDArray[np.float64]
    saliences: NDArray[np.float64] | None
    beta1: NDArray[np.float64]
    beta2: NDArray[np.float64]
    lambda_: NDArray[np.float64]
    retention: NDArray[np.float64]
    theta: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        alpha: Any,
        beta: Any,
        lambda_: PerPerson,
        retention: PerPerson,
        theta: PerPerson,
        persons: tuple[Any, ...],
        events: Events,
        sides: _Sides,
    ) -> _Numbers:
        saliences = None
        if isinstance(alpha, Mapping) and not all(person in alpha for person in persons):
            if all(cue in alpha for cue in events.cues):
                saliences = np.array([rate("alpha", alpha[cue]) for cue in events.cues])
                alpha = 1.0
            else:
                missing = next(person for person in persons if person not in alpha)
                raise KeyError(
                    f"alpha has no number for the person {shown(missing)}; give one for each person, or for each "
                    f"of the {events.n_cues} cues{near(missing, map(str, alpha))}"
                )
        betas = _of_persons("beta", beta, persons)
        pairs = [each if isinstance(each, tuple | list) else (each, each) for each in betas]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError("beta must be a number or a pair (beta1, beta2)")
        beta1, beta2 = (np.array([rate("beta", pair[side]) for pair in pairs]) for side in (0, 1))
        asymptotes = np.array([number("lambda_", each) for each in _of_persons("lambda_", lambda_, persons)])
        kept = np.array([number("retention", each) for each in _of_persons("retention", retention, persons)])
        outside = ~((kept > 0) & (kept <= 1))
        if outside.any():
            raise ValueError(f"retention must be above 0 and at most 1, not {kept[outside][0]:g}")
        if sides.vectors:
            for argument, wrong in (
                ("alpha of each cue", saliences is not None),
                ("beta with a pair of rates", (beta1 != beta2).any()),
                ("retention below 1", (kept < 1).any()),
                ("lambda_ other than 1", sides.z is not None and (asymptotes != 1).any()),
            ):
                if wrong:
                    raise ValueError(
                        f"{argument} does not go with vectors, which have one rate eta = alpha * beta"
                    )
        return cls(
            np.array([rate("alpha", each) for each in _of_persons("alpha", alpha, persons)]),
            saliences,
            beta1,
            beta2,
            asymptotes,
            kept,
            np.array([number("theta", each) for each in _of_persons("theta", theta, persons)]),
        )

    def told(self) -> dict[str, Any]:
        """What the engine is told of them."""
        return {name: each for name, each in self._asdict().items() if name != "theta"}


def _of_persons(argument: str, value: Any, persons: tuple[Any, ...]) -> list[Any]:
    """The number, or the pair, of each person."""
    if not isinstance(value, Mapping):
        return [value] * len(persons)
    missing = next((person for person in persons if person not in value), None)
    if missing is not None:
        raise KeyError(
            f"{argument} has no number for the person {shown(missing)}{near(missing, map(str, value))}"
        )
    return [value[person] for person in persons]


class _Chosen(NamedTuple):
    """The outcomes that persons choose from."""

    listed: list[list[str]]
    """The names for all trials, in one list; or those of each event."""
    starts: NDArray[np.int64] | None

    @classmethod
    def of(cls, choices: Any, table: _Table, events: Events) -> _Chosen:
        if not isinstance(choices, str):
            names = only_names("choices must be names", several("choices", choices))
            twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
            if twice is not None:
                raise ValueError(f"choices must be different, and {twice!r} is there twice")
            return cls([names], None)
        column = column_of("choices", table.columns, choices)
        listed = [
            each.split("_")
            if isinstance(each, str)
            else only_names("choices must be names", several("choices", each))
            for each in (column[row] for row in table.order.tolist())
        ]
        starts = np.append(0, np.cumsum([len(each) for each in listed])).astype(np.int64)
        return cls(listed, starts)

    @property
    def names(self) -> list[str]:
        return list(numbered(name for each in self.listed for name in each))

    def ids(self, numbers: Mapping[str, int]) -> NDArray[np.int64]:
        return np.array([numbers[name] for each in self.listed for name in each], dtype=np.int64)

    def length(self, n_trials: int) -> int:
        return n_trials * len(self.listed[0]) if self.starts is None else int(self.starts[-1])


class _Wanted(NamedTuple):
    """What is recorded."""

    names: tuple[str, ...]
    ranked: NDArray[np.bool_] | None
    """The events of which ranks are recorded; None: all."""

    @property
    def change(self) -> bool:
        return "change" in self.names

    @property
    def choices(self) -> bool:
        return "choices" in self.names or "surprisal" in self.names

    @classmethod
    def of(cls, record: Any, choices: object, table: _Table, sides: _Sides) -> _Wanted:
        known = _OF_VECTORS if sides.z is not None else _OF_NAMES
        if record is None:
            names: list[str] = [name for name in known if name not in ("change", "rank")]
            if choices is None and sides.z is None:
                names = ["activation"]
            return cls(tuple(names), None)
        if isinstance(record, str):
            raise TypeError(f"record must be several names, not the str {record!r}; write [{record!r}]")
        names = only_names("record must be names", several("record", list(record)))
        for name in names:
            one_of("record", name, known)
        ranked = None
        if isinstance(record, Mapping):
            ranked = _mask(record.get("rank", True), table)
            wrong = next((name for name in names if name != "rank" and record[name] is not True), None)
            if wrong is not None:
                raise ValueError(
                    f"record must say True of {wrong!r}: only ranks are recorded of chosen trials"
                )
        if choices is None and ("choices" in names or "surprisal" in names):
            raise ValueError("choices must be given to record choices or surprisal")
        return cls(tuple(numbered(names)), ranked)

    def arrays(self, n_trials: int, n_outcomes: int, n_choices: int) -> dict[str, NDArray[Any]]:
        """Room for what the engine records."""
        lengths = {"activation": n_outcomes, "choices": n_choices}
        names = [name for name in self.names if name not in ("rank", "surprisal")]
        if "surprisal" in self.names:
            names = list(numbered((*names, "choices")))
        arrays: dict[str, NDArray[Any]] = {
            ("outcomes" if name == "activation" else name): np.zeros(lengths.get(name, n_trials))
            for name in names
        }
        if "rank" in self.names:
            arrays["rank"] = np.full(n_trials, -1, dtype=np.int64)
            if self.ranked is not None:
                arrays["rank"][~self.ranked] = 0
        return arrays

    def columns(
        self,
        arrays: dict[str, NDArray[Any]],
        table: _Table,
        chosen: _Chosen | None,
        outcomes: tuple[NDArray[Any], NDArray[Any]],
        universe: tuple[str, ...],
        theta: NDArray[np.float64],
    ) -> dict[str, NDArray[Any]]:
        """What was recorded, as columns in the order of the rows."""
        found: dict[str, NDArray[Any]] = {}
        for name in self.names:
            if name == "activation":
                found["activation"] = _by_trial(arrays["outcomes"], outcomes[0])
            elif name == "choices" and chosen is not None:
                if chosen.starts is None:
                    shared = arrays["choices"].reshape(-1, len(chosen.listed[0]))
                    found |= {f"activation_{each}": shared[:, at] for at, each in enumerate(chosen.listed[0])}
                else:
                    found["choice_activations"] = _by_trial(arrays["choices"], chosen.starts, always=True)
            elif name == "surprisal" and chosen is not None:
                per_trial = np.repeat(theta, np.diff(table.starts))
                found["surprisal"] = _surprisal(arrays["choices"], chosen, outcomes, universe, per_trial)
            else:
                found[name] = arrays[name]
        twice = next((name for name in found if name in table.carried), None)
        if twice is not None:
            raise ValueError(f"trials has a column {twice!r}, and so has the result; rename it")
        result = {}
        for name, values in found.items():
            result[name] = np.empty_like(values)
            result[name][table.order] = values
        return result


def _mask(given: Any, table: _Table) -> NDArray[np.bool_] | None:
    """The events, person after person, that a mask or a column of truth values chooses among the rows."""
    if given is True:
        return None
    mask = np.asarray(column_of("record", table.columns, given) if isinstance(given, str) else given)
    if mask.shape != (len(table.order),) or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"record must say of rank at which of the {len(table.order)} trials, by truth values"
        )
    return mask.astype(bool)[table.order]


def _by_trial(values: NDArray[np.float64], starts: NDArray[Any], *, always: bool = False) -> NDArray[Any]:
    """The numbers of each trial; one number where each has one."""
    lengths = np.diff(starts)
    if not always and (lengths == 1).all():
        return values
    result = np.empty(len(lengths), dtype=object)
    for trial, (first, last) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        result[trial] = values[first:last]
    return result


def _surprisal(
    activations: NDArray[np.float64],
    chosen: _Chosen,
    outcomes: tuple[NDArray[Any], NDArray[Any]],
    universe: tuple[str, ...],
    theta: NDArray[np.float64],
) -> NDArray[np.float64]:
    """-log2 of the probability of each trial's outcome among the choices."""
    starts, ids = outcomes
    n, numbers = len(starts) - 1, numbered(universe)
    surprisal = np.full(n, np.nan)
    if chosen.starts is None:
        place = np.full(len(universe), -1)
        place[[numbers[name] for name in chosen.listed[0]]] = np.arange(len(chosen.listed[0]))
        trial, own = np.repeat(np.arange(n), np.diff(starts)), place[ids]
        trial, own = trial[own >= 0], own[own >= 0]
        once = np.bincount(trial, minlength=n)[trial] == 1
        trial, own = trial[once], own[once]
        scaled = activations.reshape(n, -1)[trial] * theta[trial, np.newaxis]
        surprisal[trial] = _bits(scaled, own)
        return surprisal
    names = [universe[each] for each in ids.tolist()]
    for trial in range(n):
        options = chosen.listed[trial]
        own_names = [name for name in names[starts[trial] : starts[trial + 1]] if name in options]
        if len(own_names) == 1:
            first, last = chosen.starts[trial], chosen.starts[trial + 1]
            scaled = activations[first:last][np.newaxis] * theta[trial]
            surprisal[trial] = _bits(scaled, np.array([options.index(own_names[0])]))[0]
    return surprisal


def _bits(scaled: NDArray[np.float64], own: NDArray[np.int64]) -> NDArray[np.float64]:
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    logs = np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(own)), own]
    return np.asarray(logs / np.log(2))


def _turned(vectors: Table) -> NDArray[np.float64]:
    """The vectors as directions, less their means, number after number."""
    values = vectors.values.astype(np.float64, copy=False)
    return np.ascontiguousarray(directions(values, "correlation").T)
