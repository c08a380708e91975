"""Weights of rows that were drawn with unequal probabilities: sums of 1/p and 1/p^2, made by the engine."""

from __future__ import annotations

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

from evenhand.inputs.checks import any_label, is_probability
from evenhand.inputs.tables import Table

_DIGITS = "decimal(38, 12)"
WEIGHT_SUMS = ("weight", "weight_squared", "positive_weight", "positive_weight_squared")


def weight_sums(table: Table, probability: str, labels: Sequence[str]) -> dict[str, ir.Scalar]:
    """Aggregates, named as in WEIGHT_SUMS, of w = 1/p and w^2 over all rows and over the positive ones.

    Decimals, since sums of floats depend on the order of the rows, and so on the number of threads. With
    probabilities of 1e-9 and more (`is_probability`) a w needs 9 digits before the point and a w^2 needs 18,
    which leaves room for 10^14 rows.
    """
    w = _weight(table.expr[probability])
    positive = any_label(table, labels)
    parts = {"weight": w.cast(_DIGITS), "weight_squared": (w * w).cast("decimal(38, 6)")}
    sums = {name: part.sum() for name, part in parts.items()}
    # A sum over no rows is null.
    zeros = {name: ibis.literal(0).cast(part.type()) for name, part in parts.items()}
    return sums | {
        f"positive_{name}": ibis.ifelse(positive, part, zeros[name]).sum() for name, part in parts.items()
    }


def weight_sum(probability: ir.Column) -> ir.Scalar:
    """The sum of w alone, of a column of probabilities."""
    return _weight(probability).cast(_DIGITS).sum()


def _weight(probability: ir.Column) -> ir.Column:
    p = probability.cast("float64")
    # What is no probability is refused by the checks of the same query, which must get to its end.
    return 1.0 / ibis.ifelse(is_probability(p), p, 1.0)
