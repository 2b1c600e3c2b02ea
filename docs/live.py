"""The page of blocking that docs/classic.md shows, with sliders: a hook of mkdocs."""

from pathlib import Path

import rescorla as rw
from mkdocs.config.defaults import MkDocsConfig

THEN = "both: (light)(tone)+ 40 | test: (tone)?"
GROUPS = {
    "blocking": f"light: (light)+ 40 | {THEN}",
    "control": f"noise: (noise)+ 40 | {THEN}",
}


def on_post_build(config: MkDocsConfig) -> None:
    """What mkdocs calls once it has built the site."""
    page = Path(config.site_dir) / "classic" / "blocking.html"
    groups = rw.design(GROUPS)
    rw.report(groups, page, title="Blocking", alpha=0.3, beta=0.3)
