"""A page in a browser without a window, for tests: what it says, asks for and complains of."""

import base64
import csv
import json
import os
import re
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_PATHS = ("google-chrome", "chromium", "chromium-browser")
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)


def executable() -> str | None:
    """A browser of Chromium's family: that of RESCORLA_BROWSER, or one that is installed."""
    if named := os.environ.get("RESCORLA_BROWSER"):
        return named
    found = next((path for path in map(shutil.which, _PATHS) if path), None)
    return found or next((path for path in _ELSEWHERE if os.path.exists(path)), None)


@contextmanager
def launched(config: pytest.Config) -> Iterator[Any]:
    """A browser. While it is open, others cannot run a loop of asyncio."""
    if sys.version_info < (3, 15):
        from playwright.sync_api import sync_playwright
    else:
        sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    path = executable()
    if path is None:
        message = "no browser of Chromium's family; install chromium, or set RESCORLA_BROWSER"
        if config.getoption("without_browser") or not needed():
            pytest.skip(message)
        pytest.fail(message)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path)
        try:
            yield opened
        finally:
            opened.close()


class Shown:
    """A page that is open, with what it asked for and what it complained of."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def text(self, selector: str) -> str:
        """What an element says."""
        return str(self.page.locator(selector).text_content())

    def says(self, selector: str, text: str) -> None:
        """Wait until an element says this: the page follows its address only after a click."""
        self.until(f"document.querySelector({json.dumps(selector)}).textContent === {json.dumps(text)}")

    def settle(self) -> None:
        """Wait until what was asked of the page is drawn."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        )

    def until(self, expression: str) -> None:
        """Wait until something holds. Playwright's own way to wait needs eval, which pages forbid."""
        end = time.monotonic() + 30
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, f"never: {expression}"
            time.sleep(0.02)

    def press(self, *keys: str) -> None:
        """Press keys, one after another, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def focused(self) -> str:
        """What has the focus: its id, or its class, or what it says."""
        return str(
            self.page.evaluate(
                "(({ id, className, textContent }) => id || className || textContent)(document.activeElement)"
            )
        )

    def rows(self, selector: str) -> list[list[str]]:
        """The cells of the body of a table: all digits of numbers, the text of others."""
        script = """(table) => [...table.tBodies[0].rows].map(
            (row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent))"""
        found: list[list[str]] = self.page.locator(selector).evaluate(script)
        return found

    def saved(self, path: Path) -> dict[tuple[str, ...], Any]:
        """The numbers that the button saves: of each line, or group and line, an array over tokens."""
        with self.page.expect_download() as waiting:
            self.page.click("#save")
        waiting.value.save_as(path)
        with open(path, encoding="utf-8", newline="") as stream:
            _, *lines = csv.reader(stream)
        found: dict[tuple[str, ...], list[tuple[int, float]]] = {}
        for *group, token, line, value in lines:
            number = float(value.replace("Infinity", "inf"))
            found.setdefault((*group, line), []).append((int(token), number))
        return {line: np.array(values) for line, values in found.items()}


@contextmanager
def shown(browser: Any, path: Path, place: str = "", **how: Any) -> Iterator[Shown]:
    """A page, when it is ready."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | how)
    try:
        opened = Shown(context.new_page())
        opened.page.goto(path.as_uri() + place)
        opened.until("document.documentElement.dataset.ready === 'true'")
        opened.settle()
        yield opened
    finally:
        context.close()


def data(path: Path) -> dict[str, Any]:
    """What a page was given, read without a browser."""
    text = path.read_text(encoding="utf-8")
    [found] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    unpacked: dict[str, Any] = json.loads(found, object_hook=_unpacked)
    return unpacked


def _unpacked(value: dict[str, Any]) -> Any:
    if "packed" not in value:
        return value
    return np.frombuffer(zlib.decompress(base64.b64decode(value["packed"])), dtype=f"<{value['type']}")


def needed() -> bool:
    """Whether a browser must be there: in CI what cannot be tried is a failure."""
    return bool(os.environ.get("CI"))
