"""How users were to be split between the arms of an A/B test: for all of them, or for each value of a column,
such as the phases of a ramp-up.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evenhand.asked.declared.ab_tests import PLANNED
from evenhand.errors import InputError
from evenhand.opportunity.measures import Array
from evenhand.parameters import number, shown

Shares = Mapping[str, float] | Literal["equal"]
Split = Mapping[str, float] | Mapping[str, Shares] | Literal["equal", "any"]
MOST_VALUES = 100
UNCHECKED = "Users were assigned to the arms as planned; the split was not checked."
CHANGED = (
    "The planned split differs between values of {by}, so that each arm has another mixture of them: what "
    "differs between these values, such as what users like on other days, is in the differences between the "
    "arms, too. Compare the arms within each {by} before you believe a difference."
)


@dataclass(frozen=True)
class PlannedSplit:
    """The planned share of each arm: for all users (arms), or for each of the values (values x arms)."""

    shares: Array
    values: tuple[str, ...] = ()

    def of(self, value: str) -> Array:
        return np.asarray(self.shares[self.values.index(value)] if self.values else self.shares)

    @property
    def changes(self) -> bool:
        return bool(self.values) and bool((self.shares != self.shares[0]).any())


def planned_values(split: Any, split_by: str | None, what: str = "split") -> tuple[str, ...]:
    """The values of `split_by` for each of which a split is planned, in the order of the plan; none where one
    split is planned for all."""
    if not isinstance(split, Mapping):
        return ()
    values = [_text(value) for value, plan in split.items() if is_word(plan) or isinstance(plan, Mapping)]
    if not values:
        return ()
    if len(values) < len(split):
        raise InputError(
            f"{what} has shares of arms beside splits of values: give the share of every arm, or a split for "
            "every value of split_by."
        )
    if split_by is None:
        raise InputError(
            f"{what} is given for each of {', '.join(values)}, but split_by does not say of which column "
            "these are values."
        )
    if len(set(values)) < len(values):
        raise InputError(f"{what} names a value of {split_by} twice: {', '.join(values)}.")
    if "" in values:
        raise InputError(
            f"{what} is planned for an empty {split_by}: give these rows a value, or leave them out."
        )
    refuse_many(len(values), split_by)
    return tuple(values)


def is_word(split: Any) -> bool:
    return isinstance(split, str) and split in ("equal", "any")


def _text(value: Any) -> str:
    """As engines write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def planned(
    split: Any, arms: Sequence[str], split_by: str | None, what: str = "split"
) -> PlannedSplit | None:
    """The plan of `arms`; None where any split is right."""
    values = planned_values(split, split_by, what)
    if not values:
        shares = planned_shares(split, arms, what)
        return None if shares is None else PlannedSplit(shares)
    found = []
    for value, plan in zip(values, split.values(), strict=True):
        where = f"{what} of {split_by} = {value}"
        shares = planned_shares(plan, arms, where)
        if shares is None:
            raise InputError(
                f"{where} is 'any': a split for each value says all of them; 'any' is for the whole."
            )
        found.append(shares)
    return PlannedSplit(np.array(found), values)


def refuse_unplanned(found: Mapping[str, int], values: Sequence[str], attribute: str, name: str) -> None:
    """Refuse rows at values (of the log `name`) for which no split is planned: who was first there counts
    nowhere."""
    for value, rows in found.items():
        close = difflib.get_close_matches(value, values, n=1)
        guess = f" Did you mean {value!r} where it says {close[0]!r}?" if close else ""
        where = f"{attribute} = {value!r}" if value else f"an empty {attribute}"
        raise InputError(
            f"{name}: {rows:,} rows have {where}, but split is planned for {', '.join(values)} only: plan it "
            f"for every value, in the order in which users come to them.{guess}"
        )


def planned_shares(split: Split, arms: Sequence[str], what: str = "split") -> Array | None:
    """The planned share of each arm; None where any split is right."""
    if is_word(split):
        return None if split == "any" else np.full(len(arms), 1 / len(arms))
    if not isinstance(split, Mapping):
        raise InputError(f"{what} is {shown(split)}, but must be {PLANNED.be}.")
    named = {str(arm): share for arm, share in split.items()}
    if set(named) != set(arms):
        raise InputError(f"{what} is about {', '.join(named)}, but the arms are {', '.join(arms)}.")
    shares = np.array([number(f"{what}[{arm!r}]", named[arm], 1e-9, 1e9) for arm in arms])
    return np.asarray(shares / shares.sum())


def refuse_many(values: int, attribute: str | None) -> None:
    if values > MOST_VALUES:
        raise InputError(
            f"split_by is {attribute!r}, which has more than {MOST_VALUES} values: name a column with fewer, "
            "that was known of users before they were assigned."
        )
