"""Dong and others' bounds on how much traffic is enough: valid for any data, and so far from tight."""

from __future__ import annotations

import numpy as np

from evenhand.opportunity.measures import Array


def sufficient_rows(
    rates: Array, random_rates: Array, half_width: float, level: float, all_groups: bool = False
) -> tuple[float, float]:
    """Rows of default and of random traffic for an error below `half_width` with probability `level`.

    n = 4 K^2 log(1/delta) / ((sum U)^2 eps^2)                    (Dong and others 2024, Eq. 21)
    n max_k U_k^2 (1 - q_k)/q_k   and   n max_k U_k^2 (1 - p_k)/p_k      (Eq. 8)

    For the relative utilities of all groups at once, log(K/delta) stands in place of log(1/delta) (Eq. 14).
    """
    utilities = rates / random_rates
    groups = len(utilities)
    failure = np.log((groups if all_groups else 1) / (1 - level))
    n = 4 * groups**2 * failure / (utilities.sum() ** 2 * half_width**2)
    default, random = (n * (utilities**2 * (1 - share) / share).max() for share in (rates, random_rates))
    return float(default), float(random)
