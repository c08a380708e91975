"""Are the arms of a comparison really different users and different rows?"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import ibis
import numpy as np

from evenhand import inputs
from evenhand.inputs.engines import same_database
from evenhand.opportunity.counting import BUCKETS
from evenhand.opportunity.preparation import Prepared
from evenhand.opportunity.sample_ratio import MOST_VALUES, refuse_many

# Users in a sixteenth of the buckets, unless that finds fewer than these: grouping all of many users would
# take several times as long as the counts, and these are enough to see 51.5% where 50% were planned.
LOOKED_AT = BUCKETS // 16
ENOUGH_USERS = 20_000
# Where more than this share of users is in several arms, users were not what was assigned.
FEW = 0.01


@dataclass(frozen=True)
class Assigned:
    """Users of one arm alone, by value of an attribute and arm; how many are in several; and whether all were
    looked at."""

    by_value: dict[str, list[int]]
    several: int
    everyone: bool

    @property
    def users(self) -> list[int]:
        return [sum(arm) for arm in zip(*self.by_value.values(), strict=True)]

    @property
    def total(self) -> int:
        return sum(self.users) + self.several

    @property
    def by_user(self) -> bool:
        """Whether users can have been assigned, each to one arm."""
        return all(self.users) and self.several <= FEW * self.total


def assigned_users(
    tables: Mapping[str, inputs.Table], cluster: str | None, attribute: str | None
) -> Assigned | None:
    """Who is in which arm, each user once, whatever the rows; by an attribute, of which he has one value.

    None without users, and of logs on different engines, which cannot be brought together.
    """
    logs = list(tables.values())
    if cluster is None or not all(same_database(log.backend, logs[0].backend) for log in logs[1:]):
        return None
    found = _assigned(logs, cluster, attribute, LOOKED_AT)
    return found if found.total >= ENOUGH_USERS else _assigned(logs, cluster, attribute, BUCKETS)


def _assigned(logs: Sequence[inputs.Table], cluster: str, attribute: str | None, buckets: int) -> Assigned:
    arms = []
    for arm, log in enumerate(logs):
        users = log.expr
        if buckets < BUCKETS:
            users = users.filter(inputs.bucket(users[cluster], BUCKETS, log.integer_range(cluster)) < buckets)
        arm_of = {"arm": ibis.literal(arm, "int64")}
        if attribute:
            log.require(attribute)
            value = users[attribute].cast("string").min()
            arms.append(users.group_by(user=users[cluster]).aggregate(value=value).mutate(**arm_of))
        else:
            arms.append(users.select(user=users[cluster]).distinct().mutate(value=ibis.literal(""), **arm_of))
    together = functools.reduce(lambda above, below: above.union(below), arms)
    people = together.group_by("user").aggregate(
        low=together.arm.min(), high=together.arm.max(), value=together["value"].min()
    )
    moved = people.low != people.high
    counted = people.group_by(low=people.low, moved=moved, value=people["value"]).aggregate(
        users=people.count()
    )
    found = logs[0].run(counted.limit(MOST_VALUES * len(logs) + 1))
    refuse_many(found["value"].nunique(), attribute)
    found["value"] = found["value"].fillna("")
    moved = found["moved"].astype(bool)
    table = found[~moved].pivot_table(
        index="value", columns="low", values="users", aggfunc="sum", fill_value=0
    )
    table = table.reindex(columns=range(len(logs)), fill_value=0)
    return Assigned(
        {
            str(value): [int(count) for count in row]
            for value, row in zip(table.index, table.to_numpy(), strict=True)
        }
        or {"": [0] * len(logs)},
        int(found.loc[moved, "users"].sum()),
        buckets == BUCKETS,
    )


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
