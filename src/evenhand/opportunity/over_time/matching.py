"""Days as one log, while tastes change and random traffic is not in proportion.

All days so far are held against the random traffic of all of them, U_k = (sum_d A_dk) / (sum_d B_dk). Where
days on which a group is liked more have less random traffic for their default traffic (a share that was
raised in spring, a fixed number of random rows at weekends), that group seems to be favoured, though it is
not on any day. Random traffic in the proportions of default traffic, B'_k = sum_d (n_d / m_d) B_dk with n_d
and m_d rows of the two logs, does not have this fault, and more noise. Days with no random traffic, or hardly
any, cannot be matched: what users liked there is not known, or a matter of luck. A'_k is of the others. So
the interval stays that of all rows, and where it would say something else if it were moved to the penalty by
A' and B', nothing is decided.
"""

from __future__ import annotations

import numpy as np

from evenhand.findings import Harm, compared
from evenhand.opportunity.inference.one_log import Bounds
from evenhand.opportunity.measures import Array, penalty

# Of a day whose share of random traffic is less than this part of what is usual, by random rows, a few liked
# rows would stand for all that was liked.
LEAST_SHARE = 0.1
OUT_OF_PROPORTION = (
    "Days differ in what users like, and in how much random traffic they have for their default traffic. "
    "Held against random traffic in the proportions of default traffic, all days together say something "
    "else; single days are not affected. Keep the share of random traffic the same on all days."
)


def moved_by_matching(positives: Array, random: Array, rows: Array, random_rows: Array) -> float:
    """How much larger the penalty is by random traffic in the proportions of default traffic, on days that
    have both.

    Positives of both logs by day and group, and rows by day.
    """
    there = random_rows > 0
    share = np.where(there, rows / np.where(there, random_rows, 1.0), 0.0)
    order = np.argsort(share)
    half = np.searchsorted(random_rows[order].cumsum(), random_rows.sum() / 2)
    there &= share * LEAST_SHARE <= share[order[half]]
    share = np.where(there, share, 0.0)
    matched, plain = share @ random, random.sum(axis=0)
    of_these = positives[there].sum(axis=0)
    if (matched <= 0).any() or (plain <= 0).any() or not of_these.any():
        return 0.0
    return float(penalty(of_these / matched) - penalty(positives.sum(axis=0) / plain))


def doubts_of_pooling(held: Bounds, moved: float, tolerance: float | None, harm: Harm) -> tuple[str, ...]:
    """That the verdict hangs on it, if so."""
    if tolerance is None:
        return ()
    low, high = held
    verdicts = {compared(max(low + by, 0.0), high + by, tolerance, harm) for by in (0.0, moved)}
    return (OUT_OF_PROPORTION,) if len(verdicts) > 1 else ()
