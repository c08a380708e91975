"""Small worlds of lists and items, made by hand or drawn."""

from collections.abc import Collection, Sequence

import numpy as np
from hypothesis import strategies as st

from evenhand.groups.lists.candidates import CandidateLists
from evenhand.groups.lists.metrics import ItemFacts
from groups.oracle import Candidate

ITEMS = 8


def lists_of(users: Sequence[Collection[Candidate]], order: Sequence[int] | None = None) -> CandidateLists:
    """One row a candidate, in the order asked for."""
    rows = [(u, *candidate) for u, candidates in enumerate(users) for candidate in candidates]
    rows = rows if order is None else [rows[i] for i in order]
    user, score, label, item = (np.array([row[i] for row in rows]) for i in range(4))
    return CandidateLists.of(
        user.astype(int), score.astype(float), label, item.astype(int), user_count=len(users)
    )


def facts_of(
    categories: Sequence[Collection[int]],
    popularity: Sequence[float],
    histories: Sequence[Collection[int]],
) -> ItemFacts:
    means = [float(np.mean([popularity[i] for i in h])) if h else np.nan for h in histories]
    return ItemFacts(
        category_offsets=np.cumsum([0] + [len(c) for c in categories]),
        categories=np.array([c for mine in categories for c in sorted(mine)], dtype=np.int32),
        popularity=np.array(popularity, dtype=float),
        history_popularity=np.array(means),
    )


def ranked(*labels: int) -> list[Candidate]:
    """A list without ties, given by its labels from the top."""
    return [Candidate(-float(place), label, place) for place, label in enumerate(labels)]


@st.composite
def worlds(draw):
    """Up to four users with lists of up to six, and facts about eight items."""
    scores = draw(st.sampled_from([[1.0], [0.0, 1.0, 2.0], [float(s) for s in range(9)]]))
    labels = draw(st.sampled_from([[0], [1], [0, 1], [0, 0, 1]]))
    users = [
        [
            Candidate(draw(st.sampled_from(scores)), draw(st.sampled_from(labels)), item)
            for item in draw(st.lists(st.integers(0, ITEMS - 1), max_size=6, unique=True))
        ]
        for _ in range(draw(st.integers(1, 4)))
    ]
    categories = [draw(st.sets(st.integers(0, 5))) for _ in range(ITEMS)]
    popularity = [draw(st.integers(0, 40)) / 4 for _ in range(ITEMS)]
    histories = [draw(st.sets(st.integers(0, ITEMS - 1), max_size=4)) for _ in users]
    return users, categories, popularity, histories, draw(st.integers(1, ITEMS))
