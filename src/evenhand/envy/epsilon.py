"""Whether epsilon suits the unit of the preferences: a default for numbers from 0 to 1 may mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.findings import Finding


def epsilon_details(
    bounds: tuple[float, float] | None, utilities: NDArray[np.float64], epsilon: float
) -> dict[str, Any]:
    """The range of preferences, and epsilon beside what users get."""
    details: dict[str, Any] = {} if bounds is None else {"preference_range": list(bounds)}
    if (mean := float(utilities.mean())) > 0:
        details["epsilon_share"] = epsilon / mean
    return details


def about_epsilon(
    bounds: tuple[float, float] | None, utilities: NDArray[np.float64], epsilon: float
) -> list[str]:
    """What to take care of where preferences are not from 0 to 1.

    A recommender's scores are not all held, so utilities, which are means of them, speak for their range.
    """
    what = "Utilities" if bounds is None else "Preferences"
    low, high = (float(utilities.min()), float(utilities.max())) if bounds is None else bounds
    cautions = []
    if low < 0 or high > 1:
        cautions.append(
            f"{what} reach from {low:.4g} to {high:.4g}, not from 0 to 1. Epsilon is in the same unit: see "
            f"whether {epsilon:g} is a difference that matters."
        )
    return cautions


def refuse_too_large(epsilon: float, bounds: tuple[float, float] | None) -> None:
    """Raise where nobody could envy by more than epsilon, so that everything would be within it."""
    if bounds is None:
        return
    low, high = bounds
    if high - low <= epsilon:
        less = f"give one below {high - low:.4g}" if high > low else "there is nothing to envy"
        raise InputError(
            f"epsilon is {epsilon:g}, but preferences reach from {low:.4g} to {high:.4g}, so nobody could "
            f"envy by more. Epsilon is in the unit of the preferences; {less}."
        )


def warned(findings: Sequence[Finding], cautions: Sequence[str]) -> tuple[Finding, ...]:
    """The findings, each with these warnings after its own."""
    if not cautions:
        return tuple(findings)
    return tuple(finding.amended(warnings=(*finding.warnings, *cautions)) for finding in findings)
