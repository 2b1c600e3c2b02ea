"""Runs commands in this process, for tests."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from rescorla import cli


class Said(NamedTuple):
    """What a command printed, and its exit status."""

    out: str
    error: str
    status: int


def said(*told: object) -> Said:
    """Run a command."""
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        try:
            status = cli.main([str(each) for each in told])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Said(out.getvalue(), error.getvalue(), status)


def ok(*told: object) -> str:
    """What a command prints that does well, on standard output."""
    found = said(*told)
    assert found.status == 0, found.error
    return found.out


def json_of(*told: object, status: int = 0) -> dict[str, Any]:
    """The object that a command prints."""
    found = said(*told, "--json")
    assert found.status == status, found.error
    value = json.loads(found.out)
    assert isinstance(value, dict)
    return value
