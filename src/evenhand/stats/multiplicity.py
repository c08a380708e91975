"""Several tests at once: p-values that keep the chance of any false alarm where it was asked to be, and the
same for questions that are answered by intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from evenhand.stats.normal import Array

Answer = TypeVar("Answer")
ROUNDING = 1e-12


def holm(p_values: Array) -> Array:
    """Adjusted p-values of Holm (1979): rejecting those of at most alpha makes any false alarm at most alpha.

    The smallest is multiplied by the number of tests, the next by one less, and so on; none may fall below
    the one before it.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def answers_together(
    questions: Sequence[Callable[[float], Answer]], claims: Callable[[Answer], bool], level: float
) -> list[tuple[float, Answer]]:
    """The answers to several questions, each with its level, of which no claim is false at `level` together.

    A question is asked at a level, and its answer (a finding, or several that hold together) claims something
    or does not: that a tolerance is broken. The interval of another level does not follow from one that is
    known, so questions are asked again. Holm (1979): all m at 1 - (1 - level) / m. Those that claim are done;
    the rest is asked at the level for the number that is left, until nobody claims anew. At the level of its
    last answer, each claim is one that Holm's p-values would make, if a question's p-value is 1 minus the
    highest level at which it claims; and claims are all that is promised for all questions at once.
    """
    left = list(range(len(questions)))
    found: dict[int, tuple[float, Answer]] = {}
    while left:
        at = 1 - (1 - level) / len(left)
        found |= {place: (at, questions[place](at)) for place in left}
        still = [place for place in left if not claims(found[place][1])]
        if len(still) == len(left):
            break
        left = still
    return [found[place] for place in range(len(questions))]


def step_down(found: Array, drawn: Array) -> Array:
    """Adjusted p-values of Westfall and Young (1993, step-down maxT), two-sided, from shuffles of the data.

    `found` has a statistic a test, around 0 where there is nothing, and `drawn` a row of the same for each
    shuffle. As the tests are shuffled together, what they share costs nothing, and the smallest p-value that
    can be is 1 / (1 + shuffles), however many tests there are. Each is in units of its own spread, that of
    the data among the shuffles; otherwise the tests that vary most would hide all others.
    """
    sizes = np.abs(np.vstack([found, drawn]))
    spread = np.sqrt((sizes**2).mean(axis=0))
    sizes = sizes / np.where(spread > 0, spread, 1.0)
    order = np.argsort(-sizes[0], kind="stable")
    # The largest of a test and all that come after it.
    largest = np.maximum.accumulate(sizes[1:, order[::-1]], axis=1)[:, ::-1]
    reached = (largest >= sizes[0, order] * (1 - ROUNDING)).sum(axis=0)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate((1 + reached) / (1 + len(largest)))
    return adjusted
