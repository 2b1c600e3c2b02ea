"""Schedules, as options say them."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from rescorla import schedules
from rescorla._learn.schedule import Schedule
from rescorla._shared.checks import near
from rescorla.cli.command import number

# Arguments of schedules that are lists, joined by /.
_LISTS = ("ends", "factors")


def schedule_of(text: str) -> Schedule:
    """A schedule of `rescorla.schedules`, as in inverse_time:1000 or power:tau=1000,exponent=0.7."""
    name, _, given = text.partition(":")
    if name not in schedules.__all__:
        raise argparse.ArgumentTypeError(
            f"{name!r} is none of {', '.join(schedules.__all__)}{near(name, schedules.__all__)}"
        )
    make = getattr(schedules, name)
    wanted = list(inspect.signature(make).parameters)
    form = f"{name}:{','.join(f'{each}=' + ('N/N/...' if each in _LISTS else 'N') for each in wanted)}"
    told: dict[str, Any] = {}
    for place, each in enumerate(given.split(",") if given else ()):
        argument, equals, value = each.partition("=")
        if not equals:
            argument, value = wanted[place] if place < len(wanted) else "", each
        if argument not in wanted or argument in told:
            raise argparse.ArgumentTypeError(f"{each!r} in {text!r} is one too many; write {form}")
        try:
            told[argument] = _numbers(value) if argument in _LISTS else number(value)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}; write {form}") from None
    if len(told) < len(wanted):
        missing = next(each for each in wanted if each not in told)
        raise argparse.ArgumentTypeError(f"{text!r} does not say {missing}; write {form}")
    try:
        made: Schedule = make(**told)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return made


def _numbers(text: str) -> list[float]:
    return [number(each) for each in text.split("/")]
