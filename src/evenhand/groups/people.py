"""How many people stand behind what is said of a group: in it, and beside it in those that hold it.

Groups that overlap tell of each other: who knows all women, and the women of every age but one, knows the
women of that age. So where what is listed of one choice of attributes leaves few of a larger listed group,
or of everybody, all that is listed of that choice tells of these few.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evenhand.groups.cells import Groups

# Of groups that do not overlap so many of the smallest are named too: the gap is made of all groups.
SMALLEST = 20


def people_of(groups: Groups, listed: Iterable[int]) -> dict[str, int]:
    """The listed groups by name, each with the fewest people that can be told from it."""
    listed = list(dict.fromkeys(int(g) for g in listed))
    if not (groups.codes < 0).any():
        listed = list(dict.fromkeys([*listed, *np.argsort(groups.sizes, kind="stable")[:SMALLEST].tolist()]))
        return {groups.name(g): int(groups.sizes[g]) for g in listed}
    by_choice: dict[tuple[bool, ...], list[int]] = {}
    for g in listed:
        by_choice.setdefault(tuple((groups.codes[g] >= 0).tolist()), []).append(g)
    found: dict[str, int] = {}
    for choice, members in by_choice.items():
        inside = np.zeros(len(groups.of), dtype=bool)
        inside[np.concatenate([groups.cells_of(g) for g in members])] = True
        left = [int(groups.of.sizes[~inside].sum())]  # of everybody
        for larger, others in by_choice.items():
            if larger != choice and all(
                mine or not theirs for mine, theirs in zip(choice, larger, strict=True)
            ):
                of = [groups.cells_of(g) for g in others]
                left += [int(groups.of.sizes[cells][~inside[cells]].sum()) for cells in of]
        fewest = min((few for few in left if few > 0), default=len(groups.of.of_user))
        found |= {groups.name(g): min(int(groups.sizes[g]), fewest) for g in members}
    return found
