"""The pictures of docs/howto/report.md: python docs/pictures/report.py.

It needs playwright and a browser.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import rescorla as rw
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent
DESIGNS = {
    "blocking": "light: (light)+ 40 | both: (light)(tone)+ 40 | (tone)?",
    "control": "noise: (noise)+ 40 | both: (light)(tone)+ 40 | (tone)?",
}


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no browser: install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        weights, learning = Path(folder, "mark.html"), Path(folder, "blocking.html")
        mark = rw.learn(rw.corpus_events(rw.datasets.king_james(), symbols="a-z"))
        rw.report(mark, weights, title="The Gospel of Mark: trigrams to words")
        rw.report(rw.design(DESIGNS), learning, title="Blocking", alpha=0.3)
        opened = playwright.chromium.launch(executable_path=browser)
        place = f"#outcome-{mark.outcomes.index('thy')}"
        for name, address, height in (
            ("report-weights", weights.as_uri() + place, 940),
            ("report-learning", learning.as_uri(), 860),
        ):
            page = opened.new_page(viewport={"width": 1000, "height": height})
            page.goto(address)
            page.locator("html[data-ready=true]").wait_for()
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=FOLDER / f"{name}.png")
        opened.close()


if __name__ == "__main__":
    main()
