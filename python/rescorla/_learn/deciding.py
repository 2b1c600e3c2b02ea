"""What of a request decides the bits of the weights, as a store keeps it, and how two of them differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._events.events import Events
from rescorla._learn.request import Request
from rescorla._shared.checks import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray


def deciding(request: Request, events: Events) -> dict[str, Any]:
    """What decides the bits, but for the method."""
    plan, factors, initial = request.plan, request.factors, request.initial
    return {
        "digest": events.digest,
        "n_events": len(events),
        "n_tokens": events.n_tokens,
        **request.rule.recorded(),
        "dtype": str(request.element),
        "cues": list(plan.cues),
        "outcomes": list(plan.outcomes),
        "all_cues": plan.keep_rows is None,
        "alpha": _one_or_all(request.alphas.values),
        "beta1": request.betas[0],
        "beta2": request.betas[1],
        "lambda": _one_or_all(request.lambdas.values),
        "average": request.average,
        "schedule": None if factors is None else hash_of(factors.present, factors.absent),
        "initial": None
        if initial is None or request.start is None
        else initial_hash(request.start, initial.cues, initial.outcomes),
    }


def hash_of(*arrays: NDArray[Any]) -> str:
    """The SHA-256 of the shapes and elements of arrays."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(repr(array.shape).encode("ascii"))
        found.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).data)
    return found.hexdigest()


def initial_hash(start: NDArray[Any], cues: tuple[str, ...], outcomes: tuple[str, ...]) -> str:
    """The SHA-256 of initial weights and their names."""
    names = hashlib.sha256(json.dumps([cues, outcomes]).encode("ascii")).hexdigest()
    return hashlib.sha256(f"{names} {hash_of(start)}".encode("ascii")).hexdigest()


def difference(made: Mapping[str, Any], asked_for: Mapping[str, Any]) -> str | None:
    """The first difference between what a store was made with and what a call has; None if there is none."""
    for name, wanted in asked_for.items():
        found = made.get(name)
        if found == wanted:
            continue
        if name == "digest":
            return "events: the store was made of others; give the events that it was made of"
        if name in ("n_events", "n_tokens"):
            return f"events: the store was made of {found} {name[2:]}, these are {wanted}"
        if name in ("cues", "outcomes") and isinstance(found, list):
            return f"{name}: {_different_names(found, wanted)}"
        if name in ("schedule", "initial"):
            had, has = ("none" if each is None else "some" for each in (found, wanted))
            if had == has:
                return f"{name}: the store was made with others than this call has"
            return f"{name}: the store was made with {had}, this call has {has}"
        return f"{name}: the store was made with {_told(found)}, this call has {_told(wanted)}"
    return None


def _different_names(found: list[str], wanted: list[str]) -> str:
    if len(found) != len(wanted):
        return f"the store has {len(found)}, this call {len(wanted)}"
    at = next(place for place, pair in enumerate(zip(found, wanted, strict=True)) if pair[0] != pair[1])
    return f"number {at + 1} is {found[at]!r} in the store, and {wanted[at]!r} in this call"


def _told(value: object) -> str:
    return f"{len(value)} numbers" if isinstance(value, list) else shown(value)


def _one_or_all(values: NDArray[np.float64]) -> float | list[float]:
    """One number where it is that of all names."""
    if len(values) and (values == values[0]).all():
        return float(values[0])
    return values.tolist()  # type: ignore[no-any-return]
