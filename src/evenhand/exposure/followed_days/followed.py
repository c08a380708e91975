"""The exposure audit as a monitor follows it: `evenhand.following.Following`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from evenhand.about import identifier, structured
from evenhand.errors import InputError
from evenhand.exposure.followed_days.counting import count, question_of
from evenhand.exposure.followed_days.kept_day import ExposureDay
from evenhand.exposure.followed_days.telling import ALL_DAYS, of_all_days, of_these_days, of_this_day
from evenhand.exposure.followed_days.waiting import days_until_flagged
from evenhand.exposure.premises import of_pair
from evenhand.findings import Finding
from evenhand.following import CountedDay, Days, Look, Promise, SoFar, UnlikeError
from evenhand.store.damage import sound
from evenhand.user_days.every_look import of_day
from evenhand.user_days.packing import packed, unpacked

KINDS = ("users", "told")


class FollowedExposure:
    """A day is a row a user. A look says what that day tells by itself, and what all days so far tell as one
    sample of users; the state is their rows, added up."""

    def count(
        self, asked: Mapping[str, Any], daily: Collection[str], progress: Callable[[str], None], key: bytes
    ) -> CountedDay:
        if "systems" in asked:
            raise InputError("A comparison of models is not followed; name one model, scores or lists.")
        if not daily:
            raise InputError(
                "No table of the exposure audit is of one day: write {day} into the path of its lists, "
                "scores or users, or name the column of the day in the plan ([monitoring] day)."
            )
        day, fingerprints = count(asked, key, progress)
        return CountedDay(day.evidence(), fingerprints)

    def look(self, asked: Mapping[str, Any], days: Days, seed: int) -> Look:
        question, today = question_of(asked), days.labels[-1]
        day = ExposureDay.read({kind: days.content(today, kind) for kind in KINDS})
        found = of_this_day(question, day, days.number)
        so_far, refused = day, ""
        if days.state is not None:
            with sound("a state"):
                before = ExposureDay.read(unpacked(days.state))
            if [one.about for one in before.policies] != [one.about for one in day.policies]:
                raise UnlikeError("Other policies (beta, patience) are looked at than on the days before.")
            refused = before.unlike(day)
            so_far = before if refused else before + day
        return Look(
            tuple(of_day(one, today, days.period) for one in found),
            tuple(
                of_day(one, max(days.labels), days.period)
                for one in of_all_days(question, so_far, days.number, refused)
            ),
            packed(so_far.evidence()),
        )

    def together(
        self, asked: Mapping[str, Any], days: Sequence[Mapping[str, bytes]], seed: int
    ) -> tuple[Finding, ...]:
        """What the audit finds of all users of these days, each with the means over the own days."""
        read = [ExposureDay.read(day) for day in days]
        for other in read[1:]:
            if why := read[0].unlike(other):
                raise InputError(f"Days are not pooled: {why}.")
        return of_these_days(question_of(asked), reduce(add, read))

    def promises(
        self,
        asked: Mapping[str, Any],
        days: Sequence[Mapping[str, bytes]],
        times: float = 1.5,
        in_a_row: int = 1,
        so_far: SoFar | None = None,
    ) -> tuple[Promise, ...]:
        question, read = question_of(asked), [ExposureDay.read(day) for day in days]
        limit = question.tolerance
        if limit is None:
            return ()
        found = []
        for place, policy in enumerate(read[-1].policies):
            waiting = days_until_flagged(question, read, times * limit, in_a_row, place, so_far)
            for (user, item), told in waiting.items():
                pair = of_pair(policy.about, item, user)
                for about, wait in ((pair, told["daily"]), (pair | ALL_DAYS, told["pooled"])):
                    name = identifier("exposure", "pair_exposure", structured(about))
                    found.append(Promise(name, times * limit, limit, wait))
        return tuple(found)


followed = FollowedExposure()
