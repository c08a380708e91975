"""Does what users like change from day to day? A test on the random log itself.

A day that is held against random traffic of several days is judged by what users liked on all of them. With
shares p of the groups among the positives of the day's own random traffic, and q among those of its whole
window, r = p/q - 1 is what that gets wrong. Two statistics, of each group k:

    T_k = sum over days t of w_tk r_tk^2,    1/w_tk = (1/N_t - 1/M_t)/q_tk
    C_k = sum over weekdays of (sum over its days of w_tk r_tk)^2 / (sum over its days of w_tk)

with N_t positives in the random traffic of the day and M_t in its window. T is chi-square's and sees any
change; C sees a weekly one where a single day has too few positives. Their law is found by turning signs of
users (`evenhand.stats.sign_flips`), as a user who comes on several days makes them alike, and one who likes
much makes a day stand out. What a user c adds to p_t - q_t is

    s_ct = (b_ct - n_ct q_t)/N_t - (sum over the window of b_cs - n_cs q_t)/M_t,   n_ct = sum_k b_ctk

with q_t taken over the other users: a heavy user would otherwise be held against himself. Without users every
row is turned by itself, which by day and group is a normal variable with the variance of its count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Ints
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.measures import Array
from evenhand.stats.multiplicity import holm
from evenhand.stats.sign_flips import FLIPS, p_value, signs


class TasteChange(NamedTuple):
    """How surely the shares change over the days; by group, too, with their typical relative change."""

    p_value: float
    of_groups: Array  # Holm's
    sizes: Array


class _Windows(NamedTuple):
    """Days that are only a part of their window, with the counts and shares of both."""

    own: Ints
    windows: Array  # days x parts
    n: Array  # days x 1
    m: Array
    shares: Array  # days x groups
    weights: Array
    weekdays: Array  # weekdays x days: which is which

    def differences(self, counts: Array) -> Array:
        """What counts, parts x columns, add to the day less what they add to its window; days x columns."""
        return np.asarray(counts[self.own] / self.n - (self.windows @ counts) / self.m)

    def statistics(self, deviations: Array, k: int) -> Array:
        """T_k and C_k of p - q, days x columns."""
        weights, shares = self.weights[:, [k]], self.shares[:, [k]]
        relative = np.divide(deviations, shares, out=np.zeros_like(deviations), where=shares > 0)
        sums, weight = self.weekdays @ (weights * relative), self.weekdays @ weights
        weekly = np.divide(sums**2, weight, out=np.zeros_like(sums), where=weight > 0)
        return np.stack([(weights * relative**2).sum(axis=0), weekly.sum(axis=0)])


def change_of_shares(
    parts: Sequence[LogCounts], own: Ints, within: NDArray[np.bool_], weekdays: Ints
) -> TasteChange | None:
    """Shares of groups among the positives of `parts` of a random log, all over the same groups.

    The random traffic of day t is part `own[t]`, its window are the parts in `within[t]`, and it is one of
    `weekdays`. None where no window holds more than its day.
    """
    totals = np.stack([part.weighted_positives.sum(axis=0) for part in parts])
    told = _told(totals, own, within, weekdays)
    if told is None:
        return None
    clustered = parts[0].clustered
    deviations = (_by_user if clustered else _by_row)(parts, told)
    everything = told.differences(totals.sum(axis=1, keepdims=True))
    found, drawn = [], []
    for k, turned in enumerate(deviations):
        own_share = told.differences(totals[:, [k]]) - told.shares[:, [k]] * everything
        found.append(told.statistics(own_share, k)[:, 0])
        drawn.append(told.statistics(turned, k))
    observed, chance = np.stack(found, axis=-1), np.stack(drawn, axis=-1).transpose(1, 0, 2)
    together = 2 * p_value(observed.sum(axis=1), chance.sum(axis=2)).min()
    of_groups = np.minimum(1, 2 * p_value(observed, chance).min(axis=0))
    excess, weight = np.maximum(observed[0] - chance[:, 0].mean(axis=0), 0), told.weights.sum(axis=0)
    sizes = np.sqrt(np.divide(excess, weight, out=np.zeros_like(excess), where=weight > 0))
    return TasteChange(min(1.0, float(together)), holm(of_groups), sizes)


def _told(totals: Array, own: Ints, within: NDArray[np.bool_], weekdays: Ints) -> _Windows | None:
    windows = within.astype(float)
    in_window = windows @ totals
    n, m = totals[own].sum(axis=1, keepdims=True), in_window.sum(axis=1, keepdims=True)
    # A day that is all of its window says nothing.
    some = ((n > 0) & (n < m * (1 - 1e-9)))[:, 0]
    if not some.any():
        return None
    n, m = n[some], m[some]
    shares = in_window[some] / m
    of_weekday = (np.unique(weekdays)[:, None] == weekdays[some]).astype(float)
    return _Windows(own[some], windows[some], n, m, shares, shares / (1 / n - 1 / m), of_weekday)


def _by_user(parts: Sequence[LogCounts], told: _Windows) -> Iterator[Array]:
    """p - q with signs of users turned, days x draws, a group each."""
    positives = np.stack([part.weighted_positives for part in parts])
    positives = positives[:, positives.any(axis=(0, 2))]
    turned = signs(positives.shape[1], np.random.default_rng(_seed(told))).T
    everything = positives.sum(axis=2)
    difference, rest = told.differences(everything), told.m - told.windows @ everything
    for k in range(positives.shape[2]):
        in_window = told.windows @ positives[:, :, k]
        others = np.divide(
            in_window.sum(axis=1, keepdims=True) - in_window, rest, out=np.zeros_like(rest), where=rest > 0
        )
        yield (told.differences(positives[:, :, k]) - others * difference) @ turned


def _by_row(parts: Sequence[LogCounts], told: _Windows) -> Iterator[Array]:
    """The same where every row is turned by itself."""
    spread = np.sqrt(np.stack([part.squared_positives.sum(axis=0) for part in parts]))

    def noise(k: int) -> Array:
        # Drawn again rather than kept, as it is days x groups x draws.
        drawn = np.random.default_rng([_seed(told), k]).standard_normal((len(spread), FLIPS))
        return told.differences(drawn * spread[:, [k]])

    everything = sum(noise(k) for k in range(spread.shape[1]))
    for k in range(spread.shape[1]):
        yield noise(k) - told.shares[:, [k]] * everything


def _seed(told: _Windows) -> int:
    """Of the data: with one and the same set of draws the level would be off by their luck in all audits."""
    return int(told.m.sum())
