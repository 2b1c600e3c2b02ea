"""The address of the repository has one home, pyproject.toml; whatever repeats it is held to it here.

PyPI shows the README away from its files, so there every link names the whole address.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
URLS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
ADDRESS = URLS["Repository"]
RAW = ADDRESS.replace("https://github.com/", "https://raw.githubusercontent.com/")
# An address of this repository on GitHub, whoever is said to own it.
NAMED = re.compile(
    r"((?:github|githubusercontent)\.com/|https://(?=[\w-]+\.github\.io/))([\w-]+)(?:\.github\.io)?/rescorla(?![\w-])"
)
# Where it must stand.
REPEATED = [
    "CITATION.cff",
    "Cargo.toml",
    "README.md",
    "SECURITY.md",
    "mkdocs.yml",
    "release/conda/recipe.yaml",
]

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what belongs to the project, git knows")


def texts() -> dict[str, str]:
    """The project's files, by path, those that are not text left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    found = {}
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            found[name] = (ROOT / name).read_text(encoding="utf-8", errors="ignore")
    return found


def readme() -> tuple[list[str], list[str]]:
    """What the README's links and pictures go to, in either form of Markdown."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\[[^]]+\]: (\S+)$", page, flags=re.MULTILINE)
    return re.findall(r"\]\(([^)\s]*)\)", page), named


def test_every_address_is_that_of_the_metadata() -> None:
    owner = ADDRESS.removeprefix("https://github.com/").removesuffix("/rescorla")
    others = [
        f"{name}: {match[0]}"
        for name, text in texts().items()
        for match in NAMED.finditer(text)
        if match[2] != owner
    ]
    assert others == []


@pytest.mark.parametrize("name", REPEATED)
def test_it_stands_where_readers_look_for_it(name: str) -> None:
    assert ADDRESS in (ROOT / name).read_text(encoding="utf-8")


def test_the_metadata_name_one_repository() -> None:
    assert [url for url in URLS.values() if not url.startswith(ADDRESS)] == []
    for url in URLS.values():
        _, _, path = url.partition("/blob/main/")
        assert (ROOT / path).exists(), url


def test_the_readme_links_to_files_that_exist_by_whole_addresses() -> None:
    inline, named = readme()
    assert len(inline) + len(named) > 10
    for url in inline + named:
        assert url.startswith("https://"), f"{url}: dead where the README is shown without its files"
        for prefix in (f"{ADDRESS}/blob/main/", f"{RAW}/main/"):
            if url.startswith(prefix):
                assert (ROOT / url.removeprefix(prefix).partition("#")[0]).is_file(), url


def test_every_name_of_a_link_in_the_readme_is_used() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in re.findall(r"^\[([^]]+)\]: ", page, flags=re.MULTILINE):
        assert page.count(f"[{name}]") > 1, name


def test_pictures_of_the_readme_come_as_they_are() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    urls = dict(re.findall(r"^\[([^]]+)\]: (\S+)$", page, flags=re.MULTILINE))
    pictures = re.findall(r"!\[[^]]*\]\[([^]]+)\]", page)
    assert pictures
    assert len(pictures) == page.count("![")
    for name in pictures:
        assert urls[name].startswith(f"{RAW}/main/"), "a page about a picture shows none"


def copied(folder: Path) -> Path:
    """A copy of the files that name the address, and of the script, as a checkout of its own."""
    for name, text in texts().items():
        if name == "release/address" or NAMED.search(text):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, str(folder / "release" / "address")]
    return subprocess.run([*script, *arguments], capture_output=True, text=True, check=False)


def test_the_script_changes_every_address_and_nothing_else(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    new = "https://github.com/some-body/" + "rescorla"
    assert run(folder).stdout.strip() == ADDRESS
    done = run(folder, new)
    assert done.returncode == 0, done.stderr
    assert run(folder).stdout.strip() == new
    changed = done.stdout.split()
    assert set(REPEATED) <= set(changed)
    assert changed[-1] == "pyproject.toml"
    for name in changed:
        before, after = ((root / name).read_text(encoding="utf-8") for root in (ROOT, folder))
        assert {match[2] for match in NAMED.finditer(after)} == {"some-body"}, name
        assert NAMED.sub(r"\1/", after) == NAMED.sub(r"\1/", before), name
    assert run(folder, new).stdout == ""


def test_the_script_leaves_other_repositories_alone(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    others = ADDRESS + "-feedstock, " + ADDRESS.removesuffix("rescorla") + "other\n"
    (folder / "others.md").write_text(others, encoding="utf-8")
    assert "others.md" not in run(folder, "https://github.com/some-body/" + "rescorla").stdout
    assert (folder / "others.md").read_text(encoding="utf-8") == others


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("someone", "'someone'"),
        ("https://github.com/someone", "'https://github.com/someone'"),
        ("https://github.com/-a/" + "rescorla", "expected"),
        ("https://github.com/a/" + "rescorla/tree", "expected"),
        ("https://example.org/a/b", "expected"),
        ("--help", "release/address NEW"),
    ],
)
def test_the_script_refuses_what_is_no_address(tmp_path: Path, wrong: str, said: str) -> None:
    folder = copied(tmp_path)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = run(folder, wrong)
    assert done.returncode == 1
    assert said in done.stderr
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
