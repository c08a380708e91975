"""Do the arms of an A/B test have the users that were planned? If not, they are not comparable, and nothing
that is compared between them can be believed.

Each user counts once. Rows of one user go together, so that a test on rows would always alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.measures import Array
from evenhand.parameters import number, shown
from evenhand.stats.multiplicity import holm
from evenhand.stats.sample_ratio import p_value

Split = Mapping[str, float] | Literal["equal", "any"]
SURPRISING = 0.05
MOST_VALUES = 100
COUNTED = "Every user who was assigned to an arm is in its log, whatever was filtered later."
UNCHECKED = "Users were assigned to the arms as planned; the split was not checked."


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
    shares: Array,
    arms: Sequence[str],
    audit: str,
    subject: Mapping[str, str | int | float],
    attribute: str | None = None,
) -> tuple[Finding, ...]:
    """`sample_ratio`: how far the share of the arm that is furthest off is from the planned one.

    `users` are those in each arm, by value of the `attribute`: of all, then of each value, with p-values that
    hold for all values at once (Holm).
    """
    counts = np.array(list(users.values()), dtype=float)
    found = [
        _finding(counts.sum(axis=0), shares, arms, float(p_value(counts.sum(axis=0), shares)), audit, subject)
    ]
    if attribute is not None:
        adjusted = holm(p_value(counts, shares)).tolist()
        for value, of_value, p in zip(users, counts, adjusted, strict=True):
            about = {**subject, attribute: value or "(missing)"}
            if of_value.sum():
                found.append(_finding(of_value, shares, arms, p, audit, about))
    return tuple(found)


def _finding(
    counts: Array,
    shares: Array,
    arms: Sequence[str],
    p: float,
    audit: str,
    subject: Mapping[str, str | int | float],
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
            "planned so, say it with split; if it changed meanwhile, take the users since then.",
        )
    return Finding(
        audit=audit,
        measure="sample_ratio",
        subject={**subject, "arm": arms[furthest]},
        estimate=float(found[furthest] - shares[furthest]),
        p_value=p,
        n=int(counts.sum()),
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
