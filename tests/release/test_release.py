"""What a release is made by: the workflows, their tools, and the smoke test."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import corpus_reference
import numpy as np
import pytest
import reference
import smoke
import yaml

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
SMOKE = ROOT / "release" / "smoke.py"
REQUIREMENTS = sorted((ROOT / "release" / "requirements").glob("*.txt"))
# The scripts that bash runs.
BASH = sorted(
    path
    for folder in (ROOT / ".ci", ROOT / "release")
    for path in folder.glob("*")
    if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env bash\n")
)

pytestmark = pytest.mark.skipif(not GITHUB.exists(), reason="a source distribution")

# What `pip install rescorla` finds a wheel for.
PLATFORMS = [
    "macosx_arm64",
    "macosx_x86_64",
    "manylinux_2_17_aarch64",
    "manylinux_2_17_x86_64",
    "musllinux_1_2_aarch64",
    "musllinux_1_2_x86_64",
    "win_amd64",
    "win_arm64",
]
# For 3.11 and later ones that have the GIL; for 3.14 without it; for 3.15 and later ones, with or without it.
BUILT_FOR = ["python3.11", "python3.14t", "python3.15t"]
TRIED_WITH = {"3.11", "3.14", "3.14t", "3.15", "3.15t"}


def parsed(name: str) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((GITHUB / "workflows" / name).read_text(encoding="utf-8"))
    return workflow


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


def cargo() -> dict[str, Any]:
    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))


def jobs(workflow: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return workflow["jobs"]  # type: ignore[no-any-return]


def combinations(job: dict[str, Any], *keys: str) -> list[tuple[str, ...]]:
    """What these keys of the matrix are, once for each job that GitHub makes of it."""
    matrix = job["strategy"]["matrix"]
    rows: list[dict[str, Any]] = [{}]
    for key, values in matrix.items():
        if key != "include":
            rows = [row | {key: value} for row in rows for value in values]
    if rows == [{}]:
        rows = matrix["include"]
    return [tuple(row[key] for key in keys) for row in rows]


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


# The workflows.


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_by_the_commit_of_a_version(path: Path) -> None:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert lines
    for line in lines:
        assert re.fullmatch(r"- uses: actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_an_action_is_pinned_by_one_commit_everywhere() -> None:
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    uses = {use for text in texts for use in re.findall(r"uses: (.*)", text)}
    names = [use.partition("@")[0] for use in uses]
    assert len(set(names)) == len(names), sorted(uses)


def test_every_image_is_pinned_by_its_digest() -> None:
    images = [image for (image,) in combinations(jobs(parsed("release.yml"))["smoke-linux"], "image")]
    assert all(re.fullmatch(r"quay\.io/pypa/\w+@sha256:[0-9a-f]{64}", image) for image in images)


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_tool_is_pinned_by_its_hashes(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert lines
    for line in lines:
        assert re.match(r"[\w.-]+==[\w.]+ .*--hash=sha256:[0-9a-f]{64}", line), line
    assert path.with_suffix(".in").exists()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_more_is_permitted_than_needed(path: Path) -> None:
    workflow = parsed(path.name)
    assert workflow["permissions"] == {}
    for name, job in jobs(workflow).items():
        upload = {"id-token": "write"} if name == "publish" else {}
        assert job["permissions"] == {"contents": "read"} | upload, name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


# What they build and try.


def test_every_promised_wheel_is_built() -> None:
    wheels = jobs(parsed("release.yml"))["wheels"]
    assert sorted(platform for (platform,) in combinations(wheels, "platform")) == PLATFORMS
    commands = "\n".join(step.get("run", "") for step in wheels["steps"])
    assert sorted(set(re.findall(r"--interpreter (\S+)", commands))) == BUILT_FOR


def test_every_wheel_is_tried_before_any_is_uploaded() -> None:
    all_jobs = jobs(parsed("release.yml"))
    tried: dict[str, set[str]] = {}
    for platform, pythons in combinations(all_jobs["smoke-linux"], "platform", "pythons"):
        for python in pythons.split():
            _, _, name = python.partition("-cp")
            tried.setdefault(platform, set()).add(f"{name[0]}.{name[1:]}")
    for platform, python in combinations(all_jobs["smoke"], "platform", "python"):
        tried.setdefault(platform, set()).add(python)
    assert tried == dict.fromkeys(PLATFORMS, TRIED_WITH)
    publish = all_jobs["publish"]
    assert publish["needs"] == ["wheels", "sdist", "smoke-linux", "smoke"]
    assert publish["environment"]["name"] == "pypi"
    counted = "\n".join(step.get("run", "") for step in publish["steps"])
    assert f"-eq {len(PLATFORMS) * len(BUILT_FOR)}" in counted


def test_the_runners_of_a_platform_are_the_same_for_building_and_trying() -> None:
    all_jobs = jobs(parsed("release.yml"))
    wheels = all_jobs["wheels"]["strategy"]["matrix"]["include"]
    built = {row["platform"]: row["runner"] for row in wheels}
    assert len(built) == len(PLATFORMS)
    for platform, runner in combinations(all_jobs["smoke-linux"], "platform", "runner"):
        assert built[platform] == runner
    for row in all_jobs["smoke"]["strategy"]["matrix"]["include"]:
        assert built[row["platform"]] == row["runner"]


def test_the_pythons_that_are_promised_are_those_that_are_tried() -> None:
    oldest = re.fullmatch(r">=(3\.\d+)", project()["requires-python"])
    assert oldest
    names = (
        classifier.removeprefix("Programming Language :: Python :: ")
        for classifier in project()["classifiers"]
    )
    promised = {name for name in names if re.fullmatch(r"3\.\d+", name)}
    assert min(promised, key=version) == oldest[1]
    tests = jobs(parsed("ci.yml"))["tests"]
    assert {python for (python,) in combinations(tests, "python")} == promised
    assert BUILT_FOR[0] == f"python{oldest[1]}"
    features = cargo()["dependencies"]["pyo3"]["features"]
    assert features == [f"abi3-py{oldest[1].replace('.', '')}", "abi3t-py315"]
    assert {oldest[1], max(promised, key=version)} <= TRIED_WITH


def test_a_release_is_compiled_by_a_compiler_that_can_and_as_by_hand() -> None:
    environment = parsed("release.yml")["env"]
    assert version(environment["RUSTUP_TOOLCHAIN"]) >= version(cargo()["package"]["rust-version"])
    assert environment["PROFILE"] in {"release", *cargo()["profile"]}
    by_hand = ROOT / "release" / "wheel"
    if by_hand.exists():
        assert f"--profile {environment['PROFILE']} " in by_hand.read_text(encoding="utf-8")


def test_jobs_that_run_tests_say_what_they_do_without_the_shared_data() -> None:
    runs = [
        step["run"]
        for path in WORKFLOWS
        for job in jobs(parsed(path.name)).values()
        for step in job["steps"]
        if re.search("pytest|^release/deep", step.get("run", ""))
    ]
    assert len(runs) == 5
    assert all("--without-shared-data" in run for run in runs)


# Those who know workflows.


def tool(name: str) -> str:
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_zizmor_finds_nothing() -> None:
    command = [tool("zizmor"), "--offline", "--no-progress", "--persona", "pedantic", str(GITHUB)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_nothing() -> None:
    command = [tool("actionlint"), *map(str, WORKFLOWS)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shellcheck_finds_nothing() -> None:
    done = subprocess.run(
        [tool("shellcheck"), *map(str, BASH)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ci_checks_every_script() -> None:
    names = " ".join(path.relative_to(ROOT).as_posix() for path in BASH)
    for path in (ROOT / ".ci" / "run", GITHUB / "workflows" / "ci.yml"):
        assert f"shellcheck {names}\n" in path.read_text(encoding="utf-8"), path


# The smoke test.


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A folder with a command rescorla: that of this Python, also where the package lies beside the tests."""
    if os.name != "posix":
        pytest.skip("the command is a script of a shell")
    command = tmp_path / "scripts" / "rescorla"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rescorla "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return command.parent


def run(script: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script), *options],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | environment,
        check=False,
    )


def test_the_smoke_test_passes(scripts: Path) -> None:
    done = run(SMOKE, "--scripts", str(scripts))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        r"rescorla \S+ works: CPython \S+( free-threaded)?, numpy .*, kernel \w+\n", done.stdout
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_smoke_test_finds_other_bits(dtype: str, scripts: Path, tmp_path: Path) -> None:
    text = SMOKE.read_text(encoding="utf-8")
    checksum = smoke.CHECKSUMS[dtype]
    assert text.count(checksum) == 1
    script = tmp_path / "smoke.py"
    script.write_text(text.replace(checksum, checksum[::-1]), encoding="utf-8")
    done = run(script, "--scripts", str(scripts))
    assert done.returncode == 1
    assert f"{dtype} weights by the kernel" in done.stderr
    assert f"expected {checksum[::-1]}, found {checksum}" in done.stderr


def test_the_smoke_test_finds_a_command_that_is_missing_or_another(scripts: Path, tmp_path: Path) -> None:
    done = run(SMOKE, "--scripts", str(tmp_path))
    assert (done.returncode, done.stderr) == (1, f"no command rescorla in {tmp_path}\n")
    (scripts / "rescorla").write_text("#!/bin/sh\necho rescorla 0.0.1\n", encoding="utf-8")
    done = run(SMOKE, "--scripts", str(scripts))
    assert done.returncode == 1
    assert done.stderr.startswith("rescorla --version: expected ")


def test_the_smoke_test_finds_rust(scripts: Path, tmp_path: Path) -> None:
    compiler = tmp_path / "rust" / "rustc"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\n", encoding="utf-8")
    compiler.chmod(0o755)
    done = run(SMOKE, "--without-rust", "--scripts", str(scripts), PATH=str(compiler.parent))
    assert (done.returncode, done.stderr) == (1, f"Rust is installed: {compiler}\n")


@pytest.mark.parametrize(("dtype", "number"), [("float64", float), ("float32", np.float32)])
def test_the_checksum_is_that_of_the_rule_in_plain_python(dtype: str, number: Any) -> None:
    events = corpus_reference.corpus_events([smoke.TEXT])
    cues, outcomes = reference.vocabularies(events)
    weights = reference.learn(events, 0.1, 0.1, 1.0, cues, outcomes, number=number)
    values = np.array([[weights[cue, outcome] for outcome in outcomes] for cue in cues], dtype=dtype)
    bits = values.astype(values.dtype.newbyteorder("<")).tobytes()
    assert hashlib.sha256(bits).hexdigest() == smoke.CHECKSUMS[dtype]


def test_the_smoke_test_imports_all_rooms_that_need_no_extra() -> None:
    extras = ["matplotlib", "netCDF4", "pandas", "polars", "pyarrow", "scipy", "sklearn", "tqdm", "xarray"]
    program = f"""
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({extras}))
import rescorla
for room in pkgutil.iter_modules(rescorla.__path__):
    try:
        importlib.import_module("rescorla." + room.name)
    except ImportError:
        continue
    print(room.name)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    rooms = [room for room in done.stdout.split() if not room.startswith("_")]
    assert rooms == smoke.ROOMS, done.stderr
