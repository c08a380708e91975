"""A few questions on a terminal, each with why it is asked, and a default that Enter takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from evenhand.plan.init.drafts import Draft
from evenhand.plan.init.labelling.labels import CHOSEN, Label
from evenhand.plan.init.meaning.columns import OURS
from evenhand.plan.init.proposing import Seen
from evenhand.plan.init.questions.choosing import Side, of_items, of_users

NONE = "none of these"
Ask = Callable[..., str]
Say = Callable[[str], None]


def users_and_items(seen: Seen, ask: Ask, say: Say) -> dict[str, list[str]]:
    """Let somebody say which column has the users and which the items, where that was guessed or nothing
    decides; our names of columns and theirs, nothing where it is plain."""
    default = seen.found.traffic.default
    names: tuple[str, ...] = ()
    sides: tuple[str, ...] = ("user", "item")
    if default is not None and default.table.user and default.table.item:
        both = (default.table.user, default.table.item)
        names = both if set(both) & seen.guessed else ()
    if not names and seen.undecided:
        names = seen.undecided[0].names
        sides = sides if seen.undecided[0].known_item is None else ("user",)
    if not names:
        return {}
    named: dict[str, list[str]] = {}
    for side, why in (
        ("user", "Users are who something is shown to: it was guessed, or nothing says so."),
        ("item", "Items are what is shown to them."),
    ):
        if side not in sides:
            continue
        free = [name for name in names if [name] not in named.values()]
        alone = side == "item" and len(free) == 1
        place = 0 if alone else _chosen(f"Which column has the ids of {side}s?", why, free, ask, say)
        if place is None:
            return {}
        named[OURS[side]] = [free[place]]
    return named


def answers(seen: Seen, ask: Ask, say: Say) -> None:
    """Let somebody choose the label and the groups; what they choose is what is proposed."""
    found = seen.found
    log = found.traffic.default.table if found.traffic.default else found.first("candidates")
    if log is not None and log.labels:
        why = "Everything rests on what counts as liked: rows with it are what users should have been shown."
        shown = [f"{label.meaning} ({label.why})" for label in log.labels]
        place = _chosen("What says that a user liked something?", why, shown, ask, say)
        _take_label(seen, None if place is None else log.labels[place])
    people = _different(of_users(found, [log] if log else [], Draft()))
    if people:
        why = "Users are compared by it. Choose one that they should not be treated differently by."
        place = _chosen("Which groups of users?", why, [_told(side) for side in people], ask, say)
        found.user_attributes = [] if place is None else [people[place].attribute.column]
    things = _different(of_items(found, [log] if log else [], Draft(), several=True))
    if things:
        why = "Creators or items are compared by it: do they get the same chance?"
        place = _chosen("Which groups of creators or items?", why, [_told(side) for side in things], ask, say)
        found.item_attribute = "" if place is None else things[place].attribute.column


def _take_label(seen: Seen, label: Label | None) -> None:
    """What was chosen counts as plain in all tables that have it; without one, none is taken."""
    for table in seen.found.tables:
        if label is None:
            table.labels = []
        elif any(one.column == label.column for one in table.labels):
            table.labels = [replace(label, strength=CHOSEN, why="chosen by you")]
    seen.found.label = label


def _different(sides: list[Side]) -> list[Side]:
    return list({side.attribute.column: side for side in reversed(sides)}.values())[::-1]


def _told(side: Side) -> str:
    return f"{side.attribute.column} of {side.table.name}: {side.attribute.told() or 'several groups a row'}"


def _chosen(question: str, why: str, shown: Sequence[str], ask: Ask, say: Say) -> int | None:
    """The number that was typed, less one; Enter is the first, and the last is none."""
    say(f"\n{question}\n  {why}")
    for number, line in enumerate((*shown, NONE), start=1):
        say(f"  {number}. {line}")
    while True:
        typed = str(ask("Number", default="1")).strip()
        if typed.isdecimal() and 1 <= int(typed) <= len(shown) + 1:
            return None if int(typed) == len(shown) + 1 else int(typed) - 1
        say(f"  Type a number from 1 to {len(shown) + 1}, or Enter for 1.")
