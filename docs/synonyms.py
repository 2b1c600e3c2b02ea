"""What people type into the search, and the page that they want: a hook of mkdocs.

The search looks for these words in the tags of pages, which the pages do not show.
"""

from __future__ import annotations

from typing import Any

WORDS = {
    "classic.md": [
        "conditioning",
        "Pavlov",
        "Kamin",
        "blocking",
        "overshadowing",
        "latent inhibition",
        "spontaneous recovery",
    ],
    "gallery.md": [
        "figure",
        "figures",
        "examples",
        "visualise",
        "visualize",
    ],
    "install.md": [
        "wheel",
        "pip",
        "conda",
        "download",
        "JupyterHub",
        "GPU",
    ],
    "howto/batches.md": ["epochs", "minibatch", "SGD", "gradient descent"],
    "howto/classification.md": ["ndlClassify", "ndlStatistics"],
    "howto/cluster.md": ["SLURM", "dask", "cluster", "HPC", "checkpoint"],
    "howto/convergence.md": ["half-life", "how long to train"],
    "howto/datasets.md": ["example data", "Bible", "sample data"],
    "howto/designs.md": ["trial sequence", "experimental design", "phases"],
    "howto/equilibrium.md": [
        "Danks",
        "steady state",
        "asymptotic weights",
        "closed form",
    ],
    "howto/estimators.md": [
        "scikit-learn",
        "sklearn",
        "pipeline",
        "GridSearchCV",
    ],
    "howto/events.md": ["data frame", "DataFrame", "iterator", "csv"],
    "howto/fitting.md": [
        "fit",
        "choice data",
        "maximum likelihood",
        "parameter estimation",
        "hierarchical",
    ],
    "howto/influence.md": [
        "influence",
        "attribution",
        "explanation",
        "sensitivity",
        "which events",
    ],
    "howto/large.md": [
        "disk full",
        "out of memory",
        "MemoryError",
        "OOM",
        "RAM",
        "threads",
        "speed",
        "slow",
    ],
    "howto/ldl.md": [
        "LDL",
        "endstate",
        "frequency-informed",
        "word vectors",
        "fastText",
    ],
    "howto/measures.md": ["entropy", "G2L", "semantic density"],
    "howto/own-rule.md": ["custom rule", "plugin"],
    "howto/parameters.md": [
        "Bush-Mosteller",
        "Pearce-Hall",
        "Mackintosh",
        "salience",
    ],
    "howto/people.md": [
        "surprisal",
        "reaction time",
        "response time",
        "trial by trial",
        "mixed model",
    ],
    "howto/perceptron.md": ["Rosenblatt", "MinOver", "AdaTron"],
    "howto/plots.md": ["heat map", "heatmap", "matplotlib", "plot"],
    "howto/text.md": [
        "next word",
        "n-grams",
        "trigrams",
        "corpus",
        "tokenize",
        "language model",
    ],
    "howto/trajectories.md": [
        "learning curve",
        "trajectories",
        "time course",
        "forgetting",
    ],
    "howto/weights.md": ["netCDF", "save weights", "export"],
    "judiling.md": ["Julia", "DLM"],
    "moving.md": ["pyndl", "ndl2"],
    "from-r.md": ["reticulate", "RStudio"],
    "relatives.md": [
        "logistic regression",
        "naive Bayes",
        "Kalman filter",
        "temporal difference",
        "least squares",
    ],
    "which.md": ["cheat sheet", "function list"],
}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """What mkdocs calls with the Markdown of each page."""
    page.meta["tags"] = WORDS.get(page.file.src_uri, [])


def on_files(files: Any, config: Any) -> None:
    """What mkdocs calls with the files that it has found."""
    if lost := [
        name for name in WORDS if files.get_file_from_path(name) is None
    ]:
        raise SystemExit(
            f"docs/synonyms.py has words for pages that are not: {', '.join(lost)}"
        )
