"""A page as a browser would see it: elements, their text, and what stands around them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

_VOID = {"meta", "link", "input", "img", "br", "hr"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def around(self) -> Iterator[Element]:
        """Itself, and all that it stands in."""
        element: Element | None = self
        while element is not None:
            yield element
            element = element.parent

    def nearest(self, attribute: str) -> str | None:
        return next((one[attribute] for one in self.around() if attribute in one.attributes), None)

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            one
            for one in self.walk()
            if (not tag or one.tag == tag) and wanted.items() <= one.attributes.items()
        ]

    def having(self, attribute: str) -> list[Element]:
        return [one for one in self.walk() if attribute in one.attributes]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(element)
        if tag not in _VOID:
            self.at = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        assert self.at.tag == tag, f"</{tag}> ends <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def parsed(text: str) -> Element:
    """The tree of a page; an element that is not closed, or closed twice, is a fault."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    assert builder.at is builder.root
    return builder.root


def words(page: Element) -> str:
    """What can be read, without scripts and styles."""
    if page.tag in ("script", "style"):
        return ""
    return "".join(child if isinstance(child, str) else words(child) for child in page.children)


def pictures(page: Element) -> dict[str, dict[str, Any]]:
    """What draws each picture of a page, and its data as CSV, by number."""
    found = page.all("script", id="pictures")
    text = gzip.decompress(base64.b64decode(found[0].text)) if found else b"{}"
    told: dict[str, dict[str, Any]] = json.loads(text)
    return told
