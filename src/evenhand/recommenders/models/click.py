"""What the click models share in training: vectors of features, layers, and the log loss.

Cross-entropy on one sampled negative a positive. A feature with several values (genres) has their mean.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from evenhand.recommenders.scores.click.scores import ClickScores
from evenhand.recommenders.taken.features import NOTHING, Features
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.training import TrainingSettings

LAYERS = (128, 64)
# With a negative for each positive, a step is about 4,096 pairs.
DEFAULTS = TrainingSettings(
    factors=16, learning_rate=0.002, regularisation=1e-6, batch=2048, epochs=30, every=1
)


class Lookup(nn.Module):
    """Codes of the fields of users or of items, all in one table, moved to the device with the model."""

    def __init__(self, features: Features, of: str) -> None:
        super().__init__()
        self.names: list[tuple[str, str | None]] = []
        for place, (field, start) in enumerate(zip(features.fields, features.starts, strict=True)):
            if field.of != of:
                continue
            there = field.codes != NOTHING
            codes = start + np.where(there, field.codes, 0).astype(np.int64)
            self._keep(f"codes_{place}", codes if field.several else codes[:, 0])
            if field.several:
                share = there / there.sum(axis=1, keepdims=True)
                self._keep(f"share_{place}", share.astype(np.float32))
            self.names.append((f"codes_{place}", f"share_{place}" if field.several else None))

    def _keep(self, name: str, values: Any) -> None:
        self.register_buffer(
            name, torch.from_numpy(values), persistent=False
        )  # no weight: not in checkpoints

    def forward(self, rows: Tensor, table: Tensor) -> Tensor:
        """(rows, fields, width)"""
        found = []
        for codes, share in self.names:
            vectors = nn.functional.embedding(getattr(self, codes)[rows], table)
            if share is not None:
                vectors = (vectors * getattr(self, share)[rows][:, :, None]).sum(dim=1)
            found.append(vectors)
        return torch.stack(found, dim=1)


class ClickModel(nn.Module):
    """The base: a model gives `forward` and the class that scores what it has learnt."""

    scores: type[ClickScores]

    def __init__(self, train: Interactions, settings: TrainingSettings, features: Features) -> None:
        super().__init__()
        self.features, self.regularisation = features, settings.regularisation
        self.of_users, self.of_items = Lookup(features, "user"), Lookup(features, "item")
        self.vectors = nn.Parameter(torch.randn(features.size, settings.factors) * 0.05)
        self.fields, self.factors = len(features.fields), settings.factors

    def _looked_up(self, user: Tensor, item: Tensor, table: Tensor) -> Tensor:
        return torch.cat([self.of_users(user, table), self.of_items(item, table)], dim=1)

    def score(self, vectors: Tensor, user: Tensor, item: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return self.score(self._looked_up(user, item, self.vectors), user, item)

    def loss(self, user: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        both, items = torch.cat([user, user]), torch.cat([positive, negative])
        vectors = self._looked_up(both, items, self.vectors)
        scores = self.score(vectors, both, items)
        taken = torch.cat([torch.ones_like(scores[: len(user)]), torch.zeros_like(scores[len(user) :])])
        entropy = nn.functional.binary_cross_entropy_with_logits(scores, taken)
        return entropy + self.regularisation * vectors.square().sum() / len(user)

    def architecture(self) -> dict[str, Any]:
        """The declaration that stands in model.json; a model adds its own."""
        return {"factors": self.factors, "layers": list(LAYERS)}

    def recommender(self, train: Interactions) -> ClickScores:
        weights = {name: weight.detach().cpu().numpy().copy() for name, weight in self.state_dict().items()}
        return self.scores(train.user_ids, train.item_ids, self.features, self.architecture(), weights)


def layers(inputs: int, answer: bool = True) -> nn.Sequential:
    """Linear layers with what is positive of each kept, and a last one that answers with one number."""
    wide = [inputs, *LAYERS]
    parts: list[nn.Module] = []
    for before, after in pairwise(wide):
        parts += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*parts, *([nn.Linear(wide[-1], 1)] if answer else []))
