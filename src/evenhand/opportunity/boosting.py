"""What if groups were shown more, or less? Default rows re-weighted by group, as a boosted ranking would.

Sampling default rows with a weight w_k for each group (Dong and others 2024, Sec. 4.4) multiplies the utility
of group k by w_k, up to one common factor. So nothing has to be resampled: the counts say what the average
over all resamples would be, and the noise is that of the rows there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import Array, penalty

# Common levels of utility that are tried.
LEVELS = 400


def weights_of(groups: tuple[str, ...], weights: Mapping[str, float]) -> Array:
    """The weight of every group; one that is not named stays as it is."""
    if not isinstance(weights, Mapping) or not weights:
        raise InputError("weights is empty: say how many times as often a group shall come, {group: 1.25}.")
    unknown = [str(name) for name in weights if str(name) not in groups]
    if unknown:
        raise InputError(f"weights names the group {unknown[0]!r}, but the groups are {', '.join(groups)}.")
    given = {str(name): float(weight) for name, weight in weights.items()}
    return np.array([given.get(name, 1.0) for name in groups])


def boosted(log: LogCounts, random: LogCounts, weights: Array) -> Arms:
    """Two arms of the same rows: as they are, and with every row of group k counted `weights[k]` times."""
    once = Arms.from_logs([log], random)
    total = float(log.rows.sum(axis=0) @ weights)
    return replace(
        once,
        positives=np.stack([once.positives[0], once.positives[0] * weights]),
        totals=np.array([once.totals[0], total]),
        scores=None if once.scores is None else np.repeat(once.scores, 2, axis=1),
        item_scores=None if once.item_scores is None else np.repeat(once.item_scores, 2, axis=1),
        same_rows=True,
    )


def best_weights(utilities: Array, limit: float) -> Array:
    """The weights, the largest at most `limit` times the smallest, with the least penalty.

    With weights from 1 to `limit` the utility of group k can be anything from U_k to limit * U_k. The spread
    is least where all are as near as that allows to one level; the smallest such level boosts least.
    """
    least, most = utilities.min(), utilities.max()
    levels = np.sort(np.append(np.geomspace(least, limit * most, LEVELS), most))
    reached = np.clip(levels[:, None], utilities, limit * utilities)
    penalties = np.round(np.asarray(penalty(reached)), 12)
    weights = reached[int(penalties.argmin())] / utilities
    return np.asarray(weights / weights.min())


def halves(log: LogCounts, rng: np.random.Generator) -> tuple[LogCounts, LogCounts]:
    """Two halves that share no user, or no row where rows are independent.

    A row that is independent of all others may go to either half by the toss of a coin, so the counts are
    split by binomial draws.
    """
    if log.by_item is not None:
        raise InputError(
            "a search for weights halves the users, and counts by item cannot be halved with them: name the "
            "user column alone as the cluster, or give weights instead of a search."
        )
    if log.clustered:
        parts = [_rows(log, np.arange(len(log.rows)) % 2 == half) for half in (0, 1)]
        return parts[0], parts[1]
    if log.weights is not None:
        raise InputError(
            "rows with weights can only be halved by user: name the user column as the cluster, or give "
            "weights instead of a search."
        )
    liked, other = (rng.binomial(counts, 0.5) for counts in (log.positives, log.rows - log.positives))
    first = LogCounts(log.groups, liked + other, liked)
    return first, LogCounts(log.groups, log.rows - first.rows, log.positives - first.positives)


def _rows(log: LogCounts, chosen: np.ndarray) -> LogCounts:
    weights = None if log.weights is None else log.weights.map(lambda sums: sums[chosen])
    return LogCounts(log.groups, log.rows[chosen], log.positives[chosen], 0, weights)
