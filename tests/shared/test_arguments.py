"""Every argument of every public callable, given what it cannot be: an error that begins with its name."""

import datetime
import inspect
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import calls
import matplotlib.pyplot as plt
import numpy as np
import pytest
from rescorla._shared.checks import shown

# Each fresh, since some are used up.
VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "1": lambda: 1,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "1e308": lambda: 1e308,
    "2**64": lambda: 2**64,
    "10**400": lambda: 10**400,
    "1j": lambda: 1j,
    "'no'": lambda: "no",
    "''": lambda: "",
    "'\\0'": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"ab",
    "bytearray": lambda: bytearray(b"ab"),
    "Path": lambda: Path("nowhere/no"),
    "folder": lambda: Path(),
    "object": object,
    "function": lambda: lambda *_, **__: 0.0 / 0.0,
    "class": lambda: int,
    "ellipsis": lambda: ...,
    "slice": lambda: slice(1),
    "Fraction": lambda: Fraction(1, 3),
    "Decimal": lambda: Decimal("0.1"),
    "date": lambda: datetime.date(2020, 1, 1),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "[]": list,
    "iterator": lambda: iter(()),
    "[[]]": lambda: [[]],
    "[None]": lambda: [None],
    "[0.5]": lambda: [0.5],
    "[2**64]": lambda: [2**64],
    "[10**400]": lambda: [10**400],
    "['no']": lambda: ["no"],
    "[surrogate]": lambda: ["\ud800"],
    "[bytes]": lambda: [b"ab"],
    "(1, 2, 3)": lambda: (1, 2, 3),
    "{}": dict,
    "{'no': 1}": lambda: {"no": 1},
    "set": lambda: {"no"},
    "frozenset": lambda: frozenset({"no"}),
    "masked": lambda: np.ma.masked_array([0.1, 0.9], [False, True]),
    "masked matrix": lambda: np.ma.masked_array([[0.1, 0.9], [0.2, 0.3]], [[False, True], [False, False]]),
    "array of a str": lambda: np.array("no"),
    "array of objects": lambda: np.array([object()]),
    "array of times": lambda: np.array(["2020-01-01"], dtype="M8[s]"),
    "bool_": lambda: np.True_,
    "float64": lambda: np.float64(-1.5),
    "int64": lambda: np.int64(-2),
    "str_": lambda: np.str_("no"),
    "[str_]": lambda: [np.str_("no")],
    "{str_: float64}": lambda: {np.str_("no"): np.float64(1)},
}

# Kinds of arguments, and the values among these that they can be.
KINDS = {
    "none": "None",
    "flag": "True, bool_",
    "string": "'', '\\0', 'no', str_",
    "number": "-1, 0, 0.5, 1, Fraction, 2**64, 1e308, float64, int64",
    "share": "0.5, 1, Fraction",
    "nothing": "{}",
    "rate": "0, 0.5, 1, Fraction, 2**64, 1e308",
    "count": "0, 1",
    "seed": "0, 1, 2**64, 10**400",
    "empty": "[], iterator, {}",
    "matrix": "[[]]",
    "positions": "(1; 2; 3), []",
    "numbers": "[0.5], (1; 2; 3), [], iterator, {}, [2**64]",
    "names": "[], iterator, {}, ['no'], {'no': 1}, [str_], {str_: float64}",
    "surrogate": "[surrogate]",
    "surrogates": "surrogate",
    "set": "set, frozenset",
    "path": "'no', bytes, str_",
    "function": "function, class",
    "typed": "float64",
    "mapping": "{}, {'no': 1}, {str_: float64}",
}
# What arguments can be, whichever callable takes them: one name stands for one thing.
CAN_BE = {
    "N": "count positions",
    "X": "",
    "across": "flag",
    "format": "none",
    "mask": "flag",
    "normalized": "flag",
    "activations": "matrix",
    "adjacent": "flag",
    "alpha": "rate none positions numbers",
    "at": "positions none",
    "average": "flag",
    "ax": "none",
    "background": "string none",
    "batch": "count",
    "beta": "rate none",
    "between": "count",
    "bias": "flag",
    "bins": "count positions",
    "book": "none",
    "boundary": "string",
    "bounds": "none nothing",
    "by": "none",
    "chunks": "number string flag none empty",
    "class_weight": "none empty",
    "columns": "none",
    "context": "string flag",
    "corpus": "names matrix",
    "candidates": "none",
    "choices": "names surrogate none",
    "counts": "mapping flag",
    "cue": "none",
    "cue_map": "none mapping",
    "cue_vectors": "none",
    "cues": "none names matrix surrogate",
    "cues_from": "count positions matrix",
    "cutoff": "count",
    "data": "empty",
    "decimals": "count none",
    "dtype": "none typed",
    "ends": "positions",
    "equilibrium": "none empty",
    "eta": "rate none",
    "event_memory": "count none",
    "events": "empty matrix",
    "every": "count",
    "exponent": "rate",
    "factors": "none empty",
    "features": "none empty matrix",
    "fit_intercept": "flag",
    "floor": "rate",
    "frequencies": "none",
    "frequency": "none",
    "gamma": "rate",
    "groups": "none mapping",
    "homophones": "flag",
    "grams": "count positions",
    "header": "flag",
    "initial": "none",
    "k": "count",
    "keep_cues": "none names set",
    "keep_outcomes": "none names set",
    "lambda_": "number none numbers",
    "legend": "flag",
    "limit": "rate none",
    "long": "flag",
    "lower": "flag",
    "mapped": "flag",
    "max": "number",
    "max_cues": "count none",
    "max_iter": "count",
    "max_length": "count",
    "max_outcomes": "count none",
    "max_steps": "count none",
    "max_sweeps": "count",
    "maxn": "count",
    "min": "number",
    "min_cue_count": "count none",
    "min_outcome_count": "count none",
    "minimum": "number none",
    "n": "rate positions none",
    "n_dimensions": "count",
    "n_max": "count",
    "n_parameters": "count none",
    "name": "string",
    "names": "none empty",
    "nearness": "none",
    "normalize": "none",
    "order": "none",
    "out": "none path",
    "outcome": "none",
    "outcome_map": "none mapping",
    "outcome_vectors": "none",
    "outcomes": "none names surrogate",
    "outcomes_from": "count none positions matrix",
    "pairs": "none empty",
    "parameters": "none mapping",
    "part": "none",
    "passes": "count none",
    "path": "path none",
    "paths": "none",
    "predictions": "flag",
    "prefix": "string",
    "progress": "flag none function",
    "quantiles": "count",
    "random_state": "count none flag",
    "record": "none flag empty",
    "refit": "flag",
    "remove_cues": "none names set",
    "remove_outcomes": "none names set",
    "repeats": "count",
    "replicates": "count",
    "resume": "flag",
    "retention": "share",
    "ridge": "rate",
    "rounded": "flag",
    "rule_parameters": "none nothing",
    "sample": "count",
    "schedule": "none function",
    "sd": "rate",
    "sd_mean": "rate",
    "sd_noise": "rate",
    "seed": "seed none",
    "sentence_end": "string",
    "speakers": "none",
    "separator": "string none",
    "size": "count",
    "source": "empty",
    "stabilities": "flag",
    "state": "none empty",
    "step": "rate",
    "stop": "rate none",
    "stop_words": "names set",
    "students": "empty",
    "suffix": "string",
    "symbols": "string none function",
    "targets": "none",
    "tau": "rate",
    "teacher": "none",
    "test": "rate",
    "text": "empty",
    "theta": "number",
    "threads": "count none",
    "tiles": "none empty set",
    "title": "string none surrogates",
    "tokens": "count positions matrix",
    "tol": "rate none",
    "update": "flag",
    "values": "numbers",
    "vocabulary": "none names set",
    "weights": "none",
    "window": "count none",
    "words": "names surrogate",
}
# scikit-learn's own, which it checks in its own words; of numbers beyond float64 there are ours.
THEIRS = {"X", "y", "sample_weight", "classes", "class_weight", "random_state"}
# Where a list or a file is wrong, and what is to be read or written: these come first in messages.
PLACE = re.compile("(event|line|word|row|column|group|pair|the word|the weights|expected the path)\\b")
# A number or str of numpy's is shown as one, without the name of its type; but not by other libraries.
NUMPYS, WRAPPED = re.compile(r"np\.(float|int|str_|True_)"), {"chunks"}
# Levels are whatever is compared with those of a table.
LEVELS = {"ignore"}
# What the caller's own function raises, and weights that no longer are numbers.
OWN = {"progress", "schedule", "symbols", "cues_from", "outcomes_from", "groups"}
RATES = {"alpha", "beta", "eta", "lambda_"}


def can_be(argument: str) -> set[str]:
    """The labels of the values that an argument takes."""
    kinds = CAN_BE.get(argument, "").split()
    return {label.replace(";", ",") for kind in kinds for label in KINDS[kind].split(", ")}


def is_told(error: Exception, argument: str, value: str, arguments: dict[str, Any]) -> bool:
    """Whether an error says what is wrong with an argument."""
    message = str(error.args[0] if type(error) is KeyError else error)
    if NUMPYS.search(message) and argument not in THEIRS | WRAPPED and not PLACE.match(message):
        return False
    first = re.match(r"\w+", message)
    if isinstance(error, FloatingPointError):
        return argument in RATES
    if argument in OWN and value in ("function", "class"):
        return True
    if not isinstance(error, TypeError | ValueError | KeyError | OSError):
        return False
    if argument in THEIRS or (first is not None and first[0] in arguments):
        return True
    if PLACE.match(message):
        return True
    return isinstance(error, OSError) or re.match(r"\S*(: | is also read)", message) is not None


def test_a_short_value_is_shown_and_a_long_one_told() -> None:
    assert shown("a" * 58) == repr("a" * 58)
    assert shown("a" * 59) == "a str"
    assert shown(np.zeros(2)) == "an ndarray"
    assert shown({}) == "a dict"


def test_the_table_has_every_callable() -> None:
    public = dict(calls.public())
    table = calls.calls()
    assert table.keys() == public.keys()
    for name, call in table.items():
        if not name.startswith(("classify.NDLClassifier.", "estimators.")):
            assert call.arguments.keys() == inspect.signature(public[name]).parameters.keys() - {"self"}, name


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, calls.Call]]:
    folder, before = tmp_path_factory.mktemp("arguments"), Path.cwd()
    os.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calls.files(folder)
        yield calls.calls()
    os.chdir(before)


@pytest.mark.parametrize("name", sorted({name for name, _ in calls.public()}))
@pytest.mark.filterwarnings("ignore")
def test_what_an_argument_cannot_be_is_told(name: str, table: dict[str, calls.Call]) -> None:
    call, wrong = table[name], []
    call.function(**call.arguments)
    for argument in call.arguments:
        for label, make in VALUES.items():
            shutil.rmtree("new.zarr", ignore_errors=True)
            try:
                call.function(**{**call.arguments, argument: make()})
            except Exception as error:
                if not is_told(error, argument, label, call.arguments):
                    wrong.append(f"{argument} = {label}: {type(error).__name__}: {error}")
            else:
                if argument not in THEIRS | LEVELS and label not in can_be(argument):
                    wrong.append(f"{argument} = {label} is taken")
            plt.close("all")
    # Some of them are the names of files.
    for path in ("no", "ab"):
        Path(path).unlink(missing_ok=True)
    calls.files(Path())
    assert not wrong, "\n".join(wrong)
