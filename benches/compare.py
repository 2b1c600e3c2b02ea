"""rescorla beside pyndl 1.2.4: the same events, the same number of threads, one process each, the same run.

    python benches/compare.py --text kjv.txt --json figures.json    # all workloads; pyndl takes its time
    python benches/compare.py --workload zipf-10k few-46x4          # some of them
    python benches/compare.py --text kjv.txt --serial               # serial shares alone, see below
    python benches/compare.py --smoke                               # small ones, once: do the weights agree?

Every step of each tool runs in a process of its own, so that peak memory is that step's; the steps of the
tools take turns within a repetition. workloads.py makes the event tables, steps.py is what each process does.

For SERIAL_WORKLOADS it also prints the serial share of `learn`, which is the share of one thread's time that
is outside tiles, and what that lets many cores gain at most by Amdahl's law: a prediction, not a measurement.

Weights are compared by label in every step that learns. Those of the forward method have to be pyndl's bit
for bit; others may differ by 1e-12, in float32 by 1e-5, of the largest of lambda and weights. The exit status
is 1 where weights do not agree, whatever the times are.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import workloads

Result = dict[str, Any]

VARIANTS = {
    f"{method} {dtype}": {"method": method, "dtype": dtype}
    for method, dtype in [
        ("auto", "float64"),
        ("auto", "float32"),
        ("forward", "float64"),
        ("adjoint", "float64"),
    ]
}
# The workloads of which the serial share is measured, and by which methods.
SERIAL_WORKLOADS: dict[str, tuple[str | None, ...]] = {
    "kjv-trigrams": ("forward", "adjoint"),
    "wordfreq-10m": (None,),
}
MANY_CORES = (16, 64, 128)
# How weights get into a file: saved from memory in a format, or learned where they shall stand.
CHAINS = (".nc", ".npz", ".npy", "out=.npy")


class Plan(NamedTuple):
    """How to run."""

    text: Path
    smoke: bool
    threads: int
    repetitions: int
    pyndl_repetitions: int
    large_repetitions: int


class Step(NamedTuple):
    """A step under a name of its own."""

    name: str
    function: str
    arguments: Result


def run(function: str, **arguments: object) -> Result:
    """Runs a step in a process of its own; `wall` counts all of that process."""
    program = str(Path(__file__).with_name("steps.py"))
    begun = time.perf_counter()
    process = subprocess.run(
        [sys.executable, program, function, json.dumps(arguments, default=str)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    wall = time.perf_counter() - begun
    result: Result = json.loads(process.stdout.splitlines()[-1])
    return result | {"wall": wall}


def take_turns(steps: Iterable[Step], plan: Plan) -> dict[str, Result]:
    """Runs each step as often as planned, one after the other, and sums up each."""
    steps = list(steps)
    results: dict[str, list[Result]] = {step.name: [] for step in steps}
    for repetition in range(max(plan.repetitions, plan.pyndl_repetitions)):
        for step in steps:
            often = plan.pyndl_repetitions if step.function.startswith("pyndl") else plan.repetitions
            if repetition < often:
                results[step.name].append(run(step.function, **step.arguments))
                progress(step.name, results[step.name][-1])
    return {name: summary(each) for name, each in results.items()}


def progress(name: str, result: Result) -> None:
    print(f"  {name:28} {result.get('seconds', result['wall']):10.3f} s", file=sys.stderr, flush=True)


SUMMARY: dict[str, Callable[[Iterable[Any]], Any]] = {
    "seconds": statistics.median,
    "wall": statistics.median,
    "learning": statistics.median,
    "peak": min,
    "share": statistics.median,
    "difference": max,
    "different": max,
}


def summary(results: list[Result]) -> Result:
    """The median of the times, the least memory, the worst difference."""
    one = {key: SUMMARY[key](result[key] for result in results) for key in SUMMARY if key in results[0]}
    measure = "seconds" if "seconds" in one else "wall"
    return results[0] | one | {"all": [result[measure] for result in results]}


def agrees(step: Result) -> bool:
    """Whether the weights of a step are what they have to be: within its bound, or the same in every bit."""
    return bool(step["difference"] <= step["bound"] if step["bound"] else step["different"] == 0)


def compare(name: str, plan: Plan, folder: Path) -> Result:
    """All figures of a workload."""
    workload = workloads.WORKLOADS[name]
    print(f"\n{name}: {workload.about}", flush=True)
    table = run("make_table", workload=name, text=plan.text, smoke=plan.smoke, folder=folder)
    print(f"event table, made in {table['seconds']:.1f} s: {table['bytes']:,} bytes", flush=True)
    if workload.samples:
        steps, pyndl = extrapolated(workload.samples(plan.smoke), plan, folder)
    else:
        steps = learned(plan, folder)
        pyndl = {"seconds": steps["pyndl"]["seconds"]}
    if name == "kjv-trigrams":
        steps |= converted(plan, folder) | chained(plan, folder)
    size = {key: steps["auto float64"][key] for key in ("n_events", "n_cues", "n_outcomes")}
    figures = {"about": workload.about, **size, "table_bytes": table["bytes"], "pyndl": pyndl, "steps": steps}
    figures["serial"] = serial(name, plan, folder)
    report(figures)
    return figures


def learned(plan: Plan, folder: Path) -> dict[str, Result]:
    """Event table to weights, by both."""
    common = {"folder": folder, "threads": plan.threads}
    ours = [Step(name, "rescorla_learn", common | variant) for name, variant in VARIANTS.items()]
    return take_turns([Step("pyndl", "pyndl_learn", common), *ours], plan)


def extrapolated(samples: tuple[int, int], plan: Plan, folder: Path) -> tuple[dict[str, Result], Result]:
    """Event table to weights: rescorla all of it, pyndl two samples, from which its time follows."""
    common = {"folder": folder, "threads": plan.threads}
    plan = plan._replace(repetitions=plan.large_repetitions, pyndl_repetitions=plan.large_repetitions)
    few, many = samples
    ours = [Step(f"auto {t}", "rescorla_whole", common | {"dtype": t}) for t in ("float64", "float32")]
    table = workloads.sample_table(folder, many).name
    steps = take_turns(
        [
            *(Step(f"pyndl {n}", "pyndl_sample", common | {"n_events": n}) for n in samples),
            Step(
                "forward sample",
                "rescorla_learn",
                common | {"method": "forward", "dtype": "float64", "table": table},
            ),
            *ours,
        ],
        plan,
    )
    each = (steps[f"pyndl {many}"]["seconds"] - steps[f"pyndl {few}"]["seconds"]) / (many - few)
    n_events = steps["auto float64"]["n_events"]
    print(
        f"pyndl is EXTRAPOLATED from its first {few:,} and {many:,} events: {each * 1e3:.3f} ms for each "
        f"more, hence {each * n_events:,.0f} s for {n_events:,} events, fixed costs not counted"
    )
    return steps, {"seconds": each * n_events, "extrapolated_from": samples, "seconds_per_event": each}


def serial(name: str, plan: Plan, folder: Path) -> dict[str, Result]:
    """The serial share of learning, and the gains that follow from it, by method."""
    often = plan.large_repetitions if workloads.WORKLOADS[name].samples else plan.repetitions
    methods = SERIAL_WORKLOADS.get(name, ())
    steps = [
        Step(f"serial {method or 'auto'}", "rescorla_serial", {"folder": folder, "method": method})
        for method in methods
    ]
    shares = take_turns(steps, plan._replace(repetitions=often, pyndl_repetitions=0))
    return {
        step["method"]: step | {"predicted": {n: amdahl(step["share"], n) for n in MANY_CORES}}
        for step in shares.values()
    }


def amdahl(share: float, n: int) -> float:
    """How many times as fast n cores are as one, where this share of the work is not divided."""
    return 1 / (share + (1 - share) / n)


def converted(plan: Plan, folder: Path) -> dict[str, Result]:
    """Event table to binary file, by both."""
    common = {"folder": folder, "threads": plan.threads}
    functions = ("pyndl_convert", "rescorla_convert")
    return take_turns([Step(function, function, common) for function in functions], plan)


def chained(plan: Plan, folder: Path) -> dict[str, Result]:
    """Running text to saved weights, by both."""
    chain = folder / "chain"
    chain.mkdir()
    common = {"text": plan.text, "folder": chain, "threads": plan.threads}
    ours = [Step(f"rescorla chain {way}", "rescorla_chain", common | {"way": way}) for way in CHAINS]
    steps = take_turns([Step("pyndl chain .nc", "pyndl_chain", common), *ours], plan)
    for way in CHAINS:
        check = run("check_chain", folder=chain, way=way)
        steps[f"rescorla chain {way}"] |= {key: check[key] for key in ("difference", "different", "bound")}
    return steps


def report(figures: Result) -> None:
    """Prints the figures of a workload."""
    steps, pyndl = figures["steps"], figures["pyndl"]["seconds"]
    print(f"{figures['n_events']:,} events, {figures['n_cues']:,} cues, {figures['n_outcomes']:,} outcomes")
    for name, step in steps.items():
        if "learning" not in step:
            continue
        more = step["peak"] - step["result"]
        ratio = "" if name.endswith("sample") else f"{pyndl / step['seconds']:8.1f} times"
        print(
            f"  {name:18} {step['seconds']:9.3f} s, learning {step['learning']:9.3f} s {ratio:14} "
            f"[{step['method']}] difference {step['difference']:.1e}; "
            f"peak: the result ({step['result'] / 1e6:,.1f} MB) and {more / 1e6:,.1f} MB"
        )
    report_serial(figures["serial"])
    if "pyndl_convert" in steps:
        report_conversion(figures["n_events"], steps)
    for name in (name for name in steps if name.startswith("rescorla chain")):
        theirs, ours = steps["pyndl chain .nc"]["wall"], steps[name]["wall"]
        print(
            f"  running text -> {name.split()[-1]:8} pyndl (.nc) {theirs:.2f} s, rescorla {ours:.2f} s, "
            f"{theirs / ours:.1f} times, difference {steps[name]['difference']:.1e}"
        )


def report_serial(shares: dict[str, Result]) -> None:
    """Prints serial shares and what follows from them."""
    for method, step in shares.items():
        gains = ", ".join(f"{gain:.1f} on {n}" for n, gain in step["predicted"].items())
        print(
            f"  serial share of learn, {method} method, one thread: {step['share']:.2%} of "
            f"{step['seconds']:.3f} s; times as fast by Amdahl's law, a prediction: {gains} cores"
        )


def serial_alone(name: str, plan: Plan, folder: Path) -> None:
    """Measures the serial shares of a workload, and nothing else."""
    print(f"\n{name}: {workloads.WORKLOADS[name].about}", flush=True)
    run("make_table", workload=name, text=plan.text, smoke=plan.smoke, folder=folder)
    report_serial(serial(name, plan, folder))


def report_conversion(n_events: int, steps: dict[str, Result]) -> None:
    """Prints the figures of the binary files."""
    theirs, ours = (steps[f"{tool}_convert"] for tool in ("pyndl", "rescorla"))
    print(
        f"  table -> binary file: pyndl {theirs['seconds']:.2f} s, "
        f"{theirs['bytes'] / n_events:.2f} bytes an event; "
        f"rescorla {ours['seconds']:.2f} s, {ours['bytes'] / n_events:.2f} bytes; "
        f"{theirs['seconds'] / ours['seconds']:.1f} times"
    )


def table(all_figures: dict[str, Result]) -> str:
    """One line a workload."""
    titles = ("workload", "pyndl s", "f64 s", "ratio", "f32 s", "ratio", "method", "max diff")
    lines = ["{:15} {:>10} {:>9} {:>7} {:>9} {:>7}  {:8} {:>8}".format(*titles)]
    for name, figures in all_figures.items():
        pyndl, steps = figures["pyndl"]["seconds"], figures["steps"]
        double, single = steps["auto float64"], steps["auto float32"]
        about = "~" if "extrapolated_from" in figures["pyndl"] else ""
        lines.append(
            f"{name:15} {about + format(pyndl, '.3f'):>10} "
            f"{double['seconds']:9.3f} {pyndl / double['seconds']:7.1f} "
            f"{single['seconds']:9.3f} {pyndl / single['seconds']:7.1f}  "
            f"{double['method']:8} {double['difference']:8.1e}"
        )
    if any("extrapolated_from" in figures["pyndl"] for figures in all_figures.values()):
        lines.append("~: extrapolated from a sample")
    return "\n".join(lines)


def failures(all_figures: dict[str, Result]) -> list[str]:
    """The steps whose weights do not agree."""
    return [
        f"{name}, {step_name}: {step['different']} weights differ, by up to {step['difference']:.1e}"
        for name, figures in all_figures.items()
        for step_name, step in figures["steps"].items()
        if "difference" in step and not agrees(step)
    ]


def described(machine: Result, threads: int) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"{machine['processor']}, {machine['cores']} cores, {threads} threads each; {machine['system']}, "
        f"Python {machine['python']}, {versions}"
    )


def write_json(path: Path, machine: Result, plan: Plan, all_figures: dict[str, Result]) -> None:
    """Writes the figures so far: a long run that is interrupted leaves what it has."""
    conditions = {key: value for key, value in plan._asdict().items() if key != "text"}
    record = {"machine": machine, **conditions, "workloads": all_figures}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    names = list(workloads.WORKLOADS)
    parser.add_argument(
        "--workload", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("--text", type=Path, help="running text, UTF-8, for the workloads named kjv")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3, help="of each step; figures are medians")
    parser.add_argument("--pyndl-repetitions", type=int, help="of the steps of pyndl (default: the same)")
    parser.add_argument(
        "--large-repetitions", type=int, default=1, help="of both, where pyndl is extrapolated"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--smoke", action="store_true", help="small workloads, once")
    parser.add_argument(
        "--serial", action="store_true", help=f"serial shares alone, of {', '.join(SERIAL_WORKLOADS)}"
    )
    options = parser.parse_args()
    if options.serial:
        options.workload = [name for name in options.workload if name in SERIAL_WORKLOADS]
    needs_text = any(workloads.WORKLOADS[name].needs_text for name in options.workload)
    if needs_text and not options.smoke and options.text is None:
        parser.error("give --text FILE, --smoke, or --workload with names that need no text")
    return options


def planned(options: argparse.Namespace, text: Path) -> Plan:
    often = (options.repetitions, options.pyndl_repetitions or options.repetitions, options.large_repetitions)
    return Plan(text.resolve(), options.smoke, options.threads, *((1, 1, 1) if options.smoke else often))


def main() -> int:
    options = arguments()
    all_figures: dict[str, Result] = {}
    with tempfile.TemporaryDirectory() as folder:
        text = options.text
        if text is None:
            text = Path(folder) / "text.txt"
            workloads.small_text(text)
        plan = planned(options, text)
        machine = run("machine")
        print(described(machine, options.threads))
        print(
            f"medians of {plan.repetitions}, of pyndl {plan.pyndl_repetitions}, "
            f"of both {plan.large_repetitions} where pyndl is extrapolated"
        )
        for name in options.workload:
            if name.startswith("wordfreq") and find_spec("wordfreq") is None:
                print(f"\n{name}: SKIPPED, as wordfreq is not installed (pip install 'rescorla[bench]')")
                continue
            with tempfile.TemporaryDirectory(dir=folder) as work:
                if options.serial:
                    serial_alone(name, plan, Path(work))
                    continue
                all_figures[name] = compare(name, plan, Path(work))
            if options.json:
                write_json(options.json, machine, plan, all_figures)
    if options.serial:
        return 0
    print(f"\n{table(all_figures)}\n{described(machine, options.threads)}")
    wrong = failures(all_figures)
    for line in wrong:
        print(f"WEIGHTS DO NOT AGREE: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
