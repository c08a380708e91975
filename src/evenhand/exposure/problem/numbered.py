"""What is audited, by number: users, items, groups, relevant pairs, and scores in blocks of users."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.scores import checked_scores
from evenhand.exposure.problem.sides import ItemGroups, refuse_many_pairs
from evenhand.recommenders.protocol import Recommender

Any2d = NDArray[np.floating]

# Scores in a block: of 3,706 items, those of about 1,000 users.
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True)
class ScoreBlock:
    """Users `users` with the scores of their candidates: one row a user, all of one length.

    `items` are the candidates' numbers, None where they are the whole catalogue in order. `known` marks what
    a user took already and is not shown again.
    """

    users: Ints
    scores: Any2d
    items: Ints | None
    known: NDArray[np.bool_] | None = None


class Scores(ABC):
    """Scores of all users, block by block."""

    @abstractmethod
    def blocks(self) -> Iterator[ScoreBlock]: ...

    def spread(self) -> float:
        """The standard deviation of a user's scores, in the mean over users: what a temperature is measured
        by where the scores of two systems are of different size."""
        total, users = 0.0, 0
        for block in self.blocks():
            scores = block.scores.astype(float)
            if block.known is not None:
                scores[block.known] = np.nan
            total += float(np.nanstd(scores, axis=1).sum())
            users += len(block.users)
        return total / max(users, 1)


@dataclass(frozen=True)
class Problem:
    """Everything an audit needs, by number: users, items, who is in which group, and what is relevant."""

    user_count: int
    scores: Scores | Lists
    user_group: Ints
    user_names: tuple[str, ...]
    user_weights: Floats
    item_groups: ItemGroups
    item_names: tuple[str, ...]
    relevant_offsets: Ints
    relevant_items: Ints
    grades: Floats
    propensities: Floats | None = None  # the chance that each relevant pair was observed
    user_ids: pd.Index | None = None  # where there are tables

    def __post_init__(self) -> None:
        refuse_many_pairs(len(self.user_names), len(self.item_names))

    def relevant(self, users: Ints) -> tuple[Ints, Ints]:
        """The relevant pairs of these users, as offsets and rows of the relevant items and their grades."""
        starts, ends = self.relevant_offsets[users], self.relevant_offsets[users + 1]
        counts = ends - starts
        offsets = np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)


class Dense(Scores):
    """A matrix of users by items; what is `excluded` is not shown."""

    def __init__(self, table: Any2d, excluded: NDArray[np.bool_] | None = None) -> None:
        self.table, self.excluded = table, excluded

    def blocks(self) -> Iterator[ScoreBlock]:
        for users in _slices(*self.table.shape):
            known = None if self.excluded is None else self.excluded[users]
            if known is None or not known.any():
                yield ScoreBlock(users, self.table[users], None)
                continue
            left = ~known.all(axis=1)  # to others nothing can be shown
            if left.any():
                yield ScoreBlock(users[left], self.table[users[left]], None, known[left])


class Recommended(Scores):
    """A recommender that is asked about whole catalogues, a block of users at a time.

    What a user took already, as far as the recommender knows, is not shown.
    """

    def __init__(self, model: Recommender, users: Ints, items: Ints) -> None:
        self.model, self.users, self.items = model, users, items

    def blocks(self) -> Iterator[ScoreBlock]:
        for users in _slices(len(self.users), len(self.items)):
            scores = np.asarray(self.model.score_block(self.users[users]))
            shape = (len(users), len(self.model.item_ids))
            if scores.shape != shape:
                raise InputError(
                    f"the model gave scores of the shape {scores.shape} for {shape[0]:,} users and "
                    f"{shape[1]:,} items; score_block must give a row a user and a column an item."
                )
            scores, known = scores[:, self.items], None
            if self.model.history is not None:
                known = self.model.history[self.users[users]].toarray()[:, self.items] > 0
                left = ~known.all(axis=1)  # to others nothing can be shown
                users, scores, known = users[left], scores[left], known[left]
            if len(users):
                yield ScoreBlock(users, checked_scores(scores), None, known)


class Listed(Scores):
    """Candidates of each user, of any number: users with as many candidates make a block."""

    def __init__(self, offsets: Ints, items: Ints, scores: Floats) -> None:
        self.offsets, self.items, self.scores = offsets, items, scores

    def blocks(self) -> Iterator[ScoreBlock]:
        lengths = np.diff(self.offsets)
        for length in np.unique(lengths[lengths > 0]):
            alike = np.flatnonzero(lengths == length)
            for part in _slices(len(alike), int(length)):
                users = alike[part]
                rows = self.offsets[users][:, None] + np.arange(length)
                yield ScoreBlock(users, checked_scores(self.scores[rows]), self.items[rows])


def _slices(user_count: int, items: int) -> Iterator[Ints]:
    size = max(1, BLOCK_ENTRIES // max(items, 1))
    for start in range(0, user_count, size):
        yield np.arange(start, min(start + size, user_count))
