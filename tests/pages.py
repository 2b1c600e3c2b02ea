"""What results show in notebooks, read as HTML."""

from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

TAGS = {
    *("div", "table", "tr", "th", "td", "details", "summary"),
    *("svg", "line", "text", "title", "polyline", "path"),
}


class Page(HTMLParser):
    """The tags, the text and the titles of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.titles: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.titles += [str(value) for name, value in attrs if name == "title"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def check_page(thing: Any) -> Page:
    """That it shows itself whole, by itself, and without anything that runs."""
    shown = thing._repr_html_()
    ElementTree.fromstring(shown)  # Every tag is closed.
    page = Page(shown)
    assert page.tags <= TAGS
    assert not any(name.startswith("on") or name in ("href", "src") for name in page.attributes)
    assert "http" not in shown.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "url(" not in shown
    return page
