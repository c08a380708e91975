"""`evenhand plan-traffic`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.asked.declared.traffic import TrafficQuestion
from evenhand.cli import common, made
from evenhand.parameters import writable_folder

if TYPE_CHECKING:
    from evenhand.results import AuditResult


def _answer(asked: TrafficQuestion, settings: common.ReportOptions) -> None:
    from evenhand import opportunity

    if settings.out is not None:
        writable_folder("--out", settings.out)
    with common.progress_on_terminal(settings.quiet) as progress:
        planned = opportunity.plan_traffic(rng=settings.seed or 0, progress=progress, **dict(asked))
        result = replace(planned, scope={"title": "How much random traffic?"})
        common.save(result, settings, progress)
    with common.reader_may_leave():
        common.tell(result, _sentences(result), settings)


def _sentences(result: AuditResult) -> Iterator[str]:
    from evenhand.report.words.sentences import sentence

    yield from map(sentence, result.findings)
    # Why there is no answer stands in its sentence.
    known = [finding for finding in result.findings if finding.estimate is not None]
    for warning in dict.fromkeys(text for finding in known for text in finding.warnings):
        yield f"Note: {warning}"


app = made.alone("plan-traffic", _answer)
