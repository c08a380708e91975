"""Choose the worst groups, re-rank their lists, and measure what that did to whom.

How far a user whom chance left out may change is what the same re-ranking would do to anybody of these data.

By a metric of what is shown (URD, URP), groups are chosen and measured on all users. By a metric of labels,
they are chosen with one half of the users and measured in the other, both ways: whoever was chosen for bad
luck gains from any change (see `before_and_after`). The two estimates are averaged. They are not independent,
since the luck by which one half chooses a group is what is measured with the choice of the other, so the
error of the average is the average of the errors, as in `groups.confirmation`: on the safe side. Halves taken
as independent would be on the other one; benchmarks/rerank.py says how often either interval covers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.groups import CandidateLists, Groups, Metric, metric_named, one_half
from evenhand.mitigate.before_and_after import Change, MetricChange, before_and_after
from evenhand.mitigate.lists.choice import Mask, users_of, worst_groups
from evenhand.mitigate.lists.gaps import Ends, GapChange

Values = Mapping[str, Floats]


@dataclass(frozen=True)
class Trial:
    """What was done, and what changed in each metric.

    `chosen` are the worst groups by all users, and `lists` has the lists of their users re-ranked. `halves`
    are the groups that either half chose, where choice and measurement were kept apart; None where not.
    """

    chosen: Ints
    lists: CandidateLists
    changes: tuple[MetricChange, ...]
    halves: tuple[Ints, Ints] | None


def run_trial(
    lists: CandidateLists,
    groups: Groups,
    metric: Metric,
    share: float,
    least: int,
    mitigated: Callable[[Mask], CandidateLists],
    measured: Callable[[CandidateLists], Values],
    rng: np.random.Generator,
    level: float,
) -> Trial:
    """`mitigated` gives the lists with those of some users re-ranked, `measured` the values of these users.

    Users are those of `groups`, in that order; each group has at least `least` of them.
    """
    before = measured(lists)
    values = before[metric.name]
    chosen = worst_groups(values, groups, metric.better, least, share)
    new = mitigated(users_of(groups, chosen))
    of_lists = [name for name in before if metric_named(name).column is None]
    everybody = np.ones(len(values), dtype=bool)
    far = _most_changed(before, measured(mitigated(everybody)), of_lists) if of_lists else {}
    if metric.column is None:
        changes = before_and_after(
            before, measured(new), groups, chosen, least, level=level, gaps=(metric.name,), far=far
        )
        return Trial(chosen, new, changes, None)
    half = one_half(groups.of, rng)
    first, second = (worst_groups(values, groups, metric.better, 1, share, users=h) for h in (half, ~half))
    tried = mitigated(np.where(half, users_of(groups, second), users_of(groups, first)))
    after, moved = measured(tried), not np.array_equal(tried.item, lists.item)
    parts = [
        before_and_after(
            before,
            after,
            groups,
            of_others,
            least // 2,
            users=part,
            level=level,
            moved=moved,
            gaps=(metric.name,),
            far=far,
        )
        for of_others, part in ((first, ~half), (second, half))
    ]
    changes = tuple(_both(a, b) for a, b in zip(*parts, strict=True))
    return Trial(chosen, new, changes, (first, second))


def _most_changed(before: Values, after: Values, metrics: Sequence[str]) -> dict[str, Ends]:
    """By metric, how far down and up a list would go if the lists of everybody were re-ranked: a few of those
    who were chosen may change as much, and none of them may be here."""
    changes = {name: after[name] - before[name] for name in metrics}
    known = {name: own[np.isfinite(own)] for name, own in changes.items()}
    return {name: (float(own.min()), float(own.max())) for name, own in known.items() if len(own)}


def _both(first: MetricChange, second: MetricChange) -> MetricChange:
    """A group that both halves chose counts twice among those that are better or worse."""
    return MetricChange(
        first.metric,
        first.better,
        _mean_change(first.chosen, second.chosen),
        _mean_change(first.others, second.others),
        _mean_change(first.everybody, second.everybody),
        GapChange(min(first.gap.groups, second.gap.groups), **_means(first.gap, second.gap)),
        first.groups_better + second.groups_better,
        first.groups_worse + second.groups_worse,
    )


def _mean_change(first: Change, second: Change) -> Change:
    return Change(
        users=first.users + second.users,
        **_means(first, second),
        standard_error=(first.standard_error + second.standard_error) / 2,
        users_better=first.users_better + second.users_better,
        users_worse=first.users_worse + second.users_worse,
    )


def _means(first: Change | GapChange, second: Change | GapChange) -> dict[str, float]:
    """Also of the limits: their mean is the mean estimate, give or take the mean reach."""
    names = ("before", "after", "difference", "low", "high")
    return {name: (getattr(first, name) + getattr(second, name)) / 2 for name in names}
