"""A result as one page in HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rescorla._core import check_apart
from rescorla._events.events import Events
from rescorla._events.read import files_of_events
from rescorla._learn.influence.event_influence import Influence
from rescorla._learn.trajectory import Trajectories
from rescorla._shared.checks import PathName, PerName, one_of, path_name, shown, whole
from rescorla._shared.progress import Progress, watching
from rescorla._weights.disk import mapped_files, writing
from rescorla._weights.weights import Weights

# The defaults of what is about weights alone.
_N, _NEARNESS = 50, "cosine"

_SUFFIXES = (".html", ".htm")


def report(
    result: Weights | Trajectories | Influence | Events | Mapping[str, Events],
    path: PathName,
    *,
    title: str | None = None,
    n: int = _N,
    nearness: Literal["cosine", "correlation"] | None = "cosine",
    alpha: PerName | None = None,
    beta: float | tuple[float, float] | None = None,
    lambda_: PerName | None = None,
    progress: Progress = None,
) -> None:
    """Write a page in HTML that shows a result to whoever has a browser, without network and without Python.

    For weights, the page has a search, the strongest outcomes of every cue and the strongest cues of every
    outcome, nearest names, a network and a histogram. Events, such as the design of an experiment, are
    learned in the page, and again whenever a slider moves:

        dw_ij = alpha_i * beta1 * (lambda_j - a_j)   cue i present, outcome j present
        dw_ij = alpha_i * beta2 * (0 - a_j)          cue i present, outcome j absent

    in the order of operations of ``learn(method="forward")``, with the same bits. For trajectories, the page
    has the curves. For an influence, it has the sum of the contributions over time, and the events with the
    greatest effects.

    Parameters
    ----------
    result : Weights, Trajectories, Influence, Events or mapping of str to Events
        What to show. Several groups of events, by name, have a chart each.
    path : str or path-like
        The file to write; it ends in ``.html``. An older file of that name is replaced.
    title : str, optional
        The heading; by default it says what the page shows, and how much of it.
    n : int, default 50
        For weights: the page has the n strongest positive and the n strongest negative weights of each name;
        fewer if it would have more than 10 MB. For an influence: the n events with the greatest effects.
    nearness : {"cosine", "correlation"} or None, default "cosine"
        For weights: the measure of how near names are, between rows of weights for cues and between columns
        for outcomes. None leaves nearest names out.
    alpha, beta, lambda_
        For events: the sliders' first values, as `learn` takes them; by default 0.1, 0.1 and 1. A mapping or
        array of `alpha` has the cues of all groups, in order of first appearance, and one of `lambda_` the
        outcomes.
    progress : bool or callable, optional
        For weights: as in `learn`.

    Raises
    ------
    TypeError
        When `result` is something else, or an argument is of the wrong type.
    ValueError
        When an argument does not belong to what is shown; when there is nothing to show; when there are too
        many tokens to learn in a page (some millions), or the page would still have more than 10 MB; when an
        influence has some rows only; when the path has another suffix, or is an input.
    KeyError
        When alpha or lambda_ is a mapping that lacks a name, or has one that is not in the events.
    OSError
        When the file cannot be written.

    Notes
    -----
    The file is written whole or not at all. The page says what it leaves out. It works in browsers of 2023
    and later, has no code and no data from elsewhere, and forbids itself any network; names in it can do no
    harm. All weights are read into memory, also those of a store. A page of 4,613 x 12,544 weights takes half
    a minute of one processor's time, most of it for nearest names. These are left out if comparing all would
    take more than some minutes.

    See Also
    --------
    plot : pictures for papers.
    Trajectories : what is recorded on the way.

    Examples
    --------
    >>> import rescorla as rw, os, tempfile
    >>> events = rw.read_events(
    ...     [("light", "shock", 40), ("light_tone", "shock", 40)]
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rw.report(
    ...         events,
    ...         os.path.join(folder, "blocking.html"),
    ...         title="Blocking",
    ...         alpha=0.3,
    ...     )
    ...     rw.report(rw.learn(events), os.path.join(folder, "weights.html"))
    ...     sorted(os.listdir(folder))
    ['blocking.html', 'weights.html']
    """
    # Loaded when a page is written: they need more of the standard library than all else.
    from rescorla._report import influence_page, learning_page, trajectories_page, weights_page

    where = path_name(path)
    if not where.lower().endswith(_SUFFIXES):
        raise ValueError(f"{where}: a report is a page in HTML; give a name that ends in .html")
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title must be a str, not {shown(title)}")
    n = whole("n", n, 1)
    one_of("nearness", nearness, ("cosine", "correlation", None))
    rule = {"alpha": alpha, "beta": beta, "lambda_": lambda_}
    if isinstance(result, Weights):
        _refuse(rule, dict.fromkeys(rule), "events, which are learned in the page, not of weights")
        check_apart(where, mapped_files(result.data))
        with watching(progress, "report", "%", 100) as watch:
            made = weights_page.page_of(result, title, n, nearness, watch)
    elif isinstance(result, Influence):
        _refuse(rule, dict.fromkeys(rule), "events, which are learned in the page, not of an influence")
        _refuse({"nearness": nearness}, {"nearness": _NEARNESS}, "weights")
        check_apart(where, files_of_events(result.events))
        made = influence_page.page_of(result, title, n)
    else:
        _refuse({"n": n, "nearness": nearness}, {"n": _N, "nearness": _NEARNESS}, "weights")
        if isinstance(result, Trajectories):
            _refuse(rule, dict.fromkeys(rule), "events, which are learned in the page, not of trajectories")
            check_apart(where, mapped_files(result.values))
            made = trajectories_page.page_of(result, title)
        else:
            groups = _groups(result)
            check_apart(where, [file for events in groups.values() for file in files_of_events(events)])
            given: dict[str, Any] = {name: value for name, value in rule.items() if value is not None}
            made = learning_page.page_of(groups, title, **given)
    with writing(where) as stream:
        stream.write(made)


def _refuse(given: Mapping[str, object], defaults: Mapping[str, object], about: str) -> None:
    """ValueError where an argument is given that is about something else."""
    for name, value in given.items():
        if value is not defaults[name] and (defaults[name] is None or value != defaults[name]):
            raise ValueError(f"{name} is about reports of {about}; leave it out")


def _groups(result: object) -> dict[str, Events]:
    """Groups of events, by name; one without a name where there are no groups."""
    if isinstance(result, Events):
        return {"": result}
    if isinstance(result, Mapping) and result:
        for name, events in result.items():
            if not isinstance(name, str) or not isinstance(events, Events):
                raise TypeError(
                    f"result must have Events by name, as in {{'control': events}}, not {shown(events)} by "
                    f"{shown(name)}"
                )
        return dict(result)
    cure = "load_weights reads weights, Trajectories.load trajectories, and read_events or open_events events"
    raise TypeError(
        "result must be Weights, Trajectories, an Influence, Events or groups of Events by name, not "
        f"{shown(result)}; " + cure
    )
