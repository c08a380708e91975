"""The rows of all logs that are looked at, and what every finding then says about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from evenhand import inputs
from evenhand.findings import Exclusion, Finding
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.grouping import groups_of

SCOPE = "Only rows with {where} are looked at: the numbers are about these, and say nothing of others."
OF_RANDOM = (
    " Random traffic with {where} stands for all that could have been shown there, and for nothing else."
)


def rows_asked_for(question: Question, *tables: inputs.Table) -> tuple[Question, list[inputs.Table]]:
    """The logs of an audit with the rows that `where` asks for alone, and the question with names of bands
    that are right in all of them.

    As they are where neither is asked for: nothing is read then.
    """
    if not (question.where or question.bands):
        return question, list(tables)
    logs = [question.with_attributes(table) for table in tables]
    for log in logs:
        log.require(*question.groups)
        inputs.refuse_no_numbers(log, question.bands)
    chosen = inputs.only(logs, question.where, question.cluster)
    return replace(question, bands=inputs.with_whole(question.bands, chosen)), chosen


def told(
    findings: Iterable[Finding], question: Question, logs: Sequence[inputs.Table], random: bool = True
) -> tuple[Finding, ...]:
    """The findings, each with whose groups they are, and with the rows that it is about, where some were
    chosen; `random` where one of the logs is of random traffic."""
    findings = with_whose_groups(findings, question.on, question.clusters)
    if not question.where:
        return findings
    where = inputs.in_words(inputs.typed(logs[0], question.where))
    left = [(log.left_out.rows, log.left_out.people) for log in logs if log.left_out is not None]
    return told_of(findings, where, left, random)


def with_whose_groups(
    findings: Iterable[Finding], on: str | Sequence[str] | None, cluster: str | Sequence[str] | None
) -> tuple[Finding, ...]:
    """The findings; those about creators say whose groups they are, where these may not be creators."""
    whose = groups_of(on, cluster)
    return tuple(
        finding.amended(details={**finding.details, "groups_of": whose})
        if whose is not None and "creators" in (*finding.about, *_compared(finding))
        else finding
        for finding in findings
    )


def _compared(finding: Finding) -> Iterable[str]:
    by = finding.about.get("by")
    return by if isinstance(by, dict) else ()


def told_of(
    findings: Iterable[Finding], where: str, left_out: Iterable[tuple[int, int]], random: bool = True
) -> tuple[Finding, ...]:
    """The same from what was chosen, in words, and the rows and people that each log had besides."""
    left = [(rows, people) for rows, people in left_out if rows]
    excluded = tuple(
        Exclusion(
            what=f"rows other than those with {where}",
            count=sum(rows for rows, _ in left),
            why="left out by choice",
            people=min(people for _, people in left),
        )
        for _ in left[:1]
    )
    scope = (SCOPE + OF_RANDOM if random else SCOPE).format(where=where)
    return tuple(
        finding.amended(
            about=finding.about | {"where": where},
            excluded=(*finding.excluded, *excluded),
            assumptions=(scope, *finding.assumptions),
        )
        for finding in findings
    )
