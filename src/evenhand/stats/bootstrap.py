"""The bootstrap without rows.

A row matters only through its category, so resampling rows with replacement is exactly a multinomial
draw of the category counts: a replicate costs the number of categories, not of rows. With clusters the
clusters are resampled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.stats.normal import Array


def resample_counts(
    counts: NDArray[np.int64], total: int, replicates: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """(replicates, categories) resampled counts; the rows in none of the categories make up `total`."""
    shares = np.append(counts, total - counts.sum()) / total
    return rng.multinomial(total, shares, size=replicates)[:, :-1]


def resample_clusters(counts: Array, replicates: int, rng: np.random.Generator) -> Array:
    """(replicates, columns) totals of `counts` with its rows, the clusters, drawn with replacement."""
    clusters = len(counts)
    totals = np.empty((replicates, counts.shape[1]))
    for start in range(0, replicates, 1_000):  # in blocks, so that memory does not grow with replicates
        block = min(1_000, replicates - start)
        chosen = rng.integers(clusters, size=(block, clusters)) + clusters * np.arange(block)[:, None]
        times = np.bincount(chosen.ravel(), minlength=block * clusters).reshape(block, clusters)
        totals[start : start + block] = times @ counts
    return totals


def percentile_interval(replicates: Array, level: float) -> tuple[float, float]:
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def normal_interval(replicates: Array, estimate: float, level: float) -> tuple[float, float]:
    """estimate +- z * standard deviation of the replicates (Dong and others 2024, Eq. 23)."""
    reach = float(stats.norm.ppf((1 + level) / 2) * replicates.std(ddof=1))
    return estimate - reach, estimate + reach


def bca_interval(
    replicates: Array, estimate: float, acceleration: float, level: float
) -> tuple[float, float]:
    """Bias-corrected and accelerated interval (Efron 1987), ties counted half."""
    below = np.mean(replicates < estimate) + np.mean(replicates == estimate) / 2
    edge = 0.5 / len(replicates)
    bias = stats.norm.ppf(np.clip(below, edge, 1 - edge))
    z = bias + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(replicates, stats.norm.cdf(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def acceleration(samples: list[tuple[Array, Array]]) -> float:
    """BCa's acceleration from the distinct leave-one-out values of each independent sample.

    Each sample is (values, multiplicities): rows of one category share one leave-one-out value, so K
    groups in two logs need 2K + 1 distinct values, however many rows there are.
    """
    cubes = squares = 0.0
    for values, times in samples:
        size = times.sum()
        influence = (size - 1) * (np.average(values, weights=times) - values)
        cubes += float(times @ influence**3) / size**3
        squares += float(times @ influence**2) / size**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
