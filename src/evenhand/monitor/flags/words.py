"""What a person reads of a flag: short, the people first, then what follows and where to look."""

from __future__ import annotations

import json
from typing import Any

from evenhand.documents import Document
from evenhand.findings import Finding
from evenhand.monitor.flags.changes import Kind, Told
from evenhand.monitor.flags.debounce import Episode
from evenhand.plan.watched.monitoring import FlagRule
from evenhand.report.words.legible import legible, line, lines
from evenhand.report.words.people import short_who
from evenhand.report.words.sentences import how_much, sentence

SCHEMA = "evenhand.flag/1"
# A message is cut rather than refused by whoever receives it.
MOST_BYTES = 32_768
_LONGEST = 1_000


def said_of(document: Document, episode: Episode) -> str:
    """The finding of a look in one sentence, with the plan's labels; empty where it is not in this look. With
    the limit that the flag has, which need not be that of the audit."""
    found = next((one for one in document.findings if one.id == episode.finding), None)
    if found is None:
        return ""
    rule = episode.rule
    limit = "" if rule.verdicts else f" The flag’s own limit: {_limit(rule)}."
    if limit:
        found = found.amended(tolerance=None, more_data=None)
    shown = legible(document.amended(findings=(found,), questions=()))
    return line(sentence(shown.findings[0]) + limit, _LONGEST)


def _limit(rule: FlagRule) -> str:
    return f"below {rule.below:g}" if rule.below is not None else f"above {rule.above:g}"


def served_least(document: Document, finding: Finding) -> str:
    """Of a penalty, which does not say whom it falls on: the group that gets least on that day by itself."""
    if finding.measure not in ("running_penalty", "daily_penalty"):
        return ""
    by = finding.about.get("by")
    names = by.get("creators") if isinstance(by, dict) else None
    of_groups = [
        one
        for one in document.findings
        if one.measure == "daily_relative_utility"
        and one.estimate is not None
        and isinstance(creators := one.about.get("creators"), dict)
        and tuple(creators) == names
    ]
    if not of_groups:
        return ""
    least = min(of_groups, key=lambda one: one.estimate or 0.0)
    shown = legible(document.amended(findings=(least,), questions=())).findings[0]
    return line(f"On that day by itself, least: {short_who(shown)}: {how_much(shown)}.", _LONGEST)


def opened(episode: Episode, finding: Finding | None, said: str, least: str = "") -> list[str]:
    rule = episode.rule
    looks = "" if rule.open_after == 1 else f", after {rule.open_after} looks in a row"
    told = [said, f"The flag “{rule.name}” opened on {episode.opened}{looks}.", least]
    if finding is not None and finding.interval is not None and finding.interval.validity == "fixed":
        told.append("Its interval holds for one look, so with a look every day some flags open by chance.")
    return told


def closed(episode: Episode, said: str) -> list[str]:
    rule = episode.rule
    looks = "" if rule.close_after == 1 else f", after {rule.close_after} looks in a row that show no cause"
    return [f"The flag “{rule.name}” of {episode.opened} closed on {episode.closed}{looks}.", said]


def stays_open(episode: Episode, day: str, said: str) -> str:
    """Of a flag whose finding is not decided now."""
    return f"The flag “{episode.rule.name}” of {episode.opened} stays open: {day} decides nothing. {said}"


def withdrawn(told: Told, why: str, since: str) -> list[str]:
    because = (
        "the plan has no such rule any more"
        if why == "plan"
        else f"{since} was corrected, taken out or added late, and the looks do not raise it any more"
    )
    return [f"The flag “{told.rule}” of {told.opened} is withdrawn: {because}.", _had_said(told)]


def reopened(episode: Episode, told: Told, since: str) -> list[str]:
    return [
        f"The flag “{told.rule}” of {episode.opened} is open again: {since} was corrected, taken out or "
        f"added late, and it did not close on {told.closed}.",
        _had_said(told),
    ]


def moved(episode: Episode, told: Told, since: str, said: str) -> list[str]:
    """Of a flag that is there still, with other days than those that people were told."""
    is_now = (
        f"is now of {episode.opened}"
        if episode.opened != told.opened
        else f"closed on {episode.closed}, and not on {told.closed}"
    )
    return [
        f"The flag “{told.rule}” of {told.opened} {is_now}: {since} was corrected, taken out or added late, "
        "and the looks from then on were made again.",
        said,
    ]


def _had_said(told: Told) -> str:
    return f"When it opened, it said: {told.said}"


def subject(kind: Kind, system: str, rule: str) -> str:
    happened = {"reopened": "open again", "moved": "has other days"}.get(kind, kind)
    return line(f"{system}: flag “{rule}” {happened}", 200)


def text_of(paragraphs: list[str], follows: str | None, page: str | None) -> str:
    """The whole message as text."""
    told = [one for one in paragraphs if one]
    told += [f"What follows: {follows}"] if follows else []
    told += [f"Page: {page}"] if page else []
    return "\n".join(line(one, _LONGEST) for one in told)


def message(kind: Kind, finding: Finding | None, **said: str) -> str:
    """The message as every channel gets it, JSON: for programs as well as for people."""
    head = {"schema": SCHEMA, "id": said.pop("id"), "type": f"flag.{kind}"}
    told = {**head, **{key: lines(text) for key, text in said.items()}}
    numbers = None if finding is None else _numbers(finding)
    written = json.dumps({**told, "finding": numbers}, ensure_ascii=False, separators=(",", ":"))
    if len(written.encode()) > MOST_BYTES:  # names of groups may have any length
        written = json.dumps({**told, "finding": None}, ensure_ascii=False, separators=(",", ":"))
    return written


def _numbers(finding: Finding) -> dict[str, Any]:
    kept = {
        "id",
        "question",
        "audit",
        "measure",
        "about",
        "unit",
        "estimate",
        "interval",
        "tolerance",
        "verdict",
    }
    return finding.model_dump(mode="json", include=kept)
