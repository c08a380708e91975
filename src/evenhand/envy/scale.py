"""Whether epsilon suits the unit of the preferences: a default for numbers from 0 to 1 may mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.findings import Finding


def scale_details(
    bounds: tuple[float, float] | None, utilities: NDArray[np.float64], epsilon: float
) -> dict[str, Any]:
    """The range of preferences, and epsilon beside what users get."""
    details: dict[str, Any] = {} if bounds is None else {"preference_range": list(bounds)}
    if (mean := float(utilities.mean())) > 0:
        details["epsilon_share"] = epsilon / mean
    return details


def about_scale(
    bounds: tuple[float, float] | None, utilities: NDArray[np.float64], epsilon: float
) -> list[str]:
    """What to take care of where preferences are not from 0 to 1, or so alike that nobody can envy.

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
    if bounds is not None and high - low <= epsilon:
        cautions.append(
            f"Preferences reach from {low:.4g} to {high:.4g}, so nobody can envy by more than the epsilon of "
            f"{epsilon:g}. Epsilon is in the unit of the preferences: choose a smaller one."
        )
    return cautions


def warned(findings: Sequence[Finding], cautions: Sequence[str]) -> tuple[Finding, ...]:
    """The findings, each with these warnings after its own."""
    if not cautions:
        return tuple(findings)
    return tuple(
        finding.model_copy(update={"warnings": (*finding.warnings, *cautions)}) for finding in findings
    )
