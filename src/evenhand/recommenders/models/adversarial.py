"""BPR beside an adversary that guesses an attribute of the user (after Beigi and others 2020).

The adversary sees the vectors of a user and of an item that the user took, one after the other, and learns
to tell the user's attribute. Its gradient reaches the vectors reversed (Ganin and Lempitsky 2015), times
`weight`: they learn to rank, and to leave the adversary in the dark.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from evenhand.recommenders.models.bpr import BPR
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings


class AdversarialBPR(BPR):
    """`codes` has a value for each user, -1 where the adversary is not told. Values weigh alike."""

    def __init__(
        self,
        train: Interactions,
        settings: TrainingSettings,
        codes: NDArray[np.int64],
        weight: float,
        hidden: int,
    ) -> None:
        super().__init__(train, settings)
        counts = np.bincount(codes[codes >= 0])
        self.weight = weight
        self.adversary = nn.Sequential(
            nn.Linear(2 * settings.factors, hidden), nn.ReLU(), nn.Linear(hidden, len(counts))
        )
        # Not weights: kept out of checkpoints.
        self.register_buffer("codes", torch.from_numpy(codes), persistent=False)
        balance = torch.from_numpy(counts.sum() / (len(counts) * counts)).float()
        self.register_buffer("balance", balance, persistent=False)

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        told = self.codes[user] >= 0
        pair = torch.cat([self.users[user[told]], self.items[positive[told]]], dim=1)
        guess = self.adversary(_Reversed.apply(pair, self.weight))
        wrong = nn.functional.cross_entropy(guess, self.codes[user[told]], self.balance, reduction="sum")
        # A batch may have nobody whose value is told.
        return super().loss(user, positive, negative) + wrong / max(len(guess), 1)


class _Reversed(torch.autograd.Function):
    """The same forward, and the gradient the other way round."""

    @staticmethod
    def forward(context: Any, values: Tensor, weight: float) -> Tensor:
        context.weight = weight
        return values.view_as(values)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return -context.weight * gradient, None
