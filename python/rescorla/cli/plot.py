"""``rescorla plot``: weights as a picture."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rescorla import plot
from rescorla._weights.disk import naming, replacing
from rescorla.cli import command, name_lists, printing, weight_files

KEYS = {"weights": "the file of weights", "picture": "the file that was drawn"}


def add(commands: Any) -> None:
    """The command."""
    parser = command.new(commands, run, "plot FILE -o PICTURE", "draw weights into a picture", keys=KEYS)
    parser.add_argument("file", metavar="FILE", help="a file of weights: .npz, .npy or .nc")
    parser.add_argument(
        "-o", "--output", metavar="PICTURE", required=True, help="the file to draw: .svg, .png or .pdf"
    )
    parser.add_argument(
        "--kind",
        choices=("heatmap", "network"),
        default="heatmap",
        help="coloured cells, or lines between cues and outcomes (default heatmap)",
    )
    name_lists.add(parser, "--cues", "CUE", "draw these cues")
    name_lists.add(parser, "--outcomes", "OUTCOME", "draw these outcomes")
    parser.add_argument(
        "-n",
        type=int,
        metavar="N",
        help="how many: cues and outcomes of a map (30), lines of a network (20), there of each cue and each "
        "outcome that you name",
    )


def run(options: argparse.Namespace) -> None:
    """Draw."""
    weights = weight_files.load(options.file)
    draw = {"heatmap": plot.weights, "network": plot.network}[options.kind]
    chosen: dict[str, Any] = {
        name: name_lists.names(name, getattr(options, name)) for name in ("cues", "outcomes")
    }
    name_lists.check_apart("cues", chosen["cues"], weights._row_numbers)
    name_lists.check_apart("outcomes", chosen["outcomes"], weights._column_numbers)
    chosen["n"] = options.n
    figure: Any = draw(weights, **{name: value for name, value in chosen.items() if value is not None}).figure
    import matplotlib.pyplot as plt

    try:
        with replacing(options.output) as file, naming(options.output), open(file, "wb") as stream:
            figure.savefig(stream, format=os.path.splitext(options.output)[1][1:] or None, dpi=150)
    finally:
        # A new figure is pyplot's until it is closed.
        plt.close(figure)
    drawn = {"weights": options.file, "picture": options.output}
    printing.show(drawn)
    printing.data(options, drawn)
