"""How well an attribute is predicted: measures of a classifier, each with an interval over users.

All are shares, differences of shares, or an AUC; F1 is a function of the share J = TP / (TP + FP + FN) of an
overlap, F1 = 2 J / (1 + J), and so is its interval. Were users independent cases, these would be the
intervals of Wilson, Newcombe and DeLong. But users who are predicted also teach the classifiers of the
others, so that fewer cases are counted (`times_of`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from evenhand.association import uncertainty
from evenhand.association.leaks import Flags, Predicted
from evenhand.findings import LimitsAt
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
    limits_at: LimitsAt | None = None


def times_of(found: Predicted, has: Flags, without: Iterable[tuple[Predicted, Flags]]) -> float:
    """How many times the variance of independent cases that of cross-fitted predictions is; at least 1.

    `without` are the predictions without each part of the users, taught anew. Beside what each user adds,
    there is what each pair of users adds, one of whom taught the classifier of the other: DeLong's variance
    has half of that second part, the jackknife has it twice, so that a third of the way from the one to the
    other has it once. Taken of the AUC, which is smooth, and used for all measures.
    """
    _, error = auc(found.by_history, has, found.part)
    areas = np.array([auc(one.by_history, flags, one.part)[0] for one, flags in without])
    if error <= 0:
        return 1.0
    return 1 + max(0.0, uncertainty.of_refits(areas).variance / error**2 - 1) / 3


def rates(found: Predicted, has: Flags, times: float, level: float, *, both_sides: bool) -> list[Rate]:
    """All measures of a prediction; those of one side also of the other if `both_sides`."""
    said = found.said
    ours, theirs = int(has.sum()), int((~has).sum())
    yes_ours, yes_theirs = float(said[has].mean()), float(said[~has].mean())
    area, error = auc(found.by_history, has, found.part)
    error *= np.sqrt(times)
    z = (area - 0.5) / error if error > 0 else np.sign(area - 0.5) * np.inf
    right = _share("leak_accuracy", None, said == has, times, level)
    out = [
        replace(right, p_value=better_than_majority(said, has)),
        Rate(
            "leak_auc", None, area, auc_interval(area, error, min(ours, theirs), level), len(has),
            float(2 * stats.norm.sf(abs(z))),
        ),
    ]  # fmt: skip
    for measure, other in (("leak_parity", yes_theirs), ("leak_recall_gap", 1 - yes_theirs)):

        def limits_at(more: float, other: float = other) -> tuple[float, float]:
            return newcombe(yes_ours, more * ours / times, other, more * theirs / times, level)

        out.append(Rate(measure, None, yes_ours - other, limits_at(1), len(has), limits_at=limits_at))
    for side in (0, 1) if both_sides else (0,):
        named, members = said == (side == 0), has == (side == 0)
        out.append(_share("leak_precision", side, members[named], times, level))
        out.append(_share("leak_recall", side, named[members], times, level))
        overlap = _share("leak_f1", side, (named & members)[named | members], times, level)
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
