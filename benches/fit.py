"""Fitting persons' responses, beside scipy's search on a loop of numpy; and whether what is found is right.

    python benches/fit.py                            # 10 persons, 150 trials each; 10 studies of 60 persons
    python benches/fit.py --persons 100 --coverage 0 # speed alone
    python benches/fit.py --smoke                    # small: do the estimates agree?

Persons learn which of three outcomes one or two of three cues announce, and choose one before each trial. Log
rates are normal about log .1 with sd .5, log thetas about log 5 with sd .2.

Speed: each person is fitted alone, by `fit_each` and by scipy's L-BFGS-B with the same bounds, start and
scales, but with its own differences for gradients and its own tolerances, which are looser than ours. What it
minimises is the mean over trials, since with the sum its first step is too long. The loop updates an array of
weights, and takes the softmax of all trials at once. Our seconds are those of all of `fit_each`, with reading
the table and standard errors; those of the loop are of the search alone. Both take turns, on one
thread, and seconds are those of the processor. First the rate and theta are free; then a salience of each
cue, theta and two biases.

Coverage: studies are fitted by hierarchical pooling. Told are the share of persons whose true log rate is
within 1.96 standard errors of the estimate, the mean squared error of log rates beside that of persons fitted
alone, and how far estimates differ that were searched for from five starts: of hierarchical pooling, which
goes on from what fits everybody together, and of persons alone where all five have a standard error.

The exit status is 1 where the two searches do not find the same: where no number is at a bound, estimates
must agree within .01 on their scales, and ours must not be less likely than the loop's.
"""

import argparse
import os
import statistics
import sys
import time
import warnings
from typing import Any, Literal, NamedTuple

# Before numpy is loaded, which asks once.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np
import rescorla as rw
from numpy.typing import NDArray
from scipy.optimize import minimize

CUES, CHOICES = ["c0", "c1", "c2"], ["x", "y", "z"]
HOW: dict[str, Any] = {
    "by": "who",
    "response": "answer",
    "choices": CHOICES,
    "threads": 1,
    "progress": False,
}
# Log bounds of rates and of theta, and bounds of biases: those of `fit_each`.
RATE, THETA, BIAS = (np.log(1e-6), np.log(1e2)), (np.log(1e-4), np.log(1e4)), (-1e2, 1e2)
START = 0.1
# How far estimates may differ, and log likelihoods; closer to a bound than the first is at the bound.
APART, LESS = 1e-2, 1e-6


class Person(NamedTuple):
    """The trials of one person."""

    rate: float
    cues: list[list[int]]
    outcomes: list[int]
    answers: NDArray[np.int64]


class Model(NamedTuple):
    """What is fitted: our keywords, and bounds and start of the same numbers on their scales."""

    name: str
    keywords: dict[str, Any]
    numbers: list[str]
    bounds: list[tuple[float, float]]
    start: list[float]


MODELS = [
    Model(
        "rate and theta",
        {"free": ("beta", "theta")},
        ["beta", "theta"],
        [RATE, THETA],
        [float(np.log(START)), 0.0],
    ),
    Model(
        "saliences, theta and biases",
        {"free": ("alpha", "theta", "bias"), "groups": {cue: cue for cue in CUES}},
        [*(f"alpha[{cue}]" for cue in CUES), "theta", "bias[y]", "bias[z]"],
        [RATE, RATE, RATE, THETA, BIAS, BIAS],
        [0.0] * 6,
    ),
]


def simulated(persons: int, trials: int, seed: int) -> list[Person]:
    """Persons who learn and respond."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(persons):
        rate, theta = 0.1 * np.exp(random.normal(0, 0.5)), 5 * np.exp(random.normal(0, 0.2))
        weights = np.zeros((3, 3))
        person = Person(float(rate), [], [], np.zeros(trials, dtype=np.int64))
        for trial in range(trials):
            cues = [int(random.integers(2)), 2] if random.random() < 0.5 else [int(random.integers(3))]
            outcome = cues[0] if random.random() < 0.8 else int(random.integers(3))
            a = weights[cues].sum(axis=0)
            powers = np.exp(theta * a)
            person.answers[trial] = random.choice(3, p=powers / powers.sum())
            person.cues.append(cues)
            person.outcomes.append(outcome)
            weights[cues] += rate * (np.eye(3)[outcome] - a)
        found.append(person)
    return found


def table_of(persons: list[Person]) -> dict[str, list[Any]]:
    """What `fit_each` reads."""
    return {
        "who": [at for at, person in enumerate(persons) for _ in person.cues],
        "cues": [[CUES[cue] for cue in row] for person in persons for row in person.cues],
        "outcomes": [CHOICES[outcome] for person in persons for outcome in person.outcomes],
        "answer": [CHOICES[answer] for person in persons for answer in person.answers.tolist()],
    }


def log_likelihood(person: Person, phi: NDArray[np.float64]) -> float:
    """By a loop of numpy, at the two or the six numbers on their scales."""
    n = len(person.cues)
    weights, activations, targets = np.zeros((3, 3)), np.empty((n, 3)), np.eye(3)
    biases = np.zeros(3)
    if len(phi) == 2:
        rate, theta = np.exp(phi)
        for trial, (row, outcome) in enumerate(zip(person.cues, person.outcomes, strict=True)):
            a = activations[trial] = weights[row].sum(axis=0)
            weights[row] += rate * (targets[outcome] - a)
    else:
        rates, theta = START * np.exp(phi[:3, np.newaxis]), np.exp(phi[3])
        biases[1:] = phi[4:]
        for trial, (row, outcome) in enumerate(zip(person.cues, person.outcomes, strict=True)):
            a = activations[trial] = weights[row].sum(axis=0)
            weights[row] += rates[row] * (targets[outcome] - a)
    logits = theta * activations + biases
    logits -= logits.max(axis=1, keepdims=True)
    return float((logits[np.arange(n), person.answers] - np.log(np.exp(logits).sum(axis=1))).sum())


def by_scipy(person: Person, model: Model) -> tuple[NDArray[np.float64], int]:
    """What scipy finds by its own differences, and how many likelihoods it takes."""
    n = len(person.cues)

    def objective(phi: NDArray[np.float64]) -> float:
        value = -log_likelihood(person, phi) / n
        return value if np.isfinite(value) else 1e10

    with np.errstate(all="ignore"):
        best = minimize(objective, np.array(model.start), method="L-BFGS-B", bounds=model.bounds)
    return np.asarray(best.x), int(best.nfev)


def on_scales(fit: rw.Fit, model: Model) -> NDArray[np.float64]:
    """Our estimates, a row for each person, in the order of the model's numbers."""
    k = len(model.numbers)
    names = fit.parameters["name"][:k].tolist()
    values = fit.parameters["estimate"].reshape(-1, k)[:, [names.index(name) for name in model.numbers]]
    logs = np.array([not name.startswith("bias") for name in model.numbers])
    return np.where(logs, np.log(np.where(logs, values, 1.0)), values)


def compared(persons: list[Person], model: Model, turns: int) -> bool:
    """Prints seconds and their ratio, and returns whether both find the same."""
    table, ours, theirs = table_of(persons), [], []
    for _ in range(turns):
        begun = time.process_time()
        fit = rw.fit_each(table, pooling="none", **model.keywords, **HOW)
        ours.append(time.process_time() - begun)
        begun = time.process_time()
        searched = [by_scipy(person, model) for person in persons]
        theirs.append(time.process_time() - begun)
    mine, loop = on_scales(fit, model), np.array([phi for phi, _ in searched])
    with np.errstate(all="ignore"):
        likely = np.array([log_likelihood(person, phi) for person, phi in zip(persons, mine, strict=True)])
        other = np.array([log_likelihood(person, phi) for person, phi in zip(persons, loop, strict=True)])
    edges = np.array(model.bounds)
    bound = np.zeros(len(persons), dtype=np.bool_)
    for phi in (mine, loop):
        bound |= (np.abs(phi[:, :, np.newaxis] - edges) < APART).any(axis=(1, 2))
    inside = ~bound
    apart = np.abs(mine - loop)[inside].max(initial=0.0)
    more = (likely - other)[inside].min(initial=np.inf)
    same_sum = bool(np.isclose(likely.sum(), fit.log_likelihood, rtol=1e-9))
    agree = bool(apart <= APART and more >= -LESS and same_sum and inside.any())
    ours_in_all, loop_in_all = statistics.median(ours), statistics.median(theirs)
    evaluations = sum(count for _, count in searched)
    print(f"{model.name}: {len(persons):,} persons, {sum(len(each.cues) for each in persons):,} trials")
    print(
        f"  fit_each, table and standard errors with it: {ours_in_all * 1e3:.1f} ms, "
        f"{fit.n_evaluations:,} likelihoods with gradients"
    )
    print(
        f"  scipy's differences of a loop, search alone: {loop_in_all * 1e3:.1f} ms, "
        f"{evaluations:,} likelihoods"
    )
    print(f"  ratio, on one thread: {loop_in_all / ours_in_all:.1f}")
    print(
        f"  {'the same' if agree else 'DIFFERENT'} estimates: at most {apart:.1e} apart; our log likelihood "
        f"is at least the loop's {more:+.1e}; {bound.sum()} persons at a bound, who are left out"
        f"{'' if same_sum else '; fit_each TELLS ANOTHER LIKELIHOOD than the loop'}"
    )
    return agree


def log_rates(fit: rw.Fit) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimates of log beta, and their standard errors."""
    own = fit.parameters["name"] == "beta"
    estimate = fit.parameters["estimate"][own]
    return np.log(estimate), fit.parameters["standard_error"][own] / estimate


def covered(studies: int, persons: int, trials: int, starts: int) -> None:
    """Prints how often intervals have the truth, squared errors, and what other starts lead to."""
    shares, pooled_errors, alone_errors, seconds = [], [], [], []
    for study in range(studies):
        drawn = simulated(persons, trials, 1000 + study)
        table, true = table_of(drawn), np.log([person.rate for person in drawn])
        begun = time.process_time()
        pooled = rw.fit_each(table, pooling="hierarchical", **HOW)
        seconds.append(time.process_time() - begun)
        found, error = log_rates(pooled)
        shares.append(float((np.abs(found - true) <= 1.96 * error).mean()))
        pooled_errors.append(float(((found - true) ** 2).mean()))
        with warnings.catch_warnings():
            # That somebody alone is at a bound is what pooling is for.
            warnings.simplefilter("ignore", rw.RescorlaWarning)
            alone = rw.fit_each(table, pooling="none", bounds={"beta": (1e-3, 2.0)}, **HOW)
        alone_errors.append(float(((log_rates(alone)[0] - true) ** 2).mean()))
    print(
        f"coverage: {studies} {'study' if studies == 1 else 'studies'} of {persons} persons, {trials} "
        "trials each"
    )
    spread = ""
    if studies > 1:
        error_of_mean = statistics.stdev(shares) / np.sqrt(studies)
        spread = f" (standard error {error_of_mean:.3f}; studies {min(shares):.3f} to {max(shares):.3f})"
    print(f"  log beta within 1.96 standard errors: {statistics.mean(shares):.3f} of persons{spread}")
    squared, of_alone = statistics.mean(pooled_errors), statistics.mean(alone_errors)
    print(
        f"  mean squared error of log beta: {squared:.4f} hierarchical, {of_alone:.4f} alone "
        f"({of_alone / squared:.1f} times); {statistics.median(seconds):.2f} s a hierarchical fit"
    )
    for pooling in ("hierarchical", "none"):
        print(f"  from {starts} starts, pooling {pooling}: {from_starts(persons, trials, starts, pooling)}")


def from_starts(persons: int, trials: int, starts: int, pooling: Literal["hierarchical", "none"]) -> str:
    """How far estimates of the first study differ that were searched for from several starts."""
    random, table = np.random.default_rng(2), table_of(simulated(persons, trials, 1000))
    estimates, errors = [], []
    for _ in range(starts):
        beta, theta = np.exp(random.uniform(np.log([0.01, 1.0]), np.log([0.5, 20.0])))
        with warnings.catch_warnings():
            if pooling == "none":
                warnings.simplefilter("ignore", rw.RescorlaWarning)
            fit = rw.fit_each(table, pooling=pooling, beta=float(beta), theta=float(theta), **HOW)
        estimates.append(on_scales(fit, MODELS[0]))
        errors.append(fit.parameters["standard_error"].reshape(-1, 2))
    determined = np.isfinite(errors).all(axis=(0, 2))
    apart = np.ptp(estimates, axis=0)[determined].max(axis=0, initial=0.0)
    return (
        f"log estimates differ by at most {apart[0]:.1e} (beta) and {apart[1]:.1e} (theta), of "
        f"{determined.sum()} persons"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--persons", type=int, default=10)
    parser.add_argument("--trials", type=int, default=150)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--coverage", type=int, default=10, metavar="STUDIES", help="0: speed alone")
    parser.add_argument("--smoke", action="store_true", help="small")
    options = parser.parse_args()
    if options.smoke:
        options.persons, options.turns, options.coverage = 3, 1, min(options.coverage, 1)
    drawn = simulated(options.persons, options.trials, 1)
    agree = [compared(drawn, model, options.turns) for model in MODELS]
    if options.coverage:
        covered(options.coverage, *((10, 60, 2) if options.smoke else (60, 150, 5)))
    return int(not all(agree))


if __name__ == "__main__":
    sys.exit(main())
