"""What to write instead, where a call names an argument that a function does not have."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from rescorla._shared.checks import near, shown

P = ParamSpec("P")
R = TypeVar("R")


class _Moved(NamedTuple):
    """An argument of another package: which it is here, how to write it, and the cure where it is none."""

    argument: str
    written: str
    elsewhere: str


_BETA = _Moved("beta", "beta=(beta1, beta2)", "it is beta=(beta1, beta2) of rescorla.learn")
_LAMBDA = _Moved("lambda_", "lambda_=", "it is lambda_= of rescorla.learn")
_THREADS = _Moved("threads", "threads=", "leave it out")
_DUPLICATES = _Moved(
    "duplicates",
    'duplicates="drop", "keep" or "error"',
    'make the events by rescorla.read_events(source, duplicates="drop", "keep" or "error")',
)
_UNKNOWN = _Moved("unknown", 'unknown="ignore"', 'it is unknown="ignore" of rescorla.activations')
_SYMBOLS = _Moved("symbols", "symbols=", "it is symbols= of rescorla.corpus_events")
_CONTEXT = _Moved("context", "context=", "it is context= of rescorla.corpus_events")
_WINDOW = _Moved("window", "window=", "it is window= of rescorla.corpus_events")
_PROGRESS = _Moved("progress", "progress=", "leave it out")
_SEED = _Moved("seed", "seed=", "draw the events first: events.shuffled(seed=1)")
_PASSES = _Moved("passes", "passes=", "repeat the events first: events.passes(n, seed=1)")
_INITIAL = _Moved("initial", "initial=", "it is initial= of rescorla.learn")
_BACKGROUND = _Moved("background", 'background="Environ"', 'make it a cue: events.with_background("Environ")')

# The arguments of pyndl, and of the R packages, as docs/moving.md has them.
_ELSEWHERE: Mapping[str, _Moved] = {
    "addBackground": _BACKGROUND,
    "allowed_symbols": _SYMBOLS,
    "alphas": _Moved("alpha", "alpha=", "it is alpha= of rescorla.learn"),
    "betas": _BETA,
    "beta1": _BETA,
    "beta2": _BETA,
    "context_structure": _CONTEXT,
    "cue_structure": _Moved("cues_from", "cues_from=", "it is cues_from= of rescorla.corpus_events"),
    "eta": _Moved("beta", "alpha= and beta=: eta is their product", "it is eta= of rescorla.widrow_hoff"),
    "event_options": _WINDOW,
    "event_structure": _WINDOW,
    "ignore_missing_cues": _UNKNOWN,
    "inplace": _Moved("out", "out=", "it is out= of rescorla.learn"),
    "lambda": _LAMBDA,
    "lower_case": _Moved("lower", "lower=", "it is lower= of rescorla.corpus_events"),
    "make_data_array": _Moved("", "", "leave it out: weights.to_xarray() makes one"),
    "n_jobs": _THREADS,
    "n_threads": _THREADS,
    "number_of_processes": _THREADS,
    "number_of_threads": _THREADS,
    "num_threads": _THREADS,
    "nruns": _PASSES,
    "random_state": _SEED,
    "remove_duplicates": _DUPLICATES,
    "removeDuplicates": _DUPLICATES,
    "sample_size": _Moved("size", "size=", "it is size= of rescorla.bandsample"),
    "sepToken": _Moved("separator", "separator=", "it is separator= of rescorla.ortho_coding"),
    "temporary_directory": _Moved("", "", "leave it out: events are not written to pieces first"),
    "verbose": _PROGRESS,
    "weights": _INITIAL,
}


def hinting(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which says what to write instead where its arguments are misnamed or miscounted.

    The call itself costs a fraction of a microsecond more; signature and documentation stay.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Of what went wrong in the function itself the trace goes on into it.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            message = _wrong_call(function, args, kwargs)
            if message is None:
                raise
        raise TypeError(message)

    return called


def _wrong_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """What is wrong with a call, and what to write instead; None where arguments do fit."""
    parameters = dict(inspect.signature(function).parameters)
    name = function.__qualname__
    is_method = next(iter(parameters), None) == "self"
    positional = [
        each.name
        for each in parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    named = [each for each in parameters if each != "self"]
    for keyword in kwargs:
        if keyword not in parameters:
            return f"{name}() has no argument {keyword!r}; {_cure(keyword, named)}"
    takes_more = any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
    if len(args) > len(positional) and not takes_more:
        more = [each.name for each in parameters.values() if each.kind is each.KEYWORD_ONLY]
        # Numbers by position are learning rates: alpha, then beta.
        surplus = args[len(positional) :]
        first = positional[is_method:]
        pairs = zip(more, surplus, strict=False)
        written = ", ".join([*first, *(f"{each}={shown(value)}" for each, value in pairs)])
        return (
            f"{name}() takes {_counted(len(first))} by position ({', '.join(first) or 'none'}), and "
            f"{len(args) - is_method} were given; name the others, as in {name.rpartition('.')[2]}({written})"
        )
    for each in positional[: len(args)]:
        if each in kwargs:
            return f"{name}() is given {each!r} twice, by position and by name; give it once"
    missing = [
        each.name
        for each in parameters.values()
        if each.default is each.empty
        and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        and each.name not in (*positional[: len(args)], *kwargs)
    ]
    if missing:
        listed = " and ".join(missing)
        return f"{name}() needs {listed}; write {name.rpartition('.')[2]}({', '.join(_required(parameters))})"
    return None


def _cure(keyword: str, known: list[str]) -> str:
    moved = _ELSEWHERE.get(keyword)
    if moved is not None and moved.argument in known:
        return f"write {moved.written}"
    close = near(keyword, known)
    if close:
        return close.removeprefix("; ")
    if moved is not None:
        return moved.elsewhere
    return f"it has {', '.join(known)}"


def _required(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [
        each.name if each.kind is not each.KEYWORD_ONLY else f"{each.name}=..."
        for each in parameters.values()
        if each.default is each.empty and each.name != "self" and each.kind is not each.VAR_POSITIONAL
    ]


def _counted(n: int) -> str:
    return "no argument" if n == 0 else "1 argument" if n == 1 else f"{n} arguments"
