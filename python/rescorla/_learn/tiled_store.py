"""The store that a request is learned into: made for it, and asked what it was made for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.deciding import deciding, difference, hash_of, initial_hash
from rescorla._learn.plan import Numbers, plan_of
from rescorla._learn.record import of_events
from rescorla._learn.request import Request
from rescorla._learn.rule import rule_in
from rescorla._learn.schedule import Factors
from rescorla._shared.optional import need
from rescorla._weights.disk import naming, reading
from rescorla._weights.weights import Weights
from rescorla._weights.zarr.describe import Lanes, Shape, describe, lanes_of_chunk, write_numbers
from rescorla._weights.zarr.folder import Folder
from rescorla._weights.zarr.lazy import StoredArray
from rescorla._weights.zarr.save import write_whole
from rescorla._weights.zarr.store import Store
from rescorla._weights.zarr.uninterrupted import uninterrupted

if TYPE_CHECKING:
    from numpy.typing import NDArray


def made(path: str, events: Events, request: Request, job: Any, threads: int) -> Store:
    """Make a store for what is asked, unless another process does so first: then hold that against it."""
    need("zarr")
    shape = len(request.plan.cues), len(request.plan.outcomes)
    lanes: Lanes = "columns" if job.method == "forward" else "rows"
    axis = 1 if lanes == "columns" else 0
    chunk = lanes_of_chunk(shape[axis], shape[1 - axis], job.width, request.element, threads)
    reported = {
        name: job.report[name] for name in ("updates_forward", "updates_adjoint") if name in job.report
    }
    # How long it took, and on what, each call says of itself.
    facts = {**request.recorded(), **of_events(events), "method": job.method}
    parameters = {**facts, "version": _core.__version__, **reported}
    asked_for = deciding(request, events)
    decided = asked_for | {"method": job.method}
    per_name: dict[str, tuple[str, NDArray[np.float64]]] = {}
    for name, dimension in (("alpha", "cues"), ("lambda", "outcomes")):
        recorded = parameters[name]
        if isinstance(recorded, list):
            per_name[name] = dimension, np.array(parameters.pop(name), dtype=np.float64)
        if isinstance(decided[name], list) and decided[name] != recorded:
            per_name[f"all_{name}"] = f"all_{dimension}", np.array(decided[name], dtype=np.float64)
    kept = {
        name: value
        for name, value in decided.items()
        if name not in ("cues", "outcomes") and not isinstance(value, list)
    }
    attributes = {**parameters, "digest": decided["digest"], "deciding": kept}
    with Folder(path) as folder, naming(path):
        _keep(folder.temporary, request)
        describe(
            folder.temporary,
            Shape(*shape, request.element, lanes, chunk),
            cues=request.plan.cues,
            outcomes=request.plan.outcomes,
            attributes=attributes,
            per_name=per_name,
        )
        folder.appear()
    store = Store.open(path)
    check_request(store, asked_for, job.method)
    return store


def check_events(store: Store, events: Events) -> None:
    """ValueError where the store is not of these events, or not of events at all."""
    known = _decided(store)
    made_of = {name: known[name] for name in ("digest", "n_events", "n_tokens")}
    has = {"n_events": len(events), "n_tokens": events.n_tokens, "digest": events.digest}
    found = difference(made_of, has)
    if found is not None:
        raise ValueError(f"{store.path}: {found}")


def check_request(store: Store, asked_for: Mapping[str, Any], method: str | None) -> None:
    """ValueError that names the first thing in which a call differs from what the store was made with."""
    wanted = dict(asked_for) if method is None else {**asked_for, "method": method}
    found = difference(_decided(store), wanted)
    if found is not None:
        raise ValueError(f"{store.path}: {found}; give the same, or another path")


def check_kept(store: Store) -> None:
    """FormatError where the initial weights or the factors that a store keeps are not what they were."""
    known = store.deciding
    if known is not None:
        _initial(store, known["initial"])
        _factors(store, known)


def request_in(store: Store, events: Events) -> Request:
    """What the store was made to learn; ValueError where it was of other events."""
    check_events(store, events)
    known = _decided(store)
    initial = _initial(store, known["initial"])
    plan = plan_of(events, None if known["all_cues"] else store.cues, store.outcomes, initial)
    return Request(
        rule_in(known),
        plan,
        Numbers(_spread(known["alpha"], len(plan.all_cues)), store.parameters["alpha"]),
        (known["beta1"], known["beta2"]),
        Numbers(_spread(known["lambda"], len(plan.outcomes)), store.parameters["lambda"]),
        store.parameters["schedule"],
        _factors(store, known),
        known["average"],
        store.dtype,
        initial,
        None if initial is None else initial.values,
        # A store has no states.
        None,
    )


def _decided(store: Store) -> Mapping[str, Any]:
    """What decided the bits; ValueError where weights were saved."""
    if store.deciding is None:
        raise ValueError(
            f"{store.path}: these weights were saved, and no store that learning goes on in; name another "
            "output"
        )
    known: Mapping[str, Any] = store.deciding
    return known


def _keep(folder: str, request: Request) -> None:
    """Put initial weights and the factors of a schedule into a store that is being made."""
    factors = request.factors
    if factors is not None:
        arrays = {"present": ("tokens", factors.present), "absent": ("tokens", factors.absent)}
        if factors.absent is factors.present:
            del arrays["absent"]
        write_numbers(os.path.join(folder, "schedule"), arrays)
    if request.initial is not None and request.start is not None:
        initial = request.initial
        write_whole(os.path.join(folder, "initial"), request.start, initial.cues, initial.outcomes, {})


def _initial(store: Store, expected: str | None) -> Weights | None:
    """The initial weights that a store keeps."""
    if expected is None:
        return None
    path = os.path.join(store.path, "initial")
    with reading(path, "the initial weights of a store"):
        kept = Store.open(path)
        values = StoredArray(kept).read()
        if initial_hash(values, kept.cues, kept.outcomes) != expected:
            raise ValueError("other weights")
    return Weights(values, kept.cues, kept.outcomes)


def _factors(store: Store, known: Mapping[str, Any]) -> Factors | None:
    """The factors of the schedule that a store keeps."""
    if known["schedule"] is None:
        return None
    path = os.path.join(store.path, "schedule")
    with reading(path, "the factors of a store's schedule"):
        present, absent = uninterrupted(_kept_factors, path)
        if hash_of(present, absent) != known["schedule"]:
            raise ValueError("other factors")
    betas = known["beta1"], known["beta2"]
    largest = (float(each.max(initial=0.0)) for each in (present, absent))
    return Factors(present, absent, max(b * f for b, f in zip(betas, largest, strict=True)))


def _kept_factors(path: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The arrays of a schedule; one for both where there is one."""
    group = need("zarr").open_group(path, mode="r", zarr_format=3, use_consolidated=False)
    present = group["present"][:]
    return present, group["absent"][:] if "absent" in group else present


def _spread(value: float | list[float], n: int) -> NDArray[np.float64]:
    return np.array(value, dtype=np.float64) if isinstance(value, list) else np.full(n, value)
