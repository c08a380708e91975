"""What a caller may say to the group audit, checked before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from evenhand.asked.sentences import guess
from evenhand.errors import InputError
from evenhand.groups.lists.metrics import METRICS
from evenhand.inputs import Table
from evenhand.parameters import tolerance as checked_tolerance

# Squares of larger values are no numbers; differences finer than this share of the values are rounding.
LARGEST, FINEST = 1e100, 1e12


def tolerance(given: Any, metrics: Sequence[str], bounds: tuple[float, float] | None) -> None:
    """Raise if no gap between groups could be beyond it, as far as that is known before reading."""
    for name in metrics:
        known = METRICS.get(name)
        limits = bounds if known is None else None if "popularity" in known.needs else (0.0, 1.0)
        gap_can_exceed(given, name, limits)


def gap_can_exceed(given: Any, metric: str, bounds: tuple[float, float] | None) -> None:
    if bounds is not None and bounds[0] < bounds[1]:
        what = f"the gap of {metric}, which is between {bounds[0]:g} and {bounds[1]:g},"
        checked_tolerance(given, bounds[1] - bounds[0], what, above=True)


def columns_among(metrics: Sequence[str], people: Table) -> list[str]:
    """The metrics that are columns of the users' table; what is neither is refused."""
    columns = [name for name in metrics if name not in METRICS]
    for name in columns:
        if name not in people.columns:
            raise InputError(
                f"{name!r} is neither a metric ({', '.join(METRICS)}) nor a column of {people.name} "
                f"({', '.join(people.columns)}){_instead(name, people)}."
            )
    return columns


def _instead(name: str, people: Table) -> str:
    """What was probably meant; reports write "mrr@5", of which 5 is another parameter."""
    metric, cut, k = name.lower().partition("@")
    if cut and metric in METRICS:
        number = k if k.isdigit() else "10"
        return f": say {metric!r}, and how many items count with k (on the command line -k {number})"
    return guess(name, people.columns) or guess(metric, list(METRICS))


def no_positive_rule(no_positive: Any, metrics: Sequence[str]) -> None:
    if no_positive == "zero":
        undefined = [name for name in metrics if name in METRICS and not METRICS[name].zero_without_positive]
        if undefined:
            raise InputError(
                f"{undefined[0]} of a user without a positive is undefined and not 0; use "
                "no_positive='exclude' (--no-positive exclude)."
            )


def bounds(bounds: Any) -> tuple[float, float] | None:
    """Two finite numbers, the lower first."""
    if bounds is None:
        return None
    if not isinstance(bounds, tuple | list | np.ndarray) or len(bounds) != 2:
        raise InputError(f"bounds is {bounds!r}, but must be two numbers, the lowest and the highest value.")
    low, high = bounds
    if not all(isinstance(bound, Real) and np.isfinite(float(bound)) for bound in bounds):
        raise InputError(f"bounds are {low!r} and {high!r}, but must be two finite numbers.")
    if not low < high:
        raise InputError(f"bounds are {low:g} and {high:g}, but the first must be below the second.")
    if max(abs(low), abs(high)) > LARGEST:
        raise InputError(f"bounds are {low:g} and {high:g}, but must be at most {LARGEST:g}.")
    return float(low), float(high)
