"""Running text to a binary event file, beside pyndl 1.2.4's event tables and `wc -w`, in the same run.

    python benches/text.py --text kjv.txt --json figures.json   # 5 times the text; pyndl takes its time
    python benches/text.py --text kjv.txt --large               # 500 times the text: how much memory?
    python benches/text.py --smoke                              # a small text, once: are the events the same?

rescorla reads the text five times over, as one file; pyndl, a hundred times slower, reads it once unless
--pyndl-whole is given. Both read line by line and word by word in time that grows with the text, so bytes a
second are compared. pyndl's time ends with a gzipped table; rescorla's with a binary event file on the disk.
Every step runs in a process of its own.

First the events of the text are compared, event by event, as sets: the exit status is 1 where they differ,
or where a large text takes more memory than --bound.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import compare
import workloads

Result = dict[str, Any]

TIMES, LARGE_TIMES = 5, 500
MB = 1e6


class Task(NamedTuple):
    """The same events by the options of both."""

    about: str
    pyndl: Result
    rescorla: Result

    def within(self, context: str) -> "Task":
        """The task in lines or documents."""
        pyndl = self.pyndl | {"context_structure": context}
        return self._replace(pyndl=pyndl, rescorla=self.rescorla | {"context": context})


COMMON = {"allowed_symbols": "a-z", "lower_case": True}
TASKS = {
    "trigrams": Task(
        "the trigrams of each word to the word",
        COMMON
        | {
            "event_structure": "consecutive_words",
            "event_options": (1,),
            "cue_structure": "trigrams_to_word",
        },
        {"symbols": "a-z"},
    ),
    "words": Task(
        "the words before and after to each word",
        COMMON
        | {"event_structure": "word_to_word", "event_options": (1, 1), "cue_structure": "word_to_word"},
        {"symbols": "a-z", "cues_from": "words", "window": (1, 1)},
    ),
    "window-3": Task(
        "the trigrams of three words to these words",
        COMMON
        | {
            "event_structure": "consecutive_words",
            "event_options": (3,),
            "cue_structure": "trigrams_to_word",
        },
        {"symbols": "a-z", "window": 3},
    ),
}


def repeated(text: Path, times: int, folder: Path) -> Path:
    """A file of a text several times."""
    content = text.read_bytes()
    content += b"" if content.endswith(b"\n") else b"\n"
    path = folder / f"{times}-times.txt"
    with path.open("wb") as file:
        for _ in range(times):
            file.write(content)
    return path


def count_words(text: Path) -> Result:
    """`wc -w`, which reads the text, finds its words and keeps nothing."""
    begun = time.perf_counter()
    subprocess.run(["wc", "-w", str(text)], check=True, stdout=subprocess.DEVNULL)
    return {"seconds": time.perf_counter() - begun}


def measure(task: Task, once: Path, many: Path, theirs: Path, options: argparse.Namespace) -> Result:
    """The figures of a task: the events compared, then times, in turns with those of `wc -w`."""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        pyndl = compare.run("pyndl_text", text=once, folder=folder, options=task.pyndl)
        check = compare.run("check_text", text=once, folder=folder, options=task.rescorla)
        if theirs != once:
            pyndl = compare.run("pyndl_text", text=theirs, folder=folder, options=task.pyndl)
        ours: list[Result] = []
        words: list[Result] = []
        for _ in range(options.repetitions):
            words.append(count_words(many))
            ours.append(
                compare.run(
                    "rescorla_text", text=many, folder=folder, threads=options.threads, options=task.rescorla
                )
            )
    speeds = {
        "pyndl": theirs.stat().st_size / MB / pyndl["seconds"],
        "rescorla": speed(many, ours),
        "wc": speed(many, words),
    }
    return {
        "about": task.about,
        "check": check,
        "megabytes_a_second": speeds,
        "ratio": speeds["rescorla"] / speeds["pyndl"],
        "seconds": {"pyndl": pyndl["seconds"], "rescorla": [each["seconds"] for each in ours]},
        "peak": min(each["peak"] for each in ours),
        "n_events": ours[0]["n_events"],
        "bytes": ours[0]["bytes"],
    }


def speed(text: Path, results: list[Result]) -> float:
    """Megabytes a second, by the median of the times."""
    return text.stat().st_size / MB / float(statistics.median(result["seconds"] for result in results))


def report(name: str, figures: Result) -> None:
    """Prints the figures of a task."""
    speeds, check = figures["megabytes_a_second"], figures["check"]
    same = "the same as pyndl's" if check["different"] == 0 else f"{check['different']:,} DIFFER from pyndl's"
    print(
        f"{name:10} pyndl {speeds['pyndl']:6.2f} MB/s, rescorla {speeds['rescorla']:7.1f} MB/s: "
        f"{figures['ratio']:6.1f} times; wc -w {speeds['wc']:6.1f} MB/s; peak {figures['peak'] / MB:.0f} MB; "
        f"{check['n_events']:,} events of the text {same}",
        flush=True,
    )


def measure_large(task: Task, once: Path, large: Path, options: argparse.Namespace) -> Result:
    """The memory that a large text takes; its lines have the text's names and so many times its events."""
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        arguments = {"folder": folder, "threads": options.threads, "options": task.rescorla}
        small = compare.run("rescorla_text", text=once, **arguments)
        result = compare.run("rescorla_text", text=large, **arguments)
    times = result["n_events"] / small["n_events"]
    same_names = all(result[side] == small[side] for side in ("n_cues", "n_outcomes"))
    # A document has events across the seams of the repeated text.
    right = options.context == "document" or (times == options.large_times and same_names)
    print(
        f"{task.about}: {large.stat().st_size / MB:,.0f} MB of text, {result['n_events']:,} events, "
        f"{result['bytes'] / MB:,.0f} MB in {result['seconds']:.1f} s, "
        f"{large.stat().st_size / MB / result['seconds']:.1f} MB/s; "
        f"resident {result['before'] / MB:.0f} MB before, {result['peak'] / MB:.0f} MB at the peak"
        + ("" if right else f"; WRONG: {times} times the events of the text, or other names"),
        flush=True,
    )
    return result | {"right": right}


def arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), metavar="NAME")
    parser.add_argument("--text", type=Path, help="running text, UTF-8")
    parser.add_argument("--context", choices=["line", "document"], default="line")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=5, help="of rescorla and wc; figures are medians")
    parser.add_argument("--pyndl-whole", action="store_true", help="pyndl reads as much as rescorla")
    parser.add_argument("--large", action="store_true", help="memory on a large text, without pyndl")
    parser.add_argument("--large-times", type=int, default=LARGE_TIMES, help="how often it repeats the text")
    parser.add_argument("--bound", type=float, default=200, help="of the resident size, in MB")
    parser.add_argument("--folder", type=Path, help="where the files go for a while")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--smoke", action="store_true", help="small, once, the large text too")
    options = parser.parse_args()
    if not options.smoke and options.text is None:
        parser.error("give --text FILE or --smoke")
    return options


def main() -> int:
    options = arguments()
    if options.smoke:
        options.repetitions = 1
    wrong = False
    record: Result = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as work:
        folder = Path(work)
        text = options.text
        if text is None:
            text = folder / "text.txt"
            workloads.small_text(text)
        once = repeated(text.resolve(), 1, folder)
        tasks = {name: TASKS[name].within(options.context) for name in options.task}
        if options.smoke or not options.large:
            record["machine"] = machine = compare.run("machine")
            many = repeated(once, TIMES, folder)
            theirs = many if options.pyndl_whole else once
            sizes = [path.stat().st_size / MB for path in (many, theirs)]
            print(compare.described(machine, options.threads))
            print(f"rescorla and wc: {sizes[0]:.1f} MB, medians of {options.repetitions}; ", end="")
            print(f"pyndl: {sizes[1]:.1f} MB, once, one thread")
            for name, task in tasks.items():
                record[name] = figures = measure(task, once, many, theirs, options)
                report(name, figures)
                wrong |= figures["check"]["different"] > 0
        if options.smoke or options.large:
            large = repeated(once, options.large_times, folder)
            for name, task in tasks.items():
                record[f"{name}, large"] = result = measure_large(task, once, large, options)
                too_much = result["peak"] > options.bound * MB
                wrong |= too_much or not result["right"]
                if too_much:
                    print(f"MORE THAN {options.bound:.0f} MB")
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
