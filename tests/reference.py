"""The rule in plain Python: slow, without a trick, readable as the specification.

Explicit loops only. `sum()` compensates rounding in newer Pythons and numpy adds in pairs; here the order of
operations is the contract. `number` is the type of all weights, parameters and steps between:
`float` for float64, `numpy.float32` for float32, `fractions.Fraction` for exact arithmetic.

An event is `(cues, outcomes, frequency)`: two sequences of names and a count. Weights are a dict from
`(cue, outcome)` to a number.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Event: TypeAlias = tuple[Sequence[str], Sequence[str], int]
Number: TypeAlias = Callable[[Any], Any]
Scalar: TypeAlias = float | Fraction
PerName: TypeAlias = Scalar | Mapping[str, float]
Weights: TypeAlias = dict[tuple[str, str], Any]
States: TypeAlias = dict[tuple[str, str], dict[str, Any]]
"""What a rule keeps for each weight besides, by name."""
Schedule: TypeAlias = Callable[[int], tuple[Scalar, Scalar]]
"""The factors on beta1 and on beta2 of a token; the first token is 1."""
Met: TypeAlias = dict[str, list[str]]
"""For each cue those with which it was on a token."""
Watch: TypeAlias = Callable[[int, Event, Weights], None]
"""What looks at the weights before each token: its number, its event, the weights."""
Duplicates: TypeAlias = Literal["drop", "keep", "error"]


# The rule.


def unscheduled(_token: int) -> tuple[Scalar, Scalar]:
    """The factors where there is no schedule."""
    return 1, 1


def learn(
    events: Iterable[Event],
    alpha: PerName,
    beta: Scalar | tuple[Scalar, Scalar],
    lambda_: PerName,
    cues: Sequence[str],
    outcomes: Sequence[str],
    initial: Mapping[tuple[str, str], Scalar] | None = None,
    number: Number = float,
    schedule: Schedule = unscheduled,
    watch: Watch | None = None,
    rule: str = "rescorla_wagner",
    retention: Scalar = 1,
    rule_parameters: Mapping[str, Scalar] | None = None,
    states: States | None = None,
) -> Weights:
    """Learns token by token; an event of frequency f is f tokens in a row.

    `states` are those of the initial weights, if there are some; they become those of all weights.

    Each token multiplies all weights by the retention. A row is kept as it was after the last token with its
    cue, and multiplied by a power of the retention when it is needed.
    """
    zero, gamma = number(0), number(retention)
    last = dict.fromkeys(cues, 0)
    token = 0
    betas = beta if isinstance(beta, tuple) else (beta, beta)
    salience = {cue: number(of(alpha, cue)) for cue in cues}
    maximum = {outcome: number(of(lambda_, outcome)) for outcome in outcomes}
    weights = {(cue, outcome): zero for cue in cues for outcome in outcomes}
    for pair, weight in (initial or {}).items():
        weights[pair] = number(weight)
    numbers = {name: number(value) for name, value in (rule_parameters or {}).items()}
    changed, states = CHANGED[rule], {} if states is None else states
    for pair, weight in weights.items():
        states.setdefault(pair, begun(rule, weight, number))
    met: Met = {}
    for event_cues, event_outcomes, frequency in events:
        for _ in range(frequency):
            token = token + 1
            beta1, beta2 = (
                number(rate * factor) for rate, factor in zip(betas, schedule(token), strict=True)
            )
            if watch is not None:
                event = event_cues, event_outcomes, frequency
                watch(token, event, brought(weights, last, token - 1, gamma, number))
            for cue in distinct(event_cues):
                multiply(weights, cue, outcomes, power(gamma, token - 1 - last[cue], number))
                last[cue] = token
            activations = {j: activation(weights, event_cues, j, number) for j in outcomes}
            for cue in distinct(event_cues):
                multiply(weights, cue, outcomes, gamma)
            for outcome in outcomes:
                rate, target = (beta1, maximum[outcome]) if outcome in event_outcomes else (beta2, zero)
                at = Token(activations[outcome], target, rate, beta1, beta2)
                for cue in event_cues:
                    pair = cue, outcome
                    weights[pair] = changed(weights[pair], states[pair], salience[cue], at, number, **numbers)
                if rule == "van_hamme_wasserman":
                    for cue in expected(event_cues, met):
                        factor = -numbers["k"] * salience[cue]
                        weights[cue, outcome] = weights[cue, outcome] + factor * (rate * (target - at.total))
            meet(event_cues, met)
    return brought(weights, last, token, gamma, number)


class Token(NamedTuple):
    """A token, for an outcome: what its cues predict, what is there, the rate, and both rates."""

    total: Any
    target: Any
    rate: Any
    beta1: Any
    beta2: Any


# What a rule makes of the weight of a present cue, and of its states.


def rescorla_wagner(w: Any, _: dict[str, Any], alpha: Any, at: Token, number: Number, **k: Any) -> Any:
    """All cues share an error."""
    return w + alpha * (at.rate * (at.target - at.total))


def no_competition(w: Any, _: dict[str, Any], alpha: Any, at: Token, number: Number) -> Any:
    """Each cue has an error of its own."""
    return w + alpha * (at.rate * (at.target - w))


def hybrid(w: Any, state: dict[str, Any], alpha: Any, at: Token, number: Number, salience_rate: Any) -> Any:
    """The salience follows the error."""
    error = at.target - at.total
    new = w + alpha * state["salience"] * (at.rate * error)
    followed = salience_rate * abs(error) + (number(1) - salience_rate) * state["salience"]
    state["salience"] = within(followed, number(0), number(1))
    return new


def pearce_kaye_hall(
    w: Any, state: dict[str, Any], alpha: Any, at: Token, number: Number, salience_rate: Any
) -> Any:
    """The outcome excites, and less of it than was predicted inhibits."""
    error = at.target - at.total
    factor = alpha * state["salience"]
    if error > 0:
        state["excitatory"] = state["excitatory"] + factor * (at.beta1 * at.target)
    elif error < 0:
        state["inhibitory"] = state["inhibitory"] + factor * (at.beta2 * abs(error))
    followed = salience_rate * abs(error) + (number(1) - salience_rate) * state["salience"]
    state["salience"] = within(followed, number(0), number(1))
    return state["excitatory"] - state["inhibitory"]


def mackintosh(
    w: Any, state: dict[str, Any], alpha: Any, at: Token, number: Number, salience_rate: Any
) -> Any:
    """The salience grows where the cue predicts better than the others."""
    own, others = at.target - w, at.target - (at.total - w)
    new = w + alpha * state["salience"] * (at.rate * own)
    moved = state["salience"] + salience_rate * (abs(others) - abs(own))
    state["salience"] = within(moved, number(0.05), number(1))
    return new


def le_pelley(
    w: Any,
    state: dict[str, Any],
    alpha: Any,
    at: Token,
    number: Number,
    salience_rate: Any,
    excitatory_rate: Any,
    inhibitory_rate: Any,
) -> Any:
    """Both saliences, multiplied."""
    one = number(1)
    error, others = at.target - at.total, at.total - w
    size = abs(error)
    factor = alpha * state["salience"] * state["associability"]
    worse = number(0)
    if error > 0:
        state["excitatory"] = state["excitatory"] + factor * (at.beta1 * (one - w) * size)
        worse = excitatory_rate * (abs(at.target - w) - abs(at.target - others))
    elif error < 0:
        state["inhibitory"] = state["inhibitory"] + factor * (at.beta2 * (one + w) * size)
        worse = inhibitory_rate * (abs(size + w) - abs(size + others))
    state["salience"] = within(state["salience"] - worse, number(0.05), one)
    followed = salience_rate * size + (one - salience_rate) * state["associability"]
    state["associability"] = within(followed, number(0.5), one)
    return state["excitatory"] - state["inhibitory"]


CHANGED: dict[str, Callable[..., Any]] = {
    "rescorla_wagner": rescorla_wagner,
    "no_competition": no_competition,
    "hybrid": hybrid,
    "pearce_kaye_hall": pearce_kaye_hall,
    "mackintosh": mackintosh,
    "le_pelley": le_pelley,
    "van_hamme_wasserman": rescorla_wagner,
}

# What the states of a weight of zero begin with.
BEGUN: dict[str, dict[str, float]] = {
    "hybrid": {"salience": 1.0},
    "pearce_kaye_hall": {"salience": 1.0, "excitatory": 0.0, "inhibitory": 0.0},
    "mackintosh": {"salience": 0.9},
    "le_pelley": {"salience": 0.9, "excitatory": 0.0, "inhibitory": 0.0, "associability": 0.9},
}


def begun(rule: str, weight: Any, number: Number) -> dict[str, Any]:
    """What the states of a weight begin with: a positive weight excites, a negative one inhibits."""
    states = {name: number(value) for name, value in BEGUN.get(rule, {}).items()}
    if "excitatory" in states:
        side = "inhibitory" if weight < 0 else "excitatory"
        states[side] = abs(weight) if weight < 0 else weight
    return states


def within(value: Any, least: Any, most: Any) -> Any:
    """The value, or the bound that it is beyond."""
    if value < least:
        return least
    return most if value > most else value


def expected(cues: Sequence[str], met: Met) -> list[str]:
    """Absent cues that were on an earlier token together with one of these."""
    return distinct(other for cue in cues for other in met.get(cue, []) if other not in cues)


def meet(cues: Sequence[str], met: Met) -> None:
    """Cues of a token were together."""
    for cue in cues:
        met[cue] = distinct([*met.get(cue, []), *cues])


def power(gamma: Any, n: int, number: Number) -> Any:
    """gamma to the power of n, by repeated squaring, from the lowest bit of n on."""
    found, square = number(1), gamma
    while n > 0:
        if n % 2 == 1:
            found = found * square
        square = square * square
        n = n // 2
    return found


def multiply(weights: Weights, cue: str, outcomes: Iterable[str], factor: Any) -> None:
    """Multiplies the row of a cue."""
    # 1 changes nothing.
    if factor != 1:
        for outcome in outcomes:
            weights[cue, outcome] = factor * weights[cue, outcome]


def brought(weights: Weights, last: Mapping[str, int], token: int, gamma: Any, number: Number) -> Weights:
    """The weights after a token, each kept as it was after the last one that changed it."""
    if gamma == 1:
        return weights
    return {
        (cue, outcome): power(gamma, token - last[cue], number) * weight
        for (cue, outcome), weight in weights.items()
    }


def trajectory(
    events: Iterable[Event],
    at: Iterable[int],
    alpha: PerName,
    beta: Scalar | tuple[Scalar, Scalar],
    lambda_: PerName,
    cues: Sequence[str],
    outcomes: Sequence[str],
    initial: Mapping[tuple[str, str], Scalar] | None = None,
    number: Number = float,
    schedule: Schedule = unscheduled,
    **more: Any,
) -> dict[int, Weights]:
    """The weights after each of some tokens; 0: before the first."""
    tokens = list(at)
    found: dict[int, Weights] = {}
    last = 0

    def watch(token: int, event: Event, weights: Weights) -> None:
        nonlocal last
        last = token
        if token - 1 in tokens:
            found[token - 1] = dict(weights)

    told = alpha, beta, lambda_, cues, outcomes, initial, number, schedule, watch
    weights = learn(events, *told, **more)
    if last in tokens:
        found[last] = weights
    return found


def mean(
    events: Sequence[Event],
    alpha: PerName,
    beta: Scalar | tuple[Scalar, Scalar],
    lambda_: PerName,
    cues: Sequence[str],
    outcomes: Sequence[str],
    initial: Mapping[tuple[str, str], Scalar] | None = None,
    number: Number = float,
    schedule: Schedule = unscheduled,
    **more: Any,
) -> Weights:
    """The mean of the weights after each token. Each weight is added as many times as it was what it was."""
    wide = Fraction if number is Fraction else float
    sums = {(cue, outcome): wide(0) for cue in cues for outcome in outcomes}
    since = dict.fromkeys(cues, 1)
    met: Met = {}

    def watch(token: int, event: Event, weights: Weights) -> None:
        changing = list(event[0])
        if more.get("rule") == "van_hamme_wasserman":
            changing += expected(event[0], met)
            meet(event[0], met)
        for cue in changing:
            for outcome in outcomes:
                sums[cue, outcome] += wide(weights[cue, outcome]) * (token - since[cue])
            since[cue] = token

    told = alpha, beta, lambda_, cues, outcomes, initial, number, schedule, watch
    weights = learn(events, *told, **more)
    tokens = 0
    for event in events:
        tokens = tokens + event[2]
    for cue, outcome in sums:
        if since[cue] > 1:
            last = wide(weights[cue, outcome]) * (tokens + 1 - since[cue])
            weights[cue, outcome] = number((sums[cue, outcome] + last) / tokens)
    return weights


def activation(weights: Weights, cues: Sequence[str], outcome: str, number: Number = float) -> Any:
    """The cues' weights to the outcome, summed from +0 in their order; a cue named twice counts twice."""
    total = number(0)
    for cue in cues:
        total = total + weights[cue, outcome]
    return total


def of(value: PerName, name: str) -> Scalar:
    """A parameter's value for one name."""
    return value[name] if isinstance(value, Mapping) else value


# Its neighbours.


def delta_rule(
    events: Iterable[Event],
    alpha: PerName,
    beta: Scalar,
    lambda_: PerName,
    cues: Sequence[str],
    outcomes: Sequence[str],
    activation_function: Literal["identity", "logistic", "tanh", "relu", "threshold"] = "identity",
    loss: Literal["squared", "log"] = "squared",
    batch: int | Literal["full"] = 1,
    reduction: Literal["sum", "mean"] = "sum",
    passes: int = 1,
    initial: Mapping[tuple[str, str], Scalar] | None = None,
    orders: Sequence[Sequence[int]] | None = None,
    number: Number = float,
    schedule: Callable[[int], Scalar] = lambda _: 1,
) -> Weights:
    """The delta rule; `orders` has the tokens of each pass in their order.

    The tokens of a batch see the weights before it. Those with the same cues are taken together. The first of
    them, counted from 1 through all passes, has the factor on beta.
    """
    zero, one = number(0), number(1)
    salience = {cue: number(of(alpha, cue)) for cue in cues}
    maximum = {outcome: number(of(lambda_, outcome)) for outcome in outcomes}
    weights = {(cue, outcome): zero for cue in cues for outcome in outcomes}
    for pair, weight in (initial or {}).items():
        weights[pair] = number(weight)
    tokens = [(tuple(c), o) for c, o, frequency in events for _ in range(frequency)]
    size = max(1, len(tokens)) if batch == "full" else batch
    for made, order in enumerate(orders or [range(len(tokens))] * passes):
        for first in range(0, len(tokens), size):
            taken = [tokens[t] for t in order[first : first + size]]
            before = dict(weights)
            rate = number(beta * schedule(made * len(tokens) + first + 1))
            rate = rate / number(len(taken)) if reduction == "mean" else rate
            for pattern in dict.fromkeys(c for c, _ in taken):
                group = [o for c, o in taken if c == pattern]
                n = number(len(group))
                for outcome in outcomes:
                    present = number(sum(outcome in o for o in group))
                    target = maximum[outcome] * present if present > 0 else zero
                    y = activation(before, pattern, outcome, number)
                    slope = one
                    if activation_function == "logistic":
                        y = number(logistic(float(y)))
                        slope = y * (one - y)
                    elif activation_function == "tanh":
                        y = number(math.tanh(float(y)))
                        slope = one - y * y
                        target = (maximum[outcome] + maximum[outcome]) * present - n * maximum[outcome]
                    elif activation_function == "relu":
                        y, slope = (zero, zero) if y < 0 else (y, one)
                    elif activation_function == "threshold":
                        y = one if y > 0 else zero
                    u = rate * (target - n * y)
                    if loss == "squared":
                        u = u * slope
                    for cue in pattern:
                        weights[cue, outcome] = weights[cue, outcome] + salience[cue] * u
    return weights


def delta_rule_on_rows(
    X: Sequence[Mapping[int, Scalar]],
    Z: Sequence[Sequence[Scalar]],
    alpha: Sequence[Scalar],
    beta: Scalar,
    n_outcomes: int,
    activation_function: Literal["identity", "logistic", "tanh", "relu", "threshold"] = "identity",
    loss: Literal["squared", "log"] = "squared",
    batch: int | Literal["full"] = 1,
    reduction: Literal["sum", "mean"] = "sum",
    passes: int = 1,
    initial: Sequence[Sequence[Scalar]] | None = None,
    orders: Sequence[Sequence[int]] | None = None,
    number: Number = float,
    schedule: Callable[[int], Scalar] = lambda _: 1,
) -> list[list[Any]]:
    """The delta rule on rows of numbers: a row of X has the values of some columns, in their order.

    The rows of a batch see the weights before it. The first of them has the factor on beta.
    """
    zero, one = number(0), number(1)
    salience = [number(a) for a in alpha]
    weights = [[zero] * n_outcomes for _ in alpha]
    for i, row in enumerate(initial or []):
        weights[i] = [number(w) for w in row]
    size = max(1, len(X)) if batch == "full" else batch
    for made, order in enumerate(orders or [range(len(X))] * passes):
        for first in range(0, len(X), size):
            taken = order[first : first + size]
            before = [list(row) for row in weights]
            rate = number(beta * schedule(made * len(X) + first + 1))
            rate = rate / number(len(taken)) if reduction == "mean" else rate
            for t in taken:
                values = {i: number(x) for i, x in X[t].items()}
                for j in range(n_outcomes):
                    h = zero
                    for i, x in values.items():
                        h = h + x * before[i][j]
                    y, slope = h, one
                    if activation_function == "logistic":
                        y = number(logistic(float(h)))
                        slope = y * (one - y)
                    elif activation_function == "tanh":
                        y = number(math.tanh(float(h)))
                        slope = one - y * y
                    elif activation_function == "relu":
                        y, slope = (zero, zero) if h < 0 else (h, one)
                    elif activation_function == "threshold":
                        y = one if h > 0 else zero
                    u = rate * (number(Z[t][j]) - y)
                    if loss == "squared":
                        u = u * slope
                    for i, x in values.items():
                        weights[i][j] = weights[i][j] + (salience[i] * x) * u
    return weights


def values_of(sums: Sequence[float], activation_function: str) -> list[float]:
    """g(h) of each outcome of a token."""
    if activation_function == "softmax":
        powers = [math.exp(h - max(sums)) for h in sums]
        return [power / sum(powers) for power in powers]
    functions: dict[str, Callable[[float], float]] = {
        "identity": float,
        "logistic": logistic,
        "tanh": math.tanh,
        "relu": lambda h: max(h, 0.0),
        "threshold": lambda h: float(h > 0),
    }
    return [functions[activation_function](h) for h in sums]


def loss_of(
    sums: Sequence[float], targets: Sequence[float], activation_function: str, loss: Literal["squared", "log"]
) -> float:
    """The loss of a token."""
    total = 0.0
    for y, t in zip(values_of(sums, activation_function), targets, strict=True):
        if loss == "squared":
            total += (t - y) ** 2 / 2
        else:
            total -= t * math.log(y) if t else 0.0
            total -= (1 - t) * math.log(1 - y) if activation_function != "softmax" and t != 1 else 0.0
    return total


def logistic(h: float) -> float:
    """1 / (1 + exp(-h)), which is 0 where exp(-h) is too large for a number."""
    return 1.0 / (1.0 + math.exp(-h)) if h > -700.0 else 0.0


def widrow_hoff(
    tokens: Iterable[tuple[Sequence[Any], Sequence[Any]]],
    eta: Scalar,
    initial: Sequence[Sequence[Any]],
    number: Number = float,
) -> list[list[Any]]:
    """W += eta x (z - W'x)' token by token, from the initial weights on: p rows of q numbers."""
    weights = [[number(weight) for weight in row] for row in initial]
    rate = number(eta)
    for x, z in tokens:
        for j, target in enumerate(z):
            prediction = number(0)
            for i, value in enumerate(x):
                prediction = prediction + value * weights[i][j]
            error = rate * (target - prediction)
            for i, value in enumerate(x):
                weights[i][j] = weights[i][j] + value * error
    return weights


def normalized(
    tokens: Iterable[tuple[Sequence[float], Sequence[float]]],
    eta: float,
    initial: Sequence[Sequence[float]],
    factors: Iterable[float] = itertools.repeat(1.0),
) -> list[list[float]]:
    """W += (eta f / |x|^2) x (z - W'x)' token by token, with their factors f; nothing where x is zero."""
    weights = [list(row) for row in initial]
    for (x, z), factor in zip(tokens, factors, strict=False):
        square = sum(value * value for value in x)
        if square > 0:
            weights = widrow_hoff([(x, z)], eta * factor / square, weights)
    return weights


def vector_of(
    names: Iterable[str], vectors: Mapping[str, Sequence[Any]], size: int, number: Number = float
) -> list[Any]:
    """The sum of the vectors of some names, one after another."""
    total = [number(0)] * size
    for name in names:
        total = [number(a + number(b)) for a, b in zip(total, vectors[name], strict=True)]
    return total


def perceptron(
    tokens: Iterable[tuple[Sequence[str], bool]], inputs: Mapping[str, float], delta: float
) -> dict[str, float]:
    """Evert and Arppe's perceptron of one outcome: cue i present is the input a_i, its weight moves by
    delta times minus the derivative of the squared error (o - sum of w_i a_i)^2."""
    weights = dict.fromkeys(inputs, 0.0)
    for present, outcome in tokens:
        prediction = 0.0
        for cue in present:
            prediction += weights[cue] * inputs[cue]
        error = float(outcome) - prediction
        for cue in present:
            weights[cue] += 2 * delta * error * inputs[cue]
    return weights


def rosenblatt(
    X: Sequence[Mapping[int, float]],
    y: Sequence[float],
    rule: Literal["single", "batch"],
    eta: float,
    weights: Sequence[float],
    bias: float | None,
    max_sweeps: int,
    schedule: Callable[[int], float] | None = None,
) -> tuple[list[float], float | None, list[int], list[int]]:
    """The perceptron: weights and bias, mistakes of each sweep, how often each example was added.

    A row of X has the values of some columns, in their order. No bias: `None`. From zero weights what is
    learned at a rate of 1 is multiplied by eta. The factor on eta is that of the token, which is counted from
    1 through all sweeps; in a batch that of the first.
    """
    if not any(weights) and not bias:
        scale, eta = eta, 1.0
    else:
        scale = 1.0
    weights = list(weights)
    added = [0] * len(X)
    errors: list[int] = []

    def wrong(t: int) -> bool:
        f = 0.0
        for i, x in X[t].items():
            f = f + x * weights[i]
        return not y[t] * (f if bias is None else f + bias) > 0

    def add(t: int) -> None:
        nonlocal bias
        added[t] += 1
        token = len(X) * (len(errors) - 1) + 1 + (t if rule == "single" else 0)
        step = (eta if schedule is None else eta * schedule(token)) * y[t]
        for i, x in X[t].items():
            weights[i] = weights[i] + step * x
        bias = None if bias is None else bias + step

    while len(errors) < max_sweeps and 0 not in errors:
        errors.append(0)
        mistakes = [t for t in range(len(X)) if wrong(t)] if rule == "batch" else range(len(X))
        for t in mistakes:
            if rule == "batch" or wrong(t):
                add(t)
                errors[-1] += 1
    return [w * scale for w in weights], None if bias is None else bias * scale, errors, added


# Events.


def normalised(
    events: Iterable[Event], duplicates: Duplicates = "drop", background: str | None = None
) -> list[Event]:
    """The events as they are learned: the background cue first; repeated names dropped, kept or refused."""
    result: list[Event] = []
    for cues, outcomes, frequency in events:
        event_cues = list(cues) if background is None else [background, *cues]
        if duplicates == "error" and (repeats(event_cues) or repeats(outcomes)):
            raise ValueError(f"an event names a cue or an outcome twice: {event_cues}, {outcomes}")
        kept = [names if duplicates == "keep" else distinct(names) for names in (event_cues, outcomes)]
        result.append((tuple(kept[0]), tuple(kept[1]), frequency))
    return result


def distinct(names: Iterable[str]) -> list[str]:
    """Each name once, in order of first appearance."""
    seen: list[str] = []
    for name in names:
        if name not in seen:
            seen.append(name)
    return seen


def repeats(names: Sequence[str]) -> bool:
    """Whether a name comes twice."""
    return len(distinct(names)) < len(names)


def vocabularies(events: Iterable[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All cues and outcomes in order of first appearance, at any frequency; a name's place is its id."""
    cues: list[str] = []
    outcomes: list[str] = []
    for event_cues, event_outcomes, _ in events:
        cues = distinct([*cues, *event_cues])
        outcomes = distinct([*outcomes, *event_outcomes])
    return tuple(cues), tuple(outcomes)


def counts(events: Iterable[Event], names: Sequence[str], side: Literal["cues", "outcomes"]) -> list[int]:
    """How many times each name is presented in all tokens; a name kept twice counts twice."""
    totals = dict.fromkeys(names, 0)
    for event in events:
        for name in event[0] if side == "cues" else event[1]:
            totals[name] += event[2]
    return [totals[name] for name in names]


def incidence(
    events: Sequence[Event], names: Sequence[str], side: Literal["cues", "outcomes"]
) -> NDArray[np.float64]:
    """The events x names matrix of multiplicities, frequencies left out."""
    place = {name: j for j, name in enumerate(names)}
    matrix = np.zeros((len(events), len(names)))
    for i, event in enumerate(events):
        for name in event[0] if side == "cues" else event[1]:
            matrix[i, place[name]] += 1
    return matrix


def ngrams(word: str, n: int, boundary: str = "#") -> list[str]:
    """The runs of n letters of a word between its boundaries; its letters alone where n is 1."""
    marked = word if n == 1 else boundary + word + boundary
    return [marked[i : i + n] for i in range(len(marked) - n + 1)]


# The equilibrium.


def equilibrium(
    events: Sequence[Event],
    cues: Sequence[str],
    outcomes: Sequence[str],
    lambda_: PerName = 1.0,
    alpha: PerName = 1.0,
    ridge: float = 0.0,
) -> NDArray[np.float64]:
    """The W of least sum f (lambda o - c'w)^2 + ridge w'w; among several that of least sum w^2 / alpha."""
    frequency = np.sqrt([[float(event[2])] for event in events]).reshape(-1, 1)
    root = np.sqrt([float(of(alpha, cue)) for cue in cues])
    maxima = np.array([float(of(lambda_, outcome)) for outcome in outcomes])
    rows = np.vstack([frequency * incidence(events, cues, "cues"), np.sqrt(ridge) * np.eye(len(cues))])
    present = np.minimum(incidence(events, outcomes, "outcomes"), 1)
    targets = frequency * present * maxima
    targets = np.vstack([targets, np.zeros((len(cues), len(outcomes)))])
    # w = D^(1/2) x: the least |x| is the least sum w^2 / alpha.
    solution: NDArray[np.float64] = np.linalg.lstsq(rows * root, targets, rcond=None)[0]
    return root[:, None] * solution


def exact_equilibrium(
    events: Sequence[Event],
    cues: Sequence[str],
    outcomes: Sequence[str],
    beta: tuple[Scalar, Scalar],
    lambda_: PerName = 1,
    alpha: PerName = 1,
    initial: Mapping[tuple[str, str], Scalar] | None = None,
) -> NDArray[np.float64]:
    """The fixed point of the mean update, of least sum (w - w_0)^2 / alpha, in fractions until the end.

    With v = f beta1 where an outcome is present and f beta2 where it is absent, the change d = w - w_0 from
    the initial weights, zero if none, solves G d = h, G = sum v c c', h = sum v c (t - w_0'c), t = lambda
    over the events that have the outcome and 0 over the others. The d wanted lies in the range of D G: d = D
    G y.
    """
    moving = [cue for cue in cues if of(alpha, cue) > 0]
    start = {pair: Fraction(weight) for pair, weight in ({} if initial is None else initial).items()}
    result = np.zeros((len(cues), len(outcomes)))
    beta1, beta2 = Fraction(beta[0]), Fraction(beta[1])
    for j, outcome in enumerate(outcomes):
        gram = [[Fraction(0)] * len(moving) for _ in moving]
        right = [Fraction(0)] * len(moving)
        for event_cues, event_outcomes, frequency in events:
            times = [event_cues.count(cue) for cue in moving]
            present = outcome in event_outcomes
            rest = Fraction(of(lambda_, outcome)) if present else Fraction(0)
            rest -= sum((start.get((cue, outcome), Fraction(0)) for cue in event_cues), Fraction(0))
            weight = frequency * (beta1 if present else beta2)
            for i, m in enumerate(times):
                right[i] += weight * rest * m
                for k, other in enumerate(times):
                    gram[i][k] += weight * m * other
        reach = [[Fraction(of(alpha, cue)) * g for g in row] for cue, row in zip(moving, gram, strict=True)]
        y = solve(product(gram, reach), right)
        found = {cue: start.get((cue, outcome), Fraction(0)) for cue in cues}
        for cue, row in zip(moving, reach, strict=True):
            found[cue] += sum((a * b for a, b in zip(row, y, strict=True)), Fraction(0))
        result[:, j] = [float(found[cue]) for cue in cues]
    return result


def product(a: list[list[Fraction]], b: list[list[Fraction]]) -> list[list[Fraction]]:
    """The product of two square matrices."""
    return [
        [
            sum((x * y for x, y in zip(row, column, strict=True)), Fraction(0))
            for column in zip(*b, strict=True)
        ]
        for row in a
    ]


def solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Some solution of a consistent system, by Gauss and Jordan."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    done = 0
    solution = [Fraction(0)] * n
    pivots: list[int] = []
    for column in range(n):
        found = next((i for i in range(done, n) if rows[i][column] != 0), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        rows[done] = [value / rows[done][column] for value in rows[done]]
        for i in range(n):
            if i != done and rows[i][column] != 0:
                factor = rows[i][column]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[done], strict=True)]
        pivots.append(column)
        done += 1
    assert all(row[n] == 0 for row in rows[done:]), "the system has no solution"
    for i, column in enumerate(pivots):
        solution[column] = rows[i][n]
    return solution


# Labels to arrays.


def matrix(
    weights: Weights, cues: Sequence[str], outcomes: Sequence[str], dtype: Any = np.float64
) -> NDArray[Any]:
    """Weights as an array, row = cue, column = outcome."""
    return np.array([weights[c, o] for c in cues for o in outcomes], dtype).reshape(len(cues), len(outcomes))


# Planes between two classes.


def products(X: Sequence[Sequence[Any]], y: Sequence[Any], w: Sequence[Fraction]) -> list[Fraction]:
    """y w.x of each example."""
    return [
        sum((sign * Fraction(a) * b for a, b in zip(x, w, strict=True)), Fraction(0))
        for x, sign in zip(X, y, strict=True)
    ]


def minover(
    X: Sequence[Sequence[Any]], y: Sequence[int], max_steps: int
) -> tuple[list[Fraction], list[int], list[float], list[int]]:
    """MinOver in fractions: w, how often each example was learned; kappa and the errors before each step."""
    n = len(X[0])
    w, counts = [Fraction(0)] * n, [0] * len(X)
    kappas: list[float] = []
    errors: list[int] = []
    for _ in range(max_steps):
        fields = products(X, y, w)
        size = math.sqrt(sum(v * v for v in w))
        m = fields.index(min(fields))
        kappas.append(float(fields[m]) / size if size else 0.0)
        errors.append(sum(field <= 0 for field in fields))
        if not any(X[m]):
            return w, counts, kappas[:-1], errors[:-1]
        w = [v + y[m] * Fraction(x) / n for v, x in zip(w, X[m], strict=True)]
        counts[m] += 1
    return w, counts, kappas, errors


def adatron(
    X: Sequence[Sequence[float]], y: Sequence[int], sweeps: int, gamma: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """AdaTron: w, the strengths, and how near to zero a strength came before it was cut off there.

    Between sweeps those that have a strength are visited again. So where a strength comes near zero, rounding
    decides what is visited.
    """
    w, a, nearest = np.zeros(len(X[0])), np.zeros(len(X)), np.inf

    def visit(examples: Sequence[int]) -> None:
        nonlocal nearest
        for m in examples:
            square = sum(x * x for x in X[m])
            if square > 0:
                field = y[m] * sum(x * v for x, v in zip(X[m], w, strict=True))
                nearest = min(nearest, abs(a[m] + gamma * (1 - field) / square))
                d = max(-a[m], gamma * (1 - field) / square)
                a[m] += d
                w[:] += d * y[m] * np.array(X[m])

    for sweep in range(sweeps):
        visit(range(len(X)))
        support = [m for m in range(len(X)) if a[m] > 0]
        if sweep < sweeps - 1:
            for _ in range(len(X) // max(1, len(support))):
                visit(support)
    return w, a, float(nearest)


# Linear discriminative learning.

Rows: TypeAlias = Sequence[Sequence[float]]


def correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Pearson's r; NaN for a constant vector."""
    return cosine([x - mean_of(a) for x in a], [x - mean_of(b) for x in b])


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    lengths = math.sqrt(total(x * x for x in a)) * math.sqrt(total(x * x for x in b))
    return total(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else math.nan


def total(numbers: Iterable[float]) -> float:
    result = 0.0
    for number in numbers:
        result = result + number
    return result


def mean_of(numbers: Sequence[float]) -> float:
    return total(numbers) / len(numbers)


def similarities(predicted: Rows, words: Rows, similarity: Callable[..., float]) -> list[list[float]]:
    """How like each prediction is to each word."""
    return [[similarity(each, word) for word in words] for each in predicted]


def nearness_ranks(near: Rows, right: Sequence[Sequence[int]]) -> list[int]:
    """1 + the number of words nearer than the nearest of the right ones."""
    ranks = []
    for row, own in zip(near, right, strict=True):
        best = max(row[word] for word in own)
        ranks.append(1 + len([other for other in row if other > best]))
    return ranks


def density(near: Rows, n: int) -> list[float]:
    return [mean_of(sorted(row)[-n:]) for row in near]


def uncertainty(near: Rows) -> list[float]:
    """The similarities, scaled to lie between 0 and 1, each times the number of those below it."""
    results = []
    for row in near:
        scaled = sorted((each - min(row)) / (max(row) - min(row)) for each in row)
        results.append(total(place * each for place, each in enumerate(scaled)))
    return results


def support(form: Sequence[float], ngrams: Sequence[str], known: Sequence[str], repeats: bool) -> float:
    """What is predicted of a word's n-grams, summed over them, each as often as the word has it or once."""
    return total(form[known.index(each)] for each in (ngrams if repeats else distinct(ngrams)))


def produce(
    meaning: Sequence[float],
    ngrams: Sequence[str],
    comprehension: Rows,
    production: Rows,
    stop: str,
    max_length: int,
    tol: float,
    attested: set[tuple[str, str]] | None = None,
) -> list[str]:
    """The n-grams that a meaning gives to say: each the best of those that may follow the one before it."""
    counts = [0] * len(ngrams)
    said: list[str] = []
    while len(said) < max_length:
        rest = [
            s - total(counts[i] * comprehension[i][d] for i in range(len(ngrams)))
            for d, s in enumerate(meaning)
        ]
        best, most = None, tol
        for i, each in enumerate(ngrams):
            fits = each[:-1] == said[-1][1:] if said else each[0] == "#"
            if attested is not None:
                fits = fits and ((said[-1] if said else ""), each) in attested
            value = total(s * production[d][i] for d, s in enumerate(rest))
            if fits and value > most:
                best, most = i, value
        if best is None:
            break
        counts[best] += 1
        said.append(ngrams[best])
        if stop == "boundary" and said[-1].endswith("#"):
            break
    return said
