"""Every link of every page leads somewhere, also to the heading that it names. No network is used."""

import re
from pathlib import Path

import pytest

from site_pages import DOCS, REPOSITORY, anchors, links, pages


def wrong(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    return [f"{target}: {why}" for target in links(page) if (why := _why(page, target))]


def _why(page: Path, target: str) -> str | None:
    if re.match("https://|http://|mailto:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return "there is no such file"
    if path and REPOSITORY not in file.parents:
        return "that is outside of the repository"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return "there is no such heading"
    return None


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(page):
    assert not wrong(page)


def test_links_are_seen():
    assert sum(len(list(links(page))) for page in pages()) > 500


def test_a_link_that_leads_nowhere_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n\n[here](#a-page), [there](#the-page), [a file](other.md), `[code](none.md)`\n\n"
        "```\n[code](none.md)\n```\n"
    )
    assert wrong(page) == ["#the-page: there is no such heading", "other.md: there is no such file"]


def test_headings_have_the_anchors_that_the_site_gives_them():
    assert {"what-is-measured", "weak-spots"} <= anchors(DOCS / "explain" / "creators.md")
