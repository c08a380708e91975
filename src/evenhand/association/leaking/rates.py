"""How well an attribute is predicted: measures of a classifier, each with an interval over users.

All are shares, differences of shares, or an AUC; F1 is a function of the share J = TP / (TP + FP + FN) of an
overlap, F1 = 2 J / (1 + J), and so is its interval. Were users independent cases, these would be the
intervals of Wilson, Newcombe and DeLong. But users who are predicted also teach the classifiers of the
others, so that fewer cases are counted (`inflation`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from evenhand.association.leaking.classifier import Flags, Predicted
from evenhand.association.leaking.inflation import Inflation, Key
from evenhand.more_data import LimitsAt
from evenhand.stats.means.proportions import auc, auc_interval, newcombe, wilson


@dataclass(frozen=True)
class Rate:
    """`side` is 0 for those with the value and 1 for the others, where a measure is about one of them."""

    measure: str
    side: int | None
    estimate: float | None
    interval: tuple[float, float] | None
    n: int
    p_value: float | None = None
    limits_at: LimitsAt | None = None


def rates(
    found: Predicted, has: Flags, inflated: Mapping[Key, Inflation], level: float, *, both_sides: bool
) -> list[Rate]:
    """All measures of a prediction; those of one side also of the other if `both_sides`.

    What `inflated` does not name is taken as if users were independent.
    """

    def times(measure: str, side: int | None = None) -> float:
        return inflated.get((measure, side), Inflation()).at(level)

    said = found.said
    ours, theirs = int(has.sum()), int((~has).sum())
    yes_ours, yes_theirs = float(said[has].mean()), float(said[~has].mean())
    area, error = auc(found.by_history, has, found.part)
    error *= np.sqrt(times("leak_auc"))
    z = (area - 0.5) / error if error > 0 else np.sign(area - 0.5) * np.inf
    right = _share("leak_accuracy", None, said == has, times("leak_accuracy"), level)
    out = [
        replace(right, p_value=better_than_majority(said, has)),
        Rate(
            "leak_auc", None, area, auc_interval(area, error, min(ours, theirs), level), len(has),
            float(2 * stats.norm.sf(abs(z))),
        ),
    ]  # fmt: skip
    for measure, other in (("leak_parity", yes_theirs), ("leak_recall_gap", 1 - yes_theirs)):

        def limits_at(more: float, other: float = other, by: float = times(measure)) -> tuple[float, float]:
            return newcombe(yes_ours, more * ours / by, other, more * theirs / by, level)

        out.append(Rate(measure, None, yes_ours - other, limits_at(1), len(has), limits_at=limits_at))
    for side in (0, 1) if both_sides else (0,):
        named, members = said == (side == 0), has == (side == 0)
        cases = {
            "leak_precision": members[named],
            "leak_recall": named[members],
            "leak_f1": (named & members)[named | members],
        }
        shares = [_share(name, side, users, times(name, side), level) for name, users in cases.items()]
        *others, overlap = shares
        out += others
        assert overlap.estimate is not None
        assert overlap.interval is not None
        low, high = overlap.interval
        out.append(replace(overlap, estimate=_f1(overlap.estimate), interval=(_f1(low), _f1(high))))
    return out


def _share(measure: str, side: int | None, cases: Flags, times: float, level: float) -> Rate:
    if not len(cases):
        return Rate(measure, side, None, None, 0)
    share = float(cases.mean())
    return Rate(measure, side, share, wilson(share, len(cases) / times, level), len(cases))


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
