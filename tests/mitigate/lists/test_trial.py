"""A random order gains nothing where users who did not choose the groups are measured."""

import numpy as np
import pytest

from evenhand.groups.cells import Cells, every_cell
from evenhand.groups.confirmation import one_half
from evenhand.groups.lists.metrics import METRICS
from evenhand.mitigate import before_and_after, users_of, worst_groups
from evenhand.mitigate.lists.trial import run_trial

GROUPS, SIZE = 30, 24
CODES = np.arange(GROUPS * SIZE) % GROUPS
ALL = every_cell(Cells.of(["group"], [[str(g) for g in range(GROUPS)]], [CODES]), 2)


def trial(rng, metric="mrr", seen=None):
    """Values before and after are noise; "lists" are the values themselves, so that nothing else matters."""
    before, after = rng.random((2, len(CODES))) ** 3

    def mitigated(users):
        if seen is not None:
            seen.append(users)
        return np.where(users, after, before)

    def measured(values):
        return {metric: values}

    return run_trial(
        before, ALL, METRICS[metric], 0.1, 20, mitigated, measured, np.random.default_rng(1), 0.95
    )


def test_intervals_cover_no_change():
    rng = np.random.default_rng(0)
    found = [trial(rng).changes[0].chosen for _ in range(200)]
    assert np.mean([c.low <= 0 <= c.high for c in found]) >= 0.95
    assert abs(np.mean([c.difference for c in found])) < 0.01
    # Of those who were chosen for bad luck, it would be a gain.
    same = [trial(rng, "urd").changes[0].chosen for _ in range(50)]
    assert np.mean([c.low > 0 for c in same]) > 0.4


def test_two_halves_are_averaged_and_their_errors_too():
    seen = []
    found = trial(np.random.default_rng(2), seen=seen)
    # The lists given back are of the groups that all users choose; measured are those that others choose.
    assert (seen[0] == users_of(ALL, found.chosen)).all()
    half = one_half(ALL.of, np.random.default_rng(1))
    before, after = np.random.default_rng(2).random((2, len(CODES))) ** 3
    first, second = (worst_groups(before, ALL, "higher", 1, 0.1, users=part) for part in (half, ~half))
    assert [groups.tolist() for groups in found.halves] == [first.tolist(), second.tolist()]
    assert (seen[1] == np.where(half, users_of(ALL, second), users_of(ALL, first))).all()
    values = {"mrr": before}, {"mrr": np.where(seen[1], after, before)}
    parts = [
        before_and_after(*values, ALL, groups, 10, users=part)[0]
        for groups, part in ((first, ~half), (second, half))
    ]
    (change,) = found.changes
    for which in ("chosen", "others", "everybody", "gap"):
        for name in ("before", "after", "difference", "low", "high"):
            expected = np.mean([getattr(getattr(part, which), name) for part in parts])
            assert getattr(getattr(change, which), name) == pytest.approx(expected)
    assert change.chosen.users == seen[1].sum() == change.everybody.users - change.others.users
    assert change.others.difference == 0
