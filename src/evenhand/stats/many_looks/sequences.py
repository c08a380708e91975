"""Confidence sequences: bounds for a mean of values in [0, 1] that hold at every sample size at once.

They need only the count N and the sum S, so an audit may look after every value and stop when it likes.

**The mixture.** For a guess p and a candidate m the ratio (p/m)^x ((1-p)/(1-m))^(1-x) is convex in the value
x, hence below its chord between x = 0 and x = 1, whose expectation is 1 when the mean is m: products of
ratios are nonnegative supermartingales for any distribution on [0, 1], and so is their average over a prior
for p,

    M_N(m) = B(S + 1/2, N - S + 1/2) / B(1/2, 1/2) * m^-S * (1 - m)^-(N - S)          (prior Beta(1/2, 1/2)).

By Ville's inequality M ever reaches 1/a with probability at most a. **One side is cheaper than two.** To
refute "the mean is m or more" only guesses p < m are of use, and for those the product is a supermartingale
at every mean above m too. With F the distribution function of the prior, their average is

    M'_N(m) = (M_N(m) - integral over p > m) / F(m)  >=  1 + (M_N(m) - 1) / F(m)          where S/N <= m,

because the likelihood at p > m >= S/N is below that at m. So M >= 1 + F(m) (1/a - 1) is enough to refute m at
level a, where the two-sided bound needs M >= 1/a.

**The law of the iterated logarithm** in the form of Jamieson and others (2014), as Do and others (2022) use
it.

**Sums of changing means.** `sum_of_means_lower` bounds the sum of the means of values whose means differ,
each fixed before its value is seen (pulls of arms chosen on the way).
"""

from __future__ import annotations

import math

from evenhand.compiled import njit

# Half of log(2 pi), and log B(1/2, 1/2).
_HALF_LOG_TAU, _LOG_PI = 0.5 * math.log(2 * math.pi), math.log(math.pi)
_TWO_OVER_PI = 2 / math.pi
# Beyond it 1 - m = exp(-y) is 0 to a computer.
_MOST_STEPS, _FURTHEST = 200, 700.0

# Do and others' constants: values in [0, 1] are 1/2-subgaussian.
_SIGMA, _OMEGA = 0.5, 0.99
_LIL_SCALE = 2 * _SIGMA**2 * (1 + math.sqrt(_OMEGA)) ** 2 * (1 + _OMEGA)


@njit(nogil=True)
def log_mixture(count: float, total: float, mean: float) -> float:
    """log M_N(mean), without cancellation of large terms: for N up to 1e9 accurate to about 1e-7."""
    if count <= 0:
        return 0.0
    if (mean <= 0.0 and total > 0) or (mean >= 1.0 and total < count):
        return math.inf
    return _constant_part(count, total) + _mean_part(count, total, mean, 1.0 - mean)


@njit(nogil=True)
def _constant_part(count: float, total: float) -> float:
    """What of log M does not depend on the candidate: about -log(pi N / 2)/2."""
    errors = (
        _stirling_error(total + 0.5) + _stirling_error(count - total + 0.5) - _stirling_error(count + 1.0)
    )
    return errors - 0.5 * math.log(count + 1.0) + _HALF_LOG_TAU - _LOG_PI


@njit(nogil=True)
def _mean_part(count: float, total: float, mean: float, complement: float) -> float:
    """The rest: about N times the Kullback-Leibler divergence of the candidate from the average."""
    value, rest, n = 0.0, count - total, count + 1.0
    if total > 0:
        value += total * math.log1p((total + 0.5 - n * mean) / (n * mean))
    if rest > 0:
        value += rest * math.log1p((rest + 0.5 - n * complement) / (n * complement))
    return value


@njit(nogil=True)
def _stirling_error(x: float) -> float:
    """log Gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2)."""
    if x < 16.0:
        return math.lgamma(x) - ((x - 0.5) * math.log(x) - x + _HALF_LOG_TAU)
    s = 1.0 / (x * x)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x


@njit(nogil=True)
def mixture_upper(count: float, total: float, level: float) -> float:
    """The mean is below this at all N at once with probability at least 1 - `level` (one side)."""
    return 1.0 - _complement(count, total, level, True, _constant_part(count, total))


@njit(nogil=True)
def mixture_lower(count: float, total: float, level: float) -> float:
    """The mean is above this at all N at once with probability at least 1 - `level` (one side)."""
    return _complement(count, count - total, level, True, _constant_part(count, total))


@njit(nogil=True)
def mixture_interval(count: float, total: float, level: float) -> tuple[float, float]:
    """{m : M_N(m) < 1/level}: both sides at once, together with probability at least 1 - `level`."""
    constant = _constant_part(count, total)
    low = _complement(count, count - total, level, False, constant)
    return low, 1.0 - _complement(count, total, level, False, constant)


@njit(nogil=True)
def tightened(
    count: float, total: float, low: float, high: float, lower_level: float, upper_level: float
) -> tuple[float, float]:
    """The running intersection: bounds that held before, with those that `mixture_lower` and `mixture_upper`
    add.

    A bound that is not itself refuted now has nothing to gain, which is quicker to see than to solve for a
    root.
    """
    constant = _constant_part(count, total)
    if _refuted(count, total, high, 1.0 - high, upper_level, constant):
        high = min(high, 1.0 - _complement(count, total, upper_level, True, constant))
    if _refuted(count, count - total, 1.0 - low, low, lower_level, constant):
        low = max(low, _complement(count, count - total, lower_level, True, constant))
    return low, high


@njit(nogil=True)
def _refuted(count: float, total: float, m: float, complement: float, level: float, constant: float) -> bool:
    """Whether "the mean is m or more" is refuted at this level, one-sidedly."""
    if count * m <= total:
        return False
    if complement <= 0.0:
        return total < count
    prior = 1.0 - _TWO_OVER_PI * math.asin(math.sqrt(complement))
    return constant + _mean_part(count, total, m, complement) >= math.log1p((1.0 / level - 1.0) * prior)


@njit(nogil=True)
def _complement(count: float, total: float, level: float, one_sided: bool, constant: float) -> float:
    """1 - m for the root m above S/N of log M(m) = log(1 + F(m) (1/level - 1)), or of log M(m) =
    log(1/level).

    Newton's method in y = -log(1 - m), in which log M is convex and nearly linear where S is small; held
    between bounds. The last step is so short that the error after it, its square, is below rounding. Of m
    near 1 the complement has all its digits, so lower bounds of rare successes have theirs.
    """
    rest = count - total
    if count <= 0 or rest <= 0:
        return 0.0
    average = total / count
    odds = 1.0 / level - 1.0
    start = -math.log(rest / count)
    low, high = start, math.inf
    spread = max(average * (1.0 - average), 0.25 / count)
    step = math.sqrt(2.0 * spread * (1.0 - math.log(level) + 0.5 * math.log(count)) / count)
    y = start - math.log(max(1.0 - step * count / rest, 0.5))
    for _ in range(_MOST_STEPS):
        m = -math.expm1(-y)
        complement = 1.0 - m if m < 0.9 else math.exp(-y)
        value = constant + _mean_part(count, total, m, complement)
        slope = count - total / m
        if one_sided:
            prior = 1.0 - _TWO_OVER_PI * math.asin(math.sqrt(complement))
            value -= math.log1p(odds * prior)
            slope -= odds / (1.0 + odds * prior) / math.pi * math.sqrt(complement / m)
        else:
            value -= math.log1p(odds)
        if value < 0.0:
            low = y
        else:
            high = y
        after = y - value / slope if slope > 0.0 else high
        if not low < after < high:
            after = 2.0 * y + 1.0 if high == math.inf else 0.5 * (low + high)
        if abs(after - y) <= 1e-8 * (after - start) or high - low <= 1e-15 * low:
            return math.exp(-after)
        if low >= _FURTHEST:
            return 0.0
        y = min(after, _FURTHEST)
    return math.exp(-high)


@njit(nogil=True)
def lil_radius(count: float, arms: float, delta: float) -> float:
    """Half the width around the average of N values that holds for `arms` arms at all N, 1 - `delta` in all.

    sqrt(2 s^2 (1 + sqrt w)^2 (1 + w)/N * log(2 arms/theta * log((1 + w) N))) with s = 1/2, w = .99 and
    theta = log(1 + w) (w delta/(2 (2 + w)))^(1/(1 + w)).
    """
    if count <= 0:
        return math.inf
    return lil_radius_of(count, lil_factor(arms, delta))


@njit(nogil=True)
def lil_factor(arms: float, delta: float) -> float:
    """2 arms/theta, the same for all N."""
    theta = math.log(1 + _OMEGA) * math.pow(_OMEGA * delta / (2 * (2 + _OMEGA)), 1 / (1 + _OMEGA))
    return 2 * arms / theta


@njit(nogil=True)
def lil_radius_of(count: float, factor: float) -> float:
    """`lil_radius` with what `lil_factor` gave, for N of at least 1."""
    return math.sqrt(_LIL_SCALE / count * math.log(factor * math.log((1 + _OMEGA) * count)))


@njit(nogil=True)
def sum_of_means_lower(count: float, total: float, level: float) -> float:
    """A lower bound for the sum of the means of N values with sum S, at all N at once, 1 - `level` in all.

    For a value in [0, 1] with mean m, E exp(l x) <= 1 + m (e^l - 1). The logarithm of the right-hand side is
    concave in m, so exp(l S) / (1 + A/N (e^l - 1))^N, with A the sum of the means, is below a supermartingale
    for every l, whatever the means and however they were chosen on the way; it stays below j (j + 1)/level
    with probability 1 - level/(j (j + 1)). These levels sum to `level`. For N from 2^(j-1) to 2^j - 1 the
    bound of l_j ~ 2^(-j/2) is used, nearly the best for such N.
    """
    if count <= 0:
        return 0.0
    needed, tilt, scale = sum_epoch(count, level)
    return sum_lower_in_epoch(count, total, needed, tilt, scale)


@njit(nogil=True)
def sum_epoch(count: float, level: float) -> tuple[float, float, float]:
    """log(j (j + 1)/level), l_j and e^(l_j) - 1: the same for all N from 2^(j-1) to 2^j - 1."""
    epoch = math.floor(math.log2(count)) + 1.0
    needed = math.log(epoch * (epoch + 1.0) / level)
    # The best l in the middle of the epoch (N = .7 * 2^j) and for a variance of 1/5.
    tilt = math.sqrt(2.0 * needed / (0.2 * 0.7 * 2.0**epoch))
    return needed, tilt, math.expm1(tilt)


@njit(nogil=True)
def sum_lower_in_epoch(count: float, total: float, needed: float, tilt: float, scale: float) -> float:
    """`sum_of_means_lower` with what `sum_epoch` gave."""
    return max(0.0, count * math.expm1((tilt * total - needed) / count) / scale)
