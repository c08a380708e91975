"""One look at the days so far: the day that was added, all days as one log, and what changed.

What `series` says of its last day, from the counts of a few days and sums of the others: errors of a day
and of all days so far need no other day, and a change needs the two that are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.following import Days
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.followed_days.counting import COUNTS, TOTALS
from evenhand.opportunity.followed_days.packing import Packed
from evenhand.opportunity.followed_days.running import Logs, Running
from evenhand.opportunity.logs.calendar import Calendar
from evenhand.opportunity.logs.cautions import Known
from evenhand.opportunity.logs.preparation import Prepared, line_up
from evenhand.opportunity.measures import Array
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.matching import moved_by_matching
from evenhand.opportunity.over_time.preparation import WEEKS
from evenhand.opportunity.over_time.readings import Followed, follow_one
from evenhand.opportunity.over_time.timeline import Timeline


def logs_of(content: bytes) -> Logs:
    packed = Packed.of_bytes(content)
    return Logs(packed.logs["default"], packed.logs["random"])


def prepared_of(about: Mapping[str, Any], logs: Logs) -> Prepared:
    """Days as one log each, over the groups that they identify."""
    return line_up(
        {"default": logs.default}, logs.random, about["group"], {}, clusters=tuple(about["clusters"]),
        known=Known(*about["known"]), probability=about["probability"],
    )  # fmt: skip


@dataclass(frozen=True)
class Looking:
    """What one look needs: `running` has the day that was added in its sums."""

    asked: Mapping[str, Any]
    about: Mapping[str, Any]
    days: Days
    running: Running
    seed: int

    @property
    def today(self) -> str:
        return self.days.labels[-1]

    @property
    def shared(self) -> bool:
        """Whether all days are held against one random log."""
        return bool(self.about["shared"])

    @property
    def level(self) -> float:
        return float(self.asked["level"])

    @property
    def baseline(self) -> int:
        return int(self.asked.get("baseline", 1))

    @cached_property
    def prepared(self) -> Prepared:
        return prepared_of(self.about, self.running.so_far)

    @cached_property
    def own(self) -> Timeline:
        """The day that was added, alone."""
        return self._timeline([self.today], self._window(self.today))

    @cached_property
    def everything(self) -> Timeline:
        """All days as one."""
        both = self.running.so_far
        return self._made([self.today], [both.default], [both.random], np.ones((1, 1), dtype=bool))

    def of_today(self) -> Followed | None:
        return self._of_day(self.own, 0, self.days.number)

    def so_far(self) -> Followed | None:
        again = self.days.number - self.running.number
        return self._until(self.everything, 0, self.running.number, again)

    def since_before(self) -> tuple[Timeline, Followed, Followed] | None:
        """The day that was added and the last one before it that could be computed."""
        today = self.today
        earlier = [day for day in self.running.usable if day < today]
        if not earlier:
            return None
        before = max(earlier)
        parts = sorted({*self._window(before), *self._window(self.today)})
        timeline = self._timeline([before, self.today], parts)
        number = self.days.numbers[list(self.days.labels).index(before)]
        one, other = self._of_day(timeline, 1, self.days.number), self._of_day(timeline, 0, number)
        return None if one is None or other is None else (timeline, one, other)

    def since_first(self) -> tuple[Timeline, Followed, Followed] | None:
        """The day that was added and the first days as one."""
        if self.running.number <= self.baseline:
            return None
        first = list(self.days.labels[: self.baseline])
        window = self._window(self.today)
        if self.shared:
            timeline = self._made(
                [max(first), self.today],
                [self.running.first.default, self._logs(self.today).default],
                [self.running.so_far.random],
                np.ones((2, 1), dtype=bool),
            )
        else:
            # Parts of the random log that both are held against stand by themselves.
            apart = [day for day in first if set(first) & set(window)]
            parts = [self._logs(day).random for day in apart] or [self.running.first.random]
            others = [day for day in window if day not in apart]
            within = np.zeros((2, len(parts) + len(others)), dtype=bool)
            within[0, : len(parts)] = True
            within[1, : len(parts)] = [day in window for day in apart] or False
            within[1, len(parts) :] = True
            timeline = self._made(
                [max(first), self.today],
                [self.running.first.default, self._logs(self.today).default],
                parts + [self._logs(day).random for day in others],
                within,
            )
        one = self._of_day(timeline, 1, self.days.number)
        other = self._until(timeline, 0, self.baseline)
        return None if one is None or other is None else (timeline, one, other)

    def _of_day(self, timeline: Timeline, at: int, number: int) -> Followed | None:
        held = every_day.on_day(timeline, stretch := timeline.day(at), number, self.level)
        return None if held is None else follow_one(timeline, at, stretch, held, self.level, self.seed)

    def _until(self, timeline: Timeline, at: int, number: int, again: int = 0) -> Followed | None:
        """All days up to a look, which are one day of this timeline."""
        grown, stretch = float(self._growth[number - 1]), timeline.day(at)
        held = every_day.until_day(timeline, stretch, grown, self.level, number + again, again)
        return None if held is None else follow_one(timeline, at, stretch, held, self.level, self.seed)

    @cached_property
    def _totals(self) -> list[Mapping[str, Any]]:
        return [Packed.of_bytes(content).about for content in self.days.contents(TOTALS)]

    def _by_day(self, kind: str) -> Array:
        """Totals by day and group."""
        groups = self.prepared.random.groups
        return np.array([[day[kind].get(group, 0) for group in groups] for day in self._totals], dtype=float)

    @cached_property
    def _growth(self) -> Array:
        default, random = (self._by_day(kind).sum(axis=1).cumsum() for kind in ("positives", "squares"))
        return every_day.growth_of(default, None if self.shared else random)

    def moved_by_matching(self) -> float:
        """How much larger the penalty of all days would be by random traffic in the proportions of default
        traffic; 0 where all days share one random log."""
        if self.shared:
            return 0.0
        rows, random_rows = np.array([day["rows"] for day in self._totals], dtype=float).T
        return moved_by_matching(self._by_day("positives"), self._by_day("random"), rows, random_rows)

    def _window(self, day: str) -> list[str]:
        """The days whose random traffic a day is held against, of those that were there by then."""
        if self.shared:
            return []
        window = self.asked.get("window") or 1
        there = self.days.labels[: list(self.days.labels).index(day) + 1]
        step = 7 if self.days.period == "week" else 1
        ages = {one: (date.fromisoformat(day) - date.fromisoformat(one)).days // step for one in there}
        if window == "weekday":
            return sorted(one for one, age in ages.items() if 0 <= age < 7 * WEEKS and age % 7 == 0)
        return sorted(one for one, age in ages.items() if 0 <= age < window)

    def _logs(self, day: str) -> Logs:
        if day not in self._read:
            self._read[day] = logs_of(self.days.content(day, COUNTS))
        return self._read[day]

    @cached_property
    def _read(self) -> dict[str, Logs]:
        return {}

    def _timeline(self, days: Sequence[str], parts: Iterable[str]) -> Timeline:
        """Some days, each against its window of these days of random traffic."""
        default = [self._logs(day).default for day in days]
        if self.shared:
            return self._made(
                days, default, [self.running.so_far.random], np.ones((len(days), 1), dtype=bool)
            )
        parts = list(parts)
        within = np.array([[part in self._window(day) for part in parts] for day in days])
        return self._made(days, default, [self._logs(part).random for part in parts], within)

    def _made(
        self, days: Sequence[str], default: Sequence[LogCounts], random: Sequence[LogCounts], within: Any
    ) -> Timeline:
        groups = self.prepared.random.groups
        logs = [log.over(groups) for log in default]
        by_item = [log.by_item for log in logs if log.by_item is not None]
        return Timeline(
            calendar=Calendar(True, self.days.period),
            prepared=self.prepared,
            periods=tuple(date.fromisoformat(day).toordinal() for day in days),
            positives=np.stack([log.positives for log in logs]).astype(float),
            rows=np.stack([log.rows.sum(axis=0) for log in logs]),
            people=np.stack([log.people for log in logs]),
            random_parts=tuple(log.over(groups) for log in random),
            within=within,
            window=None if self.shared else self.asked.get("window") or 1,
            positives_by_item=np.stack(by_item) if by_item else None,
        )
