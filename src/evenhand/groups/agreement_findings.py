"""Do metrics agree about which groups are served well? The rank correlation of their group means."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import spearmanr

from evenhand.arrays import Floats
from evenhand.findings import Count, Finding
from evenhand.groups.evidence import cell_moments, group_moments
from evenhand.groups.population import GroupRule, Population
from evenhand.pictures import Map


def agreement(population: Population, rule: GroupRule, values: Mapping[str, Floats]) -> Finding | None:
    """Spearman's correlation over groups, metric against metric (compare FairRec, figure 3, which
    correlates the gaps of four models); None with fewer than two metrics or three groups.

    `values` are turned so that higher is better, so that agreement is positive. The metrics are those of the
    same users, so part of the agreement is that of their noise.
    """
    mine = {name: column[population.who] for name, column in values.items()}
    has = np.all([np.isfinite(column) for column in mine.values()], axis=0)
    cells = population.cells.restricted(has)
    groups = rule.groups(cells, rule.least(len(population.who)))
    if len(mine) < 2 or len(groups) < 3:
        return None
    means = np.array(
        [group_moments(groups, cell_moments(cells, column[has])).mean for column in mine.values()]
    )
    names = list(mine)
    matrix: list[list[float | None]] = [[1.0] * len(names) for _ in names]
    weakest, pair = 2.0, ("", "")
    for i in range(len(names)):
        for j in range(i):
            varies = np.ptp(means[i]) > 0 and np.ptp(means[j]) > 0
            r = float(spearmanr(means[i], means[j]).statistic) if varies else None
            matrix[i][j] = matrix[j][i] = r
            if r is not None and r < weakest:
                weakest, pair = r, (names[j], names[i])
    if weakest > 1:
        return None
    return Finding(
        audit="groups",
        measure="metric_agreement",
        about={"by": {"users": cells.attributes}},
        estimate=weakest,
        n=Count(int(has.sum()), "users"),
        people={},  # ranks, of which no group's mean can be told
        details={
            "first": pair[0],
            "second": pair[1],
            "groups": len(groups),
        },
        pictures=(Map.square("correlation", names, matrix),),
    )
