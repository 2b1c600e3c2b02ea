"""Runs the notebooks of this folder: ``python docs/notebooks/execute.py`` stores what their cells give.

They run in the Python that runs this, with the rescorla that it imports, whatever kernels are installed. A
test runs them too, and fails where the stored outputs are not those of its run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import rescorla
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
NOTEBOOKS = tuple(sorted(FOLDER.glob("*.ipynb")))
# How long a cell may take, in seconds: each takes a few at most where the machine does nothing else.
PATIENCE = 300

# Before all others. A bar, which slow machines would show, is no part of what a notebook says. With old
# releases of matplotlib the first figure would come too late. And fonts are looked for here.
_FIRST = """
from rescorla._shared import progress
progress._PATIENCE = float("inf")
get_ipython().run_line_magic("matplotlib", "inline")
"""
# What would keep figures out of the notebook, or show other warnings than a reader sees.
_NOT_TAKEN = ("MPLBACKEND", "PYTHONWARNINGS")


class _ThisPython(KernelSpecManager):
    """Knows one kernel alone: the Python that runs."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        launched = [
            sys.executable,
            "-m",
            "ipykernel_launcher",
            "-f",
            "{connection_file}",
            "--log-level=ERROR",
        ]
        return KernelSpec(
            argv=launched, display_name=kernel_name, language="python"
        )


def run(path: Path, ask: Sequence[str] = ()) -> tuple[Any, dict[str, Any]]:
    """Runs a notebook from its first cell to its last.

    Returns it with its outputs, and what the expressions of `ask` are after the last cell, as JSON has them.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    asked = f"import json; print(json.dumps([{', '.join(ask)}]))"
    cell_of = nbformat.v4.new_code_cell
    around = [cell_of(source) for source in (_FIRST, asked)]  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.cells = [around[0], *notebook.cells, around[1]]
    with TemporaryDirectory() as folder:
        kernel = AsyncKernelManager(
            kernel_name="python3", kernel_spec_manager=_ThisPython()
        )
        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=PATIENCE,
            record_timing=False,
            resources={"metadata": {"path": folder}},
        )
        client.execute(env=_environment(folder), cleanup_kc=True)
    notebook.cells = notebook.cells[1:-1]
    for number, cell in enumerate(
        each for each in notebook.cells if each.cell_type == "code"
    ):
        cell.execution_count = number + 1
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number + 1
    # Which Python ran it is no part of the notebook.
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    values = json.loads(around[1].outputs[0].text)
    return notebook, dict(zip(ask, values, strict=True))


def _environment(folder: str) -> dict[str, str]:
    """That of this process, with its package, no settings of the user, and figures within the notebook."""
    here = str(Path(rescorla.__file__).parents[1])
    path = os.pathsep.join(
        filter(None, [here, os.environ.get("PYTHONPATH", "")])
    )
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in _NOT_TAKEN
    }
    own = dict.fromkeys(
        ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"), folder
    )
    return environment | own | {"PYTHONPATH": path}


def main() -> None:
    for path in NOTEBOOKS:
        notebook, _ = run(path)
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
