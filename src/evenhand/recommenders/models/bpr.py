"""Bayesian personalised ranking with matrix factorisation (Rendle and others 2009).

score(u, i) = p_u . q_i + b_i, trained so that what a user took scores above what the user did not:
loss = -mean log sigmoid(score(u, i) - score(u, j)) + regularisation * (|p_u|^2 + |q_i|^2 + |q_j|^2).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings

DEFAULTS = TrainingSettings()


class BPR(nn.Module):
    def __init__(self, train: Interactions, settings: TrainingSettings) -> None:
        super().__init__()
        self.users = nn.Parameter(torch.randn(len(train.user_ids), settings.factors) * 0.1)
        self.items = nn.Parameter(torch.randn(len(train.item_ids), settings.factors) * 0.1)
        self.bias = nn.Parameter(torch.zeros(len(train.item_ids)))
        self.regularisation = settings.regularisation

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        p, q, r = self.users[user], self.items[positive], self.items[negative]
        gap = (p * (q - r)).sum(dim=1) + self.bias[positive] - self.bias[negative]
        size = (p.square() + q.square() + r.square()).sum() / len(user)
        return -nn.functional.logsigmoid(gap).mean() + self.regularisation * size

    def recommender(self, train: Interactions) -> Factors:
        weights = [weight.detach().cpu().numpy().copy() for weight in (self.users, self.items, self.bias)]
        return Factors(train.user_ids, train.item_ids, *weights)
