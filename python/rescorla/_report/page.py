"""The page: a template with its style and script, and what is put into it, which can do no harm there."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

import rescorla._core as _core
from rescorla._events.events import Events
from rescorla._learn.trajectory import Trajectories

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 10_000_000
"""Bytes of a page, at most."""

# What may be loaded: the style and the script that are in the page, and its icon, which is none. No network.
_POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)

_MARK = re.compile(r"\{\{(\w+)\}\}")


def page(
    *,
    title: str,
    lead: str,
    body: str,
    scripts: Sequence[str],
    data: Mapping[str, Any],
    facts: str,
    marks: Mapping[str, str] = {},
) -> bytes:
    """The page as a file has it.

    `body` and `scripts` are the names of the files of its structure and scripts, without their suffixes;
    `facts` are sections in HTML; `marks` are put into the structure, as text.
    """
    style, script = _asset("page.css"), "\n".join(_asset(f"{name}.js") for name in ("page", *scripts))
    text = _filled(
        _asset("page.html"),
        {
            "policy": escape(_POLICY.format(script=_digest(script), style=_digest(style))),
            "version": escape(_core.__version__),
            "title": escape(title),
            "lead": escape(lead),
            "style": style,
            "script": script,
            "body": _filled(_asset(f"{body}.html"), {name: escape(text) for name, text in marks.items()}),
            "facts": facts,
            "data": _json(data),
        },
    )
    # What is in half of a pair of UTF-16 JSON has as an escape, and HTML not at all.
    return text.encode("utf-8", "backslashreplace")


def section(title: str, *parts: str) -> str:
    """A section of facts: a heading, and parts in HTML."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def sentences(lines: Iterable[str]) -> str:
    """A list of sentences."""
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def parameters(values: dict[str, Any]) -> str:
    """How a result came about, as a section; nothing where nothing is known."""
    if not values:
        return ""
    if isinstance(values.get("seconds"), float):
        # The time that work took is never twice the same.
        values = values | {"seconds": f"{values['seconds']:.3g}"}
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(_told(value))}</td></tr>'
        for name, value in values.items()
    )
    return section("Parameters", f"<table><tbody>{rows}</tbody></table>")


def _told(value: object) -> str:
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"{len(value):,} values: {', '.join(map(str, value[:3]))}, ..."
    if isinstance(value, bool | None.__class__):
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        # The chart has the phases of a design.
        said = {name: each for name, each in value.items() if each not in (None, [], {}) and name != "phases"}
        return ", ".join(f"{name}: {_told(each)}" for name, each in said.items())
    text = str(value)
    return text if len(text) <= 1000 else f"{text[:1000]} ..."


def _json(data: Mapping[str, Any]) -> str:
    """JSON within HTML: what a name has in it can neither end the element nor begin another."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with its marks replaced, in one go: what is put in is not looked at again."""
    return _MARK.sub(lambda found: parts[found[1]], template)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _asset(name: str) -> str:
    return files("rescorla._report").joinpath(name).read_text(encoding="utf-8").strip()


def packed(values: NDArray[Any] | Sequence[int] | Sequence[float], kind: str) -> dict[str, str]:
    """An array of this kind, f8, f4, u4 or u2, compressed, in letters, as the page's `unpacked` reads it.

    Little-endian, as every machine with a browser is.
    """
    content = np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()
    return {"type": kind, "packed": base64.b64encode(zlib.compress(content)).decode("ascii")}


def packed_numbers(values: NDArray[Any] | Sequence[int], below: int) -> dict[str, str]:
    """Whole numbers that are less than `below`, as small as they can be."""
    return packed(values, "u2" if below <= 1 << 16 else "u4")


def phases_with_tokens(result: Events | Trajectories) -> list[dict[str, Any]]:
    """Those that have tokens: their names, and the tokens before their first and after their last one."""
    return [
        {"name": name, "from": phase.tokens.start, "to": phase.tokens.stop}
        for name, phase in result.phases.items()
        if len(phase.tokens)
    ]
