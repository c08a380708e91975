"""Bootstrap intervals of the penalty, from counts alone."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.measures import Array, penalty
from evenhand.stats import bootstrap

BootstrapInterval = Literal["percentile", "normal", "bca"]


def replicate_penalties(log: LogCounts, random: LogCounts, replicates: int, seed: int) -> Array:
    """Penalties of resampled logs: rows, or buckets of users where the counts are clustered."""
    rng = np.random.default_rng(seed)
    if log.clustered:
        # A user's rows in both logs move together.
        both = np.hstack([log.positives, random.positives]).astype(float)
        totals = bootstrap.resample_clusters(both, replicates, rng)
        resampled, reference = np.split(totals, 2, axis=1)
    else:
        resampled, reference = (
            bootstrap.resample_counts(counts.positives[0], counts.total, replicates, rng).astype(float)
            for counts in (log, random)
        )
    return penalties_of(resampled, reference)


def penalty_interval(
    log: LogCounts, random: LogCounts, method: BootstrapInterval, replicates: int, seed: int, level: float
) -> tuple[float, float]:
    penalties = replicate_penalties(log, random, replicates, seed)
    estimate = float(penalties_of(log.positives.sum(axis=0), random.positives.sum(axis=0)))
    if method == "percentile":
        low, high = bootstrap.percentile_interval(penalties, level)
    elif method == "normal":
        low, high = bootstrap.normal_interval(penalties, estimate, level)
    else:
        low, high = bootstrap.bca_interval(penalties, estimate, _acceleration(log, random), level)
    return max(0.0, low), high


def refuse_unserved(log: LogCounts, name: str, by: str, interval: str) -> None:
    """Refuse kinds of intervals that would take a group without a positive row as certainly never liked.

    Every resample, and every part, is without one too.
    """
    zero = log.positives.sum(axis=0) == 0
    if zero.any():
        raise InputError(
            f"the {name} log has no positive row of {by} = {log.groups[int(zero.argmax())]}, and interval "
            f"{interval!r} would take that as certain: use the interval 'hull', which has an exact limit "
            "for it."
        )


def penalties_of(positives: np.ndarray, reference: np.ndarray) -> Array:
    """Penalties of many pairs of counts, whatever was lost in resampling."""
    # A replicate may lose all random positives of a rare group; its utility is then taken as very large,
    # which gives the penalty its limit instead of a division by zero.
    with np.errstate(invalid="ignore"):
        penalties = np.asarray(penalty(positives / np.maximum(reference, 1e-9)), dtype=float)
    # One that loses all positives has no opportunity to compare, and is counted as the largest penalty.
    return np.nan_to_num(penalties, nan=float(np.sqrt(positives.shape[-1] - 1)))


def _acceleration(log: LogCounts, random: LogCounts) -> float:
    a, b = log.positives.sum(axis=0), random.positives.sum(axis=0)
    if log.clustered:
        values = penalties_of(a - log.positives, b - random.positives)
        return bootstrap.acceleration([(values, np.ones(len(values)))])
    one = np.eye(len(a), dtype=np.int64)
    # A row that is not positive changes only the common scale, so leaving it out leaves the penalty alone.
    unchanged = penalties_of(a, b)
    samples = []
    for counts, total, values in (
        (a, log.total, penalties_of(np.maximum(a - one, 0), b)),
        (b, random.total, penalties_of(a, np.maximum(b - one, 0))),
    ):
        samples.append((np.append(values, unchanged), np.append(counts, total - counts.sum()).astype(float)))
    return bootstrap.acceleration(samples)
