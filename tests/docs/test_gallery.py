"""The gallery: each picture is drawn by the short code beside it."""

import gallery
import pytest
from matplotlib import pyplot as plt

NAMES = sorted(path.stem for path in gallery.FOLDER.glob("*.py"))
PAGE = gallery.FOLDER.parent.parent / "gallery.md"


@pytest.mark.parametrize("name", NAMES)
def test_code_draws_a_picture(name: str) -> None:
    example = gallery.example(name)
    plt.close("all")
    exec(compile(example.code, f"{name}.py", "exec"), {})
    assert len(plt.get_fignums()) == 1
    assert plt.gcf().axes
    plt.close("all")
    assert sum(bool(line) for line in example.code.splitlines()) < 25
    assert (gallery.FOLDER / f"{name}.svg").is_file()
    assert example.title
    assert len(example.seen) > 30


def test_the_page_has_all_pictures_once() -> None:
    page = gallery.page(PAGE.read_text(encoding="utf-8"))
    assert len(NAMES) >= 24
    for name in NAMES:
        assert page.count(f"(#{name})") == page.count(f"{{ #{name} }}") == 1
        assert page.count(f"(pictures/gallery/{name}.svg)") == 2
    assert {path.stem for path in gallery.FOLDER.glob("*.svg")} == set(NAMES)
    assert "<!--" not in page


def test_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in gallery.FOLDER.glob("*.svg")) < 1_500_000
