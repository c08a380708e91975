"""Neural matrix factorisation (He and others 2017): a product of vectors, and a network on both together.

Users and items do not share one space: the score is no product of two vectors, so its embeddings say so.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evenhand.recommenders.scores.neural import NeuMFScores
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings

DEFAULTS = TrainingSettings(factors=32, learning_rate=0.002, regularisation=0.0005, epochs=40)


class NeuMF(nn.Module):
    def __init__(self, train: Interactions, settings: TrainingSettings) -> None:
        super().__init__()
        self.regularisation = settings.regularisation
        users, items, k = len(train.user_ids), len(train.item_ids), settings.factors
        self.users_mf, self.items_mf, self.users_mlp, self.items_mlp = (
            nn.Parameter(torch.randn(count, k) * 0.1) for count in (users, items, users, items)
        )
        self.bias = nn.Parameter(torch.zeros(items))
        self.hidden = nn.Sequential(nn.Linear(2 * k, k), nn.ReLU(), nn.Linear(k, k // 2), nn.ReLU())
        self.out = nn.Linear(k + k // 2, 1)
        with torch.no_grad():  # begin as the plain product, which learns at once
            self.out.weight[:, :k] = 1.0

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        product = self.users_mf[user] * self.items_mf[item]
        deep = self.hidden(torch.cat([self.users_mlp[user], self.items_mlp[item]], dim=-1))
        return self.out(torch.cat([product, deep], dim=-1)).squeeze(-1) + self.bias[item]

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        liked, other = self(user, positive), self(user, negative)
        tables = [(self.users_mf, user), (self.users_mlp, user)]
        tables += [
            (table, rows) for table in (self.items_mf, self.items_mlp) for rows in (positive, negative)
        ]
        size = torch.stack([table[rows].square().sum() for table, rows in tables]).sum() / len(user)
        entropy = -(nn.functional.logsigmoid(liked) + nn.functional.logsigmoid(-other)).mean()
        return entropy + self.regularisation * size

    def recommender(self, train: Interactions) -> NeuMFScores:
        weights = {name: weight.detach().numpy().copy() for name, weight in self.state_dict().items()}
        return NeuMFScores(train.user_ids, train.item_ids, weights)
