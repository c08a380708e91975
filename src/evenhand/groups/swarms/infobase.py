"""What a search for groups knows so far: the shared memory of FairRec, Algorithm 3 (INFOBASE).

Sizes cost nothing, so the groups that are large enough are known from the start. A value costs its users:
each is scored at most once, and no more of them than the budget allows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.groups.cells import Cells

Score = Callable[[Ints], Floats]


class Infobase:
    """The groups that may be visited, numbered from 0 in the order of their codes, and what they turned out.

    `codes` and `sizes` are of all of them. `means`, and `counts` of the users with a value, are of the groups
    visited; a mean is NaN until a visit, and after it if no user of the group has a value.
    """

    def __init__(self, cells: Cells, least: int, score: Score, budget: int | None) -> None:
        self.cells = np.flatnonzero(cells.sizes >= least)
        if len(self.cells) == 0:
            raise InputError(
                f"None of the {len(cells):,} groups has {least:,} users or more "
                f"(the largest has {max(cells.sizes, default=0):,}): ask for a smaller least size."
            )
        self.codes, self.sizes = cells.codes[self.cells], cells.sizes[self.cells]
        if budget is not None and budget < self.sizes.min():
            raise InputError(
                f"A budget of {budget:,} users does not pay for a single group: "
                f"the smallest of at least {least:,} users has {self.sizes.min():,}."
            )
        self.means = np.full(len(self.cells), np.nan)
        self.counts = np.zeros(len(self.cells), dtype=np.int64)
        self.visited = np.zeros(len(self.cells), dtype=bool)
        self.order: list[int] = []
        self.users: list[Ints] = []
        self.values: list[Floats] = []
        self.users_scored = 0
        self._squares = 0.0
        self._budget, self._score = budget, score
        self._by_cell = np.argsort(cells.of_user, kind="stable")
        self._first = np.concatenate([[0], np.cumsum(cells.sizes)])[self.cells]

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def left(self) -> int:
        """How many users may still be scored."""
        total = int(self.sizes.sum()) if self._budget is None else self._budget
        return total - self.users_scored

    @property
    def open(self) -> NDArray[np.bool_]:
        """The groups not visited yet that can be paid for."""
        return ~self.visited & (self.sizes <= self.left)

    @property
    def gap(self) -> float:
        """The greatest mean minus the least (FairRec, equation 1) of the groups visited; NaN of none."""
        best = self.extremes()
        return float("nan") if best is None else float(self.means[best[0]] - self.means[best[1]])

    def extremes(self) -> tuple[int, int] | None:
        """The groups of the greatest and of the least mean so far; None while no mean is known."""
        if np.isnan(self.means).all():
            return None
        return int(np.nanargmax(self.means)), int(np.nanargmin(self.means))

    def spread_of_users(self) -> tuple[float, float]:
        """The mean and the standard deviation of the users' values so far; zeros while there is none."""
        known = self.counts > 0
        count = max(int(self.counts.sum()), 1)
        mean = float(self.counts[known] @ self.means[known]) / count
        return mean, max(self._squares / count - mean**2, 0.0) ** 0.5

    def visit(self, wanted: Ints) -> int:
        """Score the users of these groups in one batch and say how many groups were new.

        They are taken in their order; one that was visited before costs nothing, and one that does not fit
        into what is left is passed over, as part of a group would have the mean of another group.
        """
        chosen, left = [], self.left
        for group in dict.fromkeys(wanted.tolist()):
            if not self.visited[group] and self.sizes[group] <= left:
                chosen.append(group)
                left -= int(self.sizes[group])
        if not chosen:
            return 0
        members = [self._by_cell[self._first[g] : self._first[g] + self.sizes[g]] for g in chosen]
        users = np.concatenate(members)
        values = np.asarray(self._score(users), dtype=np.float64)
        if values.shape != users.shape:
            raise InputError(
                f"score gave {values.size:,} values for {len(users):,} users; it must give one for each."
            )
        place = np.repeat(np.arange(len(chosen)), self.sizes[chosen])
        has = ~np.isnan(values)
        counts = np.bincount(place[has], minlength=len(chosen))
        sums = np.bincount(place[has], weights=values[has], minlength=len(chosen))
        self.means[chosen] = np.divide(sums, counts, out=np.full(len(chosen), np.nan), where=counts > 0)
        self.counts[chosen] = counts
        self._squares += float(values[has] @ values[has])
        self.visited[chosen] = True
        self.order += chosen
        self.users.append(users)
        self.values.append(values)
        self.users_scored += len(users)
        return len(chosen)
