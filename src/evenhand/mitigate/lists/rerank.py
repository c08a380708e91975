"""Re-rank the lists of chosen users (FairRec, Guo and others 2023, RQ3)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.groups import METRICS, CandidateLists, ItemFacts, per_user
from evenhand.mitigate.lists import greedy

Goal = Literal["relevance", "diversity", "popularity"]


def rerank(
    lists: CandidateLists,
    facts: ItemFacts,
    users: NDArray[np.bool_] | NDArray[np.integer],
    goal: Goal,
    k: int,
    strength: float = 0.5,
    boost: Floats | None = None,
) -> CandidateLists:
    """New lists for these users (a mask, or their numbers); everybody else's stay bit for bit.

    Every goal weighs the score, scaled to [0, 1] within the list, against `strength` times the goal, scaled
    likewise; 0 changes nothing.

    - diversity: greedy; see `greedy.most_diverse`.
    - popularity: exchanges that bring the mean popularity of the first k nearer to that of the user's
      history for the least loss of score; see `greedy.nearest_in_mean`.
    - relevance: score + strength * boost, where `boost` has a value for each row of the lists, such as
      `group_prior` or the score of another model. FairRec does not say what its re-ranking knows. With the
      labels that the lists are tested with, any gain could be had, the published ones too (an MRR up by 80%),
      and it would be leakage: nobody has those labels when a list is shown. Here no goal reads a label.

    The new scores of diversity and popularity are whole numbers. A list of which the diversity would not
    rise, or the distance in popularity not fall, is left as it was, so these two cannot make a user worse in
    what they are for. What they cost in the other metrics, `before_and_after` shows.
    """
    _check(lists, facts, goal, k, strength, boost)
    chosen = _numbers(users, lists.user_count)
    if strength == 0 or len(chosen) == 0:
        return lists
    score = lists.score.copy()
    if goal == "relevance":
        assert boost is not None
        _blend(lists, chosen, boost, strength, score)
        return _reordered(lists, score, chosen)
    if goal == "diversity":
        assert facts.category_offsets is not None
        assert facts.categories is not None
        greedy.most_diverse(chosen, lists, facts.category_offsets, facts.categories, k, strength, score)
        return _where_better(lists, score, chosen, partial(_goodness, "urd", facts, k))
    assert facts.popularity is not None
    assert facts.history_popularity is not None
    greedy.nearest_in_mean(chosen, lists, facts.popularity, facts.history_popularity, k, strength, score)
    return _where_better(lists, score, chosen, partial(_goodness, "urp", facts, k))


def _goodness(metric: str, facts: ItemFacts, k: int, lists: CandidateLists) -> Floats:
    values = per_user([METRICS[metric]], lists, facts, k)[metric]
    return values if METRICS[metric].better == "higher" else -values


def _check(
    lists: CandidateLists, facts: ItemFacts, goal: str, k: int, strength: float, boost: Floats | None
) -> None:
    if goal not in get_args(Goal):
        raise InputError(f"There is no goal {goal!r}; there are: {', '.join(get_args(Goal))}.")
    if k < 1:
        raise InputError(f"k is {k}, but a list shows at least 1 item.")
    if not 0 <= strength < np.inf:
        raise InputError(f"strength is {strength}, but must be 0 (change nothing) or more.")
    items = int(lists.item.max(initial=-1)) + 1
    if goal == "diversity":
        if facts.category_offsets is None or facts.categories is None:
            raise InputError("Re-ranking for diversity needs the categories of items, and there are none.")
        _check_length("categories", len(facts.category_offsets) - 1, "items", items)
    if goal == "popularity":
        if facts.popularity is None or facts.history_popularity is None:
            raise InputError(
                "Re-ranking for popularity needs the popularity of items and of each user's history: give a "
                "history table."
            )
        _check_length("popularity", len(facts.popularity), "items", items)
        _check_length("history_popularity", len(facts.history_popularity), "users", lists.user_count)
    if goal == "relevance":
        if boost is None:
            raise InputError(
                "Re-ranking for relevance needs a boost, a value for each candidate that is not made from "
                "the test labels, such as group_prior(...)."
            )
        if np.shape(boost) != lists.score.shape:
            raise InputError(
                f"boost has shape {np.shape(boost)}, but there are {len(lists.score)} candidates."
            )
        if not np.isfinite(boost).all():
            raise InputError(f"boost is not a finite number in {int((~np.isfinite(boost)).sum())} rows.")


def _check_length(fact: str, found: int, of: str, needed: int) -> None:
    """The kernels do not look where an array ends."""
    if found < needed:
        raise InputError(f"The lists have {needed} {of}, but {fact} is given for {found} of them.")


def _numbers(users: NDArray[np.bool_] | NDArray[np.integer], count: int) -> Ints:
    users = np.asarray(users)
    if users.dtype == bool:
        if users.shape != (count,):
            raise InputError(f"The mask of users has shape {users.shape}, but there are {count} users.")
        return np.flatnonzero(users)
    numbers: Ints = np.unique(users.astype(np.int64))
    if len(numbers) and (numbers[0] < 0 or numbers[-1] >= count):
        raise InputError(
            f"Users are numbered from {numbers[0]} to {numbers[-1]}, but there are {count} users."
        )
    return numbers


def _rows_of(lists: CandidateLists, users: Ints) -> tuple[Ints, Ints]:
    """The rows of these users' lists, and which of the users each row is of."""
    lengths = lists.lengths[users]
    owner = np.repeat(np.arange(len(users)), lengths)
    start = np.cumsum(lengths) - lengths
    return np.arange(len(owner)) + (lists.offsets[users] - start)[owner], owner


def _blend(lists: CandidateLists, users: Ints, boost: Floats, strength: float, out: Floats) -> None:
    rows, owner = _rows_of(lists, users)
    out[rows] = _scaled(lists.score[rows], owner, len(users)) + strength * _scaled(
        np.asarray(boost, dtype=np.float64)[rows], owner, len(users)
    )


def _scaled(values: Floats, owner: Ints, user_count: int) -> Floats:
    """Between 0 and 1 within each list; all 0 where they are equal."""
    low, high = np.full(user_count, np.inf), np.full(user_count, -np.inf)
    np.minimum.at(low, owner, values)
    np.maximum.at(high, owner, values)
    span = (high - low)[owner]
    return np.divide(values - low[owner], span, out=np.zeros(len(values)), where=span > 0)


def _where_better(
    lists: CandidateLists, score: Floats, users: Ints, goodness: Callable[[CandidateLists], Floats]
) -> CandidateLists:
    """The new order for those to whom it does good; an undefined value is no good."""
    better = goodness(_reordered(lists, score, users)) > goodness(lists) + 1e-12
    kept = users[better[users]]
    rows, _ = _rows_of(lists, kept)
    settled = lists.score.copy()
    settled[rows] = score[rows]
    return _reordered(lists, settled, kept)


def _reordered(lists: CandidateLists, score: Floats, users: Ints) -> CandidateLists:
    """The lists with these scores, of which only those of `users` may be out of order."""
    rows, owner = _rows_of(lists, users)
    order = np.arange(len(score))
    order[rows] = rows[np.lexsort((-score[rows], owner))]
    return lists._replace(score=score[order], label=lists.label[order], item=lists.item[order])
