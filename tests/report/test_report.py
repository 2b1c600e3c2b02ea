"""Reports: pages that show what they are given, by mouse, keyboard and screen reader, and ask no network."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import browsers
import numpy as np
import pytest
import rescorla as rw
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from rescorla._report import cited, nearest, page, trajectories_page, weights_page
from rescorla._report.weights_page import histogram
from strategies import PLAIN_NAMES, events, rules
from terminal import json_of, said

BLOCKING = [("light", "shock", 40), ("light_tone", "shock", 40), ("tone", "", 0), ("light", "", 5)]
CONTROL = [("noise", "shock", 40), ("light_tone", "shock_fear", 40), ("tone", "", 0)]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<b>bold</b>",
    "<img src=x onerror=alert(2)>",
    "'\"&amp;<!--",
    "{{title}}",
    "a\nb\tc",
    " ",
    "\u202eabc",
    "__proto__",
    "x" * 500,
    # An end tag without its end.
    "</script /x",
    "\u2066abc\u2069",
]

# Each case opens a page: a failure is told as it is found, not made smaller for minutes.
few = settings(
    max_examples=8 if settings().max_examples < 100 else 25,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@pytest.fixture(scope="module")
def browser(pytestconfig: pytest.Config) -> Iterator[Any]:
    """A browser. It is closed with this module: while it is open, others cannot run a loop of asyncio."""
    with browsers.launched(pytestconfig) as opened:
        yield opened


def some_weights(n_cues: int = 12, n_outcomes: int = 9) -> rw.Weights:
    values = np.random.default_rng(1).normal(size=(n_cues, n_outcomes)).round(3)
    values[:, 0] = 0.0
    names = [f"cue {row}" for row in range(n_cues)], [f"outcome {column}" for column in range(n_outcomes)]
    return rw.Weights(values, *names, {"rule": "rescorla_wagner", "alpha": 0.1, "seconds": 0.123456})


def write(kind: str, folder: Path) -> Path:
    """A page of each kind."""
    path = folder / f"{kind}.html"
    control = rw.read_events(CONTROL)
    if kind == "weights":
        rw.report(some_weights(), path)
    elif kind == "chosen":
        rw.report(rw.learn(control), path, title="Chosen")
    elif kind == "events":
        rw.report(rw.read_events(BLOCKING), path, title="Blocking", alpha=0.3)
    elif kind == "groups":
        rw.report({"blocking": rw.read_events(BLOCKING), "control": control}, path, beta=(0.2, 0.1))
    elif kind == "influence":
        rw.report(rw.influence(control, "tone", "shock"), path)
    else:
        rw.report(rw.trajectories(control, every=7), path)
    return path


KINDS = ("weights", "chosen", "events", "groups", "trajectories", "influence")


# All pages.


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_for_nothing_and_complains_of_nothing(browser: Any, kind: str, tmp_path: Path) -> None:
    path = write(kind, tmp_path)
    with browsers.shown(browser, path, "#cue-0") as it:
        assert it.asked == [path.as_uri()]
        assert it.complaints == []
        # What would ask is refused.
        refused = it.page.evaluate(
            """async () => {
                const refused = [];
                const hear = (event) => refused.push(event.effectiveDirective);
                addEventListener("securitypolicyviolation", hear);
                await fetch("http://127.0.0.1:9/").catch(() => {});
                document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/" }));
                const harm = "<i onclick='window.harmed = 1' style='color: red'></i>";
                document.body.insertAdjacentHTML("beforeend", harm);
                document.body.lastChild.click();
                await new Promise((done) => setTimeout(done, 100));
                return [refused.toSorted(), window.harmed];
            }"""
        )
    assert refused[0] == ["connect-src", "img-src", "script-src-attr", "style-src-attr"]
    assert refused[1] is None
    assert path.stat().st_size < 60_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_fits_and_can_be_read(
    browser: Any, kind: str, width: int, scheme: str, tmp_path: Path
) -> None:
    how = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    with browsers.shown(browser, write(kind, tmp_path), "#outcome-0", **how) as it:
        assert it.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert it.page.evaluate(CONTRASTS) == []


# The texts whose contrast to the ground behind them is less than WCAG's level AA asks for.
CONTRASTS = """() => {
    const lightness = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map((each) => each / 255)
            .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (at) => {
        for (; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)$/.test(colour)) return colour;
        }
        return "rgb(255, 255, 255)";
    };
    const bad = [];
    for (const each of document.querySelectorAll("body *")) {
        const text = [...each.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
        if (!text || !each.getClientRects().length) continue;
        const style = getComputedStyle(each);
        const ink = each.namespaceURI.endsWith("svg") ? style.fill : style.color;
        const [dark, light] = [lightness(ink), lightness(ground(each))].sort((a, b) => a - b);
        if ((light + 0.05) / (dark + 0.05) < 4.5) bad.push([each.textContent, ink, ground(each)]);
    }
    return bad;
}"""


# What takes input, or has a role, and has no name that a screen reader could say.
NAMELESS = """() => {
    const all = "input, select, button, a, summary, [tabindex='0'], [role]";
    return [...document.querySelectorAll(all)].filter((each) => {
        const named = (each.getAttribute("aria-labelledby") ?? "").split(" ");
        const labels = [...(each.labels ?? []), ...named.map((id) => document.getElementById(id))];
        const said = [each.ariaLabel, each.textContent, ...labels.map((label) => label?.textContent)];
        return each.id !== "status" && !said.some((text) => text?.trim());
    }).map((each) => each.outerHTML);
}"""


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_takes_input_has_a_name(browser: Any, kind: str, tmp_path: Path) -> None:
    with browsers.shown(browser, write(kind, tmp_path), "#cue-1") as it:
        nameless = it.page.evaluate(NAMELESS)
        assert nameless == []
        assert it.page.locator("#status[role=status][aria-live=polite]").count() == 1
        assert it.page.locator("h1").count() == 1
        # Pictures are told in words, and as tables.
        assert it.page.locator("svg:not([aria-hidden]):not([role=img])").evaluate_all(
            "(all) => all.every((each) => each.closest('[role=group][aria-label]'))"
        )
        assert it.page.locator("details").count() >= 1


@pytest.mark.parametrize("kind", ["weights", "groups"])
def test_on_paper_there_is_what_there_is_to_read(browser: Any, kind: str, tmp_path: Path) -> None:
    with browsers.shown(browser, write(kind, tmp_path), color_scheme="dark") as it:
        it.page.emulate_media(media="print")
        it.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        it.settle()
        assert it.page.locator("details:not([open])").count() == 0
        assert it.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        for gone in ("#search", ".buttons", "summary"):
            for each in it.page.locator(gone).all():
                assert not each.is_visible()
        assert it.page.locator(".panel table").first.is_visible()
        it.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert it.page.locator("details[open]").count() == 0


def test_without_javascript_the_facts_are_there(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(write("chosen", tmp_path).as_uri())
    text = opened.locator("body").inner_text()
    context.close()
    assert "needs JavaScript" in text
    assert "What is in this file" in text
    assert "rescorla_wagner" in text


@pytest.mark.parametrize("kind", ["weights", "events", "trajectories", "influence"])
def test_names_do_no_harm(browser: Any, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    table = rw.read_events([([name], [other], 3) for name in HOSTILE for other in HOSTILE])
    title = "</title><script>alert(0)</script>{{data}}"
    results: dict[str, Callable[[], Any]] = {
        "weights": lambda: rw.learn(table),
        "events": lambda: {"</h3><script>alert(3)</script>": table, "b": table},
        "trajectories": lambda: rw.trajectories(table, every=100),
        "influence": lambda: rw.influence(table, HOSTILE[1], HOSTILE[0]),
    }
    rw.report(results[kind](), path, title=title)
    with browsers.shown(browser, path, "#cue-0") as it:
        for details in it.page.locator("summary:visible").all():
            details.click()
        if kind == "weights":
            for name in ("<b", "<img"):
                it.page.fill("#search", name)
                it.press("Enter")
                it.until(f"document.querySelector('.chosen-text').textContent.includes('{name}')")
        it.settle()
        assert it.complaints == []
        assert it.asked == [path.as_uri()]
        assert it.page.locator("b, img").count() == 0
        assert it.page.locator("script").count() == 2
        assert it.text("h1") == title
        text = it.page.locator("main").inner_text()
    for name in HOSTILE[:5]:
        assert name[:15] in text
    assert "\\u202eabc" in text
    assert not set("\u202e\u2066\u2069") & set(text)


# Weights.


def lists_of(found: Mapping[str, NDArray[Any]], place: int) -> list[tuple[int, float]]:
    """What a page has of a name: the other side's places, and weights."""
    start = 0 if place == 0 else int(found["ends"][place - 1])
    some = slice(start, int(found["ends"][place]))
    return list(zip(found["ids"][some].tolist(), found["values"][some].tolist(), strict=True))


VALUES = arrays.arrays(
    st.sampled_from([np.float64, np.float32]),
    st.tuples(st.integers(1, 7), st.integers(1, 7)),
    # Round numbers, so that equal ones and zeros come; and what is no number.
    elements=st.one_of(
        st.integers(-4, 4).map(lambda value: value / 4), st.sampled_from([np.nan, np.inf, 0.1])
    ),
)


@given(VALUES, st.integers(1, 8), st.sampled_from(["cosine", "correlation"]))
def test_a_page_has_the_strongest_of_every_name(
    folder: Path, values: NDArray[Any], n: int, nearness: Any
) -> None:
    rows, columns = values.shape
    some = rw.Weights(values, [f"c{row}" for row in range(rows)], [f"o{column}" for column in range(columns)])
    path = folder / "weights.html"
    rw.report(some, path, n=n, nearness=nearness)
    found = browsers.data(path)
    for side, lines in (("rows", values), ("columns", values.T)):
        for place, line in enumerate(lines):
            # Python's sort keeps equal ones in order.
            down = sorted((-float(weight), at) for at, weight in enumerate(line) if weight > 0)
            up = sorted((float(weight), at) for at, weight in enumerate(line) if weight < 0)
            expected = [(at, -weight) for weight, at in down[:n]] + [
                (at, weight) for weight, at in up[:n][::-1]
            ]
            kept = lists_of(found[side], place)
            assert [at for at, _ in kept] == [at for at, _ in expected]
            np.testing.assert_allclose([w for _, w in kept], [w for _, w in expected], rtol=1e-7)
            assert (found[side]["positive"][place], found[side]["negative"][place]) == (len(down), len(up))
    finite = values[np.isfinite(values)]
    assert sum(found["histogram"]["counts"]) == finite.size
    assert found["histogram"]["zeros"] == (values == 0).sum()
    edges = np.array(found["histogram"]["edges"])
    assert np.array_equal(np.histogram(finite, edges)[0], found["histogram"]["counts"])
    assert ("not finite" in path.read_text(encoding="utf-8")) == (finite.size < values.size)


@given(VALUES, st.sampled_from(["cosine", "correlation"]), st.integers(1, 4))
def test_nearest_names_are_those_of_the_largest_products(
    values: NDArray[Any], nearness: str, lines: int
) -> None:
    values = np.where(np.isfinite(values), values, 0.25).astype(np.float64)
    vectors = values - values.mean(axis=1, keepdims=True) if nearness == "correlation" else values
    lengths = np.linalg.norm(vectors, axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_LINES", lines)
        packed = nearest.nearest(lambda r, c: values[r, c], values.shape, "rows", nearness, 3, lambda _: None)
    found = {name: browsers._unpacked(each) for name, each in packed.items()}
    for place in range(len(values)):
        kept = lists_of(found, place)
        if (lengths[place] < 1e-12) or not (np.delete(lengths, place) > 1e-12).any():
            assert kept == []
            continue
        others = [at for at in range(len(values)) if at != place and lengths[at] > 1e-12]
        alike = {at: vectors[place] @ vectors[at] / lengths[place] / lengths[at] for at in others}
        assert place not in dict(kept)
        assert len(kept) == min(3, len(others))
        np.testing.assert_allclose([v for _, v in kept], sorted(alike.values())[::-1][:3], atol=1e-6)
        for at, value in kept:
            assert abs(alike[at] - value) < 1e-6


def test_a_name_that_is_searched_is_shown(browser: Any, tmp_path: Path) -> None:
    some = some_weights()
    with browsers.shown(browser, write("weights", tmp_path)) as it:
        assert not it.page.is_visible("#chosen")
        it.page.fill("#search", "CUE 1")
        options = it.page.locator("#found li")
        assert options.all_text_contents() == ["cue 1cue", "cue 10cue", "cue 11cue"]
        it.until("document.querySelector('#status').textContent === '3 names have that.'")
        options.nth(1).click()
        it.says("#chosen-name", "Cue cue 10")
        assert it.page.evaluate("document.activeElement.id") == "chosen-name"
        positive, negative = (
            it.rows("#lists section:nth-child(1) table"),
            it.rows("#lists section:nth-child(2) table"),
        )
        expected = some.top(cue="cue 10", n=9)
        assert [(name, float(weight)) for name, _, weight in positive] == [
            each for each in expected if each[1] > 0
        ]
        assert [(name, float(weight)) for name, _, weight in negative] == [
            each for each in expected[::-1] if each[1] < 0
        ]
        near = it.rows("#lists section:nth-child(3) table")
        assert "By the cosine of their rows of weights" in it.text("#lists")
        row = some.row("cue 10")
        for name, _, value in near:
            other = some.row(name)
            cosine = row @ other / np.linalg.norm(row) / np.linalg.norm(other)
            assert abs(float(value) - cosine) < 1e-6
        assert len(near) == 10
        # A link leads on, and the browser's way back returns.
        it.page.click("#lists section:nth-child(1) a >> nth=0")
        it.says("#chosen-name", f"Outcome {positive[0][0]}")
        assert "cues" in it.text("#lists")
        it.page.go_back()
        it.says("#chosen-name", "Cue cue 10")
        it.page.click("text=All weights >> nth=0")
        it.until("document.querySelector('#chosen').hidden")
        assert it.complaints == []


def test_lines_of_the_network_are_weights(browser: Any, tmp_path: Path) -> None:
    some = some_weights()
    with browsers.shown(browser, write("weights", tmp_path), "#outcome-3") as it:
        it.page.click("#network-panel summary")
        rows = it.rows("#network-table table")
        assert len(rows) == it.page.locator("#network path").count() > 10
        assert {float(weight) for *_, weight in rows} == {some[cue, outcome] for cue, outcome, _ in rows}
        # Above all, those of what is chosen.
        strongest = some[:, ["outcome 3"]].strongest(4)
        assert set(strongest) <= {(cue, outcome, float(weight)) for cue, outcome, weight in rows}
        it.page.click(f"#network a:has-text('{strongest[0][0]}')")
        it.says("#chosen-name", f"Cue {strongest[0][0]}")
        assert (
            it.page.locator("#network .negative[stroke-dasharray]").count()
            == it.page.locator("#network .negative").count()
        )


def test_long_lists_are_shown_when_asked(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    some = rw.Weights(np.arange(1.0, 101.0).reshape(1, 100), ["a"], [f"o{at}" for at in range(100)])
    rw.report(some, path, n=40)
    with browsers.shown(browser, path, "#cue-0") as it:
        first = it.page.locator("#lists section").nth(0)
        assert "The 40 strongest of 100" in str(first.text_content())
        assert first.locator("tr:visible").count() == 11
        first.locator("button").click()
        assert first.locator("tr:visible").count() == 41
        assert it.focused() == "o89"
        assert it.rows("#strongest, #all table >> nth=0")[0] == ["a", "o99", "100"]
        assert "60.0 % of those of cues" in it.text(".facts")
        # In single precision, of which seven digits are told.
        assert "rounded to 7 digits" in it.text(".facts")


def test_a_large_page_keeps_what_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = some_weights(60, 50)
    rw.report(some, tmp_path / "all.html", nearness=None)
    whole = (tmp_path / "all.html").stat().st_size
    monkeypatch.setattr(page, "LARGEST", whole - 10_000)
    rw.report(some, tmp_path / "fewer.html", nearness=None)
    assert (tmp_path / "fewer.html").stat().st_size <= whole - 10_000
    found = browsers.data(tmp_path / "fewer.html")
    kept = max(int(end) for end in np.diff(found["rows"]["ends"], prepend=0))
    assert 4 < kept < 50
    assert f"{lists_n(found)} strongest positive" in (tmp_path / "fewer.html").read_text(encoding="utf-8")
    monkeypatch.setattr(page, "LARGEST", 40_000)
    with pytest.raises(
        ValueError, match=r"page would have .* bytes, more than 40,000.*weights\[cues, outcomes\]"
    ):
        rw.report(some, tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def lists_n(found: dict[str, Any]) -> int:
    """How many positive weights a page has of the name that has most."""
    values, ends = found["rows"]["values"], found["rows"]["ends"]
    starts = np.concatenate([[0], ends[:-1]])
    return max(int((values[a:b] > 0).sum()) for a, b in zip(starts, ends, strict=True))


@pytest.mark.parametrize(
    ("most", "compared"), [(10, []), (500_000, ["columns"]), (10**9, ["rows", "columns"])]
)
def test_too_many_to_compare_have_no_nearest_names(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, compared: list[str]
) -> None:
    path = tmp_path / "page.html"
    monkeypatch.setattr(weights_page, "MOST", most)
    rw.report(some_weights(), path)
    text = path.read_text(encoding="utf-8")
    assert list(browsers.data(path)["nearest"]) == compared
    for side, kind, count in (("rows", "cue", 12), ("columns", "outcome", 9)):
        there = side in compared
        told = f"{kind}s are left out: {count} {kind}s are too many to compare each with every other."
        assert (f"Nearest {told}" in text) != there
        assert (f"Nearest {kind}s are the 10 of the largest cosine of {side} of weights." in text) == there
        with browsers.shown(browser, path, f"#{kind}-1") as it:
            assert (f"Nearest {kind}s" in it.text("#lists")) == there
            assert it.complaints == []


@pytest.mark.parametrize("shape", [(100_000, 15), (26, 100_000)])
def test_the_page_of_100_000_names_takes_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int]
) -> None:
    cues, outcomes = ([f"{side}{place}" for place in range(n)] for side, n in zip("co", shape, strict=True))
    some = rw.Weights(np.random.default_rng(1).normal(size=shape), cues, outcomes)
    put_together: list[int] = []

    def counted(**content: Any) -> bytes:
        made = page.page(**content)
        put_together.append(len(made))
        return made

    monkeypatch.setattr(weights_page, "page", SimpleNamespace(**vars(page) | {"page": counted}))
    rw.report(some, tmp_path / "many.html")
    # To compare all takes minutes, and to pack what has no room many seconds.
    assert len(put_together) <= 3
    assert 8_500_000 < put_together[-1] <= 10_000_000
    many = "cues" if shape[0] > shape[1] else "outcomes"
    text = (tmp_path / "many.html").read_text(encoding="utf-8")
    assert f"Nearest {many} are left out: 100,000 {many} are too many to compare" in text


def test_weights_of_a_store_are_weights(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    some = some_weights()
    some.save(tmp_path / "w.zarr")
    rw.report(some, tmp_path / "a.html")
    rw.report(rw.load_weights(tmp_path / "w.zarr"), tmp_path / "b.html")
    a, b = (browsers.data(tmp_path / name) for name in ("a.html", "b.html"))
    np.testing.assert_equal(a, b)


def test_large_numbers_are_drawn(browser: Any, tmp_path: Path) -> None:
    most = np.finfo(np.float64).max
    rw.report(rw.Weights([[most, -most, 1e-300]], ["a"], ["x", "y", "z"]), tmp_path / "w.html")
    rw.report(rw.read_events(BLOCKING), tmp_path / "e.html", lambda_=1e308, alpha=1.0, beta=1.99)
    for name in ("w", "e"):
        with browsers.shown(browser, tmp_path / f"{name}.html", "#cue-0") as it:
            assert it.complaints == []
            assert "NaN" not in str(
                it.page.locator("svg").evaluate_all("(all) => all.map((each) => each.outerHTML)")
            )
            assert sum(browsers.data(tmp_path / "w.html")["histogram"]["counts"]) == 3


@pytest.mark.parametrize(("dtype", "digits"), [("float64", 17), ("float32", 7)])
def test_weights_are_shown_with_the_digits_that_they_have(dtype: Any, digits: int, tmp_path: Path) -> None:
    rw.report(rw.learn(rw.read_events(BLOCKING), dtype=dtype), tmp_path / "w.html")
    assert browsers.data(tmp_path / "w.html")["digits"] == digits


@given(values=arrays.arrays(np.float64, arrays.array_shapes(min_dims=2, max_dims=2)))
# The last edge is rounded to less than the greatest number.
@example(values=np.array([[-0.43505, 0.02695]]))
def test_every_number_has_a_bar(values: NDArray[np.float64]) -> None:
    found = histogram(lambda rows, columns: values[rows, columns], values.shape)
    assert found.counts.sum() == np.isfinite(values).sum()
    assert (np.diff(found.edges) > 0).all()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (1, 1)])
def test_few_weights_are_few(browser: Any, shape: tuple[int, int], tmp_path: Path) -> None:
    names = [f"c{at}" for at in range(shape[0])], [f"o{at}" for at in range(shape[1])]
    rw.report(rw.Weights(np.zeros(shape), *names), tmp_path / "few.html")
    with browsers.shown(browser, tmp_path / "few.html", "#cue-0") as it:
        assert it.complaints == []
        assert it.page.is_visible("#chosen") == (shape[0] > 0)


def test_the_work_tells_how_far_it_is(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rw.report(some_weights(), tmp_path / "w.html", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


# Events.


@pytest.mark.filterwarnings("ignore:.*may overshoot")
@few
@given(st.data())
def test_what_is_learned_in_the_page_has_our_bits(browser: Any, folder: Path, data: st.DataObject) -> None:
    table = rw.read_events(data.draw(events(PLAIN_NAMES)), duplicates="keep")
    if not table.cues or not table.outcomes:
        return
    rule = data.draw(rules(table.cues, table.outcomes)).keywords()
    path = folder / "learned.html"
    rw.report(table, path, **rule)
    traj = rw.trajectories(table, **rule)
    with browsers.shown(browser, path) as it:
        for place, outcome in enumerate(table.outcomes):
            if len(table.outcomes) > 1:
                it.page.select_option("#outcome", str(place))
                it.settle()
            for box in it.page.locator("#lines input").all():
                box.check()
            it.settle()
            found = it.saved(folder / "curves.csv")
            for cue in table.cues:
                assert found[(cue,)][:, 0].tolist() == traj.tokens.tolist()
                assert found[(cue,)][:, 1].tobytes() == (traj[cue, outcome] + 0.0).tobytes()
            final = rw.learn(table, method="forward", **rule)
            for event in table:
                if len(event.cues) > 1 and len(set(event.cues)) == len(event.cues):
                    line = found[(" + ".join(event.cues),)]
                    expected = rw.activations([event.cues], final)[0][place]
                    assert abs(line[-1, 1] - expected) <= 1e-12
        assert it.complaints == []


def test_a_slider_that_moves_learns_anew(browser: Any, tmp_path: Path) -> None:
    table = rw.read_events(BLOCKING)
    with browsers.shown(browser, write("events", tmp_path)) as it:

        def agree(**rule: Any) -> None:
            it.settle()
            found = it.saved(tmp_path / "curves.csv")
            traj = rw.trajectories(table, **rule)
            for cue in table.cues:
                assert found[(cue,)][:, 1].tobytes() == traj[cue, "shock"].tobytes()
                shown = it.page.locator(f"#lines tr:has-text('{cue}') td.number").first
                assert float(str(shown.get_attribute("data-value"))) == traj[cue, "shock"][-1]

        agree(alpha=0.3)
        it.page.focus("#alpha")
        it.press("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight")
        assert it.page.input_value("#alpha") == "0.32"
        it.until("document.querySelector('#status').textContent.includes('Learned again')")
        agree(alpha=0.32)
        # The exact number beside it, which no slider has.
        it.page.locator("#alpha ~ input").fill("0.123456789")
        agree(alpha=0.123456789)
        it.page.locator("#beta1").fill("0.5")
        it.page.locator("#beta2").fill("0.04")
        it.page.locator("#lambda ~ input").fill("-3.5")
        agree(alpha=0.123456789, beta=(0.5, 0.04), lambda_=-3.5)
        it.page.click("#each summary")
        it.page.locator("#alpha-1").fill("0.9")
        agree(alpha={"light": 0.123456789, "tone": 0.9}, beta=(0.5, 0.04), lambda_=-3.5)
        assert it.page.locator("#alpha ~ input").input_value() == ""
        # What is no rate is refused, and nothing is learned.
        it.page.locator("#beta1 ~ input").fill("-1")
        assert it.page.locator("#beta1 ~ input").get_attribute("aria-invalid") == "true"
        agree(alpha={"light": 0.123456789, "tone": 0.9}, beta=(0.5, 0.04), lambda_=-3.5)
        it.page.click("#reset")
        agree(alpha=0.3)
        it.page.locator("#alpha ~ input").fill("1e200")
        it.settle()
        assert "beyond all bounds" in it.text("#help")
        it.page.click("#reset")
        it.settle()
        assert "beyond all bounds" not in it.text("#help")
        assert it.complaints == []


def test_groups_stand_side_by_side(browser: Any, tmp_path: Path) -> None:
    groups = {"blocking": rw.read_events(BLOCKING), "control": rw.read_events(CONTROL)}
    with browsers.shown(browser, write("groups", tmp_path)) as it:
        boxes = [each.bounding_box() for each in it.page.locator(".chart").all()]
        assert len(boxes) == 2
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["y"] == boxes[1]["y"]
        found = it.saved(tmp_path / "curves.csv")
        for name, some in groups.items():
            traj = rw.trajectories(some, beta=(0.2, 0.1))
            for cue in some.cues:
                assert found[name, cue][:, 1].tobytes() == traj[cue, "shock"].tobytes()
        assert ("blocking", "noise") not in found
        it.page.select_option("#outcome", label="fear")
        it.settle()
        found = it.saved(tmp_path / "curves.csv")
        traj = rw.trajectories(groups["control"], beta=(0.2, 0.1))
        assert found["control", "tone"][:, 1].tobytes() == traj["tone", "fear"].tobytes()
        # In the other group nobody fears.
        assert not found["blocking", "light"][:, 1].any()
        it.page.click("#group-choice >> text=control")
        it.settle()
        assert it.page.locator(".chart").count() == 1
        assert {group for group, _ in it.saved(tmp_path / "curves.csv")} == {"blocking"}


def test_probes_are_points(browser: Any, tmp_path: Path) -> None:
    with browsers.shown(browser, write("events", tmp_path)) as it:
        [told] = it.page.locator(".probe title").all_text_contents()
        expected = rw.trajectories(BLOCKING, alpha=0.3, at=[80])["tone", "shock"][0]
        assert told == f"probe of tone after token 80: {expected:.4f}"
        it.page.click("#numbers-name")
        [[token, line, value]] = it.rows("#numbers table >> nth=1")
        assert (token, line, float(value)) == ("80", "tone", expected)
        it.page.uncheck("#lines tr:has-text('tone') >> nth=0 >> input")
        it.settle()
        assert it.page.locator(".probe").count() == 0


@pytest.mark.skipif(not hasattr(rw, "design"), reason="there are no designs")
def test_phases_are_told(browser: Any, tmp_path: Path) -> None:
    design: Any = getattr(rw, "design")  # noqa: B009
    table = design("first: A+ 40 | AB+ 40 | test: B? / AB?")
    rw.report(table, tmp_path / "design.html", alpha=0.3)
    with browsers.shown(browser, tmp_path / "design.html") as it:
        assert it.page.locator("svg .phase").count() == 1
        it.page.click("#numbers-name")
        rows = it.rows("#numbers table >> nth=0")
        names = list(table.phases)
        assert [row[:2] for row in rows] == [["40", names[0]], ["80", names[1]]]
        traj = rw.trajectories(table, at=[40, 80], alpha=0.3)
        lines = it.page.locator("#numbers table >> nth=0 >> th").all_text_contents()[2:]
        for place, cue in enumerate(lines):
            if cue in table.cues:
                found = [float(row[2 + place]) for row in rows]
                assert found == traj[cue, table.outcomes[0]].tolist()
        assert it.page.locator(".probe").count() == 2
        assert it.complaints == []


def test_long_events_are_drawn_through_some_tokens(browser: Any, tmp_path: Path) -> None:
    table = rw.read_events([("a_b", "x", 3), ("a", "y", 2)] * 1000)
    rw.report(table, tmp_path / "long.html")
    with browsers.shown(browser, tmp_path / "long.html") as it:
        found = it.saved(tmp_path / "curves.csv")[("a",)]
        assert 700 < len(found) <= 800
        assert (found[0, 0], found[-1, 0]) == (0, 5000)
        traj = rw.trajectories(table, at=found[:, 0].astype(int))
        assert found[:, 1].tobytes() == traj["a", "x"].tobytes()
        assert "some of the tokens" in it.text(".facts")


def test_more_than_a_page_can_learn_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match=r"60,000,000 tokens are too many to learn in a page.*rescorla.trajectories"
    ):
        rw.report(rw.read_events([("a_b", "x", 60_000_000)]), tmp_path / "long.html")
    with pytest.raises(ValueError, match="nothing to learn: the events have 1 cues and 0 outcomes"):
        rw.report(rw.read_events([("a", "")]), tmp_path / "none.html")
    monkeypatch.setattr(page, "LARGEST", 1000)
    with pytest.raises(ValueError, match="more than 1,000; report fewer events"):
        rw.report(rw.read_events(BLOCKING), tmp_path / "large.html")
    assert list(tmp_path.iterdir()) == []


# Trajectories.


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("pairs", [None, [("tone", "fear"), ("light", "shock")]])
def test_trajectories_are_drawn_as_recorded(browser: Any, dtype: str, pairs: Any, tmp_path: Path) -> None:
    traj = rw.trajectories(CONTROL, pairs, every=3, dtype=dtype)
    rw.report(traj, tmp_path / "traj.html")
    with browsers.shown(browser, tmp_path / "traj.html") as it:
        for box in it.page.locator("#lines input").all():
            box.check()
        it.settle()
        found = it.saved(tmp_path / "curves.csv")
        names = pairs or [(cue, outcome) for cue in traj.cues for outcome in traj.outcomes]
        assert set(found) == {(f"{cue} → {outcome}",) for cue, outcome in names}
        for cue, outcome in names:
            line = found[(f"{cue} → {outcome}",)]
            assert line[:, 0].tolist() == traj.tokens.tolist()
            if dtype == "float64":
                assert line[:, 1].tobytes() == np.ascontiguousarray(traj[cue, outcome]).tobytes()
            else:
                np.testing.assert_allclose(line[:, 1], traj[cue, outcome], rtol=1e-6)
        assert it.complaints == []


def test_equal_curves_take_turns(browser: Any, tmp_path: Path) -> None:
    table = rw.read_events([(["a", "b", "c"], ["x"], 40), (["d"], ["y"], 40)])
    rw.report(rw.trajectories(table, outcomes=["x"]), tmp_path / "equal.html")

    def dashes(it: Any, selector: str) -> list[tuple[str | None, str | None]]:
        lines = it.page.locator(selector).all()
        return [
            (each.get_attribute("stroke-dasharray"), each.get_attribute("stroke-dashoffset"))
            for each in lines
        ]

    def uncheck(it: Any, name: str) -> None:
        it.page.uncheck(f"#lines tr:has-text('{name}') >> input")
        it.settle()

    with browsers.shown(browser, tmp_path / "equal.html") as it:
        assert it.page.locator(".line title").all_text_contents() == ["a → x", "b → x", "c → x", "d → x"]
        plain = (None, None)
        assert dashes(it, "polyline.line") == [plain, ("10 20", "20"), ("10 20", "10"), plain]
        assert dashes(it, "#lines path") == [plain, ("10 20", None), ("10 20", None), plain]
        uncheck(it, "b")
        assert dashes(it, "polyline.line") == [plain, ("10 10", "10"), plain]
        uncheck(it, "a")
        assert dashes(it, "polyline.line") == [plain, plain]
        assert dashes(it, "#lines path") == [plain, plain]


def test_many_curves_are_chosen_by_name(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rw.read_events([([f"c{at}"], ["x"], at + 1) for at in range(300)])
    traj = rw.trajectories(table, every=50)
    rw.report(traj, tmp_path / "traj.html")
    with browsers.shown(browser, tmp_path / "traj.html") as it:
        assert it.page.locator("#lines tbody tr").count() == 200
        assert "The first 200 of 300 lines" in it.text("#lines-note")
        # Those that are drawn stand first: those that go furthest.
        last = np.abs(traj.values[:, :, 0]).max(axis=0)
        furthest = {f"c{at} → x" for at in np.argsort(-last)[:7]}
        assert {row[0] for row in it.rows("#lines table")[:7]} == furthest
        it.page.fill("#filter", "C29")
        assert [row[0] for row in it.rows("#lines table")] == [
            "c29 → x",
            *(f"c29{at} → x" for at in range(10)),
        ]
        it.page.fill("#filter", "nobody")
        assert it.text("#lines-note") == "No line has that name."
    monkeypatch.setattr(trajectories_page, "_NUMBERS", 1000)
    monkeypatch.setattr(trajectories_page, "_TOKENS", 20)
    rw.report(traj, tmp_path / "some.html")
    found = browsers.data(tmp_path / "some.html")
    assert found["tokens"][[0, -1]].tolist() == traj.tokens[[0, -1]].tolist()
    kept = found["curves"].reshape(len(found["names"]), -1)
    assert kept.size <= 1000
    sizes = np.abs(traj.values[np.searchsorted(traj.tokens, found["tokens"]), :, 0]).max(axis=0)
    furthest = {f"c{at}" for at in np.argsort(-sizes, kind="stable")[: len(kept)]}
    assert {cue for cue, _ in found["names"]} == furthest
    for (cue, outcome), line in zip(found["names"], kept, strict=True):
        places = np.searchsorted(traj.tokens, found["tokens"])
        assert line.tolist() == traj[cue, outcome][places].tolist()
    text = (tmp_path / "some.html").read_text(encoding="utf-8")
    assert f"Of 300 curves the {len(found['names'])} that go furthest" in text
    assert "recorded tokens 20, evenly" in text


def test_nothing_recorded_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to draw: 0 recorded tokens of 2 weights"):
        rw.report(rw.trajectories([("a_b", "x")], at=[]), tmp_path / "t.html")


def test_an_influence_has_its_curve_and_its_greatest_events(tmp_path: Path) -> None:
    found, path = rw.influence(CONTROL, "tone", "shock"), tmp_path / "i.html"
    rw.report(found, path, n=2)
    text = path.read_text(encoding="utf-8")
    assert text.count('<td class="name">light tone</td>') == 1
    assert text.count('<td class="number">') == 6
    assert "sum of contributions" in text
    with pytest.raises(ValueError, match=r"all rows of the events, not 1; leave out n$"):
        rw.report(rw.influence(CONTROL, "tone", "shock", n=1), path)
    with pytest.raises(ValueError, match="nearness is about reports of weights"):
        rw.report(found, path, nearness=None)


# By the keyboard alone.


def test_weights_by_the_keyboard(browser: Any, tmp_path: Path) -> None:
    with browsers.shown(browser, write("weights", tmp_path)) as it:
        it.press("Tab")
        assert it.focused() == "skip"
        outline = it.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        it.press("Tab")
        assert it.focused() == "search"
        it.page.keyboard.type("cue 1")
        it.press("ArrowDown", "ArrowDown")
        assert it.page.get_attribute("#search", "aria-activedescendant") == "found-1"
        assert it.page.get_attribute("#found-1", "aria-selected") == "true"
        assert it.page.get_attribute("#search", "aria-expanded") == "true"
        it.press("ArrowUp", "ArrowUp")
        assert it.page.get_attribute("#search", "aria-activedescendant") == "found-2"
        it.press("Escape")
        assert it.page.get_attribute("#search", "aria-expanded") == "false"
        assert not it.page.is_visible("#found")
        it.press("ArrowDown", "Enter")
        it.says("#chosen-name", "Cue cue 1")
        it.until("document.querySelector('#status').textContent.startsWith('cue cue 1. Strongest')")
        it.press("Tab")
        assert it.focused() == "All weights"
        it.press("Tab", "Enter")
        it.until("document.querySelector('#chosen-name').textContent.startsWith('Outcome outcome')")
        assert it.complaints == []


def test_curves_by_the_keyboard(browser: Any, tmp_path: Path) -> None:
    traj = rw.trajectories(BLOCKING, alpha=0.3)
    with browsers.shown(browser, write("events", tmp_path)) as it:
        it.press("Tab", "Tab")
        assert it.focused() == "alpha"
        while it.focused() != "chart":
            it.press("Tab")
        chart = it.page.locator(".chart")
        for key, token in (
            ("Home", 0),
            ("ArrowRight", 1),
            ("PageUp", 10),
            ("ArrowLeft", 9),
            ("End", 85),
            ("ArrowDown", 84),
        ):
            it.press(key)
            value = traj["light", "shock"][token]
            told = f"token {token}: light {value:.4f}" if value else f"token {token}: light 0"
            assert str(chart.get_attribute("aria-valuetext")).startswith(told)
            assert chart.get_attribute("aria-valuenow") == str(token)
            assert f"token {token}" in it.text("#lines caption")
            [shown] = it.rows("#lines table")[0][1:]
            assert float(shown) == value
        assert it.page.locator("svg .cursor").count() == 1
        it.press("Tab", "Space")
        assert it.page.locator("svg .cursor").count() == 0
        # The first tick, of light, is taken away.
        assert it.page.locator("polyline").count() == 1
        assert it.complaints == []


# What is written, and what is not.


def test_no_page_replaces_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.html"
    table = rw.read_events(BLOCKING, path)
    before = path.read_bytes()
    for each in (table, {"a": rw.read_events(CONTROL), "b": table}):
        with pytest.raises(ValueError, match=r"is also read.*: name another output$"):
            rw.report(each, path)
    assert path.read_bytes() == before
    some = rw.Weights(np.zeros((2, 2)), ["a", "b"], ["x", "y"])
    some.save(tmp_path / "w.npy")
    (tmp_path / "w.html").symlink_to("w.npy")
    with pytest.raises(ValueError, match="is also read"):
        rw.report(rw.load_weights(tmp_path / "w.npy"), tmp_path / "w.html")


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")

    class Full:
        def __init__(self, *where: Any) -> None:
            self.stream = open(*where)  # noqa: SIM115

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            self.stream.close()

        def write(self, content: bytes) -> None:
            self.stream.write(content[:10])
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("rescorla._weights.disk.open", Full, raising=False)
    with pytest.raises(OSError, match=r"No space left on device.*page\.html"):
        rw.report(rw.read_events(BLOCKING), path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
    monkeypatch.undo()
    rw.report(rw.read_events(BLOCKING), path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_names_that_are_no_text_are_written(browser: Any, tmp_path: Path) -> None:
    some = rw.Weights([[1.0, 2.0]], ["a\udce9"], ["x", "\ud800"])
    rw.report(some, tmp_path / "half.html", title="half \ud800")
    with browsers.shown(browser, tmp_path / "half.html", "#cue-0") as it:
        assert it.complaints == []
        assert browsers.data(tmp_path / "half.html")["outcomes"] == ["x", "\ud800"]


def test_mistakes_are_told(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    some, table = some_weights(), rw.read_events(BLOCKING)
    traj = rw.trajectories(table)
    mistakes: list[tuple[type[Exception], Any, dict[str, Any], str]] = [
        (TypeError, "w.npz", {}, r"result must be Weights.*not 'w.npz'.*load_weights"),
        (TypeError, {}, {}, "result must be Weights"),
        (TypeError, {"a": some}, {}, "result must have Events by name.*not a Weights by 'a'"),
        (TypeError, some, {"title": 3}, "title must be a str, not 3"),
        (TypeError, some, {"path": 3}, "path must be a path, not 3"),
        (ValueError, some, {"path": "page.pdf"}, r"page.pdf: a report is a page in HTML.*\.html"),
        (ValueError, some, {"n": 0}, "n must be a whole number of 1 or more"),
        (ValueError, some, {"nearness": "cosin"}, "did you mean 'cosine'"),
        (ValueError, some, {"alpha": 0.1}, "alpha is about reports of events"),
        (ValueError, traj, {"beta": 0.1}, "beta is about reports of events"),
        (ValueError, traj, {"n": 3}, "n is about reports of weights"),
        (ValueError, table, {"nearness": None}, "nearness is about reports of weights"),
        (ValueError, table, {"alpha": -1}, "alpha must be 0 or more"),
        (KeyError, table, {"alpha": {"light": 1.0}}, "alpha has no entry for the cue 'tone'"),
        (KeyError, table, {"lambda_": {"shock": 1.0, "joy": 1.0}}, "lambda_ has entries for 'joy'"),
    ]
    for kind, result, how, told in mistakes:
        with pytest.raises(kind, match=told):
            rw.report(result, **{"path": path} | how)
    assert list(tmp_path.iterdir()) == []


def test_the_page_cites_as_the_documentation_does(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "citing.md").read_text(encoding="utf-8")
    [entry] = re.findall(r"```bibtex\n(.*?)\n```", text, re.DOTALL)
    [url] = re.findall(r"url     = \{(.*)\}", entry)
    assert cited.entry(url) == entry
    assert all(cited.references(function.__doc__) for function in cited._FUNCTIONS.values())
    for kind in ("weights", "events", "trajectories"):
        assert "Rescorla, R. A. and Wagner, A. R. (1972)" in write(kind, tmp_path).read_text(encoding="utf-8")
    rw.report(rw.equilibrium(BLOCKING), tmp_path / "e.html")
    found = (tmp_path / "e.html").read_text(encoding="utf-8")
    assert "Danks, D. (2003)" in found
    assert "Wagner, A. R." not in found
    rw.report(rw.Weights([[1.0]], ["a"], ["x"]), tmp_path / "unknown.html")
    assert "papers behind it" not in (tmp_path / "unknown.html").read_text(encoding="utf-8")


def test_what_comes_with_the_package_is_small() -> None:
    room = Path(page.__file__).parent
    assets = [each for each in room.iterdir() if each.suffix in (".html", ".css", ".js")]
    assert len(assets) >= 8
    assert sum(each.stat().st_size for each in assets) < 60 << 10


def test_the_command_writes_the_same_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = "cues\toutcomes\tfrequency\nlight\tshock\t40\nlight_tone\tshock\t40\n"
    for name in ("blocking.tab", "control.tab"):
        Path(name).write_text(table)
    some = some_weights()
    some.save("w.npz")
    traj = rw.trajectories("blocking.tab", every=9)
    traj.save("t.npz")

    def same(told: str, kind: str, result: Any, **how: Any) -> None:
        found = json_of("report", *told.split(), "-o", "a.html")
        rw.report(result, "b.html", **how)
        assert found["kind"] == kind
        assert found["bytes"] == Path("a.html").stat().st_size
        np.testing.assert_equal(browsers.data(Path("a.html")), browsers.data(Path("b.html")))

    same("w.npz -n 2 --nearness correlation", "weights", some, n=2, nearness="correlation")
    same("w.npz --nearness none", "weights", some, nearness=None)
    same("t.npz", "trajectories", traj)
    events = rw.read_events("blocking.tab")
    rule = {"alpha": 0.2, "beta": (0.3, 0.1), "lambda_": 2.0}
    same("blocking.tab --alpha .2 --beta .3 .1 --lambda 2", "events", events, **rule)
    same("blocking.tab control.tab", "events", {"blocking": events, "control": rw.read_events("control.tab")})
    assert "is also read" in said("report", "w.npz", "-o", "w.npz").error
    assert said("report", "w.npz", "blocking.tab", "-o", "a.html").status == 2
    assert "--alpha is about reports of events" in said("report", "w.npz", "-o", "a.html", "--alpha", 1).error
    assert "twice" in said("report", "blocking.tab", "blocking.tab", "-o", "a.html").error


def test_the_king_james_bible_fits(shared: Path, browser: Any, tmp_path: Path) -> None:
    table = rw.corpus_events(shared / "data" / "kjv.txt.xz", symbols="a-z")
    some = rw.learn(table)
    path = tmp_path / "kjv.html"
    rw.report(some, path, nearness=None)
    assert 2_000_000 < path.stat().st_size <= 10_000_000
    with browsers.shown(browser, path) as it:
        it.page.fill("#search", "lamb")
        it.press("Enter")
        it.says("#chosen-name", "Outcome lamb")
        rows = it.rows("#lists section:nth-child(1) table")
        for (name, weight), row in zip(some.top(outcome="lamb", n=len(rows)), rows, strict=True):
            assert row[0] == name
            assert abs(float(row[2]) - weight) < 1e-6 * abs(weight)
        assert len(rows) >= 15
        assert it.complaints == []
