"""How well an attribute is predicted: measures of a classifier, each with an interval over users.

All intervals are of shares (Wilson) or differences of shares (Newcombe); F1 is a function of the share
J = TP / (TP + FP + FN), F1 = 2 J / (1 + J), and so is its interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from evenhand.association.leaks import Flags, Predicted
from evenhand.stats.proportions import auc, auc_interval, newcombe, wilson


@dataclass(frozen=True)
class Rate:
    """`side` is 0 for those with the value and 1 for the others, where a measure is about one of them."""

    measure: str
    side: int | None
    estimate: float | None
    interval: tuple[float, float] | None
    n: int
    p_value: float | None = None


def rates(found: Predicted, has: Flags, level: float, *, both_sides: bool) -> list[Rate]:
    """All measures of a prediction; those of one side also of the other if `both_sides`."""
    said = found.said
    count = len(has)
    ours, theirs = int(has.sum()), int((~has).sum())
    right = float((said == has).mean())
    share_ours, share_theirs = float(said[has].mean()), float(said[~has].mean())
    area, error = auc(found.by_history, has, found.part)
    z = (area - 0.5) / error if error > 0 else np.sign(area - 0.5) * 37
    out = [
        Rate(
            "leak_accuracy", None, right, wilson(right, count, level), count,
            better_than_majority(said, has),
        ),
        Rate(
            "leak_auc", None, area, auc_interval(area, error, min(ours, theirs), level), count,
            float(2 * stats.norm.sf(abs(z))),
        ),
        Rate(
            "leak_parity", None, share_ours - share_theirs,
            newcombe(share_ours, ours, share_theirs, theirs, level), count,
        ),
        Rate(
            "leak_recall_gap", None, share_ours - (1 - share_theirs),
            newcombe(share_ours, ours, 1 - share_theirs, theirs, level), count,
        ),
    ]  # fmt: skip
    for side in (0, 1) if both_sides else (0,):
        out += _one_side(said == (side == 0), has == (side == 0), side, level)
    return out


def _one_side(said: Flags, has: Flags, side: int, level: float) -> list[Rate]:
    hits, named, members = int((said & has).sum()), int(said.sum()), int(has.sum())
    either = named + members - hits
    overlap = hits / either
    low, high = wilson(overlap, either, level)
    precision = None if not named else hits / named
    return [
        Rate(
            "leak_precision", side, precision,
            None if precision is None else wilson(precision, named, level), named,
        ),
        Rate("leak_recall", side, hits / members, wilson(hits / members, members, level), members),
        Rate("leak_f1", side, _f1(overlap), (_f1(low), _f1(high)), either),
    ]  # fmt: skip


def _f1(overlap: float) -> float:
    return 2 * overlap / (1 + overlap)


def better_than_majority(said: Flags, has: Flags) -> float:
    """The one-sided p-value that predictions are right more often than always naming the larger side.

    The two differ only about those who are predicted to be on the smaller side (McNemar): is more than half
    of them there? Exact, by the binomial.
    """
    smaller = has if has.sum() <= (~has).sum() else ~has
    named = said if smaller is has else ~said
    hits, count = int((named & smaller).sum()), int(named.sum())
    return float(stats.binom.sf(hits - 1, count, 0.5)) if count else 1.0
