"""How much more a measure of cross-fitted predictions varies than one of independent cases.

Users who are predicted also teach the classifiers of the others. Beside what each user adds to the variance,
there is what each pair adds, one of whom taught the classifier of the other: the variance of independent
cases has half of that second part, and the jackknife over users, with classifiers taught anew, has it twice,
so that a third of the way from the one to the other has it once.

How much that is differs between measures. Of a rare attribute the AUC is uncertain as there are few to be
told from the rest, and accuracy as those few taught where the threshold is, which moves all the others: 1.6
and 4 times the variance of independent cases (5% of 400 users). So each measure has a factor of its own.
Shares jump where a user crosses the threshold, of which a jackknife makes several times too much; here they
are made of predictions between 0 and 1, smooth in how far a user is from the threshold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.arrays import Floats
from evenhand.association import uncertainty
from evenhand.association.leaking.classifier import Flags, Predicted
from evenhand.stats.means.proportions import auc
from evenhand.stats.normal import critical_value

# A measure, and the side that it is about where it is about one.
Key = tuple[str, int | None]
# Over how much of the spread of scores a prediction goes from no to yes.
SMOOTH = 0.5
# Smooth predictions that name fewer than this of all users name nobody.
NOBODY = 1e-6


@dataclass(frozen=True)
class Inflation:
    """`times` the variance of independent cases, a number that is itself known to some degrees of freedom."""

    times: float = 1.0
    df: float = np.inf

    def at(self, level: float) -> float:
        """By how much to divide a number of cases: with Student's t in place of the normal law, too."""
        if not np.isfinite(self.df):
            return self.times
        return self.times * (float(special.stdtrit(self.df, (1 + level) / 2)) / critical_value(level)) ** 2


def inflations(
    found: Predicted, has: Flags, without: Iterable[tuple[Predicted, Flags]]
) -> dict[Key, Inflation]:
    """Of every measure; `without` are the predictions without each part of the users, taught anew."""
    whole = _smooth(found, has)
    parts = [_smooth(one, flags) for one, flags in without]
    return {
        key: _inflation(variance, np.array([part[key][0] for part in parts]), len(has))
        for key, (_, variance) in whole.items()
    }


def _inflation(variance: float, values: Floats, most: int) -> Inflation:
    """At `most` as many times as there are users: then all of them tell no more than one. Where hardly
    anybody is named, smooth predictions have next to no variance, and the factor would have no bounds."""
    if not variance > 0 or not np.isfinite(values).all():
        return Inflation()
    third = min(uncertainty.of_refits(values).variance / variance / 3, float(most))
    times = max(1.0, 2 / 3 + third)
    # Satterthwaite: only the jackknife's part is estimated. Few of a rare value make it heavy-tailed, and the
    # variance of a variance grows with its kurtosis.
    beside = values - values.mean()
    squares = float((beside**2).mean())
    excess = max(0.0, float((beside**4).mean()) / squares**2 - 3) if squares > 0 else 0.0
    df = 2 / (2 / (len(values) - 1) + excess / len(values))
    return Inflation(times, df * (times / third) ** 2 if third > 0 else np.inf)


def next_to_the_threshold(found: Predicted) -> float:
    """The share of users whose score, which others have as well, is the nearest to the threshold on either
    side. Smooth predictions do not know that all of them cross it together."""
    users = 0
    for part in np.unique(found.part):
        scores, counts = np.unique(found.margin[found.part == part].round(9), return_counts=True)
        crossing = int(np.searchsorted(scores, 0.0))
        beside = counts[max(crossing - 1, 0) : crossing + 1]
        users += int(beside[beside > 1].sum())
    return users / len(found.margin)


def _smooth(found: Predicted, has: Flags) -> dict[Key, tuple[float, float]]:
    """Every measure of smooth predictions, and its variance if users were independent."""
    yes = special.ndtr(found.margin / SMOOTH)
    area, error = auc(found.by_history, has, found.part)
    out: dict[Key, tuple[float, float]] = {
        ("leak_auc", None): (area, error**2),
        ("leak_accuracy", None): _ratio(np.where(has, yes, 1 - yes), np.ones(len(has))),
    }
    for side, named, members in ((0, yes, has), (1, 1 - yes, ~has)):
        hits = named * members
        out["leak_precision", side] = _ratio(hits, named)
        out["leak_recall", side] = _ratio(hits, members.astype(float))
        out["leak_f1", side] = _ratio(hits, named + members - hits)
    (ours, ours_variance), (theirs, theirs_variance) = out["leak_recall", 0], out["leak_recall", 1]
    both = ours_variance + theirs_variance
    return out | {
        ("leak_parity", None): (ours + theirs - 1, both),
        ("leak_recall_gap", None): (ours - theirs, both),
    }


def _ratio(part: Floats, whole: Floats) -> tuple[float, float]:
    """sum(part) / sum(whole), and its variance by the delta method."""
    total = float(whole.sum())
    if total < NOBODY:
        return float("nan"), 0.0
    share = float(part.sum()) / total
    return share, float(((part - share * whole) ** 2).sum()) / total**2
