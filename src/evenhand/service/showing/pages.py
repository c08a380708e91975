"""Pages of the service in the dress of the report: what stands on them, and the files that they need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from evenhand.report.pictures import palette
from evenhand.report.words import numbers
from evenhand.report.words.days import dated
from evenhand.report.words.legible import line
from evenhand.report.words.verdicts import SHAPES
from evenhand.service.showing import audit_words as words
from evenhand.service.showing import claims, cost_words, durations
from evenhand.service.showing.arms import TOP, arms, reach
from evenhand.service.showing.live import Drawn

_OF_THE_REPORT = "evenhand.report.pages"
_SHAPES = {key.value if key is not None else "none": shape for key, shape in SHAPES.items()}


class Static(NamedTuple):
    kind: str
    content: bytes
    digest: str


@cache
def static() -> Mapping[str, Static]:
    """The files that pages ask for: the script and the style of the report, and our own beside them."""
    here, report = files("evenhand.service.showing") / "static", files(_OF_THE_REPORT) / "templates"
    style = (palette.css(), *(part.read_text() for part in (report / "page.css", report / "print.css")))
    content = {
        "page.css": ("text/css", "\n".join((*style, own_style()))),
        "page.js": ("text/javascript", (report / "page.js").read_text()),
        "live.js": ("text/javascript", (here / "live.js").read_text()),
    }
    return {name: _static(kind, text.encode()) for name, (kind, text) in content.items()}


@cache
def own_style() -> str:
    """What pages of the service have beside the style of the report."""
    return (files("evenhand.service.showing") / "static" / "service.css").read_text()


def _static(kind: str, content: bytes) -> Static:
    return Static(kind, content, hashlib.sha256(content).hexdigest()[:16])


def static_address(name: str) -> str:
    """With what it is, so that it may be kept for good."""
    return f"/static/{name}?{static()[name].digest}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("evenhand.service.showing"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.globals.update(
        static=static_address, line=line, numbers=numbers, words=words, claims=claims, costs=cost_words,
        durations=durations, moment=moment, quoted=lambda name: quote(name, safe=""),
        dated=lambda label: dated([label]), top=TOP, shapes=_SHAPES,
    )  # fmt: skip
    return made


def _page(template: str, **told: Any) -> str:
    return _environment().get_template(template).render(**told)


def login(said: str = "") -> str:
    return _page("login.html.j2", said=said)


def error(status: int, said: str) -> str:
    """One sentence, and a way back."""
    titles = {403: "Not for this token", 404: "Not here", 429: "Too often", 503: "Not now"}
    return _page("error.html.j2", title=titles.get(status, "This did not work"), said=said)


def overview(told: Mapping[str, Any]) -> str:
    return _page("overview.html.j2", **told)


def audit(drawn: Drawn) -> str:
    """The whole page; what moves on it was drawn before."""
    return _page("audit.html.j2", drawn=drawn, view=drawn.view)


def moving(version: str, view: Mapping[str, Any]) -> Drawn:
    """The part of an audit's page that changes while it runs."""
    epsilon = view["asked"]["epsilon"]
    most = reach(view["people"], epsilon)
    pictures = {one["number"]: arms(one, epsilon, most) for one in view["people"]}
    html = _page("moving.html.j2", view=view, pictures=pictures, most=most)
    return Drawn(version, html, " ".join(words.outcome(view)), view["outcome"] is not None, view)


def moment(at: float | None) -> str:
    """ "18 November 2026, 02:33 UTC"; nobody knows in which zone the reader is."""
    if at is None:
        return "–"
    then = datetime.fromtimestamp(at, UTC)
    return f"{then.day} {then:%B %Y, %H:%M} UTC"
