"""Opportunity as a monitor follows it: `evenhand.following.Following`, for the audit and for the series."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from evenhand.about import About, identifier, structured
from evenhand.findings import Finding
from evenhand.following import CountedDay, Days, Look, Promise, SoFar, UnlikeError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.findings import findings_of
from evenhand.opportunity.followed_days.counting import COUNTS, count_day
from evenhand.opportunity.followed_days.look_findings import findings_of_look
from evenhand.opportunity.followed_days.looking import Looking, logs_of, prepared_of
from evenhand.opportunity.followed_days.packing import Packed
from evenhand.opportunity.followed_days.running import Logs, Running
from evenhand.opportunity.logs.asked_rows import told_of, with_whose_groups
from evenhand.opportunity.logs.calendar import Calendar
from evenhand.opportunity.over_time.timeline import Timeline
from evenhand.opportunity.over_time.waiting import days_until_flagged
from evenhand.store.damage import sound

# A group of which so many rows were to be expected, and none came, is not there by more than chance.
_EXPECTED = 50
# People that these rows must be of, where that is known: one of them may have many.
_PEOPLE = 20
# A day keeps counts by group, which do not say which items were drawn.
_NOT_LOOKED_AT = (
    "Whether random traffic is random is not looked at from day to day, although {} is named: where it is "
    "far from random this may be decided, and wrongly. Audit the logs of several days at once, which looks."
)


class FollowedOpportunity:
    """Sums of a day's buckets; a look says what `series` says of its last day, and all days together give
    what `audit` gives over all rows."""

    def count(
        self, asked: Mapping[str, Any], daily: Collection[str], progress: Callable[[str], None], key: bytes
    ) -> CountedDay:
        return count_day(asked, daily, progress)

    def look(self, asked: Mapping[str, Any], days: Days, seed: int) -> Look:
        packed = Packed.of_bytes(days.content(days.labels[-1], COUNTS))
        about, day = packed.about, Logs(packed.logs["default"], packed.logs["random"])
        if days.state is None:
            running = Running.begun(day)
        else:
            with sound("a state"):
                before = Running.of_bytes(days.state)
            if not days.were_together:
                _refuse_other_ids(Packed.of_bytes(days.content(days.labels[-2], COUNTS)).about, about)
                _refuse_unlike(about, before.so_far, day)
            running = before.with_day(day, about["shared"], int(asked.get("baseline", 1)))
        looking = Looking(asked, about, days, running, seed)
        findings, so_far, running = findings_of_look(looking)
        return Look(_told(findings, [about], asked), _told(so_far, [about], asked), running.to_bytes())

    def together(
        self, asked: Mapping[str, Any], days: Sequence[Mapping[str, bytes]], seed: int
    ) -> tuple[Finding, ...]:
        packed = [Packed.of_bytes(day[COUNTS]) for day in days]
        abouts = [one.about for one in packed]
        shared = bool(abouts[0]["shared"])
        logs = reduce(lambda one, other: one.plus(other, shared), (logs_of(day[COUNTS]) for day in days))
        chosen = {key: asked[key] for key in ("interval", "variance", "replicates") if key in asked}
        findings = findings_of(
            prepared_of(abouts[0], logs), level=asked["level"], tolerance=asked["tolerance"], seed=seed,
            **chosen,
        )  # fmt: skip
        return _told(findings, abouts, asked)

    def promises(
        self,
        asked: Mapping[str, Any],
        days: Sequence[Mapping[str, bytes]],
        times: float = 1.5,
        in_a_row: int = 1,
        so_far: SoFar | None = None,
    ) -> tuple[Promise, ...]:
        limit = asked["tolerance"]
        timeline = None if limit is None else first_days(asked, days)
        if timeline is None:
            return ()
        level = float(asked["level"])
        told = days_until_flagged(timeline, times * limit, limit, level, in_a_row, so_far)
        about: About = {"by": {"creators": timeline.prepared.group}}
        return tuple(
            Promise(identifier("series", measure, structured(about)), times * limit, limit, count)
            for measure, count in (("daily_penalty", told.daily), ("running_penalty", told.running))
        )


def first_days(asked: Mapping[str, Any], days: Sequence[Mapping[str, bytes]]) -> Timeline | None:
    """These days in order, each against its own random traffic, or all against the one they share; None where
    groups cannot be compared."""
    packed = [Packed.of_bytes(day[COUNTS]) for day in days]
    about, logs = packed[0].about, [logs_of(day[COUNTS]) for day in days]
    shared = bool(about["shared"])
    prepared = prepared_of(about, reduce(lambda one, other: one.plus(other, shared), logs))
    if not prepared.comparable:
        return None
    groups, numbers = prepared.random.groups, range(len(days))
    default = [day.default.over(groups) for day in logs]
    random = [day.random.over(groups) for day in (logs[:1] if shared else logs)]
    by_item = [day.by_item for day in default if day.by_item is not None]
    return Timeline(
        calendar=Calendar(dated=False),
        prepared=prepared,
        periods=tuple(numbers),
        positives=np.stack([day.positives for day in default]).astype(float),
        rows=np.stack([day.rows.sum(axis=0) for day in default]),
        people=np.stack([day.people for day in default]),
        random_parts=tuple(random),
        within=np.ones((len(days), 1), dtype=bool) if shared else np.eye(len(days), dtype=bool),
        window=None if shared else 1,
        positives_by_item=np.stack(by_item) if by_item else None,
    )


def _told(
    findings: tuple[Finding, ...], abouts: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """With whose groups they are, and with the rows that they are about, where some were chosen."""
    findings = with_whose_groups(findings, asked.get("on"), asked.get("cluster"))
    if (item := asked.get("item")) is not None:
        said = _NOT_LOOKED_AT.format(repr(item))
        findings = tuple(each.amended(warnings=(*each.warnings, said)) for each in findings)
    where = abouts[0]["where"]
    if where is None:
        return findings
    logs = zip(*(about["left_out"] for about in abouts), strict=True)
    left = [(sum(rows for rows, _ in log), max(people for _, people in log)) for log in logs]
    return told_of(findings, where, left)


def _refuse_other_ids(before: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Refuse ids of another type: the same user would be in another bucket, and count as two."""
    if "ids" not in before or "ids" not in about:  # days of earlier versions do not say it
        return
    for column, was, now in zip(about["clusters"], before["ids"], about["ids"], strict=True):
        if was != now:
            raise UnlikeError(
                f"{column} is of type {now}, and on the days before of type {was}, so that no user would be "
                "known again; write it in the same way on all days."
            )
    signs = before.get("sign"), about.get("sign")
    if None not in signs and len(set(signs)) == 2:
        raise UnlikeError(
            "The engine that reads the logs hashes text otherwise than on the days before, so that no user "
            "would be known again: read them with the engine and version of before, or write ids as numbers."
        )


def _refuse_unlike(about: Mapping[str, Any], before: Logs, day: Logs) -> None:
    """Refuse groups that came or went by more than chance, and another random log where all days share it."""
    if (
        about["shared"]
        and Packed({}, {"": before.random}).to_bytes() != Packed({}, {"": day.random}).to_bytes()
    ):
        raise UnlikeError(
            "The random log is not the one that the days before were held against, and it has no days of its "
            "own."
        )
    group = about["group"]
    for name, earlier, now in (
        ("default", before.default, day.default),
        ("random", before.random, day.random),
    ):
        new, gone = _missing(earlier, now), _missing(now, earlier)
        if new or gone:
            said = [f"no longer has {group} = {', '.join(gone)}"] if gone else []
            said += [f"has {group} = {', '.join(new)}, which no day before had"] if new else []
            raise UnlikeError(f"The {name} log {', and '.join(said)}.")


def _missing(log: LogCounts, other: LogCounts) -> list[str]:
    """Groups of `other` of which `log` has no row, where it should have had some."""
    there = log.over(other.groups).rows.sum(axis=0)
    expected = other.rows.sum(axis=0) * (log.total / max(1, other.total))
    return [
        group
        for group, found, wanted, people in zip(other.groups, there, expected, other.people, strict=True)
        if found == 0 and wanted >= _EXPECTED and people >= _PEOPLE
    ]


followed = FollowedOpportunity()
