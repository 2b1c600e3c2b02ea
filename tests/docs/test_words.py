"""Pages and their sentences stay short enough to be read on an evening."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def words() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", ROOT / "docs" / "words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("new", [False, True], ids=["pages", "new pages"])
def test_sentences_are_short(words: ModuleType, new: bool) -> None:
    pages = words.total(words.lengths(), new=new)
    assert pages.sentences > 300
    assert len(pages.long) <= 0.05 * pages.sentences, "python docs/words.py says on which pages"


def test_pages_of_before_version_3_are_short(words: ModuleType) -> None:
    assert 40_000 < words.total(words.lengths(), new=False).words <= 50_000


def test_what_counts(words: ModuleType) -> None:
    much = "One `two words` [three](a.md) $a + b$ " + "word " * 20
    code = f"```text\n{much}{much}\n```"
    page = (
        f"# A heading\n\n{much}here. Four words are enough.\n{much}here\nand there.\n\n{code}\n\n"
        f"- {much}here.\n- And here.\n\n| a | 1.5 |\n|---|---|\n| {much}here | so |\n"
    )
    found = words.length(page)
    assert found.sentences == 5
    assert [each.split()[-1] for each in found.long] == ["there."]
    assert found.words == len(page.split()) - len(code.split())
