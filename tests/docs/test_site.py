"""The site: its pages can be read and found, links go somewhere, and what the copy button copies runs.

The site is that of `--site FOLDER`, or it is built here where mkdocs is installed.
"""

import ast
import doctest
import functools
import io
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import browsers
import pytest
from matplotlib import pyplot as plt
from test_docs import NEEDS, ROOT, shell

SIZES = [(1280, "light"), (390, "light"), (1280, "dark"), (390, "dark")]


@pytest.fixture(scope="module")
def site(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    if built := pytestconfig.getoption("site"):
        return Path(built).resolve()
    pytest.importorskip("mkdocs", reason="the site needs mkdocs: pip install 'rescorla[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    return folder


@pytest.fixture(scope="module")
def names(site: Path) -> list[str]:
    """The addresses of all pages, below that of the site."""
    found = sorted(path.parent.relative_to(site).as_posix() + "/" for path in site.rglob("index.html"))
    assert len(found) > 60
    return ["" if name == "./" else name for name in found]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site as a server of this machine gives it: pages from files have no search and no clipboard."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=site))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# Without a browser: links, and what pictures say to those who do not see them.


class Page(HTMLParser):
    """What a page links to, what can be linked to in it, and its pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = {""}
        self.pictures: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := told.get(name))}
        if tag == "img":
            self.pictures.append(told)
        address = told.get("src") if tag in {"img", "script"} else told.get("href")
        if address is not None:
            self.links.append(address)


@pytest.fixture(scope="module")
def pages(site: Path, names: list[str]) -> dict[str, Page]:
    return {name: Page((site / name / "index.html").read_text(encoding="utf-8")) for name in names}


def lost(site: Path, pages: dict[str, Page]) -> list[str]:
    """The links within the site that go nowhere."""
    found = []
    for name, page in pages.items():
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            target, place = urldefrag(urljoin(f"/{name}", link))
            target = unquote(target).removeprefix("/")
            if target in pages:
                there = unquote(place) in pages[target].ids
            else:
                there = (site / target).is_file() and not place
            if not there:
                found.append(f"{name or 'home'}: {link}")
    return found


def test_links_go_somewhere(site: Path, pages: dict[str, Page]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 5000
    assert lost(site, pages) == []


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = Page('<a href="b/">1</a><a href="#c">2</a><img src="d.svg"><p id="e"><a href="#e">3</a>')
    assert lost(tmp_path, {"": page}) == ["home: b/", "home: #c", "home: d.svg"]


def test_pictures_say_what_they_show(pages: dict[str, Page]) -> None:
    pictures = [(name, each) for name, page in pages.items() for each in page.pictures]
    assert len(pictures) > 30
    assert [(name, each["src"]) for name, each in pictures if len(each.get("alt") or "") < 20] == []


# What the copy button copies. These tests come first: their browser is closed before the code is run, for
# some of it runs a loop of asyncio. The next one is opened when it is asked for.


@dataclass
class Block:
    """A block of code as it is copied; `part` tells which blocks are one session."""

    language: str
    part: str
    needs_text: bool
    shown: str
    copied: str


# What has a button: not signatures, and not what cells of notebooks gave.
COPIED = "article .highlight:not(.no-copy):not(.doc-signature)"

# Of each button, in order: the language of its block, the object of the API that it is an example of, whether
# it says that it needs data, and what is shown.
BLOCKS = """(blocks) => [...document.querySelectorAll(`${blocks} pre > code`)].map((code) => {
    const block = code.closest(".highlight");
    let before = block.previousSibling;
    while (before?.nodeType === 3 && !before.data.trim()) before = before.previousSibling;
    const language = [...block.classList].find((each) => each.startsWith("language-")) ?? "";
    const part = block.closest(".doc-object")?.querySelector(".doc-heading")?.id ?? "";
    const needs = before?.nodeType === 8 ? `<!--${before.data}-->` : "";
    return [language.replace("language-", ""), part, needs, code.textContent];
})"""


@pytest.fixture(scope="module")
def blocks(pytestconfig: pytest.Config, address: str, names: list[str]) -> dict[str, list[Block]]:
    """The blocks of all pages, each copied by its button. The browser is closed before they are run."""
    found: dict[str, list[Block]] = {}
    with browsers.launched(pytestconfig) as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        page = context.new_page()
        for name in names:
            page.goto(address + name)
            kinds = page.evaluate(BLOCKS, COPIED)
            buttons = page.locator(f"{COPIED} .md-code__button[data-md-type=copy]")
            if kinds:
                buttons.first.wait_for(state="attached")
            assert buttons.count() == len(kinds), name
            found[name] = []
            for number, (language, part, needs, shown) in enumerate(kinds):
                page.evaluate("navigator.clipboard.writeText('')")
                buttons.nth(number).dispatch_event("click")
                copied = page.evaluate("navigator.clipboard.readText()")
                found[name].append(Block(language, part, needs == NEEDS, shown, copied))
        context.close()
    return found


def typed(shown: str) -> str:
    """What was typed in a session, as doctest finds it; its directives are for tests alone."""
    if shown.startswith("$ "):
        shown = re.sub(r"(?m)^\$ ", ">>> ", re.sub(r"\\\n", r"\\\n... ", shown))
    examples = doctest.DocTestParser().get_examples(shown)
    return re.sub(r" +# doctest:.*", "", "".join(example.source for example in examples))


def run(code: str, names: dict[str, Any], shown: str) -> None:
    """Runs Python as somebody who pasted it: an error is right where the page shows it."""
    for statement in ast.parse(code).body:
        try:
            exec(compile(ast.Module([statement], []), "<copied>", "exec"), names)
        except Exception as error:
            if not re.search(rf"(?m)^(\w+\.)*{type(error).__name__}\b", shown):
                raise


def test_what_is_copied_is_what_was_typed(blocks: dict[str, list[Block]]) -> None:
    every = [block for of_page in blocks.values() for block in of_page]
    sessions = [block for block in every if block.shown.startswith((">>> ", "$ "))]
    assert len(sessions) > 500
    for block in every:
        if block in sessions:
            # doctest passes over lines of comment alone.
            assert re.sub(r"(?m)^#.*\n", "", block.copied).rstrip("\n") == typed(block.shown).rstrip("\n")
        else:
            assert block.copied.rstrip("\n") == block.shown.rstrip("\n")


# Who tries an example leaves it to Python to close what it reads. The gallery alone has more than 20 figures.
@pytest.mark.filterwarnings(
    "ignore:unclosed file",
    "ignore:More than 20 figures:RuntimeWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)
def test_what_is_copied_runs(
    blocks: dict[str, list[Block]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = 0
    for page, of_page in blocks.items():
        folder = tmp_path / page
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "README.md", folder)
        monkeypatch.chdir(folder)
        parts: dict[str, dict[str, Any]] = {}
        for block in of_page:
            names = parts.setdefault(block.part, {"__name__": "copied"})
            if block.needs_text or block.language not in {"pycon", "python", "console"}:
                continue
            with redirect_stdout(io.StringIO()):
                try:
                    if block.language == "console":
                        for command in block.copied.replace("\\\n", "").splitlines():
                            shell(command)
                    else:
                        run(block.copied, names, block.shown)
                except Exception as error:
                    pytest.fail(f"{page}: {type(error).__name__}: {error}\n{block.copied}")
            ran += 1
            plt.close("all")
    assert ran > 500


# In a browser.


@pytest.fixture(scope="module")
def browser(pytestconfig: pytest.Config) -> Iterator[Any]:
    with browsers.launched(pytestconfig) as opened:
        yield opened


# The texts whose contrast to what is behind them is less than WCAG's level AA asks for, each once: what is
# transparent is mixed with what is below it. Letters are large from 24 pixels on, or 18.66 in bold.
CONTRASTS = """() => {
    const numbers = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return { rgb: [r, g, b], a };
    };
    const over = ({ rgb, a }, below) => rgb.map((each, i) => a * each + (1 - a) * below[i]);
    const ground = (at) => {
        if (!at) return [255, 255, 255];
        return over(numbers(getComputedStyle(at).backgroundColor), ground(at.parentElement));
    };
    const lightness = (rgb) => {
        const [r, g, b] = rgb.map((each) => each / 255)
            .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const bad = new Map();
    for (const each of document.querySelectorAll("body *")) {
        const text = [...each.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
        if (!text || !each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const style = getComputedStyle(each);
        let opacity = 1;
        for (let at = each; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
        const behind = ground(each);
        const ink = numbers(style.color);
        const [dark, light] = [over({ rgb: ink.rgb, a: ink.a * opacity }, behind), behind]
            .map(lightness).sort((a, b) => a - b);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const contrast = (light + 0.05) / (dark + 0.05);
        const called = `${each.tagName}.${each.className} ${style.color} ${contrast.toFixed(2)}`;
        if (contrast < (large ? 3 : 4.5)) bad.set(called, each.textContent.slice(0, 40));
    }
    return Object.fromEntries(bad);
}"""


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_pages_fit_and_can_be_read(
    browser: Any, address: str, names: list[str], width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    it = browsers.Shown(context.new_page())
    wide: list[str] = []
    pale: dict[str, str] = {}
    for name in names:
        it.page.goto(address + name)
        if it.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(name)
        pale |= {f"{name}: {text}": what for text, what in it.page.evaluate(CONTRASTS).items()}
    context.close()
    assert wide == []
    assert pale == {}
    assert it.complaints == []
    assert [url for url in it.asked if not url.startswith((address, "data:"))] == []


def test_text_that_is_too_pale_is_found(browser: Any) -> None:
    page = browser.new_page()
    page.set_content(
        "<p style='color: #767676'>pale enough</p><p style='color: #777'>too pale</p>"
        "<p style='color: rgba(0, 0, 0, 0.53)'>too clear</p><h1 style='color: #777; opacity: 0.9'>large</h1>"
        "<div style='background: #222'><p style='background: rgba(255, 255, 255, 0.1)'>dark</p></div>"
    )
    assert list(page.evaluate(CONTRASTS).values()) == ["too pale", "too clear", "dark"]
    page.close()


# Who comes for what: from the first page to the page that they need, by what the links say.
PATHS = {
    "linguist": (["I have text"], "From text to weights"),
    "linguist, by the manual": (["running text"], "Running text"),
    "linguist, with files of R": (["I come from pyndl or R"], "Coming from pyndl and ndl"),
    "psychologist": (["I teach or study conditioning"], "Classic experiments"),
    "psychologist, with a design": (["designs"], "Designs of experiments"),
    "engineer": (["I use scikit-learn"], "Estimators for scikit-learn"),
    "who wonders": (["Which function do I need?"], "Which function do I need?"),
}


@pytest.mark.parametrize("who", PATHS)
def test_everybody_is_two_clicks_from_their_page(browser: Any, address: str, who: str) -> None:
    clicks, title = PATHS[who]
    assert len(clicks) <= 2
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    for text in clicks:
        page.locator(
            f"article a:text-is({text!r}), .md-nav a:text-is({text!r}), .md-tabs a:text-is({text!r})"
        ).first.click()
        page.wait_for_load_state()
    assert page.locator("article h1").inner_text().removesuffix("¶").strip() == title
    page.close()


# Five tasks from a cold start: the links that are clicked from the first page on, and a program whose every
# name and argument stands on the pages that were opened.
TASKS = {
    "a text to a picture": (
        ["tutorial"],
        """
import rescorla as rw
events = rw.corpus_events("own.txt", symbols="a-z")
weights = rw.learn(events, alpha=0.1, beta=0.1)
ax = rw.plot.network(weights, outcomes=["cat", "mat"], n=5)
ax.figure.savefig("made.png", dpi=300)
""",
    ),
    "blocking": (
        ["I teach or study conditioning"],
        """
import rescorla as rw
designs = rw.design({"blocking": "A+ 10 | AB+ 10 | B?", "control": "C+ 10 | AB+ 10 | B?"})
learned = {name: rw.trajectories(events, alpha=0.3, beta=0.3) for name, events in designs.items()}
blocked, control = (each.probes["activation"][0] for each in learned.values())
assert blocked < control
axes = rw.plot.trajectories(learned)
""",
    ),
    "a pipeline": (
        ["I use scikit-learn"],
        """
from rescorla import estimators
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
texts, classes = ["a hen ran", "a dog ran", "the hen hid", "the dog hid"], ["bird", "beast"] * 2
pipeline = make_pipeline(CountVectorizer(), estimators.RescorlaWagnerClassifier(passes=20))
assert pipeline.fit(texts, classes).predict(["one hen"]).tolist() == ["bird"]
""",
    ),
    "a script of pyndl": (
        ["I come from pyndl or R"],
        """
from rescorla.compat.pyndl import ndl, preprocess
preprocess.create_event_file("own.txt", "own.tab.gz")
weights = ndl.ndl("own.tab.gz", alpha=0.1, betas=(0.1, 0.1), remove_duplicates=True)
assert weights.loc[{"outcomes": "cat", "cues": "#ca"}] > 0
""",
    ),
    "weights that outgrow memory": (
        ["larger than the memory"],
        """
import rescorla as rw
events = rw.read_events([("c_a_t", "cat"), ("m_a_t", "mat")])
mapped = rw.learn(events, out="weights.npy")
assert rw.load_weights("weights.npy").cues == mapped.cues
""",
    ),
}


def said(program: str) -> set[str]:
    """The functions that a program calls, and the arguments that it names."""
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    names = {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)}
    return names | {f"{each.arg}=" for call in calls for each in call.keywords}


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_done_with_the_pages_that_are_opened(
    browser: Any, address: str, task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks, program = TASKS[task]
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    opened = page.locator("article").inner_text()
    for text in clicks:
        page.locator(f"article a:text-is({text!r})").first.click()
        page.wait_for_load_state()
        opened += page.locator("article").inner_text()
    page.close()
    assert [name for name in sorted(said(program)) if name not in opened] == []
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.txt").write_text("the cat sat\nthe mat and the cat\n", encoding="utf-8")
    exec(compile(program, task, "exec"), {})
    plt.close("all")


def test_what_a_program_needs_is_found() -> None:
    assert said("ax = rw.plot.network(rw.learn(events, beta=0.1), n=5)") == {
        "network",
        "learn",
        "beta=",
        "n=",
    }


def test_blocking_is_learned_within_the_page(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(f"{address}classic/")
    live = page.frame_locator("iframe[title]")
    chart = live.locator(".chart").first
    before = chart.inner_html()
    live.locator("#alpha ~ input").fill("0.9")
    for _ in range(100):
        if chart.inner_html() != before:
            break
        page.wait_for_timeout(50)
    assert chart.inner_html() != before
    page.close()


# Tables that are wider than the page, and whether they can be scrolled and say so.
TABLES = """() => [...document.querySelectorAll("article table")].map((table) => {
    const around = table.closest(".md-typeset__scrollwrap") ?? table.parentElement;
    const style = getComputedStyle(around);
    const wide = table.scrollWidth > around.clientWidth;
    return [wide, style.overflowX === "auto" && style.backgroundImage.includes("gradient")];
})"""


def test_wide_tables_scroll_and_say_so(browser: Any, address: str, names: list[str]) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    found: dict[str, list[list[bool]]] = {}
    for name in names:
        page.goto(address + name)
        found[name] = [each for each in page.evaluate(TABLES) if each[0]]
    page.close()
    assert any(found.values())
    assert {name: each for name, each in found.items() if not all(scrolls for _, scrolls in each)} == {}


# What is looked for, and the page that comes first.
SEARCHES = {
    "fit": "howto/fitting/",
    "choice data": "howto/fitting/",
    "parameter estimation": "howto/fitting/",
    "maximum likelihood": "howto/fitting/",
    "surprisal": "howto/people/",
    "reaction times": "howto/people/",
    "trial by trial": "howto/people/",
    "epochs": "howto/batches/",
    "gradient descent": "howto/batches/",
    "Bush-Mosteller": "howto/parameters/",
    "Pearce-Hall": "howto/parameters/",
    "salience": "howto/parameters/",
    "LDL": "howto/ldl/",
    "endstate": "howto/ldl/",
    "fastText": "howto/ldl/",
    "disk full": "howto/large/",
    "out of memory": "howto/large/",
    "too slow": "howto/large/",
    "threads": "howto/large/",
    "SLURM": "howto/cluster/",
    "dask": "howto/cluster/",
    "next word": "howto/text/",
    "corpus": "howto/text/",
    "n-grams": "howto/text/",
    "data frame": "howto/events/",
    "csv": "howto/events/",
    "sample data": "howto/datasets/",
    "Danks": "howto/equilibrium/",
    "steady state": "howto/equilibrium/",
    "half-life": "howto/convergence/",
    "learning curve": "howto/trajectories/",
    "trajectories": "howto/trajectories/",
    "forgetting": "howto/trajectories/",
    "blocking": "classic/",
    "overshadowing": "classic/",
    "latent inhibition": "classic/",
    "Pavlov": "classic/",
    "sklearn": "howto/estimators/",
    "GridSearchCV": "howto/estimators/",
    "ndlClassify": "howto/classification/",
    "semantic density": "howto/measures/",
    "custom rule": "howto/own-rule/",
    "heatmap": "howto/plots/",
    "figures": "gallery/",
    "save weights": "howto/weights/",
    "cite": "citing/",
    "pyndl": "moving/",
    "reticulate": "from-r/",
    "logistic regression": "relatives/",
    "cheat sheet": "which/",
    "wheel": "install/",
    "GPU": "install/",
}


def test_the_search_finds_what_people_look_for(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.click(".md-search__input")
    results = page.locator(".md-search-result__item")
    found = {}
    for words, name in SEARCHES.items():
        page.fill(".md-search__input", "")
        page.press(".md-search__input", "End")  # The page looks when a key comes up.
        results.first.wait_for(state="detached")
        page.fill(".md-search__input", words)
        page.press(".md-search__input", "End")
        results.first.wait_for(timeout=10_000)
        first = str(results.first.locator("a").first.get_attribute("href"))
        if urlsplit(first).path != f"/{name}":
            found[words] = first
    page.close()
    assert found == {}


def test_equations_are_set(pages: dict[str, Page], site: Path) -> None:
    text = (site / "mathematics" / "index.html").read_text(encoding="utf-8")
    assert text.count("<math ") > 30
    assert [name for name in pages if "arithmatex" in (site / name / "index.html").read_text("utf-8")] == []


def loose(page: str) -> list[str]:
    """What is in italics because of asterisks that were meant as such, as in w*."""
    article = page.partition("<article")[2].partition("</article>")[0]
    return [each for each in re.findall(r"<em>(.*?)</em>", article, re.S) if re.match(r"[\s).,;:=|]", each)]


def test_asterisks_make_no_italics(names: list[str], site: Path) -> None:
    assert loose("<article><p>w<em>.x and |w</em>|, <em>so</em></article>") == [".x and |w"]
    texts = {name: (site / name / "index.html").read_text(encoding="utf-8") for name in names}
    assert {name: found for name, text in texts.items() if (found := loose(text))} == {}
