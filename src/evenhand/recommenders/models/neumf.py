"""Neural matrix factorisation (He and others 2017): a product of vectors, and a network on both together.

Users and items do not share one space: the score is no product of two vectors, so its embeddings say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from evenhand.recommenders.ids import Codes
from evenhand.recommenders.interactions import Interactions
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.training import Settings

DEFAULTS = Settings(factors=32, learning_rate=0.002, regularisation=0.0005, epochs=40)


class NeuMF(nn.Module):
    def __init__(self, train: Interactions, settings: Settings) -> None:
        super().__init__()
        self._build(len(train.user_ids), len(train.item_ids), settings.factors)
        self.regularisation = settings.regularisation

    def _build(self, users: int, items: int, k: int) -> None:
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
        return NeuMFScores.from_weights(train.user_ids, train.item_ids, weights)


class NeuMFScores(Recommender):
    """A trained NeuMF."""

    def __init__(self, user_ids: NDArray[Any], item_ids: NDArray[Any], module: NeuMF) -> None:
        self.user_ids, self.item_ids, self.module = user_ids, item_ids, module.eval()

    @classmethod
    def from_weights(
        cls, user_ids: NDArray[Any], item_ids: NDArray[Any], weights: dict[str, NDArray[Any]]
    ) -> NeuMFScores:
        module = NeuMF.__new__(NeuMF)
        nn.Module.__init__(module)
        module._build(len(user_ids), len(item_ids), weights["users_mf"].shape[1])
        try:
            module.load_state_dict({name: torch.from_numpy(np.array(w)) for name, w in weights.items()})
        except RuntimeError as error:
            raise ValueError(str(error).splitlines()[0]) from error
        return cls(user_ids, item_ids, module)

    def weights(self) -> dict[str, NDArray[Any]]:
        return {name: weight.numpy() for name, weight in self.module.state_dict().items()}

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        with torch.no_grad():
            pairs = zip(
                torch.from_numpy(user).split(1 << 18), torch.from_numpy(item).split(1 << 18), strict=True
            )
            return torch.cat([self.module(u, i) for u, i in pairs]).numpy()

    def score_block(self, users: Codes) -> Scores:
        items = np.arange(len(self.item_ids))
        return np.stack([self.score_pairs(np.full(len(items), user), items) for user in users])

    @property
    def embeddings(self) -> Embeddings:
        """The vectors of the product part; the network's are another pair of spaces."""
        weights = self.weights()
        return Embeddings(weights["users_mf"], weights["items_mf"], shared_space=False)
