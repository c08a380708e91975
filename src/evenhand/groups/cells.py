"""Users by their combination of attribute values, and groups as unions of such cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.about import Parts, group_name
from evenhand.arrays import Ints


@dataclass(frozen=True)
class Cells:
    """Every combination of attribute values that at least one user has.

    `values` are the words for each attribute's codes, `codes` has a row a cell and a column an attribute, and
    `of_user` is the cell of each user. Cells are in the order of their codes.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    codes: Ints
    of_user: Ints

    @classmethod
    def of(
        cls,
        attributes: Sequence[str],
        values: Sequence[Sequence[str]],
        user_codes: Sequence[NDArray[np.integer]],
    ) -> Cells:
        """From a code for each user and attribute."""
        shape = tuple(max(len(words), 1) for words in values)
        # The product of the numbers of values may not fit 64 bits, so one attribute joins at a time.
        cell = np.zeros(len(user_codes[0]), dtype=np.int64)
        codes = np.zeros((1, 0), dtype=np.int64)
        for count, column in zip(shape, user_codes, strict=True):
            joint = cell * count + column
            present, cell = _compact(joint, len(codes) * count)
            codes = np.column_stack([codes[present // count], present % count])
        return cls(tuple(attributes), tuple(tuple(words) for words in values), codes, cell)

    @cached_property
    def sizes(self) -> Ints:
        """How many users each cell has."""
        return np.bincount(self.of_user, minlength=len(self.codes))

    def __len__(self) -> int:
        return len(self.codes)

    def restricted(self, kept: NDArray[np.bool_]) -> Cells:
        """The cells of these users alone; the users are counted anew."""
        columns = [self.codes[self.of_user[kept], a] for a in range(len(self.attributes))]
        return Cells.of(self.attributes, self.values, columns)


def _compact(joint: Ints, possible: int) -> tuple[Ints, Ints]:
    """The values that occur, ascending, and the place of each among them."""
    if possible <= max(1_000_000, 4 * len(joint)):  # a table of all is quicker than sorting
        occurs = np.bincount(joint, minlength=possible) > 0
        return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[joint]
    present, place = np.unique(joint, return_inverse=True)
    return present, place


@dataclass(frozen=True)
class Groups:
    """Groups to compare: each is a union of cells. `offsets` and `cells` list the cells of each group.

    `codes` has a row a group and a column an attribute, -1 where the attribute may be anything.
    """

    of: Cells
    codes: Ints
    offsets: Ints
    cells: Ints

    @classmethod
    def single(cls, cells: Cells, chosen: NDArray[np.integer]) -> Groups:
        """One group for each of the chosen cells."""
        numbers: Ints = np.asarray(chosen, dtype=np.int64)
        return cls(cells, cells.codes[numbers], np.arange(len(numbers) + 1), numbers)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def sizes(self) -> Ints:
        return np.add.reduceat(np.append(self.of.sizes[self.cells], 0), self.offsets[:-1]) * (
            np.diff(self.offsets) > 0
        )

    def select(self, chosen: NDArray[np.generic]) -> Groups:
        """These groups, given by number or by a mask."""
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else np.asarray(chosen, dtype=np.int64)
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        cells = [self.cells_of(int(g)) for g in chosen]
        return Groups(
            self.of, self.codes[chosen], offsets, np.concatenate(cells) if cells else np.zeros(0, np.int64)
        )

    def cells_of(self, group: int) -> Ints:
        return self.cells[self.offsets[group] : self.offsets[group + 1]]

    def members(self) -> tuple[Ints, Ints]:
        """Every membership: the number of the group, and that of the user, who may be in several."""
        by_cell = np.argsort(self.of.of_user, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.of.sizes)])
        group = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        users = [by_cell[starts[cell] : starts[cell + 1]] for cell in self.cells]
        everybody = np.concatenate(users) if users else np.zeros(0, dtype=np.int64)
        return np.repeat(group, self.of.sizes[self.cells]), everybody

    def name(self, group: int) -> str:
        """A group in words: "F, 55+", or with names where an attribute may be anything: "gender F"."""
        return group_name(self.members_of(group), tuple(self.of.attributes))

    def members_of(self, group: int) -> Parts:
        """A group by attribute, without those that may be anything."""
        each = zip(self.of.attributes, self.of.values, self.codes[group], strict=True)
        return {attribute: words[code] for attribute, words, code in each if code >= 0}


def every_cell(cells: Cells, least: int) -> Groups:
    """The exhaustive search space: every observed combination with at least `least` users."""
    return Groups.single(cells, np.flatnonzero(cells.sizes >= least))


def every_combination(cells: Cells, least: int, depth: int) -> Groups:
    """Every choice of values for up to `depth` attributes, the others anything, with `least` users or more.

    Groups overlap. A combination below the least size is not extended, as no part of it can be larger.
    """
    count = len(cells.attributes)
    found: list[tuple[Ints, list[Ints]]] = []
    # A group number for each cell, -1 where pruned.
    alive: dict[tuple[int, ...], Ints] = {(): np.zeros(len(cells), dtype=np.int64)}
    for size in range(1, min(depth, count) + 1):
        grown: dict[tuple[int, ...], Ints] = {}
        for chosen in combinations(range(count), size):
            above = alive.get(chosen[:-1])
            if above is None:
                continue
            inside = above >= 0
            values = len(cells.values[chosen[-1]])
            joint = np.where(inside, above * values + cells.codes[:, chosen[-1]], -1)
            numbers = np.full(len(cells), -1, dtype=np.int64)
            present, place = np.unique(joint[inside], return_inverse=True)
            users = np.bincount(place, weights=cells.sizes[inside], minlength=len(present))
            new = np.where(users >= least, np.cumsum(users >= least) - 1, -1)
            numbers[inside] = new[place]
            if not (numbers >= 0).any():
                continue
            grown[chosen] = numbers
            found.append(_groups_of(cells, chosen, numbers))
        alive = grown
    codes = np.concatenate([codes for codes, _ in found]) if found else np.zeros((0, count), dtype=np.int64)
    members = [cells_of for _, group in found for cells_of in group]
    offsets = np.concatenate([[0], np.cumsum([len(m) for m in members])]).astype(np.int64)
    return Groups(cells, codes, offsets, np.concatenate(members) if members else np.zeros(0, np.int64))


def _groups_of(cells: Cells, chosen: tuple[int, ...], numbers: Ints) -> tuple[Ints, list[Ints]]:
    inside = np.flatnonzero(numbers >= 0)
    order = inside[np.argsort(numbers[inside], kind="stable")]
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    codes = np.full((len(starts), len(cells.attributes)), -1, dtype=np.int64)
    for attribute in chosen:
        codes[:, attribute] = cells.codes[order[starts], attribute]
    return codes, np.split(order, starts[1:])
