"""What made events: the calls, their sources and their options, as JSON that an event file keeps."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence, Sized
from numbers import Integral, Real
from typing import Any

import numpy as np

import rescorla._core as _core

# A file is to say what made it, and not to hold its input: longer lists are counted.
_LISTED = 1000
# How many steps back a file tells, where it was made of others. Loops make events of events without end.
_STEPS = 32
# The most characters of a record. The engine refuses more than 16 MiB.
_CHARACTERS = 1 << 20
_LEFT_OUT = "<left out>"


def made_by(
    function: str,
    source: object = None,
    of: object = None,
    files: Sequence[str] | None = None,
    phases: Mapping[str, Any] | None = None,
    **options: Any,
) -> str:
    """What a function made of a source, of files, or of events that were made as `of` says.

    `phases`, as JSON has them, are those of the new events. They stay where all else is too long.
    """
    plain = {"function": function}
    if files is not None:
        plain["source"] = _plain([_file_name(file) for file in files])
    elif source is not None:
        plain["source"] = _source(source)
    plain.update((name, _plain(value)) for name, value in options.items())
    kept = {"phases": phases} if phases else {}
    for steps in (_STEPS, _STEPS // 4, 0):
        text = _text({**plain, **({} if of is None else {"of": _cut(of, steps)}), **kept})
        if len(text) <= _CHARACTERS:
            return text
    return _text({"function": function, **kept})


def made_of(
    file: _core.EventFile, method: str, phases: Mapping[str, Any] | None = None, /, **options: Any
) -> str:
    """What a method made of events."""
    return made_by(f"Events.{method}", of=parameters_of(file), phases=phases, **options)


def parameters_of(file: _core.EventFile) -> dict[str, Any]:
    """What made a file; nothing where it does not say so."""
    import json

    text = file.parameters()
    if text is None:
        return {}
    try:
        parameters = json.loads(text)
    except (ValueError, RecursionError):
        parameters = None
    if not isinstance(parameters, dict):
        raise _core.FormatError(
            f"{file.path or 'events in memory'}: expected parameters as a JSON object, found {text[:40]!r}; "
            "write the file again"
        )
    return parameters


def _text(parameters: Mapping[str, Any]) -> str:
    import json

    text = json.dumps({**parameters, "version": _core.__version__}, ensure_ascii=False, allow_nan=False)
    # Names of files may have surrogates, which UTF-8 has not; what replaces them is what JSON has for them.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _cut(of: object, steps: int) -> Any:
    """What made the events that events were made of, and those before them; a list is a step of its own."""
    if not steps:
        return _LEFT_OUT
    if isinstance(of, list):
        return [_cut(each, steps - 1) for each in of] if len(of) <= _LISTED else _counted(of)
    if isinstance(of, dict):
        # Phases are about the rows of events, and those events are not here.
        return {
            name: _cut(value, steps - 1) if name == "of" else value
            for name, value in of.items()
            if name != "phases"
        }
    return of


def _source(source: object) -> str:
    if isinstance(source, str | os.PathLike):
        return _file_name(source)
    return f"<{type(source).__name__}>"


def _plain(value: object) -> Any:
    """A value as JSON has it; of what cannot be written, what it is, in angle brackets."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, os.PathLike):
        return _file_name(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else f"<{float(value)}>"
    if isinstance(value, np.ndarray):
        return _plain(value.tolist()) if value.size <= _LISTED else f"<ndarray of {value.size:,}>"
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _plain_list(value)
    name = getattr(value, "__name__", None)
    return f"<{type(value).__name__}{f' {name}' if isinstance(name, str) else ''}>"


def _plain_list(value: Any) -> Any:
    if len(value) > _LISTED:
        return _counted(value)
    if isinstance(value, Mapping):
        return {
            name if isinstance(name, str) else str(_plain(name)): _plain(each) for name, each in value.items()
        }
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    return [_plain(each) for each in value]


def _counted(value: Sized) -> str:
    return f"<{type(value).__name__} of {len(value):,}>"


def _file_name(path: str | os.PathLike[Any]) -> str:
    """The name without the folder: the same text in another folder is the same source."""
    return os.path.basename(os.fsdecode(path))
