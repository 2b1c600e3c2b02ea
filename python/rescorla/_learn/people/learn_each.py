"""Learning person by person, trial by trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import rescorla._core as _core
from rescorla._learn.people.person_numbers import PerPerson, PersonNumbers
from rescorla._learn.people.records import Choices, Wanted, turned
from rescorla._learn.people.shared_start import SharedStart
from rescorla._learn.people.trial_table import TrialTable
from rescorla._learn.people.trials import Trials
from rescorla._learn.record import of_events
from rescorla._learn.record import record as recorded_facts
from rescorla._learn.rule import RuleName, rule_given
from rescorla._shared.checks import element_type, flag, is_number, numbered, shown, thread_count
from rescorla._shared.progress import Progress, watching
from rescorla._weights.vectors import Vectors
from rescorla._weights.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


def learn_each(
    trials: Any,
    *,
    by: str,
    cues: str = "cues",
    outcomes: str = "outcomes",
    choices: str | Iterable[str] | None = None,
    order: str | None = None,
    alpha: PerPerson = 0.1,
    beta: PerPerson | tuple[float, float] | Mapping[Any, tuple[float, float]] = 0.1,
    lambda_: PerPerson = 1.0,
    rule: RuleName = "rescorla_wagner",
    rule_parameters: Mapping[str, float] | None = None,
    retention: PerPerson = 1.0,
    theta: PerPerson = 1.0,
    initial: Weights | None = None,
    cue_vectors: Vectors | None = None,
    outcome_vectors: Vectors | None = None,
    update: bool = True,
    record: Iterable[str] | Mapping[str, Any] | None = None,
    dtype: DTypeLike = "float64",
    threads: int | None = None,
    progress: Progress = None,
) -> Trials:
    """Learn the trials of each person on their own, and record what is predicted before each trial.

    Every person starts from the same weights W_0 (`initial`) and learns his own trials in their order:

        record what W predicts, a = W'c;    then    dw_ij = alpha * beta * (lambda * o_j - a_j)

    So a trial has the prediction of somebody who has seen the trials before it: a predictor for his response.

    Parameters
    ----------
    trials : data frame, mapping of columns, Arrow table or path
        A row for each trial: pandas, polars, arrow, a mapping from names to columns, or the path of a table
        (.csv with commas, else tabs; .parquet). A column ``frequency`` says how often a trial is learned.
        Columns that are not used are carried along, such as response times.
    by : str
        The column of persons.
    cues, outcomes : str, default "cues" and "outcomes"
        The columns of cues and outcomes: a str is split at ``_``, another iterable gives names verbatim. A
        name that comes twice in a trial counts once.
    choices : str or iterable of str, optional
        The outcomes that a person chooses from, whose activations are recorded: a column, or names for all
        trials.
    order : str, optional
        A column to sort each person's trials by. By default they are in the order of the rows.
    alpha, lambda_, retention, theta : float or mapping from persons, defaults 0.1, 1.0, 1.0, 1.0
        Salience, asymptote, what a trial leaves of every weight, and what activations are multiplied by for
        the ``surprisal``: one number, or one for each person. `alpha` may also be a mapping from cues.
    beta : float, pair of float, or mapping from persons to these, default 0.1
        The learning rate, or the pair (beta1, beta2) for present and for absent outcomes. With vectors the
        rule is that of Widrow and Hoff with eta = alpha * beta.
    rule, rule_parameters
        As for `rescorla.learn`.
    initial : Weights, optional
        W_0, zero by default. It is shared by all and not copied.
    cue_vectors, outcome_vectors : optional
        The vectors of cues and outcomes, as for `rescorla.widrow_hoff`.
    update : bool, default True
        Whether trials are learned. If not, all predictions are those of W_0.
    record : iterable of str, or mapping from str, optional
        What to record. Of names: ``"activation"`` of each trial's outcomes, ``"choices"``: the activation of
        each choice, ``"surprisal"``, ``"change"``. Of vectors: ``"norm"``, ``"correlation"``,
        ``"squared_error"``, ``"rank"``, ``"change"``. See the notes. By default all but change and rank. A
        mapping may say of ``"rank"`` at which trials: by a mask, or the name of a column of truth values.
    dtype : {"float64", "float32"}, default "float64"
        The type of the weights. What is recorded is float64.
    threads : int, optional
        How many threads to use at the most; by default as many as the process may run on. The bits of the
        result do not depend on it.
    progress : None, bool or callable(done, total), default None
        None shows a bar on a terminal and in a notebook.

    Returns
    -------
    Trials
        In the order of the rows: person, trial, the columns that were given, and those that were recorded.

    Raises
    ------
    ValueError, TypeError, KeyError
        When the table lacks a column or a cell is malformed, a parameter is out of its range or lacks a
        person, or arguments do not go together.
    FloatingPointError
        When somebody's weights diverge; the message names him.
    FormatError, OSError, MemoryError, ImportError
        When the table cannot be read.

    See Also
    --------
    learn : one learner.
    trajectories : weights over time.

    Notes
    -----
    What is recorded, before a trial is learned:

    - ``activation``: of each of the trial's outcomes; an array of them where trials have another number of
      outcomes than one.
    - ``choices``: columns ``activation_NAME`` for names that all trials share, or one column of arrays.
    - ``surprisal``: -log2 p of the trial's outcome, with p = softmax(theta a) over the choices; NaN where not
      exactly one outcome of the trial is a choice.
    - ``norm``: the length of the predicted vector; ``correlation`` with the vector of the trial's outcomes,
      NaN for a constant one; ``squared_error``: their squared distance; ``rank``: 1 + the number of outcomes
      whose vectors correlate more with the prediction than that of the trial's own. A rank among thousands of
      vectors costs more than to learn the trial.
    - ``change``: the root of the summed squares by which the weights of the trial's cues change.

    The result equals learning with ``learn(initial=...)`` trial by trial, bit for bit where the retention is
    1 and cues are names. A person takes memory for the weights of the cues in his trials, to the outcomes
    that are recorded; with vectors of cues, or the change, all weights.

    References
    ----------
    Heitmeier, M., Chuang, Y.-Y. and Baayen, R. H. (2023). How trial-to-trial learning shapes mappings in the
    mental lexicon: modelling lexical decision with linear discriminative learning. Cognitive Psychology 146,
    101598.

    Examples
    --------
    >>> import rescorla as rw
    >>> table = {
    ...     "participant": ["ann", "ann", "bob", "bob"],
    ...     "cues": ["light", "light", "light_tone", "tone"],
    ...     "outcomes": ["shock", "shock", "shock", "none"],
    ... }
    >>> trials = rw.learn_each(
    ...     table,
    ...     by="participant",
    ...     beta={"ann": 0.5, "bob": 0.2},
    ...     alpha=1.0,
    ...     choices=["shock", "none"],
    ... )
    >>> trials["activation"]
    array([0. , 0.5, 0. , 0. ])
    >>> trials["activation_shock"]
    array([0. , 0.5, 0. , 0.2])
    >>> trials["surprisal"].round(3)
    array([1.   , 0.684, 1.   , 1.151])
    """
    started = perf_counter()
    element = element_type(dtype)
    table = TrialTable.of(trials, by, cues, outcomes, order)
    events = table.events
    sides = SharedStart.of(events, cue_vectors, outcome_vectors, initial, element)
    wanted = Wanted.of(record, choices, table, sides.z is not None)
    one_rule = rule_given(rule, rule_parameters, 1.0, element)
    if sides.vectors and rule != "rescorla_wagner":
        raise ValueError(f"rule must be 'rescorla_wagner' with vectors, not {rule!r}")
    vectors = sides.x is not None, sides.z is not None
    numbers = PersonNumbers.of(alpha, beta, lambda_, retention, theta, table.persons, events, vectors)
    one_rule.refuse_above(float(numbers.lambda_.max(initial=-np.inf)))
    if rule != "rescorla_wagner" and (numbers.retention < 1).any():
        raise ValueError(
            f"retention must be 1 for the rule {rule}: only weights of rescorla_wagner are forgotten"
        )
    chosen = Choices.of(choices, table) if wanted.choices else None
    universe = events.outcomes if chosen is None else tuple(numbered((*events.outcomes, *chosen.names)))
    if wanted.change and initial is not None and not sides.vectors:
        universe = tuple(numbered((*universe, *initial.outcomes)))
    outcome_starts, outcome_ids = events._file.csr("outcomes")
    arrays = wanted.arrays(len(events), len(outcome_ids), 0 if chosen is None else chosen.length(len(events)))
    unlabelled = np.zeros(0, dtype=np.int64)
    told = {
        "initial": sides.weights,
        "starts": table.starts,
        "rule": rule,
        "rule_parameters": dict(one_rule.parameters),
        **numbers.told(),
        "rows": unlabelled if sides.x is not None else sides.rows(events.cues),
        "columns": unlabelled if sides.z is not None else sides.columns(universe),
        "cue_vectors": None if sides.x is None else sides.x.values,
        "outcome_vectors": None if sides.z is None else sides.z.values,
        "choices": unlabelled if chosen is None else chosen.ids(numbered(universe)),
        "choice_starts": None if chosen is None else chosen.starts,
        "outcome_starts": np.asarray(outcome_starts, dtype=np.int64),
        "directions": turned(sides.z) if "rank" in arrays and sides.z is not None else None,
        "update": flag("update", update),
        "records": arrays,
    }
    n_threads = thread_count(threads)
    try:
        with watching(progress, "learning", "trials", len(events)) as watch:
            _core.learn_each(events._file, **told, threads=n_threads, progress=watch)
    except FloatingPointError as error:
        match error.args:
            case (int(person), _, value):
                raise FloatingPointError(
                    f"learning diverges: a weight of the person {shown(table.persons[person])} became "
                    f"{value}; lower alpha or beta"
                ) from None
        raise
    columns = wanted.columns(arrays, table, chosen, (outcome_starts, outcome_ids), universe, numbers.theta)
    parameters = recorded_facts(
        rule,
        started,
        **one_rule.parameters,
        alpha=alpha if is_number(alpha) else "mapping",
        update=update,
        continued=initial is not None,
        n_persons=len(table.persons),
        **of_events(events),
    )

    def weights_of(person: int) -> Weights:
        own = events[table.starts[person] : table.starts[person + 1]]
        return sides.learned(own, numbers, person, rule, rule_parameters, update, element)

    return Trials(columns, table.persons, parameters, weights_of)
