"""A valid call of every public callable, with each of its arguments that a caller may give."""

import inspect
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import rescorla
from rescorla import classify, estimators, perceptrons

rw: Any = rescorla


class Call(NamedTuple):
    """What is called, and the arguments of a call that is valid."""

    function: Callable[..., Any]
    arguments: dict[str, Any]


# Made by the package, for its results alone; exceptions and warnings; and what needs a cluster.
RESULTS = {
    "distributed.learn",
    "Convergence",
    "Event",
    "Events",
    "Fit",
    "FormatError",
    "Influence",
    "LeaveOneOut",
    "RescorlaWarning",
    "Sensitivity",
    "Trajectories",
    "Trials",
    "Verified",
    "classify.Anova",
    "classify.CrossValidation",
    "classify.Importance",
    "classify.Statistics",
    "estimators.EstimatorWarning",
    "ldl.Lexicon",
    "ldl.Produced",
    "perceptrons.LinearFit",
    "perceptrons.TeacherStudent",
    "tiles.MissingTilesError",
}
# What scikit-learn brings to every estimator, and tuples and exceptions bring.
INHERITED = {
    "get_metadata_routing",
    "get_params",
    "set_params",
    "score",
    "count",
    "index",
    "add_note",
    "with_traceback",
    "set_fit_request",
    "set_partial_fit_request",
    "set_score_request",
}


def public(module: ModuleType = rescorla, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The dotted name of each public function, class and method, without those of `compat`."""
    for name in module.__all__:
        each = getattr(module, name)
        if inspect.ismodule(each):
            if name != "compat":
                yield from public(each, f"{prefix}{name}.")
            continue
        if not callable(each):
            continue
        if prefix + name not in RESULTS:
            yield prefix + name, each
        if inspect.isclass(each):
            for method in dir(each):
                if method.startswith("_") or method in INHERITED:
                    continue
                if callable(getattr(each, method)):
                    yield f"{prefix}{name}.{method}", getattr(each, method)


ROWS = [("a_b", "x", 3), ("b_c", "y", 2), ("a", "x_y")] * 4
FRAME = pd.DataFrame(
    {"Verb": list("pqpqpqpq"), "Theme": list("uvvuuvvu"), "Length": [2, 7, 3, 2, 5, 1, 8, 4]}
)
LABELS = np.array(list("NNPPNPNP"))


def files(folder: Path) -> None:
    """Writes into a folder what the calls read."""
    events = rw.read_events(ROWS)
    events.save(folder / "e.rw")
    weights = rw.learn(events)
    weights.save(folder / "w.npz")
    shutil.rmtree(folder / "w.zarr", ignore_errors=True)
    rw.learn(events, out=folder / "w.zarr")
    rw.trajectories(events, [("a", "x")]).save(folder / "c.npz")
    # As many as the King James Bible has.
    (folder / "verses.txt").write_text("a verse\n" * 31_102, encoding="utf-8")
    (folder / "v.vec").write_text("a 1 2\nb 3 4\n", encoding="utf-8")
    (folder / "text.txt").write_text("the cat sat\nthe dog sat\n" * 3, encoding="utf-8")


def calls() -> dict[str, Call]:
    """The calls, in a folder that has the files."""
    events = rw.read_events(ROWS)
    left = rw.leave_one_out(events)
    weights = rw.learn(events)
    curves = rw.trajectories(events, [("a", "x")])
    rate = rw.convergence(events)
    did = rw.influence(events, "a", "x")
    X, y = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, -2.0], [-2.0, 0.5]]), np.array([1, 1, -1, -1])
    fit = perceptrons.perceptron(X, y)
    teacher = perceptrons.teacher_student(4, [1.0], replicates=1, seed=1)
    beside = {"unknown": "error", "threads": 1, "progress": None}
    learned = {
        "events": events,
        "alpha": 0.1,
        "beta": 0.1,
        "lambda_": 1.0,
        "schedule": rw.schedules.inverse_time(10),
        "initial": None,
        "dtype": "float64",
        "threads": 1,
        "progress": None,
    }
    by_rule = {**learned, "rule": "rescorla_wagner", "rule_parameters": None, "retention": 0.999}
    about = {name: value for name, value in learned.items() if name not in ("dtype", "threads")}
    about |= {"cues": ["a", "b"], "outcome": "x", "pairs": None, "retention": 0.999}
    made = {"path": "new.rw", "progress": None}
    vectors = rw.Weights(np.eye(2), ["x", "y"], ["one", "two"])
    trials = {"who": ["ann", "bob"], "time": [1, 2], "cues": ["a", "b"], "outcomes": ["x", "y"]}
    learned_each = rw.learn_each(trials, by="who")
    answered = {
        "who": ["ann"] * 4 + ["bob"] * 4,
        "time": [1, 2, 3, 4] * 2,
        "cues": list("abababab"),
        "outcomes": list("xyxyxyxy"),
        "answer": list("xxyyxyxx"),
    }
    asked = {"trials": answered, "by": "who", "response": "answer", "choices": ["x", "y"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = rw.fit_each(**asked, pooling="none")
    lexicon = rw.ldl.lexicon(["ab", "abb"], np.eye(2))
    F, G = rw.ldl.comprehension(lexicon), rw.ldl.production(lexicon)
    table: dict[str, Call] = {
        "Convergence.half_life": Call(rate.half_life, {"cue": "a", "outcome": "x"}),
        "Convergence.mean_trajectory": Call(
            rate.mean_trajectory, {"tokens": [1, 2], "cue": "a", "outcome": "x", "initial": weights}
        ),
        "Convergence.oscillation": Call(rate.oscillation, {"cue": "a", "outcome": "x", "method": "exact"}),
        "Convergence.passes": Call(rate.passes, {"tol": 0.1}),
        "Convergence.summary": Call(rate.summary, {}),
        "Events.counts": Call(events.counts, {"side": "cues"}),
        "Events.cue_matrix": Call(events.cue_matrix, {}),
        "Events.outcome_matrix": Call(events.outcome_matrix, {}),
        "Events.distinct": Call(events.distinct, {"frequencies": "one", **made}),
        "Events.filter": Call(
            events.filter,
            {
                "keep_cues": ["a", "b"],
                "keep_outcomes": None,
                "remove_cues": None,
                "remove_outcomes": None,
                "cue_map": None,
                "outcome_map": {"x": "z"},
                "min_cue_count": None,
                "min_outcome_count": None,
                "max_cues": 3,
                "max_outcomes": 3,
                "duplicates": "drop",
                **made,
            },
        ),
        "Events.head": Call(events.head, {"n": 2, **made}),
        "Events.info": Call(events.info, {}),
        "Events.passes": Call(events.passes, {"n": 2, "seed": 1, **made}),
        "Events.sample": Call(events.sample, {"n": 2, "seed": 1, **made}),
        "Events.save": Call(events.save, {"path": "new.rw"}),
        "Events.shuffled": Call(events.shuffled, {"seed": 1, **made}),
        "Events.split": Call(
            events.split, {"test": 0.5, "seed": 1, "paths": ("one.rw", "two.rw"), "progress": None}
        ),
        "Events.swapped": Call(events.swapped, {**made}),
        "Events.to_pandas": Call(events.to_pandas, {}),
        "Events.to_polars": Call(events.to_polars, {}),
        "Events.to_table": Call(events.to_table, {"path": "new.tab", "progress": None}),
        "Events.verify": Call(events.verify, {"progress": None}),
        "Events.with_background": Call(events.with_background, {"name": "here", **made}),
        "LeaveOneOut.accuracy": Call(left.accuracy, {"k": 1}),
        "LeaveOneOut.ranks": Call(left.ranks, {}),
        "LeaveOneOut.to_pandas": Call(left.to_pandas, {}),
        "Trajectories.activations": Call(curves.activations, {"cues": "a"}),
        "Trajectories.concat": Call(rw.Trajectories.concat, {"parts": [curves]}),
        "Trajectories.load": Call(rw.Trajectories.load, {"path": "c.npz"}),
        "Trajectories.save": Call(curves.save, {"path": "new.npz"}),
        "Trajectories.to_pandas": Call(curves.to_pandas, {}),
        "Trajectories.to_xarray": Call(curves.to_xarray, {}),
        "Weights": Call(
            rw.Weights,
            {
                "values": [[1.0, 2.0]],
                "cues": ["a"],
                "outcomes": ["x", "y"],
                "parameters": {"note": "mine"},
                "state": {"salience": [[1.0, 0.5]]},
            },
        ),
        "Weights.column": Call(weights.column, {"outcome": "x"}),
        "Weights.row": Call(weights.row, {"cue": "a"}),
        "Weights.from_pandas": Call(rw.Weights.from_pandas, {"frame": weights.to_pandas()}),
        "Weights.from_xarray": Call(rw.Weights.from_xarray, {"array": weights.to_xarray()}),
        "Weights.missing": Call(weights.missing, {}),
        "Weights.predict": Call(
            weights.predict, {"events": ["a_b"], "n": 1, "unknown": "error", "threads": 1}
        ),
        "Weights.save": Call(weights.save, {"path": "new.csv", "long": True}),
        "Weights.strongest": Call(weights.strongest, {"n": 2}),
        "Weights.to_arrow": Call(weights.to_arrow, {"long": True}),
        "Weights.to_pandas": Call(weights.to_pandas, {}),
        "Weights.to_xarray": Call(weights.to_xarray, {"chunks": None}),
        "Weights.top": Call(weights.top, {"cue": "a", "outcome": None, "n": 1}),
        "activations": Call(
            rw.activations,
            {
                "events": events,
                "weights": weights,
                "outcomes": ["x"],
                "present_only": False,
                "dtype": "float64",
                "out": None,
                **beside,
            },
        ),
        "bandsample": Call(rw.bandsample, {"counts": {"a": 10, "b": 20}, "size": 1, "cutoff": 5, "seed": 1}),
        "concat_events": Call(rw.concat_events, {"parts": [events, "e.rw"], **made}),
        "convergence": Call(
            rw.convergence,
            {
                "events": events,
                "alpha": 0.1,
                "beta": 0.1,
                "lambda_": 1.0,
                "retention": 1.0,
                "outcomes": ["x"],
            },
        ),
        "corpus_events": Call(
            rw.corpus_events,
            {
                "corpus": "text.txt",
                "cues_from": "trigrams",
                "outcomes_from": "words",
                "window": 2,
                "mask": False,
                "context": "line",
                "across": True,
                "letters": "codepoints",
                "symbols": "a-z",
                "lower": True,
                "normalize": "NFC",
                "boundary": "#",
                "stop_words": ["the"],
                "vocabulary": None,
                "sentence_end": ".",
                "unknown": "error",
                "format": "text",
                "speakers": None,
                "duplicates": "drop",
                "background": "here",
                "threads": 1,
                **made,
            },
        ),
        "cue_coding": Call(rw.cue_coding, {"cues": ["a_b"], "maxn": 2, "adjacent": True}),
        "cue_window": Call(
            rw.cue_window,
            {
                "values": [1.0, 5.0],
                "n": 1,
                "step": 1,
                "weights": [1],
                "min": 1,
                "max": 100,
                "rounded": True,
                "decimals": None,
                "prefix": "f",
                "suffix": "Hz",
            },
        ),
        "datasets.king_james": Call(rw.datasets.king_james, {"path": "verses.txt", "book": None}),
        "datasets.plants": Call(rw.datasets.plants, {}),
        "datasets.plurals": Call(rw.datasets.plurals, {"grams": 2}),
        "delta_rule": Call(
            rw.delta_rule,
            {
                **learned,
                "activation": "logistic",
                "loss": "squared",
                "batch": 1,
                "reduction": "sum",
                "passes": 2,
                "tol": None,
                "record": "loss",
                "seed": 1,
            },
        ),
        "design": Call(rw.design, {"text": "A+ 4 | AB+ 4", "context": False, "between": 0, "seed": 1}),
        "Influence.by": Call(did.by, {"groups": ["one", "two", "two"] * 4, "values": "contributions"}),
        "Influence.to_pandas": Call(did.to_pandas, {}),
        "Influence.top": Call(did.top, {"n": 1}),
        "Sensitivity.top": Call(rw.sensitivity(events, "a", "x").top, {"n": 1}),
        "influence": Call(rw.influence, {**about, "n": 2}),
        "sensitivity": Call(rw.sensitivity, about),
        "leave_one_out": Call(
            rw.leave_one_out,
            {
                "events": events,
                "ridge": 0.0,
                "cue_vectors": None,
                "outcome_vectors": None,
                "leave": "row",
                "threads": 1,
                "progress": None,
            },
        ),
        "standard_errors": Call(
            rw.standard_errors,
            {
                "events": events,
                "weights": rw.equilibrium(rw.read_events(ROWS)),
                "sample": "tokens",
                "correction": "hc3",
                "threads": 1,
                "progress": None,
            },
        ),
        "equilibrium": Call(
            rw.equilibrium,
            {
                "events": events,
                "beta": 1.0,
                "lambda_": 1.0,
                "alpha": 0.1,
                "ridge": 0.0,
                "background": "here",
                "method": "auto",
                "tol": None,
                "threads": 1,
                "initial": None,
                "cue_vectors": None,
                "outcome_vectors": None,
                "by": None,
                "progress": None,
            },
        ),
        "factor_events": Call(
            rw.factor_events,
            {
                "frame": FRAME,
                "outcome": "Verb",
                "factors": ["Theme"],
                "frequency": "Length",
                "ignore": ["v"],
                "quantiles": 2,
                "separator": "",
                "background": "here",
            },
        ),
        "learn": Call(
            rw.learn,
            {
                **by_rule,
                "average": False,
                "cues": ["a"],
                "outcomes": ["x"],
                "method": "auto",
                "event_memory": 100_000,
                "out": "new.zarr",
                "resume": True,
                "part": None,
            },
        ),
        "load_weights": Call(rw.load_weights, {"path": "w.npz"}),
        "open_events": Call(rw.open_events, {"path": "e.rw", "mapped": True}),
        "ortho_coding": Call(
            rw.ortho_coding, {"words": ["cat"], "grams": 2, "boundary": "#", "separator": None}
        ),
        "read_events": Call(
            rw.read_events,
            {
                "source": ROWS,
                "duplicates": "drop",
                "columns": None,
                "header": True,
                "limit": 2,
                "background": "here",
                **made,
            },
        ),
        "report": Call(
            rw.report,
            {
                "result": weights,
                "path": "page.html",
                "title": "mine",
                "n": 2,
                "nearness": "cosine",
                "alpha": None,
                "beta": None,
                "lambda_": None,
                "progress": None,
            },
        ),
        "schedules.inverse_time": Call(rw.schedules.inverse_time, {"tau": 10.0}),
        "schedules.power": Call(rw.schedules.power, {"tau": 10.0, "exponent": 0.75}),
        "schedules.piecewise": Call(rw.schedules.piecewise, {"ends": [5], "factors": [1.0, 0.5]}),
        "show_versions": Call(rw.show_versions, {}),
        "tiles.repair": Call(rw.tiles.repair, {"out": "w.zarr", "tiles": [0]}),
        "trajectories": Call(
            rw.trajectories,
            {
                **by_rule,
                "pairs": [("a", "x")],
                "cues": None,
                "outcomes": None,
                "every": 1,
                "at": [1, 2],
                "predictions": False,
            },
        ),
        "verify": Call(
            rw.verify,
            {"path": "w.zarr", "events": events, "sample": 1, "seed": 1, "threads": 1, "progress": None},
        ),
        "widrow_hoff": Call(
            rw.widrow_hoff,
            {
                "data": events,
                "eta": 0.01,
                "cue_vectors": None,
                "outcome_vectors": vectors,
                "initial": None,
                "passes": 2,
                "schedule": None,
                "record": "loss",
                "normalized": True,
                "dtype": "float64",
                "method": "auto",
                "threads": 1,
                "out": None,
                "progress": None,
            },
        ),
        "Trials.save": Call(learned_each.save, {"path": "t.csv"}),
        "Trials.to_arrow": Call(learned_each.to_arrow, {}),
        "Trials.to_pandas": Call(learned_each.to_pandas, {}),
        "Trials.to_polars": Call(learned_each.to_polars, {}),
        "Trials.weights": Call(learned_each.weights, {"person": "ann"}),
        "Fit.compare": Call(lambda fits: fitted.compare(fits), {"fits": fitted}),
        "Fit.recover": Call(fitted.recover, {"n": 1, "seed": 1}),
        "fit_each": Call(
            rw.fit_each,
            {
                **asked,
                "cues": "cues",
                "outcomes": "outcomes",
                "order": "time",
                "link": "softmax",
                "free": ["beta"],
                "groups": {"a": "one"},
                "bounds": {"beta": (0.01, 1.0)},
                "pooling": "none",
                "rule": "rescorla_wagner",
                "rule_parameters": None,
                "alpha": 1.0,
                "beta": 0.1,
                "lambda_": 1.0,
                "retention": 0.999,
                "theta": 1.0,
                "initial": None,
                "threads": 1,
                "progress": None,
            },
        ),
        "learn_each": Call(
            rw.learn_each,
            {
                "trials": trials,
                "by": "who",
                "cues": "cues",
                "outcomes": "outcomes",
                "choices": ["x", "y"],
                "order": "time",
                "theta": 1.0,
                "cue_vectors": None,
                "outcome_vectors": None,
                "update": True,
                "record": ["activation", "surprisal"],
                **{name: value for name, value in by_rule.items() if name not in ("events", "schedule")},
            },
        ),
        "ldl.accuracy": Call(
            rw.ldl.accuracy,
            {
                "lexicon": lexicon,
                "weights": F,
                "k": 1,
                "candidates": lexicon,
                "by": "types",
                "homophones": True,
                "method": "correlation",
            },
        ),
        "ldl.careful_split": Call(
            rw.ldl.careful_split, {"lexicon": lexicon, "test": 0, "features": [("a",), ("b",)], "seed": 1}
        ),
        "ldl.comprehension": Call(rw.ldl.comprehension, {"lexicon": lexicon, "ridge": 0.0, "eta": 0.1}),
        "ldl.density": Call(rw.ldl.density, {"lexicon": lexicon, "F": F, "n": 1}),
        "ldl.functional_load": Call(
            rw.ldl.functional_load, {"lexicon": lexicon, "F": F, "convention": "judiling"}
        ),
        "ldl.lexicon": Call(
            rw.ldl.lexicon,
            {"words": ["ab", "b"], "vectors": np.eye(2), "frequencies": [1, 2], "n": 2, "counts": True},
        ),
        "ldl.measures": Call(rw.ldl.measures, {"lexicon": lexicon, "F": F, "G": G, "convention": "judiling"}),
        "ldl.predicted": Call(rw.ldl.predicted, {"lexicon": lexicon, "weights": F}),
        "ldl.produce": Call(
            rw.ldl.produce,
            {
                "lexicon": lexicon,
                "word": "ab",
                "F": F,
                "G": G,
                "stop": "boundary",
                "follows": "overlap",
                "max_length": 5,
                "tol": 0.0,
            },
        ),
        "ldl.production": Call(rw.ldl.production, {"lexicon": lexicon, "ridge": 0.0, "eta": 0.1}),
        "ldl.read_vectors": Call(rw.ldl.read_vectors, {"path": "v.vec", "words": ["a", "b"]}),
        "ldl.simulated_vectors": Call(
            rw.ldl.simulated_vectors,
            {
                "features": [("a", "c"), ("b", "c")],
                "n_dimensions": 3,
                "sd": 4.0,
                "sd_mean": 1.0,
                "sd_noise": 1.0,
                "seed": 1,
            },
        ),
        "ldl.support": Call(rw.ldl.support, {"lexicon": lexicon, "G": G, "convention": "judiling"}),
        "ldl.uncertainty": Call(
            rw.ldl.uncertainty, {"lexicon": lexicon, "weights": F, "convention": "judiling"}
        ),
        "measures.accuracy": Call(
            rw.measures.accuracy,
            {
                "predicted": np.eye(2),
                "vectors": vectors,
                "targets": ["x", "y"],
                "k": 1,
                "method": "correlation",
            },
        ),
        "measures.activation": Call(
            rw.measures.activation, {"events": events, "weights": weights, "targets": None, **beside}
        ),
        "measures.correlation": Call(
            rw.measures.correlation, {"predicted": [[1.0, 2.0, 3.0]], "target": [[1.0, 2.0, 4.0]]}
        ),
        "measures.correlations": Call(
            rw.measures.correlations, {"predicted": [[1.0, 2.0]], "vectors": vectors}
        ),
        "measures.density": Call(
            rw.measures.density, {"weights": weights, "n": 1, "side": "cues", "method": "cosine"}
        ),
        "measures.diversity": Call(
            rw.measures.diversity, {"events": events, "weights": weights, "norm": "l1", **beside}
        ),
        "measures.entropy": Call(
            rw.measures.entropy, {"events": events, "weights": weights, "method": "softmax", **beside}
        ),
        "measures.margin": Call(
            rw.measures.margin,
            {"events": events, "weights": weights, "targets": ["x", "y", "x"] * 4, **beside},
        ),
        "measures.nearness_rank": Call(
            rw.measures.nearness_rank,
            {"predicted": np.eye(2), "vectors": vectors, "targets": ["x", "y"], "method": "correlation"},
        ),
        "measures.prior": Call(rw.measures.prior, {"weights": weights, "norm": "l1"}),
        "measures.rank": Call(
            rw.measures.rank, {"events": events, "weights": weights, "targets": ["x", "y", "x"] * 4, **beside}
        ),
        "measures.similarity": Call(
            rw.measures.similarity, {"weights": weights, "names": ["a"], "side": "cues", "method": "cosine"}
        ),
        "measures.typicality": Call(rw.measures.typicality, {"weights": weights, "side": "cues"}),
        "perceptrons.LinearFit.decision_function": Call(fit.decision_function, {"X": X}),
        "perceptrons.LinearFit.functional_margins": Call(fit.functional_margins, {"X": X, "y": y}),
        "perceptrons.LinearFit.projection": Call(fit.projection, {"X": X}),
        "perceptrons.LinearFit.geometric_margins": Call(fit.geometric_margins, {"X": X, "y": y}),
        "perceptrons.LinearFit.predict": Call(fit.predict, {"X": X}),
        "perceptrons.TeacherStudent.theory": Call(teacher.theory, {"student": "hebb"}),
        "perceptrons.TeacherStudent.to_pandas": Call(teacher.to_pandas, {}),
        "perceptrons.TeacherStudent.to_xarray": Call(teacher.to_xarray, {}),
        "perceptrons.adatron": Call(
            perceptrons.adatron,
            {"X": X, "y": y, "max_sweeps": 10, "gamma": 1.0, "tol": 1e-2, "bias": False, "progress": None},
        ),
        "perceptrons.minover": Call(
            perceptrons.minover,
            {"X": X, "y": y, "max_steps": 10, "tol": None, "bias": False, "record": True, "progress": None},
        ),
        "perceptrons.perceptron": Call(
            perceptrons.perceptron,
            {
                "X": X,
                "y": y,
                "rule": "single",
                "eta": 1.0,
                "bias": True,
                "max_sweeps": 10,
                "schedule": rw.schedules.inverse_time(10),
                "initial": None,
                "seed": 1,
                "record": "loss",
                "progress": None,
            },
        ),
        "perceptrons.separable": Call(perceptrons.separable, {"X": X, "y": y, "bias": False}),
        "perceptrons.teacher_student": Call(
            perceptrons.teacher_student,
            {
                "N": [4],
                "alpha": [1.0],
                "students": ["hebb"],
                "replicates": 1,
                "inputs": "gaussian",
                "teacher": "random",
                "n_max": 10,
                "stop": None,
                "stabilities": False,
                "seed": 1,
                "threads": 1,
                "progress": None,
            },
        ),
        "plot.activations": Call(
            rw.plot.activations,
            {
                "values": [[0.1, 0.5], [0.2, 0.4]],
                "outcomes": ["x", "y"],
                "by": None,
                "frequencies": [1, 2],
                "bins": 3,
                "ax": None,
            },
        ),
        "plot.influence": Call(rw.plot.influence, {"influence": did, "ax": None}),
        "plot.network": Call(
            rw.plot.network, {"weights": weights, "cues": ["a"], "outcomes": ["x"], "n": 1, "ax": None}
        ),
        "plot.spectrum": Call(rw.plot.spectrum, {"convergence": rate, "show": "eigenvalues", "ax": None}),
        "plot.trajectories": Call(
            rw.plot.trajectories,
            {
                "trajectories": curves,
                "pairs": [("a", "x")],
                "equilibrium": rate.equilibrium,
                "legend": True,
                "ax": None,
            },
        ),
        "plot.weights": Call(
            rw.plot.weights,
            {"weights": weights, "cues": ["a"], "outcomes": ["x"], "n": 1, "limit": None, "ax": None},
        ),
    }
    table["delta_rule"].arguments["data"] = table["delta_rule"].arguments.pop("events")
    return table | _estimators(X, y) | _classify()


def _estimators(X: Any, y: Any) -> dict[str, Call]:
    """Estimators: what is said when they are made is looked at when they are fitted."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    table = {}
    for name in estimators.__all__:
        made = getattr(estimators, name)
        if not inspect.isclass(made) or issubclass(made, Warning):
            continue
        said = {each: parameter.default for each, parameter in inspect.signature(made).parameters.items()}
        few = {"max_sweeps": 5, "max_steps": 5, "beta": 0.1, "passes": 2, "tol": None, "threads": 1}
        said |= {each: value for each, value in few.items() if each in said}
        if "gamma" in said or name.startswith("Equilibrium"):
            said["tol"] = 0.1

        def fitted(made: Any = made, **said: Any) -> Any:
            return made(**said).fit(X, y)

        table[f"estimators.{name}"] = Call(fitted, said)
        ready = fitted(**said)
        for method in ("fit", "partial_fit", "predict", "decision_function", "predict_proba"):
            if not hasattr(made, method):
                continue
            given: dict[str, Any] = {"X": X}
            names = inspect.signature(getattr(ready, method)).parameters
            given |= {"y": y} if "y" in names else {}
            given |= {"classes": [-1, 1]} if "classes" in names else {}
            given |= {"sample_weight": [1.0] * 4} if "sample_weight" in names else {}

            def called(method: str = method, made: Any = made, said: Any = said, **given: Any) -> Any:
                new = made(**said)
                return getattr(new if "fit" in method else new.fit(X, y), method)(**given)

            table[f"estimators.{name}.{method}"] = Call(called, given)
    pipeline = make_pipeline(
        CountVectorizer(token_pattern=r"\w+"),
        estimators.RescorlaWagnerClassifier(beta=0.1, passes=1, tol=None),
    ).fit(["a b", "b c"], ["x", "y"])
    table["estimators.named_weights"] = Call(
        estimators.named_weights, {"pipeline": pipeline, "background": "background"}
    )
    return table


def _classify() -> dict[str, Call]:
    X = FRAME[["Verb", "Theme"]]
    model = classify.NDLClassifier().fit(X, LABELS)
    smaller = classify.NDLClassifier(factors=["Verb"]).fit(X, LABELS)
    said: dict[str, Any] = {
        **classify.NDLClassifier().get_params(),
        "threads": 1,
        "factors": ["Verb"],
        "ignore": ["p"],
        "background": "here",
        "alpha": 0.1,
        "beta": 0.1,
    }
    weighted = {"X": X, "y": LABELS, "sample_weight": [1.0] * 8}
    result = model.statistics(X, LABELS)
    return {
        "classify.NDLClassifier": Call(lambda **said: classify.NDLClassifier(**said).fit(X, LABELS), said),
        "classify.NDLClassifier.fit": Call(lambda **given: classify.NDLClassifier().fit(**given), weighted),
        "classify.NDLClassifier.activations": Call(model.activations, {"X": X}),
        "classify.NDLClassifier.decision_function": Call(model.decision_function, {"X": X}),
        "classify.NDLClassifier.predict": Call(model.predict, {"X": X}),
        "classify.NDLClassifier.predict_proba": Call(model.predict_proba, {"X": X}),
        "classify.NDLClassifier.statistics": Call(model.statistics, weighted),
        "classify.Anova.to_pandas": Call(classify.anova([model, smaller], X, LABELS).to_pandas, {}),
        "classify.CrossValidation.to_pandas": Call(
            classify.cross_validate(model, X, LABELS, cv=2).to_pandas, {}
        ),
        "classify.CrossValidation.summary": Call(classify.cross_validate(model, X, LABELS, cv=2).summary, {}),
        "classify.Importance.to_pandas": Call(
            classify.variable_importance(model, X, LABELS, random_state=1).to_pandas, {}
        ),
        "classify.Statistics.to_pandas": Call(result.to_pandas, {}),
        "classify.Statistics.numbers": Call(result.numbers, {}),
        "classify.Statistics.crosstable_to_pandas": Call(result.crosstable_to_pandas, {}),
        "classify.anova": Call(classify.anova, {"models": [model, smaller], **weighted}),
        "classify.cross_validate": Call(classify.cross_validate, {"classifier": model, "cv": 2, **weighted}),
        "classify.probabilities": Call(
            classify.probabilities, {"activations": [[0.1, 0.9]], "method": "shift", "minimum": 0.0}
        ),
        "classify.statistics": Call(
            classify.statistics,
            {
                "observed": ["p", "q"],
                "predicted": ["p", "q"],
                "probabilities": [[0.9, 0.1], [0.2, 0.8]],
                "outcomes": ["p", "q"],
                "sample_weight": [1.0, 1.0],
                "n_parameters": 1,
                "floor": 1e-10,
            },
        ),
        "classify.variable_importance": Call(
            classify.variable_importance,
            {"classifier": model, "repeats": 1, "refit": True, "random_state": 1, **weighted},
        ),
    }
