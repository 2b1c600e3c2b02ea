"""Whether an installed rescorla works: one line and exit status 0, or what differs and 1.

    python release/smoke.py [--without-rust] [--scripts FOLDER]

It needs rescorla and numpy alone, so that it runs wherever a wheel is to run. It learns a text of its own by
``method="forward"`` and compares the bits of the weights with a stored checksum, which every machine must
reach; imports each public room that needs no extra; writes a page; and runs the command ``rescorla``.
"""

import argparse
import hashlib
import importlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

# Numbers, punctuation, capitals, and letters of one to four bytes: what a wrong build might read otherwise.
# This text is not the README, so that the checksum holds for as long as the rule does.
TEXT = """\
In the beginning God created the heaven and the earth.
And the earth was without form, and void; and darkness was upon the face of the deep.
And the Spirit of God moved upon the face of the waters.
And God said, Let there be light: and there was light.
And God saw the light, that it was good: and God divided the light from the darkness.
And God called the light Day, and the darkness he called Night.
And the evening and the morning were the first day.
Am Anfang schuf Gott Himmel und Erde; die Größe, die Güte, das Übel.
Ἐν ἀρχῇ ἐποίησεν ὁ θεὸς τὸν οὐρανὸν καὶ τὴν γῆν.
В начале сотворил Бог небо и землю. 𝔄𝔅ℭ 1611 1611
"""

# SHA-256 of the weights, row by row, as little-endian numbers of this type.
CHECKSUMS = {
    "float64": "85793465b739f2c7bc0b2a49450b87ee8e642a1427efe38eee41fe7c4e4738f9",
    "float32": "78aa82c9664f7c4d33ec3b713bae76c913896204b5f657041f937ed283594a8b",
}

# The public rooms that numpy is enough for.
ROOMS = [
    "classify",
    "cli",
    "compat",
    "datasets",
    "distributed",
    "ldl",
    "measures",
    "perceptrons",
    "plot",
    "schedules",
    "tiles",
]


class DiffersError(Exception):
    """What is not as it must be."""


def rust() -> list[str]:
    """Where Rust's compiler and its package manager are, if they can be found."""
    return [found for found in map(shutil.which, ("cargo", "rustc")) if found]


def learned() -> str:
    """Compares the weights with the stored checksums; gives the kernel that learned them."""
    import numpy as np
    import rescorla as rw

    events = rw.corpus_events(TEXT.splitlines(), progress=False)
    kernel = ""
    for dtype, expected in CHECKSUMS.items():
        for threads in (1, 2):
            weights = rw.learn(events, dtype=dtype, method="forward", threads=threads, progress=False)
            values = np.ascontiguousarray(weights.values, dtype=np.dtype(dtype).newbyteorder("<"))
            found = hashlib.sha256(values.tobytes()).hexdigest()
            kernel = weights.parameters["kernel"]
            if found != expected:
                what = f"{dtype} weights by the kernel {kernel} on {threads} threads"
                raise DiffersError(f"{what}: expected {expected}, found {found}")
    return kernel


def rooms() -> None:
    """Imports the public rooms, and reads the text that comes with them."""
    for room in ROOMS:
        importlib.import_module(f"rescorla.{room}")
    verses = importlib.import_module("rescorla.datasets").king_james()
    if len(verses) != 678:
        raise DiffersError(f"the Gospel of Mark has 678 verses, found {len(verses)}")


def pages() -> None:
    """Writes a page, of files that come with the package."""
    import rescorla as rw

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        rw.report(rw.read_events([("a_b", "x", 3)]), path)
        if "function learn(" not in path.read_text(encoding="utf-8"):
            raise DiffersError("a report has not the script that learns")


def commands(scripts: str) -> None:
    """Runs the command, as it was installed."""
    import numpy as np
    import rescorla as rw

    command = shutil.which("rescorla", path=scripts)
    if command is None:
        raise DiffersError(f"no command rescorla in {scripts}")

    def run(*arguments: str) -> str:
        done = subprocess.run([command, *arguments], capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            what = f"rescorla {' '.join(arguments)}: exit status {done.returncode}"
            raise DiffersError(f"{what}: {done.stderr.strip()}")
        return done.stdout.strip()

    version = run("--version")
    if rw.__version__ not in version.split():
        raise DiffersError(f"rescorla --version: expected {rw.__version__}, found {version}")
    with tempfile.TemporaryDirectory() as folder:
        text, output = Path(folder, "text.txt"), Path(folder, "weights.npz")
        text.write_text(TEXT, encoding="utf-8", newline="\n")
        run("learn", str(text), "--method", "forward", "--output", str(output))
        events = rw.corpus_events(text, progress=False)
        by_command, by_call = rw.load_weights(output), rw.learn(events, method="forward", progress=False)
        if not np.array_equal(by_command.values, by_call.values):
            raise DiffersError("rescorla learn gives other weights than rescorla.learn")


def threading() -> str:
    """Whether threads run side by side, which importing an extension must not end."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return ""
    if sys._is_gil_enabled():  # type: ignore[attr-defined, unused-ignore]
        raise DiffersError("this Python is free-threaded, and is not any more once rescorla is imported")
    return " free-threaded"


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether an installed rescorla works.")
    parser.add_argument("--without-rust", action="store_true", help="fail where Rust is installed")
    parser.add_argument(
        "--scripts",
        metavar="FOLDER",
        default=sysconfig.get_path("scripts"),
        help="where the command rescorla is (default: where this Python's commands are)",
    )
    options = parser.parse_args()
    try:
        if options.without_rust and rust():
            raise DiffersError(f"Rust is installed: {', '.join(rust())}")
        kernel = learned()
        rooms()
        pages()
        commands(options.scripts)
        threads = threading()
    except (DiffersError, ImportError) as error:
        print(
            f"{type(error).__name__}: {error}" if isinstance(error, ImportError) else error, file=sys.stderr
        )
        return 1
    import numpy as np
    import rescorla as rw

    python = f"{platform.python_implementation()} {platform.python_version()}{threads}"
    machine = f"{platform.system()} {platform.machine()}"
    print(f"rescorla {rw.__version__} works: {python}, numpy {np.__version__}, {machine}, kernel {kernel}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
