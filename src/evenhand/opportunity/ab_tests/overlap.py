"""Are the arms of a comparison really different users and different rows?"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from evenhand import inputs
from evenhand.inputs.engines import same_database
from evenhand.opportunity.ab_tests.planned_split import MOST_VALUES, refuse_many, refuse_unplanned
from evenhand.opportunity.logs.counting import BUCKETS
from evenhand.opportunity.logs.preparation import Prepared

# Users in a sixteenth of the buckets, unless that finds fewer than these: grouping all of many users would
# take several times as long as the counts, and these are enough to see 51.5% where 50% were planned.
LOOKED_AT = BUCKETS // 16
ENOUGH_USERS = 20_000
# Where more than this share of users is in several arms, users were not what was assigned.
FEW = 0.01


@dataclass(frozen=True)
class Assigned:
    """Users who began in one arm alone, by value of an attribute and arm; how many began in several, by
    value; how many are in several arms at any time; and whether all were looked at.

    Where the values have an order, a user begins at the first at which he is in an arm; otherwise all his
    rows are his beginning.
    """

    by_value: dict[str, list[int]]
    unclear: dict[str, int]
    several: int
    everyone: bool

    @property
    def users(self) -> list[int]:
        return [sum(arm) for arm in zip(*self.by_value.values(), strict=True)]

    @property
    def total(self) -> int:
        return sum(self.users) + sum(self.unclear.values())

    @property
    def by_user(self) -> bool:
        """Whether users can have been assigned, each to one arm."""
        return all(self.users) and sum(self.unclear.values()) <= FEW * self.total


def assigned_users(
    tables: Mapping[str, inputs.Table],
    cluster: str | None,
    attribute: str | None,
    order: Sequence[str] = (),
) -> Assigned | None:
    """Who is in which arm, each user once, whatever the rows; by an attribute, of which he has one value, or
    several in this `order`.

    None without users, and of logs on different engines, which cannot be brought together.
    """
    logs = list(tables.values())
    if cluster is None or not all(same_database(log.backend, logs[0].backend) for log in logs[1:]):
        return None
    if attribute and order:
        for log in logs:
            log.require(attribute)
            refuse_unplanned(unplanned(log, log.expr, attribute, order), order, attribute, log.name)
    found = _assigned(logs, cluster, attribute, order, LOOKED_AT)
    return found if found.total >= ENOUGH_USERS else _assigned(logs, cluster, attribute, order, BUCKETS)


def unplanned(log: inputs.Table, rows: ir.Table, attribute: str, order: Sequence[str]) -> dict[str, int]:
    """How many rows have a value that is not in `order`; an empty one is none. One such value is enough."""
    value = ibis.coalesce(rows[attribute].cast("string"), "")
    others = rows.select(value=value).filter(lambda t: ~t["value"].isin(list(order)))
    found = log.run(others.group_by("value").aggregate(rows=others.count()).order_by("value").limit(1))
    return {str(value): int(rows) for value, rows in zip(found["value"], found["rows"], strict=True)}


def _assigned(
    logs: Sequence[inputs.Table], cluster: str, attribute: str | None, order: Sequence[str], buckets: int
) -> Assigned:
    arms = []
    for arm, log in enumerate(logs):
        users = log.expr
        if buckets < BUCKETS:
            users = users.filter(inputs.bucket(users[cluster], BUCKETS, log.integer_range(cluster)) < buckets)
        place = {"place": ibis.literal(0, "int64"), "arm": ibis.literal(arm, "int64")}
        if attribute:
            log.require(attribute)
            value = users[attribute]
            # In the order of its type: of days 2 and 10 the first is 2.
            ends = {"value": value.min().cast("string")}
            if order:
                place.pop("place")
                ends = {"value": ibis.literal(""), "place": place_in(value, order).min()}
            arms.append(users.group_by(user=users[cluster]).aggregate(**ends).mutate(**place))
        else:
            arms.append(users.select(user=users[cluster]).distinct().mutate(value=ibis.literal(""), **place))
    columns = ("user", "value", "place", "arm")
    together = functools.reduce(
        lambda above, below: above.union(below), (table.select(*columns) for table in arms)
    )
    # The first place with the lowest arm there, and with the highest.
    first, last = len(arms), len(arms) - 1
    people = together.group_by("user").aggregate(
        low=(together.place * first + together.arm).min(),
        high=(together.place * first + last - together.arm).min(),
        moved=together.arm.min() != together.arm.max(),
        value=together["value"].min(),
    )
    clear = people.low % first == last - people.high % first
    counted = people.group_by(
        low=people.low, clear=clear, moved=people.moved, value=people["value"]
    ).aggregate(users=people.count())
    found = logs[0].run(counted.limit((MOST_VALUES + 1) * 4 * len(logs)))
    refuse_many(found["value"].nunique(), attribute)
    if order:
        found["value"] = [order[low // first] for low in found["low"]]
    found["value"] = found["value"].fillna("")
    found["arm"] = found["low"] % first
    clear = found["clear"].astype(bool)
    table = found[clear].pivot_table(
        index="value", columns="arm", values="users", aggfunc="sum", fill_value=0
    )
    table = table.reindex(columns=range(len(logs)), fill_value=0)
    if order:
        table = table.reindex([value for value in order if value in table.index])
    return Assigned(
        {
            str(value): [int(count) for count in row]
            for value, row in zip(table.index, table.to_numpy(), strict=True)
        }
        or {"": [0] * len(logs)},
        {str(value): int(users) for value, users in found[~clear].groupby("value")["users"].sum().items()},
        int(found.loc[found["moved"].astype(bool), "users"].sum()),
        buckets == BUCKETS,
    )


def place_in(value: Any, order: Sequence[str]) -> Any:
    """Where the value of a row is in `order`."""
    text = value.cast("string")
    return ibis.cases(*((text == each, place) for place, each in enumerate(order))).cast("int64")


def users_in_several_arms(assigned: Assigned | None, cluster: str | None) -> tuple[str, ...]:
    """A warning where users are in the logs of several arms."""
    if assigned is None or not assigned.several:
        return ()
    looked_at = "" if assigned.everyone else " that were looked at (a sixteenth of all)"
    return (
        f"Of {assigned.total:,} {cluster}{looked_at}, {assigned.several:,} are in the logs of several arms. "
        "In an A/B test a user stays in one arm: check the assignment. If requests were assigned, or the "
        "logs are of different periods, that is right, and the intervals know it.",
    )


def equal_counts(prepared: Prepared) -> tuple[str, ...]:
    """A warning for each two arms with exactly the same counts, which hardly happens to different rows."""
    return tuple(
        f"The {prepared.arms[i]} log and the {prepared.arms[j]} log have exactly the same counts: they look "
        "like the same rows."
        for i, j in combinations(range(len(prepared.logs)), 2)
        if np.array_equal(prepared.logs[i].rows, prepared.logs[j].rows)
        and np.array_equal(prepared.logs[i].positives, prepared.logs[j].positives)
    )
