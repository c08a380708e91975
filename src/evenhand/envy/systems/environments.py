"""Systems with known preferences, to measure envy in and to try audits on (Do and others 2022, Sec. 5).

What users took is completed to a full table, which is then the truth: a user's reward for an item is 1 with
that probability. A recommender sees a fifth of what users took, completes it with few factors or many, and
recommends by a softmax over its estimates. Do and others leave some settings to a full version; here

- the truth has 64 factors, and as much regularisation as gives its optimal policies the total utility of
  their table 1 (1,726 on Last.fm, 1,761 on MovieLens);
- the recommender's first factor is the popularity of items, without which one factor would not recommend the
  same to all users, as they say it does; what was seen weighs 4 times (MovieLens) or 10 times
  (Last.fm) what was not, with which 48 factors are envy-free at inverse temperature 5 and not at 10, as
  theirs are;
- truth and estimates are clipped to [0, 1], as probabilities are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand.arrays import Floats
from evenhand.datasets import World, lastfm, movielens
from evenhand.envy.systems.policies import softmax
from evenhand.envy.utilities import utilities
from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, number, whole
from evenhand.recommenders.models.completion import complete


class CompletionSettings(TypedDict):
    """What Do and others leave open, as described above."""

    regularisation: float
    weight: float


TRUE_FACTORS = 64
SEEN_SHARE = 0.2
LIKED = 3  # ratings below count as 0
USERS, ITEMS = 2000, 2500
MOVIELENS: CompletionSettings = {"regularisation": 21.0, "weight": 4.0}
LASTFM: CompletionSettings = {"regularisation": 0.05, "weight": 10.0}


@dataclass(frozen=True, eq=False)
class Environment:
    """True preferences, and what a recommender believes them to be; rows are users and columns are items."""

    name: str
    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    preferences: Floats
    """P(reward) of each user and item."""
    estimates: Floats
    """The recommender's scores."""

    def policies(self, inverse_temperature: float) -> Floats:
        """Softmax over the estimates."""
        return softmax(self.estimates, inverse_temperature)

    def utilities(self, inverse_temperature: float) -> Floats:
        """u[m, n], the mean reward of user m under the policy of user n: what online audits find out."""
        return utilities(self.preferences, self.policies(inverse_temperature))


@dataclass(frozen=True, eq=False)
class History:
    """Who took what of the data set, and the completed truth: what all recommenders of it share."""

    name: str
    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    taken: sparse.csr_array
    preferences: Floats
    weight: float
    """How much more what a recommender saw weighs than what it did not."""

    def recommend(
        self,
        factors: int = 48,
        *,
        share: float = SEEN_SHARE,
        regularisation: float = 0.1,
        seed: int = 0,
    ) -> Environment:
        """The environment with a recommender of so many factors that saw this share of what users took."""
        share = number("share", share, 0, 1, above=True)
        rng = np.random.default_rng(whole("seed", seed, 0, LARGEST_SEED))
        seen = self.taken.copy()
        seen.data = (rng.random(seen.nnz) < share).astype(float)
        found = complete(
            seen, factors, weight=self.weight, regularisation=regularisation, popularity=True, seed=seed
        )
        estimates = np.clip(found.users @ found.items.T, 0, 1)
        return Environment(self.name, self.user_ids, self.item_ids, self.preferences, estimates)


def movielens_history(folder: str | Path, users: int = USERS, items: int = ITEMS, seed: int = 0) -> History:
    """The users with the most ratings in MovieLens, their most rated items, ratings of 3 and more taken."""
    rows = movielens(folder).interactions
    rows = _most_frequent(_most_frequent(rows, "user_id", users), "item_id", items)
    return _history("MovieLens", rows, rows["rating"] >= LIKED, MOVIELENS, seed)


def lastfm_history(folder: str | Path, items: int = ITEMS, seed: int = 0) -> History:
    """All users of Last.fm who listened to one of its artists with the most listeners."""
    rows = _most_frequent(lastfm(folder).interactions, "item_id", items)
    return _history("Last.fm", rows, rows["rating"] > 0, LASTFM, seed)


def of_world(world: World) -> Environment:
    """The synthetic marketplace, whose control system is a softmax of its scores at inverse temperature 1."""
    ids = world.users["user_id"].to_numpy(), world.items["item_id"].to_numpy()
    return Environment("synthetic marketplace", *ids, world.preferences, world.scores)


def _most_frequent(rows: pd.DataFrame, column: str, count: int) -> pd.DataFrame:
    """The rows of the `count` most frequent ids; of those as frequent as the last, the smaller ids."""
    whole("users" if column == "user_id" else "items", count, 2)
    frequency = rows[column].value_counts().rename_axis(column).reset_index()
    kept = frequency.sort_values(["count", column], ascending=[False, True])[column].head(count)
    return rows[rows[column].isin(kept)]


def _history(
    name: str, rows: pd.DataFrame, liked: pd.Series, settings: CompletionSettings, seed: int
) -> History:
    user_ids, user = np.unique(rows["user_id"], return_inverse=True)
    item_ids, item = np.unique(rows["item_id"], return_inverse=True)
    chosen = liked.to_numpy()
    if not chosen.any():
        raise InputError(f"{name}: nobody took anything, so there are no preferences to learn.")
    shape = (len(user_ids), len(item_ids))
    taken = sparse.csr_array((np.ones(chosen.sum()), (user[chosen], item[chosen])), shape=shape)
    truth = complete(taken, TRUE_FACTORS, regularisation=settings["regularisation"], seed=seed)
    preferences = np.clip(truth.users @ truth.items.T, 0, 1)
    return History(name, user_ids, item_ids, taken, preferences, settings["weight"])
