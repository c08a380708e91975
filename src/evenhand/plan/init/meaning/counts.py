"""How often items come in rows that were looked at."""

from __future__ import annotations

import ibis

from evenhand.plan.init.tables.profiling import Profile


def item_counts(
    profile: Profile, item: str, where: ibis.expr.types.BooleanValue | None = None
) -> tuple[int, float, float]:
    """How many items there are, and the mean and the variance of their rows."""
    t = profile.table.expr
    # Two columns first: a table may have hundreds, and every step over those takes its time.
    t = t.select(item=t[item], counts=ibis.literal(True) if where is None else where)
    each = t.filter(t.counts).group_by("item").aggregate(n=ibis._.count())
    told = profile.run(each.aggregate(items=each.count(), mean=each.n.mean(), variance=each.n.var(how="pop")))
    return int(told["items"][0] or 0), float(told["mean"][0] or 0), float(told["variance"][0] or 0)


def item_counts_by(profile: Profile, item: str, name: str) -> dict[object, tuple[int, float, float]]:
    """The same of the rows of each value of a column, in one query."""
    t = profile.table.expr
    t = t.select(value=t[name], item=t[item])
    each = t.filter(t.value.notnull()).group_by("value", "item").aggregate(n=ibis._.count())
    told = profile.run(
        each.group_by("value").aggregate(
            items=each.count(), mean=each.n.mean(), variance=each.n.var(how="pop")
        )
    )
    return {
        value: (int(items), float(mean), float(variance or 0))
        for value, items, mean, variance in zip(
            told["value"].tolist(), told["items"], told["mean"], told["variance"], strict=True
        )
    }


def unequal_chances(
    profile: Profile, item: str, where: ibis.expr.types.BooleanValue | None = None
) -> float | None:
    """How much the chances of items differ, as a squared coefficient of variation without what chance adds:
    about 0 where items were drawn uniformly; None where items come too rarely to tell."""
    items, mean, variance = item_counts(profile, item, where)
    if items < 5 or mean < 3:
        return None
    return (variance - mean) / mean**2
