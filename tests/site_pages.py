"""The Markdown of the project as a reader of a file finds it: links, and anchors that can be linked to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from from_code import filled

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
LINK = re.compile(
    r"(?<!\\)\]\((?P<target>[^()\s]+(?:\([^()\s]*\))?)(?: \"[^\"]*\")?\)|^\[[^\]]+\]: (?P<also>\S+)$",
    re.MULTILINE,
)


def pages() -> list[Path]:
    """Every page, and what stands beside the docs."""
    beside = [REPOSITORY / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]
    return [*beside, *sorted(DOCS.rglob("*.md")), *sorted((REPOSITORY / "integrations").rglob("*.md"))]


@cache
def prose(page: Path) -> str:
    """The page without its blocks of code and its pieces of code; of what is made from the code, all."""
    text = filled(page.read_text(encoding="utf-8"))
    kept, open_ones = (
        [],
        [],
    )  # fences that are open, each with whether it is a directive, whose content is prose
    for line in text.split("\n"):
        mark = re.match(r"\s*(`{3,}|:{3,})(.*)", line)
        if open_ones and line.strip() == open_ones[-1][0]:
            open_ones.pop()
        elif mark and all(directive for _, directive in open_ones):
            open_ones.append((mark[1], mark[2].startswith("{")))
        elif all(directive for _, directive in open_ones):
            kept.append(line)
    return "\n".join(kept)


def links(page: Path) -> Iterator[str]:
    """What the page links to, with pieces of code left out."""
    for found in LINK.finditer(re.sub(r"(`+)(?:(?!\1).)+\1(?!\])", "", prose(page))):
        yield found["target"] or found["also"]


@cache
def anchors(page: Path) -> frozenset[str]:
    """Headings as sites of code and MyST make anchors of them, and those that are written."""
    text = prose(page)
    found: list[str] = re.findall(r"^\((\S+)\)=$", text, re.MULTILINE)
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        slug = _slug(heading)
        times = sum(1 for one in found if one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one))
        found.append(f"{slug}-{times}" if times else slug)
    return frozenset(found)


def _slug(heading: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|\\(?=\W)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
