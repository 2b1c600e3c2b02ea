"""What tests ask of the engine, and what must not change a bit of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_ASKED: ContextVar[Mapping[str, Any]] = ContextVar("asked")

# What a whole run of tests asks for wherever a test does not choose itself, on every thread.
everywhere: dict[str, Any] = {}


@contextmanager
def asking(**choices: Any) -> Iterator[None]:
    """Learn with this ``kernel``, ``tile``, ``chunk``, ``block``, ``budget`` or ``ordered`` in the block."""
    token = _ASKED.set(choices)
    try:
        yield
    finally:
        _ASKED.reset(token)


def asked(*names: str) -> dict[str, Any]:
    """The choices of these names; None is the engine's own."""
    choices = everywhere | {name: choice for name, choice in _ASKED.get({}).items() if choice is not None}
    return {name: choices.get(name) for name in names}
