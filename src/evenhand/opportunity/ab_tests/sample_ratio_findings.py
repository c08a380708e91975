"""Do the arms of an A/B test have the users that were planned? If not, they are not comparable, and nothing
that is compared between them can be believed.

Each user counts once, as if he had been assigned by himself: where several ids of one person, or of a
household, share an arm, a split as planned alarms. Rows of one user go together, so that a test on rows would
always alarm. Where the plan differs between the values of a column, such as the phases of a ramp-up, a user
counts at the first value at which he is in an arm: those who come back later bring the split of the time when
they were assigned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.about import About
from evenhand.findings import Count, Finding
from evenhand.opportunity.ab_tests.planned_split import PlannedSplit
from evenhand.opportunity.measures import Array
from evenhand.stats.many_looks.sample_ratio import nearest_to_plan, p_value, p_value_of_parts
from evenhand.stats.multiplicity import holm

SURPRISING = 0.05
COUNTED = "Every user who was assigned to an arm is in its log, whatever was filtered later."
BY_ITSELF = (
    "Each id was assigned by itself. Ids that are assigned together (several of one person, or of a "
    "household) make a split as planned look like none: then name what was assigned as the cluster."
)
A_SIXTEENTH = (
    "There are so many users that a sixteenth of them were looked at, always the same. Of fewer users all "
    "are: a mismatch that was seen then may be too small for a sixteenth, and be there all the same."
)
IN_SEVERAL = (
    "Users in several arms ({:,}) were assigned to one of these: the p-value takes the one that is best for "
    "the plan, so that a mismatch of fewer users than that may go unseen."
)
FIRST = (
    "The logs reach back to where the test began: each user counts at the first {by} at which an arm has him."
)


def sample_ratios(
    user_counts: Mapping[str, Sequence[int]],
    unclear: Mapping[str, int],
    plan: PlannedSplit,
    arms: Sequence[str],
    audit: str,
    about: About,
    attribute: str | None = None,
    *,
    everyone: bool,
) -> tuple[Finding, ...]:
    """`sample_ratio`: how far the share of the arm that is furthest off is from the planned one.

    `user_counts` are of each arm, by value of the `attribute`: of all, then of each value, with p-values that
    hold for all values at once (Holm). Where values have a plan each, that of all is the split to be expected
    of as many users at each. `unclear` are users in several arms: where requests were assigned and one arm
    is planned to be small, those who come back are seldom in that one alone, so that they are not simply left
    out. Where not `everyone` was looked at, findings say so.
    """
    counts = np.array(list(user_counts.values()), dtype=float)
    several = np.array([unclear.get(value, 0) for value in user_counts], dtype=float)
    shares = np.array([plan.of(value) for value in user_counts])
    together = counts.sum(axis=0)
    if plan.values:
        expected = counts.sum(axis=1) @ shares / together.sum()
        p = max(float(p_value_of_parts(each, shares)) for each in _assignments(counts, shares, several))
    else:
        expected = plan.shares
        p = float(p_value(nearest_to_plan(together, expected, sum(unclear.values())), expected))
    whole = _finding(together, expected, arms, p, audit, about)
    if plan.values:
        assumptions = (*whole.assumptions, FIRST.format(by=attribute))
        warnings = (*whole.warnings, *_absent(plan, user_counts, attribute))
        whole = whole.amended(assumptions=assumptions, warnings=warnings)
    found = [whole]
    if attribute is not None:
        adjusted = holm(p_value(_nearest(counts, shares, several), shares)).tolist()
        for value, of_value, share, p in zip(user_counts, counts, shares, adjusted, strict=True):
            of_value_alone: About = {**about, attribute: value or "(missing)"}
            if of_value.sum():
                found.append(_finding(of_value, share, arms, p, audit, of_value_alone, value or "(missing)"))
    said = (
        *((IN_SEVERAL.format(sum(unclear.values())),) if any(unclear.values()) else ()),
        *(() if everyone else (A_SIXTEENTH,)),
    )
    return tuple(each.amended(assumptions=(*each.assumptions, *said)) for each in found)


def _nearest(counts: Array, shares: Array, several: Array) -> Array:
    return np.array([nearest_to_plan(*part) for part in zip(counts, shares, several, strict=True)])


def _assignments(counts: Array, shares: Array, several: Array) -> list[Array]:
    """What users in several arms may have been assigned to, by part: as is best in each, or all to one arm,
    as what is short in one part may make up for what is long in another."""
    if not several.any():
        return [counts]
    alike = (counts + np.outer(several, one) for one in np.eye(counts.shape[1]))
    return [_nearest(counts, shares, several), *alike]


def _absent(
    plan: PlannedSplit, user_counts: Mapping[str, Sequence[int]], attribute: str | None
) -> tuple[str, ...]:
    absent = [value for value in plan.values if value not in user_counts]
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
            "planned so, say it with split; if it changed meanwhile, say it for each phase, with split_by. "
            "If ids were assigned together (several of one person, or of a household), that alone makes such "
            "splits: name what was assigned as the cluster.",
        )
    return Finding(
        audit=audit,
        measure="sample_ratio",
        about={**about, "arm": arms[furthest]},
        estimate=float(found[furthest] - shares[furthest]),
        p_value=p,
        n=Count(int(counts.sum()), "users"),
        people={who: int(counts[counts > 0].min())},
        assumptions=(COUNTED, BY_ITSELF),
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
