"""Draws benchmarks-ratios.svg, -scaling.svg and -home.svg and fills the tables of benchmarks.md.

    python docs/pictures/benchmarks.py    # needs matplotlib

The figures are those of compare.json and scaling.json beside this file, which benches/compare.py and
benches/scaling.py write.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

HERE = Path(__file__).parent
PAGE = HERE.parent / "benchmarks.md"
DTYPES = {"float64": "#1f6f9f", "float32": "#e08a3c"}
METHODS = {"forward": ("#1f6f9f", "o-"), "adjoint": ("#e08a3c", "s-")}
FACTORS = {
    "events": "events",
    "cues": "cues",
    "outcomes": "outcomes",
    "cues_per_event": "cues per event",
}
# What the first page shows, and what it calls it.
HOME = {
    "kjv-trigrams": "King James Bible: trigrams to words",
    "kjv-next-word": "King James Bible: two words to the next",
    "zipf-10k": "random events: 10,000 cues, 10,000 outcomes",
    "tall-3k-60k": "random events: 3,000 cues, 60,000 outcomes",
    "wordfreq-10m": "10 million words of English",
}
Figures = dict[str, Any]


def main() -> None:
    compared, scaled = (
        json.loads((HERE / f"{name}.json").read_text(encoding="utf-8")) for name in ("compare", "scaling")
    )
    plt.rcParams.update({"svg.hashsalt": "rescorla", "font.size": 10, "savefig.facecolor": "white"})
    draw_ratios(compared)
    draw_home(compared)
    draw_scaling(scaled)
    page = PAGE.read_text(encoding="utf-8")
    page = filled(page, "compare", [*workloads_table(compared), "", conditions(compared)])
    if "kjv-trigrams" in compared["workloads"]:
        page = filled(page, "king-james", king_james_table(compared))
    page = filled(page, "scaling", [*scaling_table(scaled), "", conditions(scaled)])
    PAGE.write_text(page, encoding="utf-8")


def draw_ratios(compared: Figures) -> None:
    """How many times as fast as pyndl, one group of bars for each workload."""
    workloads = compared["workloads"]
    figure, ax = plt.subplots(figsize=(8, 0.9 + 0.62 * len(workloads)), layout="constrained")
    for row, figures in enumerate(workloads.values()):
        for offset, (dtype, colour) in zip((-0.19, 0.19), DTYPES.items(), strict=True):
            ratio, words = ratio_of(figures, dtype)
            hatch = "///" if extrapolated(figures) else None
            ax.barh(row + offset, ratio - 1, 0.36, left=1, color=colour, hatch=hatch, edgecolor="white")
            ax.text(ratio * 1.06, row + offset, words, va="center", fontsize=9)
    labels = [name + ("\n(pyndl extrapolated)" if extrapolated(f) else "") for name, f in workloads.items()]
    ax.set_yticks(range(len(workloads)), labels)
    ax.invert_yaxis()
    greatest = max(ratio_of(figures, dtype)[0] for figures in workloads.values() for dtype in DTYPES)
    ax.set(
        xscale="log", xlim=(1, greatest * 12), xlabel="times as fast as pyndl 1.2.4, from table to weights"
    )
    plain(ax.xaxis)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    handles = [Patch(color=colour, label=f"rescorla, {dtype}") for dtype, colour in DTYPES.items()]
    figure.legend(handles=handles, frameon=False, loc="outside upper right", ncols=2)
    save(figure, "ratios")


def draw_home(compared: Figures) -> None:
    """A few of the ratios, for the first page."""
    figure, ax = plt.subplots(figsize=(4.1, 3), layout="constrained")
    for row, (name, words) in enumerate(HOME.items()):
        figures = compared["workloads"][name]
        ratio, _ = ratio_of(figures, "float64")
        hatch = "///" if extrapolated(figures) else None
        ax.barh(row, ratio, 0.5, color=DTYPES["float64"], hatch=hatch, edgecolor="white")
        theirs, ours = figures["pyndl"]["seconds"], figures["steps"]["auto float64"]["seconds"]
        ax.text(0.5, row - 0.28, words, fontsize=8.5, va="bottom")
        about = "about " if extrapolated(figures) else ""
        says = f"{ratio:,.0f} times: {about}{seconds(theirs)} to {seconds(ours)}"
        inside = ratio > 60
        where: dict[str, Any] = {"ha": "right", "color": "white"} if inside else {"ha": "left"}
        if extrapolated(figures):
            where["bbox"] = {"facecolor": DTYPES["float64"], "edgecolor": "none", "pad": 1}
        ax.text(ratio - 2 if inside else ratio + 2, row, says, va="center", fontsize=8.5, **where)
    ax.set(ylim=(len(HOME) - 0.6, -0.8), yticks=[])
    ax.set_xlabel("times as fast as pyndl 1.2.4, two threads, float64", fontsize=9)
    ax.set_title("Learning, from a table to the weights", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    save(figure, "home")


def ratio_of(figures: Figures, dtype: str) -> tuple[float, str]:
    """pyndl's time over rescorla's, and both in words."""
    theirs, ours = figures["pyndl"]["seconds"], figures["steps"][f"auto {dtype}"]["seconds"]
    return theirs / ours, f"{theirs / ours:,.0f} times: {seconds(theirs)} to {seconds(ours)}"


def extrapolated(figures: Figures) -> bool:
    """Whether pyndl's time follows from samples."""
    return "extrapolated_from" in figures["pyndl"]


def draw_scaling(scaled: Figures) -> None:
    """Time against each factor, on logarithmic axes."""
    figure, grid = plt.subplots(2, 2, figsize=(8, 5.6), sharey=True, layout="constrained")
    for ax, (factor, label) in zip(grid.flat, FACTORS.items(), strict=True):
        settings = [setting for setting in scaled["settings"] if setting["factor"] == factor]
        values = [setting["value"] for setting in settings]
        for method, (colour, marks) in METHODS.items():
            times = [setting["seconds"][method] for setting in settings]
            ax.plot(values, times, marks, color=colour, markersize=5, label=f"{method} method")
        ax.axvline(scaled["centre"][factor], color="0.85", linewidth=1, zorder=0)
        ax.set(xscale="log", yscale="log", xlabel=label)
        ax.set_xticks(values, [f"{value:,}" for value in values])
        ax.minorticks_off()
        plain(ax.yaxis)
        ax.grid(axis="y", color="0.92")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in grid[:, 0]:
        ax.set_ylabel("seconds")
    grid[0, 0].legend(frameon=False)
    save(figure, "scaling")


def plain(axis: Any) -> None:
    """Numbers as people write them on a logarithmic axis."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())


def save(figure: Any, name: str) -> None:
    """The same bytes for the same figures."""
    figure.savefig(HERE / f"benchmarks-{name}.svg", metadata={"Date": None})
    plt.close(figure)


def conditions(run: Figures) -> str:
    """On what machine, and how often."""
    machine = run["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    often = f"rescorla: median of {run['repetitions']} runs"
    if "pyndl_repetitions" in run:
        often += f", pyndl: {counted(run['pyndl_repetitions'])}"
        if any(extrapolated(figures) for figures in run["workloads"].values()):
            often += f". Where pyndl is extrapolated, both: {counted(run['large_repetitions'])}"
    processor = machine["processor"].replace("(R)", "")
    return (
        f"Measured on {machine['cores']} cores of an {processor}, {run['threads']} threads. "
        f"{often}. Versions: {versions}, Python {machine['python']}."
    )


def counted(runs: int) -> str:
    """How many runs, in words."""
    return f"{runs} run{'s' if runs > 1 else ''}"


def workloads_table(compared: Figures) -> list[str]:
    """One row a workload."""
    titles = "workload|events|cues x outcomes|pyndl|method|float64|ratio|difference|float32|ratio|difference"
    rows = []
    for name, figures in compared["workloads"].items():
        pyndl, steps = figures["pyndl"]["seconds"], figures["steps"]
        double, single = steps["auto float64"], steps["auto float32"]
        rows.append(
            [
                f"`{name}`",
                f"{figures['n_events']:,}",
                f"{figures['n_cues']:,} x {figures['n_outcomes']:,}",
                ("about " if extrapolated(figures) else "") + seconds(pyndl),
                double["method"],
                *compared_cells(pyndl, double),
                *compared_cells(pyndl, single),
            ]
        )
    return markdown(titles.split("|"), rows)


def king_james_table(compared: Figures) -> list[str]:
    """The other measurements on the trigrams of the running text."""
    figures = compared["workloads"]["kjv-trigrams"]
    steps, n_events = figures["steps"], figures["n_events"]
    pyndl, theirs, ours = (steps[name] for name in ("pyndl", "pyndl_convert", "rescorla_convert"))
    rows = [
        compared_row(f"table to weights, {name}", pyndl["seconds"], steps[key]["seconds"], steps[key])
        for name, key in [("forward method", "forward float64"), ("adjoint method", "adjoint float64")]
    ]
    rows.append(compared_row("table to binary file", theirs["seconds"], ours["seconds"]))
    for chain in (name for name in steps if name.startswith("rescorla chain")):
        name = f"running text to saved weights, `{chain.split()[-1]}`"
        rows.append(compared_row(name, steps["pyndl chain .nc"]["wall"], steps[chain]["wall"], steps[chain]))
    each = [step["bytes"] / n_events for step in (theirs, ours)]
    rows.append(["binary file, bytes an event", *(f"{n:.1f}" for n in each), f"{each[0] / each[1]:.0f}", ""])
    memory = [
        f"{(step['peak'] - step['result']) / 1e6:,.0f} MB" for step in (pyndl, steps["forward float64"])
    ]
    weights = f"{pyndl['result'] / 1e6:,.0f} MB"
    rows.append([f"peak memory, beside the weights' {weights}", *memory, "", ""])
    return markdown(["step", "pyndl", "rescorla", "ratio", "difference"], rows)


def compared_cells(theirs: float, step: Figures) -> list[str]:
    """A step's time, pyndl's over it, and how far the weights are from pyndl's."""
    return [seconds(step["seconds"]), f"{theirs / step['seconds']:,.0f}", apart(step)]


def compared_row(name: str, theirs: float, ours: float, step: Figures | None = None) -> list[str]:
    """One row on times; of a step that learned, how far its weights are from pyndl's."""
    return [name, seconds(theirs), seconds(ours), f"{theirs / ours:,.0f}", apart(step) if step else ""]


def scaling_table(scaled: Figures) -> list[str]:
    """Threads and types at the centre."""
    rows = [
        [f"{setting['threads']} threads, {setting['dtype']}".replace("1 threads", "1 thread")]
        + [seconds(setting["seconds"][method]) for method in METHODS]
        for setting in scaled["settings"]
        if setting["factor"] == "threads" or setting["dtype"] == "float32"
    ]
    return markdown(["at the centre", *(f"{method} method" for method in METHODS)], rows)


def markdown(titles: list[str], rows: Iterable[list[str]]) -> list[str]:
    """The lines of a table."""
    return [f"| {' | '.join(cells)} |" for cells in [titles, ["---"] * len(titles), *rows]]


def seconds(value: float) -> str:
    """A time with three digits."""
    if value >= 5400:
        return f"{value / 3600:.1f} h"
    if value >= 1:
        return f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"
    return f"{value * 1e3:.3g} ms"


def apart(step: Figures) -> str:
    """How far weights are from those to compare with."""
    return "none" if step["different"] == 0 else f"{step['difference']:.0e}"


def filled(page: str, name: str, lines: list[str]) -> str:
    """The page with other lines between the marks of a name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{PAGE}: expected the marks {begin.strip()} and {end.strip()}, found not both")
    return f"{before}{begin}\n" + "\n".join(lines) + f"\n\n{end}{after}"


if __name__ == "__main__":
    main()
