"""The recipe of the conda package asks for what the metadata ask for."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import rescorla
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "release" / "conda"
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = METADATA["project"]
# What conda-forge calls otherwise. matplotlib there brings a toolkit for windows too.
CALLED = {"matplotlib": "matplotlib-base"}


@pytest.fixture(scope="module")
def recipe() -> Any:
    return yaml.safe_load((FOLDER / "recipe.yaml").read_text(encoding="utf-8"))


def as_conda(requirement: str) -> str:
    """A requirement of Python's as conda writes it: numpy>=1.26 is numpy >=1.26."""
    name, bounds = re.fullmatch(r"([\w-]+)(.*)", requirement).groups()  # type: ignore[union-attr]
    return f"{CALLED.get(name, name.lower())} {bounds}".strip()


def test_it_names_the_version(recipe: Any) -> None:
    assert recipe["schema_version"] == 1
    assert recipe["package"] == {"name": PROJECT["name"], "version": "${{ version }}"}
    assert recipe["context"]["version"] == rescorla.__version__


def test_it_asks_for_what_the_package_needs(recipe: Any) -> None:
    needed = [as_conda(each) for each in PROJECT["dependencies"]]
    assert recipe["requirements"]["run"] == ["python", *needed]


def test_it_bounds_what_the_extras_bring(recipe: Any) -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    wanted = {
        as_conda(each)
        for extra in everything.partition("[")[2].removesuffix("]").split(",")
        for each in extras[extra]
        if not each.startswith("rescorla[")
    }
    assert recipe["requirements"]["run_constraints"] == sorted(wanted)


def test_it_builds_with_what_the_package_is_built_with(recipe: Any) -> None:
    (maturin,) = map(as_conda, METADATA["build-system"]["requires"])
    build, host = recipe["requirements"]["build"], recipe["requirements"]["host"]
    crossing = next(each["then"] for each in build if isinstance(each, dict))
    assert maturin in host
    assert maturin in crossing


def test_it_begins_with_the_oldest_python(recipe: Any) -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    config = yaml.safe_load((FOLDER / "conda_build_config.yaml").read_text(encoding="utf-8"))
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert config == {"python_min": [oldest]}
    assert recipe["build"]["skip"][0] == f'match(python, "<{oldest}")'
    assert manifest["dependencies"]["pyo3"]["features"][0] == f"abi3-py{oldest.replace('.', '')}"


def test_it_says_of_the_package_what_the_metadata_say(recipe: Any) -> None:
    about = recipe["about"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert {"LICENSE", "THIRDPARTY.yml"} == set(about["license_file"])
    assert (about["homepage"], about["repository"], about["documentation"]) == (
        PROJECT["urls"]["Homepage"],
        PROJECT["urls"]["Repository"],
        PROJECT["urls"]["Documentation"],
    )
    assert any("cargo-bundle-licenses" in line for line in recipe["build"]["script"])
