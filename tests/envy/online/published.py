"""Algorithm 1 of Do and others (2022), once more from the page: an oracle for `lil` and `uniform`."""

from __future__ import annotations

import math

import numpy as np


def radius(n, arms, delta, w=0.99):
    if n == 0:
        return math.inf
    theta = math.log(1 + w) * (w * delta / (2 * (2 + w))) ** (1 / (1 + w))
    inside = math.log(2 * arms / theta * math.log((1 + w) * n))
    return math.sqrt(2 * 0.25 * (1 + math.sqrt(w)) ** 2 * (1 + w) / n * inside)


def ocef(means, epsilon, delta, alpha, choose, draw: np.random.Generator):
    """Outcome and the arms shown; rewards of 0 and 1. `choose` gives the random number of a step."""
    size = len(means)
    rewards = [[] for _ in means]
    active = set(range(1, size))
    explored: list[float] = []
    shown: list[int] = []
    while True:
        n = np.array([len(r) for r in rewards])
        beta = np.array([radius(k, size, delta) for k in n])
        average = np.array([np.mean(r) if r else 0.0 for r in rewards])
        lower = np.where(n > 0, np.maximum(average - beta, 0), 0)
        upper = np.where(n > 0, np.minimum(average + beta, 1), 1)
        pick = sorted(active)[int(choose(len(shown) + 1) * len(active))]
        size_a = len(explored)
        phi = 0.0
        if size_a:
            log_term = math.log(6 * size_a**2 / delta)
            phi = 0.5 * math.sqrt(2 * size_a * log_term) + 2 / 3 * log_term
        slack = min(sum(beta[k] * n[k] for k in range(1, size) if n[k]), phi)
        t = len(shown) + 1
        xi = sum(explored) - slack + lower[pick] + (n[0] - (1 - alpha) * t) * upper[0]
        arm = 0 if beta[0] > min(beta[k] for k in active) or xi < 0 else pick
        reward = float(draw.random() < means[arm])
        rewards[arm].append(reward)
        if arm:
            explored.append(reward)
        shown.append(arm)
        beta_of = radius(len(rewards[arm]), size, delta)
        lower[arm] = max(np.mean(rewards[arm]) - beta_of, 0)
        upper[arm] = min(np.mean(rewards[arm]) + beta_of, 1)
        active = {k for k in active if upper[k] > lower[0] + epsilon}
        if any(lower[k] > upper[0] for k in active):
            return "envy", shown
        if not active:
            return "no_envy", shown
