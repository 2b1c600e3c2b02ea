"""The weights of a pipeline's last step, by the names that the steps before it give to features."""

from __future__ import annotations

from typing import Any

import numpy as np

from rescorla._shared.checks import string
from rescorla._weights.weights import Weights
from rescorla.estimators._linear import BACKGROUND, LinearEstimator


def named_weights(pipeline: Any, *, background: str = BACKGROUND) -> Weights:
    """The weights that the last step of a pipeline learned, with the features' names as cues.

    Features that come as a matrix have no names, and an estimator of this package calls them "x0", "x1" and
    so on in its ``weights_``. The steps before it know better: their ``get_feature_names_out`` says which
    word a column of `CountVectorizer` counts.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted pipeline whose last step is an estimator of this package; or a fitted search over such
        pipelines, as `GridSearchCV`, whose best one is taken.
    background : str, default "background"
        The name of the cue for the intercept, where there is one: another, if a feature is called that.

    Returns
    -------
    Weights of float64, n_cues x n_outcomes
        The values are those of the estimator's ``weights_``, not a copy.

    Raises
    ------
    TypeError
        When it is no pipeline, or its last step is no estimator of this package.
    ValueError
        When a step cannot name its features, as `HashingVectorizer` cannot, or a feature has the name of the
        background cue.
    NotFittedError
        When the pipeline is not fitted.

    See Also
    --------
    rescorla.Weights.top : the strongest cues of an outcome.

    Examples
    --------
    >>> import rescorla as rw
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> pipeline = make_pipeline(
    ...     CountVectorizer(), rw.estimators.RescorlaWagnerClassifier(passes=20)
    ... )
    >>> fitted = pipeline.fit(
    ...     ["the cat sat", "the dog sat", "a cat ran"], ["cat", "dog", "cat"]
    ... )
    >>> rw.estimators.named_weights(fitted).top(outcome="dog", n=1)[0][0]
    'dog'
    """
    background = string("background", background)
    best = getattr(pipeline, "best_estimator_", pipeline)
    steps = getattr(best, "steps", None)
    if steps is None:
        raise TypeError(
            "pipeline must be one of scikit-learn, or a search that has found one, not "
            f"{type(pipeline).__name__}; an estimator by itself has weights_"
        )
    estimator = steps[-1][1]
    if not isinstance(estimator, LinearEstimator):
        raise TypeError(f"pipeline must end in one of rescorla.estimators, not {type(estimator).__name__}")
    weights = estimator.weights_
    if len(steps) == 1:
        return weights
    try:
        features = list(map(str, best[:-1].get_feature_names_out()))
    except AttributeError as error:
        raise ValueError(
            f"a step before the last cannot name its features: {error}; take one that has "
            "get_feature_names_out, as CountVectorizer in place of HashingVectorizer"
        ) from error
    cues = [background, *features] if estimator.fit_intercept else features
    if estimator.fit_intercept and background in features:
        raise ValueError(
            f"background {background!r} is the name of a feature already: choose another name for the cue of "
            f"the intercept, such as {'(' + background + ')'!r}"
        )
    return Weights(np.asarray(weights), cues, weights.outcomes, weights.parameters)
