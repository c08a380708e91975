"""Normal quantiles and normal draws, shared by everything that needs them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import qmc

Array = NDArray[np.float64]
# Degrees of freedom: None for a variance that is known, several for as many variances.
Degrees = float | Array | None


def critical_value(level: float, df: Degrees = None) -> Any:
    """Two-sided critical value: normal, or Student's t where the variance rests on few clusters.

    One for each, where there are several degrees of freedom.
    """
    upper = 0.5 + level / 2
    if df is None:
        return float(special.ndtri(upper))
    reach = special.stdtrit(df, upper)
    return reach if isinstance(df, np.ndarray) else float(reach)


@lru_cache(maxsize=16)
def _standard_draws(dimension: int, count: int, seed: int) -> Array:
    """Evenly spread standard normal draws; the same ones serve every covariance."""
    points = qmc.Sobol(dimension, scramble=True, rng=np.random.default_rng(seed)).random(count)
    draws = np.asarray(special.ndtri(np.clip(points, 1e-12, 1 - 1e-12)), dtype=np.float64)
    draws.flags.writeable = False
    return draws


def draws_with_covariance(covariance: Array, count: int, seed: int, key: Array | None = None) -> Array:
    """`count` draws from N(0, covariance), spread evenly (scrambled Sobol points).

    Even points make the quantiles of a few hundred draws as good as those of many thousand
    independent ones. `count` must be a power of two. With a `key`, the draws of a coordinate
    go by its variance and key and not by its place, so that the order of coordinates does not matter.
    """
    order = np.arange(len(covariance)) if key is None else np.lexsort((key, np.diag(covariance)))
    covariance = covariance[np.ix_(order, order)]
    # The symmetric root also exists where the covariance is singular, as it is with few clusters.
    values, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    draws = _standard_draws(len(covariance), count, seed)
    ordered = np.empty((count, len(order)))
    ordered[:, order] = draws @ root
    return ordered


def simultaneous_critical_value(
    gradients: Array, covariance: Array, level: float, seed: int, df: Degrees = None
) -> Any:
    """The c for which all |g_i' e| <= c se_i hold at once with probability `level`, e ~ N(0, covariance).

    `gradients` has one row a contrast. Correlation is used, so two contrasts that mirror each other
    cost nothing; with very many contrasts the Bonferroni value is used instead. Where variances are
    estimated, the same tail of Student's t with the degrees `df` of each: a little less than exact, as
    contrasts share some of their estimate.
    """
    reach = _simultaneous_reach(gradients, covariance, level, seed)
    return reach if df is None else critical_value(1 - 2 * float(special.ndtr(-reach)), df)


def _simultaneous_reach(gradients: Array, covariance: Array, level: float, seed: int) -> float:
    # A variance that is 0 may come out a little below it.
    errors = np.sqrt(np.maximum(0, np.einsum("ij,jk,ik->i", gradients, covariance, gradients)))
    gradients, errors = gradients[errors > 0], errors[errors > 0]
    alone = float(critical_value(level))
    if len(errors) == 0:
        return alone
    scaled = gradients / errors[:, None]
    if np.abs(scaled @ covariance @ scaled[0]).min() > 1 - 1e-12:  # one contrast, however often
        return alone
    bonferroni = float(critical_value(1 - (1 - level) / len(errors)))
    if len(errors) > 1_000:
        return bonferroni
    draws = draws_with_covariance(covariance, 4096, seed, key=(gradients**2).sum(axis=0))
    largest = np.abs(draws @ scaled.T).max(axis=1)
    return float(np.clip(np.quantile(largest, level), alone, bonferroni))
