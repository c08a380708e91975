"""When a simulated rate contradicts a claim, by one rule for all calibration tests.

A rate is refuted where its 95% Wilson interval lies wholly on the wrong side of what is claimed. So a quick
test with few runs forgives noise and nothing else: it says "this cannot be 95%", never "this is roughly 95%".
"""

import numpy as np
from scipy.stats import norm


def wilson(hits: float, runs: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a rate, from 0 to 1."""
    z = norm.ppf(0.5 + level / 2)
    rate = hits / runs
    middle = (rate + z**2 / (2 * runs)) / (1 + z**2 / runs)
    half = z / (1 + z**2 / runs) * np.sqrt(rate * (1 - rate) / runs + z**2 / (4 * runs**2))
    return float(middle - half), float(middle + half)


def can_be_at_least(hits: float, runs: int, rate: float) -> bool:
    """Whether `hits` of `runs` can come from a rate of at least `rate`."""
    return wilson(hits, runs)[1] >= rate


def can_be_at_most(hits: float, runs: int, rate: float) -> bool:
    """Whether `hits` of `runs` can come from a rate of at most `rate`."""
    return wilson(hits, runs)[0] <= rate
