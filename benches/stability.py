"""MinOver beside AdaTron: how long each takes to be certainly near the greatest stability.

python benches/stability.py [--smoke]
"""

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from rescorla.perceptrons import adatron, minover

PROBLEMS = ((100, 300), (5, 300), (100, 1000), (20, 2000))
TOLERANCES = (0.1, 0.01, 0.001)
MAX_STEPS = 10**8


def main() -> None:
    parser = argparse.ArgumentParser(description="MinOver beside AdaTron")
    parser.add_argument("--smoke", action="store_true", help="one small problem")
    smoke = parser.parse_args().smoke
    print("|    N |    P | within | MinOver: steps | seconds | AdaTron: sweeps | updates | seconds |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n, p in ((10, 30),) if smoke else PROBLEMS:
        rng = np.random.default_rng([1, n, p])
        X = rng.standard_normal((p, n))
        y = np.sign(X @ rng.standard_normal(n))
        for tol in TOLERANCES[:2] if smoke else TOLERANCES:
            quiet: dict[str, Any] = {"tol": tol, "progress": False}
            started = perf_counter()
            over = minover(X, y, max_steps=MAX_STEPS, record=False, **quiet)
            between = perf_counter()
            ada = adatron(X, y, max_sweeps=10**6, **quiet)
            ended = perf_counter()
            assert over.converged
            assert ada.converged
            print(
                f"| {n} | {p} | {tol:g} | {over.n_steps:,} | {between - started:.4f} "
                f"| {len(ada.errors):,} | {ada.n_steps:,} | {ended - between:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
