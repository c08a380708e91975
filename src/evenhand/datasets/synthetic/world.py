"""A finished synthetic world: its tables, its probabilities, its logs, and the exact truth."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.synthetic.answers import Truth
from evenhand.datasets.synthetic.impressions import ImpressionLaw
from evenhand.datasets.synthetic.tastes import relevance_of
from evenhand.files import filled

TOP = 100


def highest(scores: np.ndarray) -> np.ndarray:
    """(users, 100) positions of each user's highest scores, best first."""
    return np.argsort(-scores, axis=1, kind="stable")[:, :TOP]


@dataclass(frozen=True, eq=False)
class World:
    """A marketplace with planted unfairness. Rows of arrays are rows of `users`, columns rows of `items`."""

    seed: int
    users: pd.DataFrame
    """user_id, gender, age_band, region, arm."""
    items: pd.DataFrame
    """item_id, creator_id, creator_age, genre, category (a list), price, popularity.

    Popularity is the item's exact share of impressions under the control system.
    """
    creators: pd.DataFrame
    """creator_id, creator_age, creator_gender, region."""
    preferences: np.ndarray
    """(users, items), P(user likes item)."""
    scores: np.ndarray
    """(users, items), what the control system serves by: product of embeddings + quality + planted boosts."""
    policy: np.ndarray
    """(users, items), P(item | impression for the user) under the control system; softmax of `scores`."""
    treatment_policy: np.ndarray
    """The same under the treatment system, which differs in its creator weights only."""
    user_embeddings: np.ndarray
    item_embeddings: np.ndarray
    traffic: ImpressionLaw
    """What the logs are drawn from: `traffic.default(arm, rows, rng)`, `traffic.random(rows, rng)`."""
    default_log: pd.DataFrame
    """user_id, item_id, creator_age, day, liked, finished, shared, arm, layout: impressions, by day.

    `layout` is a second experiment on the same users, assigned independently of the arm and without effect.
    """
    random_log: pd.DataFrame
    """The same columns without arm and layout: uniform pairs of all users and items."""
    recall_log: pd.DataFrame
    """As random_log: uniform pairs of users of the control arm and their 100 highest scores, which are 99%
    of what they are shown. What is left after the first of two stages."""
    candidates: pd.DataFrame
    """user_id, item_id, score, label: 20 rows a user."""
    truth: Truth

    @property
    def relevance(self) -> np.ndarray:
        """(users, items) int8: 1 where the user likes the item more often than not."""
        return relevance_of(self.preferences)

    def save(self, folder: str | Path) -> Path:
        """Write the tables, embeddings and truth; the folder may exist. Returns the folder.

        As .parquet: default (both arms), control, treatment, random, recall (what a first stage leaves),
        users, items, creators, candidates, scores (each user's 100 highest, best first: user_id, item_id,
        score), relevance (the relevant pairs: user_id, item_id, relevance), preferences and policies (every
        pair: user_id, item_id, preference or probability, in single precision). As .npy: users and items
        (embeddings, in the order of the tables). And truth.json.
        """
        folder = Path(folder)
        tables = {
            "default": self.default_log,
            "random": self.random_log,
            "recall": self.recall_log,
            "users": self.users,
            "items": self.items,
            "creators": self.creators,
            "candidates": self.candidates,
            "scores": self._top_scores(),
            "relevance": self._pairs(*np.nonzero(self.relevance)).assign(relevance=np.int8(1)),
            "preferences": self._every_pair(preference=self.preferences),
            "policies": self._every_pair(probability=self.policy),
        }
        for arm in self.traffic.policies:
            tables[arm] = self.default_log[self.default_log["arm"] == arm]
        with filled(folder) as waiting:
            for name, table in tables.items():
                table.to_parquet(waiting / f"{name}.parquet", index=False)
            np.save(waiting / "users.npy", self.user_embeddings)
            np.save(waiting / "items.npy", self.item_embeddings)
            text = json.dumps(self.truth.to_dict(), indent=2) + "\n"
            (waiting / "truth.json").write_text(text, encoding="utf-8")
        return folder

    def _top_scores(self) -> pd.DataFrame:
        item = highest(self.scores)
        user = np.repeat(np.arange(len(self.users)), item.shape[1])
        return self._pairs(user, item.ravel()).assign(score=self.scores[user, item.ravel()])

    def _every_pair(self, **values: np.ndarray) -> pd.DataFrame:
        """One column of values for all pairs; its sums are exact enough for probabilities."""
        user, item = (place.ravel() for place in np.indices(self.preferences.shape))
        columns = {name: table.ravel().astype(np.float32) for name, table in values.items()}
        return self._pairs(user, item).assign(**columns)

    def _pairs(self, user: np.ndarray, item: np.ndarray) -> pd.DataFrame:
        user_id, item_id = self.users["user_id"].to_numpy(), self.items["item_id"].to_numpy()
        return pd.DataFrame({"user_id": user_id[user], "item_id": item_id[item]})
