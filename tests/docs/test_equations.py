"""The equations of the pages are MathML, which needs no script and no network."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("latex2mathml", reason="equations need latex2mathml: pip install 'rescorla[docs]'")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.delitem(sys.modules, "equations", raising=False)
    return __import__("equations")


PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))


def test_an_equation_becomes_mathml(hook: Any) -> None:
    content = '<p>So</p><div class="arithmatex">\\[\na &lt; \\frac{1}{b}\n\\]</div>'
    made = hook.on_page_content(content, PAGE)
    assert made.startswith('<p>So</p><div class="equation" ')
    assert made.count("<math ") == made.count("<mfrac>") == 1
    assert "&#x0003C;" in made
    assert 'aria-label="a &lt; \\frac{1}{b}"' in made


def test_an_equation_in_a_line_becomes_mathml(hook: Any) -> None:
    content = '<p>Below <span class="arithmatex">\\(a &lt; \\beta\\)</span>.</p>'
    made = hook.on_page_content(content, PAGE)
    assert made.startswith("<p>Below <math ")
    assert made.endswith("</math>.</p>")
    assert 'display="inline"' in made
    assert "&#x0003C;" in made


def test_what_the_converter_does_not_know_is_an_error(hook: Any) -> None:
    with pytest.raises(ValueError, match=r"a\.md: \\unheard in an equation is not known"):
        hook.on_page_content('<div class="arithmatex">\\[\\unheard{x}\\]</div>', PAGE)


def test_every_equation_of_the_pages_is_known(hook: Any) -> None:
    found = [
        (path.name, latex)
        for path in PAGES
        for latex in re.findall(r"^ *\$\$\n(.*?)\n *\$\$$", path.read_text(encoding="utf-8"), re.M | re.S)
    ]
    assert len(found) > 30
    for name, latex in found:
        assert "<math " in hook.equation(latex, name)
