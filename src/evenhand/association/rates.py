"""How well an attribute is predicted: measures of a classifier, each with an interval over users.

All are shares, differences of shares, or an AUC; F1 is a function of the share J = TP / (TP + FP + FN) of an
overlap, F1 = 2 J / (1 + J), and so is its interval. As if users were independent cases, their intervals would
be those of Wilson, Newcombe and DeLong. But users who are predicted also teach the classifiers of the others:
without any leakage, the error of an AUC is larger than that by a third. So the measures are taken again
without each part of the users, and as many cases are counted as have that spread, never more than there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from evenhand.association import uncertainty
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


@dataclass(frozen=True)
class _Raw:
    """A measure before its interval: its value, its variance were users independent, and their number."""

    value: float
    variance: float
    n: int


def rates(
    found: Predicted,
    has: Flags,
    without: Iterable[tuple[Predicted, Flags]],
    level: float,
    *,
    both_sides: bool,
) -> list[Rate]:
    """All measures of a prediction; those of one side also of the other if `both_sides`.

    `without` are the predictions without each part of the users.
    """
    raw = _measures(found, has)
    again = [_measures(*one) for one in without]
    many = {
        name: _times(one, np.array([values[name].value for values in again])) for name, one in raw.items()
    }
    ours, theirs = raw["recall 0"], raw["recall 1"]
    area = raw["auc"]
    error = float(np.sqrt(area.variance * many["auc"]))
    z = (area.value - 0.5) / error if error > 0 else np.sign(area.value - 0.5) * np.inf
    out = [
        _share("leak_accuracy", None, raw["accuracy"], many["accuracy"], level,
               better_than_majority(found.said, has)),
        Rate(
            "leak_auc", None, area.value, auc_interval(area.value, error, min(ours.n, theirs.n), level),
            area.n, float(2 * stats.norm.sf(abs(z))),
        ),
    ]  # fmt: skip
    for name, other in (("parity", 1 - theirs.value), ("recall_gap", theirs.value)):
        limits = newcombe(ours.value, ours.n / many[name], other, theirs.n / many[name], level)
        out.append(Rate(f"leak_{name}", None, ours.value - other, limits, len(has)))
    for side in (0, 1) if both_sides else (0,):
        for name in ("precision", "recall"):
            key = f"{name} {side}"
            out.append(_share(f"leak_{name}", side, raw[key], many[key], level))
        overlap = _share("leak_f1", side, raw[f"overlap {side}"], many[f"overlap {side}"], level)
        assert overlap.estimate is not None
        assert overlap.interval is not None
        low, high = overlap.interval
        out.append(Rate("leak_f1", side, _f1(overlap.estimate), (_f1(low), _f1(high)), overlap.n))
    return out


def _measures(found: Predicted, has: Flags) -> dict[str, _Raw]:
    area, error = auc(found.by_history, has, found.part)
    out = {"accuracy": _of(found.said == has), "auc": _Raw(area, error**2, len(has))}
    for side in (0, 1):
        said, members = found.said == (side == 0), has == (side == 0)
        out |= {
            f"precision {side}": _of(members[said]),
            f"recall {side}": _of(said[members]),
            f"overlap {side}": _of((said & members)[said | members]),
        }
    ours, theirs = out["recall 0"], out["recall 1"]
    both = ours.variance + theirs.variance
    out["parity"] = _Raw(ours.value + theirs.value, both, len(has))
    out["recall_gap"] = _Raw(ours.value - theirs.value, both, len(has))
    return out


def _of(cases: Flags) -> _Raw:
    if not len(cases):
        return _Raw(float("nan"), 0.0, 0)
    share = float(cases.mean())
    return _Raw(share, share * (1 - share) / len(cases), len(cases))


def _times(one: _Raw, without: np.ndarray) -> float:
    """How many times the variance of independent users the spread over parts of the users is; at least 1."""
    if one.variance <= 0 or not np.isfinite(without).all():
        return 1.0
    return max(1.0, uncertainty.of_refits(without).variance / one.variance)


def _share(
    measure: str, side: int | None, one: _Raw, times: float, level: float, p_value: float | None = None
) -> Rate:
    if not one.n:
        return Rate(measure, side, None, None, 0)
    return Rate(measure, side, one.value, wilson(one.value, one.n / times, level), one.n, p_value)


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
