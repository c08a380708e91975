"""Logs: impressions drawn from policies, or uniformly, with the labels that users give.

Rows are independent draws given the world: a user (uniform among those who take part), an item from that
user's policy, labels from what the user likes. So counts of rows are multinomial.

`liked` follows the true preferences. `shared` happens only to liked items, so liked-or-shared is liked.
`finished` is more common when the item is liked, and happens without.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

P_SHARED_IF_LIKED = 0.15
P_FINISHED_IF_LIKED = 0.90
P_FINISHED_OTHERWISE = 0.35


@dataclass(frozen=True, eq=False)
class ImpressionLaw:
    """The law that logs are drawn from; draw as many rows as you like."""

    users: pd.DataFrame
    items: pd.DataFrame
    preferences: np.ndarray
    policies: dict[str, np.ndarray]
    """arm -> (users, items), P(item | impression for the user)."""
    days: int

    def default(self, arm: str, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Impressions of one arm: user_id, item_id, creator_age, day, liked, finished, shared, arm."""
        members = np.flatnonzero(self.users["arm"].to_numpy() == arm)
        within = rng.integers(len(members), size=rows)
        item = draw_items(self.policies[arm][members], within, rng)
        return self._log(members[within], item, rng).assign(arm=arm)

    def random(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Uniform pairs of all users and items, with the same columns but for the arm."""
        return self._log(
            rng.integers(len(self.users), size=rows), rng.integers(len(self.items), size=rows), rng
        )

    def after_recall(
        self, arm: str, recalled: np.ndarray, rows: int, rng: np.random.Generator
    ) -> pd.DataFrame:
        """Uniform pairs of one arm's users and what recall passed on to each: (users, items) positions."""
        members = np.flatnonzero(self.users["arm"].to_numpy() == arm)
        user = members[rng.integers(len(members), size=rows)]
        return self._log(user, recalled[user, rng.integers(recalled.shape[1], size=rows)], rng)

    def _log(self, user: np.ndarray, item: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
        """Label the shown (user, item) positions and write them down, spread evenly over the days."""
        rows = len(user)
        liked = rng.random(rows) < self.preferences[user, item]
        finished = rng.random(rows) < np.where(liked, P_FINISHED_IF_LIKED, P_FINISHED_OTHERWISE)
        shared = liked & (rng.random(rows) < P_SHARED_IF_LIKED)
        return pd.DataFrame(
            {
                "user_id": self.users["user_id"].to_numpy()[user],
                "item_id": self.items["item_id"].to_numpy()[item],
                "creator_age": self.items["creator_age"].to_numpy()[item],
                "day": (1 + np.arange(rows) * self.days // max(rows, 1)).astype(np.int16),
                "liked": liked.astype(np.int8),
                "finished": finished.astype(np.int8),
                "shared": shared.astype(np.int8),
            }
        )


def draw_items(policy: np.ndarray, user: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One item for each entry of `user`, from that row of the policy.

    All rows' distribution functions are laid end to end, row m on [m, m + 1], so that one binary search
    serves all impressions.
    """
    users, items = policy.shape
    ladder = np.cumsum(policy, axis=1)
    ladder /= ladder[:, -1:]
    ladder += np.arange(users)[:, None]
    place = np.searchsorted(ladder.ravel(), user + rng.random(len(user)), side="right")
    # A draw next to 1 can round up to m + 1; it belongs to the last item.
    return np.minimum(place - user * items, items - 1)
