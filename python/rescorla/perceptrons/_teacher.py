"""Learning a rule: students, and the teacher whose examples they learn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rescorla._core as _core
from rescorla._shared.checks import (
    Seed,
    flag,
    numbered,
    one_of,
    rate,
    real_array,
    seed_number,
    several,
    thread_count,
    unmasked,
    whole,
)
from rescorla._shared.optional import need
from rescorla._shared.progress import Progress, watching
from rescorla._weights.parameters import netcdf_attributes
from rescorla._weights.vectors import vector_of
from rescorla.perceptrons import _theory
from rescorla.perceptrons._margins import adatron, minover
from rescorla.perceptrons._perceptron import perceptron

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame
    from xarray import Dataset

STUDENTS = ("minover", "rosenblatt", "rosenblatt_random", "adatron", "least_squares", "hebb")
_THEORIES = (*STUDENTS, "bayes", "gibbs")
# More examples than any memory holds.
_MOST_EXAMPLES = 1e15
# So many numbers are drawn at a time, or those of one replicate: 64 MiB.
_AT_ONCE = 1 << 23
# The engine's AdaTron is done when its stability is this near the greatest.
_TOLERANCE = 1e-6
# And eigenvalues below this many n eps, of the greatest, are rounding errors.
_SLACK = 8.0


@dataclass(eq=False, repr=False, slots=True)
class TeacherStudent:
    """How well students learn a rule from examples. `teacher_student` makes it.

    Attributes
    ----------
    N : ndarray of int64, n_sizes
        Numbers of features.
    alpha : ndarray of float64, n_loads
        Examples per feature.
    students : tuple of str
        Who learned.
    errors : ndarray of float64, n_sizes x n_loads x n_students x n_replicates
        The generalisation error: the part of all inputs that a student is wrong about.
    steps : ndarray of int64, of the same shape
        How many updates the student made; 0 where the weights are computed at once.
    stabilities : ndarray of float64, of the same shape, or None
        The least S w.x / |w| over the student's own examples: above 0 where it gets all of them right. None
        where it was not asked for.
    parameters : dict
        How it was computed.

    Examples
    --------
    >>> import rescorla as rw
    >>> students = ["adatron", "hebb"]
    >>> found = rw.perceptrons.teacher_student(
    ...     20, [1, 4], students=students, replicates=50, seed=1
    ... )
    >>> found
    <TeacherStudent: N of 20, 2 alphas, 2 students, 50 replicates>
    >>> found.mean[0].round(2)  # alphas x students
    array([[0.25, 0.28],
           [0.11, 0.17]])
    >>> found.theory("hebb").round(2)
    array([0.29, 0.18])
    """

    N: NDArray[np.int64]
    alpha: NDArray[np.float64]
    students: tuple[str, ...]
    errors: NDArray[np.float64]
    steps: NDArray[np.int64]
    parameters: dict[str, Any]
    stabilities: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.N.tolist()))
        counts = f"{len(self.alpha)} alphas, {len(self.students)} students"
        return f"<TeacherStudent: N of {sizes}, {counts}, {self.errors.shape[3]} replicates>"

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the errors, n_sizes x n_loads x n_students."""
        return np.asarray(self.errors.mean(axis=3))

    @property
    def sem(self) -> NDArray[np.float64]:
        """The standard error of the mean, n_sizes x n_loads x n_students; NaN with one replicate."""
        n = self.errors.shape[3]
        if n < 2:
            return np.full(self.errors.shape[:3], np.nan)
        return np.asarray(self.errors.std(axis=3, ddof=1) / np.sqrt(n))

    def theory(self, student: str) -> NDArray[np.float64]:
        """The error that theory gives for N to infinity, at each alpha.

        Parameters
        ----------
        student : str
            One of the students; "gibbs": a plane drawn at random from all those that get the examples right;
            "bayes": the best that can be done.

        Returns
        -------
        ndarray of float64, n_loads
            For Hebb and least squares from closed formulas; for the plane of greatest stability (MinOver and
            AdaTron), Gibbs and Bayes from the equations of the replica method, solved numerically. NaN for
            Rosenblatt's perceptron, which has no such curve.

        Raises
        ------
        ImportError
            When scipy is needed and not installed.
        ValueError
            When there is no such student.

        References
        ----------
        Opper, M., Kinzel, W., Kleinz, J. and Nehl, R. (1990). On the ability of the optimal perceptron to
        generalise. Journal of Physics A 23, L581-L586.

        Opper, M. and Haussler, D. (1991). Generalization performance of Bayes optimal classification
        algorithm for learning a perceptron. Physical Review Letters 66, 2677-2680.

        Watkin, T. L. H., Rau, A. and Biehl, M. (1993). The statistical mechanics of learning a rule. Reviews
        of Modern Physics 65, 499-556.
        """
        one_of("student", student, _THEORIES)
        return np.array([_theory.error(student, float(alpha)) for alpha in self.alpha])

    def to_xarray(self) -> Dataset:
        """Errors, steps and stabilities as an xarray Dataset.

        Returns
        -------
        xarray.Dataset
            The variables errors, steps and, where it was asked for, stabilities, of the dimensions N, alpha,
            student and replicate.

        Raises
        ------
        ImportError
            When xarray is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> found = rw.perceptrons.teacher_student(
        ...     10, [1, 2], students=["hebb"], replicates=3, seed=1
        ... )
        >>> found.to_xarray().errors.mean("replicate").sizes
        Frozen({'N': 1, 'alpha': 2, 'student': 1})
        """
        xarray = need("xarray")
        dimensions = ("N", "alpha", "student", "replicate")
        variables = {"errors": (dimensions, self.errors), "steps": (dimensions, self.steps)}
        if self.stabilities is not None:
            variables["stabilities"] = (dimensions, self.stabilities)
        dataset: Dataset = xarray.Dataset(
            variables,
            coords={"N": self.N, "alpha": self.alpha, "student": list(self.students)},
            attrs=netcdf_attributes(self.parameters),
        )
        return dataset

    def to_pandas(self) -> DataFrame:
        """Means and standard errors as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            A row for each N, alpha and student, and the columns N, alpha, student, mean, sem, steps (the mean
            number of updates) and, where it was asked for, stability (the mean of the stabilities).

        Raises
        ------
        ImportError
            When pandas is not installed.

        Examples
        --------
        >>> import rescorla as rw
        >>> found = rw.perceptrons.teacher_student(
        ...     10, [1, 2], students=["hebb"], replicates=3, seed=1
        ... )
        >>> found.to_pandas().columns.tolist()
        ['N', 'alpha', 'student', 'mean', 'sem', 'steps']
        """
        pd = need("pandas")
        N, alpha, student = np.meshgrid(self.N, self.alpha, np.array(self.students, object), indexing="ij")
        columns = {"N": N, "alpha": alpha, "student": student, "mean": self.mean, "sem": self.sem}
        columns["steps"] = self.steps.mean(axis=3)
        if self.stabilities is not None:
            columns["stability"] = self.stabilities.mean(axis=3)
        table: DataFrame = pd.DataFrame({name: column.ravel() for name, column in columns.items()})
        return table


def teacher_student(
    N: int | Sequence[int],
    alpha: float | ArrayLike,
    *,
    students: Iterable[str] = ("minover", "rosenblatt", "adatron", "least_squares", "hebb"),
    replicates: int = 100,
    inputs: Literal["gaussian", "binary"] = "gaussian",
    teacher: Literal["random", "ones"] | ArrayLike | None = None,
    n_max: int = 100,
    stop: float | None = None,
    stabilities: bool = False,
    seed: Seed,
    threads: int | None = None,
    progress: Progress = None,
) -> TeacherStudent:
    """Let students learn a rule from a teacher's examples, again and again.

    A teacher w* gives P = alpha N examples (x, S), S = sign(w*.x), x drawn at random. The students see them,
    and their generalisation error is the part of all inputs that they are still wrong about:

        eps = acos(w.w* / |w||w*|) / pi

    Parameters
    ----------
    N : int or sequence of int
        Numbers of features.
    alpha : float or array_like of float
        Examples per feature; P is alpha N, rounded.
    students : iterable of str
        "minover" and "adatron", as the functions of these names; "rosenblatt", the perceptron that learns one
        example after another, w += S x / N where S w.x <= 0, from w = 0; "rosenblatt_random", the same from
        normal random numbers; "least_squares", the least sum of (S - w.x)^2, and among several solutions
        the shortest; "hebb", the sum of S x. By default all but the random start.
    replicates : int, default 100
        How often to draw teacher and examples.
    inputs : {"gaussian", "binary"}, default "gaussian"
        Normal random numbers, or +1 and -1 with equal chances.
    teacher : {"random", "ones"} or array_like of N numbers, default "random"
        Normal random numbers, scaled to |w*|^2 = N; ones; or given weights.
    n_max : int, default 100
        MinOver makes n_max P steps, the perceptrons and AdaTron at most n_max sweeps. AdaTron stops when
        its stability is within 1e-6 of the greatest.
    stop : float, optional
        MinOver stops after the first step, from the second on, that changes eps by no more than this.
    stabilities : bool, default False
        Whether to record how stable each student ends. All students then learn a second time, on one thread,
        which takes longer than all the rest.
    seed : int, numpy.random.Generator or numpy.random.SeedSequence
        An int, 0 or more, or what draws one, which then stands in ``parameters["seed"]``. Replicate r is
        drawn by ``numpy.random.default_rng([seed, N, r])``: N normal numbers for the teacher, N for the
        random start, then the inputs, row by row. An input on the teacher's plane has no class: row i is
        drawn again by ``default_rng([seed, N, r, i])``, until it is off. So all students see the same draws,
        the examples of a smaller alpha are the first of those of a larger one, and other students, alphas and
        N change nothing.
    threads : int, optional
        By default as many as the process may use. The result does not depend on them.
    progress : bool, callable or None, default None
        None: a bar on a terminal. A callable gets (done, total) in numbers of inputs.

    Returns
    -------
    TeacherStudent
        Errors, steps and stabilities, means, and the curves of theory.

    Raises
    ------
    ValueError
        When an argument is out of its range.

    References
    ----------
    Opper, M., Kinzel, W., Kleinz, J. and Nehl, R. (1990). On the ability of the optimal perceptron to
    generalise. Journal of Physics A 23, L581-L586.

    Examples
    --------
    >>> import rescorla as rw
    >>> found = rw.perceptrons.teacher_student(
    ...     [10, 50], 3.0, students=["minover"], replicates=100, seed=1
    ... )
    >>> found.mean[:, 0, 0].round(3), found.sem[:, 0, 0].round(3)
    (array([0.133, 0.14 ]), array([0.004, 0.002]))
    >>> found.theory("minover").round(3)
    array([0.143])

    After a step for each example MinOver still gets some of them wrong:

    >>> for n_max in (1, 100):
    ...     found = rw.perceptrons.teacher_student(
    ...         50,
    ...         3.0,
    ...         students=["minover"],
    ...         replicates=20,
    ...         n_max=n_max,
    ...         stabilities=True,
    ...         seed=1,
    ...     )
    ...     print((found.stabilities > 0).sum(), found.stabilities.mean().round(2))
    1 -0.11
    20 0.3
    """
    several_sizes = [N] if np.ndim(N) == 0 else several("N", unmasked("N", N), "sizes")
    sizes = np.array([whole("N", size, 1) for size in several_sizes], dtype=np.int64)
    loads = vector_of("alpha", np.atleast_1d(real_array("alpha", alpha)), np.dtype(np.float64))
    if len(loads) and not 0 <= loads.min() <= loads.max() < _MOST_EXAMPLES / max(sizes, default=1):
        raise ValueError(f"alpha must be 0 or more, and alpha * N below {_MOST_EXAMPLES:g}, not {loads}")
    names = _names(students)
    n_replicates, most = whole("replicates", replicates, 1), whole("n_max", n_max, 1)
    one_of("inputs", inputs, ("gaussian", "binary"))
    weights = _weights(teacher, sizes)
    least = None if stop is None else rate("stop", stop)
    first = seed_number(seed)
    n_threads = thread_count(threads)
    counts = np.rint(np.multiply.outer(sizes, loads)).astype(np.int64)
    stabilities = flag("stabilities", stabilities)
    # With stabilities everything is learned twice.
    rounds = 2 if stabilities else 1
    total = int((counts * sizes[:, None]).sum()) * n_replicates * rounds
    shape = (*counts.shape, n_replicates, len(names))
    errors, steps = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    ends = np.zeros(shape) if stabilities else None
    started = perf_counter()
    done = 0
    with watching(progress, "learning a rule", "%", 100) as watch:
        for (i, k), P in np.ndenumerate(counts):
            size = int(sizes[i])
            for begin, end in _chunks(n_replicates, int(P) * size):
                draws = _draws(first, size, int(P), range(begin, end), inputs == "binary", weights)
                found = _core.students(
                    *draws,
                    students=list(names),
                    n_max=most,
                    stop=least,
                    threads=n_threads,
                    progress=_share(watch, done, total, int(P) * size),
                )
                for target, values in zip((errors, steps), found, strict=True):
                    target[i, k, begin:end] = values.reshape(end - begin, len(names))
                done += (end - begin) * int(P) * size
                if ends is not None:
                    for place in range(begin, end):
                        X, y, _, start = (part[place - begin] for part in draws)
                        ends[i, k, place] = [
                            _stability(name, X, y, start, int(n), most)
                            for name, n in zip(names, steps[i, k, place], strict=True)
                        ]
                        done += int(P) * size
                        if watch is not None:
                            watch(done, total)
    parameters = {
        "replicates": n_replicates,
        "inputs": inputs,
        "teacher": "given" if isinstance(weights, np.ndarray) else weights,
        "n_max": most,
        "stop": least,
        "seed": first,
        "threads": n_threads,
        "seconds": perf_counter() - started,
        "version": _core.__version__,
    }
    # As arrays of their own, replicates last.
    errors, steps = (np.ascontiguousarray(np.swapaxes(values, 2, 3)) for values in (errors, steps))
    if ends is not None:
        ends = np.ascontiguousarray(np.swapaxes(ends, 2, 3))
    return TeacherStudent(sizes, loads, names, errors, steps, parameters, ends)


def _stability(
    student: str,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    start: NDArray[np.float64],
    steps: int,
    n_max: int,
) -> float:
    """The least y w.x / |w| over the examples; 0 while w is zero, infinite without examples.

    The engine says what a student is wrong about and not what its weights are, so it learns once more, by the
    function of its name. MinOver's end may depend on the teacher, so its number of steps is given.
    """
    if not len(y):
        return float("inf")
    match student:
        case "minover":
            return minover(X, y, max_steps=steps, record=False, progress=False).stability
        case "adatron":
            return adatron(X, y, tol=_TOLERANCE, max_sweeps=n_max, progress=False).stability
        case "rosenblatt":
            return perceptron(X, y, bias=False, max_sweeps=n_max, progress=False).stability
        case "rosenblatt_random":
            rate = 1 / X.shape[1]
            fit = perceptron(X, y, bias=False, eta=rate, initial=start, max_sweeps=n_max, progress=False)
            return fit.stability
        case "least_squares":
            # Singular values are the roots of eigenvalues.
            least = sqrt(_SLACK * min(X.shape) * np.finfo(np.float64).eps)
            return _least(np.asarray(np.linalg.lstsq(X, y, rcond=least)[0], np.float64), X, y)
        case _:
            return _least(y @ X, X, y)


def _least(w: NDArray[np.float64], X: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(w))
    return float((y * (X @ w)).min()) / size if size else 0.0


def _draws(
    seed: int, n: int, p: int, replicates: range, binary: bool, weights: str | NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Inputs, labels, teachers and random starts."""
    inputs, labels = np.empty((len(replicates), p, n)), np.empty((len(replicates), p))
    teachers, starts = np.empty((len(replicates), n)), np.empty((len(replicates), n))
    for place, replicate in enumerate(replicates):
        rng = np.random.default_rng([seed, n, replicate])
        drawn = rng.standard_normal(n)
        if isinstance(weights, np.ndarray):
            teachers[place] = weights
        else:
            teachers[place] = 1.0 if weights == "ones" else drawn * np.sqrt(n / (drawn @ drawn))
        starts[place] = rng.standard_normal(n)
        inputs[place] = _inputs(rng, p, n, binary)
        fields = inputs[place] @ teachers[place]
        for row in np.flatnonzero(fields == 0).tolist():
            again = np.random.default_rng([seed, n, replicate, row])
            while fields[row] == 0:
                inputs[place, row] = _inputs(again, 1, n, binary)[0]
                fields[row] = inputs[place, row] @ teachers[place]
        labels[place] = np.sign(fields)
    return inputs, labels, teachers, starts


def _inputs(rng: np.random.Generator, p: int, n: int, binary: bool) -> NDArray[np.float64]:
    if binary:
        return np.asarray(2.0 * rng.integers(0, 2, (p, n), dtype=np.int8) - 1.0)
    return rng.standard_normal((p, n))


def _chunks(replicates: int, size: int) -> Iterator[tuple[int, int]]:
    at_once = max(1, _AT_ONCE // max(1, size))
    for begin in range(0, replicates, at_once):
        yield begin, min(replicates, begin + at_once)


def _share(
    watch: Callable[[int, int], object] | None, before: int, total: int, size: int
) -> Callable[[int, int], object] | None:
    """What the engine tells of replicates, as numbers of inputs."""
    return None if watch is None else lambda done, _: watch(before + done * size, total)


def _names(students: Iterable[str]) -> tuple[str, ...]:
    names = tuple(several("students", students))
    for name in names:
        one_of("students", name, STUDENTS)
    if len(numbered(names)) < len(names):
        raise ValueError("students names one twice; name it once")
    return names


def _weights(teacher: object, sizes: NDArray[np.int64]) -> str | NDArray[np.float64]:
    if teacher is None or isinstance(teacher, str):
        name = "random" if teacher is None else teacher
        one_of("teacher", name, ("random", "ones"))
        return name
    weights = vector_of("teacher", teacher, np.dtype(np.float64))
    if not weights.any():
        raise ValueError("teacher must have a weight other than 0: its plane is the rule")
    for size in sizes:
        if len(weights) != size:
            raise ValueError(f"teacher must have {size} weights, as many as N, not {len(weights)}")
    return weights
