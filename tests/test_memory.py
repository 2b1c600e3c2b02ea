"""Where the address space is limited, what does not fit is a MemoryError."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

SWEEP = Path(__file__).parent / "faults" / "memory.py"
# Each ended the process at most of its limits.
CALLS = [
    "read_events list",
    "read_events gz",
    "corpus_events words",
    "filter types",
    "cue_sets",
    "learn average",
]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="measures rooms as Linux with glibc has them")
@pytest.mark.parametrize("call", CALLS)
def test_what_does_not_fit_is_an_error(call: str) -> None:
    # dask leaves its settings of the C library's malloc to this process. With them calls take other rooms.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, str(SWEEP), "--calls", call, "--limits", "6", "--scale", "0.2"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=120,
    )
    row = re.search(rf"^{call} .*MiB" + 6 * r" +(\d+)" + "$", done.stdout, re.MULTILINE)
    assert row, done.stdout + done.stderr
    ok, short, no_thread, other, died, hung = map(int, row.groups())
    assert short + no_thread >= 2, done.stdout
    assert ok >= 1
    # A small allocation of the system's or of a library may hit the limit by chance.
    assert (other, hung) == (0, 0), done.stdout
    assert died <= 1, done.stdout


RESULTS = """
import resource, sys
import numpy as np
import rescorla as rw

n = 6000
events = rw.read_events(([f"c{i}"], [f"o{i}"]) for i in range(n))
weights = rw.Weights(np.zeros((1, n)), ["c0"], events.outcomes)
with open("/proc/self/statm") as stream:
    size = int(stream.read().split()[0]) * resource.getpagesize()
# The result alone takes more.
resource.setrlimit(resource.RLIMIT_AS, (size + 8 * n * n * 2 // 3,) * 2)
try:
    {
        "learn": lambda: rw.learn(events),
        "equilibrium": lambda: rw.equilibrium(events),
        "activations": lambda: rw.activations(["c0"] * n, weights),
    }[sys.argv[1]]()
except MemoryError as error:
    print(error)
"""
TOLD = {
    "learn": (
        "6,000 x 6,000 weights of float64 (cues x outcomes)",
        "learn fewer outcomes, or in float32, or into a .npy file, which needs no memory for them",
    ),
    "equilibrium": (
        "6,000 x 6,000 weights of float64 (cues x outcomes)",
        "keep fewer outcomes of the events, by Events.filter or rescorla events --keep-outcomes",
    ),
    "activations": (
        "6,000 x 6,000 activations of float64",
        "take fewer events or outcomes at a time, or in float32, or only the outcomes that are present in "
        "each event, or write them to a .npy file",
    ),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux")
@pytest.mark.parametrize("call", TOLD)
def test_a_result_for_which_there_is_no_memory_says_how_large_it_is(call: str) -> None:
    what, cure = TOLD[call]
    done = subprocess.run(
        [sys.executable, "-c", RESULTS, call],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
    )
    assert done.stdout == (f"{what} need 288000000 bytes (0.3 GiB) of memory, more than can be had; {cure}\n")
