"""A table, what it is, and which of its columns are what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evenhand.plan.init.labelling.labels import PLAUSIBLE, Label
from evenhand.plan.init.meaning.attributes import Attribute
from evenhand.plan.init.tables.looking import FileSet
from evenhand.plan.init.tables.profiling import Profile


@dataclass(frozen=True)
class Joined:
    """A column of another table, found by a key; `on` and `key` are its names here and there."""

    files: FileSet
    on: str
    key: str
    column: str


@dataclass(eq=False)
class Recognised:
    """A table, what it is, and which of its columns are what."""

    profile: Profile
    role: str
    user: str | None = None
    item: str | None = None
    creator: str | None = None
    listed: str | None = None
    each: int = 0  # so many rows has every user, where that is the same for all and no row has a time
    rank: str | None = None
    score: str | None = None
    preference: str | None = None
    probability: str | None = None
    day: str | None = None
    shown: str | None = None  # says of each row whether users were shown it
    labels: list[Label] = field(default_factory=list)
    of_users: list[Attribute] = field(default_factory=list)
    of_items: list[Attribute] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    arms: list[str] = field(default_factory=list)
    named_arms: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    joined: dict[str, Joined] = field(default_factory=dict)
    joined_arms: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # those that are joined, by value

    @property
    def name(self) -> str:
        return self.profile.name

    @property
    def chosen_label(self) -> Label | None:
        return self.labels[0] if self.labels and self.labels[0].strength >= PLAUSIBLE else None

    def told(self) -> str:
        """The table in one line."""
        what = {
            "log": "a log", "candidates": "candidate lists with scores and labels", "scores": "scores",
            "lists": "lists that were shown", "relevance": "pairs of users and items", "users": "users",
            "disliked": "what users did not like, by its name",
            "unclear": "pairs of users and items with a label in words",
            "items": "items", "creators": "creators", "preferences": "preferences", "policies": "policies",
            "vectors of users": "vectors of users", "vectors of items": "vectors of items",
        }.get(self.role, "not recognised")  # fmt: skip
        rows = f"{'about ' if self.profile.opened.sampled else ''}{self.profile.rows:,} rows"
        return f"{self.name}: {what} ({rows})"

    def not_recognised(self) -> str:
        """Which ids are missing among its columns, and how to name them."""
        lacking = [side for side, name in (("user", self.user), ("item", self.item)) if name is None]
        ids = " or ".join(f"{side}s" for side in lacking)
        options = " and ".join(f"--columns {side}_id=NAME" for side in lacking)
        return (
            f"{self.name} was not recognised, as no column is known to have the ids of {ids}: "
            f"{', '.join(self.profile.columns)}. If one has, name it with {options} (of a table of creators "
            "alone, with --columns creator_id=NAME)."
        )
