"""The group audit as a monitor follows it: `evenhand.following.Following`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from evenhand.about import identifier, structured
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.following import CountedDay, Days, Look, Promise, SoFar, UnlikeError
from evenhand.groups.findings import findings_of
from evenhand.groups.followed_days.counting import GroupsDay, count, question_of
from evenhand.groups.followed_days.other_days import doubted
from evenhand.groups.followed_days.telling import (
    ALL_DAYS,
    cannot_be_pooled,
    gap_of,
    labels_of,
    measured_of,
    of_all_days,
    of_this_day,
)
from evenhand.groups.followed_days.waiting import days_until_flagged
from evenhand.store.damage import sound
from evenhand.user_days.every_look import of_day
from evenhand.user_days.packing import packed, unpacked

KINDS = ("users", "told")


class FollowedGroups:
    """A day is a row a user. A look says what that day tells by itself, and what all days so far tell as one
    sample of users; the state is their rows, added up."""

    def count(
        self, asked: Mapping[str, Any], daily: Collection[str], progress: Callable[[str], None], key: bytes
    ) -> CountedDay:
        if not daily:
            raise InputError(
                "groups: neither users nor candidates are of one day: write {day} into the path of one of "
                "them, give one the column of the day that the plan names ([monitoring] day), or take the "
                "audit out of the plan that is followed."
            )
        day, fingerprints = count(asked, key, progress)
        return CountedDay(day.evidence(), fingerprints)

    def look(self, asked: Mapping[str, Any], days: Days, seed: int) -> Look:
        question, today = question_of(asked, seed), days.labels[-1]
        day = GroupsDay.read({kind: days.content(today, kind) for kind in KINDS})
        found = of_this_day(question, day, days.number)
        if days.state is None:
            so_far = day
        else:
            with sound("a state"):
                before = GroupsDay.read(unpacked(days.state))
            if before.rows.columns != day.rows.columns:
                raise UnlikeError(
                    f"Users are measured by {', '.join(day.rows.columns)}, and on the days before by "
                    f"{', '.join(before.rows.columns)}."
                )
            so_far = before + day
        return Look(
            tuple(of_day(one, today, days.period) for one in found),
            tuple(
                of_day(one, max(days.labels), days.period)
                for one in of_all_days(question, so_far, days.number)
            ),
            packed(so_far.evidence()),
        )

    def together(
        self, asked: Mapping[str, Any], days: Sequence[Mapping[str, bytes]], seed: int
    ) -> tuple[Finding, ...]:
        """What the audit finds of all users of these days, each with the mean over the own days."""
        question = question_of(asked, seed)
        whole = reduce(add, map(GroupsDay.read, days))
        found: list[Finding] = []
        for label, metric in labels_of(question).items():
            if len(days) > 1 and (why := cannot_be_pooled(question, metric)):
                raise InputError(f"Days are not pooled: {why}.")
            measured = measured_of(question, whole, label, metric)
            gap, *others = findings_of(measured, question.settings)
            found += [doubted(gap, measured, whole.days, whole.rows.columns.index(label)), *others]
        return tuple(found)

    def promises(
        self,
        asked: Mapping[str, Any],
        days: Sequence[Mapping[str, bytes]],
        times: float = 1.5,
        in_a_row: int = 1,
        so_far: SoFar | None = None,
    ) -> tuple[Promise, ...]:
        question = question_of(asked, 0)
        limit = question.asked.tolerance
        if limit is None:
            return ()
        read = [GroupsDay.read(day) for day in days]
        found = days_until_flagged(question, read, times * limit, in_a_row, so_far)
        promised = []
        for label, told in found.items():
            gap = gap_of(question, label)
            for about, wait in ((gap, told["daily"]), (gap | ALL_DAYS, told["pooled"])):
                name = identifier("groups", "confirmed_gap", structured(about))
                promised.append(Promise(name, times * limit, limit, wait))
        return tuple(promised)


followed = FollowedGroups()
