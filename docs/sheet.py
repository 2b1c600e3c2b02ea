"""Prints the cheat sheet of the built site as cheat-sheet.pdf, by a browser of Chromium's family."""

import os
import shutil
import subprocess
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger

LOG = get_plugin_logger(__name__)
BROWSERS = ("google-chrome", "chromium", "chromium-browser")


def on_post_build(config: MkDocsConfig) -> None:
    """Without a browser the page is all there is."""
    browser = os.environ.get("RESCORLA_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if browser is None:
        LOG.info(
            "no browser of Chromium's family: cheat-sheet.pdf is not made"
        )
        return
    site = Path(config.site_dir)
    page = site / "cheat-sheet" / "index.html"
    command = [
        browser,
        "--headless",
        "--no-pdf-header-footer",
        f"--print-to-pdf={site / 'cheat-sheet.pdf'}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append(
            "--no-sandbox"
        )  # Chromium refuses it to the superuser, as in containers.
    subprocess.run(
        [*command, page.resolve().as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
