"""The R of docs/from-r.md prints what the page says, by Debian's reticulate."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import rescorla
import rescorla as rw

xarray = pytest.importorskip("xarray")

PAGE = (Path(__file__).parents[2] / "docs" / "from-r.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```r\n(.*?)^```$", PAGE, flags=re.M | re.S)
MARK = "-- the next block --"
R = shutil.which("Rscript")


def has(packages: list[str]) -> bool:
    """Whether R has these packages."""
    asked = "".join(f"stopifnot(requireNamespace('{each}', quietly = TRUE));" for each in packages)
    return (
        R is not None and subprocess.run([R, "-e", asked], capture_output=True, check=False).returncode == 0
    )


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with this package and the numpy that the reticulate of Debian 12 knows."""
    folder = tmp_path_factory.mktemp("python")
    venv.create(folder, with_pip=True, symlinks=True)
    found = folder / "bin" / "python"
    needed = ["numpy<2", "pandas<3", "netCDF4", "xarray"]
    command = [str(found), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *needed]
    subprocess.run(command, check=True)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    (packages / "rescorla").symlink_to(Path(rescorla.__file__).parent)
    return found


@pytest.mark.skipif(not has(["reticulate", "ncdf4"]), reason="needs R with reticulate and ncdf4")
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="numpy 1 is for Python 3.12 and older")
def test_the_page_says_what_r_prints(python: Path, tmp_path: Path) -> None:
    script, expected = [], []
    for block in BLOCKS:
        lines = block.splitlines()
        shown = [line[2:].strip() for line in lines if line.startswith("#>")]
        code = [line for line in lines if not line.startswith(("#>", "use_virtualenv("))]
        script += [*code, f'cat("{MARK}\\n")']
        expected.append(shown)
    (tmp_path / "page.R").write_text("\n".join(script), encoding="utf-8")
    environment = {**os.environ, "RETICULATE_PYTHON": str(python), "LC_ALL": "C.UTF-8"}
    environment.pop("PYTHONPATH", None)
    assert R is not None
    done = subprocess.run(
        [R, "--vanilla", "page.R"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = [
        [line.strip() for line in block.splitlines() if line.strip()]
        for block in done.stdout.split(MARK)[:-1]
    ]
    assert printed == expected
    assert (tmp_path / "tone.pdf").stat().st_size > 1000
    learned = rw.load_weights(tmp_path / "weights.nc")
    assert rw.load_weights(tmp_path / "of-r.nc").values.tolist() == learned.values.tolist()


def test_names_that_r_wrote_are_text(tmp_path: Path) -> None:
    values = [[0.5, 1.0], [0.25, 0.0]]
    names = {"cues": ["é".encode(), b"b"], "outcomes": [b"x", b"yy"]}
    array = xarray.DataArray(values, dims=("cues", "outcomes"), coords=names, name="weights")
    assert rw.Weights.from_xarray(array)["é", "yy"] == 1.0
    array.to_netcdf(tmp_path / "w.nc")
    assert rw.load_weights(tmp_path / "w.nc").cues == ("é", "b")
    with pytest.raises(ValueError, match="the names of cues must be UTF-8"):
        rw.Weights.from_xarray(array.assign_coords(cues=[b"\xff", b"b"]))
