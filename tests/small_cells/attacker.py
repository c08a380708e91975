"""Who reads all that is written, and tries to find out what was hidden.

Estimates have sixteen digits, so that what agrees with a hidden one in nine of them was computed from it:
every published number, every sum, difference, product and ratio of two, minus the sum of the other groups,
what is left of a weighted mean, and of a spread, is held against it. Counts are small whole numbers, which
agree with anything by chance, so that they are looked for where counts stand: in differences of totals and
what is published of the other groups, and in shares times totals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import evenhand as eh
from evenhand.findings import Finding

COUNTS = (
    "n",
    "users",
    "count",
    "rows",
    "people",
    "rows_default",
    "rows_random",
    "users_scored",
    "other_users",
)
DIGITS = 1e-9


def written(folder: Path) -> str:
    """Everything in a folder that can be read."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, str):
        yield from map(float, re.findall(r"\d+\.\d+|\d+", value.replace(",", "")))


def counts(value: Any, key: str = "") -> Iterator[int]:
    """Whole numbers where counts stand."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from counts(item, key if key == "people" else name)
    elif isinstance(value, list):
        for item in value:
            yield from counts(item, key)
    elif isinstance(value, int) and not isinstance(value, bool) and key in COUNTS:
        yield value


def recovered_values(hidden: list[Finding], shown: list[Finding], text: str) -> list[str]:
    """Estimates of hidden findings that follow from what was written."""
    every = np.unique([*numbers(text)])
    pool = np.unique([n for f in shown for n in numbers(f.model_dump(mode="json"))])
    pool = pool[np.round(pool, 6) != pool]  # short ones come by chance
    found = []
    for finding in hidden:
        target = finding.estimate
        if target is None or _comes_by_chance(target):
            continue
        made = np.concatenate([every, *_of_two(pool, target), _of_the_rest(finding, shown)])
        if np.any(np.abs(made - target) <= DIGITS * abs(target)):
            found.append(f"{finding.measure} {finding.subject} = {target}")
    return found


def _comes_by_chance(target: float) -> bool:
    """A share of few, such as 4/7, is the ratio of many numbers."""
    return abs(Fraction(target).limit_denominator(500) - Fraction(target)) < Fraction(1, 10**12)


def _of_two(pool: np.ndarray, target: float) -> Iterator[np.ndarray]:
    """What two numbers give, of those pairs that come near: the second is looked up for each first."""
    with np.errstate(all="ignore"):
        for wanted, back in (
            ()
            if len(pool) < 2
            else (
                (target - pool, pool.__add__),
                (pool - target, pool.__sub__),
                (target / pool, pool.__mul__),
                (pool / target, pool.__truediv__),
            )
        ):
            near = pool[np.clip(np.searchsorted(pool, wanted), 1, len(pool) - 1)]
            under = pool[np.clip(np.searchsorted(pool, wanted) - 1, 0, len(pool) - 1)]
            for second in (near, under):
                made = back(second)
                yield made[np.isfinite(made)]


def _of_the_rest(finding: Finding, shown: list[Finding]) -> np.ndarray:
    """What is left of zero, one, of a mean over everybody and of a spread, the other groups being known."""
    about = {key: value for key, value in finding.subject.items() if key != "group"}
    if "group" not in finding.subject:
        return np.zeros(0)
    others = [
        one
        for one in shown
        if one.measure == finding.measure
        and one.estimate is not None
        and {key: value for key, value in one.subject.items() if key != "group"} == about
    ]
    known = np.array([one.estimate for one in others], dtype=float)
    sizes = np.array([0 if one.n is None else one.n.count for one in others], dtype=float)
    made = [-known.sum(), 1 - known.sum()]
    for whole in shown:
        if whole.audit != finding.audit or "group" in whole.subject or whole.estimate is None:
            continue
        means = [whole.estimate, *(numbers(whole.details))]
        for mean in means:
            if whole.n and whole.n.count > sizes.sum():
                made.append((whole.n.count * mean - sizes @ known) / (whole.n.count - sizes.sum()))
            squares = (len(known) + 1) * mean**2 - (known**2).sum()  # a penalty is the spread of all groups
            made += [np.sqrt(max(0.0, squares)), -np.sqrt(max(0.0, squares))]
            made += [mean * (1 + other) - 1 for other in known]  # a worst ratio
            made += [(1 + other) / mean - 1 for other in known if mean]
    return np.array(made)


def _count(finding: dict[str, Any]) -> int | None:
    return None if finding["n"] is None else int(finding["n"]["count"])


def recovered_counts(targets: set[int], result: eh.AuditResult) -> list[str]:
    """Counts of hidden groups that are what totals leave beside the published groups, or a share of one."""
    document = json.loads(result.to_json())
    # Groups of items are counted too, which are nobody's business.
    told = [one for one in result.findings if one.n is None or one.n.of != "items"]
    document["findings"] = [one.model_dump(mode="json") for one in told]
    totals = set(counts(document))
    families: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for one, finding in zip(told, document["findings"], strict=True):
        if "group" in one.subject and one.estimate is not None:
            about = {key: value for key, value in one.subject.items() if key != "group"}
            families.setdefault((one.measure, json.dumps(about)), []).append(finding)
    found = [f"{target} is published" for target in sorted(targets & totals)]
    for family, members in families.items():
        for key in ("n", "rows_default", "rows_random"):
            known = [_count(m) if key == "n" else m["details"].get(key) for m in members]
            if None not in known:
                left = {total - sum(known) for total in totals} & targets
                found += [f"a total less {key} of {family} leaves {count}" for count in sorted(left)]
    for share in {n for n in numbers(document) if 0 < n < 1 and round(n, 2) != n}:  # not .5 or .95
        for total in totals:
            if (near := round(share * total)) in targets and abs(share * total - near) < 1e-9 * total:
                found.append(f"{share} of {total} is {near}")
    return found
