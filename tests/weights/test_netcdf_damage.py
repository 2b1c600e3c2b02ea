"""netCDF files that were damaged: refused before the library opens them, which may take for ever."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rescorla as rw

pytest.importorskip("netCDF4")

# Loads 400 damaged files; prints those that are not refused, or take a second.
DAMAGES = """
import sys, time
from pathlib import Path
import numpy as np
import rescorla as rw

path = Path(sys.argv[1])
whole, rng, end = path.read_bytes(), np.random.default_rng(1), int(sys.argv[2])
rw.load_weights(path)
n = len(whole)
for i in range(400):
    damaged = bytearray(whole)
    # Half of them where the library's own numbers are.
    at = int(rng.integers(n if i % 2 else n - end))
    match i % 4:
        case 0 | 1:
            damaged[at] ^= 1 << int(rng.integers(8))
        case 2:
            stop = min(n, at + int(rng.integers(16, 600)))
            damaged[at:stop] = bytes(stop - at)
        case 3:
            del damaged[at:]
    if bytes(damaged) == whole or bytes(damaged) == whole[: n - 24]:
        continue
    path.write_bytes(damaged)
    began = time.monotonic()
    try:
        rw.load_weights(path)
        print(i, "is taken")
    except rw.FormatError as error:
        found = rw.verify(path)
        if found or found.wrong != [str(error)]:
            print(i, "is sound")
    if time.monotonic() - began > 1:
        print(i, "takes long")
print("done")
"""


def saved(path: Path) -> rw.Weights:
    values = np.random.default_rng(1).normal(size=(40, 30))
    cues, outcomes = ([f"{kind}{i}" for i in range(n)] for kind, n in (("cue", 40), ("outcome", 30)))
    weights = rw.Weights(values, cues, outcomes, {"alpha": 0.1, "events": "x" * 500})
    weights.save(path)
    return weights


def test_damaged_files_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "w.nc"
    weights = saved(path)
    command = [sys.executable, "-c", DAMAGES, str(path), str(weights.values.nbytes)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert found.stdout == "done\n"


@pytest.mark.parametrize("lost", [1, 12, 23])
def test_a_part_of_the_checksum_is_damage(lost: int, tmp_path: Path) -> None:
    path = tmp_path / "w.nc"
    saved(path)
    whole = path.read_bytes()
    for damaged in (whole[:-lost], whole[:-lost] + bytes(lost), whole[:-24] + b"R" + whole[-23:]):
        path.write_bytes(damaged)
        with pytest.raises(rw.FormatError, match=r"w\.nc: expected a file .*; save the weights again"):
            rw.load_weights(path)


def test_files_of_other_programs_have_no_checksum(tmp_path: Path) -> None:
    weights = saved(tmp_path / "w.nc")
    weights.to_xarray().to_netcdf(tmp_path / "theirs.nc")
    # And ours, where a copy lost it and nothing else.
    (tmp_path / "cut.nc").write_bytes((tmp_path / "w.nc").read_bytes()[:-24])
    for name in ("theirs.nc", "cut.nc"):
        assert np.array_equal(rw.load_weights(tmp_path / name).values, weights.values)
        assert rw.verify(tmp_path / name)


def test_other_readers_do_not_see_the_checksum(tmp_path: Path) -> None:
    import xarray as xr

    path = tmp_path / "w.nc"
    weights = saved(path)
    for engine in ("netcdf4", None):
        with xr.open_dataarray(path, engine=engine) as opened:
            assert np.array_equal(opened.to_numpy(), weights.values)


def test_ncdump_reads_them(tmp_path: Path) -> None:
    if shutil.which("ncdump") is None:
        pytest.skip("no ncdump; Debian has it as netcdf-bin")
    path = tmp_path / "w.nc"
    weights = saved(path)
    found = subprocess.run(
        ["ncdump", "-p", "9,17", "-v", "weights", path], capture_output=True, text=True, check=True
    )
    numbers = found.stdout.split("weights =")[1].strip(" ;}\n").split(",")
    assert np.array_equal(np.array(numbers, dtype=float).reshape(40, 30), weights.values)


def test_ncdf4_of_r_reads_them(tmp_path: Path) -> None:
    found = "cat(requireNamespace('ncdf4', quietly = TRUE))"
    if (
        shutil.which("Rscript") is None
        or "TRUE"
        not in subprocess.run(["Rscript", "-e", found], capture_output=True, text=True, check=False).stdout
    ):
        pytest.skip("no R with ncdf4")
    path = tmp_path / "w.nc"
    weights = saved(path)
    program = (
        "file <- ncdf4::nc_open(commandArgs(TRUE)); cat(sprintf('%.17g', ncdf4::ncvar_get(file, 'weights')))"
    )
    read = subprocess.run(["Rscript", "-e", program, path], capture_output=True, text=True, check=True)
    assert np.array_equal(np.array(read.stdout.split(), dtype=float).reshape(40, 30), weights.values)
