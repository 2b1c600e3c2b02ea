"""A psychologist's tasks, done with what the docs say and nothing else.

Six experiments for a class, each from its design to a figure and to the numbers that are talked about; then a
page with sliders, on which the class sees what the rates do.
"""

from pathlib import Path
from typing import Any

import browsers
import pytest
import rescorla as rw
from matplotlib import pyplot as plt
from matplotlib.image import imread
from test_report import browser as browser

PAGES = Path(__file__).parents[2] / "docs"

# The groups of each experiment, and what textbooks say the rule predicts at their probes.
EXPERIMENTS = {
    "overshadowing": (
        {"alone": "A+ 200 | A?", "compound": "AB+ 200 | A?"},
        {"alone": [1.0], "compound": [0.5]},
    ),
    "blocking": (
        {"blocking": "A+ 200 | AB+ 200 | B?", "control": "C+ 200 | AB+ 200 | B?"},
        {"blocking": [0.0], "control": [0.5]},
    ),
    "overexpectation": (
        {"together": "A+ 200 / B+ 200 | AB+ 200 | A? / B?", "apart": "A+ 200 / B+ 200 | A? / B?"},
        {"together": [0.5, 0.5], "apart": [1.0, 1.0]},
    ),
    "inhibition": (
        {"inhibitor": "A+ 800 / AB- 800 / C+ 800 | BC?", "new cue": "A+ 800 / C+ 800 | BC?"},
        {"inhibitor": [0.0], "new cue": [1.0]},
    ),
    "backward blocking": ({"backward": "AB+ 200 | A+ 200 | B?"}, {"backward": [0.5]}),
    "exposure to the outcome": (
        {"exposed": "+ 200 | A+ 10 | A?", "control": "- 200 | A+ 10 | A?"},
        {"exposed": [1.0], "control": [0.86]},
    ),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_from_its_design_to_a_figure(name: str, tmp_path: Path) -> None:
    designs, expected = EXPERIMENTS[name]
    groups = rw.design(designs, context=name == "exposure to the outcome")
    learned = {group: rw.trajectories(events, alpha=0.3, beta=0.3) for group, events in groups.items()}
    ends = {group: rw.equilibrium(events, by="phase") for group, events in groups.items()}
    axes = rw.plot.trajectories(learned, equilibrium=ends)
    axes[0].figure.savefig(tmp_path / f"{name}.png")
    plt.close("all")
    picture = imread(tmp_path / f"{name}.png")
    assert picture.shape[1] == 100 * (3 * len(groups) + 1)
    assert picture[..., :3].std() > 0.05
    for group, each in learned.items():
        assert each.probes is not None
        assert each.probes["activation"].tolist() == pytest.approx(expected[group], abs=0.01)
        # Each phase with events ends near its equilibrium, but for ten trials.
        for phase, weights in ends[group].items():
            stop = each.phases[phase].tokens.stop
            if len(each.phases[phase].tokens) >= 200:
                for cue in each.cues:
                    assert each[cue, "US"][stop] == pytest.approx(weights[cue, "US"], abs=0.02), (phase, cue)


def test_a_class_page_with_sliders(browser: Any, tmp_path: Path) -> None:
    groups = rw.design({"blocking": "A+ 40 | AB+ 40 | B?", "control": "C+ 40 | AB+ 40 | B?"})
    rw.report(groups, tmp_path / "class.html", title="Blocking", alpha=0.3, beta=0.3)
    with browsers.shown(browser, tmp_path / "class.html") as page:
        for alpha, beta in ((0.3, 0.3), (0.05, 0.9)):
            page.page.locator("#alpha ~ input").fill(str(alpha))
            for rate in ("#beta1", "#beta2"):
                page.page.locator(f"{rate} ~ input").fill(str(beta))
            page.settle()
            found = page.saved(tmp_path / "curves.csv")
            for name, events in groups.items():
                learned = rw.trajectories(events, alpha=alpha, beta=beta)
                assert found[name, "B"][:, 1].tolist() == learned["B", "US"].tolist()
        assert page.complaints == []


def test_the_pages_say_how() -> None:
    needed = {
        "classic.md": ["rw.design(", "context=True", "rw.trajectories(", ".probes", "rw.plot.trajectories("],
        "howto/designs.md": ["rw.design(", "A+ 40 | AB+ 40", "context=True", "events.phases"],
        "howto/equilibrium.md": ['by="phase"'],
        "howto/plots.md": ["equilibrium=", "savefig"],
        "howto/report.md": ["rw.report(", "title=", "alpha=", "CSV"],
    }
    for name, words in needed.items():
        page = (PAGES / name).read_text(encoding="utf-8")
        assert [word for word in words if word not in page] == [], name
