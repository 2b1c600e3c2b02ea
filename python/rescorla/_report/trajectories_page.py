"""The page of trajectories: the curves that were recorded."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rescorla._learn.trajectory import Trajectories
from rescorla._report import page
from rescorla._report.cited import cited
from rescorla._report.page import packed, phases_with_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers of curves that are kept; tokens of each, where there is not room for all; curves drawn at first.
_NUMBERS, _TOKENS, _FIRST = 700_000, 600, 7

_HELP = (
    "Each line is a weight over tokens. Point at a chart, or go to it by the Tab key and use the arrow keys: "
    "the list below says the values there. Ticks choose what is drawn."
)


def page_of(trajectories: Trajectories, title: str | None) -> bytes:
    """The page, with as many tokens, and then as many curves, as there is room for."""
    pairs = trajectories.pairs or tuple(product(trajectories.cues, trajectories.outcomes))
    n_times, n_curves = len(trajectories.tokens), len(pairs)
    if not n_times or not n_curves:
        raise ValueError(
            f"there is nothing to draw: {n_times} recorded tokens of {n_curves} weights; record some of each"
        )
    values = trajectories.values.reshape(n_times, n_curves)
    times = np.arange(n_times)
    if n_times * n_curves > _NUMBERS and n_times > _TOKENS:
        times = np.unique(np.linspace(0, n_times - 1, max(_TOKENS, _NUMBERS // n_curves)).astype(int))
    room = max(1, _NUMBERS // len(times))
    sizes = _sizes(values[times])
    kept = np.sort(np.argsort(-sizes, kind="stable")[:room])
    curves = values[np.ix_(times, kept)].T
    single = values.dtype == np.float32
    said = _said(len(times), n_times, len(kept), n_curves)
    return page.page(
        title=title or f"Trajectories of {n_curves:,} weight{'s' if n_curves > 1 else ''}",
        lead=f"{values.dtype}, recorded after {n_times:,} tokens, from {trajectories.tokens[0]:,} to "
        f"{trajectories.tokens[-1]:,}",
        body="curves",
        scripts=("curves", "recorded"),
        data={
            "tokens": packed(trajectories.tokens[times], "f8"),
            "names": [pairs[place] for place in kept.tolist()],
            "curves": packed(curves, "f4" if single else "f8"),
            "first": np.argsort(-sizes[kept], kind="stable")[:_FIRST].tolist(),
            "digits": 7 if single else 17,
            "phases": phases_with_tokens(trajectories),
        },
        facts=page.section("What is in this file", page.sentences(said))
        + page.parameters(trajectories.parameters)
        + cited(trajectories.parameters.get("rule")),
        marks={"heading": "Trajectories", "help": _HELP},
    )


def _sizes(values: NDArray[Any]) -> NDArray[np.float64]:
    """How far each curve goes from zero; what is not finite does not count."""
    sizes: NDArray[np.float64] = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    return sizes


def _said(n_times: int, all_times: int, n_curves: int, all_curves: int) -> list[str]:
    if (n_times, n_curves) == (all_times, all_curves):
        return ["All that was recorded is in this file."]
    said = []
    if n_times < all_times:
        said.append(f"Of {all_times:,} recorded tokens {n_times:,}, evenly among them, are in this file.")
    if n_curves < all_curves:
        said.append(f"Of {all_curves:,} curves the {n_curves:,} that go furthest from zero are in this file.")
    return [*said, "rescorla's Trajectories have the others."]
