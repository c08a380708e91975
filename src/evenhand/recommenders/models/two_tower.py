"""Two towers (Covington and others 2016; Yi and others 2019): layers over the features of each side.

The score is the product of the two towers' vectors, so users and items share one space. A positive is to be
told from the other items of its batch. They are in it as often as they are popular, so each logit is lowered
by the logarithm of that share (log Q): what is left is the softmax over all items, and a popular item is not
pushed down for being drawn often.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from evenhand.recommenders.models.click import Lookup
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.features import Features
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings

# Small batches: every row of one is compared with every other.
DEFAULTS = TrainingSettings(
    factors=32, learning_rate=0.002, regularisation=1e-4, batch=1024, epochs=40, every=2
)
HIDDEN = 64
ROWS = 1 << 14


class TwoTower(nn.Module):
    def __init__(self, train: Interactions, settings: TrainingSettings, features: Features) -> None:
        super().__init__()
        self.regularisation, k = settings.regularisation, settings.factors
        self.of_users, self.of_items = Lookup(features, "user"), Lookup(features, "item")
        self.vectors = nn.Parameter(torch.randn(features.size, k) * 0.1)
        self.user_tower, self.item_tower = (
            nn.Sequential(nn.Linear(len(fields) * k, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, k))
            for fields in (features.users, features.items)
        )
        share = np.bincount(train.item, minlength=len(train.item_ids)).clip(1) / len(train)
        self.register_buffer("log_q", torch.from_numpy(np.log(share)).float(), persistent=False)

    def users(self, user: Tensor) -> Tensor:
        return self.user_tower(self.of_users(user, self.vectors).flatten(1))

    def items(self, item: Tensor) -> Tensor:
        return self.item_tower(self.of_items(item, self.vectors).flatten(1))

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The uniform negatives are not used: those of the batch have weights."""
        p, q = self.users(user), self.items(positive)
        logits = p @ q.T - self.log_q[positive]
        # The same item, or another that this user took, is no negative.
        own = (positive[:, None] == positive) | (user[:, None] == user)
        own.fill_diagonal_(False)
        entropy = nn.functional.cross_entropy(
            logits.masked_fill(own, -torch.inf), torch.arange(len(user), device=user.device)
        )
        return entropy + self.regularisation * (p.square().sum() + q.square().sum()) / len(user)

    def recommender(self, train: Interactions) -> Factors:
        with torch.no_grad():
            vectors = [
                torch.cat([tower(rows) for rows in torch.arange(count, device=self.log_q.device).split(ROWS)])
                for tower, count in (
                    (self.users, len(train.user_ids)),
                    (self.items, len(train.item_ids)),
                )
            ]
        return Factors(train.user_ids, train.item_ids, *(found.cpu().numpy() for found in vectors))
