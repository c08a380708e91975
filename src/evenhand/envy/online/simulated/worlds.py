"""Simulated users: what rewards they give and when these are reported."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.compiled import njit

REWARDS = {"bernoulli": 0, "beta": 1, "mean": 2}
DELAYS = {"none": 0, "random": 1, "bad_late": 2, "good_late": 3}
_BERNOULLI, _BETA, _MEAN = range(3)
_NONE, _RANDOM, _BAD_LATE, _GOOD_LATE = range(4)


# A level that stands still.
STILL = np.zeros(1)


class World(NamedTuple):
    """Codes of REWARDS and DELAYS, and their numbers; shares that are missing under the policies of others
    and under the user's own.
    """

    rewards: int = _BERNOULLI
    concentration: float = 2.0
    delay: int = _NONE
    longest: int = 0
    lost: float = 0.0
    own_lost: float = 0.0


@njit(nogil=True)
def lost_share(world: World, arm: int) -> float:
    return world.lost if arm > 0 else world.own_lost


@njit(nogil=True)
def mean_at(means: NDArray[np.float64], levels: NDArray[np.float64], arm: int, step: int) -> float:
    """The mean reward of this arm at this step, counted from 1: levels are added over and over."""
    return means[arm] + levels[(step - 1) % len(levels)]


@njit(nogil=True)
def draw_reward(rng: np.random.Generator, world: World, mean: float) -> float:
    """A reward with this mean: 0 or 1, or from a Beta distribution, or the mean itself."""
    if world.rewards == _MEAN or mean <= 0.0 or mean >= 1.0:
        return mean
    if world.rewards == _BERNOULLI:
        return 1.0 if rng.random() < mean else 0.0
    return rng.beta(mean * world.concentration, (1.0 - mean) * world.concentration)


@njit(nogil=True)
def draw_report(rng: np.random.Generator, world: World, arm: int, reward: float) -> tuple[float, int, bool]:
    """What is reported of this reward, how many steps later, and whether it is missing: then 0, at the
    deadline.

    The delay is uniform, or the longest for bad rewards (or for good ones) only: the worst that can be done
    to an audit that takes rewards in order of arrival.
    """
    if world.longest == 0 and world.lost == 0.0 and world.own_lost == 0.0:
        return reward, 0, False
    lost = lost_share(world, arm)
    if lost > 0.0 and rng.random() < lost:
        return 0.0, world.longest, True
    if world.longest == 0:
        return reward, 0, False
    if world.delay == _RANDOM:
        return reward, int(rng.random() * (world.longest + 1)), False
    if (world.delay == _BAD_LATE and reward < 0.5) or (world.delay == _GOOD_LATE and reward >= 0.5):
        return reward, world.longest, False
    return reward, 0, False
