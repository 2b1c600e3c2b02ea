"""The licences of the packages that wheels contain are those of the packages that are compiled into them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LICENCES = ROOT / "release" / "THIRD-PARTY-LICENSES"


def named() -> set[tuple[str, ...]]:
    """Names and versions of the packages whose licences are there."""
    return set(re.findall(r"^    ([\w-]+) (\d\S+)$", LICENCES.read_text(encoding="utf-8"), re.MULTILINE))


def compiled() -> set[tuple[str, ...]]:
    """Names and versions of what is compiled into the extension module, on any system."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not installed")
    edges = ["--edges", "normal", "--features", "python", "--target", "all"]
    command = [cargo, "tree", "--locked", *edges, "--prefix", "none", "--format", "{p}"]
    tree = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    packages = (line.split()[:2] for line in tree.splitlines() if line.strip())
    return {(name, version.removeprefix("v")) for name, version in packages}


def test_the_licence_of_every_compiled_package_is_in_the_wheels() -> None:
    assert named() == compiled()


@pytest.mark.parametrize(
    "sentence",
    [
        "Permission is hereby granted, free of charge",
        "Redistribution and use in source and binary forms",
        "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    ],
)
def test_the_licences_are_there_and_not_only_their_names(sentence: str) -> None:
    assert sentence in LICENCES.read_text(encoding="utf-8")
