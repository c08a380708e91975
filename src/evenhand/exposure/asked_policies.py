"""Which policies are looked at, and what each is held against, from what a caller says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.exposure.policy import Beta, ExposureRule
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.numbered import Problem
from evenhand.exposure.rankings.browsing import Browsing, browsing_model
from evenhand.parameters import number


def rules_of(
    discount: Any, patience: Any, k: int | None, target: Any, propensity: Any
) -> dict[float, ExposureRule]:
    """What exposure is held against, for each patience."""
    given = _one_or_several(patience)
    if not given:
        raise InputError("patience is empty: give the chance to look one place further, such as 0.8.")
    if len(given) > 1 and not (isinstance(discount, str) and discount == "rbp"):
        raise InputError('several patiences are for discount="rbp"; other discounts do not know them.')
    found = [ExposureRule(browsing_model(discount, one, k), target) for one in given]
    if propensity is not None and not all(rule.can_be_weighted for rule in found):
        raise InputError('propensity is for target="equal" and discount="rbp" without k.')
    if len(given) == 1:
        return {0.0: found[0]}
    rules = dict(zip(map(float, given), found, strict=True))
    if len(rules) < len(given):
        raise InputError(f"patience has a value twice: {', '.join(map(str, given))}.")
    return rules


def in_words(discount: Any) -> Any:
    """As a plan could say it; a call may also give a browsing model."""
    if isinstance(discount, Browsing):
        return "rbp"
    return discount.tolist() if hasattr(discount, "tolist") else discount


def betas_of(beta: Any) -> list[Beta]:
    given = _one_or_several(beta)
    if not given:
        raise InputError('beta is empty: give a temperature, such as 1.0, or "static".')
    found: list[Beta] = [
        "static" if isinstance(one, str) and one == "static" else _temperature(one) for one in given
    ]
    if len(set(found)) < len(found):
        raise InputError(f"beta has a value twice: {', '.join(map(str, found))}.")
    return found


def in_units(rule: ExposureRule, problem: Problem, relative: bool) -> ExposureRule:
    if not relative or isinstance(problem.scores, Lists):
        return rule
    spread = problem.scores.spread()
    if not spread > 0:
        raise InputError("the scores of every user are all the same, so beta cannot be relative to them.")
    return replace(rule, beta_unit=spread)


def _one_or_several(given: Any) -> list[Any]:
    if isinstance(given, np.ndarray) and given.ndim == 1:
        return given.tolist()
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def _temperature(beta: Any) -> float:
    """A whole number stays one, so that a finding says beta 8 and not 8.0."""
    found = number("beta", beta, 0, above=True)
    return int(found) if found.is_integer() else found
