"""Do the arms of an A/B test have the users that were planned? If not, they are not comparable, and nothing
that is compared between them can be believed.

Each user counts once. Rows of one user go together, so that a test on rows would always alarm. Where the plan
differs between the values of a column, such as the phases of a ramp-up, a user counts at the first value at
which he is in an arm: those who come back later bring the split of the time when they were assigned.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evenhand.about import About
from evenhand.errors import InputError
from evenhand.findings import Count, Finding
from evenhand.opportunity.measures import Array
from evenhand.parameters import number, shown
from evenhand.stats.multiplicity import holm
from evenhand.stats.sample_ratio import p_value, p_value_of_parts

Shares = Mapping[str, float] | Literal["equal"]
Split = Mapping[str, float] | Mapping[str, Shares] | Literal["equal", "any"]
SURPRISING = 0.05
MOST_VALUES = 100
COUNTED = "Every user who was assigned to an arm is in its log, whatever was filtered later."
UNCHECKED = "Users were assigned to the arms as planned; the split was not checked."
FIRST = (
    "The logs reach back to where the test began: each user counts at the first {by} at which an arm has him."
)
CHANGED = (
    "The planned split differs between values of {by}, so that each arm has another mixture of them: what "
    "differs between these values, such as what users like on other days, is in the differences between the "
    "arms, too. Compare the arms within each {by} before you believe a difference."
)


@dataclass(frozen=True)
class Plan:
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
    values = [
        _text(value) for value, plan in split.items() if plan in ("equal", "any") or isinstance(plan, Mapping)
    ]
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


def _text(value: Any) -> str:
    """As engines write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def planned(split: Any, arms: Sequence[str], split_by: str | None, what: str = "split") -> Plan | None:
    """The plan of `arms`; None where any split is right."""
    values = planned_values(split, split_by, what)
    if not values:
        shares = planned_shares(split, arms, what)
        return None if shares is None else Plan(shares)
    found = []
    for value, plan in zip(values, split.values(), strict=True):
        where = f"{what} of {split_by} = {value}"
        shares = planned_shares(plan, arms, where)
        if shares is None:
            raise InputError(
                f"{where} is 'any': a split for each value says all of them; 'any' is for the whole."
            )
        found.append(shares)
    return Plan(np.array(found), values)


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
    if split == "any":
        return None
    if split == "equal":
        return np.full(len(arms), 1 / len(arms))
    if not isinstance(split, Mapping):
        raise InputError(
            f"{what} is {shown(split)}, but must be 'equal', 'any', or the planned share of every arm: "
            "{'control': .9, 'treatment': .1}."
        )
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


def sample_ratios(
    users: Mapping[str, Sequence[int]],
    plan: Plan,
    arms: Sequence[str],
    audit: str,
    about: About,
    attribute: str | None = None,
) -> tuple[Finding, ...]:
    """`sample_ratio`: how far the share of the arm that is furthest off is from the planned one.

    `users` are those in each arm, by value of the `attribute`: of all, then of each value, with p-values that
    hold for all values at once (Holm). Where values have a plan each, that of all is the split to be expected
    of as many users at each.
    """
    counts = np.array(list(users.values()), dtype=float)
    shares = np.array([plan.of(value) for value in users])
    together = counts.sum(axis=0)
    if plan.values:
        expected = counts.sum(axis=1) @ shares / together.sum()
        p = float(p_value_of_parts(counts, shares))
    else:
        expected = plan.shares
        p = float(p_value(together, expected))
    whole = _finding(together, expected, arms, p, audit, about)
    if plan.values:
        assumptions = (*whole.assumptions, FIRST.format(by=attribute))
        warnings = (*whole.warnings, *_absent(plan, users, attribute))
        whole = whole.amended(assumptions=assumptions, warnings=warnings)
    found = [whole]
    if attribute is not None:
        adjusted = holm(p_value(counts, shares)).tolist()
        for value, of_value, share, p in zip(users, counts, shares, adjusted, strict=True):
            of_value_alone: About = {**about, attribute: value or "(missing)"}
            if of_value.sum():
                found.append(_finding(of_value, share, arms, p, audit, of_value_alone, value or "(missing)"))
    return tuple(found)


def _absent(plan: Plan, users: Mapping[str, Sequence[int]], attribute: str | None) -> tuple[str, ...]:
    absent = [value for value in plan.values if value not in users]
    if not absent:
        return ()
    return (f"A split is planned for {attribute} = {', '.join(absent)}, where no user was first seen.",)


def _finding(
    counts: Array,
    shares: Array,
    arms: Sequence[str],
    p: float,
    audit: str,
    about: About,
    who: str = "(everybody)",
) -> Finding:
    found = counts / counts.sum()
    furthest = int(np.argmax(np.abs(found - shares) / np.sqrt(shares * (1 - shares))))
    said: tuple[str, ...] = ()
    if p <= SURPRISING:
        said = (
            f"The arms do not have the users that were planned ({arms[furthest]}: "
            f"{100 * found[furthest]:.1f}% of {int(counts.sum()):,} users, planned "
            f"{100 * shares[furthest]:.1f}%; p = {p:.2g}): some are missing from one of them, or should not "
            "be there, so that the arms are not comparable. Find out why before reading on. If the split was "
            "planned so, say it with split; if it changed meanwhile, say it for each phase, with split_by.",
        )
    return Finding(
        audit=audit,
        measure="sample_ratio",
        about={**about, "arm": arms[furthest]},
        estimate=float(found[furthest] - shares[furthest]),
        p_value=p,
        n=Count(int(counts.sum()), "users"),
        people={who: int(counts[counts > 0].min())},
        assumptions=(COUNTED,),
        warnings=said,
        details={
            "planned": float(shares[furthest]),
            "users": [
                {"arm": arm, "users": int(count), "planned": float(share)}
                for arm, count, share in zip(arms, counts, shares, strict=True)
            ],
        },
    )


def doubts(checks: Sequence[Finding]) -> tuple[str, ...]:
    """Why nothing may be concluded from arms whose users are not those that were planned."""
    if not any(check.p_value is not None and check.p_value <= SURPRISING for check in checks):
        return ()
    return ("the arms do not have the users that were planned, so that they are not comparable",)
