"""Intervals for a non-negative measure of spread by inverting its own sampling distribution.

A penalty such as h >= 0 is biased upwards and far from normal near 0, just where a nearly fair system
lives. So ask of every size of unfairness whether it would make the observed one unsurprising.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from evenhand.stats.normal import Array


def along_ray(
    measure: Callable[[Array], Array], direction: Array, noise: Array, level: float
) -> tuple[float, float] | None:
    """The t >= 0 at which the observed measure is unsurprising on both sides.

    The world at t has utilities 1 + t * direction, so t = 1 is what was observed and t = 0 is equality.
    `noise` holds draws of the error of log U; one set serves all t, which makes the simulated
    quantiles move smoothly with t. None when the observed value is surprisingly small even at t = 0.
    """
    factors = np.exp(noise)
    observed = float(measure(1.0 + direction))
    tail = (1 - level) / 2
    # Beyond this t some utility would be negative.
    furthest = 1.0 / -direction.min()

    def excess(t: float, probability: float) -> float:
        simulated = measure((1.0 + t * direction) * factors)
        return float(np.quantile(simulated, probability)) - observed

    if excess(0.0, tail) > 0:
        return None
    low = 0.0 if excess(0.0, 1 - tail) >= 0 else _root(excess, 0.0, 1.0, 1 - tail)
    high = furthest if excess(furthest, tail) <= 0 else _root(excess, 0.0, furthest, tail)
    return min(low, high), high


def ray_reaches_zero(measure: Callable[[Array], Array], direction: Array, noise: Array, level: float) -> bool:
    """Whether `along_ray` starts at 0, or is empty below it, without looking for where it ends."""
    simulated = measure(np.exp(noise))
    return bool(measure(1.0 + direction) <= np.quantile(simulated, (1 + level) / 2))


def _root(excess: Callable[[float, float], float], low: float, high: float, probability: float) -> float:
    if excess(high, probability) <= 0:
        return high
    return float(optimize.brentq(excess, low, high, args=(probability,), xtol=1e-4))


def folded_normal(observed: float, error: float, level: float) -> tuple[float, float] | None:
    """The sizes |r| at which |N(r, error^2)| = `observed` is unsurprising on both sides.

    The closed form of `along_ray` for two groups, where the measure depends on one log ratio only.
    None when the observed value is surprisingly small even at r = 0.
    """
    tail = (1 - level) / 2
    if error == 0:
        return observed, observed

    def below(size: float) -> float:
        return float(special.ndtr((observed - size) / error) - special.ndtr((-observed - size) / error))

    if below(0.0) < tail:
        return None
    furthest = observed + 10 * error
    low = 0.0 if below(0.0) <= 1 - tail else optimize.brentq(lambda s: below(s) - 1 + tail, 0.0, observed)
    high = optimize.brentq(lambda s: below(s) - tail, 0.0, furthest)
    return float(low), float(high)


def along_noise(
    measure: Callable[[Array], Array], utilities: Array, covariance: Array, reach: float
) -> tuple[float, float]:
    """The range of the measure when log U moves `reach` errors either way along its noisiest direction.

    One rare group can carry most of the noise. If chance hides its deviation, the ray through the observed
    utilities and the gradient there both point elsewhere; this looks where the error really lies.
    """
    return _reached(measure, utilities, _axes(covariance)[-1:], reach)


def along_axes(
    measure: Callable[[Array], Array], utilities: Array, covariance: Array, reach: float
) -> tuple[float, float]:
    """The same along each axis of the noise."""
    return _reached(measure, utilities, _axes(covariance), reach)


def _axes(covariance: Array) -> Array:
    """The axes of the noise, each as long as an error, the noisiest last; a row each."""
    centring = np.eye(len(covariance)) - 1 / len(covariance)  # a shift common to all changes nothing
    values, vectors = np.linalg.eigh(centring @ covariance @ centring)
    return np.asarray((vectors * np.sqrt(np.maximum(0.0, values))).T)


def _reached(
    measure: Callable[[Array], Array], utilities: Array, axes: Array, reach: float
) -> tuple[float, float]:
    steps = np.linspace(-reach, reach, 41)[:, None]
    reached = np.array([measure(utilities * np.exp(steps * axis)) for axis in axes])
    return float(reached.min()), float(reached.max())


def hull(*intervals: tuple[float, float]) -> tuple[float, float]:
    """The smallest interval that contains all those given."""
    return min(low for low, _ in intervals), max(high for _, high in intervals)
