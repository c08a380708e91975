"""From a random log to how often each item was drawn, by bucket of users."""

from __future__ import annotations

from typing import Any

import ibis
import ibis.expr.types as ir

from evenhand import inputs
from evenhand.opportunity.logs.counting import Question


def shelf_of(random: inputs.Table, item: str, catalogue: inputs.Table | None) -> ir.Table:
    """Items that could be drawn: those of the catalogue, or without one those that were."""
    if catalogue is None:
        offered = random.expr
    else:
        catalogue.require(item)
        inputs.same_key_types(random, catalogue, [item])
        offered = catalogue.on_backend_of(random).expr
    return offered.filter(offered[item].notnull()).select(item=offered[item]).distinct()


def draws_of(
    random: inputs.Table, question: Question, item: str, shelf: ir.Table, buckets: int, **also_by: Any
) -> ir.Table:
    """Draws (each with its weight 1/p where probabilities are given) and rows of what is on the shelf, by
    bucket of users, item and `also_by`."""
    t = random.expr
    draws = t.count().cast("float64")
    if question.probability:
        random.require(question.probability)
        draws = inputs.weight_sum(t[question.probability]).cast("float64")
    user: Any = ibis.literal(0)
    if question.cluster:
        user = inputs.bucket(t[question.cluster], buckets, random.integer_range(question.cluster))
    drawn = t.group_by(user=user, item=t[item], **also_by).aggregate(draws=draws, rows=t.count())
    return drawn.inner_join(shelf, "item")
