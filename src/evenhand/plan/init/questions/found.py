"""All that was recognised, as the questions ask for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.meaning.attributes import LEAST_SIZE, Attribute
from evenhand.plan.init.meaning.columns import LABEL
from evenhand.plan.init.meaning.logs import Traffic
from evenhand.plan.init.meaning.recognised import Recognised


@dataclass(eq=False)
class Found:
    """Tables by what they are, the logs by what they are for, and what is no table."""

    tables: list[Recognised]
    traffic: Traffic
    arrays: list[Path] = field(default_factory=list)
    models: list[Path] = field(default_factory=list)
    # What somebody chose, where they were asked; None: what is likeliest.
    label: Label | None = None
    user_attributes: list[str] | None = None
    item_attribute: str | None = None

    def of(self, role: str) -> list[Recognised]:
        """The tables of a role: those that lie with the log first, then the largest."""
        beside = _folder(self.traffic.default.table) if self.traffic.default else None
        found = [one for one in self.tables if one.role == role]
        return sorted(found, key=lambda one: (_folder(one) != beside, -one.profile.rows))

    @property
    def main(self) -> Recognised | None:
        """The table that others describe: the log, or what is shown or scored."""
        if self.traffic.default is not None:
            return self.traffic.default.table
        roles = ("candidates", "scores", "lists", "preferences", "vectors of users", "vectors of items")
        return next((one for role in roles for one in self.tables if one.role == role), None)

    def unlabelled(self) -> str:
        """Why there is no label where there could be one: columns whose names do not say that they are."""
        for table in self.tables:
            if table.user and table.item and table.labels and table.chosen_label is None:
                listed = "; ".join(f"{one.column} ({one.why})" for one in table.labels[:6])
                return (
                    f"no column of {table.name} says plainly what users liked. If one of these does, name it "
                    f"with --columns {LABEL}=NAME: {listed}"
                )
        return ""

    def first(self, role: str) -> Recognised | None:
        return next(iter(self.of(role)), None)


def _folder(table: Recognised) -> object:
    files = table.profile.opened.files
    return files.paths[0].parent if files.paths else files.source


def usable(attributes: list[Attribute], several: bool = False, least: int = LEAST_SIZE) -> list[Attribute]:
    """Those with two groups of some size; where an item may be in several groups only if that is asked."""
    return [
        one
        for one in attributes
        if (several or not one.several)
        and (
            one.bins or one.several or sum(size >= least for size in one.sizes.values()) >= 2 or not one.sizes
        )
    ]


def told(attribute: Attribute, table: str) -> str:
    """An attribute in a sentence, and what is known of it."""
    kind = "" if attribute.sensitive else " (its name does not say that people are protected by it)"
    return f"{attribute.column} of {table}: {attribute.told() or 'several groups a row'}{kind}"
