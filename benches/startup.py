"""What `import rescorla` costs beside `import numpy`: medians of fresh interpreters, alternating.

python benches/startup.py
"""

import statistics
import subprocess
import sys
import time

REPETITIONS = 11


def seconds(code: str) -> float:
    """The time of a fresh interpreter that runs `code`."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - begun


def main() -> None:
    codes = ["pass", "import numpy", "import rescorla"]
    runs = [[seconds(code) for code in codes] for _ in range(REPETITIONS)]
    empty, numpy, rescorla = (statistics.median(times) for times in zip(*runs, strict=True))
    ratio = (rescorla - empty) / (numpy - empty)
    times = [
        f"{name} {(value - empty) * 1e3:.0f} ms" for name, value in [("numpy", numpy), ("rescorla", rescorla)]
    ]
    print(f"import: {', '.join(times)}; {ratio:.2f} times")


if __name__ == "__main__":
    main()
