"""What is new since flags were last looked at: the flags that the looks have, beside those that were told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from evenhand.monitor.flags.debounce import Episode

Kind = Literal["opened", "closed", "withdrawn", "reopened", "moved"]


class Told(NamedTuple):
    """A flag that was told, as it is stored."""

    id: int
    rule: str
    condition: str
    finding: str
    opened: str
    closed: str | None
    said: str


@dataclass(frozen=True)
class Change:
    """Something that is to be told of one flag: `told` is the flag if it is not new, `episode` what the looks
    have of it now, if anything."""

    kind: Kind
    told: Told | None
    episode: Episode | None
    why: Literal["looks", "plan"] = "looks"


@dataclass(frozen=True)
class Moved:
    """A flag that is there still, and what the looks have of it now: its days, and what it says."""

    told: Told
    episode: Episode


def compared(
    told: Sequence[Told], episodes: Iterable[Episode], conditions: dict[str, str]
) -> tuple[list[Change], list[Moved]]:
    """What to tell, and the flags that are there still. `told` are the flags that these looks can change.

    A flag and an episode of the same rule and finding that overlap are the same flag, whichever day a
    correction moved its ends to; whoever was told of a day that is not its day any more is told. A flag that
    is open and whose rule is no longer in the plan, or asks otherwise, is withdrawn.
    """
    changes: list[Change] = []
    moved: list[Moved] = []
    waiting = [one for one in told if conditions.get(one.rule) == one.condition]
    changes += [
        Change("withdrawn", one, None, "plan")
        for one in told
        if conditions.get(one.rule) != one.condition and one.closed is None
    ]
    new: list[Episode] = []
    for episode in sorted(episodes, key=lambda one: one.opened):
        same = next((one for one in waiting if _is_same(one, episode)), None)
        if same is None:
            new.append(episode)
            continue
        waiting.remove(same)
        if same.opened != episode.opened or (
            same.closed is not None and episode.closed is not None and same.closed != episode.closed
        ):
            changes.append(Change("moved", same, episode))
        if same.closed is None and episode.closed is not None:
            changes.append(Change("closed", same, episode))
        elif same.closed is not None and episode.closed is None:
            changes.append(Change("reopened", same, episode))
        moved.append(Moved(same, episode))
    changes += [Change("withdrawn", one, None) for one in waiting]
    for episode in new:
        changes.append(Change("opened", None, episode))
        if episode.closed is not None:
            changes.append(Change("closed", None, episode))
    return changes, moved


def _is_same(told: Told, episode: Episode) -> bool:
    if (told.rule, told.finding) != (episode.rule.name, episode.finding):
        return False
    begins_before_end = episode.closed is None or told.opened <= episode.closed
    return begins_before_end and (told.closed is None or episode.opened <= told.closed)
