"""What pages are put together with: templates, and the words and numbers that stand in them."""

from __future__ import annotations

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from evenhand.report.pages import tables
from evenhand.report.pages.album import packed
from evenhand.report.pages.anchors import anchor
from evenhand.report.pictures import vega
from evenhand.report.pictures.strips import strip
from evenhand.report.vocabulary.names import audit, measure
from evenhand.report.words import numbers, people, sentences, verdicts


@cache
def library() -> str:
    """What draws the pictures of a page, as the page carries it."""
    return packed(vega.library())


@cache
def environment(*packages: str) -> Environment:
    """The templates of the report, and before them those of other packages."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, "evenhand.report.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        verdicts=verdicts,
        words=sentences,
        people=people,
        audit=audit,
        anchor=anchor,
        facts=tables.facts,
        strip=strip,
        row=tables.row,
        head_of_positives=tables.head_of_positives,
        measure=measure,
        numbers=numbers,
    )
    return environment
