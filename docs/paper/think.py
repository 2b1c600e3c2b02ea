"""The Finnish verbs that mean to think (Arppe 2008), coded as events.

3,404 sentences with one of four verbs, described by 23 factors. A level of a factor becomes a cue that is
named as R's ndl names it: PatientActivity is the level Activity of the factor Patient.
"""

import csv
from pathlib import Path

import rescorla as rw

# What says of its factor only that there is nothing to say.
REFERENCE = ("None", "Other", "Overt", "FiniteVerbChain", "Absent")
FIRST, LAST = "Polarity", "CoordinatedVerb"
VERBS = ("ajatella", "harkita", "miettia", "pohtia")
BACKGROUND = "background"

Table = dict[str, list[str]]


def read(folder: Path) -> Table:
    """The columns of think.csv."""
    with (folder / "think.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def events(table: Table, *, every_level: bool = False, background: bool = False) -> rw.Events:
    """Events of the 46 features, or of all 69 levels; perhaps with a cue that is always there."""
    names = list(table)
    return rw.factor_events(
        table,
        "Lexeme",
        names[names.index(FIRST) : names.index(LAST) + 1],
        ignore=() if every_level else REFERENCE,
        background=BACKGROUND if background else None,
    )
