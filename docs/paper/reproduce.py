"""Builds this page: numbers.json, the figures and index.md.

    python docs/paper/reproduce.py --data FOLDER

FOLDER holds think.csv and plurals.csv, the data sets think and plurals of R's package ndl, written as CSV.
The page is page.template with the numbers put in: every figure in its text is one of numbers.json.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import alternatives
import curves
import logistic
import orders
import penalties
import plurals
import speed
import tables
from canvas import Numbers, Save, saver

HERE = Path(__file__).parent
STUDIES: dict[str, Callable[[Path, Save | None], Numbers]] = {
    "curves": curves.study,
    "plurals": plurals.study,
    "logistic": logistic.study,
    "speed": speed.study,
    "penalties": penalties.study,
    "orders": orders.study,
    "alternatives": alternatives.study,
}
DIGITS = 6


def main() -> None:
    """Everything, from data to page."""
    parser = argparse.ArgumentParser(description="Build the page on Evert and Arppe (2015).")
    shared = os.environ.get("RESCORLA_SHARED")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(shared, "data", "ndl") if shared else None,
        required=not shared,
        help="the folder with think.csv and plurals.csv (default: data/ndl in RESCORLA_SHARED)",
    )
    parser.add_argument("--out", type=Path, default=HERE, help="where to write (default: beside this file)")
    options = parser.parse_args()
    save = saver(options.out)
    numbers = rounded({name: study(options.data, save) for name, study in STUDIES.items()})
    text = json.dumps(numbers, indent=1, ensure_ascii=False)
    (options.out / "numbers.json").write_text(text + "\n", encoding="utf-8")
    (options.out / "index.md").write_text(page(numbers), encoding="utf-8")


def rounded(numbers: Any) -> Any:
    """Numbers as JSON has them, with as many digits as other machines give as well."""
    if isinstance(numbers, dict):
        return {name: rounded(value) for name, value in numbers.items()}
    if isinstance(numbers, list | tuple):
        return [rounded(value) for value in numbers]
    return float(f"{numbers:.{DIGITS}g}") if isinstance(numbers, float) else numbers


def page(numbers: Numbers) -> str:
    """The template with its numbers and tables."""
    template = (HERE / "page.template").read_text(encoding="utf-8")
    return template.format(**numbers, **short(numbers), tables=tables.all_of(numbers))


def short(numbers: Numbers) -> Numbers:
    """Short names for what the text speaks of."""
    comparisons = {(row["coding"], row["intercept"]): row for row in numbers["logistic"]["comparisons"]}
    fixed = numbers["plurals"]["fixed_points"]
    cues = numbers["speed"]["cues"]["cues"]
    with_background = "46 features and a background cue"
    return {
        "random_orders": numbers["curves"]["random_orders"],
        "fixed": fixed["duplicates dropped"],
        "quirk": fixed["R's quirk"],
        "kept": fixed["duplicates kept"],
        "with_background": comparisons[with_background, True],
        "all_levels": comparisons["all 69 levels", True],
        "regression": numbers["logistic"]["regression"]["with intercept"],
        "ndl_accuracy": numbers["logistic"]["accuracy"][with_background],
        "lasso": numbers["penalties"]["methods"]["lasso"]["simplest"],
        "think": numbers["speed"]["data"]["THINK"],
        "english": numbers["speed"]["data"]["plurals"],
        "file_order": numbers["orders"]["file"],
        "letter": numbers["orders"]["letter"],
        "third": cues["PersonThird"],
        "question": cues["PatientIndirectQuestion"],
    }


if __name__ == "__main__":
    main()
