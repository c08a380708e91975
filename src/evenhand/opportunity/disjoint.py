"""Are the arms of a comparison really different users and different rows?"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from evenhand import inputs
from evenhand.inputs.engines import same_database
from evenhand.opportunity.counting import BUCKETS
from evenhand.opportunity.preparation import Prepared

# Users in a sixteenth of the buckets: grouping all of them would take several times as long as the counts.
LOOKED_AT = BUCKETS // 16


def users_in_several_arms(tables: Mapping[str, inputs.Table], cluster: str | None) -> tuple[str, ...]:
    """A warning where users are in the logs of several arms, from a sixteenth of the users.

    Logs on different engines cannot be brought together, and are left alone.
    """
    logs = list(tables.values())
    if cluster is None or not all(same_database(log.backend, logs[0].backend) for log in logs[1:]):
        return ()
    users = [
        log.expr.filter(
            inputs.bucket(log.expr[cluster], BUCKETS, log.integer_range(cluster)) < LOOKED_AT
        ).select(user=log.expr[cluster])
        for log in logs
    ]
    arms = [each.distinct() for each in users]
    together = functools.reduce(lambda above, below: above.union(below), arms)
    people = together.group_by("user").aggregate(arms=together.count())
    found = (
        logs[0]
        .run(people.aggregate(all=people.count(), several=(people.arms > 1).cast("int64").sum()))
        .iloc[0]
    )
    if not found["all"] or not found["several"]:
        return ()
    return (
        f"Of {int(found['all']):,} {cluster} that were looked at (a sixteenth of all), "
        f"{int(found['several']):,} are in the logs of several arms. In an A/B test a user stays in one arm: "
        "check the assignment. If requests were assigned, or the logs are of different periods, that is "
        "right, and the intervals know it.",
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
