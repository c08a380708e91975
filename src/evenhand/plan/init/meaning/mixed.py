"""Rows of a log that look randomly drawn, where no word says so: items come evenly in them, and not in the
others. Counted as default traffic, they would make a system look fairer than it is."""

from __future__ import annotations

import math
from typing import Any

from evenhand.plan.init.labelling.labels import PLAUSIBLE
from evenhand.plan.init.meaning.counts import item_counts_by
from evenhand.plan.init.meaning.recognised import Recognised
from evenhand.plan.init.meaning.vocabulary import DISLIKED, LIKED, PROTECTED, SENSITIVE, SOURCE
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.tables.profiling import Column

# Squared coefficients of variation of the chances of items: uniform below, chosen above.
UNIFORM, CHOSEN = 0.05, 0.15
# Many columns are tried, so chance must not make one look even: two standard errors are below the limit.
MOST_UNCERTAIN = UNIFORM / 2
# Rankers, engines, servers: a column that says which has no more values than that.
MOST_FEW = 8
# Of very wide logs, so many columns with more than two values are looked at: each takes a query.
MOST_ASKED = 40
# With so many rows an item, hardly any is missing by chance.
ENOUGH = 3
# Random rows are drawn from all items; some items are all that another column may take.
LEAST_COVERED = 0.8


def even_rows(log: Recognised) -> tuple[str, Any] | None:
    """The column with a few values, and the one of them whose rows look randomly drawn; None without one."""
    if not log.item:
        return None
    plain = {label.column for label in log.labels if label.strength >= PLAUSIBLE}
    possible = [
        name
        for name, column in log.profile.columns.items()
        if _has_few_values(column)
        and name not in plain
        and not hints(name, LIKED | DISLIKED | PROTECTED | SENSITIVE)
    ]
    several = [name for name in possible if log.profile.columns[name].distinct > 2]
    # Those that are called like a source first.
    left = set(sorted(several, key=lambda name: not hints(name, SOURCE))[MOST_ASKED:])
    possible = [name for name in possible if name not in left]
    of_items = log.profile.depends_on(possible, log.item)
    for name in possible:
        if name not in of_items and (value := even_value(log, name)) is not None:
            return name, value
    return None


def even_value(log: Recognised, name: str) -> Any | None:
    """The one value of a column in whose rows items come evenly, where in others they do not."""
    if not log.item:
        return None
    values = log.profile.columns[name].values
    counts = item_counts_by(log.profile, log.item, name)
    most = max((items for items, _, _ in counts.values()), default=0)
    even, uneven, between = {}, [], []
    for value, counted in counts.items():
        items, mean, variance = _with_those_not_drawn(*counted, most)
        if not items or math.sqrt(2 / items) / mean > MOST_UNCERTAIN:
            continue
        unequal = (variance - mean) / mean**2
        if unequal < UNIFORM:
            even[value] = items
        elif unequal > CHOSEN:
            uneven.append(value)
        else:
            between.append(value)
    # Of more than two values one must stand out from all of the others.
    if len(even) != 1 or not uneven or (between and len(values) > 2):
        return None
    (value, items) = next(iter(even.items()))
    return value if items >= LEAST_COVERED * most else None


def _with_those_not_drawn(items: int, mean: float, variance: float, most: int) -> tuple[int, float, float]:
    """Where rows are few, as in a sample of a long log, many items are in none of them by chance: they count
    as drawn 0 times, as without them those that were drawn would look more even than they are."""
    if not items or items * mean >= ENOUGH * most:
        return items, mean, variance
    squares = items * (variance + mean**2)
    mean = items * mean / most
    return most, mean, squares / most - mean**2


def _has_few_values(column: Column) -> bool:
    few = 2 <= column.distinct == len(column.values) <= MOST_FEW
    return few and column.kind in ("truth", "integer", "text")
