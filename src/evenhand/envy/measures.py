"""How much envy there is, by the definitions of Do and others 2022."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenhand.envy.evidence import Evidence


class Pair(NamedTuple):
    """User number `user` would gain `gain` from the policy of user number `other`."""

    user: int
    other: int
    gain: float
    own: float


def average_envy(evidence: Evidence) -> float:
    """(1/M) sum_m Delta^m (Sec. 5.1)."""
    return float(evidence.envy.mean())


def envious_share(evidence: Evidence, gamma: float = 0.0) -> float:
    """The share of users who are (epsilon, gamma)-envious: for whom more than the share gamma of all policies
    is better than their own by more than epsilon (Definition 3.2).

    With gamma = 0 one such policy is enough: Delta^m > epsilon, the epsilon-envious users of Sec. 5.1.
    """
    return float(np.mean(evidence.share_better > gamma))


def is_envy_free(evidence: Evidence, gamma: float = 0.0, tolerated: float = 0.0) -> bool:
    """Whether at most the share `tolerated` (lambda) of users is (epsilon, gamma)-envious (Definition 3.2).

    With both 0 this is epsilon-envy-freeness (Definition 3.1).
    """
    return envious_share(evidence, gamma) <= tolerated


def worst_pairs(evidence: Evidence, count: int) -> list[Pair]:
    """The users who envy most, each with the policy that they envy; users without envy are left out.

    One pair a user: a user who is served badly envies nearly everybody, and would fill a list of all pairs.
    """
    order = np.argsort(-evidence.envy, kind="stable")[:count]
    return [
        Pair(int(m), int(evidence.best_policy[m]), float(evidence.envy[m]), float(evidence.own[m]))
        for m in order
        if evidence.envy[m] > 0
    ]


def most_envied(evidence: Evidence) -> tuple[int, int] | None:
    """Whose policy the most users would like best, and how many; None where nobody envies."""
    envied = evidence.best_policy[evidence.envy > 0]
    if len(envied) == 0:
        return None
    counts = np.bincount(envied)
    return int(counts.argmax()), int(counts.max())
