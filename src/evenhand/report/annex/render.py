"""An annex as Markdown, from a template for each kind that has the shared parts from one."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined

from evenhand.documents import Document
from evenhand.report.annex import told
from evenhand.report.annex.plan_text import plan_text
from evenhand.report.annex.ratios import figure, ratios
from evenhand.report.pages.markdown import plain
from evenhand.report.reading.read import read
from evenhand.report.words import sentences, summary, verdicts
from evenhand.report.words.agreed import least
from evenhand.report.words.legible import legible
from evenhand.report.words.numbers import percent_of
from evenhand.report.words.people import short_who

Kind = Literal["dsa", "ll144", "ai-act"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Numbers that were judged; whoever wants the others has findings.json, which the annex names.
_MOST = 200
_NO_CODE = re.compile(r"[`|<>]|://|www[.]", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<!\S)(https?://[\w./~%?=&:#-]+[\w/])(?=[.,;]?(?:\s|$))")


class _Fence(str):
    """Text that stands as it is, between fences, or the marks of code, that it cannot close."""


def render(
    document: Document,
    kind: Kind,
    digest: str,
    alone: str = "",
    *,
    saved: Document | None = None,
    min_cell: int | None = None,
) -> str:
    """The annex of this kind; `digest` is that of the findings.json which it is made from, `alone` that of
    the same without what changed since an earlier result, where it holds that. `saved` is that file as it is,
    where what tells of fewer than `min_cell` people was taken from `document` after it was saved."""
    shown, reading = legible(document), read(document)
    open_points = list(told.not_concluded(shown.findings))
    judged = told.judged(shown.findings)
    text = (
        _environment()
        .get_template(f"{kind}.md.j2")
        .render(
            reading=reading,
            document=document,
            asked=told.asked(document),
            criteria=told.criteria(shown),
            validities=told.validities(shown.findings),
            open_points=open_points[:_MOST],
            more_open=max(0, len(open_points) - _MOST),
            judged=judged[:_MOST],
            more_judged=max(0, len(judged) - _MOST),
            ratios=ratios(shown.findings),
            figure=figure,
            data=list(told.data(document.inputs)),
            left_out=told.left_out(shown.findings),
            plan="" if document.plan is None else _fenced(plan_text(document), "toml"),
            tested=told.has_tested_changes(shown.findings),
            cautions=told.cautions(reading),
            together=told.together(shown),
            apart=told.apart(shown),
            rests_on=told.rests_on,
            hidden=""
            if min_cell is None
            else summary.hidden_below(shown.findings, least(document, min_cell)),
            command=_code(again) if (again := told.command(saved or document)) else "",
            command_of_plan=_code(
                told.command(saved or document, plan_of_annex=True) or "evenhand audit audit.toml --out again"
            ),
            code=_code,
            digest=digest,
            alone=alone,
            verdicts=verdicts,
            words=sentences,
            short_who=short_who,
            percent_of=percent_of,
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _fenced(text: str, language: str) -> _Fence:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return _Fence(f"{fence}{language}\n{text}{fence}")


def _code(text: str) -> _Fence:
    """Text on one line as code, which can be copied as it stands; plain where some reader of Markdown might
    see more in it than code."""
    flowing = " ".join(text.split())
    return _Fence(_plain_between(flowing) if _NO_CODE.search(flowing) else f"`{flowing}`")


def _finalized(value: Any) -> str:
    """Whatever a template writes, with nothing in it that Markdown obeys. An address that is a word by itself
    stands as it is, as code, which is no link."""
    if isinstance(value, _Fence):
        return value
    words = _ADDRESS.split(str(value))
    told = (f"`{word}`" if place % 2 else _plain_between(word) for place, word in enumerate(words))
    return "".join(told)


def _plain_between(text: str) -> str:
    """`plain`, with the spaces at the ends that set a word off."""
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return " " * bool(before) + plain(text, cut=False) + " " * bool(after and text.strip())


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("evenhand.report.annex"),
        undefined=StrictUndefined,
        finalize=_finalized,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
