"""Which weights and predictions are asked about, checked, and the rule that learns them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rescorla._events.events import Events
from rescorla._events.given import Source, events_given
from rescorla._learn.plan import naming_divergence, rule_of, united
from rescorla._learn.record import learned_parameters
from rescorla._learn.request import Request, request_of
from rescorla._learn.rule import rule_given
from rescorla._shared.checks import (
    chosen,
    named,
    numbered,
    only_names,
    places,
    plain,
    several,
    shown,
)
from rescorla._shared.progress import Progress, watching
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = tuple[str | Iterable[str], str]
"""A cue, or several, and an outcome."""


class Asked(NamedTuple):
    """What is asked about: the cues and the outcome of each sum of weights."""

    verb: str
    events: Events
    request: Request
    cues: list[tuple[str, ...]]
    outcomes: list[str]
    single: bool
    """Whether one result is wanted, and not a list."""

    def answered(
        self, engine: Callable[..., dict[str, Any]], progress: Progress, **more: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the engine finds, and the ``parameters`` of it."""
        events, request, plan = self.events, self.request, self.request.plan
        started = perf_counter()
        with (
            watching(progress, self.verb, "events", len(events)) as watch,
            naming_divergence(plan.all_cues, plan.outcomes),
        ):
            told = {**request.told(), "sums": self._told(), **more}
            report = engine(events._file, **told, threads=1, progress=watch)
        parameters = learned_parameters(events, report, started, **request.recorded())
        # There is no mean over all tokens, and one type.
        del parameters["average"], parameters["dtype"]
        request.warn_unsafe(report)
        return report, parameters

    def _told(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The lengths of the starts, their rows, the column of each sum."""
        rows, columns = numbered(self.request.plan.all_cues), numbered(self.request.plan.outcomes)
        lengths = np.array([len(cues) for cues in self.cues], dtype=np.int64)
        return (
            lengths,
            places([cue for cues in self.cues for cue in cues], rows),
            places(self.outcomes, columns),
        )


def asked_of(
    verb: str,
    events: Source,
    cues: str | Iterable[str] | None,
    outcome: str | None,
    pairs: Iterable[Pair] | None,
    *,
    beta: float | tuple[float, float],
    retention: float,
    initial: Weights | None,
    progress: Progress,
    **more: Any,
) -> Asked:
    """Check the arguments of a call; `more` are those that `request_of` checks."""
    rule_of("float64", beta, initial)
    given, single = rule_given(retention=retention), pairs is None
    if pairs is None:
        if cues is None or outcome is None:
            raise TypeError(f"cues and outcome are what {verb} is asked about; give both, or pairs of them")
        wanted = [_sum(cues, outcome, "cues", "outcome")]
    else:
        if cues is not None or outcome is not None:
            raise TypeError("pairs does not go with cues and outcome; give one or the other")
        wanted = [_pair(pair) for pair in several("pairs", pairs, "pairs (cues, outcome)")]
    events = events_given(events, verb, progress=progress)
    names, outcomes = [each for each, _ in wanted], [each for _, each in wanted]
    known = [united(getattr(initial, kind, ()), getattr(events, kind)) for kind in ("cues", "outcomes")]
    chosen(
        "cues" if single else "pairs", dict.fromkeys(cue for each in names for cue in each), known[0], "cues"
    )
    chosen("outcome" if single else "pairs", dict.fromkeys(outcomes), known[1], "outcomes")
    request = request_of(
        events,
        beta=beta,
        rule=given,
        outcomes=list(dict.fromkeys(outcomes)),
        initial=initial,
        dtype="float64",
        **more,
    )
    return Asked(verb, events, request, names, outcomes, single)


def _pair(pair: Any) -> tuple[tuple[str, ...], str]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"pairs must be pairs (cues, outcome) of names, not {shown(pair)}")
    return _sum(pair[0], pair[1], "pairs", "pairs")


def _sum(cues: Any, outcome: object, of_cues: str, of_outcome: str) -> tuple[tuple[str, ...], str]:
    """The names of a sum of weights."""
    cues = plain(cues)
    names = [cues] if isinstance(cues, str) else several(of_cues, cues)
    return tuple(only_names(f"{of_cues} must be names", names)), named(of_outcome, plain(outcome))
