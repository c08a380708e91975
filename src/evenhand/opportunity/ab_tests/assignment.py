"""Is who is in which arm of one experiment independent of the other experiments?

Experiments that run on the same users are read one by one, each averaged over the arms of the others. That is
right where assignment is orthogonal; where the users of one arm are mostly those of an arm of another
experiment, each difference has some of the other in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.opportunity.ab_tests.arm_counting import Crossing

# A share of this size of the other experiment's effect is worth a warning: for two arms each, V is the
# difference between the shares of one experiment's arm in the two arms of the other.
SUSPICIOUS = 0.05
# Rows of one user go together, so that rows overlap more by chance.
SUSPICIOUS_ROWS = 0.1
SURPRISING = 0.001
# Below this many users to be expected in a cell, the law of the chi-square statistic is simulated: where a
# single user who is in two rare arms decides, chi-square is no law for it.
LEAST_EXPECTED = 5
# Tables of the same margins, until so many of them are as far from independence.
DRAWS, ENOUGH = (200, 2_000, 20_000, 100_000), 20


@dataclass(frozen=True)
class Overlap:
    """Cramér's V of two experiments' arms: 0 when orthogonal, 1 when one says the other.

    None where an experiment has one arm only among those who are in both. The p-value is that of the
    chi-square test, by simulation where arms are rare; None for rows, which are not independent. Rows are
    counted without a user column, and where requests and not users were assigned.
    """

    crossing: Crossing
    v: float | None
    p_value: float | None
    unit: str

    def warning(self, pairs: int) -> str | None:
        """What to say if there is too much of it to be chance, with `pairs` pairs looked at."""
        table = self.crossing.counts
        first, second = self.crossing.first, self.crossing.second
        if self.v is None:
            return _one_arm_only(self.crossing, self.unit)
        surprising = self.p_value is None or self.p_value < SURPRISING / pairs
        if self.v < (SUSPICIOUS_ROWS if self.p_value is None else SUSPICIOUS) or not surprising:
            return None
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.to_numpy().sum()
        counts = table.to_numpy()
        row, column = divmod(int(np.argmax(counts - expected)), counts.shape[1])
        here = counts[row, column] / counts[row].sum()
        share = counts[:, column].sum() / counts.sum()
        return (
            f"Experiments {first} and {second} are not independent of each other (Cramér's V {self.v:.2f}): "
            f"{100 * here:.0f}% of the {self.unit} in {first} = {table.index[row]} are in {second} = "
            f"{table.columns[column]}, which {100 * share:.0f}% of all are. A difference in one of them may "
            "be the effect of the other."
        )


def overlap(crossing: Crossing, cluster: str | None, seed: int) -> Overlap:
    table = crossing.counts.to_numpy(dtype=float)
    unit = "rows" if cluster is None or crossing.of_rows else cluster
    if min(table.shape) < 2:
        return Overlap(crossing, None, None, unit)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    v = np.sqrt(statistic / (table.sum() * (min(table.shape) - 1)))
    if unit != cluster:
        p_value = None
    elif expected.min() < LEAST_EXPECTED:
        p_value = _simulated(expected, statistic, seed)
    else:
        df = (table.shape[0] - 1) * (table.shape[1] - 1)
        p_value = float(stats.chi2.sf(statistic, df))
    return Overlap(crossing, float(v), p_value, unit)


def _simulated(expected: NDArray[np.float64], statistic: float, seed: int) -> float:
    """How often tables with the same margins, and arms independent of each other, are as far from it.

    Given the margins all tables come as if users were dealt out at random, so the p-value is exact but for
    the number of draws. They stop where it is known well enough (Besag and Clifford 1991).
    """
    margins = (expected.sum(axis=axis).round().astype(np.int64) for axis in (1, 0))
    law = stats.random_table(*margins, seed=np.random.default_rng(seed))
    drawn = further = 0
    for number in DRAWS:
        tables = law.rvs(number - drawn, method="patefield")
        distances = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
        further += int((distances >= statistic * (1 - 1e-9)).sum())
        drawn = number
        if further >= ENOUGH:
            break
    return (1 + further) / (1 + drawn)


def _one_arm_only(crossing: Crossing, unit: str) -> str:
    first, second, table = crossing.first, crossing.second, crossing.counts
    if table.size == 0:
        return f"No {unit} are in both {first} and {second}."
    alone, among = (first, second) if table.shape[0] == 1 else (second, first)
    arm = table.index[0] if table.shape[0] == 1 else table.columns[0]
    return (
        f"Of those in {among}, all {unit} that are in {alone} too are in {alone} = {arm}: the experiments "
        f"are nested, so what {among} does is known for that arm only."
    )
